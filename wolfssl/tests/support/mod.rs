//! Certificates made on the spot and a wire in memory, shared by the tests.
#![allow(dead_code)] // each test binary uses its own part

pub mod hello;
pub mod random;

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationList,
    CertificateRevocationListParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa,
    Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, SanType, SignatureAlgorithm,
};
use wolfssl::pki_types::{
    CertificateDer, CertificateRevocationListDer, PrivateKeyDer, PrivatePkcs8KeyDer,
};
use wolfssl::{
    CertifiedKey, ClientConfig, ClientConnection, ConnectionCommon, Error, RootCertStore,
    ServerConfig, ServerConnection, Status, server_name,
};

/// A certificate authority.
pub struct Authority {
    pub der: CertificateDer<'static>,
    pub pem: String,
    params: CertificateParams,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        Self::with_algorithm(name, &rcgen::PKCS_ECDSA_P256_SHA256)
    }

    pub fn with_algorithm(name: &str, algorithm: &'static SignatureAlgorithm) -> Self {
        Self::make(ca_params(name), KeyPair::generate_for(algorithm).unwrap())
    }

    pub fn with_key(name: &str, key: KeyPair) -> Self {
        Self::make(ca_params(name), key)
    }

    pub fn with_params(name: &str, change: impl FnOnce(&mut CertificateParams)) -> Self {
        let mut params = ca_params(name);
        change(&mut params);
        Self::make(params, KeyPair::generate().unwrap())
    }

    fn make(params: CertificateParams, key: KeyPair) -> Self {
        let certificate = params.self_signed(&key).unwrap();
        Self {
            der: certificate.der().clone(),
            pem: certificate.pem(),
            issuer: Issuer::new(params.clone(), key),
            params,
        }
    }

    pub fn key_pem(&self) -> String {
        self.issuer.key().serialize_pem()
    }

    /// A CA below this one.
    pub fn intermediate(&self, name: &str) -> Self {
        self.intermediate_with(name, |_| {})
    }

    pub fn intermediate_with(
        &self,
        name: &str,
        change: impl FnOnce(&mut CertificateParams),
    ) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = ca_params(name);
        change(&mut params);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Self {
            der: certificate.der().clone(),
            pem: certificate.pem(),
            issuer: Issuer::new(params.clone(), key),
            params,
        }
    }

    /// This CA's name and key under another issuer.
    pub fn cross_signed_by(&self, other: &Authority) -> CertificateDer<'static> {
        let certificate = self
            .params
            .signed_by(self.issuer.key(), &other.issuer)
            .unwrap();
        certificate.der().clone()
    }

    /// A revocation list of this CA, good for a long time.
    pub fn revocation_list(&self, serials: &[u64]) -> CertificateRevocationListDer<'static> {
        self.revocation_list_until(serials, 2200)
    }

    pub fn revocation_list_until(
        &self,
        serials: &[u64],
        year: i32,
    ) -> CertificateRevocationListDer<'static> {
        self.make_revocation_list(serials, year).der().clone()
    }

    pub fn revocation_list_pem(&self, serials: &[u64]) -> String {
        let list = self.make_revocation_list(serials, 2200);
        list.pem().unwrap()
    }

    fn make_revocation_list(&self, serials: &[u64], year: i32) -> CertificateRevocationList {
        let revoked = serials.iter().map(|&serial| RevokedCertParams {
            serial_number: serial.into(),
            revocation_time: rcgen::date_time_ymd(2000, 1, 1),
            reason_code: None,
            invalidity_date: None,
        });
        let params = CertificateRevocationListParams {
            this_update: rcgen::date_time_ymd(2000, 1, 1),
            next_update: rcgen::date_time_ymd(year, 1, 1),
            crl_number: 1.into(),
            issuing_distribution_point: None,
            revoked_certs: revoked.collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        params.signed_by(&self.issuer).unwrap()
    }

    pub fn roots(&self) -> RootCertStore {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        roots
    }

    /// A P-256 leaf for these names.
    pub fn leaf(&self, names: &[&str]) -> Leaf {
        self.leaf_with(names, &rcgen::PKCS_ECDSA_P256_SHA256, |_| {})
    }

    pub fn leaf_with(
        &self,
        names: &[&str],
        algorithm: &'static SignatureAlgorithm,
        change: impl FnOnce(&mut CertificateParams),
    ) -> Leaf {
        self.leaf_for_key(names, KeyPair::generate_for(algorithm).unwrap(), change)
    }

    pub fn leaf_for_key(
        &self,
        names: &[&str],
        key: KeyPair,
        change: impl FnOnce(&mut CertificateParams),
    ) -> Leaf {
        let mut params = leaf_params(names);
        change(&mut params);
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        Leaf {
            chain: vec![certificate.der().clone()],
            chain_pem: certificate.pem(),
            key_pem: key.serialize_pem(),
            key_der: key.serialize_der(),
        }
    }
}

