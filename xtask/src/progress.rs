//! One line that shows that something long is under way: a spinner on a terminal, plain text elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// A task under way. Ends with [`Progress::done`]; dropped without it, the line just vanishes.
pub struct Progress {
    what: String,
    bar: Option<ProgressBar>,
    start: Instant,
}

impl Progress {
    /// Shows that `what` has begun.
    pub fn start(what: impl Into<String>) -> Self {
        let what = what.into();
        let bar = std::io::stderr().is_terminal().then(|| {
            let style =
                ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg:.dim}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner());
            let bar = ProgressBar::new_spinner()
                .with_style(style)
                .with_prefix(what.clone());
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        if bar.is_none() {
            eprintln!("{what} ...");
        }
        Self {
            what,
            bar,
            start: Instant::now(),
        }
    }

    /// Shows a detail beside the running task; on a plain output it is left out.
    pub fn detail(&self, text: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(text.to_owned());
        }
    }

    /// Ends the line with `how` and the time that it took, which is returned.
    pub fn done(self, how: &str) -> Duration {
        let took = self.start.elapsed();
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!("{}: {how} ({:.1} s)", self.what, took.as_secs_f64());
        took
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
