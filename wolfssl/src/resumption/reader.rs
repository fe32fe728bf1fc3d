//! Length-prefixed fields in bytes that are kept: written, and read without trust.

/// Appends `bytes` behind their length in `width` bytes.
pub(crate) fn put(out: &mut Vec<u8>, width: usize, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_be_bytes()[4 - width..]);
    out.extend_from_slice(bytes);
}

/// What is left to be read.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// Bytes behind their length in `width` bytes.
    pub(crate) fn vector(&mut self, width: usize) -> Option<&'a [u8]> {
        let length = self.take(width)?;
        let length = length
            .iter()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        self.take(length)
    }
}