/// An end-entity certificate with its key.
pub struct Leaf {
    pub chain: Vec<CertificateDer<'static>>,
    pub chain_pem: String,
    pub key_pem: String,
    pub key_der: Vec<u8>,
}

impl Leaf {
    pub fn key(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(self.key_der.clone()))
    }

    pub fn certified(&self) -> CertifiedKey {
        CertifiedKey::new(self.chain.clone(), self.key()).unwrap()
    }

    /// The same with the issuing CA behind it.
    pub fn under(mut self, intermediate: &Authority) -> Self {
        self.chain.push(intermediate.der.clone());
        self.chain_pem.push_str(&intermediate.pem);
        self
    }
}

/// Names that parse as addresses become IP names, all others DNS names. A `dns:` prefix keeps
/// what follows a DNS name.
pub fn leaf_params(names: &[&str]) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.subject_alt_names = names
        .iter()
        .map(|name| match (name.strip_prefix("dns:"), name.parse()) {
            (Some(name), _) => SanType::DnsName(name.try_into().unwrap()),
            (None, Ok(address)) => SanType::IpAddress(address),
            (None, Err(_)) => SanType::DnsName((*name).try_into().unwrap()),
        })
        .collect();
    params.distinguished_name = DistinguishedName::new();
    params
        .distinguished_name
        .push(DnType::OrganizationName, "wolfssl tests");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![
        ExtendedKeyUsagePurpose::ServerAuth,
        ExtendedKeyUsagePurpose::ClientAuth,
    ];
    params
}

fn ca_params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

/// A client and a server that trust each other under the name `a.test`.
pub fn configs() -> (ClientConfig, ServerConfig) {
    let authority = Authority::new("test root");
    let client = ClientConfig::builder()
        .roots(authority.roots())
        .build()
        .unwrap();
    let server = ServerConfig::builder()
        .identity(authority.leaf(&["a.test"]).certified())
        .build()
        .unwrap();
    (client, server)
}

/// Both ends, not connected yet.
pub fn ends(
    client: &ClientConfig,
    server: &ServerConfig,
    name: &str,
) -> (ClientConnection, ServerConnection) {
    (
        ClientConnection::new(client, server_name(name).unwrap()).unwrap(),
        ServerConnection::new(server).unwrap(),
    )
}

/// What the two ends made of a handshake.
#[derive(Debug)]
pub struct Outcome {
    pub client: Result<(), Error>,
    pub server: Result<(), Error>,
}

impl Outcome {
    pub fn is_ok(&self) -> bool {
        self.client.is_ok() && self.server.is_ok()
    }
}

/// Moves bytes between the two until both are done or stuck.
pub fn handshake(client: &mut ConnectionCommon, server: &mut ConnectionCommon) -> Outcome {
    let mut outcome = Outcome {
        client: Ok(()),
        server: Ok(()),
    };
    let (mut to_client, mut to_server) = (Vec::new(), Vec::new());
    for _ in 0..64 {
        let mut quiet = true;
        if outcome.client.is_ok() {
            outcome.client = turn(client, &mut to_client, &mut to_server, &mut quiet);
        }
        if outcome.server.is_ok() {
            outcome.server = turn(server, &mut to_server, &mut to_client, &mut quiet);
        }
        if quiet {
            break;
        }
    }
    outcome
}

fn turn(
    end: &mut ConnectionCommon,
    input: &mut Vec<u8>,
    output: &mut Vec<u8>,
    quiet: &mut bool,
) -> Result<(), Error> {
    let before = output.len();
    let bytes = std::mem::take(input);
    let mut rest = bytes.as_slice();
    *quiet &= bytes.is_empty();
    let result = loop {
        match end.process(&mut rest, output) {
            Ok(Status::WantsInput | Status::PlaintextReady | Status::PeerClosed) => break Ok(()),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    *quiet &= output.len() == before;
    result
}

/// A completed connection under the default configurations.
pub fn connected() -> (ClientConnection, ServerConnection) {
    let (client, server) = configs();
    let (mut client, mut server) = ends(&client, &server, "a.test");
    let outcome = handshake(&mut client, &mut server);
    assert!(outcome.is_ok(), "{outcome:?}");
    (client, server)
}

/// Everything that can be read from `end` after it was given `bytes`.
pub fn receive(end: &mut ConnectionCommon, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut rest = bytes;
    let mut received = Vec::new();
    let mut reply = Vec::new();
    loop {
        match end.process(&mut rest, &mut reply)? {
            Status::PlaintextReady => {
                let mut buffer = [0; 4096];
                let count = end.read(&mut buffer)?;
                received.extend_from_slice(&buffer[..count]);
            }
            Status::WantsInput | Status::PeerClosed => return Ok(received),
            _ => {}
        }
    }
}
