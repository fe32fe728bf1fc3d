//! The calls of a connection over its own buffers: what the stream adapters share.

use std::io::IoSlice;
use std::ops::DerefMut;

use super::{ConnectionCommon, Status};
use crate::error::Error;
use crate::ffi::Role;
use crate::protocol::ProtocolVersion;

/// At most this much plaintext is sealed in one write, which bounds what waits for a transport
/// that would block.
const WRITE_LIMIT: usize = 64 * 1024;

/// The longest plaintext of a record (RFC 8446, section 5.1).
const RECORD: usize = 16 * 1024;
/// At least what a record adds to its plaintext.
const RECORD_OVERHEAD: usize = 64;

/// Lets `act` append records to the buffered output, and do nothing else to it.
pub(crate) fn append_output<C: DerefMut<Target = ConnectionCommon>, R>(
    connection: &mut C,
    act: impl FnOnce(&mut C, &mut Vec<u8>) -> R,
) -> R {
    let mut appended = Vec::new();
    let result = act(connection, &mut appended);
    connection.buffers.output.append(&mut appended);
    result
}

impl ConnectionCommon {
    /// [`process`](Self::process) over the fetched input.
    pub(crate) fn process_buffered(&mut self) -> Result<Status, Error> {
        // Taken, so that a panic in a callback leaves consistent buffers behind: empty ones.
        let mut buffers = std::mem::take(&mut self.buffers);
        let (input, output) = buffers.split();
        let mut rest = input;
        let result = self.process(&mut rest, output);
        let left = rest.len();
        buffers.keep_input(left);
        self.buffers = buffers;
        result
    }

    /// Seals the start of `data` and says how much of it; at most [`WRITE_LIMIT`].
    pub(crate) fn write_buffered(&mut self, data: &[u8]) -> Result<usize, Error> {
        let data = &data[..data.len().min(WRITE_LIMIT)];
        self.with_output(data.len(), |connection, output| {
            connection.write(data, output).map(|()| data.len())
        })
    }

    /// As `write_buffered` for data in pieces. Small pieces share a record: one for each would
    /// cost the peer a header, a tag and a call each.
    pub(crate) fn write_gathered(&mut self, pieces: &[IoSlice<'_>]) -> Result<usize, Error> {
        let total = pieces.iter().map(|piece| piece.len()).sum::<usize>();
        let total = total.min(WRITE_LIMIT);
        self.with_output(total, |connection, output| {
            let (mut left, mut gathered) = (total, Vec::new());
            for piece in pieces {
                let mut piece = &piece[..piece.len().min(left)];
                left -= piece.len();
                while !piece.is_empty() {
                    let now = if gathered.is_empty() && piece.len() >= RECORD {
                        // Whole records need no copy.
                        let (whole, rest) = piece.split_at(piece.len() / RECORD * RECORD);
                        piece = rest;
                        whole
                    } else {
                        let room = RECORD - gathered.len();
                        let (start, rest) = piece.split_at(piece.len().min(room));
                        gathered.extend_from_slice(start);
                        piece = rest;
                        if gathered.len() < RECORD {
                            break;
                        }
                        &gathered
                    };
                    connection.write(now, output)?;
                    gathered.clear();
                }
            }
            connection.write(&gathered, output)?;
            Ok(total)
        })
    }

    /// [`close_notify`](Self::close_notify) into the buffered output.
    pub(crate) fn close_buffered(&mut self) -> Result<(), Error> {
        self.with_output(0, |connection, output| connection.close_notify(output))
    }

    /// Whether the peer cannot go on without what is to be sent at the end of the handshake.
    /// What a TLS 1.3 server sends then are tickets alone; a client that wants none may have
    /// left already, with its data on the way.
    pub(crate) fn peer_awaits_output(&self) -> bool {
        let tickets = self.session.role() == Role::Server
            && self.negotiated_version() == Some(ProtocolVersion::TLSv1_3);
        !tickets
    }

    fn with_output<R>(
        &mut self,
        sealed: usize,
        act: impl FnOnce(&mut Self, &mut Vec<u8>) -> R,
    ) -> R {
        let mut buffers = std::mem::take(&mut self.buffers);
        buffers
            .output
            .reserve(sealed + (1 + sealed / RECORD) * RECORD_OVERHEAD);
        let result = act(self, &mut buffers.output);
        self.buffers = buffers;
        result
    }
}
