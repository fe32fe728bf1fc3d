//! Measuring: builds the arms, has them measured, writes what was found.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use wildmatch::WildMatch;

use super::{Ending, usage};
use crate::arm::{ARMS, Arm};
use crate::error::{Error, Result};
use crate::host::{self, Host};
use crate::orchestrator::builder::Workspace;
use crate::orchestrator::{Effort, Setting, Worker, measure};
use crate::protocol::Hello;
use crate::results::{ArmRecord, ResultFile, Run, SCHEMA, ScenarioRecord};
use crate::scenario::Scenario;
use crate::{csv, evaluate, table};

/// What to measure, and how much.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct MeasureArgs {
    /// Measure for about three minutes instead of eight
    #[arg(long)]
    pub(super) quick: bool,
    /// Measure every scenario, not only the headline ones
    #[arg(long)]
    full: bool,
    /// Write everything that was found, raw samples too, to this file
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write the figures to this file, comma separated
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the tables to this file, as Markdown
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Only these arms; factors are over the first
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) arms: Vec<String>,
    /// Only scenarios whose id contains this, of all there are; * stands for anything. May be
    /// repeated
    #[arg(long, value_name = "PATTERN")]
    pub(super) scenario: Vec<String>,
    /// List arms and scenarios, measure nothing
    #[arg(long)]
    list: bool,
    /// Decide the order of the arms; random if absent
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Run the workers on this core; the last one if absent
    #[arg(long, value_name = "N")]
    core: Option<usize>,
    /// How often every worker is started afresh
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    launches: Option<u32>,
    /// Rounds per scenario and launch; even numbers cancel drift
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Length of one sample, milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(10..=60_000))]
    millis: Option<u64>,
    /// Leave out the control that shows how far equal arms lie apart
    #[arg(long)]
    no_control: bool,
}

/// Measures and prints.
pub(super) fn run(args: &MeasureArgs, workspace: &Workspace) -> Result<Ending> {
    if args.list {
        print!("{}", table::catalogue());
        return Ok(Ending::Good);
    }
    let file = measure_all(args, workspace)?;
    print!("{}", table::render(&file));
    args.write(&file)?;
    Ok(if file.invalid().next().is_some() {
        Ending::Invalid
    } else {
        Ending::Good
    })
}

/// Builds and measures everything that `args` choose.
pub(super) fn measure_all(args: &MeasureArgs, workspace: &Workspace) -> Result<ResultFile> {
    let arms = args.chosen_arms()?;
    let mut scenarios = args.chosen_scenarios()?;
    let mut workers = Vec::new();
    for arm in arms {
        workers.push(Worker::of(arm, workspace.build(arm)?));
    }
    if !args.no_control {
        workers.push(workers[0].control());
    }
    let effort = args.effort();
    let setting = Setting {
        effort,
        core: args.core.or_else(host::quiet_core),
        seed: args.seed.unwrap_or_else(|| fastrand::u64(..)),
        fixtures: workspace.fixtures(&workers[0].program)?,
        quiet: false,
    };
    let hellos: Vec<Hello> = workers
        .iter()
        .map(|worker| worker.identify(&setting))
        .collect::<Result<_>>()?;
    scenarios.retain(|scenario| {
        hellos
            .iter()
            .any(|hello| hello.scenarios.contains(&scenario.id()))
    });
    let host = Host::inspect(setting.core);
    let utc = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let start = Instant::now();
    let grid = measure(&workers, &hellos, &scenarios, &setting);
    let seconds = start.elapsed().as_secs_f64();
    let (results, ratios) = evaluate::evaluate(&workers, &scenarios, &grid, setting.seed);
    let (git, dirty) = workspace.revision();
    Ok(ResultFile {
        schema: SCHEMA.to_owned(),
        run: Run {
            utc,
            git,
            dirty,
            argv: std::env::args().skip(1).collect(),
            seed: setting.seed,
            launches: effort.launches,
            rounds: effort.rounds,
            millis: effort.millis,
            core: setting.core,
            seconds,
        },
        host,
        arms: workers
            .iter()
            .zip(hellos)
            .map(|(worker, hello)| arm_record(worker, hello, workspace))
            .collect(),
        scenarios: scenarios.iter().map(scenario_record).collect(),
        results,
        ratios,
    })
}

impl MeasureArgs {
    /// Writes what was found in every form asked for.
    pub(super) fn write(&self, file: &ResultFile) -> Result<()> {
        if let Some(path) = &self.json {
            file.write(path)?;
        }
        if let Some(path) = &self.csv {
            save(path, &csv::render(file))?;
        }
        if let Some(path) = &self.markdown {
            save(path, &table::markdown(file))?;
        }
        for path in [&self.json, &self.csv, &self.markdown]
            .into_iter()
            .flatten()
        {
            eprintln!("written to {}", path.display());
        }
        Ok(())
    }

