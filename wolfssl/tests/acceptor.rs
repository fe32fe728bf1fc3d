//! The ClientHello before the connection: what is read from it, in pieces of any size, and
//! what is refused.

mod support;

use std::io::{self, ErrorKind, Read};

use support::hello::{accept, first_flight, framed, message_of, some_hello};
use support::{Authority, configs, ends, handshake, receive};
use wolfssl::{
    Acceptor, AlertDescription, CipherSuite, ClientConfig, ClientConnection, ClientHello,
    ClientHelloError, Error, NamedGroup, ProtocolVersion, ServerConfig, ServerConnection,
    SignatureScheme, server_name,
};

/// A hello made of these extensions, each a type and its content.
fn hello_with(extensions: &[(u16, &[u8])]) -> Vec<u8> {
    let mut list = Vec::new();
    for (kind, content) in extensions {
        list.extend_from_slice(&kind.to_be_bytes());
        list.extend_from_slice(&(content.len() as u16).to_be_bytes());
        list.extend_from_slice(content);
    }
    let mut body = vec![3, 3];
    body.extend_from_slice(&[7; 32]);
    body.extend_from_slice(&[0, 0, 2, 0x13, 0x01, 1, 0]);
    body.extend_from_slice(&(list.len() as u16).to_be_bytes());
    body.extend_from_slice(&list);
    let mut message = vec![1];
    message.extend_from_slice(&(body.len() as u32).to_be_bytes()[1..]);
    message.extend_from_slice(&body);
    message
}

fn parse_with(extensions: &[(u16, &[u8])]) -> Result<ClientHello, ClientHelloError> {
    let accepted = accept(&framed(&hello_with(extensions), 1 << 14))?;
    Ok(accepted.expect("a whole hello").client_hello().clone())
}

#[test]
fn a_hello_says_what_the_client_offers() {
    let records = some_hello();
    let accepted = accept(&records).unwrap().unwrap();
    let hello = accepted.client_hello();
    assert_eq!(hello.server_name(), Some("www.example.test"));
    assert_eq!(
        hello.alpn().collect::<Vec<_>>(),
        [b"h2".as_slice(), b"http/1.1"]
    );
    assert!(hello.versions().contains(ProtocolVersion::TLSv1_3));
    assert!(hello.versions().contains(ProtocolVersion::TLSv1_2));
    assert_eq!(
        hello.cipher_suites().known().collect::<Vec<_>>(),
        CipherSuite::DEFAULT
    );
    assert_eq!(
        hello.groups().known().collect::<Vec<_>>(),
        NamedGroup::DEFAULT
    );
    assert!(
        hello
            .signature_schemes()
            .contains(SignatureScheme::ECDSA_NISTP256_SHA256)
    );
    let (group, share) = hello.key_shares().next().unwrap();
    assert_eq!(
        NamedGroup::from_value(group),
        Some(NamedGroup::X25519MLKEM768)
    );
    assert_eq!(share.len(), 1216); // 1184 of ML-KEM-768 and 32 of X25519
    assert_eq!(hello.random().len(), 32);
    assert_eq!(hello.as_bytes(), message_of(&records));
    assert!(hello.extensions().any(|(kind, _)| kind == 43));
    let text = format!("{hello:?}");
    for part in ["www.example.test", "h2", "TLSv1_3", "X25519MLKEM768"] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_tls12_hello_without_extensions_is_understood() {
    let mut body = vec![3, 3];
    body.extend_from_slice(&[9; 32]);
    body.extend_from_slice(&[4, 1, 2, 3, 4]); // session id
    body.extend_from_slice(&[0, 4, 0xc0, 0x2b, 0xab, 0xcd, 1, 0]);
    let mut message = vec![1, 0, 0, body.len() as u8];
    message.extend_from_slice(&body);
    let accepted = accept(&framed(&message, 1 << 14)).unwrap().unwrap();
    let hello = accepted.client_hello();
    assert_eq!(hello.server_name(), None);
    assert_eq!(hello.versions().collect::<Vec<_>>(), [0x0303]);
    assert_eq!(hello.session_id(), [1, 2, 3, 4]);
    assert_eq!(hello.random(), [9; 32]);
    assert_eq!(
        hello.cipher_suites().collect::<Vec<_>>(),
        [0xc02b, 0xabcd],
        "unknown ones keep their value"
    );
    assert_eq!(hello.cipher_suites().known().count(), 1);
    assert_eq!(hello.alpn().count(), 0);
    assert_eq!(hello.key_shares().count(), 0);
    assert_eq!(hello.extensions().count(), 0);
}

#[test]
fn records_and_pieces_may_be_of_any_size() {
    let records = some_hello();
    let message = message_of(&records);
    for record_size in [1, 2, 3, 4, 5, 7, 100, 1000, 1 << 14] {
        let records = framed(message, record_size);
        for piece in [1, 2, 5, 6, 64, records.len()] {
            let mut acceptor = Acceptor::new();
            let mut pieces = records.chunks(piece).peekable();
            let accepted = loop {
                let mut input = pieces.next().expect("complete before the end");
                if let Some(accepted) = acceptor.read_client_hello(&mut input).unwrap() {
                    assert!(input.is_empty() && pieces.peek().is_none());
                    break accepted;
                }
                assert!(input.is_empty(), "all is taken while more is needed");
            };
            assert_eq!(accepted.client_hello().as_bytes(), message);
        }
    }
}

#[test]
fn the_connection_goes_on_from_the_hello() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .build()
        .unwrap();
    for version in [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3] {
        let client = ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[version])
            .build()
            .unwrap();
        for record_size in [1, 3, 50, 1 << 14] {
            let mut client =
                ClientConnection::new(&client, server_name("a.test").unwrap()).unwrap();
            let flight = first_flight(&mut client);
            let records = framed(message_of(&flight), record_size);
            let accepted = accept(&records).unwrap().unwrap();
            let mut server = accepted.into_connection(&server).unwrap();
            let outcome = handshake(&mut client, &mut server);
            assert!(outcome.is_ok(), "{version} {record_size}: {outcome:?}");
            assert_eq!(server.negotiated_version(), Some(version));
            assert_eq!(server.server_name().as_deref(), Some("a.test"));
            let mut wire = Vec::new();
            server.write(b"chosen", &mut wire).unwrap();
            assert_eq!(receive(&mut client, &wire).unwrap(), b"chosen");
        }
    }
}

