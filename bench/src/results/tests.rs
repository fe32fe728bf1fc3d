//! The committed JSON Schema is that of the types, and holds for what is written.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::*;

/// Set to rewrite the committed schema after the types have changed.
const UPDATE: &str = "UPDATE_SCHEMA";

#[test]
fn the_committed_schema_is_that_of_the_types() {
    let path = schema_path();
    let schema = schemars::schema_for!(ResultFile);
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    if std::env::var_os(UPDATE).is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &text).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    assert!(
        committed == text,
        "the types have changed: run `{UPDATE}=1 cargo test -p bench --lib results`"
    );
}

#[test]
fn a_file_written_is_valid_and_reads_back() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("result.json");
    let file = example();
    file.write(&path).unwrap();
    assert_eq!(ResultFile::read(&path).unwrap(), file);

    let written: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let schema: Value = serde_json::from_str(&fs::read_to_string(schema_path()).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&written));

    let mut broken = written;
    broken["results"][0]["valid"] = Value::from("perhaps");
    assert!(!validator.is_valid(&broken));
}

#[test]
fn another_schema_is_refused() {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().join("result.json");
    let mut file = example();
    file.schema = "tlsbench/0".to_owned();
    file.write(&path).unwrap();
    let error = ResultFile::read(&path).unwrap_err().to_string();
    assert!(error.contains("tlsbench/0"), "{error}");
}

fn schema_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/tlsbench-1.json")
}

/// A small file: two arms and a control in one scenario.
pub(crate) fn example() -> ResultFile {
    let arm = |id: &str, control_of: Option<&str>| ArmRecord {
        id: id.to_owned(),
        control_of: control_of.map(str::to_owned),
        library: "wolfssl".to_owned(),
        version: "5.9.4".to_owned(),
        features: vec!["u128".to_owned()],
        build_info: serde_json::json!({ "optimisation": "-O3", "compiler": "cc 12" }),
        program_bytes: 1_000_000,
    };
    let row = |arm: &str, values: &[f64]| Row {
        arm: arm.to_owned(),
        scenario: "algo:rsa-2048-sign".to_owned(),
        unit: Unit::PerSecond,
        valid: true,
        why_invalid: Vec::new(),
        noisy: false,
        negotiated: None,
        n: values.len(),
        n_discarded: 0,
        median: crate::statistics::median(values),
        mad: Some(1.0),
        min: Some(values[0]),
        max: Some(values[0]),
        samples: values
            .iter()
            .enumerate()
            .map(|(round, &value)| SampleRecord {
                launch: 0,
                round,
                slot: 0,
                value,
                iterations: value as u64,
                elapsed_ns: 1_000_000_000,
                cpu_ns: Some(1_000_000_000),
                steal_ticks: Some(0),
                spin: [800.0, 801.0],
                discarded: None,
            })
            .collect(),
    };
    let ratio = |a: &str, ratio: f64, verdict| RatioRecord {
        a: a.to_owned(),
        b: "generic".to_owned(),
        scenario: "algo:rsa-2048-sign".to_owned(),
        ratio,
        ci95: [ratio * 0.99, ratio * 1.01],
        aa_floor: Some(0.01),
        p_holm: Some(0.001),
        verdict,
    };
    ResultFile {
        schema: SCHEMA.to_owned(),
        run: Run {
            utc: "2026-01-02T03:04:05Z".to_owned(),
            git: None,
            dirty: false,
            argv: vec!["bench".to_owned()],
            seed: 7,
            launches: 1,
            rounds: 3,
            millis: 1000,
            core: Some(1),
            seconds: 9.0,
        },
        host: Host::default(),
        arms: vec![
            arm("generic", None),
            arm("full", None),
            arm("generic~control", Some("generic")),
        ],
        scenarios: vec![ScenarioRecord {
            id: "algo:rsa-2048-sign".to_owned(),
            what: "rsa-2048-sign operations".to_owned(),
            unit: Unit::PerSecond,
            better: "higher".to_owned(),
        }],
        results: vec![
            row("generic", &[150.0, 151.0, 149.0]),
            row("full", &[2000.0, 2010.0, 1990.0]),
            row("generic~control", &[150.0, 150.0, 150.0]),
        ],
        ratios: vec![
            ratio("full", 13.3, Verdict::Faster),
            ratio("generic~control", 1.0, Verdict::NoDifference),
        ],
    }
}
