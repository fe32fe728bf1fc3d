//! Serves HTTPS with hyper, HTTP/2 and HTTP/1.1 as ALPN decides:
//! `cargo run --release -p wolfssl --features tokio --example https_server -- --help`.

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use wolfssl::tokio::TlsAcceptor;
use wolfssl::{CertifiedKey, ConnectionCommon, ServerConfig};

/// An HTTPS server: `GET /` says what was negotiated, `GET /bytes/N` sends N bytes,
/// `POST /echo` sends back what it is sent.
#[derive(Parser)]
struct Arguments {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:4443")]
    listen: String,
    /// Certificate chain (PEM), leaf first; without it a test certificate is made.
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// Private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
}

/// A client that does not speak is not waited for any longer.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// The most that `/bytes` sends.
const MOST_BYTES: usize = 64 << 20;

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("https_server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let identity = match (&arguments.cert, &arguments.key) {
        (Some(cert), Some(key)) => CertifiedKey::from_pem_files(cert, key)?,
        _ => test_identity()?,
    };
    let config = ServerConfig::builder()
        .identity(identity)
        .alpn(["h2", "http/1.1"])
        .build()?;
    let acceptor = TlsAcceptor::from(config);
    let listener = TcpListener::bind(&arguments.listen)
        .await
        .map_err(|error| format!("cannot listen on {}: {error}", arguments.listen))?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (tcp, _) = listener.accept().await?;
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            if let Err(error) = serve(&acceptor, tcp).await {
                eprintln!("connection: {error}");
            }
        });
    }
}

async fn serve(acceptor: &TlsAcceptor, tcp: TcpStream) -> Result<(), Box<dyn Error + Send + Sync>> {
    tcp.set_nodelay(true)?;
    let tls = timeout(HANDSHAKE_TIME, acceptor.accept(tcp)).await??;
    let negotiated = describe(tls.connection());
    let is_http2 = tls.connection().negotiated_alpn().as_deref() == Some(b"h2");
    let service = service_fn(|request| answer(request, negotiated.clone()));
    let stream = TokioIo::new(tls);
    if is_http2 {
        http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .serve_connection(stream, service)
            .await?;
    } else {
        http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(stream, service)
            .await?;
    }
    Ok(())
}

fn describe(connection: &ConnectionCommon) -> String {
    let version = connection.negotiated_version().map(|v| v.to_string());
    let suite = connection.negotiated_cipher_suite().map(|s| s.to_string());
    let group = connection.negotiated_group().map(|g| g.to_string());
    [version, suite, group]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ")
}

type Answer = Response<BoxBody<Bytes, hyper::Error>>;

async fn answer(request: Request<Incoming>, negotiated: String) -> Result<Answer, hyper::Error> {
    let whole = |bytes: Vec<u8>| {
        let body = Full::new(Bytes::from(bytes));
        Response::new(body.map_err(|never| match never {}).boxed())
    };
    let status = |code: StatusCode| {
        let mut response = whole(format!("{code}\n").into_bytes());
        *response.status_mut() = code;
        response
    };
    let path = request.uri().path();
    Ok(match (request.method(), path) {
        (&Method::GET, "/") => {
            whole(format!("{:?} over {negotiated}\n", request.version()).into_bytes())
        }
        (&Method::POST, "/echo") => Response::new(request.into_body().boxed()),
        (&Method::GET, path) => match path.strip_prefix("/bytes/").map(str::parse) {
            Some(Ok(count)) if count <= MOST_BYTES => whole(vec![b'x'; count]),
            Some(_) => status(StatusCode::BAD_REQUEST),
            None => status(StatusCode::NOT_FOUND),
        },
        _ => status(StatusCode::METHOD_NOT_ALLOWED),
    })
}

/// A key and certificate for local names, made on the spot; clients can trust the file it is
/// written to.
fn test_identity() -> Result<CertifiedKey, Box<dyn Error>> {
    let names = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let made = rcgen::generate_simple_self_signed(names)?;
    let file = std::env::temp_dir().join("wolfssl-example-https-server.pem");
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
