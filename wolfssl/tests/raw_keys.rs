//! Raw public keys (RFC 7250): known, unknown, unsolicited and mixed with certificates, both
//! ends and versions.

mod support;

use std::sync::Arc;

use rcgen::{KeyPair, PublicKeyData};
use support::{Authority, ends, handshake, receive};
use wolfssl::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer, SubjectPublicKeyInfoDer};
use wolfssl::{
    AlertDescription, CertificateError, CertificateType, CertifiedKey, ClientAuth, ClientConfig,
    ClientConfigBuilder, ClientConnection, ConfigError, ConnectionCommon, Error, ProtocolVersion,
    RawPublicKeys, ServerConfig, ServerConfigBuilder, ServerConnection, SignatureRequest, Signing,
    subject_public_key_info,
};

/// An end without a certificate.
struct RawEnd {
    spki: SubjectPublicKeyInfoDer<'static>,
    pkcs8: Vec<u8>,
}

impl RawEnd {
    fn new(algorithm: &'static rcgen::SignatureAlgorithm) -> Self {
        Self::from_pair(&KeyPair::generate_for(algorithm).unwrap())
    }

    fn from_pair(pair: &KeyPair) -> Self {
        Self {
            spki: pair.subject_public_key_info().into(),
            pkcs8: pair.serialize_der(),
        }
    }

    fn key(&self) -> PrivateKeyDer<'static> {
        PrivatePkcs8KeyDer::from(self.pkcs8.clone()).into()
    }

    fn certified(&self) -> CertifiedKey {
        CertifiedKey::with_raw_public_key(self.spki.clone(), self.key()).unwrap()
    }

    fn known(&self) -> RawPublicKeys {
        RawPublicKeys::new([self.spki.clone()]).unwrap()
    }
}

fn p256() -> RawEnd {
    RawEnd::new(&rcgen::PKCS_ECDSA_P256_SHA256)
}

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

struct Ends {
    client: ClientConnection,
    server: ServerConnection,
    outcome: support::Outcome,
}

fn run(client: ClientConfigBuilder, server: ServerConfigBuilder, version: ProtocolVersion) -> Ends {
    run_as(client, server, version, "a.test")
}

fn run_as(
    client: ClientConfigBuilder,
    server: ServerConfigBuilder,
    version: ProtocolVersion,
    name: &str,
) -> Ends {
    let client = client.versions(&[version]).build().unwrap();
    let (mut client, mut server) = ends(&client, &server.build().unwrap(), name);
    let outcome = handshake(&mut client, &mut server);
    Ends {
        client,
        server,
        outcome,
    }
}

fn exchange(client: &mut ConnectionCommon, server: &mut ConnectionCommon) {
    let mut wire = Vec::new();
    client.write(b"ping", &mut wire).unwrap();
    assert_eq!(receive(server, &wire).unwrap(), b"ping");
    wire.clear();
    server.write(b"pong", &mut wire).unwrap();
    assert_eq!(receive(client, &wire).unwrap(), b"pong");
}

fn rsa() -> RawEnd {
    const KEY: &str = include_str!("../../bench/fixtures/rsa-2048-leaf.key.pem");
    RawEnd::from_pair(&KeyPair::from_pem(KEY).unwrap())
}