    fn effort(&self) -> Effort {
        let preset = if self.quick {
            Effort {
                launches: 3,
                rounds: 2,
                millis: 160,
            }
        } else {
            Effort {
                launches: 5,
                rounds: 2,
                millis: 400,
            }
        };
        Effort {
            launches: self.launches.unwrap_or(preset.launches),
            rounds: self.rounds.map_or(preset.rounds, usize::from),
            millis: self.millis.unwrap_or(preset.millis),
        }
    }

    fn chosen_arms(&self) -> Result<Vec<&'static Arm>> {
        if self.arms.is_empty() {
            return Ok(ARMS.iter().filter(|arm| arm.by_default).collect());
        }
        let mut chosen: Vec<&'static Arm> = Vec::new();
        for id in &self.arms {
            let arm = Arm::from_id(id).ok_or_else(|| {
                let known: Vec<&str> = ARMS.iter().map(|arm| arm.id).collect();
                usage(format!(
                    "no arm is called {id}; there are {}",
                    known.join(", ")
                ))
            })?;
            if chosen.contains(&arm) {
                return Err(usage(format!("arm {id} is named twice")));
            }
            chosen.push(arm);
        }
        Ok(chosen)
    }

    pub(super) fn chosen_scenarios(&self) -> Result<Vec<Scenario>> {
        let patterns: Vec<WildMatch> = self
            .scenario
            .iter()
            .map(|pattern| WildMatch::new(&format!("*{pattern}*")))
            .collect();
        let mut scenarios = Scenario::catalogue();
        if patterns.is_empty() {
            scenarios.retain(|scenario| self.full || scenario.is_headline());
        } else {
            scenarios.retain(|scenario| {
                let id = scenario.id();
                patterns.iter().any(|pattern| pattern.matches(&id))
            });
        }
        if scenarios.is_empty() {
            return Err(usage(format!(
                "no scenario matches {}; --list shows all",
                self.scenario.join(", ")
            )));
        }
        Ok(scenarios)
    }
}

fn save(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Error::io(format!("writing {}", path.display())))
}

fn arm_record(worker: &Worker, hello: Hello, workspace: &Workspace) -> ArmRecord {
    let program_bytes = std::fs::metadata(&worker.program).map_or(0, |data| data.len());
    ArmRecord {
        id: worker.id.clone(),
        control_of: worker.control_of.clone(),
        library: hello.library,
        version: hello.version,
        features: hello.features,
        build_info: workspace.without_places(hello.build_info),
        program_bytes,
    }
}

fn scenario_record(scenario: &Scenario) -> ScenarioRecord {
    ScenarioRecord {
        id: scenario.id(),
        what: scenario.describe(),
        unit: scenario.unit(),
        better: "higher".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_chooses_by_part_or_by_wildcard() {
        assert_eq!(chosen(&["rsa-2048-sign"]), ["algo:rsa-2048-sign"]);
        assert_eq!(
            chosen(&["hs-full*1.2*ecdsa", "x25519-agree"]),
            ["hs-full:tls1.2:ecdsa-p256:x25519", "algo:x25519-agree"]
        );
        assert!(chosen(&[]).contains(&"algo:rsa-2048-sign".to_owned()));
        assert!(!chosen(&[]).contains(&"algo:md5".to_owned()));
        let all = MeasureArgs {
            full: true,
            ..MeasureArgs::default()
        };
        let all = all.chosen_scenarios().unwrap();
        assert_eq!(all, Scenario::catalogue());
    }

    #[test]
    fn what_does_not_exist_is_named() {
        let args = MeasureArgs {
            scenario: vec!["rot13".into()],
            ..MeasureArgs::default()
        };
        let error = args.chosen_scenarios().unwrap_err().to_string();
        assert!(
            error.contains("rot13") && error.contains("--list"),
            "{error}"
        );

        let args = MeasureArgs {
            arms: vec!["generic".into(), "botan".into()],
            ..MeasureArgs::default()
        };
        let error = args.chosen_arms().unwrap_err().to_string();
        assert!(
            error.contains("botan") && error.contains("u128+sp"),
            "{error}"
        );
    }

    fn chosen(patterns: &[&str]) -> Vec<String> {
        let args = MeasureArgs {
            scenario: patterns.iter().map(ToString::to_string).collect(),
            ..MeasureArgs::default()
        };
        let scenarios = args.chosen_scenarios().unwrap();
        scenarios.iter().map(Scenario::id).collect()
    }
}
