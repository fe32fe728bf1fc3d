//! `ServerConnection`: the accepting side.

use super::{ConnectionCommon, deref_to_common};
use crate::config::server::ServerConfig;
use crate::error::Error;

/// A server's connection without I/O; see [`ConnectionCommon`] for its methods.
#[derive(Debug)]
pub struct ServerConnection {
    pub(super) common: ConnectionCommon,
    /// A certificate was asked for after the handshake.
    pub(super) requested: bool,
    // Kept with the connection, so that nothing that C borrows from it can go first.
    _config: ServerConfig,
}

deref_to_common!(ServerConnection);

impl ServerConnection {
    /// A connection that waits for a client's hello.
    ///
    /// # Errors
    /// [`Error::Library`] when memory is short.
    pub fn new(config: &ServerConfig) -> Result<Self, Error> {
        let inner = &config.inner;
        let mut common = ConnectionCommon::new(&inner.context, inner.alpn.as_deref(), None)?;
        if let Some(response) = inner.identity.ocsp_response() {
            common.session.set_ocsp_response(response);
        }
        common.own_identity = Some(inner.identity.clone());
        if let Some(log) = &inner.key_log {
            common.set_key_log(log);
        }
        Ok(Self {
            common,
            requested: false,
            _config: config.clone(),
        })
    }

    /// A connection whose first input is already there.
    pub(super) fn replaying(config: &ServerConfig, records: Vec<u8>) -> Result<Self, Error> {
        let mut connection = Self::new(config)?;
        connection.common.replay = records;
        Ok(connection)
    }

    /// The host name that the client asked for (SNI, RFC 6066), if any.
    pub fn server_name(&self) -> Option<String> {
        self.common.received_server_name()
    }

    pub(super) fn common_mut(&mut self) -> &mut ConnectionCommon {
        &mut self.common
    }
}
