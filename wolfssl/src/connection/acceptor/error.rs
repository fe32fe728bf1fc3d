//! What can be wrong with a client's first bytes.

use std::fmt;

use super::records;
use crate::protocol::AlertDescription;

/// Why the bytes of a client are no ClientHello that can be answered.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientHelloError {
    /// The client speaks HTTP without TLS: it was given `http://` where `https://` is due.
    PlainHttp,
    /// The client sent a hello in the form of SSL 2.0, which is not answered (RFC 6176).
    Sslv2,
    /// The client speaks something that is not TLS.
    NotTls,
    /// A record that is not a handshake record came before or amid the hello.
    UnexpectedContentType {
        /// The record's content type (RFC 8446, section 5.1).
        content_type: u8,
    },
    /// The first handshake message is not a ClientHello.
    UnexpectedMessage {
        /// Its type (RFC 8446, section 4).
        message_type: u8,
    },
    /// A handshake record had no content.
    EmptyRecord,
    /// A record was longer than 2^14 bytes.
    RecordTooLong {
        /// The length in its header.
        length: usize,
    },
    /// The hello is longer than [`crate::Acceptor::MAX_CLIENT_HELLO`].
    TooLong {
        /// The length in its header.
        length: usize,
    },
    /// The record goes on behind the hello, where nothing may follow.
    TrailingData,
    /// A field of the hello does not fit its form.
    Malformed {
        /// Which.
        field: &'static str,
    },
    /// An extension came twice.
    DuplicateExtension {
        /// Its type, in IANA's registry.
        extension: u16,
    },
    /// The server name is neither a DNS name nor an IP address.
    IllegalServerName,
}

impl ClientHelloError {
    /// The alert that tells the client; `None` where it would not be understood.
    pub fn alert(self) -> Option<AlertDescription> {
        Some(match self {
            Self::PlainHttp | Self::NotTls => return None,
            // The client ended the connection itself.
            Self::UnexpectedContentType { content_type: 21 } => return None,
            Self::Sslv2 => AlertDescription::ProtocolVersion,
            Self::UnexpectedContentType { .. }
            | Self::UnexpectedMessage { .. }
            | Self::TrailingData => AlertDescription::UnexpectedMessage,
            Self::RecordTooLong { .. } => AlertDescription::RecordOverflow,
            Self::EmptyRecord | Self::Malformed { .. } => AlertDescription::DecodeError,
            Self::TooLong { .. } | Self::DuplicateExtension { .. } | Self::IllegalServerName => {
                AlertDescription::IllegalParameter
            }
        })
    }

    /// The record that carries [`alert`](Self::alert), to be sent before the transport is
    /// closed.
    pub fn alert_record(self) -> Option<[u8; 7]> {
        self.alert().map(records::fatal_alert)
    }
}

impl fmt::Display for ClientHelloError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PlainHttp => f.write_str("the client speaks HTTP without TLS"),
            Self::Sslv2 => f.write_str("the client sent an SSL 2.0 hello"),
            Self::NotTls => f.write_str("the client does not speak TLS"),
            Self::UnexpectedContentType { content_type } => {
                write!(
                    f,
                    "a record of type {content_type} came instead of a ClientHello"
                )
            }
            Self::UnexpectedMessage { message_type } => write!(
                f,
                "a handshake message of type {message_type} came instead of a ClientHello"
            ),
            Self::EmptyRecord => f.write_str("a handshake record was empty"),
            Self::RecordTooLong { length } => {
                write!(f, "a record of {length} bytes is longer than 16384")
            }
            Self::TooLong { length } => write!(
                f,
                "a ClientHello of {length} bytes is longer than {}",
                super::Acceptor::MAX_CLIENT_HELLO
            ),
            Self::TrailingData => f.write_str("data follows the ClientHello in its record"),
            Self::Malformed { field } => write!(f, "the ClientHello is malformed: {field}"),
            Self::DuplicateExtension { extension } => {
                write!(f, "extension {extension} came twice in the ClientHello")
            }
            Self::IllegalServerName => {
                f.write_str("the server name in the ClientHello is not a host name")
            }
        }
    }
}

impl std::error::Error for ClientHelloError {}
