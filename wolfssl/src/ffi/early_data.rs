//! Early data: how a client writes it, and how a server's handshake stops to read it.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use wolfssl_sys as sys;

use super::context::{ContextSetup, Role};
use super::session::{Handshake, Session};
use crate::early_data::{AntiReplay, REMEMBERED};

/// What early data a server takes.
pub(crate) struct EarlyDataRules {
    /// In bytes, of one connection.
    pub(crate) limit: u32,
    pub(crate) anti_replay: Arc<dyn AntiReplay>,
    /// In milliseconds since 1970: since when replays are remembered.
    since: u64,
}

/// How much early data that is not taken is passed over: more than any client sends that was
/// told 16 KiB, the usual limit, in records of all sizes.
const PASSED_OVER: u32 = 64 * 1024;

impl EarlyDataRules {
    pub(crate) fn new(limit: u32, anti_replay: Arc<dyn AntiReplay>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let since = match anti_replay.outlives_configuration() {
            true => 0,
            false => now.map_or(u64::MAX, |now| now.as_millis() as u64),
        };
        Self {
            limit,
            anti_replay,
            since,
        }
    }

    /// Whether the early data of this ticket, issued then and good for so much, may be taken.
    pub(super) fn admit(&self, ticket: &[u8], issued: u64, allowed: u32) -> bool {
        issued > self.since
            && (1..=self.limit).contains(&allowed)
            && self.anti_replay.first_use(ticket, REMEMBERED)
    }
}

impl ContextSetup {
    /// Has early data passed over that comes with tickets which are not taken, and taken if
    /// there are rules. What a ticket allows is set when it is sent.
    pub(crate) fn set_early_data(&mut self, rules: Option<&EarlyDataRules>) {
        let limit = rules.map_or(0, |rules| rules.limit);
        let passed_over = limit.saturating_mul(2).saturating_add(PASSED_OVER);
        // SAFETY: live, unshared context; the callback has the type that the setter declares.
        // Contexts without TLS 1.3 refuse the calls, which they do not need.
        unsafe {
            sys::wolfSSL_CTX_set_max_early_data(self.ptr(), passed_over);
            if rules.is_some() {
                // wolfSSL takes early data only of sessions that it can remove from a cache.
                // Whether it may be taken, our rules have said before. So they have about
                // tickets from before a start, for which wolfSSL has whole seconds alone.
                sys::wolfSSL_CTX_sess_set_remove_cb(self.ptr(), Some(removed));
                sys::wolfSSL_CTX_no_early_data_fresh_start_check(self.ptr());
            }
        }
    }
}

/// The callback of `wolfSSL_CTX_sess_set_remove_cb`: there is nothing to remove.
unsafe extern "C" fn removed(_context: *mut sys::WOLFSSL_CTX, _session: *mut sys::WOLFSSL_SESSION) {
}

impl Session {
    /// Seals early data; the first call sends the hello as well. All of it, or an error code.
    pub(crate) fn write_early_data(
        &mut self,
        data: &[u8],
        output: &mut Vec<u8>,
    ) -> Result<(), i32> {
        let mut rest = data;
        while !rest.is_empty() {
            let size = c_int::try_from(rest.len()).unwrap_or(c_int::MAX);
            let mut written = 0;
            let (code, error) = self.with_io(&mut &[][..], output, |ssl| {
                // SAFETY: live session with its I/O lent; `rest` is readable for `size` bytes.
                unsafe {
                    let code = sys::wolfSSL_write_early_data(
                        ssl,
                        rest.as_ptr().cast::<c_void>(),
                        size,
                        &raw mut written,
                    );
                    (code, sys::wolfSSL_get_error(ssl, code))
                }
            });
            match (code, usize::try_from(written)) {
                (1.., Ok(written @ 1..)) => rest = &rest[written.min(rest.len())..],
                (sys::BAD_FUNC_ARG | sys::SIDE_ERROR | sys::BAD_STATE_E, _) => return Err(code),
                _ => return Err(error),
            }
        }
        Ok(())
    }

    /// Whether early data was taken: by the server for a client, by this side for a server.
    pub(crate) fn early_data_accepted(&self) -> bool {
        match self.context.role() {
            // SAFETY: live session; the call only reads.
            Role::Client => unsafe {
                sys::wolfSSL_get_early_data_status(self.ssl.as_ptr())
                    == sys::WOLFSSL_EARLY_DATA_ACCEPTED as c_int
            },
            Role::Server => self.state().early_data.accepted,
        }
    }

    /// The early data that came and was not taken yet.
    pub(crate) fn early_data(&mut self) -> &mut Vec<u8> {
        // The borrow ends before C can run again, as both need the session.
        &mut self.state_mut().early_data.received
    }

    /// Whether this configuration takes early data.
    pub(crate) fn reads_early_data(&self) -> bool {
        let rules = self.context.ticket_rules();
        rules.is_some_and(|rules| rules.early_data.is_some())
    }

    /// One step of a server's handshake that reads early data on the way.
    pub(super) fn accept_with_early_data(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
    ) -> Handshake {
        // SAFETY: live session; the call only reads.
        if unsafe { sys::wolfssl_rs_reads_early_data(self.ssl.as_ptr()) } != 0 {
            let mut buffer = [0u8; 4096];
            let mut count = 0;
            let (code, error) = self.with_io(input, output, |ssl| {
                // SAFETY: live session with its I/O lent; the buffer is writable.
                unsafe {
                    let code = sys::wolfSSL_read_early_data(
                        ssl,
                        buffer.as_mut_ptr().cast::<c_void>(),
                        buffer.len() as c_int,
                        &raw mut count,
                    );
                    (code, sys::wolfSSL_get_error(ssl, code))
                }
            });
            // SAFETY: live session; the call only reads.
            let accepted = unsafe { sys::wolfssl_rs_takes_early_data(self.ssl.as_ptr()) } != 0;
            let received = usize::try_from(count).unwrap_or(0).min(buffer.len());
            self.with_state(|state| {
                state.early_data.accepted |= accepted || received > 0;
                state
                    .early_data
                    .received
                    .extend_from_slice(&buffer[..received]);
            });
            match (received, code, error) {
                (1.., _, _) => return Handshake::EarlyData,
                (0, 0.., 0) => {} // the early data is over, or there is none
                _ => return self.unfinished(error),
            }
        }
        self.negotiate(input, output)
    }
}

/// One session's part in it.
#[derive(Default)]
pub(super) struct EarlyDataState {
    received: Vec<u8>,
    accepted: bool,
}
