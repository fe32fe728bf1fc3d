//! Limits on the length of records.
//!
//! Two things, not to be mixed up: [`MaxFragmentLength`] is what a client asks of *both* ends
//! (RFC 6066), for itself is short of memory; `max_fragment_size` is what an end does by its
//! own choice to the records that it *sends*, so that the peer can use the first bytes before
//! it has the last ones. wolfSSL 5.9.4 has no record size limit extension (RFC 8449): it offers
//! none and ignores the peer's. Nor has it certificate compression (RFC 8879).

/// The longest plaintext of a record that a client can ask for (RFC 6066, section 4).
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaxFragmentLength {
    /// 512 bytes.
    Bytes512,
    /// 1024 bytes.
    Bytes1024,
    /// 2048 bytes.
    Bytes2048,
    /// 4096 bytes.
    Bytes4096,
}

impl MaxFragmentLength {
    /// Every length there is, shortest first.
    pub const ALL: &'static [Self] = &[
        Self::Bytes512,
        Self::Bytes1024,
        Self::Bytes2048,
        Self::Bytes4096,
    ];

    /// The length in bytes.
    pub fn bytes(self) -> usize {
        256 << self.code()
    }

    /// The value on the wire.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Bytes512 => 1,
            Self::Bytes1024 => 2,
            Self::Bytes2048 => 3,
            Self::Bytes4096 => 4,
        }
    }

    pub(crate) fn from_bytes(bytes: usize) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|length| length.bytes() == bytes)
    }
}

/// What `max_fragment_size` can be, in bytes of plaintext.
pub(crate) const FRAGMENT_SIZES: std::ops::RangeInclusive<usize> = 64..=16 * 1024;
