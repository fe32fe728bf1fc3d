//! TLS streams for [tokio](https://tokio.rs), on any transport that is `AsyncRead` and
//! `AsyncWrite` (feature `tokio`).
//!
//! [`TlsConnector`] and [`TlsAcceptor`] turn a transport into a [`TlsStream`];
//! [`LazyAcceptor`] lets a server look at the ClientHello first.
//!
//! ```no_run
//! use tokio::io::{AsyncReadExt, AsyncWriteExt};
//! use tokio::net::TcpStream;
//! use wolfssl::tokio::TlsConnector;
//! use wolfssl::{ClientConfig, RootCertStore, server_name};
//!
//! # async fn f() -> Result<(), Box<dyn std::error::Error>> {
//! let roots = RootCertStore::from_pem_file("ca.pem")?;
//! let connector = TlsConnector::from(ClientConfig::builder().roots(roots).build()?);
//! let tcp = TcpStream::connect(("example.com", 443)).await?;
//! let mut tls = connector.connect(server_name("example.com")?, tcp).await?;
//! tls.write_all(b"GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n").await?;
//! let mut answer = Vec::new();
//! tls.read_to_end(&mut answer).await?;
//! # Ok(())
//! # }
//! ```

mod connector;
mod early_data;
mod handshake;
mod io;
mod lazy;
mod stream;
mod waiters;

pub use self::connector::{TlsAcceptor, TlsConnector};
pub use self::handshake::{FallibleHandshake, Handshake};
pub use self::lazy::{LazyAcceptor, StartHandshake};
pub use self::stream::TlsStream;
