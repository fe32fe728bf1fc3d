//! A server certificate with its authority, and connections that resume, for the tests of
//! resumption.
#![allow(dead_code)] // each test binary uses its own part

use wolfssl::{
    ClientConfig, ClientConfigBuilder, ClientConnection, ConnectionCommon, ProtocolVersion,
    ServerConfig, ServerConfigBuilder, ServerConnection, SessionTicket, server_name,
};

use crate::support::{Authority, ends, handshake, receive};

pub const VERSIONS: [ProtocolVersion; 2] = [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3];

/// A certificate authority with a server certificate.
pub struct Site {
    pub authority: Authority,
    pub server: ServerConfigBuilder,
}

impl Site {
    pub fn new(names: &[&str]) -> Self {
        let authority = Authority::new("root");
        let server = ServerConfig::builder().identity(authority.leaf(names).certified());
        Self { authority, server }
    }

    pub fn client(&self, version: ProtocolVersion) -> ClientConfigBuilder {
        ClientConfig::builder()
            .roots(self.authority.roots())
            .versions(&[version])
    }
}

/// A connection that completes, sends something each way, and is closed.
pub fn connect(
    client: &ClientConfig,
    server: &ServerConfig,
    name: &str,
) -> (ClientConnection, ServerConnection) {
    let (client, server) = ends(client, server, name);
    complete(client, server)
}

pub fn complete(
    mut client: ClientConnection,
    mut server: ServerConnection,
) -> (ClientConnection, ServerConnection) {
    let outcome = handshake(&mut client, &mut server);
    assert!(outcome.is_ok(), "{outcome:?}");
    assert_eq!(client.is_resumed(), server.is_resumed());
    talk(&mut client, &mut server);
    (client, server)
}

pub fn talk(client: &mut ConnectionCommon, server: &mut ConnectionCommon) {
    for (from, to) in [(true, b"ping"), (false, b"pong")] {
        let mut wire = Vec::new();
        let (sender, receiver) = if from {
            (&mut *client, &mut *server)
        } else {
            (&mut *server, &mut *client)
        };
        sender.write(to, &mut wire).unwrap();
        assert_eq!(receive(receiver, &wire).unwrap(), to);
    }
}

/// The session of a new connection.
pub fn session(client: &ClientConfig, server: &ServerConfig, name: &str) -> SessionTicket {
    let (mut client, _) = connect(client, server, name);
    client.take_session().expect("a session came")
}

/// A connection that offers `session`; whether it was resumed.
pub fn resumes(
    client: &ClientConfig,
    server: &ServerConfig,
    name: &str,
    session: SessionTicket,
) -> bool {
    let client =
        ClientConnection::with_session(client, server_name(name).unwrap(), session).unwrap();
    let (client, _) = complete(client, ServerConnection::new(server).unwrap());
    client.is_resumed()
}
