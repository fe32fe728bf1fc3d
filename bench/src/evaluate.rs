//! From raw observations to rows and ratios: judges validity, leaves out disturbed rounds, computes
//! the statistics. Pure.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::orchestrator::{Cell, Grid, Observation, Worker};
use crate::results::{RatioRecord, Row, SampleRecord, Verdict};
use crate::scenario::{RECORD_BYTES, Scenario};
use crate::statistics::{
    Pair, holm, median, median_absolute_deviation, paired_ratio, probability_if_equal,
};
use crate::validity;

/// Which launch and which round in it.
type RoundKey = (u32, usize);

/// The rows of all arms, and the ratios of every arm over the first, of every arm over every peer,
/// and of the control over its arm.
pub fn evaluate(
    workers: &[Worker],
    scenarios: &[Scenario],
    grid: &Grid,
    seed: u64,
) -> (Vec<Row>, Vec<RatioRecord>) {
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    for (column, scenario) in scenarios.iter().enumerate() {
        let cells: Vec<(&Worker, &Cell)> = workers
            .iter()
            .zip(grid)
            .filter_map(|(worker, cells)| Some((worker, cells[column].as_ref()?)))
            .collect();
        let choice = Choice::of(cells.iter().map(|(_, cell)| *cell));
        let found: Vec<Row> = cells
            .iter()
            .map(|(worker, cell)| row(worker, scenario, cell, &choice))
            .collect();
        ratios.extend(compare(workers, scenario, &found, seed));
        rows.extend(found);
    }
    conclude(&mut ratios, &rows);
    (rows, ratios)
}

/// Which rounds of a scenario count. A round is left out for all arms alike, as its figures are
/// compared with each other.
struct Choice {
    disturbed: BTreeMap<RoundKey, &'static str>,
    noisy: bool,
}

impl Choice {
    fn of<'a>(cells: impl Iterator<Item = &'a Cell>) -> Self {
        let mut all = BTreeSet::new();
        let mut disturbed = BTreeMap::new();
        for observation in cells.flat_map(|cell| &cell.observations) {
            let key = (observation.launch, observation.round);
            all.insert(key);
            if let Some(reason) = observation.disturbance() {
                disturbed.entry(key).or_insert(reason);
            }
        }
        let noisy = disturbed.len() * 2 > all.len();
        Self { disturbed, noisy }
    }

    /// Why the observation does not count.
    fn discards(&self, observation: &Observation) -> Option<&'static str> {
        let reason = self
            .disturbed
            .get(&(observation.launch, observation.round))
            .copied();
        reason.filter(|_| !self.noisy)
    }
}

fn row(worker: &Worker, scenario: &Scenario, cell: &Cell, choice: &Choice) -> Row {
    let samples: Vec<SampleRecord> = cell
        .observations
        .iter()
        .map(|observation| record(observation, choice.discards(observation)))
        .collect();
    let values: Vec<f64> = kept(&samples).map(|sample| sample.value).collect();
    let why_invalid = faults(scenario, cell);
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    Row {
        arm: worker.id.clone(),
        scenario: scenario.id(),
        unit: scenario.unit(),
        valid: why_invalid.is_empty(),
        why_invalid,
        noisy: choice.noisy,
        negotiated: cell
            .observations
            .first()
            .and_then(|first| first.sample.negotiated.clone()),
        n: values.len(),
        n_discarded: samples.len() - values.len(),
        median: median(&values),
        mad: median_absolute_deviation(&values),
        min: sorted.first().copied(),
        max: sorted.last().copied(),
        samples,
    }
}

/// Everything that makes a row worthless.
fn faults(scenario: &Scenario, cell: &Cell) -> Vec<String> {
    let mut faults: Vec<String> = cell.failures.clone();
    if cell.observations.is_empty() && faults.is_empty() {
        faults.push("no sample was taken".to_owned());
    }
    for observation in &cell.observations {
        faults.extend(sample_faults(scenario, observation));
    }
    let mut seen = BTreeSet::new();
    faults.retain(|fault| seen.insert(fault.clone()));
    faults
}

fn sample_faults(scenario: &Scenario, observation: &Observation) -> Vec<String> {
    let sample = &observation.sample;
    let mut faults = match (scenario.tls(), &sample.negotiated) {
        (Some(wanted), Some(negotiated)) => validity::differences(wanted, negotiated),
        (Some(_), None) => vec!["what was negotiated is not reported".to_owned()],
        (None, _) => Vec::new(),
    };
    let seconds = sample.elapsed_ns as f64 / 1e9;
    let rate = scenario
        .unit()
        .rate(sample.iterations, RECORD_BYTES, seconds);
    if sample.unit != scenario.unit() {
        faults.push(format!(
            "the figure is in {}, not in {}",
            sample.unit.label(),
            scenario.unit().label()
        ));
    } else if sample.iterations == 0 || !follows(sample.value, rate) {
        faults.push(format!(
            "the figure {} does not follow from {} iterations in {seconds} s",
            sample.value, sample.iterations
        ));
    }
    faults
}