#[test]
fn without_it_wolfssl_wants_the_message_header_in_one_record() {
    let (_, config) = configs();
    let records = some_hello();
    for (size, understood) in [(3, false), (4, true), (50, true)] {
        let mut server = ServerConnection::new(&config).unwrap();
        let mut input = &framed(message_of(&records), size)[..];
        let result = server.process(&mut input, &mut Vec::new());
        assert_eq!(result.is_ok(), understood, "{size}: {result:?}");
    }
}

#[test]
fn the_configuration_follows_the_server_name() {
    let authority = Authority::new("root");
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .build()
        .unwrap();
    let config_for = |name: &str| {
        ServerConfig::builder()
            .identity(authority.leaf(&[name]).certified())
            .build()
            .unwrap()
    };
    let shops = [config_for("one.test"), config_for("two.test")];
    for (index, name) in ["one.test", "two.test"].into_iter().enumerate() {
        let mut client = ClientConnection::new(&client, server_name(name).unwrap()).unwrap();
        let accepted = accept(&first_flight(&mut client)).unwrap().unwrap();
        let chosen = match accepted.client_hello().server_name() {
            Some("one.test") => &shops[0],
            Some("two.test") => &shops[1],
            other => panic!("{other:?}"),
        };
        let mut server = accepted.into_connection(chosen).unwrap();
        assert!(handshake(&mut client, &mut server).is_ok(), "{index}");
    }
}

#[test]
fn a_client_that_is_turned_away_learns_why() {
    let (client, server) = configs();
    let (mut client, _) = ends(&client, &server, "a.test");
    let accepted = accept(&first_flight(&mut client)).unwrap().unwrap();
    let record = accepted.refuse(AlertDescription::UnrecognizedName);
    let error = client
        .process(&mut record.as_slice(), &mut Vec::new())
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::AlertReceived(AlertDescription::UnrecognizedName)
        ),
        "{error:?}"
    );
}

#[test]
fn what_follows_the_hello_is_left_for_the_connection() {
    let mut bytes = some_hello();
    let length = bytes.len();
    bytes.extend_from_slice(b"\x14\x03\x03\x00\x01\x01early"); // as 0-RTT clients do
    let mut input = bytes.as_slice();
    let mut acceptor = Acceptor::new();
    acceptor.read_client_hello(&mut input).unwrap().unwrap();
    assert_eq!(input, &bytes[length..]);

    struct Slow<'a>(&'a [u8], bool);
    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            match self.1 {
                true => Err(ErrorKind::WouldBlock.into()),
                false => self.0.read(&mut buffer[..1]),
            }
        }
    }
    let mut transport = Slow(&bytes, false);
    let accepted = loop {
        match acceptor.read_from(&mut transport) {
            Ok(accepted) => break accepted,
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
    };
    assert_eq!(transport.0, &bytes[length..]);
    assert_eq!(accepted.client_hello().as_bytes().len(), length - 5);

    let mut whole = bytes.as_slice();
    Acceptor::new().read_from(&mut whole).unwrap();
    assert_eq!(whole, &bytes[length..]);
}

