//! Encrypted Client Hello: accepted, rejected with and without new configurations, faked, and
//! never traded for an older version.

mod support;

use support::{Authority, Outcome, ends, handshake, receive};
use wolfssl::{
    AlertDescription, CertificateError, ClientConfig, ClientConfigBuilder, ClientConnection,
    ConfigError, ConnectionCommon, EchConfigList, EchKeys, EchMode, EchStatus, Error, NamedGroup,
    ProtocolVersion, ServerConfig, ServerConfigBuilder, ServerConnection, Status, server_name,
};

const PUBLIC: &str = "public.test";
const SECRET: &str = "secret.test";

fn client_builder(authority: &Authority, mode: EchMode) -> ClientConfigBuilder {
    ClientConfig::builder().roots(authority.roots()).ech(mode)
}

/// A server for both names.
fn server_builder(authority: &Authority) -> ServerConfigBuilder {
    ServerConfig::builder().identity(authority.leaf(&[PUBLIC, SECRET]).certified())
}

fn offer(keys: &EchKeys) -> EchMode {
    EchMode::Offer(keys.config_list().clone())
}

fn connect(
    client: ClientConfigBuilder,
    server: ServerConfigBuilder,
) -> (ClientConnection, ServerConnection, Outcome) {
    let (client, server) = (client.build().unwrap(), server.build().unwrap());
    let (mut client, mut server) = ends(&client, &server, SECRET);
    let outcome = handshake(&mut client, &mut server);
    (client, server, outcome)
}

fn exchange(client: &mut ConnectionCommon, server: &mut ConnectionCommon) {
    let mut wire = Vec::new();
    client.write(b"ping", &mut wire).unwrap();
    assert_eq!(receive(server, &wire).unwrap(), b"ping");
    wire.clear();
    server.write(b"pong", &mut wire).unwrap();
    assert_eq!(receive(client, &wire).unwrap(), b"pong");
}

fn contains(haystack: &[u8], needle: &str) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle.as_bytes())
}

#[test]
fn the_name_is_hidden_and_reaches_the_server() {
    let authority = Authority::new("root");
    let keys = EchKeys::generate(PUBLIC).unwrap();
    let published = EchConfigList::from_bytes(keys.config_list().as_bytes()).unwrap();
    let client = client_builder(&authority, EchMode::Offer(published))
        .alpn(["secret-protocol"])
        .build()
        .unwrap();
    let server = server_builder(&authority)
        .ech_keys([keys])
        .alpn(["secret-protocol"])
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, SECRET);
    let mut hello = Vec::new();
    client.process(&mut &[][..], &mut hello).unwrap();
    assert!(contains(&hello, PUBLIC));
    assert!(!contains(&hello, SECRET));
    let mut reply = Vec::new();
    server.process(&mut hello.as_slice(), &mut reply).unwrap();
    let mut rest = Vec::new();
    assert_eq!(
        client.process(&mut reply.as_slice(), &mut rest).unwrap(),
        Status::HandshakeComplete
    );
    let mut tickets = Vec::new();
    assert_eq!(
        server.process(&mut rest.as_slice(), &mut tickets).unwrap(),
        Status::HandshakeComplete
    );
    assert!(receive(&mut client, &tickets).unwrap().is_empty());
    assert_eq!(client.ech_status(), EchStatus::Accepted);
    assert_eq!(server.ech_status(), EchStatus::Accepted);
    assert_eq!(server.server_name().as_deref(), Some(SECRET));
    assert_eq!(
        server.negotiated_alpn().as_deref(),
        Some(&b"secret-protocol"[..])
    );
    exchange(&mut client, &mut server);
}

#[test]
fn a_retried_hello_stays_hidden() {
    let authority = Authority::new("root");
    let keys = EchKeys::generate(PUBLIC).unwrap();
    let client = client_builder(&authority, offer(&keys))
        .groups(&[NamedGroup::X25519, NamedGroup::secp384r1])
        .build()
        .unwrap();
    let server = server_builder(&authority)
        .ech_keys([keys])
        .groups(&[NamedGroup::secp384r1])
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, SECRET);
    let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
    let mut seen = Vec::new();
    for _ in 0..8 {
        let mut rest = to_client.as_slice();
        while client.process(&mut rest, &mut to_server).unwrap() != Status::WantsInput {}
        to_client.clear();
        seen.extend_from_slice(&to_server);
        let mut rest = to_server.as_slice();
        while server.process(&mut rest, &mut to_client).unwrap() != Status::WantsInput {}
        to_server.clear();
    }
    assert!(!contains(&seen, SECRET));
    assert_eq!(client.negotiated_group(), Some(NamedGroup::secp384r1));
    assert_eq!(client.ech_status(), EchStatus::Accepted);
    assert_eq!(server.ech_status(), EchStatus::Accepted);
    assert_eq!(server.server_name().as_deref(), Some(SECRET));
    exchange(&mut client, &mut server);
}

