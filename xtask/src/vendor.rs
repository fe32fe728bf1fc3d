//! `cargo xtask vendor`: puts the pinned wolfSSL source into `vendor/wolfssl/`, for offline builds.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use walkdir::WalkDir;

use crate::workspace;

/// Fill vendor/wolfssl/ with the pinned source, so that builds need no network.
#[derive(clap::Args)]
pub struct Args {
    /// Replace what is there.
    #[arg(long)]
    force: bool,
}

/// Copies the pinned source, and says what it is.
///
/// # Errors
/// When there is a copy already and it is not to be replaced, when cargo cannot fetch the pinned
/// package, or when the copy cannot be written.
pub fn run(args: Args) -> Result<ExitCode> {
    let home = ::vendor::vendored_folder();
    if home.exists() && !args.force {
        bail!("{} is there already; --force replaces it", home.display());
    }
    let tools = workspace::target().join("tools");
    let scratch = tools.join("pin");
    std::fs::create_dir_all(&scratch)
        .with_context(|| format!("cannot create {}", scratch.display()))?;
    let source = ::vendor::locate_in_registry(&::vendor::Places::from_env(&scratch))?;

    // Complete beside its place first: a copy that was broken off must not look like a source.
    let draft = home.with_extension("draft");
    remove(&draft)?;
    let files = copy_tree(&source.root, &draft)?;
    remove(&home)?;
    std::fs::rename(&draft, &home)
        .with_context(|| format!("cannot rename {} to {}", draft.display(), home.display()))?;
    println!(
        "wolfSSL {} from {}: {files} files in {}",
        source.version,
        source.origin,
        home.display()
    );
    Ok(ExitCode::SUCCESS)
}

/// Copies every file below `from` to `to`, and returns their number. The copies can be written to,
/// whatever the originals allow.
///
/// # Errors
/// When a file cannot be read or written.
pub fn copy_tree(from: &Path, to: &Path) -> Result<usize> {
    let mut files = 0;
    for entry in WalkDir::new(from) {
        let entry = entry.context("cannot list the source")?;
        let inside = entry.path().strip_prefix(from).unwrap_or(entry.path());
        let copy = to.join(inside);
        if entry.file_type().is_dir() {
            std::fs::create_dir_all(&copy)
                .with_context(|| format!("cannot create {}", copy.display()))?;
        } else {
            let content = std::fs::read(entry.path())
                .with_context(|| format!("cannot read {}", entry.path().display()))?;
            std::fs::write(&copy, content)
                .with_context(|| format!("cannot write {}", copy.display()))?;
            files += 1;
        }
    }
    Ok(files)
}

fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}
