//! What is there and what is not, and how to bring the rest.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::apt::Apt;
use super::need::{Need, needs};
use super::{Set, Toolbox, probe, pypi};
use crate::command::{capture, which};
use crate::progress::Progress;

/// What was found and what was not.
pub struct Survey {
    /// What children must be told to find the tools.
    pub toolbox: Toolbox,
    found: Vec<(&'static str, PathBuf, String)>,
    missing: Vec<Need>,
    sets: Vec<Set>,
    private: bool,
}

impl Survey {
    /// Looks for the tools of `sets`. With `private`, the machine's own tools do not count where
    /// there can be a private copy.
    ///
    /// # Errors
    /// When a variable names a tool that does not work.
    pub fn take(sets: &[Set], private: bool) -> Result<Self> {
        let mut survey = Self {
            toolbox: Toolbox::default(),
            found: vec![],
            missing: vec![],
            sets: sets.to_vec(),
            private,
        };
        let mut seen = HashSet::new();
        for need in sets.iter().flat_map(|set| needs(*set)) {
            if !seen.insert(need.name) {
                continue;
            }
            let machine = match need.pypi {
                Some(_) if private => None,
                _ => probe::probe(&need.probe)?,
            };
            let own = need
                .pypi
                .and_then(|wheel| Some((wheel, pypi::present(wheel)?)));
            if let Some(found) = machine {
                survey.found.push((need.name, found.path, found.version));
            } else if let Some((wheel, path)) = own {
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

    /// Whether nothing is missing.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty()
    }

    /// Brings what is missing: by rustup what belongs to the toolchain, by apt-get where this user
    /// may, as a private copy where there is one.
    ///
    /// # Errors
    /// When something is still missing; one line says what and what to do.
    pub fn complete(self) -> Result<Self> {
        if self.is_complete() {
            return Ok(self);
        }
        let (sets, private) = (self.sets.clone(), self.private);
        let mut failures = vec![];
        for component in self.missing.iter().filter_map(|need| need.component) {
            failures.extend(rustup(component).err());
        }
        let for_apt = packages(
            self.missing
                .iter()
                .filter(|need| !private || need.pypi.is_none()),
        );
        if let Some(apt) = Apt::allowed().filter(|_| !for_apt.is_empty()) {
            failures.extend(apt.install(&for_apt).err());
        }
        // What apt-get did not bring, or may not.
        for wheel in Self::take(&sets, private)?
            .missing
            .iter()
            .filter_map(|need| need.pypi)
        {
            if let Err(error) = pypi::install(wheel) {
                failures.push(error);
                break;
            }
        }
        let survey = Self::take(&sets, private)?;
        if survey.is_complete() {
            return Ok(survey);
        }
        let tried: Vec<_> = failures.iter().map(|error| format!("{error:#}")).collect();
        let tried = if tried.is_empty() {
            String::new()
        } else {
            format!(" ({})", tried.join("; "))
        };
        let names: Vec<_> = survey.missing.iter().map(|need| need.name).collect();
        bail!(
            "missing: {}; {}{tried}",
            names.join(", "),
            remedy(&survey.missing)
        )
    }

    /// Prints a line for each tool.
    pub fn print(&self) {
        for (name, path, version) in &self.found {
            println!("{name:<16} {version:<10} {}", path.display());
        }
        for need in &self.missing {
            println!("{:<16} missing", need.name);
        }
    }

    /// How what is missing would be brought.
    pub fn plan(&self) -> String {
        let apt = Apt::allowed();
        let source = |need: &Need| match (need.component, need.pypi, &apt) {
            (Some(component), _, _) => format!("{component} with rustup"),
            (_, Some(wheel), None) => format!("{} {} from PyPI", wheel.package, wheel.version),
            (_, Some(wheel), _) if self.private => {
                format!("{} {} from PyPI", wheel.package, wheel.version)
            }
            (_, _, Some(apt)) => format!("{} with {}", need.apt.join(" "), apt.describe()),
            (_, None, None) => format!("{} by hand", need.apt.join(" ")),
        };
        self.missing
            .iter()
            .map(source)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Adds a component to the Rust toolchain in use.
fn rustup(component: &str) -> Result<()> {
    let Some(rustup) = which("rustup") else {
        bail!("rustup is not there")
    };
    let progress = Progress::start(format!("setup: adding {component} with rustup"));
    let captured = capture(
        Command::new(rustup).args(["component", "add", component]),
        |line| {
            progress.detail(line);
        },
    )?;
    if !captured.status.success() {
        let last = captured.text.lines().last().unwrap_or("no reason given");
        bail!("rustup failed: {last}");
    }
    progress.done("done");
    Ok(())
}

/// What to type to bring what is missing.
fn remedy(missing: &[Need]) -> String {
    let mut lines = vec![];
    let packages = packages(missing.iter());
    if !packages.is_empty() {
        let packages = packages.join(" ");
        lines.push(format!(
            "install with `apt-get install {packages}` or your system's equivalent"
        ));
    }
    let components: Vec<_> = missing.iter().filter_map(|need| need.component).collect();
    if !components.is_empty() {
        lines.push(format!(
            "add with `rustup component add {}`",
            components.join(" ")
        ));
    }
    lines.join("; ")
}

fn packages<'a>(needs: impl Iterator<Item = &'a Need>) -> Vec<&'static str> {
    let mut seen = HashSet::new();
    let all = needs.flat_map(|need| need.apt).copied();
    all.filter(|package| seen.insert(*package)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::CROSS;
    use super::*;

    #[test]
    fn packages_are_named_once() {
        let mut missing = needs(Set::Cross(&CROSS[0]));
        missing.extend(needs(Set::Cross(&CROSS[1])));
        let all = packages(missing.iter());
        assert_eq!(
            all.iter()
                .filter(|package| **package == "qemu-user")
                .count(),
            1
        );
    }

    #[test]
    fn the_remedy_names_the_way_for_each_kind() {
        let mut missing = needs(Set::Lint);
        missing.extend(needs(Set::Git));
        assert_eq!(
            remedy(&missing),
            "install with `apt-get install git` or your system's equivalent; \
             add with `rustup component add rustfmt clippy`"
        );
    }
}
