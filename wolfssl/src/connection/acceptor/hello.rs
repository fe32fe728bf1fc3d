//! What a ClientHello says (RFC 8446, section 4.1.2), parsed from its bytes.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use rustls_pki_types::ServerName;

use super::ClientHelloError;
use crate::protocol::{CipherSuite, NamedGroup, ProtocolVersion, SignatureScheme};

mod extension {
    pub const SERVER_NAME: u16 = 0;
    pub const SUPPORTED_GROUPS: u16 = 10;
    pub const SIGNATURE_ALGORITHMS: u16 = 13;
    pub const ALPN: u16 = 16;
    pub const SUPPORTED_VERSIONS: u16 = 43;
    pub const KEY_SHARE: u16 = 51;
}

/// A client's first message: what it offers and what it asks for.
///
/// All of it is the client's unproved word: fit to choose a configuration by, not to decide
/// who it is.
#[derive(Clone)]
pub struct ClientHello {
    message: Vec<u8>,
    session_id: Range<usize>,
    cipher_suites: Range<usize>,
    extensions: Range<usize>,
    server_name: Option<String>,
    alpn: Range<usize>,
    versions: Range<usize>,
    groups: Range<usize>,
    signature_schemes: Range<usize>,
    key_shares: Range<usize>,
}

impl ClientHello {
    /// The host the client means to reach (SNI, RFC 6066), in lower case and without a final
    /// dot. `None` when it names none, or an IP address, which the RFC does not allow here.
    pub fn server_name(&self) -> Option<&str> {
        self.server_name.as_deref()
    }

    /// The application protocols (RFC 7301), most preferred first; none when the client does
    /// not offer ALPN.
    pub fn alpn(&self) -> impl Iterator<Item = &[u8]> {
        let mut names = Reader::within(&self.message, &self.alpn);
        std::iter::from_fn(move || Some(&self.message[names.vector8()?]))
    }

