//! Building `wolfssl-sys` and finding what its build script made.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;
use walkdir::WalkDir;

use super::Run;
use crate::command::{Captured, line};

/// What the build script of `wolfssl-sys` left behind.
pub struct Built {
    /// Its `OUT_DIR`.
    pub out: PathBuf,
}

/// Runs `cargo`, a `cargo build` with features and target as wanted, for `wolfssl-sys`.
///
/// # Errors
/// When the build fails, or no build script of that package reports.
pub fn wolfssl_sys(run: &Run, cargo: &mut Command) -> Result<Built> {
    cargo.args([
        "--package",
        "wolfssl-sys",
        "--message-format",
        "json-render-diagnostics",
    ]);
    let captured = run.must(cargo)?;
    built(&captured).with_context(|| format!("`{}` names no output of a build script", line(cargo)))
}

/// Where the build script of `wolfssl-sys` wrote, from a build's JSON messages.
pub fn built(captured: &Captured) -> Option<Built> {
    captured.text.lines().find_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let ours = message["reason"] == "build-script-executed"
            && message["package_id"].as_str()?.contains("wolfssl-sys");
        let out = message["out_dir"].as_str()?;
        ours.then(|| Built { out: out.into() })
    })
}

impl Built {
    /// The static library.
    ///
    /// # Errors
    /// When there is none.
    pub fn archive(&self) -> Result<PathBuf> {
        self.find(|name| name == "libwolfssl.a" || name == "wolfssl.lib")
    }

    /// The flags with which a C file of the library was really compiled.
    ///
    /// # Errors
    /// When the build left no record of them.
    pub fn c_flags(&self) -> Result<Vec<String>> {
        let database = self.find(|name| name == "compile_commands.json")?;
        let text = std::fs::read_to_string(&database)
            .with_context(|| format!("cannot read {}", database.display()))?;
        let entries: Vec<Value> = serde_json::from_str(&text)
            .with_context(|| format!("{} is not JSON", database.display()))?;
        let command = entries.iter().find_map(|entry| {
            let file = entry["file"].as_str()?;
            // Any C file of the library proper does; its assembly files have other flags.
            file.ends_with("wolfcrypt/src/sha256.c")
                .then(|| entry["command"].as_str())?
        });
        let command = command.context("the build's record has no wolfcrypt/src/sha256.c")?;
        Ok(command
            .split_whitespace()
            .map(|word| word.replace('\\', ""))
            .collect())
    }

    fn find(&self, wanted: impl Fn(&str) -> bool) -> Result<PathBuf> {
        let found = WalkDir::new(&self.out)
            .into_iter()
            .flatten()
            .find(|entry| wanted(&entry.file_name().to_string_lossy()));
        match found {
            Some(entry) => Ok(entry.into_path()),
            None => bail!("the build left no such file in {}", self.out.display()),
        }
    }
}

/// The last optimisation flag, which is the one that counts.
pub fn optimisation(flags: &[String]) -> Option<&str> {
    flags.iter().rev().map(String::as_str).find(|flag| {
        flag.strip_prefix("-O").is_some_and(|level| {
            matches!(level, "" | "0" | "1" | "2" | "3" | "s" | "z" | "g" | "fast")
        })
    })
}

/// Copies the files named by `files`, relative to `from`, to `to`, and leaves files there that are
/// the same already, so that nothing looks newer than it is. Files that are not named vanish.
///
/// # Errors
/// When a file cannot be read or written.
pub fn mirror(from: &Path, files: &[PathBuf], to: &Path) -> Result<()> {
    for entry in WalkDir::new(to)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
    {
        let inside = entry.path().strip_prefix(to).unwrap_or(entry.path());
        if !inside.starts_with(".git") && !files.iter().any(|file| file == inside) {
            std::fs::remove_file(entry.path())
                .with_context(|| format!("cannot remove {}", entry.path().display()))?;
        }
    }
    for file in files {
        let (source, copy) = (from.join(file), to.join(file));
        let content =
            std::fs::read(&source).with_context(|| format!("cannot read {}", source.display()))?;
        if std::fs::read(&copy).is_ok_and(|old| old == content) {
            continue;
        }
        if let Some(folder) = copy.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
        }
        // Copied with its permissions, so that scripts stay executable.
        std::fs::copy(&source, &copy)
            .with_context(|| format!("cannot write {}", copy.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_optimisation_flag_counts() {
        let flags = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(optimisation(&flags("-O0 -DX -O3 -Wall")), Some("-O3"));
        assert_eq!(optimisation(&flags("-DX -Output")), None);
    }

    #[test]
    fn a_mirror_has_the_named_files_and_no_others() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir(from.path().join("a")).unwrap();
        std::fs::write(from.path().join("a/b"), "1").unwrap();
        std::fs::write(to.path().join("old"), "2").unwrap();
        mirror(from.path(), &["a/b".into()], to.path()).expect("mirrored");
        assert_eq!(std::fs::read_to_string(to.path().join("a/b")).unwrap(), "1");
        assert!(!to.path().join("old").exists());

        let before = to
            .path()
            .join("a/b")
            .metadata()
            .unwrap()
            .modified()
            .unwrap();
        mirror(from.path(), &["a/b".into()], to.path()).expect("mirrored again");
        assert_eq!(
            to.path()
                .join("a/b")
                .metadata()
                .unwrap()
                .modified()
                .unwrap(),
            before
        );
    }
}
