//! Decrypts private keys with a password.

use std::ffi::{CString, c_char, c_int};

use wolfssl_sys as sys;
use zeroize::{Zeroize, Zeroizing};

/// The PKCS #8 key in an EncryptedPrivateKeyInfo (`wc_DecryptPKCS8Key`), which is overwritten.
pub(crate) fn decrypt_pkcs8<'a>(der: &'a mut [u8], password: &[u8]) -> Result<&'a [u8], i32> {
    let size = u32::try_from(der.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
    let password_size = c_int::try_from(password.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
    // SAFETY: der is readable and writable for `size` bytes, within which the call works;
    // password is readable for its size.
    let length = unsafe {
        sys::wc_DecryptPKCS8Key(
            der.as_mut_ptr(),
            size,
            password.as_ptr().cast::<c_char>(),
            password_size,
        )
    };
    let length = usize::try_from(length).map_err(|_| length)?;
    // The length is that of the element found: a wrong password may have left anything there.
    der.get(..length)
        .filter(|key| !key.is_empty())
        .ok_or(sys::ASN_PARSE_E)
}

/// The DER key in an RFC 1421 PEM section (`wc_KeyPemToDer`).
pub(crate) fn decrypt_legacy_pem(pem: &[u8], password: &[u8]) -> Result<Zeroizing<Vec<u8>>, i32> {
    let size = c_int::try_from(pem.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
    let password = CString::new(password).map_err(|_| sys::BAD_FUNC_ARG)?;
    let mut der = Zeroizing::new(vec![0; pem.len()]);
    // SAFETY: pem is readable and der writable for `size` bytes; the password ends with NUL.
    let length = unsafe {
        sys::wc_KeyPemToDer(
            pem.as_ptr(),
            size,
            der.as_mut_ptr(),
            size,
            password.as_ptr(),
        )
    };
    password.into_bytes().zeroize();
    let length = usize::try_from(length).map_err(|_| length)?;
    der.truncate(length);
    Ok(der)
}
