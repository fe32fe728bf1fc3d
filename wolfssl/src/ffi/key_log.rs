//! The callbacks by which wolfSSL tells a session's secrets to a key log.

use std::ffi::{c_int, c_uchar, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use wolfssl_sys as sys;

use super::callback::CallbackState;
use super::session::Session;
use crate::key_log::KeyLog;

impl Session {
    /// Tells every secret of the handshake to `log` as it is derived.
    pub(crate) fn set_key_log(&mut self, log: Arc<dyn KeyLog>) {
        self.with_state(|state| state.key_log = Some(log));
        let (ssl, state) = (self.ssl.as_ptr(), self.state_ptr().cast::<c_void>());
        // SAFETY: live session; the functions have the callbacks' types, and the state's
        // address is valid until after wolfSSL_free.
        unsafe {
            sys::wolfSSL_set_tls13_secret_cb(ssl, Some(tls13_secret), state);
            sys::wolfSSL_set_secret_cb(ssl, Some(tls12_secret), state);
        }
    }
}

/// `Tls13SecretCb`.
unsafe extern "C" fn tls13_secret(
    ssl: *mut sys::WOLFSSL,
    id: c_int,
    secret: *const c_uchar,
    size: c_int,
    context: *mut c_void,
) -> c_int {
    let label = match u32::try_from(id) {
        Ok(sys::CLIENT_EARLY_TRAFFIC_SECRET) => "CLIENT_EARLY_TRAFFIC_SECRET",
        Ok(sys::CLIENT_HANDSHAKE_TRAFFIC_SECRET) => "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
        Ok(sys::SERVER_HANDSHAKE_TRAFFIC_SECRET) => "SERVER_HANDSHAKE_TRAFFIC_SECRET",
        Ok(sys::CLIENT_TRAFFIC_SECRET) => "CLIENT_TRAFFIC_SECRET_0",
        Ok(sys::SERVER_TRAFFIC_SECRET) => "SERVER_TRAFFIC_SECRET_0",
        Ok(sys::EARLY_EXPORTER_SECRET) => "EARLY_EXPORTER_SECRET",
        Ok(sys::EXPORTER_SECRET) => "EXPORTER_SECRET",
        Ok(sys::ECH_SECRET) => "ECH_SECRET",
        Ok(sys::ECH_CONFIG) => "ECH_CONFIG",
        _ => return 0,
    };
    // SAFETY: as this callback's contract has it.
    unsafe { tell(ssl, label, secret, size, context) }
}

/// `TlsSecretCb`: the master secret of a full TLS 1.2 handshake.
unsafe extern "C" fn tls12_secret(
    ssl: *mut sys::WOLFSSL,
    secret: *mut c_void,
    size: c_int,
    context: *mut c_void,
) -> c_int {
    // SAFETY: as this callback's contract has it.
    unsafe { tell(ssl, "CLIENT_RANDOM", secret.cast(), size, context) }
}

/// # Safety
/// `ssl` is the session that calls back, `secret` is readable for `size` bytes, and `context`
/// is the state given to [`Session::set_key_log`].
unsafe fn tell(
    ssl: *mut sys::WOLFSSL,
    label: &str,
    secret: *const c_uchar,
    size: c_int,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the state is alive as long as its session and used by no one else while C runs.
    let Some(state) = (unsafe { context.cast::<CallbackState>().as_mut() }) else {
        return sys::BAD_FUNC_ARG;
    };
    let (Some(log), Ok(size), false) = (&state.key_log, usize::try_from(size), secret.is_null())
    else {
        return 0;
    };
    let mut random = [0u8; 32];
    // SAFETY: live session, writes at most 32 bytes and returns how many.
    let random_size = unsafe {
        sys::wolfSSL_get_client_random(ssl, random.as_mut_ptr(), random.len() as _) as usize
    };
    // SAFETY: by this function's contract.
    let secret = unsafe { std::slice::from_raw_parts(secret, size) };
    let told = catch_unwind(AssertUnwindSafe(|| {
        if log.will_log(label) {
            log.log(label, &random[..random_size.min(32)], secret);
        }
    }));
    match told {
        Ok(()) => 0,
        Err(payload) => {
            state.panic = Some(payload);
            sys::BAD_STATE_E
        }
    }
}
