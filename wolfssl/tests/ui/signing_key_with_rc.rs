//! Handshakes on several threads use one key: it may hold nothing that only one thread may.

use std::rc::Rc;
use std::sync::Arc;

use wolfssl::{CertifiedKey, DeferredSigning, KeyFailure, SignatureRequest, Signing};

fn main() {
    let counter = Rc::new(());
    let key = move |_: &SignatureRequest| -> Result<Signing, KeyFailure> {
        let _shared = Rc::clone(&counter);
        Ok(Signing::Later)
    };
    let _ = CertifiedKey::with_signing_key(Vec::new(), Arc::new(key));
    let _ = CertifiedKey::with_signing_key(Vec::new(), Arc::new(DeferredSigning));
}
