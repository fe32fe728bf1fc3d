//! `RootCertStore`: the trust anchors that a peer's chain must lead to.

use std::path::Path;

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi;

/// A set of trust anchors, each checked when it is added.
///
/// Cloning copies the certificates; a configuration keeps its own.
#[derive(Clone, Debug, Default)]
pub struct RootCertStore {
    anchors: Vec<CertificateDer<'static>>,
    rejected: Vec<RejectedRoot>,
}

/// An entry of a bundle that was left out, and why.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedRoot {
    /// Position in the bundle, from 0.
    pub index: usize,
    /// Why it cannot be used.
    pub reason: String,
}

impl RootCertStore {
    /// A store without anchors.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Reads a bundle of PEM certificates.
    ///
    /// A bundle of many hands has bad entries now and then: those are left out, and
    /// [`RootCertStore::rejected`] tells which and why. Entries that stand twice count once.
    ///
    /// # Errors
    /// [`ConfigError::Pem`] when not one entry can be used.
    pub fn from_pem(pem: &[u8]) -> Result<Self, Error> {
        let mut store = Self::empty();
        for (index, entry) in CertificateDer::pem_slice_iter(pem).enumerate() {
            let outcome = match entry {
                Ok(der) => store
                    .try_add(der)
                    .map_err(|code| ErrorCode::new(code).to_string()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(reason) = outcome {
                store.rejected.push(RejectedRoot { index, reason });
            }
        }
        if store.is_empty() {
            let reason = match store.rejected.first() {
                Some(first) => format!("entry {}: {}", first.index, first.reason),
                None => "it holds no CERTIFICATE section".to_owned(),
            };
            return Err(ConfigError::Pem {
                what: "trust anchor",
                reason,
            }
            .into());
        }
        Ok(store)
    }

    /// Reads a bundle of PEM certificates from a file, as [`RootCertStore::from_pem`] does.
    ///
    /// # Errors
    /// [`ConfigError::File`] when it cannot be read, and those of `from_pem`.
    pub fn from_pem_file(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::from_pem(&crate::identity::read_file(path.as_ref())?)
    }

    /// The trust anchors of this system: its certificate store, or what `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR` name (crate `rustls-native-certs`). Entries that wolfSSL does not take
    /// are left out and listed by [`RootCertStore::rejected`].
    ///
    /// # Errors
    /// [`ConfigError::NoSystemTrustAnchors`] when there is not one usable.
    pub fn system() -> Result<Self, Error> {
        let found = rustls_native_certs::load_native_certs();
        let mut store = Self::empty();
        for (index, der) in found.certs.into_iter().enumerate() {
            if let Err(code) = store.try_add(der) {
                let reason = ErrorCode::new(code).to_string();
                store.rejected.push(RejectedRoot { index, reason });
            }
        }
        if store.is_empty() {
            let reason = match found.errors.first() {
                Some(error) => error.to_string(),
                None => "the certificate store is empty".to_owned(),
            };
            return Err(ConfigError::NoSystemTrustAnchors { reason }.into());
        }
        Ok(store)
    }

    /// Adds one certificate. It need not be a CA's: a self-signed server certificate is an
    /// anchor for itself. Whatever its owner signs is trusted as well, as with every anchor.
    ///
    /// # Errors
    /// [`ConfigError::TrustAnchor`] when wolfSSL does not take it: malformed, expired, or with
    /// an RSA key over 4096 bits.
    pub fn add(&mut self, der: CertificateDer<'_>) -> Result<(), Error> {
        let index = self.anchors.len();
        self.try_add(der.into_owned()).map_err(|code| {
            ConfigError::TrustAnchor {
                index,
                reason: ErrorCode::new(code),
            }
            .into()
        })
    }

    /// How many anchors there are.
    pub fn len(&self) -> usize {
        self.anchors.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.anchors.is_empty()
    }

    /// The entries of bundles that were left out.
    pub fn rejected(&self) -> &[RejectedRoot] {
        &self.rejected
    }

    pub(crate) fn anchors(&self) -> &[CertificateDer<'static>] {
        &self.anchors
    }

    fn try_add(&mut self, der: CertificateDer<'static>) -> Result<(), i32> {
        if self.anchors.contains(&der) {
            return Ok(());
        }
        ffi::check_trust_anchor(&der)?;
        self.anchors.push(der);
        Ok(())
    }
}
