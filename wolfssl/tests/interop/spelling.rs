//! OpenSSL's and GnuTLS's words for what this library names by IANA's registries.

use wolfssl::{CipherSuite, NamedGroup, ProtocolVersion, SignatureScheme};

use crate::ours::Negotiated;

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

/// The priority string that restricts a program of GnuTLS to this version.
pub fn gnutls_priority(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::TLSv1_2 => "NORMAL:-VERS-ALL:+VERS-TLS1.2",
        _ => "NORMAL:-VERS-ALL:+VERS-TLS1.3",
    }
}

/// How GnuTLS names a group, also in priority strings after `GROUP-`.
pub fn gnutls_group(group: NamedGroup) -> &'static str {
    match group {
        NamedGroup::X25519 => "X25519",
        NamedGroup::secp256r1 => "SECP256R1",
        NamedGroup::secp384r1 => "SECP384R1",
        NamedGroup::secp521r1 => "SECP521R1",
        other => panic!("no name for {other}"),
    }
}

/// GnuTLS's summary of a connection, for certificates (`X.509`) or `Raw Public Key`.
pub fn gnutls_description(negotiated: &Negotiated, certificate: &str) -> String {
    use SignatureScheme as Scheme;
    let tls13 = negotiated.version == ProtocolVersion::TLSv1_3;
    let signature = match negotiated.scheme {
        Scheme::ECDSA_NISTP256_SHA256 if tls13 => "ECDSA-SECP256R1-SHA256",
        Scheme::ECDSA_NISTP256_SHA256 => "ECDSA-SHA256",
        Scheme::RSA_PSS_SHA256 => "RSA-PSS-RSAE-SHA256",
        Scheme::RSA_PKCS1_SHA256 => "RSA-SHA256",
        other => panic!("no name for {other}"),
    };
    let suite = negotiated.suite.name();
    let cipher = match suite.trim_start_matches("TLS_").split_once("WITH_") {
        Some((_, cipher)) => cipher.to_owned(),
        None => suite.trim_start_matches("TLS_").to_owned(),
    };
    let (cipher, _hash) = cipher.rsplit_once('_').expect("a hash");
    format!(
        "({}-{certificate})-(ECDHE-{})-({signature})-({})",
        negotiated.version.to_string().replace("TLSv", "TLS"),
        gnutls_group(negotiated.group),
        cipher.replace('_', "-"),
    )
}
