//! Early data (0-RTT) in both directions, taken and not taken, with the programs of OpenSSL
//! and GnuTLS.

use std::io::{Read, Write};

use wolfssl::{
    ClientConfig, ClientConnection, ServerConfig, ServerConnection, ServerResumption, StreamOwned,
    TicketKeys, TicketSecret, server_name,
};

use crate::credentials::{Credentials, Key};
use crate::ours::{Background, Client, accept, connect, listen, read_line, tcp};
use crate::program::{Finished, Program};
use crate::s_client;
use crate::s_server::Reverser;

const EARLY: &str = "the early bird\n";

/// A client that connects anew with early data; how much of it was written.
fn hurry(config: &ClientConfig, port: u16) -> (Client, usize) {
    let connection = ClientConnection::new(config, server_name("a.test").unwrap()).unwrap();
    let mut tls = StreamOwned::new(connection, tcp(port));
    let written = tls.write_early_data(EARLY.as_bytes()).unwrap();
    tls.complete_handshake().unwrap();
    (tls, written)
}

fn client(credentials: &Credentials) -> ClientConfig {
    ClientConfig::builder()
        .roots(credentials.roots())
        .enable_early_data(true)
        .build()
        .unwrap()
}

#[test]
fn s_server_takes_our_early_data() {
    let credentials = Credentials::new(Key::P256);
    let config = client(&credentials);
    let mut server = Reverser::with(&credentials, &["-naccept", "2", "-early_data"]);
    let mut tls = connect(&config, "a.test", server.port).unwrap();
    server.program.expect("No early data received");
    finish(&mut tls, &mut server);

    let (mut tls, written) = hurry(&config, server.port);
    assert_eq!(written, EARLY.len());
    assert!(tls.connection().is_early_data_accepted());
    finish(&mut tls, &mut server);
    let server = server.program.finish();
    server.assert_success();
    server.assert_says("Reused session-id");
    server.assert_says(EARLY);
}

/// A line each way, and the end.
fn finish(tls: &mut Client, server: &mut Reverser) {
    tls.write_all(b"to the server\n").unwrap();
    server.program.expect("to the server\n");
    server.program.send("to the client\n");
    assert_eq!(read_line(tls).unwrap(), "to the client\n");
    tls.shutdown().unwrap();
    assert_eq!(tls.read(&mut [0; 8]).unwrap(), 0);
}

/// I7: also with early data on the way, which then has to be passed over.
#[test]
fn an_s_server_that_was_restarted_or_takes_none_goes_on() {
    let credentials = Credentials::new(Key::P256);
    // Restarted: another cache. Without the option: it does not take early data any more.
    for option in [&["-early_data"][..], &[]] {
        let config = client(&credentials);
        let mut server = Reverser::with(&credentials, &["-naccept", "1", "-early_data"]);
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        finish(&mut tls, &mut server);
        server.program.finish().assert_success();

        let mut server = Reverser::with(&credentials, &[&["-naccept", "1"], option].concat());
        let (mut tls, written) = hurry(&config, server.port);
        assert_eq!(written, EARLY.len());
        assert!(!tls.connection().is_early_data_accepted());
        assert!(!tls.connection().is_resumed());
        finish(&mut tls, &mut server);
        server.program.finish().assert_success();
    }
}

#[test]
fn a_retry_takes_the_early_data_with_it() {
    let credentials = Credentials::new(Key::P256);
    let config = client(&credentials);
    // With its protection against replays s_server uses a ticket up in the first hello.
    let options = ["-naccept", "2", "-early_data", "-no_anti_replay"];
    let options = [&options[..], &["-groups", "P-384", "-msg"]].concat();
    let mut server = Reverser::with(&credentials, &options);
    let mut tls = connect(&config, "a.test", server.port).unwrap();
    finish(&mut tls, &mut server);
    let (mut tls, written) = hurry(&config, server.port);
    assert_eq!(written, EARLY.len());
    assert!(!tls.connection().is_early_data_accepted());
    assert!(tls.connection().is_resumed());
    finish(&mut tls, &mut server);
    let server = server.program.finish();
    server.assert_success();
    assert_eq!(server.messages("<<<", "ClientHello"), 4);
    assert!(!server.text.contains(EARLY), "{}", server.text);
}

fn server(credentials: &Credentials) -> ServerConfig {
    let keys = TicketKeys::new(TicketSecret::new([9; 32]), []).unwrap();
    ServerConfig::builder()
        .identity(credentials.identity())
        .resumption(ServerResumption::tickets(keys))
        .max_early_data(16 * 1024)
        .build()
        .unwrap()
}

