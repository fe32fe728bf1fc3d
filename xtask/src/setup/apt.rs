//! Installs packages with apt-get where this user may.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};

use crate::command::{answer, capture, which, write_file};
use crate::progress::Progress;
use crate::workspace;

/// The right to install packages.
pub struct Apt {
    sudo: bool,
}

impl Apt {
    /// Finds out whether this user may install: as root, or by sudo without a password.
    pub fn allowed() -> Option<Self> {
        which("apt-get")?;
        if answer(Command::new("id").arg("-u")).as_deref() == Some("0") {
            return Some(Self { sudo: false });
        }
        which("sudo")?;
        answer(Command::new("sudo").args(["-n", "true"]))?;
        Some(Self { sudo: true })
    }

    /// How the packages get installed, for the user to read.
    pub fn describe(&self) -> &'static str {
        if self.sudo { "sudo apt-get" } else { "apt-get" }
    }

    /// Installs `packages`, bringing the package lists up to date when they are old or when the
    /// first try fails.
    ///
    /// # Errors
    /// When apt-get fails; its last complaint is in the message, all of it in the log.
    pub fn install(&self, packages: &[&str]) -> Result<()> {
        let mut fresh = false;
        if lists_are_stale(Path::new("/var/lib/apt/lists")) {
            self.run("updating package lists", &["update"])?;
            fresh = true;
        }
        let what = format!("installing {}", packages.join(" "));
        let mut arguments = vec!["install", "--yes", "--no-install-recommends"];
        arguments.extend(packages);
        match self.run(&what, &arguments) {
            Err(_) if !fresh => {
                self.run("updating package lists", &["update"])?;
                self.run(&what, &arguments)
            }
            outcome => outcome,
        }
    }

    fn run(&self, what: &str, arguments: &[&str]) -> Result<()> {
        let progress = Progress::start(format!("setup: {what} with {}", self.describe()));
        let mut command = Command::new(if self.sudo { "sudo" } else { "env" });
        if self.sudo {
            command.args(["-n", "env"]);
        }
        // RUNLEVEL=1: packages that bring a service must not start it.
        command.args([
            "DEBIAN_FRONTEND=noninteractive",
            "RUNLEVEL=1",
            "apt-get",
            "-q",
        ]);
        command
            .args(["-o", "DPkg::Lock::Timeout=300"])
            .args(arguments);
        let captured = capture(&mut command, |line| progress.detail(line))?;

        let log = workspace::target().join("tools/apt.log");
        write_file(&log, &captured.text)?;
        if !captured.status.success() {
            let complaint = complaint(&captured.text);
            drop(progress);
            bail!(
                "apt-get failed: {complaint} (all of it in {})",
                log.display()
            );
        }
        progress.done("done");
        Ok(())
    }
}

/// The first error line of apt-get, or its last line.
fn complaint(text: &str) -> &str {
    text.lines()
        .find(|line| line.starts_with("E:"))
        .or_else(|| text.lines().last())
        .unwrap_or("no output")
}

/// Whether the package lists in `folder` are absent or older than a week.
fn lists_are_stale(folder: &Path) -> bool {
    let Ok(entries) = folder.read_dir() else {
        return true;
    };
    let newest = entries
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().contains("_Packages"))
        .filter_map(|entry| entry.metadata().ok()?.modified().ok())
        .max();
    let inspected = folder.metadata().and_then(|folder| folder.modified()).ok();
    match newest.max(inspected.filter(|_| newest.is_some())) {
        None => true,
        Some(time) => SystemTime::now()
            .duration_since(time)
            .is_ok_and(|age| age > Duration::from_secs(7 * 24 * 3600)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_or_empty_lists_are_stale_and_new_ones_are_not() {
        let folder = tempfile::tempdir().expect("temporary folder");
        assert!(lists_are_stale(&folder.path().join("absent")));
        assert!(lists_are_stale(folder.path()));
        let list = folder.path().join("deb_main_binary-amd64_Packages.lz4");
        std::fs::write(list, "x").expect("written");
        assert!(!lists_are_stale(folder.path()));
    }

    #[test]
    fn the_complaint_is_the_error_line() {
        assert_eq!(
            complaint("Reading\nE: Unable to locate package x\nmore"),
            "E: Unable to locate package x"
        );
        assert_eq!(complaint("only this"), "only this");
        assert_eq!(complaint(""), "no output");
    }
}
