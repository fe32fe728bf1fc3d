//! `CertifiedKey`: a certificate chain with the private key of its leaf.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustls_pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer,
};
use zeroize::Zeroize;

use crate::encrypted_key::{chain_from_pem, key_from_pem};
use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi::{self, IdentityFault, PublicKey, Signer};
use crate::pkcs8;
use crate::signing::SigningKey;

/// A chain, leaf first, with its private key; proven to belong together.
///
/// Cheap to clone. The key is wiped from memory with the last clone and never printed.
#[derive(Clone)]
pub struct CertifiedKey {
    inner: Arc<Inner>,
    ocsp_response: Option<Arc<[u8]>>,
}

struct Inner {
    chain: Vec<CertificateDer<'static>>,
    raw_public_key: Option<SubjectPublicKeyInfoDer<'static>>,
    key: KeySource,
}

/// Where the private key is.
pub(crate) enum KeySource {
    Here(PrivateKeyDer<'static>),
    Elsewhere(Signer),
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let KeySource::Here(key) = &mut self.key {
            key.zeroize();
        }
    }
}

impl CertifiedKey {
    /// Takes a chain, leaf first, and a key in PKCS#8, PKCS#1 or SEC1 form.
    ///
    /// # Errors
    /// [`ConfigError::Empty`], [`ConfigError::CertificateChain`], [`ConfigError::PrivateKey`]
    /// or [`ConfigError::KeyMismatch`].
    pub fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, Error> {
        if chain.is_empty() {
            return Err(ConfigError::Empty {
                what: "certificates",
            }
            .into());
        }
        let key = for_wolfssl(key);
        ffi::check_identity(&chain, &key).map_err(refused)?;
        Ok(Self {
            inner: Arc::new(Inner {
                chain,
                raw_public_key: None,
                key: KeySource::Here(key),
            }),
            ocsp_response: None,
        })
    }

    /// Takes a chain, leaf first, whose private key is held elsewhere (TPM, HSM, remote
    /// signer) and used through `key`. The public key is that of the leaf: ECDSA on P-256,
    /// P-384 or P-521, RSA (PKCS#1 and PSS), or Ed25519.
    ///
    /// ```no_run
    /// # use std::sync::Arc;
    /// # use wolfssl::{CertifiedKey, SignatureRequest, Signing, ServerConfig};
    /// # fn sign_with_device(_: &SignatureRequest) -> Result<Vec<u8>, std::io::Error> { todo!() }
    /// # fn f(chain: Vec<wolfssl::pki_types::CertificateDer<'static>>) -> Result<(), wolfssl::Error> {
    /// let key = |request: &SignatureRequest| Ok(Signing::Done(sign_with_device(request)?));
    /// let identity = CertifiedKey::with_signing_key(chain, Arc::new(key))?;
    /// let config = ServerConfig::builder().identity(identity).build()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ConfigError::Empty`], [`ConfigError::CertificateChain`], or
    /// [`ConfigError::PrivateKey`] for a leaf with another kind of key.
    pub fn with_signing_key(
        chain: Vec<CertificateDer<'static>>,
        key: Arc<dyn SigningKey>,
    ) -> Result<Self, Error> {
        let leaf = chain.first().ok_or(ConfigError::Empty {
            what: "certificates",
        })?;
        let public_key =
            PublicKey::of_certificate(leaf).map_err(|code| refused(IdentityFault::Key(code)))?;
        let signer = Signer { key, public_key };
        ffi::check_signer(&chain, &signer).map_err(refused)?;
        Ok(Self {
            inner: Arc::new(Inner {
                chain,
                raw_public_key: None,
                key: KeySource::Elsewhere(signer),
            }),
            ocsp_response: None,
        })
    }

    /// Reads chain and key from PEM text; both may stand in one text, given twice.
    ///
    /// # Errors
    /// [`ConfigError::Pem`], [`ConfigError::EncryptedKey`], and those of
    /// [`CertifiedKey::new`].
    pub fn from_pem(chain: &[u8], key: &[u8]) -> Result<Self, Error> {
        Self::new(chain_from_pem(chain)?, key_from_pem(key, None)?)
    }

