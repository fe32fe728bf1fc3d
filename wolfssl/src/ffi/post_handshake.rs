//! Asking a TLS 1.3 client for its certificate after the handshake (RFC 8446, section 4.6.2).

use wolfssl_sys as sys;

use super::context::ContextSetup;
use super::session::Session;
use super::status::SUCCESS;

impl ContextSetup {
    /// Has clients offer the extension (`wolfSSL_CTX_allow_post_handshake_auth`).
    pub(crate) fn allow_post_handshake_auth(&mut self) -> Result<(), i32> {
        // SAFETY: live, unshared context.
        match unsafe { sys::wolfSSL_CTX_allow_post_handshake_auth(self.ptr()) } {
            0 => Ok(()),
            code => Err(code),
        }
    }
}

impl Session {
    /// Appends a CertificateRequest (`wolfSSL_request_certificate`).
    pub(crate) fn request_certificate(&mut self, output: &mut Vec<u8>) -> Result<(), i32> {
        let code = self.with_io(&mut &[][..], output, |ssl| {
            // SAFETY: live session with its I/O lent.
            unsafe { sys::wolfSSL_request_certificate(ssl) }
        });
        if code != SUCCESS {
            return Err(code);
        }
        self.with_state(|state| state.peer_chain.clear());
        Ok(())
    }

    /// Whether the answer to the last request is complete.
    pub(crate) fn request_answered(&self) -> bool {
        // SAFETY: live session; the call only reads.
        unsafe { sys::wolfssl_rs_got_finished(self.ssl.as_ptr()) == 1 }
    }

    /// Leaves the record behind that asked for a signature which comes later; whether that
    /// could be done.
    pub(super) fn skip_answered_record(&mut self) -> bool {
        // SAFETY: live session whose read has just ended with WC_PENDING_E.
        unsafe { sys::wolfssl_rs_skip_answered_record(self.ssl.as_ptr()) == 1 }
    }
}
