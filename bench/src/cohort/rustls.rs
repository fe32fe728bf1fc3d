//! rustls over aws-lc-rs, through its buffered connection API.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use rustls::client::Resumption;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::NoServerSessionStorage;
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, HandshakeKind, RootCertStore,
    ServerConfig, ServerConnection, SignatureScheme, SupportedProtocolVersion,
};

use super::{Cohort, Connection, Description, Facts, Library, Result, lockfile};
use crate::fixtures::Identity;
use crate::scenario::parameter::{CodePoint, TlsVersion};
use crate::scenario::{Scenario, TlsParameters};
use crate::worker::connections;

pub(super) const LIBRARY: Library = Library {
    name: "rustls-aws-lc",
    describe,
    supports: |scenario| matches!(scenario, Scenario::Handshake(_) | Scenario::Bulk(_)),
    prepare: connections::prepare::<Rustls>,
};

fn describe() -> Result<Description> {
    Ok(Description {
        version: lockfile::version_of("rustls")?,
        features: Vec::new(),
        build_info: serde_json::json!({
            "rustls": lockfile::version_of("rustls")?,
            "aws-lc-rs": lockfile::version_of("aws-lc-rs")?,
            "aws-lc-sys": lockfile::version_of("aws-lc-sys")?,
        }),
    })
}

struct Rustls {
    client: Arc<ClientConfig>,
    server: Arc<ServerConfig>,
    scheme: Arc<AtomicU16>,
}

impl Cohort for Rustls {
    type Client = Client;
    type Server = ServerConnection;

    fn new(tls: &TlsParameters, identity: &Identity) -> Result<Self> {
        let provider = Arc::new(pinned_provider(tls));
        let version: &[&SupportedProtocolVersion] = match tls.version {
            TlsVersion::Tls12 => &[&TLS12],
            TlsVersion::Tls13 => &[&TLS13],
        };

        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(identity.ca.as_bytes())?)?;
        let scheme = Arc::new(AtomicU16::new(0));
        let verifier = Verifier {
            inner: WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
                .build()?,
            allowed: tls.signature_scheme(),
            scheme: scheme.clone(),
        };
        let mut client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(version)?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        client.resumption = Resumption::disabled();

        let chain = CertificateDer::pem_slice_iter(identity.chain.as_bytes())
            .collect::<std::result::Result<Vec<_>, _>>()?;
        let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes())?;
        let mut server = ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(version)?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        server.send_tls13_tickets = 0;
        server.session_storage = Arc::new(NoServerSessionStorage {});

        Ok(Self {
            client: Arc::new(client),
            server: Arc::new(server),
            scheme,
        })
    }

    fn client(&self, name: &'static str) -> Result<Client> {
        let name = ServerName::try_from(name)?;
        Ok(Client {
            connection: ClientConnection::new(self.client.clone(), name)?,
            scheme: self.scheme.clone(),
        })
    }

    fn server(&self) -> Result<ServerConnection> {
        Ok(ServerConnection::new(self.server.clone())?)
    }
}

/// The default provider with one suite and one group left.
fn pinned_provider(tls: &TlsParameters) -> CryptoProvider {
    let mut provider = aws_lc_rs::default_provider();
    provider
        .cipher_suites
        .retain(|suite| u16::from(suite.suite()) == tls.suite());
    provider
        .kx_groups
        .retain(|group| u16::from(group.name()) == tls.group.code_point());
    provider
}

/// The ordinary verifier. It offers the scenario's signature scheme only, and notes the one used,
/// which rustls tells nobody else.
#[derive(Debug)]
struct Verifier {
    inner: Arc<WebPkiServerVerifier>,
    allowed: u16,
    scheme: Arc<AtomicU16>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        self.inner
            .verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.scheme.store(signed.scheme.into(), Ordering::Relaxed);
        self.inner.verify_tls12_signature(message, cert, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.scheme.store(signed.scheme.into(), Ordering::Relaxed);
        self.inner.verify_tls13_signature(message, cert, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let mut schemes = self.inner.supported_verify_schemes();
        schemes.retain(|&scheme| u16::from(scheme) == self.allowed);
        schemes
    }
}

struct Client {
    connection: ClientConnection,
    scheme: Arc<AtomicU16>,
}

impl Connection for Client {
    fn process(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<()> {
        process(&mut self.connection, input, output)
    }

    fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    fn write(&mut self, plaintext: &[u8], output: &mut Vec<u8>) -> Result<()> {
        write(&mut self.connection, plaintext, output)
    }

    fn read(&mut self, input: &mut &[u8], plaintext: &mut [u8]) -> Result<usize> {
        read(&mut self.connection, input, plaintext)
    }

    fn facts(&self) -> Facts {
        facts(&self.connection)
    }

    fn peer_chain(&self) -> Vec<Vec<u8>> {
        let chain = self.connection.peer_certificates().unwrap_or_default();
        chain.iter().map(|der| der.to_vec()).collect()
    }

    fn peer_signature_scheme(&self) -> Option<u16> {
        Some(self.scheme.load(Ordering::Relaxed))
    }
}

impl Connection for ServerConnection {
    fn process(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Result<()> {
        process(self, input, output)
    }

    fn is_handshaking(&self) -> bool {
        (**self).is_handshaking()
    }

    fn write(&mut self, plaintext: &[u8], output: &mut Vec<u8>) -> Result<()> {
        write(self, plaintext, output)
    }

    fn read(&mut self, input: &mut &[u8], plaintext: &mut [u8]) -> Result<usize> {
        read(self, input, plaintext)
    }

    fn facts(&self) -> Facts {
        facts(self)
    }

    fn peer_chain(&self) -> Vec<Vec<u8>> {
        Vec::new()
    }

    fn peer_signature_scheme(&self) -> Option<u16> {
        None
    }
}

type Common<Data> = rustls::ConnectionCommon<Data>;

fn process<Data>(
    connection: &mut Common<Data>,
    input: &mut &[u8],
    output: &mut Vec<u8>,
) -> Result<()> {
    while !input.is_empty() {
        connection.read_tls(input)?;
        connection.process_new_packets()?;
    }
    send(connection, output)
}

fn write<Data>(
    connection: &mut Common<Data>,
    plaintext: &[u8],
    output: &mut Vec<u8>,
) -> Result<()> {
    std::io::Write::write_all(&mut connection.writer(), plaintext)?;
    send(connection, output)
}

fn read<Data>(
    connection: &mut Common<Data>,
    input: &mut &[u8],
    plaintext: &mut [u8],
) -> Result<usize> {
    loop {
        match connection.reader().read(plaintext) {
            Ok(count) => return Ok(count),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                if input.is_empty() {
                    return Ok(0);
                }
                connection.read_tls(input)?;
                connection.process_new_packets()?;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn send<Data>(connection: &mut Common<Data>, output: &mut Vec<u8>) -> Result<()> {
    while connection.wants_write() {
        connection.write_tls(output)?;
    }
    Ok(())
}

fn facts<Data>(connection: &Common<Data>) -> Facts {
    Facts {
        version: connection.protocol_version().map_or(0, u16::from),
        suite: connection
            .negotiated_cipher_suite()
            .map_or(0, |suite| suite.suite().into()),
        group: connection
            .negotiated_key_exchange_group()
            .map_or(0, |group| group.name().into()),
        resumed: connection.handshake_kind() == Some(HandshakeKind::Resumed),
    }
}
