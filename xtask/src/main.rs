//! `cargo xtask`: the project's chores, one file or folder per verb; this file only dispatches.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod bench;
mod build_info;
mod cases;
mod ci;
mod command;
mod progress;
mod setup;
mod test;
mod tidy;
mod vendor;
mod workspace;

/// The project's chores. Every verb first brings the tools that it needs.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Setup(setup::Args),
    Test(test::Args),
    Bench(Box<bench::Args>),
    BuildInfo(build_info::Args),
    Vendor(vendor::Args),
    Ci(ci::Args),
    Tidy(tidy::Args),
}

fn main() -> ExitCode {
    let done = match Cli::parse().verb {
        Verb::Setup(args) => setup::run(args),
        Verb::Test(args) => test::run(args),
        Verb::Bench(args) => bench::run(&args),
        Verb::BuildInfo(args) => build_info::run(args),
        Verb::Vendor(args) => vendor::run(args),
        Verb::Ci(args) => ci::run(args),
        Verb::Tidy(args) => tidy::run(args),
    };
    done.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}
