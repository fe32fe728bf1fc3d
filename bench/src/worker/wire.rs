//! Reads what was negotiated from the server's bytes, so that no library has to be believed.
//!
//! TLS 1.2 shows all of it in the clear; TLS 1.3 shows the ServerHello.

use crate::cohort::Result;

/// What the server's bytes say, as code points; 0 for what they do not contain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireFacts {
    /// Protocol version.
    pub version: u16,
    /// Cipher suite.
    pub suite: u16,
    /// Key exchange group.
    pub group: u16,
    /// Whether an earlier session or an external key was resumed.
    pub resumed: bool,
    /// Certificates sent; 0 in TLS 1.3, which encrypts them.
    pub certificates: usize,
    /// Scheme of the signature in ServerKeyExchange; absent in TLS 1.3, which encrypts it.
    pub signature_scheme: Option<u16>,
    /// NewSessionTicket messages in the clear.
    pub tickets: usize,
}

const HANDSHAKE: u8 = 22;
const APPLICATION_DATA: u8 = 23;
const TLS13: u16 = 0x0304;
const SUPPORTED_VERSIONS: u16 = 43;
const KEY_SHARE: u16 = 51;
const PRE_SHARED_KEY: u16 = 41;
/// The `random` that makes a ServerHello a HelloRetryRequest, RFC 8446 section 4.1.3.
const HELLO_RETRY_RANDOM: [u8; 8] = [0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11];

/// The facts in the bytes of a server's handshake.
pub fn read(server_bytes: &[u8]) -> Result<WireFacts> {
    let mut facts = WireFacts::default();
    let messages = clear_handshake_messages(server_bytes)?;
    let mut reader = Reader(&messages);
    let mut hello_seen = false;
    while !reader.0.is_empty() {
        let kind = reader.u8()?;
        let mut body = Reader(reader.vector(3)?);
        match kind {
            2 => {
                server_hello(&mut body, &mut facts)?;
                hello_seen = true;
            }
            4 => facts.tickets += 1,
            11 => facts.certificates = count_certificates(&mut body)?,
            12 => server_key_exchange(&mut body, &mut facts)?,
            _ => {}
        }
    }
    if !hello_seen {
        return Err("the server sent no ServerHello in the clear".into());
    }
    if facts.version != TLS13 {
        facts.resumed = facts.certificates == 0;
    }
    Ok(facts)
}

/// How many protected records the bytes hold.
pub fn count_application_records(mut bytes: &[u8]) -> Result<usize> {
    let mut count = 0;
    while !bytes.is_empty() {
        let (kind, _, rest) = split_record(bytes)?;
        count += usize::from(kind == APPLICATION_DATA);
        bytes = rest;
    }
    Ok(count)
}

/// The handshake messages before the first record of another kind, joined.
fn clear_handshake_messages(mut bytes: &[u8]) -> Result<Vec<u8>> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let (kind, body, rest) = split_record(bytes)?;
        if kind != HANDSHAKE {
            break;
        }
        messages.extend_from_slice(body);
        bytes = rest;
    }
    Ok(messages)
}

/// Type and body of the first record, and what follows it.
fn split_record(bytes: &[u8]) -> Result<(u8, &[u8], &[u8])> {
    let mut reader = Reader(bytes);
    let kind = reader.u8()?;
    let _legacy_version = reader.u16()?;
    let body = reader.vector(2)?;
    Ok((kind, body, reader.0))
}

fn server_hello(body: &mut Reader<'_>, facts: &mut WireFacts) -> Result<()> {
    facts.version = body.u16()?;
    if body.take(32)?.starts_with(&HELLO_RETRY_RANDOM) {
        return Err("the server asked for another key share (HelloRetryRequest)".into());
    }
    let _session_id = body.vector(1)?;
    facts.suite = body.u16()?;
    let _compression = body.u8()?;
    if body.0.is_empty() {
        return Ok(());
    }
    let mut extensions = Reader(body.vector(2)?);
    while !extensions.0.is_empty() {
        let kind = extensions.u16()?;
        let mut content = Reader(extensions.vector(2)?);
        match kind {
            SUPPORTED_VERSIONS => facts.version = content.u16()?,
            KEY_SHARE => facts.group = content.u16()?,
            PRE_SHARED_KEY => facts.resumed = true,
            _ => {}
        }
    }
    Ok(())
}

fn count_certificates(body: &mut Reader<'_>) -> Result<usize> {
    let mut list = Reader(body.vector(3)?);
    let mut count = 0;
    while !list.0.is_empty() {
        list.vector(3)?;
        count += 1;
    }
    Ok(count)
}

