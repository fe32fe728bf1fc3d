//! wolfSSL's return codes and their texts.

use std::ffi::{CStr, c_char, c_ulong};

use wolfssl_sys as sys;

/// `WOLFSSL_SUCCESS`.
pub(crate) const SUCCESS: i32 = 1;

/// wolfSSL's own words for an error code (`wolfSSL_ERR_error_string_n`).
pub(crate) fn reason_text(code: i32) -> String {
    let mut buffer = [0u8; 128];
    // SAFETY: wolfSSL_ERR_error_string_n writes at most `len` bytes including the NUL; the
    // buffer is that long. Codes are passed as the unsigned image of the negative int.
    unsafe {
        sys::wolfSSL_ERR_error_string_n(
            code as c_ulong,
            buffer.as_mut_ptr().cast::<c_char>(),
            buffer.len() as c_ulong,
        );
    }
    CStr::from_bytes_until_nul(&buffer)
        .map(|text| text.to_string_lossy().into_owned())
        .unwrap_or_default()
}
