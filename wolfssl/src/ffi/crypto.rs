//! The parts of wolfCrypt that tickets and bindings are made with: SHA-256, HKDF, AES-256-GCM
//! and random bytes.

use std::ffi::c_int;
use std::ptr::NonNull;

use wolfssl_sys as sys;

/// How many bytes a SHA-256 digest has.
pub(crate) const DIGEST_SIZE: usize = 32;
/// How many bytes an AES-256 key has.
pub(crate) const KEY_SIZE: usize = 32;
/// How many bytes of the tag of AES-GCM are used: all.
pub(crate) const TAG_SIZE: usize = 16;

/// `wc_Sha256Hash` over all of `data`.
pub(crate) fn sha256(data: &[u8]) -> Result<[u8; DIGEST_SIZE], i32> {
    let size = u32::try_from(data.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
    let mut digest = [0; DIGEST_SIZE];
    // SAFETY: data is readable for `size` bytes; a SHA-256 digest fits.
    done(unsafe { sys::wc_Sha256Hash(data.as_ptr(), size, digest.as_mut_ptr()) })?;
    Ok(digest)
}

/// `wc_HKDF` (RFC 5869) with SHA-256 and no salt.
pub(crate) fn hkdf(secret: &[u8], info: &[u8], out: &mut [u8]) -> Result<(), i32> {
    let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| sys::BAD_FUNC_ARG);
    let (secret_size, info_size, out_size) = (size(secret)?, size(info)?, size(out)?);
    // SAFETY: secret and info are readable, out is writable, each for its size; a salt of
    // size 0 may be null.
    done(unsafe {
        sys::wc_HKDF(
            sys::WC_HASH_TYPE_SHA256 as c_int,
            secret.as_ptr(),
            secret_size,
            std::ptr::null(),
            0,
            info.as_ptr(),
            info_size,
            out.as_mut_ptr(),
            out_size,
        )
    })
}

