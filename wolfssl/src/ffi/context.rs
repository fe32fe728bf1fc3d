//! `WOLFSSL_CTX`: set up once, then shared and never changed.
//!
//! wolfSSL's setters on a context are not locked, and sessions borrow certificate and key
//! from it, so changing a context that sessions use is a use after free. The type system
//! keeps the two phases apart: [`ContextSetup`] has the setters and is unique, [`Context`]
//! has none and is shared.

use std::ffi::{c_int, c_long};
use std::ptr::NonNull;
use std::sync::Arc;

use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use wolfssl_sys as sys;

use super::callback;
use super::session_ids::SessionIdRules;
use super::signing::Signer;
use super::status::SUCCESS;
use super::tickets::TicketRules;

use super::verify::{Checks, verify};
use crate::links::Issuer;
use crate::raw_keys::RawPublicKeys;

/// Which end of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Client,
    Server,
}

/// What the peer must show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PeerVerification {
    /// No certificate is asked for (servers only).
    NotRequested,
    /// Asked for; a connection without one goes on, a bad one does not.
    Optional,
    /// No verified certificate, no connection.
    Required,
    /// Asked for after the handshake (servers only).
    PostHandshake { required: bool },
    /// Whatever is shown is accepted.
    Dangerous,
}

/// A context under construction.
pub(crate) struct ContextSetup {
    context: Context,
}

/// A finished context.
pub(crate) struct Context {
    handle: Handle,
    role: Role,
    verification: PeerVerification,
    signer: Option<Signer>,
    raw_keys: Option<RawPublicKeys>,
    groups: Vec<c_int>,
    fragment_size: usize,
    tickets: Option<Arc<TicketRules>>,

    checks: Arc<Checks>,
    session_ids: Option<Arc<SessionIdRules>>,
}

/// The C half of a context: the one part whose safety between threads is not the compiler's
/// to see.
struct Handle(NonNull<sys::WOLFSSL_CTX>);

// SAFETY: a WOLFSSL_CTX is not tied to the thread that made it; the library is built without
// SINGLE_THREADED (asserted by wolfssl-sys's build proof), so its reference count and its
// certificate manager are guarded by C mutexes.
unsafe impl Send for Handle {}
// SAFETY: as above; after setup no unlocked setter can be reached through `&Context`.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: we hold one reference, taken by wolfSSL_CTX_new; sessions hold their own.
        unsafe { sys::wolfSSL_CTX_free(self.0.as_ptr()) }
    }
}

impl Context {
    pub(super) fn as_ptr(&self) -> *mut sys::WOLFSSL_CTX {
        self.handle.0.as_ptr()
    }

    pub(super) fn accepts_any_certificate(&self) -> bool {
        self.verification == PeerVerification::Dangerous
    }

    pub(super) fn verifies_peer(&self) -> bool {
        !matches!(
            self.verification,
            PeerVerification::NotRequested | PeerVerification::Dangerous
        )
    }

    /// The key held elsewhere that signs, if any.
    pub(super) fn signer(&self) -> Option<&Signer> {
        self.signer.as_ref()
    }

    /// The most plaintext to seal at a time, in bytes; it fits a `c_int`.
    pub(super) fn fragment_size(&self) -> usize {
        self.fragment_size
    }

    /// The peers known by their key.
    pub(super) fn raw_keys(&self) -> Option<&RawPublicKeys> {
        self.raw_keys.as_ref()
    }

    /// What is checked beside wolfSSL.
    pub(super) fn checks(&self) -> &Arc<Checks> {
        &self.checks
    }

    /// The groups, most preferred first.
    pub(super) fn groups(&self) -> &[c_int] {
        &self.groups
    }

    /// How a server keeps sessions that have an id, if it does.
    pub(super) fn session_id_rules(&self) -> Option<&Arc<SessionIdRules>> {
        self.session_ids.as_ref()
    }

    /// How a server issues and takes tickets, if it does.
    pub(super) fn ticket_rules(&self) -> Option<&Arc<TicketRules>> {
        self.tickets.as_ref()
    }

    pub(crate) fn role(&self) -> Role {
        self.role
    }
}

