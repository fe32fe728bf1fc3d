//! An application outside the workspace that depends on `wolfssl` as a user's would: by path and
//! from git, with the default features and with chosen ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Counts, Run, build};
use crate::command::{self, write_file};
use crate::workspace;

/// The application's source.
const APPLICATION: &str = include_str!("../../apps/handshake.rs");

/// How the application asks for its features.
const VARIANTS: [(&str, &str); 2] = [
    ("default", ""),
    (
        "chosen",
        ", default-features = false, features = [\"u128\", \"sp\"]",
    ),
];

/// By path: the project lies on the same machine.
pub fn by_path(run: &Run) -> Result<Counts> {
    variants(
        run,
        &format!("path = {:?}", workspace::root().join("wolfssl")),
    )
}

/// From git: a file URL to a repository that holds what lies in the project's folder now,
/// committed or not.
pub fn by_git(run: &Run) -> Result<Counts> {
    let repository = repository(run)?;
    let url = format!("file://{}", repository.display());
    variants(run, &format!("git = {url:?}"))
}

fn variants(run: &Run, origin: &str) -> Result<Counts> {
    let mut counts = Counts::default();
    for (name, features) in VARIANTS {
        run.note(&format!(
            "variant {name}: wolfssl = {{ {origin}{features} }}"
        ));
        let dependencies = format!(
            "wolfssl = {{ {origin}{features} }}\nrcgen = {}\n",
            rcgen_dependency()?
        );
        let application = Application::create(&dependencies, APPLICATION)?;
        let output = run.must(&mut application.cargo(run, "run"))?;
        ensure!(
            output
                .text
                .lines()
                .any(|line| line.starts_with("verified handshake: ")),
            "the application did not tell of its handshake"
        );
        counts.passed += 1;
    }
    Ok(counts)
}

/// A package in a temporary folder outside the workspace.
pub struct Application {
    folder: tempfile::TempDir,
}

impl Application {
    /// Writes the package: its dependencies in TOML, and its program.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn create(dependencies: &str, program: &str) -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("wolfssl-app-")
            .tempdir()
            .context("cannot create a temporary folder")?;
        let application = Self { folder };
        let manifest = format!(
            "[package]\nname = \"app\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [workspace]\n\n[dependencies]\n{dependencies}"
        );
        application.write("Cargo.toml", &manifest)?;
        application.write("src/main.rs", program)?;
        // The versions that the project itself is tested with; cargo drops what is not used.
        let lock = workspace::root().join("Cargo.lock");
        std::fs::copy(&lock, application.path().join("Cargo.lock"))
            .with_context(|| format!("cannot copy {}", lock.display()))?;
        Ok(application)
    }

    /// Adds a file to the package.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<()> {
        write_file(&self.path().join(name), text)
    }

    /// Cargo in the package's folder; all applications share what they build.
    pub fn cargo(&self, run: &Run, verb: &str) -> Command {
        let mut cargo = workspace::cargo_anywhere(run.toolbox);
        cargo
            .arg(verb)
            .current_dir(self.path())
            .env("CARGO_TARGET_DIR", Self::target());
        cargo
    }

    /// The package's folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where the applications' builds go.
    pub fn target() -> PathBuf {
        workspace::target().join("applications")
    }
}

/// The project's own line for rcgen, so that applications ask for the same.
pub fn rcgen_dependency() -> Result<String> {
    let manifest = workspace::root().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest)
        .with_context(|| format!("cannot read {}", manifest.display()))?;
    let line = text.lines().find_map(|line| line.strip_prefix("rcgen = "));
    Ok(line.context("the workspace names no rcgen")?.to_owned())
}

/// A git repository with the project's files as they are now.
fn repository(run: &Run) -> Result<PathBuf> {
    let folder = workspace::target().join("external-repository");
    build::mirror(workspace::root(), &workspace::files()?, &folder)?;
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&folder)
            .args(["-c", "core.autocrlf=false", "-c", "commit.gpgsign=false"]);
        git.args(["-c", "init.defaultBranch=main"]).args(arguments);
        // The same files give the same commit, so that cargo fetches and builds only news.
        for role in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{role}_NAME"), "snapshot");
            git.env(format!("GIT_{role}_EMAIL"), "snapshot@localhost");
            git.env(format!("GIT_{role}_DATE"), "2020-01-01T00:00:00Z");
        }
        git
    };
    if !folder.join(".git").exists() {
        run.must(&mut git(&["init", "--quiet"]))?;
    }
    run.must(&mut git(&["add", "--all"]))?;
    let tree = command::answer(&mut git(&["write-tree"])).context("git cannot write a tree")?;
    let commit = command::answer(&mut git(&["commit-tree", &tree, "-m", "snapshot"]));
    let commit = commit.context("git cannot make a commit")?;
    run.must(&mut git(&["update-ref", "HEAD", &commit]))?;
    Ok(folder)
}
