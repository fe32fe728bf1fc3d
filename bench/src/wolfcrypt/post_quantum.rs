//! The rows of ML-KEM-768 (FIPS 203) and ML-DSA-65 (FIPS 204).

use std::ffi::c_int;
use std::ptr;

use wolfssl_sys as ffi;

use super::handle::{MlDsaKey, MlKem768Key, Rng};
use super::{DIGEST, OTHER_DIGEST, check, counted, ensure, size};
use crate::cohort::Result;
use crate::worker::Measurable;

pub(super) fn kem_key_generation() -> Result<Box<dyn Measurable>> {
    let mut kem = Kem::checked()?;
    counted(move || kem.generate())
}

pub(super) fn kem_encapsulation() -> Result<Box<dyn Measurable>> {
    let mut kem = Kem::checked()?;
    counted(move || kem.encapsulate())
}

pub(super) fn kem_decapsulation() -> Result<Box<dyn Measurable>> {
    let mut kem = Kem::checked()?;
    kem.encapsulate()?;
    counted(move || kem.decapsulate())
}

pub(super) fn dsa_key_generation() -> Result<Box<dyn Measurable>> {
    let mut dsa = Dsa::checked()?;
    counted(move || dsa.generate())
}

pub(super) fn dsa_sign() -> Result<Box<dyn Measurable>> {
    let mut dsa = Dsa::checked()?;
    counted(move || dsa.sign(&DIGEST))
}

pub(super) fn dsa_verify() -> Result<Box<dyn Measurable>> {
    let mut dsa = Dsa::checked()?;
    dsa.sign(&DIGEST)?;
    counted(move || {
        let good = dsa.verify(&DIGEST)?;
        ensure(good, "a good ML-DSA signature was refused")
    })
}

struct Kem {
    key: MlKem768Key,
    rng: Rng,
    ciphertext: [u8; 1088],
}

impl Kem {
    /// With a fresh key, after both sides have come to the same secret and a damaged ciphertext has
    /// led to another.
    fn checked() -> Result<Self> {
        let mut kem = Self {
            key: MlKem768Key::new()?,
            rng: Rng::new()?,
            ciphertext: [0; 1088],
        };
        kem.generate()?;
        let secret = kem.encapsulate()?;
        let same = kem.decapsulate()? == secret;
        ensure(same, "the two sides of ML-KEM do not agree")?;
        kem.ciphertext[500] ^= 1;
        let same = kem.decapsulate()? == secret;
        ensure(!same, "ML-KEM does not notice a damaged ciphertext")?;
        Ok(kem)
    }

    fn generate(&mut self) -> Result<()> {
        // SAFETY: the key is initialised, the generator seeded.
        let code = unsafe { ffi::wc_MlKemKey_MakeKey(self.key.get(), self.rng.get()) };
        check("wc_MlKemKey_MakeKey", code).map(drop)
    }

    fn encapsulate(&mut self) -> Result<[u8; 32]> {
        let mut secret = [0; 32];
        // SAFETY: the key is made; a ciphertext of ML-KEM-768 has 1088 bytes and a secret 32.
        let code = unsafe {
            ffi::wc_MlKemKey_Encapsulate(
                self.key.get(),
                self.ciphertext.as_mut_ptr(),
                secret.as_mut_ptr(),
                self.rng.get(),
            )
        };
        check("wc_MlKemKey_Encapsulate", code)?;
        Ok(secret)
    }

    fn decapsulate(&mut self) -> Result<[u8; 32]> {
        let mut secret = [0; 32];
        // SAFETY: the key is made, the ciphertext has the length announced, a secret 32 bytes.
        let code = unsafe {
            ffi::wc_MlKemKey_Decapsulate(
                self.key.get(),
                secret.as_mut_ptr(),
                self.ciphertext.as_ptr(),
                size(&self.ciphertext),
            )
        };
        check("wc_MlKemKey_Decapsulate", code)?;
        Ok(secret)
    }
}

struct Dsa {
    key: MlDsaKey,
    rng: Rng,
    signature: [u8; 3309],
}

impl Dsa {
    /// With a fresh key, after a signature has been accepted for its message and refused for
    /// another.
    fn checked() -> Result<Self> {
        let mut dsa = Self {
            key: MlDsaKey::new()?,
            rng: Rng::new()?,
            signature: [0; 3309],
        };
        // SAFETY: the key is initialised and has no parameters yet.
        let code = unsafe { ffi::wc_MlDsaKey_SetParams(dsa.key.get(), ffi::WC_ML_DSA_65 as u8) };
        check("wc_MlDsaKey_SetParams", code)?;
        dsa.generate()?;
        dsa.sign(&DIGEST)?;
        let right = dsa.verify(&DIGEST)? && !dsa.verify(&OTHER_DIGEST).unwrap_or(false);
        ensure(right, "ML-DSA signatures are not verified rightly")?;
        Ok(dsa)
    }

    fn generate(&mut self) -> Result<()> {
        // SAFETY: the parameters are set, the generator is seeded.
        let code = unsafe { ffi::wc_MlDsaKey_MakeKey(self.key.get(), self.rng.get()) };
        check("wc_MlDsaKey_MakeKey", code).map(drop)
    }

    fn sign(&mut self, message: &[u8; 32]) -> Result<()> {
        let mut length = size(&self.signature);
        // SAFETY: the key is made; an empty context may be null; the message has the length
        // announced, the signature's buffer too, whose length is written back.
        let code = unsafe {
            ffi::wc_MlDsaKey_SignCtx(
                self.key.get(),
                ptr::null(),
                0,
                self.signature.as_mut_ptr(),
                &mut length,
                message.as_ptr(),
                size(message),
                self.rng.get(),
            )
        };
        check("wc_MlDsaKey_SignCtx", code)?;
        let whole = length == size(&self.signature);
        ensure(whole, "an ML-DSA-65 signature of another size")
    }

    fn verify(&mut self, message: &[u8; 32]) -> Result<bool> {
        let mut verdict: c_int = 0;
        // SAFETY: the key is made; an empty context may be null; signature and message have the
        // lengths announced, `verdict` is written to.
        let code = unsafe {
            ffi::wc_MlDsaKey_VerifyCtx(
                self.key.get(),
                self.signature.as_ptr(),
                size(&self.signature),
                ptr::null(),
                0,
                message.as_ptr(),
                size(message),
                &mut verdict,
            )
        };
        check("wc_MlDsaKey_VerifyCtx", code)?;
        Ok(verdict == 1)
    }
}
