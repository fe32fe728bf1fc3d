//! wolfSSL, OpenSSL and AWS-LC at work in one program: a wolfSSL client talks to an OpenSSL server,
//! and all of them find the same SHA-256.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use openssl::pkey::PKey;
use openssl::ssl::{SslAcceptor, SslMethod};
use openssl::x509::X509;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use wolfssl::pki_types::ServerName;
use wolfssl::{ClientConfig, RootCertStore, StreamOwned};

type Failure = Box<dyn Error + Send + Sync>;

/// Returns 0 when all three work.
#[unsafe(no_mangle)]
pub extern "C" fn three_libraries() -> i32 {
    match talk() {
        Ok(()) => {
            println!("three libraries agree");
            0
        }
        Err(error) => {
            eprintln!("{error}");
            1
        }
    }
}

fn talk() -> Result<(), Failure> {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["three.test".to_owned()])?;
    let mut acceptor = SslAcceptor::mozilla_intermediate_v5(SslMethod::tls())?;
    acceptor.set_certificate(X509::from_der(cert.der())?.as_ref())?;
    acceptor.set_private_key(PKey::private_key_from_der(&signing_key.serialize_der())?.as_ref())?;
    let acceptor = acceptor.build();
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let server = thread::spawn(move || -> Result<[u8; 32], Failure> {
        let (tcp, _) = listener.accept()?;
        tcp.set_read_timeout(Some(Duration::from_secs(20)))?;
        let mut tls = acceptor.accept(tcp)?;
        let mut text = [0; 5];
        tls.read_exact(&mut text)?;
        let digest = openssl::sha::sha256(&text);
        tls.write_all(&digest)?;
        tls.shutdown()?;
        Ok(digest)
    });

    let roots = RootCertStore::from_pem(cert.pem().as_bytes())?;
    let config = ClientConfig::builder().roots(roots).build()?;
    let tcp = TcpStream::connect(address)?;
    tcp.set_read_timeout(Some(Duration::from_secs(20)))?;
    let mut tls = StreamOwned::connect(&config, ServerName::try_from("three.test")?, tcp)?;
    tls.write_all(b"hello")?;
    let mut received = [0; 32];
    tls.read_exact(&mut received)?;

    let computed = server.join().map_err(|_| "the server panicked")??;
    let own = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, b"hello");
    if received != computed || own.as_ref() != received {
        return Err("the libraries disagree about SHA-256".into());
    }
    Ok(())
}
