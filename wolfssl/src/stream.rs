//! Blocking streams: a connection on top of any `Read + Write`.
//!
//! Everything the transport has not taken yet waits in the connection's own buffers, so an
//! adapter may be dropped and made anew at any time.

mod early_data;

use std::io::{self, IoSlice, Read, Write};
use std::ops::DerefMut;

use crate::config::client::ClientConfig;
use crate::config::server::ServerConfig;
use crate::connection::buffered::append_output;
use crate::connection::client::ClientConnection;
use crate::connection::server::ServerConnection;
use crate::connection::{ConnectionCommon, Status};
use crate::error::Error;
use crate::names::ServerName;

/// A connection and its transport, owned.
///
/// `read` returns `Ok(0)` only after the peer's `close_notify`; a transport that ends without
/// it gives `UnexpectedEof`. What `write` reports as written is sealed; on a non-blocking
/// transport sealed bytes that could not be sent yet go first next time, at the latest with
/// `flush`. Dropping it does not send `close_notify`: call [`StreamOwned::shutdown`].
#[derive(Debug)]
pub struct StreamOwned<C, T> {
    connection: C,
    transport: T,
}

/// A connection and its transport, borrowed; otherwise as [`StreamOwned`].
#[derive(Debug)]
pub struct Stream<'a, C, T> {
    connection: &'a mut C,
    transport: &'a mut T,
}

impl<T: Read + Write> StreamOwned<ClientConnection, T> {
    /// Connects over `transport` and completes the handshake. For a transport that may
    /// answer `WouldBlock`, use [`StreamOwned::new`] and
    /// [`complete_handshake`](StreamOwned::complete_handshake).
    ///
    /// # Errors
    /// Of [`ClientConnection::new`], of the transport, and of the handshake.
    pub fn connect(config: &ClientConfig, name: ServerName, transport: T) -> Result<Self, Error> {
        let mut stream = Self::new(ClientConnection::new(config, name)?, transport);
        stream.complete_handshake()?;
        Ok(stream)
    }
}

impl<T: Read + Write> StreamOwned<ServerConnection, T> {
    /// Accepts over `transport` and completes the handshake; otherwise as `connect`.
    ///
    /// # Errors
    /// Of [`ServerConnection::new`], of the transport, and of the handshake.
    pub fn accept(config: &ServerConfig, transport: T) -> Result<Self, Error> {
        let mut stream = Self::new(ServerConnection::new(config)?, transport);
        stream.complete_handshake()?;
        Ok(stream)
    }
}

impl<C, T> StreamOwned<C, T>
where
    C: DerefMut<Target = ConnectionCommon>,
    T: Read + Write,
{
    /// Puts a connection on a transport; nothing is sent or read yet.
    pub fn new(connection: C, transport: T) -> Self {
        Self {
            connection,
            transport,
        }
    }

    /// Goes on with the handshake until it is complete; `read` and `write` do so as well.
    ///
    /// # Errors
    /// Of the transport (`WouldBlock` included: call again) and of the handshake.
    pub fn complete_handshake(&mut self) -> io::Result<()> {
        self.borrowed().complete_handshake()
    }

    /// Sends `close_notify`: nothing can be written afterwards, reading goes on until the
    /// peer closes too.
    ///
    /// # Errors
    /// Of the transport and of the connection. On `WouldBlock` call again: the alert is sent
    /// once, however often.
    pub fn shutdown(&mut self) -> io::Result<()> {
        self.borrowed().shutdown()
    }

    /// The connection, for what was negotiated.
    pub fn connection(&self) -> &C {
        &self.connection
    }

    /// The connection, to change its state.
    pub fn connection_mut(&mut self) -> &mut C {
        &mut self.connection
    }

    /// Lets `act` append records to what is to be sent, as the calls of a connection do that
    /// take an output. They go out with the next flush, write or read.
    ///
    /// ```
    /// # use std::io::Write;
    /// # use wolfssl::{Error, ServerConnection, StreamOwned};
    /// # fn f<T: std::io::Read + Write>(mut tls: StreamOwned<ServerConnection, T>)
    /// # -> Result<(), Error> {
    /// tls.with_output(|connection, output| connection.request_client_certificate(output))?;
    /// tls.flush()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_output<R>(&mut self, act: impl FnOnce(&mut C, &mut Vec<u8>) -> R) -> R {
        append_output(&mut self.connection, act)
    }

    /// The transport.
    pub fn get_ref(&self) -> &T {
        &self.transport
    }

    /// The transport, mutably. Bytes read or written there are missing here.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Takes the two apart; bytes on their way stay in the connection.
    pub fn into_parts(self) -> (C, T) {
        (self.connection, self.transport)
    }

    fn borrowed(&mut self) -> Stream<'_, C, T> {
        Stream::new(&mut self.connection, &mut self.transport)
    }
}

