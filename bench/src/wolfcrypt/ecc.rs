//! The rows of elliptic curves: P-256 and X25519.

use std::ffi::c_int;

use wolfssl_sys as ffi;

use super::handle::{Curve25519Key, EccKey, Rng};
use super::{DIGEST, OTHER_DIGEST, check, counted, ensure, size};
use crate::cohort::Result;
use crate::worker::Measurable;

/// The byte order that TLS uses (EC25519_LITTLE_ENDIAN).
const LITTLE_ENDIAN: c_int = 0;

/// A new key object each time, with the generator kept.
pub(super) fn p256_key_generation() -> Result<Box<dyn Measurable>> {
    P256::checked()?;
    let mut rng = Rng::new()?;
    counted(move || P256::make_key(&mut rng))
}

pub(super) fn p256_sign() -> Result<Box<dyn Measurable>> {
    let mut key = P256::checked()?;
    counted(move || key.sign(&DIGEST))
}

pub(super) fn p256_verify() -> Result<Box<dyn Measurable>> {
    let mut key = P256::checked()?;
    let signature = key.sign(&DIGEST)?;
    counted(move || {
        let good = key.verify(&signature, &DIGEST)?;
        ensure(good, "a good P-256 signature was refused")
    })
}

pub(super) fn p256_agree() -> Result<Box<dyn Measurable>> {
    let (mut ours, mut theirs) = (P256::new()?, P256::new()?);
    let same = ours.agree(&mut theirs)? == theirs.agree(&mut ours)?;
    ensure(same, "the two sides of P-256 do not agree")?;
    counted(move || ours.agree(&mut theirs))
}

/// A new key object each time, with the generator kept.
pub(super) fn x25519_key_generation() -> Result<Box<dyn Measurable>> {
    let mut rng = Rng::new()?;
    counted(move || X25519::make_key(&mut rng))
}

pub(super) fn x25519_agree() -> Result<Box<dyn Measurable>> {
    let (mut ours, mut theirs) = (X25519::new()?, X25519::new()?);
    let same = ours.agree(&mut theirs)? == theirs.agree(&mut ours)?;
    ensure(same, "the two sides of X25519 do not agree")?;
    counted(move || ours.agree(&mut theirs))
}

struct P256 {
    key: EccKey,
    rng: Rng,
}

impl P256 {
    fn new() -> Result<Self> {
        let mut rng = Rng::new()?;
        let mut key = Self::make_key(&mut rng)?;
        // SAFETY: the generator, used for blinding, lives as long as the key beside it.
        let code = unsafe { ffi::wc_ecc_set_rng(key.get(), rng.get()) };
        check("wc_ecc_set_rng", code)?;
        Ok(Self { key, rng })
    }

    fn make_key(rng: &mut Rng) -> Result<EccKey> {
        let mut key = EccKey::new()?;
        // SAFETY: the generator is seeded, the key is fresh; a size of 32 bytes means P-256. The key
        // may keep the generator's address: every caller drops the key first.
        let code = unsafe { ffi::wc_ecc_make_key(rng.get(), 32, key.get()) };
        check("wc_ecc_make_key", code)?;
        Ok(key)
    }

    /// A new key, after a signature has been accepted for its digest and refused for another.
    fn checked() -> Result<Self> {
        let mut new = Self::new()?;
        let signature = new.sign(&DIGEST)?;
        let right = new.verify(&signature, &DIGEST)? && !new.verify(&signature, &OTHER_DIGEST)?;
        ensure(right, "P-256 signatures are not verified rightly")?;
        Ok(new)
    }

    fn sign(&mut self, digest: &[u8; 32]) -> Result<Signature> {
        let mut signature = Signature {
            bytes: [0; 80],
            length: 80,
        };
        // SAFETY: the digest has the length announced, the signature's buffer too, and its length
        // is written back.
        let code = unsafe {
            ffi::wc_ecc_sign_hash(
                digest.as_ptr(),
                size(digest),
                signature.bytes.as_mut_ptr(),
                &mut signature.length,
                self.rng.get(),
                self.key.get(),
            )
        };
        check("wc_ecc_sign_hash", code)?;
        Ok(signature)
    }

    fn verify(&mut self, signature: &Signature, digest: &[u8; 32]) -> Result<bool> {
        let mut verdict: c_int = 0;
        // SAFETY: signature and digest have the lengths announced, `verdict` is written to.
        let code = unsafe {
            ffi::wc_ecc_verify_hash(
                signature.bytes.as_ptr(),
                signature.length,
                digest.as_ptr(),
                size(digest),
                &mut verdict,
                self.key.get(),
            )
        };
        check("wc_ecc_verify_hash", code)?;
        Ok(verdict == 1)
    }

    fn agree(&mut self, peer: &mut Self) -> Result<[u8; 32]> {
        let mut secret = [0; 32];
        let mut length = 32;
        // SAFETY: both keys are ready, the buffer has the length announced.
        let code = unsafe {
            ffi::wc_ecc_shared_secret(
                self.key.get(),
                peer.key.get(),
                secret.as_mut_ptr(),
                &mut length,
            )
        };
        check("wc_ecc_shared_secret", code)?;
        Ok(secret)
    }
}

/// An ECDSA signature in DER, whose length varies.
struct Signature {
    bytes: [u8; 80],
    length: u32,
}

struct X25519 {
    key: Curve25519Key,
    /// The key keeps a pointer to it for blinding, so it goes last.
    _rng: Rng,
}

impl X25519 {
    fn new() -> Result<Self> {
        let mut rng = Rng::new()?;
        let key = Self::make_key(&mut rng)?;
        Ok(Self { key, _rng: rng })
    }

    fn make_key(rng: &mut Rng) -> Result<Curve25519Key> {
        let mut key = Curve25519Key::new()?;
        // SAFETY: the generator is seeded, the key is fresh; keys of the curve have 32 bytes. The
        // key may keep the generator's address: every caller drops the key first.
        let code = unsafe { ffi::wc_curve25519_make_key(rng.get(), 32, key.get()) };
        check("wc_curve25519_make_key", code)?;
        Ok(key)
    }

    fn agree(&mut self, peer: &mut Self) -> Result<[u8; 32]> {
        let mut secret = [0; 32];
        let mut length = 32;
        // SAFETY: both keys are ready, the buffer has the length announced.
        let code = unsafe {
            ffi::wc_curve25519_shared_secret_ex(
                self.key.get(),
                peer.key.get(),
                secret.as_mut_ptr(),
                &mut length,
                LITTLE_ENDIAN,
            )
        };
        check("wc_curve25519_shared_secret_ex", code)?;
        Ok(secret)
    }
}
