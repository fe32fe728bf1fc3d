//! `gnutls-cli` with our server.

use std::io::Write;
use std::net::Shutdown;

use wolfssl::{
    AlertDescription, CertificateError, CertificateType, CertifiedKey, ChannelBinding, ClientAuth,
    Error, KeyLogFile, NamedGroup, PostHandshakeAuth, ProtocolVersion, RawPublicKeys, ServerConfig,
    subject_public_key_info,
};

use crate::agreement::{assert_same_log, binding, exported};
use crate::credentials::{Credentials, KEYS, Key};
use crate::ours::{Server, read_line, serve_many, serve_one};
use crate::program::Program;
use crate::s_client::{answer, ask};
use crate::spelling::{self, VERSIONS};
use crate::support::Authority;

/// `gnutls-cli` that verifies `name` against a root, with more options.
fn start(port: u16, root: &str, name: &str, options: &[&str]) -> Program {
    start_with(port, root, name, options, &[])
}

fn start_with(
    port: u16,
    root: &str,
    name: &str,
    options: &[&str],
    environment: &[(&str, &str)],
) -> Program {
    let port = port.to_string();
    let fixed = [
        "127.0.0.1",
        "--port",
        &port,
        "--x509cafile",
        root,
        "--verbose",
    ];
    let names = ["--sni-hostname", name, "--verify-hostname", name];
    let all = [&fixed[..], &names, options].concat();
    Program::start_with("gnutls-cli", all, environment)
}

fn config(credentials: &Credentials) -> ServerConfig {
    ServerConfig::builder()
        .identity(credentials.identity())
        .build()
        .unwrap()
}

#[test]
fn both_versions_and_keys_agree_on_everything() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        let root = credentials.argument("root.pem");
        for version in VERSIONS {
            let (port, server) = serve_one(&config(&credentials), move |tls| {
                let connection = tls.connection();
                let unique = (version == ProtocolVersion::TLSv1_2)
                    .then(|| binding(connection, ChannelBinding::TlsUnique));
                let end_point = binding(connection, ChannelBinding::TlsServerEndPoint);
                let exporter = binding(connection, ChannelBinding::TlsExporter);
                let material = exported(connection);
                (answer(tls).0, unique, end_point, exporter, material)
            });
            let priority = spelling::gnutls_priority(version);
            let export = [
                "--keymatexport",
                "EXPORTER-interop",
                "--keymatexportsize",
                "40",
            ];
            let options = [&["--priority", priority][..], &export].concat();
            let client = ask(start(port, &root, "a.test", &options));
            let (negotiated, unique, end_point, exporter, material) = server.result().unwrap();
            assert_eq!(negotiated.version, version);
            assert_eq!(
                client.value("- Description: "),
                spelling::gnutls_description(&negotiated, "X.509")
            );
            client.assert_says("- Status: The certificate is trusted.");
            if let Some(unique) = unique {
                assert_eq!(client.value("- 'tls-unique': "), unique);
                let options = client.value("- Options: ");
                assert_eq!(options, "extended master secret, safe renegotiation,");
            }
            assert_eq!(client.value("- 'tls-server-end-point': "), end_point);
            assert_eq!(client.value("- 'tls-exporter': "), exporter);
            assert_eq!(client.value("- Key material: ").to_uppercase(), material);
        }
    }
}

#[test]
fn key_logs_agree_line_by_line() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let ours = credentials.file(&format!("server-{version}"));
        let theirs = credentials.argument(&format!("gnutls-cli-{version}"));
        let config = ServerConfig::builder()
            .identity(credentials.identity())
            .key_log(KeyLogFile::new(&ours).unwrap())
            .build()
            .unwrap();
        let (port, server) = serve_one(&config, answer);
        let options = ["--priority", spelling::gnutls_priority(version)];
        let environment = [("SSLKEYLOGFILE", theirs.as_str())];
        ask(start_with(port, &root, "a.test", &options, &environment));
        server.result().unwrap();
        assert_same_log(&ours, theirs.as_ref(), version);
    }
}

