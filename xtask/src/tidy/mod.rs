//! `cargo xtask tidy`: the project's own rules, which no compiler checks.

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::workspace;

mod documents;
mod lexer;
mod rules;

/// Check the project's own rules: file heads and lengths, where unsafe may stand, links.
#[derive(clap::Args)]
pub struct Args {}

/// A broken rule.
#[derive(Debug)]
pub struct Finding {
    /// The file, relative to the project's root.
    pub file: PathBuf,
    /// The line, counted from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
    /// Whether this must be fixed, or is only worth a thought.
    pub fatal: bool,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let grade = if self.fatal { "error" } else { "warning" };
        write!(f, "{grade}: {}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Prints every finding, and fails when one must be fixed.
///
/// # Errors
/// When a file cannot be read.
pub fn run(_: Args) -> Result<ExitCode> {
    let findings = findings()?;
    for finding in &findings {
        println!("{finding}");
    }
    let faults = findings.iter().filter(|finding| finding.fatal).count();
    println!("{faults} errors, {} warnings", findings.len() - faults);
    Ok(if faults == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Every broken rule in the project's own files.
///
/// # Errors
/// When a file cannot be read.
pub fn findings() -> Result<Vec<Finding>> {
    let mut all = vec![];
    for file in workspace::files()? {
        let path = workspace::root().join(&file);
        let bytes =
            std::fs::read(&path).with_context(|| format!("cannot read {}", file.display()))?;
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        all.extend(rules::machine_paths(&file, &text));
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("rs") => all.extend(rules::rust(&file, &text)),
            Some("md") => all.extend(documents::markdown(&file, &text)),
            _ => {}
        }
    }
    Ok(all)
}
