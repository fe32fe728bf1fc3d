//! What can go wrong, typed: whose fault it is, what was wrong, and what to do.

use std::fmt;
use std::io;
use std::sync::Arc;

use crate::connection::acceptor::ClientHelloError;
use crate::connection::post_handshake::PostHandshakeAuthError;
use crate::ech::EchConfigList;
use crate::ffi;
use crate::protocol::{AlertDescription, NamedGroup};
use crate::signing::SigningError;

/// Any failure of this crate.
///
/// Errors of a running connection are final: the connection answers every later call with
/// the same error. Bytes that were put in the output before the error (an alert, as a rule)
/// should still be sent, so that the peer learns why.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum Error {
    /// A configuration, certificate, key or name was not usable; nothing was sent.
    Config(ConfigError),
    /// The peer's certificate was refused.
    InvalidCertificate(CertificateError),
    /// The peer ended the connection with this alert (RFC 8446, section 6).
    AlertReceived(AlertDescription),
    /// The peer broke the protocol, or the two sides have nothing in common.
    Handshake {
        /// wolfSSL's code with its text.
        reason: ErrorCode,
        /// The alert that tells the peer, when there is one.
        alert_sent: Option<AlertDescription>,
    },
    /// A client's first bytes are no ClientHello that can be answered.
    ClientHello(ClientHelloError),
    /// The server could not decrypt the Encrypted Client Hello and has proven to be the one of
    /// its public name; nothing of the application was sent. Connect again with its new
    /// configurations, in an [`EchMode::Offer`](crate::EchMode::Offer); if it has none, it does
    /// not have ECH any more, and connecting without reveals the name.
    EchRejected {
        /// What to offer instead.
        retry_configs: Option<EchConfigList>,
    },
    /// More bytes of the peer are needed first; not a failure.
    WantsInput,
    /// A signature is needed first: see [`crate::Status::WantsSignature`]; not a failure.
    WantsSignature,
    /// There is no usable signature of a key held elsewhere.
    Signing(SigningError),
    /// Application data was written or keys were asked for before the handshake was complete.
    HandshakeNotComplete,
    /// Application data was written after `close_notify` was sent or the connection had failed.
    WriteAfterClose,
    /// This is not defined, or not allowed, on this connection.
    Unavailable {
        /// What was asked for.
        what: &'static str,
        /// Why it cannot be had.
        reason: &'static str,
    },
    /// The transport ended without the peer's `close_notify`: data may be missing.
    Truncated,
    /// The client could not be asked for its certificate; not a failure of the connection.
    PostHandshakeAuth(PostHandshakeAuthError),
    /// A callback of the caller has panicked under this connection, which was resumed then; the
    /// connection cannot go on.
    CallbackPanicked,
    /// The C library could not be initialised or ran out of memory.
    Library(ErrorCode),
    /// The transport failed; the cause is the source of this error.
    Io(Arc<io::Error>),
}

