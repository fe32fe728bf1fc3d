//! Cases B6 and B7: what did not change is not built again, and what did change is.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{cargo, must_fail, source_copy};
use crate::command::line;
use crate::test::{Counts, Run};

/// B6: a second build is fresh, also after the tests were built.
pub fn fresh(run: &Run) -> Result<Counts> {
    let build = ["build", "--verbose", "--package", "wolfssl"];
    let test = ["test", "--verbose", "--no-run", "--package", "wolfssl-sys"];
    run.must(&mut run.cargo(&build))?;
    run.must(&mut run.cargo(&test))?;
    for again in [&build[..], &test[..], &build[..]] {
        let mut command = run.cargo(again);
        let second = run.must(&mut command)?;
        let built = second.text.lines().map(str::trim_start).find(|line| {
            ["Dirty ", "Compiling ", "Running `rustc", "Running `/"]
                .iter()
                .any(|sign| line.starts_with(sign))
        });
        ensure!(
            built.is_none(),
            "`{}` built again: {}",
            line(&command),
            built.unwrap_or_default()
        );
        let fresh = second
            .text
            .lines()
            .any(|line| line.trim_start().starts_with("Fresh wolfssl-sys"));
        ensure!(
            fresh,
            "`{}` does not say that wolfssl-sys is fresh",
            line(&command)
        );
    }
    Ok(Counts {
        passed: 3,
        ..Counts::default()
    })
}

/// B7: an edited C file, an edited header and a changed variable each lead to a new build.
pub fn edited_source(run: &Run) -> Result<Counts> {
    let tree = source_copy(run)?;
    let build = || -> Command {
        let mut build = cargo(
            run,
            &["build", "--package", "wolfssl-sys", "--no-default-features"],
        );
        build.env("WOLFSSL_SRC_DIR", tree.path());
        build
    };
    run.must(&mut build())?;
    for file in ["wolfcrypt/src/sha256.c", "wolfssl/wolfcrypt/sha256.h"] {
        let path = tree.path().join(file);
        let original = edit(&path)?;
        must_fail(run, &mut build(), &["error", "edited on purpose"])?;
        std::fs::write(&path, original).with_context(|| format!("cannot restore {file}"))?;
        run.must(&mut build())?;
    }

    // No target serves both armasm and intelasm, so strictness must refuse the pair.
    let mut strict = build();
    strict
        .args(["--features", "armasm,intelasm"])
        .env("WOLFSSL_STRICT", "1");
    must_fail(run, &mut strict, &["asm"])?;
    let mut lenient = build();
    lenient.args(["--features", "armasm,intelasm"]);
    run.must(&mut lenient)?;
    Ok(Counts {
        passed: 6,
        ..Counts::default()
    })
}

/// Makes `file` fail to compile and returns what it was.
fn edit(file: &Path) -> Result<String> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    std::fs::write(file, format!("{text}\n#error \"edited on purpose\"\n"))
        .with_context(|| format!("cannot edit {}", file.display()))?;
    Ok(text)
}
