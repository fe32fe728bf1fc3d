//! Known answers for comparisons of result files.

use super::*;
use crate::host::Host;
use crate::results::{RatioRecord, Run, SCHEMA, SampleRecord};

#[test]
fn a_slower_row_is_found_with_what_else_changed() {
    let before = file(&[100.0, 101.0, 99.0, 100.0]);
    let mut after = file(&[80.0, 81.0, 79.0, 80.0]);
    after.arms[0].version = "2".into();
    after.arms[0].build_info = serde_json::json!({ "optimisation": "-O2" });
    let found = compare(&before, &after);
    let delta = &found.deltas[0];
    assert_eq!((delta.before, delta.after), (100.0, 80.0));
    assert!((delta.ratio.ratio - 0.8).abs() < 1e-9);
    assert_eq!(delta.verdict, Verdict::Slower);
    assert_eq!(
        found.circumstances,
        ["x: version 1 -> 2", r#"x optimisation: "-O3" -> "-O2""#]
    );
    assert!(found.lost.is_empty());
}

#[test]
fn a_change_below_the_floor_is_no_verdict() {
    let before = file(&[100.0, 100.0, 100.0, 100.0]);
    let mut after = file(&[90.0, 90.0, 90.0, 90.0]);
    after.ratios[0].aa_floor = Some(0.2);
    assert_eq!(
        compare(&before, &after).deltas[0].verdict,
        Verdict::Inconclusive
    );
}

#[test]
fn rows_that_are_gone_or_invalid_are_lost() {
    let before = file(&[100.0]);
    let mut after = file(&[100.0]);
    after.results[0].valid = false;
    after.results[0].why_invalid = vec!["group is y, not x".into()];
    let found = compare(&before, &after);
    assert_eq!(found.lost, ["x s: INVALID, group is y, not x"]);
    after.results.clear();
    assert_eq!(compare(&before, &after).lost, ["x s: missing"]);
}

#[test]
fn another_processor_or_clock_is_another_machine() {
    let before = file(&[100.0]);
    assert_eq!(same_machine(&before, &file(&[100.0])), Ok(()));
    let mut other = file(&[100.0]);
    other.host.cpu = Some("faster".into());
    assert!(
        same_machine(&before, &other)
            .unwrap_err()
            .contains("processor")
    );
    let mut throttled = file(&[100.0]);
    throttled.results[0].samples[0].spin = [450.0, 450.0];
    let why = same_machine(&before, &throttled).unwrap_err();
    assert!(why.contains("-10.0 %"), "{why}");
}

fn file(values: &[f64]) -> ResultFile {
    let samples = values
        .iter()
        .enumerate()
        .map(|(round, &value)| SampleRecord {
            launch: 0,
            round,
            slot: 0,
            value,
            iterations: 1,
            elapsed_ns: 1,
            cpu_ns: None,
            steal_ticks: None,
            spin: [500.0, 500.0],
            discarded: None,
        });
    ResultFile {
        schema: SCHEMA.to_owned(),
        run: Run {
            utc: String::new(),
            git: None,
            dirty: false,
            argv: Vec::new(),
            seed: 1,
            launches: 1,
            rounds: values.len(),
            millis: 1,
            core: None,
            seconds: 0.0,
        },
        host: Host {
            cpu: Some("some".into()),
            ..Host::default()
        },
        arms: vec![ArmRecord {
            id: "x".into(),
            control_of: None,
            library: "l".into(),
            version: "1".into(),
            features: Vec::new(),
            build_info: serde_json::json!({ "optimisation": "-O3" }),
            program_bytes: 1,
        }],
        scenarios: Vec::new(),
        results: vec![Row {
            arm: "x".into(),
            scenario: "s".into(),
            unit: Unit::PerSecond,
            valid: true,
            why_invalid: Vec::new(),
            noisy: false,
            negotiated: None,
            n: values.len(),
            n_discarded: 0,
            median: crate::statistics::median(values),
            mad: None,
            min: None,
            max: None,
            samples: samples.collect(),
        }],
        ratios: vec![RatioRecord {
            a: "x~control".into(),
            b: "x".into(),
            scenario: "s".into(),
            ratio: 1.0,
            ci95: [0.99, 1.01],
            aa_floor: Some(0.01),
            p_holm: None,
            verdict: Verdict::NoDifference,
        }],
    }
}
