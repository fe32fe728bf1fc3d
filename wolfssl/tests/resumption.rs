//! Resumption in memory: tickets of both versions, what they are bound to, and how long.

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use support::{Authority, ends, handshake, receive};
use wolfssl::{
    AlertDescription, ClientAuth, ClientConfig, ClientConfigBuilder, ClientConnection,
    ClientSessionStore, ConfigError, ConnectionCommon, Error, InMemoryServerSessions,
    ProtocolVersion, Resumption, ServerConfig, ServerConfigBuilder, ServerConnection,
    ServerResumption, ServerSessionStore, SessionKey, SessionTicket, TicketKeys, TicketSecret,
    server_name,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

/// A certificate authority with a server certificate.
struct Site {
    authority: Authority,
    server: ServerConfigBuilder,
}

impl Site {
    fn new(names: &[&str]) -> Self {
        let authority = Authority::new("root");
        let server = ServerConfig::builder().identity(authority.leaf(names).certified());
        Self { authority, server }
    }

    fn client(&self, version: ProtocolVersion) -> ClientConfigBuilder {
        ClientConfig::builder()
            .roots(self.authority.roots())
            .versions(&[version])
    }
}

/// A connection that completes, sends something each way, and is closed.
fn connect(
    client: &ClientConfig,
    server: &ServerConfig,
    name: &str,
) -> (ClientConnection, ServerConnection) {
    let (client, server) = ends(client, server, name);
    complete(client, server)
}

fn complete(
    mut client: ClientConnection,
    mut server: ServerConnection,
) -> (ClientConnection, ServerConnection) {
    let outcome = handshake(&mut client, &mut server);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(client.is_resumed(), server.is_resumed());
    talk(&mut client, &mut server);
    (client, server)
}

fn talk(client: &mut ConnectionCommon, server: &mut ConnectionCommon) {
    for (from, to) in [(true, b"ping"), (false, b"pong")] {
        let mut wire = Vec::new();
        let (sender, receiver) = if from {
            (&mut *client, &mut *server)
        } else {
            (&mut *server, &mut *client)
        };
        sender.write(to, &mut wire).unwrap();
        assert_eq!(receive(receiver, &wire).unwrap(), to);
    }
}

/// The session of a new connection.
fn session(client: &ClientConfig, server: &ServerConfig, name: &str) -> SessionTicket {
    let (mut client, _) = connect(client, server, name);
    client.take_session().expect("a session came")
}

/// A connection that offers `session`; whether it was resumed.
fn resumes(
    client: &ClientConfig,
    server: &ServerConfig,
    name: &str,
    session: SessionTicket,
) -> bool {
    let client =
        ClientConnection::with_session(client, server_name(name).unwrap(), session).unwrap();
    let (client, _) = complete(client, ServerConnection::new(server).unwrap());
    client.is_resumed()
}

#[test]
fn connections_resume_by_default_in_both_versions() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client = site.client(version).build().unwrap();
        let server = site.server.build().unwrap();
        let (first, _) = connect(&client, &server, "a.test");
        assert!(!first.is_resumed(), "{version}");
        for _ in 0..5 {
            let (resumed, _) = connect(&client, &server, "a.test");
            assert!(resumed.is_resumed(), "{version}");
            assert_eq!(resumed.negotiated_version(), Some(version));
            // What the server once proved is still known.
            assert_eq!(resumed.peer_certificates(), first.peer_certificates());
            assert_eq!(resumed.peer_certificates().len(), 1);
            assert_eq!(resumed.negotiated_signature_scheme(), None);
        }
    }
}

