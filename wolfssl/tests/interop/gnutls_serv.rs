//! Our client with `gnutls-serv`.

use std::io::{ErrorKind, Read, Write};

use wolfssl::{
    AlertDescription, CertificateError, CertificateType, ChannelBinding, ClientConfig, Error,
    KeyLogFile, NamedGroup, ProtocolVersion, RawPublicKeys, subject_public_key_info,
};

use crate::agreement::{assert_same_log, binding, exported};
use crate::credentials::{Credentials, KEYS, Key};
use crate::ours::{Client, Negotiated, connect, read_line};
use crate::program::Program;
use crate::spelling::{self, VERSIONS};
use crate::support::Authority;

/// `gnutls-serv` on a loopback port; it echoes what comes.
struct Echo {
    program: Program,
    port: u16,
}

impl Echo {
    fn start(credentials: &Credentials, options: &[&str]) -> Self {
        let chain = credentials.argument("chain.pem");
        let key = credentials.argument("key.pem");
        let identity = ["--x509certfile", &chain, "--x509keyfile", &key];
        Self::with(credentials, &[&identity[..], options].concat(), &[])
    }

    fn with(credentials: &Credentials, options: &[&str], environment: &[(&str, &str)]) -> Self {
        let preloaded = loopback(credentials);
        let arguments = [&["--echo", "--port", "0"][..], options].concat();
        let environment = [&[("LD_PRELOAD", preloaded.as_str())][..], environment].concat();
        let mut program = Program::start_with("gnutls-serv", arguments, &environment);
        let port = program.rest_of_line("\nbound to 127.0.0.1:");
        program.expect("Echo Server listening on IPv6");
        let port = port.parse().expect("a port");
        Self { program, port }
    }
}

/// Builds what keeps `gnutls-serv` on loopback.
fn loopback(credentials: &Credentials) -> String {
    let library = credentials.argument("loopback.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/interop/loopback.c");
    let arguments = ["-shared", "-fPIC", "-o", &library, source, "-ldl"];
    Program::start("cc", arguments).finish().assert_success();
    library
}

fn echo(tls: &mut Client, line: &str) {
    tls.write_all(format!("{line}\n").as_bytes()).unwrap();
    assert_eq!(read_line(tls).unwrap(), format!("{line}\n"));
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
            let options = ["--disable-client-cert", "--priority"];
            let export = [
                "--keymatexport",
                "EXPORTER-interop",
                "--keymatexportsize",
                "40",
            ];
            let options = [&options[..], &[spelling::gnutls_priority(version)], &export].concat();
            let mut server = Echo::start(&credentials, &options);
            let mut tls = connect(&client(&credentials, version), "a.test", server.port).unwrap();
            echo(&mut tls, "some data");
            let connection = tls.connection();
            let negotiated = Negotiated::of(connection);
            assert_eq!(negotiated.version, version);

            let server = &mut server.program;
            assert_eq!(
                server.rest_of_line("- Description: "),
                spelling::gnutls_description(&negotiated, "X.509")
            );
            assert_eq!(server.rest_of_line("- Given server name[1]: "), "a.test");
            if version == ProtocolVersion::TLSv1_2 {
                let options = server.rest_of_line("- Options: ");
                assert_eq!(options, "extended master secret, safe renegotiation,");
                assert_eq!(
                    server.rest_of_line("'tls-unique': "),
                    binding(connection, ChannelBinding::TlsUnique)
                );
            }
            assert_eq!(
                server.rest_of_line("'tls-server-end-point': "),
                binding(connection, ChannelBinding::TlsServerEndPoint)
            );
            assert_eq!(
                server.rest_of_line("'tls-exporter': "),
                binding(connection, ChannelBinding::TlsExporter)
            );
            assert_eq!(
                server.rest_of_line("- Key material: ").to_uppercase(),
                exported(connection)
            );
            tls.shutdown().unwrap();
            assert_eq!(tls.read(&mut [0; 8]).unwrap(), 0, "a clean end");
        }
    }
}

