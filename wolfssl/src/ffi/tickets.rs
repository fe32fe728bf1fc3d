//! A server's tickets: sealed and opened by our own callback, sent when the handshake is over.
//!
//! wolfSSL's own callback makes keys of its own, which no other server knows, and binds a
//! ticket to nothing that the server asks of its clients. Ours adds, sealed with the ticket,
//! when the client proved who it is and which chain it showed, and binds it to what the
//! configuration asks.

use std::ffi::{c_int, c_long, c_uchar, c_void};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use lru::LruCache;
use wolfssl_sys as sys;

use super::callback::CallbackState;
use super::context::{ContextSetup, check};
use super::crypto::{Gcm, TAG_SIZE, session_random, sha256};
use super::early_data::EarlyDataRules;
use super::resume::PeerIdentity;
use super::session::Session;
use super::session_ids::SessionIdRules;
use super::status::SUCCESS;
use crate::raw_keys::CertificateType;
use crate::resumption::keys::TicketKeys;
use crate::resumption::memory::lock;
use crate::resumption::{max_session_age, now};

/// What the tickets of a configuration have in common.
pub(crate) struct TicketRules {
    pub(crate) keys: TicketKeys,
    /// What a ticket is bound to: what is asked of clients.
    pub(crate) binding: [u8; 32],
    pub(crate) tls13_tickets: u8,
    /// In seconds.
    pub(crate) lifetime: u32,
    /// The chains of clients that hold tickets; `None` when none are asked for.
    pub(crate) client_chains: Option<ClientChains>,
    pub(crate) early_data: Option<EarlyDataRules>,
}

/// The verified chains of clients, by digest: tickets have room for a digest alone. A ticket
/// whose chain is gone, or was seen by another process, is not taken.
pub(crate) struct ClientChains {
    certificate_required: bool,
    known: Mutex<LruCache<ChainDigest, PeerIdentity>>,
}

type ChainDigest = [u8; 24];

/// How many clients' chains are kept.
const CLIENT_CHAINS: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

impl ClientChains {
    pub(crate) fn new(certificate_required: bool) -> Self {
        Self {
            certificate_required,
            known: Mutex::new(LruCache::new(CLIENT_CHAINS)),
        }
    }
}

/// One session's part in it.
#[derive(Default)]
pub(super) struct TicketState {
    rules: Option<Arc<TicketRules>>,
    session_ids: Option<Arc<SessionIdRules>>,
    /// What the tickets of the client's hello held; which of them is resumed is known later.
    opened: Vec<Opened>,
    /// What was kept under the session id of the client's hello.
    found: Option<Opened>,
    /// When the client proved who it is; known once the handshake is complete.
    authenticated_at: Option<u64>,
}

/// What is known of a session that a client wants to resume.
#[derive(Clone)]
pub(super) struct Opened {
    pub(super) session_id: [u8; 32],
    pub(super) authenticated_at: u64,
    pub(super) client: Option<PeerIdentity>,
}

/// What our own part of a ticket takes: eight bytes of time, and a digest.
const TRAILER_SIZE: usize = 8 + size_of::<ChainDigest>();
/// More tickets than that in one hello are not looked at.
const MAX_OPENED: usize = 8;

impl ContextSetup {
    /// Issues and takes tickets by these rules.
    pub(crate) fn use_tickets(&mut self, rules: TicketRules) -> Result<(), i32> {
        let lifetime = rules.lifetime;
        // SAFETY: live, unshared context; the callback has the SessionTicketEncCb type. The
        // tickets of TLS 1.3 are sent by send_tickets, so wolfSSL is to send none itself.
        unsafe {
            check(sys::wolfSSL_CTX_set_TicketEncCb(
                self.ptr(),
                Some(seal_or_open),
            ))?;
            check(sys::wolfSSL_CTX_set_TicketHint(
                self.ptr(),
                lifetime as c_int,
            ))?;
            check(sys::wolfSSL_CTX_set_timeout(self.ptr(), lifetime))?;
            check(sys::wolfSSL_CTX_set_num_tickets(self.ptr(), 0))?;
            // Without it a TLS 1.2 client whose ticket is not taken gets no new one.
            check(sys::wolfSSL_CTX_UseSessionTicket(self.ptr()))?;
        }
        self.set_ticket_rules(Arc::new(rules));
        Ok(())
    }

