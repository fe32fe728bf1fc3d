//! Build cases: what public bug reports say goes wrong when C is built by cargo, replayed.
//!
//! Each function is one step of `cargo xtask test`. They build in a target folder of their own,
//! since some of them break the build on purpose.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{Captured, answer, line};
use crate::test::Run;
use crate::workspace;

mod layout;
mod missing_tools;
mod one_binary;
mod profile;
mod rebuild;
mod source_tree;

pub use layout::lib64;
pub use missing_tools::{no_cmake, no_libclang};
pub use one_binary::three_libraries;
pub use profile::optimised;
pub use rebuild::{edited_source, fresh};
pub use source_tree::read_only_source;

/// Cargo with the cases' own target folder.
fn cargo(run: &Run, arguments: &[&str]) -> Command {
    let mut cargo = run.cargo(arguments);
    cargo.env("CARGO_TARGET_DIR", folder());
    cargo
}

fn folder() -> PathBuf {
    workspace::target().join("cases")
}

/// Runs `command`, which must fail and say `words` in one line of its output, without a panic.
fn must_fail(run: &Run, command: &mut Command, words: &[&str]) -> Result<Captured> {
    let captured = run.attempt(command)?;
    ensure!(
        !captured.status.success(),
        "`{}` succeeded, but had to fail",
        line(command)
    );
    for trace in ["panicked at", "RUST_BACKTRACE", "stack backtrace"] {
        ensure!(
            !captured.text.contains(trace),
            "the failure shows a panic, not a message"
        );
    }
    let told = captured
        .text
        .lines()
        .any(|line| words.iter().all(|word| line.contains(word)));
    ensure!(told, "no line of the failure names {}", words.join(", "));
    Ok(captured)
}

/// A copy of the wolfSSL source that may be edited.
fn source_copy(run: &Run) -> Result<tempfile::TempDir> {
    let origin = source(run)?;
    let copy = tempfile::Builder::new()
        .prefix("wolfssl-source-")
        .tempdir()
        .context("cannot create a temporary folder")?;
    crate::vendor::copy_tree(&origin, copy.path())?;
    Ok(copy)
}

/// The source that builds use.
fn source(run: &Run) -> Result<PathBuf> {
    let scratch = folder().join("pin");
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    let source = ::vendor::locate(&::vendor::Places::from_env(&scratch))?;
    run.note(&format!(
        "wolfSSL {} from {}",
        source.version, source.origin
    ));
    Ok(source.root)
}

/// A folder for PATH that holds everything on today's PATH but the named programs.
fn path_without(absent: &[&str]) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    for place in std::env::split_paths(&path) {
        for entry in place.read_dir().into_iter().flatten().flatten() {
            let name: OsString = entry.file_name();
            let link = folder.path().join(&name);
            let excluded = absent.iter().any(|absent| name == *absent);
            // The first folder of PATH wins.
            if !excluded && !link.exists() {
                let _ = symlink(&entry.path(), &link);
            }
        }
    }
    let mut probe = Command::new("sh");
    probe
        .env("PATH", folder.path())
        .args(["-c", "command -v cargo"]);
    if answer(&mut probe).is_none() {
        bail!("a PATH of links does not work on this machine");
    }
    Ok(folder)
}

#[cfg(unix)]
fn symlink(original: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(original, link)
}

#[cfg(not(unix))]
fn symlink(original: &Path, link: &Path) -> std::io::Result<()> {
    std::fs::hard_link(original, link)
}
