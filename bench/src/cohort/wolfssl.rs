//! wolfSSL: TLS through the safe API, the algorithms through the C interface.

use std::ops::DerefMut;

use wolfssl::{
    CertifiedKey, CipherSuite, ClientConfig, ClientConnection, ConnectionCommon, NamedGroup,
    ProtocolVersion, Resumption, RootCertStore, ServerConfig, ServerConnection, ServerResumption,
    Status,
};

use super::{Cohort, Connection, Description, Facts, Library, Result};
use crate::fixtures::{Fixtures, Identity};
use crate::scenario::parameter::{CodePoint, TlsVersion};
use crate::scenario::{Scenario, TlsParameters};
use crate::wolfcrypt;
use crate::worker::{Measurable, connections};

pub(super) const LIBRARY: Library = Library {
    name: "wolfssl",
    describe,
    supports: |_| true,
    prepare,
};

fn describe() -> Result<Description> {
    let compiled = [
        ("armasm", cfg!(feature = "armasm")),
        ("fp-ecc", cfg!(feature = "fp-ecc")),
        ("intelasm", cfg!(feature = "intelasm")),
        ("sp", cfg!(feature = "sp")),
        ("sp-asm", cfg!(feature = "sp-asm")),
        ("u128", cfg!(feature = "u128")),
    ];
    let features = compiled.iter().filter(|(_, on)| *on);
    let mut build_info: serde_json::Value = serde_json::from_str(wolfssl_sys::BUILD_INFO_JSON)?;
    build_info["dispatch"] = wolfssl::processor_features().into();
    Ok(Description {
        version: wolfssl_sys::build_info().wolfssl_version.to_owned(),
        features: features.map(|(name, _)| (*name).to_owned()).collect(),
        build_info,
    })
}

fn prepare(scenario: &Scenario, fixtures: &Fixtures) -> Result<Box<dyn Measurable>> {
    match scenario {
        Scenario::Algorithm(algorithm) => wolfcrypt::prepare(algorithm),
        Scenario::Handshake(_) | Scenario::Bulk(_) => {
            connections::prepare::<Wolfssl>(scenario, fixtures)
        }
    }
}

struct Wolfssl {
    client: ClientConfig,
    server: ServerConfig,
}

impl Cohort for Wolfssl {
    type Client = Side<ClientConnection>;
    type Server = Side<ServerConnection>;

    fn new(tls: &TlsParameters, identity: &Identity) -> Result<Self> {
        let version = match tls.version {
            TlsVersion::Tls12 => ProtocolVersion::TLSv1_2,
            TlsVersion::Tls13 => ProtocolVersion::TLSv1_3,
        };
        let suite = CipherSuite::from_value(tls.suite()).ok_or("wolfSSL lacks the suite")?;
        let group =
            NamedGroup::from_value(tls.group.code_point()).ok_or("wolfSSL lacks the group")?;
        let key = CertifiedKey::from_pem(identity.chain.as_bytes(), identity.key.as_bytes())?;
        Ok(Self {
            client: ClientConfig::builder()
                .versions(&[version])
                .cipher_suites(&[suite])
                .groups(&[group])
                .roots(RootCertStore::from_pem(identity.ca.as_bytes())?)
                .resumption(Resumption::disabled())
                .build()?,
            server: ServerConfig::builder()
                .versions(&[version])
                .cipher_suites(&[suite])
                .groups(&[group])
                .identity(key)
                .resumption(ServerResumption::disabled())
                .build()?,
        })
    }

    fn client(&self, name: &'static str) -> Result<Self::Client> {
        Ok(Side(ClientConnection::new(&self.client, name.try_into()?)?))
    }

    fn server(&self) -> Result<Self::Server> {
        Ok(Side(ServerConnection::new(&self.server)?))
    }
}

/// Either side, which have all they need here in common.
struct Side<T>(T);

impl<T: DerefMut<Target = ConnectionCommon>> Connection for Side<T> {
    fn process(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<()> {
        loop {
            match self.0.process(input, output)? {
                Status::HandshakeComplete if !input.is_empty() => {}
                _ => return Ok(()),
            }
        }
    }

    fn is_handshaking(&self) -> bool {
        self.0.is_handshaking()
    }

    fn write(&mut self, plaintext: &[u8], output: &mut Vec<u8>) -> Result<()> {
        Ok(self.0.write(plaintext, output)?)
    }

    fn read(&mut self, input: &mut &[u8], plaintext: &mut [u8]) -> Result<usize> {
        let mut answer = Vec::new();
        match self.0.process(input, &mut answer)? {
            Status::PlaintextReady => Ok(self.0.read(plaintext)?),
            _ => Ok(0),
        }
    }

    fn facts(&self) -> Facts {
        Facts {
            version: self
                .0
                .negotiated_version()
                .map_or(0, ProtocolVersion::to_u16),
            suite: self
                .0
                .negotiated_cipher_suite()
                .map_or(0, CipherSuite::value),
            group: self.0.negotiated_group().map_or(0, NamedGroup::value),
            resumed: self.0.is_resumed(),
        }
    }

    fn peer_chain(&self) -> Vec<Vec<u8>> {
        let chain = self.0.peer_certificates();
        chain.iter().map(|der| der.to_vec()).collect()
    }

    fn peer_signature_scheme(&self) -> Option<u16> {
        let scheme = self.0.negotiated_signature_scheme()?;
        Some(scheme.value())
    }
}
