//! The command line of `cargo xtask bench`: one file per verb, this file dispatches.

mod compare;
mod gate;
mod measure;
mod report;

use std::process::ExitCode;

pub use measure::MeasureArgs;

use crate::error::{Error, Result};
use crate::orchestrator::builder::Workspace;

/// Measure the features against each other and against peers.
///
/// Builds a worker program for each arm, runs them in turns on one core, and prints a table. A row
/// that did not measure what it says is shown as INVALID, and the exit code is 3.
#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    measure: MeasureArgs,
}

#[derive(Clone, Debug, clap::Subcommand)]
enum Verb {
    Compare(compare::Args),
    Gate(gate::Args),
    Report(report::Args),
}

/// How a run ended, as the exit code of the program; 0 is success, 1 and 2 are errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Ending {
    /// Everything measured what it says, and nothing regressed.
    Good = 0,
    /// A row is INVALID or missing.
    Invalid = 3,
    /// The gate found a regression, and found it again.
    Regressed = 4,
    /// The gate can say neither.
    Inconclusive = 5,
}

/// Does what the command line says.
///
/// # Errors
/// When something is asked for that does not exist, an arm cannot be built or a worker is not what
/// it should be. Rows that could not be measured are no error: they are INVALID.
pub fn run(args: &Args, workspace: &Workspace) -> Result<ExitCode> {
    let ending = match &args.verb {
        None => measure::run(&args.measure, workspace),
        Some(Verb::Compare(args)) => compare::run(args),
        Some(Verb::Gate(args)) => gate::run(args, workspace),
        Some(Verb::Report(args)) => report::run(args),
    }?;
    Ok(ExitCode::from(ending as u8))
}

fn usage(message: String) -> Error {
    Error::Usage { message }
}
