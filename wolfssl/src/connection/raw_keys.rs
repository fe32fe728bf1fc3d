//! Certificate types (RFC 7250) of a connection.

use rustls_pki_types::SubjectPublicKeyInfoDer;

use super::ConnectionCommon;
use crate::raw_keys::CertificateType;

impl ConnectionCommon {
    /// The form in which the server shows who it is; `None` before the end of the handshake.
    pub fn negotiated_server_certificate_type(&self) -> Option<CertificateType> {
        self.after_handshake()?;
        Some(self.session.server_certificate_type())
    }

    /// The form in which the client would show who it is; `None` before the end of the
    /// handshake.
    pub fn negotiated_client_certificate_type(&self) -> Option<CertificateType> {
        self.after_handshake()?;
        Some(self.session.client_certificate_type())
    }

    /// The peer's raw public key, if it showed one; also when it was refused.
    pub fn peer_raw_public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        match (
            self.session.peer_certificate_type(),
            self.session.peer_chain(),
        ) {
            (CertificateType::RawPublicKey, [key]) => {
                Some(SubjectPublicKeyInfoDer::from(key.as_ref()))
            }
            _ => None,
        }
    }
}