    /// Neither issues nor takes tickets. Contexts of one version refuse the other's call,
    /// which they do not need.
    pub(crate) fn no_tickets(&mut self) -> Result<(), i32> {
        // SAFETY: live, unshared context; without a callback no ticket can be opened.
        unsafe {
            sys::wolfSSL_CTX_NoTicketTLSv12(self.ptr());
            sys::wolfSSL_CTX_no_ticket_TLSv13(self.ptr());
            check(sys::wolfSSL_CTX_set_num_tickets(self.ptr(), 0))?;
            check(sys::wolfSSL_CTX_set_TicketEncCb(self.ptr(), None))
        }
    }

    /// Keeps sessions out of wolfSSL's caches, which are shared by all contexts.
    pub(crate) fn no_session_cache(&mut self) {
        // SAFETY: live, unshared context.
        unsafe {
            sys::wolfSSL_CTX_set_session_cache_mode(
                self.ptr(),
                sys::WOLFSSL_SESS_CACHE_OFF as c_long,
            );
        }
    }
}

impl Session {
    /// Gives the ticket callback its part of the session's state.
    pub(super) fn attach_tickets(&mut self) {
        let rules = self.context.ticket_rules().cloned();
        let session_ids = self.context.session_id_rules().cloned();
        self.with_state(|state| {
            state.tickets.rules = rules;
            state.tickets.session_ids = session_ids;
        });
    }

    /// Sends a client its TLS 1.3 tickets, once the handshake is complete.
    pub(crate) fn send_tickets(&mut self, output: &mut Vec<u8>) -> Result<(), i32> {
        let Some(rules) = self.context.ticket_rules().cloned() else {
            return Ok(());
        };
        if !matches!(self.version(), 0x0304 | 0xfefc) {
            return Ok(()); // neither TLS 1.3 nor DTLS 1.3
        }
        let early_data = rules.early_data.as_ref().map_or(0, |rules| rules.limit);
        // SAFETY: live session whose handshake is complete.
        unsafe { sys::wolfssl_rs_begin_tickets(self.ssl.as_ptr(), early_data) };
        for _ in 0..rules.tls13_tickets {
            let (code, error) = self.with_io(&mut &[][..], output, |ssl| {
                // SAFETY: live session with its output lent.
                unsafe {
                    let code = sys::wolfSSL_send_SessionTicket(ssl);
                    (code, sys::wolfSSL_get_error(ssl, code))
                }
            });
            match code {
                SUCCESS => {}
                // The client has no use for a ticket: it did not say how it would use one,
                // or in a way that this configuration does not allow.
                sys::MISSING_HANDSHAKE_DATA | sys::PSK_KEY_ERROR => return Ok(()),
                _ => return Err(error),
            }
        }
        Ok(())
    }

    /// Puts the chain that a resumed client once showed in its place; called when a server's
    /// handshake is complete.
    pub(crate) fn adopt_client_chain(&mut self) {
        let ssl = self.ssl.as_ptr();
        self.with_state(|state| {
            // SAFETY: live session; the call only reads.
            let origin = unsafe { origin(ssl, &state.tickets) };
            state.tickets.authenticated_at = Some(match origin {
                Origin::Resumed(opened) => {
                    if let Some(client) = opened.client {
                        client.adopt(state);
                    }
                    opened.authenticated_at
                }
                Origin::FullHandshake => now(),
                Origin::Unknown => 0,
            });
            state.tickets.opened = Vec::new();
        });
    }
}

