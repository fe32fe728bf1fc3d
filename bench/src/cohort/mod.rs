//! What a TLS library has to offer to be measured: one file per library, each implementing
//! [`Cohort`]. What is measured, and how, is the worker's business and the same for all.

#[cfg(feature = "peer-rustls-aws-lc")]
mod lockfile;
#[cfg(feature = "peer-rustls-aws-lc")]
mod rustls;
#[cfg(feature = "wolfssl")]
mod wolfssl;

use std::error::Error as StdError;

use crate::fixtures::{Fixtures, Identity};
use crate::scenario::{Scenario, TlsParameters};
use crate::worker::Measurable;

/// Why a library could not do what it was asked; only ever shown to people.
pub type Failure = Box<dyn StdError + Send + Sync>;

/// Result with a [`Failure`].
pub type Result<T> = std::result::Result<T, Failure>;

/// A TLS library with the configurations of both sides for one scenario.
pub trait Cohort: Sized {
    /// The client's side of a connection.
    type Client: Connection;
    /// The server's side of a connection.
    type Server: Connection;

    /// Makes both configurations: only `tls.version`, its one suite and its one group are offered,
    /// no resumption by either side, no tickets, the client verifies the chain against
    /// `identity.ca`, no client certificate.
    fn new(tls: &TlsParameters, identity: &Identity) -> Result<Self>;

    /// A new client that expects the server to be `name`.
    fn client(&self, name: &'static str) -> Result<Self::Client>;

    /// A new server.
    fn server(&self) -> Result<Self::Server>;
}

/// One side of a connection over memory.
pub trait Connection {
    /// Takes in TLS bytes, advances the handshake, and appends what is to be sent to `output`.
    /// On return `input` is empty or the connection waits for application data to be read.
    fn process(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<()>;

    /// Whether the handshake is still going on.
    fn is_handshaking(&self) -> bool;

    /// Seals all of `plaintext` and appends the records to `output`.
    fn write(&mut self, plaintext: &[u8], output: &mut Vec<u8>) -> Result<()>;

    /// Takes in TLS bytes and moves plaintext to `plaintext`; returns how much. 0 means that more
    /// input is needed.
    fn read(&mut self, input: &mut &[u8], plaintext: &mut [u8]) -> Result<usize>;

    /// What this side says was negotiated; cheap, as it is asked after every timed handshake.
    fn facts(&self) -> Facts;

    /// The certificates the other side sent, DER, leaf first; empty for a server.
    fn peer_chain(&self) -> Vec<Vec<u8>>;

    /// The scheme of the other side's handshake signature, if the library tells it.
    fn peer_signature_scheme(&self) -> Option<u16>;
}

/// What one side of a connection says about it, as code points; 0 for what is not negotiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Protocol version.
    pub version: u16,
    /// Cipher suite.
    pub suite: u16,
    /// Key exchange group.
    pub group: u16,
    /// Whether an earlier session was resumed.
    pub resumed: bool,
}

/// A library compiled into this worker, without its type.
pub struct Library {
    /// The name that arms use.
    pub name: &'static str,
    /// Says what it is and how it was built.
    pub describe: fn() -> Result<Description>,
    /// Whether it can measure the scenario.
    pub supports: fn(&Scenario) -> bool,
    /// Makes the scenario ready, checking first that it computes the right thing.
    pub prepare: fn(&Scenario, &Fixtures) -> Result<Box<dyn Measurable>>,
}

/// The identity of a library.
pub struct Description {
    /// Its version.
    pub version: String,
    /// The cargo features that change its machine code, sorted.
    pub features: Vec<String>,
    /// Its own report of how it was built; free form.
    pub build_info: serde_json::Value,
}

/// The libraries compiled into this worker.
pub const LIBRARIES: &[Library] = &[
    #[cfg(feature = "wolfssl")]
    wolfssl::LIBRARY,
    #[cfg(feature = "peer-rustls-aws-lc")]
    rustls::LIBRARY,
];
