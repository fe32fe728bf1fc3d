//! Private keys held elsewhere: every kind of key, both ends and versions, answered at once
//! and later; and what becomes of answers that are wrong.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::pkcs8::DecodePrivateKey;
use support::{Authority, Leaf, ends, handshake, receive};
use wolfssl::{
    CertifiedKey, ClientAuth, ClientConfig, ConfigError, ConnectionCommon, DeferredSigning, Error,
    KeyFailure, ProtocolVersion, RootCertStore, ServerConfig, SignatureRequest, SignatureScheme,
    Signing, SigningError, SigningInput, SigningKey, Status,
};

/// A key in a box of its own, as a device would have it: wolfSSL sees the certificate alone.
struct Device {
    key: DeviceKey,
    requests: AtomicUsize,
}

enum DeviceKey {
    P256(p256::ecdsa::SigningKey),
    P384(p384::ecdsa::SigningKey),
    Rsa(Box<rsa::RsaPrivateKey>),
    Ed25519(rcgen::KeyPair),
}

impl Device {
    fn new(key: DeviceKey) -> Arc<Self> {
        Arc::new(Self {
            key,
            requests: AtomicUsize::new(0),
        })
    }

    fn signature(&self, request: &SignatureRequest) -> Vec<u8> {
        use SignatureScheme as S;
        match (&self.key, request.input(), request.scheme()) {
            (DeviceKey::P256(key), SigningInput::Digest(digest), _) => {
                let signature: p256::ecdsa::DerSignature = key.sign_prehash(digest).unwrap();
                signature.as_bytes().to_vec()
            }
            (DeviceKey::P384(key), SigningInput::Digest(digest), _) => {
                let signature: p384::ecdsa::DerSignature = key.sign_prehash(digest).unwrap();
                signature.as_bytes().to_vec()
            }
            (DeviceKey::Rsa(key), SigningInput::Digest(digest), scheme) => {
                use rsa::sha2::{Sha256, Sha384, Sha512};
                use rsa::{Pkcs1v15Sign, Pss};
                let mut rng = rsa::rand_core::OsRng;
                match scheme {
                    S::RSA_PKCS1_SHA256 => key.sign(Pkcs1v15Sign::new::<Sha256>(), digest),
                    S::RSA_PKCS1_SHA384 => key.sign(Pkcs1v15Sign::new::<Sha384>(), digest),
                    S::RSA_PKCS1_SHA512 => key.sign(Pkcs1v15Sign::new::<Sha512>(), digest),
                    S::RSA_PSS_SHA256 => key.sign_with_rng(&mut rng, Pss::new::<Sha256>(), digest),
                    S::RSA_PSS_SHA384 => key.sign_with_rng(&mut rng, Pss::new::<Sha384>(), digest),
                    S::RSA_PSS_SHA512 => key.sign_with_rng(&mut rng, Pss::new::<Sha512>(), digest),
                    other => panic!("{other} asked of an RSA key"),
                }
                .unwrap()
            }
            (DeviceKey::Ed25519(key), SigningInput::Message(message), S::ED25519) => {
                rcgen::SigningKey::sign(key, message).unwrap()
            }
            (_, input, scheme) => panic!("{scheme} over {input:?} asked of the wrong key"),
        }
    }
}

impl SigningKey for Device {
    fn sign(&self, request: &SignatureRequest) -> Result<Signing, KeyFailure> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        Ok(Signing::Done(self.signature(request)))
    }
}

const RSA_KEY: &str = include_str!("../../bench/fixtures/rsa-2048-leaf.key.pem");

