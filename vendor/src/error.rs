//! Why no source can be used: one line that says what is wrong and what to do.

use std::fmt;
use std::path::PathBuf;

use crate::{OLDEST_SUPPORTED, Origin, SOURCE_DIR_VAR, Version};

/// Why [`locate`](crate::locate) found nothing to build. Displays as one line.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The folder is not a wolfSSL tree, or not a whole one.
    NotATree {
        /// The folder.
        root: PathBuf,
        /// The place that named it.
        origin: Origin,
        /// The first part that is not there.
        missing: &'static str,
    },
    /// The tree was configured in place. Building from it would delete the
    /// generated header, as wolfSSL's CMakeLists.txt does so.
    Configured {
        /// The folder.
        root: PathBuf,
        /// The place that named it.
        origin: Origin,
        /// The generated file.
        generated: &'static str,
    },
    /// The release has published certificate verification bypasses, which were
    /// fixed in 5.9.3.
    TooOld {
        /// The folder.
        root: PathBuf,
        /// The place that named it.
        origin: Origin,
        /// Its release.
        version: Version,
    },
    /// No local tree, and cargo could not provide the pinned package.
    Unavailable {
        /// What cargo said, shortened to one line.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotATree {
                root,
                origin,
                missing,
            } => write!(
                f,
                "{} (from {origin}) is not a wolfSSL source tree: {missing} is missing; \
                 {SOURCE_DIR_VAR} must name the folder that holds wolfSSL's CMakeLists.txt",
                root.display()
            ),
            Self::Configured {
                root,
                origin,
                generated,
            } => write!(
                f,
                "{} (from {origin}) was configured in place: {generated} exists and wolfSSL's CMakeLists.txt \
                 would delete it; use an untouched tree, or remove that file yourself",
                root.display()
            ),
            Self::TooOld {
                root,
                origin,
                version,
            } => write!(
                f,
                "{} (from {origin}) is wolfSSL {version}; {OLDEST_SUPPORTED} is the oldest that is built, \
                 as it fixed published bypasses of certificate verification",
                root.display()
            ),
            Self::Unavailable { reason } => write!(
                f,
                "the wolfSSL source is not on this machine and cargo could not fetch it ({reason}); \
                 set {SOURCE_DIR_VAR} to a wolfSSL tree, or run `cargo xtask vendor` once with a network"
            ),
        }
    }
}

impl std::error::Error for Error {}