#[test]
fn a_session_is_there_once_its_ticket_came() {
    let site = Site::new(&["a.test"]);
    let server = site.server.clone().build().unwrap();
    for resumption in [Resumption::default(), Resumption::manual()] {
        let client = site
            .client(ProtocolVersion::TLSv1_3)
            .resumption(resumption)
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        assert!(client.take_session().is_none());
        let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
        client.process(&mut &[][..], &mut to_server).unwrap();
        server
            .process(&mut to_server.as_slice(), &mut to_client)
            .unwrap();
        to_server.clear();
        client
            .process(&mut to_client.as_slice(), &mut to_server)
            .unwrap();
        assert!(!client.is_handshaking());
        // The handshake is complete here, and the server has not sent a ticket yet.
        assert!(client.take_session().is_none());
        to_client.clear();
        server
            .process(&mut to_server.as_slice(), &mut to_client)
            .unwrap();
        server.write(b"hello", &mut to_client).unwrap();
        assert_eq!(receive(&mut client, &to_client).unwrap(), b"hello");
        // Two tickets came, each once.
        let one = client.take_session().unwrap();
        let other = client.take_session().unwrap();
        assert_ne!(*one.to_bytes(), *other.to_bytes());
        assert!(client.take_session().is_none());
    }
}

#[test]
fn explicit_sessions_resume_in_both_versions() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client = site
            .client(version)
            .resumption(Resumption::manual())
            .build()
            .unwrap();
        let server = site.server.build().unwrap();
        let mut next = session(&client, &server, "a.test");
        for _ in 0..3 {
            let bytes = next.to_bytes();
            let read = SessionTicket::from_bytes(&bytes).unwrap();
            assert_eq!(*read.to_bytes(), *bytes);
            assert_eq!(read.version(), version);
            assert_eq!(read.peer_certificates(), next.peer_certificates());
            let name = server_name("a.test").unwrap();
            let connection = ClientConnection::with_session(&client, name, read).unwrap();
            let (mut resumed, _) = complete(connection, ServerConnection::new(&server).unwrap());
            assert!(resumed.is_resumed(), "{version}");
            assert_eq!(resumed.peer_certificates().len(), 1);
            next = resumed.take_session().unwrap();
        }
        // Nothing was kept beside what was taken.
        let (client, _) = connect(&client, &server, "a.test");
        assert!(!client.is_resumed());
    }
}

#[test]
fn a_thousand_connections_each_resume_the_one_before() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client = site.client(version).build().unwrap();
        let server = site.server.build().unwrap();
        let mut resumed = 0;
        for _ in 0..1000 {
            let (client, _) = connect(&client, &server, "a.test");
            resumed += u32::from(client.is_resumed());
        }
        assert_eq!(resumed, 999, "{version}");
    }
}

#[test]
fn a_session_never_crosses_names_protocols_or_settings() {
    for version in VERSIONS {
        let site = Site::new(&["a.test", "b.test", "127.0.0.1"]);
        let server = site
            .server
            .clone()
            .alpn(["h2", "http/1.1"])
            .build()
            .unwrap();
        let client = |change: fn(ClientConfigBuilder) -> ClientConfigBuilder| {
            let builder = site.client(version).resumption(Resumption::manual());
            change(builder.alpn(["h2"])).build().unwrap()
        };
        let same = client(|builder| builder);
        let ticket = session(&same, &server, "a.test");
        assert_eq!(ticket.alpn(), Some(&b"h2"[..]));
        for name in ["b.test", "127.0.0.1"] {
            assert!(!resumes(&same, &server, name, ticket.clone()), "{name}");
        }
        let others: [fn(ClientConfigBuilder) -> ClientConfigBuilder; 5] = [
            |builder| builder.alpn(["http/1.1"]),
            |builder| builder.alpn(["h2", "http/1.1"]),
            |builder| builder.groups(&[wolfssl::NamedGroup::X25519]),
            |builder| builder.dangerous().without_certificate_verification(),
            |builder| builder.client_identity(Authority::new("other").leaf(&["c"]).certified()),
        ];
        for (index, change) in others.into_iter().enumerate() {
            let other = client(change);
            assert!(
                !resumes(&other, &server, "a.test", ticket.clone()),
                "{index}"
            );
        }
        // An equal configuration, a name in another spelling: the same.
        let equal = client(|builder| builder);
        assert!(resumes(&equal, &server, "A.Test.", ticket));
    }
}

