//! Keys, chains and trust anchors as they come in files: encrypted or not, in one file or two,
//! of every size, good and bad ones together.

#[path = "support/openssl.rs"]
mod openssl;
mod support;

use std::path::Path;
use std::process::Command;

use rcgen::{KeyPair, date_time_ymd};
use support::{Authority, Leaf, ends, handshake};
use wolfssl::pki_types::pem::PemObject;
use wolfssl::pki_types::{CertificateDer, PrivateKeyDer};
use wolfssl::{
    CertifiedKey, ClientConfig, ConfigError, Error, ProtocolVersion, PublicKeyType, RootCertStore,
    ServerConfig,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];
const RSA: [(usize, &str); 3] = [
    (2048, include_str!("data/rsa-2048.pem")),
    (3072, include_str!("data/rsa-3072.pem")),
    (4096, include_str!("data/rsa-4096.pem")),
];
const RSA_8192: &str = include_str!("data/rsa-8192.pem");

fn config_error<T: std::fmt::Debug>(result: Result<T, Error>) -> ConfigError {
    match result {
        Err(Error::Config(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Leaves with an ECDSA, an RSA and an Ed25519 key.
fn leaves(authority: &Authority) -> Vec<(&'static str, Leaf)> {
    let leaf = |key| authority.leaf_for_key(&["a.test"], key, |_| {});
    vec![
        ("ec", leaf(KeyPair::generate().unwrap())),
        ("rsa", leaf(KeyPair::from_pem(RSA[0].1).unwrap())),
        (
            "ed25519",
            leaf(KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap()),
        ),
    ]
}

fn connects(authority: &Authority, identity: CertifiedKey) {
    for version in VERSIONS {
        let server = ServerConfig::builder()
            .identity(identity.clone())
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(outcome.is_ok(), "{version}: {outcome:?}");
    }
}

#[test]
fn encrypted_pkcs8_keys_need_their_password() {
    let authority = Authority::new("root");
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (kind, leaf) in leaves(&authority) {
        // openssl reads no keys with ring's public key part: it gets its own form first.
        let plain = match kind {
            "ec" => openssl::run(
                dir,
                [
                    "genpkey",
                    "-algorithm",
                    "EC",
                    "-pkeyopt",
                    "ec_paramgen_curve:P-256",
                ],
            ),
            "ed25519" => openssl::run(dir, ["genpkey", "-algorithm", "ED25519"]),
            _ => leaf.key_pem.clone().into_bytes(),
        };
        let key = KeyPair::from_pem(std::str::from_utf8(&plain).unwrap()).unwrap();
        let leaf = authority.leaf_for_key(&["a.test"], key, |_| {});
        openssl::write(dir, "plain.pem", &plain);
        for algorithm in [
            &["-v2", "aes-256-cbc"][..],
            &["-v2", "aes-128-cbc", "-v2prf", "hmacWithSHA1"],
        ] {
            let encrypted = openssl::run(
                dir,
                [
                    "pkcs8",
                    "-topk8",
                    "-in",
                    "plain.pem",
                    "-passout",
                    "pass:cor rect",
                ]
                .iter()
                .chain(algorithm),
            );
            let chain = leaf.chain_pem.as_bytes();
            let read =
                |password: &[u8]| CertifiedKey::from_encrypted_pem(chain, &encrypted, password);
            connects(
                &authority,
                read(b"cor rect").unwrap_or_else(|error| panic!("{kind} {algorithm:?}: {error}")),
            );
            for wrong in [&b"wrong"[..], b"", b"cor recT", &[b'x'; 5000]] {
                let error = config_error(read(wrong));
                assert!(
                    matches!(
                        error,
                        ConfigError::KeyDecryption { .. } | ConfigError::PrivateKey { .. }
                    ),
                    "{kind} {algorithm:?}: {error:?}"
                );
            }
            assert_eq!(
                config_error(CertifiedKey::from_pem(chain, &encrypted)),
                ConfigError::EncryptedKey
            );
        }
    }
}

#[test]
fn keys_encrypted_in_the_older_pem_form() {
    let authority = Authority::new("root");
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let leaf = |pem: &[u8]| {
        let key = KeyPair::from_pem(std::str::from_utf8(pem).unwrap()).unwrap();
        authority.leaf_for_key(&["a.test"], key, |_| {})
    };
    let ec = openssl::run(
        dir,
        [
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
        ],
    );
    for (tool, plain) in [("rsa", RSA[0].1.as_bytes()), ("ec", &ec)] {
        openssl::write(dir, "plain.pem", plain);
        let mut arguments = vec![
            tool,
            "-aes256",
            "-in",
            "plain.pem",
            "-passout",
            "pass:secret",
        ];
        if tool == "rsa" {
            arguments.push("-traditional");
        }
        let encrypted = openssl::run(dir, arguments);
        assert!(encrypted.windows(11).any(|text| text == b"4,ENCRYPTED"));
        let chain = leaf(plain).chain_pem;
        let both = [chain.as_bytes(), &encrypted].concat();
        for key in [&encrypted, &both] {
            let identity = CertifiedKey::from_encrypted_pem(chain.as_bytes(), key, b"secret");
            connects(
                &authority,
                identity.unwrap_or_else(|error| panic!("{tool}: {error}")),
            );
        }
        for wrong in [&b"Secret"[..], b"", b"secret\0"] {
            let error = config_error(CertifiedKey::from_encrypted_pem(&both, &both, wrong));
            assert!(
                matches!(
                    error,
                    ConfigError::KeyDecryption { .. } | ConfigError::PrivateKey { .. }
                ),
                "{tool}: {error:?}"
            );
        }
        assert_eq!(
            config_error(CertifiedKey::from_pem(&both, &both)),
            ConfigError::EncryptedKey
        );
    }
}

#[test]
fn damaged_encrypted_keys_are_errors() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["a.test"]);
    let dir = tempfile::tempdir().unwrap();
    openssl::write(dir.path(), "plain.pem", RSA[0].1);
    let encrypted = openssl::run(
        dir.path(),
        ["pkcs8", "-topk8", "-in", "plain.pem", "-passout", "pass:p"],
    );
    let lines = std::str::from_utf8(&encrypted)
        .unwrap()
        .lines()
        .collect::<Vec<_>>();
    let damaged = [
        lines[..lines.len() - 1].join("\n"),
        lines[1..].join("\n"),
        [&lines[..1], &lines[3..]].concat().join("\n"),
        format!("{}\n{}", lines[0], lines[lines.len() - 1]),
        "-----BEGIN ENCRYPTED PRIVATE KEY-----".to_owned(),
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAA==\n-----END RSA PRIVATE KEY-----\n".to_owned(),
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n".to_owned(),
    ];
    for text in damaged {
        let read =
            CertifiedKey::from_encrypted_pem(leaf.chain_pem.as_bytes(), text.as_bytes(), b"p");
        assert!(matches!(read, Err(Error::Config(_))), "{text}: {read:?}");
    }
}

#[test]
fn plain_keys_in_each_form_and_in_one_file_with_the_chain() {
    let authority = Authority::new("root");
    let intermediate = authority.intermediate("intermediate");
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let ec = openssl::run(dir, ["ecparam", "-genkey", "-name", "prime256v1", "-noout"]);
    let sec1 = String::from_utf8(ec).unwrap();
    assert!(sec1.contains("BEGIN EC PRIVATE KEY"));
    openssl::write(dir, "sec1.pem", &sec1);
    let pkcs8 = String::from_utf8(openssl::run(dir, ["pkey", "-in", "sec1.pem"])).unwrap();
    assert!(pkcs8.contains("BEGIN PRIVATE KEY"));
    openssl::write(dir, "rsa.pem", RSA[0].1);
    let pkcs1 = openssl::run(dir, ["rsa", "-in", "rsa.pem", "-traditional"]);
    let pkcs1 = String::from_utf8(pkcs1).unwrap();
    assert!(pkcs1.contains("BEGIN RSA PRIVATE KEY"));
    for (key, plain) in [
        (&sec1, &pkcs8),
        (&pkcs8, &pkcs8),
        (&pkcs1, &RSA[0].1.to_owned()),
    ] {
        let leaf = intermediate
            .leaf_for_key(&["a.test"], KeyPair::from_pem(plain).unwrap(), |_| {})
            .under(&intermediate);
        for both in [
            format!("{key}{}", leaf.chain_pem),
            format!("comment\n{}\n{key}", leaf.chain_pem),
        ] {
            let path = openssl::write(dir, "both.pem", &both);
            let identity = CertifiedKey::from_pem_files(&path, &path).unwrap();
            assert_eq!(identity.chain(), leaf.chain);
            connects(&authority, identity);
            let with_password = CertifiedKey::from_encrypted_pem_files(&path, &path, b"unused");
            connects(&authority, with_password.unwrap());
        }
    }
}

#[test]
fn rsa_keys_of_each_size() {
    for (bits, pem) in RSA {
        let root = Authority::with_key("root", KeyPair::from_pem(pem).unwrap());
        let leaf = root.leaf_for_key(&["a.test"], KeyPair::from_pem(pem).unwrap(), |_| {});
        connects(&root, leaf.certified());
        let server = ServerConfig::builder()
            .identity(leaf.certified())
            .build()
            .unwrap();
        let client = ClientConfig::builder().roots(root.roots()).build().unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        assert!(handshake(&mut client, &mut server).is_ok());
        assert_eq!(client.peer_key_type(), Some(PublicKeyType::Rsa { bits }));
    }
}

/// wolfSSL is built for keys up to 4096 bits: larger ones are refused when they are loaded.
#[test]
fn larger_rsa_keys_are_refused_when_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    openssl::write(dir, "key.pem", RSA_8192);
    let pem = openssl::run(
        dir,
        [
            "req",
            "-x509",
            "-key",
            "key.pem",
            "-subj",
            "/CN=big",
            "-addext",
            "subjectAltName=DNS:a.test",
        ],
    );
    let der = CertificateDer::from_pem_slice(&pem).unwrap();
    let key = PrivateKeyDer::from_pem_slice(RSA_8192.as_bytes()).unwrap();
    let error = config_error(CertifiedKey::new(vec![der.clone()], key));
    assert!(error.to_string().contains("RSA key"), "{error}");
    let error = config_error(RootCertStore::empty().add(der));
    assert!(error.to_string().contains("RSA key"), "{error}");
}

/// What wolfSSL 5.9.4 has no code for.
#[test]
fn other_encryptions_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    openssl::write(dir.path(), "plain.pem", RSA[0].1);
    let authority = Authority::new("root");
    let chain = authority
        .leaf_for_key(&["a.test"], KeyPair::from_pem(RSA[0].1).unwrap(), |_| {})
        .chain_pem;
    for algorithm in [
        "-v2 aes-256-cbc -v2prf hmacWithSHA512",
        "-v2 aes-256-cbc -scrypt",
        "-v2 des3",
    ] {
        let arguments = format!("pkcs8 -topk8 -in plain.pem -passout pass:p {algorithm}");
        let encrypted = openssl::run(dir.path(), arguments.split(' '));
        let read = CertifiedKey::from_encrypted_pem(chain.as_bytes(), &encrypted, b"p");
        assert!(
            matches!(config_error(read), ConfigError::KeyDecryption { .. }),
            "{algorithm}"
        );
    }
}

