//! `cargo xtask ci`: what continuous integration runs, that is the test verb with its defaults.

use std::process::ExitCode;

use anyhow::Result;

use crate::test;

/// Run what continuous integration runs: `test` with its defaults.
#[derive(clap::Args)]
pub struct Args {}

/// Runs the test verb with its defaults.
///
/// # Errors
/// As [`test::run`].
pub fn run(_: Args) -> Result<ExitCode> {
    test::run(test::Args::default())
}
