//! Known answers for the evaluation.

use std::path::PathBuf;

use super::*;
use crate::protocol::Sample;
use crate::scenario::Unit;
use crate::validity::tests::honest;

const HANDSHAKE: &str = "hs-full:tls1.3:ecdsa-p256:x25519";

#[test]
fn the_ratio_is_that_of_paired_rounds() {
    let slow = cell(&[100.0, 50.0, 80.0]);
    let fast = cell(&[300.0, 150.0, 240.0]);
    let (rows, ratios) = judge(vec![slow, fast]);
    assert!(rows.iter().all(|row| row.valid && !row.noisy), "{rows:?}");
    assert_eq!(rows[0].median, Some(80.0));
    assert_eq!(rows[0].mad, Some(20.0));
    let ratio = &ratios[0];
    assert_eq!((ratio.a.as_str(), ratio.b.as_str()), ("b", "a"));
    assert_eq!((ratio.ratio, ratio.ci95), (3.0, [3.0, 3.0]));
    assert_eq!(ratio.aa_floor, None);
}

#[test]
fn the_control_gives_the_floor() {
    let (_, ratios) = judge_workers(
        &[worker("a", None), worker("a~control", Some("a"))],
        vec![cell(&[100.0, 100.0]), cell(&[102.0, 102.0])],
    );
    let floor = ratios[0].aa_floor.unwrap();
    assert!((floor - 0.02).abs() < 1e-9, "{floor}");
}

#[test]
fn verdicts_need_interval_floor_and_probability() {
    let record = |ratio: f64, ci95, aa_floor, p_holm| RatioRecord {
        a: "a".into(),
        b: "b".into(),
        scenario: HANDSHAKE.into(),
        ratio,
        ci95,
        aa_floor,
        p_holm,
        verdict: Verdict::Inconclusive,
    };
    let cases = [
        (
            record(1.5, [1.4, 1.6], Some(0.03), Some(0.01)),
            Verdict::Faster,
        ),
        (
            record(0.5, [0.4, 0.6], Some(0.03), Some(0.01)),
            Verdict::Slower,
        ),
        (
            record(1.5, [1.4, 1.6], Some(0.03), Some(0.20)),
            Verdict::Inconclusive,
        ),
        (
            record(1.5, [1.4, 1.6], Some(0.03), None),
            Verdict::Inconclusive,
        ),
        (
            record(1.5, [0.9, 1.6], Some(0.03), Some(0.01)),
            Verdict::Inconclusive,
        ),
        (
            record(1.02, [1.01, 1.04], Some(0.05), Some(0.01)),
            Verdict::NoDifference,
        ),
        (
            record(1.00, [0.99, 1.01], None, Some(0.9)),
            Verdict::NoDifference,
        ),
        (
            record(1.00, [0.95, 1.01], None, Some(0.9)),
            Verdict::Inconclusive,
        ),
    ];
    for (record, want) in cases {
        assert_eq!(verdict(&record), want, "{record:?}");
    }
}

#[test]
fn a_clear_difference_over_launches_is_found_and_a_noisy_one_is_not_claimed() {
    let over_launches = |values: &[f64]| {
        let mut cell = cell(values);
        for (index, observation) in cell.observations.iter_mut().enumerate() {
            observation.launch = index as u32 / 2;
            observation.round = index % 2;
        }
        cell
    };
    let slow = [100.0, 101.0, 99.0, 100.0, 102.0, 100.0];
    let fast = [151.0, 150.0, 149.0, 151.0, 150.0, 152.0];
    let (_, ratios) = judge(vec![over_launches(&slow), over_launches(&fast)]);
    assert_eq!(ratios[0].verdict, Verdict::Faster, "{:?}", ratios[0]);

    let mut busy = over_launches(&fast);
    for observation in &mut busy.observations {
        observation.steal_ticks = Some(50);
    }
    let (_, ratios) = judge(vec![over_launches(&slow), busy]);
    assert_eq!(ratios[0].verdict, Verdict::Inconclusive);
}

