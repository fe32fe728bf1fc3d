//! A thousand connections at once, with pieces of random sizes, random cancellations and
//! every byte compared.
#![cfg(feature = "tokio")]

mod support;

use std::io::{self, IoSlice};
use std::time::Duration;

use support::configs;
use support::random::Random;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, duplex};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use wolfssl::server_name;
use wolfssl::tokio::{TlsAcceptor, TlsConnector};

const CONNECTIONS: u64 = 1000;
const MOST: usize = 48 * 1024;

/// The data that one end sends, known to both.
fn data(seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let length = random.below(MOST);
    (0..length).map(|_| random.byte()).collect()
}

/// Gives up what `attempt` does if it is not done at once, or soon.
async fn impatiently<R>(random: &mut Random, attempt: impl Future<Output = R>) -> Option<R> {
    let patience = random.below(4);
    let rest = async {
        for _ in 0..patience {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        result = attempt => Some(result),
        () = rest => None,
    }
}

async fn send<W: AsyncWrite + Unpin>(mut stream: W, data: &[u8], seed: u64) -> io::Result<()> {
    let mut random = Random::new(seed);
    let mut rest = data;
    while !rest.is_empty() {
        // After a cancellation the next piece differs: were a part of the one before taken,
        // the other end would see it.
        let length = 1 + random.below(rest.len().min(20_000));
        let piece = &rest[..length];
        let cancel = random.one_in(3);
        let vectored = random.one_in(3);
        let (a, b) = piece.split_at(random.below(length));
        let pieces = [IoSlice::new(a), IoSlice::new(&[]), IoSlice::new(b)];
        let write = async {
            match vectored {
                true => stream.write_vectored(&pieces).await,
                false => stream.write(piece).await,
            }
        };
        let count = match cancel {
            true => impatiently(&mut random, write).await.unwrap_or(Ok(0))?,
            false => {
                let count = write.await?;
                assert_ne!(count, 0, "a write of something may not come to nothing");
                count
            }
        };
        rest = &rest[count..];
        match random.below(8) {
            0 => stream.flush().await?,
            1 => {
                let _ = impatiently(&mut random, stream.flush()).await;
            }
            2 => tokio::task::yield_now().await,
            _ => {}
        }
    }
    if random.one_in(2) {
        while impatiently(&mut random, stream.shutdown()).await.is_none() {}
    }
    stream.shutdown().await
}

async fn receive<R: AsyncRead + Unpin>(
    mut stream: R,
    expected: &[u8],
    seed: u64,
) -> io::Result<()> {
    let mut random = Random::new(seed);
    let mut rest = expected;
    loop {
        let mut space = vec![0; 1 + random.below(20_000)];
        let read = stream.read(&mut space);
        let count = match random.one_in(3) {
            true => match impatiently(&mut random, read).await {
                Some(count) => count?,
                None => continue,
            },
            false => read.await?,
        };
        if count == 0 {
            break;
        }
        assert!(rest.starts_with(&space[..count]), "the data sent, in order");
        rest = &rest[count..];
    }
    assert!(rest.is_empty(), "{} bytes are missing", rest.len());
    assert_eq!(stream.read(&mut [0; 16]).await?, 0, "the end stays the end");
    Ok(())
}

/// Sends and receives at the same time, in one task or in two.
async fn talk<S>(stream: S, own: u64, other: u64) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (reader, writer) = tokio::io::split(stream);
    if own.is_multiple_of(3) {
        let expected = data(other);
        let reading = tokio::spawn(async move { receive(reader, &expected, own).await });
        send(writer, &data(own), own).await?;
        return reading.await.unwrap();
    }
    let (own_data, expected) = (data(own), data(other));
    let (sent, received) = tokio::join!(
        send(writer, &own_data, own),
        receive(reader, &expected, own)
    );
    sent.and(received)
}

async fn one_connection(
    number: u64,
    connector: TlsConnector,
    acceptor: TlsAcceptor,
    address: std::net::SocketAddr,
) {
    // Each end knows by this what the other sends. The server learns it first, in the clear.
    let (client_seed, server_seed) = (2 * number, 2 * number + 1);
    let name = server_name("a.test").unwrap();
    let capacity = [17, 257, 4096, 1 << 16][(number / 2 % 4) as usize];
    let result = if number.is_multiple_of(2) {
        let mut tcp = TcpStream::connect(address).await.unwrap();
        tcp.write_u64(number).await.unwrap();
        let stream = connector.connect(name, tcp).await.unwrap();
        talk(stream, client_seed, server_seed).await
    } else {
        let (near, far) = duplex(capacity);
        let client = async {
            let stream = connector.connect(name, near).await.unwrap();
            talk(stream, client_seed, server_seed).await
        };
        let server = async {
            let stream = acceptor.accept(far).await.unwrap();
            talk(stream, server_seed, client_seed).await
        };
        let (client, server) = tokio::join!(client, server);
        client.and(server)
    };
    result.unwrap_or_else(|error| panic!("connection {number}: {error}"));
}

#[test]
fn a_thousand_connections_at_once() {
    let (client, server) = configs();
    let (connector, acceptor) = (TlsConnector::from(client), TlsAcceptor::from(server));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .unwrap();
    let finished = runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut tasks = JoinSet::new();
        for number in 0..CONNECTIONS {
            let (connector, acceptor) = (connector.clone(), acceptor.clone());
            tasks.spawn(one_connection(number, connector, acceptor, address));
        }
        for _ in 0..CONNECTIONS / 2 {
            let (mut tcp, _) = listener.accept().await.unwrap();
            let acceptor = acceptor.clone();
            tasks.spawn(async move {
                let number = tcp.read_u64().await.unwrap();
                let stream = acceptor.accept(tcp).await.unwrap();
                let (client, server) = (2 * number, 2 * number + 1);
                talk(stream, server, client).await.unwrap();
            });
        }
        let all = async {
            let mut finished = 0;
            while let Some(result) = tasks.join_next().await {
                result.unwrap();
                finished += 1;
            }
            finished
        };
        // Far beyond what it takes: only a lost wake-up comes near it.
        tokio::time::timeout(Duration::from_secs(240), all).await
    });
    let finished = finished.expect("every connection comes to its end");
    assert_eq!(finished, CONNECTIONS + CONNECTIONS / 2);
}
