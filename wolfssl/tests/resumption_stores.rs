//! Resumption as servers and stores see it: client certificates, session ids, stores of one's
//! own, many threads.

#[path = "support/site.rs"]
mod site;
mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use site::{Site, VERSIONS, connect};
use support::{Authority, ends, handshake};
use wolfssl::{
    ClientAuth, ClientSessionStore, Error, InMemoryServerSessions, ProtocolVersion, Resumption,
    ServerConfig, ServerResumption, ServerSessionStore, SessionKey, SessionTicket, TicketKeys,
};

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
