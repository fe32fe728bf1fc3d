//! `Handshake`: the future that makes a `TlsStream`.

use std::fmt;
use std::future::Future;
use std::ops::DerefMut;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncRead, AsyncWrite};

use super::stream::TlsStream;
use super::waiters::Role;
use crate::connection::ConnectionCommon;
use crate::error::Error;
use crate::signing::{KeyFailure, SignatureRequest, SigningError};

/// A handshake on its way; resolves to the stream. Made by [`TlsConnector`], [`TlsAcceptor`]
/// and [`StartHandshake`], or from any connection.
///
/// It has no time limit of its own: put `tokio::time::timeout` around it, as a silent peer
/// would hold it for ever. Dropping it closes the transport. When it fails, the peer has been
/// sent the alert that says why.
///
/// [`TlsConnector`]: super::TlsConnector
/// [`TlsAcceptor`]: super::TlsAcceptor
/// [`StartHandshake`]: super::StartHandshake
#[derive(Debug)]
#[must_use = "a future does nothing until it is awaited"]
pub struct Handshake<C, T>(FallibleHandshake<C, T>);

/// A [`Handshake`] that gives the transport back when it fails.
#[must_use = "a future does nothing until it is awaited"]
pub struct FallibleHandshake<C, T> {
    progress: Progress<C, T>,
    signer: Option<Signer>,
    signing: Option<Signing>,
}

#[derive(Debug)]
enum Progress<C, T> {
    Underway(TlsStream<C, T>),
    NotStarted(Error, T),
    Finished,
}

type Signing = Pin<Box<dyn Future<Output = Result<Vec<u8>, KeyFailure>> + Send>>;
type Signer = Box<dyn FnMut(SignatureRequest) -> Signing + Send>;

impl<C, T> Handshake<C, T>
where
    C: DerefMut<Target = ConnectionCommon> + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    /// The handshake of this connection over this transport.
    pub fn new(connection: C, transport: T) -> Self {
        Self::start(Ok(connection), transport)
    }

    /// `connection` may have failed to be made, which the future then reports.
    pub(super) fn start(connection: Result<C, Error>, transport: T) -> Self {
        Self(FallibleHandshake {
            progress: match connection {
                Ok(connection) => Progress::Underway(TlsStream::new(connection, transport)),
                Err(error) => Progress::NotStarted(error, transport),
            },
            signer: None,
            signing: None,
        })
    }

    /// Has `sign` make the signature when the private key is held elsewhere and answers
    /// [`Signing::Later`](crate::Signing::Later), as [`crate::DeferredSigning`] always does.
    /// Other handshakes go on meanwhile.
    ///
    /// ```
    /// # use wolfssl::tokio::{TlsAcceptor, TlsStream};
    /// # use wolfssl::{Error, KeyFailure, ServerConnection, SignatureRequest};
    /// # use tokio::net::TcpStream;
    /// async fn ask_the_key_server(request: SignatureRequest) -> Result<Vec<u8>, KeyFailure> {
    ///     // `request.scheme()` and `request.input()` say what to sign
    /// #   let _ = request;
    ///     Err("the key server does not answer".into())
    /// }
    ///
    /// # async fn f(acceptor: TlsAcceptor, tcp: TcpStream)
    /// # -> Result<TlsStream<ServerConnection, TcpStream>, Error> {
    /// acceptor.accept(tcp).sign_with(ask_the_key_server).await
    /// # }
    /// ```
    pub fn sign_with<F, S>(mut self, mut sign: F) -> Self
    where
        F: FnMut(SignatureRequest) -> S + Send + 'static,
        S: Future<Output = Result<Vec<u8>, KeyFailure>> + Send + 'static,
    {
        self.0.signer = Some(Box::new(move |request| Box::pin(sign(request))));
        self
    }

    /// The same handshake, with the transport in its error.
    pub fn into_fallible(self) -> FallibleHandshake<C, T> {
        self.0
    }

    /// The transport; `None` once the future has resolved.
    pub fn get_ref(&self) -> Option<&T> {
        match &self.0.progress {
            Progress::Underway(stream) => Some(stream.get_ref()),
            Progress::NotStarted(_, transport) => Some(transport),
            Progress::Finished => None,
        }
    }
}

impl<C, T> FallibleHandshake<C, T>
where
    C: DerefMut<Target = ConnectionCommon> + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    fn poll_stream(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let Progress::Underway(stream) = &mut self.progress else {
            return Poll::Ready(Ok(()));
        };
        loop {
            if let Some(signing) = &mut self.signing {
                let signature = ready!(signing.as_mut().poll(context));
                self.signing = None;
                let signature = signature.map_err(|reason| SigningError::Key(Arc::from(reason)))?;
                stream.connection_mut().provide_signature(&signature)?;
            }
            match ready!(stream.poll_handshake(context, Role::Writer)) {
                Err(Error::WantsSignature) => {
                    let request = stream.connection().signature_request().cloned();
                    let (Some(request), Some(sign)) = (request, &mut self.signer) else {
                        return Poll::Ready(Err(Error::WantsSignature));
                    };
                    self.signing = Some(sign(request));
                }
                result => return Poll::Ready(result),
            }
        }
    }
}

impl<C, T> Future for FallibleHandshake<C, T>
where
    C: DerefMut<Target = ConnectionCommon> + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    type Output = Result<TlsStream<C, T>, (Error, T)>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        let result = ready!(this.poll_stream(context));
        Poll::Ready(
            match std::mem::replace(&mut this.progress, Progress::Finished) {
                Progress::Underway(stream) => match result {
                    Ok(()) => Ok(stream),
                    Err(error) => Err((error, stream.into_inner())),
                },
                Progress::NotStarted(error, transport) => Err((error, transport)),
                Progress::Finished => panic!("a handshake was polled after it had resolved"),
            },
        )
    }
}

impl<C, T> Future for Handshake<C, T>
where
    C: DerefMut<Target = ConnectionCommon> + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    type Output = Result<TlsStream<C, T>, Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.get_mut().0)
            .poll(context)
            .map_err(|(error, _transport)| error)
    }
}

impl<C: fmt::Debug, T: fmt::Debug> fmt::Debug for FallibleHandshake<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FallibleHandshake")
            .field("progress", &self.progress)
            .field("signing", &self.signing.is_some())
            .finish_non_exhaustive()
    }
}
