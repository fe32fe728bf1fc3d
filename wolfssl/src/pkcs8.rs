//! Takes the optional public key out of a PKCS#8 key (RFC 5958).
//!
//! Keys made with *ring* (and so by rcgen) carry it in an encoding of ring's own, which
//! wolfSSL, like OpenSSL, does not read. The private key alone says all.

use zeroize::Zeroizing;

use crate::der::{INTEGER, OCTET_STRING, SEQUENCE, element};

/// The same key in version 1 of the format; `None` when `der` is not of this form.
pub(crate) fn without_public_key(der: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (SEQUENCE, body, []) = element(der)? else {
        return None;
    };
    let (INTEGER, [1], rest) = element(body)? else {
        return None;
    };
    let (SEQUENCE, _, after_algorithm) = element(rest)? else {
        return None;
    };
    let (OCTET_STRING, _, after_key) = element(after_algorithm)? else {
        return None;
    };
    let kept = &rest[..rest.len() - after_key.len()];
    let mut out = Zeroizing::new(Vec::with_capacity(der.len()));
    out.push(SEQUENCE);
    push_length(&mut out, VERSION_1.len() + kept.len());
    out.extend_from_slice(VERSION_1);
    out.extend_from_slice(kept);
    Some(out)
}

/// The same Ed25519 key with its public key in the form that wolfSSL reads, which is not the
/// standard's; `None` when either is not what it should be. Where no certificate has the public
/// key, wolfSSL needs it here.
pub(crate) fn with_ed25519_public_key(der: &[u8], spki: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    const SPKI_PREFIX: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";
    let public = spki
        .strip_prefix(SPKI_PREFIX)
        .filter(|key| key.len() == 32)?;
    let (SEQUENCE, body, []) = element(der)? else {
        return None;
    };
    let (INTEGER, [0], rest) = element(body)? else {
        return None;
    };
    let mut out = Zeroizing::new(Vec::with_capacity(der.len() + 40));
    out.push(SEQUENCE);
    push_length(&mut out, VERSION_2.len() + rest.len() + 2 + public.len());
    out.extend_from_slice(VERSION_2);
    out.extend_from_slice(rest);
    out.extend_from_slice(&[PUBLIC_KEY, 32]);
    out.extend_from_slice(public);
    Some(out)
}

const PUBLIC_KEY: u8 = 0x81;
const VERSION_1: &[u8] = &[INTEGER, 1, 0];
const VERSION_2: &[u8] = &[INTEGER, 1, 1];

fn push_length(out: &mut Vec<u8>, length: usize) {
    match length {
        0..=0x7f => out.push(length as u8),
        0x80..=0xff => out.extend_from_slice(&[0x81, length as u8]),
        _ => {
            out.push(0x82);
            out.extend_from_slice(&(length as u16).to_be_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_key_goes_and_the_rest_stays() {
        let two = [0x30, 0x0e, 2, 1, 1, 0x30, 2, 5, 0, 4, 1, 9, 0xa1, 2, 7, 7];
        let one = [0x30, 0x0a, 2, 1, 0, 0x30, 2, 5, 0, 4, 1, 9];
        assert_eq!(without_public_key(&two).unwrap().as_slice(), one);
    }

    #[test]
    fn everything_else_is_left_alone() {
        let version_1 = [0x30, 0x0a, 2, 1, 0, 0x30, 2, 5, 0, 4, 1, 9];
        for der in [
            &version_1[..],
            &[],
            &[0x30],
            &[0x30, 0x84, 1],
            &[0x30, 5, 2, 1, 1],
        ] {
            assert!(without_public_key(der).is_none());
        }
    }
}
