//! The algorithm rows: raw calls of wolfCrypt, and the only unsafe code of this crate.
//!
//! Each row is set up and checked against a known answer or by a round trip before it is timed.

#![allow(unsafe_code, reason = "this folder is the crate's one door to C")]

mod aead;
mod cipher;
mod dh;
mod ecc;
mod handle;
mod hash;
mod post_quantum;
mod rsa;

use std::ffi::{CStr, c_int};
use std::sync::OnceLock;

use wolfssl_sys as ffi;

use crate::cohort::Result;
use crate::scenario::algorithm::{Algorithm, BLOCK_BYTES};
use crate::validity::Negotiated;
use crate::worker::Measurable;

/// Means "no hardware device" wherever wolfCrypt asks for one (INVALID_DEVID).
const NO_DEVICE: c_int = -2;

/// What is signed: as long as a SHA-256 digest.
const DIGEST: [u8; 32] = [0x5a; 32];
/// What was not signed.
const OTHER_DIGEST: [u8; 32] = [0xa5; 32];

/// Makes an algorithm row ready.
pub fn prepare(algorithm: &Algorithm) -> Result<Box<dyn Measurable>> {
    match algorithm.name {
        "aes-128-gcm-enc" => aead::gcm_encrypt(16),
        "aes-128-gcm-dec" => aead::gcm_decrypt(16),
        "aes-256-gcm-enc" => aead::gcm_encrypt(32),
        "aes-256-gcm-dec" => aead::gcm_decrypt(32),
        "chacha20-poly1305-enc" => aead::chacha20_poly1305_encrypt(),
        "chacha20-poly1305-dec" => aead::chacha20_poly1305_decrypt(),
        "aes-128-cbc-enc" => cipher::cbc_encrypt(16),
        "aes-128-cbc-dec" => cipher::cbc_decrypt(16),
        "aes-256-cbc-enc" => cipher::cbc_encrypt(32),
        "aes-256-cbc-dec" => cipher::cbc_decrypt(32),
        "chacha20" => cipher::chacha20(),
        "poly1305" => hash::poly1305(),
        "md5" => hash::plain(hash::Kind::Md5),
        "sha-1" => hash::plain(hash::Kind::Sha1),
        "sha-256" => hash::plain(hash::Kind::Sha256),
        "sha-512" => hash::plain(hash::Kind::Sha512),
        "hmac-md5" => hash::keyed(hash::Kind::Md5),
        "hmac-sha-1" => hash::keyed(hash::Kind::Sha1),
        "hmac-sha-256" => hash::keyed(hash::Kind::Sha256),
        "hmac-sha-512" => hash::keyed(hash::Kind::Sha512),
        "rng" => hash::random(),
        "rsa-2048-sign" => rsa::sign(rsa::RSA_2048),
        "rsa-2048-verify" => rsa::verify(rsa::RSA_2048),
        "rsa-3072-sign" => rsa::sign(rsa::RSA_3072),
        "rsa-3072-verify" => rsa::verify(rsa::RSA_3072),
        "rsa-4096-sign" => rsa::sign(rsa::RSA_4096),
        "rsa-4096-verify" => rsa::verify(rsa::RSA_4096),
        "dh-2048-keygen" => dh::key_generation(dh::FFDHE_2048),
        "dh-2048-agree" => dh::agreement(dh::FFDHE_2048),
        "dh-3072-keygen" => dh::key_generation(dh::FFDHE_3072),
        "dh-3072-agree" => dh::agreement(dh::FFDHE_3072),
        "p256-keygen" => ecc::p256_key_generation(),
        "p256-sign" => ecc::p256_sign(),
        "p256-verify" => ecc::p256_verify(),
        "p256-agree" => ecc::p256_agree(),
        "x25519-keygen" => ecc::x25519_key_generation(),
        "x25519-agree" => ecc::x25519_agree(),
        "ml-kem-768-keygen" => post_quantum::kem_key_generation(),
        "ml-kem-768-encaps" => post_quantum::kem_encapsulation(),
        "ml-kem-768-decaps" => post_quantum::kem_decapsulation(),
        "ml-dsa-65-keygen" => post_quantum::dsa_key_generation(),
        "ml-dsa-65-sign" => post_quantum::dsa_sign(),
        "ml-dsa-65-verify" => post_quantum::dsa_verify(),
        other => Err(format!("wolfCrypt's {other} is not wired").into()),
    }
}

