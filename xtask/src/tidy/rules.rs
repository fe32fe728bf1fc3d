//! Rules about single files.

use std::path::Path;

use super::Finding;
use super::lexer::{self, Line};

/// Above this many lines a file is worth splitting.
const LONG: usize = 400;
/// Above this many lines a file must be split.
const TOO_LONG: usize = 600;

/// Where unsafe code may stand: one folder per crate, and raw use of the raw bindings.
const UNSAFE_FOLDERS: [&str; 6] = [
    "wolfssl/src/ffi/",
    "wolfssl-sys/src/",
    "wolfssl-sys/tests/",
    "wolfssl-sys/examples/",
    "bench/src/wolfcrypt/",
    "xtask/apps/", // a function that C calls
];

/// All rules for Rust source.
pub fn rust(file: &Path, text: &str) -> Vec<Finding> {
    let mut findings = vec![];
    if !text.starts_with("//!") {
        findings.push(fault(
            file,
            1,
            "does not begin with `//!` and the file's one purpose",
        ));
    }
    let count = text.lines().count();
    if count > TOO_LONG {
        findings.push(fault(
            file,
            0,
            format!("{count} lines; split it (the limit is {TOO_LONG})"),
        ));
    } else if count > LONG {
        let message = format!("{count} lines; consider splitting it (aim below {LONG})");
        findings.push(Finding {
            fatal: false,
            ..fault(file, 0, message)
        });
    }
    findings.extend(unsafe_code(file, &lexer::lines(text)));
    findings
}

/// No file names a folder of somebody's machine.
pub fn machine_paths(file: &Path, text: &str) -> Vec<Finding> {
    // Put together here, so that this very file does not trip over itself.
    let roots = ["work", "root", "home", "Users"].map(|name| format!("/{name}/"));
    let mut findings = vec![];
    for (at, line) in text.lines().enumerate() {
        for root in &roots {
            let starts = line.match_indices(root.as_str()).any(|(start, _)| {
                // `src/work/` or `https://host/home/` is no path from a machine's root.
                !line[..start].ends_with(|before: char| {
                    before.is_alphanumeric() || matches!(before, '.' | '_' | '-' | '}' | ')')
                })
            });
            if starts {
                findings.push(fault(
                    file,
                    at + 1,
                    format!("names a machine's own folder ({root})"),
                ));
            }
        }
    }
    findings
}

/// Unsafe code stands only where it may, and every block has its one SAFETY comment.
fn unsafe_code(file: &Path, lines: &[Line]) -> Vec<Finding> {
    let mut findings = vec![];
    let place = file.to_string_lossy().replace('\\', "/");
    let allowed = UNSAFE_FOLDERS
        .iter()
        .any(|folder| place.starts_with(folder));
    let mut blocks = 0;
    for (at, line) in lines.iter().enumerate() {
        for rest in after_word(&line.code, "unsafe") {
            if !allowed {
                findings.push(fault(file, at + 1, "unsafe code outside its folder"));
            }
            // A block may open on the next line.
            let next = lines.get(at + 1).map_or("", |line| line.code.trim());
            let follows = if rest.trim().is_empty() {
                next
            } else {
                rest.trim()
            };
            if follows.starts_with('{') || follows.starts_with("impl") {
                blocks += 1;
            }
        }
    }
    let comments = lines
        .iter()
        .filter(|line| line.comment.trim_start().starts_with("SAFETY:"));
    let comments = comments.count();
    if blocks != comments {
        findings.push(fault(
            file,
            0,
            format!("{blocks} unsafe blocks and {comments} SAFETY comments; each block has one"),
        ));
    }
    findings
}

/// What follows each whole `word` in `code`.
fn after_word<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let part_of_word = |next: char| next.is_alphanumeric() || next == '_';
    code.match_indices(word).filter_map(move |(at, _)| {
        let rest = &code[at + word.len()..];
        let whole = !code[..at].ends_with(part_of_word) && !rest.starts_with(part_of_word);
        whole.then_some(rest)
    })
}

fn fault(file: &Path, line: usize, message: impl Into<String>) -> Finding {
    Finding {
        file: file.to_owned(),
        line,
        message: message.into(),
        fatal: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(file: &str, text: &str) -> Vec<String> {
        rust(Path::new(file), text)
            .into_iter()
            .map(|finding| finding.to_string())
            .collect()
    }

    #[test]
    fn a_file_needs_its_purpose_on_top() {
        assert!(messages("a/src/lib.rs", "//! Purpose.\n").is_empty());
        assert_eq!(messages("a/src/lib.rs", "fn x() {}\n").len(), 1);
    }

    #[test]
    fn length_warns_then_fails() {
        let long = |lines: usize| format!("//! Purpose.\n{}", "x\n".repeat(lines - 1));
        assert!(messages("a.rs", &long(400)).is_empty());
        assert!(messages("a.rs", &long(401))[0].starts_with("warning: a.rs: 401 lines"));
        assert!(messages("a.rs", &long(601))[0].starts_with("error: a.rs: 601 lines"));
    }

    #[test]
    fn unsafe_stands_only_in_its_folder() {
        let code = "//! P.\n// SAFETY: c.\nlet x = unsafe { y() };\n";
        assert!(messages("wolfssl/src/ffi/mod.rs", code).is_empty());
        let found = messages("wolfssl/src/lib.rs", code);
        assert_eq!(
            found,
            ["error: wolfssl/src/lib.rs:3: unsafe code outside its folder"]
        );
        assert!(messages("wolfssl/src/lib.rs", "//! P.\n#![deny(unsafe_code)]\n").is_empty());
    }

    #[test]
    fn every_block_has_its_own_comment() {
        let file = "wolfssl/src/ffi/mod.rs";
        let two = "//! P.\n// SAFETY: c.\nunsafe { x() };\nunsafe { y() };\n";
        assert!(messages(file, two)[0].contains("2 unsafe blocks and 1 SAFETY comments"));
        let orphan = "//! P.\n// SAFETY: c.\nx();\n";
        assert!(messages(file, orphan)[0].contains("0 unsafe blocks and 1 SAFETY"));
        let implementation = "//! P.\n// SAFETY: c.\nunsafe impl Send for X {}\n";
        assert!(messages(file, implementation).is_empty());
        let function = "//! P.\nunsafe extern \"C\" fn x() {}\n";
        assert!(messages(file, function).is_empty());
    }

    #[test]
    fn machine_paths_are_found_but_not_inside_other_paths() {
        let path = format!("see /{}/someone/x", "home");
        assert_eq!(machine_paths(Path::new("a.md"), &path).len(), 1);
        let url = format!("https://example.org/{}/x and src/{}/x", "home", "work");
        assert!(machine_paths(Path::new("a.md"), &url).is_empty());
    }
}