impl ContextSetup {
    /// A context for `role` that speaks the versions between `min` and `max`, given as wire
    /// values (0x0303, 0x0304). `None` when memory is short or the library is not usable.
    pub(crate) fn new(role: Role, tls12: bool, tls13: bool) -> Result<Self, i32> {
        super::init()?;
        // SAFETY: method constructors take no arguments; wolfSSL_CTX_new takes ownership of
        // the method and accepts null, which it reports by returning null.
        let ptr = unsafe {
            let method = match (role, tls12, tls13) {
                (Role::Client, true, false) => sys::wolfTLSv1_2_client_method(),
                (Role::Client, false, _) => sys::wolfTLSv1_3_client_method(),
                (Role::Client, true, true) => sys::wolfTLS_client_method(),
                (Role::Server, true, false) => sys::wolfTLSv1_2_server_method(),
                (Role::Server, false, _) => sys::wolfTLSv1_3_server_method(),
                (Role::Server, true, true) => sys::wolfTLS_server_method(),
            };
            sys::wolfSSL_CTX_new(method)
        };
        let ptr = NonNull::new(ptr).ok_or(sys::MEMORY_E)?;
        let mut setup = Self {
            context: Context {
                handle: Handle(ptr),
                role,
                verification: PeerVerification::NotRequested,
                signer: None,
                raw_keys: None,
                fragment_size: c_int::MAX as usize,
                groups: Vec::new(),
                tickets: None,

                checks: Arc::default(),
                session_ids: None,
            },
        };
        if tls12 && tls13 {
            // SAFETY: live, unshared context; the value is one of the enum's.
            check(unsafe {
                sys::wolfSSL_CTX_SetMinVersion(setup.ptr(), sys::WOLFSSL_TLSV1_2 as c_int)
            })?;
        }
        // SAFETY: live, unshared context; both callbacks have the CallbackIORecv/IOSend type.
        unsafe {
            sys::wolfSSL_CTX_SetIORecv(setup.ptr(), Some(callback::receive));
            sys::wolfSSL_CTX_SetIOSend(setup.ptr(), Some(callback::send));
        }
        if role == Role::Server {
            // SAFETY: live, unshared context; sets a callback that has no state.
            unsafe { sys::wolfssl_rs_prefer_own_alpn(setup.ptr()) };
        }
        Ok(setup)
    }

    /// The checks under construction.
    pub(super) fn checks(&mut self) -> &mut Checks {
        // Nobody else has them before the setup ends.
        Arc::make_mut(&mut self.context.checks)
    }

    /// Ends the setup.
    pub(crate) fn finish(self) -> Context {
        self.context
    }

    pub(super) fn ptr(&mut self) -> *mut sys::WOLFSSL_CTX {
        self.context.handle.0.as_ptr()
    }

    pub(super) fn role(&self) -> Role {
        self.context.role
    }

    pub(super) fn set_raw_keys(&mut self, keys: Option<RawPublicKeys>) {
        self.context.raw_keys = keys;
    }

    /// Limits the records to send; `size` is one of `FRAGMENT_SIZES`.
    pub(crate) fn set_fragment_size(&mut self, size: usize) {
        self.context.fragment_size = size;
    }

    pub(super) fn set_signer(&mut self, signer: Signer) {
        self.context.signer = Some(signer);
    }

    pub(super) fn set_session_id_rules(&mut self, rules: Arc<SessionIdRules>) {
        self.context.session_ids = Some(rules);
    }

    pub(super) fn set_ticket_rules(&mut self, rules: Arc<TicketRules>) {
        self.context.tickets = Some(rules);
    }

    /// `wolfSSL_CTX_set_verify`; the callback is always ours, as it brings the chain.
    pub(crate) fn set_verification(&mut self, verification: PeerVerification) {
        self.context.verification = verification;
        let mode = match verification {
            PeerVerification::NotRequested | PeerVerification::Dangerous => {
                sys::WOLFSSL_VERIFY_NONE
            }
            PeerVerification::Optional => sys::WOLFSSL_VERIFY_PEER,
            PeerVerification::PostHandshake { required: false } => {
                sys::WOLFSSL_VERIFY_PEER | sys::WOLFSSL_VERIFY_POST_HANDSHAKE
            }
            PeerVerification::PostHandshake { required: true } => {
                sys::WOLFSSL_VERIFY_PEER
                    | sys::WOLFSSL_VERIFY_POST_HANDSHAKE
                    | sys::WOLFSSL_VERIFY_FAIL_IF_NO_PEER_CERT
            }
            PeerVerification::Required => {
                sys::WOLFSSL_VERIFY_PEER | sys::WOLFSSL_VERIFY_FAIL_IF_NO_PEER_CERT
            }
        };
        // SAFETY: live, unshared context; the callback has the VerifyCallback type.
        unsafe {
            sys::wolfSSL_CTX_set_verify(self.ptr(), mode as c_int, Some(verify));
        }
    }

