//! What this build of the library is, and what it chose on this machine.

/// The build report of `wolfssl-sys`.
pub use wolfssl_sys::BuildInfo;

/// How the C library was built: version, compiler, what became of each feature.
pub fn build_info() -> &'static BuildInfo {
    wolfssl_sys::build_info()
}
