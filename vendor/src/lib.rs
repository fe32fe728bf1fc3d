//! Finds the wolfSSL C source, checks that it is one we may build, and says
//! where it came from. The first room of the workspace: everything else gets
//! the C library through [`locate`].
//!
//! No C source is part of this project. [`locate`] looks in three places and
//! takes the first that is there:
//!
//! 1. `WOLFSSL_SRC_DIR`, a wolfSSL tree of the user's choice;
//! 2. `vendor/wolfssl/`, filled by `cargo xtask vendor` for offline builds;
//! 3. the package registry: cargo unpacks the package that `source/pin.toml`
//!    and `source/pin.lock` name by version and checksum, which needs the
//!    network once.
//!
//! The tree found is read-only to this project: it is configured and built
//! elsewhere.

mod error;
mod registry;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

pub use error::Error;

/// The environment variable that names a wolfSSL tree and wins over the rest.
pub const SOURCE_DIR_VAR: &str = "WOLFSSL_SRC_DIR";

/// The oldest release that is built; see [`Error::TooOld`] for the reason.
pub const OLDEST_SUPPORTED: Version = Version {
    major: 5,
    minor: 9,
    patch: 3,
};

/// The CMake project that wraps wolfSSL's own: write it to a folder of its own
/// as `CMakeLists.txt`. Its header names the variables that it reads.
pub const CMAKE_OVERLAY: &str = include_str!("../cmake/CMakeLists.txt");

/// A checked wolfSSL source tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// Root of the tree: the folder of wolfSSL's own `CMakeLists.txt`.
    pub root: PathBuf,
    /// Which of the three places it came from.
    pub origin: Origin,
    /// The release, from `wolfssl/version.h`.
    pub version: Version,
}

/// Where a source tree came from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Named by `WOLFSSL_SRC_DIR`.
    Environment,
    /// The ignored folder `vendor/wolfssl/`.
    VendoredFolder,
    /// The pinned registry package, for instance `wolfssl-sys 5.3.0`.
    Registry {
        /// Name and version of the package that carried the source.
        package: String,
    },
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str(SOURCE_DIR_VAR),
            Self::VendoredFolder => f.write_str("vendor/wolfssl"),
            Self::Registry { package } => write!(f, "registry package {package}"),
        }
    }
}

/// A wolfSSL release number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a release number has these parts and no others"
)]
pub struct Version {
    /// First part.
    pub major: u32,
    /// Second part.
    pub minor: u32,
    /// Third part.
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Where [`locate`] looks, as data, so that tests can point it elsewhere.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Places {
    /// First place: the value of `WOLFSSL_SRC_DIR`. Empty counts as unset.
    pub environment: Option<OsString>,
    /// Second place: the offline folder.
    pub folder: PathBuf,
    /// Third place: the cargo program that is asked for the pinned package.
    pub cargo: PathBuf,
    /// A writable folder for the pin's manifest; created when needed.
    pub scratch: PathBuf,
}

impl Places {
    /// The real places of this build. `scratch` is a folder that may be
    /// written, such as one in a build script's `OUT_DIR`.
    #[must_use]
    pub fn from_env(scratch: &Path) -> Self {
        Self {
            environment: std::env::var_os(SOURCE_DIR_VAR),
            folder: vendored_folder(),
            cargo: std::env::var_os("CARGO")
                .unwrap_or_else(|| "cargo".into())
                .into(),
            scratch: scratch.to_owned(),
        }
    }
}

/// The ignored folder that `cargo xtask vendor` fills.
#[must_use]
pub fn vendored_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("wolfssl")
}

