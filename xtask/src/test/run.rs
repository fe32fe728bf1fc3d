//! One step under way: its log, and the programs that it runs.

use std::cell::RefCell;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{self, Captured};
use crate::setup::Toolbox;
use crate::workspace;

/// How many checks passed, failed and were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Checks that passed.
    pub passed: usize,
    /// Checks that failed.
    pub failed: usize,
    /// Tests that their authors left out of ordinary runs.
    pub ignored: usize,
}

impl Counts {
    /// One check that passed.
    pub const SUCCESS: Self = Self {
        passed: 1,
        failed: 0,
        ignored: 0,
    };
    /// One check that failed.
    pub const FAILURE: Self = Self {
        passed: 0,
        failed: 1,
        ignored: 0,
    };
}

impl std::iter::Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, next| Self {
            passed: sum.passed + next.passed,
            failed: sum.failed + next.failed,
            ignored: sum.ignored + next.ignored,
        })
    }
}

/// A step under way.
pub struct Run<'a> {
    /// The tools that child processes are given.
    pub toolbox: &'a Toolbox,
    path: PathBuf,
    log: RefCell<File>,
    verbose: bool,
}

impl<'a> Run<'a> {
    /// Starts the log of the step called `name`.
    ///
    /// # Errors
    /// When the log cannot be created.
    pub fn new(name: &str, toolbox: &'a Toolbox, verbose: bool) -> Result<Self> {
        let path = workspace::target()
            .join("test-logs")
            .join(format!("{name}.log"));
        command::write_file(&path, "")?;
        let log =
            File::create(&path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            toolbox,
            path,
            log: RefCell::new(log),
            verbose,
        })
    }

    /// Cargo in the project's root.
    pub fn cargo(&self, arguments: &[&str]) -> Command {
        let mut cargo = workspace::cargo(self.toolbox);
        cargo.args(arguments);
        cargo
    }

    /// Runs `command` and returns what it did, success or not. All of its output goes to the log.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn attempt(&self, command: &mut Command) -> Result<Captured> {
        self.note(&format!("$ {}", command::line(command)));
        command::capture(command, |line| self.note(line))
    }

    /// Runs `command`, which must succeed.
    ///
    /// # Errors
    /// When it cannot be started or fails.
    pub fn must(&self, command: &mut Command) -> Result<Captured> {
        let captured = self.attempt(command)?;
        if !captured.status.success() {
            bail!("`{}` failed ({})", command::line(command), captured.status);
        }
        Ok(captured)
    }

    /// Runs a `cargo test` command and counts its tests.
    ///
    /// # Errors
    /// When it cannot be started, or fails without naming a failed test (it did not compile).
    pub fn tests(&self, command: &mut Command) -> Result<Counts> {
        let captured = self.attempt(command)?;
        let counts: Counts = captured.text.lines().filter_map(counted).sum();
        if !captured.status.success() && counts.failed == 0 {
            bail!("`{}` failed ({})", command::line(command), captured.status);
        }
        Ok(counts)
    }

    /// Writes a line to the log.
    pub fn note(&self, line: &str) {
        // A full disk must not hide what the step itself finds out.
        let _ = writeln!(self.log.borrow_mut(), "{line}");
        if self.verbose {
            eprintln!("{line}");
        }
    }

    /// Where the log is.
    pub fn log(&self) -> &Path {
        &self.path
    }

    /// The last `count` lines of the log.
    pub fn tail(&self, count: usize) -> String {
        let text = std::fs::read_to_string(&self.path).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(count)..].join("\n")
    }
}

/// The counts in a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn counted(line: &str) -> Option<Counts> {
    let rest = line.strip_prefix("test result: ")?;
    let (_, rest) = rest.split_once(". ")?;
    let number = |what: &str| {
        rest.split("; ")
            .find_map(|part| part.trim().strip_suffix(what)?.trim().parse().ok())
            .unwrap_or(0)
    };
    Some(Counts {
        passed: number("passed"),
        failed: number("failed"),
        ignored: number("ignored"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_counted() {
        let line = "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.01s";
        assert_eq!(
            counted(line),
            Some(Counts {
                passed: 3,
                failed: 2,
                ignored: 1
            })
        );
        assert_eq!(counted("test some::thing ... ok"), None);
    }
}