#[test]
fn a_disturbed_round_is_left_out_for_both_arms() {
    let mut disturbed = cell(&[100.0, 10.0, 100.0]);
    disturbed.observations[1].sample.cpu_ns = Some(1);
    let (rows, ratios) = judge(vec![disturbed, cell(&[200.0, 200.0, 200.0])]);
    for row in &rows {
        assert_eq!((row.n, row.n_discarded), (2, 1));
        assert_eq!(row.samples[1].discarded.as_deref(), Some("preempted"));
    }
    assert_eq!(ratios[0].ratio, 2.0);
}

#[test]
fn when_most_rounds_are_disturbed_all_count_and_the_row_says_so() {
    let mut busy = cell(&[100.0, 100.0, 100.0]);
    for observation in &mut busy.observations[..2] {
        observation.steal_ticks = Some(40);
    }
    let (rows, _) = judge(vec![busy]);
    assert!(rows[0].noisy && rows[0].valid);
    assert_eq!((rows[0].n, rows[0].n_discarded), (3, 0));
}

#[test]
fn one_sample_with_another_group_spoils_the_row() {
    let mut lying = cell(&[100.0, 100.0]);
    if let Some(negotiated) = &mut lying.observations[1].sample.negotiated {
        negotiated.group = "0x0017".into();
    }
    let (rows, ratios) = judge(vec![cell(&[100.0, 100.0]), lying]);
    assert!(rows[0].valid && !rows[1].valid);
    assert_eq!(rows[1].why_invalid, ["group is 0x0017, not x25519"]);
    assert!(ratios.is_empty(), "an invalid row is not compared");
}

#[test]
fn a_missing_row_is_invalid() {
    let (rows, _) = judge(vec![Cell::default()]);
    assert_eq!(rows[0].why_invalid, ["no sample was taken"]);
}

#[test]
fn facts_that_are_not_told_are_not_believed() {
    let mut silent = cell(&[100.0]);
    silent.observations[0].sample.negotiated = None;
    let (rows, _) = judge(vec![silent]);
    assert_eq!(rows[0].why_invalid, ["what was negotiated is not reported"]);
}

#[test]
fn a_figure_that_does_not_follow_from_its_counts_is_refused() {
    let mut boasting = cell(&[100.0]);
    boasting.observations[0].sample.value = 1000.0;
    let (rows, _) = judge(vec![boasting]);
    assert!(rows[0].why_invalid[0].contains("does not follow"));

    let mut other_unit = cell(&[100.0]);
    other_unit.observations[0].sample.unit = Unit::MegabytesPerSecond;
    let (rows, _) = judge(vec![other_unit]);
    assert_eq!(rows[0].why_invalid, ["the figure is in MB/s, not in /s"]);
}

fn judge(cells: Vec<Cell>) -> (Vec<Row>, Vec<RatioRecord>) {
    let workers: Vec<Worker> = ["a", "b"]
        .iter()
        .take(cells.len())
        .map(|id| worker(id, None))
        .collect();
    judge_workers(&workers, cells)
}

fn judge_workers(workers: &[Worker], cells: Vec<Cell>) -> (Vec<Row>, Vec<RatioRecord>) {
    let scenario = Scenario::from_id(HANDSHAKE).unwrap();
    let grid: Grid = cells.into_iter().map(|cell| vec![Some(cell)]).collect();
    evaluate(workers, &[scenario], &grid, 1)
}

fn worker(id: &str, control_of: Option<&str>) -> Worker {
    Worker {
        id: id.to_owned(),
        library: "wolfssl",
        program: PathBuf::new(),
        features: Vec::new(),
        control_of: control_of.map(str::to_owned),
    }
}

/// Undisturbed samples of one second each, one a round.
fn cell(values: &[f64]) -> Cell {
    let observations = values
        .iter()
        .enumerate()
        .map(|(round, &value)| Observation {
            launch: 0,
            round,
            slot: 0,
            sample: Sample {
                value,
                unit: Unit::PerSecond,
                iterations: value as u64,
                elapsed_ns: 1_000_000_000,
                cpu_ns: Some(1_000_000_000),
                spin: [100.0, 100.0],
                negotiated: Some(honest()),
            },
            steal_ticks: Some(0),
        });
    Cell {
        observations: observations.collect(),
        failures: Vec::new(),
    }
}
