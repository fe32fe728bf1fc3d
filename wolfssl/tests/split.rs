//! Connections whose halves are used from two threads.

mod support;

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use support::{configs, connected, receive};
use wolfssl::{
    ClientConnection, Error, ReadHalf, ServerConnection, SharedTransport, StreamOwned, WriteHalf,
    server_name, split,
};

type OverTcp<C> = StreamOwned<C, TcpStream>;
type Reader<C> = ReadHalf<C, SharedTransport<TcpStream>, SharedTransport<TcpStream>>;
type Writer<C> = WriteHalf<C, SharedTransport<TcpStream>>;

fn over_tcp() -> (OverTcp<ClientConnection>, OverTcp<ServerConnection>) {
    let (client, server) = configs();
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let accepting =
        thread::spawn(move || StreamOwned::accept(&server, listener.accept().unwrap().0).unwrap());
    let tcp = TcpStream::connect(address).unwrap();
    let client = StreamOwned::connect(&client, server_name("a.test").unwrap(), tcp).unwrap();
    (client, accepting.join().unwrap())
}

/// The result of `work`, which may not take longer than any working machine needs.
fn bounded<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(work()));
    receiver
        .recv_timeout(Duration::from_secs(120))
        .expect("it ends, and does not panic")
}

const VOLUME: usize = 64 << 20;
const PRIME: usize = 65_521;

/// Data that differs wherever a piece is missing, doubled or moved.
fn pattern(salt: usize) -> Vec<u8> {
    (0..PRIME)
        .map(|at| (at * 31 + at / 7 + salt) as u8)
        .collect()
}

fn send_volume<C>(writer: &mut Writer<C>, salt: usize)
where
    C: std::ops::DerefMut<Target = wolfssl::ConnectionCommon>,
{
    let pattern = pattern(salt);
    let mut left = VOLUME;
    while left > 0 {
        let count = left.min(PRIME);
        writer.write_all(&pattern[..count]).unwrap();
        left -= count;
    }
    writer.shutdown().unwrap();
}

fn receive_volume<C>(reader: &mut Reader<C>, salt: usize)
where
    C: std::ops::DerefMut<Target = wolfssl::ConnectionCommon>,
{
    let pattern = pattern(salt);
    let mut buffer = vec![0; 100_000];
    let mut total = 0;
    loop {
        let count = reader.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        let mut piece = &buffer[..count];
        while !piece.is_empty() {
            let at = total % PRIME;
            let same = piece.len().min(PRIME - at);
            assert!(piece[..same] == pattern[at..at + same], "at {total}");
            piece = &piece[same..];
            total += same;
        }
    }
    assert_eq!(total, VOLUME);
}

#[test]
fn much_data_both_ways_at_once_with_key_updates_on_the_way() {
    bounded(|| {
        let (client, server) = over_tcp();
        let (mut client_read, mut client_write) = client.split();
        let (mut server_read, mut server_write) = server.split();
        thread::scope(|scope| {
            scope.spawn(|| {
                // The peer has to answer while both directions are busy.
                for _ in 0..20 {
                    client_write.write_all(b"").unwrap();
                    client_write
                        .with_output(|connection, output| connection.update_keys(output))
                        .unwrap();
                    client_write.flush().unwrap();
                    thread::sleep(Duration::from_millis(2));
                }
                send_volume(&mut client_write, 1);
            });
            scope.spawn(|| send_volume(&mut server_write, 2));
            scope.spawn(|| receive_volume(&mut client_read, 2));
            scope.spawn(|| receive_volume(&mut server_read, 1));
        });
    });
}

#[test]
fn a_half_that_is_shut_down_leaves_the_other_reading() {
    bounded(|| {
        let (client, mut server) = over_tcp();
        let (mut read, mut write) = client.split();
        write.write_all(b"question").unwrap();
        write.shutdown().unwrap();
        write
            .with_transport(|tcp| tcp.get_ref().shutdown(Shutdown::Write))
            .unwrap();
        assert_eq!(write.write(b"x").unwrap_err().kind(), ErrorKind::BrokenPipe);
        let mut question = String::new();
        server.read_to_string(&mut question).unwrap();
        assert_eq!(question, "question");
        server.write_all(&[8; 200_000]).unwrap();
        server.shutdown().unwrap();
        let mut answer = Vec::new();
        read.read_to_end(&mut answer).unwrap();
        assert_eq!(answer, [8; 200_000]);
    });
}

#[test]
fn halves_are_dropped_in_any_order_and_thread() {
    for reader_first in [true, false] {
        for in_threads in [true, false] {
            bounded(move || {
                let (client, mut server) = over_tcp();
                let (mut read, mut write) = client.split();
                write.write_all(b"to the server").unwrap();
                server.write_all(b"to the client").unwrap();
                let mut data = [0; 13];
                server.read_exact(&mut data).unwrap();
                match (in_threads, reader_first) {
                    (true, _) => {
                        let first = thread::spawn(move || drop(read));
                        let second = thread::spawn(move || drop(write));
                        first.join().unwrap();
                        second.join().unwrap();
                    }
                    (false, true) => {
                        drop(read);
                        write.write_all(b"still writing").unwrap();
                        server.read_exact(&mut data).unwrap();
                        assert_eq!(&data, b"still writing");
                        drop(write);
                    }
                    (false, false) => {
                        drop(write);
                        read.read_exact(&mut data).unwrap();
                        assert_eq!(&data, b"to the client");
                        drop(read);
                    }
                }
                let end = server.read(&mut data).unwrap_err();
                let kinds = [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset];
                assert!(kinds.contains(&end.kind()), "{end}");
            });
        }
    }
}