    /// The versions, most preferred first: of the supported_versions extension, or the legacy
    /// version alone when there is none, which stands for itself and all below.
    pub fn versions(&self) -> Offered<'_, ProtocolVersion> {
        self.offered(&self.versions, ProtocolVersion::from_u16)
    }

    /// The cipher suites, most preferred first.
    pub fn cipher_suites(&self) -> Offered<'_, CipherSuite> {
        self.offered(&self.cipher_suites, CipherSuite::from_value)
    }

    /// The key exchange groups, most preferred first.
    pub fn groups(&self) -> Offered<'_, NamedGroup> {
        self.offered(&self.groups, NamedGroup::from_value)
    }

    /// The signature schemes, most preferred first.
    pub fn signature_schemes(&self) -> Offered<'_, SignatureScheme> {
        self.offered(&self.signature_schemes, SignatureScheme::from_value)
    }

    /// The key shares of TLS 1.3: groups by wire value, each with the client's share.
    pub fn key_shares(&self) -> impl Iterator<Item = (u16, &[u8])> {
        let mut shares = Reader::within(&self.message, &self.key_shares);
        std::iter::from_fn(move || Some((shares.u16()?, &self.message[shares.vector16()?])))
    }

    /// Every extension: type, in IANA's registry, and content, in the client's order.
    pub fn extensions(&self) -> impl Iterator<Item = (u16, &[u8])> {
        let mut extensions = Reader::within(&self.message, &self.extensions);
        std::iter::from_fn(move || Some((extensions.u16()?, &self.message[extensions.vector16()?])))
    }

    /// The client's random.
    pub fn random(&self) -> &[u8] {
        &self.message[6..38]
    }

    /// The session id of TLS 1.2, or what TLS 1.3 sends in its place; empty as it may be.
    pub fn session_id(&self) -> &[u8] {
        &self.message[self.session_id.clone()]
    }

    /// The whole handshake message, header included, as the client sent it (without the
    /// records around it).
    pub fn as_bytes(&self) -> &[u8] {
        &self.message
    }

    fn offered<T>(&self, range: &Range<usize>, name: fn(u16) -> Option<T>) -> Offered<'_, T> {
        Offered {
            values: &self.message[range.clone()],
            name,
            of: PhantomData,
        }
    }

    /// Parses a complete handshake message, header included.
    pub(super) fn parse(message: Vec<u8>) -> Result<Self, ClientHelloError> {
        let mut hello = Self {
            session_id: 0..0,
            cipher_suites: 0..0,
            extensions: 0..0,
            server_name: None,
            alpn: 0..0,
            versions: 4..6, // the legacy version, until an extension says more
            groups: 0..0,
            signature_schemes: 0..0,
            key_shares: 0..0,
            message,
        };
        hello.parse_fields()?;
        hello.parse_extensions()?;
        Ok(hello)
    }

    fn parse_fields(&mut self) -> Result<(), ClientHelloError> {
        let mut body = Reader::new(&self.message);
        body.take(6).ok_or(malformed("legacy_version"))?;
        body.take(32).ok_or(malformed("random"))?;
        self.session_id = body
            .vector8()
            .filter(|id| id.len() <= 32)
            .ok_or(malformed("legacy_session_id"))?;
        self.cipher_suites = body
            .vector16()
            .filter(holds_pairs)
            .ok_or(malformed("cipher_suites"))?;
        body.vector8()
            .filter(|methods| !methods.is_empty())
            .ok_or(malformed("legacy_compression_methods"))?;
        // TLS 1.2 lets the extensions be left out altogether.
        if !body.is_empty() {
            self.extensions = body.vector16().ok_or(malformed("extensions"))?;
        }
        if !body.is_empty() {
            return Err(malformed("data behind the extensions"));
        }
        Ok(())
    }

    fn parse_extensions(&mut self) -> Result<(), ClientHelloError> {
        let mut extensions = Reader::within(&self.message, &self.extensions);
        let mut seen = Vec::new();
        while !extensions.is_empty() {
            let (kind, content) = extensions
                .u16()
                .zip(extensions.vector16())
                .ok_or(malformed("extensions"))?;
            seen.push(kind);
            let mut content = Reader::within(&self.message, &content);
            if kind == extension::SERVER_NAME {
                self.server_name = parse_server_name(content)?;
                continue;
            }
            let (field, place) = match kind {
                extension::ALPN => ("ALPN", &mut self.alpn),
                extension::SUPPORTED_VERSIONS => ("supported_versions", &mut self.versions),
                extension::SUPPORTED_GROUPS => ("supported_groups", &mut self.groups),
                extension::SIGNATURE_ALGORITHMS => {
                    ("signature_algorithms", &mut self.signature_schemes)
                }
                extension::KEY_SHARE => ("key_share", &mut self.key_shares),
                _ => continue,
            };
            let list = match kind {
                extension::SUPPORTED_VERSIONS => content.vector8(),
                _ => content.vector16(),
            };
            let fits = |list: &Range<usize>| match kind {
                extension::ALPN => holds_names(Reader::within(&self.message, list)),
                extension::KEY_SHARE => holds_shares(Reader::within(&self.message, list)),
                _ => holds_pairs(list),
            };
            *place = list
                .filter(|list| content.is_empty() && fits(list))
                .ok_or(malformed(field))?;
        }
        seen.sort_unstable();
        match seen.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(ClientHelloError::DuplicateExtension { extension: pair[0] }),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for ClientHello {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |name: &[u8]| name.escape_ascii().to_string();
        f.debug_struct("ClientHello")
            .field("server_name", &self.server_name)
            .field("alpn", &self.alpn().map(text).collect::<Vec<_>>())
            .field("versions", &self.versions())
            .field("cipher_suites", &self.cipher_suites())
            .field("groups", &self.groups())
            .field("signature_schemes", &self.signature_schemes())
            .finish_non_exhaustive()
    }
}

/// A list that a client offers: wire values, of which [`known`](Offered::known) are those
/// that have a name in this crate.
///
/// ```
/// # fn choose(hello: &wolfssl::ClientHello) {
/// use wolfssl::{NamedGroup, ProtocolVersion};
///
/// let modern = hello.versions().contains(ProtocolVersion::TLSv1_3);
/// let favourite: Option<NamedGroup> = hello.groups().known().next();
/// let fingerprint: Vec<u16> = hello.cipher_suites().collect();
/// # }
/// ```
#[derive(Clone)]
pub struct Offered<'a, T> {
    values: &'a [u8],
    name: fn(u16) -> Option<T>,
    of: PhantomData<T>,
}

