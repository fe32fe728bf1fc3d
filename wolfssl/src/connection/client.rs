//! `ClientConnection`: the connecting side.

use super::{ConnectionCommon, deref_to_common};
use crate::config::client::ClientConfig;
use crate::error::{Error, ErrorCode};
use crate::names::ServerName;
use crate::resumption::ticket::SessionTicket;

/// A client's connection without I/O; see [`ConnectionCommon`] for its methods.
#[derive(Debug)]
pub struct ClientConnection {
    common: ConnectionCommon,
    // Kept with the connection, so that nothing that C borrows from it can go first.
    _config: ClientConfig,
}

deref_to_common!(ClientConnection);

impl ClientConnection {
    /// A connection to `name`: sent as SNI when it is a DNS name, and what the server's
    /// certificate must be valid for. If the configuration's
    /// [`Resumption`](crate::Resumption) has a session for it, the connection tries to resume
    /// that.
    ///
    /// # Errors
    /// [`Error::Library`] when memory is short.
    pub fn new(config: &ClientConfig, name: ServerName) -> Result<Self, Error> {
        Self::start(config, name, None)
    }

    pub(super) fn start(
        config: &ClientConfig,
        name: ServerName,
        session: Option<SessionTicket>,
    ) -> Result<Self, Error> {
        let inner = &config.inner;
        let mut common = ConnectionCommon::new(
            &inner.context,
            inner.alpn.as_deref(),
            Some((name.clone(), inner.verify)),
        )?;
        if let Some(groups) = &inner.key_shares {
            common
                .session
                .set_key_shares(groups)
                .map_err(|code| Error::Library(ErrorCode::new(code)))?;
        }
        if let Some(log) = &inner.key_log {
            common.set_key_log(log);
        }
        if let Some(list) = &inner.ech {
            common
                .session
                .offer_ech(list)
                .map_err(|code| Error::Library(ErrorCode::new(code)))?;
        }
        common.start_resumption(config, &name, session)?;
        common.start_early_data(config);
        Ok(Self {
            common,
            _config: config.clone(),
        })
    }

    /// The OCSP answer (DER, RFC 6960) that the server sent for its certificate, if it was
    /// asked for and sent one: good, unless the handshake has failed.
    pub fn peer_ocsp_response(&self) -> Option<&[u8]> {
        self.common.session.peer_ocsp_response()
    }

    /// The name that this connection asked for: the SNI when it is a DNS name, and what the
    /// server's certificate is valid for.
    pub fn server_name(&self) -> Option<&ServerName> {
        self.common.server_name.as_ref()
    }

    pub(super) fn common_mut(&mut self) -> &mut ConnectionCommon {
        &mut self.common
    }
}
