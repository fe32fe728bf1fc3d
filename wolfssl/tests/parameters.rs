//! Signature schemes, key shares, suites, groups and versions: what is offered, what is
//! chosen, what is refused.

mod support;

use rcgen::KeyPair;
use support::{Authority, ends, handshake};
use wolfssl::{
    Acceptor, AlertDescription, CipherSuite, ClientAuth, ClientConfig, ClientConfigBuilder,
    ClientConnection, ClientHello, ConfigError, Error, NamedGroup, ProtocolVersion, PublicKeyType,
    ServerConfig, ServerConnection, SignatureScheme, Status,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];
const RSA_KEY: &str = include_str!("data/rsa-2048.pem");

/// The first hello of a client.
fn hello_of(builder: ClientConfigBuilder) -> ClientHello {
    let config = builder.build().unwrap();
    let mut client = ClientConnection::new(&config, "a.test".try_into().unwrap()).unwrap();
    let mut wire = Vec::new();
    client.process(&mut &[][..], &mut wire).unwrap();
    let accepted = Acceptor::new()
        .read_client_hello(&mut wire.as_slice())
        .unwrap();
    accepted.expect("a whole hello").client_hello().clone()
}

fn shares(hello: &ClientHello) -> Vec<NamedGroup> {
    hello
        .key_shares()
        .map(|(group, _)| NamedGroup::from_value(group).unwrap())
        .collect()
}

#[test]
fn the_default_hello_offers_what_the_constants_say() {
    let authority = Authority::new("root");
    let hello = hello_of(ClientConfig::builder().roots(authority.roots()));
    let schemes = hello.signature_schemes().known().collect::<Vec<_>>();
    assert_eq!(schemes, SignatureScheme::DEFAULT);
    assert_eq!(
        hello.groups().known().collect::<Vec<_>>(),
        NamedGroup::DEFAULT
    );
    assert_eq!(
        hello.cipher_suites().known().collect::<Vec<_>>(),
        CipherSuite::DEFAULT
    );
    assert_eq!(
        shares(&hello),
        [NamedGroup::X25519MLKEM768, NamedGroup::X25519]
    );
    let sizes = hello.key_shares().map(|(_, share)| share.len());
    assert_eq!(sizes.collect::<Vec<_>>(), [1184 + 32, 32]);
}

#[test]
fn key_shares_follow_the_groups_or_the_callers_wish() {
    use NamedGroup::{SecP256r1MLKEM768, X25519, X25519MLKEM768, secp256r1, secp384r1};
    let authority = Authority::new("root");
    let builder = || ClientConfig::builder().roots(authority.roots());
    for (groups, expected) in [
        (&[X25519, secp256r1][..], &[X25519][..]),
        (&[secp384r1, X25519MLKEM768], &[secp384r1]),
        (
            &[SecP256r1MLKEM768, X25519MLKEM768, secp256r1],
            &[SecP256r1MLKEM768, secp256r1],
        ),
        (&[X25519MLKEM768], &[X25519MLKEM768]),
    ] {
        assert_eq!(shares(&hello_of(builder().groups(groups))), expected);
    }
    // In the order of the groups, as RFC 8446 section 4.2.8 wants it.
    let hello = hello_of(builder().key_shares(&[secp256r1, X25519]));
    assert_eq!(shares(&hello), [X25519, secp256r1]);
    assert!(shares(&hello_of(builder().key_shares(&[]))).is_empty());
    let tls12 = builder()
        .versions(&[ProtocolVersion::TLSv1_2])
        .key_shares(&[X25519]);
    assert!(shares(&hello_of(tls12)).is_empty());
    let refusal = builder().groups(&[X25519]).key_shares(&[secp256r1]).build();
    assert!(matches!(
        refusal,
        Err(Error::Config(ConfigError::KeyShareNotOffered {
            group: secp256r1
        }))
    ));
}

/// Hellos that a client sent, and how the handshake ended.
fn hellos(client: &ClientConfig, server: &ServerConfig) -> (usize, Result<NamedGroup, Error>) {
    let mut client = ClientConnection::new(client, "a.test".try_into().unwrap()).unwrap();
    let mut server = ServerConnection::new(server).unwrap();
    let (mut to_client, mut to_server) = (Vec::new(), Vec::new());
    let mut count = 0;
    for _ in 0..8 {
        let input = std::mem::take(&mut to_client);
        let mut rest = input.as_slice();
        let outcome = loop {
            match client.process(&mut rest, &mut to_server) {
                Ok(Status::HandshakeComplete) => {}
                other => break other,
            }
        };
        count += client_hellos(&to_server);
        if let Err(error) = outcome {
            return (count, Err(error));
        }
        if !client.is_handshaking() {
            return (count, Ok(client.negotiated_group().unwrap()));
        }
        let input = std::mem::take(&mut to_server);
        // A server's failure reaches the client as an alert.
        let _ = server.process(&mut input.as_slice(), &mut to_client);
    }
    panic!("neither done nor failed after 8 rounds");
}

