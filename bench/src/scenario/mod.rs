//! Scenarios as data: what one row of the table measures, under an id that never changes meaning.
//!
//! `Scenario` -> worker -> orchestrator -> statistics -> report. A worker is told an id and parses
//! it back into the same value, so the id is the whole description.

pub mod algorithm;
pub mod parameter;

use std::fmt;

use algorithm::{ALGORITHMS, Algorithm};
use parameter::{Cipher, CodePoint, Group, KeyKind, TlsVersion};
use serde::{Deserialize, Serialize};

/// The largest plaintext of one TLS record, RFC 8446 section 5.1.
pub const RECORD_BYTES: usize = 16 * 1024;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scenario {
    /// `hs-full:VERSION:KEY:GROUP`: whole handshakes per second, client and server in one thread.
    ///
    /// One iteration creates both connections, completes the handshake and drops both. The server
    /// sends its leaf, the client verifies it against the CA and checks the name. Suite AES-128-GCM
    /// with SHA-256, no resumption offered by either side.
    Handshake(TlsParameters),
    /// `bulk:VERSION:CIPHER`: plaintext bytes sent one way in records of 16 KiB.
    ///
    /// One iteration seals one record at the client and opens it at the server, in one thread, so
    /// the figure covers both halves of the work.
    Bulk(TlsParameters),
    /// `algo:NAME`: one operation of the cryptographic library, without TLS.
    Algorithm(Algorithm),
}

/// Everything about a TLS connection that must be equal in all arms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TlsParameters {
    /// The only protocol version offered.
    pub version: TlsVersion,
    /// The only cipher offered.
    pub cipher: Cipher,
    /// The kind of key in the certificates.
    pub key: KeyKind,
    /// The only key exchange group offered.
    pub group: Group,
}

/// What a figure is counted in. MB is 10^6 bytes everywhere in this project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Unit {
    /// Completed operations per second.
    #[serde(rename = "/s")]
    PerSecond,
    /// 10^6 bytes per second.
    #[serde(rename = "MB/s")]
    MegabytesPerSecond,
}

impl Scenario {
    /// Every scenario, in the order of the table.
    pub fn catalogue() -> Vec<Self> {
        let mut all = Vec::new();
        for version in [TlsVersion::Tls13, TlsVersion::Tls12] {
            for &key in KeyKind::ALL {
                for &group in Group::ALL {
                    all.push(Self::Handshake(TlsParameters {
                        version,
                        cipher: Cipher::Aes128Gcm,
                        key,
                        group,
                    }));
                }
            }
        }
        for version in [TlsVersion::Tls13, TlsVersion::Tls12] {
            for &cipher in Cipher::ALL {
                all.push(Self::bulk(version, cipher));
            }
        }
        all.extend(ALGORITHMS.iter().copied().map(Self::Algorithm));
        all
    }

    /// The scenario with this id, if the id is well formed and known.
    pub fn from_id(id: &str) -> Option<Self> {
        let parts: Vec<&str> = id.split(':').collect();
        match parts.as_slice() {
            ["hs-full", version, key, group] => Some(Self::Handshake(TlsParameters {
                version: TlsVersion::from_label(version)?,
                cipher: Cipher::Aes128Gcm,
                key: KeyKind::from_label(key)?,
                group: Group::from_label(group)?,
            })),
            ["bulk", version, cipher] => Some(Self::bulk(
                TlsVersion::from_label(version)?,
                Cipher::from_label(cipher)?,
            )),
            ["algo", name] => Algorithm::from_name(name).map(Self::Algorithm),
            _ => None,
        }
    }

    /// The stable id.
    pub fn id(&self) -> String {
        match self {
            Self::Handshake(tls) => format!("hs-full:{}:{}:{}", tls.version, tls.key, tls.group),
            Self::Bulk(tls) => format!("bulk:{}:{}", tls.version, tls.cipher),
            Self::Algorithm(algorithm) => format!("algo:{}", algorithm.name),
        }
    }

    /// What the figure is counted in.
    pub fn unit(&self) -> Unit {
        match self {
            Self::Handshake(_) => Unit::PerSecond,
            Self::Bulk(_) => Unit::MegabytesPerSecond,
            Self::Algorithm(algorithm) => algorithm.unit,
        }
    }

