//! What may be shared and sent between threads, and that it works.

mod support;

use support::{configs, ends, handshake, receive};
use wolfssl::{
    CertifiedKey, ClientConfig, ClientConnection, Error, RootCertStore, ServerConfig,
    ServerConnection, StreamOwned,
};

fn send<T: Send + 'static>() {}
fn send_and_sync<T: Send + Sync + 'static>() {}

#[test]
fn configurations_are_shared_and_connections_sent() {
    send_and_sync::<ClientConfig>();
    send_and_sync::<ServerConfig>();
    send_and_sync::<RootCertStore>();
    send_and_sync::<CertifiedKey>();
    send_and_sync::<Error>();
    send::<ClientConnection>();
    send::<ServerConnection>();
    send::<StreamOwned<ClientConnection, std::net::TcpStream>>();
}

#[test]
fn one_configuration_serves_many_threads() {
    let (client, server) = configs();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let (mut client, mut server) = ends(&client, &server, "a.test");
                    let outcome = handshake(&mut client, &mut server);
                    assert!(outcome.is_ok(), "{outcome:?}");
                    let mut wire = Vec::new();
                    client.write(&[7; 40_000], &mut wire).unwrap();
                    assert_eq!(receive(&mut server, &wire).unwrap(), [7; 40_000]);
                }
            });
        }
    });
}

#[test]
fn connections_outlive_their_configuration_in_any_drop_order() {
    for client_first in [false, true] {
        let (client_config, server_config) = configs();
        let (mut client, mut server) = ends(&client_config, &server_config, "a.test");
        assert!(handshake(&mut client, &mut server).is_ok());
        drop((client_config, server_config));
        if client_first {
            drop(client);
            drop(server);
        } else {
            drop(server);
            drop(client);
        }
    }
}
