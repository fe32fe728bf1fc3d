//! Connecting and accepting with tokio: over pipes of any size and TCP, with the
//! configuration after the hello, signatures that come later, and what failures lead to.
#![cfg(feature = "tokio")]

mod support;

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::pkcs8::DecodePrivateKey;
use support::{Authority, configs};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufStream, DuplexStream, duplex};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use wolfssl::tokio::{Handshake, LazyAcceptor, TlsAcceptor, TlsConnector, TlsStream};
use wolfssl::{
    AlertDescription, CertificateError, CertifiedKey, ClientConfig, ClientConnection,
    ClientHelloError, DeferredSigning, Error, KeyFailure, ProtocolVersion, ServerConfig,
    ServerConnection, SignatureRequest, SigningInput, server_name,
};

fn connector_and_acceptor() -> (TlsConnector, TlsAcceptor) {
    let (client, server) = configs();
    (client.into(), server.into())
}

async fn tcp_pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
    (client.unwrap(), accepted.unwrap().0)
}

/// Both ends over a pipe of this capacity, connected.
async fn connected_over(
    capacity: usize,
) -> (
    TlsStream<ClientConnection, DuplexStream>,
    TlsStream<ServerConnection, DuplexStream>,
) {
    let (connector, acceptor) = connector_and_acceptor();
    let (near, far) = duplex(capacity);
    let (client, server) = tokio::join!(
        connector.connect(server_name("a.test").unwrap(), near),
        acceptor.accept(far),
    );
    (client.unwrap(), server.unwrap())
}

#[tokio::test]
async fn both_versions_over_pipes_of_any_size() {
    let authority = Authority::new("root");
    for version in [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3] {
        for capacity in [1, 7, 100, 1 << 16] {
            let connector = TlsConnector::from(
                ClientConfig::builder()
                    .roots(authority.roots())
                    .versions(&[version])
                    .alpn(["h2", "http/1.1"])
                    .build()
                    .unwrap(),
            );
            let acceptor = TlsAcceptor::from(
                ServerConfig::builder()
                    .identity(authority.leaf(&["a.test"]).certified())
                    .alpn(["http/1.1"])
                    .build()
                    .unwrap(),
            );
            let (near, far) = duplex(capacity);
            let client = async {
                let name = server_name("a.test").unwrap();
                let mut tls = connector.connect(name, near).await.unwrap();
                assert_eq!(tls.connection().negotiated_version(), Some(version));
                tls.write_all(b"ping").await.unwrap();
                tls.shutdown().await.unwrap();
                let mut answer = String::new();
                tls.read_to_string(&mut answer).await.unwrap();
                answer
            };
            let server = async {
                let mut tls = acceptor.accept(far).await.unwrap();
                assert_eq!(tls.connection().server_name().as_deref(), Some("a.test"));
                let mut question = String::new();
                tls.read_to_string(&mut question).await.unwrap();
                tls.write_all(format!("{question} pong").as_bytes())
                    .await
                    .unwrap();
                tls.shutdown().await.unwrap();
                tls.connection().negotiated_alpn()
            };
            let (answer, alpn) = tokio::join!(client, server);
            assert_eq!(answer, "ping pong", "{version} {capacity}");
            assert_eq!(alpn.as_deref(), Some(b"http/1.1".as_slice()));
        }
    }
}

#[tokio::test]
async fn a_buffering_transport_is_flushed_while_shaking_hands_and_replying() {
    let (connector, acceptor) = connector_and_acceptor();
    let (near, far) = duplex(1 << 16);
    let (client, server) = tokio::join!(
        connector.connect(server_name("a.test").unwrap(), BufStream::new(near)),
        acceptor.accept(BufStream::new(far)),
    );
    let (mut client, mut server) = (client.unwrap(), server.unwrap());
    client.write_all(b"data").await.unwrap();
    client.flush().await.unwrap();
    let mut received = [0; 4];
    server.read_exact(&mut received).await.unwrap();
    assert_eq!(&received, b"data");
}

#[tokio::test]
async fn shutdown_ends_with_a_fin_and_half_closed_streams_go_on() {
    let (connector, acceptor) = connector_and_acceptor();
    let (near, far) = tcp_pair().await;
    let (client, server) = tokio::join!(
        connector.connect(server_name("a.test").unwrap(), near),
        acceptor.accept(far),
    );
    let (mut client, mut server) = (client.unwrap(), server.unwrap());
    client.write_all(b"question").await.unwrap();
    client.shutdown().await.unwrap();
    let mut question = Vec::new();
    server.read_to_end(&mut question).await.unwrap();
    assert_eq!(question, b"question");
    // close_notify has been read; what comes next on the wire is the FIN.
    let mut beyond = [0; 1];
    assert_eq!(server.get_mut().read(&mut beyond).await.unwrap(), 0, "FIN");
    server.write_all(&[6; 100_000]).await.unwrap();
    server.shutdown().await.unwrap();
    let mut answer = Vec::new();
    client.read_to_end(&mut answer).await.unwrap();
    assert_eq!(answer, [6; 100_000]);
    assert_eq!(client.get_mut().read(&mut beyond).await.unwrap(), 0, "FIN");
}

