//! The calls of wolfCrypt's functions, with slices instead of pointers.

#![allow(unsafe_code, reason = "raw bindings are called here")]

use std::ffi::c_int;
use std::ptr::{NonNull, null, null_mut};

use wolfssl_sys as sys;

/// `INVALID_DEVID`: no hardware device is asked to do the work.
const INVALID_DEVID: c_int = -2;
/// `ECC_SECP256R1` of `ecc_curve_id`.
const SECP256R1: c_int = 7;

/// An object of wolfCrypt's with the function that frees it.
pub struct Owned<T> {
    raw: NonNull<T>,
    free: fn(NonNull<T>),
}

impl<T> Owned<T> {
    fn new(raw: *mut T, free: fn(NonNull<T>)) -> Self {
        Self {
            raw: NonNull::new(raw).expect("wolfCrypt allocates"),
            free,
        }
    }

    fn get(&self) -> *mut T {
        self.raw.as_ptr()
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        (self.free)(self.raw);
    }
}

pub fn digest(text: &[u8]) -> [u8; 32] {
    let mut digest = [0; 32];
    // SAFETY: wc_Sha256Hash reads the text and writes the 32 bytes of a SHA-256 digest.
    let code = unsafe { sys::wc_Sha256Hash(text.as_ptr(), len(text), digest.as_mut_ptr()) };
    assert_eq!(code, 0);
    digest
}

/// Encrypts, decrypts again, checks that a flipped bit is refused; returns ciphertext and tag.
pub fn aes_gcm_seal(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
    // SAFETY: wc_AesNew allocates and initialises; the result code may be left out.
    let raw = unsafe { sys::wc_AesNew(null_mut(), INVALID_DEVID, null_mut()) };
    let aes = Owned::new(raw, |aes| {
        // SAFETY: wc_AesDelete frees what wc_AesNew made, once.
        unsafe { sys::wc_AesDelete(aes.as_ptr(), null_mut()) };
    });
    // SAFETY: wc_AesGcmSetKey reads the key, whose length is one of AES's.
    let code = unsafe { sys::wc_AesGcmSetKey(aes.get(), key.as_ptr(), len(key)) };
    assert_eq!(code, 0);

    let mut sealed = vec![0; text.len()];
    let mut tag = [0; 16];
    // SAFETY: wc_AesGcmEncrypt reads text, nonce and associated data, and writes as many bytes as
    // the text has and the 16 bytes of the tag.
    let code = unsafe {
        sys::wc_AesGcmEncrypt(
            aes.get(),
            sealed.as_mut_ptr(),
            text.as_ptr(),
            len(text),
            nonce.as_ptr(),
            len(nonce),
            tag.as_mut_ptr(),
            len(&tag),
            aad.as_ptr(),
            len(aad),
        )
    };
    assert_eq!(code, 0);

    let open = |tag: &[u8; 16]| -> (c_int, Vec<u8>) {
        let mut opened = vec![0; sealed.len()];
        // SAFETY: wc_AesGcmDecrypt reads ciphertext, nonce, tag and associated data, and writes as
        // many bytes as the ciphertext has.
        let code = unsafe {
            sys::wc_AesGcmDecrypt(
                aes.get(),
                opened.as_mut_ptr(),
                sealed.as_ptr(),
                len(&sealed),
                nonce.as_ptr(),
                len(nonce),
                tag.as_ptr(),
                len(tag),
                aad.as_ptr(),
                len(aad),
            )
        };
        (code, opened)
    };
    assert_eq!(open(&tag), (0, text.to_vec()));
    let mut wrong = tag;
    wrong[15] ^= 1;
    assert_ne!(open(&wrong).0, 0, "a wrong tag is accepted");
    sealed.extend(tag);
    sealed
}

