//! What a connection derives from its secrets, alike on both ends: keying material, channel
//! bindings, key logs, new traffic keys.

mod support;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::{Arc, Mutex};

use support::{Authority, ends, handshake, receive};
use wolfssl::{
    ChannelBinding, CipherSuite, ClientConfig, ClientConnection, Error, KeyLog, KeyLogFile,
    ProtocolVersion, ServerConfig, ServerConnection,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

/// One suite for each hash of each version.
const SUITES: [CipherSuite; 4] = [
    CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
    CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
    CipherSuite::TLS13_AES_128_GCM_SHA256,
    CipherSuite::TLS13_AES_256_GCM_SHA384,
];

fn connect(suite: CipherSuite) -> (ClientConnection, ServerConnection) {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .build()
        .unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .cipher_suites(&[suite])
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let outcome = handshake(&mut client, &mut server);
    assert!(outcome.is_ok(), "{suite}: {outcome:?}");
    (client, server)
}

#[test]
fn both_ends_export_the_same_and_each_parameter_counts() {
    for suite in SUITES {
        let (client, server) = connect(suite);
        let long = vec![7; 60_000];
        let mut seen = Vec::new();
        for (label, context) in [
            (&b"EXPORTER-a"[..], None),
            (b"EXPORTER-a", Some(&b"x"[..])),
            (b"EXPORTER-a", Some(&long[..])),
            (b"EXPORTER-b", None),
            (&[b'l'; 249], None),
        ] {
            let (mut ours, mut theirs) = ([0; 100], [0; 100]);
            client
                .export_keying_material(&mut ours, label, context)
                .unwrap();
            server
                .export_keying_material(&mut theirs, label, context)
                .unwrap();
            assert_eq!(ours, theirs, "{suite}");
            assert!(!seen.contains(&ours), "{suite}: {label:?}");
            seen.push(ours);
        }
        // RFC 8446, section 7.5: no context is an empty one; RFC 5705, section 4: it is not.
        let (mut none, mut empty) = ([0; 16], [0; 16]);
        client
            .export_keying_material(&mut none, b"EXPORTER-a", None)
            .unwrap();
        client
            .export_keying_material(&mut empty, b"EXPORTER-a", Some(b""))
            .unwrap();
        assert_eq!(
            none == empty,
            suite.version() == ProtocolVersion::TLSv1_3,
            "{suite}"
        );
        client
            .export_keying_material(&mut [], b"EXPORTER-a", None)
            .unwrap();
        let mut most = vec![0; 255 * 32];
        client
            .export_keying_material(&mut most, b"EXPORTER-a", None)
            .unwrap();
    }
}

#[test]
fn what_cannot_be_exported_is_refused() {
    for suite in SUITES {
        let (client, _) = connect(suite);
        let mut out = [0; 16];
        for (label, context) in [
            (&b""[..], None),
            (&[b'l'; 250], None),
            (b"master secret", None),
            (b"key expansion", None),
            (b"EXPORTER-a", Some(vec![0; 65_536])),
        ] {
            let refusal = client.export_keying_material(&mut out, label, context.as_deref());
            assert!(
                matches!(refusal, Err(Error::Unavailable { .. })),
                "{suite} {label:?}: {refusal:?}"
            );
        }
        let refusal = client.export_keying_material(&mut vec![0; 255 * 32 + 1], b"E", None);
        assert!(matches!(refusal, Err(Error::Unavailable { .. })));
        assert_eq!(out, [0; 16]);
    }
    let (client, server) = support::configs();
    let (mut client, server) = ends(&client, &server, "a.test");
    let mut out = [0; 16];
    for early in [
        client.export_keying_material(&mut out, b"EXPORTER-a", None),
        server.export_keying_material(&mut out, b"EXPORTER-a", None),
        client.update_keys(&mut Vec::new()),
        client
            .channel_binding(ChannelBinding::TlsExporter)
            .map(drop),
    ] {
        assert!(
            matches!(early, Err(Error::HandshakeNotComplete)),
            "{early:?}"
        );
    }
}

#[test]
fn channel_bindings_are_the_same_on_both_ends_alone() {
    for suite in SUITES {
        let (client, server) = connect(suite);
        let (other, _) = connect(suite);
        let exporter = client.channel_binding(ChannelBinding::TlsExporter).unwrap();
        assert_eq!(exporter.len(), 32);
        assert_eq!(
            server.channel_binding(ChannelBinding::TlsExporter).unwrap(),
            exporter
        );
        assert_ne!(
            other.channel_binding(ChannelBinding::TlsExporter).unwrap(),
            exporter
        );

        let unique = client.channel_binding(ChannelBinding::TlsUnique);
        if suite.version() == ProtocolVersion::TLSv1_3 {
            assert!(
                matches!(unique, Err(Error::Unavailable { .. })),
                "{unique:?}"
            );
        } else {
            let unique = unique.unwrap();
            assert_eq!(unique.len(), 12, "verify_data, RFC 5246 section 7.4.9");
            assert_eq!(
                server.channel_binding(ChannelBinding::TlsUnique).unwrap(),
                unique
            );
            assert_ne!(
                other.channel_binding(ChannelBinding::TlsUnique).unwrap(),
                unique
            );
        }

        let end_point = client
            .channel_binding(ChannelBinding::TlsServerEndPoint)
            .unwrap();
        assert_eq!(
            server
                .channel_binding(ChannelBinding::TlsServerEndPoint)
                .unwrap(),
            end_point
        );
        let digest = ring::digest::digest(
            &ring::digest::SHA256,
            client.peer_certificates()[0].as_ref(),
        );
        assert_eq!(end_point, digest.as_ref());
    }
}

#[test]
fn the_end_point_binding_takes_the_hash_of_the_certificates_signature() {
    let hashes = [
        (&rcgen::PKCS_ECDSA_P256_SHA256, Some(32)),
        (&rcgen::PKCS_ECDSA_P384_SHA384, Some(48)),
        (&rcgen::PKCS_ED25519, None),
    ];
    for (algorithm, size) in hashes {
        let authority = Authority::with_algorithm("root", algorithm);
        let server = ServerConfig::builder()
            .identity(authority.leaf(&["a.test"]).certified())
            .build()
            .unwrap();
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        assert!(handshake(&mut client, &mut server).is_ok());
        let ours = client.channel_binding(ChannelBinding::TlsServerEndPoint);
        let theirs = server.channel_binding(ChannelBinding::TlsServerEndPoint);
        match size {
            Some(size) => {
                assert_eq!(ours.as_ref().unwrap().len(), size);
                assert_eq!(ours.unwrap(), theirs.unwrap());
            }
            None => assert!(matches!(
                (ours, theirs),
                (
                    Err(Error::Unavailable { .. }),
                    Err(Error::Unavailable { .. })
                )
            )),
        }
    }
}

/// Secrets by label, with the client random they came with.
#[derive(Clone, Debug, Default)]
struct Collected(Arc<Mutex<BTreeMap<String, Logged>>>);

type Logged = (Vec<u8>, Vec<u8>);

impl KeyLog for Collected {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let entry = (client_random.to_vec(), secret.to_vec());
        let before = self
            .0
            .lock()
            .unwrap()
            .insert(label.to_owned(), entry.clone());
        assert!(before.is_none_or(|before| before == entry), "{label} twice");
    }
}

