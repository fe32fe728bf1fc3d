//! Turns a code of wolfSSL into an error that says whose fault it is.

use rustls_pki_types::ServerName;
use wolfssl_sys as sys;

use crate::error::{CertificateError, Error, ErrorCode};
use crate::ffi::{Refusal, Session};
use crate::protocol::AlertDescription;

pub(super) fn classify(session: &mut Session, name: Option<&ServerName<'_>>, code: i32) -> Error {
    if let Some(failure) = session.take_signing_failure() {
        return Error::Signing(failure);
    }
    if code == sys::ECH_REQUIRED_E {
        return Error::EchRejected {
            retry_configs: session.ech_retry_configs(),
        };
    }
    let alerts = session.alerts();
    let alert =
        |seen: Option<(u8, u8)>| seen.and_then(|(_, code)| AlertDescription::from_value(code));
    // OpenSSL sends its alerts in the clear until its Finished (TLS 1.3); wolfSSL then reads
    // the alert and calls it a parse error.
    let fatal = |seen: Option<(u8, u8)>| seen.is_some_and(|(level, _)| level == FATAL);
    if (code == sys::FATAL_ERROR || code == sys::PARSE_ERROR && fatal(alerts.received))
        && let Some(received) = alert(alerts.received)
    {
        return Error::AlertReceived(received);
    }
    if let Some(error) = certificate_error(session, name, code) {
        return Error::InvalidCertificate(error);
    }
    match alert(alerts.sent) {
        Some(AlertDescription::UnsupportedCertificate) => {
            return CertificateError::UnsupportedType.into();
        }
        Some(AlertDescription::BadCertificate | AlertDescription::UnknownCA) => {
            return CertificateError::Other(ErrorCode::new(code)).into();
        }
        _ => {}
    }
    Error::Handshake {
        reason: ErrorCode::new(code),
        alert_sent: alert(alerts.sent),
    }
}

/// What to tell the peer of a failure that wolfSSL sends no alert for.
pub(super) fn alert_for(code: i32, handshaking: bool) -> AlertDescription {
    match code {
        sys::OCSP_CERT_REVOKED | sys::CRL_CERT_REVOKED => AlertDescription::CertificateRevoked,
        sys::BAD_CERTIFICATE_STATUS_ERROR
        | sys::OCSP_CERT_UNKNOWN
        | sys::OCSP_LOOKUP_FAIL
        | sys::OCSP_INVALID_STATUS => AlertDescription::BadCertificateStatusResponse,
        sys::BUFFER_ERROR | sys::BUFFER_E | sys::LENGTH_ERROR => AlertDescription::DecodeError,
        sys::OUT_OF_ORDER_E | sys::DUPLICATE_MSG_E | sys::SANITY_MSG_E => {
            AlertDescription::UnexpectedMessage
        }
        sys::INVALID_PARAMETER => AlertDescription::IllegalParameter,
        sys::MEMORY_E | sys::MEMORY_ERROR | sys::BAD_FUNC_ARG | sys::BAD_STATE_E => {
            AlertDescription::InternalError
        }
        _ if handshaking => AlertDescription::HandshakeFailure,
        _ => AlertDescription::InternalError,
    }
}

/// The level of an alert that ends a connection (RFC 8446, section 6).
const FATAL: u8 = 2;

fn certificate_error(
    session: &Session,
    name: Option<&ServerName<'_>>,
    code: i32,
) -> Option<CertificateError> {
    let code = match session.refusal() {
        Some(Refusal::Name) => return Some(wrong_name(session, name)),
        Some(Refusal::NoWayToAnchor) => return Some(CertificateError::UnknownIssuer),
        Some(Refusal::NotPinned) => return Some(CertificateError::NotPinned),
        Some(Refusal::Application(reason)) => {
            return Some(CertificateError::ApplicationRefused(reason.clone()));
        }
        Some(Refusal::Code(code)) => *code,
        None => code,
    };
    Some(match code {
        sys::DOMAIN_NAME_MISMATCH | sys::IPADDR_MISMATCH => wrong_name(session, name),
        sys::RPK_UNTRUSTED_E => CertificateError::UnknownRawPublicKey,
        sys::UNSUPPORTED_CERTIFICATE => CertificateError::UnsupportedType,
        sys::VERIFY_CERT_ERROR => CertificateError::Other(ErrorCode::new(code)),
        sys::ASN_NO_SIGNER_E | sys::ASN_SELF_SIGNED_E => CertificateError::UnknownIssuer,
        sys::ASN_AFTER_DATE_E => CertificateError::Expired,
        sys::ASN_BEFORE_DATE_E => CertificateError::NotValidYet,
        sys::CRL_CERT_REVOKED | sys::OCSP_CERT_REVOKED => CertificateError::Revoked,
        sys::CRL_MISSING
        | sys::CRL_CERT_DATE_ERR
        | sys::ASN_CRL_NO_SIGNER_E
        | sys::ASN_CRL_CONFIRM_E
        | sys::OCSP_CERT_UNKNOWN
        | sys::OCSP_LOOKUP_FAIL
        | sys::OCSP_INVALID_STATUS
        | sys::BAD_CERTIFICATE_STATUS_ERROR => CertificateError::RevocationStatusUnknown,
        sys::ASN_SIG_CONFIRM_E | sys::ASN_SIG_HASH_E | sys::ASN_SIG_KEY_E | sys::ASN_SIG_OID_E => {
            CertificateError::BadSignature
        }
        sys::NO_PEER_CERT | sys::NO_CERT_ERROR => CertificateError::NotPresented,
        sys::KEYUSAGE_E
        | sys::KEYUSE_SIGNATURE_E
        | sys::KEYUSE_ENCIPHER_E
        | sys::EXTKEYUSE_AUTH_E
        | sys::NOT_CA_ERROR => CertificateError::InvalidPurpose,
        sys::ASN_PATHLEN_INV_E | sys::ASN_PATHLEN_SIZE_E | sys::MAX_CHAIN_ERROR => {
            CertificateError::PathTooLong
        }
        sys::ASN_NAME_INVALID_E => CertificateError::NameConstraint,
        sys::ASN_PARSE_E | sys::ASN_VERSION_E | sys::ASN_CRIT_EXT_E | sys::ASN_ALT_NAME_E => {
            CertificateError::BadEncoding(ErrorCode::new(code))
        }
        _ => return None,
    })
}

fn wrong_name(session: &Session, name: Option<&ServerName<'_>>) -> CertificateError {
    let presented = session
        .peer_chain()
        .first()
        .and_then(|leaf| webpki::EndEntityCert::try_from(leaf).ok())
        .map(|leaf| leaf.valid_dns_names().map(str::to_owned).collect())
        .unwrap_or_default();
    CertificateError::NotValidForName {
        expected: name
            .map(|name| name.to_str().into_owned())
            .unwrap_or_default(),
        presented,
    }
}
