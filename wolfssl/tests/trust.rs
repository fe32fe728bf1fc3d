//! Who is trusted: paths to anchors, purposes and constraints, pinned keys, the caller's own
//! check, and that no connection decides about another one.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use rcgen::{
    BasicConstraints, CertificateParams, CustomExtension, ExtendedKeyUsagePurpose, GeneralSubtree,
    IsCa, KeyPair, KeyUsagePurpose, NameConstraints, date_time_ymd,
};
use support::{Authority, Leaf, Outcome, ends, handshake};
use wolfssl::{
    AlertDescription, CertificateError, ClientAuth, ClientConfig, ClientConfigBuilder, ConfigError,
    Error, PinnedKeys, ProtocolVersion, RootCertStore, ServerConfig,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

fn server_of(leaf: &Leaf) -> ServerConfig {
    ServerConfig::builder()
        .identity(leaf.certified())
        .build()
        .unwrap()
}

fn connect(client: &ClientConfig, server: &ServerConfig) -> Outcome {
    let (mut client, mut server) = ends(client, server, "a.test");
    handshake(&mut client, &mut server)
}

/// The client's verdict on a server with this leaf.
fn verdict(roots: &RootCertStore, version: ProtocolVersion, leaf: &Leaf) -> Result<(), Error> {
    let client = ClientConfig::builder()
        .roots(roots.clone())
        .versions(&[version])
        .build()
        .unwrap();
    connect(&client, &server_of(leaf)).client
}

/// The server's verdict on a client with this leaf.
fn verdict_on_client(
    roots: &RootCertStore,
    version: ProtocolVersion,
    leaf: &Leaf,
) -> Result<(), Error> {
    let authority = Authority::new("server root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .client_auth(ClientAuth::Required(roots.clone()))
        .build()
        .unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .client_identity(leaf.certified())
        .versions(&[version])
        .build()
        .unwrap();
    connect(&client, &server).server
}

#[track_caller]
fn assert_refused(outcome: Result<(), Error>, expected: &CertificateError) {
    match outcome {
        Err(Error::InvalidCertificate(error)) => assert_eq!(error, *expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn superfluous_and_cross_signed_certificates_do_no_harm() {
    let new_root = Authority::new("new root");
    let old_root = Authority::with_params("old root", |params| {
        params.not_after = date_time_ymd(2001, 1, 1);
        params.not_before = date_time_ymd(2000, 1, 1);
    });
    let stranger = Authority::new("stranger");
    let intermediate = new_root.intermediate("intermediate");
    let crosses = [
        intermediate.cross_signed_by(&old_root),
        intermediate.cross_signed_by(&stranger),
        new_root.cross_signed_by(&old_root),
        new_root.cross_signed_by(&stranger),
    ];
    for version in VERSIONS {
        for cross in &crosses {
            for chain in [
                vec![&intermediate.der, cross],
                vec![cross, &intermediate.der],
                vec![&intermediate.der, &new_root.der],
                vec![&intermediate.der, &stranger.der, cross],
                vec![&intermediate.der, cross, &old_root.der],
            ] {
                let mut leaf = intermediate.leaf(&["a.test"]);
                leaf.chain.extend(chain.into_iter().cloned());
                let outcome = verdict(&new_root.roots(), version, &leaf);
                assert!(outcome.is_ok(), "{version}: {outcome:?}");
                assert_refused(
                    verdict(&Authority::new("other").roots(), version, &leaf),
                    &CertificateError::UnknownIssuer,
                );
            }
        }
    }
}

#[test]
fn a_chain_of_the_crossing_root_alone_is_enough_for_those_who_trust_it() {
    let new_root = Authority::new("new root");
    let old_root = Authority::new("old root");
    let intermediate = new_root.intermediate("intermediate");
    let mut leaf = intermediate.leaf(&["a.test"]).under(&intermediate);
    leaf.chain.push(new_root.cross_signed_by(&old_root));
    for version in VERSIONS {
        for roots in [new_root.roots(), old_root.roots()] {
            let outcome = verdict(&roots, version, &leaf);
            assert!(outcome.is_ok(), "{version}: {outcome:?}");
        }
    }
}

/// wolfSSL keeps intermediates that it has verified in the context (wolfssl#11110); a chain
/// that lacks one must not be good or bad by what was connected to before.
#[test]
fn no_connection_decides_about_another_one() {
    let root = Authority::new("root");
    let intermediate = root.intermediate("intermediate");
    let complete = intermediate.leaf(&["a.test"]).under(&intermediate);
    let incomplete = intermediate.leaf(&["a.test"]);
    for version in VERSIONS {
        let client = ClientConfig::builder()
            .roots(root.roots())
            .versions(&[version])
            .build()
            .unwrap();
        for _ in 0..2 {
            assert_refused(
                connect(&client, &server_of(&incomplete)).client,
                &CertificateError::UnknownIssuer,
            );
            let outcome = connect(&client, &server_of(&complete));
            assert!(outcome.is_ok(), "{version}: {outcome:?}");
        }
        let server = ServerConfig::builder()
            .identity(complete.certified())
            .client_auth(ClientAuth::Required(root.roots()))
            .build()
            .unwrap();
        let as_client = |leaf: &Leaf| {
            let client = ClientConfig::builder()
                .roots(root.roots())
                .client_identity(leaf.certified())
                .versions(&[version])
                .build()
                .unwrap();
            connect(&client, &server).server
        };
        for _ in 0..2 {
            assert_refused(as_client(&incomplete), &CertificateError::UnknownIssuer);
            let outcome = as_client(&complete);
            assert!(outcome.is_ok(), "{version}: {outcome:?}");
        }
    }
}

#[test]
fn an_intermediate_with_the_right_name_and_another_key_is_no_issuer() {
    let root = Authority::new("root");
    let good = root.intermediate("intermediate");
    let impostor = Authority::new("stranger").intermediate("intermediate");
    for version in VERSIONS {
        let client = ClientConfig::builder()
            .roots(root.roots())
            .versions(&[version])
            .build()
            .unwrap();
        // Even when the good one is in the context already.
        let complete = good.leaf(&["a.test"]).under(&good);
        assert!(connect(&client, &server_of(&complete)).is_ok());
        for leaf in [
            impostor.leaf(&["a.test"]).under(&impostor),
            impostor.leaf(&["a.test"]).under(&good),
        ] {
            let outcome = connect(&client, &server_of(&leaf)).client;
            assert!(
                matches!(outcome, Err(Error::InvalidCertificate(_))),
                "{version}: {outcome:?}"
            );
        }
    }
}

#[test]
fn certificates_are_for_the_purpose_they_name() {
    use ExtendedKeyUsagePurpose::{ClientAuth, CodeSigning, ServerAuth};
    let root = Authority::new("root");
    let leaf = |purposes: &[ExtendedKeyUsagePurpose]| {
        root.leaf_with(&["a.test"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
            params.extended_key_usages = purposes.to_vec();
        })
    };
    for version in VERSIONS {
        for (purposes, server, client) in [
            (&[ServerAuth][..], true, false),
            (&[ClientAuth], false, true),
            (&[CodeSigning], false, false),
            (&[ServerAuth, ClientAuth], true, true),
            (&[], true, true),
        ] {
            let leaf = leaf(purposes);
            for (outcome, good) in [
                (verdict(&root.roots(), version, &leaf), server),
                (verdict_on_client(&root.roots(), version, &leaf), client),
            ] {
                if good {
                    assert!(outcome.is_ok(), "{version} {purposes:?}: {outcome:?}");
                } else {
                    assert_refused(outcome, &CertificateError::InvalidPurpose);
                }
            }
        }
        // A key that may not sign cannot prove anything in a handshake.
        let wrong_usage = root.leaf_with(&["a.test"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
            params.key_usages = vec![KeyUsagePurpose::KeyAgreement];
        });
        assert_refused(
            verdict(&root.roots(), version, &wrong_usage),
            &CertificateError::InvalidPurpose,
        );
    }
}

#[test]
fn intermediates_are_held_to_their_limits() {
    let root = Authority::new("root");
    let short = root.intermediate_with("short", |params| {
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    });
    let beyond = short.intermediate("beyond");
    let no_ca = root.intermediate_with("no CA", |params| params.is_ca = IsCa::ExplicitNoCa);
    let no_signing = root.intermediate_with("no signing", |params| {
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    });
    let expired = root.intermediate_with("expired", |params| {
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(2001, 1, 1);
    });
    let other_purpose = root.intermediate_with("other purpose", |params| {
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::CodeSigning];
    });
    for version in VERSIONS {
        let judged = |leaf: Leaf| verdict(&root.roots(), version, &leaf);
        assert!(judged(short.leaf(&["a.test"]).under(&short)).is_ok());
        assert_refused(
            judged(beyond.leaf(&["a.test"]).under(&beyond).under(&short)),
            &CertificateError::PathTooLong,
        );
        assert_refused(
            judged(expired.leaf(&["a.test"]).under(&expired)),
            &CertificateError::Expired,
        );
        assert_refused(
            judged(other_purpose.leaf(&["a.test"]).under(&other_purpose)),
            &CertificateError::InvalidPurpose,
        );
        for ca in [&no_ca, &no_signing] {
            let outcome = judged(ca.leaf(&["a.test"]).under(ca));
            assert!(
                matches!(
                    outcome,
                    Err(Error::InvalidCertificate(
                        CertificateError::UnknownIssuer | CertificateError::InvalidPurpose
                    ))
                ),
                "{version}: {outcome:?}"
            );
        }
    }
}

#[test]
fn names_outside_an_issuers_constraints_are_refused() {
    let root = Authority::new("root");
    let constrained = |permitted: &[&str], excluded: &[&str]| {
        root.intermediate_with("constrained", |params| {
            let extension = name_constraints(permitted, excluded);
            params.custom_extensions.push(extension);
        })
    };
    for version in VERSIONS {
        for (permitted, excluded, good) in [
            (&["a.test"][..], &[][..], true),
            (&["test"], &[], true),
            (&["b.test"], &[], false),
            (&[], &["b.test"], true),
            (&[], &["a.test"], false),
            (&["test"], &["a.test"], false),
        ] {
            let ca = constrained(permitted, excluded);
            let outcome = verdict(&root.roots(), version, &ca.leaf(&["a.test"]).under(&ca));
            if good {
                assert!(
                    outcome.is_ok(),
                    "{version} {permitted:?} {excluded:?}: {outcome:?}"
                );
            } else {
                assert_refused(outcome, &CertificateError::NameConstraint);
            }
        }
    }
}

/// The extension for DNS names, to stand behind the basic constraints: RFC 5280 has no order,
/// but wolfSSL 5.9.4 refuses it where it does not know the certificate as a CA's yet.
fn name_constraints(permitted: &[&str], excluded: &[&str]) -> CustomExtension {
    let element = |tag: u8, content: &[u8]| {
        let length = u8::try_from(content.len()).unwrap();
        [&[tag, length], content].concat()
    };
    let subtrees = |tag: u8, names: &[&str]| {
        let trees = names
            .iter()
            .flat_map(|name| element(0x30, &element(0x82, name.as_bytes())))
            .collect::<Vec<_>>();
        if trees.is_empty() {
            Vec::new()
        } else {
            element(tag, &trees)
        }
    };
    let content = [subtrees(0xa0, permitted), subtrees(0xa1, excluded)].concat();
    let mut extension = CustomExtension::from_oid_content(&[2, 5, 29, 30], element(0x30, &content));
    extension.set_criticality(true);
    extension
}

#[test]
fn name_constraints_before_the_basic_ones_are_refused() {
    let root = Authority::new("root");
    let ca = root.intermediate_with("constrained", |params| {
        params.name_constraints = Some(NameConstraints {
            permitted_subtrees: vec![GeneralSubtree::DnsName("a.test".to_owned())],
            excluded_subtrees: Vec::new(),
        });
    });
    for version in VERSIONS {
        assert_refused(
            verdict(&root.roots(), version, &ca.leaf(&["a.test"]).under(&ca)),
            &CertificateError::NameConstraint,
        );
    }
}

type Seen = Arc<Mutex<Vec<(usize, Option<String>)>>>;

#[test]
fn the_callers_check_sees_the_chain_and_the_name_on_both_sides() {
    let root = Authority::new("root");
    let intermediate = root.intermediate("intermediate");
    let server_leaf = intermediate.leaf(&["a.test"]).under(&intermediate);
    let client_leaf = root.leaf(&["c.test"]);
    for version in VERSIONS {
        let (by_client, by_server) = (Seen::default(), Seen::default());
        let note = |seen: &Seen| {
            let seen = Arc::clone(seen);
            move |peer: &wolfssl::VerifiedPeer<'_>| {
                assert!(peer.raw_public_key().is_none());
                let name = peer.server_name().map(str::to_owned);
                seen.lock().unwrap().push((peer.certificates().len(), name));
                Ok(())
            }
        };
        let server = ServerConfig::builder()
            .identity(server_leaf.certified())
            .client_auth(ClientAuth::Required(root.roots()))
            .additional_verification(note(&by_server))
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(root.roots())
            .client_identity(client_leaf.certified())
            .versions(&[version])
            .additional_verification(note(&by_client))
            .build()
            .unwrap();
        let outcome = connect(&client, &server);
        assert!(outcome.is_ok(), "{version}: {outcome:?}");
        let name = Some("a.test".to_owned());
        assert_eq!(*by_client.lock().unwrap(), [(2, name.clone())]);
        assert_eq!(*by_server.lock().unwrap(), [(1, name)]);
    }
}

#[test]
fn the_callers_check_can_refuse_and_cannot_accept() {
    let root = Authority::new("root");
    let leaf = root.leaf(&["a.test"]);
    for version in VERSIONS {
        let builder = || ClientConfig::builder().versions(&[version]);
        let refusing = |builder: ClientConfigBuilder| {
            builder
                .additional_verification(|_| Err("not on a Sunday".to_owned()))
                .build()
                .unwrap()
        };
        let outcome = connect(&refusing(builder().roots(root.roots())), &server_of(&leaf));
        assert_refused(
            outcome.client,
            &CertificateError::ApplicationRefused("not on a Sunday".to_owned()),
        );
        assert!(
            matches!(
                outcome.server,
                Err(Error::AlertReceived(AlertDescription::BadCertificate))
            ),
            "{version}"
        );
        // It comes after the other checks and is not asked about those they refuse.
        let accepting = builder()
            .roots(Authority::new("stranger").roots())
            .additional_verification(|_| Ok(()))
            .build()
            .unwrap();
        assert_refused(
            connect(&accepting, &server_of(&leaf)).client,
            &CertificateError::UnknownIssuer,
        );
        let dangerous = builder().dangerous().without_certificate_verification();
        let outcome = connect(&refusing(dangerous), &server_of(&leaf));
        assert_refused(
            outcome.client,
            &CertificateError::ApplicationRefused("not on a Sunday".to_owned()),
        );

        let server = ServerConfig::builder()
            .identity(leaf.certified())
            .client_auth(ClientAuth::Optional(root.roots()))
            .additional_verification(|_| Err("no".to_owned()))
            .build()
            .unwrap();
        let with = builder()
            .roots(root.roots())
            .client_identity(leaf.certified())
            .build()
            .unwrap();
        assert_refused(
            connect(&with, &server).server,
            &CertificateError::ApplicationRefused("no".to_owned()),
        );
        let without = builder().roots(root.roots()).build().unwrap();
        assert!(
            connect(&without, &server).is_ok(),
            "nothing shown, nothing checked"
        );
    }
}

#[test]
fn a_panic_in_the_callers_check_reaches_the_caller() {
    let root = Authority::new("root");
    let leaf = root.leaf(&["a.test"]);
    for version in VERSIONS {
        let client = ClientConfig::builder()
            .roots(root.roots())
            .versions(&[version])
            .additional_verification(|_| panic!("a bug of the caller"))
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server_of(&leaf), "a.test");
        let panicked = catch_unwind(AssertUnwindSafe(|| handshake(&mut client, &mut server)));
        let payload = panicked.expect_err("the panic goes on");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"a bug of the caller"));
        let after = client.process(&mut &[][..], &mut Vec::new());
        assert!(matches!(after, Err(Error::CallbackPanicked)), "{after:?}");
    }
}

