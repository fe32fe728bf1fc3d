//! The state machine that client and server connections share, over caller-owned buffers.

pub(crate) mod acceptor;
pub(crate) mod buffered;
mod buffers;
pub(crate) mod client;
mod diagnostics;
pub(crate) mod early_data;
mod ech;
mod failure;
mod fragments;
pub(crate) mod keying;
mod parameters;
pub(crate) mod post_handshake;
mod raw_keys;
pub(crate) mod resumption;
pub(crate) mod server;
mod signing;

use std::sync::Arc;

use rustls_pki_types::CertificateDer;

use self::buffers::Buffers;
use self::resumption::ClientResumption;
use crate::error::{Error, ErrorCode};
use crate::ffi::{Context, Handshake, Plaintext, Session};
use crate::identity::CertifiedKey;
use crate::key_log::KeyLog;
use crate::names::ServerName;
use crate::raw_keys::CertificateType;
use crate::trace;

/// What [`ConnectionCommon::process`] came to.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All input is consumed; more of the peer's bytes are needed to go on.
    WantsInput,
    /// The handshake has just been completed. Input may be left: call `process` again.
    HandshakeComplete,
    /// Application data is decrypted: take it with [`ConnectionCommon::read`], then call
    /// `process` again with the input that is left.
    PlaintextReady,
    /// The private key is held elsewhere and answers later: see
    /// [`ConnectionCommon::signature_request`]. Until the signature is
    /// [given](ConnectionCommon::provide_signature) nothing goes on.
    WantsSignature,
    /// A server has got early data: see [`crate::ServerConnection::read_early_data`]. Call
    /// `process` again with the input that is left.
    EarlyDataReady,
    /// The peer has sent `close_notify`: no more data will come, and none is missing.
    PeerClosed,
}

/// A connection without I/O: what [`crate::ClientConnection`] and
/// [`crate::ServerConnection`] have in common.
///
/// Feed it the peer's bytes with [`process`](Self::process), send what appears in the output,
/// also when an error is returned, and use [`read`](Self::read) and [`write`](Self::write)
/// once the handshake is complete. It never blocks, never calls back and can be moved
/// between any two calls.
pub struct ConnectionCommon {
    session: Session,
    pub(crate) buffers: Buffers,
    server_name: Option<ServerName>,
    handshaking: bool,
    sent_close: bool,
    received_close: bool,
    failure: Option<Error>,
    /// Input that was read before the connection was made, due before all other.
    replay: Vec<u8>,
    /// A server's certificate, for channel bindings.
    own_identity: Option<CertifiedKey>,
    key_log: Option<Arc<dyn KeyLog>>,
    /// A client's, unless resumption is disabled.
    resumption: Option<Box<ClientResumption>>,
    /// How much early data a client can still write.
    early_data_left: u32,
}

impl ConnectionCommon {
    fn new(
        context: &Arc<Context>,
        alpn: Option<&[u8]>,
        server_name: Option<(ServerName, bool)>,
    ) -> Result<Self, Error> {
        let library = |code| Error::Library(ErrorCode::new(code));
        let mut session = Session::new(context).map_err(library)?;
        session.prepare_exporter();
        if let Some(list) = alpn {
            session.set_alpn(list).map_err(library)?;
        }
        if let Some((name, verify)) = &server_name {
            session.set_server_name(name, *verify).map_err(library)?;
        }
        Ok(Self {
            session,
            buffers: Buffers::default(),
            server_name: server_name.map(|(name, _)| name),
            handshaking: true,
            sent_close: false,
            received_close: false,
            failure: None,
            replay: Vec::new(),
            own_identity: None,
            key_log: None,
            resumption: None,
            early_data_left: 0,
        })
    }

    /// Tells the connection's secrets to `log`.
    fn set_key_log(&mut self, log: &Arc<dyn KeyLog>) {
        self.session.set_key_log(Arc::clone(log));
        self.key_log = Some(Arc::clone(log));
    }

