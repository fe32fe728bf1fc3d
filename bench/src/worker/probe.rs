//! The untimed handshake before every sample: what the wire, the client and the server say about
//! it has to agree, and becomes the sample's negotiated facts.

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;

use super::link::{Link, Wires};
use super::wire::{self, WireFacts};
use crate::cohort::{Cohort, Connection, Facts, Result};
use crate::fixtures::{Fixtures, Identity, SERVER_NAME, WRONG_NAME};
use crate::scenario::TlsParameters;
use crate::scenario::parameter::{
    KeyKind, TlsVersion, group_name, signature_scheme_name, suite_name, version_name,
};
use crate::validity::Negotiated;

/// The configurations of a scenario, together with what its connections must look like.
pub struct Prober<C> {
    /// The library with the configurations.
    pub cohort: C,
    tls: TlsParameters,
    leaves: Vec<(KeyKind, Vec<u8>)>,
    verified: bool,
}

/// A connection that was looked at, ready to be used.
pub struct Probed<C: Cohort> {
    /// The connection, its handshake over.
    pub link: Link<C>,
    /// What was found.
    pub negotiated: Negotiated,
    /// What both sides of every further handshake have to say.
    pub facts: Facts,
}

impl<C: Cohort> Prober<C> {
    /// Makes the configurations, and finds out whether the client verifies: it must refuse the
    /// server under a wrong name, and when it trusts another CA.
    pub fn new(tls: &TlsParameters, fixtures: &Fixtures) -> Result<Self> {
        let identity = fixtures.identity(tls.key)?;
        let cohort = C::new(tls, &identity)?;
        let distrusting = C::new(
            tls,
            &Identity {
                ca: fixtures.foreign_ca()?,
                ..identity
            },
        )?;
        let mut leaves = Vec::new();
        for &key in KeyKind::ALL {
            let chain = fixtures.identity(key)?.chain;
            leaves.push((
                key,
                CertificateDer::from_pem_slice(chain.as_bytes())?.to_vec(),
            ));
        }
        let verified = is_refused(&cohort, WRONG_NAME)? && is_refused(&distrusting, SERVER_NAME)?;
        Ok(Self {
            cohort,
            tls: *tls,
            leaves,
            verified,
        })
    }

    /// Makes one connection and looks at it.
    pub fn probe(&self, wires: &mut Wires) -> Result<Probed<C>> {
        let mut link = Link::new(&self.cohort, SERVER_NAME)?;
        let recording = link.handshake_recorded(wires)?;
        let wire = wire::read(&recording.all)?;
        let facts = Facts {
            version: wire.version,
            suite: wire.suite,
            group: wire.group,
            resumed: wire.resumed,
        };
        for (side, said) in [
            ("client", link.client.facts()),
            ("server", link.server.facts()),
        ] {
            if said != facts {
                return Err(
                    format!("the {side} says {said:x?}, the bytes on the wire {facts:x?}").into(),
                );
            }
        }
        let negotiated = self.negotiated(&link, &wire, &recording.last)?;
        Ok(Probed {
            link,
            negotiated,
            facts,
        })
    }

    fn negotiated(&self, link: &Link<C>, wire: &WireFacts, last: &[u8]) -> Result<Negotiated> {
        let chain = link.client.peer_chain();
        let tickets = match self.tls.version {
            TlsVersion::Tls12 if chain.len() != wire.certificates => {
                return Err(format!(
                    "the client received {} certificates, the wire carried {}",
                    chain.len(),
                    wire.certificates
                )
                .into());
            }
            TlsVersion::Tls12 => wire.tickets,
            TlsVersion::Tls13 => wire::count_application_records(last)?,
        };
        let key = chain
            .first()
            .and_then(|leaf| self.leaves.iter().find(|(_, known)| known == leaf))
            .map_or("unknown", |(key, _)| key.label());
        let scheme = wire
            .signature_scheme
            .or_else(|| link.client.peer_signature_scheme());
        Ok(Negotiated {
            version: version_name(wire.version),
            suite: suite_name(wire.suite),
            group: group_name(wire.group),
            key: key.to_owned(),
            signature_scheme: scheme.map(signature_scheme_name),
            resumed: wire.resumed,
            chain_len: chain.len(),
            verified: self.verified,
            tickets,
        })
    }
}

/// Whether the client breaks off a handshake in which it expects `name`.
fn is_refused<C: Cohort>(cohort: &C, name: &'static str) -> Result<bool> {
    let mut link = Link::new(cohort, name)?;
    let outcome = link.handshake(&mut Wires::default());
    Ok(outcome.is_err() && link.client.is_handshaking())
}