/// One of 8192 bits in a peer's chain cannot be checked, and nothing is accepted unchecked.
#[test]
fn larger_rsa_keys_in_a_peers_chain_are_refused() {
    let root = Authority::new("root");
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for (name, content) in [
        ("root.pem", root.pem.clone()),
        ("root.key", root.key_pem()),
        ("big.key", RSA_8192.to_owned()),
        (
            "leaf.key",
            KeyPair::from_pem(RSA[0].1).unwrap().serialize_pem(),
        ),
        (
            "ca.ext",
            "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n".to_owned(),
        ),
        ("leaf.ext", "subjectAltName=DNS:a.test\n".to_owned()),
    ] {
        openssl::write(dir, name, content);
    }
    for (name, ca) in [("big", "root"), ("leaf", "big")] {
        let extensions = if name == "big" { "ca.ext" } else { "leaf.ext" };
        let request = format!("req -new -key {name}.key -subj /CN={name} -out {name}.csr");
        openssl::run(dir, request.split(' '));
        let sign = format!(
            "x509 -req -in {name}.csr -CA {ca}.pem -CAkey {ca}.key -extfile {extensions} -out {name}.pem"
        );
        openssl::run(dir, sign.split(' '));
    }
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let chain = format!("{}{}", read("leaf.pem"), read("big.pem"));
    let identity = CertifiedKey::from_pem(chain.as_bytes(), read("leaf.key").as_bytes()).unwrap();
    for version in VERSIONS {
        let server = ServerConfig::builder()
            .identity(identity.clone())
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(root.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(
            matches!(outcome.client, Err(Error::InvalidCertificate(_))),
            "{version}: {outcome:?}"
        );
        assert!(
            matches!(outcome.server, Err(Error::AlertReceived(_))),
            "{version}: {outcome:?}"
        );
    }
}

#[test]
fn chains_are_sent_whole_by_servers_and_clients() {
    let root = Authority::new("root");
    let first = root.intermediate("first");
    let second = first.intermediate("second");
    let leaf = second.leaf(&["a.test"]).under(&second).under(&first);
    let identity =
        CertifiedKey::from_pem(leaf.chain_pem.as_bytes(), leaf.key_pem.as_bytes()).unwrap();
    for version in VERSIONS {
        let server = ServerConfig::builder()
            .identity(identity.clone())
            .client_auth(wolfssl::ClientAuth::Required(root.roots()))
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(root.roots())
            .client_identity(identity.clone())
            .versions(&[version])
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(outcome.is_ok(), "{version}: {outcome:?}");
        assert_eq!(client.peer_certificates(), leaf.chain);
        assert_eq!(server.peer_certificates(), leaf.chain);
    }
}

#[test]
fn a_bundle_keeps_good_roots_beside_expired_broken_and_repeated_ones() {
    let good = Authority::new("good");
    let expired = Authority::with_params("expired", |params| {
        params.not_before = date_time_ymd(2000, 1, 1);
        params.not_after = date_time_ymd(2001, 1, 1);
    });
    let leaf = good.leaf(&["a.test"]);
    let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let bundle = [&good.pem, &expired.pem, garbage, &leaf.chain_pem, &good.pem]
        .map(|pem| pem.to_owned())
        .concat();
    let roots = RootCertStore::from_pem(bundle.as_bytes()).unwrap();
    assert_eq!(roots.len(), 2, "a leaf may be an anchor, too");
    let rejected = roots
        .rejected()
        .iter()
        .map(|entry| entry.index)
        .collect::<Vec<_>>();
    assert_eq!(rejected, [1, 2], "{:?}", roots.rejected());
    connects(&good, leaf.certified());

    let dir = tempfile::tempdir().unwrap();
    for (name, hopeless) in [
        ("empty", String::new()),
        ("garbage", garbage.repeat(3)),
        ("expired", expired.pem.clone()),
    ] {
        let path = openssl::write(dir.path(), name, hopeless);
        let error = config_error(RootCertStore::from_pem_file(path));
        assert!(
            matches!(
                error,
                ConfigError::Pem {
                    what: "trust anchor",
                    ..
                }
            ),
            "{name}: {error:?}"
        );
    }
}

/// The environment belongs to the process: each case has one of its own.
#[test]
fn the_systems_roots_or_an_error_that_says_what_to_do() {
    if let Ok(expected) = std::env::var("WOLFSSL_TEST_ROOTS") {
        match (RootCertStore::system(), expected.as_str()) {
            (Ok(roots), "some") => assert_eq!(roots.len(), 1),
            (Err(Error::Config(error @ ConfigError::NoSystemTrustAnchors { .. })), "none") => {
                let text = error.to_string();
                assert!(text.contains("SSL_CERT_FILE"), "{text}");
            }
            (other, _) => panic!("{other:?}"),
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let run = |file: &Path, expected: &str| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "the_systems_roots_or_an_error_that_says_what_to_do",
            ])
            .env("WOLFSSL_TEST_ROOTS", expected)
            .env("SSL_CERT_FILE", file)
            .env("SSL_CERT_DIR", dir.path().join("nowhere"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    };
    run(&openssl::write(dir.path(), "empty.pem", ""), "none");
    run(Path::new("/nonexistent/roots.pem"), "none");
    run(
        &openssl::write(dir.path(), "one.pem", Authority::new("one").pem),
        "some",
    );
}
