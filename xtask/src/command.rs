//! Running other programs so that a failure reads as one line.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Result, bail};

/// What a captured program did.
pub struct Captured {
    /// How it ended.
    pub status: ExitStatus,
    /// Standard output and standard error in the order they were written, without colours.
    pub text: String,
}

/// Runs `command` with the terminal as its output and fails unless it succeeds.
///
/// # Errors
/// When the program cannot be started or ends with another code than 0.
pub fn stream(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs `command`, hands every line of its output to `each`, and returns all of it.
///
/// # Errors
/// When the program cannot be started. A failing program is not an error here.
pub fn capture(command: &mut Command, mut each: impl FnMut(&str)) -> Result<Captured> {
    let (reader, writer) = io::pipe().context("cannot make a pipe")?;
    command
        .stdin(Stdio::null())
        .stdout(writer.try_clone().context("cannot share a pipe")?)
        .stderr(writer);
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start `{}`", line(command)))?;
    // The command holds the write ends; they must close for the reader to see the end.
    command.stdout(Stdio::null()).stderr(Stdio::null());

    let mut text = String::new();
    for raw in BufReader::new(reader).split(b'\n') {
        let raw = raw.context("cannot read a program's output")?;
        let clean = without_colours(&String::from_utf8_lossy(&raw));
        each(&clean);
        text.push_str(&clean);
        text.push('\n');
    }
    let status = child.wait().context("cannot wait for a program")?;
    Ok(Captured { status, text })
}

/// Standard output of a successful `command`, trimmed; nothing when it fails or is absent.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Where `program` lies on PATH, or itself when it is a path to an executable.
pub fn which(program: impl AsRef<OsStr>) -> Option<PathBuf> {
    let program = Path::new(program.as_ref());
    if program.components().count() > 1 {
        return executable(program);
    }
    std::env::split_paths(&std::env::var_os("PATH")?)
        .find_map(|folder| executable(&folder.join(program)))
}

/// The command as a person would type it.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut words = vec![program.file_name().unwrap_or(program.as_os_str())];
    words.extend(command.get_args());
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Writes `text` to `path`, making its folder first.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    let mut file =
        std::fs::File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    file.write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))
}

fn executable(path: &Path) -> Option<PathBuf> {
    if cfg!(windows) && path.extension().is_none() {
        let path = path.with_extension("exe");
        return path.is_file().then_some(path);
    }
    let found = path.metadata().ok()?;
    (found.is_file() && may_execute(&found)).then(|| path.to_owned())
}

#[cfg(unix)]
fn may_execute(found: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_execute(_: &std::fs::Metadata) -> bool {
    true
}

/// Drops ANSI escape sequences of the form `ESC [ … letter`.
fn without_colours(line: &str) -> String {
    let mut clean = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(next) = rest.next() {
        if next != '\u{1b}' {
            clean.push(next);
        } else if rest.next() == Some('[') {
            for skipped in rest.by_ref() {
                if skipped.is_ascii_alphabetic() {
                    break;
                }
            }
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_dropped_and_text_is_kept() {
        assert_eq!(
            without_colours("\u{1b}[1m\u{1b}[32mok\u{1b}[0m done"),
            "ok done"
        );
        assert_eq!(without_colours("plain [text] m"), "plain [text] m");
    }

    #[test]
    fn capture_keeps_both_outputs_and_the_code() {
        let mut command = Command::new(env!("CARGO"));
        command.arg("no-such-subcommand-here");
        let mut lines = 0;
        let captured = capture(&mut command, |_| lines += 1).expect("cargo starts");
        assert!(!captured.status.success());
        assert!(
            captured.text.contains("no-such-subcommand-here"),
            "{}",
            captured.text
        );
        assert_eq!(lines, captured.text.lines().count());
    }

    #[test]
    fn a_missing_program_is_one_readable_line() {
        let error = stream(&mut Command::new("/nonexistent/tool")).expect_err("absent");
        assert_eq!(error.to_string(), "cannot start `tool`");
    }

    #[test]
    fn which_finds_paths_only_when_executable() {
        assert!(which(env!("CARGO")).is_some());
        assert!(which(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")).is_none());
        assert!(which("/nonexistent/tool").is_none());
    }
}