#[test]
fn key_logs_agree_line_by_line() {
    let credentials = Credentials::new(Key::P256);
    let chain = credentials.argument("chain.pem");
    let key = credentials.argument("key.pem");
    for version in VERSIONS {
        let ours = credentials.file(&format!("client-{version}"));
        let theirs = credentials.argument(&format!("gnutls-serv-{version}"));
        let identity = ["--x509certfile", &chain, "--x509keyfile", &key];
        let server = Echo::with(&credentials, &identity, &[("SSLKEYLOGFILE", &theirs)]);
        let config = ClientConfig::builder()
            .roots(credentials.roots())
            .versions(&[version])
            .key_log(KeyLogFile::new(&ours).unwrap())
            .build()
            .unwrap();
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        echo(&mut tls, "an open secret");
        assert_same_log(&ours, theirs.as_ref(), version);
    }
}

#[test]
fn every_group_with_one_hello_or_two() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        for group in [
            NamedGroup::X25519,
            NamedGroup::secp256r1,
            NamedGroup::secp384r1,
            NamedGroup::secp521r1,
        ] {
            let priority = format!(
                "{}:-GROUP-ALL:+GROUP-{}",
                spelling::gnutls_priority(version),
                spelling::gnutls_group(group)
            );
            let server = Echo::start(&credentials, &["--priority", &priority]);
            let mut tls = connect(&client(&credentials, version), "a.test", server.port).unwrap();
            echo(&mut tls, "with this group");
            assert_eq!(Negotiated::of(tls.connection()).group, group, "{version}");
        }
    }
}

#[test]
fn what_our_client_refuses_is_told() {
    for key in KEYS {
        let good = Credentials::new(key);
        let expired = Credentials::expired(key);
        let stranger = Authority::new("another root").roots();
        let cases = [
            (&good, good.roots(), "b.test", "[2|42]"),
            (&good, stranger, "a.test", "[2|48]"),
            (&expired, expired.roots(), "a.test", "[2|45]"),
        ];
        for version in VERSIONS {
            for (credentials, roots, name, alert) in &cases {
                let mut server = Echo::start(credentials, &["--debug", "5"]);
                let config = ClientConfig::builder()
                    .roots(roots.clone())
                    .versions(&[version])
                    .build()
                    .unwrap();
                let error = connect(&config, name, server.port).unwrap_err();
                match (*alert, error) {
                    (
                        "[2|42]",
                        Error::InvalidCertificate(CertificateError::NotValidForName { .. }),
                    )
                    | ("[2|48]", Error::InvalidCertificate(CertificateError::UnknownIssuer))
                    | ("[2|45]", Error::InvalidCertificate(CertificateError::Expired)) => {}
                    (_, other) => panic!("{version} {name}: {other:?}"),
                }
                server.program.expect(&format!("Alert{alert}"));
                server.program.expect("Error in handshake");
            }
        }
    }
}

