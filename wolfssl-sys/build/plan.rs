//! The plan: what to hand to CMake so that a request is served on a target.
//! A pure function of its inputs; it runs no command and reads no variable.

use crate::content;
use crate::request::{CompilerKind, Facts, Feature, Request, Target};
use crate::rules::{self, Fate};

/// Everything that CMake, the proof and the linker need to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// `CMAKE_SYSTEM_NAME` and `CMAKE_SYSTEM_PROCESSOR`, in the words that
    /// wolfSSL's CMakeLists.txt compares with.
    pub system_name: &'static str,
    pub processor: String,
    /// CMake's own guess would be another word for this machine, or the host.
    pub tell_system: bool,
    pub fates: Vec<(Feature, Fate)>,
    /// Declared options of wolfSSL's CMakeLists.txt.
    pub options: Vec<(&'static str, String)>,
    /// Variables that it reads without declaring them.
    pub raw_variables: Vec<(&'static str, String)>,
    /// Macros for C and assembly alike, without `-D`.
    pub macros: Vec<String>,
    /// Macros that must not be defined, as their feature is off.
    pub absent_macros: Vec<&'static str>,
    /// Sources that wolfSSL's own list leaves out, relative to its root.
    pub extra_sources: Vec<&'static str>,
    /// Flags for every object.
    pub c_flags: Vec<&'static str>,
    /// Flags that stand last and win over CFLAGS: those of the Release build.
    pub release_flags: Vec<&'static str>,
    /// Files that must be compiled, by name.
    pub files: Vec<&'static str>,
    /// Files that must not be compiled, as their feature is off.
    pub absent_files: Vec<&'static str>,
    /// Symbols that the library must define.
    pub symbols: Vec<&'static str>,
    /// Symbols that it must not define, as their feature is off.
    pub absent_symbols: Vec<&'static str>,
    /// System libraries for the final link.
    pub libraries: Vec<&'static str>,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing can be built for this target.
    Target(String),
    /// A feature's request cannot be met.
    Feature(String),
}

/// Decides what to build. With `strict`, an ignored request is a refusal.
pub fn plan(
    request: &Request,
    target: &Target,
    facts: &Facts,
    host: &str,
    strict: bool,
) -> Result<Plan, Refusal> {
    if let Some(reason) = rules::refusal(target) {
        return Err(Refusal::Target(format!(
            "wolfSSL cannot be built for {}: {reason}",
            target.triple
        )));
    }
    let mut plan = Plan {
        system_name: system_name(target),
        processor: processor(target),
        tell_system: target.triple != host || guessed_wrong(target),
        options: owned(content::OPTIONS),
        raw_variables: owned(content::RAW_VARIABLES),
        macros: content::MACROS
            .iter()
            .map(|name| (*name).to_owned())
            .collect(),
        absent_macros: content::ABSENT_MACROS.to_vec(),
        ..Plan::default()
    };
    for feature in Feature::ALL {
        let fate = rules::fate(feature, request, target, facts);
        if let (Fate::Ignored(reason), true) = (fate, strict) {
            return Err(Refusal::Feature(format!(
                "feature `{}` cannot be served on {}: {reason}",
                feature.name(),
                target.triple
            )));
        }
        plan.apply(feature, fate == Fate::On, target);
        plan.fates.push((feature, fate));
    }
    plan.apply_target(target, facts);
    Ok(plan)
}

fn owned(pairs: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    pairs
        .iter()
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect()
}

/// CMake's name for the operating system.
fn system_name(target: &Target) -> &'static str {
    match target.os.as_str() {
        "linux" => "Linux",
        "android" => "Android",
        "macos" => "Darwin",
        "ios" => "iOS",
        "tvos" => "tvOS",
        "watchos" => "watchOS",
        "visionos" => "visionOS",
        "windows" => "Windows",
        "freebsd" => "FreeBSD",
        "netbsd" => "NetBSD",
        "openbsd" => "OpenBSD",
        "dragonfly" => "DragonFly",
        "solaris" | "illumos" => "SunOS",
        "haiku" => "Haiku",
        "fuchsia" => "Fuchsia",
        _ => "Generic",
    }
}

