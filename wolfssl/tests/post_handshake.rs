//! Post-handshake authentication: a server asks later, and what comes of it.

mod support;

use std::sync::Arc;

use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::pkcs8::DecodePrivateKey;
use support::{Authority, ends, handshake, receive};
use wolfssl::{
    AlertDescription, CertificateError, CertifiedKey, ClientAuth, ClientConfig,
    ClientConfigBuilder, ClientConnection, ConfigError, ConnectionCommon, DeferredSigning, Error,
    PostHandshakeAuth, PostHandshakeAuthError, ProtocolVersion, ServerConfig, ServerConnection,
    SigningInput, Status,
};

fn server_config(authority: &Authority, client_auth: ClientAuth) -> ServerConfig {
    ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .client_auth(client_auth)
        .build()
        .unwrap()
}

fn on_request(authority: &Authority, required: bool) -> ServerConfig {
    let roots = authority.roots();
    server_config(authority, ClientAuth::PostHandshake { roots, required })
}

fn client_builder(authority: &Authority) -> ClientConfigBuilder {
    ClientConfig::builder()
        .roots(authority.roots())
        .post_handshake_auth(true)
}

fn connect(client: &ClientConfig, server: &ServerConfig) -> (ClientConnection, ServerConnection) {
    let (mut client, mut server) = ends(client, server, "a.test");
    let outcome = handshake(&mut client, &mut server);
    assert!(outcome.is_ok(), "{outcome:?}");
    (client, server)
}

/// Gives `bytes` to `end` and returns what it wants sent.
fn answer(end: &mut ConnectionCommon, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let (mut rest, mut output) = (bytes, Vec::new());
    while end.process(&mut rest, &mut output)? != Status::WantsInput {}
    Ok(output)
}

fn exchange(client: &mut ConnectionCommon, server: &mut ConnectionCommon) {
    let mut wire = Vec::new();
    client.write(b"ping", &mut wire).unwrap();
    assert_eq!(receive(server, &wire).unwrap(), b"ping");
    wire.clear();
    server.write(b"pong", &mut wire).unwrap();
    assert_eq!(receive(client, &wire).unwrap(), b"pong");
}

#[test]
fn a_client_that_is_asked_shows_its_chain() {
    let authority = Authority::new("root");
    let intermediate = authority.intermediate("intermediate");
    let leaf = intermediate.leaf(&["client.test"]).under(&intermediate);
    let client = client_builder(&authority)
        .client_identity(leaf.certified())
        .build()
        .unwrap();
    for required in [false, true] {
        let (mut client, mut server) = connect(&client, &on_request(&authority, required));
        assert_eq!(
            server.post_handshake_auth(),
            PostHandshakeAuth::NotRequested
        );
        assert!(server.peer_certificates().is_empty());
        for _ in 0..3 {
            let mut request = Vec::new();
            server.request_client_certificate(&mut request).unwrap();
            assert_eq!(server.post_handshake_auth(), PostHandshakeAuth::Requested);
            assert!(server.peer_certificates().is_empty());
            let mut early = Vec::new();
            client.write(b"does not know yet", &mut early).unwrap();
            assert_eq!(receive(&mut server, &early).unwrap(), b"does not know yet");
            let reply = answer(&mut client, &request).unwrap();
            assert_eq!(server.post_handshake_auth(), PostHandshakeAuth::Requested);
            assert_eq!(answer(&mut server, &reply).unwrap(), []);
            assert_eq!(
                server.post_handshake_auth(),
                PostHandshakeAuth::Authenticated
            );
            assert_eq!(server.peer_certificates(), leaf.chain.as_slice());
            exchange(&mut client, &mut server);
        }
    }
}

#[test]
fn request_and_answer_arrive_byte_by_byte_between_data() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["client.test"]);
    let client = client_builder(&authority)
        .client_identity(leaf.certified())
        .build()
        .unwrap();
    let (mut client, mut server) = connect(&client, &on_request(&authority, true));
    let mut to_client = Vec::new();
    server.write(b"before", &mut to_client).unwrap();
    server.request_client_certificate(&mut to_client).unwrap();
    server.write(b"after", &mut to_client).unwrap();
    let mut to_server = Vec::new();
    client.write(b"unaware", &mut to_server).unwrap();
    let received = byte_by_byte(&mut client, &to_client, &mut to_server);
    assert_eq!(received, b"beforeafter");
    client.write(b"aware", &mut to_server).unwrap();
    let received = byte_by_byte(&mut server, &to_server, &mut Vec::new());
    assert_eq!(received, b"unawareaware");
    assert_eq!(
        server.post_handshake_auth(),
        PostHandshakeAuth::Authenticated
    );
    assert_eq!(server.peer_certificates(), leaf.chain.as_slice());
}

