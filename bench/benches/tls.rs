//! `cargo bench -p bench`: criterion's view of the scenarios, for work on one feature set.
//!
//! Measures the libraries and features this crate is built with, in one process, one after the
//! other; what `cargo xtask bench` compares is compared there, not here.

use std::error::Error;
use std::time::Instant;

use bench::cohort::{LIBRARIES, Library};
use bench::fixtures::{Fixtures, make};
use bench::scenario::Scenario;
use bench::validity::differences;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn handshakes(criterion: &mut Criterion) {
    group(criterion, "handshake", |scenario| {
        matches!(scenario, Scenario::Handshake(_))
    });
}

fn records(criterion: &mut Criterion) {
    group(criterion, "bulk", |scenario| {
        matches!(scenario, Scenario::Bulk(_))
    });
}

fn algorithms(criterion: &mut Criterion) {
    group(criterion, "ciphers", |scenario| {
        matches!(scenario, Scenario::Algorithm(_))
    });
}

criterion_group!(benches, handshakes, records, algorithms);
criterion_main!(benches);

fn group(criterion: &mut Criterion, name: &str, belongs: fn(&Scenario) -> bool) {
    let room = tempfile::tempdir().expect("a temporary folder");
    let fixtures = Fixtures::open(room.path().join("fixtures"));
    make::make(fixtures.directory()).expect("certificates");
    for library in LIBRARIES {
        let scenarios = Scenario::catalogue().into_iter();
        for scenario in scenarios.filter(belongs) {
            if (library.supports)(&scenario) {
                measure(criterion, name, library, &scenario, &fixtures)
                    .unwrap_or_else(|failure| panic!("{} {scenario}: {failure}", library.name));
            }
        }
    }
}

fn measure(
    criterion: &mut Criterion,
    name: &str,
    library: &Library,
    scenario: &Scenario,
    fixtures: &Fixtures,
) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut row = (library.prepare)(scenario, fixtures)?;
    let negotiated = row.begin()?;
    if let (Some(wanted), Some(negotiated)) = (scenario.tls(), &negotiated) {
        let found = differences(wanted, negotiated);
        if !found.is_empty() {
            return Err(format!("INVALID: {}", found.join("; ")).into());
        }
    }
    let mut group = criterion.benchmark_group(format!("{name}/{}", library.name));
    group.throughput(match row.bytes_each() {
        0 => Throughput::Elements(1),
        bytes => Throughput::BytesDecimal(bytes as u64),
    });
    group.bench_function(scenario.id(), |bencher| {
        bencher.iter_custom(|iterations| {
            let start = Instant::now();
            for _ in 0..iterations {
                if let Err(failure) = row.step() {
                    panic!("{scenario}: {failure}");
                }
            }
            start.elapsed()
        });
    });
    group.finish();
    Ok(())
}
