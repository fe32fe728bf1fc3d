//! A client and a server of one library, joined by two buffers in memory.

use crate::cohort::{Cohort, Connection, Result};

/// A pair of connections and the bytes under way between them.
pub struct Link<C: Cohort> {
    /// The client.
    pub client: C::Client,
    /// The server.
    pub server: C::Server,
}

/// The two buffers, kept apart from the connections so that they are allocated once for many.
#[derive(Default)]
pub struct Wires {
    /// From the client to the server.
    pub upstream: Vec<u8>,
    /// From the server to the client.
    pub downstream: Vec<u8>,
}

/// The server's bytes of one handshake.
#[derive(Default)]
pub struct Recording {
    /// All of them.
    pub all: Vec<u8>,
    /// Those sent from the moment on at which the server was done.
    pub last: Vec<u8>,
}

/// No handshake measured here takes more turns; one that does is not going to end.
const MOST_TURNS: usize = 8;

impl<C: Cohort> Link<C> {
    /// Two fresh connections, the client expecting the server to be `name`.
    pub fn new(cohort: &C, name: &'static str) -> Result<Self> {
        Ok(Self {
            client: cohort.client(name)?,
            server: cohort.server()?,
        })
    }

    /// Completes the handshake.
    pub fn handshake(&mut self, wires: &mut Wires) -> Result<()> {
        self.handshake_seen_by(wires, |_, _| {})
    }

    /// Completes the handshake and keeps what the server sent.
    pub fn handshake_recorded(&mut self, wires: &mut Wires) -> Result<Recording> {
        let mut recording = Recording::default();
        self.handshake_seen_by(wires, |bytes, server_is_done| {
            recording.all.extend_from_slice(bytes);
            if server_is_done {
                recording.last.extend_from_slice(bytes);
            }
        })?;
        Ok(recording)
    }

    /// Turns are taken until both sides are done and nothing is under way any more. `observe` gets
    /// each of the server's flights and whether the server is done.
    fn handshake_seen_by(
        &mut self,
        wires: &mut Wires,
        mut observe: impl FnMut(&[u8], bool),
    ) -> Result<()> {
        wires.upstream.clear();
        wires.downstream.clear();
        for _ in 0..MOST_TURNS {
            self.client
                .process(&mut wires.downstream.as_slice(), &mut wires.upstream)?;
            wires.downstream.clear();
            self.server
                .process(&mut wires.upstream.as_slice(), &mut wires.downstream)?;
            wires.upstream.clear();
            observe(&wires.downstream, !self.server.is_handshaking());
            if wires.downstream.is_empty()
                && !self.client.is_handshaking()
                && !self.server.is_handshaking()
            {
                return Ok(());
            }
        }
        Err(format!("the handshake is not over after {MOST_TURNS} turns").into())
    }

    /// Sends `plaintext` from the client to the server, which opens it into `opened`; both have the
    /// same length.
    pub fn transfer(
        &mut self,
        plaintext: &[u8],
        opened: &mut [u8],
        wires: &mut Wires,
    ) -> Result<()> {
        wires.upstream.clear();
        self.client.write(plaintext, &mut wires.upstream)?;
        let mut input = wires.upstream.as_slice();
        let mut filled = 0;
        while filled < opened.len() {
            let count = self.server.read(&mut input, &mut opened[filled..])?;
            if count == 0 {
                break;
            }
            filled += count;
        }
        if filled != plaintext.len() || !input.is_empty() {
            return Err(format!(
                "{} bytes were sent, {filled} arrived, {} of TLS are left over",
                plaintext.len(),
                input.len()
            )
            .into());
        }
        Ok(())
    }
}
