//! `cargo xtask setup`: finds the tools that are missing and brings them.
//!
//! For each missing tool: apt-get where this user may, else a private copy from PyPI under
//! `target/tools`, else one line that says what to install. Every other verb calls [`ensure`].

use std::process::ExitCode;

use anyhow::Result;

mod apt;
mod need;
mod probe;
mod pypi;
mod survey;
mod toolbox;

pub use need::{CROSS, Cross, DEBIAN_CARGO, Set};
pub use toolbox::Toolbox;

use survey::Survey;

/// Find the tools that are missing and bring them.
#[derive(clap::Args)]
pub struct Args {
    /// Also the programs that the interoperability tests talk to (openssl, curl, GnuTLS).
    #[arg(long)]
    interop: bool,
    /// Also what the benchmark's peers need to be built (C++ compiler, perl, git).
    #[arg(long)]
    peers: bool,
    /// Also what the benchmark's studies run (ab, wrk, MariaDB).
    #[arg(long)]
    studies: bool,
    /// Also compiler and emulator for this target.
    #[arg(long, value_name = "TRIPLE", value_parser = cross)]
    target: Option<&'static Cross>,
    /// Use private copies under target/tools where there are any, whatever the machine has
    /// (for all verbs: the environment variable XTASK_PRIVATE_TOOLS=1).
    #[arg(long)]
    private: bool,
    /// Only say what is there and what would be installed.
    #[arg(long)]
    dry_run: bool,
}

/// Brings the tools and lists them.
///
/// # Errors
/// When a tool is missing and cannot be brought.
pub fn run(args: Args) -> Result<ExitCode> {
    let mut sets = vec![Set::Build];
    sets.extend(args.interop.then_some(Set::Interop));
    sets.extend(args.peers.then_some(Set::Peers));
    sets.extend(args.studies.then_some(Set::Studies));
    sets.extend(args.target.map(Set::Cross));
    let private = args.private || private_wanted();

    let survey = Survey::take(&sets, private)?;
    survey.print();
    if args.dry_run {
        if !survey.is_complete() {
            println!("would be brought: {}", survey.plan());
        }
        return Ok(ExitCode::SUCCESS);
    }
    let had_all = survey.is_complete();
    let survey = survey.complete()?;
    if !had_all {
        survey.print();
    }
    let lines = survey.toolbox.shell_lines();
    if !lines.is_empty() {
        println!("xtask uses these private copies by itself; for plain cargo commands:");
        for line in lines {
            println!("  {line}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes sure that the tools of `sets` are there, bringing what is missing.
///
/// # Errors
/// When a tool is missing and cannot be brought; one line says what to install.
pub fn ensure(sets: &[Set]) -> Result<Toolbox> {
    Ok(Survey::take(sets, private_wanted())?.complete()?.toolbox)
}

/// The target that `triple` names, for the command line.
///
/// # Errors
/// When there is no recipe for it.
pub fn cross(triple: &str) -> Result<&'static Cross, String> {
    CROSS
        .iter()
        .find(|cross| cross.triple == triple)
        .ok_or_else(|| {
            let known: Vec<_> = CROSS.iter().map(|cross| cross.triple).collect();
            format!(
                "no recipe for this target; there is one for {}",
                known.join(", ")
            )
        })
}

fn private_wanted() -> bool {
    std::env::var_os("XTASK_PRIVATE_TOOLS").is_some_and(|value| !value.is_empty() && value != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_without_a_recipe_are_refused_with_the_list() {
        assert!(cross("aarch64-unknown-linux-gnu").is_ok());
        let error = cross("sparc-sun-solaris").expect_err("no recipe");
        assert!(error.contains("aarch64-unknown-linux-gnu"), "{error}");
    }
}
