//! What both ends of one connection have to agree on beyond what they negotiate.

use std::collections::BTreeSet;
use std::path::Path;

use wolfssl::{ChannelBinding, ConnectionCommon, ProtocolVersion};

/// The label of the keying material that is compared.
pub const LABEL: &str = "EXPORTER-interop";

/// 40 bytes for [`LABEL`] without a context, as upper-case hexadecimal digits.
pub fn exported(connection: &ConnectionCommon) -> String {
    let mut key = [0; 40];
    connection
        .export_keying_material(&mut key, LABEL.as_bytes(), None)
        .unwrap();
    key.iter().map(|byte| format!("{byte:02X}")).collect()
}

/// A channel binding as hexadecimal digits.
pub fn binding(connection: &ConnectionCommon, kind: ChannelBinding) -> String {
    let value = connection.channel_binding(kind).unwrap();
    value.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The lines of a key log, which has to be there and not empty.
pub fn key_log(file: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(file).expect("a key log");
    let lines = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    // The digits may be of either kind.
    let lines: BTreeSet<_> = lines
        .map(|line| line.split_once(' ').expect("a label and its values"))
        .map(|(label, values)| format!("{label} {}", values.to_ascii_lowercase()))
        .collect();
    assert!(!lines.is_empty());
    lines
}

/// How many secrets there are at least.
pub fn labels(version: ProtocolVersion) -> &'static [&'static str] {
    match version {
        ProtocolVersion::TLSv1_2 => &["CLIENT_RANDOM "],
        _ => &[
            "CLIENT_HANDSHAKE_TRAFFIC_SECRET ",
            "SERVER_HANDSHAKE_TRAFFIC_SECRET ",
            "CLIENT_TRAFFIC_SECRET_0 ",
            "SERVER_TRAFFIC_SECRET_0 ",
            "EXPORTER_SECRET ",
        ],
    }
}

/// That two logs of one connection say the same, and all that belongs to its version.
pub fn assert_same_log(ours: &Path, theirs: &Path, version: ProtocolVersion) {
    let (ours, theirs) = (key_log(ours), key_log(theirs));
    assert_eq!(ours, theirs, "{version}");
    for label in labels(version) {
        assert!(
            ours.iter().any(|line| line.starts_with(label)),
            "{version}: {ours:?} has no {label}"
        );
    }
}
