//! T5: connections that are cut, by the end of a process, by a reset, inside a record, or by
//! leaving out `close_notify`. Each is an error, never an end of data.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use wolfssl::{ClientConfig, ServerConfig};

use crate::credentials::{Credentials, Key};
use crate::curl::{curl, only};
use crate::ours::{
    accept, connect, exchange_reversed, listen, read_line, reset_on_drop, serve_one, tcp,
};
use crate::s_client;
use crate::s_server::Reverser;
use crate::spelling::{self, VERSIONS};

/// How a relay ends the connection after it has passed on the peer's first line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cut {
    /// With FIN in the middle of the next record.
    InsideRecord,
    /// With RST.
    Reset,
}

#[test]
fn a_server_that_is_killed() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        let server = Reverser::start(&credentials, &[]);
        let config = ClientConfig::builder()
            .roots(credentials.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        exchange_reversed(&mut tls, "ten bytes");
        server.program.kill();
        for _ in 0..2 {
            let error = tls.read(&mut [0; 16]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{version}: {error}");
        }
    }
}

#[test]
fn a_server_that_closes_well() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        let server = Reverser::with(&credentials, &["-naccept", "1", "-www"]);
        let config = ClientConfig::builder()
            .roots(credentials.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let mut tls = connect(&config, "a.test", server.port).unwrap();
        tls.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
        let mut page = String::new();
        tls.read_to_string(&mut page).unwrap();
        assert!(page.trim_end().ends_with("</HTML>"), "{version}: {page}");
        tls.shutdown().unwrap();
        server.program.finish();
    }
}

#[test]
fn a_connection_that_is_cut_inside_a_record_or_reset() {
    let credentials = Credentials::new(Key::P256);
    for version in VERSIONS {
        for cut in [Cut::InsideRecord, Cut::Reset] {
            let server = Reverser::start(&credentials, &[]);
            let (port, relay) = relay(server.port, cut);
            let config = ClientConfig::builder()
                .roots(credentials.roots())
                .versions(&[version])
                .build()
                .unwrap();
            let mut tls = connect(&config, "a.test", port).unwrap();
            exchange_reversed(&mut tls, "first");
            relay.arm();
            tls.write_all(b"second\n").unwrap();
            let error = read_line(&mut tls).unwrap_err();
            let expected = match cut {
                Cut::InsideRecord => ErrorKind::UnexpectedEof,
                Cut::Reset => ErrorKind::ConnectionReset,
            };
            assert_eq!(error.kind(), expected, "{version} {cut:?}: {error}");
        }
    }
}

#[test]
fn a_client_that_is_killed() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        let config = server_config(&credentials);
        let (port, server) = serve_one(&config, |mut tls| {
            let line = read_line(&mut tls).unwrap();
            tls.write_all(line.as_bytes()).unwrap();
            tls.read(&mut [0; 16]).unwrap_err().kind()
        });
        let option = spelling::version_option(version);
        let mut client = s_client::start(port, &root, "a.test", &[option]);
        client.send("before the end\n");
        client.expect("before the end\n");
        client.kill();
        assert_eq!(server.result().unwrap(), ErrorKind::UnexpectedEof);
    }
}

#[test]
fn our_clean_and_unclean_ends_are_told_apart() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    for version in VERSIONS {
        for clean in [true, false] {
            let (port, server) = serve_one(&server_config(&credentials), move |mut tls| {
                read_line(&mut tls).unwrap();
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 20";
                let body = if clean {
                    "0123456789".repeat(2)
                } else {
                    "half of it".into()
                };
                tls.write_all(format!("{head}\r\n\r\n{body}").as_bytes())
                    .unwrap();
                if clean {
                    tls.shutdown().unwrap();
                }
                let (_, tcp) = tls.into_parts();
                tcp.shutdown(Shutdown::Write).unwrap();
                drain(tcp);
            });
            let client = curl(port, &root, "a.test", &only(version));
            server.result().unwrap();
            // Without a length curl 7.88 takes a cut for an end: it is no judge of that.
            assert_eq!(client.status.success(), clean, "{version}: {}", client.text);

            let (port, server) = serve_one(&server_config(&credentials), move |mut tls| {
                read_line(&mut tls).unwrap();
                tls.write_all(b"good bye\n").unwrap();
                if clean {
                    tls.shutdown().unwrap();
                }
                let (_, tcp) = tls.into_parts();
                tcp.shutdown(Shutdown::Write).unwrap();
                drain(tcp);
            });
            let option = spelling::version_option(version);
            let mut client = s_client::start(port, &root, "a.test", &[option]);
            client.send("say something\n");
            client.expect("good bye\n");
            client.expect(if clean {
                "closed\n"
            } else {
                "unexpected eof while reading"
            });
            let client = client.finish();
            server.result().unwrap();
            assert_eq!(client.status.success(), clean, "{version}: {}", client.text);
        }
    }
}

fn server_config(credentials: &Credentials) -> ServerConfig {
    ServerConfig::builder()
        .identity(credentials.identity())
        .build()
        .unwrap()
}

/// Reads to the end, so that closing does not turn into a reset.
pub fn drain(mut tcp: TcpStream) {
    let _ = std::io::copy(&mut tcp, &mut std::io::sink());
}

/// Passes bytes between a client and a server until it is told to cut the line.
struct Relay {
    armed: Arc<AtomicBool>,
}

impl Relay {
    /// The next bytes lead to the cut.
    fn arm(&self) {
        self.armed.store(true, Ordering::SeqCst);
    }
}

/// A relay for one connection to `port`, and the port where it waits for it.
fn relay(port: u16, cut: Cut) -> (u16, Relay) {
    let (listener, own_port) = listen();
    let armed = Arc::new(AtomicBool::new(false));
    let relay = Relay {
        armed: armed.clone(),
    };
    thread::spawn(move || {
        let client = Arc::new(accept(&listener));
        let server = Arc::new(tcp(port));
        let back = {
            let (client, server, armed) = (client.clone(), server.clone(), armed.clone());
            thread::spawn(move || {
                pass(&server, &client, |bytes| {
                    if armed.load(Ordering::SeqCst) {
                        let _ = (&*client).write_all(&bytes[..bytes.len() / 2]);
                        let _ = client.shutdown(Shutdown::Write);
                        return false;
                    }
                    true
                });
            })
        };
        pass(&client, &server, |_| {
            cut == Cut::InsideRecord || !armed.load(Ordering::SeqCst)
        });
        let _ = server.shutdown(Shutdown::Both);
        let _ = back.join();
        reset_on_drop(&client);
    });
    (own_port, relay)
}

/// Copies until an end, an error, or until `go_on` says no to what has come.
fn pass(mut from: &TcpStream, mut to: &TcpStream, go_on: impl Fn(&[u8]) -> bool) {
    let mut buffer = [0; 32 * 1024];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if !go_on(&buffer[..count]) || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
}