fn logged(
    version: ProtocolVersion,
    client_log: impl KeyLog + 'static,
    server_log: impl KeyLog + 'static,
) -> (ClientConnection, ServerConnection) {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .key_log(server_log)
        .build()
        .unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .versions(&[version])
        .key_log(client_log)
        .build()
        .unwrap();
    ends(&client, &server, "a.test")
}

#[test]
fn both_ends_log_the_same_secrets() {
    for version in VERSIONS {
        let (ours, theirs) = (Collected::default(), Collected::default());
        let (mut client, mut server) = logged(version, ours.clone(), theirs.clone());
        assert!(handshake(&mut client, &mut server).is_ok());
        let ours = ours.0.lock().unwrap();
        assert_eq!(*ours, *theirs.0.lock().unwrap(), "{version}");
        let labels = ours.keys().map(String::as_str).collect::<Vec<_>>();
        if version == ProtocolVersion::TLSv1_2 {
            assert_eq!(labels, ["CLIENT_RANDOM"]);
            assert_eq!(ours["CLIENT_RANDOM"].1.len(), 48);
        } else {
            assert_eq!(
                labels,
                [
                    "CLIENT_HANDSHAKE_TRAFFIC_SECRET",
                    "CLIENT_TRAFFIC_SECRET_0",
                    "EXPORTER_SECRET",
                    "SERVER_HANDSHAKE_TRAFFIC_SECRET",
                    "SERVER_TRAFFIC_SECRET_0",
                ]
            );
        }
        for (random, secret) in ours.values() {
            assert_eq!(random.len(), 32);
            assert_ne!(random, &[0; 32]);
            assert!(secret.len() >= 32 && secret.iter().any(|&byte| byte != 0));
        }
    }
}

#[derive(Debug)]
struct Panics;

impl KeyLog for Panics {
    fn log(&self, label: &str, _client_random: &[u8], _secret: &[u8]) {
        panic!("no log for {label}");
    }
}

#[test]
fn a_panic_in_a_key_log_reaches_the_caller_and_ends_the_connection() {
    for version in VERSIONS {
        for on_client in [true, false] {
            let (mut client, mut server) = if on_client {
                logged(version, Panics, Collected::default())
            } else {
                logged(version, Collected::default(), Panics)
            };
            let panicked = catch_unwind(AssertUnwindSafe(|| handshake(&mut client, &mut server)));
            let payload = panicked.expect_err("the panic goes on");
            let text = payload.downcast_ref::<String>().unwrap();
            assert!(text.starts_with("no log for "), "{text}");
            let end: &mut wolfssl::ConnectionCommon =
                if on_client { &mut client } else { &mut server };
            assert!(end.is_handshaking());
            assert!(end.process(&mut &[][..], &mut Vec::new()).is_err());
        }
    }
}

