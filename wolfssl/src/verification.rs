//! Checks of the peer beside those of its chain: the caller's own, and pinned keys.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, SubjectPublicKeyInfoDer};

use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi::{self, Hash};

/// A peer whose chain, dates, purpose and name have been found good; what a caller's
/// [`additional_verification`](crate::ClientConfigBuilder::additional_verification) looks at.
#[non_exhaustive]
#[derive(Debug)]
pub struct VerifiedPeer<'a> {
    pub(crate) certificates: &'a [CertificateDer<'static>],
    pub(crate) raw_public_key: Option<&'a [u8]>,
    pub(crate) server_name: Option<String>,
}

impl VerifiedPeer<'_> {
    /// The chain as it was sent, leaf first; empty for a raw public key.
    pub fn certificates(&self) -> &[CertificateDer<'static>] {
        self.certificates
    }

    /// The raw public key (RFC 7250) that was shown instead of a chain.
    pub fn raw_public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        self.raw_public_key.map(SubjectPublicKeyInfoDer::from)
    }

    /// The server's name: whom a client asked for, and at a server what the client asked for.
    pub fn server_name(&self) -> Option<&str> {
        self.server_name.as_deref()
    }
}

/// A check that can refuse and cannot accept.
#[derive(Clone)]
pub(crate) struct AdditionalVerification(pub(crate) Arc<Check>);

type Check = dyn Fn(&VerifiedPeer<'_>) -> Result<(), String> + Send + Sync;

impl fmt::Debug for AdditionalVerification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdditionalVerification")
    }
}

/// Keys of which the peer's certificate must hold one: SHA-256 digests of their
/// `SubjectPublicKeyInfo`.
///
/// Beside trust anchors it is one more condition. Without them it is the whole check: whoever
/// holds such a key is the peer, whatever name, dates and issuer its certificate has, which is
/// what self-signed certificates of devices need and takes no protection away.
///
/// ```
/// # fn f() -> Result<(), wolfssl::Error> {
/// use wolfssl::{ClientConfig, PinnedKeys};
///
/// // as curl's --pinnedpubkey has it
/// let pins: PinnedKeys = "sha256//Ik1jLBQkK7VcZ2UnyRfhRvDqKmd8NrVxBGlbC5SaHOg=".parse()?;
/// let config = ClientConfig::builder().pinned_keys(pins).build()?;
/// # Ok(())
/// # }
/// # f().unwrap();
/// ```
#[derive(Clone)]
pub struct PinnedKeys {
    digests: Arc<HashSet<[u8; 32]>>,
}

impl PinnedKeys {
    /// Takes SHA-256 digests of DER `SubjectPublicKeyInfo`s.
    ///
    /// # Errors
    /// [`ConfigError::Empty`].
    pub fn from_sha256(digests: impl IntoIterator<Item = [u8; 32]>) -> Result<Self, Error> {
        let digests = digests.into_iter().collect::<HashSet<_>>();
        if digests.is_empty() {
            return Err(ConfigError::Empty {
                what: "pinned keys",
            }
            .into());
        }
        Ok(Self {
            digests: Arc::new(digests),
        })
    }

    /// The keys in these certificates, of which nothing else is used.
    ///
    /// # Errors
    /// [`ConfigError::CertificateChain`] for one that cannot be read, or
    /// [`ConfigError::Empty`].
    pub fn of_certificates<'a>(
        certificates: impl IntoIterator<Item = &'a CertificateDer<'a>>,
    ) -> Result<Self, Error> {
        let digests = certificates
            .into_iter()
            .map(|der| {
                let key = ffi::public_key_of(der);
                key.and_then(|key| digest(&key))
                    .map_err(|code| ConfigError::CertificateChain {
                        reason: ErrorCode::new(code),
                    })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Self::from_sha256(digests)
    }

    /// As [`PinnedKeys::of_certificates`], from PEM text.
    ///
    /// # Errors
    /// [`ConfigError::Pem`], and those of `of_certificates`.
    pub fn of_certificates_pem(pem: &[u8]) -> Result<Self, Error> {
        let certificates = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| ConfigError::Pem {
                what: "certificate",
                reason: error.to_string(),
            })?;
        Self::of_certificates(&certificates)
    }

    /// All digests in an order that does not depend on how they were given.
    pub(crate) fn sorted(&self) -> Vec<[u8; 32]> {
        let mut digests = self.digests.iter().copied().collect::<Vec<_>>();
        digests.sort_unstable();
        digests
    }

    /// Whether this SubjectPublicKeyInfo is one of them.
    pub(crate) fn contain(&self, key: &[u8]) -> bool {
        digest(key).is_ok_and(|digest| self.digests.contains(&digest))
    }
}

impl FromStr for PinnedKeys {
    type Err = Error;

    /// Reads `sha256//` with base64, several of them separated by `;`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digests = text
            .split(';')
            .map(|pin| {
                let encoded = pin.trim().strip_prefix("sha256//");
                encoded
                    .and_then(base64_digest)
                    .ok_or_else(|| ConfigError::PinnedKey {
                        given: pin.chars().take(80).collect(),
                    })
            })
            .collect::<Result<Vec<_>, _>>()?;
        Self::from_sha256(digests)
    }
}

impl fmt::Debug for PinnedKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedKeys({})", self.digests.len())
    }
}

fn digest(key: &[u8]) -> Result<[u8; 32], i32> {
    let digest = Hash::Sha256.digest(key)?;
    digest.try_into().map_err(|_| wolfssl_sys::BAD_STATE_E)
}

/// 32 bytes in base64 (RFC 4648, section 4), padded.
fn base64_digest(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_suffix('=')?;
    if digits.len() != 43 {
        return None;
    }
    let mut bits = 0u32;
    let mut count = 0;
    let mut bytes = Vec::with_capacity(32);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    // What is left over of the last digit says nothing and must be zero.
    (bits == 0).then(|| bytes.try_into().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_read_from_base64() {
        let all = base64_digest("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").unwrap();
        assert_eq!(all.to_vec(), (0..32).collect::<Vec<_>>());
        let two = format!(
            "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=; sha256//{}8=",
            "/".repeat(42)
        );
        assert_eq!(two.parse::<PinnedKeys>().unwrap().digests.len(), 2);
    }

    #[test]
    fn what_is_no_pin_is_refused() {
        for text in [
            "",
            "sha256//",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
            "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
            "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=",
            "sha256//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdH*8=",
            "sha1//AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        ] {
            let refused = text.parse::<PinnedKeys>();
            assert!(
                matches!(refused, Err(Error::Config(ConfigError::PinnedKey { .. }))),
                "{text}: {refused:?}"
            );
        }
    }
}
