//! `ServerConfig` and its builder.

use std::sync::Arc;

use super::fingerprint::Fingerprint;
use crate::early_data::{AntiReplay, StrikeRegister};

use super::{
    Protocols, add_anchors, protocol_setters, trust_setters, use_certificate_types, use_identity,
};
use crate::ech::EchKeys;
use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi::{
    ClientChains, Context, ContextSetup, EarlyDataRules, PeerVerification, Role, SessionIdRules,
    TicketRules,
};
use crate::identity::CertifiedKey;
use crate::key_log::KeyLog;
use crate::resumption::keys::TicketKeys;
use crate::resumption::server::ServerResumption;
use crate::roots::RootCertStore;
use crate::verification::PinnedKeys;

/// How servers accept; immutable, cheap to clone, shared between threads.
#[derive(Clone)]
pub struct ServerConfig {
    pub(crate) inner: Arc<ServerConfigInner>,
}

pub(crate) struct ServerConfigInner {
    pub(crate) context: Arc<Context>,
    pub(crate) alpn: Option<Vec<u8>>,
    pub(crate) identity: CertifiedKey,
    pub(crate) key_log: Option<Arc<dyn KeyLog>>,
}

/// Whether clients must show a certificate.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub enum ClientAuth {
    /// None is asked for; only a raw public key is, and required, when the builder's
    /// `raw_public_keys` are set.
    #[default]
    None,
    /// One is asked for; a client without one is accepted, one with a bad one is not.
    Optional(RootCertStore),
    /// A client without a certificate that leads to one of these anchors is refused.
    Required(RootCertStore),
    /// A client without a certificate for one of these keys is refused; no issuer, name or
    /// date counts.
    Pinned(PinnedKeys),
    /// None is asked for in a TLS 1.3 handshake; the server may ask later, with
    /// [`request_client_certificate`](crate::ServerConnection::request_client_certificate).
    /// TLS 1.2 cannot: there clients are asked in the handshake.
    PostHandshake {
        /// The anchors that a certificate must lead to.
        roots: RootCertStore,
        /// Whether a client that is asked and has none is refused.
        required: bool,
    },
}

impl ServerConfig {
    /// A builder with the defaults: TLS 1.2 and 1.3, no client certificates, tickets under keys
    /// of this process's own, no early data.
    pub fn builder() -> ServerConfigBuilder {
        ServerConfigBuilder {
            protocols: Protocols::default(),
            identity: None,
            client_auth: ClientAuth::None,
            ech_keys: Vec::new(),
            resumption: ServerResumption::default(),
            max_early_data: 0,
            anti_replay: None,
        }
    }
}

impl std::fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerConfig").finish_non_exhaustive()
    }
}

/// Collects the settings of a [`ServerConfig`].
#[derive(Clone)]
#[must_use = "a builder does nothing until build()"]
pub struct ServerConfigBuilder {
    protocols: Protocols,
    identity: Option<CertifiedKey>,
    client_auth: ClientAuth,
    ech_keys: Vec<EchKeys>,
    resumption: ServerResumption,
    max_early_data: u32,
    anti_replay: Option<Arc<dyn AntiReplay>>,
}

impl ServerConfigBuilder {
    protocol_setters!();
    trust_setters!();

    /// The certificate and key of the server; there is no default.
    pub fn identity(mut self, identity: CertifiedKey) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Whether clients must show a certificate; default [`ClientAuth::None`].
    pub fn client_auth(mut self, client_auth: ClientAuth) -> Self {
        self.client_auth = client_auth;
        self
    }

    /// The keys to decrypt an Encrypted Client Hello with (RFC 9849), newest first; default
    /// none. Clients whose configuration is none of these are told all of them. The
    /// [`identity`](Self::identity) has to be valid for their public names as well.
    pub fn ech_keys(mut self, keys: impl IntoIterator<Item = EchKeys>) -> Self {
        self.ech_keys = keys.into_iter().collect();
        self
    }

    /// The application protocols to choose from, most preferred first: this order decides,
    /// not the client's (RFC 7301). A client that offers ALPN and none of these is refused
    /// with `no_application_protocol`; one without ALPN is accepted.
    pub fn alpn<P: AsRef<[u8]>>(mut self, protocols: impl IntoIterator<Item = P>) -> Self {
        self.protocols.alpn = protocols
            .into_iter()
            .map(|name| name.as_ref().to_vec())
            .collect();
        self
    }

    /// How clients resume earlier sessions; default tickets under keys of this process's own.
    pub fn resumption(mut self, resumption: ServerResumption) -> Self {
        self.resumption = resumption;
        self
    }

    /// Takes this many bytes of early data (0-RTT) of a resumed TLS 1.3 connection; default 0,
    /// none. Early data can be replayed: see [`crate::ServerConnection::read_early_data`] for
    /// what it is good for, and [`anti_replay`](Self::anti_replay) for what is done about it.
    /// 16 KiB is a usual limit.
    pub fn max_early_data(mut self, bytes: u32) -> Self {
        self.max_early_data = bytes;
        self
    }

    /// What recognises replays of early data; default a [`crate::StrikeRegister`] of this
    /// configuration's own. Servers that share ticket keys need one that is shared as well.
    pub fn anti_replay(mut self, anti_replay: impl AntiReplay + 'static) -> Self {
        self.anti_replay = Some(Arc::new(anti_replay));
        self
    }

