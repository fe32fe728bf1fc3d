//! The rows of ciphers without authentication.

use wolfssl_sys as ffi;

use super::handle::{Aes, ChaCha};
use super::{block, bulk, bytes, check, ensure, known_answer, size};
use crate::cohort::Result;
use crate::worker::Measurable;

pub(super) fn cbc_encrypt(key_bytes: usize) -> Result<Box<dyn Measurable>> {
    let mut cbc = Cbc::checked(key_bytes)?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    bulk(move || cbc.encrypt(&plaintext, &mut ciphertext))
}

pub(super) fn cbc_decrypt(key_bytes: usize) -> Result<Box<dyn Measurable>> {
    let mut cbc = Cbc::checked(key_bytes)?;
    let ciphertext = block();
    let mut plaintext = ciphertext.clone();
    bulk(move || cbc.decrypt(&ciphertext, &mut plaintext))
}

/// Checked with the start of the example of RFC 8439 section 2.4.2.
pub(super) fn chacha20() -> Result<Box<dyn Measurable>> {
    let key: [u8; 32] = std::array::from_fn(|index| index as u8);
    let mut cipher = ChaCha::new()?;
    // SAFETY: `cipher` is zeroed memory of the object's size, the key has the 32 bytes announced.
    let code = unsafe { ffi::wc_Chacha_SetKey(cipher.get(), key.as_ptr(), 32) };
    check("wc_Chacha_SetKey", code)?;
    let nonce = [0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let mut process = move |input: &[u8], output: &mut [u8]| {
        assert_eq!(input.len(), output.len());
        // SAFETY: the key is set, a nonce has 12 bytes.
        let code = unsafe { ffi::wc_Chacha_SetIV(cipher.get(), nonce.as_ptr(), 1) };
        check("wc_Chacha_SetIV", code)?;
        // SAFETY: key and nonce are set, both buffers have the length announced.
        let code = unsafe {
            ffi::wc_Chacha_Process(
                cipher.get(),
                output.as_mut_ptr(),
                input.as_ptr(),
                size(input),
            )
        };
        check("wc_Chacha_Process", code).map(drop)
    };
    let mut start = [0; 16];
    process(b"Ladies and Gentl", &mut start)?;
    known_answer("ChaCha20", &start, "6e2e359a2568f98041ba0728dd0d6981")?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    bulk(move || process(&plaintext, &mut ciphertext))
}

struct Cbc {
    encrypting: Aes,
    decrypting: Aes,
}

impl Cbc {
    /// After the first block of NIST SP 800-38A, F.2.1 or F.2.5, has passed both ways.
    fn checked(key_bytes: usize) -> Result<Self> {
        let (key, answer) = match key_bytes {
            16 => (
                "2b7e151628aed2a6abf7158809cf4f3c",
                "7649abac8119b246cee98e9b12e9197d",
            ),
            _ => (
                "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
                "f58c4c04d6e5f1ba779eabfb5f7bfbd6",
            ),
        };
        let key = bytes(key)?;
        let plaintext = bytes("6bc1bee22e409f96e93d7e117393172a")?;
        let mut cbc = Self {
            encrypting: Self::key(&key, ffi::AES_ENCRYPTION as i32)?,
            decrypting: Self::key(&key, ffi::AES_DECRYPTION as i32)?,
        };
        let mut ciphertext = [0; 16];
        cbc.encrypt(&plaintext, &mut ciphertext)?;
        known_answer("AES-CBC", &ciphertext, answer)?;
        let mut opened = [0; 16];
        cbc.decrypt(&ciphertext, &mut opened)?;
        let same = opened.as_slice() == plaintext;
        ensure(same, "AES-CBC does not decrypt what it encrypted")?;
        Ok(cbc)
    }

    fn key(key: &[u8], direction: i32) -> Result<Aes> {
        let iv: [u8; 16] = std::array::from_fn(|index| index as u8);
        let mut aes = Aes::new()?;
        // SAFETY: `aes` is initialised, the key has the length announced and the initial vector the
        // 16 bytes of a block.
        let code = unsafe {
            ffi::wc_AesSetKey(aes.get(), key.as_ptr(), size(key), iv.as_ptr(), direction)
        };
        check("wc_AesSetKey", code)?;
        Ok(aes)
    }

    fn encrypt(&mut self, plaintext: &[u8], ciphertext: &mut [u8]) -> Result<()> {
        assert_eq!(plaintext.len(), ciphertext.len());
        // SAFETY: the key is set for encryption, both buffers have the length announced.
        let code = unsafe {
            ffi::wc_AesCbcEncrypt(
                self.encrypting.get(),
                ciphertext.as_mut_ptr(),
                plaintext.as_ptr(),
                size(plaintext),
            )
        };
        check("wc_AesCbcEncrypt", code).map(drop)
    }

    fn decrypt(&mut self, ciphertext: &[u8], plaintext: &mut [u8]) -> Result<()> {
        assert_eq!(plaintext.len(), ciphertext.len());
        // SAFETY: the key is set for decryption, both buffers have the length announced.
        let code = unsafe {
            ffi::wc_AesCbcDecrypt(
                self.decrypting.get(),
                plaintext.as_mut_ptr(),
                ciphertext.as_ptr(),
                size(ciphertext),
            )
        };
        check("wc_AesCbcDecrypt", code).map(drop)
    }
}
