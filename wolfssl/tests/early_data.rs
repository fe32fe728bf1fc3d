//! Early data in memory: taken, answered before the handshake is over, left unread, replayed.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use support::{Authority, handshake, receive};
use wolfssl::{
    AntiReplay, ClientConfig, ClientConfigBuilder, ClientConnection, ConfigError, Error,
    NamedGroup, ProtocolVersion, Resumption, ServerConfig, ServerConfigBuilder, ServerConnection,
    ServerResumption, SessionTicket, Status, StreamOwned, StrikeRegister, TicketKeys, TicketSecret,
    server_name,
};

const NAME: &str = "a.test";
const LIMIT: u32 = 16 * 1024;

struct Site {
    authority: Authority,
    server: ServerConfigBuilder,
    keys: TicketKeys,
}

impl Site {
    fn new() -> Self {
        let authority = Authority::new("root");
        let keys = TicketKeys::new(TicketSecret::new([1; 32]), []).unwrap();
        let server = ServerConfig::builder()
            .identity(authority.leaf(&[NAME]).certified())
            .resumption(ServerResumption::tickets(keys.clone()))
            .max_early_data(LIMIT);
        Self {
            authority,
            server,
            keys,
        }
    }

    fn client(&self) -> ClientConfigBuilder {
        ClientConfig::builder()
            .roots(self.authority.roots())
            .resumption(Resumption::manual())
            .enable_early_data(true)
    }
}

/// Early data is taken of tickets that are younger than the configuration, in milliseconds.
fn build(server: ServerConfigBuilder) -> ServerConfig {
    let server = server.build().unwrap();
    std::thread::sleep(Duration::from_millis(2));
    server
}

/// The session of a connection without early data.
fn session(client: &ClientConfig, server: &ServerConfig) -> SessionTicket {
    let mut client = ClientConnection::new(client, server_name(NAME).unwrap()).unwrap();
    assert!(client.early_data().is_none());
    let mut server = ServerConnection::new(server).unwrap();
    let outcome = handshake(&mut client, &mut server);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert!(!client.is_early_data_accepted() && !server.is_early_data_accepted());
    assert_eq!(server.read_early_data(&mut [0; 10]).unwrap(), 0);
    client.take_session().unwrap()
}

fn resuming(client: &ClientConfig, session: SessionTicket) -> ClientConnection {
    ClientConnection::with_session(client, server_name(NAME).unwrap(), session).unwrap()
}

/// A first flight with early data in it.
fn early(client: &mut ClientConnection, data: &[u8]) -> Vec<u8> {
    let mut flight = Vec::new();
    let mut writer = client.early_data().expect("the server takes early data");
    assert_eq!(writer.write(data, &mut flight).unwrap(), data.len());
    flight
}

/// All early data that is there.
fn read_all(server: &mut ServerConnection) -> Vec<u8> {
    let mut data = Vec::new();
    let mut buffer = [0; 1000];
    while let Ok(count @ 1..) = server.read_early_data(&mut buffer) {
        data.extend_from_slice(&buffer[..count]);
    }
    data
}

/// Feeds a first flight to a server until it wants more.
fn feed(server: &mut ServerConnection, flight: &[u8], output: &mut Vec<u8>) {
    let mut rest = flight;
    while server.process(&mut rest, output).unwrap() != Status::WantsInput {}
}

/// Completes a handshake whose first flight the server has had, and sends data both ways.
fn finish(client: &mut ClientConnection, server: &mut ServerConnection, mut to_client: Vec<u8>) {
    let mut to_server = Vec::new();
    for _ in 0..3 {
        let mut rest = to_client.as_slice();
        while client.process(&mut rest, &mut to_server).unwrap() != Status::WantsInput {}
        to_client.clear();
        feed(server, &to_server, &mut to_client);
        to_server.clear();
    }
    assert!(!client.is_handshaking() && !server.is_handshaking());
    client.write(b"ordinary data", &mut to_server).unwrap();
    assert_eq!(receive(server, &to_server).unwrap(), b"ordinary data");
    to_client.clear();
    server.write(b"ordinary answer", &mut to_client).unwrap();
    assert_eq!(receive(client, &to_client).unwrap(), b"ordinary answer");
}

