//! What was asked for, for which machine, and what was found out about the
//! compiler: the three inputs of the plan, as data.

use std::fmt;

/// A cargo feature that asks for faster machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Feature {
    U128,
    Sp,
    SpAsm,
    Armasm,
    Intelasm,
    FpEcc,
}

impl Feature {
    pub const ALL: [Self; 6] = [
        Self::U128,
        Self::Sp,
        Self::SpAsm,
        Self::Armasm,
        Self::Intelasm,
        Self::FpEcc,
    ];

    /// The name in Cargo.toml.
    pub fn name(self) -> &'static str {
        match self {
            Self::U128 => "u128",
            Self::Sp => "sp",
            Self::SpAsm => "sp-asm",
            Self::Armasm => "armasm",
            Self::Intelasm => "intelasm",
            Self::FpEcc => "fp-ecc",
        }
    }
}

/// The features asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    wanted: Vec<Feature>,
}

impl Request {
    /// `sp-asm` brings `sp` along, as in Cargo.toml.
    pub fn new(features: &[Feature]) -> Self {
        let implied = features.contains(&Feature::SpAsm);
        let wants =
            |feature: &Feature| features.contains(feature) || (*feature == Feature::Sp && implied);
        Self {
            wanted: Feature::ALL.into_iter().filter(wants).collect(),
        }
    }

    pub fn wants(&self, feature: Feature) -> bool {
        self.wanted.contains(&feature)
    }
}

/// The machine to build for, in the words of `CARGO_CFG_TARGET_*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub triple: String,
    pub arch: String,
    pub os: String,
    pub env: String,
    pub pointer_width: u32,
    pub big_endian: bool,
}

impl Target {
    pub fn is_windows(&self) -> bool {
        self.os == "windows"
    }

    pub fn is_msvc(&self) -> bool {
        self.env == "msvc"
    }

    pub fn is_apple(&self) -> bool {
        matches!(
            self.os.as_str(),
            "macos" | "ios" | "tvos" | "watchos" | "visionos"
        )
    }

    /// Linux with its own C library; Android counts as something else.
    pub fn is_linux(&self) -> bool {
        self.os == "linux"
    }

    /// arm64 as Rust spells it, ILP32 variants left out.
    pub fn is_aarch64(&self) -> bool {
        self.arch == "aarch64" && self.pointer_width == 64
    }

    /// x86_64 with 64-bit pointers (x32 is another machine to the assembly).
    pub fn is_x86_64(&self) -> bool {
        self.arch == "x86_64" && self.pointer_width == 64
    }
}

/// The kind of C compiler, as far as the plan has to tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerKind {
    Gnu,
    Clang,
    Msvc,
}

impl fmt::Display for CompilerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gnu => "gcc",
            Self::Clang => "clang",
            Self::Msvc => "msvc",
        })
    }
}

/// What was found out by asking the tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub compiler_kind: CompilerKind,
    /// The first line of the compiler's own `--version`, or its path.
    pub compiler: String,
    /// The compiler takes `__uint128_t`.
    pub has_u128: bool,
    /// For instance `3.25.1`.
    pub cmake_version: String,
}
