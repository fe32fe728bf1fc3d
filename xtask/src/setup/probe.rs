//! Looks for one tool on this machine, without installing anything.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::need::{CMAKE_MINIMUM, Probe};
use crate::command::{answer, which};
use crate::workspace;

/// A tool that is there.
#[derive(Debug)]
pub struct Found {
    /// The program or library.
    pub path: PathBuf,
    /// Its version, when it tells.
    pub version: String,
}

/// Looks where the builds will look. Nothing means that the tool is missing (or too old).
///
/// # Errors
/// When an environment variable names a tool that does not work: that is a wish of the user's
/// which no installation may quietly replace.
pub fn probe(probe: &Probe) -> Result<Option<Found>> {
    match probe {
        Probe::Compiler => compiler(),
        Probe::Cmake => cmake(),
        Probe::Libclang => libclang(),
        Probe::Subcommand(name) => Ok(subcommand(name)),
        Probe::AnyOf(programs) => Ok(programs.iter().find_map(which).map(unversioned)),
        Probe::Path(program) => Ok(which(program).map(unversioned)),
        Probe::File(file) => Ok(Path::new(file).is_file().then(|| unversioned(file.into()))),
    }
}

/// The version that `cmake --version` reports as (major, minor), with its text.
pub fn cmake_version(cmake: &Path) -> Option<((u32, u32), String)> {
    let text = answer(Command::new(cmake).arg("--version"))?;
    let version = text.lines().next()?.split_whitespace().nth(2)?;
    let mut parts = version.split('.').map(str::parse);
    Some((
        (parts.next()?.ok()?, parts.next()?.ok()?),
        version.to_owned(),
    ))
}

fn compiler() -> Result<Option<Found>> {
    // CC may carry arguments ("ccache gcc"), as the cc crate allows.
    let wish = std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty());
    let name = wish.as_deref().unwrap_or("cc");
    let program = name.split_whitespace().next().unwrap_or("cc");
    match (which(program), &wish) {
        (Some(path), _) => {
            let version = answer(Command::new(&path).arg("-dumpfullversion"))
                .or_else(|| answer(Command::new(&path).arg("-dumpversion")))
                .unwrap_or_default();
            Ok(Some(Found { path, version }))
        }
        (None, Some(cc)) => bail!("CC names a compiler that is not there: {cc}"),
        (None, None) => Ok(None),
    }
}

fn cmake() -> Result<Option<Found>> {
    let wish = std::env::var_os("CMAKE").map(PathBuf::from);
    let path = match &wish {
        Some(path) => which(path),
        None => which("cmake"),
    };
    let version = path.as_deref().and_then(cmake_version);
    match (path, version, wish) {
        (Some(path), Some((number, version)), _) if number >= CMAKE_MINIMUM => {
            Ok(Some(Found { path, version }))
        }
        (Some(_), Some((_, version)), Some(wish)) => bail!(
            "CMAKE names {}, which is version {version}; {}.{} or newer is needed",
            wish.display(),
            CMAKE_MINIMUM.0,
            CMAKE_MINIMUM.1
        ),
        (_, _, Some(wish)) => bail!(
            "CMAKE names a program that does not run: {}",
            wish.display()
        ),
        _ => Ok(None),
    }
}

fn libclang() -> Result<Option<Found>> {
    if clang_sys::load().is_ok() {
        let library = clang_sys::get_library();
        let _ = clang_sys::unload();
        if let Some(library) = library {
            let version = library.version().map(|version| version.to_string());
            let path = library.path().to_owned();
            return Ok(Some(Found {
                path,
                version: version.unwrap_or_default(),
            }));
        }
    }
    match std::env::var_os("LIBCLANG_PATH") {
        Some(wish) => bail!(
            "LIBCLANG_PATH names no libclang that can be loaded: {}",
            Path::new(&wish).display()
        ),
        None => Ok(None),
    }
}

/// Cargo's own proxy of a subcommand can be there without the component behind it: ask it.
fn subcommand(name: &str) -> Option<Found> {
    let cargo = workspace::cargo_path();
    let text = answer(Command::new(&cargo).args([name, "--version"]))?;
    let version = text
        .split_whitespace()
        .nth(1)
        .unwrap_or_default()
        .to_owned();
    Some(Found {
        path: cargo,
        version,
    })
}

fn unversioned(path: PathBuf) -> Found {
    Found {
        path,
        version: String::new(),
    }
}
