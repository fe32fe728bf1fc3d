//! `Acceptor`: the ClientHello before there is a configuration or a connection.
//!
//! Choosing the configuration first means that no live session ever changes its context,
//! which wolfSSL's own server-name callback would need.

mod error;
mod hello;
mod records;

pub use self::error::ClientHelloError;
pub use self::hello::{ClientHello, Offered};

use std::io::{self, Read};

use self::records::Reassembly;
use super::server::ServerConnection;
use crate::config::server::ServerConfig;
use crate::error::Error;
use crate::protocol::AlertDescription;

/// Reads a ClientHello from the caller's buffers, so that a server can choose its
/// configuration by what the client asks for: its server name, its protocols, its versions.
///
/// No object of the C library exists meanwhile. The hello may come in pieces of any size, in
/// one record or in thousands. An `Acceptor` holds what it has read of the hello and nothing
/// else, at most [`Acceptor::MAX_CLIENT_HELLO`] bytes.
///
/// ```
/// # fn serve(
/// #     tcp: &mut std::net::TcpStream,
/// #     default: &wolfssl::ServerConfig,
/// #     other: &wolfssl::ServerConfig,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use std::io::Write;
/// use wolfssl::{Acceptor, Error, Stream};
///
/// let accepted = match Acceptor::new().read_from(tcp) {
///     Ok(accepted) => accepted,
///     Err(error) => {
///         // Tells a TLS peer why; there is nothing to tell a peer that speaks something else.
///         if let Error::ClientHello(error) = Error::from(error)
///             && let Some(record) = error.alert_record()
///         {
///             tcp.write_all(&record)?;
///         }
///         return Ok(());
///     }
/// };
/// let config = match accepted.client_hello().server_name() {
///     Some("other.example") => other,
///     _ => default,
/// };
/// let mut connection = accepted.into_connection(config)?;
/// Stream::new(&mut connection, tcp).complete_handshake()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Acceptor {
    reassembly: Reassembly,
    failure: Option<ClientHelloError>,
}

/// A ClientHello that was read and understood, waiting for a configuration.
#[derive(Debug)]
pub struct Accepted {
    hello: ClientHello,
    record_version: [u8; 2],
}

impl Acceptor {
    /// The longest ClientHello that is read, in bytes; wolfSSL itself takes none much longer.
    pub const MAX_CLIENT_HELLO: usize = 18 * 1024;

    /// An acceptor that has read nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the client's bytes until the hello is complete; `None` means that more are
    /// needed.
    ///
    /// The consumed part is cut off the front of `input`. What is left in it once a hello is
    /// returned belongs to the connection made from that hello. After that the acceptor is
    /// ready for the hello of another client.
    ///
    /// ```
    /// use wolfssl::{Acceptor, ClientHelloError};
    ///
    /// let mut acceptor = Acceptor::new();
    /// assert!(acceptor.read_client_hello(&mut &b"\x16\x03"[..]).unwrap().is_none());
    ///
    /// let error = Acceptor::new()
    ///     .read_client_hello(&mut &b"GET / HTTP/1.1\r\n"[..])
    ///     .unwrap_err();
    /// assert_eq!(error, ClientHelloError::PlainHttp);
    /// ```
    ///
    /// # Errors
    /// What is wrong with the client's bytes; the same error is returned from then on. Send
    /// [`ClientHelloError::alert_record`] and close the transport.
    pub fn read_client_hello(
        &mut self,
        input: &mut &[u8],
    ) -> Result<Option<Accepted>, ClientHelloError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.read(input).inspect_err(|&failure| {
            *self = Self {
                reassembly: Reassembly::default(),
                failure: Some(failure),
            };
        })
    }

    /// Reads a hello from a blocking transport, and not a byte beyond the hello's own record.
    ///
    /// # Errors
    /// The transport's own, `WouldBlock` included (call again); `UnexpectedEof` when it ends
    /// before the hello does; `InvalidData` with an [`Error::ClientHello`] inside, which
    /// [`Error::from`] takes out again.
    pub fn read_from(&mut self, transport: &mut impl Read) -> io::Result<Accepted> {
        loop {
            let mut piece = [0; 2048];
            let wanted = self.wants().min(piece.len());
            let count = match transport.read(&mut piece[..wanted]) {
                Ok(0) => return Err(Error::Truncated.into()),
                Ok(count) => count.min(wanted),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let accepted = self.read_client_hello(&mut &piece[..count]);
            if let Some(accepted) = accepted.map_err(Error::from)? {
                return Ok(accepted);
            }
        }
    }

    /// How many bytes are certainly needed yet, at least 1: a caller that reads no more than
    /// that from its transport never reads beyond the hello.
    pub fn wants(&self) -> usize {
        self.reassembly.wants()
    }

    fn read(&mut self, input: &mut &[u8]) -> Result<Option<Accepted>, ClientHelloError> {
        if !self.reassembly.push(input)? {
            return Ok(None);
        }
        let (message, record_version) = std::mem::take(&mut self.reassembly).into_message();
        Ok(Some(Accepted {
            hello: ClientHello::parse(message)?,
            record_version,
        }))
    }
}

impl Accepted {
    /// What the client asks for.
    pub fn client_hello(&self) -> &ClientHello {
        &self.hello
    }

    /// Goes on with this configuration: the connection answers the hello in its first
    /// [`process`](crate::ConnectionCommon::process), which also takes the input that was
    /// left behind the hello, if any.
    ///
    /// # Errors
    /// Of [`ServerConnection::new`].
    pub fn into_connection(self, config: &ServerConfig) -> Result<ServerConnection, Error> {
        let records = records::frame(self.hello.as_bytes(), self.record_version);
        ServerConnection::replaying(config, records)
    }

    /// Turns the client away: the record to send before the transport is closed.
    ///
    /// ```
    /// # fn refuse(accepted: wolfssl::Accepted) {
    /// use wolfssl::AlertDescription;
    ///
    /// let record = accepted.refuse(AlertDescription::UnrecognizedName);
    /// assert_eq!(record, *b"\x15\x03\x03\x00\x02\x02\x70"); // fatal, 112
    /// # }
    /// ```
    pub fn refuse(self, alert: AlertDescription) -> [u8; 7] {
        records::fatal_alert(alert)
    }
}