/// The processor as wolfSSL's CMakeLists.txt knows it, case and all.
fn processor(target: &Target) -> String {
    let apple_or_windows = target.is_apple() || target.is_windows();
    match target.arch.as_str() {
        "x86" => "i686",
        "x86_64" if target.is_windows() => "AMD64",
        "aarch64" if apple_or_windows => "arm64",
        "powerpc" => "ppc",
        "powerpc64" if target.big_endian => "ppc64",
        "powerpc64" => "ppc64le",
        other => other,
    }
    .to_owned()
}

/// The BSDs call x86_64 `amd64`, Windows calls arm64 `ARM64`: wolfSSL's
/// CMakeLists.txt knows neither word.
fn guessed_wrong(target: &Target) -> bool {
    let bsd = matches!(
        target.os.as_str(),
        "freebsd" | "netbsd" | "openbsd" | "dragonfly"
    );
    (bsd && target.arch == "x86_64") || (target.is_windows() && target.arch == "aarch64")
}

impl Plan {
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests ask"))]
    pub fn fate(&self, feature: Feature) -> Fate {
        self.fates
            .iter()
            .find(|(of, _)| *of == feature)
            .map_or(Fate::Off, |(_, fate)| *fate)
    }

    fn apply(&mut self, feature: Feature, on: bool, target: &Target) {
        let parts = parts(feature, target);
        if !on {
            self.absent_macros.extend(parts.macros);
            self.absent_symbols.extend(parts.symbols);
            self.absent_files.extend(parts.files);
            for (name, _, off) in parts.options {
                self.options
                    .extend(off.map(|value| (*name, value.to_owned())));
            }
            return;
        }
        self.macros.extend(
            parts
                .macros
                .iter()
                .chain(parts.helpers)
                .map(|name| (*name).to_owned()),
        );
        self.options.extend(
            parts
                .options
                .iter()
                .map(|(name, value, _)| (*name, (*value).to_owned())),
        );
        self.raw_variables.extend(owned(parts.raw_variables));
        self.symbols.extend(parts.symbols);
        self.files.extend(parts.files);
        self.extra_sources.extend(parts.extra_sources);
        self.c_flags.extend(parts.c_flags);
    }

    fn apply_target(&mut self, target: &Target, facts: &Facts) {
        // wolfSSL guesses these from the host where CMake is not told.
        if target.is_linux() {
            self.macros.push("HAVE_GETRANDOM".to_owned());
        }
        if facts.compiler_kind != CompilerKind::Msvc {
            // Upstream puts -Werror first; a newer compiler's warning must not stop a build.
            self.c_flags.push("-Wno-error");
            // The library is linked into one Rust artefact and nothing else.
            self.c_flags.push("-fvisibility=hidden");
            // Optimised whatever cargo's profile. Link-time optimisation is
            // rustc's affair: a gcc's bytecode is none that its linker reads.
            self.release_flags.extend(["-O3", "-DNDEBUG", "-fno-lto"]);
        }
        self.libraries.extend(match target.os.as_str() {
            "windows" => &["ws2_32", "crypt32", "advapi32"][..],
            "android" => &["m"],
            _ if target.is_apple() => &[],
            _ => &["m", "pthread"],
        });
    }
}

/// What one feature consists of on a target.
#[derive(Default)]
struct Parts {
    /// Macros that are defined if and only if the feature is on.
    macros: &'static [&'static str],
    /// Macros that come along, and that another feature may define, too.
    helpers: &'static [&'static str],
    /// Name, value if on, value if off.
    options: &'static [(&'static str, &'static str, Option<&'static str>)],
    raw_variables: &'static [(&'static str, &'static str)],
    extra_sources: &'static [&'static str],
    c_flags: &'static [&'static str],
    /// Files that are compiled if and only if the feature is on.
    files: &'static [&'static str],
    /// Symbols that are in the library if and only if the feature is on.
    symbols: &'static [&'static str],
}