fn server_key_exchange(body: &mut Reader<'_>, facts: &mut WireFacts) -> Result<()> {
    const NAMED_CURVE: u8 = 3;
    if body.u8()? != NAMED_CURVE {
        return Err("the key exchange does not use a named group".into());
    }
    facts.group = body.u16()?;
    let _public = body.vector(1)?;
    facts.signature_scheme = Some(body.u16()?);
    Ok(())
}

/// Takes big-endian fields off the front of a slice.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (front, rest) = self
            .0
            .split_at_checked(count)
            .ok_or("a TLS message ends too early")?;
        self.0 = rest;
        Ok(front)
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn u16(&mut self) -> Result<u16> {
        let bytes = self.take(2)?;
        Ok(u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    /// A field preceded by its length, which takes `width` bytes.
    fn vector(&mut self, width: usize) -> Result<&'a [u8]> {
        let length = self
            .take(width)?
            .iter()
            .fold(0, |length, &byte| length << 8 | usize::from(byte));
        self.take(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tls13_server_hello() {
        let hello = server_hello_message(
            0x1301,
            &[
                (SUPPORTED_VERSIONS, vec![3, 4]),
                (KEY_SHARE, vec![0, 0x1d, 0, 1, 9]),
            ],
        );
        let mut bytes = record(HANDSHAKE, &hello);
        bytes.extend(record(20, &[1]));
        bytes.extend(record(APPLICATION_DATA, &[0; 40]));
        let want = WireFacts {
            version: TLS13,
            suite: 0x1301,
            group: 0x001d,
            ..WireFacts::default()
        };
        assert_eq!(read(&bytes).unwrap(), want);
        assert_eq!(count_application_records(&bytes).unwrap(), 1);
    }

    #[test]
    fn a_pre_shared_key_is_a_resumption() {
        let hello = server_hello_message(
            0x1301,
            &[
                (SUPPORTED_VERSIONS, vec![3, 4]),
                (PRE_SHARED_KEY, vec![0, 0]),
            ],
        );
        assert!(read(&record(HANDSHAKE, &hello)).unwrap().resumed);
    }

    #[test]
    fn a_tls12_flight_split_over_records() {
        let mut flight = server_hello_message(0xc02b, &[]);
        flight.extend(message(11, &[0, 0, 10, 0, 0, 2, 7, 7, 0, 0, 2, 8, 8]));
        flight.extend(message(12, &[3, 0, 0x1d, 2, 5, 5, 4, 3, 0, 1, 6]));
        flight.extend(message(14, &[]));
        let (front, back) = flight.split_at(50);
        let mut bytes = record(HANDSHAKE, front);
        bytes.extend(record(HANDSHAKE, back));
        let want = WireFacts {
            version: 0x0303,
            suite: 0xc02b,
            group: 0x001d,
            resumed: false,
            certificates: 2,
            signature_scheme: Some(0x0403),
            tickets: 0,
        };
        assert_eq!(read(&bytes).unwrap(), want);
    }

    #[test]
    fn a_tls12_handshake_without_certificate_is_resumed_and_its_ticket_counts() {
        let mut flight = server_hello_message(0xc02b, &[]);
        flight.extend(message(4, &[0; 12]));
        let facts = read(&record(HANDSHAKE, &flight)).unwrap();
        assert!(facts.resumed);
        assert_eq!(facts.tickets, 1);
    }

    #[test]
    fn broken_or_missing_messages_are_errors() {
        assert!(read(&[]).is_err());
        assert!(read(&[HANDSHAKE, 3, 3, 0, 9, 1]).is_err());
        let hello = server_hello_message(0x1301, &[]);
        assert!(read(&record(HANDSHAKE, &hello[..20])).is_err());
        let mut retry = hello;
        retry[6..14].copy_from_slice(&HELLO_RETRY_RANDOM);
        let error = read(&record(HANDSHAKE, &retry)).unwrap_err();
        assert!(error.to_string().contains("HelloRetryRequest"));
    }

    fn server_hello_message(suite: u16, extensions: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let mut body = vec![3, 3];
        body.extend([0xaa; 32]);
        body.push(0);
        body.extend(suite.to_be_bytes());
        body.push(0);
        let mut all = Vec::new();
        for (kind, content) in extensions {
            all.extend(kind.to_be_bytes());
            all.extend((content.len() as u16).to_be_bytes());
            all.extend(content);
        }
        body.extend((all.len() as u16).to_be_bytes());
        body.extend(all);
        message(2, &body)
    }

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u32).to_be_bytes();
        [&[kind], &length[1..], body].concat()
    }

    fn record(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = (body.len() as u16).to_be_bytes();
        [&[kind, 3, 3], &length[..], body].concat()
    }
}
