//! Post-handshake authentication (RFC 8446, section 4.6.2): a server asks for the client's
//! certificate when it needs one, not at the door.

use std::fmt;

use wolfssl_sys as sys;

use super::server::ServerConnection;
use crate::error::{Error, ErrorCode};
use crate::protocol::ProtocolVersion;

/// What became of [`ServerConnection::request_client_certificate`].
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostHandshakeAuth {
    /// Nothing was asked.
    NotRequested,
    /// The client has not answered yet.
    Requested,
    /// The client has proven to own a certificate that leads to an anchor: see
    /// [`peer_certificates`](crate::ConnectionCommon::peer_certificates).
    Authenticated,
    /// The client has no certificate, and none is required.
    Declined,
}

/// Why a client cannot be asked for its certificate; the connection goes on as it was.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostHandshakeAuthError {
    /// Only TLS 1.3 has it.
    NotTls13,
    /// The client did not offer it in its hello.
    NotOffered,
    /// The configuration has no anchors to verify the client with: see
    /// [`ClientAuth`](crate::ClientAuth).
    NoTrustAnchors,
    /// The client has not answered the last request yet.
    StillRequested,
}

impl ServerConnection {
    /// Asks the client for its certificate and appends the request to `output`. Send it and
    /// go on with [`process`](crate::ConnectionCommon::process):
    /// [`post_handshake_auth`](Self::post_handshake_auth) tells what came of it, and
    /// application data flows meanwhile. A certificate known from before is forgotten.
    ///
    /// A client that shows a bad certificate, or none although the configuration requires
    /// one, ends the connection with [`Error::InvalidCertificate`].
    ///
    /// ```no_run
    /// # use wolfssl::{Error, PostHandshakeAuth, ServerConnection, Status};
    /// # fn f(server: &mut ServerConnection, input: &mut &[u8], output: &mut Vec<u8>) -> Result<(), Error> {
    /// server.request_client_certificate(output)?;
    /// // … send `output`, receive into `input` …
    /// server.process(input, output)?;
    /// if server.post_handshake_auth() == PostHandshakeAuth::Authenticated {
    ///     println!("{} certificates", server.peer_certificates().len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::PostHandshakeAuth`], which ends nothing; [`Error::HandshakeNotComplete`],
    /// [`Error::WriteAfterClose`]; or the error that ended the connection.
    pub fn request_client_certificate(&mut self, output: &mut Vec<u8>) -> Result<(), Error> {
        self.common.ready_to_write()?;
        if self.negotiated_version() != Some(ProtocolVersion::TLSv1_3) {
            return Err(PostHandshakeAuthError::NotTls13.into());
        }
        if !self.common.session.verifies_peer() {
            return Err(PostHandshakeAuthError::NoTrustAnchors.into());
        }
        if self.post_handshake_auth() == PostHandshakeAuth::Requested {
            return Err(PostHandshakeAuthError::StillRequested.into());
        }
        match self.common.session.request_certificate(output) {
            Ok(()) => {
                self.requested = true;
                Ok(())
            }
            Err(sys::POST_HAND_AUTH_ERROR) => Err(PostHandshakeAuthError::NotOffered.into()),
            Err(code) => Err(Error::Handshake {
                reason: ErrorCode::new(code),
                alert_sent: None,
            }),
        }
    }

    /// How the last [`request_client_certificate`](Self::request_client_certificate) stands.
    pub fn post_handshake_auth(&self) -> PostHandshakeAuth {
        if !self.requested {
            PostHandshakeAuth::NotRequested
        } else if !self.common.session.request_answered() {
            PostHandshakeAuth::Requested
        } else if self.common.session.peer_chain().is_empty() {
            PostHandshakeAuth::Declined
        } else {
            PostHandshakeAuth::Authenticated
        }
    }
}

impl fmt::Display for PostHandshakeAuthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotTls13 => "only TLS 1.3 can ask for a certificate after the handshake",
            Self::NotOffered => "the client does not take part in post-handshake authentication",
            Self::NoTrustAnchors => {
                "there are no anchors to verify clients with: call client_auth()"
            }
            Self::StillRequested => "the client has not answered the last request yet",
        })
    }
}

impl std::error::Error for PostHandshakeAuthError {}
