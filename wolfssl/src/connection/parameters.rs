//! What was negotiated and with whom, as values.

use super::ConnectionCommon;
use crate::ffi;
use crate::protocol::{CipherSuite, NamedGroup, ProtocolVersion, SignatureScheme};
use crate::public_key::PublicKeyType;

impl ConnectionCommon {
    /// The protocol version in use; `None` before it is negotiated.
    pub fn negotiated_version(&self) -> Option<ProtocolVersion> {
        self.after_handshake()?;
        ProtocolVersion::from_u16(self.session.version())
    }

    /// The cipher suite in use; `None` before it is negotiated.
    pub fn negotiated_cipher_suite(&self) -> Option<CipherSuite> {
        self.after_handshake()?;
        CipherSuite::from_value(self.session.cipher_suite())
    }

    /// The key exchange group; `None` before it is negotiated, and after a resumption that
    /// made no new key exchange.
    pub fn negotiated_group(&self) -> Option<NamedGroup> {
        self.after_handshake()?;
        NamedGroup::from_wolfssl_name(self.session.group_name()?)
    }

    /// The scheme of the signature in the handshake: the peer's for a client, one's own for a
    /// server. `None` before the end of the handshake and after a resumption.
    pub fn negotiated_signature_scheme(&self) -> Option<SignatureScheme> {
        self.after_handshake()?;
        if self.is_resumed() {
            return None;
        }
        SignatureScheme::from_value(self.session.server_signature()?)
    }

    /// The application protocol agreed on (RFC 7301), if any.
    pub fn negotiated_alpn(&self) -> Option<Vec<u8>> {
        self.after_handshake()?;
        self.session.alpn()
    }

    /// The kind of the peer's key, from its certificate or raw public key; `None` when it
    /// showed neither, or a key of a kind that cannot sign here.
    pub fn peer_key_type(&self) -> Option<PublicKeyType> {
        if let Some(key) = self.peer_raw_public_key() {
            return PublicKeyType::of_spki(&key);
        }
        let leaf = self.peer_certificates().first()?;
        PublicKeyType::of_spki(&ffi::public_key_of(leaf).ok()?)
    }
}