/// A leaf of each kind of key, with a device that holds the key.
fn devices(authority: &Authority) -> Vec<(&'static str, Leaf, Arc<Device>)> {
    let leaf = |algorithm| authority.leaf_with(&["a.test"], algorithm, |_| {});
    let p256 = leaf(&rcgen::PKCS_ECDSA_P256_SHA256);
    let p384 = leaf(&rcgen::PKCS_ECDSA_P384_SHA384);
    let ed25519 = leaf(&rcgen::PKCS_ED25519);
    let rsa = authority.leaf_for_key(
        &["a.test"],
        rcgen::KeyPair::from_pem(RSA_KEY).unwrap(),
        |_| {},
    );
    let p256_key = DeviceKey::P256(DecodePrivateKey::from_pkcs8_der(&p256.key_der).unwrap());
    let p384_key = DeviceKey::P384(DecodePrivateKey::from_pkcs8_der(&p384.key_der).unwrap());
    let ed25519_key = DeviceKey::Ed25519(rcgen::KeyPair::from_pem(&ed25519.key_pem).unwrap());
    let rsa_key = DeviceKey::Rsa(Box::new(
        rsa::pkcs8::DecodePrivateKey::from_pkcs8_pem(RSA_KEY).unwrap(),
    ));
    vec![
        ("P-256", p256, Device::new(p256_key)),
        ("P-384", p384, Device::new(p384_key)),
        ("Ed25519", ed25519, Device::new(ed25519_key)),
        ("RSA", rsa, Device::new(rsa_key)),
    ]
}

fn server_config(identity: CertifiedKey) -> ServerConfig {
    ServerConfig::builder().identity(identity).build().unwrap()
}

fn client_config(roots: RootCertStore, version: ProtocolVersion) -> ClientConfig {
    ClientConfig::builder()
        .roots(roots)
        .versions(&[version])
        .build()
        .unwrap()
}

const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

/// Both directions carry data.
fn exchange(client: &mut ConnectionCommon, server: &mut ConnectionCommon) {
    let mut wire = Vec::new();
    client.write(b"ping", &mut wire).unwrap();
    assert_eq!(receive(server, &wire).unwrap(), b"ping");
    wire.clear();
    server.write(b"pong", &mut wire).unwrap();
    assert_eq!(receive(client, &wire).unwrap(), b"pong");
}

#[test]
fn servers_sign_with_every_kind_of_device() {
    let authority = Authority::new("root");
    for (name, leaf, device) in devices(&authority) {
        let identity = CertifiedKey::with_signing_key(leaf.chain.clone(), device.clone()).unwrap();
        let server = server_config(identity);
        for version in VERSIONS {
            let before = device.requests.load(Ordering::Relaxed);
            let client = client_config(authority.roots(), version);
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            assert!(outcome.is_ok(), "{name} {version}: {outcome:?}");
            assert_eq!(client.negotiated_version(), Some(version));
            assert_eq!(
                device.requests.load(Ordering::Relaxed),
                before + 1,
                "{name}"
            );
            exchange(&mut client, &mut server);
        }
    }
}

#[test]
fn clients_sign_with_every_kind_of_device() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .client_auth(ClientAuth::Required(authority.roots()))
        .build()
        .unwrap();
    for (name, leaf, device) in devices(&authority) {
        let identity = CertifiedKey::with_signing_key(leaf.chain.clone(), device.clone()).unwrap();
        for version in VERSIONS {
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .client_identity(identity.clone())
                .versions(&[version])
                .build()
                .unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let outcome = handshake(&mut client, &mut server);
            assert!(outcome.is_ok(), "{name} {version}: {outcome:?}");
            assert_eq!(server.peer_certificates(), leaf.chain.as_slice(), "{name}");
            exchange(&mut client, &mut server);
        }
        assert_eq!(device.requests.load(Ordering::Relaxed), 2, "{name}");
    }
}

/// Moves bytes between the two, answers signature requests only after some waiting, and says
/// how many there were.
fn handshake_with_late_answers(
    client: &mut ConnectionCommon,
    server: &mut ConnectionCommon,
    device: &Device,
) -> usize {
    let mut requests = 0;
    let (mut to_client, mut to_server) = (Vec::new(), Vec::new());
    for _ in 0..32 {
        requests += late_turn(client, &mut to_client, &mut to_server, device);
        requests += late_turn(server, &mut to_server, &mut to_client, device);
    }
    assert!(!client.is_handshaking() && !server.is_handshaking());
    requests
}