    /// Validates everything and makes the configuration.
    ///
    /// # Errors
    /// [`Error::Config`] with what is wrong, or [`Error::Library`].
    pub fn build(mut self) -> Result<ServerConfig, Error> {
        if let ClientAuth::Pinned(pins) = &self.client_auth {
            self.protocols.trust.pins = Some(pins.clone());
        }
        let alpn = self.protocols.alpn_list()?;
        let identity = self.identity.as_ref().ok_or(ConfigError::NoIdentity)?;
        let mut setup = self.protocols.set_up(Role::Server)?;
        use_identity(&mut setup, identity)?;
        let raw_keys = self.protocols.raw_public_keys.as_ref();
        let verification = match &self.client_auth {
            ClientAuth::None if raw_keys.is_some() => PeerVerification::Required,
            ClientAuth::None => PeerVerification::NotRequested,
            ClientAuth::Optional(roots) => {
                add_anchors(&mut setup, roots)?;
                PeerVerification::Optional
            }
            ClientAuth::Required(roots) => {
                add_anchors(&mut setup, roots)?;
                PeerVerification::Required
            }
            ClientAuth::Pinned(_) => PeerVerification::Required,
            ClientAuth::PostHandshake { roots, required } => {
                add_anchors(&mut setup, roots)?;
                PeerVerification::PostHandshake {
                    required: *required,
                }
            }
        };
        setup.set_verification(verification);
        self.protocols.trust.set_up(&mut setup)?;
        if identity.ocsp_response().is_some() {
            setup
                .answer_ocsp()
                .map_err(|code| Error::Library(ErrorCode::new(code)))?;
        }
        use_certificate_types(
            &mut setup,
            Some(identity),
            raw_keys,
            !matches!(self.client_auth, ClientAuth::None),
        )?;
        if !self.ech_keys.is_empty() && !self.protocols.speaks_tls13() {
            return Err(ConfigError::NeedsTls13 {
                what: "Encrypted Client Hello",
            }
            .into());
        }
        for keys in self.ech_keys.iter().rev() {
            setup
                .add_ech_keys(keys)
                .map_err(|code| ConfigError::EchConfig {
                    reason: ErrorCode::new(code),
                })?;
        }
        self.set_up_resumption(&mut setup)?;
        Ok(ServerConfig {
            inner: Arc::new(ServerConfigInner {
                context: Arc::new(setup.finish()),
                alpn,
                identity: identity.clone(),
                key_log: self.protocols.key_log,
            }),
        })
    }

    fn set_up_resumption(&self, setup: &mut ContextSetup) -> Result<(), Error> {
        let library = |code| Error::Library(ErrorCode::new(code));
        let resumption = &self.resumption;
        let early_data = (self.max_early_data > 0).then(|| {
            let anti_replay = match &self.anti_replay {
                Some(anti_replay) => Arc::clone(anti_replay),
                None => Arc::new(StrikeRegister::default()),
            };
            EarlyDataRules::new(self.max_early_data, anti_replay)
        });
        setup.set_early_data(early_data.as_ref());
        let required = self.requires_client_identity();
        match &resumption.session_ids {
            None => setup.no_session_cache(),
            Some(store) => setup
                .use_session_ids(SessionIdRules {
                    store: Arc::clone(store),
                    binding: self.ticket_binding()?,
                    lifetime: resumption.lifetime_seconds()?,
                    certificate_required: required,
                })
                .map_err(library)?,
        }
        if !resumption.tickets {
            if early_data.is_some() {
                let reason = "it comes with tickets, and they are disabled";
                return Err(ConfigError::EarlyData { reason }.into());
            }
            return setup.no_tickets().map_err(library);
        }
        let asked = !matches!(self.client_auth, ClientAuth::None)
            || self.protocols.raw_public_keys.is_some();
        let rules = TicketRules {
            keys: match &resumption.keys {
                Some(keys) => keys.clone(),
                None => TicketKeys::generate()?,
            },
            binding: self.ticket_binding()?,
            tls13_tickets: resumption.tls13_tickets,
            lifetime: resumption.lifetime_seconds()?,
            client_chains: asked.then(|| ClientChains::new(required)),
            early_data,
        };
        setup.use_tickets(rules).map_err(library)
    }

    /// Whether the handshake fails without.
    fn requires_client_identity(&self) -> bool {
        match &self.client_auth {
            ClientAuth::None => self.protocols.raw_public_keys.is_some(),
            ClientAuth::Optional(_) | ClientAuth::PostHandshake { .. } => false,
            ClientAuth::Required(_) | ClientAuth::Pinned(_) => true,
        }
    }

    /// Whatever decides on what is asked of clients has to be in it: a ticket stands for what
    /// its client has proven. Name and protocol are bound by wolfSSL.
    fn ticket_binding(&self) -> Result<[u8; 32], Error> {
        let mut fingerprint = Fingerprint::new("server");
        fingerprint.mix("context", [&self.resumption.context]);
        let (required, roots) = match &self.client_auth {
            ClientAuth::None => (0, None),
            ClientAuth::Optional(roots) => (1, Some(roots)),
            ClientAuth::Required(roots) => (2, Some(roots)),
            ClientAuth::Pinned(_) => (5, None),
            ClientAuth::PostHandshake { roots, required } => (3 + u8::from(*required), Some(roots)),
        };
        fingerprint.mix("client auth", [[required]]);
        fingerprint.mix_raw_keys(self.protocols.raw_public_keys.as_ref());
        if let Some(roots) = roots {
            fingerprint.mix_roots(roots);
        }
        fingerprint.mix_trust(&self.protocols.trust)?;
        fingerprint.digest()
    }
}

impl std::fmt::Debug for ServerConfigBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerConfigBuilder")
            .field("protocols", &self.protocols)
            .field("identity", &self.identity)
            .field("client_auth", &self.client_auth)
            .field("resumption", &self.resumption)
            .field("max_early_data", &self.max_early_data)
            .finish_non_exhaustive()
    }
}