#[test]
fn early_data_is_read_and_answered_before_the_handshake_is_over() {
    let site = Site::new();
    let (client, server) = (site.client().build().unwrap(), build(site.server));
    let mut next = session(&client, &server);
    assert_eq!(next.max_early_data(), LIMIT);
    for size in [1, 5000, LIMIT as usize] {
        let request = vec![b'r'; size];
        let mut client = resuming(&client, next);
        assert_eq!(client.early_data().unwrap().remaining(), LIMIT as usize);
        let flight = early(&mut client, &request);
        assert!(!client.is_early_data_accepted());
        let mut server = ServerConnection::new(&server).unwrap();
        assert!(matches!(
            server.read_early_data(&mut [0; 10]),
            Err(Error::WantsInput)
        ));
        let mut answer = Vec::new();
        let mut rest = flight.as_slice();
        let mut read = Vec::new();
        let mut told = false;
        loop {
            match server.process(&mut rest, &mut answer).unwrap() {
                Status::EarlyDataReady => {
                    told = true;
                    read.extend(read_all(&mut server));
                }
                Status::WantsInput => break,
                other => panic!("{other:?}"),
            }
        }
        assert!(told && read == request, "{size}");
        assert!(server.is_early_data_accepted() && server.is_handshaking());
        // Ordinary data is not there yet, an answer can be written.
        assert!(matches!(server.read(&mut [0; 10]), Err(Error::WantsInput)));
        server.write(b"early answer", &mut answer).unwrap();

        let mut rest_of_handshake = Vec::new();
        let mut input = answer.as_slice();
        assert_eq!(
            client.process(&mut input, &mut rest_of_handshake).unwrap(),
            Status::HandshakeComplete
        );
        assert!(client.is_resumed() && client.is_early_data_accepted());
        assert!(client.early_data().is_none());
        assert_eq!(receive(&mut client, input).unwrap(), b"early answer");
        let mut tickets = Vec::new();
        feed(&mut server, &rest_of_handshake, &mut tickets);
        assert!(!server.is_handshaking() && server.is_resumed());
        assert!(server.is_early_data_accepted());
        assert_eq!(server.read_early_data(&mut [0; 10]).unwrap(), 0);
        finish(&mut client, &mut server, tickets);
        next = client.take_session().unwrap();
    }
}

#[test]
fn early_data_comes_in_pieces_of_any_size() {
    let site = Site::new();
    let (client, server) = (site.client().build().unwrap(), build(site.server));
    let request: Vec<u8> = (0..9000).map(|i| i as u8).collect();
    for piece in [1, 7, 1000] {
        let mut client = resuming(&client, session(&client, &server));
        let mut flight = Vec::new();
        for part in request.chunks(3000) {
            let mut writer = client.early_data().unwrap();
            assert_eq!(writer.write(part, &mut flight).unwrap(), part.len());
        }
        let mut server = ServerConnection::new(&server).unwrap();
        let (mut answer, mut read) = (Vec::new(), Vec::new());
        for part in flight.chunks(piece) {
            feed(&mut server, part, &mut answer);
            read.extend(read_all(&mut server));
        }
        assert!(read == request, "{piece}");
        // The client's end of the handshake in pieces as well.
        let mut rest_of_handshake = Vec::new();
        client
            .process(&mut answer.as_slice(), &mut rest_of_handshake)
            .unwrap();
        let mut tickets = Vec::new();
        for part in rest_of_handshake.chunks(piece) {
            feed(&mut server, part, &mut tickets);
        }
        assert!(!server.is_handshaking());
        finish(&mut client, &mut server, tickets);
    }
}

#[test]
fn nothing_is_early_unless_both_sides_ask_for_it() {
    let site = Site::new();
    let server = build(site.server.clone());
    let without = site.server.clone().max_early_data(0).build().unwrap();
    let client = site.client().build().unwrap();
    let unwilling = site.client().enable_early_data(false).build().unwrap();
    let mut connection = resuming(&unwilling, session(&unwilling, &server));
    assert!(connection.early_data().is_none());
    let ticket = session(&client, &without);
    assert_eq!(ticket.max_early_data(), 0);
    assert!(resuming(&client, ticket).early_data().is_none());
    // And TLS 1.2 has none.
    let old = site
        .client()
        .versions(&[ProtocolVersion::TLSv1_2])
        .build()
        .unwrap();
    let ticket = session(&old, &server);
    assert!(resuming(&old, ticket).early_data().is_none());
    // A resumed connection that writes none is an ordinary one.
    let mut connection = resuming(&client, session(&client, &server));
    let mut server = ServerConnection::new(&server).unwrap();
    assert!(handshake(&mut connection, &mut server).is_ok());
    assert!(connection.is_resumed() && !connection.is_early_data_accepted());
    assert!(!server.is_early_data_accepted());
    assert_eq!(server.read_early_data(&mut [0; 10]).unwrap(), 0);
    finish(&mut connection, &mut server, Vec::new());
}

