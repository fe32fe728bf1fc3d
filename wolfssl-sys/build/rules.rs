//! The table feature × target: which request is served, which is ignored and
//! why, which target is refused.

use crate::request::{CompilerKind, Facts, Feature, Request, Target};

/// What became of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Asked for and served.
    On,
    /// Not asked for, and proven to be out of the build.
    Off,
    /// Asked for, but the target cannot serve it.
    Ignored(&'static str),
}

/// Why nothing can be built for the target, if so.
pub fn refusal(target: &Target) -> Option<&'static str> {
    if target.pointer_width < 32 {
        return Some("wolfSSL's TLS needs pointers of 32 bits or more");
    }
    match target.os.as_str() {
        "none" | "unknown" => Some("there is no operating system to take time and randomness from"),
        _ => None,
    }
}

/// What becomes of `feature`.
pub fn fate(feature: Feature, request: &Request, target: &Target, facts: &Facts) -> Fate {
    if !request.wants(feature) {
        return Fate::Off;
    }
    match obstacle(feature, target, facts) {
        None => Fate::On,
        Some(reason) => Fate::Ignored(reason),
    }
}

fn obstacle(feature: Feature, target: &Target, facts: &Facts) -> Option<&'static str> {
    match feature {
        Feature::U128 => u128_obstacle(target, facts),
        Feature::Sp | Feature::FpEcc => None,
        Feature::SpAsm => sp_asm_obstacle(target, facts),
        Feature::Armasm => armasm_obstacle(target, facts),
        Feature::Intelasm => intelasm_obstacle(target, facts),
    }
}

fn u128_obstacle(target: &Target, facts: &Facts) -> Option<&'static str> {
    if target.pointer_width < 64 {
        Some("a target with 32-bit pointers has no 128-bit integer type")
    } else if facts.compiler_kind == CompilerKind::Msvc {
        Some("MSVC has no 128-bit integer type")
    } else if !facts.has_u128 {
        Some("this compiler does not take __uint128_t")
    } else {
        None
    }
}

const ELF_SYNTAX: &str = "wolfSSL's assembly is in ELF syntax, which Windows assemblers refuse";
const NO_ML64: &str = "the assembly for MSVC needs ml64, which this build does not drive";

fn sp_asm_obstacle(target: &Target, facts: &Facts) -> Option<&'static str> {
    if facts.compiler_kind == CompilerKind::Msvc {
        Some(NO_ML64)
    } else if target.is_windows() {
        Some(ELF_SYNTAX)
    } else if target.big_endian {
        Some("the assembly is for little-endian machines")
    } else if target.is_x86_64() || target.is_aarch64() {
        None
    } else {
        Some("there is SP assembly for x86_64 and aarch64 only")
    }
}

fn armasm_obstacle(target: &Target, facts: &Facts) -> Option<&'static str> {
    if !target.is_aarch64() {
        Some("this assembly is for aarch64")
    } else if facts.compiler_kind == CompilerKind::Msvc {
        Some(NO_ML64)
    } else if target.is_windows() {
        Some(ELF_SYNTAX)
    } else if target.big_endian {
        Some("the assembly is for little-endian machines")
    } else {
        None
    }
}

fn intelasm_obstacle(target: &Target, facts: &Facts) -> Option<&'static str> {
    if !target.is_x86_64() {
        Some("this assembly is for x86_64")
    } else if facts.compiler_kind == CompilerKind::Msvc {
        Some(NO_ML64)
    } else if target.is_windows() {
        Some(ELF_SYNTAX)
    } else {
        None
    }
}
