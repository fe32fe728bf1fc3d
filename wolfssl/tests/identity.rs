//! Who the peer is: wrong names, addresses, unknown issuers, expiry, client certificates, and
//! input that no configuration accepts.

mod support;

use rcgen::date_time_ymd;
use support::{Authority, ends, handshake};
use wolfssl::{
    AlertDescription, CertificateError, CertifiedKey, ClientAuth, ClientConfig, ConfigError, Error,
    ProtocolVersion, RootCertStore, ServerConfig,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

/// The client's verdict on a server with `names`, asked for `name`.
fn verdict(names: &[&str], name: &str, version: ProtocolVersion) -> Result<(), Error> {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(names).certified())
        .build()
        .unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .versions(&[version])
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, name);
    let outcome = handshake(&mut client, &mut server);
    assert_eq!(
        client.peer_certificates().len(),
        1,
        "the chain is known either way"
    );
    if outcome.client.is_err() {
        assert!(
            matches!(
                outcome.server,
                Err(Error::AlertReceived(AlertDescription::BadCertificate))
            ),
            "{outcome:?}"
        );
    }
    outcome.client
}

#[test]
fn a_certificate_for_another_name_is_refused_and_both_names_are_told() {
    for version in VERSIONS {
        match verdict(&["a.test"], "b.test", version) {
            Err(Error::InvalidCertificate(CertificateError::NotValidForName {
                expected,
                presented,
            })) => {
                assert_eq!(expected, "b.test");
                assert_eq!(presented, ["a.test"]);
            }
            other => panic!("{version}: {other:?}"),
        }
    }
}

#[test]
fn only_the_address_in_the_certificate_passes() {
    for version in VERSIONS {
        assert!(verdict(&["127.0.0.1"], "127.0.0.1", version).is_ok());
        assert!(verdict(&["::1"], "::1", version).is_ok());
        for names in [["dns:127.0.0.1"], ["127.0.0.2"], ["::1"], ["a.test"]] {
            assert!(
                matches!(
                    verdict(&names, "127.0.0.1", version),
                    Err(Error::InvalidCertificate(
                        CertificateError::NotValidForName { .. }
                    ))
                ),
                "{version} {names:?}"
            );
        }
        assert!(verdict(&["::2"], "::1", version).is_err());
        assert!(verdict(&["127.0.0.1"], "::1", version).is_err());
    }
}

