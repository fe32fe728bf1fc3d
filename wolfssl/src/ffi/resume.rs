//! Sessions as bytes: how a client gets the ones it is given, and how it offers one.
//!
//! wolfSSL's own caches stay out of it. Its callback for new sessions tells of each ticket as
//! it comes, several in one call, too; what is kept is the serialised session, so that no
//! WOLFSSL_SESSION is ever shared between connections or threads.

use std::ffi::{c_int, c_long, c_uchar, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

use rustls_pki_types::CertificateDer;
use wolfssl_sys as sys;
use zeroize::Zeroizing;

use super::callback::CallbackState;
use super::context::{ContextSetup, check};
use super::raw_keys::certificate_type;
use super::session::Session;
use super::status::SUCCESS;
use crate::raw_keys::CertificateType;

/// A serialised WOLFSSL_SESSION and what it says.
pub(crate) struct SessionData {
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    /// Version and suite as on the wire.
    pub(crate) version: u16,
    pub(crate) suite: u16,
    /// In seconds, from when it came.
    pub(crate) lifetime: u32,
    /// In bytes.
    pub(crate) early_data: u32,
}

/// What a peer proved to be: its chain, leaf first, or its raw public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PeerIdentity {
    pub(crate) kind: CertificateType,
    pub(crate) chain: Arc<[CertificateDer<'static>]>,
}

impl PeerIdentity {
    pub(super) fn adopt(&self, state: &mut CallbackState) {
        state.peer_chain = self.chain.to_vec();
        state.resumed_type = Some(self.kind);
    }
}

impl CallbackState {
    /// What the peer has shown in this connection.
    ///
    /// # Safety
    /// `ssl` must be the live session of a server that this is the state of.
    pub(super) unsafe fn peer_identity(&self, ssl: *mut sys::WOLFSSL) -> PeerIdentity {
        let mut kind = 0;
        // SAFETY: by this function's contract; the call only reads, and writes the value.
        unsafe { sys::wolfSSL_get_negotiated_client_cert_type(ssl, &raw mut kind) };
        PeerIdentity {
            kind: self.resumed_type.unwrap_or(certificate_type(kind)),
            chain: Arc::from(self.peer_chain.as_slice()),
        }
    }
}

/// How long a TLS 1.2 session is tried when the server does not say, in seconds.
const UNSAID_LIFETIME: u32 = 2 * 60 * 60;
/// More than a server sends while one call runs has no use.
const MAX_NEW_SESSIONS: usize = 16;

impl SessionData {
    /// Whether wolfSSL can read it, and finds in it what is said of it.
    pub(crate) fn check(&self) -> Result<(), i32> {
        let session = OwnedSession::from_bytes(&self.bytes)?;
        // SAFETY: a live session; the calls only read.
        let found = unsafe {
            (
                sys::wolfssl_rs_session_version(session.0.as_ptr()),
                sys::wolfssl_rs_session_suite(session.0.as_ptr()),
                sys::wolfssl_rs_session_early_data(session.0.as_ptr()),
            )
        };
        if found
            == (
                i32::from(self.version),
                i32::from(self.suite),
                self.early_data,
            )
        {
            Ok(())
        } else {
            Err(sys::BUFFER_E)
        }
    }
}

/// A WOLFSSL_SESSION with one reference, ours.
pub(super) struct OwnedSession(NonNull<sys::WOLFSSL_SESSION>);

impl Drop for OwnedSession {
    fn drop(&mut self) {
        // SAFETY: the reference is ours and given up once.
        unsafe { sys::wolfSSL_SESSION_free(self.0.as_ptr()) }
    }
}

impl OwnedSession {
    /// `wolfSSL_d2i_SSL_SESSION`, which checks every length in it against the whole.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, i32> {
        let size = c_long::try_from(bytes.len()).map_err(|_| sys::BUFFER_E)?;
        let mut position = bytes.as_ptr();
        // SAFETY: `position` points at `size` readable bytes, which are copied; there is no
        // session to replace.
        let session =
            unsafe { sys::wolfSSL_d2i_SSL_SESSION(std::ptr::null_mut(), &raw mut position, size) };
        let session = Self(NonNull::new(session).ok_or(sys::BUFFER_E)?);
        // Something behind the session means that it is not what was written.
        if position == bytes.as_ptr_range().end {
            Ok(session)
        } else {
            Err(sys::BUFFER_E)
        }
    }
}

impl OwnedSession {
    /// Hands the reference to C.
    pub(super) fn into_raw(self) -> *mut sys::WOLFSSL_SESSION {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }
}

/// `wolfSSL_i2d_SSL_SESSION`.
///
/// # Safety
/// `session` must be live and not change meanwhile.
pub(super) unsafe fn serialise(
    session: *mut sys::WOLFSSL_SESSION,
) -> Result<Zeroizing<Vec<u8>>, i32> {
    // SAFETY: by this function's contract; without a buffer the call only counts.
    let size = unsafe { sys::wolfSSL_i2d_SSL_SESSION(session, std::ptr::null_mut()) };
    let size = usize::try_from(size).map_err(|_| size)?;
    let mut bytes = Zeroizing::new(vec![0; size]);
    let mut position: *mut c_uchar = bytes.as_mut_ptr();
    // SAFETY: as above; the buffer has the size that was just counted.
    let written = unsafe { sys::wolfSSL_i2d_SSL_SESSION(session, &raw mut position) };
    if usize::try_from(written) == Ok(size) {
        Ok(bytes)
    } else {
        Err(sys::BUFFER_E)
    }
}

