//! Early data (0-RTT) through asynchronous streams.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncRead, AsyncWrite};

use super::stream::TlsStream;
use super::waiters::Role;
use crate::connection::Status;
use crate::connection::client::ClientConnection;
use crate::connection::server::ServerConnection;
use crate::error::Error;

impl<T: AsyncRead + AsyncWrite + Unpin> TlsStream<ClientConnection, T> {
    /// Takes as much of `data` as early data as the server does, and says how many bytes that
    /// were; 0 when there is [none to be written](ClientConnection::early_data), such as after
    /// the handshake has begun. It is sent as far as the transport takes it; the rest goes out
    /// with the handshake. Never waits, so nothing is lost when it is dropped.
    ///
    /// The stream must be made with [`TlsStream::new`], as
    /// [`TlsConnector::connect`](super::TlsConnector::connect) completes the handshake. Mind
    /// that early data **can be replayed** and may be left unread: see
    /// [`ClientConnection::early_data`].
    ///
    /// ```
    /// # use tokio::io::AsyncWriteExt;
    /// # use tokio::net::TcpStream;
    /// # use wolfssl::tokio::TlsStream;
    /// # use wolfssl::{ClientConfig, ClientConnection, server_name};
    /// # async fn f(config: &ClientConfig, tcp: TcpStream) -> Result<(), Box<dyn std::error::Error>> {
    /// let request = b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n";
    /// let connection = ClientConnection::new(config, server_name("example.com")?)?;
    /// let mut tls = TlsStream::new(connection, tcp);
    /// let mut early = tls.write_early_data(request).await?;
    /// tls.complete_handshake().await?;
    /// if !tls.connection().is_early_data_accepted() {
    ///     early = 0;
    /// }
    /// tls.write_all(&request[early..]).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Of the transport and of the connection.
    pub async fn write_early_data(&mut self, data: &[u8]) -> io::Result<usize> {
        let count = self.with_output(|connection, output| match connection.early_data() {
            Some(mut writer) => writer.write(data, output),
            None => Ok(0),
        })?;
        poll_fn(|context| match self.poll_drain(context, Role::Writer) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ => Poll::Ready(Ok(count)),
        })
        .await
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> TlsStream<ServerConnection, T> {
    /// Reads early data, for which it goes on with the handshake as far as needed. `Ok(0)` is
    /// the end of it: all was read, there was none, or it was not taken. Can be dropped and
    /// called again.
    ///
    /// The stream must be made with [`TlsStream::new`], as
    /// [`TlsAcceptor::accept`](super::TlsAcceptor::accept) completes the handshake. Mind that
    /// early data **can be a replay**: see [`ServerConnection::read_early_data`].
    ///
    /// # Errors
    /// Of the transport and of the handshake.
    pub async fn read_early_data(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        poll_fn(|context| self.poll_read_early(context, buffer)).await
    }

    /// Answers early data before the handshake is complete; afterwards as a write. Says how
    /// much of `data` was taken; dropped while it waits, it has taken nothing.
    ///
    /// # Errors
    /// `NotConnected` when no early data was taken and the handshake is not complete;
    /// otherwise of the transport and of the connection.
    pub async fn answer_early_data(&mut self, data: &[u8]) -> io::Result<usize> {
        poll_fn(|context| {
            ready!(self.poll_send(context, Role::Writer))?;
            let count = self.connection_mut().write_buffered(data)?;
            match self.poll_drain(context, Role::Writer) {
                Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
                _ => Poll::Ready(Ok(count)),
            }
        })
        .await
    }

    fn poll_read_early(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            match self.connection_mut().read_early_data(buffer) {
                Err(Error::WantsInput) => {}
                result => return Poll::Ready(result.map_err(io::Error::from)),
            }
            match self.connection_mut().process_buffered() {
                Ok(Status::WantsInput) => {
                    ready!(self.poll_exchange(context, Role::Reader))?;
                }
                Ok(Status::WantsSignature) => {
                    return Poll::Ready(Err(Error::WantsSignature.into()));
                }
                Ok(_) => {}
                Err(error) => {
                    let _ = ready!(self.poll_drain(context, Role::Reader));
                    return Poll::Ready(Err(error.into()));
                }
            }
        }
    }
}
