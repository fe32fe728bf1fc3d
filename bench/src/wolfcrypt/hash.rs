//! The rows of hashes and of random numbers.

use wolfssl_sys as ffi;

use super::handle::Rng;
use super::{block, bulk, check, initialise, known_answer};
use crate::cohort::Result;
use crate::scenario::algorithm::BLOCK_BYTES;
use crate::worker::Measurable;

pub(super) fn sha256() -> Result<Box<dyn Measurable>> {
    initialise()?;
    known_answer(
        "SHA-256 of abc",
        &sha256_of(b"abc")?,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    )?;
    let message = block();
    Ok(bulk(move || {
        sha256_of(&message)?;
        Ok(())
    }))
}

pub(super) fn random() -> Result<Box<dyn Measurable>> {
    let mut rng = Rng::new()?;
    let mut first = vec![0; BLOCK_BYTES];
    let mut second = vec![0; BLOCK_BYTES];
    fill(&mut rng, &mut first)?;
    fill(&mut rng, &mut second)?;
    if first == second {
        return Err("the generator repeats itself".into());
    }
    Ok(bulk(move || fill(&mut rng, &mut first)))
}

fn sha256_of(message: &[u8]) -> Result<[u8; 32]> {
    let mut digest = [0; 32];
    // SAFETY: the message has the length announced, the digest the 32 bytes of SHA-256.
    let code =
        unsafe { ffi::wc_Sha256Hash(message.as_ptr(), message.len() as u32, digest.as_mut_ptr()) };
    check("wc_Sha256Hash", code)?;
    Ok(digest)
}

fn fill(rng: &mut Rng, buffer: &mut [u8]) -> Result<()> {
    // SAFETY: the generator is seeded, the buffer has the length announced.
    let code =
        unsafe { ffi::wc_RNG_GenerateBlock(rng.get(), buffer.as_mut_ptr(), buffer.len() as u32) };
    check("wc_RNG_GenerateBlock", code)?;
    Ok(())
}
