//! Rules about the Markdown documents: links lead somewhere and commands exist.

use std::path::{Path, PathBuf};

use clap::Parser as _;

use super::Finding;
use crate::workspace;

/// All rules for a document.
pub fn markdown(file: &Path, text: &str) -> Vec<Finding> {
    let folder = workspace::root().join(file.parent().unwrap_or(Path::new("")));
    let mut findings = vec![];
    let mut fence = None;
    for (at, line) in text.lines().enumerate() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = if fence.is_some() {
                None
            } else {
                Some(language.trim())
            };
            continue;
        }
        let complaints = match fence {
            None => links(&folder, text, line),
            Some("sh" | "console") => command(line).into_iter().collect(),
            Some(_) => vec![],
        };
        findings.extend(complaints.into_iter().map(|message| Finding {
            file: file.to_owned(),
            line: at + 1,
            message,
            fatal: true,
        }));
    }
    findings
}

/// Complaints about the links in `line` of the document `text`, which lies in `folder`.
fn links(folder: &Path, text: &str, line: &str) -> Vec<String> {
    let mut complaints = vec![];
    for (start, _) in line.match_indices("](") {
        let rest = &line[start + 2..];
        let Some(target) = rest.split(')').next() else {
            continue;
        };
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let other;
        let aim = if path.is_empty() {
            text
        } else {
            let place = folder.join(path);
            if !place.exists() {
                complaints.push(format!("the link {target} leads nowhere"));
                continue;
            }
            other = std::fs::read_to_string(place).unwrap_or_default();
            &other
        };
        if !anchor.is_empty() && !aim.lines().filter_map(heading).any(|known| known == anchor) {
            complaints.push(format!(
                "the link {target} names a heading that is not there"
            ));
        }
    }
    complaints
}

/// The anchor of a heading line.
fn heading(line: &str) -> Option<String> {
    let title = line
        .strip_prefix('#')?
        .trim_start_matches('#')
        .strip_prefix(' ')?;
    let title = title.trim().to_lowercase();
    let anchor = title
        .chars()
        .map(|next| if next == ' ' { '-' } else { next });
    Some(
        anchor
            .filter(|next| next.is_alphanumeric() || matches!(next, '-' | '_'))
            .collect(),
    )
}

/// A complaint about a shell line, when it is a cargo command of this project that cannot work.
fn command(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches("$ ");
    let line = line.split(" #").next().unwrap_or(line).trim_end();
    let words: Vec<_> = line
        .split_whitespace()
        // Variables set in front of a command.
        .skip_while(|word| word.contains('=') && !word.starts_with('-'))
        .take_while(|word| !matches!(*word, "|" | ">" | "&&" | "<"))
        .collect();
    match words.as_slice() {
        ["cargo", "xtask", rest @ ..] => {
            let arguments = ["cargo xtask"].iter().chain(rest);
            let error = crate::Cli::try_parse_from(arguments).err()?;
            // Asking for help is no fault.
            error.use_stderr().then(|| {
                let reason = error.to_string();
                format!(
                    "`{line}` does not work: {}",
                    reason.lines().next().unwrap_or_default()
                )
            })
        }
        ["cargo", rest @ ..] => {
            let value = |names: [&str; 2]| {
                let at = rest.iter().position(|word| names.contains(word))?;
                rest.get(at + 1).copied()
            };
            let example = value(["--example", "--example"])?;
            let package = value(["-p", "--package"])?;
            let place: PathBuf = workspace::root().join(package).join("examples");
            let known =
                place.join(format!("{example}.rs")).is_file() || place.join(example).is_dir();
            (!known).then(|| format!("{package} has no example {example}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        markdown(Path::new("README.md"), text)
            .into_iter()
            .map(|finding| finding.message)
            .collect()
    }

    #[test]
    fn links_must_lead_somewhere() {
        assert!(
            messages("[a](Cargo.toml) [b](https://example.org/x) [c](#here)\n# Here\n").is_empty()
        );
        assert_eq!(
            messages("[a](absent.md)"),
            ["the link absent.md leads nowhere"]
        );
        assert_eq!(
            messages("[a](#gone)"),
            ["the link #gone names a heading that is not there"]
        );
    }

    #[test]
    fn commands_must_parse() {
        let fenced = |line: &str| messages(&format!("```sh\n{line}\n```\n"));
        assert!(fenced("cargo xtask test --only fmt   # quick").is_empty());
        assert!(fenced("cargo xtask test --help").is_empty());
        assert!(fenced("cargo xtask nonsense")[0].contains("does not work"));
        assert!(fenced("cargo run -p wolfssl --example absent")[0].contains("no example absent"));
        assert!(messages("```rust\ncargo xtask nonsense\n```\n").is_empty());
    }

    #[test]
    fn headings_become_anchors() {
        assert_eq!(
            heading("## What it is, and why").as_deref(),
            Some("what-it-is-and-why")
        );
        assert_eq!(heading("text"), None);
    }
}
