//! What both ends derive from one handshake is the same: exported keying material, key logs,
//! new keys, and who the client is after the handshake. With OpenSSL's programs.

use std::io::{Read, Write};

use wolfssl::{ClientAuth, ClientConfig, KeyLogFile, PostHandshakeAuth, ServerConfig};

use crate::agreement::{LABEL, assert_same_log, exported};
use crate::credentials::{Credentials, Key};
use crate::ours::{Client, Server, connect, exchange_reversed, read_line, serve_one};
use crate::s_client;
use crate::s_server::Reverser;
use crate::spelling::{self, VERSIONS};

#[test]
fn exported_keying_material_is_the_servers() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        let options = ["-keymatexport", LABEL, "-keymatexportlen", "40", "-naccept"];
        let server = Reverser::with(&credentials, &[&options[..], &["1"]].concat());
        let config = ClientConfig::builder()
            .roots(credentials.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        let ours = exported(tls.connection());
        tls.shutdown().unwrap();
        let server = server.program.finish();
        assert_eq!(server.value("Keying material: "), ours, "{version}");
    }
}

#[test]
fn exported_keying_material_is_the_clients() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let config = ServerConfig::builder()
            .identity(credentials.identity())
            .build()
            .unwrap();
        let (port, server) = serve_one(&config, |tls| {
            let ours = exported(tls.connection());
            s_client::answer(tls);
            ours
        });
        let option = spelling::version_option(version);
        let options = [option, "-keymatexport", LABEL, "-keymatexportlen", "40"];
        let client = s_client::ask(s_client::start(port, &root, "a.test", &options));
        assert_eq!(
            client.value("Keying material: "),
            server.result().unwrap(),
            "{version}"
        );
    }
}

#[test]
fn key_logs_agree_line_by_line() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let file = |side: &str| credentials.file(&format!("{side}-{version}"));
        let argument = |side: &str| credentials.argument(&format!("{side}-{version}"));
        let server = Reverser::start(&credentials, &["-keylogfile", &argument("s_server")]);
        let config = ClientConfig::builder()
            .roots(credentials.roots())
            .versions(&[version])
            .key_log(KeyLogFile::new(file("client")).unwrap())
            .build()
            .unwrap();
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        exchange_reversed(&mut tls, "an open secret");
        tls.shutdown().unwrap();
        server.program.finish();
        assert_same_log(&file("client"), &file("s_server"), version);

        let config = ServerConfig::builder()
            .identity(credentials.identity())
            .key_log(KeyLogFile::new(file("server")).unwrap())
            .build()
            .unwrap();
        let (port, server) = serve_one(&config, s_client::answer);
        let option = spelling::version_option(version);
        let options = [option, "-keylogfile", &argument("s_client")];
        s_client::ask(s_client::start(port, &root, "a.test", &options));
        server.result().unwrap();
        assert_same_log(&file("server"), &file("s_client"), version);
    }
}

#[test]
fn either_side_of_s_server_changes_its_keys() {
    let credentials = Credentials::new(Key::P256);
    let mut server = Reverser::with(&credentials, &["-naccept", "1", "-msg"]);
    let config = ClientConfig::builder()
        .roots(credentials.roots())
        .build()
        .unwrap();
    let mut tls = connect(&config, "a.test", server.port).unwrap();
    for round in ["first", "second"] {
        // Theirs asks for ours: the answer goes out as soon as it is read.
        server.program.send("K\n");
        server
            .program
            .expect(">>> TLS 1.3, Handshake [length 0005], KeyUpdate");
        server.program.send(&format!("{round}\n"));
        assert_eq!(read_line(&mut tls).unwrap(), format!("{round}\n"));
        server
            .program
            .expect("<<< TLS 1.3, Handshake [length 0005], KeyUpdate");

        update_keys(&mut tls);
        assert!(tls.connection().is_key_update_pending());
        tls.write_all(format!("{round} from here\n").as_bytes())
            .unwrap();
        server.program.expect(&format!("{round} from here\n"));
        server.program.send("go on\n");
        server
            .program
            .expect(">>> TLS 1.3, Handshake [length 0005], KeyUpdate");
        assert_eq!(read_line(&mut tls).unwrap(), "go on\n");
        assert!(!tls.connection().is_key_update_pending());
    }
    tls.shutdown().unwrap();
    let server = server.program.finish();
    assert_eq!(server.messages(">>>", "KeyUpdate"), 4);
    assert_eq!(server.messages("<<<", "KeyUpdate"), 4);
}

