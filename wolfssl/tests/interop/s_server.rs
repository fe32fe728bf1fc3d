//! Our client with `openssl s_server`.

use wolfssl::{
    AlertDescription, CertificateError, ClientConfig, Error, NamedGroup, ProtocolVersion,
};

use crate::credentials::{Credentials, KEYS, Key};
use crate::ours::{Negotiated, connect, exchange_reversed};
use crate::program::Program;
use crate::spelling::{self, VERSIONS};
use crate::support::Authority;

/// `s_server` that takes one connection, reports it, and reverses every line.
pub struct Reverser {
    pub program: Program,
    pub port: u16,
}

impl Reverser {
    pub fn start(credentials: &Credentials, options: &[&str]) -> Self {
        Self::with(credentials, &[&["-rev", "-naccept", "1"], options].concat())
    }

    /// `s_server` with these options alone.
    pub fn with(credentials: &Credentials, options: &[&str]) -> Self {
        let (chain, key) = (
            credentials.argument("chain.pem"),
            credentials.argument("key.pem"),
        );
        let fixed = ["s_server", "-accept", "127.0.0.1:0", "-cert", &chain];
        let arguments = [&fixed[..], &["-key", &key], options].concat();
        let mut program = Program::start("openssl", arguments);
        let port = program.rest_of_line("ACCEPT 127.0.0.1:");
        let port = port.parse().expect("a port");
        Self { program, port }
    }
}

fn client(credentials: &Credentials, version: ProtocolVersion) -> ClientConfig {
    ClientConfig::builder()
        .roots(credentials.roots())
        .versions(&[version])
        .build()
        .unwrap()
}

#[test]
fn both_versions_and_keys_agree_on_everything() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        for version in VERSIONS {
            let server = Reverser::start(&credentials, &[]);
            let config = client(&credentials, version);
            let mut tls = connect(&config, "a.test", server.port).unwrap();
            exchange_reversed(&mut tls, "some data");
            let negotiated = Negotiated::of(tls.connection());
            assert_eq!(negotiated.version, version);
            assert_eq!(negotiated.group, NamedGroup::X25519);
            assert_eq!(tls.connection().peer_certificates(), credentials.leaf.chain);
            tls.shutdown().unwrap();
            let server = server.program.finish();
            server.assert_success();
            assert_eq!(server.value("Protocol version:"), version.to_string());
            assert_eq!(
                server.value("Ciphersuite:"),
                spelling::suite(negotiated.suite)
            );
            server.assert_says("CONNECTION CLOSED");
        }
    }
}

#[test]
fn every_group_and_suite_of_the_server_is_met() {
    let credentials = Credentials::new(Key::P256);
    for group in [
        NamedGroup::X25519,
        NamedGroup::secp256r1,
        NamedGroup::secp384r1,
        NamedGroup::secp521r1,
    ] {
        for version in VERSIONS {
            let server = Reverser::start(&credentials, &["-groups", spelling::group(group)]);
            let mut tls = connect(&client(&credentials, version), "a.test", server.port).unwrap();
            exchange_reversed(&mut tls, "with this group");
            assert_eq!(Negotiated::of(tls.connection()).group, group, "{version}");
        }
    }
    for suite in wolfssl::CipherSuite::ALL.iter().copied() {
        let key = if suite.name().contains("_RSA_") {
            Key::Rsa2048
        } else {
            Key::P256
        };
        let credentials = Credentials::new(key);
        let option = match suite.version() {
            ProtocolVersion::TLSv1_2 => "-cipher",
            _ => "-ciphersuites",
        };
        let name = spelling::suite(suite);
        let server = Reverser::start(&credentials, &[option, &name]);
        let config = client(&credentials, suite.version());
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        exchange_reversed(&mut tls, "with this suite");
        assert_eq!(Negotiated::of(tls.connection()).suite, suite);
        tls.shutdown().unwrap();
        assert_eq!(server.program.finish().value("Ciphersuite:"), name);
    }
}

/// T13: the chain in a PEM file is more than its first certificate.
#[test]
fn a_chain_with_an_intermediate_is_verified_and_reported_whole() {
    let credentials = Credentials::with_intermediate();
    for version in VERSIONS {
        let above = credentials.argument("above.pem");
        let server = Reverser::start(&credentials, &["-cert_chain", &above]);
        let mut tls = connect(&client(&credentials, version), "a.test", server.port).unwrap();
        exchange_reversed(&mut tls, "under an intermediate");
        assert_eq!(tls.connection().peer_certificates(), credentials.leaf.chain);
        assert_eq!(tls.connection().peer_certificates().len(), 2);
    }
}