#[test]
fn a_client_that_refuses_is_heard() {
    for key in KEYS {
        let good = Credentials::new(key);
        let expired = Credentials::expired(key);
        std::fs::write(
            good.file("stranger.pem"),
            Authority::new("another root").pem,
        )
        .unwrap();
        let root = good.argument("root.pem");
        let stranger = good.argument("stranger.pem");
        let expired_root = expired.argument("root.pem");
        let cases = [
            (
                &good,
                &root,
                "b.test",
                "The name in the certificate does not match",
            ),
            (
                &good,
                &stranger,
                "a.test",
                "The certificate issuer is unknown",
            ),
            (&expired, &expired_root, "a.test", "expired certificate"),
        ];
        for version in VERSIONS {
            for (credentials, root, name, reason) in cases {
                let (port, server) = serve_one(&config(credentials), |_| ());
                let options = ["--priority", spelling::gnutls_priority(version)];
                let client = start(port, root, name, &options).finish();
                assert!(!client.status.success());
                client.assert_says(reason);
                match server.result() {
                    Err(Error::AlertReceived(AlertDescription::BadCertificate)) => {}
                    other => panic!("{version} {reason}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn every_group_with_one_hello_or_two() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        for group in [
            NamedGroup::X25519,
            NamedGroup::secp256r1,
            NamedGroup::secp384r1,
            NamedGroup::secp521r1,
        ] {
            let config = ServerConfig::builder()
                .identity(credentials.identity())
                .groups(&[group])
                .build()
                .unwrap();
            let (port, server) = serve_one(&config, answer);
            let priority = spelling::gnutls_priority(version);
            let options = ["--priority", priority, "--single-key-share"];
            ask(start(port, &root, "a.test", &options));
            assert_eq!(server.result().unwrap().0.group, group, "{version}");
        }
    }
}

#[test]
fn client_certificates_are_asked_for_and_checked() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for key in KEYS {
        let identity = Credentials::new(key);
        let (chain, private) = (identity.argument("chain.pem"), identity.argument("key.pem"));
        for version in VERSIONS {
            let options = ["--priority", spelling::gnutls_priority(version)];
            let shown = ["--x509certfile", &chain, "--x509keyfile", &private];
            let shown = [&options[..], &shown].concat();
            let with = |roots, options: &[&str]| {
                let config = ServerConfig::builder()
                    .identity(credentials.identity())
                    .client_auth(ClientAuth::Required(roots))
                    .build()
                    .unwrap();
                let (port, server) = serve_one(&config, |tls| {
                    let chain = tls.connection().peer_certificates().to_vec();
                    answer(tls);
                    chain
                });
                (start(port, &root, "a.test", options), server)
            };
            let (client, server) = with(identity.roots(), &shown);
            ask(client).assert_says("- Successfully sent 1 certificate(s) to server.");
            assert_eq!(server.result().unwrap(), identity.leaf.chain);

            let (client, server) = with(identity.roots(), &options);
            match server.result() {
                Err(Error::InvalidCertificate(CertificateError::NotPresented)) => {}
                other => panic!("{version}: {other:?}"),
            }
            client
                .finish()
                .assert_says("A TLS fatal alert has been received");

            let (client, server) = with(credentials.roots(), &shown);
            match server.result() {
                Err(Error::InvalidCertificate(CertificateError::UnknownIssuer)) => {}
                other => panic!("{version}: {other:?}"),
            }
            client
                .finish()
                .assert_says("A TLS fatal alert has been received");
        }
    }
}

#[test]
fn post_handshake_authentication_and_key_update() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    let identity = Credentials::new(Key::P256);
    let config = ServerConfig::builder()
        .identity(credentials.identity())
        .client_auth(ClientAuth::PostHandshake {
            roots: identity.roots(),
            required: true,
        })
        .build()
        .unwrap();
    let expected = identity.leaf.chain.clone();
    let (port, server) = serve_one(&config, move |mut tls: Server| {
        assert_eq!(read_line(&mut tls).unwrap(), "hello\n");
        let mut output = Vec::new();
        let connection = tls.connection_mut();
        connection.request_client_certificate(&mut output).unwrap();
        tls.get_mut().write_all(&output).unwrap();
        tls.write_all(b"who are you?\n").unwrap();
        assert_eq!(read_line(&mut tls).unwrap(), "that is me\n");
        let connection = tls.connection_mut();
        assert_eq!(
            connection.post_handshake_auth(),
            PostHandshakeAuth::Authenticated
        );
        assert_eq!(connection.peer_certificates(), expected);
        let mut output = Vec::new();
        connection.update_keys(&mut output).unwrap();
        tls.get_mut().write_all(&output).unwrap();
        tls.write_all(b"under new keys\n").unwrap();
        answer(tls);
    });
    let (chain, private) = (identity.argument("chain.pem"), identity.argument("key.pem"));
    let mut client = start(
        port,
        &root,
        "a.test",
        &[
            "--post-handshake-auth",
            "--inline-commands",
            "--x509certfile",
            &chain,
            "--x509keyfile",
            &private,
        ],
    );
    client.expect("- Simple Client Mode:");
    client.send("hello\n");
    client.expect("who are you?\n");
    client.send("that is me\n");
    client.expect("under new keys\n");
    client.send("^rekey^\n");
    client.expect("Rekey");
    ask(client);
    server.result().unwrap();
}

#[test]
fn alpn_is_chosen_or_refused() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let config = ServerConfig::builder()
            .identity(credentials.identity())
            .alpn(["h2", "http/1.1"])
            .build()
            .unwrap();
        let priority = ["--priority", spelling::gnutls_priority(version)];
        let (port, server) = serve_one(&config, |tls| {
            let chosen = tls.connection().negotiated_alpn();
            answer(tls);
            chosen
        });
        let options = [&priority[..], &["--alpn", "http/1.1", "--alpn", "h2"]].concat();
        let client = ask(start(port, &root, "a.test", &options));
        assert_eq!(server.result().unwrap().unwrap(), b"h2");
        client.assert_says("- Application protocol: h2");

        let (port, server) = serve_one(&config, |_| ());
        let options = [&priority[..], &["--alpn", "h3"]].concat();
        let client = start(port, &root, "a.test", &options).finish();
        client.assert_says("Received alert [120]");
        assert!(server.result().is_err());
    }
}

