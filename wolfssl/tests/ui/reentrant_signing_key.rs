//! A callback that uses, or frees, the very connection that calls it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use wolfssl::{CertifiedKey, KeyFailure, ServerConnection, SignatureRequest, Signing};

fn main() {
    let slot: Rc<RefCell<Option<ServerConnection>>> = Rc::default();
    let inside = Rc::clone(&slot);
    let key = move |_: &SignatureRequest| -> Result<Signing, KeyFailure> {
        inside.borrow_mut().take();
        Ok(Signing::Later)
    };
    let _ = CertifiedKey::with_signing_key(Vec::new(), Arc::new(key));
}
