//! The example `https_server` (hyper on our asynchronous stream) with curl.

use crate::credentials::{Credentials, KEYS, Key};
use crate::curl::{curl, only};
use crate::examples::start;
use crate::program::Program;
use crate::spelling::VERSIONS;

const HTTP: [(&str, &str); 2] = [("--http1.1", "HTTP/1.1"), ("--http2", "HTTP/2")];
const BODY: usize = 3_000_000;

fn server(credentials: &Credentials) -> (Program, u16) {
    let chain = credentials.argument("chain.pem");
    let key = credentials.argument("key.pem");
    let arguments = ["--listen", "127.0.0.1:0", "--cert", &chain, "--key", &key];
    let mut server = start("https_server", &arguments);
    let port = server.rest_of_line("listening on 127.0.0.1:");
    (server, port.parse().expect("a port"))
}

#[test]
fn both_http_versions_over_both_tls_versions() {
    for key in KEYS {
        let credentials = Credentials::new(key);
        let root = credentials.argument("root.pem");
        let (server, port) = server(&credentials);
        for version in VERSIONS {
            for (option, http) in HTTP {
                let target = ["--request-target", "/", option];
                let options = [&only(version)[..], &target].concat();
                let client = curl(port, &root, "a.test", &options);
                client.assert_success();
                client.assert_says(&format!("< {http} 200"));
                client.assert_says(&format!("over {version} TLS_"));
                let alpn = if http == "HTTP/2" { "h2" } else { "http/1.1" };
                client.assert_says(&format!("ALPN: server accepted {alpn}"));
            }
        }
        server.kill();
    }
}

#[test]
fn bodies_come_back_as_they_went() {
    let credentials = Credentials::new(Key::P256);
    let root = credentials.argument("root.pem");
    let (up, down) = (credentials.argument("up"), credentials.argument("down"));
    let body = (0..BODY).map(|at| (at % 251) as u8).collect::<Vec<_>>();
    std::fs::write(&up, &body).unwrap();
    let (server, port) = server(&credentials);
    for (option, _) in HTTP {
        let upload = format!("@{up}");
        let echo = ["--request-target", "/echo", "--data-binary", &upload];
        let options = [&echo[..], &["--output", &down, option]].concat();
        let client = curl(port, &root, "a.test", &options);
        client.assert_success();
        assert_eq!(std::fs::read(&down).unwrap(), body, "{option}");

        let path = format!("/bytes/{BODY}");
        let options = ["--request-target", &path, "--output", &down, option];
        curl(port, &root, "a.test", &options).assert_success();
        assert_eq!(std::fs::read(&down).unwrap(), vec![b'x'; BODY], "{option}");
    }
    server.kill();
}
