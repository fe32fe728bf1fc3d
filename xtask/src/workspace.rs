//! Where the project lies, and cargo with the right surroundings.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use walkdir::WalkDir;

use crate::setup::Toolbox;

/// The project's root folder.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// The folder for everything that a chore makes: private tools, logs, other targets' builds.
/// It stays the same when `CARGO_TARGET_DIR` moves cargo's own output.
pub fn target() -> PathBuf {
    root().join("target")
}

/// Every file of the project, relative to its root, in order: what lies there, without what
/// builds make and without the C source that `vendor` may have put there.
///
/// # Errors
/// When a folder cannot be read.
pub fn files() -> Result<Vec<PathBuf>> {
    let walk = WalkDir::new(root())
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            let inside = entry.path().strip_prefix(root()).unwrap_or(entry.path());
            entry.file_name() != "target"
                && entry.file_name() != ".git"
                && inside != Path::new("vendor/wolfssl")
        });
    let mut files = vec![];
    for entry in walk {
        let entry = entry.context("cannot list the project's files")?;
        if entry.file_type().is_file() {
            files.push(
                entry
                    .path()
                    .strip_prefix(root())
                    .unwrap_or(entry.path())
                    .to_owned(),
            );
        }
    }
    Ok(files)
}

/// Cargo, the same that runs this program, started in the project's root with `toolbox` at hand.
pub fn cargo(toolbox: &Toolbox) -> Command {
    let mut command = cargo_anywhere(toolbox);
    command.current_dir(root());
    command
}

/// Cargo as in [`cargo`], but in the caller's choice of folder.
pub fn cargo_anywhere(toolbox: &Toolbox) -> Command {
    let mut command = Command::new(cargo_path());
    // What `cargo run` set for this very program must not reach its children: build scripts
    // watch some of these and would run again.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    toolbox.apply(&mut command);
    command
}

/// The cargo that runs this program, or the one on PATH.
pub fn cargo_path() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}