impl<'a, C, T> Stream<'a, C, T>
where
    C: DerefMut<Target = ConnectionCommon>,
    T: Read + Write,
{
    /// Puts a connection on a transport; nothing is sent or read yet.
    pub fn new(connection: &'a mut C, transport: &'a mut T) -> Self {
        Self {
            connection,
            transport,
        }
    }

    /// As [`StreamOwned::complete_handshake`].
    ///
    /// # Errors
    /// Of the transport (`WouldBlock` included: call again) and of the handshake.
    pub fn complete_handshake(&mut self) -> io::Result<()> {
        if !self.connection.is_handshaking() {
            return self.send();
        }
        while self.connection.is_handshaking() {
            self.step()?;
        }
        let sent = self.send();
        if self.connection.peer_awaits_output() {
            sent
        } else {
            Ok(()) // what is left, or the reason, comes up again with the next write
        }
    }

    /// As [`StreamOwned::shutdown`].
    ///
    /// # Errors
    /// Of the transport and of the connection.
    pub fn shutdown(&mut self) -> io::Result<()> {
        self.connection.close_buffered()?;
        self.send()?;
        self.transport.flush()
    }

    /// Processes what has been fetched; fetches more when that is not enough.
    fn step(&mut self) -> io::Result<()> {
        let status = self.connection.process_buffered();
        let sent = self.send();
        match status {
            // The reason of a failure counts for more than that its alert could not be sent.
            Err(error) => return Err(error.into()),
            Ok(Status::WantsInput) => {}
            Ok(Status::WantsSignature) => return sent.and(Err(Error::WantsSignature.into())),
            Ok(_) => return ignore_would_block(sent),
        }
        if self.connection.is_handshaking() {
            sent?; // the peer waits for it; reading on would wait for each other
        } else {
            ignore_would_block(sent)?;
        }
        let transport = &mut self.transport;
        let count = self
            .connection
            .buffers
            .fetch(|buffer| retry(|| transport.read(buffer)))?;
        if count == 0 {
            self.connection.transport_ended()?;
        }
        Ok(())
    }

    /// Hands what is sealed to the transport.
    fn send(&mut self) -> io::Result<()> {
        loop {
            let unsent = self.connection.buffers.unsent();
            if unsent.is_empty() {
                return Ok(());
            }
            let count = retry(|| self.transport.write(unsent))?.min(unsent.len());
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.connection.buffers.mark_sent(count);
        }
    }

    fn seal(
        &mut self,
        seal: impl FnOnce(&mut ConnectionCommon) -> Result<usize, Error>,
    ) -> io::Result<usize> {
        self.complete_handshake()?;
        let count = seal(self.connection)?;
        ignore_would_block(self.send())?;
        Ok(count)
    }
}

impl<C, T> Read for Stream<'_, C, T>
where
    C: DerefMut<Target = ConnectionCommon>,
    T: Read + Write,
{
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.connection.is_handshaking() {
            self.complete_handshake()?;
        }
        loop {
            match self.connection.read(buffer) {
                Err(Error::WantsInput) => self.step()?,
                result => return result.map_err(io::Error::from),
            }
        }
    }
}

impl<C, T> Write for Stream<'_, C, T>
where
    C: DerefMut<Target = ConnectionCommon>,
    T: Read + Write,
{
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if data.is_empty() {
            return Ok(0);
        }
        self.seal(|connection| connection.write_buffered(data))
    }

    /// Gathers small pieces, so that they share a record.
    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        if pieces.iter().all(|piece| piece.is_empty()) {
            return Ok(0);
        }
        self.seal(|connection| connection.write_gathered(pieces))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.complete_handshake()?;
        self.transport.flush()
    }
}

impl<C, T> Read for StreamOwned<C, T>
where
    C: DerefMut<Target = ConnectionCommon>,
    T: Read + Write,
{
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.borrowed().read(buffer)
    }
}

impl<C, T> Write for StreamOwned<C, T>
where
    C: DerefMut<Target = ConnectionCommon>,
    T: Read + Write,
{
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        self.borrowed().write(data)
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        self.borrowed().write_vectored(pieces)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.borrowed().flush()
    }
}

pub(crate) fn retry(mut operation: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match operation() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

pub(crate) fn ignore_would_block(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
        result => result,
    }
}
