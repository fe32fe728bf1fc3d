//! `cargo xtask bench`: brings the tools and hands over to the `bench` crate.

use std::process::ExitCode;

use anyhow::Result;
use bench::orchestrator::builder::Workspace;

use crate::setup::{self, Set};
use crate::workspace;

pub use bench::cli::Args;

/// Measures and prints.
///
/// # Errors
/// When a tool is missing, an arm cannot be built, or something is asked for that does not exist.
pub fn run(args: &Args) -> Result<ExitCode> {
    let toolbox = setup::ensure(&[Set::Build])?;
    let workspace = Workspace {
        root: workspace::root().to_owned(),
        target: workspace::target(),
        cargo: Box::new(move || workspace::cargo(&toolbox)),
    };
    Ok(bench::cli::run(args, &workspace)?)
}