/// Whether a figure is the rate that its own counts give; no figure at all (NaN) is not.
fn follows(value: f64, rate: f64) -> bool {
    matches!(
        (value / rate - 1.0).abs().partial_cmp(&1e-6),
        Some(Ordering::Less)
    )
}

fn record(observation: &Observation, discarded: Option<&'static str>) -> SampleRecord {
    let sample = &observation.sample;
    SampleRecord {
        launch: observation.launch,
        round: observation.round,
        slot: observation.slot,
        value: sample.value,
        iterations: sample.iterations,
        elapsed_ns: sample.elapsed_ns,
        cpu_ns: sample.cpu_ns,
        steal_ticks: observation.steal_ticks,
        spin: sample.spin,
        discarded: discarded.map(str::to_owned),
    }
}

fn compare(workers: &[Worker], scenario: &Scenario, rows: &[Row], seed: u64) -> Vec<RatioRecord> {
    let control = workers.iter().find(|worker| worker.control_of.is_some());
    let Some(first) = workers.first() else {
        return Vec::new();
    };
    let row = |id: &str| rows.iter().find(|row| row.arm == id && row.valid);
    let measure = |a: &str, b: &str| {
        let pairs = pairs(row(a)?, row(b)?);
        let ratio = paired_ratio(&pairs, seed)?;
        Some(RatioRecord {
            a: a.to_owned(),
            b: b.to_owned(),
            scenario: scenario.id(),
            ratio: ratio.ratio,
            ci95: [ratio.low, ratio.high],
            aa_floor: None,
            p_holm: probability_if_equal(&pairs),
            verdict: Verdict::Inconclusive,
        })
    };
    let mut ratios: Vec<RatioRecord> = Vec::new();
    for other in &workers[1..] {
        ratios.extend(measure(&other.id, &first.id));
    }
    for peer in workers.iter().filter(|peer| peer.library != first.library) {
        for own in workers.iter().skip(1) {
            if own.library == first.library && own.control_of.is_none() {
                ratios.extend(measure(&own.id, &peer.id));
            }
        }
    }
    let floor = control.and_then(|control| {
        let same = ratios.iter().find(|ratio| ratio.a == control.id)?;
        Some(reach(same.ci95))
    });
    for ratio in &mut ratios {
        ratio.aa_floor = floor;
    }
    ratios
}

/// How far an interval reaches from 1, as a share.
fn reach([low, high]: [f64; 2]) -> f64 {
    (1.0 / low - 1.0).max(high - 1.0).max(0.0)
}

/// Corrects the probabilities for the number of comparisons in the file, and concludes.
fn conclude(ratios: &mut [RatioRecord], rows: &[Row]) {
    let tested: Vec<usize> = (0..ratios.len())
        .filter(|&index| ratios[index].p_holm.is_some())
        .collect();
    let raw: Vec<f64> = tested
        .iter()
        .filter_map(|&index| ratios[index].p_holm)
        .collect();
    for (&index, p) in tested.iter().zip(holm(&raw)) {
        ratios[index].p_holm = Some(p);
    }
    let noisy: BTreeSet<&str> = rows
        .iter()
        .filter(|row| row.noisy)
        .map(|row| row.scenario.as_str())
        .collect();
    for ratio in ratios {
        if !noisy.contains(ratio.scenario.as_str()) {
            ratio.verdict = verdict(ratio);
        }
    }
}

fn verdict(record: &RatioRecord) -> Verdict {
    /// Differences below this are of no interest even where they could be shown.
    const INTEREST: f64 = 0.02;
    let [low, high] = record.ci95;
    let floor = record.aa_floor.unwrap_or(0.0);
    let sure = record.p_holm.is_some_and(|p| p < 0.05);
    if sure && low > 1.0 && record.ratio > 1.0 + floor {
        Verdict::Faster
    } else if sure && high < 1.0 && record.ratio < 1.0 / (1.0 + floor) {
        Verdict::Slower
    } else if reach(record.ci95) <= floor.max(INTEREST) {
        Verdict::NoDifference
    } else {
        Verdict::Inconclusive
    }
}

/// The rounds in which both rows have a sample that counts.
fn pairs(a: &Row, b: &Row) -> Vec<Pair> {
    let by_round: BTreeMap<RoundKey, f64> = kept(&b.samples)
        .map(|sample| ((sample.launch, sample.round), sample.value))
        .collect();
    kept(&a.samples)
        .filter_map(|sample| {
            Some(Pair {
                launch: sample.launch,
                a: sample.value,
                b: *by_round.get(&(sample.launch, sample.round))?,
            })
        })
        .collect()
}

fn kept(samples: &[SampleRecord]) -> impl Iterator<Item = &SampleRecord> {
    samples.iter().filter(|sample| sample.discarded.is_none())
}

#[cfg(test)]
mod tests;
