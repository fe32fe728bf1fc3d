//! The rows of authenticated ciphers.

use wolfssl_sys as ffi;

use super::handle::Aes;
use super::{block, bulk, check, ensure, initialise, known_answer, size};
use crate::cohort::Result;
use crate::worker::Measurable;

/// The additional data of a TLS 1.2 record has this length.
const AAD: [u8; 13] = [0x17; 13];
const KEY: [u8; 32] = [0x2b; 32];
const NONCE: [u8; 12] = [0x0c; 12];

pub(super) fn gcm_encrypt(key_bytes: usize) -> Result<Box<dyn Measurable>> {
    let mut gcm = Gcm::checked(key_bytes)?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    bulk(move || gcm.encrypt(&plaintext, &mut ciphertext))
}

pub(super) fn gcm_decrypt(key_bytes: usize) -> Result<Box<dyn Measurable>> {
    let mut gcm = Gcm::checked(key_bytes)?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    gcm.encrypt(&plaintext, &mut ciphertext)?;
    let mut opened = vec![0; plaintext.len()];
    gcm.decrypt(&ciphertext, &mut opened)?;
    ensure(
        opened == plaintext,
        "AES-GCM does not decrypt what it encrypted",
    )?;
    gcm.tag[0] ^= 1;
    let refused = gcm.decrypt(&ciphertext, &mut opened).is_err();
    ensure(refused, "AES-GCM accepts a wrong tag")?;
    gcm.tag[0] ^= 1;
    bulk(move || gcm.decrypt(&ciphertext, &mut opened))
}

pub(super) fn chacha20_poly1305_encrypt() -> Result<Box<dyn Measurable>> {
    check_chacha20_poly1305()?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    bulk(move || seal(&KEY, &NONCE, &AAD, &plaintext, &mut ciphertext).map(drop))
}

pub(super) fn chacha20_poly1305_decrypt() -> Result<Box<dyn Measurable>> {
    check_chacha20_poly1305()?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    let tag = seal(&KEY, &NONCE, &AAD, &plaintext, &mut ciphertext)?;
    let mut opened = vec![0; plaintext.len()];
    open(&tag, &ciphertext, &mut opened)?;
    ensure(
        opened == plaintext,
        "ChaCha20-Poly1305 does not decrypt what it encrypted",
    )?;
    let mut wrong = tag;
    wrong[0] ^= 1;
    let refused = open(&wrong, &ciphertext, &mut opened).is_err();
    ensure(refused, "ChaCha20-Poly1305 accepts a wrong tag")?;
    bulk(move || open(&tag, &ciphertext, &mut opened))
}

struct Gcm {
    aes: Aes,
    tag: [u8; 16],
    nonce: [u8; 12],
    aad: &'static [u8],
}

impl Gcm {
    /// With the key of the rows, after test case 2 or 14 of the GCM specification has passed: a
    /// block of zeros under a key and nonce of zeros.
    fn checked(key_bytes: usize) -> Result<Self> {
        let (ciphertext, tag) = match key_bytes {
            16 => (
                "0388dace60b6a392f328c2b971b2fe78",
                "ab6e47d42cec13bdf53a67b21257bddf",
            ),
            _ => (
                "cea7403d4d606b6e074ec5d3baf39d18",
                "d0d1c8a799996bf0265b98b5d48ab919",
            ),
        };
        let mut zero = Self {
            aes: Self::key(&[0; 32][..key_bytes])?,
            tag: [0; 16],
            nonce: [0; 12],
            aad: &[],
        };
        let mut found = [0; 16];
        zero.encrypt(&[0; 16], &mut found)?;
        known_answer("AES-GCM", &found, ciphertext)?;
        known_answer("its tag", &zero.tag, tag)?;
        Ok(Self {
            aes: Self::key(&KEY[..key_bytes])?,
            tag: [0; 16],
            nonce: NONCE,
            aad: &AAD,
        })
    }

    fn key(key: &[u8]) -> Result<Aes> {
        let mut aes = Aes::new()?;
        // SAFETY: `aes` is initialised, and `key` has the length announced.
        let code = unsafe { ffi::wc_AesGcmSetKey(aes.get(), key.as_ptr(), size(key)) };
        check("wc_AesGcmSetKey", code)?;
        Ok(aes)
    }

