//! Resumption in a connection: the session it offers, and the sessions it is given.

use std::sync::Arc;

use rustls_pki_types::ServerName;
use wolfssl_sys as sys;

use super::ConnectionCommon;
use super::client::ClientConnection;
use crate::config::client::ClientConfig;
use crate::error::{Error, ErrorCode};
use crate::ffi::{self, Role};
use crate::protocol::ProtocolVersion;
use crate::resumption::ticket::{Inner, SessionTicket};
use crate::resumption::{ResumptionMode, SessionKey, now};

/// A client's part in resumption.
pub(super) struct ClientResumption {
    mode: ResumptionMode,
    key: SessionKey,
    /// What this connection tries to resume.
    pub(super) offered: Option<SessionTicket>,
    /// Sessions that came, for `take_session`; the newest is the last.
    kept: Vec<SessionTicket>,
    /// How many came and went into the store.
    stored: usize,
}

/// As many as a store keeps for one server.
const MAX_KEPT: usize = 8;

impl ClientConnection {
    /// A connection that offers to resume `session`; otherwise as [`ClientConnection::new`],
    /// and without a look into the configuration's store.
    ///
    /// The handshake is a full one, with nothing trusted beforehand, when the session is of
    /// another server name or of other settings, when it has run out, when resumption is
    /// disabled, and when the server does not take it:
    /// [`is_resumed`](ConnectionCommon::is_resumed) tells.
    ///
    /// # Errors
    /// [`Error::Library`] when memory is short.
    pub fn with_session(
        config: &ClientConfig,
        name: crate::ServerName,
        session: SessionTicket,
    ) -> Result<Self, Error> {
        Self::start(config, name, Some(session))
    }

    /// Takes a session for a later connection to the same server, the newest that came;
    /// `None` when none has come that was not taken before.
    ///
    /// In TLS 1.3 sessions come when the server likes to send them, as a rule with the first
    /// bytes after the handshake: read something first. In TLS 1.2 they come in the handshake.
    /// With a store in the configuration the session is taken out of there, so that no one
    /// else uses it.
    pub fn take_session(&mut self) -> Option<SessionTicket> {
        if self.is_handshaking() {
            return None;
        }
        let resumption = self.common_mut().resumption.as_deref_mut()?;
        match &resumption.mode {
            ResumptionMode::Store(store) if resumption.stored > 0 => {
                resumption.stored -= 1;
                store.take(&resumption.key)
            }
            _ => resumption.kept.pop(),
        }
    }
}

impl ConnectionCommon {
    /// Offers `session`, or what the store has for this server.
    pub(super) fn start_resumption(
        &mut self,
        config: &ClientConfig,
        name: &ServerName<'_>,
        session: Option<SessionTicket>,
    ) -> Result<(), Error> {
        let settings = &config.inner;
        if !settings.resumption.is_enabled() {
            return Ok(());
        }
        let mut resumption = ClientResumption {
            mode: settings.resumption.mode.clone(),
            key: session_key(&settings.fingerprint, name)?,
            offered: None,
            kept: Vec::new(),
            stored: 0,
        };
        let usable = |session: &SessionTicket| {
            session.key() == &resumption.key && !session.remaining_lifetime().is_zero()
        };
        let session = match (session, &resumption.mode) {
            (Some(session), _) => Some(session).filter(usable),
            // What has run out is thrown away on the way; a store has an end.
            (None, ResumptionMode::Store(store)) => (0..MAX_KEPT)
                .map_while(|_| store.take(&resumption.key))
                .find(usable),
            (None, _) => None,
        };
        if let Some(session) = session
            && let Ok(true) = self.session.offer_session(&session.inner.data)
        {
            // A TLS 1.2 session can be resumed many times, so others may try it meanwhile.
            if let ResumptionMode::Store(store) = &resumption.mode
                && session.version() == ProtocolVersion::TLSv1_2
            {
                store.insert(&resumption.key, session.clone());
            }
            resumption.offered = Some(session);
        }
        self.resumption = Some(Box::new(resumption));
        Ok(())
    }

    /// What the end of the handshake brings: a client's sessions, a server's tickets.
    pub(super) fn settle_resumption(&mut self, output: &mut Vec<u8>) -> Result<(), i32> {
        if self.session.role() == Role::Server {
            self.session.adopt_client_chain();
            return self.session.send_tickets(output);
        }
        let resumed = self.session.resumed();
        let early_data = self.session.early_data_accepted();
        let offered = self
            .resumption
            .as_ref()
            .and_then(|resumption| resumption.offered.as_ref());
        match offered {
            Some(offered) if resumed => {
                // Early data was written for the protocol of the session.
                if early_data && offered.alpn() != self.session.alpn().as_deref() {
                    return Err(sys::INVALID_PARAMETER);
                }
                self.session.adopt_peer_identity(&offered.inner.peer);
            }
            Some(_) => self.forget_offered(),
            None => {}
        }
        self.keep_sessions();
        Ok(())
    }

    /// Keeps the sessions that came since the last time.
    pub(super) fn keep_sessions(&mut self) {
        let Some(resumption) = self.resumption.as_deref_mut() else {
            return;
        };
        let mut new = self.session.take_new_sessions();
        if new.is_empty() {
            return;
        }
        // wolfSSL tells of a TLS 1.2 session twice, before and after its ticket comes.
        if self.session.version() < ProtocolVersion::TLSv1_3.to_u16() {
            new.drain(..new.len() - 1);
        }
        let offered = resumption
            .offered
            .as_ref()
            .filter(|_| self.session.resumed());
        let now = now();
        let authenticated_at = offered.map_or(now, |offered| offered.inner.authenticated_at);
        let alpn = self.session.alpn();
        let peer = self.session.peer_identity();
        for data in new {
            let session = SessionTicket::new(Inner {
                data,
                key: resumption.key,
                received_at: now,
                authenticated_at,
                alpn: alpn.clone(),
                peer: peer.clone(),
            });
            match &resumption.mode {
                ResumptionMode::Store(store) => {
                    resumption.stored += 1;
                    store.insert(&resumption.key, session);
                }
                _ => {
                    if resumption.kept.len() == MAX_KEPT {
                        resumption.kept.remove(0);
                    }
                    resumption.kept.push(session);
                }
            }
        }
    }

    /// Takes a TLS 1.2 session that led to nothing out of the store again.
    pub(super) fn forget_offered(&mut self) {
        let Some(resumption) = self.resumption.as_deref_mut() else {
            return;
        };
        if let Some(offered) = resumption.offered.take()
            && offered.version() == ProtocolVersion::TLSv1_2
            && let ResumptionMode::Store(store) = &resumption.mode
        {
            let store = Arc::clone(store);
            drop(store.take(&resumption.key));
        }
    }
}

/// What sessions of this configuration with this server are good for.
fn session_key(fingerprint: &[u8; 32], name: &ServerName<'_>) -> Result<SessionKey, Error> {
    let text = name.to_str();
    let text = text.strip_suffix('.').unwrap_or(&text).to_ascii_lowercase();
    let content = [&fingerprint[..], text.as_bytes()].concat();
    let digest = ffi::sha256(&content).map_err(|code| Error::Library(ErrorCode::new(code)))?;
    Ok(SessionKey(digest))
}
