//! `cargo xtask build-info`: builds the C library for the asked features and prints its report.

use std::process::ExitCode;

use anyhow::Result;

use crate::setup::{self, Set};
use crate::{command, workspace};

/// Build wolfSSL and print what was built: source, compiler, flags, features and their fate.
#[derive(clap::Args)]
pub struct Args {
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Features to ask for, separated by commas.
    #[arg(long, value_name = "LIST")]
    features: Option<String>,
    /// Leave out the default features.
    #[arg(long)]
    no_default_features: bool,
}

/// Prints the report.
///
/// # Errors
/// When a tool is missing or the build fails.
pub fn run(args: Args) -> Result<ExitCode> {
    let toolbox = setup::ensure(&[Set::Build])?;
    let mut cargo = workspace::cargo(&toolbox);
    cargo.args([
        "run",
        "--quiet",
        "--package",
        "wolfssl",
        "--example",
        "build_info",
    ]);
    if let Some(features) = &args.features {
        cargo.args(["--features", features]);
    }
    if args.no_default_features {
        cargo.arg("--no-default-features");
    }
    if args.json {
        cargo.args(["--", "--json"]);
    }
    command::stream(&mut cargo)?;
    Ok(ExitCode::SUCCESS)
}
