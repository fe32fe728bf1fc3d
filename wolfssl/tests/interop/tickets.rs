//! Session tickets of OpenSSL's programs, and what is done with them.

use std::io::Write;

use wolfssl::{ClientConfig, ProtocolVersion};

use crate::credentials::{Credentials, Key};
use crate::ours::{connect, read_line};
use crate::s_server::Reverser;

/// I8: the first data right behind any number of tickets, which come in one flight.
#[test]
fn any_number_of_tickets_before_an_immediate_reply() {
    let credentials = Credentials::new(Key::P256);
    for tickets in ["0", "1", "2", "10"] {
        let options = ["-naccept", "1", "-tls1_3", "-msg", "-num_tickets", tickets];
        let mut server = Reverser::with(&credentials, &options);
        // What it finds on its standard input it sends as soon as it is connected.
        server.program.send("who comes there?\n");
        let config = ClientConfig::builder()
            .roots(credentials.roots())
            .build()
            .unwrap();
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        assert_eq!(read_line(&mut tls).unwrap(), "who comes there?\n");
        assert_eq!(
            tls.connection().negotiated_version(),
            Some(ProtocolVersion::TLSv1_3)
        );
        tls.write_all(b"a friend\n").unwrap();
        server.program.expect("a friend\n");
        tls.shutdown().unwrap();
        let server = server.program.finish();
        let sent = server.messages(">>>", "NewSessionTicket");
        assert_eq!(sent.to_string(), tickets);
    }
}