#[test]
fn key_log_files_grow_by_lines_of_the_nss_format() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.log");
    for version in VERSIONS {
        let collected = Collected::default();
        let file = KeyLogFile::new(&path).unwrap();
        let (mut client, mut server) = logged(version, file, collected.clone());
        assert!(handshake(&mut client, &mut server).is_ok());
        let text = std::fs::read_to_string(&path).unwrap();
        for (label, (random, secret)) in &*collected.0.lock().unwrap() {
            let line = format!("{label} {} {}\n", hex(random), hex(secret));
            assert!(text.contains(&line), "{line} in {text}");
        }
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 6);
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &std::fs::metadata(&path).unwrap().permissions(),
        );
        assert_eq!(mode & 0o77, 0, "secrets are for their owner");
    }
    assert!(KeyLogFile::new(dir.path()).is_err());
}

/// The environment belongs to the process: each case has one of its own.
#[test]
fn the_environment_names_the_file() {
    if let Ok(expected) = std::env::var("WOLFSSL_TEST_KEY_LOG") {
        let log = KeyLogFile::from_env();
        assert_eq!(log.error().is_none(), expected == "usable", "{log:?}");
        let (mut client, mut server) = logged(ProtocolVersion::TLSv1_3, log, Collected::default());
        assert!(handshake(&mut client, &mut server).is_ok());
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("keys.log");
    let run = |value: Option<&std::path::Path>, expected: &str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "the_environment_names_the_file"])
            .env("WOLFSSL_TEST_KEY_LOG", expected)
            .env_remove("SSLKEYLOGFILE");
        if let Some(value) = value {
            command.env("SSLKEYLOGFILE", value);
        }
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
    };
    run(Some(&path), "usable");
    run(None, "unusable");
    run(
        Some(std::path::Path::new("/nonexistent/keys.log")),
        "unusable",
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 5);
}

#[test]
fn new_keys_on_request_of_either_end() {
    let (mut client, mut server) = connect(CipherSuite::TLS13_AES_128_GCM_SHA256);
    for round in 0..20u8 {
        let (from, to): (
            &mut wolfssl::ConnectionCommon,
            &mut wolfssl::ConnectionCommon,
        ) = if round % 2 == 0 {
            (&mut client, &mut server)
        } else {
            (&mut server, &mut client)
        };
        let mut wire = Vec::new();
        from.update_keys(&mut wire).unwrap();
        assert!(from.is_key_update_pending());
        from.write(&[round], &mut wire).unwrap();
        let mut answer = Vec::new();
        assert_eq!(read_all(to, &wire, &mut answer), [round]);
        assert!(
            !answer.is_empty(),
            "a request is answered without being asked to"
        );
        to.write(&[round, round], &mut answer).unwrap();
        assert_eq!(receive(from, &answer).unwrap(), [round, round]);
        assert!(!from.is_key_update_pending());
    }
}

#[test]
fn tls_1_2_has_no_key_update() {
    let (mut client, mut server) = connect(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256);
    for end in [&mut client as &mut wolfssl::ConnectionCommon, &mut server] {
        let refusal = end.update_keys(&mut Vec::new());
        assert!(
            matches!(refusal, Err(Error::Unavailable { .. })),
            "{refusal:?}"
        );
    }
    let mut wire = Vec::new();
    client.write(b"still there", &mut wire).unwrap();
    assert_eq!(receive(&mut server, &wire).unwrap(), b"still there");
}

#[test]
fn a_closed_end_updates_no_keys() {
    let (mut client, _) = connect(CipherSuite::TLS13_AES_128_GCM_SHA256);
    client.close_notify(&mut Vec::new()).unwrap();
    assert!(matches!(
        client.update_keys(&mut Vec::new()),
        Err(Error::WriteAfterClose)
    ));
}

#[test]
fn debug_output_holds_no_secret() {
    let log = Collected::default();
    let (mut client, mut server) =
        logged(ProtocolVersion::TLSv1_3, log.clone(), Collected::default());
    assert!(handshake(&mut client, &mut server).is_ok());
    let text = format!("{client:?} {server:?}");
    for (_, secret) in log.0.lock().unwrap().values() {
        assert!(!text.contains(&hex(secret)));
        assert!(!text.contains(&format!("{secret:?}")[1..]));
    }
}

fn read_all(end: &mut wolfssl::ConnectionCommon, bytes: &[u8], answer: &mut Vec<u8>) -> Vec<u8> {
    let mut rest = bytes;
    let mut received = Vec::new();
    while let wolfssl::Status::PlaintextReady = end.process(&mut rest, answer).unwrap() {
        let mut buffer = [0; 64];
        let count = end.read(&mut buffer).unwrap();
        received.extend_from_slice(&buffer[..count]);
    }
    received
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
