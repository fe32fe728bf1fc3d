//! The functions that C calls, and the state they work on.
//!
//! None of them unwinds into C: a panic is caught, kept in [`CallbackState::panic`], and
//! resumed once the C function that called back has returned. None of them gives a caller
//! a way back into the session it runs under.

use std::any::Any;
use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rustls_pki_types::{CertificateDer, ServerName};
use wolfssl_sys as sys;

use super::early_data::EarlyDataState;
use super::resume::SessionData;
use super::signing::SigningState;
use super::tickets::TicketState;
use crate::key_log::KeyLog;
use crate::raw_keys::{CertificateType, RawPublicKeys};

/// What the callbacks of one session read and write; owned by that session through a raw
/// pointer, so that moving the session never invalidates C's copy of the address.
pub(super) struct CallbackState {
    /// Bytes of the peer not yet consumed; valid only inside `Session::with_io`.
    pub(super) input: *const u8,
    pub(super) input_len: usize,
    /// Where records to send go; valid only inside `Session::with_io`.
    pub(super) output: *mut Vec<u8>,
    /// The peer's chain, leaf first, as it came, whether or not it verified.
    pub(super) peer_chain: Vec<CertificateDer<'static>>,
    /// The type of what is in it, when the peer showed it in the session that was resumed.
    pub(super) resumed_type: Option<CertificateType>,
    /// A name that `wolfSSL_check_domain_name` cannot take and is checked here instead.
    pub(super) name: Option<ServerName<'static>>,
    /// The configuration was made with `dangerous()` not to verify.
    pub(super) accept_any: bool,
    /// Set when `name` was the reason for a refusal.
    pub(super) name_mismatch: bool,
    /// Keys that are accepted where no certificate is shown.
    pub(super) raw_keys: Option<RawPublicKeys>,
    /// The part of a key held elsewhere.
    pub(super) signing: Option<Box<SigningState>>,
    /// Where the session's secrets are told.
    pub(super) key_log: Option<Arc<dyn KeyLog>>,
    /// A client's sessions that came and were not fetched yet.
    pub(super) new_sessions: Vec<SessionData>,
    /// The part of a server's tickets.
    pub(super) tickets: TicketState,
    /// The part of early data.
    pub(super) early_data: EarlyDataState,
    /// The payload of a panic caught in a callback.
    pub(super) panic: Option<Box<dyn Any + Send>>,
    /// There was such a panic.
    pub(super) panicked: bool,
}

impl CallbackState {
    pub(super) fn new() -> Self {
        Self {
            input: std::ptr::null(),
            input_len: 0,
            output: std::ptr::null_mut(),
            peer_chain: Vec::new(),
            resumed_type: None,
            name: None,
            accept_any: false,
            name_mismatch: false,
            raw_keys: None,
            signing: None,
            key_log: None,
            new_sessions: Vec::new(),
            tickets: TicketState::default(),
            early_data: EarlyDataState::default(),
            panic: None,
            panicked: false,
        }
    }
}

/// `CallbackIORecv`: hands over bytes of the lent input; when there are none, says so.
///
/// Never returns 0, which wolfSSL would ask again for without end.
pub(super) unsafe extern "C" fn receive(
    _ssl: *mut sys::WOLFSSL,
    buffer: *mut c_char,
    size: c_int,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the context is the CallbackState given to wolfSSL_SetIOReadCtx, alive as long
    // as its session and used by no one else while C runs.
    let state = unsafe { &mut *context.cast::<CallbackState>() };
    let wanted = usize::try_from(size).unwrap_or(0);
    let count = wanted.min(state.input_len);
    if count == 0 {
        return sys::WOLFSSL_CBIO_ERR_WANT_READ;
    }
    // SAFETY: `input` points at `input_len` readable bytes lent by with_io; wolfSSL gives
    // `size` writable bytes; they are different allocations.
    unsafe {
        std::ptr::copy_nonoverlapping(state.input, buffer.cast::<u8>(), count);
        state.input = state.input.add(count);
    }
    state.input_len -= count;
    count as c_int
}