fn byte_by_byte(end: &mut ConnectionCommon, bytes: &[u8], output: &mut Vec<u8>) -> Vec<u8> {
    let mut received = Vec::new();
    for byte in bytes {
        let mut rest = std::slice::from_ref(byte);
        while end.process(&mut rest, output).unwrap() == Status::PlaintextReady {
            let mut buffer = [0; 64];
            let count = end.read(&mut buffer).unwrap();
            received.extend_from_slice(&buffer[..count]);
        }
    }
    received
}

#[test]
fn a_client_without_certificate_is_accepted_or_refused_as_configured() {
    let authority = Authority::new("root");
    let config = client_builder(&authority).build().unwrap();

    let (mut client, mut server) = connect(&config, &on_request(&authority, false));
    let mut request = Vec::new();
    server.request_client_certificate(&mut request).unwrap();
    let reply = answer(&mut client, &request).unwrap();
    answer(&mut server, &reply).unwrap();
    assert_eq!(server.post_handshake_auth(), PostHandshakeAuth::Declined);
    exchange(&mut client, &mut server);

    let (mut client, mut server) = connect(&config, &on_request(&authority, true));
    request.clear();
    server.request_client_certificate(&mut request).unwrap();
    let reply = answer(&mut client, &request).unwrap();
    let (mut rest, mut alert) = (reply.as_slice(), Vec::new());
    let error = loop {
        match server.process(&mut rest, &mut alert) {
            Ok(status) => assert_ne!(status, Status::WantsInput),
            Err(error) => break error,
        }
    };
    assert!(
        matches!(
            error,
            Error::InvalidCertificate(CertificateError::NotPresented)
        ),
        "{error:?}"
    );
    let error = receive(&mut client, &alert).unwrap_err();
    assert!(
        matches!(
            error,
            Error::AlertReceived(AlertDescription::CertificateRequired)
        ),
        "{error:?}"
    );
}

#[test]
fn a_certificate_of_another_authority_is_refused() {
    let (authority, stranger) = (Authority::new("root"), Authority::new("stranger"));
    for required in [false, true] {
        let client = client_builder(&authority)
            .client_identity(stranger.leaf(&["client.test"]).certified())
            .build()
            .unwrap();
        let (mut client, mut server) = connect(&client, &on_request(&authority, required));
        let mut request = Vec::new();
        server.request_client_certificate(&mut request).unwrap();
        let reply = answer(&mut client, &request).unwrap();
        let (mut rest, mut alert) = (reply.as_slice(), Vec::new());
        let error = server.process(&mut rest, &mut alert).unwrap_err();
        assert!(
            matches!(
                error,
                Error::InvalidCertificate(CertificateError::UnknownIssuer)
            ),
            "{error:?}"
        );
        assert_ne!(
            server.post_handshake_auth(),
            PostHandshakeAuth::Authenticated
        );
        let error = receive(&mut client, &alert).unwrap_err();
        assert!(
            matches!(error, Error::AlertReceived(AlertDescription::UnknownCA)),
            "{error:?}"
        );
    }
}

