//! The steps in the order in which they run: cheap and telling ones first.

use anyhow::{Result, bail};

use super::{Args, Counts, Run};
use crate::setup::Set;
use crate::tidy;

/// A named check or group of checks.
pub struct Step {
    /// What `--only` and `--skip` call it.
    pub name: &'static str,
    /// What it claims, in a few words.
    pub about: &'static str,
    /// Whether it runs when nothing is asked for by name.
    pub default: bool,
    /// The tools that it needs.
    pub needs: Vec<Set>,
    /// Performs it. An error counts as one failed check.
    pub run: Action,
}

/// What a step does.
pub type Action = Box<dyn Fn(&Run) -> Result<Counts>>;

/// All steps; `args` says which of the slow ones run without being named.
pub fn all(_args: &Args) -> Vec<Step> {
    vec![
        step("fmt", "the code is formatted", [], fmt),
        step("tidy", "the project's own rules hold", [], tidy_up),
        step("clippy", "no warning in any target", [Set::Build], clippy),
        step(
            "unit",
            "unit, integration and documentation tests",
            [Set::Build],
            unit,
        ),
        step(
            "doc",
            "the documentation builds without a warning",
            [Set::Build],
            doc,
        ),
    ]
}

fn step<const N: usize>(
    name: &'static str,
    about: &'static str,
    needs: [Set; N],
    run: impl Fn(&Run) -> Result<Counts> + 'static,
) -> Step {
    Step {
        name,
        about,
        default: true,
        needs: needs.to_vec(),
        run: Box::new(run),
    }
}

fn fmt(run: &Run) -> Result<Counts> {
    run.must(&mut run.cargo(&["fmt", "--all", "--check"]))?;
    Ok(Counts::SUCCESS)
}

fn clippy(run: &Run) -> Result<Counts> {
    let lints = ["--", "--deny", "warnings"];
    run.must(
        run.cargo(&["clippy", "--workspace", "--all-targets"])
            .args(lints),
    )?;
    Ok(Counts::SUCCESS)
}

fn unit(run: &Run) -> Result<Counts> {
    run.tests(&mut run.cargo(&["test", "--workspace", "--no-fail-fast"]))
}

fn doc(run: &Run) -> Result<Counts> {
    let mut cargo = run.cargo(&["doc", "--workspace", "--no-deps"]);
    run.must(cargo.env("RUSTDOCFLAGS", "--deny warnings"))?;
    Ok(Counts::SUCCESS)
}

fn tidy_up(run: &Run) -> Result<Counts> {
    let findings = tidy::findings()?;
    for finding in &findings {
        run.note(&finding.to_string());
    }
    let faults = findings.iter().filter(|finding| finding.fatal).count();
    if faults > 0 {
        bail!("{faults} of the project's rules are broken");
    }
    Ok(Counts::SUCCESS)
}