#[test]
fn a_session_of_another_authority_does_not_spare_the_check() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let server = site.server.clone().build().unwrap();
        let resumption = Resumption::in_memory(10); // shared by both configurations
        let trusting = site
            .client(version)
            .resumption(resumption.clone())
            .build()
            .unwrap();
        connect(&trusting, &server, "a.test");
        let distrusting = ClientConfig::builder()
            .roots(Authority::new("other").roots())
            .versions(&[version])
            .resumption(resumption)
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&distrusting, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(
            matches!(
                outcome.client,
                Err(Error::InvalidCertificate(
                    wolfssl::CertificateError::UnknownIssuer
                ))
            ),
            "{outcome:?}"
        );
    }
}

#[test]
fn resumption_can_be_off_on_either_side() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client_on = site.client(version).build().unwrap();
        let client_off = site
            .client(version)
            .resumption(Resumption::disabled())
            .build()
            .unwrap();
        let server_on = site.server.clone().build().unwrap();
        let server_off = site
            .server
            .clone()
            .resumption(ServerResumption::disabled())
            .build()
            .unwrap();
        for (client, server) in [
            (&client_off, &server_on),
            (&client_on, &server_off),
            (&client_off, &server_off),
        ] {
            for _ in 0..3 {
                let (mut client, _) = connect(client, server, "a.test");
                assert!(!client.is_resumed());
                assert!(client.take_session().is_none());
            }
        }
        // A ticket from before is of no use to a server without tickets.
        let ticket = session(&client_on, &server_on, "a.test");
        assert!(!resumes(&client_on, &server_off, "a.test", ticket.clone()));
        assert!(!resumes(&client_off, &server_on, "a.test", ticket));
    }
}

#[test]
fn tickets_are_as_many_as_asked_for() {
    let site = Site::new(&["a.test"]);
    for count in [0, 1, 4, 8] {
        let resumption = ServerResumption::default().send_tls13_tickets(count);
        let server = site.server.clone().resumption(resumption).build().unwrap();
        let client = site.client(ProtocolVersion::TLSv1_3).build().unwrap();
        let (mut client, _) = connect(&client, &server, "a.test");
        let came = std::iter::from_fn(|| client.take_session()).count();
        assert_eq!(came, usize::from(count));
    }
    // More than a byte-sized nonce is good for, on a connection that was resumed itself.
    let resumption = ServerResumption::default().send_tls13_tickets(255);
    let server = site.server.clone().resumption(resumption).build().unwrap();
    let client = site.client(ProtocolVersion::TLSv1_3).build().unwrap();
    for attempt in 0..3 {
        let (client, _) = connect(&client, &server, "a.test");
        assert_eq!(client.is_resumed(), attempt > 0);
    }
}

#[test]
fn servers_that_share_keys_resume_each_others_sessions() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let secret = |byte| TicketSecret::new([byte; 32]);
        let with = |keys: TicketKeys| {
            let resumption = ServerResumption::tickets(keys);
            site.server.clone().resumption(resumption).build().unwrap()
        };
        let keys = TicketKeys::new(secret(1), []).unwrap();
        let one = with(keys.clone());
        // Made from the same bytes, as in another process.
        let other = with(TicketKeys::new(secret(1), []).unwrap());
        let stranger = with(TicketKeys::new(secret(9), []).unwrap());
        let client = site
            .client(version)
            .resumption(Resumption::manual())
            .build()
            .unwrap();
        let ticket = || session(&client, &one, "a.test");
        assert!(resumes(&client, &other, "a.test", ticket()));
        assert!(!resumes(&client, &stranger, "a.test", ticket()));

        let old = ticket();
        keys.rotate(secret(2)).unwrap();
        assert!(resumes(&client, &one, "a.test", old.clone()));
        let new = ticket();
        assert!(resumes(&client, &one, "a.test", new.clone()));
        assert!(!resumes(&client, &other, "a.test", new));
        for byte in 3..=5 {
            keys.rotate(secret(byte)).unwrap();
        }
        assert!(!resumes(&client, &one, "a.test", old));
    }
}