#[test]
fn a_blocked_reader_does_not_hold_up_the_writer() {
    bounded(|| {
        let (client, mut server) = over_tcp();
        let (mut read, mut write) = client.split();
        let reading = thread::spawn(move || {
            let mut answer = [0; 6];
            read.read_exact(&mut answer).map(|()| answer)
        });
        thread::sleep(Duration::from_millis(20)); // so that it waits, most likely
        write.write_all(&[4; 300_000]).unwrap();
        let mut data = vec![0; 300_000];
        server.read_exact(&mut data).unwrap();
        server.write_all(b"answer").unwrap();
        assert_eq!(&reading.join().unwrap().unwrap(), b"answer");
    });
}

#[test]
fn halves_can_be_put_together_again_and_those_of_others_not() {
    bounded(|| {
        let (client, mut server) = over_tcp();
        let (other, _other_server) = over_tcp();
        let (read, write) = client.split();
        let (other_read, other_write) = other.split();
        let (read, _) = read.reunite(other_write).unwrap_err();
        assert!(read.with_connection(|connection| !connection.is_handshaking()));
        let (connection, transport, same) = read.reunite(write).unwrap();
        drop((same, other_read));
        let mut client = StreamOwned::new(connection, transport);
        client.write_all(b"whole").unwrap();
        let mut data = [0; 5];
        server.read_exact(&mut data).unwrap();
        assert_eq!(&data, b"whole");
    });
}

/// Takes so many bytes before it would block, breaks or panics.
struct Sink {
    taken: Vec<u8>,
    room: usize,
    then: Then,
}

enum Then {
    Block,
    Break,
    Panic,
}

impl Write for Sink {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.room == 0 {
            return match self.then {
                Then::Block => Err(ErrorKind::WouldBlock.into()),
                Then::Break => Err(ErrorKind::ConnectionReset.into()),
                Then::Panic => panic!("the transport's"),
            };
        }
        let count = data.len().min(self.room);
        self.room -= count;
        self.taken.extend_from_slice(&data[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn sink(room: usize, then: Then) -> Sink {
    Sink {
        taken: Vec::new(),
        room,
        then,
    }
}

#[test]
fn a_writer_that_would_block_loses_nothing_and_accepts_nothing_more() {
    let (client, mut server) = connected();
    let (_read, mut write) = split(client, io::empty(), sink(3, Then::Block));
    assert_eq!(write.write(b"AAAA").unwrap(), 4);
    let error = write.write(b"BBBB").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    for _ in 0..5 {
        let error = write.shutdown().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
    }
    let wire = write.with_transport(|sink| {
        sink.room = usize::MAX;
        std::mem::take(&mut sink.taken)
    });
    write.shutdown().unwrap();
    let rest = write.with_transport(|sink| std::mem::take(&mut sink.taken));
    let received = receive(&mut server, &[wire, rest].concat());
    assert_eq!(received.unwrap(), b"AAAA");
    assert!(server.peer_has_closed());
}

#[test]
fn the_reader_passes_a_failed_reply_to_the_writer_and_goes_on() {
    let (client, mut server) = connected();
    let mut wire = Vec::new();
    server.update_keys(&mut wire).unwrap();
    server.write(b"data", &mut wire).unwrap();
    let (mut read, mut write) = split(client, io::Cursor::new(wire), sink(0, Then::Break));
    let mut data = [0; 4];
    read.read_exact(&mut data).unwrap();
    assert_eq!(&data, b"data");
    let error = write.write(b"x").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
}

#[test]
fn a_transport_that_panics_does_not_lock_the_other_half_out() {
    bounded(|| {
        let (client, mut server) = connected();
        let mut wire = Vec::new();
        server.write(b"data", &mut wire).unwrap();
        let (mut read, mut write) = split(client, io::Cursor::new(wire), sink(2, Then::Panic));
        let panicked = thread::spawn(move || write.write(b"AAAA")).join();
        let payload = panicked.unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"the transport's"));
        let mut data = [0; 4];
        // What the writer left is the reader's to send; its transport panics once more.
        let read = thread::spawn(move || read.read_exact(&mut data).map(|()| data)).join();
        assert!(read.is_err_and(|payload| payload.is::<&str>()));
    });
}

#[test]
fn an_end_without_close_notify_is_a_truncation_and_does_not_spin() {
    let (client, _server) = connected();
    let (mut read, mut write) = split(client, io::empty(), sink(0, Then::Block));
    for _ in 0..3 {
        let error = read.read(&mut [0; 8]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    }
    assert!(matches!(
        Error::from(write.write(b"x").unwrap_err()),
        Error::Truncated
    ));
}

#[test]
fn halves_are_sent_to_threads() {
    fn send<T: Send + 'static>() {}
    send::<Reader<ClientConnection>>();
    send::<Writer<ServerConnection>>();
}