    /// Reads chain and key from PEM files; both may be one file.
    ///
    /// # Errors
    /// [`ConfigError::File`], and those of [`CertifiedKey::from_pem`].
    pub fn from_pem_files(chain: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, Error> {
        let chain = read_file(chain.as_ref())?;
        let mut key = read_file(key.as_ref())?;
        let identity = Self::from_pem(&chain, &key);
        key.zeroize();
        identity
    }

    /// Takes a raw public key (RFC 7250), a DER `SubjectPublicKeyInfo`, with its private key.
    /// Peers have to know the key, and to ask for this type.
    ///
    /// # Errors
    /// [`ConfigError::CertificateChain`] for the public key, [`ConfigError::PrivateKey`] or
    /// [`ConfigError::KeyMismatch`].
    pub fn with_raw_public_key(
        public_key: SubjectPublicKeyInfoDer<'static>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, Error> {
        let mut key = for_wolfssl(key);
        if let PrivateKeyDer::Pkcs8(der) = &key
            && let Some(longer) =
                pkcs8::with_ed25519_public_key(der.secret_pkcs8_der(), &public_key)
        {
            key = PrivatePkcs8KeyDer::from(longer.to_vec()).into();
        }
        ffi::check_raw_identity(&public_key, &key).map_err(refused)?;
        Ok(Self {
            inner: Arc::new(Inner {
                chain: Vec::new(),
                raw_public_key: Some(public_key),
                key: KeySource::Here(key),
            }),
            ocsp_response: None,
        })
    }

    /// As [`with_raw_public_key`](Self::with_raw_public_key), with the private key held
    /// elsewhere as in [`with_signing_key`](Self::with_signing_key).
    ///
    /// # Errors
    /// [`ConfigError::CertificateChain`] or [`ConfigError::PrivateKey`] for a public key that
    /// cannot be read or is of another kind.
    pub fn with_raw_signing_key(
        public_key: SubjectPublicKeyInfoDer<'static>,
        key: Arc<dyn SigningKey>,
    ) -> Result<Self, Error> {
        let checker = PublicKey::from_spki(public_key.to_vec())
            .ok_or(IdentityFault::UNKNOWN_KEY)
            .map_err(refused)?;
        let signer = Signer {
            key,
            public_key: checker,
        };
        ffi::check_raw_signer(&public_key, &signer).map_err(refused)?;
        Ok(Self {
            inner: Arc::new(Inner {
                chain: Vec::new(),
                raw_public_key: Some(public_key),
                key: KeySource::Elsewhere(signer),
            }),
            ocsp_response: None,
        })
    }

    /// Adds an OCSP answer (DER, RFC 6960) for the leaf, for clients that ask for one; how it
    /// is come by is the caller's business. It is sent as it is: a new configuration brings
    /// the next one.
    #[must_use]
    pub fn with_ocsp_response(mut self, response: impl Into<Vec<u8>>) -> Self {
        self.ocsp_response = Some(response.into().into());
        self
    }

    pub(crate) fn ocsp_response(&self) -> Option<Arc<[u8]>> {
        self.ocsp_response.clone()
    }

    /// The raw public key that stands in place of a chain.
    pub fn raw_public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        let key = self.inner.raw_public_key.as_ref()?;
        Some(SubjectPublicKeyInfoDer::from(key.as_ref()))
    }

    /// The chain, leaf first; empty for a raw public key.
    pub fn chain(&self) -> &[CertificateDer<'static>] {
        &self.inner.chain
    }

    pub(crate) fn key(&self) -> &KeySource {
        &self.inner.key
    }
}

/// The same key in a form that wolfSSL reads.
fn for_wolfssl(key: PrivateKeyDer<'static>) -> PrivateKeyDer<'static> {
    match &key {
        PrivateKeyDer::Pkcs8(der) => match pkcs8::without_public_key(der.secret_pkcs8_der()) {
            Some(shorter) => PrivatePkcs8KeyDer::from(shorter.to_vec()).into(),
            None => key,
        },
        _ => key,
    }
}

fn refused(fault: IdentityFault) -> Error {
    match fault {
        IdentityFault::Setup(code) => Error::Library(ErrorCode::new(code)),
        IdentityFault::Chain(code) => ConfigError::CertificateChain {
            reason: ErrorCode::new(code),
        }
        .into(),
        IdentityFault::Key(code) => ConfigError::PrivateKey {
            reason: ErrorCode::new(code),
        }
        .into(),
        IdentityFault::Mismatch => ConfigError::KeyMismatch.into(),
    }
}

impl fmt::Debug for CertifiedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = match self.inner.key {
            KeySource::Here(_) => "redacted",
            KeySource::Elsewhere(_) => "held elsewhere",
        };
        f.debug_struct("CertifiedKey")
            .field("chain_len", &self.inner.chain.len())
            .field("key", &key)
            .finish()
    }
}

pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| {
        Error::Config(ConfigError::File {
            path: path.to_owned(),
            reason: error.to_string(),
        })
    })
}
