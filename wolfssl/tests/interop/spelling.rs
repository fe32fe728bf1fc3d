//! OpenSSL's words for what this library names by IANA's registries.

use wolfssl::{CipherSuite, NamedGroup, ProtocolVersion};

/// The option that restricts a program of OpenSSL to this version.
pub fn version_option(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::TLSv1_2 => "-tls1_2",
        _ => "-tls1_3",
    }
}

pub const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

/// `ECDHE-RSA-AES128-GCM-SHA256` for `TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256`; the names of
/// TLS 1.3 are the registry's.
pub fn suite(suite: CipherSuite) -> String {
    if suite.version() == ProtocolVersion::TLSv1_3 {
        return suite.name().to_owned();
    }
    suite
        .name()
        .trim_start_matches("TLS_")
        .replace("_WITH_", "-")
        .replace("AES_", "AES")
        .replace("POLY1305_SHA256", "POLY1305")
        .replace('_', "-")
}

/// How `s_client` names the server's key share.
pub fn temp_key(group: NamedGroup) -> &'static str {
    match group {
        NamedGroup::X25519 => "X25519, 253 bits",
        NamedGroup::secp256r1 => "ECDH, prime256v1, 256 bits",
        NamedGroup::secp384r1 => "ECDH, secp384r1, 384 bits",
        NamedGroup::secp521r1 => "ECDH, secp521r1, 521 bits",
        other => panic!("no name for {other}"),
    }
}

/// How the option `-groups` names it.
pub fn group(group: NamedGroup) -> &'static str {
    match group {
        NamedGroup::X25519 => "X25519",
        NamedGroup::secp256r1 => "P-256",
        NamedGroup::secp384r1 => "P-384",
        NamedGroup::secp521r1 => "P-521",
        other => other.name(),
    }
}
