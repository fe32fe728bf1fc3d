//! `openssl s_client` with our server.

use std::io::Write;

use wolfssl::{AlertDescription, ClientAuth, Error, ProtocolVersion, ServerConfig};

use crate::credentials::{Credentials, KEYS, Key};
use crate::ours::{Background, Negotiated, Server, read_line, serve_one};
use crate::program::{Finished, Program};
use crate::spelling::{self, VERSIONS};
use crate::support::Authority;

/// `s_client` that verifies `name` against a root, with more options.
pub fn start(port: u16, root: &str, name: &str, options: &[&str]) -> Program {
    let address = format!("127.0.0.1:{port}");
    let arguments = ["s_client", "-connect", &address, "-servername", name];
    let verify = ["-CAfile", root, "-verify_return_error"];
    let check = if name.parse::<std::net::IpAddr>().is_ok() {
        ["-verify_ip", name]
    } else {
        ["-verify_hostname", name]
    };
    let all = arguments.iter().chain(&verify).chain(&check).chain(options);
    Program::start("openssl", all)
}

/// Answers one line, waits for the other side's close, and says what was negotiated.
pub fn answer(mut tls: Server) -> (Negotiated, String) {
    let line = read_line(&mut tls).unwrap();
    tls.write_all(format!("the server heard {line}").as_bytes())
        .unwrap();
    assert_eq!(read_line(&mut tls).unwrap(), "", "a clean end");
    tls.shutdown().unwrap();
    (Negotiated::of(tls.connection()), line)
}

/// Sends a line to [`answer`], and ends well.
pub fn ask(mut client: Program) -> Finished {
    client.send("some data\n");
    client.expect("the server heard some data\n");
    let client = client.finish();
    client.assert_success();
    client
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
        for version in VERSIONS {
            let (port, server) = serve_one(&config(&credentials), answer);
            let option = spelling::version_option(version);
            let root = credentials.argument("root.pem");
            let client = ask(start(port, &root, "a.test", &[option]));
            let (negotiated, _) = server.result().unwrap();
            assert_eq!(negotiated.version, version);
            let suite = spelling::suite(negotiated.suite);
            client.assert_says(&format!("New, {version}, Cipher is {suite}"));
            client.assert_says("Verify return code: 0 (ok)");
            client.assert_says("Verified peername: a.test");
            assert_eq!(
                client.value("Server Temp Key:"),
                spelling::temp_key(negotiated.group)
            );
            let signature = match key {
                Key::P256 => "ECDSA",
                Key::Rsa2048 => "RSA-PSS",
            };
            assert_eq!(client.value("Peer signature type:"), signature);
            assert_eq!(client.value("Peer signing digest:"), "SHA256");
        }
    }
}

/// T13: both certificates of the chain file are sent.
#[test]
fn the_whole_chain_is_sent() {
    let credentials = Credentials::with_intermediate();
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let (port, server) = serve_one(&config(&credentials), answer);
        let options = [spelling::version_option(version), "-showcerts"];
        let client = ask(start(port, &root, "a.test", &options));
        server.result().unwrap();
        let certificates = client.text.matches("-----BEGIN CERTIFICATE-----").count();
        assert_eq!(certificates, 2, "{}", client.text);
        client.assert_says("Verify return code: 0 (ok)");
    }
}

