//! What was negotiated, and whether that is what the scenario asks for. A row that fails here is
//! INVALID: its figure measured something else and is never shown.

use serde::{Deserialize, Serialize};

use crate::scenario::TlsParameters;
use crate::scenario::parameter::{
    CodePoint, group_name, signature_scheme_name, suite_name, version_name,
};

/// The facts of the connections behind one sample, as the worker saw them.
///
/// Version, suite, group and resumption are read from the bytes on the wire and asked of both
/// sides; the chain is the one the client received; `verified` says that the same client refused
/// the server under a wrong name and under a wrong CA.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Negotiated {
    /// Protocol version, for example `tls1.3`.
    pub version: String,
    /// IANA name of the cipher suite.
    pub suite: String,
    /// Key exchange group, for example `x25519`.
    pub group: String,
    /// Kind of key in the leaf that the client received.
    pub key: String,
    /// Scheme of the server's handshake signature; absent if neither the wire nor the library
    /// tells it, which makes the row invalid.
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
    compare(
        "signature scheme",
        signature_scheme_name(wanted.signature_scheme()),
        negotiated
            .signature_scheme
            .as_deref()
            .unwrap_or("not reported"),
    );
    found
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::scenario::parameter::{Cipher, Group, KeyKind, TlsVersion};

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
    fn a_scheme_that_is_not_reported_is_a_difference() {
        let mut negotiated = honest();
        negotiated.signature_scheme = None;
        assert_eq!(
            differences(&wanted(), &negotiated),
            ["signature scheme is not reported, not ecdsa_secp256r1_sha256"]
        );
    }
}
