//! Early data (0-RTT, RFC 8446, section 2.3) in a connection.

use super::ConnectionCommon;
use super::client::ClientConnection;
use super::server::ServerConnection;
use crate::config::client::ClientConfig;
use crate::error::Error;
use crate::ffi::Role;

/// Writes early data: made by [`ClientConnection::early_data`].
#[derive(Debug)]
pub struct EarlyDataWriter<'a> {
    common: &'a mut ConnectionCommon,
}

impl ClientConnection {
    /// A writer of early data, which reaches the server with the first flight, before anything
    /// comes back.
    ///
    /// `None` unless [enabled](crate::ClientConfigBuilder::enable_early_data), a session is
    /// offered whose server takes early data, and nothing was processed yet.
    ///
    /// Early data **can be replayed**: whoever records it can send it again, and a server may
    /// take it again. Write only what may happen twice, such as a request without effects. It
    /// also has no forward secrecy towards the server's ticket keys. The server may leave it
    /// unread: when the handshake is complete,
    /// [`is_early_data_accepted`](ConnectionCommon::is_early_data_accepted) tells, and what was
    /// not accepted has to be written again, as ordinary data, by the caller, who also decides
    /// whether it still fits: another protocol may have been agreed on.
    ///
    /// ```no_run
    /// # use wolfssl::{ClientConfig, ClientConnection, Error, Status};
    /// # fn connect(config: &ClientConfig) -> Result<(), Error> {
    /// # let request = b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n";
    /// let name = wolfssl::server_name("example.com")?;
    /// let mut connection = ClientConnection::new(config, name)?;
    /// let mut output = Vec::new();
    /// let mut early = 0;
    /// if let Some(mut writer) = connection.early_data() {
    ///     early = writer.write(request, &mut output)?;
    /// }
    /// // … send the output, process what comes until the handshake is complete, then:
    /// if !connection.is_early_data_accepted() {
    ///     early = 0;
    /// }
    /// connection.write(&request[early..], &mut output)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn early_data(&mut self) -> Option<EarlyDataWriter<'_>> {
        let common = self.common_mut();
        (common.early_data_left > 0 && common.check_failure().is_ok())
            .then_some(EarlyDataWriter { common })
    }
}

impl EarlyDataWriter<'_> {
    /// Seals as much of `data` as the server takes, appends it to `output`, and returns how
    /// many bytes that were. The first call puts the client's hello before it.
    ///
    /// # Errors
    /// The error that ends the connection.
    pub fn write(&mut self, data: &[u8], output: &mut Vec<u8>) -> Result<usize, Error> {
        let count = data.len().min(self.remaining());
        let common = &mut *self.common;
        common
            .session
            .write_early_data(&data[..count], output)
            .map_err(|code| common.fail(code))?;
        common.early_data_left -= count as u32;
        Ok(count)
    }

    /// How many bytes the server still takes.
    pub fn remaining(&self) -> usize {
        self.common.early_data_left as usize
    }
}

impl ServerConnection {
    /// Copies early data into `buffer` and says how many bytes.
    ///
    /// Early data comes while the handshake is going on and is not among what
    /// [`read`](ConnectionCommon::read) hands out, as it **can be a replay** and its sender may
    /// not be there any more. Do with it only what may happen twice. Once some has come, the
    /// answer can be written at once, before the handshake is complete; it is then for a peer
    /// that has not proven to be there.
    ///
    /// `Ok(0)` means that all of it was read, that there was none, or that it was not taken.
    ///
    /// # Errors
    /// [`Error::WantsInput`] while more may come. Otherwise the error that ended the
    /// connection.
    pub fn read_early_data(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let common = self.common_mut();
        let received = common.session.early_data();
        let count = buffer.len().min(received.len());
        if count > 0 {
            buffer[..count].copy_from_slice(&received[..count]);
            received.drain(..count);
            return Ok(count);
        }
        common.check_failure()?;
        if buffer.is_empty() || !common.handshaking || !common.session.reads_early_data() {
            return Ok(0);
        }
        Err(Error::WantsInput)
    }
}

impl ConnectionCommon {
    /// Whether early data was taken: of a client by the server, which is known when the
    /// handshake is complete; by a server, as soon as it is.
    pub fn is_early_data_accepted(&self) -> bool {
        (!self.handshaking || self.session.role() == Role::Server)
            && self.session.early_data_accepted()
    }

    /// What a client may write before the server answers.
    pub(super) fn start_early_data(&mut self, config: &ClientConfig) {
        let offered = self
            .resumption
            .as_ref()
            .and_then(|own| own.offered.as_ref());
        if let Some(session) = offered
            && config.inner.early_data
        {
            self.early_data_left = session.max_early_data();
        }
    }

    /// Whether a server may write before the client's part of the handshake has come.
    pub(super) fn answers_early_data(&self) -> bool {
        self.session.role() == Role::Server && self.session.early_data_accepted()
    }
}
