//! The wolfCrypt operations that have a row of their own.

use super::Unit;

/// One measured operation of the cryptographic library below TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithm {
    /// The stable name, for example `aes-128-gcm-enc`.
    pub name: &'static str,
    /// What one second of it is counted in.
    pub unit: Unit,
}

/// The size of the buffer that one call of a bulk operation works on: one full TLS record.
pub const BLOCK_BYTES: usize = 16 * 1024;

/// Every algorithm row, in the order of the table.
pub const ALGORITHMS: &[Algorithm] = &[
    bulk("aes-128-gcm-enc"),
    bulk("aes-128-gcm-dec"),
    bulk("aes-128-cbc-enc"),
    bulk("aes-128-cbc-dec"),
    bulk("chacha20-poly1305-enc"),
    bulk("sha-256"),
    bulk("rng"),
    operation("rsa-2048-sign"),
    operation("rsa-2048-verify"),
    operation("p256-sign"),
    operation("p256-verify"),
    operation("p256-agree"),
    operation("x25519-agree"),
];

impl Algorithm {
    /// The algorithm of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        ALGORITHMS.iter().copied().find(|row| row.name == name)
    }
}

const fn bulk(name: &'static str) -> Algorithm {
    Algorithm {
        name,
        unit: Unit::MegabytesPerSecond,
    }
}

const fn operation(name: &'static str) -> Algorithm {
    Algorithm {
        name,
        unit: Unit::PerSecond,
    }
}
