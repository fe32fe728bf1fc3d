//! The length of a connection's records.

use super::ConnectionCommon;
use crate::fragments::MaxFragmentLength;

impl ConnectionCommon {
    /// The limit on both ends' records that the client asked for and the server granted
    /// (RFC 6066); `None` when there is none, and before the end of the handshake.
    pub fn negotiated_max_fragment_length(&self) -> Option<MaxFragmentLength> {
        self.after_handshake()?;
        MaxFragmentLength::from_bytes(self.session.max_fragment_length())
    }
}
