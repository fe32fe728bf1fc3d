//! Revocation lists, and OCSP answers sent along with certificates.

use std::ffi::{c_int, c_long, c_uchar, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use wolfssl_sys as sys;

use super::callback::CallbackState;
use super::context::{ContextSetup, check};
use super::session::Session;
use super::verify::Refusal;
use crate::revocation::{OcspStapling, RevocationLists, RevocationScope};

impl ContextSetup {
    /// Checks against these lists; an error says which list wolfSSL does not take.
    pub(crate) fn use_revocation_lists(
        &mut self,
        lists: &RevocationLists,
    ) -> Result<(), (usize, i32)> {
        let scope = match lists.scope {
            RevocationScope::Chain => sys::WOLFSSL_CRL_CHECKALL,
            RevocationScope::EndEntity => sys::WOLFSSL_CRL_CHECK,
        };
        // SAFETY: live, unshared context.
        check(unsafe { sys::wolfSSL_CTX_EnableCRL(self.ptr(), scope as c_int) })
            .map_err(|code| (0, code))?;
        for (index, list) in lists.lists.iter().enumerate() {
            let size = c_long::try_from(list.len()).map_err(|_| (index, sys::BAD_FUNC_ARG))?;
            // SAFETY: live, unshared context with its lists enabled; the buffer is readable
            // for its size and copied.
            let code = unsafe { sys::wolfssl_rs_load_crl(self.ptr(), list.as_ptr(), size) };
            // The same list twice is none too many.
            if code != sys::DUPE_ENTRY_E {
                check(code).map_err(|code| (index, code))?;
            }
        }
        if lists.accept_missing {
            // SAFETY: live, unshared context; the callback has its type and no data.
            check(unsafe {
                sys::wolfSSL_CTX_SetCRL_ErrorCb(
                    self.ptr(),
                    Some(missing_list),
                    std::ptr::null_mut(),
                )
            })
            .map_err(|code| (0, code))?;
        }
        self.checks().lists = true;
        Ok(())
    }

    /// Asks servers for an OCSP answer.
    pub(crate) fn request_ocsp(&mut self, stapling: OcspStapling) -> Result<(), i32> {
        if stapling == OcspStapling::Off {
            return Ok(());
        }
        self.enable_stapling()?;
        // SAFETY: live, unshared context; the callback has its type and no data.
        unsafe {
            check(sys::wolfSSL_CTX_UseOCSPStapling(
                self.ptr(),
                sys::WOLFSSL_CSR_OCSP as c_uchar,
                0,
            ))?;
            sys::wolfSSL_CTX_set_ocsp_status_verify_cb(
                self.ptr(),
                Some(keep_answer),
                std::ptr::null_mut(),
            );
        }
        if stapling == OcspStapling::Require {
            // SAFETY: live, unshared context.
            check(unsafe { sys::wolfSSL_CTX_EnableOCSPMustStaple(self.ptr()) })?;
        }
        Ok(())
    }

    /// Answers clients that ask for one with what the session was given.
    pub(crate) fn answer_ocsp(&mut self) -> Result<(), i32> {
        // SAFETY: live, unshared context; the callback has its type and takes its data from
        // the session.
        check(unsafe { sys::wolfSSL_CTX_set_tlsext_status_cb(self.ptr(), Some(give_answer)) })?;
        self.enable_stapling()
    }

    /// wolfSSL would ask responders over a network of its own: that is never its business.
    fn enable_stapling(&mut self) -> Result<(), i32> {
        // SAFETY: live, unshared context; without callbacks nothing is looked up.
        unsafe {
            check(sys::wolfSSL_CTX_EnableOCSPStapling(self.ptr()))?;
            check(sys::wolfSSL_CTX_SetOCSP_Cb(
                self.ptr(),
                None,
                None,
                std::ptr::null_mut(),
            ))
        }
    }
}

impl Session {
    /// The OCSP answer to give to clients that ask for it.
    pub(crate) fn set_ocsp_response(&mut self, response: Arc<[u8]>) {
        self.with_state(|state| state.ocsp_response = Some(response));
    }

    /// The OCSP answer that the server sent for its own certificate.
    pub(crate) fn peer_ocsp_response(&self) -> Option<&[u8]> {
        self.state().peer_ocsp_response.as_deref()
    }
}

/// `crlErrorCb`, called where no list has an opinion: 1 lets the certificate pass.
unsafe extern "C" fn missing_list(
    code: c_int,
    _list: *mut sys::WOLFSSL_CRL,
    _manager: *mut sys::WOLFSSL_CERT_MANAGER,
    _context: *mut c_void,
) -> c_int {
    c_int::from(code == sys::CRL_MISSING)
}

/// `tlsextStatusCb`: hands wolfSSL a copy of the session's answer.
unsafe extern "C" fn give_answer(ssl: *mut sys::WOLFSSL, _context: *mut c_void) -> c_int {
    // SAFETY: the read context of every session is its CallbackState, used by no one else
    // while C runs.
    let state = unsafe {
        sys::wolfSSL_GetIOReadCtx(ssl)
            .cast::<CallbackState>()
            .as_ref()
    };
    let Some(response) = state.and_then(|state| state.ocsp_response.as_ref()) else {
        return sys::WOLFSSL_OCSP_STATUS_CB_NOACK;
    };
    let Ok(size) = c_int::try_from(response.len()) else {
        return sys::WOLFSSL_OCSP_STATUS_CB_NOACK;
    };
    // SAFETY: the copy is made in memory of wolfSSL's allocator, large enough, and handed over
    // to the session, or freed when that is refused.
    unsafe {
        let copy = sys::wolfSSL_Malloc(response.len()).cast::<u8>();
        if copy.is_null() {
            return sys::WOLFSSL_OCSP_STATUS_CB_NOACK;
        }
        std::ptr::copy_nonoverlapping(response.as_ptr(), copy, response.len());
        if sys::wolfSSL_set_tlsext_status_ocsp_resp(ssl, copy, size) != 1 {
            sys::wolfSSL_Free(copy.cast());
            return sys::WOLFSSL_OCSP_STATUS_CB_NOACK;
        }
    }
    sys::WOLFSSL_OCSP_STATUS_CB_OK
}

/// `ocspVerifyStatusCb`: keeps the answer for the server's own certificate and leaves the
/// verdict as it is.
unsafe extern "C" fn keep_answer(
    ssl: *mut sys::WOLFSSL,
    verdict: c_int,
    answer: *mut u8,
    size: u32,
    index: u32,
    _context: *mut c_void,
) -> c_int {
    // SAFETY: as in `give_answer`.
    let state = unsafe {
        sys::wolfSSL_GetIOReadCtx(ssl)
            .cast::<CallbackState>()
            .as_mut()
    };
    let Some(state) = state else {
        return verdict;
    };
    if verdict == sys::OCSP_CERT_REVOKED {
        // In TLS 1.2 wolfSSL forgets it for a more general code.
        state.refusal = Some(Refusal::Code(verdict));
    }
    if index == 0 && !answer.is_null() {
        // SAFETY: wolfSSL gives `size` readable bytes, valid during the call.
        let answer = unsafe { std::slice::from_raw_parts(answer, size as usize) };
        let kept = catch_unwind(AssertUnwindSafe(|| {
            state.peer_ocsp_response = Some(answer.to_vec());
        }));
        if let Err(payload) = kept {
            state.panic = Some(payload);
            return sys::BAD_STATE_E;
        }
    }
    verdict
}