fn reason(result: Result<(), Error>) -> PostHandshakeAuthError {
    match result {
        Err(Error::PostHandshakeAuth(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_that_cannot_be_made_say_why_and_end_nothing() {
    let authority = Authority::new("root");
    let willing = client_builder(&authority).build().unwrap();
    let unwilling = ClientConfig::builder()
        .roots(authority.roots())
        .build()
        .unwrap();
    let old = ClientConfig::builder()
        .roots(authority.roots())
        .versions(&[ProtocolVersion::TLSv1_2])
        .build()
        .unwrap();
    let asking = on_request(&authority, false);
    let trusting_none = server_config(&authority, ClientAuth::None);
    for (client, server, expected) in [
        (&unwilling, &asking, PostHandshakeAuthError::NotOffered),
        (&old, &asking, PostHandshakeAuthError::NotTls13),
        (
            &willing,
            &trusting_none,
            PostHandshakeAuthError::NoTrustAnchors,
        ),
    ] {
        let (mut client, mut server) = connect(client, server);
        let mut output = Vec::new();
        assert_eq!(
            reason(server.request_client_certificate(&mut output)),
            expected
        );
        assert!(output.is_empty());
        assert_eq!(
            server.post_handshake_auth(),
            PostHandshakeAuth::NotRequested
        );
        exchange(&mut client, &mut server);
    }

    let (mut client, mut server) = ends(&willing, &asking, "a.test");
    assert!(matches!(
        server.request_client_certificate(&mut Vec::new()),
        Err(Error::HandshakeNotComplete)
    ));
    assert!(handshake(&mut client, &mut server).is_ok());
    let mut output = Vec::new();
    server.request_client_certificate(&mut output).unwrap();
    assert_eq!(
        reason(server.request_client_certificate(&mut output)),
        PostHandshakeAuthError::StillRequested
    );
    let reply = answer(&mut client, &output).unwrap();
    answer(&mut server, &reply).unwrap();
    server.close_notify(&mut output).unwrap();
    assert!(matches!(
        server.request_client_certificate(&mut output),
        Err(Error::WriteAfterClose)
    ));
}

#[test]
fn a_client_can_be_asked_as_often_as_needed() {
    let authority = Authority::new("root");
    let config = client_builder(&authority).build().unwrap();
    let (mut client, mut server) = connect(&config, &on_request(&authority, false));
    for _ in 0..300 {
        let mut request = Vec::new();
        server.request_client_certificate(&mut request).unwrap();
        let reply = answer(&mut client, &request).unwrap();
        answer(&mut server, &reply).unwrap();
        assert_eq!(server.post_handshake_auth(), PostHandshakeAuth::Declined);
    }
    exchange(&mut client, &mut server);
}

#[test]
fn clients_known_from_the_handshake_can_be_asked_again() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["client.test"]);
    let client = client_builder(&authority)
        .client_identity(leaf.certified())
        .build()
        .unwrap();
    let server = server_config(&authority, ClientAuth::Required(authority.roots()));
    let (mut client, mut server) = connect(&client, &server);
    assert_eq!(server.peer_certificates(), leaf.chain.as_slice());
    let mut request = Vec::new();
    server.request_client_certificate(&mut request).unwrap();
    assert!(server.peer_certificates().is_empty());
    let reply = answer(&mut client, &request).unwrap();
    answer(&mut server, &reply).unwrap();
    assert_eq!(
        server.post_handshake_auth(),
        PostHandshakeAuth::Authenticated
    );
    assert_eq!(server.peer_certificates(), leaf.chain.as_slice());
}

#[test]
fn tls12_clients_are_asked_in_the_handshake() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["client.test"]);
    let builder = || {
        ClientConfig::builder()
            .roots(authority.roots())
            .versions(&[ProtocolVersion::TLSv1_2])
    };
    let with = builder().client_identity(leaf.certified()).build().unwrap();
    let (_, server) = connect(&with, &on_request(&authority, true));
    assert_eq!(server.peer_certificates(), leaf.chain.as_slice());
    let (mut client, mut server) = ends(
        &builder().build().unwrap(),
        &on_request(&authority, true),
        "a.test",
    );
    let outcome = handshake(&mut client, &mut server);
    assert!(
        matches!(
            outcome.server,
            Err(Error::InvalidCertificate(CertificateError::NotPresented))
        ),
        "{outcome:?}"
    );
    assert!(matches!(
        builder().post_handshake_auth(true).build(),
        Err(Error::Config(ConfigError::NeedsTls13 { .. }))
    ));
}

#[test]
fn an_answer_waits_for_a_signature_that_comes_later() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["client.test"]);
    let key = p256::ecdsa::SigningKey::from_pkcs8_der(&leaf.key_der).unwrap();
    let identity =
        CertifiedKey::with_signing_key(leaf.chain.clone(), Arc::new(DeferredSigning)).unwrap();
    let client = client_builder(&authority)
        .client_identity(identity)
        .build()
        .unwrap();
    let (mut client, mut server) = connect(&client, &on_request(&authority, true));
    for round in 0..3 {
        let mut to_client = Vec::new();
        server.request_client_certificate(&mut to_client).unwrap();
        server
            .write(b"data behind the request", &mut to_client)
            .unwrap();
        let (mut rest, mut to_server) = (to_client.as_slice(), Vec::new());
        let status = client.process(&mut rest, &mut to_server).unwrap();
        assert_eq!(status, Status::WantsSignature, "round {round}");
        // Nothing may come between the messages of the answer.
        assert!(matches!(
            client.write(b"x", &mut to_server),
            Err(Error::WantsSignature)
        ));
        let status = client.process(&mut rest, &mut to_server).unwrap();
        assert_eq!(status, Status::WantsSignature);
        let SigningInput::Digest(digest) = client.signature_request().unwrap().input() else {
            panic!("ECDSA signs digests")
        };
        let signature: p256::ecdsa::DerSignature = key.sign_prehash(digest).unwrap();
        client.provide_signature(signature.as_bytes()).unwrap();
        assert!(matches!(
            client.write(b"x", &mut to_server),
            Err(Error::WantsSignature)
        ));
        let status = client.process(&mut rest, &mut to_server).unwrap();
        assert_eq!(status, Status::PlaintextReady);
        let mut buffer = [0; 64];
        let count = client.read(&mut buffer).unwrap();
        assert_eq!(&buffer[..count], b"data behind the request");
        answer(&mut server, &to_server).unwrap();
        assert_eq!(
            server.post_handshake_auth(),
            PostHandshakeAuth::Authenticated
        );
        assert_eq!(server.peer_certificates(), leaf.chain.as_slice());
        exchange(&mut client, &mut server);
    }
}
