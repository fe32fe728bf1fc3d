//! Raw public keys (RFC 7250): peers known by their key instead of a certificate.

use std::fmt;
use std::sync::Arc;

use rustls_pki_types::{CertificateDer, SubjectPublicKeyInfoDer};

use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi;

/// The keys of the peers that may connect without a certificate.
///
/// Given to a builder's `raw_public_keys`, it offers the certificate type and is the whole
/// check of a peer that uses it: there is no name in a raw public key, so each key here
/// stands for whoever the configuration is meant to reach.
///
/// ```no_run
/// use wolfssl::pki_types::{SubjectPublicKeyInfoDer, pem::PemObject};
/// use wolfssl::{ClientConfig, RawPublicKeys};
///
/// # fn f() -> Result<(), Box<dyn std::error::Error>> {
/// // as printed by `openssl pkey -pubout`
/// let key = SubjectPublicKeyInfoDer::from_pem_file("server.pub.pem")?;
/// let config = ClientConfig::builder()
///     .raw_public_keys(RawPublicKeys::new([key])?)
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RawPublicKeys {
    keys: Arc<[SubjectPublicKeyInfoDer<'static>]>,
}

impl RawPublicKeys {
    /// Takes the keys, each as a DER `SubjectPublicKeyInfo` of ECDSA on P-256, P-384 or
    /// P-521, RSA, or Ed25519.
    ///
    /// # Errors
    /// [`ConfigError::Empty`], or [`ConfigError::RawPublicKey`] for anything else.
    pub fn new(
        keys: impl IntoIterator<Item = SubjectPublicKeyInfoDer<'static>>,
    ) -> Result<Self, Error> {
        let keys: Arc<[_]> = keys.into_iter().collect();
        if keys.is_empty() {
            return Err(ConfigError::Empty {
                what: "raw public keys",
            }
            .into());
        }
        match keys.iter().position(|key| !ffi::is_public_key(key)) {
            Some(index) => Err(ConfigError::RawPublicKey { index }.into()),
            None => Ok(Self { keys }),
        }
    }

    pub(crate) fn keys(&self) -> &[SubjectPublicKeyInfoDer<'static>] {
        &self.keys
    }

    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        self.keys.iter().any(|known| known.as_ref() == key)
    }
}

impl fmt::Debug for RawPublicKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawPublicKeys")
            .field("len", &self.keys.len())
            .finish()
    }
}

/// The form in which an end of a connection shows who it is.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CertificateType {
    /// A certificate chain.
    X509,
    /// The public key alone (RFC 7250).
    RawPublicKey,
}

/// The public key of a certificate, as a raw public key would show it.
///
/// # Errors
/// [`ConfigError::CertificateChain`] when it cannot be read.
pub fn subject_public_key_info(
    certificate: &CertificateDer<'_>,
) -> Result<SubjectPublicKeyInfoDer<'static>, Error> {
    let spki = ffi::public_key_of(certificate).map_err(|code| ConfigError::CertificateChain {
        reason: ErrorCode::new(code),
    })?;
    Ok(SubjectPublicKeyInfoDer::from(spki))
}