/// Why a configuration cannot be used; raised by `build()` and by constructors.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// There is no trust anchor to verify the peer with.
    NoTrustAnchors,
    /// This system has no usable trust anchor.
    NoSystemTrustAnchors {
        /// Why.
        reason: String,
    },
    /// A trust anchor was refused by wolfSSL.
    TrustAnchor {
        /// Position in the store or bundle, from 0.
        index: usize,
        /// wolfSSL's code with its text.
        reason: ErrorCode,
    },
    /// PEM text could not be read.
    Pem {
        /// What was being read: `certificate`, `private key`, …
        what: &'static str,
        /// What was wrong with it.
        reason: String,
    },
    /// A file could not be read.
    File {
        /// Its path.
        path: std::path::PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The certificate chain was refused by wolfSSL.
    CertificateChain {
        /// wolfSSL's code with its text.
        reason: ErrorCode,
    },
    /// The private key was refused by wolfSSL.
    PrivateKey {
        /// wolfSSL's code with its text.
        reason: ErrorCode,
    },
    /// The private key is encrypted and no password was given.
    EncryptedKey,
    /// The private key cannot be decrypted: the password is wrong, or the algorithm is not
    /// one of those that [`from_encrypted_pem`](crate::CertifiedKey::from_encrypted_pem) names.
    KeyDecryption {
        /// wolfSSL's code with its text.
        reason: ErrorCode,
    },
    /// The private key is not that of the first certificate in the chain.
    KeyMismatch,
    /// A raw public key is not a `SubjectPublicKeyInfo` of a supported kind.
    RawPublicKey {
        /// Position in the list, from 0.
        index: usize,
    },
    /// Raw public keys of peers were given, and not to check peers as well.
    UncheckedRawPublicKeys,
    /// Configurations or keys of Encrypted Client Hello cannot be used.
    EchConfig {
        /// wolfSSL's code with its text.
        reason: ErrorCode,
    },
    /// `max_fragment_size` is not between 64 and 16384 bytes.
    FragmentSize {
        /// What it was, in bytes.
        given: usize,
    },
    /// A server needs a certificate and its key.
    NoIdentity,
    /// The name is neither a DNS name nor an IP address.
    ServerName {
        /// The text that was given, shortened.
        given: String,
    },
    /// An ALPN protocol name is empty, longer than 255 bytes, or has a byte (`,` or NUL) that
    /// wolfSSL's lists cannot carry.
    AlpnProtocol {
        /// Position in the list, from 0.
        index: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An empty list where at least one entry is needed.
    Empty {
        /// Of what.
        what: &'static str,
    },
    /// Something that only TLS 1.3 has, in a configuration without it.
    NeedsTls13 {
        /// Of what.
        what: &'static str,
    },
    /// No protocol version is left that both the list of versions and of suites allow.
    NoUsableCipherSuite,
    /// A revocation list was refused by wolfSSL.
    RevocationList {
        /// Position in the lists, from 0.
        index: usize,
        /// wolfSSL's code with its text.
        reason: ErrorCode,
    },
    /// This is not `sha256//` with 32 bytes in base64.
    PinnedKey {
        /// The text that was given, shortened.
        given: String,
    },
    /// A key share is to be sent for a group that is not offered.
    KeyShareNotOffered {
        /// The group.
        group: NamedGroup,
    },
    /// The bytes are not those of a session, or of one that this program can use.
    SessionTicket {
        /// What is wrong with them.
        reason: &'static str,
    },
    /// A ticket secret has not 32 bytes.
    TicketSecret {
        /// How many it has.
        length: usize,
    },
    /// Tickets must be good for a second at least and for seven days at most.
    TicketLifetime {
        /// What was asked for.
        lifetime: std::time::Duration,
    },
    /// Early data needs TLS 1.3 and resumption.
    EarlyData {
        /// What is missing.
        reason: &'static str,
    },
    /// wolfSSL refused a list of suites or groups.
    Unsupported {
        /// Of what.
        what: &'static str,
        /// wolfSSL's code with its text.
        reason: ErrorCode,
    },
}

/// Why a certificate was refused.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateError {
    /// The certificate is not for this name or address.
    NotValidForName {
        /// The name the caller asked for.
        expected: String,
        /// The names in the certificate, as text; empty when none could be read.
        presented: Vec<String>,
    },
    /// No trust anchor leads to it.
    UnknownIssuer,
    /// It has expired.
    Expired,
    /// It is not valid yet.
    NotValidYet,
    /// Its issuer has revoked it.
    Revoked,
    /// A revocation list or OCSP answer is needed and missing or not usable.
    RevocationStatusUnknown,
    /// A signature in the chain is wrong.
    BadSignature,
    /// The peer sent none, and one is required.
    NotPresented,
    /// It may not be used for this purpose, or its issuer may not issue it.
    InvalidPurpose,
    /// The path is longer than a certificate in it allows.
    PathTooLong,
    /// One of its issuers may not issue for this name.
    NameConstraint,
    /// It could not be parsed, or breaks a rule of RFC 5280.
    BadEncoding(ErrorCode),
    /// It is a raw public key that is not among the known ones.
    UnknownRawPublicKey,
    /// Its type, X.509 or raw public key, is not the one agreed on, or there is none in common.
    UnsupportedType,
    /// Its key is none of the pinned ones.
    NotPinned,
    /// It was refused by the caller's own check.
    ApplicationRefused(String),
    /// Any other reason.
    Other(ErrorCode),
}

/// A code of wolfSSL or wolfCrypt, printed with the library's own text.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorCode(i32);

impl ErrorCode {
    pub(crate) fn new(code: i32) -> Self {
        Self(code)
    }

    /// The number, as in wolfSSL's `error-ssl.h` and `error-crypt.h`.
    pub fn code(self) -> i32 {
        self.0
    }