/// Self-signed, expired, for another name: what devices have.
fn device() -> Leaf {
    let key = KeyPair::generate().unwrap();
    let mut params: CertificateParams = support::leaf_params(&["device.test"]);
    params.not_before = date_time_ymd(2000, 1, 1);
    params.not_after = date_time_ymd(2001, 1, 1);
    let certificate = params.self_signed(&key).unwrap();
    Leaf {
        chain: vec![certificate.der().clone()],
        chain_pem: certificate.pem(),
        key_pem: key.serialize_pem(),
        key_der: key.serialize_der(),
    }
}

#[test]
fn a_pinned_key_is_the_whole_check_without_anchors() {
    let (device, other) = (device(), device());
    let root = Authority::new("root");
    let chained = root.leaf(&["a.test"]).under(&root);
    for version in VERSIONS {
        let client = |leaf: &Leaf| {
            ClientConfig::builder()
                .pinned_keys(PinnedKeys::of_certificates(&leaf.chain[..1]).unwrap())
                .versions(&[version])
                .build()
                .unwrap()
        };
        for good in [&device, &chained] {
            let outcome = connect(&client(good), &server_of(good));
            assert!(outcome.is_ok(), "{version}: {outcome:?}");
            for bad in [&other, &root.leaf(&["a.test"]).under(&root)] {
                assert_refused(
                    connect(&client(good), &server_of(bad)).client,
                    &CertificateError::NotPinned,
                );
            }
        }

        let server = ServerConfig::builder()
            .identity(chained.certified())
            .client_auth(ClientAuth::Pinned(
                PinnedKeys::of_certificates_pem(device.chain_pem.as_bytes()).unwrap(),
            ))
            .build()
            .unwrap();
        let attempt = |identity: Option<&Leaf>| {
            let mut builder = ClientConfig::builder()
                .roots(root.roots())
                .versions(&[version]);
            if let Some(leaf) = identity {
                builder = builder.client_identity(leaf.certified());
            }
            connect(&builder.build().unwrap(), &server).server
        };
        assert!(attempt(Some(&device)).is_ok());
        assert_refused(attempt(Some(&other)), &CertificateError::NotPinned);
        assert_refused(attempt(None), &CertificateError::NotPresented);
    }
}

