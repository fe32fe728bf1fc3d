//! The length of records: what the client asks of both ends, what an end does to its own, and
//! what wolfSSL lacks.

mod support;

use support::{Authority, ends, handshake};
use wolfssl::{
    AlertDescription, ClientConfig, ClientConfigBuilder, ConfigError, ConnectionCommon, Error,
    MaxFragmentLength, ProtocolVersion, ServerConfig, ServerConfigBuilder, Status, server_name,
};

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

/// What protection adds to a record at most: nonce or content type, and tag.
const OVERHEAD: usize = 8 + 16;

fn builders() -> (ClientConfigBuilder, ServerConfigBuilder) {
    let authority = Authority::new("root");
    // A chain that does not fit into one short record.
    let intermediate = authority.intermediate("intermediate");
    let leaf = intermediate.leaf(&["a.test"]).under(&intermediate);
    (
        ClientConfig::builder().roots(authority.roots()),
        ServerConfig::builder().identity(leaf.certified()),
    )
}

/// The lengths of the records in `wire`.
fn records(wire: &[u8]) -> Vec<usize> {
    let mut rest = wire;
    let mut lengths = Vec::new();
    while let [_, _, _, high, low, ..] = rest {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        lengths.push(length);
        rest = &rest[5 + length..];
    }
    assert!(rest.is_empty());
    lengths
}

/// Sends `data` over and returns the lengths of the records it took.
fn send(from: &mut ConnectionCommon, to: &mut ConnectionCommon, data: &[u8]) -> Vec<usize> {
    let mut wire = Vec::new();
    from.write(data, &mut wire).unwrap();
    let mut rest = wire.as_slice();
    let mut received = vec![0; data.len()];
    let mut count = 0;
    while to.process(&mut rest, &mut Vec::new()).unwrap() == Status::PlaintextReady {
        count += to.read(&mut received[count..]).unwrap();
    }
    assert_eq!(received, data);
    records(&wire)
}

#[test]
fn both_ends_keep_to_the_length_that_the_client_asked_for() {
    let data: Vec<u8> = (0..50_000u32).map(|i| i as u8).collect();
    for version in VERSIONS {
        for &length in MaxFragmentLength::ALL {
            let (client, server) = builders();
            let client = client.versions(&[version]).max_fragment_length(length);
            let (mut client, mut server) =
                ends(&client.build().unwrap(), &server.build().unwrap(), "a.test");
            let mut flights = Vec::new();
            {
                let (mut to_client, mut to_server) = (Vec::new(), Vec::new());
                for _ in 0..8 {
                    step(&mut client, &mut to_client, &mut to_server);
                    flights.extend(records(&to_server));
                    step(&mut server, &mut to_server, &mut to_client);
                    flights.extend(records(&to_client));
                }
            }
            assert!(!client.is_handshaking() && !server.is_handshaking());
            let limit = length.bytes() + OVERHEAD;
            // The client's hello comes before anything is agreed. So does the server's in
            // TLS 1.3, which has the answer in the message after it.
            let hellos = 1 + usize::from(version == ProtocolVersion::TLSv1_3);
            assert!(
                flights[hellos..].iter().all(|&record| record <= limit),
                "{version} {length:?}: {flights:?}"
            );
            assert_eq!(client.negotiated_max_fragment_length(), Some(length));
            assert_eq!(server.negotiated_max_fragment_length(), Some(length));
            for lengths in [
                send(&mut client, &mut server, &data),
                send(&mut server, &mut client, &data),
            ] {
                assert_eq!(lengths.len(), data.len().div_ceil(length.bytes()));
                assert!(lengths.iter().all(|&record| record <= limit));
            }
        }
    }
}

fn step(end: &mut ConnectionCommon, input: &mut Vec<u8>, output: &mut Vec<u8>) {
    let bytes = std::mem::take(input);
    let mut rest = bytes.as_slice();
    while end.process(&mut rest, output).unwrap() != Status::WantsInput {}
}

#[test]
fn without_being_asked_for_there_is_no_limit() {
    for version in VERSIONS {
        let (client, server) = builders();
        let client = client.versions(&[version]).build().unwrap();
        let (mut client, mut server) = ends(&client, &server.build().unwrap(), "a.test");
        assert!(handshake(&mut client, &mut server).is_ok());
        assert_eq!(client.negotiated_max_fragment_length(), None);
        assert_eq!(server.negotiated_max_fragment_length(), None);
        let lengths = send(&mut client, &mut server, &[7; 40_000]);
        assert_eq!(lengths.len(), 3);
    }
}