#[test]
fn a_restarted_server_with_new_keys_makes_full_handshakes() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client = site.client(version).build().unwrap();
        let before = site.server.clone().build().unwrap();
        connect(&client, &before, "a.test");
        let after = site.server.build().unwrap();
        let (first, _) = connect(&client, &after, "a.test");
        assert!(!first.is_resumed());
        // The second ticket of before is tried in TLS 1.3; then only new ones are left.
        connect(&client, &after, "a.test");
        let (last, _) = connect(&client, &after, "a.test");
        assert!(last.is_resumed(), "{version}");
    }
}

#[test]
fn a_session_of_tls_1_2_is_offered_again_and_one_of_tls_1_3_is_not() {
    for (version, again) in [
        (ProtocolVersion::TLSv1_2, true),
        (ProtocolVersion::TLSv1_3, false),
    ] {
        let site = Site::new(&["a.test"]);
        let client = site.client(version).build().unwrap();
        let resumption = ServerResumption::default().send_tls13_tickets(1);
        let server = site.server.clone().resumption(resumption).build().unwrap();
        connect(&client, &server, "a.test");
        // Two connections begin before either gets a new session.
        let (one, other) = (
            ends(&client, &server, "a.test"),
            ends(&client, &server, "a.test"),
        );
        let (one, _) = complete(one.0, one.1);
        let (other, _) = complete(other.0, other.1);
        assert!(one.is_resumed());
        assert_eq!(other.is_resumed(), again, "{version}");
    }
}

#[test]
fn sessions_run_out() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let resumption = ServerResumption::default().lifetime(Duration::from_secs(2));
        let server = site.server.clone().resumption(resumption).build().unwrap();
        let client = site
            .client(version)
            .resumption(Resumption::manual())
            .build()
            .unwrap();
        let ticket = session(&client, &server, "a.test");
        let left = ticket.remaining_lifetime();
        assert!(left <= Duration::from_secs(2) && left >= Duration::from_secs(1));
        assert!(resumes(&client, &server, "a.test", ticket.clone()));
        std::thread::sleep(Duration::from_secs(3));
        assert_eq!(ticket.remaining_lifetime(), Duration::ZERO);
        assert!(!resumes(&client, &server, "a.test", ticket));
    }
    for seconds in [0, 7 * 24 * 3600 + 1] {
        let lifetime = Duration::from_secs(seconds);
        let resumption = ServerResumption::default().lifetime(lifetime);
        let site = Site::new(&["a.test"]);
        let error = site.server.resumption(resumption).build().unwrap_err();
        assert!(
            matches!(error, Error::Config(ConfigError::TicketLifetime { lifetime: given }) if given == lifetime),
            "{error}"
        );
    }
}

#[test]
fn under_an_encrypted_hello_each_handshake_is_a_full_one() {
    let site = Site::new(&["a.test", "public.test"]);
    let keys = wolfssl::EchKeys::generate("public.test").unwrap();
    let offer = wolfssl::EchMode::Offer(keys.config_list().clone());
    let client = site.client(ProtocolVersion::TLSv1_3).ech(offer);
    let server = site.server.clone().ech_keys([keys]).build().unwrap();
    let hidden = client.clone().build().unwrap();
    for _ in 0..3 {
        let (mut client, _) = connect(&hidden, &server, "a.test");
        assert!(!client.is_resumed());
        assert!(client.take_session().is_none());
        assert_eq!(client.ech_status(), wolfssl::EchStatus::Accepted);
    }
    let error = client.enable_early_data(true).build().unwrap_err();
    assert!(matches!(
        error,
        Error::Config(ConfigError::EarlyData { .. })
    ));
}

