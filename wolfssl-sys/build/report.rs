//! The build report: what was asked for, what became of it, and with what it
//! was built; as JSON and as Rust constants.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::plan::Plan;
use crate::proof::Evidence;
use crate::request::{Facts, Target};
use crate::rules::Fate;

/// All that the report tells.
pub struct Report<'a> {
    pub source: &'a vendor::Source,
    pub target: &'a Target,
    pub facts: &'a Facts,
    pub plan: &'a Plan,
    pub evidence: &'a Evidence,
}

impl Report<'_> {
    fn optimisation(&self) -> &str {
        let flags = self.evidence.command.iter().rev();
        flags
            .map(String::as_str)
            .find(|word| word.starts_with("-O") || word.starts_with("/O"))
            .unwrap_or("none")
    }

    fn json(&self) -> Value {
        let features: serde_json::Map<_, _> = self
            .plan
            .fates
            .iter()
            .map(|(feature, fate)| {
                (
                    feature.name().to_owned(),
                    json!({"fate": fate_name(*fate), "reason": reason(*fate)}),
                )
            })
            .collect();
        json!({
            "wolfssl_version": self.source.version.to_string(),
            "source": self.source.root.display().to_string(),
            "origin": self.source.origin.to_string(),
            "target": self.target.triple,
            "compiler": self.facts.compiler,
            "compiler_kind": self.facts.compiler_kind.to_string(),
            "cmake_version": self.facts.cmake_version,
            "optimisation": self.optimisation(),
            "features": features,
            "macros": self.evidence.macros,
        })
    }
}

/// Writes `report.rs`, which the library includes.
pub fn write(report: &Report<'_>, destination: &Path) -> Result<(), String> {
    let json = report.json().to_string();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "/// The build report as one JSON object.\npub const BUILD_INFO_JSON: &str = {json:?};"
    );
    let _ = writeln!(
        text,
        "pub(crate) const BUILD_INFO: BuildInfo = BuildInfo {{ wolfssl_version: {:?}, source: {:?}, origin: {:?}, \
         target: {:?}, compiler: {:?}, cmake_version: {:?}, optimisation: {:?}, features: &[{}], macros: &[{}] }};",
        report.source.version.to_string(),
        report.source.root.display().to_string(),
        report.source.origin.to_string(),
        report.target.triple,
        report.facts.compiler,
        report.facts.cmake_version,
        report.optimisation(),
        features(report.plan),
        macros(report.evidence),
    );
    fs::write(destination, text).map_err(|error| format!("{}: {error}", destination.display()))
}

fn features(plan: &Plan) -> String {
    plan.fates
        .iter()
        .fold(String::new(), |mut text, (feature, fate)| {
            let fate = match fate {
                Fate::On => "Fate::On".to_owned(),
                Fate::Off => "Fate::Off".to_owned(),
                Fate::Ignored(reason) => format!("Fate::Ignored({reason:?})"),
            };
            let _ = write!(text, "({:?}, {fate}), ", feature.name());
            text
        })
}

fn macros(evidence: &Evidence) -> String {
    evidence
        .macros
        .iter()
        .fold(String::new(), |mut text, (name, value)| {
            let _ = write!(text, "({name:?}, {value:?}), ");
            text
        })
}

fn fate_name(fate: Fate) -> &'static str {
    match fate {
        Fate::On => "on",
        Fate::Off => "off",
        Fate::Ignored(_) => "ignored",
    }
}

fn reason(fate: Fate) -> Option<&'static str> {
    match fate {
        Fate::Ignored(reason) => Some(reason),
        Fate::On | Fate::Off => None,
    }
}
