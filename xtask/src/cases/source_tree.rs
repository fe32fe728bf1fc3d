//! Case B8: the source tree is only read, even when it is read-only and holds a git folder.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, ensure};
use walkdir::WalkDir;

use super::{cargo, source_copy};
use crate::command::write_file;
use crate::test::{Counts, Run};

/// Builds twice, with other features the second time, from a tree that nobody may write to.
pub fn read_only_source(run: &Run) -> Result<Counts> {
    let tree = source_copy(run)?;
    // As in a dependency from git: objects that are read-only.
    write_file(&tree.path().join(".git/objects/ab/cdef"), "object\n")?;
    write_file(&tree.path().join(".git/HEAD"), "ref: refs/heads/main\n")?;
    let writable = Guard::lock(tree.path())?;
    let before = listing(tree.path())?;
    for features in ["", "sp"] {
        let mut build = cargo(
            run,
            &["build", "--package", "wolfssl-sys", "--no-default-features"],
        );
        build
            .args(["--features", features])
            .env("WOLFSSL_SRC_DIR", tree.path());
        run.must(&mut build)?;
        // Whoever runs this as root could write all the same: look whether anybody did.
        ensure!(
            listing(tree.path())? == before,
            "the build changed the source tree"
        );
    }
    drop(writable);
    Ok(Counts {
        passed: 2,
        ..Counts::default()
    })
}

/// Path, size and time of every file and folder.
fn listing(root: &Path) -> Result<BTreeMap<PathBuf, (u64, SystemTime)>> {
    let mut all = BTreeMap::new();
    for entry in WalkDir::new(root) {
        let entry = entry.context("cannot list the source tree")?;
        let facts = entry.metadata().context("cannot list the source tree")?;
        let time = facts.modified().context("this file system has no times")?;
        all.insert(entry.into_path(), (facts.len(), time));
    }
    Ok(all)
}

/// A tree without write permission, which comes back at the end so that it can be removed.
struct Guard(Vec<(PathBuf, Permissions)>);

impl Guard {
    fn lock(root: &Path) -> Result<Self> {
        let mut guard = Self(vec![]);
        // Contents first: a locked folder hides them from change.
        for entry in WalkDir::new(root).contents_first(true) {
            let entry = entry.context("cannot list the source tree")?;
            let old = entry
                .metadata()
                .context("cannot list the source tree")?
                .permissions();
            let mut locked = old.clone();
            locked.set_readonly(true);
            std::fs::set_permissions(entry.path(), locked)
                .with_context(|| format!("cannot lock {}", entry.path().display()))?;
            guard.0.push((entry.into_path(), old));
        }
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        for (path, old) in self.0.drain(..).rev() {
            let _ = std::fs::set_permissions(path, old);
        }
    }
}
