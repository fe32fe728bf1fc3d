//! `TlsStream`: a connection on an asynchronous transport.

use std::future::poll_fn;
use std::io;
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::waiters::{Role, Waiters};
use crate::connection::buffered::append_output;
use crate::connection::{ConnectionCommon, Status};
use crate::error::Error;

/// A connection and its transport, as an asynchronous stream.
///
/// * **Reading** gives end of file only after the peer's `close_notify`; a transport that ends
///   without it gives `UnexpectedEof`. After either the transport is not asked again.
/// * **Writing** seals what it accepts, and sends it as far as the transport takes it. The
///   rest goes out with the next write, flush, shutdown or read, whichever is polled first.
///   As long as there is a rest, nothing more is accepted, so a stream never holds back more
///   than 64 KiB of data. A write that is pending has taken nothing: it can be dropped, and
///   followed by another.
/// * **Flushing** sends all that was accepted, and flushes the transport.
/// * **Shutting down** sends `close_notify` and shuts the transport's write side down (FIN, for
///   TCP). Reading goes on until the peer closes too.
/// * **Splitting** with `tokio::io::split` works: two tasks may use the
///   halves, and neither misses a wake-up because of the other.
///
/// Dropping it closes the transport without `close_notify`; the peer sees a truncation.
///
/// ```
/// # use wolfssl::tokio::TlsStream;
/// # use tokio::io::{AsyncReadExt, AsyncWriteExt};
/// # async fn f(mut tls: TlsStream<wolfssl::ClientConnection, tokio::net::TcpStream>)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// tls.write_all(b"GET / HTTP/1.0\r\n\r\n").await?;
/// tls.flush().await?;
/// let mut answer = Vec::new();
/// tls.read_to_end(&mut answer).await?; // an error if the answer was cut off
/// tls.shutdown().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct TlsStream<C, T> {
    connection: C,
    transport: T,
    readable: Waiters,
    writable: Waiters,
    /// The transport was written to and not flushed since.
    pub(super) unflushed: bool,
    /// The transport's write side is shut down.
    pub(super) shut_down: bool,
    /// Met while reading; it is the writer's to learn of.
    write_failure: Option<io::Error>,
}

