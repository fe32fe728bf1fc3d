//! Session tickets and session ids, issued by one side and taken by the other, with OpenSSL's
//! programs.

use std::io::{Read, Write};

use wolfssl::{
    ClientConfig, InMemoryServerSessions, ProtocolVersion, ServerConfig, ServerResumption,
    TicketKeys, TicketSecret,
};

use crate::credentials::{Credentials, KEYS, Key};
use crate::ours::{Client, Server, connect, read_line, serve_one};
use crate::program::Finished;
use crate::s_client;
use crate::s_server::Reverser;
use crate::spelling::{self, VERSIONS};

fn client(credentials: &Credentials, version: ProtocolVersion) -> ClientConfig {
    ClientConfig::builder()
        .roots(credentials.roots())
        .versions(&[version])
        .build()
        .unwrap()
}

/// Sends a line to an `s_server` in its plain mode, and takes one back.
fn talk(tls: &mut Client, server: &mut Reverser) {
    tls.write_all(b"to the server\n").unwrap();
    server.program.expect("to the server\n");
    server.program.send("to the client\n");
    assert_eq!(read_line(tls).unwrap(), "to the client\n");
    tls.shutdown().unwrap();
    assert_eq!(tls.read(&mut [0; 8]).unwrap(), 0);
}

/// I8: the first data right behind any number of tickets, which come in one flight.
#[test]
fn any_number_of_tickets_before_an_immediate_reply() {
    let credentials = Credentials::new(Key::P256);
    for tickets in ["0", "1", "2", "10"] {
        let options = ["-naccept", "1", "-msg", "-num_tickets", tickets];
        let mut server = Reverser::with(&credentials, &options);
        // What it finds on its standard input it sends as soon as it is connected.
        server.program.send("who comes there?\n");
        let config = client(&credentials, ProtocolVersion::TLSv1_3);
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        assert_eq!(read_line(&mut tls).unwrap(), "who comes there?\n");
        tls.write_all(b"a friend\n").unwrap();
        server.program.expect("a friend\n");
        tls.shutdown().unwrap();
        let server = server.program.finish();
        let sent = server.messages(">>>", "NewSessionTicket");
        assert_eq!(sent.to_string(), tickets);
    }
}

#[test]
fn our_client_resumes_what_s_server_gave_it() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        for version in VERSIONS {
            // Without tickets: session ids in TLS 1.2, tickets that are keys of a cache in 1.3.
            for kind in [&[][..], &["-no_ticket"]] {
                let options = [&["-naccept", "3"], kind].concat();
                let mut server = Reverser::with(&credentials, &options);
                let config = client(&credentials, version);
                for round in 0..3 {
                    let mut tls = connect(&config, "a.test", server.port).unwrap();
                    talk(&mut tls, &mut server);
                    let connection = tls.connection();
                    assert_eq!(connection.is_resumed(), round > 0, "{version} {kind:?}");
                    assert_eq!(connection.negotiated_version(), Some(version));
                    assert_eq!(connection.peer_certificates(), credentials.leaf.chain);
                }
                let server = server.program.finish();
                server.assert_success();
                let reused = server.text.matches("Reused session-id").count();
                assert_eq!(reused, 2, "{version} {kind:?}\n{}", server.text);
            }
        }
    }
}

#[test]
fn what_a_restarted_s_server_does_not_know_is_a_full_handshake() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        let config = client(&credentials, version);
        for _ in 0..2 {
            let mut server = Reverser::with(&credentials, &["-naccept", "1"]);
            let mut tls = connect(&config, "a.test", server.port).unwrap();
            talk(&mut tls, &mut server);
            assert!(!tls.connection().is_resumed(), "{version}");
            server.program.finish().assert_success();
        }
    }
}

