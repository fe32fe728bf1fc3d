//! `cargo xtask setup`: finds the tools that are missing and brings them.
//!
//! For each missing tool: apt-get where this user may, else a private copy from PyPI under
//! `target/tools`, else one line that says what to install. Every other verb calls [`ensure`].

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};

mod apt;
mod need;
mod probe;
mod pypi;
mod toolbox;

pub use need::{CROSS, Cross, DEBIAN_CARGO, Set};
pub use toolbox::Toolbox;

use need::{Need, needs};

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
        if !survey.missing.is_empty() {
            println!("would be brought: {}", survey.plan(private));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let had_all = survey.missing.is_empty();
    let survey = survey.complete(&sets, private)?;
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
    let private = private_wanted();
    let survey = Survey::take(sets, private)?.complete(sets, private)?;
    Ok(survey.toolbox)
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

/// What is there and what is not.
struct Survey {
    found: Vec<(&'static str, PathBuf, String)>,
    missing: Vec<Need>,
    toolbox: Toolbox,
}

impl Survey {
    fn take(sets: &[Set], private: bool) -> Result<Self> {
        let mut survey = Self {
            found: vec![],
            missing: vec![],
            toolbox: Toolbox::default(),
        };
        let mut seen = vec![];
        for need in sets.iter().flat_map(|set| needs(*set)) {
            if seen.contains(&need.name) {
                continue;
            }
            seen.push(need.name);
            let own = need.pypi.and_then(pypi::present);
            // Asked for private copies: the machine's own do not count where there can be one.
            let machine = match need.pypi {
                Some(_) if private => None,
                _ => probe::probe(&need.probe)?,
            };
            if let Some(found) = machine {
                survey.found.push((need.name, found.path, found.version));
            } else if let (Some(path), Some(wheel)) = (own, need.pypi) {
                survey.toolbox.add_private(need.name, &path);
                survey
                    .found
                    .push((need.name, path, wheel.version.to_owned()));
            } else {
                survey.missing.push(need);
            }
        }
        Ok(survey)
    }

    /// Brings what is missing and looks again.
    fn complete(self, sets: &[Set], private: bool) -> Result<Self> {
        if self.missing.is_empty() {
            return Ok(self);
        }
        let mut failures = vec![];
        let apt = apt::Apt::allowed();
        let for_apt = packages(
            self.missing
                .iter()
                .filter(|need| !private || need.pypi.is_none()),
        );
        if let Some(apt) = apt.as_ref().filter(|_| !for_apt.is_empty()) {
            match apt.install(&for_apt) {
                Ok(()) => {}
                Err(error) => failures.push(format!("{error:#}")),
            }
        }
        // What apt-get did not bring, or may not.
        let survey = if apt.is_some() {
            Self::take(sets, private)?
        } else {
            self
        };
        for wheel in survey.missing.iter().filter_map(|need| need.pypi) {
            if let Err(error) = pypi::install(wheel) {
                failures.push(format!("{error:#}"));
                break;
            }
        }
        let survey = Self::take(sets, private)?;
        if survey.missing.is_empty() {
            return Ok(survey);
        }
        let names: Vec<_> = survey.missing.iter().map(|need| need.name).collect();
        let mut message = format!(
            "missing: {}; install with `apt-get install {}` or your system's equivalent",
            names.join(", "),
            packages(survey.missing.iter()).join(" ")
        );
        failures.dedup();
        if !failures.is_empty() {
            message.push_str(&format!(" (tried: {})", failures.join("; ")));
        }
        bail!(message)
    }

    fn print(&self) {
        for (name, path, version) in &self.found {
            println!("{name:<16} {:<10} {}", version, path.display());
        }
        for need in &self.missing {
            println!("{:<16} missing", need.name);
        }
    }

    fn plan(&self, private: bool) -> String {
        let apt = apt::Apt::allowed();
        let source = |need: &Need| match (need.pypi, &apt) {
            (Some(wheel), None) => format!("{} {} from PyPI", wheel.package, wheel.version),
            (Some(wheel), _) if private => format!("{} {} from PyPI", wheel.package, wheel.version),
            (_, Some(apt)) => format!("{} with {}", need.apt.join(" "), apt.describe()),
            (None, None) => format!("{} by hand", need.apt.join(" ")),
        };
        self.missing
            .iter()
            .map(source)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

fn packages<'a>(needs: impl Iterator<Item = &'a Need>) -> Vec<&'static str> {
    let mut all: Vec<_> = needs.flat_map(|need| need.apt).copied().collect();
    let mut seen = std::collections::HashSet::new();
    all.retain(|package| seen.insert(*package));
    all
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

    #[test]
    fn packages_are_named_once() {
        let missing = needs(Set::Cross(&CROSS[0]));
        assert_eq!(packages(missing.iter()).len(), CROSS[0].apt.len());
    }
}