/// ClientHellos among the plaintext handshake records of a flight.
fn client_hellos(mut flight: &[u8]) -> usize {
    let mut count = 0;
    while let [kind, _, _, high, low, rest @ ..] = flight {
        let (record, after) = rest.split_at(usize::from(u16::from_be_bytes([*high, *low])));
        count += usize::from(*kind == 22 && record.first() == Some(&1));
        flight = after;
    }
    count
}

#[test]
fn servers_of_each_group_need_one_hello_or_a_retry() {
    use NamedGroup::{X25519, X25519MLKEM768, secp256r1, secp384r1, secp521r1};
    let authority = Authority::new("root");
    let server = |groups: &[NamedGroup]| {
        ServerConfig::builder()
            .identity(authority.leaf(&["a.test"]).certified())
            .groups(groups)
            .build()
            .unwrap()
    };
    let builder = || ClientConfig::builder().roots(authority.roots());
    let default = builder().build().unwrap();
    for (groups, expected) in [
        (&[X25519MLKEM768][..], (1, X25519MLKEM768)),
        (&[X25519MLKEM768, X25519], (1, X25519MLKEM768)),
        (&[X25519, X25519MLKEM768], (1, X25519)),
        (&[X25519], (1, X25519)),
        (&[secp384r1], (2, secp384r1)),
        (&[secp521r1, secp256r1], (2, secp521r1)),
    ] {
        let (count, group) = hellos(&default, &server(groups));
        assert_eq!((count, group.unwrap()), expected, "server with {groups:?}");
    }
    // A retry to the hybrid, from a classical share and from none at all.
    let late = builder().key_shares(&[X25519]).build().unwrap();
    let (count, group) = hellos(&late, &server(&[X25519MLKEM768]));
    assert_eq!((count, group.unwrap()), (2, X25519MLKEM768));
    let none = builder().key_shares(&[]).build().unwrap();
    for group in [X25519MLKEM768, X25519, secp256r1] {
        let (count, negotiated) = hellos(&none, &server(&[group]));
        assert_eq!((count, negotiated.unwrap()), (2, group));
    }
}

#[test]
fn no_common_group_fails_at_once() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .groups(&[NamedGroup::X25519])
        .build()
        .unwrap();
    for version in VERSIONS {
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .groups(&[NamedGroup::secp521r1])
            .build()
            .unwrap();
        let (count, outcome) = hellos(&client, &server);
        assert_eq!(count, 1, "{version}");
        assert!(
            matches!(
                outcome,
                Err(Error::AlertReceived(AlertDescription::HandshakeFailure))
            ),
            "{version}: {outcome:?}"
        );
    }
}

#[test]
fn the_order_of_suites_is_a_preference_and_nothing_else() {
    let tls12 = CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384;
    let other12 = CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;
    let tls13 = CipherSuite::TLS13_AES_256_GCM_SHA384;
    let authority = Authority::new("root");
    let lists = [&[tls12, tls13][..], &[tls13, tls12], &[tls12], &[tls13]];
    for server_list in lists {
        let server = ServerConfig::builder()
            .identity(authority.leaf(&["a.test"]).certified())
            .cipher_suites(server_list)
            .build()
            .unwrap();
        for version in VERSIONS {
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .versions(&[version])
                .build()
                .unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            let expected = server_list.iter().find(|suite| suite.version() == version);
            assert_eq!(
                outcome.is_ok(),
                expected.is_some(),
                "{server_list:?} {version}"
            );
            assert_eq!(client.negotiated_cipher_suite(), expected.copied());
        }
    }
    // The server's order decides.
    for (server_list, expected) in [([tls12, other12], tls12), ([other12, tls12], other12)] {
        let server = ServerConfig::builder()
            .identity(authority.leaf(&["a.test"]).certified())
            .cipher_suites(&server_list)
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .cipher_suites(&[tls12, other12])
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        assert!(handshake(&mut client, &mut server).is_ok());
        assert_eq!(client.negotiated_cipher_suite(), Some(expected));
    }
}

#[test]
fn the_highest_common_version_is_taken_and_lower_limits_are_no_downgrade() {
    let authority = Authority::new("root");
    for server_versions in [&VERSIONS[..1], &VERSIONS[1..], &VERSIONS[..]] {
        for client_versions in [&VERSIONS[..1], &VERSIONS[1..], &VERSIONS[..]] {
            let server = ServerConfig::builder()
                .identity(authority.leaf(&["a.test"]).certified())
                .versions(server_versions)
                .build()
                .unwrap();
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .versions(client_versions)
                .build()
                .unwrap();
            let expected = VERSIONS
                .iter()
                .rev()
                .find(|version| {
                    server_versions.contains(version) && client_versions.contains(version)
                })
                .copied();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            assert_eq!(
                client.negotiated_version(),
                expected,
                "{server_versions:?} {client_versions:?}: {outcome:?}"
            );
        }
    }
}

