//! The cipher rows.

use wolfssl_sys as ffi;

use super::handle::Aes;
use super::{block, bulk, check, known_answer};
use crate::cohort::Result;
use crate::worker::Measurable;

/// The additional data of a TLS 1.2 record has this length.
const AAD: [u8; 13] = [0x17; 13];
const KEY: [u8; 16] = [0x2b; 16];
const NONCE: [u8; 12] = [0x0c; 12];

pub(super) fn aes_gcm_encrypt() -> Result<Box<dyn Measurable>> {
    let mut gcm = Gcm::checked()?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    Ok(bulk(move || gcm.encrypt(&plaintext, &mut ciphertext)))
}

pub(super) fn aes_gcm_decrypt() -> Result<Box<dyn Measurable>> {
    let mut gcm = Gcm::checked()?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    gcm.encrypt(&plaintext, &mut ciphertext)?;
    let mut opened = vec![0; plaintext.len()];
    gcm.decrypt(&ciphertext, &mut opened)?;
    if opened != plaintext {
        return Err("AES-128-GCM does not decrypt what it encrypted".into());
    }
    gcm.tag[0] ^= 1;
    if gcm.decrypt(&ciphertext, &mut opened).is_ok() {
        return Err("AES-128-GCM accepts a wrong tag".into());
    }
    gcm.tag[0] ^= 1;
    Ok(bulk(move || gcm.decrypt(&ciphertext, &mut opened)))
}

pub(super) fn aes_cbc_encrypt() -> Result<Box<dyn Measurable>> {
    let mut cbc = Cbc::checked()?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    Ok(bulk(move || cbc.encrypt(&plaintext, &mut ciphertext)))
}

pub(super) fn aes_cbc_decrypt() -> Result<Box<dyn Measurable>> {
    let mut cbc = Cbc::checked()?;
    let ciphertext = block();
    let mut plaintext = ciphertext.clone();
    Ok(bulk(move || cbc.decrypt(&ciphertext, &mut plaintext)))
}

pub(super) fn chacha20_poly1305_encrypt() -> Result<Box<dyn Measurable>> {
    check_chacha20_poly1305()?;
    let plaintext = block();
    let mut ciphertext = plaintext.clone();
    Ok(bulk(move || {
        chacha20_poly1305(&[7; 32], &NONCE, &AAD, &plaintext, &mut ciphertext)?;
        Ok(())
    }))
}

struct Gcm {
    aes: Aes,
    tag: [u8; 16],
    nonce: [u8; 12],
    aad: &'static [u8],
}

impl Gcm {
    /// With the key of the rows, after the second test case of the GCM specification has passed.
    fn checked() -> Result<Self> {
        let mut zero = Self {
            aes: Self::key(&[0; 16])?,
            tag: [0; 16],
            nonce: [0; 12],
            aad: &[],
        };
        let mut ciphertext = [0; 16];
        zero.encrypt(&[0; 16], &mut ciphertext)?;
        known_answer(
            "AES-128-GCM",
            &ciphertext,
            "0388dace60b6a392f328c2b971b2fe78",
        )?;
        known_answer("its tag", &zero.tag, "ab6e47d42cec13bdf53a67b21257bddf")?;
        Ok(Self {
            aes: Self::key(&KEY)?,
            tag: [0; 16],
            nonce: NONCE,
            aad: &AAD,
        })
    }

    fn key(key: &[u8; 16]) -> Result<Aes> {
        let mut aes = Aes::new()?;
        // SAFETY: `aes` is initialised, and `key` has the 16 bytes announced.
        let code = unsafe { ffi::wc_AesGcmSetKey(aes.get(), key.as_ptr(), 16) };
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
                plaintext.len() as u32,
                self.nonce.as_ptr(),
                self.nonce.len() as u32,
                self.tag.as_mut_ptr(),
                self.tag.len() as u32,
                self.aad.as_ptr(),
                self.aad.len() as u32,
            )
        };
        check("wc_AesGcmEncrypt", code)?;
        Ok(())
    }

    fn decrypt(&mut self, ciphertext: &[u8], plaintext: &mut [u8]) -> Result<()> {
        assert_eq!(plaintext.len(), ciphertext.len());
        // SAFETY: as for wc_AesGcmEncrypt; the tag is read only.
        let code = unsafe {
            ffi::wc_AesGcmDecrypt(
                self.aes.get(),
                plaintext.as_mut_ptr(),
                ciphertext.as_ptr(),
                ciphertext.len() as u32,
                self.nonce.as_ptr(),
                self.nonce.len() as u32,
                self.tag.as_ptr(),
                self.tag.len() as u32,
                self.aad.as_ptr(),
                self.aad.len() as u32,
            )
        };
        check("wc_AesGcmDecrypt", code)?;
        Ok(())
    }
}

