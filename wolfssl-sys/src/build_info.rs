//! The build report as typed constants.

/// How the linked wolfSSL was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildInfo {
    /// wolfSSL's release, such as `5.9.4`.
    pub wolfssl_version: &'static str,
    /// The folder that the C source was read from.
    pub source: &'static str,
    /// Which of the possible places that folder was.
    pub origin: &'static str,
    /// The target triple.
    pub target: &'static str,
    /// The C compiler, in its own words.
    pub compiler: &'static str,
    /// The version of cmake.
    pub cmake_version: &'static str,
    /// The optimisation flag of the C objects, such as `-O3`.
    pub optimisation: &'static str,
    /// The static library.
    pub library: &'static str,
    /// What became of each cargo feature.
    pub features: &'static [(&'static str, Fate)],
    /// Every macro of the C objects with its value, sorted by name.
    pub macros: &'static [(&'static str, &'static str)],
    /// The folders of this build's C headers, generated ones first.
    pub include_dirs: &'static [&'static str],
    /// The system libraries that go with the library.
    pub libraries: &'static [&'static str],
    /// The command that compiled one of the C objects, word by word. Empty
    /// where the build tool does not tell it (Visual Studio).
    pub c_command: &'static [&'static str],
}

/// What became of a cargo feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fate {
    /// Asked for, and proven to be in the library.
    On,
    /// Not asked for, and proven not to be in the library.
    Off,
    /// Asked for, but the target cannot serve it, for this reason.
    Ignored(&'static str),
}

impl BuildInfo {
    /// What became of the cargo feature `name`; `None` for an unknown name.
    #[must_use]
    pub fn feature(&self, name: &str) -> Option<Fate> {
        self.features
            .iter()
            .find(|(of, _)| *of == name)
            .map(|(_, fate)| *fate)
    }

    /// The value of a C macro, if the library was built with it.
    #[must_use]
    pub fn c_macro(&self, name: &str) -> Option<&'static str> {
        self.macros
            .iter()
            .find(|(of, _)| *of == name)
            .map(|(_, value)| *value)
    }
}

/// The report of the build that this program is linked with.
#[must_use]
pub const fn build_info() -> &'static BuildInfo {
    &crate::BUILD_INFO
}
