//! Progress on standard error: a moving line on a terminal, plain lines otherwise.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Something that takes a while.
pub struct Progress {
    bar: ProgressBar,
    voice: Voice,
}

/// How progress is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    Moving,
    Plain,
    Silent,
}

impl Progress {
    /// Work without a known end.
    pub fn spinner(what: impl Into<String>) -> Self {
        let progress = Self::new(ProgressBar::new_spinner(), "{spinner} {prefix} {wide_msg}");
        progress.bar.enable_steady_tick(Duration::from_millis(120));
        progress.announce(what.into())
    }

    /// Work of `steps` steps, with the time left.
    pub fn steps(what: impl Into<String>, steps: usize) -> Self {
        let bar = ProgressBar::new(steps as u64);
        let style = "{prefix} [{bar:24}] {pos}/{len}, {eta} left  {wide_msg}";
        Self::new(bar, style).announce(what.into())
    }

    /// Work that nobody watches.
    pub fn silent() -> Self {
        Self {
            bar: ProgressBar::hidden(),
            voice: Voice::Silent,
        }
    }

    /// Shows what happens right now; nothing without a terminal.
    pub fn detail(&self, text: impl Into<String>) {
        self.bar.set_message(text.into());
    }

    /// One step is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// A line that stays.
    pub fn note(&self, text: &str) {
        match self.voice {
            Voice::Moving => self.bar.println(text),
            Voice::Plain => eprintln!("{text}"),
            Voice::Silent => {}
        }
    }

    /// Ends it, leaving `text` behind.
    pub fn finish(self, text: &str) {
        self.bar.finish_and_clear();
        if self.voice != Voice::Silent {
            eprintln!("{text}");
        }
    }

    fn new(bar: ProgressBar, template: &str) -> Self {
        let voice = if std::io::stderr().is_terminal() {
            Voice::Moving
        } else {
            bar.set_draw_target(ProgressDrawTarget::hidden());
            Voice::Plain
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, voice }
    }

    fn announce(self, what: String) -> Self {
        if self.voice == Voice::Plain {
            eprintln!("{what} ...");
        }
        self.bar.set_prefix(what);
        self
    }
}
