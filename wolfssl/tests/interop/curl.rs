//! curl with our server: requests and answers of more than one record.

use std::io::{Read, Write};

use wolfssl::{AlertDescription, Error, ProtocolVersion, ServerConfig};

use crate::credentials::{Credentials, KEYS, Key};
use crate::ours::{Negotiated, Server, serve_one};
use crate::program::{Finished, Program};
use crate::spelling::{self, VERSIONS};
use crate::support::Authority;

const BODY: usize = 1_000_000;

/// curl for a resource of `name`, which it takes to be at our port; it reports in full.
pub fn curl(port: u16, root: &str, name: &str, options: &[&str]) -> Finished {
    let resolve = format!("{name}:{port}:127.0.0.1");
    let address = format!("https://{name}:{port}/resource");
    let fixed = ["--verbose", "--silent", "--show-error", "--noproxy", "*"];
    let place = ["--resolve", &resolve, "--cacert", root, "--max-time", "15"];
    let all = [&fixed[..], &place, options, &[&address]].concat();
    Program::start("curl", all).finish()
}

/// The options that hold curl to one version.
pub fn only(version: ProtocolVersion) -> [&'static str; 3] {
    match version {
        ProtocolVersion::TLSv1_2 => ["--tlsv1.2", "--tls-max", "1.2"],
        _ => ["--tlsv1.3", "--tls-max", "1.3"],
    }
}

/// Answers one request; returns the protocol that was agreed on.
pub fn respond(mut tls: Server) -> Option<Vec<u8>> {
    request(&mut tls);
    tls.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        .unwrap();
    tls.shutdown().unwrap();
    tls.connection().negotiated_alpn()
}

/// The head of a request, and the first bytes of its body that came with it.
fn request(tls: &mut Server) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            let body = bytes.split_off(end + 4);
            return (String::from_utf8(bytes).unwrap(), body);
        }
        match tls.read(&mut buffer).unwrap() {
            0 => panic!("the request ends early"),
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

fn pattern() -> Vec<u8> {
    (0..BODY).map(|at| (at % 251) as u8).collect()
}

fn config(credentials: &Credentials) -> ServerConfig {
    ServerConfig::builder()
        .identity(credentials.identity())
        .build()
        .unwrap()
}

#[test]
fn a_megabyte_each_way_in_both_versions_with_both_keys() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        let root = credentials.argument("root.pem");
        let (up, down) = (credentials.argument("up"), credentials.argument("down"));
        std::fs::write(&up, pattern()).unwrap();
        for version in VERSIONS {
            let (port, server) = serve_one(&config(&credentials), |mut tls| {
                let (head, mut body) = request(&mut tls);
                assert!(head.starts_with("POST /resource HTTP/1.1\r\n"), "{head}");
                if head.contains("100-continue") {
                    tls.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").unwrap();
                }
                let mut rest = vec![0; BODY - body.len()];
                tls.read_exact(&mut rest).unwrap();
                body.append(&mut rest);
                assert_eq!(body, pattern());
                // Its end is the connection's: curl relies on close_notify.
                tls.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
                    .unwrap();
                tls.write_all(&pattern()).unwrap();
                tls.shutdown().unwrap();
                Negotiated::of(tls.connection())
            });
            let upload = format!("@{up}");
            let options = ["--data-binary", &upload, "--output", &down];
            let client = curl(
                port,
                &root,
                "a.test",
                &[&only(version)[..], &options].concat(),
            );
            let negotiated = server.result().unwrap();
            client.assert_success();
            assert_eq!(std::fs::read(&down).unwrap(), pattern());
            assert_eq!(negotiated.version, version);
            let suite = spelling::suite(negotiated.suite);
            client.assert_says(&format!("SSL connection using {version} / {suite}"));
            client.assert_says("SSL certificate verify ok");
        }
    }
}

#[test]
fn what_curl_refuses_ends_with_its_alert() {
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
                "no alternative certificate subject name matches",
            ),
            (
                &good,
                &stranger,
                "a.test",
                "unable to get local issuer certificate",
            ),
            (&expired, &expired_root, "a.test", "certificate has expired"),
        ];
        for version in VERSIONS {
            for (credentials, root, name, reason) in cases {
                let (port, server) = serve_one(&config(credentials), |mut tls| {
                    tls.read(&mut [0; 16]).map_err(Error::from)
                });
                let client = curl(port, root, name, &only(version));
                assert_eq!(client.status.code(), Some(60), "{}", client.text);
                client.assert_says(reason);
                let heard = server.result().and_then(|read| read);
                match (name, heard) {
                    // curl checks the name after the handshake, and leaves without a word to
                    // the server, or with its close_notify.
                    ("b.test", Ok(0) | Err(Error::Truncated | Error::Io(_))) => {}
                    (_, Err(Error::AlertReceived(alert))) => {
                        let expected = if reason.contains("expired") {
                            AlertDescription::CertificateExpired
                        } else {
                            AlertDescription::UnknownCA
                        };
                        assert_eq!(alert, expected, "{version} {reason}");
                    }
                    (_, other) => panic!("{version} {reason}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn http_1_1_and_h2_by_alpn() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    let config = ServerConfig::builder()
        .identity(credentials.identity())
        .alpn(["http/1.1"])
        .build()
        .unwrap();
    let (port, server) = serve_one(&config, respond);
    let client = curl(port, &root, "a.test", &["--http2"]);
    client.assert_success();
    client.assert_says("ALPN: server accepted http/1.1");
    assert_eq!(server.result().unwrap().unwrap(), b"http/1.1");
}