#[test]
fn servers_are_known_by_keys_of_every_kind_under_any_name() {
    let kinds = [
        p256(),
        RawEnd::new(&rcgen::PKCS_ECDSA_P384_SHA384),
        RawEnd::new(&rcgen::PKCS_ED25519),
        rsa(),
    ];
    for version in VERSIONS {
        for (index, end) in kinds.iter().enumerate() {
            for name in ["a.test", "localhost", "127.0.0.1"] {
                let mut ends = run_as(
                    ClientConfig::builder().raw_public_keys(end.known()),
                    ServerConfig::builder().identity(end.certified()),
                    version,
                    name,
                );
                assert!(
                    ends.outcome.is_ok(),
                    "{version} {index} {name}: {:?}",
                    ends.outcome
                );
                for connection in [
                    &ends.client as &ConnectionCommon,
                    &ends.server as &ConnectionCommon,
                ] {
                    assert_eq!(
                        connection.negotiated_server_certificate_type(),
                        Some(CertificateType::RawPublicKey)
                    );
                    assert_eq!(
                        connection.negotiated_client_certificate_type(),
                        Some(CertificateType::X509)
                    );
                }
                assert_eq!(ends.client.peer_raw_public_key(), Some(end.spki.clone()));
                assert!(ends.client.peer_certificates().is_empty());
                assert_eq!(ends.server.peer_raw_public_key(), None);
                exchange(&mut ends.client, &mut ends.server);
            }
        }
    }
}

#[test]
fn servers_with_another_key_are_refused() {
    let (end, other) = (p256(), p256());
    for version in VERSIONS {
        let ends = run(
            ClientConfig::builder().raw_public_keys(other.known()),
            ServerConfig::builder().identity(end.certified()),
            version,
        );
        assert!(
            matches!(
                ends.outcome.client,
                Err(Error::InvalidCertificate(
                    CertificateError::UnknownRawPublicKey
                ))
            ),
            "{:?}",
            ends.outcome
        );
        assert!(
            matches!(ends.outcome.server, Err(Error::AlertReceived(_))),
            "{:?}",
            ends.outcome
        );
        assert_eq!(ends.client.peer_raw_public_key(), Some(end.spki.clone()));
    }
}

#[test]
fn any_number_of_keys_can_be_known() {
    let ends: Vec<_> = (0..12).map(|_| p256()).collect();
    let known = RawPublicKeys::new(ends.iter().map(|end| end.spki.clone())).unwrap();
    for version in VERSIONS {
        for end in &ends {
            let ends = run(
                ClientConfig::builder().raw_public_keys(known.clone()),
                ServerConfig::builder().identity(end.certified()),
                version,
            );
            assert!(ends.outcome.is_ok(), "{:?}", ends.outcome);
        }
    }
}

#[test]
fn clients_are_known_by_their_keys() {
    let authority = Authority::new("root");
    let (server_end, client_end, stranger) = (p256(), p256(), p256());
    for version in VERSIONS {
        let server = || {
            ServerConfig::builder()
                .identity(server_end.certified())
                .raw_public_keys(client_end.known())
        };
        let client = || ClientConfig::builder().raw_public_keys(server_end.known());

        let mut both = run(
            client().client_identity(client_end.certified()),
            server(),
            version,
        );
        assert!(both.outcome.is_ok(), "{version}: {:?}", both.outcome);
        assert_eq!(
            both.server.peer_raw_public_key(),
            Some(client_end.spki.clone())
        );
        assert!(both.server.peer_certificates().is_empty());
        assert_eq!(
            both.server.negotiated_client_certificate_type(),
            Some(CertificateType::RawPublicKey)
        );
        assert_eq!(
            both.client.negotiated_client_certificate_type(),
            Some(CertificateType::RawPublicKey)
        );
        exchange(&mut both.client, &mut both.server);

        let unknown = run(
            client().client_identity(stranger.certified()),
            server(),
            version,
        );
        assert!(
            matches!(
                unknown.outcome.server,
                Err(Error::InvalidCertificate(
                    CertificateError::UnknownRawPublicKey
                ))
            ),
            "{version}: {:?}",
            unknown.outcome
        );
        let none = run(client(), server(), version);
        assert!(
            matches!(
                none.outcome.server,
                Err(Error::InvalidCertificate(CertificateError::NotPresented))
            ),
            "{version}: {:?}",
            none.outcome
        );
        // A certificate does not do where only raw keys are known, were it the best one.
        let leaf = authority.leaf(&["client.test"]);
        let certificate = run(
            client().client_identity(leaf.certified()),
            server(),
            version,
        );
        assert!(
            matches!(
                certificate.outcome.server,
                Err(Error::InvalidCertificate(_))
            ),
            "{version}: {:?}",
            certificate.outcome
        );
    }
}

