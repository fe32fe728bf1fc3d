//! Our own ends: clients and servers of this library on loopback sockets that give up in time.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use socket2::SockRef;
use wolfssl::{
    ClientConfig, ClientConnection, ConnectionCommon, Error, ServerConfig, ServerConnection,
    StreamOwned, server_name,
};

use crate::program::PATIENCE;

pub type Client = StreamOwned<ClientConnection, TcpStream>;
pub type Server = StreamOwned<ServerConnection, TcpStream>;

/// Connects to a loopback port as a client of the server `name`.
pub fn connect(config: &ClientConfig, name: &str, port: u16) -> Result<Client, Error> {
    StreamOwned::connect(config, server_name(name).unwrap(), tcp(port))
}

/// A connection to a loopback port that gives up in time.
pub fn tcp(port: u16) -> TcpStream {
    patient(TcpStream::connect(("127.0.0.1", port)).expect("the peer listens"))
}

/// A listener on a free loopback port whose `accept` gives up in time.
pub fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    SockRef::from(&listener)
        .set_read_timeout(Some(PATIENCE))
        .expect("a socket");
    let port = listener.local_addr().expect("bound").port();
    (listener, port)
}

/// One connection that comes in.
pub fn accept(listener: &TcpListener) -> TcpStream {
    patient(listener.accept().expect("somebody connects").0)
}

fn patient(tcp: TcpStream) -> TcpStream {
    tcp.set_read_timeout(Some(PATIENCE)).expect("a socket");
    tcp.set_write_timeout(Some(PATIENCE)).expect("a socket");
    tcp.set_nodelay(true).expect("a socket");
    tcp
}

/// Resets the connection when it is dropped.
pub fn reset_on_drop(tcp: &TcpStream) {
    SockRef::from(tcp)
        .set_linger(Some(std::time::Duration::ZERO))
        .expect("a socket");
}

/// Work on a thread of its own, waited for with patience.
pub struct Background<T> {
    result: Receiver<T>,
}

impl<T: Send + 'static> Background<T> {
    pub fn start(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (sender, result) = mpsc::channel();
        thread::spawn(move || {
            // Nobody listens any more when the test has failed.
            let _ = sender.send(work());
        });
        Self { result }
    }

    pub fn result(self) -> T {
        self.result
            .recv_timeout(PATIENCE)
            .expect("the work in the background ends well and in time")
    }
}

/// Accepts one connection under `config` and does `session` with it.
pub fn serve_one<T: Send + 'static>(
    config: &ServerConfig,
    session: impl FnOnce(Server) -> T + Send + 'static,
) -> (u16, Background<Result<T, Error>>) {
    let (listener, port) = listen();
    let config = config.clone();
    let work = move || StreamOwned::accept(&config, accept(&listener)).map(session);
    (port, Background::start(work))
}

/// Accepts `count` connections, one after the other, and does `session` with each.
pub fn serve_many<T: Send + 'static>(
    config: &ServerConfig,
    count: usize,
    session: impl Fn(Server) -> T + Send + 'static,
) -> (u16, Background<Vec<T>>) {
    let (listener, port) = listen();
    let config = config.clone();
    let work = move || {
        let accepted = || StreamOwned::accept(&config, accept(&listener)).unwrap();
        (0..count).map(|_| session(accepted())).collect()
    };
    (port, Background::start(work))
}

/// Reads up to and with a line end.
pub fn read_line(stream: &mut impl Read) -> io::Result<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    while line.last() != Some(&b'\n') {
        match stream.read(&mut byte)? {
            0 => break,
            _ => line.push(byte[0]),
        }
    }
    Ok(String::from_utf8(line).expect("text"))
}

/// Sends a line to a peer that answers with the line reversed, as `s_server -rev` does.
pub fn exchange_reversed(stream: &mut (impl Read + Write), line: &str) {
    stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    let reversed: String = line.chars().rev().collect();
    assert_eq!(read_line(stream).unwrap(), format!("{reversed}\n"));
}

/// What was negotiated, as our side sees it.
#[derive(Debug, PartialEq, Eq)]
pub struct Negotiated {
    pub version: wolfssl::ProtocolVersion,
    pub suite: wolfssl::CipherSuite,
    pub group: wolfssl::NamedGroup,
    pub scheme: wolfssl::SignatureScheme,
}

impl Negotiated {
    pub fn of(connection: &ConnectionCommon) -> Self {
        assert!(!connection.is_resumed());
        Self {
            version: connection.negotiated_version().expect("a version"),
            suite: connection.negotiated_cipher_suite().expect("a suite"),
            group: connection.negotiated_group().expect("a group"),
            scheme: connection.negotiated_signature_scheme().expect("a scheme"),
        }
    }
}
