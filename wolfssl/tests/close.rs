//! Ends of connections: truncation, half-close, zero-length reads and writes, and what a
//! transport that blocks, lies or breaks leads to.

mod support;

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};

use support::{configs, connected, ends, handshake, receive};
use wolfssl::{ClientConnection, Error, Status, StreamOwned};

/// A transport under the test's control.
#[derive(Default)]
struct Wire {
    incoming: VecDeque<u8>,
    ended: bool,
    outgoing: Vec<u8>,
    /// How many more bytes it takes before it would block.
    room: usize,
    reads: usize,
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        if self.incoming.is_empty() {
            return if self.ended {
                Ok(0)
            } else {
                Err(ErrorKind::WouldBlock.into())
            };
        }
        self.incoming.read(buffer)
    }
}

impl Write for Wire {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let count = data.len().min(self.room);
        self.room -= count;
        self.outgoing.extend_from_slice(&data[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn client_on_wire(client: ClientConnection, wire: Wire) -> StreamOwned<ClientConnection, Wire> {
    StreamOwned::new(client, wire)
}

#[test]
fn data_then_close_notify_is_a_clean_end() {
    let (client, mut server) = connected();
    let mut wire = Vec::new();
    server.write(b"0123456789", &mut wire).unwrap();
    server.close_notify(&mut wire).unwrap();
    let mut stream = client_on_wire(
        client,
        Wire {
            incoming: wire.into(),
            ended: true,
            ..Wire::default()
        },
    );
    let mut received = Vec::new();
    assert_eq!(stream.read_to_end(&mut received).unwrap(), 10);
    assert_eq!(received, b"0123456789");
    assert_eq!(stream.read(&mut [0; 8]).unwrap(), 0, "and stays an end");
}

#[test]
fn data_then_nothing_is_truncation() {
    for cut in [0, 1, 5, 12] {
        let (client, mut server) = connected();
        let mut wire = Vec::new();
        server.write(b"0123456789", &mut wire).unwrap();
        let whole = wire.len();
        server.write(b"more", &mut wire).unwrap();
        wire.truncate(whole + cut); // between records and in the middle of one
        let mut stream = client_on_wire(
            client,
            Wire {
                incoming: wire.into(),
                ended: true,
                ..Wire::default()
            },
        );
        let mut buffer = [0; 64];
        assert_eq!(stream.read(&mut buffer).unwrap(), 10);
        for _ in 0..2 {
            let error = stream.read(&mut buffer).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "cut {cut}: {error}");
        }
        let error = stream.write(b"x").unwrap_err();
        assert!(matches!(Error::from(error), Error::Truncated));
    }
}

#[test]
fn an_end_in_the_handshake_is_truncation_and_does_not_spin() {
    let (config, _) = configs();
    let client = ClientConnection::new(&config, wolfssl::server_name("a.test").unwrap()).unwrap();
    let wire = Wire {
        ended: true,
        room: usize::MAX,
        ..Wire::default()
    };
    let mut stream = client_on_wire(client, wire);
    for _ in 0..3 {
        let error = stream.complete_handshake().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }
    assert!(stream.get_ref().reads <= 3);
}

#[test]
fn half_close_keeps_reading_and_refuses_writing() {
    let (mut client, mut server) = connected();
    let mut wire = Vec::new();
    client.close_notify(&mut wire).unwrap();
    let once = wire.len();
    client.close_notify(&mut wire).unwrap();
    assert_eq!(
        wire.len(),
        once,
        "one close_notify, however often asked for"
    );
    assert!(matches!(
        client.write(b"x", &mut wire),
        Err(Error::WriteAfterClose)
    ));
    assert_eq!(receive(&mut server, &wire).unwrap(), b"");
    assert!(server.peer_has_closed());
    assert_eq!(server.read(&mut [0; 4]).unwrap(), 0);

    let mut back = Vec::new();
    server.write(b"still here", &mut back).unwrap();
    server.close_notify(&mut back).unwrap();
    assert_eq!(receive(&mut client, &back).unwrap(), b"still here");
    assert!(client.peer_has_closed());
}

#[test]
fn zero_lengths_mean_nothing() {
    let (mut client, mut server) = connected();
    let mut wire = Vec::new();
    client.write(b"", &mut wire).unwrap();
    assert!(wire.is_empty());
    assert!(matches!(server.read(&mut [0; 8]), Err(Error::WantsInput)));
    assert_eq!(server.read(&mut []).unwrap(), 0);
    client.write(b"data", &mut wire).unwrap();
    assert_eq!(receive(&mut server, &wire).unwrap(), b"data");
}

#[test]
fn a_blocked_write_is_not_credited_to_other_data() {
    let (client, mut server) = connected();
    let mut stream = client_on_wire(
        client,
        Wire {
            room: 1,
            ..Wire::default()
        },
    );
    // Sealed and accepted: the first byte of its record is already on the wire.
    assert_eq!(stream.write(b"AAAA").unwrap(), 4);
    // Nothing more is accepted until that record is out.
    assert_eq!(
        stream.write(b"BBBB").unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    assert_eq!(stream.flush().unwrap_err().kind(), ErrorKind::WouldBlock);
    stream.get_mut().room = usize::MAX;
    stream.flush().unwrap();
    assert_eq!(stream.write(b"CCCC").unwrap(), 4);
    let wire = std::mem::take(&mut stream.get_mut().outgoing);
    assert_eq!(receive(&mut server, &wire).unwrap(), b"AAAACCCC");
}

#[test]
fn a_blocked_shutdown_queues_one_close_notify() {
    let (client, mut server) = connected();
    let mut stream = client_on_wire(client, Wire::default());
    for _ in 0..5 {
        assert_eq!(stream.shutdown().unwrap_err().kind(), ErrorKind::WouldBlock);
    }
    stream.get_mut().room = usize::MAX;
    stream.shutdown().unwrap();
    let wire = std::mem::take(&mut stream.get_mut().outgoing);
    let mut rest = wire.as_slice();
    assert_eq!(
        server.process(&mut rest, &mut Vec::new()).unwrap(),
        Status::PeerClosed
    );
    assert!(rest.is_empty(), "one record and no more");
}

#[test]
fn a_transport_that_takes_nothing_is_an_error_not_a_loop() {
    struct Full;
    impl Read for Full {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(ErrorKind::WouldBlock.into())
        }
    }
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Ok(0)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (client, _server) = connected();
    let mut stream = StreamOwned::new(client, Full);
    assert_eq!(
        stream.write(b"data").unwrap_err().kind(),
        ErrorKind::WriteZero
    );
}

#[test]
fn the_transports_own_error_comes_through() {
    struct Reset;
    impl Read for Reset {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::new(
                ErrorKind::ConnectionReset,
                "reset by the test",
            ))
        }
    }
    impl Write for Reset {
        fn write(&mut self, data: &[u8]) -> io::Result<usize> {
            Ok(data.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (client, _server) = connected();
    let mut stream = StreamOwned::new(client, Reset);
    let error = stream.read(&mut [0; 4]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(error.to_string(), "reset by the test");
}

#[test]
fn one_byte_at_a_time_needs_no_more_calls_than_bytes() {
    let (client_config, server_config) = configs();
    let (mut client, mut server) = ends(&client_config, &server_config, "a.test");
    let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
    let mut calls = 0;
    client.process(&mut &[][..], &mut to_server).unwrap();
    while client.is_handshaking() || server.is_handshaking() {
        for byte in std::mem::take(&mut to_server) {
            server
                .process(&mut [byte].as_slice(), &mut to_client)
                .unwrap();
            calls += 1;
        }
        for byte in std::mem::take(&mut to_client) {
            client
                .process(&mut [byte].as_slice(), &mut to_server)
                .unwrap();
            calls += 1;
        }
        assert!(calls < 20_000, "no progress");
    }
    let mut wire = Vec::new();
    server.write(b"data", &mut wire).unwrap();
    let mut received = Vec::new();
    for byte in wire {
        received.extend(receive(&mut client, &[byte]).unwrap());
    }
    assert_eq!(received, b"data");
}

#[test]
fn connections_can_be_moved_between_any_two_steps() {
    let (client_config, server_config) = configs();
    let (client, mut server) = ends(&client_config, &server_config, "a.test");
    drop(client_config);
    let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
    let mut shelf = vec![Box::new(client)];
    for _ in 0..16 {
        let mut client = shelf.pop().unwrap();
        let input = std::mem::take(&mut to_client);
        client
            .process(&mut input.as_slice(), &mut to_server)
            .unwrap();
        // Another allocation, another thread, another address.
        let client = std::thread::spawn(move || Box::new(*client))
            .join()
            .unwrap();
        shelf.reserve(shelf.capacity() + 1);
        shelf.push(client);
        let input = std::mem::take(&mut to_server);
        server
            .process(&mut input.as_slice(), &mut to_client)
            .unwrap();
    }
    let mut client = shelf.pop().unwrap();
    assert!(!client.is_handshaking());
    let mut wire = Vec::new();
    client.write(b"moved", &mut wire).unwrap();
    assert_eq!(receive(&mut server, &wire).unwrap(), b"moved");
}

#[test]
fn application_data_needs_a_complete_handshake() {
    let (client_config, server_config) = configs();
    let (mut client, mut server) = ends(&client_config, &server_config, "a.test");
    assert!(matches!(
        client.write(b"x", &mut Vec::new()),
        Err(Error::HandshakeNotComplete)
    ));
    assert!(matches!(client.read(&mut [0; 1]), Err(Error::WantsInput)));
    assert!(handshake(&mut client, &mut server).is_ok());
    assert!(client.write(b"x", &mut Vec::new()).is_ok());
}

#[test]
fn garbage_is_refused_and_stays_refused() {
    let (_, server_config) = configs();
    let mut server = wolfssl::ServerConnection::new(&server_config).unwrap();
    let mut output = Vec::new();
    let first = server
        .process(&mut b"GET / HTTP/1.1\r\n\r\n".as_slice(), &mut output)
        .unwrap_err();
    let second = server.process(&mut &[][..], &mut output).unwrap_err();
    assert_eq!(first.to_string(), second.to_string());
}