/// A leaf for each kind of key, with the schemes it can sign by in TLS 1.3.
fn keys() -> Vec<(KeyPair, PublicKeyType, Vec<SignatureScheme>)> {
    use SignatureScheme as S;
    let generate = |algorithm| KeyPair::generate_for(algorithm).unwrap();
    vec![
        (
            generate(&rcgen::PKCS_ECDSA_P256_SHA256),
            PublicKeyType::EcdsaP256,
            vec![S::ECDSA_NISTP256_SHA256],
        ),
        (
            generate(&rcgen::PKCS_ECDSA_P384_SHA384),
            PublicKeyType::EcdsaP384,
            vec![S::ECDSA_NISTP384_SHA384],
        ),
        (
            generate(&rcgen::PKCS_ED25519),
            PublicKeyType::Ed25519,
            vec![S::ED25519],
        ),
        (
            KeyPair::from_pem(RSA_KEY).unwrap(),
            PublicKeyType::Rsa { bits: 2048 },
            vec![S::RSA_PSS_SHA256, S::RSA_PSS_SHA384, S::RSA_PSS_SHA512],
        ),
    ]
}

#[test]
fn each_scheme_can_be_the_only_one() {
    let authority = Authority::new("root");
    for (key, kind, schemes) in keys() {
        let leaf = authority.leaf_for_key(&["a.test"], key, |_| {});
        for scheme in schemes {
            // The authority signs with ECDSA; the schemes are for the handshake's signature.
            for (client_schemes, server_schemes) in [
                (&[scheme][..], SignatureScheme::DEFAULT),
                (SignatureScheme::DEFAULT, &[scheme]),
            ] {
                let server = ServerConfig::builder()
                    .identity(leaf.certified())
                    .signature_schemes(server_schemes)
                    .build()
                    .unwrap();
                let client = ClientConfig::builder()
                    .roots(authority.roots())
                    .versions(&[ProtocolVersion::TLSv1_3])
                    .signature_schemes(client_schemes)
                    .build()
                    .unwrap();
                let (mut client, mut server) = ends(&client, &server, "a.test");
                let outcome = handshake(&mut client, &mut server);
                assert!(outcome.is_ok(), "{scheme}: {outcome:?}");
                assert_eq!(client.negotiated_signature_scheme(), Some(scheme));
                assert_eq!(server.negotiated_signature_scheme(), Some(scheme));
                assert_eq!(client.peer_key_type(), Some(kind));
                assert_eq!(server.peer_key_type(), None);
            }
        }
    }
}

/// wolfSSL 5.9.4 picks among the schemes of an RSA key by the hash, the smallest first, and of
/// two with the same hash PSS, whatever the client's order.
#[test]
fn of_several_schemes_for_a_key_the_smallest_hash_is_taken() {
    use SignatureScheme::{RSA_PKCS1_SHA256, RSA_PKCS1_SHA512, RSA_PSS_SHA256, RSA_PSS_SHA512};
    let authority = Authority::new("root");
    let leaf = authority.leaf_for_key(&["a.test"], KeyPair::from_pem(RSA_KEY).unwrap(), |_| {});
    let server = ServerConfig::builder()
        .identity(leaf.certified())
        .build()
        .unwrap();
    let [tls12, tls13] = VERSIONS;
    for (version, order, expected) in [
        (tls13, [RSA_PSS_SHA512, RSA_PSS_SHA256], RSA_PSS_SHA256),
        (tls13, [RSA_PSS_SHA256, RSA_PSS_SHA512], RSA_PSS_SHA256),
        (
            tls12,
            [RSA_PKCS1_SHA512, RSA_PKCS1_SHA256],
            RSA_PKCS1_SHA256,
        ),
        (tls12, [RSA_PKCS1_SHA256, RSA_PSS_SHA256], RSA_PSS_SHA256),
        (tls12, [RSA_PSS_SHA256, RSA_PKCS1_SHA256], RSA_PSS_SHA256),
    ] {
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .signature_schemes(&order)
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(outcome.is_ok(), "{version} {order:?}: {outcome:?}");
        assert_eq!(
            client.negotiated_signature_scheme(),
            Some(expected),
            "{version} {order:?}"
        );
    }
}

