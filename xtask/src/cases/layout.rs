//! Case B12: systems whose libraries go to `lib64` link all the same.

use anyhow::{Context, Result};

use super::cargo;
use crate::command::write_file;
use crate::test::{Counts, Run};

/// Forces `lib64` by a toolchain file, as Fedora's and openSUSE's cmake would choose by themselves.
pub fn lib64(run: &Run) -> Result<Counts> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let toolchain = folder.path().join("lib64.cmake");
    write_file(
        &toolchain,
        "set(CMAKE_INSTALL_LIBDIR lib64 CACHE STRING \"\" FORCE)\n",
    )?;
    run.must(&mut cargo(run, &["clean", "--package", "wolfssl-sys"]))?;
    let mut test = cargo(
        run,
        &["test", "--package", "wolfssl-sys", "--no-default-features"],
    );
    let counts = run.tests(test.env("CMAKE_TOOLCHAIN_FILE", &toolchain))?;
    run.must(&mut cargo(run, &["clean", "--package", "wolfssl-sys"]))?;
    Ok(counts)
}
