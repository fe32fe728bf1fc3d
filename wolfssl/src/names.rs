//! Names that come as text: the server's, parsed once, and those of registries.

use std::fmt;

use crate::error::{ConfigError, Error};

/// Whom a client means to reach: a DNS name or an IP address.
pub type ServerName = rustls_pki_types::ServerName<'static>;

/// Parses a DNS name or an IP address (without port or brackets).
///
/// # Errors
/// [`ConfigError::ServerName`] for anything else: an empty text, NUL bytes, non-ASCII letters
/// (give the `xn--` form), labels over 63 or names over 253 bytes.
pub fn server_name(text: &str) -> Result<ServerName, Error> {
    ServerName::try_from(text.to_owned()).map_err(|_| {
        let given = text.chars().take(80).collect();
        Error::Config(ConfigError::ServerName { given })
    })
}

/// A text that names nothing in the registry it was looked up in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    registry: &'static str,
    given: String,
}

impl UnknownName {
    pub(crate) fn new(registry: &'static str, given: &str) -> Self {
        Self {
            registry,
            given: given.chars().take(80).collect(),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not the name of a {}", self.given, self.registry)
    }
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_told_apart() {
        assert!(matches!(server_name("a.test"), Ok(ServerName::DnsName(_))));
        assert!(matches!(
            server_name("localhost"),
            Ok(ServerName::DnsName(_))
        ));
        assert!(matches!(
            server_name("127.0.0.1"),
            Ok(ServerName::IpAddress(_))
        ));
        assert!(matches!(server_name("::1"), Ok(ServerName::IpAddress(_))));
    }

    #[test]
    fn what_is_no_name_is_refused_with_the_text() {
        for text in [
            "",
            "a\0b",
            &"x".repeat(300),
            "müller.test",
            "a..b",
            "[::1]",
            "a:443",
        ] {
            match server_name(text) {
                Err(Error::Config(ConfigError::ServerName { given })) => {
                    assert!(text.starts_with(&given));
                }
                other => panic!("{text:?}: {other:?}"),
            }
        }
    }
}