/// Initialises the library, once in the life of the process.
fn initialise() -> Result<()> {
    static CODE: OnceLock<c_int> = OnceLock::new();
    // SAFETY: wolfCrypt_Init has no precondition, and the OnceLock calls it once.
    let code = *CODE.get_or_init(|| unsafe { ffi::wolfCrypt_Init() });
    check("wolfCrypt_Init", code)?;
    Ok(())
}

/// Turns a negative return code of `function` into an error with the library's own text.
fn check(function: &'static str, code: c_int) -> Result<usize> {
    usize::try_from(code).map_err(|_| {
        // SAFETY: wc_GetErrorString takes any code and returns a string that lives forever.
        let text = unsafe { CStr::from_ptr(ffi::wc_GetErrorString(code)) };
        format!("{function}: {} ({code})", text.to_string_lossy()).into()
    })
}

/// Fails unless `found` is what the standard says.
fn known_answer(what: &str, found: &[u8], hex: &str) -> Result<()> {
    let shown: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
    if shown == hex {
        return Ok(());
    }
    Err(format!("{what} is {shown}, not {hex}").into())
}

/// Fails with `message` unless `holds`.
fn ensure(holds: bool, message: &'static str) -> Result<()> {
    if holds { Ok(()) } else { Err(message.into()) }
}

/// The bytes behind hexadecimal digits.
fn bytes(hex: &str) -> Result<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2);
    digits
        .map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?))
        .collect()
}

/// Something to encrypt, hash or sign: no pattern, the same in every arm.
fn block() -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(1);
    (0..BLOCK_BYTES).map(|_| random.u8(..)).collect()
}

/// The length of a buffer as C wants it.
fn size(buffer: &[u8]) -> u32 {
    u32::try_from(buffer.len()).expect("rows work on small buffers")
}

/// A row whose iteration works on one block.
fn bulk(operation: impl FnMut() -> Result<()> + 'static) -> Result<Box<dyn Measurable>> {
    Ok(Box::new(Primitive {
        operation,
        bytes_each: BLOCK_BYTES,
    }))
}

/// A row whose iterations are counted; what they compute is dropped.
fn counted<T>(mut operation: impl FnMut() -> Result<T> + 'static) -> Result<Box<dyn Measurable>> {
    Ok(Box::new(Primitive {
        operation: move || operation().map(drop),
        bytes_each: 0,
    }))
}

struct Primitive<F> {
    operation: F,
    bytes_each: usize,
}

impl<F: FnMut() -> Result<()>> Measurable for Primitive<F> {
    fn begin(&mut self) -> Result<Option<Negotiated>> {
        Ok(None)
    }

    fn step(&mut self) -> Result<()> {
        (self.operation)()
    }

    fn bytes_each(&self) -> usize {
        self.bytes_each
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Unit;
    use crate::scenario::algorithm::ALGORITHMS;

    #[test]
    fn every_row_passes_its_check_and_steps() {
        for algorithm in ALGORITHMS {
            let mut row = prepare(algorithm).unwrap();
            assert_eq!(row.begin().unwrap(), None);
            row.step().unwrap();
            row.step().unwrap();
            let counted = algorithm.unit == Unit::PerSecond;
            assert_eq!(row.bytes_each() == 0, counted, "{}", algorithm.name);
        }
    }

    #[test]
    fn a_failing_call_names_the_function_and_the_reason() {
        let error = check("wc_Something", -173).unwrap_err().to_string();
        assert!(
            error.contains("wc_Something") && error.contains("-173"),
            "{error}"
        );
        assert_eq!(check("wc_Something", 7).unwrap(), 7);
    }

    #[test]
    fn a_wrong_answer_is_an_error() {
        assert!(known_answer("x", &[0xab, 1], "ab01").is_ok());
        let error = known_answer("x", &[0xab, 2], "ab01").unwrap_err();
        assert_eq!(error.to_string(), "x is ab02, not ab01");
    }
}
