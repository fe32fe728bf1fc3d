//! Private keys in PEM that are encrypted with a password: PKCS #8 (RFC 5958) and the older
//! form with `Proc-Type: 4,ENCRYPTED` (RFC 1421).

use std::path::Path;

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use zeroize::{Zeroize, Zeroizing};

use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi;
use crate::identity::{CertifiedKey, read_file};

impl CertifiedKey {
    /// Reads chain and key from PEM text as [`CertifiedKey::from_pem`] does, the key
    /// encrypted with `password`: `ENCRYPTED PRIVATE KEY` (PBES2 with AES-CBC and HMAC with
    /// SHA-1 or SHA-256, as OpenSSL writes it unless told otherwise), or the older form with
    /// `Proc-Type: 4,ENCRYPTED` (AES-CBC). A key that is not encrypted is taken as it is.
    ///
    /// ```no_run
    /// # fn f(password: &str) -> Result<(), Box<dyn std::error::Error>> {
    /// let pem = std::fs::read("server.pem")?; // both in one file
    /// let identity = wolfssl::CertifiedKey::from_encrypted_pem(&pem, &pem, password.as_bytes())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ConfigError::KeyDecryption`] for a wrong password or another algorithm, and those of
    /// `from_pem`.
    pub fn from_encrypted_pem(chain: &[u8], key: &[u8], password: &[u8]) -> Result<Self, Error> {
        Self::new(chain_from_pem(chain)?, key_from_pem(key, Some(password))?)
    }

    /// Reads chain and encrypted key from PEM files; both may be one file.
    ///
    /// # Errors
    /// [`ConfigError::File`], and those of [`CertifiedKey::from_encrypted_pem`].
    pub fn from_encrypted_pem_files(
        chain: impl AsRef<Path>,
        key: impl AsRef<Path>,
        password: &[u8],
    ) -> Result<Self, Error> {
        let chain = read_file(chain.as_ref())?;
        let key = Zeroizing::new(read_file(key.as_ref())?);
        Self::from_encrypted_pem(&chain, &key, password)
    }
}

/// The certificates in PEM text, which must hold some.
pub(crate) fn chain_from_pem(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, Error> {
    let chain = CertificateDer::pem_slice_iter(&certificate_sections(pem))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| unusable("certificate", error))?;
    if chain.is_empty() {
        return Err(ConfigError::Pem {
            what: "certificate",
            reason: "it holds no CERTIFICATE section".to_owned(),
        }
        .into());
    }
    Ok(chain)
}

/// The certificate sections of PEM text alone: the PEM reader stumbles over the headers of an
/// encrypted key beside them.
fn certificate_sections(pem: &[u8]) -> Vec<u8> {
    let mut sections = Vec::with_capacity(pem.len());
    let mut inside = false;
    for line in pem.split_inclusive(|&byte| byte == b'\n') {
        inside |= line
            .trim_ascii()
            .starts_with(b"-----BEGIN CERTIFICATE-----");
        if inside {
            sections.extend_from_slice(line);
        }
        inside &= !line.trim_ascii().starts_with(b"-----END");
    }
    sections
}

/// The first private key in PEM text.
pub(crate) fn key_from_pem(
    pem: &[u8],
    password: Option<&[u8]>,
) -> Result<PrivateKeyDer<'static>, Error> {
    match (Encryption::of(pem), password) {
        (None, _) => {
            PrivateKeyDer::from_pem_slice(pem).map_err(|error| unusable("private key", error))
        }
        (Some(_), None) => Err(ConfigError::EncryptedKey.into()),
        (Some(encryption), Some(password)) => encryption.decrypt(pem, password),
    }
}

/// How the first private key of a PEM text is encrypted.
enum Encryption {
    Pkcs8,
    /// With the label of what is encrypted.
    Legacy(&'static [u8]),
}

impl Encryption {
    /// `None` when it is not.
    fn of(pem: &[u8]) -> Option<Self> {
        let start = find(pem, b"PRIVATE KEY-----")?;
        let begin = pem[..start].rsplit(|&byte| byte == b'\n').next()?;
        if begin.trim_ascii_start() == b"-----BEGIN ENCRYPTED " {
            return Some(Self::Pkcs8);
        }
        let section = &pem[start..][..find(&pem[start..], b"-----END").unwrap_or(0)];
        find(section, b"4,ENCRYPTED")?;
        LEGACY_LABELS
            .into_iter()
            .find(|label| begin.trim_ascii_start().strip_prefix(b"-----BEGIN ") == Some(label))
            .map(Self::Legacy)
    }

    fn decrypt(&self, pem: &[u8], password: &[u8]) -> Result<PrivateKeyDer<'static>, Error> {
        let failed = |code| ConfigError::KeyDecryption {
            reason: ErrorCode::new(code),
        };
        match self {
            Self::Pkcs8 => {
                // The PEM reader knows no such section, the same under the plain label it does.
                let at = find(pem, ENCRYPTED_BEGIN).unwrap_or(0);
                let plain = Zeroizing::new(relabeled(&pem[at..]));
                let der = PrivatePkcs8KeyDer::from_pem_slice(&plain)
                    .map_err(|error| unusable("private key", error))?;
                let mut encrypted = Zeroizing::new(der.secret_pkcs8_der().to_vec());
                let key = ffi::decrypt_pkcs8(&mut encrypted, password).map_err(failed)?;
                Ok(PrivatePkcs8KeyDer::from(key.to_vec()).into())
            }
            Self::Legacy(label) => {
                let mut key = ffi::decrypt_legacy_pem(pem, password).map_err(failed)?;
                let der = key.to_vec();
                key.zeroize();
                Ok(if *label == LEGACY_LABELS[0] {
                    PrivateKeyDer::Pkcs1(der.into())
                } else {
                    PrivateKeyDer::Sec1(der.into())
                })
            }
        }
    }
}

fn relabeled(pem: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(pem.len());
    let mut rest = pem;
    while let Some(at) = find(rest, b"ENCRYPTED PRIVATE KEY-----") {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + b"ENCRYPTED ".len()..];
        let label = rest.split_at(b"PRIVATE KEY-----".len());
        out.extend_from_slice(label.0);
        rest = label.1;
    }
    out.extend_from_slice(rest);
    out
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}

fn unusable(what: &'static str, error: rustls_pki_types::pem::Error) -> Error {
    ConfigError::Pem {
        what,
        reason: error.to_string(),
    }
    .into()
}

const ENCRYPTED_BEGIN: &[u8] = b"-----BEGIN ENCRYPTED PRIVATE KEY-----";
const LEGACY_LABELS: [&[u8]; 2] = [b"RSA ", b"EC "];