fn parts(feature: Feature, target: &Target) -> Parts {
    match feature {
        Feature::U128 => Parts {
            macros: &["HAVE___UINT128_T"],
            // CMake skips its own look when the answer is given.
            options: &[("HAVE___UINT128_T", "1", Some("OFF"))],
            ..Parts::default()
        },
        Feature::Sp => Parts {
            macros: &[
                "WOLFSSL_HAVE_SP_RSA",
                "WOLFSSL_HAVE_SP_DH",
                "WOLFSSL_HAVE_SP_ECC",
                "WOLFSSL_SP_4096",
                "WOLFSSL_SP_384",
                "WOLFSSL_SP_521",
            ],
            raw_variables: &[("WOLFSSL_SP", "yes")],
            symbols: &[
                "sp_RsaPrivate_2048",
                "sp_RsaPrivate_4096",
                "sp_DhExp_2048",
                "sp_ecc_sign_256",
                "sp_ecc_sign_521",
            ],
            ..Parts::default()
        },
        Feature::SpAsm if target.is_aarch64() => Parts {
            macros: &["WOLFSSL_SP_ASM", "WOLFSSL_SP_ARM64", "WOLFSSL_SP_ARM64_ASM"],
            raw_variables: &[("WOLFSSL_SP_ASM", "yes"), ("WOLFSSL_SP_ARM64_ASM", "yes")],
            files: &["sp_arm64.c"],
            ..Parts::default()
        },
        Feature::SpAsm => Parts {
            macros: &[
                "WOLFSSL_SP_ASM",
                "WOLFSSL_SP_X86_64",
                "WOLFSSL_SP_X86_64_ASM",
            ],
            raw_variables: &[("WOLFSSL_SP_ASM", "yes"), ("WOLFSSL_SP_X86_64_ASM", "yes")],
            files: &["sp_x86_64.c", "sp_x86_64_asm.S"],
            symbols: &["sp_256_mont_mul_4", "sp_2048_mont_reduce_avx2_32"],
            ..Parts::default()
        },
        Feature::Armasm => Parts {
            macros: &["WOLFSSL_ARMASM"],
            // One ML-KEM routine needs an instruction beyond armv8-a.
            helpers: &["WOLFSSL_AARCH64_NO_SQRDMLSH"],
            raw_variables: &[("WOLFSSL_ARM_ASM", "yes")],
            files: &[
                "armv8-aes-asm.S",
                "armv8-sha256-asm.S",
                "armv8-curve25519.S",
            ],
            symbols: &[
                "wc_AES_GCM_encrypt_AARCH64",
                "Transform_Sha256_Len_crypto",
                "Transform_Sha512_Len_neon",
                "poly1305_arm64_blocks",
                "mlkem_basemul_mont",
            ],
            ..Parts::default()
        },
        Feature::Intelasm => Parts {
            macros: &["WOLFSSL_AESNI", "USE_INTEL_SPEEDUP"],
            raw_variables: &[("WOLFSSL_AESNI", "yes"), ("WOLFSSL_INTEL_ASM", "yes")],
            // Upstream's list stops at the 32-bit file.
            extra_sources: &["wolfcrypt/src/aes_x86_64_asm.S"],
            // aes.c uses the intrinsics; the choice at run time is by CPUID.
            c_flags: &["-maes"],
            files: &[
                "aes_x86_64_asm.S",
                "aes_gcm_asm.S",
                "sha256_asm.S",
                "fe_x25519_asm.S",
            ],
            symbols: &[
                "wc_AES_128_Key_Expansion_AESNI",
                "wc_AES_GCM_encrypt_avx512",
                "Transform_Sha256_AVX2",
                "Transform_Sha512_AVX2",
                "chacha_encrypt_avx2",
                "poly1305_blocks_avx2",
                "curve25519_avx2",
                "mlkem_compress_10_avx2",
            ],
            ..Parts::default()
        },
        Feature::FpEcc => Parts {
            macros: &["FP_ECC"],
            options: &[("WOLFSSL_FPECC", "yes", Some("no"))],
            ..Parts::default()
        },
    }
}
