//! Resumption: what a client keeps of a connection to shorten the next one to the same server,
//! and what a server hands out for it.

pub(crate) mod keys;
pub(crate) mod memory;
pub(crate) mod reader;
pub(crate) mod server;
pub(crate) mod ticket;

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use self::memory::InMemoryClientStore;
use self::ticket::SessionTicket;

/// The longest that a ticket may live, in seconds (RFC 8446, section 4.6.1).
pub(crate) const MAX_LIFETIME: u64 = 7 * 24 * 60 * 60;

/// After so many seconds the peers prove anew who they are, however often a session was
/// resumed meanwhile: the day that RFC 5246, appendix F.1.4, suggests, and for TLS 1.3, where
/// RFC 8446 asks for such a limit, as long as a single ticket may live.
pub(crate) fn max_session_age(is_tls13: bool) -> u64 {
    if is_tls13 { MAX_LIFETIME } else { 24 * 60 * 60 }
}

/// How a client resumes earlier sessions.
///
/// The default is [`Resumption::in_memory`] with room for 256 servers: a resumed handshake
/// needs neither certificates nor signatures, and a server that does not resume costs nothing
/// but the few hundred bytes of a ticket. What is kept is bound to the server's name and to
/// everything in the configuration that decides what is trusted and offered, ALPN included;
/// a session never serves for another name or under other settings.
///
/// After a day in TLS 1.2 and a week in TLS 1.3 the server proves anew who it is, however
/// often the session was resumed meanwhile. wolfSSL offers TLS 1.2 alone with a TLS 1.2
/// session: as long as it lasts, a server that has learnt TLS 1.3 is not asked for it, and one
/// that has unlearnt TLS 1.2 refuses the connection, once, as the session is then forgotten.
///
/// ```
/// # fn main() -> Result<(), wolfssl::Error> {
/// # let roots = wolfssl::RootCertStore::empty();
/// use wolfssl::{ClientConfig, Resumption};
///
/// let builder = ClientConfig::builder().resumption(Resumption::in_memory(1000));
/// let builder = builder.resumption(Resumption::disabled());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Resumption {
    pub(crate) mode: ResumptionMode,
}

#[derive(Clone)]
pub(crate) enum ResumptionMode {
    Disabled,
    Manual,
    Store(Arc<dyn ClientSessionStore>),
}

impl Resumption {
    /// Nothing is kept, nothing is offered; no ticket is asked for.
    pub fn disabled() -> Self {
        Self {
            mode: ResumptionMode::Disabled,
        }
    }

    /// Sessions are kept in memory, of the `servers` used most recently. Clones share it, and
    /// so do configurations that are given clones.
    pub fn in_memory(servers: usize) -> Self {
        Self::store(InMemoryClientStore::new(servers))
    }

    /// Sessions are kept in a store of one's own.
    pub fn store(store: impl ClientSessionStore + 'static) -> Self {
        Self {
            mode: ResumptionMode::Store(Arc::new(store)),
        }
    }

    /// Sessions are kept by each connection until the caller
    /// [takes](crate::ClientConnection::take_session) them, and offered when the caller
    /// [gives](crate::ClientConnection::with_session) one.
    pub fn manual() -> Self {
        Self {
            mode: ResumptionMode::Manual,
        }
    }

    pub(crate) fn is_enabled(&self) -> bool {
        !matches!(self.mode, ResumptionMode::Disabled)
    }
}

impl Default for Resumption {
    fn default() -> Self {
        Self::in_memory(256)
    }
}

impl fmt::Debug for Resumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.mode {
            ResumptionMode::Disabled => "Resumption::disabled",
            ResumptionMode::Manual => "Resumption::manual",
            ResumptionMode::Store(_) => "Resumption::store",
        })
    }
}

/// Where a client keeps its sessions.
///
/// Sessions are secrets: whoever has one can read what is sent under it later. A store may
/// lose them at will; the handshake is then a full one.
pub trait ClientSessionStore: Send + Sync {
    /// Keeps a session. A TLS 1.2 session may take the place of an earlier one with the same
    /// key, as it can be resumed many times; of TLS 1.3 sessions several are useful, as each
    /// is used once.
    fn insert(&self, key: &SessionKey, session: SessionTicket);

    /// Hands out the session to try next, the newest as a rule, and forgets it.
    fn take(&self, key: &SessionKey) -> Option<SessionTicket>;
}

impl<S: ClientSessionStore + ?Sized> ClientSessionStore for Arc<S> {
    fn insert(&self, key: &SessionKey, session: SessionTicket) {
        (**self).insert(key, session);
    }

    fn take(&self, key: &SessionKey) -> Option<SessionTicket> {
        (**self).take(key)
    }
}

/// What a client's session is good for: a digest of the server's name and of all settings
/// that decide what is trusted and offered. The same settings give the same key in every
/// process.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey(pub(crate) [u8; 32]);

impl SessionKey {
    /// The digest.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(")?;
        for byte in &self.0[..8] {
            write!(f, "{byte:02x}")?;
        }
        f.write_str("…)")
    }
}

/// Seconds since 1970; 0 for a clock before that.
pub(crate) fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
