//! Runs the workers in turns and collects what they measure. Judges only whether a round was
//! disturbed from outside; everything else is left to the evaluation.

pub mod builder;
mod process;

use std::path::PathBuf;

use crate::arm::Arm;
use crate::error::{Error, Result};
use crate::fixtures::Fixtures;
use crate::host;
use crate::progress::Progress;
use crate::protocol::{Hello, Sample};
use crate::scenario::Scenario;
use crate::schedule;
use process::WorkerProcess;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How often every worker is started afresh.
    pub launches: u32,
    /// Rounds per scenario and launch; each visits every arm once.
    pub rounds: usize,
    /// Length of one sample in milliseconds.
    pub millis: u64,
}

/// A worker program that is there, under the name its figures go by.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The arm's id, or that of the control.
    pub id: String,
    /// The library it is asked for.
    pub library: &'static str,
    /// Where the program lies.
    pub program: PathBuf,
    /// The machine code features it has to report.
    pub features: Vec<String>,
    /// For a control: the arm that it repeats.
    pub control_of: Option<String>,
}

/// Where and in which order to measure.
#[derive(Clone, Debug)]
pub struct Setting {
    /// How much is measured.
    pub effort: Effort,
    /// The core that all workers share.
    pub core: Option<usize>,
    /// Decides the order of the arms.
    pub seed: u64,
    /// Certificates and keys.
    pub fixtures: Fixtures,
    /// Whether to say nothing meanwhile.
    pub quiet: bool,
}

/// One sample and its circumstances.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Which start of the worker, from 0.
    pub launch: u32,
    /// Which round within the launch, from 0.
    pub round: usize,
    /// Which turn within the round, from 0.
    pub slot: usize,
    /// What the worker measured.
    pub sample: Sample,
    /// Clock ticks that the hypervisor took meanwhile.
    pub steal_ticks: Option<u64>,
}

/// Everything about one arm in one scenario.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// What was measured, in order.
    pub observations: Vec<Observation>,
    /// Why it could not be measured, each reason once.
    pub failures: Vec<String>,
}

/// What all arms found: one list per worker with one entry per scenario; `None` where the worker
/// cannot measure the scenario.
pub type Grid = Vec<Vec<Option<Cell>>>;

impl Worker {
    /// The worker of `arm`, built as `program`.
    pub fn of(arm: &Arm, program: PathBuf) -> Self {
        Self {
            id: arm.id.to_owned(),
            library: arm.library,
            program,
            features: arm.expected_features(),
            control_of: None,
        }
    }

    /// A second worker from the same program, to see how far equal arms lie apart.
    pub fn control(&self) -> Self {
        Self {
            id: format!("{}~control", self.id),
            control_of: Some(self.id.clone()),
            ..self.clone()
        }
    }

    /// Asks the program who it is, and refuses one that is not the arm's or not optimised.
    pub fn identify(&self, setting: &Setting) -> Result<Hello> {
        let directory = setting.fixtures.directory();
        let hello = WorkerProcess::start(self, directory, setting.core, 0)?.hello()?;
        let fault = if hello.library != self.library {
            format!("measures {}, not {}", hello.library, self.library)
        } else if hello.features != self.features {
            format!(
                "was built with {:?}, not with {:?}",
                hello.features, self.features
            )
        } else if !hello.optimised {
            "was built without optimisation".to_owned()
        } else if let Some(level) = too_low(&hello.build_info) {
            format!("has its C library compiled with {level}; that measures the compiler")
        } else {
            return Ok(hello);
        };
        Err(Error::Worker {
            arm: self.id.clone(),
            message: fault,
        })
    }
}

/// The optimisation level of the C library, if it is told and lower than anyone would deploy.
fn too_low(build_info: &serde_json::Value) -> Option<&str> {
    let level = build_info["optimisation"].as_str()?;
    (!["-O2", "-O3", "-Ofast"].contains(&level)).then_some(level)
}

/// Measures `scenarios` with every worker that can.
///
/// A launch visits every scenario, so that the samples of one scenario are spread over the whole
/// run; it starts all workers anew for each, as what a process did before can change its speed
/// (wolfSSL's SP assembly leaves the vector registers in a state that slows plain SSE code down by
/// a third). A round that was disturbed is repeated, at most as often as there are rounds.
pub fn measure(
    workers: &[Worker],
    hellos: &[Hello],
    scenarios: &[Scenario],
    setting: &Setting,
) -> Grid {
    let mut grid: Grid = hellos
        .iter()
        .map(|hello| {
            let supports = |scenario: &Scenario| hello.scenarios.contains(&scenario.id());
            scenarios
                .iter()
                .map(|scenario| supports(scenario).then(Cell::default))
                .collect()
        })
        .collect();
    let steps = setting.effort.launches as usize * scenarios.len();
    let progress = if setting.quiet {
        Progress::silent()
    } else {
        Progress::steps("measuring", steps)
    };
    let mut random = fastrand::Rng::with_seed(setting.seed);
    for launch in 0..setting.effort.launches {
        for (column, scenario) in scenarios.iter().enumerate() {
            let mut fleet = Fleet {
                workers,
                setting,
                padding: workers.iter().map(|_| random.usize(..4096)).collect(),
                running: workers.iter().map(|_| None).collect(),
            };
            progress.detail(scenario.id());
            let mut cells: Vec<(usize, &mut Cell)> = grid
                .iter_mut()
                .enumerate()
                .filter_map(|(arm, row)| Some((arm, row[column].as_mut()?)))
                .collect();
            fleet.prepare(scenario, &mut cells);
            fleet.rounds(launch, &mut cells, &mut random);
            for (worker, cells) in workers.iter().zip(&grid) {
                if let Some(cell) = cells[column].as_ref().filter(|_| launch == 0) {
                    for failure in &cell.failures {
                        progress.note(&format!("{} {scenario}: {failure}", worker.id));
                    }
                }
            }
            progress.advance();
        }
    }
    progress.finish("measured");
    grid
}

