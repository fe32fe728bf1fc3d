//! Cases B3 and B4: a missing tool is one clear line with the remedy, not a panic.

use anyhow::Result;

use super::{cargo, must_fail, path_without};
use crate::test::{Counts, Run};

/// B3: cmake is not on PATH, and `CMAKE` names nothing.
pub fn no_cmake(run: &Run) -> Result<Counts> {
    let build = ["build", "--package", "wolfssl-sys"];
    let path = path_without(&["cmake", "cmake3"])?;
    let mut absent = cargo(run, &build);
    absent.env("PATH", path.path()).env_remove("CMAKE");
    must_fail(run, &mut absent, &["cmake", "CMAKE"])?;

    let mut wrong = cargo(run, &build);
    wrong.env("CMAKE", "/nonexistent");
    must_fail(run, &mut wrong, &["cmake", "/nonexistent"])?;
    Ok(Counts {
        passed: 2,
        ..Counts::default()
    })
}

/// B4: `LIBCLANG_PATH` names nothing.
pub fn no_libclang(run: &Run) -> Result<Counts> {
    let mut wrong = cargo(run, &["build", "--package", "wolfssl-sys"]);
    wrong.env("LIBCLANG_PATH", "/nonexistent");
    must_fail(run, &mut wrong, &["libclang", "LIBCLANG_PATH"])?;
    Ok(Counts::SUCCESS)
}
