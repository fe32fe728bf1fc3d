//! Private copies of tools from PyPI, under `target/tools`, for machines where nothing may be installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::need::Wheel;
use crate::command::{answer, capture, which, write_file};
use crate::progress::Progress;
use crate::workspace;

/// The private copy of `wheel`, when there is one already.
pub fn present(wheel: &Wheel) -> Option<PathBuf> {
    inside(&folder(wheel), wheel)
}

/// Installs the private copy of `wheel` and says where the tool is.
///
/// # Errors
/// When there is no pip in any form, the download fails, or PyPI has no copy for this machine.
pub fn install(wheel: &Wheel) -> Result<PathBuf> {
    let pip = Pip::find().context("python3 with pip is not there either")?;
    let home = folder(wheel);
    let parent = workspace::target().join("tools");
    std::fs::create_dir_all(&parent)
        .with_context(|| format!("cannot create {}", parent.display()))?;
    // Filled beside its place and then renamed, so that a broken download leaves nothing behind.
    let draft = tempfile::Builder::new()
        .prefix("draft-")
        .tempdir_in(&parent)
        .with_context(|| format!("cannot create a folder in {}", parent.display()))?;

    let wish = format!("{}=={}", wheel.package, wheel.version);
    let progress = Progress::start(format!(
        "setup: fetching a private copy of {wish} from PyPI"
    ));
    let mut command = pip.command();
    command.args(["install", "--no-deps", "--only-binary=:all:", "--target"]);
    command.arg(draft.path()).arg(&wish);
    let captured = capture(&mut command, |line| progress.detail(line))?;
    let log = parent.join("pip.log");
    write_file(&log, &captured.text)?;
    if !captured.status.success() {
        let complaint = captured
            .text
            .lines()
            .rfind(|line| line.starts_with("ERROR"));
        let complaint = complaint.unwrap_or("no reason given");
        bail!("pip failed: {complaint} (all of it in {})", log.display());
    }
    if inside(draft.path(), wheel).is_none() {
        bail!("{wish} does not hold the expected tool");
    }
    // Somebody else may have been faster; theirs is as good.
    if let Err(error) = std::fs::rename(draft.path(), &home)
        && present(wheel).is_none()
    {
        return Err(error).with_context(|| format!("cannot create {}", home.display()));
    }
    progress.done("done");
    present(wheel).with_context(|| format!("{} vanished", home.display()))
}

/// pip in one of the forms that it comes in.
struct Pip {
    program: PathBuf,
    arguments: Vec<PathBuf>,
}

impl Pip {
    fn find() -> Option<Self> {
        for python in ["python3", "python"] {
            let Some(python) = which(python) else {
                continue;
            };
            let module = Self {
                program: python.clone(),
                arguments: vec!["-m".into(), "pip".into()],
            };
            if module.works() {
                return Some(module);
            }
            // Python without pip often still holds the wheel of pip that new environments get,
            // and a wheel can be run as it lies.
            if let Some(wheel) = bundled(&python) {
                let wheel = Self {
                    program: python,
                    arguments: vec![wheel.join("pip")],
                };
                if wheel.works() {
                    return Some(wheel);
                }
            }
        }
        let mut others = ["pip3", "pip"].into_iter().filter_map(which);
        if let Some(program) = others.next() {
            return Some(Self {
                program,
                arguments: vec![],
            });
        }
        let uv = Self {
            program: which("uv")?,
            arguments: vec!["pip".into()],
        };
        Some(uv)
    }

    fn works(&self) -> bool {
        answer(self.command().arg("--version")).is_some()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

/// The pip wheel that this Python keeps for `ensurepip`.
fn bundled(python: &Path) -> Option<PathBuf> {
    let home = answer(Command::new(python).args([
        "-c",
        "import ensurepip, os; print(os.path.dirname(ensurepip.__file__))",
    ]));
    let home = home.map(|home| PathBuf::from(home).join("_bundled"));
    // Debian moves the wheels out of Python's own folder.
    let folders = home
        .into_iter()
        .chain([PathBuf::from("/usr/share/python-wheels")]);
    folders
        .filter_map(|folder| folder.read_dir().ok())
        .flat_map(|entries| entries.flatten())
        .map(|entry| entry.path())
        .find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("pip-") && name.ends_with(".whl")
        })
}

fn folder(wheel: &Wheel) -> PathBuf {
    workspace::target().join(format!("tools/{}-{}", wheel.package, wheel.version))
}

fn inside(folder: &Path, wheel: &Wheel) -> Option<PathBuf> {
    wheel
        .inside
        .iter()
        .map(|path| folder.join(path))
        .find(|path| path.is_file())
}
