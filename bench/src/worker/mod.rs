//! A worker: one library in one process, answering the orchestrator's requests.

pub mod connections;
mod link;
mod probe;
pub mod processor;
pub mod timer;
mod wire;

use std::io::{self, BufRead, Write};
use std::time::Duration;

use crate::cohort::{Library, Result};
use crate::fixtures::Fixtures;
use crate::protocol::{Hello, Reply, Request, Sample};
use crate::scenario::Scenario;
use crate::validity::Negotiated;
use timer::run_for;

/// A scenario that is ready to be measured.
pub trait Measurable {
    /// Makes a fresh start, untimed: a TLS scenario makes a connection and looks at it. Says what
    /// was negotiated; `None` without TLS.
    fn begin(&mut self) -> Result<Option<Negotiated>>;

    /// One iteration, to be called after [`begin`](Self::begin).
    fn step(&mut self) -> Result<()>;

    /// Bytes that one iteration works on; 0 for operations that are counted.
    fn bytes_each(&self) -> usize;
}

/// How long a scenario runs unmeasured before its first sample.
const WARM_UP: Duration = Duration::from_millis(40);

/// Answers requests until `stop` or the end of input.
pub fn serve(
    library: &Library,
    fixtures: &Fixtures,
    requests: impl BufRead,
    mut replies: impl Write,
) -> io::Result<()> {
    let mut worker = Worker {
        library,
        fixtures,
        prepared: None,
    };
    for line in requests.lines() {
        let request = serde_json::from_str(&line?);
        let reply = match &request {
            Ok(request) => worker
                .answer(request)
                .unwrap_or_else(|failure| Reply::Error {
                    message: failure.to_string(),
                }),
            Err(error) => Reply::Error {
                message: format!("not a request: {error}"),
            },
        };
        serde_json::to_writer(&mut replies, &reply)?;
        replies.write_all(b"\n")?;
        replies.flush()?;
        if matches!(request, Ok(Request::Stop)) {
            break;
        }
    }
    Ok(())
}

struct Worker<'a> {
    library: &'a Library,
    fixtures: &'a Fixtures,
    prepared: Option<(Scenario, Box<dyn Measurable>)>,
}

impl Worker<'_> {
    fn answer(&mut self, request: &Request) -> Result<Reply> {
        match request {
            Request::Hello => Ok(Reply::Hello(self.hello()?)),
            Request::Prepare { scenario } => {
                self.prepared = None;
                let scenario = Scenario::from_id(scenario)
                    .ok_or_else(|| format!("no scenario is called {scenario:?}"))?;
                let mut measurable = (self.library.prepare)(&scenario, self.fixtures)?;
                measurable.begin()?;
                run_for(WARM_UP, || measurable.step())?;
                self.prepared = Some((scenario, measurable));
                Ok(Reply::Prepared)
            }
            Request::Run { millis } => {
                let (scenario, measurable) = self.prepared.as_mut().ok_or("nothing is prepared")?;
                let duration = Duration::from_millis(*millis);
                let sample = measure(scenario, measurable.as_mut(), duration)?;
                Ok(Reply::Sample(Box::new(sample)))
            }
            Request::Stop => Ok(Reply::Stopped),
        }
    }

    fn hello(&self) -> Result<Hello> {
        let library = (self.library.describe)()?;
        Ok(Hello {
            library: self.library.name.to_owned(),
            version: library.version,
            features: library.features,
            build_info: library.build_info,
            optimised: !cfg!(debug_assertions),
            scenarios: Scenario::catalogue()
                .iter()
                .filter(|scenario| (self.library.supports)(scenario))
                .map(Scenario::id)
                .collect(),
        })
    }
}

fn measure(
    scenario: &Scenario,
    measurable: &mut dyn Measurable,
    duration: Duration,
) -> Result<Sample> {
    let negotiated = measurable.begin()?;
    let before = processor::spin();
    let timing = run_for(duration, || measurable.step())?;
    let spin = [before, processor::spin()];
    let unit = scenario.unit();
    let seconds = timing.elapsed.as_secs_f64();
    Ok(Sample {
        value: unit.rate(timing.iterations, measurable.bytes_each(), seconds),
        unit,
        iterations: timing.iterations,
        elapsed_ns: timing.elapsed.as_nanos() as u64,
        cpu_ns: timing.processor.map(|time| time.as_nanos() as u64),
        spin,
        negotiated,
    })
}
