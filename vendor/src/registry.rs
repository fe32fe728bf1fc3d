//! The third place: asks cargo for the pinned package. Cargo checks it against
//! the pinned checksum, unpacks it into its own cache and names the folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;

const PIN_MANIFEST: &str = include_str!("../source/pin.toml");
const PIN_LOCK: &str = include_str!("../source/pin.lock");
const PACKAGE: &str = "wolfssl-sys";
const SOURCE_FOLDER: &str = "wolfssl-src";

pub(crate) struct PinnedPackage {
    pub(crate) root: PathBuf,
    pub(crate) package: String,
}

pub(crate) fn pinned_package(cargo: &Path, scratch: &Path) -> Result<PinnedPackage, Error> {
    let manifest = write_pin(scratch).map_err(|error| Error::Unavailable {
        reason: format!("cannot write to {}: {error}", scratch.display()),
    })?;
    // Offline first: a filled cache must not cost a look at the network.
    let metadata =
        metadata(cargo, &manifest, &["--offline"]).or_else(|_| metadata(cargo, &manifest, &[]))?;
    find_package(&metadata).ok_or_else(|| Error::Unavailable {
        reason: format!("cargo metadata does not list {PACKAGE}"),
    })
}

fn write_pin(scratch: &Path) -> std::io::Result<PathBuf> {
    fs::create_dir_all(scratch)?;
    let manifest = scratch.join("Cargo.toml");
    fs::write(&manifest, PIN_MANIFEST)?;
    fs::write(scratch.join("Cargo.lock"), PIN_LOCK)?;
    fs::write(scratch.join("lib.rs"), "")?;
    Ok(manifest)
}

fn metadata(cargo: &Path, manifest: &Path, extra: &[&str]) -> Result<serde_json::Value, Error> {
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--quiet",
            "--manifest-path",
        ])
        .arg(manifest)
        .args(extra)
        .output()
        .map_err(|error| Error::Unavailable {
            reason: format!("cannot start {}: {error}", cargo.display()),
        })?;
    if !output.status.success() {
        return Err(Error::Unavailable {
            reason: one_line(&output.stderr),
        });
    }
    serde_json::from_slice(&output.stdout).map_err(|error| Error::Unavailable {
        reason: format!("cargo metadata is not JSON: {error}"),
    })
}

fn find_package(metadata: &serde_json::Value) -> Option<PinnedPackage> {
    let package = metadata["packages"]
        .as_array()?
        .iter()
        .find(|package| package["name"] == PACKAGE)?;
    let manifest = Path::new(package["manifest_path"].as_str()?);
    Some(PinnedPackage {
        root: manifest.parent()?.join(SOURCE_FOLDER),
        package: format!("{PACKAGE} {}", package["version"].as_str()?),
    })
}

/// Cargo's message as one line: its causes follow each other on lines of their own.
fn one_line(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let parts: Vec<_> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && *line != "Caused by:")
        .collect();
    parts.join(": ")
}