#[test]
fn a_key_without_a_common_scheme_fails_the_handshake() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["a.test"]);
    for version in VERSIONS {
        let server = ServerConfig::builder()
            .identity(leaf.certified())
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .signature_schemes(&[SignatureScheme::RSA_PSS_SHA256])
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(outcome.server.is_err(), "{version}: {outcome:?}");
        assert!(
            matches!(
                outcome.client,
                Err(Error::AlertReceived(AlertDescription::HandshakeFailure))
            ),
            "{version}: {outcome:?}"
        );
    }
    for version in VERSIONS {
        let server = ServerConfig::builder()
            .identity(leaf.certified())
            .signature_schemes(&[SignatureScheme::RSA_PSS_SHA256])
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(!outcome.is_ok(), "{version}: {outcome:?}");
    }
}

#[test]
fn clients_sign_by_the_servers_list() {
    use SignatureScheme::{ECDSA_NISTP256_SHA256, RSA_PKCS1_SHA256, RSA_PSS_SHA256};
    let authority = Authority::new("root");
    let rsa = authority.leaf_for_key(&["c.test"], KeyPair::from_pem(RSA_KEY).unwrap(), |_| {});
    for version in VERSIONS {
        for (schemes, succeeds) in [
            (
                &[ECDSA_NISTP256_SHA256, RSA_PSS_SHA256, RSA_PKCS1_SHA256][..],
                true,
            ),
            (&[ECDSA_NISTP256_SHA256], false),
        ] {
            let server = ServerConfig::builder()
                .identity(authority.leaf(&["a.test"]).certified())
                .client_auth(ClientAuth::Required(authority.roots()))
                .signature_schemes(schemes)
                .build()
                .unwrap();
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .versions(&[version])
                .client_identity(rsa.certified())
                .build()
                .unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            // wolfSSL 5.9.4 adds schemes for RSA to a TLS 1.2 list that has none.
            let succeeds = succeeds || version == ProtocolVersion::TLSv1_2;
            assert_eq!(
                outcome.is_ok(),
                succeeds,
                "{version} {schemes:?}: {outcome:?}"
            );
            if succeeds {
                assert_eq!(
                    server.peer_key_type(),
                    Some(PublicKeyType::Rsa { bits: 2048 })
                );
            }
        }
    }
}

#[test]
fn lists_cannot_be_empty_or_hold_unknown_names() {
    let authority = Authority::new("root");
    let refusal = ClientConfig::builder()
        .roots(authority.roots())
        .signature_schemes(&[])
        .build();
    assert!(matches!(
        refusal,
        Err(Error::Config(ConfigError::Empty {
            what: "signature schemes"
        }))
    ));
    for scheme in SignatureScheme::ALL {
        assert_eq!(scheme.name().parse(), Ok(*scheme));
    }
    assert!("rsa_pkcs1_sha1".parse::<SignatureScheme>().is_err());
    assert!("x448".parse::<NamedGroup>().is_err());
    assert!(
        "TLS_RSA_WITH_AES_128_CBC_SHA"
            .parse::<CipherSuite>()
            .is_err()
    );
}

#[test]
fn alpn_without_a_common_protocol_has_one_outcome_in_both_versions() {
    let authority = Authority::new("root");
    for version in VERSIONS {
        let attempt = |server_protocols: &[&str], client_protocols: &[&str]| {
            let server = ServerConfig::builder()
                .identity(authority.leaf(&["a.test"]).certified())
                .alpn(server_protocols)
                .build()
                .unwrap();
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .versions(&[version])
                .alpn(client_protocols)
                .build()
                .unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            (outcome, client.negotiated_alpn(), server.negotiated_alpn())
        };
        let (outcome, ..) = attempt(&["h2"], &["http/1.1"]);
        assert!(
            matches!(
                outcome.client,
                Err(Error::AlertReceived(
                    AlertDescription::NoApplicationProtocol
                ))
            ),
            "{version}: {outcome:?}"
        );
        assert!(
            matches!(
                outcome.server,
                Err(Error::Handshake {
                    alert_sent: Some(AlertDescription::NoApplicationProtocol),
                    ..
                })
            ),
            "{version}: {outcome:?}"
        );
        let (outcome, ours, theirs) = attempt(&[], &["http/1.1"]);
        assert!(outcome.is_ok(), "{version}: {outcome:?}");
        assert_eq!((ours, theirs), (None, None));
    }
}

#[test]
fn both_ends_tell_the_name() {
    for version in VERSIONS {
        let authority = Authority::new("root");
        let server = ServerConfig::builder()
            .identity(authority.leaf(&["a.test", "127.0.0.1"]).certified())
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .build()
            .unwrap();
        for (name, sni) in [("a.test", Some("a.test")), ("127.0.0.1", None)] {
            let (mut client, mut server) = ends(&client, &server, name);
            assert!(handshake(&mut client, &mut server).is_ok());
            assert_eq!(client.server_name().unwrap().to_str(), name);
            assert_eq!(server.server_name().as_deref(), sni, "addresses are no SNI");
        }
    }
}