/// As [`aes_gcm_seal`], for ChaCha20-Poly1305.
pub fn chacha_seal(key: &[u8; 32], nonce: &[u8], aad: &[u8], text: &[u8]) -> Vec<u8> {
    assert_eq!(nonce.len(), 12);
    let mut sealed = vec![0; text.len()];
    let mut tag = [0; 16];
    // SAFETY: wc_ChaCha20Poly1305_Encrypt reads a key of 32 bytes, a nonce of 12, associated data
    // and text, and writes as many bytes as the text has and the 16 bytes of the tag.
    let code = unsafe {
        sys::wc_ChaCha20Poly1305_Encrypt(
            key.as_ptr(),
            nonce.as_ptr(),
            aad.as_ptr(),
            len(aad),
            text.as_ptr(),
            len(text),
            sealed.as_mut_ptr(),
            tag.as_mut_ptr(),
        )
    };
    assert_eq!(code, 0);

    let open = |tag: &[u8; 16]| -> (c_int, Vec<u8>) {
        let mut opened = vec![0; sealed.len()];
        // SAFETY: wc_ChaCha20Poly1305_Decrypt reads what encryption read and wrote, and writes as
        // many bytes as the ciphertext has.
        let code = unsafe {
            sys::wc_ChaCha20Poly1305_Decrypt(
                key.as_ptr(),
                nonce.as_ptr(),
                aad.as_ptr(),
                len(aad),
                sealed.as_ptr(),
                len(&sealed),
                tag.as_ptr(),
                opened.as_mut_ptr(),
            )
        };
        (code, opened)
    };
    assert_eq!(open(&tag), (0, text.to_vec()));
    let mut wrong = tag;
    wrong[0] ^= 0x80;
    assert_ne!(open(&wrong).0, 0, "a wrong tag is accepted");
    sealed.extend(tag);
    sealed
}

pub fn x25519_multiply(mut scalar: [u8; 32], point: [u8; 32]) -> [u8; 32] {
    // RFC 7748, section 5: wolfCrypt wants the scalar with these bits set as they must be.
    scalar[0] &= 248;
    scalar[31] = scalar[31] & 127 | 64;
    let mut product = [0; 32];
    // SAFETY: wc_curve25519_generic reads two arrays of 32 bytes and writes a third.
    let code = unsafe {
        sys::wc_curve25519_generic(
            32,
            product.as_mut_ptr(),
            32,
            scalar.as_ptr(),
            32,
            point.as_ptr(),
        )
    };
    assert_eq!(code, 0);
    product
}

pub fn p256_key(x: &[u8], y: &[u8], private: Option<&[u8]>) -> Owned<sys::ecc_key> {
    // SAFETY: wc_ecc_key_new allocates and initialises.
    let raw = unsafe { sys::wc_ecc_key_new(null_mut()) };
    let key = Owned::new(raw, |key| {
        // SAFETY: wc_ecc_key_free frees what wc_ecc_key_new made, once.
        unsafe { sys::wc_ecc_key_free(key.as_ptr()) };
    });
    assert!(
        [x, y]
            .into_iter()
            .chain(private)
            .all(|number| number.len() == 32)
    );
    let private = private.map_or(null(), <[u8]>::as_ptr);
    // SAFETY: wc_ecc_import_unsigned reads as many bytes of each number as the curve's size, 32;
    // a null private part means that there is none.
    let code = unsafe {
        sys::wc_ecc_import_unsigned(key.get(), x.as_ptr(), y.as_ptr(), private, SECP256R1)
    };
    assert_eq!(code, 0);
    key
}

pub fn p256_verifies(key: &Owned<sys::ecc_key>, signature: &[u8], digest: &[u8; 32]) -> bool {
    let mut verdict = 0;
    // SAFETY: wc_ecc_verify_hash reads signature and digest and writes one int.
    let code = unsafe {
        sys::wc_ecc_verify_hash(
            signature.as_ptr(),
            len(signature),
            digest.as_ptr(),
            len(digest),
            &mut verdict,
            key.get(),
        )
    };
    assert_eq!(code, 0);
    verdict == 1
}