#[test]
fn either_side_of_s_client_changes_its_keys() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    let config = ServerConfig::builder()
        .identity(credentials.identity())
        .build()
        .unwrap();
    let (port, server) = serve_one(&config, |mut tls| {
        assert_eq!(read_line(&mut tls).unwrap(), "under new keys\n");
        let mut output = Vec::new();
        tls.connection_mut().update_keys(&mut output).unwrap();
        tls.get_mut().write_all(&output).unwrap();
        tls.write_all(b"the server's turn\n").unwrap();
        assert_eq!(read_line(&mut tls).unwrap(), "and again\n");
        assert!(!tls.connection().is_key_update_pending());
        s_client::answer(tls);
    });
    let mut client = s_client::start(port, &root, "a.test", &["-msg", "-tls1_3"]);
    client.expect("Verify return code: 0 (ok)");
    client.send("K\n");
    client.expect("KEYUPDATE");
    client.expect("Handshake [length 0005], KeyUpdate");
    client.send("under new keys\n");
    client.expect("the server's turn\n");
    client.send("and again\n");
    let client = s_client::ask(client);
    server.result().unwrap();
    assert_eq!(client.messages(">>>", "KeyUpdate"), 2);
    assert_eq!(client.messages("<<<", "KeyUpdate"), 2);
}

fn update_keys(tls: &mut Client) {
    let mut output = Vec::new();
    tls.connection_mut().update_keys(&mut output).unwrap();
    tls.get_mut().write_all(&output).unwrap();
}

#[test]
fn s_server_asks_for_our_certificate_after_the_handshake() {
    let credentials = Credentials::new(Key::P256);
    for key in crate::credentials::KEYS {
        let identity = Credentials::new(key);
        let root = identity.argument("root.pem");
        let options = [
            "-naccept",
            "1",
            "-msg",
            "-CAfile",
            &root,
            "-verify_return_error",
        ];
        let mut server = Reverser::with(&credentials, &options);
        let config = ClientConfig::builder()
            .roots(credentials.roots())
            .client_identity(identity.identity())
            .post_handshake_auth(true)
            .build()
            .unwrap();
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        tls.write_all(b"before\n").unwrap();
        server.program.expect("before\n");
        server.program.send("c\n");
        server.program.expect(", CertificateRequest\n");
        server.program.send("who are you?\n");
        assert_eq!(read_line(&mut tls).unwrap(), "who are you?\n");
        server
            .program
            .expect("depth=0 O = wolfssl tests\nverify return:1");
        tls.write_all(b"after\n").unwrap();
        server.program.expect("after\n");
    }
}

#[test]
fn our_server_asks_s_client_for_its_certificate_after_the_handshake() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for key in crate::credentials::KEYS {
        let identity = Credentials::new(key);
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
            assert!(tls.connection().peer_certificates().is_empty());
            let mut output = Vec::new();
            let connection = tls.connection_mut();
            connection.request_client_certificate(&mut output).unwrap();
            tls.get_mut().write_all(&output).unwrap();
            tls.write_all(b"who are you?\n").unwrap();
            assert_eq!(read_line(&mut tls).unwrap(), "that is me\n");
            let connection = tls.connection();
            assert_eq!(
                connection.post_handshake_auth(),
                PostHandshakeAuth::Authenticated
            );
            assert_eq!(connection.peer_certificates(), expected);
            tls.shutdown().unwrap();
            tls.read(&mut [0; 8]).unwrap()
        });
        let (chain, private) = (identity.argument("chain.pem"), identity.argument("key.pem"));
        let options = ["-enable_pha", "-cert", &chain, "-key", &private];
        let mut client = s_client::start(port, &root, "a.test", &options);
        client.expect("who are you?\n");
        client.send("that is me\n");
        client.finish().assert_success();
        assert_eq!(server.result().unwrap(), 0);
    }
}
