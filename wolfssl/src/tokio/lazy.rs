//! `LazyAcceptor`: the configuration after the ClientHello.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::handshake::Handshake;
use crate::config::server::ServerConfig;
use crate::connection::acceptor::{Accepted, Acceptor, ClientHello};
use crate::connection::server::ServerConnection;
use crate::error::Error;
use crate::protocol::AlertDescription;

/// Reads a ClientHello from a transport, so that the configuration can depend on it; an
/// [`Acceptor`] for asynchronous transports.
///
/// A future: resolves to a [`StartHandshake`], or to what was wrong with the client's bytes
/// ([`Error::ClientHello`]) once the client has been sent the alert that says so. No byte
/// beyond the hello is read. As with any handshake, put a time limit around it.
///
/// ```
/// # use wolfssl::tokio::{LazyAcceptor, TlsStream};
/// # use wolfssl::{Error, ServerConfig, ServerConnection};
/// # use tokio::net::TcpStream;
/// # async fn accept(tcp: TcpStream, default: &ServerConfig, other: &ServerConfig)
/// # -> Result<TlsStream<ServerConnection, TcpStream>, Error> {
/// let start = LazyAcceptor::new(tcp).await?;
/// let config = match start.client_hello().server_name() {
///     Some("other.example") => other,
///     _ => default,
/// };
/// start.into_stream(config).await
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a future does nothing until it is awaited"]
pub struct LazyAcceptor<T> {
    transport: Option<T>,
    acceptor: Acceptor,
    refusal: Option<Refusal>,
}

/// A client whose hello was read and that waits for an answer.
#[derive(Debug)]
pub struct StartHandshake<T> {
    accepted: Accepted,
    transport: T,
}

/// An error, and the alert to send before it is reported.
#[derive(Debug)]
struct Refusal {
    error: Error,
    record: [u8; 7],
    sent: usize,
}

impl<T: AsyncRead + AsyncWrite + Unpin> LazyAcceptor<T> {
    /// Reads the hello from this transport.
    pub fn new(transport: T) -> Self {
        Self {
            transport: Some(transport),
            acceptor: Acceptor::new(),
            refusal: None,
        }
    }

    /// The transport of a hello that could not be read, for instance to answer a client in
    /// plain HTTP; `None` once it went into a [`StartHandshake`].
    ///
    /// ```
    /// # use tokio::io::AsyncWriteExt;
    /// # use wolfssl::{ClientHelloError, Error, tokio::LazyAcceptor};
    /// # async fn f(tcp: tokio::net::TcpStream) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut lazy = LazyAcceptor::new(tcp);
    /// match (&mut lazy).await {
    ///     Err(Error::ClientHello(ClientHelloError::PlainHttp)) => {
    ///         let mut tcp = lazy.take_transport().expect("not taken yet");
    ///         tcp.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\nUse https here.\n").await?;
    ///     }
    ///     start => { /* … */ }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn take_transport(&mut self) -> Option<T> {
        self.transport.take()
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> StartHandshake<T> {
    /// What the client asks for.
    pub fn client_hello(&self) -> &ClientHello {
        self.accepted.client_hello()
    }

    /// Goes on with the handshake under this configuration.
    pub fn into_stream(self, config: &ServerConfig) -> Handshake<ServerConnection, T> {
        Handshake::start(self.accepted.into_connection(config), self.transport)
    }

    /// Takes the two apart, to put the connection on the transport with
    /// [`TlsStream::new`](super::TlsStream::new) and read early data, for instance.
    pub fn into_parts(self) -> (Accepted, T) {
        (self.accepted, self.transport)
    }

    /// Turns the client away with this alert and closes the transport's write side.
    ///
    /// # Errors
    /// Of the transport.
    pub async fn refuse(self, alert: AlertDescription) -> io::Result<()> {
        let Self {
            accepted,
            mut transport,
        } = self;
        let (record, mut sent) = (accepted.refuse(alert), 0);
        poll_fn(|context| poll_send(&mut transport, &record, &mut sent, context)).await?;
        poll_fn(|context| Pin::new(&mut transport).poll_shutdown(context)).await
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> Future for LazyAcceptor<T> {
    type Output = Result<StartHandshake<T>, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let transport = this
            .transport
            .as_mut()
            .expect("a LazyAcceptor was polled after its transport was taken");
        loop {
            if let Some(refusal) = &mut this.refusal {
                // The reason counts for more than that it could not be sent.
                let _ = ready!(poll_send(
                    transport,
                    &refusal.record,
                    &mut refusal.sent,
                    context
                ));
                return Poll::Ready(Err(refusal.error.clone()));
            }
            let mut space = [0; 2048];
            let wanted = this.acceptor.wants().min(space.len());
            let mut space = ReadBuf::new(&mut space[..wanted]);
            ready!(Pin::new(&mut *transport).poll_read(context, &mut space))?;
            if space.filled().is_empty() {
                return Poll::Ready(Err(Error::Truncated));
            }
            match this.acceptor.read_client_hello(&mut space.filled()) {
                Ok(None) => {}
                Ok(Some(accepted)) => {
                    let transport = this.transport.take().expect("just used");
                    return Poll::Ready(Ok(StartHandshake {
                        accepted,
                        transport,
                    }));
                }
                Err(error) => match error.alert_record() {
                    None => return Poll::Ready(Err(error.into())),
                    Some(record) => {
                        this.refusal = Some(Refusal {
                            error: error.into(),
                            record,
                            sent: 0,
                        });
                    }
                },
            }
        }
    }
}

/// Sends the rest of `record` and flushes.
fn poll_send<T: AsyncWrite + Unpin>(
    transport: &mut T,
    record: &[u8],
    sent: &mut usize,
    context: &mut Context<'_>,
) -> Poll<io::Result<()>> {
    while *sent < record.len() {
        let rest = &record[*sent..];
        let count = ready!(Pin::new(&mut *transport).poll_write(context, rest))?;
        if count == 0 {
            return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
        }
        *sent += count;
    }
    Pin::new(transport).poll_flush(context)
}
