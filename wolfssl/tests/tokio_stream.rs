//! Poll by poll: an asynchronous stream over a transport that blocks, lies, breaks and ends,
//! by complaints about other TLS streams.
#![cfg(feature = "tokio")]

mod support;

use std::collections::VecDeque;
use std::io::{self, ErrorKind, IoSlice, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use support::{configs, connected, ends, receive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use wolfssl::tokio::TlsStream;
use wolfssl::{ClientConnection, Error, Status};

/// A transport under the test's control that remembers one task for each direction, the last.
#[derive(Default)]
struct Wire {
    incoming: VecDeque<u8>,
    /// The most that one read gives; 0 for no limit.
    read_limit: usize,
    /// Every other read is pending.
    hesitant: bool,
    ended: bool,
    read_error: Option<ErrorKind>,
    outgoing: Vec<u8>,
    /// How many more bytes it takes before it is pending.
    room: usize,
    takes_nothing: bool,
    write_error: Option<ErrorKind>,
    shutdown_error: Option<ErrorKind>,
    reads: usize,
    writes: usize,
    flushes: usize,
    shutdowns: usize,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Wire {
    fn open() -> Self {
        Self {
            room: usize::MAX,
            ..Self::default()
        }
    }

    fn give(bytes: Vec<u8>) -> Self {
        Self {
            incoming: bytes.into(),
            ..Self::open()
        }
    }

    fn make_readable(&mut self, bytes: &[u8]) {
        self.incoming.extend(bytes);
        self.reader.take().into_iter().for_each(Waker::wake);
    }

    fn make_writable(&mut self) {
        self.room = usize::MAX;
        self.writer.take().into_iter().for_each(Waker::wake);
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.reads += 1;
        if let Some(kind) = self.read_error {
            return Poll::Ready(Err(kind.into()));
        }
        let wait = self.hesitant && self.reads % 2 == 1;
        if wait || self.incoming.is_empty() && !self.ended {
            self.reader = Some(context.waker().clone());
            return Poll::Pending;
        }
        let limit = match self.read_limit {
            0 => buffer.remaining(),
            limit => limit.min(buffer.remaining()),
        };
        let mut space = vec![0; limit];
        let count = self.incoming.read(&mut space)?;
        buffer.put_slice(&space[..count]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.writes += 1;
        if let Some(kind) = self.write_error {
            return Poll::Ready(Err(kind.into()));
        }
        if self.takes_nothing {
            return Poll::Ready(Ok(0));
        }
        if self.room == 0 {
            self.writer = Some(context.waker().clone());
            return Poll::Pending;
        }
        let count = data.len().min(self.room);
        self.room -= count;
        self.outgoing.extend_from_slice(&data[..count]);
        Poll::Ready(Ok(count))
    }

    fn poll_flush(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.flushes += 1;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.shutdowns += 1;
        Poll::Ready(match self.shutdown_error {
            Some(kind) => Err(kind.into()),
            None => Ok(()),
        })
    }
}

type Client = TlsStream<ClientConnection, Wire>;

fn idle() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

fn read(stream: &mut Client, size: usize) -> Poll<io::Result<Vec<u8>>> {
    read_as(stream, size, &mut idle())
}

fn read_as(
    stream: &mut Client,
    size: usize,
    context: &mut Context<'_>,
) -> Poll<io::Result<Vec<u8>>> {
    let mut space = vec![0; size];
    let mut buffer = ReadBuf::new(&mut space);
    let poll = Pin::new(stream).poll_read(context, &mut buffer);
    poll.map_ok(|()| buffer.filled().to_vec())
}

fn write(stream: &mut Client, data: &[u8]) -> Poll<io::Result<usize>> {
    Pin::new(stream).poll_write(&mut idle(), data)
}

fn flush(stream: &mut Client) -> Poll<io::Result<()>> {
    Pin::new(stream).poll_flush(&mut idle())
}

fn shutdown(stream: &mut Client) -> Poll<io::Result<()>> {
    Pin::new(stream).poll_shutdown(&mut idle())
}

/// What is there at once.
#[track_caller]
fn now<T>(poll: Poll<io::Result<T>>) -> T {
    match poll {
        Poll::Ready(result) => result.unwrap(),
        Poll::Pending => panic!("pending"),
    }
}

#[track_caller]
fn error<T: std::fmt::Debug>(poll: Poll<io::Result<T>>) -> io::Error {
    match poll {
        Poll::Ready(result) => result.unwrap_err(),
        Poll::Pending => panic!("pending"),
    }
}

/// The content types and lengths of records.
fn records(mut wire: &[u8]) -> Vec<(u8, usize)> {
    let mut records = Vec::new();
    while let [content_type, _, _, high, low, rest @ ..] = wire {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        records.push((*content_type, length));
        wire = &rest[length..];
    }
    assert!(wire.is_empty(), "whole records");
    records
}

#[test]
fn nothing_to_read_is_pending_and_zero_lengths_mean_nothing() {
    let (client, mut server) = connected();
    let mut stream = TlsStream::new(client, Wire::open());
    assert!(read(&mut stream, 8).is_pending());
    assert_eq!(now(read(&mut stream, 0)), b"");
    assert_eq!(now(write(&mut stream, b"")), 0);
    assert_eq!(
        now(Pin::new(&mut stream).poll_write_vectored(&mut idle(), &[])),
        0
    );
    assert!(stream.get_ref().outgoing.is_empty(), "not even a record");
    let mut wire = Vec::new();
    server.write(b"data", &mut wire).unwrap();
    stream.get_mut().make_readable(&wire);
    assert_eq!(now(read(&mut stream, 8)), b"data");
}

#[test]
fn the_end_is_told_apart_from_truncation_and_the_transport_left_alone() {
    for close in [true, false] {
        let (client, mut server) = connected();
        let mut wire = Vec::new();
        server.write(b"0123456789", &mut wire).unwrap();
        if close {
            server.close_notify(&mut wire).unwrap();
        }
        let mut stream = TlsStream::new(client, Wire::give(wire));
        stream.get_mut().ended = true;
        assert_eq!(now(read(&mut stream, 64)), b"0123456789");
        for _ in 0..100 {
            match close {
                true => assert_eq!(now(read(&mut stream, 64)), b""),
                false => assert_eq!(
                    error(read(&mut stream, 64)).kind(),
                    ErrorKind::UnexpectedEof
                ),
            }
        }
        assert!(
            stream.get_ref().reads <= 2,
            "polled {} times",
            stream.get_ref().reads
        );
    }
}

#[test]
fn a_reset_is_no_end_and_keeps_its_kind() {
    let (client, _server) = connected();
    let mut stream = TlsStream::new(client, Wire::open());
    stream.get_mut().read_error = Some(ErrorKind::ConnectionReset);
    assert_eq!(
        error(read(&mut stream, 8)).kind(),
        ErrorKind::ConnectionReset
    );
    stream.get_mut().read_error = None;
    stream.get_mut().ended = true;
    assert_eq!(error(read(&mut stream, 8)).kind(), ErrorKind::UnexpectedEof);
}

#[test]
fn a_pending_write_has_taken_nothing_and_can_be_dropped() {
    let (client, mut server) = connected();
    let mut stream = TlsStream::new(client, Wire::default());
    stream.get_mut().room = 1;
    assert_eq!(now(write(&mut stream, b"AAAA")), 4, "sealed and accepted");
    for cancelled in [b"BBBB", b"CCCC", b"DDDD"] {
        assert!(write(&mut stream, cancelled).is_pending());
    }
    assert!(flush(&mut stream).is_pending());
    stream.get_mut().make_writable();
    assert_eq!(now(write(&mut stream, b"EEEE")), 4);
    now(flush(&mut stream));
    let wire = std::mem::take(&mut stream.get_mut().outgoing);
    assert_eq!(receive(&mut server, &wire).unwrap(), b"AAAAEEEE");
}

#[test]
fn what_is_held_back_is_bounded() {
    let (client, mut server) = connected();
    let mut stream = TlsStream::new(client, Wire::default());
    let data = vec![7; 10 << 20];
    let accepted = now(write(&mut stream, &data));
    assert!(accepted > 0 && accepted <= 64 * 1024);
    for _ in 0..10 {
        assert!(write(&mut stream, &data).is_pending());
    }
    stream.get_mut().make_writable();
    now(flush(&mut stream));
    let wire = std::mem::take(&mut stream.get_mut().outgoing);
    assert_eq!(receive(&mut server, &wire).unwrap().len(), accepted);
}

#[test]
fn a_transport_that_takes_nothing_is_an_error_not_a_loop() {
    let (client, _server) = connected();
    let mut stream = TlsStream::new(client, Wire::open());
    stream.get_mut().takes_nothing = true;
    for _ in 0..3 {
        assert_eq!(
            error(write(&mut stream, b"data")).kind(),
            ErrorKind::WriteZero
        );
        assert_eq!(error(flush(&mut stream)).kind(), ErrorKind::WriteZero);
    }
    assert!(stream.get_ref().writes <= 6);
}

#[test]
fn small_pieces_share_records() {
    let (client, mut server) = connected();
    let mut stream = TlsStream::new(client, Wire::open());
    assert!(stream.is_write_vectored());
    let letters = (0..1000u32).map(|n| [n as u8; 10]).collect::<Vec<_>>();
    let pieces = letters.iter().map(|l| IoSlice::new(l)).collect::<Vec<_>>();
    let written = now(Pin::new(&mut stream).poll_write_vectored(&mut idle(), &pieces));
    assert_eq!(written, 10_000);
    let wire = std::mem::take(&mut stream.get_mut().outgoing);
    assert_eq!(records(&wire).len(), 1, "{:?}", records(&wire));
    assert_eq!(receive(&mut server, &wire).unwrap(), letters.concat());

    // A head and a long body: whole records, and none of the body alone in a small one.
    let (head, body) = (vec![1; 300], vec![2; 40_000]);
    let pieces = [&head, &body, &head].map(|piece| IoSlice::new(piece));
    let written = now(Pin::new(&mut stream).poll_write_vectored(&mut idle(), &pieces));
    assert_eq!(written, 40_600);
    let wire = std::mem::take(&mut stream.get_mut().outgoing);
    assert_eq!(records(&wire).len(), 3);
    assert_eq!(
        receive(&mut server, &wire).unwrap(),
        [&head[..], &body, &head].concat()
    );
}

#[test]
fn shutdown_sends_one_close_notify_then_closes_the_transport_and_reading_goes_on() {
    let (client, mut server) = connected();
    let mut stream = TlsStream::new(client, Wire::default());
    for _ in 0..5 {
        assert!(shutdown(&mut stream).is_pending());
        assert_eq!(
            stream.get_ref().shutdowns,
            0,
            "not before close_notify is out"
        );
    }
    stream.get_mut().make_writable();
    now(shutdown(&mut stream));
    now(shutdown(&mut stream));
    assert_eq!(stream.get_ref().shutdowns, 1);
    assert!(stream.get_ref().flushes >= 1, "flushed before the end");
    let wire = std::mem::take(&mut stream.get_mut().outgoing);
    assert_eq!(records(&wire).len(), 1, "one record and no more");
    let mut rest = wire.as_slice();
    assert_eq!(
        server.process(&mut rest, &mut Vec::new()).unwrap(),
        Status::PeerClosed
    );
    assert_eq!(
        error(write(&mut stream, b"x")).kind(),
        ErrorKind::BrokenPipe
    );
    let mut back = Vec::new();
    server.write(b"still here", &mut back).unwrap();
    server.close_notify(&mut back).unwrap();
    stream.get_mut().make_readable(&back);
    assert_eq!(now(read(&mut stream, 64)), b"still here");
    assert_eq!(now(read(&mut stream, 64)), b"");
}

#[test]
fn shutdown_tells_why_it_failed() {
    // The transport's own reason,
    let (client, _server) = connected();
    let mut stream = TlsStream::new(client, Wire::open());
    stream.get_mut().write_error = Some(ErrorKind::ConnectionReset);
    for _ in 0..2 {
        let error = error(shutdown(&mut stream));
        assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    }
    // also when only closing it fails;
    let (client, _server) = connected();
    let mut stream = TlsStream::new(client, Wire::open());
    stream.get_mut().shutdown_error = Some(ErrorKind::TimedOut);
    assert_eq!(error(shutdown(&mut stream)).kind(), ErrorKind::TimedOut);
    // the connection's: the FIN is sent all the same;
    let (client, _server) = connected();
    let mut stream = TlsStream::new(client, Wire::open());
    stream.get_mut().ended = true;
    assert_eq!(error(read(&mut stream, 8)).kind(), ErrorKind::UnexpectedEof);
    let cause = Error::from(error(shutdown(&mut stream)));
    assert!(matches!(cause, Error::Truncated), "{cause}");
    assert_eq!(stream.get_ref().shutdowns, 1);
    // and a peer that has said all and left makes no error.
    for in_write in [true, false] {
        let (client, mut server) = connected();
        let mut wire = Vec::new();
        server.close_notify(&mut wire).unwrap();
        let mut stream = TlsStream::new(client, Wire::give(wire));
        assert_eq!(now(read(&mut stream, 8)), b"");
        match in_write {
            true => stream.get_mut().write_error = Some(ErrorKind::BrokenPipe),
            false => stream.get_mut().shutdown_error = Some(ErrorKind::NotConnected),
        }
        now(shutdown(&mut stream));
    }
}

#[test]
fn a_failure_met_while_reading_is_the_writers_to_learn() {
    let (client, mut server) = connected();
    let mut wire = Vec::new();
    server.write(b"answer", &mut wire).unwrap();
    let mut stream = TlsStream::new(client, Wire::give(wire));
    stream.get_mut().room = 0;
    assert_eq!(
        now(write(&mut stream, b"request")),
        7,
        "waits in the stream"
    );
    stream.get_mut().write_error = Some(ErrorKind::ConnectionReset);
    assert_eq!(now(read(&mut stream, 64)), b"answer", "reading goes on");
    stream.get_mut().write_error = Some(ErrorKind::BrokenPipe);
    let first = error(flush(&mut stream));
    assert_eq!(first.kind(), ErrorKind::ConnectionReset, "the first cause");
}

#[test]
fn a_protocol_failure_reaches_both_ends_with_its_reason() {
    let (client, mut server) = connected();
    let mut wire = Vec::new();
    server.write(b"data", &mut wire).unwrap();
    *wire.last_mut().unwrap() ^= 1;
    let mut stream = TlsStream::new(client, Wire::give(wire));
    for _ in 0..2 {
        let cause = Error::from(error(read(&mut stream, 64)));
        assert!(
            matches!(
                cause,
                Error::Handshake {
                    alert_sent: Some(_),
                    ..
                }
            ),
            "{cause:?}"
        );
    }
    let alert = std::mem::take(&mut stream.get_mut().outgoing);
    assert!(matches!(
        receive(&mut server, &alert),
        Err(Error::AlertReceived(_))
    ));
}

#[test]
fn a_hesitant_transport_with_one_byte_at_a_time_is_asked_no_more_than_needed() {
    let (client_config, server_config) = configs();
    let (client, mut server) = ends(&client_config, &server_config, "a.test");
    let mut stream = TlsStream::new(client, Wire::open());
    stream.get_mut().read_limit = 1;
    stream.get_mut().hesitant = true;
    let (mut polls, mut bytes) = (0, 0);
    let mut sent = false;
    let received = loop {
        polls += 1;
        if let Poll::Ready(result) = read(&mut stream, 64) {
            break result.unwrap();
        }
        let wire = std::mem::take(&mut stream.get_mut().outgoing);
        let mut rest = wire.as_slice();
        let mut reply = Vec::new();
        while !matches!(
            server.process(&mut rest, &mut reply).unwrap(),
            Status::WantsInput
        ) {}
        if !server.is_handshaking() && !sent {
            server.write(b"data", &mut reply).unwrap();
            sent = true;
        }
        bytes += reply.len();
        stream.get_mut().make_readable(&reply);
        assert!(polls < 20_000, "no progress");
    };
    assert_eq!(received, b"data");
    assert!(polls <= bytes + 10, "{polls} polls for {bytes} bytes");
    let reads = stream.get_ref().reads;
    assert!(reads <= 2 * bytes + 10, "{reads} reads for {bytes} bytes");
}

/// Counts how often it is woken.
#[derive(Default)]
struct Task(AtomicUsize);

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Task {
    fn woken(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }
}

#[test]
fn a_reader_on_its_own_sends_what_a_write_had_to_leave() {
    let (client, mut server) = connected();
    let mut stream = TlsStream::new(client, Wire::default());
    assert_eq!(now(write(&mut stream, b"request")), 7);
    let task = Arc::new(Task::default());
    let waker = Waker::from(Arc::clone(&task));
    let mut context = Context::from_waker(&waker);
    assert!(read_as(&mut stream, 8, &mut context).is_pending());
    stream.get_mut().make_writable();
    assert_eq!(task.woken(), 1, "or the request would never go out");
    assert!(read_as(&mut stream, 8, &mut context).is_pending());
    let wire = std::mem::take(&mut stream.get_mut().outgoing);
    assert_eq!(receive(&mut server, &wire).unwrap(), b"request");
}

#[test]
fn two_tasks_do_not_take_each_others_wake_ups() {
    let (client, _server) = connected();
    let mut stream = TlsStream::new(client, Wire::default());
    let tasks = [Arc::new(Task::default()), Arc::new(Task::default())];
    let wakers = tasks.each_ref().map(|task| Waker::from(Arc::clone(task)));
    let [mut reader, mut writer] = wakers.each_ref().map(Context::from_waker);
    assert_eq!(now(write(&mut stream, b"held back")), 9);
    // The writer waits for room; then the reader asks for it too, and the transport
    // remembers the last one alone.
    let poll = Pin::new(&mut stream).poll_write(&mut writer, b"more");
    assert!(poll.is_pending());
    assert!(read_as(&mut stream, 8, &mut reader).is_pending());
    stream.get_mut().make_writable();
    assert!(tasks[1].woken() > 0, "the writer's wake-up is not lost");
    tasks[0].woken();
    let poll = Pin::new(&mut stream).poll_write(&mut writer, b"more");
    assert_eq!(now(poll), 4);
    now(Pin::new(&mut stream).poll_flush(&mut writer));
    // Once nothing is held back, room is no news for the reader.
    assert!(read_as(&mut stream, 8, &mut reader).is_pending());
    stream.get_mut().room = 0;
    let poll = Pin::new(&mut stream).poll_write(&mut writer, b"more");
    assert_eq!(now(poll), 4);
    let poll = Pin::new(&mut stream).poll_flush(&mut writer);
    assert!(poll.is_pending());
    stream.get_mut().make_writable();
    assert_eq!((tasks[0].woken(), tasks[1].woken()), (0, 1));
}

#[test]
fn reads_take_all_that_is_there_in_one_go() {
    let (client, mut server) = connected();
    let mut wire = Vec::new();
    for _ in 0..50 {
        server.write(&[5; 10], &mut wire).unwrap();
    }
    let mut stream = TlsStream::new(client, Wire::give(wire));
    assert_eq!(now(read(&mut stream, 400)), [5; 400]);
    assert_eq!(now(read(&mut stream, 400)), [5; 100]);
    assert_eq!(stream.get_ref().reads, 1);
}

#[test]
fn a_transport_is_flushed_when_the_stream_is() {
    let (client, _server) = connected();
    let mut stream = TlsStream::new(client, Wire::open());
    now(write(&mut stream, b"data"));
    let before = stream.get_ref().flushes;
    now(flush(&mut stream));
    assert_eq!(stream.get_ref().flushes, before + 1);
}
