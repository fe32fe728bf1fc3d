//! The TLS rows: whole handshakes, and records over one connection.

use std::time::Duration;

use super::link::{Link, Wires};
use super::probe::Prober;
use super::timer::run_for;
use super::{Measurable, Measurement};
use crate::cohort::{Cohort, Connection, Result};
use crate::fixtures::{Fixtures, SERVER_NAME};
use crate::scenario::{RECORD_BYTES, Scenario, TlsParameters};

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
}

impl<C: Cohort> Handshakes<C> {
    fn new(tls: &TlsParameters, fixtures: &Fixtures) -> Result<Self> {
        Ok(Self {
            prober: Prober::new(tls, fixtures)?,
            wires: Wires::default(),
        })
    }
}

impl<C: Cohort> Measurable for Handshakes<C> {
    fn measure(&mut self, duration: Duration) -> Result<Measurement> {
        let probed = self.prober.probe(&mut self.wires)?;
        let timing = run_for(duration, || {
            let mut link = Link::new(&self.prober.cohort, SERVER_NAME)?;
            link.handshake(&mut self.wires)?;
            if link.client.facts() != probed.facts || link.server.facts() != probed.facts {
                return Err("a timed handshake differs from the one before it".into());
            }
            Ok(())
        })?;
        Ok(Measurement {
            timing,
            bytes_each: 0,
            negotiated: Some(probed.negotiated),
        })
    }
}

/// Records of full size, sealed by the client and opened by the server.
struct Records<C: Cohort> {
    prober: Prober<C>,
    wires: Wires,
    plaintext: Vec<u8>,
    opened: Vec<u8>,
}

impl<C: Cohort> Records<C> {
    fn new(tls: &TlsParameters, fixtures: &Fixtures) -> Result<Self> {
        Ok(Self {
            prober: Prober::new(tls, fixtures)?,
            wires: Wires::default(),
            plaintext: (0..RECORD_BYTES).map(|index| (index % 251) as u8).collect(),
            opened: vec![0; RECORD_BYTES],
        })
    }
}

impl<C: Cohort> Measurable for Records<C> {
    fn measure(&mut self, duration: Duration) -> Result<Measurement> {
        let mut probed = self.prober.probe(&mut self.wires)?;
        let timing = run_for(duration, || {
            probed
                .link
                .transfer(&self.plaintext, &mut self.opened, &mut self.wires)
        })?;
        if self.opened != self.plaintext {
            return Err("the server opened other bytes than the client sealed".into());
        }
        Ok(Measurement {
            timing,
            bytes_each: RECORD_BYTES,
            negotiated: Some(probed.negotiated),
        })
    }
}
