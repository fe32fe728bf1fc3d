//! How long records may be.

use wolfssl_sys as sys;

use super::context::{ContextSetup, check};
use super::session::Session;
use crate::fragments::MaxFragmentLength;

impl ContextSetup {
    /// Has a client ask for shorter records (`wolfSSL_CTX_UseMaxFragment`).
    pub(crate) fn offer_max_fragment_length(
        &mut self,
        length: MaxFragmentLength,
    ) -> Result<(), i32> {
        // SAFETY: live, unshared context; the code is one of RFC 6066's.
        check(unsafe { sys::wolfSSL_CTX_UseMaxFragment(self.ptr(), length.code()) })
    }
}

impl Session {
    /// The most plaintext in a record of either end, in bytes once the
    /// handshake is complete (`wolfSSL_GetMaxOutputSize`).
    pub(crate) fn max_fragment_length(&self) -> usize {
        // SAFETY: live session; the call only reads.
        let length = unsafe { sys::wolfSSL_GetMaxOutputSize(self.ssl.as_ptr()) };
        usize::try_from(length).unwrap_or(0)
    }
}
