//! Two result files side by side: what changed in the figures, and what changed around them. Pure.

use serde_json::Value;

use crate::results::{ArmRecord, ResultFile, Row, Verdict};
use crate::scenario::Unit;
use crate::statistics::{Ratio, unpaired_ratio};

/// The comparison of a newer file with an older one.
pub struct Comparison {
    /// Everything but the figures that differs: host, versions, flags, effort. Whoever reads the
    /// deltas has to know these.
    pub circumstances: Vec<String>,
    /// One for each row that both files have.
    pub deltas: Vec<Delta>,
    /// Rows of the older file that are missing or INVALID in the newer one, and why.
    pub lost: Vec<String>,
}

/// How one row changed.
pub struct Delta {
    /// The arm.
    pub arm: String,
    /// The scenario.
    pub scenario: String,
    /// Unit of the medians.
    pub unit: Unit,
    /// Median of the older file.
    pub before: f64,
    /// Median of the newer file.
    pub after: f64,
    /// How many times faster the newer one is, with its 95 % interval.
    pub ratio: Ratio,
    /// The wider A/A floor of the two files in this scenario, as a share.
    pub floor: f64,
    /// What can be concluded for the newer file.
    pub verdict: Verdict,
}

/// Compares `after` with `before`.
pub fn compare(before: &ResultFile, after: &ResultFile) -> Comparison {
    let mut comparison = Comparison {
        circumstances: circumstances(before, after),
        deltas: Vec::new(),
        lost: Vec::new(),
    };
    let valid = before.results.iter().filter(|row| row.valid);
    for old in valid.filter(|row| !is_control(before, &row.arm)) {
        let name = format!("{} {}", old.arm, old.scenario);
        match after.row(&old.arm, &old.scenario) {
            None => comparison.lost.push(format!("{name}: missing")),
            Some(new) if !new.valid => {
                let why = new.why_invalid.join("; ");
                comparison.lost.push(format!("{name}: INVALID, {why}"));
            }
            Some(new) => match delta(before, after, old, new) {
                Some(delta) => comparison.deltas.push(delta),
                None => comparison.lost.push(format!("{name}: no figures")),
            },
        }
    }
    comparison
}

/// Whether two files come from machines so alike that absolute figures can be compared, or what
/// speaks against it.
pub fn same_machine(before: &ResultFile, after: &ResultFile) -> Result<(), String> {
    let (old, new) = (&before.host, &after.host);
    let differing: Vec<String> = [
        ("processor", &old.cpu, &new.cpu),
        ("kernel", &old.kernel, &new.kernel),
    ]
    .into_iter()
    .filter(|(_, old, new)| old != new)
    .map(|(what, old, new)| format!("{what}: {} then {}", shown(old), shown(new)))
    .chain(drift(before, after))
    .collect();
    if differing.is_empty() {
        Ok(())
    } else {
        Err(differing.join("; "))
    }
}

/// Says so if the fixed loop ran more than 2 % faster or slower.
fn drift(before: &ResultFile, after: &ResultFile) -> Option<String> {
    let speed = |file: &ResultFile| {
        let samples = file.results.iter().flat_map(|row| &row.samples);
        let spins: Vec<f64> = samples.flat_map(|sample| sample.spin).collect();
        crate::statistics::median(&spins)
    };
    let change = (speed(after)? / speed(before)? - 1.0) * 100.0;
    (change.abs() > 2.0)
        .then(|| format!("the core itself runs {change:+.1} % as measured by a fixed loop"))
}

fn delta(before: &ResultFile, after: &ResultFile, old: &Row, new: &Row) -> Option<Delta> {
    let ratio = unpaired_ratio(&figures(new), &figures(old), before.run.seed)?;
    let floor = floor(before, &old.scenario).max(floor(after, &old.scenario));
    let verdict = if old.noisy || new.noisy {
        Verdict::Inconclusive
    } else if ratio.low > 1.0 && ratio.ratio > 1.0 + floor {
        Verdict::Faster
    } else if ratio.high < 1.0 && ratio.ratio < 1.0 / (1.0 + floor) {
        Verdict::Slower
    } else if ratio.low > 0.98 && ratio.high < 1.02 {
        Verdict::NoDifference
    } else {
        Verdict::Inconclusive
    };
    Some(Delta {
        arm: old.arm.clone(),
        scenario: old.scenario.clone(),
        unit: old.unit,
        before: old.median?,
        after: new.median?,
        ratio,
        floor,
        verdict,
    })
}

fn figures(row: &Row) -> Vec<(u32, f64)> {
    row.samples
        .iter()
        .filter(|sample| sample.discarded.is_none())
        .map(|sample| (sample.launch, sample.value))
        .collect()
}

fn floor(file: &ResultFile, scenario: &str) -> f64 {
    let records = file.ratios.iter();
    records
        .filter(|record| record.scenario == scenario)
        .find_map(|record| record.aa_floor)
        .unwrap_or(0.0)
}

fn circumstances(before: &ResultFile, after: &ResultFile) -> Vec<String> {
    let mut found = Vec::new();
    let mut note = |what: &str, old: String, new: String| {
        if old != new {
            found.push(format!("{what}: {old} -> {new}"));
        }
    };
    let (old, new) = (&before.host, &after.host);
    note("processor", shown(&old.cpu), shown(&new.cpu));
    note(
        "processor features",
        old.cpu_flags.join(" "),
        new.cpu_flags.join(" "),
    );
    note("cores", old.vcpus.to_string(), new.vcpus.to_string());
    note("platform", old.platform.clone(), new.platform.clone());
    note("kernel", shown(&old.kernel), shown(&new.kernel));
    note("rustc", shown(&old.rustc), shown(&new.rustc));
    let commit = |file: &ResultFile| {
        let commit = shown(&file.run.git);
        if file.run.dirty {
            commit + " with changes"
        } else {
            commit
        }
    };
    note("commit", commit(before), commit(after));
    let effort = |file: &ResultFile| {
        let run = &file.run;
        format!("{} x {} x {} ms", run.launches, run.rounds, run.millis)
    };
    note("effort", effort(before), effort(after));
    for old in before.arms.iter().filter(|arm| arm.control_of.is_none()) {
        match after.arms.iter().find(|arm| arm.id == old.id) {
            None => found.push(format!("arm {}: gone", old.id)),
            Some(new) => found.extend(arm_changes(old, new)),
        }
    }
    found
}

fn arm_changes(old: &ArmRecord, new: &ArmRecord) -> Vec<String> {
    let mut found = Vec::new();
    if old.version != new.version {
        found.push(format!(
            "{}: version {} -> {}",
            old.id, old.version, new.version
        ));
    }
    value_changes(&old.id, &old.build_info, &new.build_info, &mut found);
    found
}

/// Every leaf that differs between two JSON values, under its path.
fn value_changes(path: &str, old: &Value, new: &Value, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(left), Value::Object(right)) => {
            let mut keys: Vec<&String> = left.keys().chain(right.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys {
                let absent = Value::Null;
                let old = left.get(key).unwrap_or(&absent);
                let new = right.get(key).unwrap_or(&absent);
                value_changes(&format!("{path} {key}"), old, new, found);
            }
        }
        (old, new) if old != new => found.push(format!("{path}: {old} -> {new}")),
        _ => {}
    }
}

fn shown(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(|| "unknown".to_owned())
}

fn is_control(file: &ResultFile, id: &str) -> bool {
    let mut arms = file.arms.iter();
    arms.any(|arm| arm.id == id && arm.control_of.is_some())
}

#[cfg(test)]
mod tests;
