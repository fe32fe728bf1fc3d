//! The shipped examples `client` and `server` as the programs that people start.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;
use std::time::SystemTime;

use crate::credentials::{Credentials, KEYS, Key};
use crate::curl::{curl, only};
use crate::program::Program;
use crate::s_client;
use crate::s_server::Reverser;
use crate::spelling::{self, VERSIONS};

/// Starts an example of this package.
pub fn start(name: &str, arguments: &[&str]) -> Program {
    let mut command = Command::new(built(name));
    command.args(arguments);
    Program::spawn(name, command)
}

/// Where cargo has put the example, which it builds along with all tests, but not with one
/// alone.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test
        .ancestors()
        .nth(2)
        .expect("deps in the profile's folder");
    let programs = profile.join("examples");
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    static UP_TO_DATE: Once = Once::new();
    UP_TO_DATE.call_once(|| {
        let sources = newest(&package.join("src")).max(newest(&package.join("examples")));
        let names: &[&str] = match cfg!(feature = "tokio") {
            true => &["client", "server", "https_server"],
            false => &["client", "server"],
        };
        let mut made = names.iter().map(|name| modified(&programs.join(name)));
        if made.any(|made| made < sources) {
            build(profile);
        }
    });
    programs.join(name)
}

/// Builds the examples as this test was built.
fn build(profile: &Path) {
    let features = [
        ("u128", cfg!(feature = "u128")),
        ("sp", cfg!(feature = "sp")),
        ("sp-asm", cfg!(feature = "sp-asm")),
        ("armasm", cfg!(feature = "armasm")),
        ("intelasm", cfg!(feature = "intelasm")),
        ("fp-ecc", cfg!(feature = "fp-ecc")),
        ("tokio", cfg!(feature = "tokio")),
    ];
    let features = features.iter().filter(|(_, on)| *on);
    let features = features.map(|(name, _)| *name).collect::<Vec<_>>();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["build", "--examples", "--no-default-features"])
        .args(["--features", &features.join(",")])
        .env(
            "CARGO_TARGET_DIR",
            profile.parent().expect("a target folder"),
        );
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let done = cargo.output().expect("cargo starts");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

fn newest(directory: &Path) -> SystemTime {
    directory
        .read_dir()
        .expect("a source folder")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            if path.is_dir() {
                newest(&path)
            } else {
                modified(&path)
            }
        })
        .max()
        .expect("a source file")
}

/// The beginning of time for what is not there.
fn modified(path: &Path) -> SystemTime {
    let data = path.metadata().and_then(|data| data.modified());
    data.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The example server on a free port.
fn server(arguments: &[&str]) -> (Program, u16) {
    let listen = ["--listen", "127.0.0.1:0"];
    let mut server = start("server", &[&listen, arguments].concat());
    let address = server.rest_of_line("listening on 127.0.0.1:");
    (server, address.parse().expect("a port"))
}

#[test]
fn client_and_s_server() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        let root = credentials.argument("root.pem");
        for version in VERSIONS {
            let server = Reverser::start(&credentials, &["-alpn", "echo"]);
            let address = format!("127.0.0.1:{}", server.port);
            let number = version.to_string().replace("TLSv", "");
            let options = ["--name", "a.test", "--ca", &root, "--alpn", "echo", "--tls"];
            let mut client = start(
                "client",
                &[&[address.as_str()], &options[..], &[&number]].concat(),
            );
            client.send("standard input\n");
            let client = client.finish();
            client.assert_success();
            client.assert_says("tupni dradnats\n");
            assert_eq!(client.value("version:"), version.to_string());
            assert_eq!(client.value("group:"), "x25519");
            assert_eq!(client.value("alpn:"), "echo");
            client.assert_says("chain for a.test, leaf first:");
            client.assert_says("0: O=wolfssl tests (issued by CN=interop root");
            let server = server.program.finish();
            let suite = client.value("suite:").parse().expect("a suite");
            assert_eq!(server.value("Ciphersuite:"), spelling::suite(suite));
        }
    }
}

#[test]
fn client_refuses_what_it_must_and_says_why() {
    let good = Credentials::new(Key::P256);
    let expired = Credentials::expired(Key::P256);
    let root = good.argument("root.pem");
    let expired_root = expired.argument("root.pem");
    let cases = [
        (
            &good,
            &root,
            "b.test",
            "it is valid for a.test, not for b.test",
        ),
        (
            &good,
            &expired_root,
            "a.test",
            "no trust anchor leads to it",
        ),
        (&expired, &expired_root, "a.test", "it has expired"),
    ];
    for (credentials, root, name, reason) in cases {
        let server = Reverser::start(credentials, &[]);
        let address = format!("127.0.0.1:{}", server.port);
        let client = start("client", &[&address, "--name", name, "--ca", root]).finish();
        assert_eq!(client.status.code(), Some(1));
        assert_eq!(
            client.text.trim(),
            format!("client: peer certificate refused: {reason}")
        );
        server.program.finish().assert_says("CONNECTION FAILURE");
    }
}

#[test]
fn client_tells_a_cut_from_an_end() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    let server = Reverser::with(&credentials, &[]);
    let address = format!("127.0.0.1:{}", server.port);
    let mut client = start("client", &[&address, "--name", "a.test", "--ca", &root]);
    client.expect("chain for a.test");
    server.program.kill();
    let client = client.finish();
    assert_eq!(client.status.code(), Some(1));
    // Depending on which of the two packets of the kernel comes first.
    let cut = [
        "the transport ended without the peer's close_notify",
        "Connection reset",
    ];
    assert!(
        cut.iter().any(|text| client.text.contains(text)),
        "{}",
        client.text
    );
}

#[test]
fn server_with_s_client_and_curl() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        let root = credentials.argument("root.pem");
        let (chain, private) = (
            credentials.argument("chain.pem"),
            credentials.argument("key.pem"),
        );
        let (server, port) = server(&["--cert", &chain, "--key", &private]);
        for version in VERSIONS {
            let option = spelling::version_option(version);
            let mut client = s_client::start(port, &root, "a.test", &[option]);
            client.send("an echo\n");
            client.expect("an echo\n");
            let client = client.finish();
            client.assert_success();
            client.assert_says(&format!("New, {version}, Cipher is"));
            client.assert_says("Verify return code: 0 (ok)");

            let client = curl(port, &root, "a.test", &only(version));
            client.assert_success();
            client.assert_says("HTTP/1.1 200 OK");
            client.assert_says(&format!("{version} TLS_"));

            let refused = curl(port, &root, "b.test", &only(version));
            assert_eq!(refused.status.code(), Some(60), "{}", refused.text);
        }
        server.kill();
    }
}

#[test]
fn server_makes_itself_a_certificate_and_says_where() {
    let (server, port) = server_with_own_certificate();
    let (mut server, file) = server;
    let client = curl(port, &file, "localhost", &[]);
    client.assert_success();
    client.assert_says("SSL certificate verify ok");
    let refused = curl(port, &file, "a.test", &[]);
    assert_eq!(refused.status.code(), Some(60), "{}", refused.text);
    server.end_input();
    server.kill();
}

fn server_with_own_certificate() -> ((Program, String), u16) {
    let mut server = start("server", &["--listen", "127.0.0.1:0"]);
    let file = server.rest_of_line("its PEM is in ");
    let port = server.rest_of_line("listening on 127.0.0.1:");
    ((server, file), port.parse().expect("a port"))
}