/// Finds the source and checks it.
///
/// A place that is present but unusable is an error, not a reason to look
/// further: who sets `WOLFSSL_SRC_DIR` wants that tree and no other.
///
/// # Errors
/// [`Error::NotATree`], [`Error::Configured`] or [`Error::TooOld`] for a tree
/// that cannot be built, [`Error::Unavailable`] when cargo cannot provide the
/// pinned package.
pub fn locate(places: &Places) -> Result<Source, Error> {
    if let Some(dir) = places.environment.as_ref().filter(|dir| !dir.is_empty()) {
        return check(PathBuf::from(dir), Origin::Environment);
    }
    if places.folder.exists() {
        return check(places.folder.clone(), Origin::VendoredFolder);
    }
    locate_in_registry(places)
}

/// Finds the pinned registry package, passing over the first two places:
/// what `cargo xtask vendor` copies into the second.
///
/// # Errors
/// As [`locate`].
pub fn locate_in_registry(places: &Places) -> Result<Source, Error> {
    let found = registry::pinned_package(&places.cargo, &places.scratch)?;
    check(
        found.root,
        Origin::Registry {
            package: found.package,
        },
    )
}

/// Checks that `root` is an unconfigured wolfSSL tree, new enough to build.
fn check(root: PathBuf, origin: Origin) -> Result<Source, Error> {
    for part in [
        "CMakeLists.txt",
        "cmake/functions.cmake",
        "src/ssl.c",
        "wolfssl/version.h",
    ] {
        if !root.join(part).is_file() {
            return Err(Error::NotATree {
                root,
                origin,
                missing: part,
            });
        }
    }
    // wolfSSL's CMakeLists.txt deletes these two where it finds them.
    for generated in ["wolfssl/options.h", "config.h"] {
        if root.join(generated).exists() {
            return Err(Error::Configured {
                root,
                origin,
                generated,
            });
        }
    }
    // CMake wants absolute paths, and cargo tells changes by them.
    let root = std::path::absolute(&root).unwrap_or(root);
    let version = read_version(&root).ok_or_else(|| Error::NotATree {
        root: root.clone(),
        origin: origin.clone(),
        missing: "a version number in wolfssl/version.h",
    })?;
    if version < OLDEST_SUPPORTED {
        return Err(Error::TooOld {
            root,
            origin,
            version,
        });
    }
    Ok(Source {
        root,
        origin,
        version,
    })
}

fn read_version(root: &Path) -> Option<Version> {
    let header = std::fs::read_to_string(root.join("wolfssl/version.h")).ok()?;
    let (_, rest) = header.split_once("LIBWOLFSSL_VERSION_STRING")?;
    parse_version(rest.split('"').nth(1)?)
}

