//! Events for the crate `tracing`, behind the feature of that name: what became of a
//! connection, and never what went over it.

use crate::connection::ConnectionCommon;
use crate::error::Error;

/// The handshake is complete.
pub(crate) fn established(connection: &ConnectionCommon) {
    #[cfg(feature = "tracing")]
    tracing::debug!(
        version = connection.negotiated_version().map(tracing::field::display),
        cipher_suite = connection
            .negotiated_cipher_suite()
            .map(tracing::field::display),
        group = connection.negotiated_group().map(tracing::field::display),
        alpn = connection
            .negotiated_alpn()
            .map(|name| String::from_utf8_lossy(&name).into_owned()),
        resumed = connection.is_resumed(),
        "TLS handshake complete"
    );
    #[cfg(not(feature = "tracing"))]
    let _ = connection;
}

/// The connection has failed.
pub(crate) fn failed(connection: &ConnectionCommon, error: &Error) {
    #[cfg(feature = "tracing")]
    tracing::debug!(
        %error,
        handshaking = connection.is_handshaking(),
        alert_sent = connection.alert_sent().map(tracing::field::display),
        alert_received = connection.alert_received().map(tracing::field::display),
        "TLS connection failed"
    );
    #[cfg(not(feature = "tracing"))]
    let _ = (connection, error);
}

/// A `close_notify` was sent (`true`) or received.
pub(crate) fn closed(sent: bool) {
    #[cfg(feature = "tracing")]
    tracing::trace!(sent, "TLS close_notify");
    #[cfg(not(feature = "tracing"))]
    let _ = sent;
}

/// This side has changed its keys and asked the peer to.
pub(crate) fn keys_updated() {
    #[cfg(feature = "tracing")]
    tracing::trace!("TLS key update sent");
}
