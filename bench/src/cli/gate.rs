//! `gate`: fails when a figure has become worse than a baseline, for certain.

use std::path::PathBuf;

use super::measure::measure_all;
use super::{Ending, MeasureArgs, usage};
use crate::compare::{Comparison, Delta, compare, same_machine};
use crate::error::Result;
use crate::orchestrator::builder::Workspace;
use crate::results::{ResultFile, Verdict};
use crate::table;

/// Measure and fail if a row has become slower than in a baseline.
///
/// A row counts as regressed when its interval lies beyond the threshold, the change exceeds the
/// A/A floor, and a second measurement says the same. Exit codes: 0 no regression, 3 a row is
/// INVALID or missing, 4 regressed, 5 inconclusive.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The result file to compare with, measured on this machine
    #[arg(long, value_name = "FILE")]
    baseline: PathBuf,
    /// How much slower a row may have become, for example 3%
    #[arg(long, value_name = "PERCENT", default_value = "3%", value_parser = percent)]
    max_regress: f64,
    #[command(flatten)]
    measure: MeasureArgs,
}

/// Measures, compares, and measures suspects again.
pub(super) fn run(args: &Args, workspace: &Workspace) -> Result<Ending> {
    let baseline = ResultFile::read(&args.baseline)?;
    let mut wanted = args.measure.clone();
    if wanted.arms.is_empty() {
        wanted.arms = arms_of(&baseline);
    }
    if wanted.scenario.is_empty() {
        wanted.scenario = baseline
            .scenarios
            .iter()
            .map(|row| row.id.clone())
            .collect();
    }
    let baseline = restricted(baseline, &wanted)?;

    let first = measure_all(&wanted, workspace)?;
    wanted.write(&first)?;
    let comparison = compare(&baseline, &first);
    print!("{}", table::comparison(&comparison));
    if let Err(why) = same_machine(&baseline, &first) {
        println!("inconclusive: not the machine of the baseline ({why})");
        return Ok(Ending::Inconclusive);
    }
    let ending = judge(&comparison, args.max_regress);
    if ending != Ending::Regressed {
        return Ok(ending);
    }

    let suspects = regressed(&comparison, args.max_regress);
    println!("measuring {} suspects again", suspects.len());
    wanted.scenario = suspects
        .iter()
        .map(|delta| delta.scenario.clone())
        .collect();
    let second = compare(&baseline, &measure_all(&wanted, workspace)?);
    let confirmed: Vec<&Delta> = regressed(&second, args.max_regress)
        .into_iter()
        .filter(|delta| suspects.iter().any(|suspect| same_row(suspect, delta)))
        .collect();
    for delta in &confirmed {
        println!(
            "REGRESSED {} {}: {:+.1} %",
            delta.arm,
            delta.scenario,
            (delta.ratio.ratio - 1.0) * 100.0
        );
    }
    Ok(if confirmed.is_empty() {
        println!("inconclusive: the second measurement does not agree");
        Ending::Inconclusive
    } else {
        Ending::Regressed
    })
}

/// What one comparison says about the threshold.
fn judge(comparison: &Comparison, max_regress: f64) -> Ending {
    if !comparison.lost.is_empty() {
        return Ending::Invalid;
    }
    if !regressed(comparison, max_regress).is_empty() {
        return Ending::Regressed;
    }
    let clear =
        |delta: &Delta| delta.verdict == Verdict::Faster || delta.ratio.low > 1.0 - max_regress;
    if comparison.deltas.iter().all(clear) {
        Ending::Good
    } else {
        Ending::Inconclusive
    }
}

fn regressed(comparison: &Comparison, max_regress: f64) -> Vec<&Delta> {
    let beyond =
        |delta: &&Delta| delta.verdict == Verdict::Slower && delta.ratio.high < 1.0 - max_regress;
    comparison.deltas.iter().filter(beyond).collect()
}

fn same_row(a: &Delta, b: &Delta) -> bool {
    a.arm == b.arm && a.scenario == b.scenario
}

fn arms_of(file: &ResultFile) -> Vec<String> {
    let real = file.arms.iter().filter(|arm| arm.control_of.is_none());
    real.map(|arm| arm.id.clone()).collect()
}

/// The baseline with only the rows that are measured now: others cannot be missing.
fn restricted(mut baseline: ResultFile, wanted: &MeasureArgs) -> Result<ResultFile> {
    let scenarios: Vec<String> = wanted
        .chosen_scenarios()?
        .iter()
        .map(ToString::to_string)
        .collect();
    baseline
        .results
        .retain(|row| wanted.arms.contains(&row.arm) && scenarios.contains(&row.scenario));
    if baseline.results.is_empty() {
        return Err(usage(
            "the baseline has none of the rows asked for".to_owned(),
        ));
    }
    Ok(baseline)
}

fn percent(text: &str) -> std::result::Result<f64, String> {
    let number = text.trim().trim_end_matches('%').trim();
    match number.parse::<f64>() {
        Ok(value) if (0.0..100.0).contains(&value) => Ok(value / 100.0),
        _ => Err("a percentage from 0 to 100, for example 3%, is needed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Unit;
    use crate::statistics::Ratio;

    #[test]
    fn percentages() {
        assert_eq!(percent("3%"), Ok(0.03));
        assert_eq!(percent("2.5"), Ok(0.025));
        assert!(percent("a lot").is_err() && percent("-1%").is_err());
    }

    #[test]
    fn only_an_interval_beyond_the_threshold_is_a_regression() {
        assert_eq!(judged(0.90, 0.88, 0.92, 0.01), Ending::Regressed);
        assert_eq!(judged(0.96, 0.94, 0.98, 0.01), Ending::Inconclusive);
        assert_eq!(judged(0.90, 0.88, 0.92, 0.20), Ending::Inconclusive);
        assert_eq!(judged(1.00, 0.99, 1.01, 0.01), Ending::Good);
        assert_eq!(judged(1.50, 1.40, 1.60, 0.01), Ending::Good);
        assert_eq!(judged(1.00, 0.90, 1.10, 0.01), Ending::Inconclusive);
    }

    #[test]
    fn a_lost_row_fails_before_anything_else() {
        let mut comparison = comparison(0.5, 0.4, 0.6, 0.01);
        comparison.lost.push("a b: missing".to_owned());
        assert_eq!(judge(&comparison, 0.03), Ending::Invalid);
    }

    fn judged(ratio: f64, low: f64, high: f64, floor: f64) -> Ending {
        judge(&comparison(ratio, low, high, floor), 0.03)
    }

    fn comparison(ratio: f64, low: f64, high: f64, floor: f64) -> Comparison {
        let verdict = if high < 1.0 && ratio < 1.0 / (1.0 + floor) {
            Verdict::Slower
        } else if low > 1.0 {
            Verdict::Faster
        } else {
            Verdict::Inconclusive
        };
        Comparison {
            circumstances: Vec::new(),
            lost: Vec::new(),
            deltas: vec![Delta {
                arm: "a".to_owned(),
                scenario: "b".to_owned(),
                unit: Unit::PerSecond,
                before: 1.0,
                after: ratio,
                ratio: Ratio { ratio, low, high },
                floor,
                verdict,
            }],
        }
    }
}
