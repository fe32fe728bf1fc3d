//! OCSP answers between this library and `openssl s_server` and `s_client`, made by
//! `openssl ocsp`.

use std::path::Path;

use tempfile::TempDir;
use wolfssl::{
    CertificateError, CertifiedKey, ClientConfig, Error, OcspStapling, RootCertStore, ServerConfig,
};

use crate::openssl;
use crate::ours::{connect, exchange_reversed, serve_one};
use crate::program::Program;
use crate::s_client;
use crate::spelling::{self, VERSIONS};
use crate::support::Authority;

const SERIAL: u64 = 0x4242;

/// A server's files with an OCSP answer for its certificate.
struct Stapled {
    directory: TempDir,
    root: Authority,
}

impl Stapled {
    fn new(revoked: bool) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let dir = directory.path();
        let root = Authority::new(if revoked {
            "revoking root"
        } else {
            "stapling root"
        });
        let leaf = root.leaf_with(&["a.test"], &rcgen::PKCS_ECDSA_P256_SHA256, |params| {
            params.serial_number = Some(SERIAL.into());
        });
        let state = if revoked {
            "R\t400101000000Z\t200101000000Z"
        } else {
            "V\t400101000000Z\t"
        };
        for (file, text) in [
            ("root.pem", root.pem.clone().into_bytes()),
            ("root.key", openssl::key(&root.key_pem())),
            ("leaf.pem", leaf.chain_pem.clone().into_bytes()),
            ("leaf.key", openssl::key(&leaf.key_pem)),
            (
                "index.txt",
                format!("{state}\t{SERIAL:X}\tunknown\t/CN=leaf\n").into_bytes(),
            ),
        ] {
            openssl::write(dir, file, text);
        }
        for command in [
            "ocsp -issuer root.pem -cert leaf.pem -no_nonce -reqout request.der",
            "ocsp -index index.txt -CA root.pem -rsigner root.pem -rkey root.key -ndays 7 \
             -reqin request.der -respout answer.der",
        ] {
            openssl::run(dir, command.split_whitespace());
        }
        Self { directory, root }
    }

    fn path(&self, name: &str) -> String {
        let path: &Path = &self.directory.path().join(name);
        path.to_str().expect("plain ASCII").to_owned()
    }

    fn answer(&self) -> Vec<u8> {
        std::fs::read(self.path("answer.der")).expect("an answer")
    }

    fn roots(&self) -> RootCertStore {
        self.root.roots()
    }

    /// `s_server` that reverses the lines of one connection.
    fn s_server(&self, options: &[&str]) -> (Program, u16) {
        let (leaf, key) = (self.path("leaf.pem"), self.path("leaf.key"));
        let fixed = [
            "s_server",
            "-accept",
            "127.0.0.1:0",
            "-rev",
            "-naccept",
            "1",
        ];
        let files = ["-cert", &leaf, "-key", &key];
        let mut program = Program::start("openssl", fixed.iter().chain(&files).chain(options));
        let port = program.rest_of_line("ACCEPT 127.0.0.1:");
        (program, port.parse().expect("a port"))
    }
}

#[test]
fn our_client_takes_the_answer_of_s_server() {
    let stapled = Stapled::new(false);
    let file = stapled.path("answer.der");
    for version in VERSIONS {
        let config = ClientConfig::builder()
            .roots(stapled.roots())
            .ocsp_stapling(OcspStapling::Require)
            .versions(&[version])
            .build()
            .unwrap();
        let (server, port) = stapled.s_server(&["-status_file", &file]);
        let mut tls = connect(&config, "a.test", port).unwrap();
        exchange_reversed(&mut tls, "some data");
        assert_eq!(
            tls.connection().peer_ocsp_response(),
            Some(&stapled.answer()[..])
        );
        tls.shutdown().unwrap();
        server.finish().assert_success();

        let (server, port) = stapled.s_server(&[]);
        let refused = connect(&config, "a.test", port);
        assert!(
            matches!(
                refused,
                Err(Error::InvalidCertificate(
                    CertificateError::RevocationStatusUnknown
                ))
            ),
            "{version}: {refused:?}"
        );
        server.finish();
    }
}

#[test]
fn our_client_refuses_what_s_server_tells_as_revoked() {
    let stapled = Stapled::new(true);
    let file = stapled.path("answer.der");
    for version in VERSIONS {
        let config = ClientConfig::builder()
            .roots(stapled.roots())
            .ocsp_stapling(OcspStapling::Request)
            .versions(&[version])
            .build()
            .unwrap();
        let (server, port) = stapled.s_server(&["-status_file", &file]);
        let refused = connect(&config, "a.test", port);
        assert!(
            matches!(
                refused,
                Err(Error::InvalidCertificate(CertificateError::Revoked))
            ),
            "{version}: {refused:?}"
        );
        server.finish();
    }
}

#[test]
fn s_client_gets_the_answer_of_our_server_when_it_asks() {
    let stapled = Stapled::new(false);
    let read = |name: &str| std::fs::read(stapled.path(name)).expect("a file");
    let identity = CertifiedKey::from_pem(&read("leaf.pem"), &read("leaf.key"))
        .unwrap()
        .with_ocsp_response(stapled.answer());
    let config = ServerConfig::builder().identity(identity).build().unwrap();
    let root = stapled.path("root.pem");
    for version in VERSIONS {
        for asks in [true, false] {
            let (port, server) = serve_one(&config, s_client::answer);
            let mut options = vec![spelling::version_option(version)];
            if asks {
                options.push("-status");
            }
            let client = s_client::ask(s_client::start(port, &root, "a.test", &options));
            server.result().unwrap();
            let said = client
                .text
                .contains("OCSP Response Status: successful (0x0)")
                && client.text.contains("Cert Status: good");
            assert_eq!(said, asks, "{version}: {}", client.text);
        }
    }
}