#[test]
fn a_record_longer_than_agreed_ends_the_connection() {
    for version in VERSIONS {
        let (client, server) = builders();
        let client = client
            .versions(&[version])
            .max_fragment_length(MaxFragmentLength::Bytes512);
        let (mut client, mut server) =
            ends(&client.build().unwrap(), &server.build().unwrap(), "a.test");
        assert!(handshake(&mut client, &mut server).is_ok());
        let too_long = [&[23, 3, 3, 0x10, 0][..], &[0; 4096]].concat();
        let mut alert = Vec::new();
        let error = client
            .process(&mut too_long.as_slice(), &mut alert)
            .unwrap_err();
        assert!(
            matches!(
                error,
                Error::Handshake {
                    alert_sent: Some(
                        AlertDescription::RecordOverflow | AlertDescription::DecodeError
                    ),
                    ..
                }
            ),
            "{error:?}"
        );
    }
}

#[test]
fn an_end_can_send_short_records_by_its_own_choice() {
    let data = [3; 10_000];
    for version in VERSIONS {
        for size in [64, 1000, 1460, 16_384] {
            let (client, server) = builders();
            let client = client
                .versions(&[version])
                .max_fragment_size(size)
                .build()
                .unwrap();
            let server = server.max_fragment_size(2 * 64).build().unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            assert!(handshake(&mut client, &mut server).is_ok());
            let lengths = send(&mut client, &mut server, &data);
            assert_eq!(lengths.len(), data.len().div_ceil(size), "{version} {size}");
            assert!(lengths.iter().all(|&length| length <= size + OVERHEAD));
            let lengths = send(&mut server, &mut client, &data);
            assert_eq!(lengths.len(), data.len().div_ceil(128));
            assert_eq!(client.negotiated_max_fragment_length(), None);
        }
    }
    for wrong in [0, 63, 16_385, usize::MAX] {
        let (client, server) = builders();
        assert!(matches!(
            client.max_fragment_size(wrong).build(),
            Err(Error::Config(ConfigError::FragmentSize { given })) if given == wrong
        ));
        assert!(matches!(
            server.max_fragment_size(wrong).build(),
            Err(Error::Config(ConfigError::FragmentSize { .. }))
        ));
    }
}

/// The types of the extensions in a hello.
fn extensions(hello: &[u8]) -> Vec<u16> {
    let mut rest = &hello[5 + 4 + 2 + 32..];
    rest = &rest[1 + usize::from(rest[0])..];
    rest = &rest[2 + usize::from(u16::from_be_bytes([rest[0], rest[1]]))..];
    rest = &rest[1 + usize::from(rest[0]) + 2..];
    let mut types = Vec::new();
    while let [high, low, length_high, length_low, ..] = rest {
        types.push(u16::from_be_bytes([*high, *low]));
        let length = usize::from(u16::from_be_bytes([*length_high, *length_low]));
        rest = &rest[4 + length..];
    }
    types
}

/// What wolfSSL 5.9.4 has not: when a later one has it, this fails and the docs change.
#[test]
fn record_size_limit_and_certificate_compression_are_not_offered() {
    const MAX_FRAGMENT_LENGTH: u16 = 1;
    const COMPRESS_CERTIFICATE: u16 = 27;
    const RECORD_SIZE_LIMIT: u16 = 28;
    let (client, _) = builders();
    let client = client
        .max_fragment_length(MaxFragmentLength::Bytes1024)
        .build()
        .unwrap();
    let name = server_name("a.test").unwrap();
    let mut client = wolfssl::ClientConnection::new(&client, name).unwrap();
    let mut hello = Vec::new();
    client.process(&mut &[][..], &mut hello).unwrap();
    let offered = extensions(&hello);
    assert!(offered.contains(&MAX_FRAGMENT_LENGTH), "{offered:?}");
    assert!(!offered.contains(&COMPRESS_CERTIFICATE), "{offered:?}");
    assert!(!offered.contains(&RECORD_SIZE_LIMIT), "{offered:?}");
}
