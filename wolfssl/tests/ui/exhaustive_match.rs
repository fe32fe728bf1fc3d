//! Later versions may know more: matches have to say what they do then.

use wolfssl::Status;

fn name(status: Status) -> &'static str {
    match status {
        Status::WantsInput => "wants input",
        Status::HandshakeComplete => "handshake complete",
        Status::PlaintextReady => "plaintext ready",
        Status::WantsSignature => "wants signature",
        Status::PeerClosed => "peer closed",
    }
}

fn main() {}
