//! `ClientConfig` and its builder.

use std::sync::Arc;

use super::fingerprint::Fingerprint;

use super::{
    Protocols, add_anchors, protocol_setters, trust_setters, use_certificate_types, use_identity,
};
use crate::ech::{EchConfigList, EchMode};
use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi::{Context, PeerVerification, Role};
use crate::fragments::MaxFragmentLength;
use crate::identity::CertifiedKey;
use crate::key_log::KeyLog;
use crate::protocol::NamedGroup;
use crate::resumption::Resumption;

use crate::revocation::OcspStapling;
use crate::roots::RootCertStore;

/// How clients connect; immutable, cheap to clone, shared between threads.
#[derive(Clone)]
pub struct ClientConfig {
    pub(crate) inner: Arc<ClientConfigInner>,
}

pub(crate) struct ClientConfigInner {
    pub(crate) context: Arc<Context>,
    pub(crate) alpn: Option<Vec<u8>>,
    pub(crate) key_log: Option<Arc<dyn KeyLog>>,
    pub(crate) verify: bool,
    /// Groups to send key shares of, when TLS 1.3 is offered.
    pub(crate) key_shares: Option<Vec<u16>>,
    pub(crate) ech: Option<EchConfigList>,
    pub(crate) resumption: Resumption,
    pub(crate) early_data: bool,
    /// Of all settings that sessions are bound to.
    pub(crate) fingerprint: [u8; 32],
}

impl ClientConfig {
    /// A builder with the defaults: TLS 1.2 and 1.3, verification on, sessions of 256 servers
    /// kept in memory, no early data.
    pub fn builder() -> ClientConfigBuilder {
        ClientConfigBuilder {
            protocols: Protocols::default(),
            roots: None,
            identity: None,
            post_handshake_auth: false,
            key_shares: None,
            ocsp_stapling: OcspStapling::Off,
            ech: EchMode::Off,
            max_fragment_length: None,
            verify: true,
            resumption: Resumption::default(),
            early_data: false,
        }
    }
}

impl std::fmt::Debug for ClientConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientConfig")
            .field("verify", &self.inner.verify)
            .finish_non_exhaustive()
    }
}

/// Collects the settings of a [`ClientConfig`].
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until build()"]
pub struct ClientConfigBuilder {
    protocols: Protocols,
    roots: Option<RootCertStore>,
    identity: Option<CertifiedKey>,
    post_handshake_auth: bool,
    key_shares: Option<Vec<NamedGroup>>,
    ocsp_stapling: OcspStapling,
    ech: EchMode,
    max_fragment_length: Option<MaxFragmentLength>,
    verify: bool,
    resumption: Resumption,
    early_data: bool,
}

impl ClientConfigBuilder {
    protocol_setters!();
    trust_setters!();

    /// The trust anchors that a server's chain must lead to; there is no default.
    pub fn roots(mut self, roots: RootCertStore) -> Self {
        self.roots = Some(roots);
        self
    }

    /// The certificate and key to show to servers that ask for one.
    pub fn client_identity(mut self, identity: CertifiedKey) -> Self {
        self.identity = Some(identity);
        self
    }

    /// Lets TLS 1.3 servers ask for the certificate after the handshake, too (RFC 8446,
    /// section 4.6.2); default off. The answer is part of
    /// [`process`](crate::ConnectionCommon::process).
    pub fn post_handshake_auth(mut self, allowed: bool) -> Self {
        self.post_handshake_auth = allowed;
        self
    }

    /// The groups to send key shares of in the first hello, some of [`groups`](Self::groups);
    /// default the most preferred group, and the most preferred classical one beside a hybrid,
    /// so that a server that knows no hybrid needs no HelloRetryRequest. Each one costs a key
    /// generation; none at all (an empty list) lets the server name the group, which costs a
    /// round trip. Of no effect without TLS 1.3.
    pub fn key_shares(mut self, groups: &[NamedGroup]) -> Self {
        self.key_shares = Some(groups.to_vec());
        self
    }

    /// Asks the server that neither end sends longer records than this (RFC 6066, section 4);
    /// default nothing. A server may ignore it:
    /// [`negotiated_max_fragment_length`](crate::ConnectionCommon::negotiated_max_fragment_length)
    /// tells.
    pub fn max_fragment_length(mut self, length: MaxFragmentLength) -> Self {
        self.max_fragment_length = Some(length);
        self
    }

    /// Whether to ask servers for an OCSP answer for their certificate; default
    /// [`OcspStapling::Off`].
    pub fn ocsp_stapling(mut self, stapling: OcspStapling) -> Self {
        self.ocsp_stapling = stapling;
        self
    }

    /// What to do about Encrypted Client Hello (RFC 9849); default [`EchMode::Off`].
    pub fn ech(mut self, mode: EchMode) -> Self {
        self.ech = mode;
        self
    }

    /// The application protocols to offer, most preferred first (RFC 7301). A server that
    /// knows none of them, or no ALPN, is accepted, and nothing is negotiated.
    pub fn alpn<P: AsRef<[u8]>>(mut self, protocols: impl IntoIterator<Item = P>) -> Self {
        self.protocols.alpn = protocols
            .into_iter()
            .map(|name| name.as_ref().to_vec())
            .collect();
        self
    }

