//! Resumption in memory: tickets of both versions, what they are bound to, and how long.

#[path = "support/site.rs"]
mod site;
mod support;

use std::time::Duration;

use site::{Site, VERSIONS, complete, connect, resumes, session};
use support::{Authority, ends, handshake, receive};
use wolfssl::{
    AlertDescription, ClientConfig, ClientConfigBuilder, ClientConnection, ConfigError, Error,
    ProtocolVersion, Resumption, ServerConnection, ServerResumption, SessionTicket, TicketKeys,
    TicketSecret, server_name,
};

#[test]
fn connections_resume_by_default_in_both_versions() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client = site.client(version).build().unwrap();
        let server = site.server.build().unwrap();
        let (first, _) = connect(&client, &server, "a.test");
        assert!(!first.is_resumed(), "{version}");
        for _ in 0..5 {
            let (resumed, _) = connect(&client, &server, "a.test");
            assert!(resumed.is_resumed(), "{version}");
            assert_eq!(resumed.negotiated_version(), Some(version));
            // What the server once proved is still known.
            assert_eq!(resumed.peer_certificates(), first.peer_certificates());
            assert_eq!(resumed.peer_certificates().len(), 1);
            assert_eq!(resumed.negotiated_signature_scheme(), None);
        }
    }
}

#[test]
fn a_session_is_there_once_its_ticket_came() {
    let site = Site::new(&["a.test"]);
    let server = site.server.clone().build().unwrap();
    for resumption in [Resumption::default(), Resumption::manual()] {
        let client = site
            .client(ProtocolVersion::TLSv1_3)
            .resumption(resumption)
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&client, &server, "a.test");
        assert!(client.take_session().is_none());
        let (mut to_server, mut to_client) = (Vec::new(), Vec::new());
        client.process(&mut &[][..], &mut to_server).unwrap();
        server
            .process(&mut to_server.as_slice(), &mut to_client)
            .unwrap();
        to_server.clear();
        client
            .process(&mut to_client.as_slice(), &mut to_server)
            .unwrap();
        assert!(!client.is_handshaking());
        // The handshake is complete here, and the server has not sent a ticket yet.
        assert!(client.take_session().is_none());
        to_client.clear();
        server
            .process(&mut to_server.as_slice(), &mut to_client)
            .unwrap();
        server.write(b"hello", &mut to_client).unwrap();
        assert_eq!(receive(&mut client, &to_client).unwrap(), b"hello");
        // Two tickets came, each once.
        let one = client.take_session().unwrap();
        let other = client.take_session().unwrap();
        assert_ne!(*one.to_bytes(), *other.to_bytes());
        assert!(client.take_session().is_none());
    }
}

#[test]
fn explicit_sessions_resume_in_both_versions() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client = site
            .client(version)
            .resumption(Resumption::manual())
            .build()
            .unwrap();
        let server = site.server.build().unwrap();
        let mut next = session(&client, &server, "a.test");
        for _ in 0..3 {
            let bytes = next.to_bytes();
            let read = SessionTicket::from_bytes(&bytes).unwrap();
            assert_eq!(*read.to_bytes(), *bytes);
            assert_eq!(read.version(), version);
            assert_eq!(read.peer_certificates(), next.peer_certificates());
            let name = server_name("a.test").unwrap();
            let connection = ClientConnection::with_session(&client, name, read).unwrap();
            let (mut resumed, _) = complete(connection, ServerConnection::new(&server).unwrap());
            assert!(resumed.is_resumed(), "{version}");
            assert_eq!(resumed.peer_certificates().len(), 1);
            next = resumed.take_session().unwrap();
        }
        // Nothing was kept beside what was taken.
        let (client, _) = connect(&client, &server, "a.test");
        assert!(!client.is_resumed());
    }
}

#[test]
fn a_thousand_connections_each_resume_the_one_before() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client = site.client(version).build().unwrap();
        let server = site.server.build().unwrap();
        let mut resumed = 0;
        for _ in 0..1000 {
            let (client, _) = connect(&client, &server, "a.test");
            resumed += u32::from(client.is_resumed());
        }
        assert_eq!(resumed, 999, "{version}");
    }
}

#[test]
fn a_session_never_crosses_names_protocols_or_settings() {
    for version in VERSIONS {
        let site = Site::new(&["a.test", "b.test", "127.0.0.1"]);
        let server = site
            .server
            .clone()
            .alpn(["h2", "http/1.1"])
            .build()
            .unwrap();
        let client = |change: fn(ClientConfigBuilder) -> ClientConfigBuilder| {
            let builder = site.client(version).resumption(Resumption::manual());
            change(builder.alpn(["h2"])).build().unwrap()
        };
        let same = client(|builder| builder);
        let ticket = session(&same, &server, "a.test");
        assert_eq!(ticket.alpn(), Some(&b"h2"[..]));
        for name in ["b.test", "127.0.0.1"] {
            assert!(!resumes(&same, &server, name, ticket.clone()), "{name}");
        }
        let others: [fn(ClientConfigBuilder) -> ClientConfigBuilder; 5] = [
            |builder| builder.alpn(["http/1.1"]),
            |builder| builder.alpn(["h2", "http/1.1"]),
            |builder| builder.groups(&[wolfssl::NamedGroup::X25519]),
            |builder| builder.dangerous().without_certificate_verification(),
            |builder| builder.client_identity(Authority::new("other").leaf(&["c"]).certified()),
        ];
        for (index, change) in others.into_iter().enumerate() {
            let other = client(change);
            assert!(
                !resumes(&other, &server, "a.test", ticket.clone()),
                "{index}"
            );
        }
        // An equal configuration, a name in another spelling: the same.
        let equal = client(|builder| builder);
        assert!(resumes(&equal, &server, "A.Test.", ticket));
    }
}

