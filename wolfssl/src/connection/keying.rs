//! What a completed connection derives from its secrets: exported keying material, channel
//! bindings, new traffic keys.

use zeroize::Zeroizing;

use super::ConnectionCommon;
use crate::der;
use crate::error::{Error, ErrorCode};
use crate::ffi::Role;
use crate::protocol::ProtocolVersion;
use crate::trace;

/// A value that both ends of one connection know and that differs on every other one, to tie
/// a login above TLS to the TLS below it (RFC 5056).
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelBinding {
    /// 32 bytes exported from the connection (RFC 9266): the one to use where both ends know
    /// it. TLS 1.2 has it with the extended master secret alone.
    TlsExporter,
    /// The hash of the server's certificate (RFC 5929): the same on all connections to that
    /// server. Not defined for certificates signed without a hash, as with Ed25519.
    TlsServerEndPoint,
    /// The first Finished message (RFC 5929): TLS 1.2 alone, and here only with the extended
    /// master secret, without which it is not unique.
    TlsUnique,
}

impl ConnectionCommon {
    /// Fills `out` with keying material for another protocol (RFC 5705, RFC 8446 section 7.5);
    /// the other end gets the same for the same label, context and length.
    ///
    /// In TLS 1.2 no context and an empty one differ, in TLS 1.3 they do not.
    ///
    /// ```no_run
    /// # fn example(connection: &wolfssl::ClientConnection) -> Result<(), wolfssl::Error> {
    /// let mut key = [0; 32];
    /// connection.export_keying_material(&mut key, b"EXPORTER-my-protocol", Some(b"session 1"))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::HandshakeNotComplete`]; [`Error::Unavailable`] for an empty label or one that
    /// TLS itself uses, and for a label, context or length over its limit: 249 bytes, 65535
    /// bytes, and 255 digests of the suite's hash.
    pub fn export_keying_material(
        &self,
        out: &mut [u8],
        label: &[u8],
        context: Option<&[u8]>,
    ) -> Result<(), Error> {
        let refused = |reason| Error::Unavailable {
            what: "keying material",
            reason,
        };
        self.check_established()?;
        if label.is_empty() {
            return Err(refused("the label is empty"));
        }
        if label.len() > MAX_LABEL {
            return Err(refused("the label is longer than 249 bytes"));
        }
        if RESERVED_LABELS.contains(&label) {
            return Err(refused("TLS uses this label itself"));
        }
        if context.is_some_and(|context| context.len() > usize::from(u16::MAX)) {
            return Err(refused("the context is longer than 65535 bytes"));
        }
        if out.len() > MAX_OUTPUT {
            return Err(refused("more bytes are asked for than TLS can derive"));
        }
        match self.session.export(label, context, out) {
            Some(Ok(())) => Ok(()),
            Some(Err(code)) => Err(Error::Library(ErrorCode::new(code))),
            None => Err(refused("the connection kept no secret for it")),
        }
    }

    /// The channel binding of this connection.
    ///
    /// ```no_run
    /// # fn example(connection: &wolfssl::ServerConnection) -> Result<(), wolfssl::Error> {
    /// use wolfssl::ChannelBinding;
    ///
    /// let binding = connection.channel_binding(ChannelBinding::TlsExporter)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::HandshakeNotComplete`], and [`Error::Unavailable`] where this binding is not
    /// defined for this connection.
    pub fn channel_binding(&self, kind: ChannelBinding) -> Result<Vec<u8>, Error> {
        self.check_established()?;
        match kind {
            ChannelBinding::TlsExporter => {
                self.check_unique("tls-exporter")?;
                let mut binding = vec![0; 32];
                self.export_keying_material(&mut binding, b"EXPORTER-Channel-Binding", Some(b""))?;
                Ok(binding)
            }
            ChannelBinding::TlsServerEndPoint => self.server_end_point(),
            ChannelBinding::TlsUnique => {
                if self.negotiated_version() != Some(ProtocolVersion::TLSv1_2) {
                    return Err(Error::Unavailable {
                        what: "tls-unique",
                        reason: "it is defined for TLS 1.2 and earlier; use tls-exporter",
                    });
                }
                self.check_unique("tls-unique")?;
                // The client speaks first in a full handshake, the server in a resumption.
                let client_first = !self.is_resumed();
                let is_client = self.session.role() == Role::Client;
                Ok(self.session.finished(client_first == is_client))
            }
        }
    }

