//! `SigningKey`: a private key that this process does not hold (TPM, HSM, remote signer).
//!
//! wolfSSL asks for one signature per handshake. A [`SigningKey`] gives it at once, or says
//! that it will come later: then the connection reports [`Status::WantsSignature`], says in
//! [`ConnectionCommon::signature_request`] what is to be signed, and goes on after
//! [`ConnectionCommon::provide_signature`].
//!
//! [`Status::WantsSignature`]: crate::Status::WantsSignature
//! [`ConnectionCommon::signature_request`]: crate::ConnectionCommon::signature_request
//! [`ConnectionCommon::provide_signature`]: crate::ConnectionCommon::provide_signature

use std::fmt;
use std::sync::Arc;

use crate::protocol::SignatureScheme;

/// A private key held elsewhere, used through [`CertifiedKey::with_signing_key`].
///
/// Handshakes on several threads may ask at the same time. A panic in `sign` is caught and
/// resumed in the caller of the connection. Any closure
/// `Fn(&SignatureRequest) -> Result<Signing, Box<dyn Error + Send + Sync>>` is one.
///
/// ```
/// use wolfssl::{Signing, SigningKey, SignatureRequest, SigningInput};
///
/// struct Hsm;
///
/// impl SigningKey for Hsm {
///     fn sign(
///         &self,
///         request: &SignatureRequest,
///     ) -> Result<Signing, Box<dyn std::error::Error + Send + Sync>> {
///         match request.input() {
///             // hand it to the device: `device.sign(request.scheme(), digest)`
///             SigningInput::Digest(_digest) => Err("the device is locked".into()),
///             // too slow to wait for: the connection will ask for it
///             _ => Ok(Signing::Later),
///         }
///     }
/// }
/// ```
///
/// [`CertifiedKey::with_signing_key`]: crate::CertifiedKey::with_signing_key
pub trait SigningKey: Send + Sync {
    /// Signs what is requested, or says that the signature will come later.
    ///
    /// The signature is checked with the certificate's public key before it is used.
    ///
    /// # Errors
    /// Any reason why there is no signature: it ends the connection as
    /// [`SigningError::Key`].
    fn sign(&self, request: &SignatureRequest) -> Result<Signing, KeyFailure>;
}

/// Why a [`SigningKey`] did not sign.
pub type KeyFailure = Box<dyn std::error::Error + Send + Sync>;

impl<F> SigningKey for F
where
    F: Fn(&SignatureRequest) -> Result<Signing, KeyFailure> + Send + Sync,
{
    fn sign(&self, request: &SignatureRequest) -> Result<Signing, KeyFailure> {
        self(request)
    }
}

/// The answer of a [`SigningKey`].
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signing {
    /// The signature: for ECDSA the DER form of RFC 3279, else the bytes of RFC 8017 or 8032.
    Done(Vec<u8>),
    /// It will be given by [`provide_signature`].
    ///
    /// [`provide_signature`]: crate::ConnectionCommon::provide_signature
    Later,
}

/// A [`SigningKey`] that leaves every signature to the connection's owner.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeferredSigning;

impl SigningKey for DeferredSigning {
    fn sign(&self, _request: &SignatureRequest) -> Result<Signing, KeyFailure> {
        Ok(Signing::Later)
    }
}

/// What a handshake needs signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureRequest {
    scheme: SignatureScheme,
    bytes: Vec<u8>,
}

/// The bytes to sign, hashed or not.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningInput<'a> {
    /// The hash that the scheme names, already taken: for ECDSA and RSA.
    Digest(&'a [u8]),
    /// The message itself: for Ed25519, which hashes on its own.
    Message(&'a [u8]),
}

impl SignatureRequest {
    /// `None` when `bytes` are not of a hash that the scheme can have.
    pub(crate) fn new(family: SignatureFamily, bytes: &[u8]) -> Option<Self> {
        use SignatureScheme as S;
        let bytes = match family {
            SignatureFamily::RsaPkcs1 => digest_of(bytes)?,
            _ => bytes,
        };
        let scheme = match (family, bytes.len()) {
            (SignatureFamily::Ecdsa, 32) => S::ECDSA_NISTP256_SHA256,
            (SignatureFamily::Ecdsa, 48) => S::ECDSA_NISTP384_SHA384,
            (SignatureFamily::Ecdsa, 64) => S::ECDSA_NISTP521_SHA512,
            (SignatureFamily::RsaPkcs1, 32) => S::RSA_PKCS1_SHA256,
            (SignatureFamily::RsaPkcs1, 48) => S::RSA_PKCS1_SHA384,
            (SignatureFamily::RsaPkcs1, 64) => S::RSA_PKCS1_SHA512,
            (SignatureFamily::RsaPss, 32) => S::RSA_PSS_SHA256,
            (SignatureFamily::RsaPss, 48) => S::RSA_PSS_SHA384,
            (SignatureFamily::RsaPss, 64) => S::RSA_PSS_SHA512,
            (SignatureFamily::Ed25519, _) => S::ED25519,
            _ => return None,
        };
        Some(Self {
            scheme,
            bytes: bytes.to_vec(),
        })
    }

    /// The scheme to sign with. RSA-PSS has a salt as long as the hash (RFC 8446).
    pub fn scheme(&self) -> SignatureScheme {
        self.scheme
    }

    /// What to sign.
    pub fn input(&self) -> SigningInput<'_> {
        match self.scheme {
            SignatureScheme::ED25519 => SigningInput::Message(&self.bytes),
            _ => SigningInput::Digest(&self.bytes),
        }
    }

    /// For RSASSA-PKCS1-v1_5 the `DigestInfo` (RFC 8017, section 9.2) around the digest, which
    /// is what PKCS#11's `CKM_RSA_PKCS` takes; `None` for other schemes.
    pub fn digest_info(&self) -> Option<Vec<u8>> {
        let (_, prefix) = DIGEST_INFO
            .iter()
            .find(|(scheme, _)| *scheme == self.scheme)?;
        Some([*prefix, &self.bytes].concat())
    }
}

