//! Configurations: collected by builders, validated once, then immutable and shared.

pub(crate) mod client;
pub(crate) mod fingerprint;
pub(crate) mod server;
mod trust;

use std::sync::Arc;

use self::trust::Trust;
pub(crate) use self::trust::trust_setters;
use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi::{ContextSetup, Role};
use crate::fragments::FRAGMENT_SIZES;
use crate::identity::{CertifiedKey, KeySource};
use crate::key_log::KeyLog;
use crate::protocol::{CipherSuite, NamedGroup, ProtocolVersion, SignatureScheme};
use crate::raw_keys::{CertificateType, RawPublicKeys};
use crate::roots::RootCertStore;

/// What clients and servers configure alike.
#[derive(Clone, Debug)]
pub(crate) struct Protocols {
    pub(crate) versions: Vec<ProtocolVersion>,
    pub(crate) cipher_suites: Vec<CipherSuite>,
    pub(crate) groups: Vec<NamedGroup>,
    pub(crate) signature_schemes: Vec<SignatureScheme>,
    pub(crate) alpn: Vec<Vec<u8>>,
    pub(crate) raw_public_keys: Option<RawPublicKeys>,
    pub(crate) max_fragment_size: Option<usize>,
    pub(crate) key_log: Option<Arc<dyn KeyLog>>,
    pub(crate) trust: Trust,
}

impl Default for Protocols {
    fn default() -> Self {
        Self {
            versions: vec![ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3],
            cipher_suites: CipherSuite::DEFAULT.to_vec(),
            groups: NamedGroup::DEFAULT.to_vec(),
            signature_schemes: SignatureScheme::DEFAULT.to_vec(),
            alpn: Vec::new(),
            raw_public_keys: None,
            max_fragment_size: None,
            key_log: None,
            trust: Trust::default(),
        }
    }
}

impl Protocols {
    pub(crate) fn speaks_tls13(&self) -> bool {
        self.versions.contains(&ProtocolVersion::TLSv1_3)
    }

    /// Leaves TLS 1.3 alone, for what no other version has.
    pub(crate) fn require_tls13(&mut self, what: &'static str) -> Result<(), Error> {
        self.versions
            .retain(|&version| version == ProtocolVersion::TLSv1_3);
        if self.versions.is_empty() {
            return Err(ConfigError::NeedsTls13 { what }.into());
        }
        Ok(())
    }

    /// A context with versions, suites and groups set.
    pub(crate) fn set_up(&self, role: Role) -> Result<ContextSetup, Error> {
        if self.versions.is_empty() {
            return Err(ConfigError::Empty {
                what: "protocol versions",
            }
            .into());
        }
        if self.groups.is_empty() {
            return Err(ConfigError::Empty { what: "groups" }.into());
        }
        if self.cipher_suites.is_empty() {
            return Err(ConfigError::Empty {
                what: "cipher suites",
            }
            .into());
        }
        if self.signature_schemes.is_empty() {
            return Err(ConfigError::Empty {
                what: "signature schemes",
            }
            .into());
        }
        let suites = self
            .cipher_suites
            .iter()
            .filter(|suite| self.versions.contains(&suite.version()))
            .collect::<Vec<_>>();
        // A version without a suite would be offered and then fail.
        let speaks = |version| suites.iter().any(|suite| suite.version() == version);
        let (tls12, tls13) = (
            speaks(ProtocolVersion::TLSv1_2),
            speaks(ProtocolVersion::TLSv1_3),
        );
        if suites.is_empty() {
            return Err(ConfigError::NoUsableCipherSuite.into());
        }
        let suites = suites.iter().map(|suite| suite.value()).collect::<Vec<_>>();
        let groups = self
            .groups
            .iter()
            .filter(|group| tls13 || !group.is_tls13_only())
            .map(|group| group.value())
            .collect::<Vec<_>>();
        if groups.is_empty() {
            return Err(ConfigError::Empty {
                what: "groups for the enabled versions",
            }
            .into());
        }
        let library = |code| Error::Library(ErrorCode::new(code));
        let mut setup = ContextSetup::new(role, tls12, tls13).map_err(library)?;
        setup
            .set_cipher_suites(&suites)
            .map_err(unsupported("cipher suites"))?;
        setup.set_groups(&groups).map_err(unsupported("groups"))?;
        let schemes = self.signature_schemes.iter().map(|scheme| scheme.value());
        setup
            .set_signature_schemes(&schemes.collect::<Vec<_>>())
            .map_err(unsupported("signature schemes"))?;
        if let Some(size) = self.max_fragment_size {
            if !FRAGMENT_SIZES.contains(&size) {
                return Err(ConfigError::FragmentSize { given: size }.into());
            }
            setup.set_fragment_size(size);
        }
        Ok(setup)
    }

