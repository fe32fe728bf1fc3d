//! `ServerResumption`: tickets and session ids of a server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::MAX_LIFETIME;
use super::keys::TicketKeys;
use crate::error::{ConfigError, Error};

/// How a server lets clients resume earlier sessions.
///
/// The default is tickets under keys of the process's own ([`TicketKeys::generate`]), two per
/// TLS 1.3 connection and one per TLS 1.2 connection, good for twelve hours, and no session
/// ids. A ticket is sealed with AES-256-GCM and holds the whole session, so that the server
/// keeps nothing. It is taken only for the server name and the application protocol it was
/// issued for, and only by configurations that ask clients for the same certificates.
///
/// A day after a TLS 1.2 client and a week after a TLS 1.3 client has proven who it is it has
/// to do so anew, however often the session was resumed meanwhile.
///
/// ```
/// # fn main() -> Result<(), wolfssl::Error> {
/// use std::time::Duration;
/// use wolfssl::{ServerResumption, TicketKeys, TicketSecret};
///
/// let secret = TicketSecret::generate()?; // shared with the other servers
/// let resumption = ServerResumption::tickets(TicketKeys::new(secret, [])?)
///     .send_tls13_tickets(4)
///     .lifetime(Duration::from_secs(3600));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ServerResumption {
    /// `None` until `build()` makes keys of the process's own.
    pub(crate) keys: Option<TicketKeys>,
    pub(crate) tickets: bool,
    pub(crate) tls13_tickets: u8,
    pub(crate) lifetime: Duration,
    pub(crate) session_ids: Option<Arc<dyn ServerSessionStore>>,
    pub(crate) context: Vec<u8>,
}

impl ServerResumption {
    /// No tickets are issued or taken, and there are no session ids: each handshake is a full
    /// one.
    pub fn disabled() -> Self {
        Self {
            tickets: false,
            ..Self::default()
        }
    }

    /// Tickets under these keys.
    pub fn tickets(keys: TicketKeys) -> Self {
        Self {
            keys: Some(keys),
            ..Self::default()
        }
    }

    /// How many tickets a TLS 1.3 client gets after a handshake; default 2. Each is used
    /// once, so that a client that opens several connections at once needs several. With 0
    /// tickets are taken and not issued.
    pub fn send_tls13_tickets(mut self, count: u8) -> Self {
        self.tls13_tickets = count;
        self
    }

    /// How long a session can be resumed; default twelve hours, at least a second, at most
    /// seven days (RFC 8446, section 4.6.1).
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Keeps sessions of TLS 1.2 clients that take no tickets in this store, and gives the
    /// clients session ids for them; default none.
    ///
    /// wolfSSL's own cache is not used: it is one for the whole process, so that a session of
    /// one configuration could be resumed under another with stricter rules.
    pub fn session_ids(mut self, store: impl ServerSessionStore + 'static) -> Self {
        self.session_ids = Some(Arc::new(store));
        self
    }

    /// Bytes that a ticket is bound to, beside what this crate binds it to. Configurations
    /// that share [`TicketKeys`] and differ in something that only the application knows give
    /// different ones.
    pub fn bind_to(mut self, context: impl AsRef<[u8]>) -> Self {
        self.context = context.as_ref().to_vec();
        self
    }

    /// Whole seconds of the lifetime.
    pub(crate) fn lifetime_seconds(&self) -> Result<u32, Error> {
        let seconds = self.lifetime.as_secs();
        if seconds == 0 || seconds > MAX_LIFETIME {
            return Err(ConfigError::TicketLifetime {
                lifetime: self.lifetime,
            }
            .into());
        }
        Ok(seconds as u32)
    }
}

impl Default for ServerResumption {
    fn default() -> Self {
        Self {
            keys: None,
            tickets: true,
            tls13_tickets: 2,
            lifetime: Duration::from_secs(12 * 60 * 60),
            session_ids: None,
            context: Vec::new(),
        }
    }
}

impl fmt::Debug for ServerResumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerResumption")
            .field("tickets", &self.tickets)
            .field("send_tls13_tickets", &self.tls13_tickets)
            .field("lifetime", &self.lifetime)
            .field("session_ids", &self.session_ids.is_some())
            .finish_non_exhaustive()
    }
}

/// Where a server keeps sessions that have an id (TLS 1.2).
///
/// What is kept is a secret and not encrypted. A store may lose sessions at will; the next
/// handshake is then a full one. [`crate::InMemoryServerSessions`] is one.
pub trait ServerSessionStore: Send + Sync {
    /// Keeps `session` under `id` for `lifetime`.
    fn put(&self, id: &[u8], session: Vec<u8>, lifetime: Duration);

    /// The session with this id, which stays; it can be resumed many times.
    fn get(&self, id: &[u8]) -> Option<Vec<u8>>;
}

impl<S: ServerSessionStore + ?Sized> ServerSessionStore for Arc<S> {
    fn put(&self, id: &[u8], session: Vec<u8>, lifetime: Duration) {
        (**self).put(id, session, lifetime);
    }

    fn get(&self, id: &[u8]) -> Option<Vec<u8>> {
        (**self).get(id)
    }
}