/// The kinds of signature that wolfSSL asks for in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureFamily {
    Ecdsa,
    RsaPkcs1,
    RsaPss,
    Ed25519,
}

/// `DigestInfo` up to the digest, for each hash.
const DIGEST_INFO: [(SignatureScheme, &[u8]); 3] = [
    (
        SignatureScheme::RSA_PKCS1_SHA256,
        b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20",
    ),
    (
        SignatureScheme::RSA_PKCS1_SHA384,
        b"\x30\x41\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x02\x05\x00\x04\x30",
    ),
    (
        SignatureScheme::RSA_PKCS1_SHA512,
        b"\x30\x51\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x03\x05\x00\x04\x40",
    ),
];

fn digest_of(digest_info: &[u8]) -> Option<&[u8]> {
    DIGEST_INFO.iter().find_map(|(_, prefix)| {
        let digest = digest_info.strip_prefix(*prefix)?;
        (digest.len() == usize::from(*prefix.last()?)).then_some(digest)
    })
}

/// Why there is no usable signature of a [`SigningKey`].
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum SigningError {
    /// The key itself gave this reason.
    Key(Arc<dyn std::error::Error + Send + Sync>),
    /// The signature does not verify with the public key of the certificate.
    WrongSignature {
        /// The scheme that was asked for.
        scheme: SignatureScheme,
    },
    /// wolfSSL asked for a signature over a hash that is no longer signed here (SHA-1): the
    /// peer knows no better one.
    UnsupportedHash,
    /// A signature was given that no one had asked for.
    NotRequested,
    /// The key answered [`Signing::Later`] where it cannot: to a certificate request after the
    /// handshake that shares its record with another message.
    CannotWait,
}

impl fmt::Display for SigningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(reason) => write!(f, "the signing key failed: {reason}"),
            Self::WrongSignature { scheme } => write!(
                f,
                "the signature given for {scheme} does not verify with the certificate's key"
            ),
            Self::UnsupportedHash => {
                f.write_str("the peer accepts no signature over SHA-256 or better")
            }
            Self::NotRequested => f.write_str("no signature is being waited for"),
            Self::CannotWait => f.write_str(
                "the signing key answered Later where the peer's record has to be answered at once",
            ),
        }
    }
}

impl std::error::Error for SigningError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Key(reason) => Some(reason.as_ref()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_info_is_taken_apart_and_put_together() {
        for (scheme, prefix) in DIGEST_INFO {
            let length = usize::from(*prefix.last().unwrap());
            let whole = [prefix, &vec![7; length]].concat();
            let request = SignatureRequest::new(SignatureFamily::RsaPkcs1, &whole).unwrap();
            assert_eq!(request.scheme(), scheme);
            assert_eq!(request.input(), SigningInput::Digest(&vec![7; length]));
            assert_eq!(request.digest_info(), Some(whole.clone()));
            let short = &whole[..whole.len() - 1];
            assert_eq!(
                SignatureRequest::new(SignatureFamily::RsaPkcs1, short),
                None
            );
        }
    }

    #[test]
    fn hashes_that_are_not_signed_make_no_request() {
        for family in [SignatureFamily::Ecdsa, SignatureFamily::RsaPss] {
            for length in [0, 20, 28, 31, 65] {
                assert_eq!(SignatureRequest::new(family, &vec![0; length]), None);
            }
        }
        let request = SignatureRequest::new(SignatureFamily::Ed25519, b"any length").unwrap();
        assert_eq!(request.input(), SigningInput::Message(b"any length"));
        assert_eq!(request.digest_info(), None);
    }
}