/// `SessionTicketEncCb`.
#[allow(clippy::too_many_arguments)] // wolfSSL's
unsafe extern "C" fn seal_or_open(
    ssl: *mut sys::WOLFSSL,
    key_name: *mut c_uchar,
    iv: *mut c_uchar,
    mac: *mut c_uchar,
    seal: c_int,
    ticket: *mut c_uchar,
    size: c_int,
    out_size: *mut c_int,
    _context: *mut c_void,
) -> c_int {
    // SAFETY: the read context of every session of ours is its CallbackState, which no one
    // else uses while C runs.
    let state = unsafe { &mut *sys::wolfSSL_GetIOReadCtx(ssl).cast::<CallbackState>() };
    let Ok(size) = usize::try_from(size) else {
        return sys::WOLFSSL_TICKET_RET_REJECT;
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: wolfSSL gives 16, 16 and 32 bytes, none of which overlap with each other or
        // with the ticket. To seal, the ticket has room for `*out_size` bytes; to open, it has
        // `size`.
        unsafe {
            let mut parts = Parts {
                key_name: &mut *key_name.cast(),
                iv: &mut *iv.cast(),
                mac: &mut *mac.cast(),
            };
            let room = usize::try_from(*out_size).unwrap_or(0);
            let room = if seal == 0 { size } else { room };
            let ticket = std::slice::from_raw_parts_mut(ticket, room);
            if seal == 0 {
                open(state, ssl, &mut parts, ticket).map(|(verdict, length)| {
                    *out_size = length as c_int;
                    verdict
                })
            } else {
                sealed(state, ssl, &mut parts, ticket, size).map(|length| {
                    *out_size = length as c_int;
                    sys::WOLFSSL_TICKET_RET_OK
                })
            }
        }
    }));
    match outcome {
        Ok(Some(verdict)) => verdict,
        Ok(None) => sys::WOLFSSL_TICKET_RET_REJECT,
        Err(payload) => {
            state.panic = Some(payload);
            sys::WOLFSSL_TICKET_RET_FATAL
        }
    }
}

/// The fields of a ticket beside its sealed part.
struct Parts<'a> {
    key_name: &'a mut [u8; sys::WOLFSSL_TICKET_NAME_SZ as usize],
    iv: &'a mut [u8; sys::WOLFSSL_TICKET_IV_SZ as usize],
    mac: &'a mut [u8; sys::WOLFSSL_TICKET_MAC_SZ as usize],
}

impl Parts<'_> {
    /// What the seal covers beside the content.
    fn bound(&self, rules: &TicketRules) -> Vec<u8> {
        [&self.key_name[..], &self.iv[..], &rules.binding[..]].concat()
    }

    fn tag(&mut self) -> &mut [u8; TAG_SIZE] {
        self.mac.first_chunk_mut().expect("a tag is shorter")
    }
}

/// Seals the first `size` bytes of `ticket`, and ours behind them; returns how many it is now.
///
/// # Safety
/// `ssl` must be the live session that is calling back.
unsafe fn sealed(
    state: &mut CallbackState,
    ssl: *mut sys::WOLFSSL,
    parts: &mut Parts<'_>,
    ticket: &mut [u8],
    size: usize,
) -> Option<usize> {
    let rules = Arc::clone(state.tickets.rules.as_ref()?);
    let key = rules.keys.current()?;
    // SAFETY: by this function's contract.
    let origin = unsafe { origin(ssl, &state.tickets) };
    let (authenticated_at, client) = match (state.tickets.authenticated_at, origin) {
        // SAFETY: by this function's contract.
        (Some(time), _) => (time, Some(unsafe { state.peer_identity(ssl) })),
        // SAFETY: by this function's contract.
        (None, Origin::FullHandshake) => (now(), Some(unsafe { state.peer_identity(ssl) })),
        (None, Origin::Resumed(opened)) => (opened.authenticated_at, opened.client),
        (None, Origin::Unknown) => return None,
    };
    let digest = match (&rules.client_chains, client) {
        (Some(chains), Some(client)) if !client.chain.is_empty() => chains.remember(client)?,
        _ => ChainDigest::default(),
    };
    let content = ticket.get_mut(..size + TRAILER_SIZE)?;
    content[size..size + 8].copy_from_slice(&authenticated_at.to_be_bytes());
    content[size + 8..].copy_from_slice(&digest);
    *parts.key_name = key.name;
    // SAFETY: by this function's contract.
    unsafe { session_random(ssl, parts.iv) }.ok()?;
    let bound = parts.bound(&rules);
    let tag = Gcm::new(&key.key).and_then(|mut gcm| gcm.seal(parts.iv, &bound, content));
    *parts.mac = [0; sys::WOLFSSL_TICKET_MAC_SZ as usize];
    *parts.tag() = tag.ok()?;
    Some(content.len())
}