#[test]
fn mutual_authentication() {
    let credentials = Credentials::new(Key::P256);
    for key in KEYS {
        let identity = Credentials::new(key);
        let root = identity.argument("root.pem");
        for version in VERSIONS {
            let options = [
                "--require-client-cert",
                "--verify-client-cert",
                "--x509cafile",
                &root,
            ];
            let mut server = Echo::start(&credentials, &options);
            let config = ClientConfig::builder()
                .roots(credentials.roots())
                .versions(&[version])
                .client_identity(identity.identity())
                .build()
                .unwrap();
            let mut tls = connect(&config, "a.test", server.port).unwrap();
            echo(&mut tls, "who I am");
            server
                .program
                .expect("- Got a certificate list of 1 certificates.");

            let server = Echo::start(&credentials, &options);
            let refused = connect(&client(&credentials, version), "a.test", server.port)
                .and_then(|mut tls| Ok(tls.read(&mut [0; 8])?));
            match refused {
                Err(Error::AlertReceived(AlertDescription::CertificateRequired)) => {}
                // GnuTLS's word for it in TLS 1.2.
                Err(Error::AlertReceived(AlertDescription::DecodeError))
                    if version == ProtocolVersion::TLSv1_2 => {}
                other => panic!("{version}: {other:?}"),
            }
        }
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
        let mut server = Echo::start(&credentials, &["--alpn", "h2", "--alpn-fatal"]);
        let mut tls = connect(&offer(&["http/1.1", "h2"]), "a.test", server.port).unwrap();
        echo(&mut tls, "over h2");
        assert_eq!(tls.connection().negotiated_alpn().unwrap(), b"h2");
        server.program.expect("- Application protocol: h2");
        drop(tls);

        match connect(&offer(&["h3"]), "a.test", server.port).unwrap_err() {
            Error::AlertReceived(AlertDescription::NoApplicationProtocol) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn raw_public_keys_instead_of_certificates() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        let public = credentials.public_key_file();
        let private = credentials.argument("key.pem");
        let priority = "NORMAL:-CTYPE-ALL:+CTYPE-RAWPK";
        let options = [
            "--rawpkfile",
            &public,
            "--rawpkkeyfile",
            &private,
            "--priority",
        ];
        let known = subject_public_key_info(&credentials.leaf.chain[0]).unwrap();
        let other = Credentials::new(Key::P256);
        let unknown = subject_public_key_info(&other.leaf.chain[0]).unwrap();
        for version in VERSIONS {
            let options = [&options[..], &[priority, "--disable-client-cert"]].concat();
            let mut server = Echo::with(&credentials, &options, &[]);
            let config = |key: &wolfssl::pki_types::SubjectPublicKeyInfoDer<'static>| {
                ClientConfig::builder()
                    .raw_public_keys(RawPublicKeys::new([key.clone()]).unwrap())
                    .versions(&[version])
                    .build()
                    .unwrap()
            };
            let mut tls = connect(&config(&known), "a.test", server.port).unwrap();
            echo(&mut tls, "without a certificate");
            let connection = tls.connection();
            assert_eq!(
                connection.negotiated_server_certificate_type(),
                Some(CertificateType::RawPublicKey)
            );
            assert_eq!(connection.peer_raw_public_key(), Some(known.clone()));
            assert_eq!(
                server.program.rest_of_line("- Description: "),
                spelling::gnutls_description(
                    &Negotiated::of(connection),
                    "X.509-Raw Public Key" // the client's kind first
                )
            );
            drop(tls);

            match connect(&config(&unknown), "a.test", server.port).unwrap_err() {
                Error::InvalidCertificate(CertificateError::UnknownRawPublicKey) => {}
                other => panic!("{version}: {other:?}"),
            }
        }
    }
}

#[test]
fn our_client_resumes_what_it_gave() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        // Without tickets TLS 1.2 has session ids, and TLS 1.3 nothing.
        for (kind, resumed) in [
            (&[][..], true),
            (&["--noticket"], version == ProtocolVersion::TLSv1_2),
        ] {
            let mut server = Echo::start(&credentials, kind);
            let config = client(&credentials, version);
            for round in 0..3 {
                let mut tls = connect(&config, "a.test", server.port).unwrap();
                echo(&mut tls, "hello again");
                let expected = resumed && round > 0;
                assert_eq!(
                    tls.connection().is_resumed(),
                    expected,
                    "{version} {kind:?}"
                );
                tls.shutdown().unwrap();
                assert_eq!(tls.read(&mut [0; 8]).unwrap(), 0);
                server.program.expect("* Accepted connection");
                if expected {
                    server.program.expect("*** This is a resumed session");
                }
            }
        }
    }
}

#[test]
fn a_server_that_is_killed() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        let server = Echo::start(&credentials, &[]);
        let mut tls = connect(&client(&credentials, version), "a.test", server.port).unwrap();
        echo(&mut tls, "ten bytes");
        server.program.kill();
        let error = tls.read(&mut [0; 16]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{version}: {error}");
    }
}
