//! The instrument put to the test: workers whose true speeds are known, or that lie or die, measured
//! by the real orchestrator over the real protocol.
//!
//! This program is its own worker: the orchestrator starts it again with `--library`.

mod simulated;

use std::path::PathBuf;

use bench::evaluate::evaluate;
use bench::fixtures::Fixtures;
use bench::orchestrator::{Effort, Setting, Worker, measure};
use bench::results::{RatioRecord, Row, Verdict};
use bench::scenario::Scenario;
use libtest_mimic::{Arguments, Failed, Trial};

const HANDSHAKE: &str = "hs-full:tls1.3:ecdsa-p256:x25519";

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments
        .iter()
        .position(|argument| argument == "--library")
    {
        return simulated::serve(&arguments[at + 1]);
    }
    let trials = vec![
        trial(
            "a_planted_slow_down_of_5_percent_is_found",
            planted_difference,
        ),
        trial("a_planted_slow_down_of_0_percent_is_not", planted_nothing),
        trial("a_lie_about_the_group_is_caught", lie),
        trial("a_worker_that_dies_spoils_its_own_row_only", death),
        trial("a_worker_that_refuses_is_an_invalid_row", refusal),
        trial("a_worker_of_another_build_is_refused", impostor),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn trial(name: &'static str, test: fn() -> Result<(), Failed>) -> Trial {
    Trial::test(name, test)
}

/// How often the two statistical tests measure; a rare miss is allowed.
const RUNS: u64 = 20;

/// Noise of 1 % in every sample and a common drift of 20 % over the run.
fn planted_difference() -> Result<(), Failed> {
    let found = (0..RUNS)
        .map(|seed| run(&["honest:1.00", "honest:0.95"], seed))
        .filter(|(_, ratios)| of(ratios, "honest:0.95").verdict == Verdict::Slower)
        .count();
    ensure(found >= 18, format!("found in {found} of {RUNS} runs"))
}

fn planted_nothing() -> Result<(), Failed> {
    let claimed = (0..RUNS)
        .map(|seed| run(&["honest:1.00", "honest:1.000"], seed))
        .filter(|(_, ratios)| {
            matches!(
                of(ratios, "honest:1.000").verdict,
                Verdict::Slower | Verdict::Faster
            )
        })
        .count();
    ensure(claimed <= 2, format!("claimed in {claimed} of {RUNS} runs"))
}

fn lie() -> Result<(), Failed> {
    let (rows, ratios) = run(&["honest:1.00", "lying:1.00"], 1);
    let row = rows
        .iter()
        .find(|row| row.arm == "lying:1.00")
        .ok_or("no row")?;
    ensure(
        !row.valid && row.why_invalid == ["group is 0x0017, not x25519"],
        format!("{:?}", row.why_invalid),
    )?;
    ensure(
        ratios.iter().all(|ratio| ratio.a != "lying:1.00"),
        "it was compared",
    )
}

fn death() -> Result<(), Failed> {
    let (rows, _) = run(&["honest:1.00", "dying:1.00"], 1);
    let row = |arm: &str| rows.iter().find(|row| row.arm == arm).ok_or("no row");
    let dead = row("dying:1.00")?;
    ensure(
        !dead.valid && dead.why_invalid[0].contains("ended without an answer"),
        format!("{:?}", dead.why_invalid),
    )?;
    let honest = row("honest:1.00")?;
    ensure(
        honest.valid && honest.n > 0,
        format!("{:?}", honest.why_invalid),
    )
}

fn refusal() -> Result<(), Failed> {
    let (rows, _) = run(&["honest:1.00", "refusing:1.00"], 1);
    let row = rows
        .iter()
        .find(|row| row.arm == "refusing:1.00")
        .ok_or("no row")?;
    ensure(
        !row.valid && row.why_invalid[0].contains("not today"),
        format!("{:?}", row.why_invalid),
    )
}

fn impostor() -> Result<(), Failed> {
    let mut worker = worker("honest:1.00")?;
    worker.features = vec!["sp".to_owned()];
    match worker.identify(&setting(1)) {
        Ok(_) => Err("it was accepted".into()),
        Err(error) => ensure(
            error.to_string().contains("was built with"),
            error.to_string(),
        ),
    }
}

/// Measures these libraries, with a control of the first, in one scenario.
fn run(libraries: &[&'static str], seed: u64) -> (Vec<Row>, Vec<RatioRecord>) {
    let mut workers: Vec<Worker> = libraries
        .iter()
        .map(|library| worker(library).expect("this program's own path"))
        .collect();
    workers.push(workers[0].control());
    let setting = setting(seed);
    let hellos: Vec<_> = workers
        .iter()
        .map(|worker| worker.identify(&setting).expect("a worker that says hello"))
        .collect();
    let scenario = Scenario::from_id(HANDSHAKE).expect("a known scenario");
    let grid = measure(&workers, &hellos, &[scenario], &setting);
    evaluate(&workers, &[scenario], &grid, seed)
}

fn setting(seed: u64) -> Setting {
    Setting {
        effort: Effort {
            launches: 5,
            rounds: 2,
            millis: 1,
        },
        core: None,
        seed,
        fixtures: Fixtures::open(PathBuf::new()),
        quiet: true,
    }
}

fn worker(library: &'static str) -> Result<Worker, Failed> {
    Ok(Worker {
        id: library.to_owned(),
        library,
        program: std::env::current_exe()?,
        features: Vec::new(),
        control_of: None,
    })
}

fn of<'a>(ratios: &'a [RatioRecord], arm: &str) -> &'a RatioRecord {
    ratios
        .iter()
        .find(|ratio| ratio.a == arm)
        .expect("a ratio of two valid rows")
}

fn ensure(holds: bool, message: impl Into<String>) -> Result<(), Failed> {
    if holds {
        Ok(())
    } else {
        Err(message.into().into())
    }
}