#[test]
fn a_server_that_changed_its_versions_is_met_with_a_full_handshake() {
    for before in VERSIONS {
        for after in [&VERSIONS[..], &VERSIONS[..1], &VERSIONS[1..]] {
            let site = Site::new(&["a.test"]);
            let keys = TicketKeys::new(TicketSecret::new([1; 32]), []).unwrap();
            let server = |versions: &[ProtocolVersion]| {
                let resumption = ServerResumption::tickets(keys.clone());
                let builder = site.server.clone().resumption(resumption);
                builder.versions(versions).build().unwrap()
            };
            let client = site.client(before).versions(&VERSIONS).build().unwrap();
            connect(&client, &server(&[before]), "a.test");
            let after_server = server(after);
            if (before, after) == (VERSIONS[0], &VERSIONS[1..]) {
                // wolfSSL offers TLS 1.2 alone with a TLS 1.2 session: fails, once.
                let (mut client, mut server) = ends(&client, &after_server, "a.test");
                let outcome = handshake(&mut client, &mut server);
                assert!(
                    matches!(
                        outcome.client,
                        Err(Error::AlertReceived(AlertDescription::ProtocolVersion))
                    ),
                    "{outcome:?}"
                );
            }
            let (connection, _) = connect(&client, &after_server, "a.test");
            let still = after.contains(&before);
            assert_eq!(connection.is_resumed(), still, "{before} {after:?}");
            let version = if still { before } else { after[0] };
            assert_eq!(connection.negotiated_version(), Some(version));
        }
    }
}

/// A server with these keys that asks clients for certificates like this.
fn asking(site: &Site, keys: &TicketKeys, client_auth: ClientAuth) -> ServerConfig {
    let resumption = ServerResumption::tickets(keys.clone());
    let builder = site.server.clone().resumption(resumption);
    builder.client_auth(client_auth).build().unwrap()
}

#[test]
fn a_resumed_client_is_known_by_the_certificate_it_once_showed() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let clients = Authority::new("client root");
        let leaf = clients.leaf(&["client.test"]);
        let client = site.client(version);
        let with = client.clone().client_identity(leaf.certified());
        let (with, without) = (with.build().unwrap(), client.build().unwrap());
        let keys = TicketKeys::generate().unwrap();
        for auth in [
            ClientAuth::Required(clients.roots()),
            ClientAuth::Optional(clients.roots()),
        ] {
            let server = asking(&site, &keys, auth.clone());
            for attempt in 0..4 {
                let (client, server) = connect(&with, &server, "a.test");
                assert_eq!(client.is_resumed(), attempt > 0, "{version} {auth:?}");
                assert_eq!(server.peer_certificates(), leaf.chain);
            }
            // Another process has the keys, and does not know the client: it asks again.
            let other = asking(&site, &keys, auth.clone());
            let (client, server) = connect(&with, &other, "a.test");
            assert!(!client.is_resumed());
            assert_eq!(server.peer_certificates(), leaf.chain);
        }
        let optional = asking(&site, &keys, ClientAuth::Optional(clients.roots()));
        for attempt in 0..3 {
            let (client, server) = connect(&without, &optional, "a.test");
            assert_eq!(client.is_resumed(), attempt > 0);
            assert!(server.peer_certificates().is_empty());
        }
    }
}