#[test]
fn a_transport_that_ends_is_told_apart_from_a_bad_hello() {
    let records = some_hello();
    let error = Acceptor::new().read_from(&mut &records[..100]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
    let error = Acceptor::new()
        .read_from(&mut &b"POST / HTTP/1.1"[..])
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(matches!(
        Error::from(error),
        Error::ClientHello(ClientHelloError::PlainHttp)
    ));
}

#[test]
fn what_is_no_hello_is_refused_with_the_right_alert() {
    use AlertDescription as Alert;
    use ClientHelloError as Wrong;
    let cases: &[(&[u8], Wrong, Option<Alert>)] = &[
        (b"GET / HTTP/1.1\r\n", Wrong::PlainHttp, None),
        (b"OPTIONS * HTTP/1.1\r\n", Wrong::PlainHttp, None),
        (b"PRI * HTTP/2.0\r\n", Wrong::PlainHttp, None),
        (b"SSH-2.0-OpenSSH", Wrong::NotTls, None),
        (b"\0\0\0\0\0", Wrong::NotTls, None),
        (b"\x16\x02\0\0\0", Wrong::NotTls, None),
        // A hello of SSL 2.0 with three suites, as old scanners send it.
        (
            b"\x80\x1c\x01\x03\x01\x00\x03\x00\x00\x00\x10\x00\x00\x39",
            Wrong::Sslv2,
            Some(Alert::ProtocolVersion),
        ),
        (b"\x80\x1c\x02\x03\x01", Wrong::NotTls, None),
        (
            b"\x17\x03\x03\x00\x10",
            Wrong::UnexpectedContentType { content_type: 23 },
            Some(Alert::UnexpectedMessage),
        ),
        (
            b"\x15\x03\x01\x00\x02\x02\x28",
            Wrong::UnexpectedContentType { content_type: 21 },
            None,
        ),
        (
            b"\x16\x03\x01\x00\x00",
            Wrong::EmptyRecord,
            Some(Alert::DecodeError),
        ),
        (
            b"\x16\x03\x01\x40\x01",
            Wrong::RecordTooLong { length: 0x4001 },
            Some(Alert::RecordOverflow),
        ),
        (
            b"\x16\x03\x01\x00\x04\x02\0\0\0",
            Wrong::UnexpectedMessage { message_type: 2 },
            Some(Alert::UnexpectedMessage),
        ),
        (
            b"\x16\x03\x01\x00\x04\x01\xff\xff\xff",
            Wrong::TooLong { length: 0xff_ffff },
            Some(Alert::IllegalParameter),
        ),
        (
            b"\x16\x03\x01\x00\x05\x01\0\0\0\0",
            Wrong::TrailingData,
            Some(Alert::UnexpectedMessage),
        ),
        (
            b"\x16\x03\x01\x00\x04\x01\0\0\0",
            Wrong::Malformed {
                field: "legacy_version",
            },
            Some(Alert::DecodeError),
        ),
        // The hello's first record, then one of another kind.
        (
            b"\x16\x03\x01\x00\x02\x01\0\x17\x03\x03\x00\x01",
            Wrong::UnexpectedContentType { content_type: 23 },
            Some(Alert::UnexpectedMessage),
        ),
        (
            b"\x16\x03\x01\x00\x02\x01\0GET ",
            Wrong::UnexpectedContentType { content_type: b'G' },
            Some(Alert::UnexpectedMessage),
        ),
    ];
    for (bytes, wrong, alert) in cases {
        let text = bytes.escape_ascii();
        assert_eq!(accept(bytes).unwrap_err(), *wrong, "{text}");
        assert_eq!(wrong.alert(), *alert, "{text}");
        assert!(!wrong.to_string().is_empty());
        if let Some(alert) = alert {
            let record = [21, 3, 3, 0, 2, 2, alert.value()];
            assert_eq!(wrong.alert_record(), Some(record));
        }
        // Byte by byte it comes to the same, and stays so.
        let mut acceptor = Acceptor::new();
        let failure = bytes
            .iter()
            .find_map(|&byte| acceptor.read_client_hello(&mut &[byte][..]).err());
        assert_eq!(failure, Some(*wrong), "{text}");
        let later = acceptor.read_client_hello(&mut &some_hello()[..]);
        assert_eq!(later.unwrap_err(), *wrong, "{text}");
    }
}

#[test]
fn malformed_fields_are_named() {
    let malformed = |field| ClientHelloError::Malformed { field };
    let cases: &[(u16, &[u8], ClientHelloError)] = &[
        (0, b"", malformed("server_name")),
        (0, b"\0\0", malformed("server_name")),
        (0, b"\0\x04\0\0\x05a", malformed("server_name")),
        (0, b"\0\x03\0\0\0", malformed("server_name")),
        (0, b"\0\x08\0\0\x01a\0\0\x01b", malformed("server_name")),
        (
            0,
            b"\0\x04\0\0\x01\xff",
            ClientHelloError::IllegalServerName,
        ),
        (0, b"\0\x04\0\0\x01\0", ClientHelloError::IllegalServerName),
        (10, b"\0\0", malformed("supported_groups")),
        (10, b"\0\x03\0\x1d\0", malformed("supported_groups")),
        (13, b"\0\x02\x08\x07\0", malformed("signature_algorithms")),
        (16, b"\0\0", malformed("ALPN")),
        (16, b"\0\x01\0", malformed("ALPN")),
        (16, b"\0\x04\x02h2\x09", malformed("ALPN")),
        (43, b"\0", malformed("supported_versions")),
        (43, b"\x01\x03", malformed("supported_versions")),
        (51, b"\0\x04\0\x1d\0\0", malformed("key_share")),
        (51, b"\0\x05\0\x1d\0\x02x", malformed("key_share")),
    ];
    for (kind, content, wrong) in cases {
        let text = content.escape_ascii();
        let result = parse_with(&[(*kind, content)]);
        assert_eq!(result.unwrap_err(), *wrong, "{kind}: {text}");
    }
    assert_eq!(
        parse_with(&[(77, b""), (10, b"\0\x02\0\x1d"), (77, b"x")]).unwrap_err(),
        ClientHelloError::DuplicateExtension { extension: 77 }
    );
    assert!(parse_with(&[(51, b"\0\0")]).is_ok(), "asks for a retry");
}

#[test]
fn server_names_that_are_addresses_count_as_none() {
    let name = |text: &str| {
        let mut content = Vec::new();
        content.extend_from_slice(&(text.len() as u16 + 3).to_be_bytes());
        content.push(0);
        content.extend_from_slice(&(text.len() as u16).to_be_bytes());
        content.extend_from_slice(text.as_bytes());
        parse_with(&[(0, &content)]).map(|hello| hello.server_name().map(str::to_owned))
    };
    assert_eq!(name("192.0.2.1"), Ok(None));
    assert_eq!(name("2001:db8::1"), Ok(None));
    assert_eq!(name("A.test."), Ok(Some("a.test".to_owned())));
    assert_eq!(name("bad name"), Err(ClientHelloError::IllegalServerName));
    // A name of another type is passed over.
    let hello = parse_with(&[(0, b"\0\x08\x07\0\x01x\0\0\x01y")]).unwrap();
    assert_eq!(hello.server_name(), Some("y"));
}

#[test]
fn no_part_of_a_hello_is_a_hello_or_an_error() {
    let records = some_hello();
    for end in 0..records.len() {
        assert!(accept(&records[..end]).unwrap().is_none(), "{end} bytes");
    }
}

#[test]
fn an_endless_hello_is_cut_off() {
    // Announces the most that is allowed, in records of one byte.
    let length = Acceptor::MAX_CLIENT_HELLO;
    let mut message = vec![1];
    message.extend_from_slice(&(length as u32).to_be_bytes()[1..]);
    message.resize(4 + length, 0);
    let mut acceptor = Acceptor::new();
    let error = acceptor
        .read_client_hello(&mut framed(&message, 1).as_slice())
        .unwrap_err();
    assert!(matches!(error, ClientHelloError::Malformed { .. }));

    message[1..4].copy_from_slice(&(length as u32 + 1).to_be_bytes()[1..]);
    let error = accept(&framed(&message[..4], 1)).unwrap_err();
    assert_eq!(error, ClientHelloError::TooLong { length: length + 1 });
}