/// Opens `ticket` in place; returns the verdict and how many bytes are wolfSSL's.
///
/// # Safety
/// `ssl` must be the live session that is calling back.
unsafe fn open(
    state: &mut CallbackState,
    ssl: *mut sys::WOLFSSL,
    parts: &mut Parts<'_>,
    ticket: &mut [u8],
) -> Option<(c_int, usize)> {
    let rules = Arc::clone(state.tickets.rules.as_ref()?);
    let key = rules.keys.find(parts.key_name)?;
    // SAFETY: the call takes no arguments and returns a constant of the build.
    let size = usize::try_from(unsafe { sys::wolfssl_rs_ticket_size() }).ok()?;
    if ticket.len() != size + TRAILER_SIZE || state.tickets.opened.len() == MAX_OPENED {
        return None;
    }
    let bound = parts.bound(&rules);
    let tag = *parts.tag();
    Gcm::new(&key.key)
        .and_then(|mut gcm| gcm.open(parts.iv, &bound, ticket, &tag))
        .ok()?;
    let (content, trailer) = ticket.split_at(size);
    let (time, digest) = trailer.split_first_chunk::<8>()?;
    let authenticated_at = u64::from_be_bytes(*time);
    let is_tls13 = matches!(content[..2], [3, 4] | [0xfe, 0xfc]); // DTLS counts down
    if now().saturating_sub(authenticated_at) > max_session_age(is_tls13) {
        return None;
    }
    let client = match &rules.client_chains {
        Some(chains) => chains.recall(digest.try_into().ok()?)?,
        None => None,
    };
    if is_tls13 {
        // The tag tells the ticket from all others, and cannot be changed.
        let id = [&parts.iv[..], &tag[..]].concat();
        // SAFETY: by this function's contract; the content is a ticket that wolfSSL made.
        let (offered, ready, issued, allowed) = unsafe {
            (
                sys::wolfssl_rs_early_data_offered(ssl) != 0,
                sys::wolfssl_rs_has_key_share(ssl) != 0,
                sys::wolfssl_rs_ticket_issued(content.as_ptr()),
                sys::wolfssl_rs_ticket_early_data(content.as_ptr()),
            )
        };
        // A ticket that is turned down makes the handshake a full one, and early data is
        // passed over.
        if offered && !(ready && rules.early_data.as_ref()?.admit(&id, issued, allowed)) {
            return None;
        }
    }
    let mut session_id = [0; 32];
    // SAFETY: the content is a ticket that wolfSSL made; the id has the size it writes.
    unsafe { sys::wolfssl_rs_ticket_id(content.as_ptr(), session_id.as_mut_ptr()) };
    state.tickets.opened.push(Opened {
        session_id,
        authenticated_at,
        client,
    });
    // A TLS 1.2 client gets a new ticket in the same handshake.
    let verdict = if is_tls13 {
        sys::WOLFSSL_TICKET_RET_OK
    } else {
        sys::WOLFSSL_TICKET_RET_CREATE
    };
    Some((verdict, size))
}

/// Where the session of a server's handshake comes from.
enum Origin {
    FullHandshake,
    Resumed(Opened),
    /// Resumed, but from nothing that was opened or found here.
    Unknown,
}