    /// The groups that a client sends key shares of, in the order of its groups; `None` when it
    /// does not offer TLS 1.3.
    pub(crate) fn key_shares(
        &self,
        chosen: Option<&[NamedGroup]>,
    ) -> Result<Option<Vec<u16>>, Error> {
        let offers_tls13 = self.versions.contains(&ProtocolVersion::TLSv1_3)
            && self
                .cipher_suites
                .iter()
                .any(|suite| suite.version() == ProtocolVersion::TLSv1_3);
        if !offers_tls13 {
            return Ok(None);
        }
        let default = || {
            let mut shares = self.groups.first().copied().into_iter().collect::<Vec<_>>();
            if shares.iter().any(|group| group.is_hybrid()) {
                shares.extend(self.groups.iter().find(|group| !group.is_hybrid()));
            }
            shares
        };
        let shares = chosen.map_or_else(default, <[_]>::to_vec);
        if let Some(&group) = shares.iter().find(|group| !self.groups.contains(group)) {
            return Err(ConfigError::KeyShareNotOffered { group }.into());
        }
        let ordered = self.groups.iter().filter(|group| shares.contains(group));
        Ok(Some(ordered.map(|group| group.value()).collect()))
    }

    /// The ALPN list in wolfSSL's form; `None` for no list.
    pub(crate) fn alpn_list(&self) -> Result<Option<Vec<u8>>, Error> {
        for (index, name) in self.alpn.iter().enumerate() {
            let reason = match name.as_slice() {
                [] => "it is empty",
                name if name.len() > 255 => "it is longer than 255 bytes",
                name if name.contains(&b',') => "it has a comma, wolfSSL's list separator",
                name if name.contains(&0) => "it has a NUL byte",
                _ => continue,
            };
            return Err(ConfigError::AlpnProtocol { index, reason }.into());
        }
        Ok((!self.alpn.is_empty()).then(|| self.alpn.join(&b',')))
    }
}

pub(crate) fn add_anchors(setup: &mut ContextSetup, roots: &RootCertStore) -> Result<(), Error> {
    if roots.is_empty() {
        return Err(ConfigError::NoTrustAnchors.into());
    }
    for (index, anchor) in roots.anchors().iter().enumerate() {
        setup
            .add_trust_anchor(anchor)
            .map_err(|code| ConfigError::TrustAnchor {
                index,
                reason: ErrorCode::new(code),
            })?;
    }
    Ok(())
}

pub(crate) fn use_identity(setup: &mut ContextSetup, identity: &CertifiedKey) -> Result<(), Error> {
    let taken = match identity.raw_public_key() {
        Some(key) => setup.use_raw_public_key(&key),
        None => setup.use_chain(identity.chain()),
    };
    taken.map_err(|code| ConfigError::CertificateChain {
        reason: ErrorCode::new(code),
    })?;
    let taken = match identity.key() {
        KeySource::Here(key) => setup.use_private_key(key),
        KeySource::Elsewhere(signer) => setup.use_signer(signer),
    };
    taken.map_err(|code| ConfigError::PrivateKey {
        reason: ErrorCode::new(code),
    })?;
    Ok(())
}