#[test]
fn a_session_of_another_authority_does_not_spare_the_check() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let server = site.server.clone().build().unwrap();
        let resumption = Resumption::in_memory(10); // shared by both configurations
        let trusting = site
            .client(version)
            .resumption(resumption.clone())
            .build()
            .unwrap();
        connect(&trusting, &server, "a.test");
        let distrusting = ClientConfig::builder()
            .roots(Authority::new("other").roots())
            .versions(&[version])
            .resumption(resumption)
            .build()
            .unwrap();
        let (mut client, mut server) = ends(&distrusting, &server, "a.test");
        let outcome = handshake(&mut client, &mut server);
        assert!(
            matches!(
                outcome.client,
                Err(Error::InvalidCertificate(
                    wolfssl::CertificateError::UnknownIssuer
                ))
            ),
            "{outcome:?}"
        );
    }
}

#[test]
fn resumption_can_be_off_on_either_side() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client_on = site.client(version).build().unwrap();
        let client_off = site
            .client(version)
            .resumption(Resumption::disabled())
            .build()
            .unwrap();
        let server_on = site.server.clone().build().unwrap();
        let server_off = site
            .server
            .clone()
            .resumption(ServerResumption::disabled())
            .build()
            .unwrap();
        for (client, server) in [
            (&client_off, &server_on),
            (&client_on, &server_off),
            (&client_off, &server_off),
        ] {
            for _ in 0..3 {
                let (mut client, _) = connect(client, server, "a.test");
                assert!(!client.is_resumed());
                assert!(client.take_session().is_none());
            }
        }
        // A ticket from before is of no use to a server without tickets.
        let ticket = session(&client_on, &server_on, "a.test");
        assert!(!resumes(&client_on, &server_off, "a.test", ticket.clone()));
        assert!(!resumes(&client_off, &server_on, "a.test", ticket));
    }
}

#[test]
fn tickets_are_as_many_as_asked_for() {
    let site = Site::new(&["a.test"]);
    for count in [0, 1, 4, 8] {
        let resumption = ServerResumption::default().send_tls13_tickets(count);
        let server = site.server.clone().resumption(resumption).build().unwrap();
        let client = site.client(ProtocolVersion::TLSv1_3).build().unwrap();
        let (mut client, _) = connect(&client, &server, "a.test");
        let came = std::iter::from_fn(|| client.take_session()).count();
        assert_eq!(came, usize::from(count));
    }
    // More than a byte-sized nonce is good for, on a connection that was resumed itself.
    let resumption = ServerResumption::default().send_tls13_tickets(255);
    let server = site.server.clone().resumption(resumption).build().unwrap();
    let client = site.client(ProtocolVersion::TLSv1_3).build().unwrap();
    for attempt in 0..3 {
        let (client, _) = connect(&client, &server, "a.test");
        assert_eq!(client.is_resumed(), attempt > 0);
    }
}

#[test]
fn servers_that_share_keys_resume_each_others_sessions() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let secret = |byte| TicketSecret::new([byte; 32]);
        let with = |keys: TicketKeys| {
            let resumption = ServerResumption::tickets(keys);
            site.server.clone().resumption(resumption).build().unwrap()
        };
        let keys = TicketKeys::new(secret(1), []).unwrap();
        let one = with(keys.clone());
        // Made from the same bytes, as in another process.
        let other = with(TicketKeys::new(secret(1), []).unwrap());
        let stranger = with(TicketKeys::new(secret(9), []).unwrap());
        let client = site
            .client(version)
            .resumption(Resumption::manual())
            .build()
            .unwrap();
        let ticket = || session(&client, &one, "a.test");
        assert!(resumes(&client, &other, "a.test", ticket()));
        assert!(!resumes(&client, &stranger, "a.test", ticket()));

        let old = ticket();
        keys.rotate(secret(2)).unwrap();
        assert!(resumes(&client, &one, "a.test", old.clone()));
        let new = ticket();
        assert!(resumes(&client, &one, "a.test", new.clone()));
        assert!(!resumes(&client, &other, "a.test", new));
        for byte in 3..=5 {
            keys.rotate(secret(byte)).unwrap();
        }
        assert!(!resumes(&client, &one, "a.test", old));
    }
}

