//! The rows of public key operations.

use std::ffi::c_int;

use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;
use wolfssl_sys as ffi;

use super::handle::{Curve25519Key, EccKey, Rng, RsaKey};
use super::{check, counted};
use crate::cohort::Result;
use crate::fixtures::Fixtures;
use crate::scenario::parameter::KeyKind;
use crate::worker::Measurable;

/// What is signed: as long as a SHA-256 digest.
const DIGEST: [u8; 32] = [0x5a; 32];
/// The byte order that TLS uses (EC25519_LITTLE_ENDIAN).
const LITTLE_ENDIAN: c_int = 0;
const OTHER_DIGEST: [u8; 32] = [0xa5; 32];

pub(super) fn rsa_sign(fixtures: &Fixtures) -> Result<Box<dyn Measurable>> {
    let mut rsa = Rsa::checked(fixtures)?;
    Ok(counted(move || {
        rsa.sign(&DIGEST)?;
        Ok(())
    }))
}

pub(super) fn rsa_verify(fixtures: &Fixtures) -> Result<Box<dyn Measurable>> {
    let mut rsa = Rsa::checked(fixtures)?;
    let signature = rsa.sign(&DIGEST)?;
    Ok(counted(move || {
        rsa.recover(&signature)?;
        Ok(())
    }))
}

pub(super) fn p256_sign() -> Result<Box<dyn Measurable>> {
    let mut key = P256::checked()?;
    Ok(counted(move || {
        key.sign(&DIGEST)?;
        Ok(())
    }))
}

pub(super) fn p256_verify() -> Result<Box<dyn Measurable>> {
    let mut key = P256::checked()?;
    let signature = key.sign(&DIGEST)?;
    Ok(counted(move || match key.verify(&signature, &DIGEST)? {
        true => Ok(()),
        false => Err("a good P-256 signature was refused".into()),
    }))
}

pub(super) fn p256_agree() -> Result<Box<dyn Measurable>> {
    let (mut ours, mut theirs) = (P256::new()?, P256::new()?);
    if ours.agree(&mut theirs)? != theirs.agree(&mut ours)? {
        return Err("the two sides of P-256 do not agree".into());
    }
    Ok(counted(move || {
        ours.agree(&mut theirs)?;
        Ok(())
    }))
}

pub(super) fn x25519_agree() -> Result<Box<dyn Measurable>> {
    let (mut ours, mut theirs) = (X25519::new()?, X25519::new()?);
    if ours.agree(&mut theirs)? != theirs.agree(&mut ours)? {
        return Err("the two sides of X25519 do not agree".into());
    }
    Ok(counted(move || {
        ours.agree(&mut theirs)?;
        Ok(())
    }))
}

struct Rsa {
    key: RsaKey,
    rng: Rng,
}

impl Rsa {
    /// The leaf's key, after signing and verifying with it has worked and a damaged signature has
    /// not.
    fn checked(fixtures: &Fixtures) -> Result<Self> {
        let pem = fixtures.identity(KeyKind::Rsa2048)?.key;
        let der = PrivateKeyDer::from_pem_slice(pem.as_bytes())?;
        let mut rsa = Self {
            key: RsaKey::new()?,
            rng: Rng::new()?,
        };
        rsa.load(der.secret_der())?;
        let mut signature = rsa.sign(&DIGEST)?;
        if rsa.recover(&signature)? != DIGEST {
            return Err("the RSA signature does not cover what was signed".into());
        }
        signature[100] ^= 1;
        if rsa.recover(&signature).is_ok_and(|digest| digest == DIGEST) {
            return Err("a damaged RSA signature was accepted".into());
        }
        Ok(rsa)
    }

    fn load(&mut self, der: &[u8]) -> Result<()> {
        let mut index = 0;
        // SAFETY: the key is empty, `der` has the length announced and is copied from.
        let code = unsafe {
            ffi::wc_RsaPrivateKeyDecode(der.as_ptr(), &mut index, self.key.get(), der.len() as u32)
        };
        check("wc_RsaPrivateKeyDecode", code)?;
        // SAFETY: the generator, used for blinding, lives as long as the key beside it.
        let code = unsafe { ffi::wc_RsaSetRNG(self.key.get(), self.rng.get()) };
        check("wc_RsaSetRNG", code)?;
        Ok(())
    }

    /// Signs the PKCS #1 v1.5 way.
    fn sign(&mut self, digest: &[u8; 32]) -> Result<[u8; 256]> {
        let mut signature = [0; 256];
        // SAFETY: digest and signature have the lengths announced, key and generator are ready.
        let code = unsafe {
            ffi::wc_RsaSSL_Sign(
                digest.as_ptr(),
                digest.len() as u32,
                signature.as_mut_ptr(),
                signature.len() as u32,
                self.key.get(),
                self.rng.get(),
            )
        };
        match check("wc_RsaSSL_Sign", code)? {
            256 => Ok(signature),
            other => Err(format!("an RSA-2048 signature of {other} bytes").into()),
        }
    }

    /// What the signature covers.
    fn recover(&mut self, signature: &[u8; 256]) -> Result<[u8; 32]> {
        let mut digest = [0; 256];
        // SAFETY: both buffers have the lengths announced, the key is ready.
        let code = unsafe {
            ffi::wc_RsaSSL_Verify(
                signature.as_ptr(),
                signature.len() as u32,
                digest.as_mut_ptr(),
                digest.len() as u32,
                self.key.get(),
            )
        };
        let length = check("wc_RsaSSL_Verify", code)?;
        Ok(digest[..length].try_into()?)
    }
}

struct P256 {
    key: EccKey,
    rng: Rng,
}

impl P256 {
    fn new() -> Result<Self> {
        let mut new = Self {
            key: EccKey::new()?,
            rng: Rng::new()?,
        };
        // SAFETY: generator and key are fresh; a size of 32 bytes means P-256.
        let code = unsafe { ffi::wc_ecc_make_key(new.rng.get(), 32, new.key.get()) };
        check("wc_ecc_make_key", code)?;
        // SAFETY: the generator, used for blinding, lives as long as the key beside it.
        let code = unsafe { ffi::wc_ecc_set_rng(new.key.get(), new.rng.get()) };
        check("wc_ecc_set_rng", code)?;
        Ok(new)
    }

    /// A new key, after a signature has been accepted for its digest and refused for another.
    fn checked() -> Result<Self> {
        let mut new = Self::new()?;
        let signature = new.sign(&DIGEST)?;
        if !new.verify(&signature, &DIGEST)? || new.verify(&signature, &OTHER_DIGEST)? {
            return Err("P-256 signatures are not verified rightly".into());
        }
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
                digest.len() as u32,
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
                digest.len() as u32,
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
    rng: Rng,
}

impl X25519 {
    fn new() -> Result<Self> {
        let mut new = Self {
            key: Curve25519Key::new()?,
            rng: Rng::new()?,
        };
        // SAFETY: generator and key are fresh; keys of the curve have 32 bytes.
        let code = unsafe { ffi::wc_curve25519_make_key(new.rng.get(), 32, new.key.get()) };
        check("wc_curve25519_make_key", code)?;
        Ok(new)
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