#[test]
fn a_pinned_key_is_one_more_condition_beside_anchors() {
    let root = Authority::new("root");
    let (pinned, other) = (root.leaf(&["a.test"]), root.leaf(&["a.test"]));
    let device = device();
    for version in VERSIONS {
        let client = ClientConfig::builder()
            .roots(root.roots())
            .pinned_keys(PinnedKeys::of_certificates([&pinned.chain[0], &device.chain[0]]).unwrap())
            .versions(&[version])
            .build()
            .unwrap();
        assert!(connect(&client, &server_of(&pinned)).is_ok());
        assert_refused(
            connect(&client, &server_of(&other)).client,
            &CertificateError::NotPinned,
        );
        let outcome = connect(&client, &server_of(&device)).client;
        assert!(
            matches!(outcome, Err(Error::InvalidCertificate(_))),
            "{outcome:?}"
        );
    }
}

#[test]
fn pins_are_checked_when_given() {
    let error = PinnedKeys::from_sha256([]).unwrap_err();
    assert!(
        matches!(error, Error::Config(ConfigError::Empty { .. })),
        "{error:?}"
    );
    let error = PinnedKeys::of_certificates(&[vec![1, 2].into()]).unwrap_err();
    assert!(
        matches!(error, Error::Config(ConfigError::CertificateChain { .. })),
        "{error:?}"
    );
}
