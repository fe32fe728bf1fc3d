//! An application outside the workspace: a verified TLS connection over loopback, and a wrong name
//! that must be refused.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use wolfssl::pki_types::ServerName;
use wolfssl::{CertifiedKey, ClientConfig, RootCertStore, ServerConfig, StreamOwned};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let (ca, identity) = certificates("app.test")?;
    let client = ClientConfig::builder().roots(RootCertStore::from_pem(ca.as_bytes())?).build()?;
    let server = ServerConfig::builder().identity(identity).build()?;

    let facts = connect(&client, &server, "app.test")?;
    if connect(&client, &server, "other.test").is_ok() {
        return Err("the client accepted a certificate for another name".into());
    }
    println!("verified handshake: {facts}");
    Ok(())
}

/// Sends a few bytes there and back, and says what was negotiated.
fn connect(client: &ClientConfig, server: &ServerConfig, name: &str) -> Result<String, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let config = server.clone();
    let echo = thread::spawn(move || -> Result<(), Failure> {
        let (tcp, _) = listener.accept()?;
        tcp.set_read_timeout(Some(Duration::from_secs(20)))?;
        let mut tls = StreamOwned::accept(&config, tcp)?;
        let mut text = [0; 5];
        tls.read_exact(&mut text)?;
        tls.write_all(&text)?;
        tls.shutdown()?;
        Ok(())
    });

    let outcome = (|| -> Result<String, Failure> {
        let tcp = TcpStream::connect(address)?;
        tcp.set_read_timeout(Some(Duration::from_secs(20)))?;
        let name = ServerName::try_from(name.to_owned())?;
        let mut tls = StreamOwned::connect(client, name, tcp)?;
        tls.write_all(b"hello")?;
        let mut text = vec![];
        tls.read_to_end(&mut text)?;
        if text != b"hello" {
            return Err("the echo is not what was sent".into());
        }
        let connection = tls.connection();
        Ok(format!(
            "{:?} {:?}",
            connection.negotiated_version(),
            connection.negotiated_cipher_suite()
        ))
    })();
    let served = echo.join().map_err(|_| "the server panicked")?;
    let facts = outcome?;
    served?;
    Ok(facts)
}

/// A certificate authority in PEM, and a key with a certificate from it for `name`.
fn certificates(name: &str) -> Result<(String, CertifiedKey), Failure> {
    let mut authority = CertificateParams::new(vec![])?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate()?;
    let ca = authority.self_signed(&authority_key)?.pem();
    let issuer = Issuer::new(authority, authority_key);

    let key = KeyPair::generate()?;
    let leaf = CertificateParams::new(vec![name.to_owned()])?.signed_by(&key, &issuer)?;
    let identity =
        CertifiedKey::from_pem(leaf.pem().as_bytes(), key.serialize_pem().as_bytes())?;
    Ok((ca, identity))
}
