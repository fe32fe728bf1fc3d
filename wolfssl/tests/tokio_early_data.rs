//! Early data through asynchronous streams: taken and answered, or left unread.
#![cfg(feature = "tokio")]

mod support;

use std::time::Duration;

use support::Authority;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use wolfssl::tokio::{LazyAcceptor, TlsAcceptor, TlsConnector, TlsStream};
use wolfssl::{
    ClientConfig, ClientConnection, Resumption, ServerConfig, ServerConnection, ServerResumption,
    SessionTicket, TicketKeys, TicketSecret, server_name,
};

const NAME: &str = "a.test";

fn configs(max_early_data: u32) -> (ClientConfig, ServerConfig) {
    let authority = Authority::new("root");
    let keys = TicketKeys::new(TicketSecret::new([1; 32]), []).unwrap();
    let server = ServerConfig::builder()
        .identity(authority.leaf(&[NAME]).certified())
        .resumption(ServerResumption::tickets(keys))
        .max_early_data(max_early_data)
        .build()
        .unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .resumption(Resumption::manual())
        .enable_early_data(true)
        .build()
        .unwrap();
    // Early data is taken of tickets that are younger than the configuration.
    std::thread::sleep(Duration::from_millis(2));
    (client, server)
}

/// The session of an earlier connection.
async fn session(client: &ClientConfig, server: &ServerConfig) -> SessionTicket {
    let (near, far) = duplex(1 << 16);
    let (connector, acceptor) = (
        TlsConnector::from(client.clone()),
        TlsAcceptor::from(server.clone()),
    );
    let (client, server) = tokio::join!(
        connector.connect(server_name(NAME).unwrap(), near),
        acceptor.accept(far)
    );
    let (mut client, mut server) = (client.unwrap(), server.unwrap());
    let mut end = [0; 1];
    let (sent, read) = tokio::join!(server.shutdown(), client.read(&mut end));
    sent.unwrap();
    assert_eq!(read.unwrap(), 0);
    client.connection_mut().take_session().unwrap()
}

async fn client(
    config: &ClientConfig,
    session: SessionTicket,
    transport: DuplexStream,
) -> (TlsStream<ClientConnection, DuplexStream>, usize, String) {
    let name = server_name(NAME).unwrap();
    let connection = ClientConnection::with_session(config, name, session).unwrap();
    let mut tls = TlsStream::new(connection, transport);
    let early = tls.write_early_data(b"the request").await.unwrap();
    tls.complete_handshake().await.unwrap();
    let late = match tls.connection().is_early_data_accepted() {
        true => early,
        false => 0,
    };
    tls.write_all(&b"the request"[late..]).await.unwrap();
    tls.shutdown().await.unwrap();
    let mut answer = String::new();
    tls.read_to_string(&mut answer).await.unwrap();
    (tls, early, answer)
}

async fn server(tls: &mut TlsStream<ServerConnection, DuplexStream>) -> (String, String) {
    let mut early = Vec::new();
    let mut buffer = [0; 4];
    loop {
        match tls.read_early_data(&mut buffer).await.unwrap() {
            0 => break,
            count => early.extend_from_slice(&buffer[..count]),
        }
        if early.len() == 11 {
            assert!(tls.connection().is_handshaking(), "before its end");
            let taken = tls.answer_early_data(b"early ").await.unwrap();
            assert_eq!(taken, 6);
        }
    }
    tls.complete_handshake().await.unwrap();
    let mut late = String::new();
    tls.read_to_string(&mut late).await.unwrap();
    tls.write_all(b"answer").await.unwrap();
    tls.shutdown().await.unwrap();
    (String::from_utf8(early).unwrap(), late)
}

#[tokio::test]
async fn early_data_is_taken_and_answered_over_pipes_of_any_size() {
    for capacity in [1, 50, 1 << 16] {
        for lazily in [false, true] {
            let (client_config, server_config) = configs(16 * 1024);
            let session = session(&client_config, &server_config).await;
            let (near, far) = duplex(capacity);
            let serve = async {
                let mut tls = if lazily {
                    let start = LazyAcceptor::new(far).await.unwrap();
                    let (accepted, far) = start.into_parts();
                    TlsStream::new(accepted.into_connection(&server_config).unwrap(), far)
                } else {
                    TlsStream::new(ServerConnection::new(&server_config).unwrap(), far)
                };
                server(&mut tls).await
            };
            let ((tls, early, answer), (taken, late)) =
                tokio::join!(client(&client_config, session, near), serve);
            assert_eq!((early, answer.as_str()), (11, "early answer"), "{capacity}");
            assert_eq!((taken.as_str(), late.as_str()), ("the request", ""));
            assert!(tls.connection().is_early_data_accepted());
        }
    }
}

#[tokio::test]
async fn early_data_that_is_not_taken_is_written_again() {
    let (client_config, server_config) = configs(16 * 1024);
    let session = session(&client_config, &server_config).await;
    // A replayed ticket: the handshake is a full one.
    for again in [false, true] {
        let (near, far) = duplex(1 << 16);
        let mut tls = TlsStream::new(ServerConnection::new(&server_config).unwrap(), far);
        let ((_, early, answer), (taken, late)) = tokio::join!(
            client(&client_config, session.clone(), near),
            server(&mut tls)
        );
        let expected = match again {
            false => ("the request", "", "early answer"),
            true => ("", "the request", "answer"),
        };
        assert_eq!((taken.as_str(), late.as_str(), answer.as_str()), expected);
        assert_eq!(early, 11);
    }
}

#[tokio::test]
async fn without_a_session_there_is_none_to_be_written() {
    let (client_config, server_config) = configs(16 * 1024);
    let (near, far) = duplex(1 << 16);
    let name = server_name(NAME).unwrap();
    let mut client = TlsStream::new(ClientConnection::new(&client_config, name).unwrap(), near);
    assert_eq!(client.write_early_data(b"x").await.unwrap(), 0);
    let mut server = TlsStream::new(ServerConnection::new(&server_config).unwrap(), far);
    let mut buffer = [0; 4];
    let (connected, early) = tokio::join!(
        client.complete_handshake(),
        server.read_early_data(&mut buffer)
    );
    connected.unwrap();
    assert_eq!(early.unwrap(), 0);
}