    /// Adds one trust anchor (`wolfSSL_CTX_load_verify_buffer`, DER).
    pub(crate) fn add_trust_anchor(&mut self, der: &CertificateDer<'_>) -> Result<(), i32> {
        self.checks().anchors.extend(Issuer::new(der));
        // SAFETY: the buffer is readable for its length and copied by wolfSSL.
        check(unsafe {
            sys::wolfSSL_CTX_load_verify_buffer(
                self.ptr(),
                der.as_ref().as_ptr(),
                der.as_ref().len() as c_long,
                sys::WOLFSSL_FILETYPE_ASN1 as c_int,
            )
        })
    }

    /// Loads the chain, leaf first (`wolfSSL_CTX_use_certificate_chain_buffer_format`, DER).
    pub(crate) fn use_chain(&mut self, chain: &[CertificateDer<'_>]) -> Result<(), i32> {
        let bytes = chain
            .iter()
            .flat_map(|der| der.as_ref())
            .copied()
            .collect::<Vec<_>>();
        // SAFETY: the buffer is readable for its length and copied by wolfSSL.
        check(unsafe {
            sys::wolfSSL_CTX_use_certificate_chain_buffer_format(
                self.ptr(),
                bytes.as_ptr(),
                bytes.len() as c_long,
                sys::WOLFSSL_FILETYPE_ASN1 as c_int,
            )
        })
    }

    /// Loads the private key (`wolfSSL_CTX_use_PrivateKey_buffer`, DER of any of the three forms).
    pub(crate) fn use_private_key(&mut self, key: &PrivateKeyDer<'_>) -> Result<(), i32> {
        let der = key.secret_der();
        // SAFETY: the buffer is readable for its length and copied by wolfSSL.
        check(unsafe {
            sys::wolfSSL_CTX_use_PrivateKey_buffer(
                self.ptr(),
                der.as_ptr(),
                der.len() as c_long,
                sys::WOLFSSL_FILETYPE_ASN1 as c_int,
            )
        })
    }

    /// Whether the loaded key belongs to the loaded leaf (`wolfSSL_CTX_check_private_key`).
    pub(crate) fn key_matches_chain(&mut self) -> bool {
        // SAFETY: live context with certificate and key loaded; the call only reads.
        unsafe { sys::wolfSSL_CTX_check_private_key(self.ptr()) == SUCCESS }
    }

    /// Suites by wire value, most preferred first (`wolfSSL_CTX_set_cipher_list_bytes`).
    pub(crate) fn set_cipher_suites(&mut self, suites: &[u16]) -> Result<(), i32> {
        let bytes = suites
            .iter()
            .flat_map(|suite| suite.to_be_bytes())
            .collect::<Vec<_>>();
        // SAFETY: the buffer is readable for its length and copied by wolfSSL.
        check(unsafe {
            sys::wolfSSL_CTX_set_cipher_list_bytes(self.ptr(), bytes.as_ptr(), bytes.len() as c_int)
        })
    }

    /// Groups by wire value, most preferred first (`wolfSSL_CTX_set_groups`).
    pub(crate) fn set_groups(&mut self, groups: &[u16]) -> Result<(), i32> {
        let mut groups = groups
            .iter()
            .map(|&group| c_int::from(group))
            .collect::<Vec<_>>();
        // SAFETY: the array is readable for its length and copied by wolfSSL.
        check(unsafe {
            sys::wolfSSL_CTX_set_groups(self.ptr(), groups.as_mut_ptr(), groups.len() as c_int)
        })?;
        self.context.groups = groups;
        Ok(())
    }
}

/// wolfSSL's setters return 1, or a negative code, or 0 without one.
pub(super) fn check(code: c_int) -> Result<(), i32> {
    if code == SUCCESS { Ok(()) } else { Err(code) }
}
