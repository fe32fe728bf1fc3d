//! Handshakes on several threads run the caller's check.

use std::cell::RefCell;
use std::rc::Rc;

use wolfssl::ClientConfig;

fn main() {
    let seen = Rc::new(RefCell::new(Vec::new()));
    let _ = ClientConfig::builder().additional_verification(move |peer| {
        seen.borrow_mut().push(peer.certificates().len());
        Ok(())
    });
}
