//! The little DER (X.690) that this crate reads itself: the frame of keys and certificates.

use rustls_pki_types::CertificateDer;

use crate::ffi::Hash;

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(crate) const SEQUENCE: u8 = 0x30;

/// The tag and content of the first element, and what follows it.
pub(crate) fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], rest) = der.split_first_chunk::<2>()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x0f))?;
            let length = bytes
                .iter()
                .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
            (length, rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// The content of the first element, which must have this tag, and what follows it.
pub(crate) fn expect(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (found, content, rest) = element(der)?;
    (found == tag).then_some((content, rest))
}

/// The hash to use for the channel binding of a certificate (RFC 5929, section 4.1): that of
/// its signature algorithm, SHA-256 for the broken ones; `None` for schemes without one.
pub(crate) fn signature_hash(certificate: &CertificateDer<'_>) -> Option<Hash> {
    let (body, _) = expect(SEQUENCE, certificate)?;
    let (_, after_tbs) = expect(SEQUENCE, body)?;
    let (algorithm, _) = expect(SEQUENCE, after_tbs)?;
    let (oid, parameters) = expect(OBJECT_IDENTIFIER, algorithm)?;
    let hash = match oid {
        // 1.2.840.113549.1.1: PKCS #1
        [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, last] => match last {
            4 | 5 | 11 => Hash::Sha256, // MD5 and SHA-1 count as SHA-256
            10 => return pss_hash(parameters),
            12 => Hash::Sha384,
            13 => Hash::Sha512,
            14 => Hash::Sha224,
            _ => return None,
        },
        // 1.2.840.10045.4.1 and .3: ECDSA
        [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1] => Hash::Sha256,
        [0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, last] => match last {
            1 => Hash::Sha224,
            2 => Hash::Sha256,
            3 => Hash::Sha384,
            4 => Hash::Sha512,
            _ => return None,
        },
        _ => return None,
    };
    Some(hash)
}

/// The hash in RSASSA-PSS-params (RFC 4055); SHA-1, the default, counts as SHA-256.
fn pss_hash(parameters: &[u8]) -> Option<Hash> {
    let (parameters, _) = expect(SEQUENCE, parameters)?;
    let Some((hash, _)) = expect(0xa0, parameters) else {
        return Some(Hash::Sha256);
    };
    let (algorithm, _) = expect(SEQUENCE, hash)?;
    match expect(OBJECT_IDENTIFIER, algorithm)?.0 {
        // 2.16.840.1.101.3.4.2: SHA-2
        [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last] => match last {
            1 => Some(Hash::Sha256),
            2 => Some(Hash::Sha384),
            3 => Some(Hash::Sha512),
            4 => Some(Hash::Sha224),
            _ => None,
        },
        [0x2b, 0x0e, 3, 2, 0x1a] => Some(Hash::Sha256),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_cut_off_and_broken_ones_refused() {
        assert_eq!(element(&[4, 1, 9, 7]), Some((4, &[9][..], &[7][..])));
        assert_eq!(element(&[4, 0x82, 0, 1, 9]), Some((4, &[9][..], &[][..])));
        for broken in [
            &[][..],
            &[4],
            &[4, 2, 1],
            &[4, 0x80, 0, 0],
            &[4, 0x82, 1],
            &[4, 0x84, 0xff, 0xff, 0xff, 0xff, 1],
            &[4, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        ] {
            assert_eq!(element(broken), None, "{broken:x?}");
        }
    }

    #[test]
    fn what_is_no_certificate_has_no_hash() {
        for der in [&[][..], &[0x30, 0], &[0x30, 4, 0x30, 0, 0x30, 0]] {
            assert_eq!(signature_hash(&CertificateDer::from(der)), None);
        }
    }
}