#[test]
fn keys_outlive_the_process_and_older_ones_go_on_working() {
    let authority = Authority::new("root");
    let (old, new) = (
        EchKeys::generate(PUBLIC).unwrap(),
        EchKeys::generate(PUBLIC).unwrap(),
    );
    let restored = EchKeys::from_bytes(&old.to_bytes()).unwrap();
    assert_eq!(restored.config_list(), old.config_list());
    for keys in [&old, &new] {
        let (mut client, mut server, outcome) = connect(
            client_builder(&authority, offer(keys)),
            server_builder(&authority).ech_keys([new.clone(), restored.clone()]),
        );
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(client.ech_status(), EchStatus::Accepted);
        exchange(&mut client, &mut server);
    }
}

#[test]
fn an_outdated_configuration_is_answered_with_new_ones() {
    let authority = Authority::new("root");
    let keys: Vec<_> = (0..2).map(|_| EchKeys::generate(PUBLIC).unwrap()).collect();
    let outdated = EchKeys::generate(PUBLIC).unwrap();
    let server = || server_builder(&authority).ech_keys(keys.clone());
    let (client, server_end, outcome) =
        connect(client_builder(&authority, offer(&outdated)), server());
    let Err(Error::EchRejected {
        retry_configs: Some(retry),
    }) = outcome.client
    else {
        panic!("{outcome:?}")
    };
    assert_eq!(client.ech_status(), EchStatus::Rejected);
    assert_eq!(server_end.ech_status(), EchStatus::Rejected);
    assert_eq!(server_end.server_name().as_deref(), Some(PUBLIC));
    assert!(
        matches!(
            outcome.server,
            Ok(()) | Err(Error::AlertReceived(AlertDescription::EchRequired))
        ),
        "{:?}",
        outcome.server
    );
    // Both keys are told, the first one first.
    let [first, second] = [&keys[0], &keys[1]].map(|keys| &keys.config_list().as_bytes()[2..]);
    assert_eq!(retry.as_bytes()[2..], [first, second].concat());
    let (mut client, mut server_end, outcome) =
        connect(client_builder(&authority, EchMode::Offer(retry)), server());
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(client.ech_status(), EchStatus::Accepted);
    exchange(&mut client, &mut server_end);
}

#[test]
fn a_server_without_keys_rejects_and_has_nothing_else_to_offer() {
    let authority = Authority::new("root");
    let keys = EchKeys::generate(PUBLIC).unwrap();
    let (client, server, outcome) = connect(
        client_builder(&authority, offer(&keys)),
        server_builder(&authority),
    );
    assert!(
        matches!(
            outcome.client,
            Err(Error::EchRejected {
                retry_configs: None
            })
        ),
        "{outcome:?}"
    );
    assert_eq!(client.ech_status(), EchStatus::Rejected);
    assert_eq!(server.ech_status(), EchStatus::NotOffered);
}

#[test]
fn retry_configurations_count_only_from_the_server_of_the_public_name() {
    let authority = Authority::new("root");
    let (keys, outdated) = (
        EchKeys::generate(PUBLIC).unwrap(),
        EchKeys::generate(PUBLIC).unwrap(),
    );
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["other.test", SECRET]).certified())
        .ech_keys([keys]);
    let (_, _, outcome) = connect(client_builder(&authority, offer(&outdated)), server);
    assert!(
        matches!(
            outcome.client,
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName { .. }
            ))
        ),
        "{outcome:?}"
    );
}

#[test]
fn an_older_version_is_no_way_around_it() {
    let authority = Authority::new("root");
    let keys = EchKeys::generate(PUBLIC).unwrap();
    // A server for the public name alone that knows nothing newer than TLS 1.2.
    let server = ServerConfig::builder()
        .identity(authority.leaf(&[PUBLIC]).certified())
        .versions(&[ProtocolVersion::TLSv1_2]);
    let (client, _, outcome) = connect(client_builder(&authority, offer(&keys)), server);
    assert!(outcome.client.is_err(), "{outcome:?}");
    assert!(client.is_handshaking());
    assert!(matches!(
        client_builder(&authority, offer(&keys))
            .versions(&[ProtocolVersion::TLSv1_2])
            .build(),
        Err(Error::Config(ConfigError::NeedsTls13 { .. }))
    ));
    assert!(matches!(
        server_builder(&authority)
            .versions(&[ProtocolVersion::TLSv1_2])
            .ech_keys([keys])
            .build(),
        Err(Error::Config(ConfigError::NeedsTls13 { .. }))
    ));
}

