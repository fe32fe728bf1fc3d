//! The one timed loop. Every figure of this project comes out of it.

use std::time::{Duration, Instant};

use super::processor;
use crate::cohort::Result;

/// How long a loop ran and how often.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Completed iterations.
    pub iterations: u64,
    /// Wall time.
    pub elapsed: Duration,
    /// Processor time of the process, where the system tells.
    pub processor: Option<Duration>,
}

/// The clock is read once per batch, and a batch grows until it lasts at least this long, so that
/// reading the clock costs nothing even beside an operation of a microsecond.
const BATCH: Duration = Duration::from_millis(1);

/// Calls `operation` until `duration` has passed; ends at the first failure. At least once.
pub fn run_for(duration: Duration, mut operation: impl FnMut() -> Result<()>) -> Result<Timing> {
    let mut iterations: u64 = 0;
    let mut batch: u64 = 1;
    let processor_before = processor::time();
    let start = Instant::now();
    let mut elapsed = Duration::ZERO;
    while elapsed < duration {
        for _ in 0..batch {
            operation()?;
        }
        iterations += batch;
        let now = start.elapsed();
        if now - elapsed < BATCH {
            batch *= 2;
        }
        elapsed = now;
    }
    let processor = match (processor_before, processor::time()) {
        (Some(before), Some(after)) => Some(after.saturating_sub(before)),
        _ => None,
    };
    Ok(Timing {
        iterations,
        elapsed,
        processor,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_every_call_and_runs_long_enough() {
        let mut calls = 0_u64;
        let timing = run_for(Duration::from_millis(5), || {
            calls += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(timing.iterations, calls);
        assert!(timing.elapsed >= Duration::from_millis(5));
    }

    #[test]
    fn a_failure_ends_the_loop() {
        let mut calls = 0;
        let result = run_for(Duration::from_secs(60), || {
            calls += 1;
            if calls == 3 {
                Err("third".into())
            } else {
                Ok(())
            }
        });
        assert_eq!(result.unwrap_err().to_string(), "third");
        assert_eq!(calls, 3);
    }
}