#[tokio::test]
async fn a_dropped_stream_is_a_truncation_to_the_other() {
    let (client, mut server) = connected_over(1024).await;
    drop(client);
    let error = server.read(&mut [0; 8]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
}

#[tokio::test]
async fn both_ends_learn_why_a_handshake_failed() {
    let (connector, acceptor) = connector_and_acceptor();
    let (near, far) = duplex(64);
    let (client, server) = tokio::join!(
        connector.connect(server_name("b.test").unwrap(), near),
        acceptor.accept(far).into_fallible(),
    );
    assert!(
        matches!(
            client.unwrap_err(),
            Error::InvalidCertificate(CertificateError::NotValidForName { .. })
        ),
        "the client's reason"
    );
    let (error, mut transport) = server.unwrap_err();
    assert!(matches!(error, Error::AlertReceived(_)), "{error:?}");
    assert_eq!(transport.read(&mut [0; 8]).await.unwrap(), 0, "given back");
}

#[tokio::test]
async fn a_silent_peer_can_be_timed_out_and_the_end_of_the_transport_is_no_wait() {
    let (connector, acceptor) = connector_and_acceptor();
    let (near, far) = duplex(1024);
    let accept = acceptor.accept(far);
    assert!(timeout(Duration::from_millis(20), accept).await.is_err());
    drop(near);
    let (near, far) = duplex(1024);
    drop(far);
    let error = connector
        .connect(server_name("a.test").unwrap(), near)
        .await
        .unwrap_err();
    assert!(
        matches!(error, Error::Io(_) | Error::Truncated),
        "{error:?}"
    );
}

#[tokio::test]
async fn the_configuration_comes_after_the_hello() {
    let authority = Authority::new("root");
    let connector = TlsConnector::from(
        ClientConfig::builder()
            .roots(authority.roots())
            .build()
            .unwrap(),
    );
    let config_for = |name: &str| {
        ServerConfig::builder()
            .identity(authority.leaf(&[name]).certified())
            .build()
            .unwrap()
    };
    let configs = [config_for("one.test"), config_for("two.test")];
    for name in ["one.test", "two.test"] {
        for capacity in [1, 1 << 16] {
            let (near, far) = duplex(capacity);
            let server = async {
                let start = LazyAcceptor::new(far).await.unwrap();
                let hello = start.client_hello();
                let config = &configs[(hello.server_name() == Some("two.test")) as usize];
                start.into_stream(config).await.unwrap()
            };
            let (client, mut server) =
                tokio::join!(connector.connect(server_name(name).unwrap(), near), server);
            let mut client = client.unwrap();
            let mut received = String::new();
            let greet = async {
                server.write_all(b"hello").await.unwrap();
                server.shutdown().await.unwrap();
            };
            let (read, ()) = tokio::join!(client.read_to_string(&mut received), greet);
            read.unwrap();
            assert_eq!(received, "hello");
        }
    }
}

#[tokio::test]
async fn a_client_can_be_refused_by_its_hello() {
    let (connector, _) = connector_and_acceptor();
    let (near, far) = duplex(1024);
    let server = async {
        let start = LazyAcceptor::new(far).await.unwrap();
        start.refuse(AlertDescription::UnrecognizedName).await
    };
    let (client, refused) = tokio::join!(
        connector.connect(server_name("a.test").unwrap(), near),
        server
    );
    refused.unwrap();
    let error = client.unwrap_err();
    assert!(matches!(
        error,
        Error::AlertReceived(AlertDescription::UnrecognizedName)
    ));
}

#[tokio::test]
async fn plain_http_can_be_answered_and_bad_hellos_are() {
    let (mut near, far) = duplex(1024);
    near.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    let mut lazy = LazyAcceptor::new(far);
    let error = (&mut lazy).await.unwrap_err();
    assert!(matches!(
        error,
        Error::ClientHello(ClientHelloError::PlainHttp)
    ));
    let mut transport = lazy.take_transport().unwrap();
    transport.write_all(b"HTTP/1.1 400\r\n\r\n").await.unwrap();
    drop(transport);
    let mut answer = String::new();
    near.read_to_string(&mut answer).await.unwrap();
    assert_eq!(answer, "HTTP/1.1 400\r\n\r\n");

    let (mut near, far) = duplex(3);
    let bad = async {
        near.write_all(b"\x16\x03\x01\x00\x00").await.unwrap();
        let mut alert = Vec::new();
        near.read_to_end(&mut alert).await.unwrap();
        alert
    };
    let refused = async { LazyAcceptor::new(far).await.unwrap_err() };
    let (alert, error) = tokio::join!(bad, refused);
    assert_eq!(alert, [21, 3, 3, 0, 2, 2, 50]);
    assert!(matches!(
        error,
        Error::ClientHello(ClientHelloError::EmptyRecord)
    ));

    let (near, far) = duplex(1024);
    drop(near);
    let error = LazyAcceptor::new(far).await.unwrap_err();
    assert!(matches!(error, Error::Truncated));
}

#[tokio::test]
async fn a_signature_can_be_awaited() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["a.test"]);
    let key = p256::ecdsa::SigningKey::from_pkcs8_der(&leaf.key_der).unwrap();
    let identity =
        CertifiedKey::with_signing_key(leaf.chain.clone(), Arc::new(DeferredSigning)).unwrap();
    let server = ServerConfig::builder().identity(identity).build().unwrap();
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .build()
        .unwrap();
    let (connector, acceptor) = (TlsConnector::from(client), TlsAcceptor::from(server));
    let sign = move |request: SignatureRequest| {
        let key = key.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            let SigningInput::Digest(digest) = request.input() else {
                return Err("not a digest".into());
            };
            let signature: p256::ecdsa::Signature = key.sign_prehash(digest)?;
            Ok::<_, KeyFailure>(signature.to_der().as_bytes().to_vec())
        }
    };
    let connect = |near| connector.connect(server_name("a.test").unwrap(), near);
    let (near, far) = duplex(1024);
    let (client, server) = tokio::join!(connect(near), acceptor.accept(far).sign_with(sign));
    client.unwrap();
    server.unwrap();

    // The key's own reason comes through; without anyone to sign, that is said.
    let (near, far) = duplex(1024);
    let refuse = |_| async { Err("the key is locked".into()) };
    let (client, server) = tokio::join!(connect(near), async {
        acceptor.accept(far).sign_with(refuse).await
    });
    assert!(client.is_err());
    let text = server.unwrap_err().to_string();
    assert!(text.contains("the key is locked"), "{text}");
    let (near, far) = duplex(1024);
    let (client, server) = tokio::join!(connect(near), async { acceptor.accept(far).await });
    assert!(client.is_err());
    assert!(matches!(server.unwrap_err(), Error::WantsSignature));
}