/// # Safety
/// `ssl` must be live.
unsafe fn origin(ssl: *mut sys::WOLFSSL, tickets: &TicketState) -> Origin {
    let mut id = [0; 32];
    // SAFETY: by this function's contract; the id has the size it writes.
    let (resumed, from_ticket) = unsafe {
        (
            sys::wolfSSL_session_reused(ssl) == 1,
            sys::wolfssl_rs_resumed_ticket_id(ssl, id.as_mut_ptr()) == 1,
        )
    };
    if !resumed {
        return Origin::FullHandshake;
    }
    let opened = match from_ticket {
        true => tickets.chosen(&id),
        false => tickets.found.clone(),
    };
    opened.map_or(Origin::Unknown, Origin::Resumed)
}

impl TicketState {
    pub(super) fn session_ids(&self) -> Option<&Arc<SessionIdRules>> {
        self.session_ids.as_ref()
    }

    /// Whether a ticket of the session with this id was opened.
    pub(super) fn has_opened(&self, session_id: &[u8]) -> bool {
        let mut opened = self.opened.iter();
        opened.any(|opened| opened.session_id == session_id)
    }

    /// Notes what was kept under the session id that the client sent.
    pub(super) fn found(&mut self, session: Opened) {
        self.found = Some(session);
    }

    fn chosen(&self, session_id: &[u8; 32]) -> Option<Opened> {
        let mut with_id = self
            .opened
            .iter()
            .filter(|opened| &opened.session_id == session_id);
        with_id.next().cloned()
    }
}

impl ClientChains {
    fn remember(&self, client: PeerIdentity) -> Option<ChainDigest> {
        let mut text = vec![u8::from(client.kind == CertificateType::RawPublicKey)];
        for certificate in client.chain.iter() {
            text.extend_from_slice(&(certificate.len() as u64).to_be_bytes());
            text.extend_from_slice(certificate);
        }
        let digest = *sha256(&text).ok()?.first_chunk()?;
        lock(&self.known).put(digest, client);
        Some(digest)
    }

    /// `None` when the ticket is not to be taken, `Some(None)` for a client that showed no
    /// certificate and did not have to.
    #[allow(clippy::option_option)]
    fn recall(&self, digest: ChainDigest) -> Option<Option<PeerIdentity>> {
        if digest == ChainDigest::default() {
            return (!self.certificate_required).then_some(None);
        }
        lock(&self.known).get(&digest).cloned().map(Some)
    }
}

#[cfg(test)]
mod tests {
    use rustls_pki_types::CertificateDer;

    use super::*;

    fn client(sizes: &[usize]) -> PeerIdentity {
        PeerIdentity {
            kind: CertificateType::X509,
            chain: sizes
                .iter()
                .map(|&size| CertificateDer::from(vec![7; size]))
                .collect(),
        }
    }

    #[test]
    fn a_hello_with_two_tickets_gives_the_client_of_the_one_resumed() {
        let opened = |byte: u8| Opened {
            session_id: [byte; 32],
            authenticated_at: 0,
            client: Some(client(&[usize::from(byte)])),
        };
        let tickets = TicketState {
            opened: vec![opened(1), opened(2)],
            ..TicketState::default()
        };
        for byte in [1, 2] {
            let chosen = tickets.chosen(&[byte; 32]).unwrap();
            assert_eq!(chosen.client, Some(client(&[usize::from(byte)])));
        }
        assert!(tickets.chosen(&[3; 32]).is_none());
    }

    #[test]
    fn a_required_certificate_is_never_missing() {
        let (required, optional) = (ClientChains::new(true), ClientChains::new(false));
        let digest = required.remember(client(&[20])).unwrap();
        assert_eq!(required.recall(digest), Some(Some(client(&[20]))));
        assert_eq!(required.recall(ChainDigest::default()), None);
        assert_eq!(optional.recall(ChainDigest::default()), Some(None));
        // Seen by another process alone:
        assert_eq!(optional.recall(digest), None);
        // One certificate of 20 bytes is neither two of ten nor a raw key.
        assert_ne!(required.remember(client(&[10, 10])).unwrap(), digest);
        let raw = PeerIdentity {
            kind: CertificateType::RawPublicKey,
            ..client(&[20])
        };
        assert_ne!(required.remember(raw).unwrap(), digest);
    }
}