/// Says which certificate types this end shows and takes; nothing unless raw public keys are
/// among them.
pub(crate) fn use_certificate_types(
    setup: &mut ContextSetup,
    identity: Option<&CertifiedKey>,
    peers: Option<&RawPublicKeys>,
    peers_have_certificates: bool,
) -> Result<(), Error> {
    let own = match identity.and_then(CertifiedKey::raw_public_key) {
        Some(_) => CertificateType::RawPublicKey,
        None => CertificateType::X509,
    };
    if own == CertificateType::X509 && peers.is_none() {
        return Ok(());
    }
    let peer = match (peers, peers_have_certificates) {
        (None, _) => &[CertificateType::X509][..],
        (Some(_), false) => &[CertificateType::RawPublicKey],
        (Some(_), true) => &[CertificateType::RawPublicKey, CertificateType::X509],
    };
    setup
        .set_certificate_types(own, peer, peers.cloned())
        .map_err(|code| Error::Library(ErrorCode::new(code)))
}

fn unsupported(what: &'static str) -> impl Fn(i32) -> Error {
    move |code| {
        ConfigError::Unsupported {
            what,
            reason: ErrorCode::new(code),
        }
        .into()
    }
}

/// Writes the setters that both builders have, so that the two stay mirrors.
macro_rules! protocol_setters {
    () => {
        /// The protocol versions to speak; default TLS 1.2 and 1.3.
        pub fn versions(mut self, versions: &[crate::ProtocolVersion]) -> Self {
            self.protocols.versions = versions.to_vec();
            self
        }

        /// The cipher suites, most preferred first; default [`crate::CipherSuite::DEFAULT`].
        /// Suites of versions that are not enabled are left out.
        pub fn cipher_suites(mut self, suites: &[crate::CipherSuite]) -> Self {
            self.protocols.cipher_suites = suites.to_vec();
            self
        }

        /// The key exchange groups, most preferred first; default
        /// [`crate::NamedGroup::DEFAULT`]. Groups of versions that are not enabled are left
        /// out.
        pub fn groups(mut self, groups: &[crate::NamedGroup]) -> Self {
            self.protocols.groups = groups.to_vec();
            self
        }

        /// The most plaintext to put into a record that this end sends, in bytes, 64 to 16384;
        /// default 16384. Smaller records let the peer start on the data sooner and cost more
        /// in all. Handshake messages are not limited by it.
        pub fn max_fragment_size(mut self, bytes: usize) -> Self {
            self.protocols.max_fragment_size = Some(bytes);
            self
        }

        /// The keys of peers that may show a raw public key (RFC 7250); default none. A client
        /// with trust anchors, and a server whose `client_auth` has some, take certificates as
        /// well.
        pub fn raw_public_keys(mut self, keys: crate::RawPublicKeys) -> Self {
            self.protocols.raw_public_keys = Some(keys);
            self
        }

        /// The signature schemes for certificates and handshakes, most preferred first; default
        /// [`crate::SignatureScheme::DEFAULT`]. A peer that signs its handshake by another one
        /// is refused, and this side signs by none but these. Of several that suit its RSA key
        /// wolfSSL takes one with the smallest hash, PSS first, whatever the order. In TLS 1.2 a server
        /// without any scheme for RSA, or for ECDSA, still takes such keys from its clients.
        pub fn signature_schemes(mut self, schemes: &[crate::SignatureScheme]) -> Self {
            self.protocols.signature_schemes = schemes.to_vec();
            self
        }

        /// Tells the secrets of every connection to `log`, so that its traffic can be looked
        /// into; default none.
        pub fn key_log(mut self, log: impl crate::KeyLog + 'static) -> Self {
            self.protocols.key_log = Some(std::sync::Arc::new(log));
            self
        }
    };
}
pub(crate) use protocol_setters;