fn late_turn(
    end: &mut ConnectionCommon,
    input: &mut Vec<u8>,
    output: &mut Vec<u8>,
    device: &Device,
) -> usize {
    let bytes = std::mem::take(input);
    let mut rest = bytes.as_slice();
    let mut requests = 0;
    loop {
        match end.process(&mut rest, output).unwrap() {
            Status::HandshakeComplete => {}
            Status::WantsSignature => {
                requests += 1;
                let request = end.signature_request().unwrap().clone();
                // Asking again, also with new input, changes nothing while it waits.
                let (before, left) = (output.len(), rest.len());
                for _ in 0..3 {
                    let status = end.process(&mut rest, output).unwrap();
                    assert_eq!(status, Status::WantsSignature);
                }
                assert_eq!((output.len(), rest.len()), (before, left));
                assert_eq!(end.signature_request(), Some(&request));
                // A wrong one is refused and leaves the request open.
                assert!(matches!(
                    end.provide_signature(b"no signature"),
                    Err(Error::Signing(SigningError::WrongSignature { scheme })) if scheme == request.scheme()
                ));
                let signature = device.signature(&request);
                end.provide_signature(&signature).unwrap();
                assert_eq!(end.signature_request(), None);
                assert!(matches!(
                    end.provide_signature(&signature),
                    Err(Error::Signing(SigningError::NotRequested))
                ));
            }
            Status::WantsInput => return requests,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn servers_wait_for_signatures_that_come_later() {
    let authority = Authority::new("root");
    for (name, leaf, device) in devices(&authority) {
        let identity =
            CertifiedKey::with_signing_key(leaf.chain.clone(), Arc::new(DeferredSigning)).unwrap();
        let server = server_config(identity);
        for version in VERSIONS {
            let client = client_config(authority.roots(), version);
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let requests = handshake_with_late_answers(&mut client, &mut server, &device);
            assert_eq!(requests, 1, "{name} {version}");
            exchange(&mut client, &mut server);
        }
    }
}

#[test]
fn clients_wait_for_signatures_that_come_later() {
    let authority = Authority::new("root");
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .client_auth(ClientAuth::Required(authority.roots()))
        .build()
        .unwrap();
    for (name, leaf, device) in devices(&authority) {
        let identity =
            CertifiedKey::with_signing_key(leaf.chain.clone(), Arc::new(DeferredSigning)).unwrap();
        for version in VERSIONS {
            let client = ClientConfig::builder()
                .roots(authority.roots())
                .client_identity(identity.clone())
                .versions(&[version])
                .build()
                .unwrap();
            let (mut client, mut server) = ends(&client, &server, "a.test");
            let requests = handshake_with_late_answers(&mut client, &mut server, &device);
            assert_eq!(requests, 1, "{name} {version}");
            assert_eq!(server.peer_certificates(), leaf.chain.as_slice(), "{name}");
            exchange(&mut client, &mut server);
        }
    }
}

/// A device and what it answers.
type Answer = Box<dyn Fn(&SignatureRequest) -> Result<Signing, KeyFailure> + Send + Sync>;

/// The error of the end that signs with `answer`, for a server or a client.
fn error_of_signer(answer: Answer, version: ProtocolVersion, client_signs: bool) -> Error {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["a.test"]);
    let external = CertifiedKey::with_signing_key(leaf.chain.clone(), Arc::new(answer)).unwrap();
    let local = authority.leaf(&["a.test"]).certified();
    let (client_identity, server_identity) = match client_signs {
        true => (external, local),
        false => (local, external),
    };
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .client_identity(client_identity)
        .versions(&[version])
        .build()
        .unwrap();
    let server = ServerConfig::builder()
        .identity(server_identity)
        .client_auth(ClientAuth::Required(authority.roots()))
        .build()
        .unwrap();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let outcome = handshake(&mut client, &mut server);
    let (signer, error) = match client_signs {
        true => (&mut client as &mut ConnectionCommon, outcome.client),
        false => (&mut server as &mut ConnectionCommon, outcome.server),
    };
    let error = error.unwrap_err();
    let again = signer.process(&mut &[][..], &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), again.to_string(), "errors are final");
    error
}

fn in_every_place(answer: impl Fn() -> Answer, check: impl Fn(Error)) {
    for version in VERSIONS {
        for client_signs in [false, true] {
            check(error_of_signer(answer(), version, client_signs));
        }
    }
}

#[test]
fn signatures_that_do_not_verify_are_refused_before_they_are_sent() {
    let other_key = p256::ecdsa::SigningKey::from_slice(&[5; 32]).unwrap();
    let valid_of_another: Vec<u8> = {
        let signature: p256::ecdsa::DerSignature = other_key.sign_prehash(&[9; 32]).unwrap();
        signature.as_bytes().to_vec()
    };
    for signature in [
        vec![],
        vec![0x30],
        vec![0xff; 72],
        vec![0; 70_000],
        valid_of_another,
    ] {
        in_every_place(
            || {
                let signature = signature.clone();
                Box::new(move |_| Ok(Signing::Done(signature.clone())))
            },
            |error| {
                assert!(
                    matches!(
                        error,
                        Error::Signing(SigningError::WrongSignature {
                            scheme: SignatureScheme::ECDSA_NISTP256_SHA256
                        })
                    ),
                    "{error:?}"
                );
            },
        );
    }
}

#[test]
fn the_reason_of_a_key_that_fails_is_the_error() {
    in_every_place(
        || Box::new(|_| Err("the token was pulled out".into())),
        |error| {
            assert!(
                matches!(error, Error::Signing(SigningError::Key(_))),
                "{error:?}"
            );
            assert!(error.to_string().contains("the token was pulled out"));
            let signing = std::error::Error::source(&error).unwrap();
            assert_eq!(
                signing.source().unwrap().to_string(),
                "the token was pulled out"
            );
        },
    );
}

#[test]
fn a_panic_in_a_key_comes_out_of_process_and_ends_the_connection() {
    let authority = Authority::new("root");
    let leaf = authority.leaf(&["a.test"]);
    for version in VERSIONS {
        let panicking =
            |_: &SignatureRequest| -> Result<Signing, KeyFailure> { panic!("in the key") };
        let identity =
            CertifiedKey::with_signing_key(leaf.chain.clone(), Arc::new(panicking)).unwrap();
        let server = server_config(identity);
        let client = client_config(authority.roots(), version);
        let (mut client, mut server) = ends(&client, &server, "a.test");
        let mut hello = Vec::new();
        client.process(&mut &[][..], &mut hello).unwrap();
        let mut output = Vec::new();
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            server.process(&mut hello.as_slice(), &mut output)
        }))
        .unwrap_err();
        assert_eq!(payload.downcast_ref(), Some(&"in the key"));
        for _ in 0..2 {
            let result = server.process(&mut &[][..], &mut output);
            assert!(matches!(result, Err(Error::CallbackPanicked)), "{result:?}");
        }
        assert!(matches!(
            server.write(b"x", &mut output),
            Err(Error::CallbackPanicked)
        ));
        assert!(matches!(
            server.read(&mut [0]),
            Err(Error::CallbackPanicked)
        ));
        server.close_notify(&mut output).unwrap();
    }
}

