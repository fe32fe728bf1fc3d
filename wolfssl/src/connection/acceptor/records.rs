//! Records around a ClientHello: taken off, put on again.

use super::{Acceptor, ClientHelloError};
use crate::protocol::AlertDescription;

/// Content type `handshake` (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;
/// Content type `alert`.
const ALERT: u8 = 21;
/// Handshake message type `client_hello`.
const CLIENT_HELLO: u8 = 1;
/// The longest plaintext of a record.
const MAX_FRAGMENT: usize = 1 << 14;
const HEADER: usize = 5;

/// Puts one handshake message together from records of any size.
#[derive(Debug, Default)]
pub(super) struct Reassembly {
    header: [u8; HEADER],
    header_len: usize,
    /// Bytes of the current record yet to come.
    record_left: usize,
    message: Vec<u8>,
    /// Of the first record: wolfSSL wants to see it again.
    record_version: Option<[u8; 2]>,
}

impl Reassembly {
    /// Takes bytes off `input`; says whether the message is complete.
    pub(super) fn push(&mut self, input: &mut &[u8]) -> Result<bool, ClientHelloError> {
        while !input.is_empty() {
            if self.record_left == 0 {
                self.push_header(input)?;
            } else if self.push_fragment(input)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How many bytes are certainly needed yet.
    pub(super) fn wants(&self) -> usize {
        match self.record_left {
            0 => HEADER - self.header_len,
            left => left,
        }
    }

    /// The complete message and the version in the header of its first record.
    pub(super) fn into_message(self) -> (Vec<u8>, [u8; 2]) {
        (self.message, self.record_version.unwrap_or([3, 1]))
    }

    fn push_header(&mut self, input: &mut &[u8]) -> Result<(), ClientHelloError> {
        let count = input.len().min(HEADER - self.header_len);
        let (taken, rest) = input.split_at(count);
        self.header[self.header_len..self.header_len + count].copy_from_slice(taken);
        self.header_len += count;
        *input = rest;
        self.check_header()?;
        if self.header_len < HEADER {
            return Ok(());
        }
        self.record_left = usize::from(u16::from_be_bytes([self.header[3], self.header[4]]));
        self.header_len = 0;
        self.record_version
            .get_or_insert([self.header[1], self.header[2]]);
        match self.record_left {
            0 => Err(ClientHelloError::EmptyRecord),
            1..=MAX_FRAGMENT => Ok(()),
            length => Err(ClientHelloError::RecordTooLong { length }),
        }
    }

    /// Refuses a header as soon as it can no longer become that of a handshake record.
    fn check_header(&self) -> Result<(), ClientHelloError> {
        let header = &self.header[..self.header_len];
        match *header {
            [] | [HANDSHAKE] | [HANDSHAKE, 3, ..] => Ok(()),
            [HANDSHAKE, ..] if self.record_version.is_some() => Err(ClientHelloError::Malformed {
                field: "record version",
            }),
            [content_type, ..] if self.record_version.is_some() => {
                Err(ClientHelloError::UnexpectedContentType { content_type })
            }
            [20..=24] | [0x80..=0xff] | [0x80..=0xff, _] => Ok(()),
            [content_type @ 20..=24, 3, ..] => {
                Err(ClientHelloError::UnexpectedContentType { content_type })
            }
            // Two length bytes, the first with its high bit set, then message type 1.
            [0x80..=0xff, _, CLIENT_HELLO, ..] => Err(ClientHelloError::Sslv2),
            _ => not_tls(header),
        }
    }

    fn push_fragment(&mut self, input: &mut &[u8]) -> Result<bool, ClientHelloError> {
        let wanted = match *self.message {
            // The type and the length come first: nothing is kept that they rule out.
            [] | [_] | [_, _] | [_, _, _] => 4 - self.message.len(),
            [_, a, b, c, ..] => {
                let length = u32::from_be_bytes([0, a, b, c]) as usize;
                4 + length - self.message.len()
            }
        };
        let count = input.len().min(self.record_left).min(wanted);
        let (taken, rest) = input.split_at(count);
        self.message.extend_from_slice(taken);
        self.record_left -= count;
        *input = rest;
        match *self.message {
            [] => {}
            [CLIENT_HELLO, a, b, c, ..] => {
                let length = u32::from_be_bytes([0, a, b, c]) as usize;
                if length > Acceptor::MAX_CLIENT_HELLO {
                    return Err(ClientHelloError::TooLong { length });
                }
                if self.message.len() == 4 + length {
                    return match self.record_left {
                        0 => Ok(true),
                        _ => Err(ClientHelloError::TrailingData),
                    };
                }
            }
            [CLIENT_HELLO, ..] => {}
            [message_type, ..] => return Err(ClientHelloError::UnexpectedMessage { message_type }),
        }
        Ok(false)
    }
}

/// What a client speaks that does not speak TLS, as soon as it can be told.
fn not_tls(start: &[u8]) -> Result<(), ClientHelloError> {
    const METHODS: [&[u8]; 10] = [
        b"GET ",
        b"POST ",
        b"HEAD ",
        b"PUT ",
        b"DELETE ",
        b"OPTIONS ",
        b"CONNECT ",
        b"PATCH ",
        b"TRACE ",
        b"PRI * ", // HTTP/2 without TLS
    ];
    for method in METHODS {
        if start.starts_with(&method[..method.len().min(HEADER)]) {
            return Err(ClientHelloError::PlainHttp);
        }
        if method.starts_with(start) {
            return Ok(());
        }
    }
    Err(ClientHelloError::NotTls)
}

/// The message in as few records as it takes.
pub(super) fn frame(message: &[u8], version: [u8; 2]) -> Vec<u8> {
    let fragments = message.chunks(MAX_FRAGMENT);
    let mut records = Vec::with_capacity(message.len() + fragments.len() * HEADER);
    for fragment in fragments {
        records.push(HANDSHAKE);
        records.extend_from_slice(&version);
        records.extend_from_slice(&(fragment.len() as u16).to_be_bytes());
        records.extend_from_slice(fragment);
    }
    records
}

/// A record with this alert at the fatal level, not encrypted.
pub(super) fn fatal_alert(alert: AlertDescription) -> [u8; 7] {
    [ALERT, 3, 3, 0, 2, 2, alert.value()]
}