#[test]
fn certificates_are_taken_beside_raw_keys_and_still_checked_for_the_name() {
    let authority = Authority::new("root");
    let end = p256();
    for version in VERSIONS {
        let client = || {
            ClientConfig::builder()
                .roots(authority.roots())
                .raw_public_keys(end.known())
        };
        let leaf = authority.leaf(&["a.test", "127.0.0.1"]);
        let server = || ServerConfig::builder().identity(leaf.certified());
        for name in ["a.test", "127.0.0.1"] {
            let ends = run_as(client(), server(), version, name);
            assert!(ends.outcome.is_ok(), "{version}: {:?}", ends.outcome);
            assert_eq!(
                ends.client.negotiated_server_certificate_type(),
                Some(CertificateType::X509)
            );
            assert_eq!(ends.client.peer_certificates(), leaf.chain.as_slice());
            assert_eq!(ends.client.peer_raw_public_key(), None);
        }
        for name in ["b.test", "127.0.0.2"] {
            let ends = run_as(client(), server(), version, name);
            assert!(
                matches!(
                    ends.outcome.client,
                    Err(Error::InvalidCertificate(
                        CertificateError::NotValidForName { .. }
                    ))
                ),
                "{version} {name}: {:?}",
                ends.outcome
            );
        }
        let ends = run(
            client(),
            ServerConfig::builder().identity(end.certified()),
            version,
        );
        assert!(ends.outcome.is_ok(), "{version}: {:?}", ends.outcome);

        // The key of a certificate is no raw key, even if it is known as one.
        let pair = KeyPair::try_from(&PrivatePkcs8KeyDer::from(end.pkcs8.clone())).unwrap();
        let stranger = Authority::new("stranger").leaf_for_key(&["a.test"], pair, |_| {});
        assert_eq!(
            subject_public_key_info(&stranger.chain[0]).unwrap(),
            end.spki
        );
        let ends = run(
            client(),
            ServerConfig::builder().identity(stranger.certified()),
            version,
        );
        assert!(
            matches!(
                ends.outcome.client,
                Err(Error::InvalidCertificate(CertificateError::UnknownIssuer))
            ),
            "{version}: {:?}",
            ends.outcome
        );
    }
}

#[test]
fn servers_choose_between_raw_keys_and_certificates_of_clients() {
    let authority = Authority::new("root");
    let (client_end, server_leaf) = (p256(), authority.leaf(&["a.test"]));
    let client_leaf = authority.leaf(&["client.test"]);
    for version in VERSIONS {
        let server = || {
            ServerConfig::builder()
                .identity(server_leaf.certified())
                .client_auth(ClientAuth::Required(authority.roots()))
                .raw_public_keys(client_end.known())
        };
        let client = || ClientConfig::builder().roots(authority.roots());
        let raw = run(
            client().client_identity(client_end.certified()),
            server(),
            version,
        );
        assert!(raw.outcome.is_ok(), "{version}: {:?}", raw.outcome);
        assert_eq!(
            raw.server.peer_raw_public_key(),
            Some(client_end.spki.clone())
        );
        let certificate = run(
            client().client_identity(client_leaf.certified()),
            server(),
            version,
        );
        assert!(
            certificate.outcome.is_ok(),
            "{version}: {:?}",
            certificate.outcome
        );
        assert_eq!(
            certificate.server.peer_certificates(),
            client_leaf.chain.as_slice()
        );
        let none = run(client(), server(), version);
        assert!(none.outcome.server.is_err(), "{version}");
    }
}

