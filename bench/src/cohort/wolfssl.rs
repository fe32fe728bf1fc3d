//! wolfSSL: the algorithms through its C interface.

use super::{Description, Library, Result};
use crate::fixtures::Fixtures;
use crate::scenario::Scenario;
use crate::wolfcrypt;
use crate::worker::Measurable;

pub(super) const LIBRARY: Library = Library {
    name: "wolfssl",
    describe,
    supports: |scenario| matches!(scenario, Scenario::Algorithm(_)),
    prepare,
};

fn describe() -> Result<Description> {
    let compiled = [
        ("armasm", cfg!(feature = "armasm")),
        ("fp-ecc", cfg!(feature = "fp-ecc")),
        ("intelasm", cfg!(feature = "intelasm")),
        ("sp", cfg!(feature = "sp")),
        ("sp-asm", cfg!(feature = "sp-asm")),
        ("u128", cfg!(feature = "u128")),
    ];
    let features = compiled.iter().filter(|(_, on)| *on);
    Ok(Description {
        version: wolfssl_sys::build_info().wolfssl_version.to_owned(),
        features: features.map(|(name, _)| (*name).to_owned()).collect(),
        build_info: serde_json::from_str(wolfssl_sys::BUILD_INFO_JSON)?,
    })
}

fn prepare(scenario: &Scenario, fixtures: &Fixtures) -> Result<Box<dyn Measurable>> {
    match scenario {
        Scenario::Algorithm(algorithm) => wolfcrypt::prepare(algorithm, fixtures),
        Scenario::Handshake(_) | Scenario::Bulk(_) => {
            Err(format!("{scenario} is not wired").into())
        }
    }
}
