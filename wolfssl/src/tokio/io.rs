//! `TlsStream` as tokio sees it: the contracts of `AsyncRead` and `AsyncWrite`.

use std::io::{self, IoSlice};
use std::ops::DerefMut;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::stream::TlsStream;
use super::waiters::Role;
use crate::connection::ConnectionCommon;

impl<C, T> AsyncRead for TlsStream<C, T>
where
    C: DerefMut<Target = ConnectionCommon> + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if buffer.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let this = self.get_mut();
        let before = buffer.filled().len();
        let result = this.poll_read_plain(context, buffer);
        if buffer.filled().len() > before {
            this.read_more(buffer);
        }
        if result.is_ready() {
            this.send_aside(context);
        }
        result
    }
}

impl<C, T> AsyncWrite for TlsStream<C, T>
where
    C: DerefMut<Target = ConnectionCommon> + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        if data.is_empty() {
            return Poll::Ready(Ok(0));
        }
        self.get_mut()
            .poll_write_plain(context, |connection| connection.write_buffered(data))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if pieces.iter().all(|piece| piece.is_empty()) {
            return Poll::Ready(Ok(0));
        }
        self.get_mut()
            .poll_write_plain(context, |connection| connection.write_gathered(pieces))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_ready_to_write(context))?;
        // Even when nothing was sent: the transport may hold what others wrote.
        this.unflushed = true;
        this.poll_drain(context, Role::Writer)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.shut_down {
            return Poll::Ready(Ok(()));
        }
        match ready!(this.poll_close(context)) {
            // A peer that has said all and left needs no farewell.
            Err(error) if this.connection().peer_has_closed() && is_gone(&error) => {}
            Err(error) => return Poll::Ready(Err(error)),
            Ok(()) => {}
        }
        this.shut_down = true;
        Poll::Ready(match this.connection().check_failure() {
            Err(error) => Err(error.into()),
            Ok(()) => Ok(()),
        })
    }
}

/// Whether the transport has no one at its other end any more.
fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(
        error.kind(),
        Kind::BrokenPipe | Kind::ConnectionReset | Kind::ConnectionAborted | Kind::NotConnected
    )
}
