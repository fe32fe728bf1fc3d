//! What can go wrong around a measurement. A row that measured the wrong thing is not an error of
//! this kind: it is an INVALID row.

use std::path::PathBuf;
use std::{fmt, io};

/// Failure of the orchestrator.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The command line asks for something that does not exist.
    Usage {
        /// What is wrong and what would be right.
        message: String,
    },
    /// Cargo could not build an arm.
    Build {
        /// The arm.
        arm: String,
        /// The end of cargo's output.
        log: String,
    },
    /// A worker could not be started, or is not what it should be.
    Worker {
        /// The arm.
        arm: String,
        /// What happened.
        message: String,
    },
    /// A file or program could not be used.
    Io {
        /// What was being done, with the path.
        doing: String,
        /// Why it failed.
        source: io::Error,
    },
    /// A plot could not be drawn.
    Plot {
        /// What the plotting library said.
        message: String,
    },
    /// A result file is not one of ours.
    Format {
        /// The file.
        path: PathBuf,
        /// Why it cannot be read.
        source: serde_json::Error,
    },
}

/// Result with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Wraps an I/O error with what was being done.
    pub fn io(doing: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let doing = doing.into();
        move |source| Self::Io { doing, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage { message } => f.write_str(message),
            Self::Build { arm, log } => {
                write!(f, "arm {arm} does not build; cargo said:\n{log}")
            }
            Self::Worker { arm, message } => write!(f, "worker of arm {arm}: {message}"),
            Self::Io { doing, source } => write!(f, "{doing}: {source}"),
            Self::Plot { message } => write!(f, "drawing a plot: {message}"),
            Self::Format { path, source } => {
                write!(f, "{} is not a result file: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Format { source, .. } => Some(source),
            Self::Usage { .. } | Self::Build { .. } | Self::Worker { .. } | Self::Plot { .. } => {
                None
            }
        }
    }
}
