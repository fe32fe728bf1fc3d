//! Accepts connections and echoes what comes, or answers an HTTP GET:
//! `cargo run --release -p wolfssl --example server -- --help`.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use clap::Parser;
use wolfssl::{CertifiedKey, ClientAuth, RootCertStore, ServerConfig, StreamOwned};

/// A TLS server: answers an HTTP/1.1 GET, echoes everything else.
#[derive(Parser)]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:4433")]
    listen: String,
    /// Certificate chain (PEM), leaf first; without it a test certificate is made.
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// Private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Application protocols to choose from, comma-separated.
    #[arg(long, value_delimiter = ',')]
    alpn: Vec<String>,
    /// Require client certificates that lead to these trust anchors (PEM).
    #[arg(long, value_name = "FILE")]
    client_ca: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let identity = match (&arguments.cert, &arguments.key) {
        (Some(cert), Some(key)) => CertifiedKey::from_pem_files(cert, key)?,
        _ => test_identity()?,
    };
    let mut builder = ServerConfig::builder()
        .identity(identity)
        .alpn(&arguments.alpn);
    if let Some(file) = &arguments.client_ca {
        builder = builder.client_auth(ClientAuth::Required(RootCertStore::from_pem_file(file)?));
    }
    let config = builder.build()?;
    let listener = TcpListener::bind(&arguments.listen)
        .map_err(|error| format!("cannot listen on {}: {error}", arguments.listen))?;
    println!("listening on {}", listener.local_addr()?);
    for tcp in listener.incoming() {
        let config = config.clone();
        let tcp = tcp?;
        thread::spawn(move || {
            if let Err(error) = serve(&config, tcp) {
                eprintln!("connection: {error}");
            }
        });
    }
    Ok(())
}

/// A key and certificate for local names, made on the spot; clients can trust the file it is
/// written to.
fn test_identity() -> Result<CertifiedKey, Box<dyn Error>> {
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let made = rcgen::generate_simple_self_signed(names)?;
    let file = std::env::temp_dir().join("wolfssl-example-server.pem");
    std::fs::write(&file, made.cert.pem())?;
    println!(
        "no --cert given: made a self-signed test certificate for localhost, 127.0.0.1 and ::1; \
         its PEM is in {}",
        file.display()
    );
    Ok(CertifiedKey::from_pem(
        made.cert.pem().as_bytes(),
        made.signing_key.serialize_pem().as_bytes(),
    )?)
}

fn serve(config: &ServerConfig, tcp: TcpStream) -> Result<(), Box<dyn Error>> {
    tcp.set_nodelay(true)?;
    let mut tls = StreamOwned::accept(config, tcp)?;
    let mut buffer = [0; 16 * 1024];
    let mut head = Vec::new();
    let mut echoing = false;
    loop {
        let count = tls.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        head.extend_from_slice(&buffer[..count]);
        echoing |= !b"GET ".starts_with(&head[..head.len().min(4)]);
        if !echoing {
            if head.windows(4).any(|end| end == b"\r\n\r\n") {
                respond(&mut tls)?;
                head.clear();
                break;
            }
            if head.len() > 64 * 1024 {
                return Err("request head over 64 KiB".into());
            }
        } else {
            tls.write_all(&head)?;
            head.clear();
        }
    }
    // A GET that never ended is nothing but bytes to echo.
    tls.write_all(&head)?;
    tls.shutdown()?;
    Ok(())
}

fn respond(
    tls: &mut StreamOwned<wolfssl::ServerConnection, TcpStream>,
) -> Result<(), Box<dyn Error>> {
    let connection = tls.connection();
    let body = format!(
        "{} {}\n",
        connection
            .negotiated_version()
            .map(|v| v.to_string())
            .unwrap_or_default(),
        connection
            .negotiated_cipher_suite()
            .map(|s| s.to_string())
            .unwrap_or_default(),
    );
    write!(
        tls,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )?;
    Ok(())
}