pub fn p256_sign(key: &Owned<sys::ecc_key>, digest: &[u8; 32]) -> Vec<u8> {
    let rng = rng();
    // SAFETY: wc_ecc_set_rng keeps the pointer for blinding; the key is not used after this
    // function without a new one, and wc_ecc_sign_hash is given the generator anyway.
    assert_eq!(unsafe { sys::wc_ecc_set_rng(key.get(), rng.get()) }, 0);
    let mut signature = vec![0; 80];
    let mut length = len(&signature);
    // SAFETY: wc_ecc_sign_hash reads the digest and writes at most `length` bytes and their number.
    let code = unsafe {
        sys::wc_ecc_sign_hash(
            digest.as_ptr(),
            len(digest),
            signature.as_mut_ptr(),
            &mut length,
            rng.get(),
            key.get(),
        )
    };
    assert_eq!(code, 0);
    signature.truncate(length as usize);
    signature
}

pub fn p256_agree(own: &Owned<sys::ecc_key>, other: &Owned<sys::ecc_key>) -> Vec<u8> {
    let rng = rng();
    // SAFETY: wc_ecc_set_rng keeps the pointer, which lives as long as the next call needs it.
    assert_eq!(unsafe { sys::wc_ecc_set_rng(own.get(), rng.get()) }, 0);
    let mut secret = vec![0; 32];
    let mut length = len(&secret);
    // SAFETY: wc_ecc_shared_secret writes at most `length` bytes and their number.
    let code = unsafe {
        sys::wc_ecc_shared_secret(own.get(), other.get(), secret.as_mut_ptr(), &mut length)
    };
    assert_eq!((code, length), (0, 32));
    secret
}

pub fn rsa_key(der: &[u8], rng: &Owned<sys::WC_RNG>) -> Owned<sys::RsaKey> {
    // SAFETY: wc_NewRsaKey allocates and initialises; the result code may be left out.
    let raw = unsafe { sys::wc_NewRsaKey(null_mut(), INVALID_DEVID, null_mut()) };
    let key = Owned::new(raw, |key| {
        // SAFETY: wc_DeleteRsaKey frees what wc_NewRsaKey made, once.
        unsafe { sys::wc_DeleteRsaKey(key.as_ptr(), null_mut()) };
    });
    let mut at = 0;
    // SAFETY: wc_RsaPrivateKeyDecode reads the DER and writes the place after it.
    let code = unsafe { sys::wc_RsaPrivateKeyDecode(der.as_ptr(), &mut at, key.get(), len(der)) };
    assert_eq!(code, 0);
    // SAFETY: wc_RsaSetRNG keeps the pointer; the caller's generator outlives the key's use.
    assert_eq!(unsafe { sys::wc_RsaSetRNG(key.get(), rng.get()) }, 0);
    key
}

/// A PKCS#1 v1.5 signature over `encoded`, a digest with its algorithm's name in DER.
pub fn rsa_sign(key: &Owned<sys::RsaKey>, rng: &Owned<sys::WC_RNG>, encoded: &[u8]) -> [u8; 256] {
    let mut signature = [0; 256];
    // SAFETY: wc_RsaSSL_Sign reads `encoded`, writes at most the given 256 bytes, and key and
    // random generator are live.
    let length = unsafe {
        sys::wc_RsaSSL_Sign(
            encoded.as_ptr(),
            len(encoded),
            signature.as_mut_ptr(),
            len(&signature),
            key.get(),
            rng.get(),
        )
    };
    assert_eq!(length, 256);
    signature
}

/// What a PKCS#1 v1.5 signature was made over.
pub fn rsa_verify(key: &Owned<sys::RsaKey>, signature: &[u8]) -> Vec<u8> {
    let mut opened = vec![0; 256];
    // SAFETY: wc_RsaSSL_Verify reads the signature and writes at most the given 256 bytes.
    let length = unsafe {
        sys::wc_RsaSSL_Verify(
            signature.as_ptr(),
            len(signature),
            opened.as_mut_ptr(),
            len(&opened),
            key.get(),
        )
    };
    opened.truncate(usize::try_from(length).expect("the signature verifies"));
    opened
}

pub fn rng() -> Owned<sys::WC_RNG> {
    // SAFETY: wc_rng_new allocates and seeds; no nonce is given.
    let raw = unsafe { sys::wc_rng_new(null_mut(), 0, null_mut()) };
    Owned::new(raw, |rng| {
        // SAFETY: wc_rng_free frees what wc_rng_new made, once.
        unsafe { sys::wc_rng_free(rng.as_ptr()) };
    })
}

fn len(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("short")
}