#[test]
fn a_ticket_is_no_way_around_a_certificate() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let clients = Authority::new("client root");
        let keys = TicketKeys::generate().unwrap();
        let client = site.client(version).build().unwrap();
        let required = asking(&site, &keys, ClientAuth::Required(clients.roots()));
        for laxer in [ClientAuth::None, ClientAuth::Optional(clients.roots())] {
            let lax = asking(&site, &keys, laxer.clone());
            connect(&client, &lax, "a.test");
            let (mut client, mut server) = ends(&client, &required, "a.test");
            let outcome = handshake(&mut client, &mut server);
            assert!(outcome.server.is_err(), "{version} {laxer:?}");
            assert!(!server.is_resumed());
        }
        // Nor is one for a client of another authority.
        let others = Authority::new("other client root");
        let identity = others.leaf(&["client.test"]).certified();
        let client = site.client(version).client_identity(identity);
        let client = client.build().unwrap();
        let other = asking(&site, &keys, ClientAuth::Required(others.roots()));
        connect(&client, &other, "a.test");
        let (mut client, mut server) = ends(&client, &required, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(outcome.server.is_err(), "{version}");
        // And what the application says differs.
        let bound = |context: &str| {
            let resumption = ServerResumption::tickets(keys.clone()).bind_to(context);
            site.server.clone().resumption(resumption).build().unwrap()
        };
        let client = site.client(version).build().unwrap();
        connect(&client, &bound("one"), "a.test");
        let (resumed, _) = connect(&client, &bound("one"), "a.test");
        assert!(resumed.is_resumed());
        let (resumed, _) = connect(&client, &bound("other"), "a.test");
        assert!(!resumed.is_resumed());
    }
}

#[test]
fn session_ids_resume_without_tickets() {
    let site = Site::new(&["a.test"]);
    let clients = Authority::new("client root");
    let leaf = clients.leaf(&["client.test"]);
    let store = Arc::new(InMemoryServerSessions::new(100));
    let resumption = || ServerResumption::disabled().session_ids(Arc::clone(&store));
    let client = site.client(ProtocolVersion::TLSv1_2);
    let client = client.client_identity(leaf.certified()).build().unwrap();
    let server = |auth| {
        let builder = site.server.clone().resumption(resumption());
        builder.client_auth(auth).build().unwrap()
    };
    let asking = server(ClientAuth::Required(clients.roots()));
    let (first, _) = connect(&client, &asking, "a.test");
    assert!(!first.is_resumed());
    for _ in 0..3 {
        let (client, server) = connect(&client, &asking, "a.test");
        assert!(client.is_resumed());
        assert_eq!(client.peer_certificates(), first.peer_certificates());
        assert_eq!(server.peer_certificates(), leaf.chain);
    }
    // As in another process, and in one that asks for something else.
    let same = server(ClientAuth::Required(clients.roots()));
    assert!(connect(&client, &same, "a.test").0.is_resumed());
    let lax = server(ClientAuth::None);
    assert!(!connect(&client, &lax, "a.test").0.is_resumed());
    assert!(connect(&client, &lax, "a.test").0.is_resumed());
    // What was kept for the lax one is not good for the other.
    let (client, server) = connect(&client, &asking, "a.test");
    assert!(!client.is_resumed());
    assert_eq!(server.peer_certificates(), leaf.chain);
}

#[test]
fn session_ids_and_tickets_go_together() {
    let site = Site::new(&["a.test"]);
    /// Counts what it is asked.
    #[derive(Default)]
    struct Counting {
        put: AtomicUsize,
        got: AtomicUsize,
    }
    impl ServerSessionStore for Counting {
        fn put(&self, _: &[u8], _: Vec<u8>, _: Duration) {
            self.put.fetch_add(1, Ordering::Relaxed);
        }

        fn get(&self, _: &[u8]) -> Option<Vec<u8>> {
            self.got.fetch_add(1, Ordering::Relaxed);
            None
        }
    }
    let store = Arc::new(Counting::default());
    let resumption = ServerResumption::default().session_ids(Arc::clone(&store));
    let server = site.server.clone().resumption(resumption).build().unwrap();
    for version in VERSIONS {
        let client = site.client(version).build().unwrap();
        for attempt in 0..3 {
            let (client, _) = connect(&client, &server, "a.test");
            assert_eq!(client.is_resumed(), attempt > 0, "{version}");
        }
    }
    // Clients with tickets need no store.
    assert_eq!(store.put.load(Ordering::Relaxed), 0);
    assert_eq!(store.got.load(Ordering::Relaxed), 0);
}