#[test]
fn early_data_needs_resumption() {
    let site = Site::new();
    let client = site.client().resumption(Resumption::disabled());
    let server = site.server.resumption(ServerResumption::disabled());
    for error in [client.build().unwrap_err(), server.build().unwrap_err()] {
        assert!(
            matches!(error, Error::Config(ConfigError::EarlyData { .. })),
            "{error}"
        );
    }
}

#[test]
fn no_more_is_written_than_the_server_takes() {
    let site = Site::new();
    let client = site.client().build().unwrap();
    let server = build(site.server.clone().max_early_data(100));
    let mut connection = resuming(&client, session(&client, &server));
    let mut flight = Vec::new();
    let mut writer = connection.early_data().unwrap();
    assert_eq!(writer.write(&[1; 60], &mut flight).unwrap(), 60);
    assert_eq!(writer.remaining(), 40);
    assert_eq!(writer.write(&[2; 60], &mut flight).unwrap(), 40);
    assert!(connection.early_data().is_none());
    let mut server = ServerConnection::new(&server).unwrap();
    let mut answer = Vec::new();
    feed(&mut server, &flight, &mut answer);
    let read = read_all(&mut server);
    assert_eq!(read, [[1; 60].as_slice(), &[2; 40]].concat());
    finish(&mut connection, &mut server, answer);
}

/// The early data of a client with a session of `issuer` is left unread by `server`; whether
/// the session is resumed.
fn left_unread(client: &ClientConfig, issuer: &ServerConfig, server: &ServerConfig) -> bool {
    let mut resumed = Vec::new();
    for size in [1, 300, LIMIT as usize] {
        let mut client = resuming(client, session(client, issuer));
        let flight = early(&mut client, &vec![7; size]);
        let mut server = ServerConnection::new(server).unwrap();
        let mut answer = Vec::new();
        feed(&mut server, &flight, &mut answer);
        assert!(read_all(&mut server).is_empty());
        assert!(!server.is_early_data_accepted());
        // Nothing is written early to a client that nothing was read of.
        assert!(matches!(
            server.write(b"too early", &mut Vec::new()),
            Err(Error::HandshakeNotComplete)
        ));
        finish(&mut client, &mut server, answer);
        assert!(!client.is_early_data_accepted());
        resumed.push(client.is_resumed());
    }
    assert!(resumed.iter().all(|one| *one == resumed[0]));
    resumed[0]
}

#[test]
fn servers_that_cannot_or_will_not_read_it_go_on_without() {
    let site = Site::new();
    let client = site.client().build().unwrap();
    let issuer = build(site.server.clone());
    let new_keys = ServerResumption::default();
    let with = |resumption: ServerResumption, bytes| {
        let builder = site.server.clone().resumption(resumption);
        builder.max_early_data(bytes).build().unwrap()
    };
    let same_keys = || ServerResumption::tickets(site.keys.clone());
    for server in [
        with(new_keys.clone(), LIMIT), // restarted
        with(new_keys, 0),
        with(ServerResumption::disabled(), 0),
        with(same_keys(), 0),
        with(same_keys(), LIMIT - 1), // takes less than it once did
    ] {
        assert!(!left_unread(&client, &issuer, &server));
    }
    // Asks for another key share first: new keys, and the same.
    let two_groups = site
        .client()
        .groups(&[NamedGroup::X25519, NamedGroup::secp384r1])
        .build()
        .unwrap();
    for (resumption, resumed) in [(ServerResumption::default(), false), (same_keys(), true)] {
        let builder = site.server.clone().resumption(resumption);
        let choosy = build(builder.groups(&[NamedGroup::secp384r1]));
        assert_eq!(left_unread(&two_groups, &issuer, &choosy), resumed);
    }
}