/// The type of the Encrypted Client Hello extension (RFC 9849).
const EXTENSION: [u8; 2] = [0xfe, 0x0d];

fn hello_of(config: &ClientConfig) -> (ClientConnection, Vec<u8>) {
    let mut client = ClientConnection::new(config, server_name(SECRET).unwrap()).unwrap();
    let mut hello = Vec::new();
    client.process(&mut &[][..], &mut hello).unwrap();
    (client, hello)
}

/// The extension's body in a hello, if it is there.
fn extension(hello: &[u8]) -> Option<&[u8]> {
    // Record and handshake header, version, random; session id, suites and compression.
    let mut rest = &hello[5 + 4 + 2 + 32..];
    rest = &rest[1 + usize::from(rest[0])..];
    rest = &rest[2 + usize::from(u16::from_be_bytes([rest[0], rest[1]]))..];
    rest = &rest[1 + usize::from(rest[0]) + 2..];
    while let [kind @ .., _, _] = rest.get(..4)? {
        let length = usize::from(u16::from_be_bytes([rest[2], rest[3]]));
        if kind == EXTENSION {
            return Some(&rest[4..4 + length]);
        }
        rest = &rest[4 + length..];
    }
    None
}

#[test]
fn random_bytes_stand_in_where_asked_for_and_nothing_otherwise() {
    let authority = Authority::new("root");
    let off = client_builder(&authority, EchMode::Off).build().unwrap();
    let (client, hello) = hello_of(&off);
    assert_eq!(extension(&hello), None);
    assert_eq!(client.ech_status(), EchStatus::NotOffered);

    let grease = client_builder(&authority, EchMode::Grease).build().unwrap();
    let (one, two) = (hello_of(&grease), hello_of(&grease));
    let (body, other) = (extension(&one.1).unwrap(), extension(&two.1).unwrap());
    assert_ne!(body, other);
    let keys = EchKeys::generate(PUBLIC).unwrap();
    let real = hello_of(&client_builder(&authority, offer(&keys)).build().unwrap());
    // Outer type and suite, then a configuration id, then a key of the same length.
    assert_eq!(body[..5], extension(&real.1).unwrap()[..5]);
    assert_eq!(body[6..8], [0, 32]);
    assert!(contains(&one.1, SECRET));

    for keys in [None, Some(keys)] {
        let (mut client, mut server, outcome) = connect(
            client_builder(&authority, EchMode::Grease),
            server_builder(&authority).ech_keys(keys.clone()),
        );
        assert!(outcome.is_ok(), "{outcome:?}");
        assert_eq!(client.ech_status(), EchStatus::Grease);
        let seen = match keys {
            Some(_) => EchStatus::Rejected,
            None => EchStatus::NotOffered,
        };
        assert_eq!(server.ech_status(), seen);
        assert_eq!(server.server_name().as_deref(), Some(SECRET));
        exchange(&mut client, &mut server);
    }
}

#[test]
fn bytes_that_are_no_configuration_or_key_are_refused() {
    let keys = EchKeys::generate(PUBLIC).unwrap();
    let list = keys.config_list().as_bytes();
    let config_error = |result: Result<EchConfigList, Error>| {
        matches!(result, Err(Error::Config(ConfigError::EchConfig { .. })))
    };
    for length in 0..list.len() {
        assert!(
            config_error(EchConfigList::from_bytes(&list[..length])),
            "{length}"
        );
    }
    let mut unknown_version = list.to_vec();
    unknown_version[2] ^= 0x55;
    assert!(config_error(EchConfigList::from_bytes(&unknown_version)));
    for position in 0..list.len() {
        let mut changed = list.to_vec();
        changed[position] ^= 0xff;
        let _ = EchConfigList::from_bytes(&changed); // some are other configurations, none crash
    }

    let bytes = keys.to_bytes();
    for length in 0..bytes.len() {
        assert!(EchKeys::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    let mut other_key = bytes.to_vec();
    other_key[..32].copy_from_slice(&EchKeys::generate(PUBLIC).unwrap().to_bytes()[..32]);
    assert!(matches!(
        EchKeys::from_bytes(&other_key),
        Err(Error::Config(ConfigError::EchConfig { .. }))
    ));
    assert!(!format!("{keys:?}").contains(&format!("{:?}", &bytes[..4])));
    for name in ["", "127.0.0.1", "a\0b", "two words", &"x".repeat(300)] {
        assert!(
            matches!(
                EchKeys::generate(name),
                Err(Error::Config(ConfigError::ServerName { .. }))
            ),
            "{name:?}"
        );
    }
}