    /// The library's text for it (`wolfSSL_ERR_error_string_n`).
    pub fn text(self) -> String {
        ffi::reason_text(self.0)
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErrorCode({}: {})", self.0, self.text())
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("wolfSSL gave no reason"),
            code => write!(f, "{} (wolfSSL {code})", self.text()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::InvalidCertificate(error) => write!(f, "peer certificate refused: {error}"),
            Self::AlertReceived(alert) => write!(f, "peer sent alert {alert}"),
            Self::Handshake { reason, alert_sent } => {
                write!(f, "protocol failure: {reason}")?;
                match alert_sent {
                    Some(alert) => write!(f, ", alert {alert} sent"),
                    None => Ok(()),
                }
            }
            Self::ClientHello(error) => error.fmt(f),
            Self::WantsInput => f.write_str("more bytes of the peer are needed"),
            Self::WantsSignature => {
                f.write_str("a signature is being waited for: call provide_signature()")
            }
            Self::EchRejected { retry_configs } => {
                f.write_str("the server could not decrypt the Encrypted Client Hello")?;
                match retry_configs {
                    Some(_) => f.write_str(": connect again with its new configurations"),
                    None => f.write_str(" and offers no other configuration"),
                }
            }
            Self::Signing(error) => error.fmt(f),
            Self::PostHandshakeAuth(error) => error.fmt(f),
            Self::CallbackPanicked => f.write_str("a callback has panicked under this connection"),
            Self::HandshakeNotComplete => f.write_str("the handshake is not complete yet"),
            Self::WriteAfterClose => {
                f.write_str("write on a connection that was closed for writing")
            }
            Self::Unavailable { what, reason } => {
                write!(f, "{what} cannot be had on this connection: {reason}")
            }
            Self::Truncated => f.write_str(
                "the transport ended without the peer's close_notify; data may have been cut off",
            ),
            Self::Library(code) => write!(f, "wolfSSL is not usable: {code}"),
            Self::Io(error) => write!(f, "transport failed: {error}"),
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTrustAnchors => f.write_str(
                "no trust anchors to verify the peer with; add some to the RootCertStore",
            ),
            Self::NoSystemTrustAnchors { reason } => write!(
                f,
                "this system has no usable trust anchors ({reason}); install its CA bundle \
                 (ca-certificates) or name one in SSL_CERT_FILE"
            ),
            Self::TrustAnchor { index, reason } => {
                write!(f, "trust anchor {index} cannot be used: {reason}")
            }
            Self::Pem { what, reason } => write!(f, "no usable {what} in the PEM text: {reason}"),
            Self::File { path, reason } => write!(f, "cannot read {}: {reason}", path.display()),
            Self::CertificateChain { reason } => {
                write!(f, "the certificate chain cannot be used: {reason}")
            }
            Self::PrivateKey { reason } => write!(f, "the private key cannot be used: {reason}"),
            Self::EncryptedKey => f.write_str(
                "the private key is encrypted; give its password to from_encrypted_pem()",
            ),
            Self::KeyDecryption { reason } => write!(
                f,
                "the private key cannot be decrypted, by a wrong password or as wolfSSL \
                 does not know its encryption: {reason}"
            ),
            Self::KeyMismatch => f.write_str(
                "the private key is not that of the first certificate; the leaf goes first",
            ),
            Self::RawPublicKey { index } => {
                write!(
                    f,
                    "raw public key {index} is not a supported SubjectPublicKeyInfo"
                )
            }
            Self::UncheckedRawPublicKeys => {
                f.write_str("raw public keys have to be checked: leave verification on")
            }
            Self::EchConfig { reason } => {
                write!(
                    f,
                    "the Encrypted Client Hello configuration cannot be used: {reason}"
                )
            }
            Self::FragmentSize { given } => write!(
                f,
                "records can hold 64 to 16384 bytes, not {given}: see max_fragment_size()"
            ),
            Self::NoIdentity => f.write_str("a server needs a certificate: call identity()"),
            Self::ServerName { given } => {
                write!(f, "{given:?} is neither a DNS name nor an IP address")
            }
            Self::AlpnProtocol { index, reason } => {
                write!(f, "ALPN protocol {index} cannot be offered: {reason}")
            }
            Self::Empty { what } => write!(f, "the list of {what} is empty"),
            Self::NeedsTls13 { what } => {
                write!(f, "{what} needs TLS 1.3, which is not enabled")
            }
            Self::NoUsableCipherSuite => {
                f.write_str("none of the cipher suites belongs to an enabled protocol version")
            }
            Self::RevocationList { index, reason } => {
                write!(f, "revocation list {index} cannot be used: {reason}")
            }
            Self::PinnedKey { given } => {
                write!(f, "{given:?} is not sha256// with 32 bytes in base64")
            }
            Self::KeyShareNotOffered { group } => {
                write!(
                    f,
                    "a key share of {group} needs the group itself: add it to groups()"
                )
            }
            Self::SessionTicket { reason } => {
                write!(
                    f,
                    "the session cannot be resumed from these bytes: {reason}"
                )
            }
            Self::TicketSecret { length } => {
                write!(f, "a ticket secret has 32 bytes, not {length}")
            }
            Self::TicketLifetime { lifetime } => write!(
                f,
                "tickets cannot be good for {lifetime:?}; at least a second, at most seven days"
            ),
            Self::EarlyData { reason } => write!(f, "early data cannot be used: {reason}"),
            Self::Unsupported { what, reason } => {
                write!(f, "this list of {what} is not supported: {reason}")
            }
        }
    }
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotValidForName {
                expected,
                presented,
            } if presented.is_empty() => {
                write!(f, "it is not valid for {expected}")
            }
            Self::NotValidForName {
                expected,
                presented,
            } => {
                write!(
                    f,
                    "it is valid for {}, not for {expected}",
                    presented.join(", ")
                )
            }
            Self::UnknownIssuer => f.write_str("no trust anchor leads to it"),
            Self::Expired => f.write_str("it has expired"),
            Self::NotValidYet => f.write_str("it is not valid yet"),
            Self::Revoked => f.write_str("it has been revoked"),
            Self::RevocationStatusUnknown => f.write_str("its revocation status is not known"),
            Self::BadSignature => f.write_str("a signature in its chain is wrong"),
            Self::NotPresented => f.write_str("none was sent"),
            Self::InvalidPurpose => f.write_str("it may not be used for this purpose"),
            Self::PathTooLong => f.write_str("its chain is longer than allowed"),
            Self::NameConstraint => {
                f.write_str("an issuer in its chain may not issue for its name")
            }
            Self::BadEncoding(code) => write!(f, "it is malformed: {code}"),
            Self::UnknownRawPublicKey => f.write_str("its raw public key is not a known one"),
            Self::UnsupportedType => f.write_str("its type was not agreed on"),
            Self::NotPinned => f.write_str("its key is none of the pinned ones"),
            Self::ApplicationRefused(reason) => write!(f, "the application refused it: {reason}"),
            Self::Other(code) => code.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Config(error) => Some(error),
            Self::InvalidCertificate(error) => Some(error),
            Self::Signing(error) => Some(error),
            Self::PostHandshakeAuth(error) => Some(error),
            Self::ClientHello(error) => Some(error),
            Self::Io(error) => Some(error.as_ref()),
            _ => None,
        }
    }
}

