//! The processor a worker runs on: pinning, processor time, and a yardstick of its present speed.

use std::hint::black_box;
use std::io;
use std::time::{Duration, Instant};

/// Binds this process to one core. Only Linux can; elsewhere this reports `Unsupported`.
pub fn pin(core: usize) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        let mut set = rustix::thread::CpuSet::new();
        set.set(core);
        Ok(rustix::thread::sched_setaffinity(None, &set)?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = core;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Processor time this process has used, user and system together.
pub fn time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let seconds = u64::try_from(now.tv_sec).ok()?;
        let nanoseconds = u32::try_from(now.tv_nsec).ok()?;
        Some(Duration::new(seconds, nanoseconds))
    }
    #[cfg(not(unix))]
    {
        None
    }
}

/// Steps per microsecond of a fixed chain in which each step needs the one before.
///
/// The best of a few short runs: an interrupt in one of them does not matter, a lower clock in all
/// of them does.
pub fn spin() -> f64 {
    const RUNS: usize = 5;
    const STEPS: u64 = 50_000;
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut state = black_box(0x9e37_79b9_7f4a_7c15_u64);
        for step in 0..STEPS {
            state = (state ^ (state >> 29) ^ step).wrapping_mul(0x5851_f42d_4c95_7f2d);
        }
        black_box(state);
        best = best.min(start.elapsed());
    }
    STEPS as f64 / (best.as_secs_f64() * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_yardstick_is_positive_and_takes_processor_time() {
        let before = time();
        assert!(spin() > 0.0);
        if let (Some(before), Some(after)) = (before, time()) {
            assert!(after > before);
        }
    }
}
