//! `compare`: two result files side by side.

use std::path::PathBuf;

use super::Ending;
use crate::compare::compare;
use crate::error::Result;
use crate::results::ResultFile;
use crate::table;

/// Show how the figures of two result files differ, and what else does.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The older file
    before: PathBuf,
    /// The newer file
    after: PathBuf,
}

/// Prints the comparison; INVALID or missing rows of the newer file make the ending so.
pub(super) fn run(args: &Args) -> Result<Ending> {
    let before = ResultFile::read(&args.before)?;
    let after = ResultFile::read(&args.after)?;
    let comparison = compare(&before, &after);
    print!("{}", table::comparison(&comparison));
    Ok(if comparison.lost.is_empty() {
        Ending::Good
    } else {
        Ending::Invalid
    })
}
