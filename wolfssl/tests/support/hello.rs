//! Hellos of clients, in records of any size.

use wolfssl::{Accepted, Acceptor, ClientConfig, ClientConnection, ClientHelloError, server_name};

use super::Authority;

/// The first flight of a client, as records.
pub fn first_flight(client: &mut ClientConnection) -> Vec<u8> {
    let mut output = Vec::new();
    client.process(&mut &[][..], &mut output).unwrap();
    output
}

pub fn some_hello() -> Vec<u8> {
    let authority = Authority::new("root");
    let config = ClientConfig::builder()
        .roots(authority.roots())
        .alpn(["h2", "http/1.1"])
        .build()
        .unwrap();
    let name = server_name("WWW.Example.test").unwrap();
    first_flight(&mut ClientConnection::new(&config, name).unwrap())
}

/// The message of a hello in one record.
pub fn message_of(records: &[u8]) -> &[u8] {
    let length = usize::from(u16::from_be_bytes([records[3], records[4]]));
    assert_eq!(records.len(), 5 + length, "one record");
    &records[5..]
}

pub fn framed(message: &[u8], size: usize) -> Vec<u8> {
    let mut records = Vec::new();
    for fragment in message.chunks(size) {
        records.extend_from_slice(&[22, 3, 1]);
        records.extend_from_slice(&(fragment.len() as u16).to_be_bytes());
        records.extend_from_slice(fragment);
    }
    records
}

pub fn accept(bytes: &[u8]) -> Result<Option<Accepted>, ClientHelloError> {
    Acceptor::new().read_client_hello(&mut &bytes[..])
}
