//! Alerts: those a session has seen, and those that wolfSSL forgets to send.

use wolfssl_sys as sys;

use super::session::Session;

/// The last alert received and the last sent, each as (level, description).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AlertHistory {
    pub(crate) received: Option<(u8, u8)>,
    pub(crate) sent: Option<(u8, u8)>,
}

impl Session {
    /// `wolfSSL_get_alert_history`.
    pub(crate) fn alerts(&self) -> AlertHistory {
        let none = sys::WOLFSSL_ALERT {
            code: -1,
            level: -1,
        };
        let mut history = sys::WOLFSSL_ALERT_HISTORY {
            last_rx: none,
            last_tx: none,
        };
        // SAFETY: live session; the call fills the struct, whose layout bindgen took from the
        // same headers.
        unsafe { sys::wolfSSL_get_alert_history(self.ssl.as_ptr(), &raw mut history) };
        let seen = |alert: sys::WOLFSSL_ALERT| {
            let code = u8::try_from(alert.code).ok()?;
            let level = u8::try_from(alert.level).ok()?;
            (level != 0).then_some((level, code))
        };
        AlertHistory {
            received: seen(history.last_rx),
            sent: seen(history.last_tx),
        }
    }

    /// Tells the peer of a failure, unless one of the two has said so already.
    pub(crate) fn tell_peer(&mut self, description: u8, output: &mut Vec<u8>) {
        let alerts = self.alerts();
        let fatal = |seen: Option<(u8, u8)>| seen.is_some_and(|(level, _)| level == FATAL);
        if fatal(alerts.sent) || fatal(alerts.received) || self.is_datagram() {
            return;
        }
        self.with_io(&mut &[][..], output, |ssl| {
            // SAFETY: live session with its I/O lent. That an alert cannot be built changes
            // nothing: the connection has failed already.
            unsafe { sys::wolfssl_rs_send_alert(ssl, i32::from(description)) };
        });
    }

    /// Whether this is DTLS, where an answer to a message that may be forged is a weapon.
    fn is_datagram(&self) -> bool {
        self.version() >> 8 == 0xfe
    }
}

/// The level of an alert.
pub(super) const FATAL: u8 = 2;
