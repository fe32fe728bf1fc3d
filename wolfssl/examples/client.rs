//! Connects, says what was negotiated and by whom, then sends standard input and prints the
//! answer: `cargo run --release -p wolfssl --example client -- --help`.

use std::error::Error;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use wolfssl::{
    CertifiedKey, ClientConfig, ClientConnection, NamedGroup, ProtocolVersion, RootCertStore,
    StreamOwned, server_name,
};

/// A TLS client: prints what was negotiated and the verified chain, sends standard input.
#[derive(Parser)]
struct Arguments {
    /// Where to connect, as HOST:PORT or [ADDRESS]:PORT.
    address: String,
    /// The name to verify, when it is not the HOST of the address.
    #[arg(long)]
    name: Option<String>,
    /// Trust anchors (PEM); default: those of this system.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Client certificate chain (PEM), leaf first.
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// Private key of the client certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
    /// Application protocols to offer, comma-separated.
    #[arg(long, value_delimiter = ',')]
    alpn: Vec<String>,
    /// Speak this version only.
    #[arg(long, value_parser = ["1.2", "1.3"])]
    tls: Option<String>,
    /// Key exchange groups, comma-separated, most preferred first.
    #[arg(long, value_delimiter = ',')]
    groups: Vec<NamedGroup>,
    /// Accept any certificate: anyone in between can read and change everything.
    #[arg(long)]
    dangerous_no_verification: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("client: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let config = configure(arguments)?;
    let host = match &arguments.name {
        Some(name) => name.as_str(),
        None => host_of(&arguments.address)?,
    };
    let name = server_name(host)?;
    let tcp = TcpStream::connect(&arguments.address)
        .map_err(|error| format!("cannot connect to {}: {error}", arguments.address))?;
    tcp.set_nodelay(true)?;
    let mut tls = StreamOwned::connect(&config, name, tcp)?;
    describe(tls.connection(), host);

    let mut input = Vec::new();
    io::stdin().read_to_end(&mut input)?;
    tls.write_all(&input)?;
    tls.shutdown()?;
    io::copy(&mut tls, &mut io::stdout())?;
    Ok(())
}

fn configure(arguments: &Arguments) -> Result<ClientConfig, wolfssl::Error> {
    let mut builder = ClientConfig::builder().alpn(&arguments.alpn);
    builder = match (arguments.dangerous_no_verification, &arguments.ca) {
        (true, _) => builder.dangerous().without_certificate_verification(),
        (false, Some(file)) => builder.roots(RootCertStore::from_pem_file(file)?),
        (false, None) => builder.roots(RootCertStore::system()?),
    };
    if let Some(version) = &arguments.tls {
        builder = builder.versions(&[match version.as_str() {
            "1.2" => ProtocolVersion::TLSv1_2,
            _ => ProtocolVersion::TLSv1_3,
        }]);
    }
    if !arguments.groups.is_empty() {
        builder = builder.groups(&arguments.groups);
    }
    if let (Some(cert), Some(key)) = (&arguments.cert, &arguments.key) {
        builder = builder.client_identity(CertifiedKey::from_pem_files(cert, key)?);
    }
    builder.build()
}

fn host_of(address: &str) -> Result<&str, String> {
    let (host, _port) = address
        .rsplit_once(':')
        .ok_or_else(|| format!("{address:?} has no port; write HOST:PORT"))?;
    Ok(host.trim_start_matches('[').trim_end_matches(']'))
}

fn describe(connection: &ClientConnection, host: &str) {
    let show = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    eprintln!(
        "version:  {}",
        show(connection.negotiated_version().map(|v| v.to_string()))
    );
    eprintln!(
        "suite:    {}",
        show(connection.negotiated_cipher_suite().map(|s| s.to_string()))
    );
    eprintln!(
        "group:    {}",
        show(connection.negotiated_group().map(|g| g.to_string()))
    );
    let scheme = connection
        .negotiated_signature_scheme()
        .map(|s| s.to_string());
    eprintln!("signed:   {}", show(scheme));
    let alpn = connection.negotiated_alpn();
    eprintln!(
        "alpn:     {}",
        show(alpn.map(|p| String::from_utf8_lossy(&p).into_owned()))
    );
    eprintln!("chain for {host}, leaf first:");
    for (depth, certificate) in connection.peer_certificates().iter().enumerate() {
        match x509_parser::parse_x509_certificate(certificate) {
            Ok((_, parsed)) => eprintln!(
                "  {depth}: {} (issued by {}, until {})",
                parsed.subject(),
                parsed.issuer(),
                parsed.validity().not_after
            ),
            Err(error) => eprintln!("  {depth}: {} bytes, {error}", certificate.len()),
        }
    }
}
