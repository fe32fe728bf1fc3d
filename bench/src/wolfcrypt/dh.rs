//! The rows of Diffie-Hellman over the finite fields of RFC 7919.

use wolfssl_sys as ffi;

use super::handle::{DhKey, Rng};
use super::{bytes, check, counted, ensure, size};
use crate::cohort::Result;
use crate::worker::Measurable;

/// The prime of a group, in hexadecimal; the generator is 2.
pub(super) type Prime = &'static str;

pub(super) const FFDHE_2048: Prime = "\
    ffffffffffffffffadf85458a2bb4a9aafdc5620273d3cf1d8b9c583ce2d3695a9e13641146433fbcc939dce\
    249b3ef97d2fe363630c75d8f681b202aec4617ad3df1ed5d5fd65612433f51f5f066ed0856365553ded1af3\
    b557135e7f57c935984f0c70e0e68b77e2a689daf3efe8721df158a136ade73530acca4f483a797abc0ab182\
    b324fb61d108a94bb2c8e3fbb96adab760d7f4681d4f42a3de394df4ae56ede76372bb190b07a7c8ee0a6d70\
    9e02fce1cdf7e2ecc03404cd28342f619172fe9ce98583ff8e4f1232eef28183c3fe3b1b4c6fad733bb5fcbc\
    2ec22005c58ef1837d1683b2c6f34a26c1b2effa886b423861285c97ffffffffffffffff";

pub(super) const FFDHE_3072: Prime = "\
    ffffffffffffffffadf85458a2bb4a9aafdc5620273d3cf1d8b9c583ce2d3695a9e13641146433fbcc939dce\
    249b3ef97d2fe363630c75d8f681b202aec4617ad3df1ed5d5fd65612433f51f5f066ed0856365553ded1af3\
    b557135e7f57c935984f0c70e0e68b77e2a689daf3efe8721df158a136ade73530acca4f483a797abc0ab182\
    b324fb61d108a94bb2c8e3fbb96adab760d7f4681d4f42a3de394df4ae56ede76372bb190b07a7c8ee0a6d70\
    9e02fce1cdf7e2ecc03404cd28342f619172fe9ce98583ff8e4f1232eef28183c3fe3b1b4c6fad733bb5fcbc\
    2ec22005c58ef1837d1683b2c6f34a26c1b2effa886b4238611fcfdcde355b3b6519035bbc34f4def99c0238\
    61b46fc9d6e6c9077ad91d2691f7f7ee598cb0fac186d91caefe130985139270b4130c93bc437944f4fd4452\
    e2d74dd364f2e21e71f54bff5cae82ab9c9df69ee86d2bc522363a0dabc521979b0deada1dbf9a42d5c4484e\
    0abcd06bfa53ddef3c1b20ee3fd59d7c25e41d2b66c62e37ffffffffffffffff";

pub(super) fn key_generation(prime: Prime) -> Result<Box<dyn Measurable>> {
    let mut side = Side::new(prime)?;
    counted(move || side.generate())
}

pub(super) fn agreement(prime: Prime) -> Result<Box<dyn Measurable>> {
    let (mut ours, mut theirs) = (Side::new(prime)?, Side::new(prime)?);
    ours.generate()?;
    theirs.generate()?;
    ours.agree(&theirs.public)?;
    theirs.agree(&ours.public)?;
    let same = ours.shared == theirs.shared;
    ensure(same, "the two sides of Diffie-Hellman do not agree")?;
    counted(move || ours.agree(&theirs.public))
}

struct Side {
    group: DhKey,
    rng: Rng,
    private: Vec<u8>,
    public: Vec<u8>,
    shared: Vec<u8>,
}

impl Side {
    fn new(prime: Prime) -> Result<Self> {
        let prime = bytes(prime)?;
        let mut group = DhKey::new()?;
        let generator = [2];
        // SAFETY: the object is initialised, both numbers have the lengths announced.
        let code = unsafe {
            ffi::wc_DhSetKey(
                group.get(),
                prime.as_ptr(),
                size(&prime),
                generator.as_ptr(),
                size(&generator),
            )
        };
        check("wc_DhSetKey", code)?;
        Ok(Self {
            group,
            rng: Rng::new()?,
            private: vec![0; prime.len()],
            public: vec![0; prime.len()],
            shared: vec![0; prime.len()],
        })
    }

    /// Makes a new key pair; the buffers grow to the size of the prime and shrink to what is used.
    fn generate(&mut self) -> Result<()> {
        let room = self.shared.len();
        self.private.resize(room, 0);
        self.public.resize(room, 0);
        let mut private_size = size(&self.private);
        let mut public_size = size(&self.public);
        // SAFETY: the group is set, the generator seeded; both buffers have the sizes announced,
        // which are written back.
        let code = unsafe {
            ffi::wc_DhGenerateKeyPair(
                self.group.get(),
                self.rng.get(),
                self.private.as_mut_ptr(),
                &mut private_size,
                self.public.as_mut_ptr(),
                &mut public_size,
            )
        };
        check("wc_DhGenerateKeyPair", code)?;
        self.private.truncate(private_size as usize);
        self.public.truncate(public_size as usize);
        Ok(())
    }

    fn agree(&mut self, public: &[u8]) -> Result<()> {
        let mut shared_size = size(&self.shared);
        // SAFETY: the group is set, all buffers have the sizes announced; that of the secret is
        // written back.
        let code = unsafe {
            ffi::wc_DhAgree(
                self.group.get(),
                self.shared.as_mut_ptr(),
                &mut shared_size,
                self.private.as_ptr(),
                size(&self.private),
                public.as_ptr(),
                size(public),
            )
        };
        check("wc_DhAgree", code).map(drop)
    }
}
