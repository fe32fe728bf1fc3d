//! The functions that C calls, and the state they work on.
//!
//! None of them unwinds into C: a panic is caught, kept in [`CallbackState::panic`], and
//! resumed once the C function that called back has returned. None of them gives a caller
//! a way back into the session it runs under.

use std::any::Any;
use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use rustls_pki_types::{CertificateDer, ServerName};
use wolfssl_sys as sys;

use super::early_data::EarlyDataState;
use super::resume::SessionData;
use super::signing::SigningState;
use super::tickets::TicketState;

use super::verify::{Checks, Refusal};
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
    /// Whom a client asked for, when a caller's check wants to know.
    pub(super) asked_name: Option<String>,
    /// What is checked beside wolfSSL.
    pub(super) checks: Arc<Checks>,
    /// Why a check of those refused the peer.
    pub(super) refusal: Option<Refusal>,
    /// The OCSP answer to give, and the one that was given.
    pub(super) ocsp_response: Option<Arc<[u8]>>,
    pub(super) peer_ocsp_response: Option<Vec<u8>>,
    /// The session and its context, for callbacks that are not told.
    pub(super) ssl: *mut sys::WOLFSSL,
    pub(super) context: *mut sys::WOLFSSL_CTX,
    /// Keys that are accepted where no certificate is shown.
    pub(super) raw_keys: Option<RawPublicKeys>,
    /// The part of a key held elsewhere.
    pub(super) signing: Option<Box<SigningState>>,
    /// Where the session's secrets are told.
    pub(super) key_log: Option<Arc<dyn KeyLog>>,
    /// A client's sessions that came and were not fetched yet.
    pub(super) new_sessions: Vec<SessionData>,
    /// A client has offered a session and got no new ticket yet.
    pub(super) awaits_ticket: bool,
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
            asked_name: None,
            checks: Arc::default(),
            refusal: None,
            ocsp_response: None,
            peer_ocsp_response: None,
            ssl: std::ptr::null_mut(),
            context: std::ptr::null_mut(),
            raw_keys: None,
            signing: None,
            key_log: None,
            new_sessions: Vec::new(),
            awaits_ticket: false,
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
