//! Handshakes in memory: every version with every kind of key, group and suite, and what is
//! negotiated.

mod support;

use support::{Authority, ends, handshake, receive};
use wolfssl::{
    CipherSuite, ClientConfig, NamedGroup, ProtocolVersion, ServerConfig, SignatureScheme,
};

#[test]
fn both_versions_with_every_kind_of_key() {
    let authority = Authority::new("root");
    use SignatureScheme as Scheme;
    // TLS 1.2 does not tie the hash to the curve: wolfSSL signs with SHA-256 there.
    let keys = [
        (
            &rcgen::PKCS_ECDSA_P256_SHA256,
            Scheme::ECDSA_NISTP256_SHA256,
            Scheme::ECDSA_NISTP256_SHA256,
        ),
        (
            &rcgen::PKCS_ECDSA_P384_SHA384,
            Scheme::ECDSA_NISTP256_SHA256,
            Scheme::ECDSA_NISTP384_SHA384,
        ),
        (&rcgen::PKCS_ED25519, Scheme::ED25519, Scheme::ED25519),
    ];
    for version in [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3] {
        for (algorithm, scheme12, scheme13) in keys {
            let scheme = if version == ProtocolVersion::TLSv1_2 {
                scheme12
            } else {
                scheme13
            };
            let leaf = authority.leaf_with(&["a.test"], algorithm, |_| {});
            let server = ServerConfig::builder()
                .identity(leaf.certified())
                .build()
                .unwrap();
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .versions(&[version])
                .build()
                .unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            assert!(outcome.is_ok(), "{version} {scheme}: {outcome:?}");
            assert_eq!(client.negotiated_version(), Some(version));
            assert_eq!(server.negotiated_version(), Some(version));
            assert_eq!(
                client.negotiated_signature_scheme(),
                Some(scheme),
                "{version}"
            );
            assert_eq!(
                server.negotiated_signature_scheme(),
                Some(scheme),
                "{version}"
            );
            assert_eq!(client.peer_certificates(), leaf.chain.as_slice());
            assert!(server.peer_certificates().is_empty());
            assert_eq!(server.server_name().as_deref(), Some("a.test"));
            assert!(!client.is_resumed() && !server.is_resumed());
        }
    }
}

#[test]
fn every_group_in_both_versions() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .groups(NamedGroup::ALL)
        .build()
        .unwrap();
    for version in [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3] {
        for &group in NamedGroup::ALL {
            if version == ProtocolVersion::TLSv1_2 && group.is_tls13_only() {
                continue;
            }
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .versions(&[version])
                .groups(&[group])
                .build()
                .unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            assert!(outcome.is_ok(), "{version} {group}: {outcome:?}");
            assert_eq!(client.negotiated_group(), Some(group), "{version}");
            assert_eq!(server.negotiated_group(), Some(group), "{version}");
        }
    }
}

#[test]
fn every_suite_of_both_versions() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .build()
        .unwrap();
    for &suite in CipherSuite::ALL {
        if suite.name().contains("_RSA_") {
            continue; // the leaf here is ECDSA; the RSA ones stand in interop.rs
        }
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .cipher_suites(&[suite])
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(outcome.is_ok(), "{suite}: {outcome:?}");
        assert_eq!(client.negotiated_cipher_suite(), Some(suite));
        assert_eq!(server.negotiated_cipher_suite(), Some(suite));
        assert_eq!(client.negotiated_version(), Some(suite.version()));
        let mut wire = Vec::new();
        client.write(b"ping", &mut wire).unwrap();
        assert_eq!(receive(&mut server, &wire).unwrap(), b"ping");
    }
}

#[test]
fn hybrid_and_ecdhe_groups_fall_back_to_what_both_have() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .groups(&[NamedGroup::secp384r1])
        .build()
        .unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let outcome = handshake(&mut client, &mut server);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(client.negotiated_group(), Some(NamedGroup::secp384r1));
}

#[test]
fn alpn_is_agreed_refused_or_absent() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .alpn(["h2", "http/1.1"])
        .build()
        .unwrap();
    let offer = |protocols: &[&str]| {
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .alpn(protocols)
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        (outcome, client.negotiated_alpn(), server.negotiated_alpn())
    };
    let (outcome, client, server) = offer(&["http/1.1"]);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(client.as_deref(), Some(b"http/1.1".as_slice()));
    assert_eq!(server.as_deref(), Some(b"http/1.1".as_slice()));

    // RFC 7301, section 3.2: the server's most preferred, wherever it stands in the offer.
    for offered in [&["http/1.1", "h2"][..], &["smtp", "http/1.1", "h3", "h2"]] {
        let (outcome, client, server) = offer(offered);
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(client.as_deref(), Some(b"h2".as_slice()));
        assert_eq!(server.as_deref(), Some(b"h2".as_slice()));
    }

    let (outcome, client, _) = offer(&[]);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(client, None);

    let (outcome, ..) = offer(&["smtp"]);
    assert!(
        matches!(
            outcome.client,
            Err(wolfssl::Error::AlertReceived(
                wolfssl::AlertDescription::NoApplicationProtocol
            ))
        ),
        "{outcome:?}"
    );
    assert!(outcome.server.is_err());
}

#[test]
fn versions_without_overlap_fail_on_both_sides() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .versions(&[ProtocolVersion::TLSv1_3])
        .build()
        .unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .versions(&[ProtocolVersion::TLSv1_2])
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let outcome = handshake(&mut client, &mut server);
    assert!(
        outcome.client.is_err() && outcome.server.is_err(),
        "{outcome:?}"
    );
}