#[test]
fn a_restarted_server_with_new_keys_makes_full_handshakes() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let client = site.client(version).build().unwrap();
        let before = site.server.clone().build().unwrap();
        connect(&client, &before, "a.test");
        let after = site.server.build().unwrap();
        let (first, _) = connect(&client, &after, "a.test");
        assert!(!first.is_resumed());
        // The second ticket of before is tried in TLS 1.3; then only new ones are left.
        connect(&client, &after, "a.test");
        let (last, _) = connect(&client, &after, "a.test");
        assert!(last.is_resumed(), "{version}");
    }
}

#[test]
fn a_session_of_tls_1_2_is_offered_again_and_one_of_tls_1_3_is_not() {
    for (version, again) in [
        (ProtocolVersion::TLSv1_2, true),
        (ProtocolVersion::TLSv1_3, false),
    ] {
        let site = Site::new(&["a.test"]);
        let client = site.client(version).build().unwrap();
        let resumption = ServerResumption::default().send_tls13_tickets(1);
        let server = site.server.clone().resumption(resumption).build().unwrap();
        connect(&client, &server, "a.test");
        // Two connections begin before either gets a new session.
        let (one, other) = (
            ends(&client, &server, "a.test"),
            ends(&client, &server, "a.test"),
        );
        let (one, _) = complete(one.0, one.1);
        let (other, _) = complete(other.0, other.1);
        assert!(one.is_resumed());
        assert_eq!(other.is_resumed(), again, "{version}");
    }
}

#[test]
fn sessions_run_out() {
    for version in VERSIONS {
        let site = Site::new(&["a.test"]);
        let resumption = ServerResumption::default().lifetime(Duration::from_secs(2));
        let server = site.server.clone().resumption(resumption).build().unwrap();
        let client = site
            .client(version)
            .resumption(Resumption::manual())
            .build()
            .unwrap();
        let ticket = session(&client, &server, "a.test");
        let left = ticket.remaining_lifetime();
        assert!(left <= Duration::from_secs(2) && left >= Duration::from_secs(1));
        assert!(resumes(&client, &server, "a.test", ticket.clone()));
        std::thread::sleep(Duration::from_secs(3));
        assert_eq!(ticket.remaining_lifetime(), Duration::ZERO);
        assert!(!resumes(&client, &server, "a.test", ticket));
    }
    for seconds in [0, 7 * 24 * 3600 + 1] {
        let lifetime = Duration::from_secs(seconds);
        let resumption = ServerResumption::default().lifetime(lifetime);
        let site = Site::new(&["a.test"]);
        let error = site.server.resumption(resumption).build().unwrap_err();
        assert!(
            matches!(error, Error::Config(ConfigError::TicketLifetime { lifetime: given }) if given == lifetime),
            "{error}"
        );
    }
}

#[test]
fn under_an_encrypted_hello_each_handshake_is_a_full_one() {
    let site = Site::new(&["a.test", "public.test"]);
    let keys = wolfssl::EchKeys::generate("public.test").unwrap();
    let offer = wolfssl::EchMode::Offer(keys.config_list().clone());
    let client = site.client(ProtocolVersion::TLSv1_3).ech(offer);
    let server = site.server.clone().ech_keys([keys]).build().unwrap();
    let hidden = client.clone().build().unwrap();
    for _ in 0..3 {
        let (mut client, _) = connect(&hidden, &server, "a.test");
        assert!(!client.is_resumed());
        assert!(client.take_session().is_none());
        assert_eq!(client.ech_status(), wolfssl::EchStatus::Accepted);
    }
    let error = client.enable_early_data(true).build().unwrap_err();
    assert!(matches!(
        error,
        Error::Config(ConfigError::EarlyData { .. })
    ));
}

#[test]
fn a_server_that_changed_its_versions_is_met_with_a_full_handshake() {
    for before in VERSIONS {
        for after in [&VERSIONS[..], &VERSIONS[..1], &VERSIONS[1..]] {
            let site = Site::new(&["a.test"]);
            let keys = TicketKeys::new(TicketSecret::new([1; 32]), []).unwrap();
            let server = |versions: &[ProtocolVersion]| {
                let resumption = ServerResumption::tickets(keys.clone());
                let builder = site.server.clone().resumption(resumption);
                builder.versions(versions).build().unwrap()
            };
            let client = site.client(before).versions(&VERSIONS).build().unwrap();
            connect(&client, &server(&[before]), "a.test");
            let after_server = server(after);
            if (before, after) == (VERSIONS[0], &VERSIONS[1..]) {
                // wolfSSL offers TLS 1.2 alone with a TLS 1.2 session: fails, once.
                let (mut client, mut server) = ends(&client, &after_server, "a.test");
                let outcome = handshake(&mut client, &mut server);
                assert!(
                    matches!(
                        outcome.client,
                        Err(Error::AlertReceived(AlertDescription::ProtocolVersion))
                    ),
                    "{outcome:?}"
                );
            }
            let (connection, _) = connect(&client, &after_server, "a.test");
            let still = after.contains(&before);
            assert_eq!(connection.is_resumed(), still, "{before} {after:?}");
            let version = if still { before } else { after[0] };
            assert_eq!(connection.negotiated_version(), Some(version));
        }
    }
}
