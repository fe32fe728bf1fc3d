//! What this build of the library is, and what it chose on this machine.

/// The build report of `wolfssl-sys`.
pub use wolfssl_sys::{BuildInfo, Fate};

/// How the C library was built: version, compiler, what became of each feature.
pub fn build_info() -> &'static BuildInfo {
    wolfssl_sys::build_info()
}

/// The features of this machine's processor that the library found at run time, such as `avx2`.
/// Its assembly chooses by them; where [`build_info`] tells of none, they mean nothing to it.
///
/// C: `cpuid_get_flags`.
pub fn processor_features() -> Vec<&'static str> {
    crate::ffi::processor_features()
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_library_finds_what_the_standard_library_finds() {
        let found = super::processor_features();
        assert_eq!(
            found.contains(&"avx2"),
            std::is_x86_feature_detected!("avx2")
        );
        assert_eq!(found.contains(&"aes"), std::is_x86_feature_detected!("aes"));
        assert_eq!(found.contains(&"adx"), std::is_x86_feature_detected!("adx"));
    }
}
