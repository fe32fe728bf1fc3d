//! The events of the feature `tracing`: what they say, and that no secret is among it.
#![cfg(feature = "tracing")]

mod support;

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use support::{Authority, ends, handshake};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};
use wolfssl::{ClientConfig, KeyLog, ProtocolVersion, ServerConfig};

/// Every event as a line of text.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("wolfssl")
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[derive(Clone, Debug, Default)]
struct Secrets(Arc<Mutex<Vec<Vec<u8>>>>);

impl KeyLog for Secrets {
    fn log(&self, _label: &str, _client_random: &[u8], secret: &[u8]) {
        self.0.lock().unwrap().push(secret.to_vec());
    }
}

#[test]
fn both_ends_tell_what_became_of_them_and_no_secret() {
    let (root, stranger) = (Authority::new("root"), Authority::new("stranger"));
    for version in [ProtocolVersion::TLSv1_2, ProtocolVersion::TLSv1_3] {
        let (lines, secrets) = (Lines::default(), Secrets::default());
        tracing::subscriber::with_default(lines.clone(), || {
            let server = ServerConfig::builder()
                .identity(root.leaf(&["a.test"]).certified())
                .build()
                .unwrap();
            let client = |roots| {
                ClientConfig::builder()
                    .roots(roots)
                    .versions(&[version])
                    .key_log(secrets.clone())
                    .build()
                    .unwrap()
            };
            let (mut good, mut other) = ends(&client(root.roots()), &server, "a.test");
            assert!(handshake(&mut good, &mut other).is_ok());
            good.close_notify(&mut Vec::new()).unwrap();
            let (mut bad, mut other) = ends(&client(stranger.roots()), &server, "a.test");
            assert!(handshake(&mut bad, &mut other).client.is_err());
        });
        let lines = lines.0.lock().unwrap();
        let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        assert_eq!(count("TLS handshake complete"), 2, "{lines:?}");
        assert_eq!(count(&format!("version={version}")), 2, "{lines:?}");
        assert_eq!(count("TLS connection failed"), 2, "{lines:?}");
        assert_eq!(count("alert_sent=unknown_ca"), 1, "{lines:?}");
        assert_eq!(count("alert_received=unknown_ca"), 1, "{lines:?}");
        assert_eq!(count("TLS close_notify sent=true"), 1, "{lines:?}");
        let all = lines.join("\n");
        for secret in &*secrets.0.lock().unwrap() {
            let hex = secret
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>();
            assert!(!all.contains(&hex));
        }
    }
}
