//! wolfSSL's sessions are not locked: no two threads may look at one at a time.

use wolfssl::ConnectionCommon;

fn shared<T: Sync>() {}

fn main() {
    shared::<ConnectionCommon>();
}