impl<C, T> TlsStream<C, T>
where
    C: DerefMut<Target = ConnectionCommon> + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    /// Puts a connection on a transport. What is left of its handshake is done by the first
    /// read or write.
    pub fn new(connection: C, transport: T) -> Self {
        Self {
            connection,
            transport,
            readable: Waiters::default(),
            writable: Waiters::default(),
            unflushed: false,
            shut_down: false,
            write_failure: None,
        }
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
    /// # use wolfssl::tokio::TlsStream;
    /// # use tokio::io::AsyncWriteExt;
    /// # async fn f(mut tls: TlsStream<wolfssl::ServerConnection, tokio::net::TcpStream>)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// tls.with_output(|connection, output| connection.request_client_certificate(output))?;
    /// tls.flush().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn with_output<R>(&mut self, act: impl FnOnce(&mut C, &mut Vec<u8>) -> R) -> R {
        append_output(&mut self.connection, act)
    }

    /// Goes on with the handshake of a stream made with [`new`](Self::new) until it is
    /// complete. Can be dropped and called again.
    ///
    /// # Errors
    /// Of the transport and of the handshake.
    pub async fn complete_handshake(&mut self) -> io::Result<()> {
        poll_fn(|context| self.poll_handshake(context, Role::Writer))
            .await
            .map_err(io::Error::from)
    }

    /// The transport.
    pub fn get_ref(&self) -> &T {
        &self.transport
    }

    /// The transport, mutably. Bytes read or written there are missing here.
    pub fn get_mut(&mut self) -> &mut T {
        &mut self.transport
    }

    /// The transport, without the connection. Data that was read ahead is lost: close both
    /// sides first, or take [`into_parts`](Self::into_parts).
    pub fn into_inner(self) -> T {
        self.transport
    }

    /// Takes the two apart; bytes on their way stay in the connection.
    pub fn into_parts(self) -> (C, T) {
        (self.connection, self.transport)
    }

    /// Goes on with the handshake until it is complete and the peer has what it waits for.
    pub(super) fn poll_handshake(
        &mut self,
        context: &mut Context<'_>,
        role: Role,
    ) -> Poll<Result<(), Error>> {
        while self.connection.is_handshaking() {
            match self.connection.process_buffered() {
                Ok(Status::WantsInput) => {
                    ready!(self.poll_exchange(context, role))?;
                }
                Ok(Status::WantsSignature) => {
                    ready!(self.poll_drain(context, role))?;
                    return Poll::Ready(Err(Error::WantsSignature));
                }
                Ok(_) => {}
                Err(error) => {
                    // It counts for more than that its alert could not be sent.
                    let _ = ready!(self.poll_drain(context, role));
                    return Poll::Ready(Err(error));
                }
            }
        }
        let drained = self.poll_drain(context, role);
        if self.connection.peer_awaits_output() {
            if drained.is_pending() && self.connection.buffers.input().is_empty() {
                // The peer may be at sending too, and read only once that is taken.
                let _ = self.poll_fetch(context, role)?;
            }
            return drained.map_err(Error::from);
        }
        // Tickets: clients that want none may be gone already, with data for us on its way.
        if let Poll::Ready(Err(error)) = drained {
            self.write_failure = Some(error);
        }
        Poll::Ready(Ok(()))
    }

    /// Sends what there is and fetches what comes: both at once, as with early data both ends
    /// may be sending, and would wait for each other to read.
    pub(super) fn poll_exchange(
        &mut self,
        context: &mut Context<'_>,
        role: Role,
    ) -> Poll<Result<(), Error>> {
        if let Poll::Ready(Err(error)) = self.poll_drain(context, role) {
            let reason = self.parting_reason(context, role);
            return Poll::Ready(Err(reason.unwrap_or(error.into())));
        }
        self.poll_fetch(context, role).map_err(Error::from)
    }

    /// Why the peer does not listen any more, if it has said so: it may have sent its alert and
    /// gone amid what it was being sent.
    fn parting_reason(&mut self, context: &mut Context<'_>, role: Role) -> Option<Error> {
        while let Poll::Ready(Ok(())) = self.poll_fetch(context, role) {
            match self.connection.process_buffered() {
                Ok(Status::WantsInput) => {}
                Ok(_) => break,
                Err(error) => return Some(error),
            }
        }
        None
    }

    pub(super) fn poll_read_plain(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if self.connection.is_handshaking() {
                ready!(self.poll_handshake(context, Role::Reader))?;
            }
            let wanted = self.connection.plaintext_len().max(1);
            let space = buffer.initialize_unfilled_to(wanted.min(buffer.remaining()));
            match self.connection.read(space) {
                Ok(count) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(Error::WantsInput) => {}
                Err(error) => return Poll::Ready(Err(error.into())),
            }
            match self.connection.process_buffered() {
                Ok(Status::WantsInput) => {
                    self.send_aside(context);
                    ready!(self.poll_fetch(context, Role::Reader))?;
                }
                Ok(Status::WantsSignature) => {
                    self.send_aside(context);
                    return Poll::Ready(Err(Error::WantsSignature.into()));
                }
                // Plaintext, or an end that `read` has words for.
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// Hands over what else is decrypted or can be without reading from the transport.
    pub(super) fn read_more(&mut self, buffer: &mut ReadBuf<'_>) {
        while buffer.remaining() > 0 {
            let Ok(Status::PlaintextReady) = self.connection.process_buffered() else {
                return; // whatever it is, it comes up again
            };
            let wanted = self.connection.plaintext_len().min(buffer.remaining());
            match self.connection.read(buffer.initialize_unfilled_to(wanted)) {
                Ok(count) => buffer.advance(count),
                Err(_) => return,
            }
        }
    }

    pub(super) fn poll_write_plain(
        &mut self,
        context: &mut Context<'_>,
        seal: impl FnOnce(&mut ConnectionCommon) -> Result<usize, Error>,
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_ready_to_write(context))?;
        ready!(self.poll_send(context, Role::Writer))?;
        let sealed = seal(&mut self.connection).map_err(io::Error::from);
        Poll::Ready(match self.poll_send(context, Role::Writer) {
            Poll::Ready(Err(error)) => sealed.and(Err(error)),
            _ => sealed,
        })
    }

    /// Reports what went wrong meanwhile, and completes the handshake.
    pub(super) fn poll_ready_to_write(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(failure) = self.write_failure.take() {
            return Poll::Ready(Err(failure));
        }
        if self.connection.is_handshaking() {
            return self
                .poll_handshake(context, Role::Writer)
                .map_err(io::Error::from);
        }
        self.readable.forget(Role::Writer);
        Poll::Ready(Ok(()))
    }

    pub(super) fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection.close_buffered()?;
        if let Some(failure) = self.write_failure.take() {
            return Poll::Ready(Err(failure));
        }
        ready!(self.poll_drain(context, Role::Writer))?;
        let transport = &mut self.transport;
        ready!(self.writable.poll(Role::Writer, context, |context| {
            Pin::new(&mut *transport).poll_shutdown(context)
        }))?;
        Poll::Ready(Ok(()))
    }

    /// Sends replies and what a write had to leave, on the reader's behalf: it need not wait
    /// for that, but has to be woken for more of it.
    pub(super) fn send_aside(&mut self, context: &mut Context<'_>) {
        if self.connection.buffers.unsent().is_empty() && !self.unflushed {
            self.writable.forget(Role::Reader);
        } else if self.write_failure.is_none()
            && let Poll::Ready(Err(error)) = self.poll_drain(context, Role::Reader)
        {
            self.write_failure = Some(error);
        }
    }

    /// Sends everything and flushes the transport.
    pub(super) fn poll_drain(
        &mut self,
        context: &mut Context<'_>,
        role: Role,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_send(context, role))?;
        if self.unflushed {
            let transport = &mut self.transport;
            ready!(self.writable.poll(role, context, |context| {
                Pin::new(&mut *transport).poll_flush(context)
            }))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Hands what is sealed to the transport.
    pub(super) fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        role: Role,
    ) -> Poll<io::Result<()>> {
        loop {
            let unsent = self.connection.buffers.unsent();
            if unsent.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let transport = &mut self.transport;
            let count = ready!(self.writable.poll(role, context, |context| {
                Pin::new(&mut *transport).poll_write(context, unsent)
            }))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.connection.buffers.mark_sent(count);
            self.unflushed = true;
        }
    }

    /// Reads ahead from the transport, once all that came before is consumed.
    fn poll_fetch(&mut self, context: &mut Context<'_>, role: Role) -> Poll<io::Result<()>> {
        let (transport, readable) = (&mut self.transport, &mut self.readable);
        let fetched = self.connection.buffers.fetch(|space| {
            let mut space = ReadBuf::new(space);
            let result = readable.poll(role, context, |context| {
                Pin::new(&mut *transport).poll_read(context, &mut space)
            });
            match result {
                Poll::Ready(Ok(())) => Ok(space.filled().len()),
                Poll::Ready(Err(error)) => Err(Some(error)),
                Poll::Pending => Err(None),
            }
        });
        Poll::Ready(match fetched {
            Ok(0) => self.connection.transport_ended().map_err(io::Error::from),
            Ok(_) => Ok(()),
            Err(Some(error)) => Err(error),
            Err(None) => return Poll::Pending,
        })
    }
}