    /// One sentence for people: what one iteration does.
    pub fn describe(&self) -> String {
        match self {
            Self::Handshake(tls) => format!(
                "full {} handshakes, {} certificates, {}, {}; client and server in one thread",
                tls.version, tls.key, tls.group, tls.cipher
            ),
            Self::Bulk(tls) => format!(
                "{} with {}: 16 KiB records sealed by the client and opened by the server in one thread",
                tls.version, tls.cipher
            ),
            Self::Algorithm(Algorithm { name, unit, .. }) => match unit {
                Unit::PerSecond => format!("{name} operations"),
                Unit::MegabytesPerSecond => format!("{name}, 16 KiB a call"),
            },
        }
    }

    /// Whether it is among those that are measured unless others are asked for.
    pub fn is_headline(&self) -> bool {
        match self {
            Self::Handshake(_) => true,
            Self::Bulk(tls) => tls.version == TlsVersion::Tls13,
            Self::Algorithm(algorithm) => algorithm.headline,
        }
    }

    /// The TLS parameters that must be negotiated, if the scenario speaks TLS.
    pub fn tls(&self) -> Option<&TlsParameters> {
        match self {
            Self::Handshake(tls) | Self::Bulk(tls) => Some(tls),
            Self::Algorithm(_) => None,
        }
    }

    fn bulk(version: TlsVersion, cipher: Cipher) -> Self {
        Self::Bulk(TlsParameters {
            version,
            cipher,
            key: KeyKind::EcdsaP256,
            group: Group::X25519,
        })
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

impl TlsParameters {
    /// The code point of the one cipher suite that matches.
    pub fn suite(&self) -> u16 {
        self.cipher.suite(self.version, self.key)
    }

    /// The code point of the one scheme that the server may sign the handshake with; with an RSA
    /// key it is PSS in both versions.
    pub fn signature_scheme(&self) -> u16 {
        self.key.code_point()
    }
}

impl Unit {
    /// The unit as printed behind a figure.
    pub fn label(self) -> &'static str {
        match self {
            Self::PerSecond => "/s",
            Self::MegabytesPerSecond => "MB/s",
        }
    }

    /// The figure for `iterations` iterations over `bytes_each` bytes in `seconds`.
    pub fn rate(self, iterations: u64, bytes_each: usize, seconds: f64) -> f64 {
        let amount = match self {
            Self::PerSecond => iterations as f64,
            Self::MegabytesPerSecond => iterations as f64 * bytes_each as f64 / 1e6,
        };
        amount / seconds
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_id_parses_back_to_its_scenario() {
        let all = Scenario::catalogue();
        for scenario in &all {
            assert_eq!(Scenario::from_id(&scenario.id()), Some(*scenario));
        }
        let ids: HashSet<String> = all.iter().map(Scenario::id).collect();
        assert_eq!(ids.len(), all.len());
    }

    #[test]
    fn the_published_ids_exist() {
        for id in [
            "hs-full:tls1.3:ecdsa-p256:x25519",
            "hs-full:tls1.2:rsa-2048:x25519",
            "bulk:tls1.3:aes-128-gcm",
            "algo:aes-128-gcm-enc",
            "algo:rsa-2048-sign",
            "algo:p256-sign",
            "algo:x25519-agree",
        ] {
            let scenario = Scenario::from_id(id).expect(id);
            assert!(Scenario::catalogue().contains(&scenario), "{id}");
        }
    }

    #[test]
    fn a_malformed_id_is_refused() {
        for id in [
            "",
            "hs-full",
            "hs-full:tls1.1:rsa-2048:x25519",
            "algo:rot13",
        ] {
            assert_eq!(Scenario::from_id(id), None, "{id}");
        }
    }

    #[test]
    fn ten_million_bytes_in_two_seconds_are_five_megabytes_per_second() {
        let rate = Unit::MegabytesPerSecond.rate(1000, 10_000, 2.0);
        assert!((rate - 5.0).abs() < 1e-12);
        assert!((Unit::PerSecond.rate(1000, 10_000, 2.0) - 500.0).abs() < 1e-12);
    }
}
