//! The rows of RSA: PKCS #1 v1.5 signatures of a digest, with keys that are the same in every arm.

use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;
use wolfssl_sys as ffi;

use super::handle::{Rng, RsaKey};
use super::{DIGEST, check, counted, ensure, size};
use crate::cohort::Result;
use crate::worker::Measurable;

/// A private key, PKCS #8 in PEM.
pub(super) type Pem = &'static str;

pub(super) const RSA_2048: Pem = include_str!("../../fixtures/rsa-2048-leaf.key.pem");
pub(super) const RSA_3072: Pem = include_str!("../../fixtures/rsa-3072-leaf.key.pem");
pub(super) const RSA_4096: Pem = include_str!("../../fixtures/rsa-4096-leaf.key.pem");

pub(super) fn sign(pem: Pem) -> Result<Box<dyn Measurable>> {
    let mut rsa = Rsa::checked(pem)?;
    let mut signature = rsa.signature();
    counted(move || rsa.sign(&DIGEST, &mut signature))
}

pub(super) fn verify(pem: Pem) -> Result<Box<dyn Measurable>> {
    let mut rsa = Rsa::checked(pem)?;
    let mut signature = rsa.signature();
    rsa.sign(&DIGEST, &mut signature)?;
    counted(move || rsa.recover(&signature))
}

struct Rsa {
    key: RsaKey,
    rng: Rng,
    bytes: usize,
}

impl Rsa {
    /// With its key loaded, after signing and verifying has worked and a damaged signature has been
    /// refused.
    fn checked(pem: Pem) -> Result<Self> {
        let mut rsa = Self {
            key: RsaKey::new()?,
            rng: Rng::new()?,
            bytes: 0,
        };
        rsa.load(PrivateKeyDer::from_pem_slice(pem.as_bytes())?.secret_der())?;
        let mut signature = rsa.signature();
        rsa.sign(&DIGEST, &mut signature)?;
        let covered = rsa.recover(&signature)? == DIGEST;
        ensure(covered, "the RSA signature does not cover what was signed")?;
        signature[100] ^= 1;
        let accepted = rsa.recover(&signature).is_ok_and(|digest| digest == DIGEST);
        ensure(!accepted, "a damaged RSA signature was accepted")?;
        Ok(rsa)
    }

    fn load(&mut self, der: &[u8]) -> Result<()> {
        let mut index = 0;
        // SAFETY: the key is empty, `der` has the length announced and is copied from.
        let code = unsafe {
            ffi::wc_RsaPrivateKeyDecode(der.as_ptr(), &mut index, self.key.get(), size(der))
        };
        check("wc_RsaPrivateKeyDecode", code)?;
        // SAFETY: the generator, used for blinding, lives as long as the key beside it.
        let code = unsafe { ffi::wc_RsaSetRNG(self.key.get(), self.rng.get()) };
        check("wc_RsaSetRNG", code)?;
        // SAFETY: the key is loaded; the call reads the size of its modulus.
        let code = unsafe { ffi::wc_RsaEncryptSize(self.key.get()) };
        self.bytes = check("wc_RsaEncryptSize", code)?;
        Ok(())
    }

    /// Room for a signature.
    fn signature(&self) -> Vec<u8> {
        vec![0; self.bytes]
    }

    fn sign(&mut self, digest: &[u8; 32], signature: &mut [u8]) -> Result<()> {
        // SAFETY: digest and signature have the lengths announced, key and generator are ready.
        let code = unsafe {
            ffi::wc_RsaSSL_Sign(
                digest.as_ptr(),
                size(digest),
                signature.as_mut_ptr(),
                size(signature),
                self.key.get(),
                self.rng.get(),
            )
        };
        let written = check("wc_RsaSSL_Sign", code)?;
        ensure(
            written == signature.len(),
            "an RSA signature of another size",
        )
    }

    /// What the signature covers.
    fn recover(&mut self, signature: &[u8]) -> Result<[u8; 32]> {
        let mut digest = [0; 512];
        // SAFETY: both buffers have the lengths announced, the key is ready.
        let code = unsafe {
            ffi::wc_RsaSSL_Verify(
                signature.as_ptr(),
                size(signature),
                digest.as_mut_ptr(),
                size(&digest),
                self.key.get(),
            )
        };
        let length = check("wc_RsaSSL_Verify", code)?;
        Ok(digest[..length].try_into()?)
    }
}
