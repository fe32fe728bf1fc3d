//! Early data (0-RTT) through blocking streams.

use std::io::{self, Read, Write};

use super::StreamOwned;
use crate::connection::client::ClientConnection;
use crate::connection::server::ServerConnection;
use crate::error::Error;

impl<T: Read + Write> StreamOwned<ClientConnection, T> {
    /// Sends as much of `data` as early data as the server takes, and says how many bytes that
    /// were; 0 when there is [none to be written](ClientConnection::early_data), such as after
    /// the handshake has begun.
    ///
    /// The stream must be made with [`StreamOwned::new`], as `connect` completes the
    /// handshake. Mind that early data **can be replayed** and may be left unread: see
    /// [`ClientConnection::early_data`].
    ///
    /// # Errors
    /// Of the transport and of the connection. On `WouldBlock` the data counts as not written
    /// and is sent all the same, so a transport that blocks is called for.
    pub fn write_early_data(&mut self, data: &[u8]) -> io::Result<usize> {
        let mut output = std::mem::take(&mut self.connection.buffers.output);
        let result = match self.connection.early_data() {
            Some(mut writer) => writer.write(data, &mut output),
            None => Ok(0),
        };
        self.connection.buffers.output = output;
        let count = result?;
        self.borrowed().send()?;
        Ok(count)
    }
}

impl<T: Read + Write> StreamOwned<ServerConnection, T> {
    /// Reads early data, for which it goes on with the handshake as far as needed. `Ok(0)` is
    /// the end of it: all was read, there was none, or it was not taken.
    ///
    /// The stream must be made with [`StreamOwned::new`], as `accept` completes the handshake.
    /// Mind that early data **can be a replay**: see [`ServerConnection::read_early_data`].
    ///
    /// # Errors
    /// Of the transport and of the handshake.
    pub fn read_early_data(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.connection.read_early_data(buffer) {
                Err(Error::WantsInput) => self.borrowed().step()?,
                result => return result.map_err(io::Error::from),
            }
        }
    }

    /// Answers early data before the handshake is complete; afterwards as `write_all`.
    ///
    /// # Errors
    /// `NotConnected` when no early data was taken and the handshake is not complete;
    /// otherwise of the transport and of the connection.
    pub fn answer_early_data(&mut self, data: &[u8]) -> io::Result<()> {
        let mut output = std::mem::take(&mut self.connection.buffers.output);
        let result = self.connection.write(data, &mut output);
        self.connection.buffers.output = output;
        result?;
        self.borrowed().send()
    }
}
