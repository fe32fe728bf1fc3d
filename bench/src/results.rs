//! The result file: everything a run found, with the raw samples, as JSON of schema `tlsbench/1`.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::host::Host;
use crate::scenario::Unit;
use crate::validity::Negotiated;

/// The schema's name; changes when a reader of the old one would misunderstand the new one.
pub const SCHEMA: &str = "tlsbench/1";

/// A whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ResultFile {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// When and how it was measured.
    pub run: Run,
    /// On what machine.
    pub host: Host,
    /// What was compared; the factors are over the first.
    pub arms: Vec<ArmRecord>,
    /// What was measured.
    pub scenarios: Vec<ScenarioRecord>,
    /// What was found, one for each arm and each scenario that it can measure.
    pub results: Vec<Row>,
    /// How the arms compare.
    pub ratios: Vec<RatioRecord>,
}

/// The circumstances of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Run {
    /// Start, RFC 3339, UTC.
    pub utc: String,
    /// Commit that was checked out.
    pub git: Option<String>,
    /// Whether files differed from it.
    pub dirty: bool,
    /// The command line.
    pub argv: Vec<String>,
    /// Decided the order of the arms and the resampling.
    pub seed: u64,
    /// How often every worker was started.
    pub launches: u32,
    /// Rounds per scenario and launch.
    pub rounds: usize,
    /// Length of a sample, milliseconds.
    pub millis: u64,
    /// Core that was measured on; absent if workers were not bound to one.
    pub core: Option<usize>,
    /// Time the measuring took, seconds.
    pub seconds: f64,
}

/// An arm as it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ArmRecord {
    /// Its id.
    pub id: String,
    /// For a control: the arm that it repeats.
    pub control_of: Option<String>,
    /// The library.
    pub library: String,
    /// The library's version.
    pub version: String,
    /// Cargo features that change machine code.
    pub features: Vec<String>,
    /// The library's own report.
    pub build_info: serde_json::Value,
    /// Size of the worker program, bytes.
    pub program_bytes: u64,
}

/// A scenario as it was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ScenarioRecord {
    /// Its id.
    pub id: String,
    /// One sentence for people.
    pub what: String,
    /// Unit of its figures.
    pub unit: Unit,
    /// Which figures are better: always `higher`.
    pub better: String,
}

/// One arm in one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Row {
    /// The arm.
    pub arm: String,
    /// The scenario.
    pub scenario: String,
    /// Unit of the figures.
    pub unit: Unit,
    /// Whether it measured what the scenario asks for. If not, the figures mean nothing.
    pub valid: bool,
    /// Why not.
    pub why_invalid: Vec<String>,
    /// Whether most rounds were disturbed, so that disturbed ones had to be used.
    pub noisy: bool,
    /// What was negotiated, the same in all samples of a valid row; absent for algorithm rows.
    pub negotiated: Option<Negotiated>,
    /// Samples behind the figures.
    pub n: usize,
    /// Samples left out as disturbed.
    pub n_discarded: usize,
    /// Median.
    pub median: Option<f64>,
    /// Median absolute deviation from it, unscaled.
    pub mad: Option<f64>,
    /// Smallest figure.
    pub min: Option<f64>,
    /// Largest figure.
    pub max: Option<f64>,
    /// All samples, discarded ones too, in the order they were taken.
    pub samples: Vec<SampleRecord>,
}

/// One sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SampleRecord {
    /// Which start of the worker, from 0.
    pub launch: u32,
    /// Which round within the launch, from 0.
    pub round: usize,
    /// Which turn within the round, from 0.
    pub slot: usize,
    /// The figure.
    pub value: f64,
    /// Completed iterations.
    pub iterations: u64,
    /// Wall time, nanoseconds.
    pub elapsed_ns: u64,
    /// Processor time, nanoseconds.
    pub cpu_ns: Option<u64>,
    /// Clock ticks that the hypervisor took.
    pub steal_ticks: Option<u64>,
    /// Speed of the fixed loop before and after, steps per microsecond.
    pub spin: [f64; 2],
    /// Whether its round was left out, and why.
    pub discarded: Option<String>,
}

/// How two arms compare in one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RatioRecord {
    /// The arm in question.
    pub a: String,
    /// The arm it is compared with.
    pub b: String,
    /// The scenario.
    pub scenario: String,
    /// How many times faster `a` is: median of the paired rounds' ratios.
    pub ratio: f64,
    /// Bootstrap interval of the ratio, 95 %.
    pub ci95: [f64; 2],
    /// How far the interval of the control over its arm reaches from 1 in this scenario, as a
    /// share; absent without control.
    pub aa_floor: Option<f64>,
    /// How probable ratios at least this far from 1 are if the arms are equally fast, corrected
    /// after Holm for all ratios of the file; absent with fewer than two launches.
    pub p_holm: Option<f64>,
    /// What can be concluded.
    pub verdict: Verdict,
}

/// What can be concluded from a ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The first arm is faster: the interval lies above 1, the ratio above the A/A floor, and the
    /// corrected probability below 5 %.
    Faster,
    /// The first arm is slower, by the same rules.
    Slower,
    /// The interval lies within the A/A floor, or within 2 % if that is wider.
    NoDifference,
    /// None of these, or most rounds were disturbed.
    Inconclusive,
}

impl Verdict {
    /// The verdict as printed.
    pub fn label(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::NoDifference => "no difference",
            Self::Inconclusive => "inconclusive",
        }
    }
}

impl ResultFile {
    /// Reads a result file.
    pub fn read(path: &Path) -> Result<Self> {
        let doing = || format!("reading {}", path.display());
        let text = fs::read_to_string(path).map_err(Error::io(doing()))?;
        let file: Self = serde_json::from_str(&text).map_err(|source| Error::Format {
            path: path.to_owned(),
            source,
        })?;
        if file.schema != SCHEMA {
            let message = format!(
                "{} has schema {}, not {SCHEMA}: measure again",
                path.display(),
                file.schema
            );
            return Err(Error::Usage { message });
        }
        Ok(file)
    }

    /// Writes it.
    pub fn write(&self, path: &Path) -> Result<()> {
        let write = || {
            let mut text = serde_json::to_string_pretty(self)?;
            text.push('\n');
            fs::write(path, text)
        };
        write().map_err(Error::io(format!("writing {}", path.display())))
    }

    /// The row of an arm in a scenario.
    pub fn row(&self, arm: &str, scenario: &str) -> Option<&Row> {
        self.results
            .iter()
            .find(|row| row.arm == arm && row.scenario == scenario)
    }

    /// How arm `a` compares with arm `b` in a scenario.
    pub fn ratio(&self, a: &str, b: &str, scenario: &str) -> Option<&RatioRecord> {
        self.ratios
            .iter()
            .find(|ratio| ratio.a == a && ratio.b == b && ratio.scenario == scenario)
    }

    /// Rows that measured something else than they should, or nothing.
    pub fn invalid(&self) -> impl Iterator<Item = &Row> {
        self.results.iter().filter(|row| !row.valid)
    }
}

#[cfg(test)]
pub(crate) mod tests;