/// T1 and its kind: what the client refuses, why, and that the server is told.
#[test]
fn a_bad_certificate_is_refused_and_the_server_told() {
    for key in KEYS {
        let good = Credentials::new(key);
        let expired = Credentials::expired(key);
        let stranger = Authority::new("another root").roots();
        for version in VERSIONS {
            let refused = |credentials: &Credentials, roots, name: &str, alert: &str| {
                let server = Reverser::start(credentials, &[]);
                let config = ClientConfig::builder()
                    .roots(roots)
                    .versions(&[version])
                    .build()
                    .unwrap();
                let error = connect(&config, name, server.port).unwrap_err();
                let server = server.program.finish();
                server.assert_says("CONNECTION FAILURE");
                server.assert_says(alert);
                match error {
                    Error::InvalidCertificate(reason) => reason,
                    other => panic!("{name}: {other:?}"),
                }
            };
            assert_eq!(
                refused(&good, good.roots(), "b.test", "alert bad certificate"),
                CertificateError::NotValidForName {
                    expected: "b.test".to_owned(),
                    presented: vec!["a.test".to_owned()],
                }
            );
            assert_eq!(
                refused(&good, good.roots(), "127.0.0.2", "alert bad certificate"),
                CertificateError::NotValidForName {
                    expected: "127.0.0.2".to_owned(),
                    presented: vec!["a.test".to_owned()],
                }
            );
            assert_eq!(
                refused(&good, stranger.clone(), "a.test", "alert unknown ca"),
                CertificateError::UnknownIssuer
            );
            assert_eq!(
                refused(
                    &expired,
                    expired.roots(),
                    "a.test",
                    "alert certificate expired"
                ),
                CertificateError::Expired
            );
        }
    }
}

#[test]
fn an_address_in_the_certificate_is_a_name() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        let server = Reverser::start(&credentials, &[]);
        let mut tls = connect(&client(&credentials, version), "127.0.0.1", server.port).unwrap();
        exchange_reversed(&mut tls, "by address");
    }
}

#[test]
fn alpn_is_chosen_by_the_server() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        let offer = |protocols: &[&str]| {
            ClientConfig::builder()
                .roots(credentials.roots())
                .versions(&[version])
                .alpn(protocols)
                .build()
                .unwrap()
        };
        let server = Reverser::start(&credentials, &["-alpn", "http/1.1,h2"]);
        let mut tls = connect(&offer(&["h2", "http/1.1"]), "a.test", server.port).unwrap();
        exchange_reversed(&mut tls, "over http/1.1");
        assert_eq!(tls.connection().negotiated_alpn().unwrap(), b"http/1.1");

        let server = Reverser::start(&credentials, &["-alpn", "h3"]);
        match connect(&offer(&["h2"]), "a.test", server.port).unwrap_err() {
            Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn mutual_authentication() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for key in KEYS {
        let identity = Credentials::new(key);
        let client_root = identity.argument("root.pem");
        for version in VERSIONS {
            let options = ["-Verify", "3", "-verify_return_error", "-CAfile"];
            let with = |ca: &str, identity: Option<&Credentials>| {
                let server = Reverser::start(&credentials, &[&options[..], &[ca]].concat());
                let mut builder = ClientConfig::builder()
                    .roots(credentials.roots())
                    .versions(&[version]);
                if let Some(identity) = identity {
                    builder = builder.client_identity(identity.identity());
                }
                (
                    connect(&builder.build().unwrap(), "a.test", server.port),
                    server,
                )
            };
            let (tls, server) = with(&client_root, Some(&identity));
            let mut tls = tls.unwrap();
            exchange_reversed(&mut tls, "who I am");
            tls.shutdown().unwrap();
            let server = server.program.finish();
            server.assert_says("Peer certificate: O = wolfssl tests");
            let signature = match (key, version) {
                (Key::P256, _) => "ECDSA",
                (Key::Rsa2048, ProtocolVersion::TLSv1_2) => "RSA",
                (Key::Rsa2048, _) => "RSA-PSS",
            };
            assert_eq!(server.value("Signature type:"), signature, "{version}");

            // TLS 1.3 lets the client finish first: the alert then comes with the first read.
            let refusal = |(tls, server): (Result<crate::ours::Client, Error>, Reverser)| {
                let error = tls.and_then(|mut tls| {
                    crate::ours::read_line(&mut tls)
                        .map(|_| ())
                        .map_err(Error::from)
                });
                let text = server.program.finish();
                text.assert_says("CONNECTION FAILURE");
                match error {
                    Err(Error::AlertReceived(alert)) => alert,
                    other => panic!("{other:?}\n{}", text.text),
                }
            };
            let none = refusal(with(&client_root, None));
            if version == ProtocolVersion::TLSv1_3 {
                assert_eq!(none, AlertDescription::CertificateRequired);
            } else {
                assert_eq!(none, AlertDescription::HandshakeFailure);
            }
            let stranger = refusal(with(&root, Some(&identity)));
            assert_eq!(stranger, AlertDescription::UnknownCA);
        }
    }
}