#[test]
fn a_server_that_was_built_after_the_ticket_leaves_it_unread() {
    let site = Site::new();
    let client = site.client().build().unwrap();
    let before = build(site.server.clone());
    let ticket = session(&client, &before);
    std::thread::sleep(Duration::from_millis(20));
    let after = site.server.clone().build().unwrap();
    let attempt = |server: &ServerConfig| {
        let mut client = resuming(&client, ticket.clone());
        let flight = early(&mut client, b"from before");
        let mut server = ServerConnection::new(server).unwrap();
        let mut answer = Vec::new();
        feed(&mut server, &flight, &mut answer);
        let read = read_all(&mut server);
        finish(&mut client, &mut server, answer);
        assert_eq!(client.is_early_data_accepted(), !read.is_empty());
        assert_eq!(client.is_resumed(), !read.is_empty());
        read
    };
    assert_eq!(attempt(&after), b"");
    // Unless what remembers replays is older than the server.
    struct Lasting;
    impl AntiReplay for Lasting {
        fn first_use(&self, _: &[u8], _: Duration) -> bool {
            true
        }

        fn outlives_configuration(&self) -> bool {
            true
        }
    }
    let lasting = site.server.clone().anti_replay(Lasting).build().unwrap();
    assert_eq!(attempt(&lasting), b"from before");
}

#[test]
fn a_replay_is_left_unread() {
    let site = Site::new();
    let client = site.client().build().unwrap();
    let register = Arc::new(StrikeRegister::default());
    let server = |register: &Arc<StrikeRegister>| {
        let builder = site.server.clone().anti_replay(Arc::clone(register));
        build(builder)
    };
    // Two servers that share keys and register.
    let (one, other) = (server(&register), server(&register));
    let mut connection = resuming(&client, session(&client, &one));
    let flight = early(&mut connection, b"only once");
    let mut reads = Vec::new();
    for config in [&one, &one, &other] {
        let mut server = ServerConnection::new(config).unwrap();
        let mut answer = Vec::new();
        feed(&mut server, &flight, &mut answer);
        reads.push(read_all(&mut server));
        assert_eq!(server.is_early_data_accepted(), reads.len() == 1);
    }
    assert_eq!(reads, [&b"only once"[..], b"", b""]);
}

#[test]
fn whoever_decides_about_replays_is_asked_once_and_heard() {
    struct Judge {
        says: bool,
        asked: AtomicUsize,
    }
    impl AntiReplay for Judge {
        fn first_use(&self, ticket: &[u8], remember_for: Duration) -> bool {
            assert_eq!(ticket.len(), 32);
            assert!(remember_for >= Duration::from_secs(12));
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.says
        }
    }
    let site = Site::new();
    let client = site.client().build().unwrap();
    for says in [true, false] {
        let judge = Arc::new(Judge {
            says,
            asked: AtomicUsize::new(0),
        });
        let builder = site.server.clone().anti_replay(Arc::clone(&judge));
        let server = build(builder);
        // Not for a hello without early data.
        let mut connection = resuming(&client, session(&client, &server));
        assert!(
            handshake(
                &mut connection,
                &mut ServerConnection::new(&server).unwrap()
            )
            .is_ok()
        );
        assert_eq!(judge.asked.load(Ordering::Relaxed), 0);
        let mut connection = resuming(&client, session(&client, &server));
        let flight = early(&mut connection, b"please");
        let mut server = ServerConnection::new(&server).unwrap();
        let mut answer = Vec::new();
        feed(&mut server, &flight, &mut answer);
        assert_eq!(judge.asked.load(Ordering::Relaxed), 1);
        assert_eq!(read_all(&mut server).is_empty(), !says);
        finish(&mut connection, &mut server, answer);
        assert_eq!(connection.is_early_data_accepted(), says);
        // What may be a replay is not even resumed.
        assert_eq!(connection.is_resumed(), says);
    }
}

