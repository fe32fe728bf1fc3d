//! The library that was built answers, and is the one that the report names.
#![allow(unsafe_code, reason = "the raw bindings are what is tested")]

use std::ffi::CStr;

use wolfssl_sys::{
    WOLFSSL_SUCCESS, build_info, wolfSSL_Cleanup, wolfSSL_Init, wolfSSL_lib_version,
};

#[test]
fn the_library_starts_and_is_the_release_of_the_report() {
    // SAFETY: wolfSSL_Init may be called at any time, and takes nothing.
    let started = unsafe { wolfSSL_Init() };
    assert_eq!(i64::from(started), i64::from(WOLFSSL_SUCCESS));
    // SAFETY: returns a pointer to a constant string that ends in NUL.
    let version = unsafe { CStr::from_ptr(wolfSSL_lib_version()) };
    assert_eq!(version.to_str().unwrap(), build_info().wolfssl_version);
    // SAFETY: the counterpart of the wolfSSL_Init above.
    let stopped = unsafe { wolfSSL_Cleanup() };
    assert_eq!(i64::from(stopped), i64::from(WOLFSSL_SUCCESS));
}