/// Reads `5.9.4`, and `5.9.4-stable` as the same.
fn parse_version(text: &str) -> Option<Version> {
    let mut parts = text.splitn(3, '.').map(|part| {
        let digits = part
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap_or_default();
        digits.parse().ok()
    });
    let mut next = || parts.next().flatten();
    Some(Version {
        major: next()?,
        minor: next()?,
        patch: next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    /// Writes the few files by which a tree is known.
    fn tree(root: &Path, version: &str) {
        for dir in ["cmake", "src", "wolfssl"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        for file in ["CMakeLists.txt", "cmake/functions.cmake", "src/ssl.c"] {
            fs::write(root.join(file), "").unwrap();
        }
        let header = format!("#define LIBWOLFSSL_VERSION_STRING \"{version}\"\n");
        fs::write(root.join("wolfssl/version.h"), header).unwrap();
    }

    /// Places in an empty folder, with a cargo that cannot be started.
    fn places(base: &TempDir) -> Places {
        Places {
            environment: None,
            folder: base.path().join("folder"),
            cargo: base.path().join("no-such-cargo"),
            scratch: base.path().join("scratch"),
        }
    }

    #[test]
    fn environment_wins_over_the_folder() {
        let base = TempDir::new().unwrap();
        let mut places = places(&base);
        tree(&places.folder, "5.9.3");
        let own = base.path().join("own");
        tree(&own, "6.0.1");
        places.environment = Some(own.clone().into());
        let source = locate(&places).unwrap();
        assert_eq!(source.root, own);
        assert_eq!(source.origin, Origin::Environment);
        assert_eq!(
            source.version,
            Version {
                major: 6,
                minor: 0,
                patch: 1
            }
        );
    }

    #[test]
    fn an_empty_variable_counts_as_unset_and_the_folder_comes_second() {
        let base = TempDir::new().unwrap();
        let mut places = places(&base);
        tree(&places.folder, "5.9.4");
        places.environment = Some("".into());
        let source = locate(&places).unwrap();
        assert_eq!(source.origin, Origin::VendoredFolder);
        assert_eq!(source.root, places.folder);
    }

    #[test]
    fn a_wrong_environment_tree_is_an_error_even_if_the_folder_is_good() {
        let base = TempDir::new().unwrap();
        let mut places = places(&base);
        tree(&places.folder, "5.9.4");
        places.environment = Some(base.path().join("nowhere").into());
        let error = locate(&places).unwrap_err();
        assert!(
            matches!(
                &error,
                Error::NotATree {
                    origin: Origin::Environment,
                    missing: "CMakeLists.txt",
                    ..
                }
            ),
            "{error:?}"
        );
        let text = error.to_string();
        assert!(
            text.contains("WOLFSSL_SRC_DIR") && text.contains("nowhere"),
            "{text}"
        );
    }

    #[test]
    fn releases_with_known_bypasses_are_refused_by_name_of_the_reason() {
        let base = TempDir::new().unwrap();
        let places = places(&base);
        tree(&places.folder, "5.9.2");
        let error = locate(&places).unwrap_err();
        assert!(
            matches!(
                error,
                Error::TooOld {
                    version: Version { patch: 2, .. },
                    ..
                }
            ),
            "{error:?}"
        );
        let text = error.to_string();
        assert!(
            text.contains("5.9.2") && text.contains("5.9.3") && text.contains("bypass"),
            "{text}"
        );
    }

    #[test]
    fn a_tree_that_was_configured_in_place_is_left_alone() {
        let base = TempDir::new().unwrap();
        let places = places(&base);
        tree(&places.folder, "5.9.4");
        let options = places.folder.join("wolfssl/options.h");
        fs::write(&options, "").unwrap();
        let error = locate(&places).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Configured {
                    generated: "wolfssl/options.h",
                    ..
                }
            ),
            "{error:?}"
        );
        assert!(options.exists());
    }

    #[test]
    fn without_tree_and_without_cargo_the_error_names_every_remedy() {
        let base = TempDir::new().unwrap();
        let error = locate(&places(&base)).unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error:?}");
        let text = error.to_string();
        for word in ["no-such-cargo", "WOLFSSL_SRC_DIR", "cargo xtask vendor"] {
            assert!(text.contains(word), "{text}");
        }
        assert_eq!(text.lines().count(), 1, "one line: {text}");
    }

    #[test]
    fn the_pinned_package_is_found_by_the_real_cargo() {
        let base = TempDir::new().unwrap();
        let mut places = places(&base);
        places.cargo = env!("CARGO").into();
        let source = locate(&places).unwrap();
        assert_eq!(
            source.origin,
            Origin::Registry {
                package: "wolfssl-sys 5.3.0".into()
            }
        );
        assert_eq!(
            source.version,
            Version {
                major: 5,
                minor: 9,
                patch: 4
            }
        );
        assert!(source.root.join("wolfcrypt/src/aes_x86_64_asm.S").is_file());
    }

    #[test]
    fn version_strings_are_read_with_and_without_a_suffix() {
        let expected = Some(Version {
            major: 5,
            minor: 10,
            patch: 0,
        });
        assert_eq!(parse_version("5.10.0"), expected);
        assert_eq!(parse_version("5.10.0-stable"), expected);
        assert_eq!(parse_version("5.10"), None);
        assert_eq!(parse_version("five"), None);
    }
}