    /// How earlier sessions are resumed; default [`Resumption::in_memory`] for 256 servers.
    /// Under an [encrypted hello](EchMode::Offer) none are, as wolfSSL 5.9.4 cannot offer one.
    pub fn resumption(mut self, resumption: Resumption) -> Self {
        self.resumption = resumption;
        self
    }

    /// Lets connections write early data (0-RTT) with sessions whose server takes it; default
    /// off. See [`crate::ClientConnection::early_data`] for what early data lacks.
    pub fn enable_early_data(mut self, enable: bool) -> Self {
        self.early_data = enable;
        self
    }

    /// Settings that take protection away.
    pub fn dangerous(self) -> DangerousClientConfigBuilder {
        DangerousClientConfigBuilder { builder: self }
    }

    /// Validates everything and makes the configuration.
    ///
    /// # Errors
    /// [`Error::Config`] with what is wrong, or [`Error::Library`].
    pub fn build(mut self) -> Result<ClientConfig, Error> {
        if let EchMode::Offer(_) = self.ech {
            // wolfSSL would go on with TLS 1.2 as the server of the public name.
            self.protocols.require_tls13("Encrypted Client Hello")?;
        }
        let alpn = self.protocols.alpn_list()?;
        let key_shares = self.protocols.key_shares(self.key_shares.as_deref())?;
        let mut setup = self.protocols.set_up(Role::Client)?;
        let raw_keys = self.protocols.raw_public_keys.as_ref();
        if self.verify {
            let other = raw_keys.is_some() || self.protocols.trust.pins.is_some();
            if self.roots.is_some() || !other {
                add_anchors(
                    &mut setup,
                    self.roots.as_ref().unwrap_or(&RootCertStore::empty()),
                )?;
            }
            setup.set_verification(PeerVerification::Required);
        } else {
            if raw_keys.is_some() {
                return Err(ConfigError::UncheckedRawPublicKeys.into());
            }
            setup.set_verification(PeerVerification::Dangerous);
        }
        self.protocols.trust.set_up(&mut setup)?;
        setup
            .request_ocsp(self.ocsp_stapling)
            .map_err(|code| Error::Library(ErrorCode::new(code)))?;
        if let Some(identity) = &self.identity {
            use_identity(&mut setup, identity)?;
        }
        use_certificate_types(
            &mut setup,
            self.identity.as_ref(),
            raw_keys,
            self.roots.is_some(),
        )?;
        if self.post_handshake_auth {
            setup
                .allow_post_handshake_auth()
                .map_err(|_| ConfigError::NeedsTls13 {
                    what: "post-handshake authentication",
                })?;
        }
        if let Some(length) = self.max_fragment_length {
            setup
                .offer_max_fragment_length(length)
                .map_err(|code| Error::Library(ErrorCode::new(code)))?;
        }
        if let EchMode::Off = self.ech {
            setup.disable_ech();
        }
        let library = |code| Error::Library(ErrorCode::new(code));
        // wolfSSL 5.9.4 cannot offer a session in an encrypted hello: the server rejects it.
        let resumption = match self.ech {
            EchMode::Offer(_) => Resumption::disabled(),
            _ => self.resumption.clone(),
        };
        if resumption.is_enabled() {
            setup.keep_client_sessions().map_err(library)?;
        } else if self.early_data {
            let reason = "it goes with resumed sessions, and none are resumed here";
            return Err(ConfigError::EarlyData { reason }.into());
        } else {
            setup.no_session_cache();
        }
        let fingerprint = self.fingerprint()?;
        Ok(ClientConfig {
            inner: Arc::new(ClientConfigInner {
                context: Arc::new(setup.finish()),
                alpn,
                key_log: self.protocols.key_log,
                verify: self.verify,
                key_shares,
                ech: match self.ech {
                    EchMode::Offer(list) => Some(list),
                    _ => None,
                },
                resumption,
                early_data: self.early_data,
                fingerprint,
            }),
        })
    }

    /// Whatever decides on what is trusted or offered has to be in it: a session is resumed
    /// under equal settings alone.
    fn fingerprint(&self) -> Result<[u8; 32], Error> {
        let mut fingerprint = Fingerprint::new("client");
        fingerprint.mix_protocols(&self.protocols)?;
        fingerprint.mix("verify", [[u8::from(self.verify)]]);
        fingerprint.mix("ocsp", [[self.ocsp_stapling as u8]]);
        if let Some(roots) = &self.roots {
            fingerprint.mix_roots(roots);
        }
        if let Some(identity) = &self.identity {
            fingerprint.mix_chain(identity.chain());
            fingerprint.mix("raw key", identity.raw_public_key());
        }
        fingerprint.digest()
    }
}

/// Settings of a [`ClientConfigBuilder`] that take protection away.
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until build()"]
pub struct DangerousClientConfigBuilder {
    builder: ClientConfigBuilder,
}

impl DangerousClientConfigBuilder {
    /// Accepts any certificate for any name: anyone in between can read and change everything.
    pub fn without_certificate_verification(mut self) -> ClientConfigBuilder {
        self.builder.verify = false;
        self.builder
    }
}
