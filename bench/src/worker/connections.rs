//! The TLS rows: whole handshakes, and records over one connection.

use super::Measurable;
use super::link::{Link, Wires};
use super::probe::Prober;
use crate::cohort::{Cohort, Connection, Facts, Result};
use crate::fixtures::{Fixtures, SERVER_NAME};
use crate::scenario::{RECORD_BYTES, Scenario, TlsParameters};
use crate::validity::Negotiated;

/// Makes a TLS scenario ready for library `C`.
pub fn prepare<C: Cohort + 'static>(
    scenario: &Scenario,
    fixtures: &Fixtures,
) -> Result<Box<dyn Measurable>> {
    match scenario {
        Scenario::Handshake(tls) => Ok(Box::new(Handshakes::<C>::new(tls, fixtures)?)),
        Scenario::Bulk(tls) => Ok(Box::new(Records::<C>::new(tls, fixtures)?)),
        Scenario::Algorithm(_) => Err(format!("{scenario} is not a TLS scenario").into()),
    }
}

/// Whole handshakes, one after the other.
struct Handshakes<C: Cohort> {
    prober: Prober<C>,
    wires: Wires,
    /// What both sides of every handshake have to say.
    expected: Facts,
}

impl<C: Cohort> Handshakes<C> {
    fn new(tls: &TlsParameters, fixtures: &Fixtures) -> Result<Self> {
        Ok(Self {
            prober: Prober::new(tls, fixtures)?,
            wires: Wires::default(),
            expected: Facts::default(),
        })
    }
}

impl<C: Cohort> Measurable for Handshakes<C> {
    fn begin(&mut self) -> Result<Option<Negotiated>> {
        let probed = self.prober.probe(&mut self.wires)?;
        self.expected = probed.facts;
        Ok(Some(probed.negotiated))
    }

    fn step(&mut self) -> Result<()> {
        let mut link = Link::new(&self.prober.cohort, SERVER_NAME)?;
        link.handshake(&mut self.wires)?;
        if link.client.facts() != self.expected || link.server.facts() != self.expected {
            return Err("a timed handshake differs from the one before it".into());
        }
        Ok(())
    }

    fn bytes_each(&self) -> usize {
        0
    }
}

/// Records of full size, sealed by the client and opened by the server.
struct Records<C: Cohort> {
    prober: Prober<C>,
    wires: Wires,
    link: Option<Link<C>>,
    plaintext: Vec<u8>,
    opened: Vec<u8>,
}

impl<C: Cohort> Records<C> {
    fn new(tls: &TlsParameters, fixtures: &Fixtures) -> Result<Self> {
        Ok(Self {
            prober: Prober::new(tls, fixtures)?,
            wires: Wires::default(),
            link: None,
            plaintext: (0..RECORD_BYTES).map(|index| (index % 251) as u8).collect(),
            opened: vec![0; RECORD_BYTES],
        })
    }
}

impl<C: Cohort> Measurable for Records<C> {
    /// A new connection each time, over which one record has arrived as it was sent.
    fn begin(&mut self) -> Result<Option<Negotiated>> {
        let probed = self.prober.probe(&mut self.wires)?;
        self.link = Some(probed.link);
        self.opened.fill(0);
        self.step()?;
        if self.opened != self.plaintext {
            return Err("the server opened other bytes than the client sealed".into());
        }
        Ok(Some(probed.negotiated))
    }

    /// As many bytes arrive as were sent, or it is an error.
    fn step(&mut self) -> Result<()> {
        let link = self.link.as_mut().ok_or("there is no connection yet")?;
        link.transfer(&self.plaintext, &mut self.opened, &mut self.wires)
    }

    fn bytes_each(&self) -> usize {
        RECORD_BYTES
    }
}
