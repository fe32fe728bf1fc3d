//! The algorithm rows: raw calls of wolfCrypt, and the only unsafe code of this crate.
//!
//! Each row is set up and checked against a known answer or by a round trip before it is timed.

#![allow(unsafe_code, reason = "this folder is the crate's one door to C")]

mod cipher;
mod handle;
mod hash;
mod public_key;

use std::ffi::{CStr, c_int};
use std::sync::OnceLock;

use wolfssl_sys as ffi;

use crate::cohort::Result;
use crate::fixtures::Fixtures;
use crate::scenario::algorithm::{Algorithm, BLOCK_BYTES};
use crate::validity::Negotiated;
use crate::worker::Measurable;

/// Means "no hardware device" wherever wolfCrypt asks for one (INVALID_DEVID).
const NO_DEVICE: c_int = -2;

/// Makes an algorithm row ready.
pub fn prepare(algorithm: &Algorithm, fixtures: &Fixtures) -> Result<Box<dyn Measurable>> {
    match algorithm.name {
        "aes-128-gcm-enc" => cipher::aes_gcm_encrypt(),
        "aes-128-gcm-dec" => cipher::aes_gcm_decrypt(),
        "aes-128-cbc-enc" => cipher::aes_cbc_encrypt(),
        "aes-128-cbc-dec" => cipher::aes_cbc_decrypt(),
        "chacha20-poly1305-enc" => cipher::chacha20_poly1305_encrypt(),
        "sha-256" => hash::sha256(),
        "rng" => hash::random(),
        "rsa-2048-sign" => public_key::rsa_sign(fixtures),
        "rsa-2048-verify" => public_key::rsa_verify(fixtures),
        "p256-sign" => public_key::p256_sign(),
        "p256-verify" => public_key::p256_verify(),
        "p256-agree" => public_key::p256_agree(),
        "x25519-agree" => public_key::x25519_agree(),
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

/// Something to encrypt, hash or sign: no pattern, the same in every arm.
fn block() -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(1);
    (0..BLOCK_BYTES).map(|_| random.u8(..)).collect()
}

/// A row whose iteration works on one block.
fn bulk(operation: impl FnMut() -> Result<()> + 'static) -> Box<dyn Measurable> {
    Box::new(Primitive {
        operation,
        bytes_each: BLOCK_BYTES,
    })
}

/// A row whose iterations are counted.
fn counted(operation: impl FnMut() -> Result<()> + 'static) -> Box<dyn Measurable> {
    Box::new(Primitive {
        operation,
        bytes_each: 0,
    })
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
    use crate::fixtures::make::make;
    use crate::scenario::Unit;
    use crate::scenario::algorithm::ALGORITHMS;

    #[test]
    fn every_row_passes_its_check_and_steps() {
        let room = tempfile::tempdir().unwrap();
        let fixtures = Fixtures::open(room.path().join("fixtures"));
        make(fixtures.directory()).unwrap();
        for algorithm in ALGORITHMS {
            let mut row = prepare(algorithm, &fixtures).unwrap();
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
