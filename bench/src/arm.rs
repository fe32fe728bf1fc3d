//! The arms: what is compared. Each is one worker program, as two builds of the same C library
//! cannot share a process.

/// One column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The stable name.
    pub id: &'static str,
    /// The name under which the worker knows its library.
    pub library: &'static str,
    /// Cargo features of this crate that the worker is built with, besides the library's own.
    pub features: &'static [&'static str],
    /// The cargo feature that brings the library in.
    pub library_feature: &'static str,
    /// One line for people.
    pub summary: &'static str,
    /// Whether it is measured unless other arms are named.
    pub by_default: bool,
}

/// The features whose effect on machine code is measured, as a worker reports them.
pub const MACHINE_FEATURES: &[&str] = &["u128", "sp", "sp-asm", "armasm", "intelasm", "fp-ecc"];

/// Every arm, in the order of the table. Factors are over the first.
pub const ARMS: &[Arm] = &[
    wolfssl("generic", &[], "wolfSSL in portable C, 32-bit words"),
    wolfssl("u128", &["u128"], "with the 128-bit integer type"),
    wolfssl(
        "u128+sp",
        &["u128", "sp"],
        "with single precision code per key size, in C",
    ),
    wolfssl(
        "u128+sp+sp-asm",
        &["u128", "sp", "sp-asm"],
        "with single precision code in assembly",
    ),
    wolfssl(
        "full",
        &["u128", "sp", "sp-asm", "armasm", "intelasm"],
        "the default features: assembly for ciphers and hashes too",
    ),
    Arm {
        by_default: false,
        ..wolfssl(
            "full+fp-ecc",
            &["u128", "sp", "sp-asm", "armasm", "intelasm", "fp-ecc"],
            "with tables for elliptic curve points that recur, 363 KB in every thread",
        )
    },
    Arm {
        id: "rustls-aws-lc",
        library: "rustls-aws-lc",
        features: &[],
        library_feature: "peer-rustls-aws-lc",
        summary: "rustls over aws-lc-rs",
        by_default: true,
    },
];

impl Arm {
    /// The arm of this name.
    pub fn from_id(id: &str) -> Option<&'static Self> {
        ARMS.iter().find(|arm| arm.id == id)
    }

    /// The name as part of a path.
    pub fn directory_name(&self) -> String {
        self.id.replace('+', "-")
    }

    /// The machine code features a worker of this arm has to report, sorted.
    pub fn expected_features(&self) -> Vec<String> {
        let mut features: Vec<String> = self.features.iter().map(ToString::to_string).collect();
        features.sort();
        features
    }
}

const fn wolfssl(
    id: &'static str,
    features: &'static [&'static str],
    summary: &'static str,
) -> Arm {
    Arm {
        id,
        library: "wolfssl",
        features,
        library_feature: "wolfssl",
        summary,
        by_default: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_directories_are_unique() {
        for (index, arm) in ARMS.iter().enumerate() {
            for other in &ARMS[index + 1..] {
                assert_ne!(arm.id, other.id);
                assert_ne!(arm.directory_name(), other.directory_name());
            }
            assert_eq!(Arm::from_id(arm.id), Some(arm));
            assert!(!arm.directory_name().contains('+'));
        }
    }

    #[test]
    fn arms_use_known_features_only() {
        for arm in ARMS {
            for feature in arm.features {
                assert!(MACHINE_FEATURES.contains(feature), "{feature}");
            }
        }
    }
}