struct Cbc {
    encrypting: Aes,
    decrypting: Aes,
}

impl Cbc {
    /// After the vector of NIST SP 800-38A, F.2.1, has passed both ways.
    fn checked() -> Result<Self> {
        let key = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
        let iv = 0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_be_bytes();
        let plaintext = 0x6bc1_bee2_2e40_9f96_e93d_7e11_7393_172a_u128.to_be_bytes();
        let mut cbc = Self {
            encrypting: Self::key(&key, &iv, ffi::AES_ENCRYPTION as i32)?,
            decrypting: Self::key(&key, &iv, ffi::AES_DECRYPTION as i32)?,
        };
        let mut ciphertext = [0; 16];
        cbc.encrypt(&plaintext, &mut ciphertext)?;
        known_answer(
            "AES-128-CBC",
            &ciphertext,
            "7649abac8119b246cee98e9b12e9197d",
        )?;
        let mut opened = [0; 16];
        cbc.decrypt(&ciphertext, &mut opened)?;
        if opened != plaintext {
            return Err("AES-128-CBC does not decrypt what it encrypted".into());
        }
        Ok(cbc)
    }

    fn key(key: &[u8; 16], iv: &[u8; 16], direction: i32) -> Result<Aes> {
        let mut aes = Aes::new()?;
        // SAFETY: `aes` is initialised, key and initial vector have their 16 bytes.
        let code =
            unsafe { ffi::wc_AesSetKey(aes.get(), key.as_ptr(), 16, iv.as_ptr(), direction) };
        check("wc_AesSetKey", code)?;
        Ok(aes)
    }

    fn encrypt(&mut self, plaintext: &[u8], ciphertext: &mut [u8]) -> Result<()> {
        assert_eq!(plaintext.len(), ciphertext.len());
        let length = plaintext.len() as u32;
        // SAFETY: the key is set for encryption, both buffers have the length announced.
        let code = unsafe {
            ffi::wc_AesCbcEncrypt(
                self.encrypting.get(),
                ciphertext.as_mut_ptr(),
                plaintext.as_ptr(),
                length,
            )
        };
        check("wc_AesCbcEncrypt", code)?;
        Ok(())
    }

    fn decrypt(&mut self, ciphertext: &[u8], plaintext: &mut [u8]) -> Result<()> {
        assert_eq!(plaintext.len(), ciphertext.len());
        let length = plaintext.len() as u32;
        // SAFETY: the key is set for decryption, both buffers have the length announced.
        let code = unsafe {
            ffi::wc_AesCbcDecrypt(
                self.decrypting.get(),
                plaintext.as_mut_ptr(),
                ciphertext.as_ptr(),
                length,
            )
        };
        check("wc_AesCbcDecrypt", code)?;
        Ok(())
    }
}

/// The example of RFC 8439 section 2.8.2.
fn check_chacha20_poly1305() -> Result<()> {
    let plaintext = b"Ladies and Gentlemen of the class of '99: \
        If I could offer you only one tip for the future, sunscreen would be it.";
    let key: [u8; 32] = std::array::from_fn(|index| 0x80 + index as u8);
    let nonce = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47];
    let aad = [
        0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
    ];
    let mut ciphertext = *plaintext;
    let tag = chacha20_poly1305(&key, &nonce, &aad, plaintext, &mut ciphertext)?;
    let start = &ciphertext[..16];
    known_answer(
        "ChaCha20-Poly1305",
        start,
        "d31a8d34648e60db7b86afbc53ef7ec2",
    )?;
    known_answer("its tag", &tag, "1ae10b594f09e26a7e902ecbd0600691")
}

fn chacha20_poly1305(
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
            aad.len() as u32,
            plaintext.as_ptr(),
            plaintext.len() as u32,
            ciphertext.as_mut_ptr(),
            tag.as_mut_ptr(),
        )
    };
    check("wc_ChaCha20Poly1305_Encrypt", code)?;
    Ok(tag)
}
