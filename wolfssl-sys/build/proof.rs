//! Looks at what was built and compares it with the plan: CMake's cache, the
//! generated options.h, the flags of real objects, and what is in the archive.
//! A difference fails the build, as a plan that did not come true is a lie in
//! the report.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::archive::Archive;
use crate::cmake::Built;
use crate::plan::Plan;
use crate::renames;
use crate::request::Target;

/// The truth about a build, as its files tell it.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// Every macro of the C objects, with its value.
    pub macros: BTreeMap<String, String>,
    /// Every symbol that the library defines.
    pub symbols: BTreeSet<String>,
    /// Every macro that options.h defines.
    pub options: BTreeMap<String, String>,
    /// The command that compiled a C object, word by word; empty where the
    /// generator does not tell (Visual Studio).
    pub command: Vec<String>,
}

/// Reads the evidence and compares it with the plan.
pub fn prove(plan: &Plan, target: &Target, built: &Built) -> Result<Evidence, String> {
    check_cache(&read(&built.cache())?)?;
    let header = read(&built.options_header())?;
    let options = macros_in(&header);
    let commands = if built.compile_commands().is_file() {
        Commands::read(&built.compile_commands())?
    } else if target.is_msvc() {
        Commands::default()
    } else {
        return Err(format!(
            "CMake left no {}",
            built.compile_commands().display()
        ));
    };
    let command = commands.of("ssl.c").unwrap_or_default();
    let archive = Archive::read(&built.library(target))?;
    let macros = if commands.is_empty() {
        options.clone()
    } else {
        macros_of(&command)
    };
    let evidence = Evidence {
        macros,
        symbols: archive.symbols.clone(),
        options,
        command,
    };
    if !commands.is_empty() {
        check_flags(plan, target, &evidence)?;
        check_options(&header, &evidence)?;
        commands.check_uniform(&evidence.macros)?;
        commands.check_files(plan)?;
    }
    check_macros(plan, &evidence)?;
    check_archive(plan, &archive)?;
    Ok(evidence)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// CMake takes a misspelt option without a word; in its cache it has no type.
fn check_cache(cache: &str) -> Result<(), String> {
    let undeclared = |line: &&str| line.starts_with("WOLFSSL_") && line.contains(":UNINITIALIZED=");
    match cache.lines().find(undeclared) {
        Some(line) => Err(format!(
            "wolfSSL's CMakeLists.txt does not know the option {line}"
        )),
        None => Ok(()),
    }
}

/// Optimised, and native code whatever CFLAGS say.
fn check_flags(plan: &Plan, target: &Target, evidence: &Evidence) -> Result<(), String> {
    let optimisation = optimisation(&evidence.command);
    let accepted: &[&str] = if target.is_msvc() {
        &["/O2", "-O2"]
    } else {
        &["-O2", "-O3"]
    };
    if !optimisation.is_some_and(|flag| accepted.contains(&flag)) {
        return Err(format!(
            "the C objects were built with {}, not with -O2 or -O3",
            optimisation.unwrap_or("no -O flag")
        ));
    }
    let lto = |word: &&String| word.starts_with("-flto") || *word == "-fno-lto";
    if evidence
        .command
        .iter()
        .rfind(lto)
        .is_some_and(|word| word != "-fno-lto")
    {
        return Err("the C objects were built for link-time optimisation".to_owned());
    }
    for flag in &plan.c_flags {
        if !evidence.command.iter().any(|word| word == flag) {
            return Err(format!("the C objects were built without {flag}"));
        }
    }
    Ok(())
}

/// The last `-O` flag of a command, which is the one that counts.
pub fn optimisation(command: &[String]) -> Option<&str> {
    command
        .iter()
        .map(String::as_str)
        .rfind(|word| word.starts_with("-O") || word.starts_with("/O"))
}

/// options.h and the objects agree on every macro that options.h knows.
fn check_options(header: &str, evidence: &Evidence) -> Result<(), String> {
    for (name, value) in &evidence.options {
        match evidence.macros.get(name) {
            None => {
                return Err(format!(
                    "options.h defines {name}, the C objects were built without it"
                ));
            }
            Some(real) if value.is_empty() || real == value => {}
            Some(real) => {
                return Err(format!(
                    "options.h says {name} is {value}, the C objects were built with {real}"
                ));
            }
        }
    }
    let known = header
        .lines()
        .filter_map(|line| line.strip_prefix("#undef "));
    for name in known.map(str::trim) {
        if evidence.macros.contains_key(name) && !evidence.options.contains_key(name) {
            return Err(format!(
                "the C objects were built with {name}, options.h hides it"
            ));
        }
    }
    Ok(())
}

fn check_macros(plan: &Plan, evidence: &Evidence) -> Result<(), String> {
    let defined =
        |name: &str| evidence.macros.contains_key(name) || evidence.options.contains_key(name);
    if evidence.command.is_empty() {
        return Ok(()); // no object tells its flags; the archive still speaks
    }
    for definition in &plan.macros {
        let (name, value) = definition.split_once('=').unwrap_or((definition, "1"));
        match evidence.macros.get(name) {
            Some(real) if real == value => {}
            Some(real) => {
                return Err(format!(
                    "the plan says {name} is {value}, the C objects were built with {real}"
                ));
            }
            None => {
                return Err(format!(
                    "the plan defines {name}, the C objects were built without it"
                ));
            }
        }
    }
    match plan.absent_macros.iter().find(|name| defined(name)) {
        Some(name) => Err(format!(
            "{name} is defined although the plan has no use for it"
        )),
        None => Ok(()),
    }
}

fn check_archive(plan: &Plan, archive: &Archive) -> Result<(), String> {
    for symbol in &plan.symbols {
        if !archive.defines(symbol) {
            return Err(format!(
                "the library lacks {symbol}, which the plan has it contain"
            ));
        }
    }
    for symbol in &plan.absent_symbols {
        if archive.defines(symbol) {
            return Err(format!(
                "the library contains {symbol} although its feature is off"
            ));
        }
    }
    match archive
        .symbols
        .iter()
        .find(|symbol| renames::is_foreign(symbol))
    {
        Some(symbol) => Err(format!(
            "the library defines {symbol}, a name of OpenSSL's kind"
        )),
        None => Ok(()),
    }
}

/// What compile_commands.json says: source file and command, one each.
#[derive(Default)]
struct Commands(Vec<(String, Vec<String>)>);

impl Commands {
    fn read(path: &Path) -> Result<Self, String> {
        let entries: serde_json::Value = serde_json::from_str(&read(path)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        let entry = |entry: &serde_json::Value| {
            Some((
                entry["file"].as_str()?.to_owned(),
                words(entry["command"].as_str()?),
            ))
        };
        let commands: Option<Vec<_>> = entries
            .as_array()
            .and_then(|entries| entries.iter().map(entry).collect());
        commands
            .filter(|commands| !commands.is_empty())
            .map(Self)
            .ok_or_else(|| format!("{}: no commands", path.display()))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn of(&self, name: &str) -> Option<Vec<String>> {
        let named = |(file, _): &&(String, Vec<String>)| {
            Path::new(file).file_name().is_some_and(|of| of == name)
        };
        self.0
            .iter()
            .find(named)
            .map(|(_, command)| command.clone())
    }

    fn check_files(&self, plan: &Plan) -> Result<(), String> {
        if let Some(file) = plan.files.iter().find(|file| self.of(file).is_none()) {
            return Err(format!("{file} is not among the compiled files"));
        }
        match plan
            .absent_files
            .iter()
            .find(|file| self.of(file).is_some())
        {
            Some(file) => Err(format!("{file} was compiled although its feature is off")),
            None => Ok(()),
        }
    }

    /// Every object, C and assembly, saw the same macros.
    fn check_uniform(&self, macros: &BTreeMap<String, String>) -> Result<(), String> {
        let all: BTreeSet<_> = macros.iter().collect();
        for (file, command) in &self.0 {
            let own = macros_of(command);
            if let Some((name, _)) = own
                .iter()
                .collect::<BTreeSet<_>>()
                .symmetric_difference(&all)
                .next()
            {
                return Err(format!(
                    "{file} and ssl.c were built with different ideas of {name}"
                ));
            }
        }
        Ok(())
    }
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
        let body = word
            .strip_prefix("-D")
            .or_else(|| word.strip_prefix("/D"))?;
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
