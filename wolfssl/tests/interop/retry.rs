//! HelloRetryRequest, groups that nobody shares, and servers or clients that stop at TLS 1.2,
//! with OpenSSL's programs (I2, I10).

use wolfssl::{AlertDescription, ClientConfig, Error, NamedGroup, ProtocolVersion, ServerConfig};

use crate::credentials::{Credentials, KEYS, Key};
use crate::curl::curl;
use crate::ours::{Negotiated, connect, exchange_reversed, serve_one};
use crate::program::Finished;
use crate::s_client;
use crate::s_server::Reverser;
use crate::support::Authority;

impl Finished {
    /// How many handshake messages of this name the option `-msg` has shown in this
    /// direction, `>>>` or `<<<`.
    pub fn messages(&self, direction: &str, name: &str) -> usize {
        let lines = self.text.lines();
        lines
            .filter(|line| line.starts_with(direction) && line.ends_with(&format!(", {name}")))
            .count()
    }
}

fn client_with(credentials: &Credentials, groups: &[NamedGroup]) -> ClientConfig {
    ClientConfig::builder()
        .roots(credentials.roots())
        .groups(groups)
        .build()
        .unwrap()
}

fn server_with(credentials: &Credentials, groups: &[NamedGroup]) -> ServerConfig {
    ServerConfig::builder()
        .identity(credentials.identity())
        .groups(groups)
        .build()
        .unwrap()
}

#[test]
fn a_server_that_asks_for_another_key_share_gets_it() {
    let credentials = Credentials::new(Key::P256);
    for (groups, chosen, hellos) in [
        ("X25519", NamedGroup::X25519, 1),
        ("P-256", NamedGroup::secp256r1, 2),
        ("P-384", NamedGroup::secp384r1, 2),
        ("P-521:P-384", NamedGroup::secp521r1, 2),
    ] {
        let server = Reverser::start(&credentials, &["-groups", groups, "-msg"]);
        let config = client_with(&credentials, NamedGroup::DEFAULT);
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        exchange_reversed(&mut tls, "after a retry");
        assert_eq!(Negotiated::of(tls.connection()).group, chosen, "{groups}");
        tls.shutdown().unwrap();
        let server = server.program.finish();
        server.assert_success();
        assert_eq!(server.messages("<<<", "ClientHello"), hellos, "{groups}");
        assert_eq!(server.messages(">>>", "ServerHello"), hellos, "{groups}");
    }
}

#[test]
fn our_server_asks_for_the_key_share_it_needs() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for (groups, own, hellos) in [
        ("X25519:P-384", &[NamedGroup::X25519][..], 1),
        ("X25519:P-384", &[NamedGroup::secp384r1], 2),
        ("P-521:X25519:P-256", &[NamedGroup::secp256r1], 2),
    ] {
        let (port, server) = serve_one(&server_with(&credentials, own), s_client::answer);
        let options = ["-groups", groups, "-msg"];
        let client = s_client::ask(s_client::start(port, &root, "a.test", &options));
        assert_eq!(server.result().unwrap().0.group, own[0], "{groups}");
        assert_eq!(client.messages(">>>", "ClientHello"), hellos, "{groups}");
    }
}

#[test]
fn without_a_common_group_both_sides_fail_at_once() {
    let credentials = Credentials::new(Key::P256);
    let reverser = Reverser::start(&credentials, &["-groups", "X25519", "-msg"]);
    let config = client_with(&credentials, &[NamedGroup::secp521r1]);
    match connect(&config, "a.test", reverser.port).unwrap_err() {
        Error::AlertReceived(AlertDescription::HandshakeFailure) => {}
        other => panic!("{other:?}"),
    }
    let reverser = reverser.program.finish();
    assert_eq!(reverser.messages("<<<", "ClientHello"), 1);

    let root = credentials.argument("root.pem");
    let (port, accepted) = serve_one(&server_with(&credentials, &[NamedGroup::X25519]), |_| ());
    let options = ["-groups", "P-521", "-msg", "-tls1_3"];
    let client = s_client::start(port, &root, "a.test", &options).finish();
    client.assert_says("alert handshake failure");
    assert_eq!(client.messages(">>>", "ClientHello"), 1);
    match accepted.result() {
        Err(Error::Handshake {
            alert_sent: Some(AlertDescription::HandshakeFailure),
            ..
        }) => {}
        other => panic!("{other:?}"),
    }
}

/// I10: peers that can do more must not see an attack in it.
#[test]
fn ends_that_stop_at_tls_1_2_are_accepted_by_peers_that_do_not() {
    let only = [ProtocolVersion::TLSv1_2];
    for key in KEYS {
        let credentials = Credentials::new(key);
        let root = credentials.argument("root.pem");
        let config = ServerConfig::builder()
            .identity(credentials.identity())
            .versions(&only)
            .build()
            .unwrap();
        let (port, server) = serve_one(&config, s_client::answer);
        let client = s_client::ask(s_client::start(port, &root, "a.test", &[]));
        client.assert_says("New, TLSv1.2, Cipher is");
        assert_eq!(server.result().unwrap().0.version, only[0]);

        let (port, server) = serve_one(&config, crate::curl::respond);
        let client = curl(port, &root, "a.test", &[]);
        client.assert_success();
        client.assert_says("SSL connection using TLSv1.2");
        server.result().unwrap();

        let server = Reverser::start(&credentials, &[]);
        let config = ClientConfig::builder()
            .roots(credentials.roots())
            .versions(&only)
            .build()
            .unwrap();
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        exchange_reversed(&mut tls, "an old friend");
        assert_eq!(Negotiated::of(tls.connection()).version, only[0]);

        // And the other way round: we can do more than they.
        let server = Reverser::start(&credentials, &["-tls1_2"]);
        let config = client_with(&credentials, NamedGroup::DEFAULT);
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        exchange_reversed(&mut tls, "an old friend");
        assert_eq!(Negotiated::of(tls.connection()).version, only[0]);
    }
}

#[test]
fn no_version_in_common_is_told() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    let server = Reverser::start(&credentials, &["-tls1_3"]);
    let config = ClientConfig::builder()
        .roots(Authority::new("whoever").roots())
        .versions(&[ProtocolVersion::TLSv1_2])
        .build()
        .unwrap();
    match connect(&config, "a.test", server.port).unwrap_err() {
        Error::AlertReceived(AlertDescription::ProtocolVersion) => {}
        other => panic!("{other:?}"),
    }

    let config = ServerConfig::builder()
        .identity(credentials.identity())
        .versions(&[ProtocolVersion::TLSv1_3])
        .build()
        .unwrap();
    let (port, server) = serve_one(&config, |_| ());
    let client = s_client::start(port, &root, "a.test", &["-tls1_2"]).finish();
    client.assert_says("alert protocol version");
    assert!(server.result().is_err());
}