impl std::error::Error for ConfigError {}
impl std::error::Error for CertificateError {}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

impl From<PostHandshakeAuthError> for Error {
    fn from(error: PostHandshakeAuthError) -> Self {
        Self::PostHandshakeAuth(error)
    }
}

impl From<SigningError> for Error {
    fn from(error: SigningError) -> Self {
        Self::Signing(error)
    }
}

impl From<CertificateError> for Error {
    fn from(error: CertificateError) -> Self {
        Self::InvalidCertificate(error)
    }
}

impl From<ClientHelloError> for Error {
    fn from(error: ClientHelloError) -> Self {
        Self::ClientHello(error)
    }
}

impl From<io::Error> for Error {
    /// Takes our own error back out of an `io::Error` that carries one.
    fn from(error: io::Error) -> Self {
        match error.downcast::<Error>() {
            Ok(ours) => ours,
            Err(foreign) => Self::Io(Arc::new(foreign)),
        }
    }
}

impl From<Error> for io::Error {
    /// Keeps the kind meaningful: `WouldBlock`, `UnexpectedEof`, `NotConnected`, `BrokenPipe`,
    /// `InvalidInput`, `Unsupported`, the transport's own kind, and `InvalidData` for the rest.
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::WantsInput | Error::WantsSignature => io::ErrorKind::WouldBlock,
            Error::Truncated => io::ErrorKind::UnexpectedEof,
            Error::HandshakeNotComplete => io::ErrorKind::NotConnected,
            Error::WriteAfterClose => io::ErrorKind::BrokenPipe,
            Error::Config(_) => io::ErrorKind::InvalidInput,
            Error::Unavailable { .. } => io::ErrorKind::Unsupported,
            Error::Io(source) => source.kind(),
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, error)
    }
}
