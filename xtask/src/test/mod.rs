//! `cargo xtask test`: every check that the project has, as named steps with one summary.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::progress::Progress;
use crate::setup::{self, Cross, Toolbox};

pub mod build;
mod cross;
pub mod external;
mod run;
mod steps;

pub use run::{Counts, Run};

use steps::Step;

/// Run the checks. The last line of the output is `N passed, N failed`.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Run only these steps (see --list).
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    only: Vec<String>,
    /// Leave out these steps.
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    skip: Vec<String>,
    /// wolfCrypt's own test for every feature set, not only for the default and the portable one.
    #[arg(long)]
    wolfcrypt: bool,
    /// Also the slow build cases: rebuilds, read-only sources, several TLS libraries in one program.
    #[arg(long)]
    build_cases: bool,
    /// Cross-build for this target and test by emulation, instead of the other steps.
    #[arg(long, value_name = "TRIPLE", value_parser = setup::cross, conflicts_with_all = ["wolfcrypt", "build_cases"])]
    target: Option<&'static Cross>,
    /// Show the output of the steps while they run.
    #[arg(long, short)]
    verbose: bool,
    /// List the steps and stop.
    #[arg(long)]
    list: bool,
}

/// Runs the chosen steps, all of them even when one fails.
///
/// # Errors
/// When no step has an asked name or a step's log cannot be written. Failing checks are no error
/// here: they are told in the summary and by the exit code.
pub fn run(args: Args) -> Result<ExitCode> {
    let steps = chosen(&args)?;
    if args.list {
        for step in steps::all(&args) {
            let mark = if steps.iter().any(|chosen| chosen.name == step.name) {
                '*'
            } else {
                ' '
            };
            println!("{mark} {:<20} {}", step.name, step.about);
        }
        println!("(* runs with these arguments)");
        return Ok(ExitCode::SUCCESS);
    }

    let mut summary = vec![];
    let start = Instant::now();
    let toolbox = match setup::ensure(&needed(&steps)) {
        Ok(toolbox) => toolbox,
        Err(error) => {
            eprintln!("setup: {error:#}");
            summary.push(Line {
                step: "setup",
                counts: Counts::FAILURE,
                took: start.elapsed(),
            });
            return Ok(close(&summary));
        }
    };
    for step in steps {
        summary.push(perform(&step, &args, &toolbox)?);
    }
    Ok(close(&summary))
}

/// What one step came to.
struct Line {
    step: &'static str,
    counts: Counts,
    took: Duration,
}

fn perform(step: &Step, args: &Args, toolbox: &Toolbox) -> Result<Line> {
    let progress = Progress::start(step.name);
    let run = Run::new(step.name, toolbox, args.verbose)?;
    let outcome = (step.run)(&run);
    let (counts, complaint) = match outcome {
        Ok(counts) => (counts, None),
        Err(error) => (Counts::FAILURE, Some(error)),
    };
    let took = progress.done(if counts.failed == 0 { "ok" } else { "FAILED" });
    if counts.failed > 0 {
        if !args.verbose {
            eprintln!("{}", run.tail(80));
        }
        if let Some(complaint) = complaint {
            eprintln!("{}: {complaint:#}", step.name);
        }
        eprintln!(
            "{}: all of the output is in {}",
            step.name,
            run.log().display()
        );
    }
    Ok(Line {
        step: step.name,
        counts,
        took,
    })
}

/// Prints the summary; the form of its last line is a promise to those who read it by program.
fn close(summary: &[Line]) -> ExitCode {
    let total: Counts = summary.iter().map(|line| line.counts).sum();
    println!(
        "\n{:<22} {:>7} {:>7} {:>8} {:>9}",
        "step", "passed", "failed", "ignored", "seconds"
    );
    for Line { step, counts, took } in summary {
        println!(
            "{step:<22} {:>7} {:>7} {:>8} {:>9.1}",
            counts.passed,
            counts.failed,
            counts.ignored,
            took.as_secs_f64()
        );
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    if total.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn chosen(args: &Args) -> Result<Vec<Step>> {
    let all = steps::all(args);
    for name in args.only.iter().chain(&args.skip) {
        if !all.iter().any(|step| step.name == name) {
            let names: Vec<_> = all.iter().map(|step| step.name).collect();
            bail!(
                "there is no step {name}; the steps are {}",
                names.join(", ")
            );
        }
    }
    let wanted = |step: &Step| {
        let asked = args.only.iter().any(|name| name == step.name);
        let left_out = args.skip.iter().any(|name| name == step.name);
        (asked || args.only.is_empty() && step.default) && !left_out
    };
    Ok(all.into_iter().filter(wanted).collect())
}

fn needed(steps: &[Step]) -> Vec<setup::Set> {
    let mut sets: Vec<setup::Set> = vec![];
    for set in steps.iter().flat_map(|step| &step.needs) {
        if !sets.contains(set) {
            sets.push(*set);
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_and_skip_choose_and_unknown_names_are_refused() {
        let args = |only: &[&str], skip: &[&str]| Args {
            only: only.iter().map(ToString::to_string).collect(),
            skip: skip.iter().map(ToString::to_string).collect(),
            ..Args::default()
        };
        let names = |args: Args| -> Vec<_> {
            chosen(&args)
                .expect("valid")
                .iter()
                .map(|step| step.name)
                .collect()
        };
        assert_eq!(names(args(&["fmt", "tidy"], &[])), ["fmt", "tidy"]);
        assert_eq!(names(args(&["fmt", "tidy"], &["tidy"])), ["fmt"]);
        assert!(!names(args(&[], &["clippy"])).contains(&"clippy"));
        let error = chosen(&args(&["nothing"], &[]))
            .err()
            .expect("refused")
            .to_string();
        assert!(
            error.starts_with("there is no step nothing; the steps are fmt"),
            "{error}"
        );
    }

    #[test]
    fn steps_have_distinct_names() {
        let all = steps::all(&Args::default());
        for (at, step) in all.iter().enumerate() {
            assert!(
                all[at + 1..].iter().all(|other| other.name != step.name),
                "{}",
                step.name
            );
        }
    }
}