#[test]
fn a_panic_in_the_decision_reaches_the_caller_and_ends_the_connection() {
    struct Panics(AtomicBool);
    impl AntiReplay for Panics {
        fn first_use(&self, _: &[u8], _: Duration) -> bool {
            assert!(self.0.load(Ordering::Relaxed), "the register is broken");
            true
        }
    }
    let site = Site::new();
    let client = site.client().build().unwrap();
    let builder = site.server.clone();
    let server = builder.anti_replay(Panics(AtomicBool::new(false)));
    let server = build(server);
    let mut connection = resuming(&client, session(&client, &server));
    let flight = early(&mut connection, b"data");
    let mut server = ServerConnection::new(&server).unwrap();
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| {
        server.process(&mut flight.as_slice(), &mut Vec::new())
    }))
    .unwrap_err();
    assert_eq!(
        panic.downcast_ref::<&str>(),
        Some(&"the register is broken")
    );
    assert!(matches!(
        server.process(&mut &[][..], &mut Vec::new()),
        Err(Error::CallbackPanicked)
    ));
}

#[test]
fn early_data_of_another_protocol_is_left_unread() {
    let site = Site::new();
    let client = site.client().alpn(["one", "two"]).build().unwrap();
    let one = build(site.server.clone().alpn(["one"]));
    let two = site.server.clone().alpn(["two"]).build().unwrap();
    let mut connection = resuming(&client, session(&client, &one));
    let flight = early(&mut connection, b"in protocol one");
    let mut server = ServerConnection::new(&two).unwrap();
    let mut answer = Vec::new();
    feed(&mut server, &flight, &mut answer);
    assert!(read_all(&mut server).is_empty());
    finish(&mut connection, &mut server, answer);
    assert!(!connection.is_resumed() && !connection.is_early_data_accepted());
    assert_eq!(connection.negotiated_alpn().as_deref(), Some(&b"two"[..]));
}

#[test]
fn streams_send_read_and_answer_it() {
    let site = Site::new();
    let client = site
        .client()
        .resumption(Resumption::in_memory(4))
        .build()
        .unwrap();
    let server = build(site.server);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serving = std::thread::spawn(move || {
        for round in 0..3 {
            let (tcp, _) = listener.accept().unwrap();
            let connection = ServerConnection::new(&server).unwrap();
            let mut tls = StreamOwned::new(connection, tcp);
            let mut early = [0; 100];
            let count = tls.read_early_data(&mut early).unwrap();
            if count > 0 {
                assert!(tls.connection().is_handshaking());
                tls.answer_early_data(b"early: ").unwrap();
            }
            assert_eq!(count > 0, round > 0);
            let mut request = early[..count].to_vec();
            let mut buffer = [0; 100];
            while !request.ends_with(b"\n") {
                let count = tls.read(&mut buffer).unwrap();
                request.extend_from_slice(&buffer[..count]);
            }
            assert_eq!(tls.read_early_data(&mut early).unwrap(), 0);
            tls.write_all(&request).unwrap();
            tls.shutdown().unwrap();
        }
    });
    for round in 0..3 {
        let connection = ClientConnection::new(&client, server_name(NAME).unwrap()).unwrap();
        let mut tls = StreamOwned::new(connection, TcpStream::connect(address).unwrap());
        let sent = tls.write_early_data(b"the request").unwrap();
        assert_eq!(sent > 0, round > 0);
        tls.complete_handshake().unwrap();
        assert_eq!(tls.connection().is_early_data_accepted(), round > 0);
        tls.write_all(&b"the request\n"[sent..]).unwrap();
        let mut answer = String::new();
        tls.read_to_string(&mut answer).unwrap();
        let expected = ["the request\n", "early: the request\n"][usize::from(round > 0)];
        assert_eq!(answer, expected);
    }
    serving.join().unwrap();
}

#[test]
fn early_data_to_a_server_that_lost_tls_1_3_is_an_error_on_both_sides() {
    let site = Site::new();
    let client = site.client().build().unwrap();
    let issuer = build(site.server.clone());
    let old = build(site.server.versions(&[ProtocolVersion::TLSv1_2]));
    let mut connection = resuming(&client, session(&client, &issuer));
    let flight = early(&mut connection, b"for TLS 1.3");
    let mut server = ServerConnection::new(&old).unwrap();
    let mut answer = Vec::new();
    let mut rest = flight.as_slice();
    let error = loop {
        match server.process(&mut rest, &mut answer) {
            Ok(Status::WantsInput) => panic!("the server waits"),
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(matches!(error, Error::Handshake { .. }), "{error}");
    let error = connection
        .process(&mut answer.as_slice(), &mut Vec::new())
        .unwrap_err();
    assert!(
        matches!(error, Error::AlertReceived(_) | Error::Handshake { .. }),
        "{error}"
    );
}
