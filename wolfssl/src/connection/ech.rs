//! Encrypted Client Hello (RFC 9849) in a connection.

use super::ConnectionCommon;
use crate::ech::EchStatus;

impl ConnectionCommon {
    /// What became of Encrypted Client Hello; also known when the connection failed for it.
    pub fn ech_status(&self) -> EchStatus {
        self.session.ech_status()
    }
}