#[test]
fn chains_without_a_usable_key_are_refused_when_they_are_given() {
    let key = || Arc::new(DeferredSigning);
    assert!(matches!(
        CertifiedKey::with_signing_key(Vec::new(), key()),
        Err(Error::Config(ConfigError::Empty {
            what: "certificates"
        }))
    ));
    let garbage = vec![wolfssl::pki_types::CertificateDer::from(vec![
        0x30, 3, 1, 2, 3,
    ])];
    assert!(matches!(
        CertifiedKey::with_signing_key(garbage, key()),
        Err(Error::Config(ConfigError::PrivateKey { .. }))
    ));
    let leaf = Authority::new("root").leaf(&["a.test"]);
    let identity = CertifiedKey::with_signing_key(leaf.chain, key()).unwrap();
    assert!(format!("{identity:?}").contains("held elsewhere"));
}

#[test]
fn a_waiting_connection_can_move_to_another_thread_or_go_away() {
    let authority = Authority::new("root");
    let (_, leaf, device) = devices(&authority).swap_remove(0);
    let identity =
        CertifiedKey::with_signing_key(leaf.chain.clone(), Arc::new(DeferredSigning)).unwrap();
    let server_config = server_config(identity);
    for version in VERSIONS {
        let client_config = client_config(authority.roots(), version);
        let (mut client, mut server) = ends(&client_config, &server_config, "a.test");
        let (mut hello, mut output) = (Vec::new(), Vec::new());
        client.process(&mut &[][..], &mut hello).unwrap();
        let status = server.process(&mut hello.as_slice(), &mut output).unwrap();
        assert_eq!(status, Status::WantsSignature);

        // One that is dropped while it waits, the other one's config gone.
        let (mut other, mut abandoned) = ends(&client_config, &server_config, "a.test");
        hello.clear();
        other.process(&mut &[][..], &mut hello).unwrap();
        abandoned
            .process(&mut hello.as_slice(), &mut Vec::new())
            .unwrap();
        drop(abandoned);

        let device = device.clone();
        let (mut server, mut output) = std::thread::spawn(move || {
            let signature = device.signature(server.signature_request().unwrap());
            server.provide_signature(&signature).unwrap();
            let status = server.process(&mut &[][..], &mut output).unwrap();
            assert_eq!(status, Status::WantsInput);
            (server, output)
        })
        .join()
        .unwrap();
        let mut to_server = Vec::new();
        let mut rest = output.as_slice();
        while client.process(&mut rest, &mut to_server).unwrap() != Status::WantsInput {}
        output.clear();
        let outcome = {
            let mut rest = to_server.as_slice();
            while server.process(&mut rest, &mut output).unwrap() != Status::WantsInput {}
            handshake_rest(&mut client, &output)
        };
        assert_eq!(outcome, Status::WantsInput);
        exchange(&mut client, &mut server);
    }
}

