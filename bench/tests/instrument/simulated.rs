//! A worker that speaks the protocol and makes its figures up, from a speed given in its name and
//! noise like that of a real machine.

use std::io::{self, BufRead, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use bench::protocol::{Hello, Reply, Request, Sample};
use bench::scenario::Unit;
use bench::validity::Negotiated;

/// Answers as library `name`, of the form `behaviour:speed`.
pub fn serve(name: &str) {
    let (behaviour, speed) = name.split_once(':').expect("behaviour:speed");
    let speed: f64 = speed.parse().expect("a speed");
    let mut random = fastrand::Rng::with_seed(now() ^ u64::from(std::process::id()) << 32);
    for line in io::stdin().lock().lines() {
        let request = serde_json::from_str(&line.expect("a line")).expect("a request");
        let reply = match request {
            Request::Hello => hello(name),
            Request::Prepare { .. } if behaviour == "refusing" => Reply::Error {
                message: "not today".to_owned(),
            },
            Request::Prepare { .. } => Reply::Prepared,
            Request::Run { .. } if behaviour == "dying" => std::process::abort(),
            Request::Run { .. } => sample(speed, behaviour == "lying", &mut random),
            Request::Stop => Reply::Stopped,
        };
        let stopped = reply == Reply::Stopped;
        let text = serde_json::to_string(&reply).expect("a reply");
        let mut output = io::stdout().lock();
        writeln!(output, "{text}").expect("somebody listens");
        output.flush().expect("somebody listens");
        if stopped {
            break;
        }
    }
}

fn hello(name: &str) -> Reply {
    Reply::Hello(Hello {
        library: name.to_owned(),
        version: "1".to_owned(),
        features: Vec::new(),
        build_info: serde_json::Value::Null,
        optimised: true,
        scenarios: vec![super::HANDSHAKE.to_owned()],
    })
}

/// One second's worth at about 10,000 per second.
fn sample(speed: f64, lying: bool, random: &mut fastrand::Rng) -> Reply {
    // All workers see the same slow drift, as programs on one core do: 20 % over eight seconds.
    let drift = 1.0 + 0.2 * ((now() / 1_000_000 % 8_000) as f64 / 8_000.0);
    // The sum of twelve uniform numbers less six is close to a normal distribution.
    let noise: f64 = (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
    let iterations = (10_000.0 * speed * drift * (1.0 + 0.01 * noise)).round();
    Reply::Sample(Box::new(Sample {
        value: iterations,
        unit: Unit::PerSecond,
        iterations: iterations as u64,
        elapsed_ns: 1_000_000_000,
        cpu_ns: Some(1_000_000_000),
        spin: [800.0, 800.0],
        negotiated: Some(Negotiated {
            version: "tls1.3".to_owned(),
            suite: "TLS_AES_128_GCM_SHA256".to_owned(),
            group: if lying { "0x0017" } else { "x25519" }.to_owned(),
            key: "ecdsa-p256".to_owned(),
            signature_scheme: Some("ecdsa_secp256r1_sha256".to_owned()),
            resumed: false,
            chain_len: 1,
            verified: true,
            tickets: 0,
        }),
    }))
}

fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |since| since.as_nanos() as u64)
}
