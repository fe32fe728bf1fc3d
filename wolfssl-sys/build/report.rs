//! The build report: what was asked for, what became of it, and with what it
//! was built; as JSON, as Rust constants, and for dependents' build scripts.

use std::fmt::Debug;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::cmake::Built;
use crate::plan::Plan;
use crate::proof::{self, Evidence};
use crate::request::{Facts, Target};
use crate::rules::Fate;

/// All that the report tells.
pub struct Report<'a> {
    pub source: &'a vendor::Source,
    pub target: &'a Target,
    pub facts: &'a Facts,
    pub plan: &'a Plan,
    pub built: &'a Built,
    pub evidence: &'a Evidence,
}

impl Report<'_> {
    fn optimisation(&self) -> &str {
        // Where the generator does not tell, the Release configuration's own.
        proof::optimisation(&self.evidence.command).unwrap_or("/O2")
    }

    /// The folders of this build's headers, generated ones first.
    pub fn include_dirs(&self) -> [String; 2] {
        [
            self.built.dir.display().to_string(),
            self.source.root.display().to_string(),
        ]
    }

    /// The features that are on, separated by commas.
    pub fn features_on(&self) -> String {
        let on = self.plan.fates.iter().filter(|(_, fate)| *fate == Fate::On);
        on.map(|(feature, _)| feature.name())
            .collect::<Vec<_>>()
            .join(",")
    }

    fn json(&self) -> Value {
        let feature = |(feature, fate): &(crate::request::Feature, Fate)| {
            let (name, reason) = match fate {
                Fate::On => ("on", None),
                Fate::Off => ("off", None),
                Fate::Ignored(reason) => ("ignored", Some(reason)),
            };
            (
                feature.name().to_owned(),
                json!({"fate": name, "reason": reason}),
            )
        };
        json!({
            "wolfssl_version": self.source.version.to_string(),
            "source": self.source.root.display().to_string(),
            "origin": self.source.origin.to_string(),
            "target": self.target.triple,
            "compiler": self.facts.compiler,
            "compiler_kind": self.facts.compiler_kind.to_string(),
            "cmake_version": self.facts.cmake_version,
            "optimisation": self.optimisation(),
            "features": self.plan.fates.iter().map(feature).collect::<serde_json::Map<_, _>>(),
            "macros": self.evidence.macros,
            "c_command": self.evidence.command,
            "library": self.built.library(self.target).display().to_string(),
        })
    }
}

/// Writes the constants that the library includes.
pub fn write(report: &Report<'_>, destination: &Path) -> Result<(), String> {
    let json = report.json().to_string();
    let mut text = format!(
        "/// The build report as one JSON object.\npub const BUILD_INFO_JSON: &str = {json:?};\n"
    );
    text.push_str("pub(crate) const BUILD_INFO: BuildInfo = BuildInfo {\n");
    let mut field = |name: &str, value: &dyn Debug| {
        let _ = writeln!(text, "    {name}: {value:?},");
    };
    field("wolfssl_version", &report.source.version.to_string());
    field("source", &report.source.root.display().to_string());
    field("origin", &report.source.origin.to_string());
    field("target", &report.target.triple);
    field("compiler", &report.facts.compiler);
    field("cmake_version", &report.facts.cmake_version);
    field("optimisation", &report.optimisation());
    field(
        "library",
        &report.built.library(report.target).display().to_string(),
    );
    let _ = writeln!(text, "    features: &{:?},", Features(report.plan));
    let _ = writeln!(
        text,
        "    macros: &{:?},",
        report.evidence.macros.iter().collect::<Vec<_>>()
    );
    let _ = writeln!(text, "    include_dirs: &{:?},", report.include_dirs());
    let _ = writeln!(text, "    libraries: &{:?},", report.plan.libraries);
    let _ = writeln!(text, "    c_command: &{:?},", report.evidence.command);
    text.push_str("};\n");
    fs::write(destination, text).map_err(|error| format!("{}: {error}", destination.display()))
}

/// Shows the fates as the Rust expression of the list.
struct Features<'a>(&'a Plan);

impl Debug for Features<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[")?;
        for (feature, fate) in &self.0.fates {
            write!(f, "({:?}, Fate::{fate:?}), ", feature.name())?;
        }
        f.write_str("]")
    }
}
