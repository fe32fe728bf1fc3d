//! The worker program, spoken to as the orchestrator does.
#![cfg(any(feature = "wolfssl", feature = "peer-rustls-aws-lc"))]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use bench::cohort::LIBRARIES;
use bench::fixtures::Fixtures;
use bench::protocol::Reply;
use bench::scenario::{RECORD_BYTES, Scenario};
use bench::validity::differences;

/// Every TLS scenario of every library in this build, measured for an instant and found valid.
#[test]
fn every_tls_scenario_is_what_it_says() {
    let room = tempfile::tempdir().expect("a temporary folder");
    let fixtures = fixtures(room.path());
    for library in LIBRARIES {
        let scenarios: Vec<Scenario> = Scenario::catalogue()
            .into_iter()
            .filter(|scenario| scenario.tls().is_some() && (library.supports)(scenario))
            .collect();
        let mut requests = vec![r#"{"request":"hello"}"#.to_owned()];
        for scenario in &scenarios {
            requests.push(prepare(&scenario.id()));
            requests.push(r#"{"request":"run","millis":10}"#.to_owned());
        }
        requests.push(r#"{"request":"stop"}"#.to_owned());
        let mut replies = converse(library.name, &fixtures, &requests).into_iter();

        let Some(Reply::Hello(hello)) = replies.next() else {
            panic!("no hello");
        };
        assert_eq!(hello.library, library.name);
        assert!(!hello.version.is_empty());
        for scenario in &scenarios {
            assert!(hello.scenarios.contains(&scenario.id()));
            assert_eq!(replies.next(), Some(Reply::Prepared), "{scenario}");
            let Some(Reply::Sample(sample)) = replies.next() else {
                panic!("{} {scenario}: no sample", library.name);
            };
            let wanted = scenario.tls().expect("a TLS scenario");
            let negotiated = sample.negotiated.as_ref().expect("facts");
            assert_eq!(
                differences(wanted, negotiated),
                Vec::<String>::new(),
                "{} {scenario}",
                library.name
            );
            let seconds = sample.elapsed_ns as f64 / 1e9;
            let rate = scenario
                .unit()
                .rate(sample.iterations, RECORD_BYTES, seconds);
            assert!((sample.value / rate - 1.0).abs() < 1e-9);
        }
        assert_eq!(replies.next(), Some(Reply::Stopped));
    }
}

#[test]
fn what_cannot_be_answered_is_an_error_and_the_worker_goes_on() {
    let room = tempfile::tempdir().expect("a temporary folder");
    let fixtures = fixtures(room.path());
    let requests = [
        "nonsense".to_owned(),
        r#"{"request":"run","millis":10}"#.to_owned(),
        prepare("algo:rot13"),
        r#"{"request":"stop"}"#.to_owned(),
    ];
    let replies = converse(LIBRARIES[0].name, &fixtures, &requests);
    let words = ["not a request", "nothing is prepared", "algo:rot13"];
    for (reply, word) in replies.iter().zip(words) {
        let Reply::Error { message } = reply else {
            panic!("{reply:?}");
        };
        assert!(message.contains(word), "{message}");
    }
    assert_eq!(replies[3], Reply::Stopped);
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_bench-worker"))
        .args(["--library", "botan", "--fixtures", "."])
        .output()
        .expect("the worker starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(
        said.contains("botan") && said.contains(LIBRARIES[0].name),
        "{said}"
    );
}

fn fixtures(room: &Path) -> Fixtures {
    let fixtures = Fixtures::open(room.join("fixtures"));
    let status = Command::new(env!("CARGO_BIN_EXE_bench-worker"))
        .arg("--make-fixtures")
        .arg("--fixtures")
        .arg(fixtures.directory())
        .status()
        .expect("the worker starts");
    assert!(status.success() && fixtures.exist());
    fixtures
}

fn prepare(scenario: &str) -> String {
    format!(r#"{{"request":"prepare","scenario":"{scenario}"}}"#)
}

fn converse(library: &str, fixtures: &Fixtures, requests: &[String]) -> Vec<Reply> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bench-worker"))
        .args(["--library", library, "--fixtures"])
        .arg(fixtures.directory())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the worker starts");
    let mut input = child.stdin.take().expect("standard input");
    let text = requests.join("\n") + "\n";
    // The requests are few and short: they fit into the pipe while nobody reads the replies yet.
    input.write_all(text.as_bytes()).expect("requests are sent");
    drop(input);
    let output = child.wait_with_output().expect("the worker ends");
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).expect("a reply"))
        .collect()
}