#[test]
fn raw_keys_that_were_not_asked_for_are_refused() {
    let authority = Authority::new("root");
    let (end, leaf) = (p256(), authority.leaf(&["a.test"]));
    for version in VERSIONS {
        // A server that has nothing else, to a client that knows certificates alone.
        let ends = run(
            ClientConfig::builder().roots(authority.roots()),
            ServerConfig::builder().identity(end.certified()),
            version,
        );
        assert!(
            matches!(
                ends.outcome.client,
                Err(Error::InvalidCertificate(CertificateError::UnsupportedType))
            ),
            "{version}: {:?}",
            ends.outcome
        );
        assert!(
            matches!(
                ends.outcome.server,
                Err(Error::AlertReceived(
                    AlertDescription::UnsupportedCertificate
                ))
            ),
            "{version}: {:?}",
            ends.outcome
        );
        assert_eq!(ends.client.peer_raw_public_key(), None);
        // A client that has nothing else, to a server that knows certificates alone.
        let ends = run(
            ClientConfig::builder()
                .roots(authority.roots())
                .client_identity(end.certified()),
            ServerConfig::builder()
                .identity(leaf.certified())
                .client_auth(ClientAuth::Optional(authority.roots())),
            version,
        );
        assert!(
            matches!(
                ends.outcome.server,
                Err(Error::InvalidCertificate(CertificateError::UnsupportedType))
            ),
            "{version}: {:?}",
            ends.outcome
        );
        assert!(ends.outcome.client.is_err());
        // A client that wants a raw key, from a server with a certificate.
        let ends = run(
            ClientConfig::builder().raw_public_keys(end.known()),
            ServerConfig::builder().identity(leaf.certified()),
            version,
        );
        assert!(
            matches!(
                ends.outcome.server,
                Err(Error::InvalidCertificate(CertificateError::UnsupportedType))
            ),
            "{version}: {:?}",
            ends.outcome
        );
        assert!(ends.outcome.client.is_err());
    }
}

#[test]
fn raw_keys_can_be_held_elsewhere() {
    let pair = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let spki = SubjectPublicKeyInfoDer::from(pair.subject_public_key_info());
    let known = RawPublicKeys::new([spki.clone()]).unwrap();
    let device = move |request: &SignatureRequest| match request.input() {
        wolfssl::SigningInput::Message(message) => {
            Ok(Signing::Done(rcgen::SigningKey::sign(&pair, message)?))
        }
        _ => Err("Ed25519 signs messages".into()),
    };
    let identity = CertifiedKey::with_raw_signing_key(spki, Arc::new(device)).unwrap();
    for version in VERSIONS {
        let mut ends = run(
            ClientConfig::builder().raw_public_keys(known.clone()),
            ServerConfig::builder().identity(identity.clone()),
            version,
        );
        assert!(ends.outcome.is_ok(), "{version}: {:?}", ends.outcome);
        exchange(&mut ends.client, &mut ends.server);
    }
}

#[test]
fn keys_that_cannot_be_used_are_refused_when_they_are_given() {
    let (end, other) = (p256(), p256());
    assert!(matches!(
        RawPublicKeys::new([]),
        Err(Error::Config(ConfigError::Empty { .. }))
    ));
    let leaf = Authority::new("root").leaf(&["a.test"]);
    for wrong in [
        vec![],
        vec![0x30],
        end.pkcs8.clone(),
        leaf.chain[0].to_vec(),
    ] {
        let keys = [
            end.spki.clone(),
            SubjectPublicKeyInfoDer::from(wrong.clone()),
        ];
        assert!(matches!(
            RawPublicKeys::new(keys),
            Err(Error::Config(ConfigError::RawPublicKey { index: 1 }))
        ));
        assert!(CertifiedKey::with_raw_public_key(wrong.into(), end.key()).is_err());
    }
    assert!(matches!(
        CertifiedKey::with_raw_public_key(end.spki.clone(), other.key()),
        Err(Error::Config(ConfigError::KeyMismatch))
    ));
    assert!(matches!(
        ClientConfig::builder()
            .raw_public_keys(end.known())
            .dangerous()
            .without_certificate_verification()
            .build(),
        Err(Error::Config(ConfigError::UncheckedRawPublicKeys))
    ));
}