#[test]
fn wildcards_single_labels_and_rooted_names() {
    for version in VERSIONS {
        assert!(verdict(&["*.a.test"], "x.a.test", version).is_ok());
        assert!(verdict(&["*.a.test"], "a.test", version).is_err());
        assert!(verdict(&["*.a.test"], "x.y.a.test", version).is_err());
        assert!(verdict(&["localhost"], "localhost", version).is_ok());
        assert!(verdict(&["intranet"], "intranet", version).is_ok());
        assert!(verdict(&["a.test"], "A.TEST", version).is_ok());
        assert!(verdict(&["a.test"], "a.test.", version).is_ok());
        match verdict(&["other"], "intranet", version) {
            Err(Error::InvalidCertificate(CertificateError::NotValidForName {
                expected,
                presented,
            })) => {
                assert_eq!(expected, "intranet");
                assert_eq!(presented, ["other"]);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn unknown_issuer_expired_and_not_yet_valid() {
    let authority = Authority::new("root");
    let stranger = Authority::new("stranger");
    let expired = authority.leaf_with(&["a.test"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    let early = authority.leaf_with(&["a.test"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        params.not_before = date_time_ymd(2200, 1, 1);
    });
    let cases = [
        (
            stranger.leaf(&["a.test"]),
            CertificateError::UnknownIssuer,
            AlertDescription::UnknownCA,
        ),
        (
            expired,
            CertificateError::Expired,
            AlertDescription::CertificateExpired,
        ),
        (
            early,
            CertificateError::NotValidYet,
            AlertDescription::CertificateExpired,
        ),
    ];
    for version in VERSIONS {
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .build()
            .unwrap();
        for (leaf, expected, alert) in &cases {
            let server = ServerConfig::builder()
                .identity(CertifiedKey::new(leaf.chain.clone(), leaf.key()).unwrap())
                .build()
                .unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            match outcome.client {
                Err(Error::InvalidCertificate(error)) => assert_eq!(&error, expected),
                other => panic!("{version}: {other:?}"),
            }
            match outcome.server {
                Err(Error::AlertReceived(received)) => assert_eq!(received, *alert),
                other => panic!("{version}: {other:?}"),
            }
            assert_eq!(client.peer_certificates().len(), 1);
        }
    }
}

#[test]
fn a_chain_with_an_intermediate_verifies_and_is_reported_whole() {
    let root = Authority::new("root");
    let intermediate = root.intermediate("intermediate");
    let leaf = intermediate.leaf(&["a.test"]).under(&intermediate);
    let server = ServerConfig::builder()
        .identity(leaf.certified())
        .build()
        .unwrap();
    for version in VERSIONS {
        let client = ClientConfig::builder()
            .roots(root.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(client.peer_certificates(), leaf.chain.as_slice());
    }
}

#[test]
fn client_certificates_none_optional_required() {
    let authority = Authority::new("root");
    let stranger = Authority::new("stranger");
    let good = authority.leaf(&["client.test"]);
    let bad = stranger.leaf(&["client.test"]);
    let expired = authority.leaf_with(&["c.test"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        params.not_after = date_time_ymd(2020, 1, 1);
    });
    let server = |client_auth| {
        ServerConfig::builder()
            .identity(authority.leaf(&["a.test"]).certified())
            .client_auth(client_auth)
            .build()
            .unwrap()
    };
    let required = server(ClientAuth::Required(authority.roots()));
    let optional = server(ClientAuth::Optional(authority.roots()));
    for version in VERSIONS {
        let attempt = |server: &ServerConfig, identity: Option<&support::Leaf>| {
            let mut builder = ClientConfig::builder()
                .roots(authority.roots())
                .versions(&[version]);
            if let Some(leaf) = identity {
                builder = builder.client_identity(leaf.certified());
            }
            let (mut client, mut server) = ends(&builder.build().unwrap(), server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            (outcome, server.peer_certificates().to_vec())
        };
        let (outcome, chain) = attempt(&required, Some(&good));
        assert!(outcome.is_ok(), "{version}: {outcome:?}");
        assert_eq!(chain, good.chain);

        let (outcome, chain) = attempt(&optional, None);
        assert!(outcome.is_ok(), "{version}: {outcome:?}");
        assert!(chain.is_empty());

        let (outcome, _) = attempt(&required, None);
        assert!(
            matches!(
                outcome.server,
                Err(Error::InvalidCertificate(CertificateError::NotPresented))
            ),
            "{version}: {outcome:?}"
        );
        for (server, leaf, expected) in [
            (&required, &bad, CertificateError::UnknownIssuer),
            (&optional, &bad, CertificateError::UnknownIssuer),
            (&required, &expired, CertificateError::Expired),
        ] {
            match attempt(server, Some(leaf)).0.server {
                Err(Error::InvalidCertificate(error)) => assert_eq!(error, expected),
                other => panic!("{version}: {other:?}"),
            }
        }
    }
}

#[test]
fn verification_is_off_only_when_called_dangerous() {
    let stranger = Authority::new("stranger");
    let leaf = stranger.leaf(&["other.test"]);
    let server = ServerConfig::builder()
        .identity(leaf.certified())
        .build()
        .unwrap();
    let client = ClientConfig::builder()
        .dangerous()
        .without_certificate_verification()
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let outcome = handshake(&mut client, &mut server);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(client.peer_certificates(), leaf.chain.as_slice());
}

fn config_error<T: std::fmt::Debug>(result: Result<T, Error>) -> ConfigError {
    match result {
        Err(Error::Config(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn clients_need_trust_anchors() {
    assert_eq!(
        config_error(ClientConfig::builder().build()),
        ConfigError::NoTrustAnchors
    );
    let empty = ClientConfig::builder()
        .roots(RootCertStore::empty())
        .build();
    assert_eq!(config_error(empty), ConfigError::NoTrustAnchors);
}

#[test]
fn identities_are_checked_when_given() {
    let authority = Authority::new("root");
    let (one, other) = (authority.leaf(&["a.test"]), authority.leaf(&["b.test"]));
    assert_eq!(
        config_error(CertifiedKey::new(one.chain.clone(), other.key())),
        ConfigError::KeyMismatch
    );
    assert_eq!(
        config_error(CertifiedKey::new(Vec::new(), one.key())),
        ConfigError::Empty {
            what: "certificates"
        }
    );
    let garbage = vec![vec![1, 2, 3].into()];
    assert!(matches!(
        config_error(CertifiedKey::new(garbage, one.key())),
        ConfigError::CertificateChain { .. }
    ));
    for (chain, key, what) in [
        ("", one.key_pem.as_str(), "certificate"),
        ("no pem at all", one.key_pem.as_str(), "certificate"),
        (one.chain_pem.as_str(), "", "private key"),
        (
            one.chain_pem.as_str(),
            one.chain_pem.as_str(),
            "private key",
        ),
        (
            "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
            one.key_pem.as_str(),
            "certificate",
        ),
    ] {
        match config_error(CertifiedKey::from_pem(chain.as_bytes(), key.as_bytes())) {
            ConfigError::Pem { what: found, .. } => assert_eq!(found, what),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(
        config_error(CertifiedKey::from_pem_files(
            "/nonexistent/a.pem",
            "/nonexistent/b.pem"
        )),
        ConfigError::File { .. }
    ));
    assert_eq!(
        config_error(ServerConfig::builder().build()),
        ConfigError::NoIdentity
    );
    let both = format!("{}{}", one.key_pem, one.chain_pem);
    assert!(CertifiedKey::from_pem(both.as_bytes(), both.as_bytes()).is_ok());
}

#[test]
fn a_bundle_keeps_the_good_and_reports_the_bad() {
    let authority = Authority::new("root");
    let bundle = format!(
        "{good}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n{good}",
        good = authority.pem
    );
    let roots = RootCertStore::from_pem(bundle.as_bytes()).unwrap();
    assert_eq!(roots.len(), 1);
    assert_eq!(roots.rejected().len(), 1);
    assert_eq!(roots.rejected()[0].index, 1);
    for hopeless in [
        "",
        "text",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    ] {
        assert!(matches!(
            config_error(RootCertStore::from_pem(hopeless.as_bytes())),
            ConfigError::Pem { .. }
        ));
    }
}

#[test]
fn lists_are_checked_at_build() {
    let authority = Authority::new("root");
    let builder = || ClientConfig::builder().roots(authority.roots());
    let long = vec![b'x'; 256];
    for (name, index) in [(long.as_slice(), 1), (b"", 1), (b"a,b", 1), (b"a\0b", 1)] {
        match config_error(builder().alpn([b"h2".as_slice(), name]).build()) {
            ConfigError::AlpnProtocol { index: found, .. } => assert_eq!(found, index),
            other => panic!("{other:?}"),
        }
    }
    assert!(builder().alpn([vec![b'x'; 255]]).build().is_ok());
    assert_eq!(
        config_error(builder().versions(&[]).build()),
        ConfigError::Empty {
            what: "protocol versions"
        }
    );
    assert_eq!(
        config_error(builder().cipher_suites(&[]).build()),
        ConfigError::Empty {
            what: "cipher suites"
        }
    );
    assert_eq!(
        config_error(builder().groups(&[]).build()),
        ConfigError::Empty { what: "groups" }
    );
    assert_eq!(
        config_error(
            builder()
                .versions(&[ProtocolVersion::TLSv1_3])
                .cipher_suites(&[wolfssl::CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256])
                .build()
        ),
        ConfigError::NoUsableCipherSuite
    );
    assert!(
        "TLS_RSA_WITH_NULL_MD5"
            .parse::<wolfssl::CipherSuite>()
            .is_err()
    );
}