/// The workers of one launch and scenario.
struct Fleet<'a> {
    workers: &'a [Worker],
    setting: &'a Setting,
    padding: Vec<usize>,
    running: Vec<Option<WorkerProcess>>,
}

impl Fleet<'_> {
    /// Has every arm make `scenario` ready; arms that cannot drop out of `cells`.
    fn prepare(&mut self, scenario: &Scenario, cells: &mut Vec<(usize, &mut Cell)>) {
        cells.retain_mut(|(arm, cell)| {
            let prepared = self
                .worker(*arm)
                .and_then(|worker| worker.prepare(scenario.id()));
            cell.note(prepared).is_some()
        });
    }

    /// Takes the rounds of one scenario. An arm that fails takes no further turn.
    fn rounds(
        &mut self,
        launch: u32,
        cells: &mut [(usize, &mut Cell)],
        random: &mut fastrand::Rng,
    ) {
        let wanted = self.setting.effort.rounds;
        let mut out = vec![false; cells.len()];
        let mut undisturbed = 0;
        let schedule = schedule::rounds(cells.len(), 2 * wanted, random);
        for (round, order) in schedule.into_iter().enumerate() {
            if undisturbed == wanted {
                break;
            }
            let mut clean = true;
            for (slot, turn) in order.into_iter().enumerate() {
                if out[turn] {
                    continue;
                }
                let (arm, cell) = &mut cells[turn];
                let Some((sample, steal_ticks)) = cell.note(self.sample(*arm)) else {
                    out[turn] = true;
                    continue;
                };
                let observation = Observation {
                    launch,
                    round,
                    slot,
                    sample,
                    steal_ticks,
                };
                clean &= observation.disturbance().is_none();
                cell.observations.push(observation);
            }
            undisturbed += usize::from(clean);
        }
    }

    fn sample(&mut self, arm: usize) -> Result<(Sample, Option<u64>)> {
        let core = self.setting.core;
        let millis = self.setting.effort.millis;
        let before = core.and_then(host::steal_ticks);
        let sample = self.worker(arm)?.run(millis)?;
        let after = core.and_then(host::steal_ticks);
        let stolen = before.zip(after).map(|(before, after)| after - before);
        Ok((sample, stolen))
    }

    fn worker(&mut self, arm: usize) -> Result<&mut WorkerProcess> {
        let alive = self.running[arm]
            .as_mut()
            .is_some_and(WorkerProcess::is_alive);
        if !alive {
            self.running[arm] = None;
        }
        match &mut self.running[arm] {
            Some(running) => Ok(running),
            stopped => Ok(stopped.insert(WorkerProcess::start(
                &self.workers[arm],
                self.setting.fixtures.directory(),
                self.setting.core,
                self.padding[arm],
            )?)),
        }
    }
}

impl Cell {
    /// Passes a success on and keeps the reason of a failure.
    fn note<T>(&mut self, outcome: Result<T>) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                let reason = error.to_string();
                if !self.failures.contains(&reason) {
                    self.failures.push(reason);
                }
                None
            }
        }
    }
}

impl Observation {
    /// What disturbed this sample from outside, if anything did: the hypervisor took more than 1 %
    /// of the time, another process took more than 2 %, or the clock changed by more than 4 %.
    pub fn disturbance(&self) -> Option<&'static str> {
        /// Nearly every Linux counts ticks of 10 ms towards user space.
        const TICK_NS: u64 = 10_000_000;
        let Sample {
            elapsed_ns,
            cpu_ns,
            spin: [before, after],
            ..
        } = self.sample;
        if self.steal_ticks.unwrap_or(0) * TICK_NS * 100 > elapsed_ns {
            Some("steal")
        } else if cpu_ns.is_some_and(|cpu| cpu * 100 < elapsed_ns * 98) {
            Some("preempted")
        } else if (after / before - 1.0).abs() > 0.04 {
            Some("clock")
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Unit;

    #[test]
    fn disturbances_are_told_apart() {
        assert_eq!(observation(Some(0), 99, [5.0, 5.0]).disturbance(), None);
        assert_eq!(observation(None, 99, [5.0, 5.0]).disturbance(), None);
        let stolen = observation(Some(1), 99, [5.0, 5.0]);
        assert_eq!(stolen.disturbance(), Some("steal"));
        let preempted = observation(Some(0), 97, [5.0, 5.0]);
        assert_eq!(preempted.disturbance(), Some("preempted"));
        let slowed = observation(Some(0), 99, [5.0, 4.7]);
        assert_eq!(slowed.disturbance(), Some("clock"));
    }

    #[test]
    fn a_library_below_o2_is_refused() {
        let built = |level: &str| serde_json::json!({ "optimisation": level });
        assert_eq!(too_low(&built("-O0")), Some("-O0"));
        assert_eq!(too_low(&built("")), Some(""));
        assert_eq!(too_low(&built("-O3")), None);
        assert_eq!(too_low(&serde_json::json!({})), None);
    }

    fn observation(steal_ticks: Option<u64>, cpu_ms: u64, spin: [f64; 2]) -> Observation {
        Observation {
            launch: 0,
            round: 0,
            slot: 0,
            sample: Sample {
                value: 1.0,
                unit: Unit::PerSecond,
                iterations: 1,
                elapsed_ns: 100_000_000,
                cpu_ns: Some(cpu_ms * 1_000_000),
                spin,
                negotiated: None,
            },
            steal_ticks,
        }
    }
}
