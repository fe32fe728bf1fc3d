//! Encrypted Client Hello: keys and configurations of contexts, and the outcome of sessions.

use std::ffi::{CString, c_int};

use wolfssl_sys as sys;
use zeroize::Zeroizing;

use super::context::{ContextSetup, Role, check};
use super::session::Session;
use super::status::SUCCESS;
use crate::ech::{EchConfigList, EchKeys, EchStatus, KEY_LEN};

/// Whether wolfSSL finds a configuration in this list that it can use.
pub(crate) fn check_ech_configs(list: &[u8]) -> Result<(), i32> {
    let size = u32::try_from(list.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
    let mut setup = ContextSetup::new(Role::Client, false, true)?;
    // SAFETY: live, unshared context; the list is readable for its length and copied.
    check(unsafe { sys::wolfSSL_CTX_SetEchConfigs(setup.ptr(), list.as_ptr(), size) })
}

/// Whether wolfSSL takes this configuration, and the key is its private half.
pub(crate) fn check_ech_keys(keys: &EchKeys) -> Result<(), i32> {
    ContextSetup::new(Role::Server, false, true)?.add_ech_keys(keys)
}

/// A new key: the configuration for clients and the private half
/// (`wolfSSL_CTX_GenerateEchConfig`).
pub(crate) fn generate_ech_key(
    public_name: &str,
) -> Result<(Vec<u8>, Zeroizing<[u8; KEY_LEN]>), i32> {
    let name = CString::new(public_name).map_err(|_| sys::BAD_FUNC_ARG)?;
    let mut setup = ContextSetup::new(Role::Server, false, true)?;
    // SAFETY: live, unshared context; the NUL-terminated name is copied; zeros choose
    // X25519, HKDF-SHA256 and AES-128-GCM.
    check(unsafe { sys::wolfSSL_CTX_GenerateEchConfig(setup.ptr(), name.as_ptr(), 0, 0, 0) })?;
    let mut size = 0;
    // SAFETY: a null buffer asks for the size.
    unsafe {
        sys::wolfSSL_CTX_GetEchConfigs(setup.ptr(), std::ptr::null_mut(), &raw mut size);
    }
    let mut list = vec![0; size as usize];
    // SAFETY: the buffer is writable for `size` bytes, which is updated.
    check(unsafe {
        sys::wolfSSL_CTX_GetEchConfigs(setup.ptr(), list.as_mut_ptr(), &raw mut size)
    })?;
    list.truncate(size as usize);
    let mut key = Zeroizing::new([0; KEY_LEN]);
    // SAFETY: live context; the buffer has the 32 bytes that are written.
    match unsafe { sys::wolfssl_rs_ech_private_key(setup.ptr(), key.as_mut_ptr()) } {
        0 => Ok((list, key)),
        code => Err(code),
    }
}

impl ContextSetup {
    /// Has a server decrypt hellos to this key; the last one added is the one that clients
    /// with an outdated configuration are told first.
    pub(crate) fn add_ech_keys(&mut self, keys: &EchKeys) -> Result<(), i32> {
        let list = keys.config_list().as_bytes();
        let size = u32::try_from(list.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
        // SAFETY: live, unshared context; the list is readable for its length, the key for
        // its 32 bytes, and both are copied.
        let code = unsafe {
            sys::wolfssl_rs_ech_add_key(self.ptr(), list.as_ptr(), size, keys.key().as_ptr())
        };
        if code == 0 { Ok(()) } else { Err(code) }
    }

    /// Has clients send no extension, not even the random one that wolfSSL sends by itself
    /// (`wolfSSL_CTX_SetEchEnable`).
    pub(crate) fn disable_ech(&mut self) {
        // SAFETY: live, unshared context.
        unsafe { sys::wolfSSL_CTX_SetEchEnable(self.ptr(), 0) }
    }
}

impl Session {
    /// Encrypts the hello to one of these configurations (`wolfSSL_SetEchConfigs`).
    pub(crate) fn offer_ech(&mut self, list: &EchConfigList) -> Result<(), i32> {
        let bytes = list.as_bytes();
        let size = u32::try_from(bytes.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
        let ssl = self.ssl.as_ptr();
        // SAFETY: live session before its handshake; the list is readable for its length and
        // copied.
        check(unsafe { sys::wolfSSL_SetEchConfigs(ssl, bytes.as_ptr(), size) })?;
        // wolfSSL would put the session id of middlebox compatibility into the inner hello,
        // where RFC 9849 wants none.
        // SAFETY: as above.
        unsafe { sys::wolfssl_rs_set_middlebox_compat(ssl, 0) };
        Ok(())
    }

    /// `wolfSSL_GetEchStatus`.
    pub(crate) fn ech_status(&self) -> EchStatus {
        // SAFETY: live session; the call only reads.
        match unsafe { sys::wolfSSL_GetEchStatus(self.ssl.as_ptr()) } {
            sys::WOLFSSL_ECH_STATUS_GREASE => EchStatus::Grease,
            sys::WOLFSSL_ECH_STATUS_REJECTED => EchStatus::Rejected,
            sys::WOLFSSL_ECH_STATUS_ACCEPTED => EchStatus::Accepted,
            _ => EchStatus::NotOffered,
        }
    }

    /// What a server that rejected tells to use instead, authenticated by its certificate for
    /// the public name (`wolfSSL_GetEchRetryConfigs`).
    pub(crate) fn ech_retry_configs(&mut self) -> Option<EchConfigList> {
        let ssl = self.ssl.as_ptr();
        let mut size = 0;
        // SAFETY: live session; a null buffer asks for the size.
        unsafe { sys::wolfSSL_GetEchRetryConfigs(ssl, std::ptr::null_mut(), &raw mut size) };
        let mut list = vec![0; size as usize];
        // SAFETY: the buffer is writable for `size` bytes, which is updated.
        let code: c_int =
            unsafe { sys::wolfSSL_GetEchRetryConfigs(ssl, list.as_mut_ptr(), &raw mut size) };
        list.truncate(size as usize);
        (code == SUCCESS && !list.is_empty()).then(|| EchConfigList::trusted(list))
    }
}
