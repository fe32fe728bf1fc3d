//! `SessionTicket`: what a client needs to resume a session, as a value and as bytes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls_pki_types::CertificateDer;
use zeroize::Zeroizing;

use super::reader::{Reader, put};
use super::{MAX_LIFETIME, SessionKey, max_session_age, now};
use crate::error::{ConfigError, Error};
use crate::ffi::{self, PeerIdentity, SessionData};
use crate::protocol::{CipherSuite, ProtocolVersion};
use crate::raw_keys::CertificateType;

/// A session that a client can resume, bound to the server's name and to the configuration it
/// was made under.
///
/// Clones share the secrets, which are wiped with the last one and never printed. In TLS 1.3 a
/// session should be offered once, or onlookers can tell that two connections belong together
/// (RFC 8446, appendix C.4).
///
/// ```no_run
/// use wolfssl::{ClientConfig, ClientConnection, Resumption, RootCertStore, SessionTicket};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut connection: ClientConnection = todo!();
/// let config = ClientConfig::builder()
///     .roots(RootCertStore::system()?)
///     .resumption(Resumption::manual())
///     .build()?;
/// // … a connection to example.com ends; its ticket came with the first bytes read:
/// if let Some(session) = connection.take_session() {
///     std::fs::write("session", session.to_bytes())?; // a secret: mind who can read it
/// }
/// // … in another process:
/// let session = SessionTicket::from_bytes(&std::fs::read("session")?)?;
/// let name = "example.com".try_into()?;
/// let connection = ClientConnection::with_session(&config, name, session)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SessionTicket {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) data: SessionData,
    pub(crate) key: SessionKey,
    /// When it came and when the server last proved its identity, in seconds since 1970.
    pub(crate) received_at: u64,
    pub(crate) authenticated_at: u64,
    pub(crate) alpn: Option<Vec<u8>>,
    pub(crate) peer: PeerIdentity,
}

/// What the bytes begin with; the last digit is the version of the format.
const MAGIC: &[u8; 8] = b"wolfssl1";
const DIGEST_SIZE: usize = 32;
/// A chain that was verified is no longer.
const MAX_CHAIN: usize = 32;

impl SessionTicket {
    pub(crate) fn new(inner: Inner) -> Self {
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The session as bytes, for a file or a cache between processes.
    ///
    /// They are a secret, not encrypted. They can be read by programs that use this version
    /// of this crate's format and of wolfSSL (`wolfSSL_i2d_SSL_SESSION`).
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let inner = &*self.inner;
        let data = &inner.data;
        let mut out = Zeroizing::new(MAGIC.to_vec());
        put(&mut out, 1, library_version().as_bytes());
        out.extend_from_slice(&inner.key.0);
        out.extend_from_slice(&inner.received_at.to_be_bytes());
        out.extend_from_slice(&inner.authenticated_at.to_be_bytes());
        out.extend_from_slice(&data.version.to_be_bytes());
        out.extend_from_slice(&data.suite.to_be_bytes());
        out.extend_from_slice(&data.lifetime.to_be_bytes());
        out.extend_from_slice(&data.early_data.to_be_bytes());
        put(&mut out, 1, inner.alpn.as_deref().unwrap_or_default());
        out.push(u8::from(inner.peer.kind == CertificateType::RawPublicKey));
        let chain = &inner.peer.chain;
        out.push(chain.len().min(MAX_CHAIN) as u8);
        for certificate in chain.iter().take(MAX_CHAIN) {
            put(&mut out, 3, certificate);
        }
        put(&mut out, 3, &data.bytes);
        let digest = ffi::sha256(&out).unwrap_or_default();
        out.extend_from_slice(&digest);
        out
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// Bytes that come from elsewhere, were cut short or changed are refused. The contents
    /// are trusted, as those of a private key: whoever can write them can choose the keys of
    /// the connection.
    ///
    /// # Errors
    /// [`ConfigError::SessionTicket`] with the reason.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::parse(bytes).map_err(|reason| ConfigError::SessionTicket { reason }.into())
    }

    fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err("it is not a session of this format");
        }
        let end = bytes.len() - DIGEST_SIZE.min(bytes.len());
        let (content, digest) = bytes.split_at(end);
        let cut = "it was cut short or changed";
        if ffi::sha256(content).map_err(|_| "wolfSSL cannot hash it")? != digest {
            return Err(cut);
        }
        let mut reader = Reader(&content[MAGIC.len()..]);
        let library = reader.vector(1).ok_or(cut)?;
        if library != library_version().as_bytes() {
            return Err("it was written with another version of wolfSSL");
        }
        let ticket = Self::read(&mut reader).ok_or(cut)?;
        if !reader.0.is_empty() {
            return Err(cut);
        }
        let data = &ticket.inner.data;
        let known_version = ProtocolVersion::from_u16(data.version);
        let known_suite = CipherSuite::from_value(data.suite);
        if known_version.is_none() || known_suite.map(|suite| suite.version()) != known_version {
            return Err("its version and cipher suite do not go together");
        }
        match data.check() {
            Ok(()) => Ok(ticket),
            Err(_) => Err("wolfSSL cannot read the session in it"),
        }
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let key = SessionKey(reader.array()?);
        let received_at = u64::from_be_bytes(reader.array()?);
        let authenticated_at = u64::from_be_bytes(reader.array()?);
        let version = u16::from_be_bytes(reader.array()?);
        let suite = u16::from_be_bytes(reader.array()?);
        let lifetime = u32::from_be_bytes(reader.array()?);
        let early_data = u32::from_be_bytes(reader.array()?);
        let alpn = Some(reader.vector(1)?.to_vec()).filter(|name| !name.is_empty());
        let [kind, count] = reader.array()?;
        let kind = match kind {
            0 => CertificateType::X509,
            1 => CertificateType::RawPublicKey,
            _ => return None,
        };
        if usize::from(count) > MAX_CHAIN {
            return None;
        }
        let mut chain = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            chain.push(CertificateDer::from(reader.vector(3)?.to_vec()));
        }
        let bytes = Zeroizing::new(reader.vector(3)?.to_vec());
        Some(Self::new(Inner {
            data: SessionData {
                bytes,
                version,
                suite,
                lifetime,
                early_data,
            },
            key,
            received_at,
            authenticated_at,
            alpn,
            peer: PeerIdentity {
                kind,
                chain: chain.into(),
            },
        }))
    }

    /// The protocol version of the session, and of connections that resume it.
    pub fn version(&self) -> ProtocolVersion {
        match self.inner.data.version {
            0x0303 => ProtocolVersion::TLSv1_2,
            _ => ProtocolVersion::TLSv1_3,
        }
    }

    /// The application protocol of the connection that the session came from.
    pub fn alpn(&self) -> Option<&[u8]> {
        self.inner.alpn.as_deref()
    }

    /// The certificates that the server proved its identity with, leaf first; empty for a raw
    /// public key.
    pub fn peer_certificates(&self) -> &[CertificateDer<'static>] {
        match self.inner.peer.kind {
            CertificateType::X509 => &self.inner.peer.chain,
            CertificateType::RawPublicKey => &[],
        }
    }

    /// How much early data the server takes with it, in bytes; 0 for none.
    pub fn max_early_data(&self) -> u32 {
        self.inner.data.early_data
    }

    /// How long it can still be resumed: what is left of the server's lifetime for it and of
    /// the time (a day in TLS 1.2, a week in TLS 1.3) after which the server proves its
    /// identity anew. Zero when it is over, and when the clock was set back.
    pub fn remaining_lifetime(&self) -> Duration {
        let now = now();
        let left = |start: u64, lifetime: u64| match now.checked_sub(start) {
            Some(age) => lifetime.saturating_sub(age),
            None => 0,
        };
        let inner = &*self.inner;
        let lifetime = u64::from(inner.data.lifetime).min(MAX_LIFETIME);
        let age = max_session_age(self.version() == ProtocolVersion::TLSv1_3);
        Duration::from_secs(
            left(inner.received_at, lifetime).min(left(inner.authenticated_at, age)),
        )
    }

    /// What it is bound to.
    pub fn key(&self) -> &SessionKey {
        &self.inner.key
    }
}

impl fmt::Debug for SessionTicket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionTicket")
            .field("version", &self.version())
            .field("key", self.key())
            .field("remaining_lifetime", &self.remaining_lifetime())
            .field("max_early_data", &self.max_early_data())
            .field("secrets", &"redacted")
            .finish_non_exhaustive()
    }
}

fn library_version() -> &'static str {
    crate::build_info().wolfssl_version
}
