//! Safe TLS over [wolfSSL](https://www.wolfssl.com): TLS 1.2 and 1.3, clients and servers.
//!
//! Three layers, each usable alone:
//!
//! 1. [`ClientConnection`] and [`ServerConnection`] do no I/O: bytes in, bytes out, over the
//!    caller's buffers.
//! 2. [`Stream`] and [`StreamOwned`] put them on any `Read + Write`.
//!    The module `tokio` (feature `tokio`) has the same for asynchronous transports.
//! 3. Configurations, [`ClientConfig`] and [`ServerConfig`], are validated once, immutable
//!    and cheap to clone.
//!
//! Verification is on: a client needs trust anchors and a [`ServerName`], and the peer must
//! prove to be it. Everything weaker is spelled `dangerous`.
//!
//! ```no_run
//! use std::io::{Read, Write};
//! use std::net::TcpStream;
//! use wolfssl::{ClientConfig, RootCertStore, StreamOwned};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let roots = RootCertStore::from_pem_file("ca.pem")?;
//! let config = ClientConfig::builder().roots(roots).build()?;
//! let tcp = TcpStream::connect(("example.com", 443))?;
//! let mut tls = StreamOwned::connect(&config, "example.com".try_into()?, tcp)?;
//! tls.write_all(b"GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n")?;
//! let mut answer = Vec::new();
//! tls.read_to_end(&mut answer)?;
//! # Ok(())
//! # }
//! ```

mod build_info;
mod config;
mod connection;
mod der;
mod early_data;
mod ech;

mod encrypted_key;
mod error;
mod ffi;
mod fragments;
mod identity;
mod key_log;
mod links;
mod names;
mod pkcs8;
mod protocol;
mod public_key;
mod raw_keys;
mod resumption;
mod revocation;
mod roots;
mod signing;
mod split;
mod stream;
#[cfg(feature = "tokio")]
pub mod tokio;
mod trace;
mod verification;

pub use build_info::{BuildInfo, Fate, build_info, processor_features};
pub use config::client::{ClientConfig, ClientConfigBuilder, DangerousClientConfigBuilder};
pub use config::server::{ClientAuth, ServerConfig, ServerConfigBuilder};
pub use connection::acceptor::{Accepted, Acceptor, ClientHello, ClientHelloError, Offered};
pub use connection::client::ClientConnection;
pub use connection::early_data::EarlyDataWriter;
pub use connection::keying::ChannelBinding;
pub use connection::post_handshake::{PostHandshakeAuth, PostHandshakeAuthError};
pub use connection::server::ServerConnection;
pub use connection::{ConnectionCommon, Status};
pub use early_data::{AntiReplay, StrikeRegister};
pub use ech::{EchConfigList, EchKeys, EchMode, EchStatus};
pub use error::{CertificateError, ConfigError, Error, ErrorCode};
pub use fragments::MaxFragmentLength;
pub use identity::CertifiedKey;
pub use key_log::{KeyLog, KeyLogFile};
pub use names::{ServerName, UnknownName, server_name};
pub use protocol::{AlertDescription, CipherSuite, NamedGroup, ProtocolVersion, SignatureScheme};
pub use public_key::PublicKeyType;
pub use raw_keys::{CertificateType, RawPublicKeys, subject_public_key_info};
pub use resumption::keys::{TicketKeys, TicketSecret};
pub use resumption::memory::InMemoryServerSessions;
pub use resumption::server::{ServerResumption, ServerSessionStore};
pub use resumption::ticket::SessionTicket;
pub use resumption::{ClientSessionStore, Resumption, SessionKey};

pub use revocation::{OcspStapling, RevocationLists, RevocationScope};
pub use roots::{RejectedRoot, RootCertStore};
pub use signing::{
    DeferredSigning, KeyFailure, SignatureRequest, Signing, SigningError, SigningInput, SigningKey,
};
pub use split::{Halves, ReadHalf, SharedTransport, WriteHalf, split};
pub use stream::{Stream, StreamOwned};
pub use verification::{PinnedKeys, VerifiedPeer};

/// The certificate, key and name types of the Rust TLS ecosystem, with their PEM readers.
pub use rustls_pki_types as pki_types;
