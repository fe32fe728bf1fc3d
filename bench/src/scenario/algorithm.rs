//! The wolfCrypt operations that have a row of their own.

use super::Unit;

/// One measured operation of the cryptographic library below TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Algorithm {
    /// The stable name, for example `aes-128-gcm-enc`.
    pub name: &'static str,
    /// What one second of it is counted in.
    pub unit: Unit,
    /// Whether it is among the rows that are measured unless others are asked for.
    pub headline: bool,
}

/// The size of the buffer that one call of a bulk operation works on: one full TLS record.
pub const BLOCK_BYTES: usize = 16 * 1024;

/// Every algorithm row, in the order of the table.
pub const ALGORITHMS: &[Algorithm] = &[
    bulk("aes-128-gcm-enc").headline(),
    bulk("aes-128-gcm-dec").headline(),
    bulk("aes-256-gcm-enc"),
    bulk("aes-256-gcm-dec"),
    bulk("aes-128-cbc-enc").headline(),
    bulk("aes-128-cbc-dec").headline(),
    bulk("aes-256-cbc-enc"),
    bulk("aes-256-cbc-dec"),
    bulk("chacha20"),
    bulk("chacha20-poly1305-enc").headline(),
    bulk("chacha20-poly1305-dec"),
    bulk("poly1305"),
    bulk("md5"),
    bulk("sha-1"),
    bulk("sha-256").headline(),
    bulk("sha-512"),
    bulk("hmac-md5"),
    bulk("hmac-sha-1"),
    bulk("hmac-sha-256"),
    bulk("hmac-sha-512"),
    bulk("rng").headline(),
    operation("rsa-2048-sign").headline(),
    operation("rsa-2048-verify").headline(),
    operation("rsa-3072-sign"),
    operation("rsa-3072-verify"),
    operation("rsa-4096-sign"),
    operation("rsa-4096-verify"),
    operation("dh-2048-keygen"),
    operation("dh-2048-agree"),
    operation("dh-3072-keygen"),
    operation("dh-3072-agree"),
    operation("p256-keygen"),
    operation("p256-sign").headline(),
    operation("p256-verify").headline(),
    operation("p256-agree").headline(),
    operation("x25519-keygen"),
    operation("x25519-agree").headline(),
    operation("ml-kem-768-keygen"),
    operation("ml-kem-768-encaps"),
    operation("ml-kem-768-decaps"),
    operation("ml-dsa-65-keygen"),
    operation("ml-dsa-65-sign"),
    operation("ml-dsa-65-verify"),
];

impl Algorithm {
    /// The algorithm of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        ALGORITHMS.iter().copied().find(|row| row.name == name)
    }

    const fn headline(mut self) -> Self {
        self.headline = true;
        self
    }
}

const fn bulk(name: &'static str) -> Algorithm {
    Algorithm {
        name,
        unit: Unit::MegabytesPerSecond,
        headline: false,
    }
}

const fn operation(name: &'static str) -> Algorithm {
    Algorithm {
        name,
        unit: Unit::PerSecond,
        headline: false,
    }
}