impl<'a, T: PartialEq + 'a> Offered<'a, T> {
    /// Those values that this crate knows by name, in the client's order.
    pub fn known(self) -> impl Iterator<Item = T> + 'a {
        let name = self.name;
        self.filter_map(name)
    }

    /// Whether this one is offered.
    pub fn contains(self, wanted: T) -> bool {
        self.known().any(|value| value == wanted)
    }
}

impl<T> Iterator for Offered<'_, T> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        let (value, rest) = self.values.split_first_chunk()?;
        self.values = rest;
        Some(u16::from_be_bytes(*value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.values.len() / 2;
        (count, Some(count))
    }
}

impl<T> ExactSizeIterator for Offered<'_, T> {}

impl<T: fmt::Debug> fmt::Debug for Offered<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for pair in self.values.chunks_exact(2) {
            let value = u16::from_be_bytes([pair[0], pair[1]]);
            match (self.name)(value) {
                Some(name) => list.entry(&name),
                None => list.entry(&format_args!("{value:#06x}")),
            };
        }
        list.finish()
    }
}

/// Takes the presentation language of RFC 8446, section 3, off the front of a range.
struct Reader<'a> {
    message: &'a [u8],
    left: Range<usize>,
}

impl<'a> Reader<'a> {
    fn new(message: &'a [u8]) -> Self {
        Self::within(message, &(0..message.len()))
    }

    fn within(message: &'a [u8], range: &Range<usize>) -> Self {
        Self {
            message,
            left: range.clone(),
        }
    }

    fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    fn take(&mut self, count: usize) -> Option<Range<usize>> {
        let start = self.left.start;
        (count <= self.left.len()).then(|| {
            self.left.start += count;
            start..start + count
        })
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|at| self.message[at.start])
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2)
            .map(|at| u16::from_be_bytes([self.message[at.start], self.message[at.start + 1]]))
    }

    /// A vector with one length byte.
    fn vector8(&mut self) -> Option<Range<usize>> {
        let length = self.u8()?;
        self.take(usize::from(length))
    }

    /// A vector with two length bytes.
    fn vector16(&mut self) -> Option<Range<usize>> {
        let length = self.u16()?;
        self.take(usize::from(length))
    }
}

/// The host name of a server_name extension; its list may not hold two names of one kind.
fn parse_server_name(mut content: Reader<'_>) -> Result<Option<String>, ClientHelloError> {
    const HOST_NAME: u8 = 0;
    let malformed = malformed("server_name");
    let list = content.vector16().ok_or(malformed)?;
    if list.is_empty() || !content.is_empty() {
        return Err(malformed);
    }
    let mut list = Reader::within(content.message, &list);
    let mut host = None;
    while let Some(kind) = list.u8() {
        let name = list.vector16().filter(|name| !name.is_empty());
        let name = name.ok_or(malformed)?;
        if kind == HOST_NAME && host.replace(&list.message[name]).is_some() {
            return Err(malformed);
        }
    }
    let Some(host) = host else {
        return Ok(None);
    };
    match ServerName::try_from(host) {
        Ok(ServerName::DnsName(name)) => Ok(Some(name.as_ref().to_ascii_lowercase())),
        Ok(_) => Ok(None),
        Err(_) => Err(ClientHelloError::IllegalServerName),
    }
}

/// A list of two-byte values, not empty.
fn holds_pairs(list: &Range<usize>) -> bool {
    !list.is_empty() && list.len().is_multiple_of(2)
}

/// A list of names, none of them empty, at least one.
fn holds_names(mut list: Reader<'_>) -> bool {
    let mut count = 0;
    while !list.is_empty() {
        match list.vector8() {
            Some(name) if !name.is_empty() => count += 1,
            _ => return false,
        }
    }
    count > 0
}

/// A list of groups with their shares, none of them empty; no share at all asks for a
/// HelloRetryRequest.
fn holds_shares(mut list: Reader<'_>) -> bool {
    while !list.is_empty() {
        match list.u16().and_then(|_| list.vector16()) {
            Some(share) if !share.is_empty() => {}
            _ => return false,
        }
    }
    true
}

fn malformed(field: &'static str) -> ClientHelloError {
    ClientHelloError::Malformed { field }
}
