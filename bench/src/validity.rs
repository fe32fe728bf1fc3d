//! What was negotiated, and whether that is what the scenario asks for. A row that fails here is
//! INVALID: its figure measured something else and is never shown.

use serde::{Deserialize, Serialize};

use crate::scenario::TlsParameters;
use crate::scenario::parameter::{
    CodePoint, KeyKind, TlsVersion, group_name, signature_scheme_name, suite_name, version_name,
};

/// The facts of the connections behind one sample, as the worker saw them.
///
/// Version, suite, group and resumption are read from the bytes on the wire and asked of both
/// sides; the chain is the one the client received; `verified` says that the same client refused
/// the server under a wrong name and under a wrong CA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Negotiated {
    /// Protocol version, for example `tls1.3`.
    pub version: String,
    /// IANA name of the cipher suite.
    pub suite: String,
    /// Key exchange group, for example `x25519`.
    pub group: String,
    /// Kind of key in the leaf that the client received.
    pub key: String,
    /// Scheme of the server's handshake signature; absent where neither the wire nor the library
    /// tells it.
    pub signature_scheme: Option<String>,
    /// Whether the handshake resumed an earlier session.
    pub resumed: bool,
    /// Certificates the client received.
    pub chain_len: usize,
    /// Whether the client refuses a wrong name and a wrong CA.
    pub verified: bool,
    /// Session tickets the server sent.
    pub tickets: usize,
}

/// Every way in which `negotiated` differs from what `wanted` asks for; empty if it is the same.
pub fn differences(wanted: &TlsParameters, negotiated: &Negotiated) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, want: String, got: &str| {
        if want != got {
            found.push(format!("{what} is {got}, not {want}"));
        }
    };
    compare(
        "version",
        version_name(wanted.version.code_point()),
        &negotiated.version,
    );
    compare("suite", suite_name(wanted.suite()), &negotiated.suite);
    compare(
        "group",
        group_name(wanted.group.code_point()),
        &negotiated.group,
    );
    compare("key", wanted.key.label().to_owned(), &negotiated.key);
    compare(
        "resumed",
        false.to_string(),
        &negotiated.resumed.to_string(),
    );
    compare(
        "chain length",
        1.to_string(),
        &negotiated.chain_len.to_string(),
    );
    compare(
        "verified",
        true.to_string(),
        &negotiated.verified.to_string(),
    );
    compare("tickets", 0.to_string(), &negotiated.tickets.to_string());
    match &negotiated.signature_scheme {
        Some(scheme) => {
            let allowed: Vec<String> = wanted
                .signature_schemes()
                .into_iter()
                .map(signature_scheme_name)
                .collect();
            if !allowed.contains(scheme) {
                found.push(format!(
                    "signature scheme is {scheme}, not {}",
                    allowed.join(" or ")
                ));
            }
        }
        None if scheme_is_encrypted(wanted) => {}
        None => found.push("signature scheme is not reported".to_owned()),
    }
    found
}

/// TLS 1.3 encrypts CertificateVerify, so a library that keeps the scheme to itself cannot be
/// asked. With an elliptic curve key the key alone decides it.
fn scheme_is_encrypted(wanted: &TlsParameters) -> bool {
    match (wanted.version, wanted.key) {
        (TlsVersion::Tls13, KeyKind::EcdsaP256 | KeyKind::Rsa2048) => true,
        (TlsVersion::Tls12, _) => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::scenario::parameter::{Cipher, Group};

    pub(crate) fn wanted() -> TlsParameters {
        TlsParameters {
            version: TlsVersion::Tls13,
            cipher: Cipher::Aes128Gcm,
            key: KeyKind::EcdsaP256,
            group: Group::X25519,
        }
    }

    pub(crate) fn honest() -> Negotiated {
        Negotiated {
            version: "tls1.3".into(),
            suite: "TLS_AES_128_GCM_SHA256".into(),
            group: "x25519".into(),
            key: "ecdsa-p256".into(),
            signature_scheme: Some("ecdsa_secp256r1_sha256".into()),
            resumed: false,
            chain_len: 1,
            verified: true,
            tickets: 0,
        }
    }

    #[test]
    fn what_was_asked_for_is_valid() {
        assert_eq!(differences(&wanted(), &honest()), Vec::<String>::new());
    }

    type Lie = fn(&mut Negotiated);

    #[test]
    fn each_fact_is_compared() {
        let lies: [(&str, Lie); 9] = [
            ("version", |n| n.version = "tls1.2".into()),
            ("suite", |n| n.suite = "TLS_CHACHA20_POLY1305_SHA256".into()),
            ("group", |n| n.group = "0x0017".into()),
            ("key", |n| n.key = "rsa-2048".into()),
            ("signature", |n| {
                n.signature_scheme = Some("rsa_pss_rsae_sha256".into());
            }),
            ("resumed", |n| n.resumed = true),
            ("chain", |n| n.chain_len = 2),
            ("verified", |n| n.verified = false),
            ("tickets", |n| n.tickets = 1),
        ];
        for (word, lie) in lies {
            let mut negotiated = honest();
            lie(&mut negotiated);
            let found = differences(&wanted(), &negotiated);
            assert_eq!(found.len(), 1, "{word}: {found:?}");
            assert!(found[0].contains(word), "{word}: {found:?}");
        }
    }

    #[test]
    fn tls12_shows_its_signature_scheme_on_the_wire() {
        let wanted = TlsParameters {
            version: TlsVersion::Tls12,
            ..wanted()
        };
        let mut negotiated = honest();
        negotiated.version = "tls1.2".into();
        negotiated.suite = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256".into();
        negotiated.signature_scheme = None;
        assert_eq!(
            differences(&wanted, &negotiated),
            ["signature scheme is not reported"]
        );
    }
}
