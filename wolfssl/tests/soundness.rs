//! What safe code can do to connections and configurations at run time without harm: move,
//! swap, drop in any order, and panic or call back from within.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use support::{Authority, configs, ends, handshake, receive};
use wolfssl::{
    CertifiedKey, ClientAuth, ClientConfig, ClientConnection, ClientSessionStore, ConnectionCommon,
    Error, KeyFailure, KeyLog, ProtocolVersion, Resumption, ServerConfig, ServerConnection,
    SessionKey, SessionTicket, SignatureRequest, Signing, Status, VerifiedPeer, server_name,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

fn exchange(client: &mut ConnectionCommon, server: &mut ConnectionCommon) {
    let mut wire = Vec::new();
    client.write(b"ping", &mut wire).unwrap();
    assert_eq!(receive(server, &wire).unwrap(), b"ping");
    wire.clear();
    server.write(b"pong", &mut wire).unwrap();
    assert_eq!(receive(client, &wire).unwrap(), b"pong");
}

/// One step of `end`: everything there is to read, everything there is to say.
fn step(end: &mut ConnectionCommon, input: &mut Vec<u8>, output: &mut Vec<u8>) {
    let bytes = std::mem::take(input);
    let mut rest = bytes.as_slice();
    while end.process(&mut rest, output).unwrap() != Status::WantsInput {}
}

/// The same connection at another address.
fn moved(connection: Box<ClientConnection>) -> Box<ClientConnection> {
    let before = &raw const *connection;
    let inside = *connection;
    let other = Box::new(inside);
    assert_ne!(before, &raw const *other);
    other
}

#[test]
fn connections_move_between_any_two_steps() {
    let (client_config, server_config) = configs();
    let (client, server) = ends(&client_config, &server_config, "a.test");
    let (mut client, mut server) = (Box::new(client), vec![server]);
    let (mut to_client, mut to_server) = (Vec::new(), Vec::new());
    for _ in 0..4 {
        step(&mut client, &mut to_client, &mut to_server);
        client = moved(client);
        step(&mut server[0], &mut to_server, &mut to_client);
        // Growing moves what is inside, and so does another thread.
        server.insert(0, ServerConnection::new(&server_config).unwrap());
        server.swap_remove(0);
        server = std::thread::spawn(move || server).join().unwrap();
    }
    exchange(&mut client, &mut server[0]);
}

#[test]
fn ends_can_change_places_behind_their_types() {
    for version in VERSIONS {
        let authority = Authority::new("root");
        let client_config = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let server_config = ServerConfig::builder()
            .identity(authority.leaf(&["a.test"]).certified())
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client_config, &server_config, "a.test");
        drop((client_config, server_config));
        std::mem::swap::<ConnectionCommon>(&mut client, &mut server);
        // Each now has the other's session: what a type promises it asks of the wrong role.
        assert!(handshake(&mut server, &mut client).is_ok());
        assert!(server.request_client_certificate(&mut Vec::new()).is_err());
        assert_eq!(server.server_name(), None);
        exchange(&mut server, &mut client);
        drop(client);
        assert!(server.write(b"still there", &mut Vec::new()).is_ok());
    }
}

#[test]
fn everything_can_go_in_any_order() {
    for order in 0..24 {
        let (client_config, server_config) = configs();
        let (mut client, mut server) = ends(&client_config, &server_config, "a.test");
        if order % 2 == 0 {
            assert!(handshake(&mut client, &mut server).is_ok());
        } else {
            client.process(&mut &[][..], &mut Vec::new()).unwrap();
        }
        let mut parts: Vec<Box<dyn std::any::Any>> = vec![
            Box::new(client_config),
            Box::new(server_config),
            Box::new(client),
            Box::new(server),
        ];
        let mut left = order;
        while !parts.is_empty() {
            drop(parts.remove(left % parts.len()));
            left /= parts.len().max(1);
        }
    }
}