    fn encrypt(&mut self, plaintext: &[u8], ciphertext: &mut [u8]) -> Result<()> {
        assert_eq!(plaintext.len(), ciphertext.len());
        // SAFETY: `aes` carries a GCM key; output and input have the length announced, as have
        // nonce, tag and additional data, and the call keeps none of the pointers.
        let code = unsafe {
            ffi::wc_AesGcmEncrypt(
                self.aes.get(),
                ciphertext.as_mut_ptr(),
                plaintext.as_ptr(),
                size(plaintext),
                self.nonce.as_ptr(),
                size(&self.nonce),
                self.tag.as_mut_ptr(),
                size(&self.tag),
                self.aad.as_ptr(),
                size(self.aad),
            )
        };
        check("wc_AesGcmEncrypt", code).map(drop)
    }

    fn decrypt(&mut self, ciphertext: &[u8], plaintext: &mut [u8]) -> Result<()> {
        assert_eq!(plaintext.len(), ciphertext.len());
        // SAFETY: as for wc_AesGcmEncrypt; the tag is read only.
        let code = unsafe {
            ffi::wc_AesGcmDecrypt(
                self.aes.get(),
                plaintext.as_mut_ptr(),
                ciphertext.as_ptr(),
                size(ciphertext),
                self.nonce.as_ptr(),
                size(&self.nonce),
                self.tag.as_ptr(),
                size(&self.tag),
                self.aad.as_ptr(),
                size(self.aad),
            )
        };
        check("wc_AesGcmDecrypt", code).map(drop)
    }
}

/// The example of RFC 8439 section 2.8.2.
fn check_chacha20_poly1305() -> Result<()> {
    initialise()?;
    let plaintext = b"Ladies and Gentlemen of the class of '99: \
        If I could offer you only one tip for the future, sunscreen would be it.";
    let key: [u8; 32] = std::array::from_fn(|index| 0x80 + index as u8);
    let nonce = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47];
    let aad = [
        0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
    ];
    let mut ciphertext = *plaintext;
    let tag = seal(&key, &nonce, &aad, plaintext, &mut ciphertext)?;
    let start = &ciphertext[..16];
    known_answer(
        "ChaCha20-Poly1305",
        start,
        "d31a8d34648e60db7b86afbc53ef7ec2",
    )?;
    known_answer("its tag", &tag, "1ae10b594f09e26a7e902ecbd0600691")
}

fn seal(
    key: &[u8; 32],
    nonce: &[u8; 12],
    aad: &[u8],
    plaintext: &[u8],
    ciphertext: &mut [u8],
) -> Result<[u8; 16]> {
    assert_eq!(plaintext.len(), ciphertext.len());
    let mut tag = [0; 16];
    // SAFETY: key, nonce and tag have the sizes that the algorithm fixes; the other buffers have
    // the lengths announced.
    let code = unsafe {
        ffi::wc_ChaCha20Poly1305_Encrypt(
            key.as_ptr(),
            nonce.as_ptr(),
            aad.as_ptr(),
            size(aad),
            plaintext.as_ptr(),
            size(plaintext),
            ciphertext.as_mut_ptr(),
            tag.as_mut_ptr(),
        )
    };
    check("wc_ChaCha20Poly1305_Encrypt", code)?;
    Ok(tag)
}

/// Opens what was sealed with the key, nonce and additional data of the rows.
fn open(tag: &[u8; 16], ciphertext: &[u8], plaintext: &mut [u8]) -> Result<()> {
    assert_eq!(plaintext.len(), ciphertext.len());
    // SAFETY: as for wc_ChaCha20Poly1305_Encrypt; the tag is read only.
    let code = unsafe {
        ffi::wc_ChaCha20Poly1305_Decrypt(
            KEY.as_ptr(),
            NONCE.as_ptr(),
            AAD.as_ptr(),
            size(&AAD),
            ciphertext.as_ptr(),
            size(ciphertext),
            tag.as_ptr(),
            plaintext.as_mut_ptr(),
        )
    };
    check("wc_ChaCha20Poly1305_Decrypt", code).map(drop)
}
