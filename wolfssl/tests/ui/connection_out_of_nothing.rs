//! A connection comes from a configuration, and a configuration from a builder.

use wolfssl::{ClientConfig, ConnectionCommon};

fn main() {
    let _ = ConnectionCommon::default();
    let _ = ClientConfig {};
}
