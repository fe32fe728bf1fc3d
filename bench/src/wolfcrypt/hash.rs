//! The rows of hashes, keyed hashes and random numbers.

use wolfssl_sys as ffi;

use super::handle::{Hmac, Poly1305, Rng};
use super::{block, bulk, bytes, check, ensure, initialise, known_answer, size};
use crate::cohort::Result;
use crate::scenario::algorithm::BLOCK_BYTES;
use crate::worker::Measurable;

/// A hash function.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

/// A whole hash per iteration; checked with the classic message of three letters.
pub(super) fn plain(kind: Kind) -> Result<Box<dyn Measurable>> {
    initialise()?;
    let answer = match kind {
        Kind::Md5 => "900150983cd24fb0d6963f7d28e17f72",
        Kind::Sha1 => "a9993e364706816aba3e25717850c26c9cd0d89d",
        Kind::Sha256 => "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        Kind::Sha512 => {
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        }
    };
    let digest = kind.hash(b"abc")?;
    known_answer("the hash of abc", &digest[..kind.size()], answer)?;
    let message = block();
    bulk(move || kind.hash(&message).map(drop))
}

/// A whole keyed hash per iteration, the key being set once; checked with the second test case of
/// RFC 2202 and RFC 4231.
pub(super) fn keyed(kind: Kind) -> Result<Box<dyn Measurable>> {
    let answer = match kind {
        Kind::Md5 => "750c783e6ab0b503eaa86e310a5db738",
        Kind::Sha1 => "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
        Kind::Sha256 => "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
        Kind::Sha512 => {
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
             9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        }
    };
    let mut hmac = Hmac::new()?;
    kind.set_key(&mut hmac, b"Jefe")?;
    let tag = authenticate(&mut hmac, b"what do ya want for nothing?")?;
    known_answer("the keyed hash", &tag[..kind.size()], answer)?;
    kind.set_key(&mut hmac, &[0x0b; 20])?;
    let message = block();
    bulk(move || authenticate(&mut hmac, &message).map(drop))
}

/// Checked with the example of RFC 8439 section 2.5.2. Every iteration sets the key, as its use is
/// for one message only.
pub(super) fn poly1305() -> Result<Box<dyn Measurable>> {
    initialise()?;
    let mut state = Poly1305::new()?;
    let key = bytes("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")?;
    let tag = one_time_authenticate(&mut state, &key, b"Cryptographic Forum Research Group")?;
    known_answer("Poly1305", &tag, "a8061dc1305136c6c22b8baf0c0127a9")?;
    let message = block();
    bulk(move || one_time_authenticate(&mut state, &key, &message).map(drop))
}

/// There is no known answer; two blocks must differ.
pub(super) fn random() -> Result<Box<dyn Measurable>> {
    let mut rng = Rng::new()?;
    let mut first = vec![0; BLOCK_BYTES];
    let mut second = vec![0; BLOCK_BYTES];
    fill(&mut rng, &mut first)?;
    fill(&mut rng, &mut second)?;
    ensure(first != second, "the generator repeats itself")?;
    bulk(move || fill(&mut rng, &mut first))
}

impl Kind {
    fn size(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha512 => 64,
        }
    }

    /// The digest, in the front of the result.
    fn hash(self, message: &[u8]) -> Result<[u8; 64]> {
        let mut digest = [0; 64];
        let (data, length, output) = (message.as_ptr(), size(message), digest.as_mut_ptr());
        // SAFETY: the message has the length announced, and no digest is longer than 64 bytes.
        let code = unsafe {
            match self {
                Self::Md5 => ffi::wc_Md5Hash(data, length, output),
                Self::Sha1 => ffi::wc_ShaHash(data, length, output),
                Self::Sha256 => ffi::wc_Sha256Hash(data, length, output),
                Self::Sha512 => ffi::wc_Sha512Hash(data, length, output),
            }
        };
        check("the hash function", code)?;
        Ok(digest)
    }

    fn set_key(self, hmac: &mut Hmac, key: &[u8]) -> Result<()> {
        let kind = match self {
            Self::Md5 => ffi::WC_HASH_TYPE_MD5,
            Self::Sha1 => ffi::WC_HASH_TYPE_SHA,
            Self::Sha256 => ffi::WC_HASH_TYPE_SHA256,
            Self::Sha512 => ffi::WC_HASH_TYPE_SHA512,
        };
        // SAFETY: the object is initialised, the key has the length announced.
        let code = unsafe { ffi::wc_HmacSetKey(hmac.get(), kind as i32, key.as_ptr(), size(key)) };
        check("wc_HmacSetKey", code).map(drop)
    }
}

/// The tag, in the front of the result.
fn authenticate(hmac: &mut Hmac, message: &[u8]) -> Result<[u8; 64]> {
    let mut tag = [0; 64];
    // SAFETY: the key is set, the message has the length announced.
    let code = unsafe { ffi::wc_HmacUpdate(hmac.get(), message.as_ptr(), size(message)) };
    check("wc_HmacUpdate", code)?;
    // SAFETY: the key is set, and no tag is longer than 64 bytes.
    let code = unsafe { ffi::wc_HmacFinal(hmac.get(), tag.as_mut_ptr()) };
    check("wc_HmacFinal", code)?;
    Ok(tag)
}

fn one_time_authenticate(state: &mut Poly1305, key: &[u8], message: &[u8]) -> Result<[u8; 16]> {
    let mut tag = [0; 16];
    // SAFETY: the key has the length announced, which the library checks to be 32.
    let code = unsafe { ffi::wc_Poly1305SetKey(state.get(), key.as_ptr(), size(key)) };
    check("wc_Poly1305SetKey", code)?;
    // SAFETY: the key is set, the message has the length announced.
    let code = unsafe { ffi::wc_Poly1305Update(state.get(), message.as_ptr(), size(message)) };
    check("wc_Poly1305Update", code)?;
    // SAFETY: the key is set, a tag has 16 bytes.
    let code = unsafe { ffi::wc_Poly1305Final(state.get(), tag.as_mut_ptr()) };
    check("wc_Poly1305Final", code)?;
    Ok(tag)
}

fn fill(rng: &mut Rng, buffer: &mut [u8]) -> Result<()> {
    // SAFETY: the generator is seeded, the buffer has the length announced.
    let code = unsafe { ffi::wc_RNG_GenerateBlock(rng.get(), buffer.as_mut_ptr(), size(buffer)) };
    check("wc_RNG_GenerateBlock", code).map(drop)
}