#[test]
fn nothing_that_was_given_needs_to_live_on() {
    let authority = Authority::new("root");
    let protocols = || (0..3).map(|i| format!("protocol-{i}")).collect::<Vec<_>>();
    let (client, server) = {
        let names = protocols();
        let slices: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
        let leaf = authority.leaf(&["a.test"]);
        let (mut chain, mut key) = (leaf.chain_pem.into_bytes(), leaf.key_pem.into_bytes());
        let identity = CertifiedKey::from_pem(&chain, &key).unwrap();
        chain.fill(0);
        key.fill(0);
        let mut pem = authority.pem.clone().into_bytes();
        let roots = wolfssl::RootCertStore::from_pem(&pem).unwrap();
        pem.fill(0);
        let client = ClientConfig::builder().roots(roots).alpn(&slices);
        let server = ServerConfig::builder().identity(identity).alpn(&slices);
        (client.build().unwrap(), server.build().unwrap())
    };
    let name = String::from("a.test");
    let mut client = ClientConnection::new(&client, server_name(&name).unwrap()).unwrap();
    drop(name);
    let mut server = ServerConnection::new(&server).unwrap();
    assert!(handshake(&mut client, &mut server).is_ok());
    assert_eq!(client.negotiated_alpn().unwrap(), protocols()[0].as_bytes());
    exchange(&mut client, &mut server);
}

/// Panics at the nth time it is called.
#[derive(Debug)]
struct PanicAt {
    calls: Mutex<u32>,
    at: u32,
}

impl PanicAt {
    fn call(&self) {
        let count = {
            let mut calls = self.calls.lock().unwrap();
            *calls += 1;
            *calls
        };
        if count == self.at {
            std::panic::panic_any(Payload);
        }
    }
}

/// The payload that has to come out again.
#[derive(Debug, PartialEq)]
struct Payload;

impl KeyLog for PanicAt {
    fn log(&self, _: &str, _: &[u8], _: &[u8]) {
        self.call();
    }
}

/// Runs a handshake whose server panics in a callback, and checks what is left of both ends.
fn check_panic(server: &ServerConfig, client: &ClientConfig, name: &str) {
    let (mut client, mut server) = ends(client, server, "a.test");
    let payload = catch_unwind(AssertUnwindSafe(|| handshake(&mut client, &mut server)))
        .expect_err(&format!("{name}: no panic came out"));
    assert!(
        payload.downcast_ref::<Payload>().is_some(),
        "{name}: another payload"
    );
    let mut output = Vec::new();
    for _ in 0..2 {
        let result = server.process(&mut &[][..], &mut output);
        assert!(
            matches!(result, Err(Error::CallbackPanicked)),
            "{name}: {result:?}"
        );
    }
    assert!(server.write(b"data", &mut output).is_err(), "{name}");
    // Looking at it, moving it and dropping it are all fine.
    let _ = (
        server.negotiated_version(),
        server.peer_certificates().len(),
    );
    drop(std::thread::spawn(move || server).join().unwrap());
    drop(client);
}

#[test]
fn panics_in_callbacks_come_out_and_end_the_connection() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["a.test"]);
    for version in VERSIONS {
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .build()
            .unwrap();
        let panic_at = |at| PanicAt {
            calls: Mutex::new(0),
            at,
        };
        let key = |_: &SignatureRequest| -> Result<Signing, KeyFailure> {
            std::panic::panic_any(Payload)
        };
        let identity = CertifiedKey::with_signing_key(leaf.chain.clone(), Arc::new(key)).unwrap();
        let signing = ServerConfig::builder().identity(identity).build().unwrap();
        check_panic(&signing, &client, "signing key");

        let secrets = if version == ProtocolVersion::TLSv1_2 {
            1
        } else {
            4
        };
        for at in 1..=secrets {
            let logging = ServerConfig::builder()
                .identity(leaf.certified())
                .key_log(panic_at(at))
                .build()
                .unwrap();
            check_panic(&logging, &client, &format!("key log, secret {at}"));
        }
    }
}

#[derive(Default)]
struct PanickingStore {
    on_insert: bool,
    on_take: bool,
}

impl ClientSessionStore for PanickingStore {
    fn insert(&self, _: &SessionKey, _: SessionTicket) {
        if self.on_insert {
            std::panic::panic_any(Payload);
        }
    }

    fn take(&self, _: &SessionKey) -> Option<SessionTicket> {
        if self.on_take {
            std::panic::panic_any(Payload);
        }
        None
    }
}