#[test]
fn raw_public_keys_of_both_sides() {
    let identity = Credentials::new(Key::P256);
    let (public, private) = (identity.public_key_file(), identity.argument("key.pem"));
    let known = subject_public_key_info(&identity.leaf.chain[0]).unwrap();
    let credentials = Credentials::new(Key::P256);
    let spki = subject_public_key_info(&credentials.leaf.chain[0]).unwrap();
    for version in VERSIONS {
        let own = CertifiedKey::with_raw_public_key(spki.clone(), credentials.leaf.key()).unwrap();
        let config = ServerConfig::builder()
            .identity(own)
            .raw_public_keys(RawPublicKeys::new([known.clone()]).unwrap())
            .build()
            .unwrap();
        let (port, server) = serve_one(&config, |tls| {
            let connection = tls.connection();
            let kinds = (
                connection.negotiated_server_certificate_type(),
                connection.negotiated_client_certificate_type(),
            );
            let key = connection.peer_raw_public_key().map(|key| key.into_owned());
            (answer(tls).0, kinds, key)
        });
        let priority = format!(
            "{}:-CTYPE-ALL:+CTYPE-RAWPK",
            spelling::gnutls_priority(version)
        );
        let options = [
            "--priority",
            &priority,
            "--rawpkfile",
            &public,
            "--rawpkkeyfile",
        ];
        let options = [&options[..], &[&private, "--insecure"]].concat();
        let root = credentials.argument("root.pem");
        let client = ask(start(port, &root, "a.test", &options));
        let (negotiated, kinds, key) = server.result().unwrap();
        let raw = Some(CertificateType::RawPublicKey);
        assert_eq!(kinds, (raw, raw), "{version}");
        assert_eq!(key, Some(known.clone()));
        assert_eq!(
            client.value("- Description: "),
            spelling::gnutls_description(&negotiated, "Raw Public Key")
        );
    }
}

#[test]
fn our_unclean_end_is_noticed() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let (port, server) = serve_one(&config(&credentials), |mut tls| {
            read_line(&mut tls).unwrap();
            tls.write_all(b"good bye\n").unwrap();
            let (_, tcp) = tls.into_parts();
            tcp.shutdown(Shutdown::Write).unwrap();
            crate::cuts::drain(tcp);
        });
        let options = ["--priority", spelling::gnutls_priority(version)];
        let mut client = start(port, &root, "a.test", &options);
        client.send("say something\n");
        client.expect("good bye");
        client.expect("The TLS connection was non-properly terminated");
        server.result().unwrap();
    }
}

#[test]
fn it_resumes_what_our_server_gave_it() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let (port, server) = serve_many(&config(&credentials), 2, |mut tls: Server| {
            let line = read_line(&mut tls).unwrap();
            if !line.is_empty() {
                tls.write_all(line.as_bytes()).unwrap();
            }
            // The first time it is gone already.
            let _ = tls.shutdown();
            (tls.connection().is_resumed(), line)
        });
        let priority = spelling::gnutls_priority(version);
        let options = ["--priority", priority, "--resume", "--waitresumption"];
        let mut client = start(port, &root, "a.test", &options);
        client.expect("*** This is a resumed session");
        client.send("once more\n");
        client.expect("once more");
        let connections = server.result();
        assert_eq!(
            connections,
            [(false, String::new()), (true, "once more\n".to_owned())],
            "{version}"
        );
    }
}
