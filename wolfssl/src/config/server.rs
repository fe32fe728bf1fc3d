//! `ServerConfig` and its builder.

use std::sync::Arc;

use super::{Protocols, add_anchors, protocol_setters, use_certificate_types, use_identity};
use crate::ech::EchKeys;
use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi::{Context, PeerVerification, Role};
use crate::identity::CertifiedKey;
use crate::key_log::KeyLog;
use crate::roots::RootCertStore;

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
    /// A builder with the defaults: TLS 1.2 and 1.3, no client certificates, no resumption.
    pub fn builder() -> ServerConfigBuilder {
        ServerConfigBuilder {
            protocols: Protocols::default(),
            identity: None,
            client_auth: ClientAuth::None,
            ech_keys: Vec::new(),
        }
    }
}

impl std::fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerConfig").finish_non_exhaustive()
    }
}

/// Collects the settings of a [`ServerConfig`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until build()"]
pub struct ServerConfigBuilder {
    protocols: Protocols,
    identity: Option<CertifiedKey>,
    client_auth: ClientAuth,
    ech_keys: Vec<EchKeys>,
}

impl ServerConfigBuilder {
    protocol_setters!();

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

    /// Validates everything and makes the configuration.
    ///
    /// # Errors
    /// [`Error::Config`] with what is wrong, or [`Error::Library`].
    pub fn build(self) -> Result<ServerConfig, Error> {
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
            ClientAuth::PostHandshake { roots, required } => {
                add_anchors(&mut setup, roots)?;
                PeerVerification::PostHandshake {
                    required: *required,
                }
            }
        };
        setup.set_verification(verification);
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
        setup
            .disable_resumption()
            .map_err(|code| Error::Library(ErrorCode::new(code)))?;
        Ok(ServerConfig {
            inner: Arc::new(ServerConfigInner {
                context: Arc::new(setup.finish()),
                alpn,
                identity: identity.clone(),
                key_log: self.protocols.key_log,
            }),
        })
    }
}