#[test]
fn a_client_that_refuses_is_heard() {
    for key in KEYS {
        let good = Credentials::new(key);
        let expired = Credentials::expired(key);
        let stranger = Authority::new("another root");
        let stranger_file = good.file("stranger.pem");
        std::fs::write(&stranger_file, &stranger.pem).unwrap();
        let cases = [
            (
                &good,
                good.argument("root.pem"),
                "b.test",
                "62:hostname mismatch",
            ),
            (
                &good,
                good.argument("root.pem"),
                "127.0.0.2",
                "64:IP address mismatch",
            ),
            (
                &good,
                good.argument("stranger.pem"),
                "a.test",
                "20:unable to get local issuer certificate",
            ),
            (
                &expired,
                expired.argument("root.pem"),
                "a.test",
                "10:certificate has expired",
            ),
        ];
        for version in VERSIONS {
            for (credentials, root, name, reason) in &cases {
                let (port, server) = serve_one(&config(credentials), |_| ());
                let option = spelling::version_option(version);
                let client = start(port, root, name, &[option]).finish();
                assert!(!client.status.success());
                client.assert_says("certificate verify failed");
                client.assert_says(&format!("verify error:num={reason}"));
                let expected = match &reason[..2] {
                    "10" => AlertDescription::CertificateExpired,
                    "20" => AlertDescription::UnknownCA,
                    _ => AlertDescription::BadCertificate,
                };
                match server.result() {
                    Err(Error::AlertReceived(alert)) => {
                        assert_eq!(alert, expected, "{version} {reason}");
                    }
                    other => panic!("{version} {reason}: {other:?}"),
                }
            }
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
        let shown = ["-cert", chain.as_str(), "-key", private.as_str()];
        for version in VERSIONS {
            let option = spelling::version_option(version);
            let with = |client_auth: ClientAuth, shown: &[&str]| {
                let config = ServerConfig::builder()
                    .identity(credentials.identity())
                    .client_auth(client_auth)
                    .build()
                    .unwrap();
                let (port, server) = serve_one(&config, |tls| {
                    let chain = tls.connection().peer_certificates().to_vec();
                    (answer(tls), chain)
                });
                let options = [&[option], shown].concat();
                (start(port, &root, "a.test", &options), server)
            };
            for auth in [
                ClientAuth::Required(identity.roots()),
                ClientAuth::Optional(identity.roots()),
            ] {
                let (client, server) = with(auth, &shown);
                ask(client).assert_says("\nRequested Signature Algorithms:");
                assert_eq!(server.result().unwrap().1, identity.leaf.chain);
            }
            let (client, server) = with(ClientAuth::Optional(identity.roots()), &[]);
            ask(client);
            assert!(server.result().unwrap().1.is_empty());

            let refused = |client: Program, server: Background<Result<_, Error>>| {
                let error = server.result().expect_err("refused");
                (client.finish(), error)
            };
            let (client, server) = with(ClientAuth::Required(identity.roots()), &[]);
            let (client, error) = refused(client, server);
            assert!(
                matches!(
                    error,
                    Error::InvalidCertificate(wolfssl::CertificateError::NotPresented)
                ),
                "{error:?}"
            );
            client.assert_says(match version {
                ProtocolVersion::TLSv1_3 => "alert certificate required",
                _ => "alert handshake failure",
            });
            for auth in [
                ClientAuth::Required(credentials.roots()),
                ClientAuth::Optional(credentials.roots()),
            ] {
                let (client, server) = with(auth, &shown);
                let (client, error) = refused(client, server);
                assert!(
                    matches!(
                        error,
                        Error::InvalidCertificate(wolfssl::CertificateError::UnknownIssuer)
                    ),
                    "{error:?}"
                );
                client.assert_says("alert unknown ca");
            }
        }
    }
}

#[test]
fn alpn_is_chosen_or_refused() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let option = spelling::version_option(version);
        let config = ServerConfig::builder()
            .identity(credentials.identity())
            .alpn(["h2", "http/1.1"])
            .build()
            .unwrap();
        let (port, server) = serve_one(&config, |tls| {
            let chosen = tls.connection().negotiated_alpn();
            answer(tls);
            chosen
        });
        let options = [option, "-alpn", "spdy/1,http/1.1,h2"];
        let client = ask(start(port, &root, "a.test", &options));
        assert_eq!(server.result().unwrap().unwrap(), b"h2");
        client.assert_says("ALPN protocol: h2");

        let (port, server) = serve_one(&config, |_| ());
        let client = start(port, &root, "a.test", &[option, "-alpn", "h3"]).finish();
        client.assert_says("alert no application protocol");
        assert!(server.result().is_err());
    }
}
