//! Why a connection ended, as far as alerts tell.

use super::{ConnectionCommon, failure};
use crate::error::Error;
use crate::protocol::AlertDescription;

impl ConnectionCommon {
    /// The last alert that the peer sent, `close_notify` included.
    pub fn alert_received(&self) -> Option<AlertDescription> {
        let (_, description) = self.session.alerts().received?;
        AlertDescription::from_value(description)
    }

    /// The last alert that this side sent, `close_notify` included; after a failure the one
    /// that tells the peer why.
    pub fn alert_sent(&self) -> Option<AlertDescription> {
        let (_, description) = self.session.alerts().sent?;
        AlertDescription::from_value(description)
    }

    /// Ends the connection for this code, and has the peer told if wolfSSL did not.
    pub(super) fn fail_and_tell(&mut self, code: i32, output: &mut Vec<u8>) -> Error {
        let alert = failure::alert_for(code, self.handshaking);
        self.session.tell_peer(alert.value(), output);
        self.fail(code)
    }
}
