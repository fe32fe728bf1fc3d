//! Revoked certificates: by lists and by stapled OCSP answers, at clients and servers.

#[path = "support/openssl.rs"]
mod openssl;
mod support;

use rcgen::ExtendedKeyUsagePurpose;
use support::{Authority, Leaf, Outcome, ends, handshake};
use wolfssl::pki_types::CertificateRevocationListDer;
use wolfssl::{
    AlertDescription, CertificateError, ClientAuth, ClientConfig, ConfigError, Error, OcspStapling,
    ProtocolVersion, RevocationLists, RevocationScope, RootCertStore, ServerConfig,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];
const GOOD: u64 = 0x1111;
const REVOKED: u64 = 0x2222;

fn leaf_with_serial(authority: &Authority, serial: u64) -> Leaf {
    authority.leaf_with(&["a.test"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
        params.serial_number = Some(serial.into());
    })
}

fn lists(lists: &[CertificateRevocationListDer<'static>]) -> RevocationLists {
    RevocationLists::new(lists.to_vec()).unwrap()
}

fn connect(client: &ClientConfig, server: &ServerConfig) -> Outcome {
    let (mut client, mut server) = ends(client, server, "a.test");
    handshake(&mut client, &mut server)
}

/// What a client and a server make of a peer with this leaf, in both versions.
fn verdicts(roots: &RootCertStore, lists: &RevocationLists, leaf: &Leaf) -> Vec<Result<(), Error>> {
    let neutral = Authority::new("neutral");
    let mut verdicts = Vec::new();
    for version in VERSIONS {
        let server = ServerConfig::builder()
            .identity(leaf.certified())
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(roots.clone())
            .revocation_lists(lists.clone())
            .versions(&[version])
            .build()
            .unwrap();
        verdicts.push(connect(&client, &server).client);

        let server = ServerConfig::builder()
            .identity(neutral.leaf(&["a.test"]).certified())
            .client_auth(ClientAuth::Required(roots.clone()))
            .revocation_lists(lists.clone())
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(neutral.roots())
            .client_identity(leaf.certified())
            .versions(&[version])
            .build()
            .unwrap();
        verdicts.push(connect(&client, &server).server);
    }
    verdicts
}

#[track_caller]
fn assert_all_good(verdicts: Vec<Result<(), Error>>) {
    for (index, verdict) in verdicts.into_iter().enumerate() {
        assert!(verdict.is_ok(), "{index}: {verdict:?}");
    }
}

#[track_caller]
fn assert_all_refused(verdicts: Vec<Result<(), Error>>, expected: &CertificateError) {
    for (index, verdict) in verdicts.into_iter().enumerate() {
        match verdict {
            Err(Error::InvalidCertificate(error)) => assert_eq!(error, *expected, "{index}"),
            other => panic!("{index}: {other:?}"),
        }
    }
}

#[test]
fn the_revoked_are_refused_and_the_others_are_not() {
    let root = Authority::new("root");
    let list = lists(&[root.revocation_list(&[REVOKED])]);
    assert_all_good(verdicts(
        &root.roots(),
        &list,
        &leaf_with_serial(&root, GOOD),
    ));
    assert_all_refused(
        verdicts(&root.roots(), &list, &leaf_with_serial(&root, REVOKED)),
        &CertificateError::Revoked,
    );
}

#[test]
fn a_missing_list_is_refused_unless_allowed() {
    let (root, other) = (Authority::new("root"), Authority::new("other"));
    let mut roots = root.roots();
    roots.add(other.der.clone()).unwrap();
    let others = lists(&[other.revocation_list(&[REVOKED])]);
    let leaf = leaf_with_serial(&root, REVOKED);
    assert_all_refused(
        verdicts(&roots, &others, &leaf),
        &CertificateError::RevocationStatusUnknown,
    );
    assert_all_good(verdicts(&roots, &others.clone().accept_missing(), &leaf));
    assert_all_refused(
        verdicts(
            &roots,
            &others.accept_missing(),
            &leaf_with_serial(&other, REVOKED),
        ),
        &CertificateError::Revoked,
    );
}

#[test]
fn an_outdated_list_is_refused_in_any_case() {
    let root = Authority::new("root");
    let outdated = root.revocation_list_until(&[REVOKED], 2001);
    let leaf = leaf_with_serial(&root, GOOD);
    for lists in [
        lists(std::slice::from_ref(&outdated)),
        lists(&[outdated]).accept_missing(),
    ] {
        assert_all_refused(
            verdicts(&root.roots(), &lists, &leaf),
            &CertificateError::RevocationStatusUnknown,
        );
    }
}

#[test]
fn a_list_by_an_impostor_does_not_count() {
    let root = Authority::new("root");
    let impostor = Authority::new("root");
    let forged = lists(&[impostor.revocation_list(&[])]);
    assert_all_refused(
        verdicts(&root.roots(), &forged, &leaf_with_serial(&root, GOOD)),
        &CertificateError::RevocationStatusUnknown,
    );
}

#[test]
fn whole_chains_are_checked_or_leaves_alone() {
    let root = Authority::new("root");
    let intermediate = root.intermediate_with("intermediate", |params| {
        params.serial_number = Some(REVOKED.into());
    });
    let leaf = leaf_with_serial(&intermediate, GOOD).under(&intermediate);
    let revoked_leaf = leaf_with_serial(&intermediate, REVOKED).under(&intermediate);
    let of_root = root.revocation_list(&[REVOKED]);
    let of_root_empty = root.revocation_list(&[]);
    let of_intermediate = intermediate.revocation_list(&[REVOKED]);

    let all_well = lists(&[of_root_empty.clone(), of_intermediate.clone()]);
    assert_all_good(verdicts(&root.roots(), &all_well, &leaf));
    assert_all_refused(
        verdicts(&root.roots(), &all_well, &revoked_leaf),
        &CertificateError::Revoked,
    );
    let intermediate_revoked = lists(&[of_intermediate.clone(), of_root]);
    assert_all_refused(
        verdicts(&root.roots(), &intermediate_revoked, &leaf),
        &CertificateError::Revoked,
    );
    assert_all_good(verdicts(
        &root.roots(),
        &intermediate_revoked.scope(RevocationScope::EndEntity),
        &leaf,
    ));
    for incomplete in [of_root_empty, of_intermediate.clone()] {
        assert_all_refused(
            verdicts(&root.roots(), &lists(&[incomplete]), &leaf),
            &CertificateError::RevocationStatusUnknown,
        );
    }
    assert_all_good(verdicts(
        &root.roots(),
        &lists(&[of_intermediate]).scope(RevocationScope::EndEntity),
        &leaf,
    ));
}

#[test]
fn lists_are_checked_when_given() {
    let root = Authority::new("root");
    let good = root.revocation_list(&[REVOKED]);
    let builder = || ClientConfig::builder().roots(root.roots());
    for (given, index) in [
        (vec![vec![1, 2, 3].into()], 0),
        (
            vec![good.clone(), good[..good.len() - 1].to_vec().into()],
            1,
        ),
        (vec![good.clone(), good.clone(), Vec::new().into()], 2),
    ] {
        let refused = builder().revocation_lists(lists(&given)).build();
        match refused {
            Err(Error::Config(ConfigError::RevocationList { index: found, .. })) => {
                assert_eq!(found, index);
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(
        builder()
            .revocation_lists(lists(&[good.clone(), good]))
            .build()
            .is_ok()
    );
    assert!(matches!(
        RevocationLists::new([]),
        Err(Error::Config(ConfigError::Empty { .. }))
    ));
    let pem = root.revocation_list_pem(&[REVOKED]);
    let from_pem = RevocationLists::from_pem(pem.as_bytes()).unwrap();
    assert_all_refused(
        verdicts(&root.roots(), &from_pem, &leaf_with_serial(&root, REVOKED)),
        &CertificateError::Revoked,
    );
    for hopeless in [
        "",
        "text",
        "-----BEGIN X509 CRL-----\n!!\n-----END X509 CRL-----\n",
    ] {
        let refused = RevocationLists::from_pem(hopeless.as_bytes());
        assert!(
            matches!(
                refused,
                Err(Error::Config(ConfigError::Pem {
                    what: "revocation list",
                    ..
                }))
            ),
            "{hopeless}: {refused:?}"
        );
    }
}

/// Makes OCSP answers with `openssl ocsp`.
struct Responder<'a> {
    dir: tempfile::TempDir,
    authority: &'a Authority,
}

impl<'a> Responder<'a> {
    fn new(authority: &'a Authority) -> Self {
        let dir = tempfile::tempdir().unwrap();
        openssl::write(dir.path(), "ca.pem", &authority.pem);
        openssl::write(dir.path(), "ca.key", openssl::key(&authority.key_pem()));
        let index = format!(
            "V\t400101000000Z\t\t{GOOD:X}\tunknown\t/CN=good\n\
             R\t400101000000Z\t200101000000Z\t{REVOKED:X}\tunknown\t/CN=revoked\n"
        );
        openssl::write(dir.path(), "index.txt", index);
        Self { dir, authority }
    }

    fn answer(&self, leaf: &Leaf) -> Vec<u8> {
        self.answer_with(leaf, "-rsigner ca.pem -rkey ca.key -ndays 7")
    }

    fn answer_with(&self, leaf: &Leaf, options: &str) -> Vec<u8> {
        let dir = self.dir.path();
        let own = leaf
            .chain_pem
            .split_inclusive("-----END CERTIFICATE-----\n")
            .next()
            .unwrap();
        openssl::write(dir, "leaf.pem", own);
        let request = "ocsp -issuer ca.pem -cert leaf.pem -no_nonce -reqout request.der";
        openssl::run(dir, request.split(' '));
        let respond = format!(
            "ocsp -index index.txt -CA ca.pem {options} -reqin request.der -respout answer.der"
        );
        openssl::run(dir, respond.split(' '));
        std::fs::read(dir.join("answer.der")).unwrap()
    }

    /// A responder with a certificate of its own.
    fn delegate(&self, name: &str, issuer: &Authority, purposes: Vec<ExtendedKeyUsagePurpose>) {
        let leaf = issuer.leaf_with(&["ocsp.test"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
            params.extended_key_usages = purposes;
        });
        let dir = self.dir.path();
        openssl::write(dir, &format!("{name}.pem"), &leaf.chain_pem);
        openssl::write(dir, &format!("{name}.key"), openssl::key(&leaf.key_pem));
    }
}

/// The verdict of a client that asks for an answer, and the answer it kept.
fn stapled(
    roots: &RootCertStore,
    stapling: OcspStapling,
    version: ProtocolVersion,
    leaf: &Leaf,
    answer: Option<Vec<u8>>,
) -> (Outcome, Option<Vec<u8>>) {
    let mut identity = leaf.certified();
    if let Some(answer) = answer {
        identity = identity.with_ocsp_response(answer);
    }
    let server = ServerConfig::builder().identity(identity).build().unwrap();
    let client = ClientConfig::builder()
        .roots(roots.clone())
        .ocsp_stapling(stapling)
        .versions(&[version])
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let outcome = handshake(&mut client, &mut server);
    (outcome, client.peer_ocsp_response().map(<[u8]>::to_vec))
}

#[test]
fn a_good_answer_is_sent_to_those_who_ask_and_checked() {
    let root = Authority::new("root");
    let responder = Responder::new(&root);
    let leaf = leaf_with_serial(&root, GOOD);
    let answer = responder.answer(&leaf);
    for version in VERSIONS {
        for stapling in [OcspStapling::Request, OcspStapling::Require] {
            let (outcome, kept) = stapled(
                &root.roots(),
                stapling,
                version,
                &leaf,
                Some(answer.clone()),
            );
            assert!(outcome.is_ok(), "{version} {stapling:?}: {outcome:?}");
            assert_eq!(kept.as_ref(), Some(&answer));
        }
        let (outcome, kept) = stapled(
            &root.roots(),
            OcspStapling::Off,
            version,
            &leaf,
            Some(answer.clone()),
        );
        assert!(outcome.is_ok(), "{version}: {outcome:?}");
        assert_eq!(kept, None);
    }
    assert_eq!(responder.authority.der, root.der);
}

#[test]
fn without_an_answer_it_depends_on_what_the_client_wants() {
    let root = Authority::new("root");
    let leaf = leaf_with_serial(&root, GOOD);
    for version in VERSIONS {
        for answer in [None, Some(Vec::new())] {
            let (outcome, kept) = stapled(
                &root.roots(),
                OcspStapling::Request,
                version,
                &leaf,
                answer.clone(),
            );
            assert!(outcome.is_ok(), "{version} {answer:?}: {outcome:?}");
            assert_eq!(kept, None);
            let (outcome, _) =
                stapled(&root.roots(), OcspStapling::Require, version, &leaf, answer);
            assert!(
                matches!(
                    outcome.client,
                    Err(Error::InvalidCertificate(
                        CertificateError::RevocationStatusUnknown
                    ))
                ),
                "{version}: {outcome:?}"
            );
            assert!(
                matches!(outcome.server, Err(Error::AlertReceived(_))),
                "{version}: {outcome:?}"
            );
        }
    }
}

#[test]
fn an_answer_that_says_revoked_ends_the_handshake() {
    let root = Authority::new("root");
    let responder = Responder::new(&root);
    let leaf = leaf_with_serial(&root, REVOKED);
    let answer = responder.answer(&leaf);
    for version in VERSIONS {
        for stapling in [OcspStapling::Request, OcspStapling::Require] {
            let (outcome, _) = stapled(
                &root.roots(),
                stapling,
                version,
                &leaf,
                Some(answer.clone()),
            );
            assert!(
                matches!(
                    outcome.client,
                    Err(Error::InvalidCertificate(CertificateError::Revoked))
                ),
                "{version}: {outcome:?}"
            );
            let alert = match version {
                // wolfSSL's own word for it.
                ProtocolVersion::TLSv1_2 => AlertDescription::BadCertificateStatusResponse,
                _ => AlertDescription::CertificateRevoked,
            };
            assert!(
                matches!(outcome.server, Err(Error::AlertReceived(told)) if told == alert),
                "{version}: {outcome:?}"
            );
        }
    }
}

#[test]
fn answers_that_prove_nothing_are_refused() {
    let root = Authority::new("root");
    let responder = Responder::new(&root);
    let leaf = leaf_with_serial(&root, GOOD);
    let stranger = Authority::new("stranger");
    responder.delegate(
        "stranger",
        &stranger,
        vec![ExtendedKeyUsagePurpose::OcspSigning],
    );
    responder.delegate("server", &root, vec![ExtendedKeyUsagePurpose::ServerAuth]);
    let good = responder.answer(&leaf);
    // Without certificates the signature comes last.
    let mut tampered = responder.answer_with(
        &leaf,
        "-rsigner ca.pem -rkey ca.key -ndays 7 -resp_no_certs",
    );
    *tampered.last_mut().unwrap() ^= 1;
    let answers = [
        (
            "for another certificate",
            responder.answer(&leaf_with_serial(&root, GOOD + 1)),
        ),
        (
            "for an unknown certificate",
            responder.answer(&leaf_with_serial(&root, 0x3333)),
        ),
        (
            "by a stranger",
            responder.answer_with(&leaf, "-rsigner stranger.pem -rkey stranger.key -ndays 7"),
        ),
        (
            "by a server",
            responder.answer_with(&leaf, "-rsigner server.pem -rkey server.key -ndays 7"),
        ),
        ("tampered", tampered),
        ("cut", good[..good.len() - 1].to_vec()),
        ("garbage", vec![0x30, 3, 10, 1, 0]),
        ("an error", vec![0x30, 3, 10, 1, 6]),
    ];
    for version in VERSIONS {
        for (what, answer) in &answers {
            for stapling in [OcspStapling::Request, OcspStapling::Require] {
                let (outcome, _) = stapled(
                    &root.roots(),
                    stapling,
                    version,
                    &leaf,
                    Some(answer.clone()),
                );
                assert!(
                    matches!(
                        outcome.client,
                        Err(Error::InvalidCertificate(
                            CertificateError::RevocationStatusUnknown
                        ))
                    ),
                    "{version} {what}: {outcome:?}"
                );
            }
        }
    }
}

#[test]
fn no_changed_byte_of_an_answer_goes_unnoticed() {
    let root = Authority::new("root");
    let responder = Responder::new(&root);
    let leaf = leaf_with_serial(&root, REVOKED);
    let answer = responder.answer_with(
        &leaf,
        "-rsigner ca.pem -rkey ca.key -ndays 7 -resp_no_certs",
    );
    for version in VERSIONS {
        for index in 0..answer.len() {
            let mut changed = answer.clone();
            changed[index] ^= 1;
            let (outcome, _) = stapled(
                &root.roots(),
                OcspStapling::Require,
                version,
                &leaf,
                Some(changed),
            );
            assert!(outcome.client.is_err(), "{version}: byte {index}");
        }
    }
}

#[test]
fn an_answer_by_a_delegate_of_the_issuer_is_good() {
    let root = Authority::new("root");
    let responder = Responder::new(&root);
    let leaf = leaf_with_serial(&root, GOOD);
    responder.delegate(
        "delegate",
        &root,
        vec![ExtendedKeyUsagePurpose::OcspSigning],
    );
    let answer = responder.answer_with(&leaf, "-rsigner delegate.pem -rkey delegate.key -ndays 7");
    for version in VERSIONS {
        let (outcome, _) = stapled(
            &root.roots(),
            OcspStapling::Require,
            version,
            &leaf,
            Some(answer.clone()),
        );
        assert!(outcome.is_ok(), "{version}: {outcome:?}");
    }
}

#[test]
fn answers_for_leaves_of_intermediates() {
    let root = Authority::new("root");
    let intermediate = root.intermediate("intermediate");
    let responder = Responder::new(&intermediate);
    for (serial, good) in [(GOOD, true), (REVOKED, false)] {
        let leaf = leaf_with_serial(&intermediate, serial).under(&intermediate);
        let answer = responder.answer(&leaf);
        for version in VERSIONS {
            let (outcome, _) = stapled(
                &root.roots(),
                OcspStapling::Require,
                version,
                &leaf,
                Some(answer.clone()),
            );
            assert_eq!(outcome.is_ok(), good, "{version}: {outcome:?}");
        }
    }
}

/// wolfSSL leaves lists out for a leaf that a staple is announced for, whatever comes of it: a
/// peer with a revoked certificate would only have to announce one.
#[test]
fn lists_count_beside_staples() {
    let root = Authority::new("root");
    let responder = Responder::new(&root);
    // The responder has not heard of the revocation that the list tells.
    let leaf = leaf_with_serial(&root, GOOD);
    let answer = responder.answer(&leaf);
    for version in VERSIONS {
        for (answer, revoked, good) in [
            (answer.clone(), &[GOOD][..], false),
            (Vec::new(), &[GOOD], false),
            (answer.clone(), &[], true),
            (Vec::new(), &[], true),
        ] {
            let server = ServerConfig::builder()
                .identity(leaf.certified().with_ocsp_response(answer.clone()))
                .build()
                .unwrap();
            let client = ClientConfig::builder()
                .roots(root.roots())
                .ocsp_stapling(OcspStapling::Request)
                .revocation_lists(lists(&[root.revocation_list(revoked)]))
                .versions(&[version])
                .build()
                .unwrap();
            let outcome = connect(&client, &server);
            if good {
                assert!(outcome.is_ok(), "{version}: {outcome:?}");
            } else {
                assert!(
                    matches!(
                        outcome.client,
                        Err(Error::InvalidCertificate(CertificateError::Revoked))
                    ),
                    "{version} {}: {outcome:?}",
                    answer.len()
                );
            }
        }
    }
}
