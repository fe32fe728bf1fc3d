//! As with Rc: a Cell may move between threads, but not be used by two.

use std::cell::Cell;

use wolfssl::{KeyFailure, SignatureRequest, Signing, SigningKey};

struct Counting(Cell<u32>);

impl SigningKey for Counting {
    fn sign(&self, _: &SignatureRequest) -> Result<Signing, KeyFailure> {
        self.0.set(self.0.get() + 1);
        Ok(Signing::Later)
    }
}

fn main() {}