#[tokio::test]
async fn streams_can_be_taken_apart_and_put_together_between_any_two_calls() {
    let (client, mut server) = connected_over(1 << 16).await;
    server.write_all(&[3; 40_000]).await.unwrap();
    server.flush().await.unwrap();
    let (mut connection, mut transport) = client.into_parts();
    let mut received = Vec::new();
    while received.len() < 40_000 {
        let mut client = TlsStream::new(connection, transport);
        let mut piece = [0; 1000];
        let count = client.read(&mut piece).await.unwrap();
        received.extend_from_slice(&piece[..count]);
        (connection, transport) = client.into_parts();
    }
    assert_eq!(received, [3; 40_000]);
}

#[tokio::test]
async fn the_first_read_or_write_completes_a_handshake() {
    let (client, server) = configs();
    let (near, far) = duplex(64);
    let name = server_name("a.test").unwrap();
    let mut client = TlsStream::new(ClientConnection::new(&client, name).unwrap(), near);
    let mut server = TlsStream::new(ServerConnection::new(&server).unwrap(), far);
    let mut received = [0; 5];
    let greet = async {
        client.write_all(b"hello").await.unwrap();
        client.flush().await.unwrap();
    };
    let (read, ()) = tokio::join!(server.read_exact(&mut received), greet);
    read.unwrap();
    assert_eq!(&received, b"hello");
}

#[test]
fn what_is_sent_between_tasks_can_be() {
    fn send<T: Send + 'static>() {}
    send::<TlsStream<ClientConnection, TcpStream>>();
    send::<TlsStream<ServerConnection, TcpStream>>();
    send::<Handshake<ServerConnection, TcpStream>>();
    send::<LazyAcceptor<TcpStream>>();
    fn shared<T: Send + Sync + Clone + 'static>() {}
    shared::<TlsConnector>();
    shared::<TlsAcceptor>();
}