/// One connection of `s_client` with a file of its session in or out.
fn visit(config: &ServerConfig, credentials: &Credentials, options: &[&str]) -> (Finished, bool) {
    let root = credentials.argument("root.pem");
    let (port, server) = serve_one(config, |tls: Server| {
        let resumed = tls.connection().is_resumed();
        answer(tls);
        resumed
    });
    let client = s_client::ask(s_client::start(port, &root, "a.test", options));
    (client, server.result().unwrap())
}

/// As [`s_client::answer`], for resumed connections, too.
fn answer(mut tls: Server) {
    let line = read_line(&mut tls).unwrap();
    tls.write_all(format!("the server heard {line}").as_bytes())
        .unwrap();
    assert_eq!(read_line(&mut tls).unwrap(), "", "a clean end");
    tls.shutdown().unwrap();
}

fn server(credentials: &Credentials, resumption: ServerResumption) -> ServerConfig {
    ServerConfig::builder()
        .identity(credentials.identity())
        .resumption(resumption)
        .build()
        .unwrap()
}

#[test]
fn s_client_resumes_what_our_server_gave_it() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        let session = credentials.argument("session.pem");
        let config = server(&credentials, ServerResumption::default());
        for version in VERSIONS {
            // I12: whether or not it offers resumption without a new key exchange.
            for modes in [&[][..], &["-allow_no_dhe_kex"]] {
                let option = [&[spelling::version_option(version)], modes].concat();
                let out = [&option[..], &["-sess_out", &session]].concat();
                let (first, resumed) = visit(&config, &credentials, &out);
                assert!(!resumed);
                first.assert_says(&format!("New, {version}, Cipher is"));

                let back = [&option[..], &["-sess_in", &session]].concat();
                let (second, resumed) = visit(&config, &credentials, &back);
                second.assert_says(&format!("Reused, {version}, Cipher is"));
                assert!(resumed, "{version} {modes:?}");
            }
        }
    }
}

#[test]
fn s_client_resumes_by_session_id() {
    let credentials = Credentials::new(Key::P256);
    let session = credentials.argument("session.pem");
    let store = InMemoryServerSessions::new(10);
    let config = server(&credentials, ServerResumption::default().session_ids(store));
    let options = ["-tls1_2", "-no_ticket"];
    let out = [&options[..], &["-sess_out", &session]].concat();
    let (first, resumed) = visit(&config, &credentials, &out);
    assert!(!resumed);
    assert_eq!(first.value("Session-ID:").len(), 64, "{}", first.text);
    let back = [&options[..], &["-sess_in", &session]].concat();
    let (second, resumed) = visit(&config, &credentials, &back);
    second.assert_says("Reused, TLSv1.2, Cipher is");
    assert!(resumed);
}

/// I7: a server that was restarted, and one that shares its ticket keys.
#[test]
fn tickets_of_another_process_count_where_the_keys_are_shared() {
    let credentials = Credentials::new(Key::P256);
    let session = credentials.argument("session.pem");
    let shared = || {
        let keys = TicketKeys::new(TicketSecret::new([7; 32]), []).unwrap();
        server(&credentials, ServerResumption::tickets(keys))
    };
    let own = || server(&credentials, ServerResumption::default());
    for version in VERSIONS {
        let option = spelling::version_option(version);
        let configs = [(own(), own(), false), (shared(), shared(), true)];
        for (before, after, known) in &configs {
            visit(before, &credentials, &[option, "-sess_out", &session]);
            let (client, resumed) = visit(after, &credentials, &[option, "-sess_in", &session]);
            let said = if *known { "Reused" } else { "New" };
            client.assert_says(&format!("{said}, {version}, Cipher is"));
            assert_eq!(resumed, *known, "{version}");
        }
    }
}

#[test]
fn a_server_without_resumption_gives_no_ticket() {
    let credentials = Credentials::new(Key::P256);
    let config = server(&credentials, ServerResumption::disabled());
    for version in VERSIONS {
        let option = spelling::version_option(version);
        let (client, _) = visit(&config, &credentials, &[option, "-msg"]);
        assert_eq!(client.messages("<<<", "NewSessionTicket"), 0, "{version}");
    }
}
