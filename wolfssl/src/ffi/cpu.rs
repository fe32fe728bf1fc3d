//! What wolfSSL's run-time dispatch found on this machine.

use wolfssl_sys as sys;

/// The names of the processor's features that the library knows and found.
///
/// Asks by `cpuid_get_flags`, which detects on its first call. Empty where the library chooses
/// nothing at run time.
#[cfg(target_arch = "x86_64")]
pub(crate) fn processor_features() -> Vec<&'static str> {
    named(&[
        ("ssse3", sys::CPUID_SSSE3),
        ("avx", sys::CPUID_AVX1),
        ("avx2", sys::CPUID_AVX2),
        ("bmi1", sys::CPUID_BMI1),
        ("bmi2", sys::CPUID_BMI2),
        ("adx", sys::CPUID_ADX),
        ("movbe", sys::CPUID_MOVBE),
        ("rdrand", sys::CPUID_RDRAND),
        ("rdseed", sys::CPUID_RDSEED),
        ("aes", sys::CPUID_AESNI),
        ("sha", sys::CPUID_SHA),
        ("vaes", sys::CPUID_VAES),
        ("avx512f", sys::CPUID_AVX512),
        ("avx512bw", sys::CPUID_AVX512_BW),
        ("avx512dq", sys::CPUID_AVX512_DQ),
        ("avx512vl", sys::CPUID_AVX512_VL),
        ("avx512ifma", sys::CPUID_AVX512_IFMA),
        ("avx512vbmi", sys::CPUID_AVX512_VBMI),
        ("avx512vbmi2", sys::CPUID_AVX512_VBMI2),
    ])
}

/// As on x86_64.
#[cfg(target_arch = "aarch64")]
pub(crate) fn processor_features() -> Vec<&'static str> {
    named(&[
        ("neon", sys::CPUID_ASIMD),
        ("aes", sys::CPUID_AES),
        ("pmull", sys::CPUID_PMULL),
        ("sha256", sys::CPUID_SHA256),
        ("sha512", sys::CPUID_SHA512),
        ("sha3", sys::CPUID_SHA3),
        ("rdm", sys::CPUID_RDM),
        ("sb", sys::CPUID_SB),
        ("sve", sys::CPUID_SVE),
    ])
}

/// Nothing is chosen at run time here.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn processor_features() -> Vec<&'static str> {
    vec![]
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn named(known: &[(&'static str, i32)]) -> Vec<&'static str> {
    // SAFETY: cpuid_get_flags takes no arguments and publishes its one word atomically.
    let found = unsafe { sys::cpuid_get_flags() };
    let is_found = |flag: i32| found & flag.cast_unsigned() != 0;
    known
        .iter()
        .filter(|(_, flag)| is_found(*flag))
        .map(|(name, _)| *name)
        .collect()
}
