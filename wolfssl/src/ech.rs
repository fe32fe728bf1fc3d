//! Encrypted Client Hello (RFC 9849): hides the server name, and all else that a client says
//! first, from everyone but the server.

use std::fmt;

use rustls_pki_types::DnsName;
use zeroize::Zeroizing;

use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi;

/// What a client does about Encrypted Client Hello.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub enum EchMode {
    /// Nothing.
    #[default]
    Off,
    /// Sends an extension of random bytes (RFC 9849, section 6.2), so that connections with a
    /// real one do not stand out. It costs a key generation per connection.
    Grease,
    /// Encrypts the hello to one of these configurations, which the server publishes (in DNS
    /// as a rule: RFC 9848). Only TLS 1.3 is spoken then, as an older version would reveal the
    /// name, and every handshake is a full one, as wolfSSL 5.9.4 cannot resume a session in an
    /// encrypted hello. A server that cannot decrypt ends in [`Error::EchRejected`].
    Offer(EchConfigList),
}

/// Configurations of a server for clients, in the form of `ECHConfigList`.
#[derive(Clone, PartialEq, Eq)]
pub struct EchConfigList {
    bytes: Vec<u8>,
}

impl EchConfigList {
    /// Takes the bytes of an `ECHConfigList`, length first, as the `ech` parameter of an HTTPS
    /// record has them once its base64 is decoded.
    ///
    /// # Errors
    /// [`ConfigError::EchConfig`] when they are malformed or have no configuration that can be
    /// used.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        ffi::check_ech_configs(bytes).map_err(|code| ConfigError::EchConfig {
            reason: ErrorCode::new(code),
        })?;
        Ok(Self::trusted(bytes.to_vec()))
    }

    /// Bytes that come from wolfSSL itself.
    pub(crate) fn trusted(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The bytes, to publish or to keep.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for EchConfigList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EchConfigList")
            .field("len", &self.bytes.len())
            .finish()
    }
}

/// A server's key for Encrypted Client Hello with the configuration for its clients: X25519,
/// HKDF-SHA256 and AES-128-GCM.
///
/// ```
/// use wolfssl::{EchConfigList, EchKeys, EchMode, ClientConfig};
/// # fn main() -> Result<(), wolfssl::Error> {
/// // The server: the outer hello shows `public.example` to everyone.
/// let keys = EchKeys::generate("public.example")?;
/// let published = keys.config_list().as_bytes().to_vec();
/// let kept_secret = keys.to_bytes();
/// // …ServerConfig::builder().ech_keys([keys])…
///
/// // The client, with what it found in DNS:
/// let offered = EchMode::Offer(EchConfigList::from_bytes(&published)?);
/// let builder = ClientConfig::builder().ech(offered);
///
/// // The server's next process:
/// let keys = EchKeys::from_bytes(&kept_secret)?;
/// assert_eq!(keys.config_list().as_bytes(), published);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct EchKeys {
    config: EchConfigList,
    key: Zeroizing<[u8; KEY_LEN]>,
}

/// The length of an X25519 private key, in bytes.
pub(crate) const KEY_LEN: usize = 32;

impl EchKeys {
    /// Makes a key. `public_name` is the name that outsiders see: the server needs a
    /// certificate for it, too, as clients with an outdated configuration verify that one.
    ///
    /// # Errors
    /// [`ConfigError::ServerName`] unless it is a DNS name; [`Error::Library`].
    pub fn generate(public_name: &str) -> Result<Self, Error> {
        let name = DnsName::try_from(public_name).map_err(|_| ConfigError::ServerName {
            given: public_name.chars().take(80).collect(),
        })?;
        let (config, key) = ffi::generate_ech_key(name.as_ref())
            .map_err(|code| Error::Library(ErrorCode::new(code)))?;
        Ok(Self {
            config: EchConfigList::trusted(config),
            key,
        })
    }

    /// Takes what [`to_bytes`](Self::to_bytes) gave.
    ///
    /// # Errors
    /// [`ConfigError::EchConfig`] when the bytes are malformed, or key and configuration do not
    /// belong together.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let malformed = || ConfigError::EchConfig {
            reason: ErrorCode::new(wolfssl_sys::BUFFER_E),
        };
        let (key, config) = bytes.split_first_chunk::<KEY_LEN>().ok_or_else(malformed)?;
        let keys = Self {
            config: EchConfigList::trusted(config.to_vec()),
            key: Zeroizing::new(*key),
        };
        ffi::check_ech_keys(&keys).map_err(|code| ConfigError::EchConfig {
            reason: ErrorCode::new(code),
        })?;
        Ok(keys)
    }

    /// The private key and the configuration as bytes: keep them secret.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new([self.key.as_slice(), self.config.as_bytes()].concat())
    }

    /// The configuration, to be published for clients.
    pub fn config_list(&self) -> &EchConfigList {
        &self.config
    }

    pub(crate) fn key(&self) -> &[u8; KEY_LEN] {
        &self.key
    }
}

impl fmt::Debug for EchKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EchKeys")
            .field("config", &self.config)
            .field("key", &"redacted")
            .finish()
    }
}

/// What became of Encrypted Client Hello in a connection.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EchStatus {
    /// The client offered none, or the server has no keys for it.
    NotOffered,
    /// The client sent random bytes in its place.
    Grease,
    /// The server could not decrypt the hello. A client ends with [`Error::EchRejected`]; a
    /// server goes on with the outer hello.
    Rejected,
    /// The encrypted hello is the one that counts.
    Accepted,
}