fn handshake_rest(client: &mut ConnectionCommon, bytes: &[u8]) -> Status {
    let mut rest = bytes;
    loop {
        match client.process(&mut rest, &mut Vec::new()).unwrap() {
            Status::HandshakeComplete => {}
            status => return status,
        }
    }
}

#[test]
fn streams_say_would_block_until_the_signature_is_given() {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};
    use wolfssl::{StreamOwned, server_name};

    let authority = Authority::new("root");
    let (_, leaf, device) = devices(&authority).swap_remove(0);
    let identity = CertifiedKey::with_signing_key(leaf.chain, Arc::new(DeferredSigning)).unwrap();
    let server_config = server_config(identity);
    let client_config = client_config(authority.roots(), ProtocolVersion::TLSv1_3);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (tcp, _) = listener.accept().unwrap();
        let connection = wolfssl::ServerConnection::new(&server_config).unwrap();
        let mut stream = StreamOwned::new(connection, tcp);
        for _ in 0..2 {
            let error = stream.complete_handshake().unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
            assert!(matches!(Error::from(error), Error::WantsSignature));
        }
        let connection = stream.connection_mut();
        let signature = device.signature(connection.signature_request().unwrap());
        connection.provide_signature(&signature).unwrap();
        stream.write_all(b"hello").unwrap();
        stream.shutdown().unwrap();
    });
    let tcp = TcpStream::connect(address).unwrap();
    let name = server_name("a.test").unwrap();
    let mut stream = StreamOwned::connect(&client_config, name, tcp).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert_eq!(text, "hello");
    server.join().unwrap();
}
