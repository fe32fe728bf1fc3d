//! Revocation: lists (CRLs, RFC 5280) and stapled answers (OCSP, RFC 6066 and RFC 6960).

use rustls_pki_types::CertificateRevocationListDer;
use rustls_pki_types::pem::PemObject;

use crate::error::{ConfigError, Error};

/// Certificate revocation lists, and what is checked against them.
///
/// By default the whole chain is checked, and a certificate whose issuer's list is missing or
/// outdated is refused ([`CertificateError::RevocationStatusUnknown`]). wolfSSL checks the
/// signature of a list when it is used, so lists of intermediates can be given as well.
///
/// ```no_run
/// # fn f(roots: wolfssl::RootCertStore) -> Result<(), Box<dyn std::error::Error>> {
/// use wolfssl::{ClientConfig, RevocationLists};
///
/// let lists = RevocationLists::from_pem(&std::fs::read("crl.pem")?)?;
/// let config = ClientConfig::builder().roots(roots).revocation_lists(lists).build()?;
/// # Ok(())
/// # }
/// ```
///
/// [`CertificateError::RevocationStatusUnknown`]: crate::CertificateError::RevocationStatusUnknown
#[derive(Clone, Debug)]
pub struct RevocationLists {
    pub(crate) lists: Vec<CertificateRevocationListDer<'static>>,
    pub(crate) scope: RevocationScope,
    pub(crate) accept_missing: bool,
}

/// Which certificates of a chain are checked for revocation.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum RevocationScope {
    /// All but the trust anchor.
    #[default]
    Chain,
    /// The peer's own.
    EndEntity,
}

impl RevocationLists {
    /// Takes DER lists.
    ///
    /// # Errors
    /// [`ConfigError::Empty`]. Each list is looked at by `build()`.
    pub fn new(
        lists: impl IntoIterator<Item = CertificateRevocationListDer<'static>>,
    ) -> Result<Self, Error> {
        let lists = lists.into_iter().collect::<Vec<_>>();
        if lists.is_empty() {
            return Err(ConfigError::Empty {
                what: "revocation lists",
            }
            .into());
        }
        Ok(Self {
            lists,
            scope: RevocationScope::default(),
            accept_missing: false,
        })
    }

    /// Reads PEM lists (`X509 CRL`). Unlike a bundle of roots, one bad entry spoils it: what
    /// is not revoked must not depend on what could not be read.
    ///
    /// # Errors
    /// [`ConfigError::Pem`], and those of [`RevocationLists::new`].
    pub fn from_pem(pem: &[u8]) -> Result<Self, Error> {
        let unusable = |reason: String| ConfigError::Pem {
            what: "revocation list",
            reason,
        };
        let lists = CertificateRevocationListDer::pem_slice_iter(pem)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| unusable(error.to_string()))?;
        if lists.is_empty() {
            return Err(unusable("it holds no X509 CRL section".to_owned()).into());
        }
        Self::new(lists)
    }

    /// Which certificates are checked; default [`RevocationScope::Chain`].
    #[must_use]
    pub fn scope(mut self, scope: RevocationScope) -> Self {
        self.scope = scope;
        self
    }

    /// Accepts certificates of issuers that none of the lists is from. Outdated lists are
    /// refused all the same.
    #[must_use]
    pub fn accept_missing(mut self) -> Self {
        self.accept_missing = true;
        self
    }
}

/// Whether a client asks for a stapled OCSP answer (RFC 6066, section 8).
///
/// An answer that comes is checked in any case: signature, responder, certificate, dates. One
/// that says "revoked", or that is not good, ends the handshake. The TLS feature extension of
/// certificates (RFC 7633, "must staple") is not looked at: ask for [`OcspStapling::Require`].
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OcspStapling {
    /// Does not ask.
    #[default]
    Off,
    /// Asks, and goes on without one.
    Request,
    /// Asks, and refuses a server that sends none. A resumed session has no certificate to
    /// answer for: it was checked in the first handshake.
    Require,
}
