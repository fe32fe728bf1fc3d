//! `PublicKeyType`: what kind of key a peer has.

use std::fmt;

use rustls_pki_types::alg_id;

use crate::der::{INTEGER, OBJECT_IDENTIFIER, SEQUENCE, expect};

/// The kind and size of a public key.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PublicKeyType {
    /// RSA, for PKCS #1 and PSS signatures.
    Rsa {
        /// The length of the modulus.
        bits: usize,
    },
    /// RSA for PSS signatures alone.
    RsaPss {
        /// The length of the modulus.
        bits: usize,
    },
    /// ECDSA on P-256.
    EcdsaP256,
    /// ECDSA on P-384.
    EcdsaP384,
    /// ECDSA on P-521.
    EcdsaP521,
    /// Ed25519.
    Ed25519,
    /// Ed448.
    Ed448,
    /// ML-DSA-44 (FIPS 204).
    MlDsa44,
    /// ML-DSA-65 (FIPS 204).
    MlDsa65,
    /// ML-DSA-87 (FIPS 204).
    MlDsa87,
}

impl PublicKeyType {
    /// The kind of a DER `SubjectPublicKeyInfo`; `None` for kinds that TLS does not use here.
    pub(crate) fn of_spki(spki: &[u8]) -> Option<Self> {
        let (body, _) = expect(SEQUENCE, spki)?;
        let (algorithm, key) = expect(SEQUENCE, body)?;
        let known = [
            (alg_id::ECDSA_P256.as_ref(), Self::EcdsaP256),
            (alg_id::ECDSA_P384.as_ref(), Self::EcdsaP384),
            (alg_id::ECDSA_P521.as_ref(), Self::EcdsaP521),
            (alg_id::ED25519.as_ref(), Self::Ed25519),
            (alg_id::ED448.as_ref(), Self::Ed448),
            (alg_id::ML_DSA_44.as_ref(), Self::MlDsa44),
            (alg_id::ML_DSA_65.as_ref(), Self::MlDsa65),
            (alg_id::ML_DSA_87.as_ref(), Self::MlDsa87),
        ];
        if let Some((_, kind)) = known.iter().find(|(id, _)| *id == algorithm) {
            return Some(*kind);
        }
        let (oid, _) = expect(OBJECT_IDENTIFIER, algorithm)?;
        let bits = modulus_bits(key);
        match oid {
            RSA => Some(Self::Rsa { bits: bits? }),
            RSA_PSS => Some(Self::RsaPss { bits: bits? }),
            _ => None,
        }
    }
}

impl fmt::Display for PublicKeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rsa { bits } => return write!(f, "RSA {bits}"),
            Self::RsaPss { bits } => return write!(f, "RSA-PSS {bits}"),
            Self::EcdsaP256 => "ECDSA P-256",
            Self::EcdsaP384 => "ECDSA P-384",
            Self::EcdsaP521 => "ECDSA P-521",
            Self::Ed25519 => "Ed25519",
            Self::Ed448 => "Ed448",
            Self::MlDsa44 => "ML-DSA-44",
            Self::MlDsa65 => "ML-DSA-65",
            Self::MlDsa87 => "ML-DSA-87",
        })
    }
}

/// The size of the modulus of an RSAPublicKey in a BIT STRING.
fn modulus_bits(key: &[u8]) -> Option<usize> {
    let (bits, _) = expect(BIT_STRING, key)?;
    let (body, _) = expect(SEQUENCE, bits.strip_prefix(&[0])?)?;
    let (modulus, _) = expect(INTEGER, body)?;
    let start = modulus.iter().position(|&byte| byte != 0)?;
    let modulus = &modulus[start..];
    Some(modulus.len() * 8 - modulus[0].leading_zeros() as usize)
}

const BIT_STRING: u8 = 0x03;
/// 1.2.840.113549.1.1.1
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
/// 1.2.840.113549.1.1.10
const RSA_PSS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 10];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_rsa_key_says_its_size() {
        let mut spki = b"\x30\x1d\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x03\x0c\x00\x30\x09\x02\x02\x7f\xff\x02\x03\x01\x00\x01".to_vec();
        assert_eq!(
            PublicKeyType::of_spki(&spki),
            Some(PublicKeyType::Rsa { bits: 15 })
        );
        spki[14] = 10;
        assert_eq!(
            PublicKeyType::of_spki(&spki),
            Some(PublicKeyType::RsaPss { bits: 15 })
        );
        spki[14] = 99;
        assert_eq!(PublicKeyType::of_spki(&spki), None);
    }

    #[test]
    fn broken_keys_have_no_kind() {
        for spki in [
            &[][..],
            &[0x30, 0],
            &[0x30, 2, 0x30, 0],
            b"\x30\x0b\x30\x09\x06\x07\x2a\x86\x48\x86\xf7\x0d\x01",
        ] {
            assert_eq!(PublicKeyType::of_spki(spki), None);
        }
    }
}
