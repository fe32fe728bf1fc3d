//! Bytes on their way between a connection and a transport, for the stream adapters.
//!
//! They live in the connection, not in the adapter, so that an adapter can be dropped and
//! made anew without losing a byte. A connection that is used without adapters pays a few
//! words for each.

use std::ops::Range;

/// Ciphertext read ahead and ciphertext not yet sent.
#[derive(Default)]
pub(crate) struct Buffers {
    /// Empty until an adapter fetches for the first time, then of a fixed size.
    input: Vec<u8>,
    /// What of it has been fetched and not consumed.
    fetched: Range<usize>,
    pub(crate) output: Vec<u8>,
    output_start: usize,
}

/// The peer's bytes are fetched in pieces of this size: one record of the largest kind.
const INPUT_SIZE: usize = 16 * 1024 + 512;

impl Buffers {
    /// What has been fetched and not consumed.
    pub(crate) fn input(&self) -> &[u8] {
        &self.input[self.fetched.clone()]
    }

    /// The input to consume and the output to append to.
    pub(crate) fn split(&mut self) -> (&[u8], &mut Vec<u8>) {
        (&self.input[self.fetched.clone()], &mut self.output)
    }

    /// Marks all but the last `left` bytes of the input as consumed.
    pub(crate) fn keep_input(&mut self, left: usize) {
        self.fetched.start = self.fetched.end - left;
    }

    /// Lets `fetch` fill a piece of input, once the earlier one is consumed; says how much
    /// came.
    pub(crate) fn fetch<E>(
        &mut self,
        fetch: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<usize, E> {
        debug_assert!(self.input().is_empty(), "earlier input is consumed first");
        if self.input.is_empty() {
            self.input = vec![0; INPUT_SIZE];
        }
        self.fetched = 0..0;
        let count = fetch(&mut self.input)?;
        self.fetched = 0..count.min(INPUT_SIZE);
        Ok(self.fetched.end)
    }

    /// What has to be sent.
    pub(crate) fn unsent(&self) -> &[u8] {
        &self.output[self.output_start..]
    }

    /// Marks the first `count` unsent bytes as sent.
    pub(crate) fn mark_sent(&mut self, count: usize) {
        self.output_start += count;
        if self.output_start >= self.output.len() {
            self.output.clear();
            self.output_start = 0;
        }
    }

    /// Takes the space for a piece of input out, to be filled while the connection is not at
    /// hand, once the earlier one is consumed.
    pub(crate) fn take_space(&mut self) -> Vec<u8> {
        debug_assert!(self.input().is_empty(), "earlier input is consumed first");
        self.fetched = 0..0;
        let mut space = std::mem::take(&mut self.input);
        space.resize(INPUT_SIZE, 0);
        space
    }

    /// Puts the space back, its first `count` bytes being input.
    pub(crate) fn put_space(&mut self, space: Vec<u8>, count: usize) {
        self.fetched = 0..count.min(space.len());
        self.input = space;
    }

    /// Takes what has to be sent out, to be sent while the connection is not at hand.
    pub(crate) fn take_unsent(&mut self) -> Vec<u8> {
        let mut unsent = std::mem::take(&mut self.output);
        unsent.drain(..std::mem::take(&mut self.output_start));
        unsent
    }

    /// Puts what could not be sent back, before what came meanwhile.
    pub(crate) fn put_unsent(&mut self, mut unsent: Vec<u8>) {
        if unsent.is_empty() && !self.output.is_empty() {
            return;
        }
        unsent.extend_from_slice(self.unsent());
        self.output = unsent;
        self.output_start = 0;
    }
}
