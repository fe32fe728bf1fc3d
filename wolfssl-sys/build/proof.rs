//! Looks at what was built and compares it with the plan: the generated
//! options.h, and the flags of a real object. A difference fails the build.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::cmake::Built;
use crate::plan::Plan;

/// The truth about a build, as its files tell it.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Every macro of a C object, with its value.
    pub macros: BTreeMap<String, String>,
    /// Every macro that options.h defines.
    pub options: BTreeMap<String, String>,
    /// The whole command that compiled that object.
    pub command: Vec<String>,
}

/// Reads the evidence and compares it with the plan.
pub fn prove(plan: &Plan, built: &Built) -> Result<Evidence, String> {
    let command = object_command(&built.compile_commands(), "ssl.c")?;
    let options = fs::read_to_string(built.options_header())
        .map_err(|error| format!("wolfSSL's build left no options.h: {error}"))?;
    let evidence = Evidence {
        macros: macros_of(&command),
        options: macros_in(&options),
        command,
    };
    check_macros(plan, &evidence)?;
    Ok(evidence)
}

fn check_macros(plan: &Plan, evidence: &Evidence) -> Result<(), String> {
    for name in &plan.macros {
        let name = name.split('=').next().unwrap_or(name);
        if !evidence.macros.contains_key(name) {
            return Err(format!(
                "the plan defines {name}, the C objects were built without it"
            ));
        }
    }
    for name in &plan.absent_macros {
        if evidence.macros.contains_key(*name) || evidence.options.contains_key(*name) {
            return Err(format!("{name} is defined although its feature is off"));
        }
    }
    for name in evidence.options.keys() {
        if !evidence.macros.contains_key(name) {
            return Err(format!(
                "options.h defines {name}, the C objects were built without it"
            ));
        }
    }
    Ok(())
}

/// The command line that compiled the source `file`.
fn object_command(compile_commands: &Path, file: &str) -> Result<Vec<String>, String> {
    let unreadable =
        |what: &dyn std::fmt::Display| format!("{}: {what}", compile_commands.display());
    let text = fs::read_to_string(compile_commands).map_err(|error| unreadable(&error))?;
    let entries: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| unreadable(&error))?;
    let ends = |entry: &&serde_json::Value| {
        entry["file"]
            .as_str()
            .is_some_and(|path| Path::new(path).file_name().is_some_and(|name| name == file))
    };
    let entry = entries
        .as_array()
        .and_then(|entries| entries.iter().find(ends));
    let command = entry.and_then(|entry| entry["command"].as_str());
    command
        .map(words)
        .ok_or_else(|| unreadable(&format_args!("no entry for {file}")))
}

/// Splits a command as CMake writes it: spaces, with quotes and backslashes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        let last = words.len() - 1;
        match c {
            '"' => quoted = !quoted,
            '\\' => words[last].extend(chars.next()),
            ' ' if !quoted => words.push(String::new()),
            _ => words[last].push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn macros_of(command: &[String]) -> BTreeMap<String, String> {
    let definition = |word: &String| {
        let body = word.strip_prefix("-D")?;
        let (name, value) = body.split_once('=').unwrap_or((body, "1"));
        Some((name.to_owned(), value.to_owned()))
    };
    command.iter().filter_map(definition).collect()
}

fn macros_in(header: &str) -> BTreeMap<String, String> {
    let definition = |line: &str| {
        let body = line.trim().strip_prefix("#define ")?;
        let (name, value) = body.split_once(' ').unwrap_or((body, ""));
        (name != "WOLFSSL_OPTIONS_H").then(|| (name.to_owned(), value.trim().to_owned()))
    };
    header.lines().filter_map(definition).collect()
}
