//! The steps in the order in which they run: cheap and telling ones first.

use anyhow::{Result, bail};

use super::{Args, Counts, Run, cross, external};
use crate::setup::Set;
use crate::{cases, tidy};

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
pub fn all(args: &Args) -> Vec<Step> {
    if let Some(cross) = args.target {
        return cross::steps(cross);
    }
    let build = [Set::Build];
    let mut steps = vec![
        step("fmt", "the code is formatted", [Set::Lint], fmt),
        step("tidy", "the project's own rules hold", [], tidy_up),
        step(
            "clippy",
            "no warning in any target",
            [Set::Build, Set::Lint],
            clippy,
        ),
        step(
            "unit",
            "unit, integration and documentation tests",
            [Set::Build, Set::Interop],
            unit,
        ),
        step(
            "doc",
            "the documentation builds without a warning",
            build,
            doc,
        ),
        step(
            "wolfcrypt-default",
            "wolfCrypt's own test, default features",
            build,
            |run| wolfcrypt(run, &[]),
        ),
        step(
            "wolfcrypt-portable",
            "wolfCrypt's own test, no features",
            build,
            |run| wolfcrypt(run, &["--no-default-features"]),
        ),
        step(
            "fresh",
            "what did not change is not built again (B6)",
            build,
            cases::fresh,
        ),
        step(
            "optimised",
            "C is optimised in every profile (B13)",
            build,
            cases::optimised,
        ),
        step(
            "no-cmake",
            "a missing cmake is one clear line (B3)",
            build,
            cases::no_cmake,
        ),
        step(
            "no-libclang",
            "a missing libclang is one clear line (B4)",
            build,
            cases::no_libclang,
        ),
        step(
            "external-path",
            "an application by path dependency",
            build,
            external::by_path,
        ),
        step(
            "external-git",
            "an application by git dependency",
            [Set::Build, Set::Git],
            external::by_git,
        ),
    ];
    let wolfcrypt_sets = [
        ("wolfcrypt-u128", "wolfCrypt's own test, u128", "u128"),
        (
            "wolfcrypt-sp",
            "wolfCrypt's own test, u128 and sp",
            "u128,sp",
        ),
        (
            "wolfcrypt-sp-asm",
            "wolfCrypt's own test, u128 and sp-asm",
            "u128,sp-asm",
        ),
    ];
    for (name, about, features) in wolfcrypt_sets {
        let run =
            move |run: &Run| wolfcrypt(run, &["--no-default-features", "--features", features]);
        steps.push(Step {
            default: args.wolfcrypt,
            ..step(name, about, build, run)
        });
    }
    let slow = [
        step(
            "edited-source",
            "an edited C file is built again (B7)",
            build,
            cases::edited_source,
        ),
        step(
            "read-only-source",
            "the source is only read (B8)",
            build,
            cases::read_only_source,
        ),
        step(
            "lib64",
            "libraries in lib64 link (B12)",
            build,
            cases::lib64,
        ),
        step(
            "all-features",
            "all features at once (B16)",
            build,
            all_features,
        ),
        step(
            "three-libraries",
            "wolfSSL, OpenSSL and AWS-LC in one program (B10)",
            [Set::Build, Set::Peers],
            cases::three_libraries,
        ),
    ];
    steps.extend(slow.map(|step| Step {
        default: args.build_cases,
        ..step
    }));
    steps
}

/// A step that runs by default.
pub fn step<const N: usize>(
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

/// Features that add API and are off by default: checked along with the rest.
const API_FEATURES: [&str; 2] = ["--features", "wolfssl/tokio"];

fn clippy(run: &Run) -> Result<Counts> {
    let lints = ["--", "--deny", "warnings"];
    run.must(
        run.cargo(&["clippy", "--workspace", "--all-targets"])
            .args(API_FEATURES)
            .args(lints),
    )?;
    Ok(Counts::SUCCESS)
}

fn unit(run: &Run) -> Result<Counts> {
    let mut cargo = run.cargo(&["test", "--workspace", "--no-fail-fast"]);
    run.tests(cargo.args(API_FEATURES))
}

fn doc(run: &Run) -> Result<Counts> {
    let mut cargo = run.cargo(&["doc", "--workspace", "--no-deps"]);
    run.must(
        cargo
            .args(API_FEATURES)
            .env("RUSTDOCFLAGS", "--deny warnings"),
    )?;
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

/// wolfCrypt's own test program, built from the same source with the same macros.
fn wolfcrypt(run: &Run, features: &[&str]) -> Result<Counts> {
    let mut cargo = run.cargo(&[
        "run",
        "--package",
        "wolfssl-sys",
        "--example",
        "wolfcrypt_test",
    ]);
    run.must(cargo.args(features))?;
    Ok(Counts::SUCCESS)
}

/// Cargo adds up the features that a program's parts ask for, so all of them must go together.
fn all_features(run: &Run) -> Result<Counts> {
    run.tests(&mut run.cargo(&["test", "--package", "wolfssl", "--all-features"]))
}