/// What a server saw of one connection.
#[derive(Debug, PartialEq)]
struct Visit {
    early: String,
    accepted: bool,
    resumed: bool,
    later: String,
}

/// Serves `count` connections: early data, then a line, which is answered.
fn serve(config: &ServerConfig, count: usize) -> (u16, Background<Vec<Visit>>) {
    let (listener, port) = listen();
    let config = config.clone();
    let one = move || {
        let connection = ServerConnection::new(&config).unwrap();
        let mut tls = StreamOwned::new(connection, accept(&listener));
        let mut early = Vec::new();
        let mut buffer = [0; 64];
        while let count @ 1.. = tls.read_early_data(&mut buffer).unwrap() {
            early.extend_from_slice(&buffer[..count]);
        }
        tls.complete_handshake().unwrap();
        let later = read_line(&mut tls).unwrap();
        if !later.is_empty() {
            tls.write_all(format!("the server heard {later}").as_bytes())
                .unwrap();
            assert_eq!(read_line(&mut tls).unwrap(), "", "a clean end");
        }
        // A peer in a hurry is gone already.
        let _ = tls.shutdown();
        Visit {
            early: String::from_utf8(early).unwrap(),
            accepted: tls.connection().is_early_data_accepted(),
            resumed: tls.connection().is_resumed(),
            later,
        }
    };
    (
        port,
        Background::start(move || (0..count).map(|_| one()).collect()),
    )
}

fn visit(credentials: &Credentials, port: u16, options: &[&str]) -> Finished {
    let root = credentials.argument("root.pem");
    s_client::ask(s_client::start(port, &root, "a.test", options))
}

#[test]
fn our_server_takes_the_early_data_of_s_client_once() {
    let credentials = Credentials::new(Key::P256);
    let session = credentials.argument("session.pem");
    let early = credentials.argument("early.txt");
    std::fs::write(&early, EARLY).unwrap();
    let (port, server) = serve(&server(&credentials), 3);
    visit(&credentials, port, &["-sess_out", &session]);
    let options = ["-sess_in", &session, "-early_data", &early];
    let first = visit(&credentials, port, &options);
    first.assert_says("Early data was accepted");
    first.assert_says("Reused, TLSv1.3, Cipher is");
    // The very same ticket again, as someone would who has recorded it.
    let again = visit(&credentials, port, &options);
    again.assert_says("Early data was rejected");
    again.assert_says("New, TLSv1.3, Cipher is");

    let seen = |early: &str, resumed| Visit {
        early: early.to_owned(),
        accepted: resumed,
        resumed,
        later: "some data\n".to_owned(),
    };
    let expected = [seen("", false), seen(EARLY, true), seen("", false)];
    assert_eq!(server.result(), expected);
}

/// I7: after a restart the early data of earlier tickets is not taken, even under shared keys:
/// it may have been taken before.
#[test]
fn our_restarted_server_passes_over_the_early_data_of_s_client() {
    let credentials = Credentials::new(Key::P256);
    let session = credentials.argument("session.pem");
    let early = credentials.argument("early.txt");
    std::fs::write(&early, EARLY).unwrap();
    let (port, before) = serve(&server(&credentials), 1);
    visit(&credentials, port, &["-sess_out", &session]);
    before.result();

    let other = ServerConfig::builder()
        .identity(credentials.identity())
        .max_early_data(16 * 1024)
        .build()
        .unwrap();
    let none = ServerConfig::builder()
        .identity(credentials.identity())
        .build()
        .unwrap();
    for restarted in [server(&credentials), other, none] {
        let (port, after) = serve(&restarted, 1);
        let options = ["-sess_in", &session, "-early_data", &early];
        visit(&credentials, port, &options).assert_says("Early data was rejected");
        let visit = after.result().pop().unwrap();
        assert_eq!((visit.early.as_str(), visit.accepted), ("", false));
        assert_eq!(visit.later, "some data\n");
    }
}

#[test]
fn our_server_takes_the_early_data_of_gnutls_cli() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    let early = credentials.argument("early.txt");
    std::fs::write(&early, EARLY).unwrap();
    let (port, server) = serve(&server(&credentials), 2);
    let port = port.to_string();
    let fixed = ["127.0.0.1", "--port", &port, "--x509cafile", &root];
    let names = ["--sni-hostname", "a.test", "--verify-hostname", "a.test"];
    let options = ["--resume", "--waitresumption", "--earlydata", &early];
    let all = [&fixed[..], &names, &options].concat();
    let mut client = Program::start("gnutls-cli", all);
    client.expect("*** This is a resumed session");
    s_client::ask(client);
    let visits = server.result();
    assert_eq!(visits[1].early, EARLY);
    assert!(visits[1].accepted && visits[1].resumed);
}
