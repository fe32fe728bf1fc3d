//! What the caller's check is shown belongs to C's call: it cannot be kept for later.

use std::sync::Mutex;

use wolfssl::{ServerConfig, VerifiedPeer};

static SEEN: Mutex<Vec<&VerifiedPeer<'_>>> = Mutex::new(Vec::new());

fn main() {
    let _ = ServerConfig::builder().additional_verification(|peer| {
        SEEN.lock().unwrap().push(peer);
        Ok(())
    });
}