#[test]
fn a_panic_in_a_store_reaches_the_caller_and_ends_the_connection() {
    struct Broken;
    impl ServerSessionStore for Broken {
        fn put(&self, _: &[u8], _: Vec<u8>, _: Duration) {
            panic!("the store is broken");
        }

        fn get(&self, _: &[u8]) -> Option<Vec<u8>> {
            None
        }
    }
    let site = Site::new(&["a.test"]);
    let resumption = ServerResumption::disabled().session_ids(Broken);
    let server = site.server.clone().resumption(resumption).build().unwrap();
    let client = site.client(ProtocolVersion::TLSv1_2).build().unwrap();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        handshake(&mut client, &mut server)
    }))
    .unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"the store is broken"));
    assert!(matches!(
        server.process(&mut &[][..], &mut Vec::new()),
        Err(Error::CallbackPanicked)
    ));
}

/// S11: sixteen threads, ten thousand connections, one cache on each side.
#[test]
fn many_threads_resume_at_once() {
    let site = Site::new(&["a.test"]);
    let store = Arc::new(InMemoryServerSessions::new(50));
    let with_ids = ServerResumption::disabled().session_ids(store);
    let ids = site.server.clone().resumption(with_ids).build().unwrap();
    let tickets = site.server.clone().build().unwrap();
    let resumed = AtomicUsize::new(0);
    let clients = || VERSIONS.map(|version| site.client(version).build().unwrap());
    // A name stands for one kind of server: wolfSSL's client takes it ill when a server that
    // knows nothing of its ticket answers with a session id.
    let (of_tickets, of_ids) = (clients(), clients());
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let resumed = &resumed;
            let (clients, server) = match thread {
                0..12 => (&of_tickets, &tickets),
                _ => (&of_ids, &ids),
            };
            scope.spawn(move || {
                for round in 0..625 {
                    let client = &clients[(thread + round) % 2];
                    let (client, _) = connect(client, server, "a.test");
                    resumed.fetch_add(usize::from(client.is_resumed()), Ordering::Relaxed);
                }
            });
        }
    });
    // Twelve of the threads have tickets in both versions.
    let resumed = resumed.load(Ordering::Relaxed);
    assert!(resumed > 6000, "{resumed}");
}

#[test]
fn stores_of_ones_own_decide_what_is_kept() {
    #[derive(Default)]
    struct Book {
        sessions: Mutex<Vec<(SessionKey, Vec<u8>)>>,
    }
    impl ClientSessionStore for Book {
        fn insert(&self, key: &SessionKey, session: SessionTicket) {
            let bytes = session.to_bytes().to_vec();
            self.sessions.lock().unwrap().push((*key, bytes));
        }

        fn take(&self, key: &SessionKey) -> Option<SessionTicket> {
            let mut sessions = self.sessions.lock().unwrap();
            let at = sessions.iter().rposition(|(of, _)| of == key)?;
            SessionTicket::from_bytes(&sessions.remove(at).1).ok()
        }
    }
    for version in VERSIONS {
        let site = Site::new(&["a.test", "b.test"]);
        let server = site.server.clone().build().unwrap();
        let book = Arc::new(Book::default());
        let client = site
            .client(version)
            .resumption(Resumption::store(Arc::clone(&book)))
            .build()
            .unwrap();
        connect(&client, &server, "a.test");
        assert!(connect(&client, &server, "a.test").0.is_resumed());
        assert!(!connect(&client, &server, "b.test").0.is_resumed());
        let keys: std::collections::BTreeSet<_> = book
            .sessions
            .lock()
            .unwrap()
            .iter()
            .map(|(key, _)| *key)
            .collect();
        assert_eq!(keys.len(), 2, "one for each name");
    }
}
