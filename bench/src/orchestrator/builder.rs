//! Has cargo build the worker of an arm. Whether anything is to be done is cargo's to decide.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use crate::arm::Arm;
use crate::error::{Error, Result};
use crate::fixtures::{Fixtures, VERSION};
use crate::host;
use crate::progress::Progress;

/// Where the project lies and how cargo is called there.
pub struct Workspace {
    /// The project's root folder.
    pub root: PathBuf,
    /// The folder for everything that is made.
    pub target: PathBuf,
    /// Makes a command that runs cargo with the tools it needs, in the root folder.
    pub cargo: Box<dyn Fn() -> Command>,
}

/// The binary target of this crate that measures.
const PROGRAM: &str = "bench-worker";

/// How many lines of cargo's output are shown when it fails.
const LOG_LINES: usize = 40;

impl Workspace {
    /// Builds the worker of `arm` and returns its program.
    ///
    /// All arms share one target folder of their own, so that what they have in common is built
    /// once; each worker is then copied away under its arm's name.
    pub fn build(&self, arm: &Arm) -> Result<PathBuf> {
        let shared = self.target.join("bench-arms");
        let mut command = (self.cargo)();
        command
            .args(["build", "--release", "--package", "bench", "--bin", PROGRAM])
            .args(["--no-default-features", "--features", &features(arm)])
            .args(["--message-format", "json-render-diagnostics"])
            .arg("--target-dir")
            .arg(&shared);
        let built = run(arm, command)?;

        let directory = shared.join("workers").join(arm.directory_name());
        let program = directory.join(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX));
        fs::create_dir_all(&directory)
            .and_then(|()| replace(&built, &program))
            .map_err(Error::io(format!("copying {}", built.display())))?;
        Ok(program)
    }

    /// The certificates and keys, made by `worker` unless they are there.
    pub fn fixtures(&self, worker: &Path) -> Result<Fixtures> {
        let fixtures = Fixtures::open(self.target.join("bench-arms").join(VERSION));
        if !fixtures.exist() {
            let mut command = Command::new(worker);
            command
                .arg("--make-fixtures")
                .arg("--fixtures")
                .arg(fixtures.directory());
            let status = command
                .status()
                .map_err(Error::io(format!("starting {}", worker.display())))?;
            if !status.success() {
                return Err(Error::Worker {
                    arm: "fixtures".to_owned(),
                    message: format!("made no certificates ({status})"),
                });
            }
        }
        Ok(fixtures)
    }

    /// A build report in which the places of this machine have neutral names.
    pub fn without_places(&self, mut report: serde_json::Value) -> serde_json::Value {
        let home = |variable| std::env::var_os(variable).map(PathBuf::from);
        let cargo_home = home("CARGO_HOME").or_else(|| Some(home("HOME")?.join(".cargo")));
        replace_text(&mut report, &self.target, "<target>");
        replace_text(&mut report, &self.root, "<project>");
        if let Some(cargo_home) = cargo_home {
            replace_text(&mut report, &cargo_home, "<cargo>");
        }
        report
    }

    /// The commit that is checked out, and whether files differ from it.
    pub fn revision(&self) -> (Option<String>, bool) {
        let git = |arguments: &[&str]| {
            host::answer(Command::new("git").args(arguments).current_dir(&self.root))
        };
        let changes = git(&["status", "--porcelain", "--untracked-files=no"]);
        (
            git(&["rev-parse", "HEAD"]),
            changes.is_some_and(|list| !list.is_empty()),
        )
    }
}

/// Puts `name` for `place` in every text of a JSON value.
fn replace_text(value: &mut serde_json::Value, place: &Path, name: &str) {
    match value {
        serde_json::Value::String(text) => {
            *text = text.replace(&*place.to_string_lossy(), name);
        }
        serde_json::Value::Array(list) => {
            for value in list {
                replace_text(value, place, name);
            }
        }
        serde_json::Value::Object(map) => {
            for value in map.values_mut() {
                replace_text(value, place, name);
            }
        }
        _ => {}
    }
}

fn features(arm: &Arm) -> String {
    let mut all = vec![arm.library_feature];
    all.extend(arm.features);
    all.join(",")
}

/// Runs cargo and returns the program that it says it built.
fn run(arm: &Arm, mut command: Command) -> Result<PathBuf> {
    let start = Instant::now();
    let progress = Progress::spinner(format!("building {}", arm.id));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(Error::io("starting cargo"))?;
    let messages = child.stdout.take();
    let messages = thread::spawn(move || messages.map(io::read_to_string).transpose());
    let mut log = VecDeque::with_capacity(LOG_LINES);
    if let Some(output) = child.stderr.take() {
        for line in BufReader::new(output).lines().map_while(|line| line.ok()) {
            progress.detail(line.trim());
            if log.len() == LOG_LINES {
                log.pop_front();
            }
            log.push_back(line);
        }
    }
    let status = child.wait().map_err(Error::io("waiting for cargo"))?;
    let messages = messages.join().ok().and_then(|read| read.ok().flatten());
    let built = messages.as_deref().and_then(program_in);
    let seconds = start.elapsed().as_secs_f64();
    match built {
        Some(program) if status.success() => {
            progress.finish(&format!("built {} ({seconds:.1} s)", arm.id));
            Ok(program)
        }
        _ => {
            progress.finish(&format!("building {} failed ({seconds:.1} s)", arm.id));
            Err(Error::Build {
                arm: arm.id.to_owned(),
                log: Vec::from(log).join("\n"),
            })
        }
    }
}

/// The worker among cargo's messages, which are one JSON value a line.
fn program_in(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["reason"] == "compiler-artifact")
        .filter(|message| message["target"]["name"] == PROGRAM)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// Puts a copy of `from` at `to` in one step, as a running program cannot be written to.
fn replace(from: &Path, to: &Path) -> io::Result<()> {
    let draft = to.with_extension("new");
    fs::copy(from, &draft)?;
    fs::rename(&draft, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_machine_get_neutral_names() {
        let workspace = Workspace {
            root: PathBuf::from("/some/project"),
            target: PathBuf::from("/some/project/target"),
            cargo: Box::new(|| Command::new("cargo")),
        };
        let report = serde_json::json!({
            "command": ["cc", "-I/some/project/target/x", "-I/some/project/y"],
            "depth": 1,
        });
        assert_eq!(
            workspace.without_places(report),
            serde_json::json!({ "command": ["cc", "-I<target>/x", "-I<project>/y"], "depth": 1 })
        );
    }

    #[test]
    fn the_program_is_the_one_cargo_names() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"bench"},"executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"bench-worker"},"executable":"/x/w"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(program_in(messages), Some(PathBuf::from("/x/w")));
        assert_eq!(program_in("not json"), None);
    }
}