    /// Takes the peer's bytes and goes as far as they allow, until something is ready.
    ///
    /// The consumed part is cut off the front of `input`; records to send are appended to
    /// `output`. An empty `input` is allowed: a client starts its handshake that way.
    ///
    /// # Errors
    /// Whatever ends the connection; the same error is returned from then on. `output` may
    /// hold an alert that should still be sent.
    pub fn process(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<Status, Error> {
        if !self.replay.is_empty() {
            let replay = std::mem::take(&mut self.replay);
            let mut rest = replay.as_slice();
            let status = self.advance(&mut rest, output)?;
            self.replay = rest.to_vec();
            if status != Status::WantsInput {
                return Ok(status);
            }
        }
        self.advance(input, output)
    }

    fn advance(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<Status, Error> {
        self.check_failure()?;
        if self.session.signature_request().is_some() {
            return Ok(Status::WantsSignature);
        }
        if self.handshaking {
            self.early_data_left = 0;
            return match self.session.handshake(input, output) {
                Handshake::Complete => {
                    self.handshaking = false;
                    self.settle_secrets();
                    self.settle_resumption(output)
                        .map_err(|code| self.fail(code))?;
                    trace::established(self);
                    Ok(Status::HandshakeComplete)
                }
                Handshake::WantsInput => Ok(Status::WantsInput),
                Handshake::WantsSignature => Ok(Status::WantsSignature),
                Handshake::EarlyData => Ok(Status::EarlyDataReady),
                Handshake::Failed(code) => Err(self.fail_and_tell(code, output)),
            };
        }
        if self.session.pending() > 0 {
            return Ok(Status::PlaintextReady);
        }
        if self.received_close {
            return Ok(Status::PeerClosed);
        }
        if self.session.signing_underway() {
            // The answer to a certificate request, up to the signature that has now come.
            match self.session.handshake(input, output) {
                Handshake::Complete | Handshake::EarlyData => {}
                Handshake::WantsInput => return Ok(Status::WantsInput),
                Handshake::WantsSignature => return Ok(Status::WantsSignature),
                Handshake::Failed(code) => return Err(self.fail_and_tell(code, output)),
            }
        }
        let plaintext = self.session.decrypt(input, output);
        self.keep_sessions();
        match plaintext {
            Plaintext::Ready => Ok(Status::PlaintextReady),
            Plaintext::WantsInput => Ok(Status::WantsInput),
            Plaintext::WantsSignature => Ok(Status::WantsSignature),
            Plaintext::PeerClosed => {
                self.received_close = true;
                trace::closed(false);
                Ok(Status::PeerClosed)
            }
            Plaintext::Failed(code) => Err(self.fail_and_tell(code, output)),
        }
    }

    /// Copies decrypted application data into `buffer` and says how many bytes.
    ///
    /// `Ok(0)` means that the peer has closed with `close_notify`, or that `buffer` is empty.
    ///
    /// # Errors
    /// [`Error::WantsInput`] when nothing is decrypted yet: call
    /// [`process`](Self::process) with more input. Otherwise the error that ended the
    /// connection; data decrypted before it is still handed out first.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = self.session.read_pending(buffer);
        if count > 0 {
            return Ok(count);
        }
        self.check_failure()?;
        if self.received_close {
            Ok(0)
        } else {
            Err(Error::WantsInput)
        }
    }

    /// Seals all of `data` into records appended to `output`.
    ///
    /// All or nothing: there is no partial write to repeat, so a caller that gives up between
    /// two calls loses no byte and sends none twice. Empty `data` appends nothing.
    ///
    /// # Errors
    /// [`Error::HandshakeNotComplete`] (a server that has taken early data may answer it
    /// earlier), [`Error::WriteAfterClose`], [`Error::WantsSignature`] while the answer to a
    /// certificate request waits for its signature, or the error that ended the connection.
    pub fn write(&mut self, data: &[u8], output: &mut Vec<u8>) -> Result<(), Error> {
        self.ready_to_write()?;
        self.session
            .write(data, output)
            .map_err(|code| self.fail(code))
    }

    /// Appends `close_notify`, once: nothing can be written afterwards, reading goes on.
    /// Before the end of the handshake and after a failure there is nothing to say.
    ///
    /// # Errors
    /// The error that ends the connection.
    pub fn close_notify(&mut self, output: &mut Vec<u8>) -> Result<(), Error> {
        if self.sent_close || self.handshaking || self.check_failure().is_err() {
            self.sent_close = true;
            return Ok(());
        }
        self.sent_close = true;
        trace::closed(true);
        self.session
            .close_notify(output)
            .map_err(|code| self.fail(code))
    }

    /// Whether the handshake is still going on.
    pub fn is_handshaking(&self) -> bool {
        self.handshaking
    }

    /// Whether the peer has sent `close_notify`. A transport that ends without it was cut
    /// off: see [`Error::Truncated`].
    pub fn peer_has_closed(&self) -> bool {
        self.received_close
    }

    /// Decrypted bytes that [`read`](Self::read) can hand out at once.
    pub fn plaintext_len(&self) -> usize {
        self.session.pending()
    }

    /// The peer's certificate chain as it was sent, leaf first; empty when there was none, or a
    /// [raw public key](Self::peer_raw_public_key). Also filled when verification failed, so
    /// that a caller can say what was refused.
    pub fn peer_certificates(&self) -> &[CertificateDer<'static>] {
        match self.session.peer_certificate_type() {
            CertificateType::X509 => self.session.peer_chain(),
            CertificateType::RawPublicKey => &[],
        }
    }

    /// Whether this connection took its keys from an earlier one.
    pub fn is_resumed(&self) -> bool {
        !self.handshaking && self.session.resumed()
    }

    fn received_server_name(&self) -> Option<String> {
        let name = self.session.received_server_name()?;
        String::from_utf8(name).ok()
    }

    fn after_handshake(&self) -> Option<()> {
        (!self.handshaking).then_some(())
    }

    /// The error that ended the connection, if one did.
    pub(crate) fn check_failure(&self) -> Result<(), Error> {
        match &self.failure {
            Some(failure) => Err(failure.clone()),
            None if self.session.panicked() => Err(Error::CallbackPanicked),
            None => Ok(()),
        }
    }

    /// Whether records of one's own can be sent.
    fn ready_to_write(&self) -> Result<(), Error> {
        self.check_failure()?;
        if self.sent_close {
            return Err(Error::WriteAfterClose);
        }
        if self.handshaking && !self.answers_early_data() {
            return Err(Error::HandshakeNotComplete);
        }
        if self.session.signing_underway() {
            return Err(Error::WantsSignature);
        }
        Ok(())
    }

    fn fail(&mut self, code: i32) -> Error {
        let error = failure::classify(&mut self.session, self.server_name.as_ref(), code);
        self.failure = Some(error.clone());
        if self.handshaking {
            self.forget_offered();
        }
        trace::failed(self, &error);
        error
    }

    /// Marks the end of the transport's data.
    ///
    /// # Errors
    /// [`Error::Truncated`] unless the peer has said `close_notify` before; the connection
    /// then counts as failed.
    pub fn transport_ended(&mut self) -> Result<(), Error> {
        self.check_failure()?;
        if self.received_close {
            return Ok(());
        }
        self.failure = Some(Error::Truncated);
        trace::failed(self, &Error::Truncated);
        Err(Error::Truncated)
    }
}

impl std::fmt::Debug for ConnectionCommon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectionCommon")
            .field("handshaking", &self.handshaking)
            .field("version", &self.negotiated_version())
            .field("sent_close", &self.sent_close)
            .field("received_close", &self.received_close)
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

/// Gives a connection type the methods of [`ConnectionCommon`].
macro_rules! deref_to_common {
    ($name:ident) => {
        impl std::ops::Deref for $name {
            type Target = crate::ConnectionCommon;

            fn deref(&self) -> &Self::Target {
                &self.common
            }
        }

        impl std::ops::DerefMut for $name {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.common
            }
        }
    };
}
pub(crate) use deref_to_common;