/// `CallbackIOSend`: appends to the lent output, always all of it, so that wolfSSL never
/// holds a sealed record back for a retry.
pub(super) unsafe extern "C" fn send(
    _ssl: *mut sys::WOLFSSL,
    buffer: *mut c_char,
    size: c_int,
    context: *mut c_void,
) -> c_int {
    // SAFETY: as in `receive`.
    let state = unsafe { &mut *context.cast::<CallbackState>() };
    let Ok(count) = usize::try_from(size) else {
        return sys::WOLFSSL_CBIO_ERR_GENERAL;
    };
    // SAFETY: `output` is null or the Vec lent by with_io for this call.
    let Some(output) = (unsafe { state.output.as_mut() }) else {
        return sys::WOLFSSL_CBIO_ERR_GENERAL;
    };
    // SAFETY: wolfSSL gives `size` readable bytes, valid during the call.
    output.extend_from_slice(unsafe { std::slice::from_raw_parts(buffer.cast::<u8>(), count) });
    size
}

/// `VerifyCallback`: keeps the chain and may turn a yes into a no, never the other way. To raw
/// public keys wolfSSL always says no here: those that are known are the one exception.
///
/// With WOLFSSL_ALWAYS_VERIFY_CB it runs for the leaf on success too.
pub(super) unsafe extern "C" fn verify(
    preverify: c_int,
    store: *mut sys::WOLFSSL_X509_STORE_CTX,
) -> c_int {
    // SAFETY: wolfSSL passes a store context that is valid until the callback returns.
    let Some(store) = (unsafe { store.as_ref() }) else {
        return 0;
    };
    // SAFETY: userCtx is the CallbackState set by wolfSSL_SetCertCbCtx on this session; no
    // other reference to it exists while C runs.
    let Some(state) = (unsafe { store.userCtx.cast::<CallbackState>().as_mut() }) else {
        return 0;
    };
    // SAFETY: certs holds totalCerts entries, leaf first, each a DER buffer, valid during
    // the callback.
    let chain = unsafe { copy_chain(store) };
    let verdict = catch_unwind(AssertUnwindSafe(|| {
        state.peer_chain = chain;
        state.resumed_type = None;
        let known = || store.error == sys::RPK_UNTRUSTED_E && raw_key_is_known(state);
        state.accept_any || known() || (preverify == 1 && name_is_covered(state))
    }));
    match verdict {
        Ok(true) => 1,
        Ok(false) => 0,
        Err(payload) => {
            state.panic = Some(payload);
            0
        }
    }
}

/// # Safety
/// `store.certs` must hold `store.totalCerts` buffers that are valid for reads.
unsafe fn copy_chain(store: &sys::WOLFSSL_X509_STORE_CTX) -> Vec<CertificateDer<'static>> {
    let count = usize::try_from(store.totalCerts).unwrap_or(0);
    if store.certs.is_null() {
        return Vec::new();
    }
    (0..count)
        .filter_map(|index| {
            // SAFETY: by this function's contract.
            let entry = unsafe { &*store.certs.add(index) };
            (!entry.buffer.is_null()).then(|| {
                // SAFETY: an entry's buffer holds `length` readable bytes.
                let der =
                    unsafe { std::slice::from_raw_parts(entry.buffer, entry.length as usize) };
                CertificateDer::from(der.to_vec())
            })
        })
        .collect()
}

/// Only for a raw key that was negotiated as such.
fn raw_key_is_known(state: &CallbackState) -> bool {
    match (&state.raw_keys, state.peer_chain.as_slice()) {
        (Some(known), [key]) => known.contains(key),
        _ => false,
    }
}

fn name_is_covered(state: &mut CallbackState) -> bool {
    let Some(name) = &state.name else {
        return true;
    };
    let covered = state
        .peer_chain
        .first()
        .and_then(|leaf| webpki::EndEntityCert::try_from(leaf).ok())
        .is_some_and(|leaf| leaf.verify_is_valid_for_subject_name(name).is_ok());
    state.name_mismatch = !covered;
    covered
}