/// Fills `out` from a generator seeded by the system (`wc_RNG_GenerateBlock`).
pub(crate) fn random(out: &mut [u8]) -> Result<(), i32> {
    super::init()?;
    let size = u32::try_from(out.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
    // SAFETY: a nonce of size 0 may be null; the generator is used here alone and freed
    // before the end; out is writable for its size.
    unsafe {
        let rng = NonNull::new(sys::wc_rng_new(
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut(),
        ));
        let rng = rng.ok_or(sys::RNG_FAILURE_E)?;
        let code = sys::wc_RNG_GenerateBlock(rng.as_ptr(), out.as_mut_ptr(), size);
        sys::wc_rng_free(rng.as_ptr());
        done(code)
    }
}

/// AES-256-GCM with a key, for one message.
pub(super) struct Gcm {
    aes: NonNull<sys::Aes>,
}

impl Gcm {
    pub(super) fn new(key: &[u8; KEY_SIZE]) -> Result<Self, i32> {
        let mut code = 0;
        // SAFETY: no heap hint, no device; the result code is writable.
        let aes =
            unsafe { sys::wc_AesNew(std::ptr::null_mut(), sys::INVALID_DEVID, &raw mut code) };
        let gcm = Self {
            aes: NonNull::new(aes).ok_or(sys::MEMORY_E)?,
        };
        // SAFETY: a live Aes; the key is readable for its size and copied.
        done(unsafe { sys::wc_AesGcmSetKey(gcm.aes.as_ptr(), key.as_ptr(), KEY_SIZE as u32) })?;
        Ok(gcm)
    }

    /// Encrypts `text` in place.
    pub(super) fn seal(
        &mut self,
        iv: &[u8],
        bound: &[u8],
        text: &mut [u8],
    ) -> Result<[u8; TAG_SIZE], i32> {
        let mut tag = [0; TAG_SIZE];
        // SAFETY: a live Aes with a key; text may be its own output; all buffers are valid
        // for their sizes.
        done(unsafe {
            sys::wc_AesGcmEncrypt(
                self.aes.as_ptr(),
                text.as_mut_ptr(),
                text.as_ptr(),
                text.len() as u32,
                iv.as_ptr(),
                iv.len() as u32,
                tag.as_mut_ptr(),
                TAG_SIZE as u32,
                bound.as_ptr(),
                bound.len() as u32,
            )
        })?;
        Ok(tag)
    }

    /// Decrypts `text` in place; an error when anything was changed.
    pub(super) fn open(
        &mut self,
        iv: &[u8],
        bound: &[u8],
        text: &mut [u8],
        tag: &[u8; TAG_SIZE],
    ) -> Result<(), i32> {
        // SAFETY: as in `seal`.
        done(unsafe {
            sys::wc_AesGcmDecrypt(
                self.aes.as_ptr(),
                text.as_mut_ptr(),
                text.as_ptr(),
                text.len() as u32,
                iv.as_ptr(),
                iv.len() as u32,
                tag.as_ptr(),
                TAG_SIZE as u32,
                bound.as_ptr(),
                bound.len() as u32,
            )
        })
    }
}

impl Drop for Gcm {
    fn drop(&mut self) {
        // SAFETY: made by wc_AesNew and freed once; wc_AesDelete wipes the key first. The
        // second argument, where the pointer is kept, may be null.
        unsafe {
            sys::wc_AesDelete(self.aes.as_ptr(), std::ptr::null_mut());
        }
    }
}

/// Fills `out` from the generator of a session, which is no one else's during a callback.
///
/// # Safety
/// `ssl` must be the live session that is calling back.
pub(super) unsafe fn session_random(ssl: *mut sys::WOLFSSL, out: &mut [u8]) -> Result<(), i32> {
    // SAFETY: by this function's contract; out is writable for its size.
    unsafe {
        let rng = sys::wolfSSL_GetRNG(ssl);
        if rng.is_null() {
            return Err(sys::RNG_FAILURE_E);
        }
        done(sys::wc_RNG_GenerateBlock(
            rng,
            out.as_mut_ptr(),
            out.len() as u32,
        ))
    }
}

fn done(code: c_int) -> Result<(), i32> {
    if code == 0 { Ok(()) } else { Err(code) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_of_abc() {
        let digest = sha256(b"abc").unwrap();
        assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(digest[28..], [0xf2, 0x00, 0x15, 0xad]);
    }

    #[test]
    fn hkdf_is_that_of_rfc_5869() {
        // Appendix A.3: SHA-256, no salt, no info.
        let mut out = [0; 42];
        hkdf(&[0x0b; 22], b"", &mut out).unwrap();
        assert_eq!(out[..6], [0x8d, 0xa4, 0xe7, 0x75, 0xa5, 0x63]);
        assert_eq!(out[36..], [0xfa, 0xa4, 0xb6, 0x1a, 0x96, 0xc8]);
    }

    #[test]
    fn sealed_bytes_open_only_unchanged() {
        let (key, iv) = ([7; KEY_SIZE], [9; 16]);
        let mut text = *b"what a ticket holds";
        let tag = Gcm::new(&key)
            .unwrap()
            .seal(&iv, b"bound", &mut text)
            .unwrap();
        assert_ne!(&text, b"what a ticket holds");
        let open = |text: [u8; 19], bound: &[u8], tag| {
            let mut text = text;
            let result = Gcm::new(&key).unwrap().open(&iv, bound, &mut text, &tag);
            result.map(|()| text)
        };
        assert_eq!(open(text, b"bound", tag).unwrap(), *b"what a ticket holds");
        assert!(open(text, b"other", tag).is_err());
        let mut wrong = tag;
        wrong[15] ^= 1;
        assert!(open(text, b"bound", wrong).is_err());
        let mut changed = text;
        changed[0] ^= 1;
        assert!(open(changed, b"bound", tag).is_err());
    }

    #[test]
    fn random_bytes_differ() {
        let (mut one, mut other) = ([0; 32], [0; 32]);
        random(&mut one).unwrap();
        random(&mut other).unwrap();
        assert_ne!(one, other);
        assert_ne!(one, [0; 32]);
    }
}
