//! `TlsConnector` and `TlsAcceptor`: a configuration that makes streams.

use ::tokio::io::{AsyncRead, AsyncWrite};

use super::handshake::Handshake;
use crate::config::client::ClientConfig;
use crate::config::server::ServerConfig;
use crate::connection::client::ClientConnection;
use crate::connection::server::ServerConnection;
use crate::names::ServerName;

/// Connects over asynchronous transports.
#[derive(Clone, Debug)]
pub struct TlsConnector {
    config: ClientConfig,
}

/// Accepts over asynchronous transports.
#[derive(Clone, Debug)]
pub struct TlsAcceptor {
    config: ServerConfig,
}

impl TlsConnector {
    /// A connector with this configuration; the same as `From`.
    pub fn new(config: ClientConfig) -> Self {
        Self { config }
    }

    /// Connects to `name` over `transport`.
    ///
    /// The future fails as [`crate::StreamOwned::connect`] does.
    pub fn connect<T>(&self, name: ServerName, transport: T) -> Handshake<ClientConnection, T>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        Handshake::start(ClientConnection::new(&self.config, name), transport)
    }

    /// The configuration.
    pub fn config(&self) -> &ClientConfig {
        &self.config
    }
}

impl TlsAcceptor {
    /// An acceptor with this configuration; the same as `From`.
    pub fn new(config: ServerConfig) -> Self {
        Self { config }
    }

    /// Accepts a client over `transport`.
    ///
    /// The future fails as [`crate::StreamOwned::accept`] does.
    pub fn accept<T>(&self, transport: T) -> Handshake<ServerConnection, T>
    where
        T: AsyncRead + AsyncWrite + Unpin,
    {
        Handshake::start(ServerConnection::new(&self.config), transport)
    }

    /// The configuration.
    pub fn config(&self) -> &ServerConfig {
        &self.config
    }
}

impl From<ClientConfig> for TlsConnector {
    fn from(config: ClientConfig) -> Self {
        Self::new(config)
    }
}

impl From<ServerConfig> for TlsAcceptor {
    fn from(config: ServerConfig) -> Self {
        Self::new(config)
    }
}