    /// Appends a KeyUpdate (RFC 8446, section 4.6.3): what is written afterwards is under new
    /// keys, and the peer is asked for new keys, too. A peer that asks is answered by
    /// [`process`](Self::process) on its own.
    ///
    /// # Errors
    /// [`Error::HandshakeNotComplete`], [`Error::WriteAfterClose`], [`Error::Unavailable`] in
    /// TLS 1.2, or the error that ended the connection.
    pub fn update_keys(&mut self, output: &mut Vec<u8>) -> Result<(), Error> {
        self.check_established()?;
        if self.sent_close {
            return Err(Error::WriteAfterClose);
        }
        if self.negotiated_version() != Some(ProtocolVersion::TLSv1_3) {
            return Err(Error::Unavailable {
                what: "a key update",
                reason: "TLS 1.2 has none",
            });
        }
        self.session
            .update_keys(output)
            .map_err(|code| self.fail(code))?;
        trace::keys_updated();
        Ok(())
    }

    /// Whether the peer still owes an answer to [`update_keys`](Self::update_keys).
    pub fn is_key_update_pending(&self) -> bool {
        self.session.key_update_pending()
    }

    fn server_end_point(&self) -> Result<Vec<u8>, Error> {
        let unavailable = |reason| Error::Unavailable {
            what: "tls-server-end-point",
            reason,
        };
        let certificate = match (self.session.role(), &self.own_identity) {
            (Role::Server, Some(identity)) => identity.chain().first(),
            (Role::Server, None) => None,
            (Role::Client, _) => self.peer_certificates().first(),
        };
        let certificate =
            certificate.ok_or(unavailable("the server's certificate is not known here"))?;
        let hash = der::signature_hash(certificate).ok_or(unavailable(
            "the server's certificate is signed without one of the SHA-2 hashes",
        ))?;
        hash.digest(certificate)
            .map_err(|code| Error::Library(ErrorCode::new(code)))
    }

    fn check_unique(&self, what: &'static str) -> Result<(), Error> {
        if self.session.binds_handshake() {
            return Ok(());
        }
        Err(Error::Unavailable {
            what,
            reason: "the peer does not know the extended master secret (RFC 7627), without \
                     which it is not unique",
        })
    }

    fn check_established(&self) -> Result<(), Error> {
        self.check_failure()?;
        if self.handshaking {
            return Err(Error::HandshakeNotComplete);
        }
        Ok(())
    }

    /// Once, when the handshake is complete.
    pub(super) fn settle_secrets(&mut self) {
        // Without it nothing can be exported, which export_keying_material then says.
        let _ = self.session.take_exporter();
        if !self.session.resumed() {
            return;
        }
        // wolfSSL tells the master secret where it makes one; a resumption makes none.
        if let (Some(log), Some((random, secret))) =
            (&self.key_log, self.session.tls12_master_secret())
            && log.will_log("CLIENT_RANDOM")
        {
            log.log("CLIENT_RANDOM", random, &Zeroizing::new(secret.to_vec()));
        }
    }
}

const MAX_LABEL: usize = 255 - b"tls13 ".len();
/// Of the smallest hash that suites use, so that the limit does not depend on the suite.
const MAX_OUTPUT: usize = 255 * 32;
const RESERVED_LABELS: [&[u8]; 5] = [
    b"client finished",
    b"server finished",
    b"master secret",
    b"extended master secret",
    b"key expansion",
];