impl ContextSetup {
    /// Has a client keep what it needs to resume, and ask for TLS 1.2 tickets.
    pub(crate) fn keep_client_sessions(&mut self) -> Result<(), i32> {
        // SAFETY: live, unshared context; the callback has the type that the setter declares.
        unsafe {
            sys::wolfSSL_CTX_set_session_cache_mode(
                self.ptr(),
                sys::WOLFSSL_SESS_CACHE_NO_INTERNAL as c_long,
            );
            sys::wolfSSL_CTX_sess_set_new_cb(self.ptr(), Some(new_session));
            check(sys::wolfSSL_CTX_set_timeout(self.ptr(), UNSAID_LIFETIME))?;
            check(sys::wolfSSL_CTX_UseSessionTicket(self.ptr()))
        }
    }
}

impl Session {
    /// Offers to resume; `false` when wolfSSL finds that the session has run out or does not
    /// go with the versions enabled. The handshake is then a full one.
    pub(crate) fn offer_session(&mut self, data: &SessionData) -> Result<bool, i32> {
        let session = OwnedSession::from_bytes(&data.bytes)?;
        let state = self.state_ptr().cast::<c_void>();
        // SAFETY: live session that has not begun its handshake; wolfSSL takes a reference of
        // its own to the session to resume. The callback has the type that the setter declares,
        // and the state's address stays valid until after wolfSSL_free.
        let code = unsafe {
            sys::wolfSSL_set_SessionTicket_cb(self.ssl.as_ptr(), Some(ticket_came), state);
            sys::wolfSSL_set_session(self.ssl.as_ptr(), session.0.as_ptr())
        };
        self.with_state(|state| state.awaits_ticket = true);
        Ok(code == SUCCESS)
    }

    /// The sessions that the server gave since the last call, oldest first.
    pub(crate) fn take_new_sessions(&mut self) -> Vec<SessionData> {
        self.with_state(|state| std::mem::take(&mut state.new_sessions))
    }

    /// What the peer has shown of who it is.
    pub(crate) fn peer_identity(&self) -> PeerIdentity {
        PeerIdentity {
            kind: self.peer_certificate_type(),
            chain: Arc::from(self.peer_chain()),
        }
    }

    /// Takes over what the peer of a resumed session once proved.
    pub(crate) fn adopt_peer_identity(&mut self, identity: &PeerIdentity) {
        self.with_state(|state| identity.adopt(state));
    }
}

/// The callback of `wolfSSL_CTX_sess_set_new_cb` for clients: keeps the session's bytes.
/// Returns 0, as no reference is kept.
unsafe extern "C" fn new_session(
    ssl: *mut sys::WOLFSSL,
    session: *mut sys::WOLFSSL_SESSION,
) -> c_int {
    // SAFETY: the read context of every session of ours is its CallbackState, which no one
    // else uses while C runs.
    let state = unsafe { &mut *sys::wolfSSL_GetIOReadCtx(ssl).cast::<CallbackState>() };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: wolfSSL passes a session that is live until the callback returns.
        if let Some(data) = unsafe { describe(session, state.awaits_ticket) } {
            if state.new_sessions.len() == MAX_NEW_SESSIONS {
                state.new_sessions.remove(0);
            }
            state.new_sessions.push(data);
        }
    }));
    if let Err(payload) = outcome {
        state.panic = Some(payload);
    }
    0
}

/// The callback of `wolfSSL_set_SessionTicket_cb`: the ticket that was offered is replaced.
unsafe extern "C" fn ticket_came(
    _ssl: *mut sys::WOLFSSL,
    _ticket: *const c_uchar,
    _size: c_int,
    context: *mut c_void,
) -> c_int {
    // SAFETY: the context is the CallbackState of this session, as in `new_session`.
    unsafe { (*context.cast::<CallbackState>()).awaits_ticket = false };
    0
}

/// What a new session says; with `stale`, its ticket is the one that was offered.
///
/// # Safety
/// `session` must be live and used by no one else meanwhile.
unsafe fn describe(session: *mut sys::WOLFSSL_SESSION, stale: bool) -> Option<SessionData> {
    // SAFETY: by this function's contract.
    unsafe {
        if stale {
            sys::wolfssl_rs_session_drop_ticket(session);
        }
        if sys::wolfssl_rs_session_is_resumable(session) == 0 {
            return None;
        }
        let version = u16::try_from(sys::wolfssl_rs_session_version(session)).ok()?;
        let mut lifetime = u32::try_from(sys::wolfSSL_SESSION_get_timeout(session)).ok()?;
        if lifetime == 0 {
            if version >= 0x0304 {
                return None; // to be discarded at once (RFC 8446, section 4.6.1)
            }
            lifetime = UNSAID_LIFETIME;
            sys::wolfSSL_SSL_SESSION_set_timeout(session, c_long::from(lifetime as i32));
        }
        Some(SessionData {
            bytes: serialise(session).ok()?,
            version,
            suite: u16::try_from(sys::wolfssl_rs_session_suite(session)).ok()?,
            lifetime,
            early_data: sys::wolfssl_rs_session_early_data(session),
        })
    }
}