#[test]
fn panics_in_session_stores_come_out_where_they_are_asked() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .build()
        .unwrap();
    let client = |version, store: PanickingStore| {
        ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .resumption(Resumption::store(store))
            .build()
            .unwrap()
    };
    for version in VERSIONS {
        let config = client(
            version,
            PanickingStore {
                on_take: true,
                ..PanickingStore::default()
            },
        );
        let name = server_name("a.test").unwrap();
        let payload = catch_unwind(AssertUnwindSafe(|| ClientConnection::new(&config, name)))
            .expect_err("no panic came out of new()");
        assert!(payload.downcast_ref::<Payload>().is_some());

        let config = client(
            version,
            PanickingStore {
                on_insert: true,
                ..PanickingStore::default()
            },
        );
        let (mut client, mut server) = ends(&config, &server, "a.test");
        let payload = catch_unwind(AssertUnwindSafe(|| {
            let outcome = handshake(&mut client, &mut server);
            assert!(outcome.is_ok(), "{outcome:?}");
            let mut wire = Vec::new();
            server.write(b"with the tickets", &mut wire).unwrap();
            receive(&mut client, &wire)
        }))
        .expect_err("no panic came out of process()");
        assert!(payload.downcast_ref::<Payload>().is_some());
        drop(std::thread::spawn(move || (client, server)).join().unwrap());
    }
}

/// The check of the peer runs at a client as soon as the server has answered, and at a server
/// once the client has.
#[test]
fn panics_in_checks_of_the_peer_come_out_and_end_the_connection() {
    let authority = Authority::new("root");
    let check = |_: &VerifiedPeer<'_>| -> Result<(), String> { std::panic::panic_any(Payload) };
    for version in VERSIONS {
        for at_client in [true, false] {
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .client_identity(authority.leaf(&["client.test"]).certified())
                .versions(&[version]);
            let server = ServerConfig::builder()
                .identity(authority.leaf(&["a.test"]).certified())
                .client_auth(ClientAuth::Required(authority.roots()));
            let (client, server) = match at_client {
                true => (client.additional_verification(check), server),
                false => (client, server.additional_verification(check)),
            };
            let (client, server) = (client.build().unwrap(), server.build().unwrap());
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let payload = catch_unwind(AssertUnwindSafe(|| handshake(&mut client, &mut server)))
                .expect_err("no panic came out");
            assert!(payload.downcast_ref::<Payload>().is_some());
            let end: &mut ConnectionCommon = match at_client {
                true => &mut client,
                false => &mut server,
            };
            let result = end.process(&mut &[][..], &mut Vec::new());
            assert!(matches!(result, Err(Error::CallbackPanicked)), "{result:?}");
            assert!(matches!(end.read(&mut [0]), Err(Error::CallbackPanicked)));
        }
    }
}

#[test]
fn a_callback_finds_no_way_back_into_its_connection() {
    // All that safe code has is a lock that the caller holds while C runs.
    static CONNECTION: OnceLock<Arc<Mutex<ServerConnection>>> = OnceLock::new();
    let (client_config, _) = configs();
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["a.test"]);
    let key = |_: &SignatureRequest| -> Result<Signing, KeyFailure> {
        assert!(CONNECTION.get().unwrap().try_lock().is_err());
        let weak: Weak<_> = Arc::downgrade(CONNECTION.get().unwrap());
        assert!(weak.upgrade().unwrap().try_lock().is_err());
        Ok(Signing::Later)
    };
    let identity = CertifiedKey::with_signing_key(leaf.chain, Arc::new(key)).unwrap();
    let server = ServerConfig::builder().identity(identity).build().unwrap();
    let connection = Arc::new(Mutex::new(ServerConnection::new(&server).unwrap()));
    CONNECTION.set(Arc::clone(&connection)).unwrap();
    let name = server_name("a.test").unwrap();
    let mut client = ClientConnection::new(&client_config, name).unwrap();
    let mut hello = Vec::new();
    client.process(&mut &[][..], &mut hello).unwrap();
    let mut server = connection.lock().unwrap();
    let status = server
        .process(&mut hello.as_slice(), &mut Vec::new())
        .unwrap();
    assert_eq!(status, Status::WantsSignature);
}

#[test]
fn a_callback_may_run_another_connection() {
    let (client_config, server_config) = configs();
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["a.test"]);
    let key = move |_: &SignatureRequest| -> Result<Signing, KeyFailure> {
        let (mut client, mut server) = ends(&client_config, &server_config, "a.test");
        assert!(handshake(&mut client, &mut server).is_ok());
        exchange(&mut client, &mut server);
        Ok(Signing::Later)
    };
    let identity = CertifiedKey::with_signing_key(leaf.chain, Arc::new(key)).unwrap();
    let server = ServerConfig::builder().identity(identity).build().unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let mut hello = Vec::new();
    client.process(&mut &[][..], &mut hello).unwrap();
    let status = server
        .process(&mut hello.as_slice(), &mut Vec::new())
        .unwrap();
    assert_eq!(status, Status::WantsSignature);
}
