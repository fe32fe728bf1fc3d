//! What a session has to say to the verdict on its peer's certificate.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use rustls_pki_types::CertificateDer;
use wolfssl_sys as sys;

use super::callback::CallbackState;
use super::context::ContextSetup;
use super::public_key::public_key_of;
use super::status::SUCCESS;
use crate::links::{self, Issuer};
use crate::verification::{AdditionalVerification, PinnedKeys, VerifiedPeer};

/// What a context checks beside wolfSSL.
#[derive(Clone, Default)]
pub(super) struct Checks {
    pub(super) anchors: Vec<Issuer>,
    pub(super) additional: Option<AdditionalVerification>,
    pub(super) pins: Option<PinnedKeys>,
    /// There are revocation lists.
    pub(super) lists: bool,
}

/// Why a certificate was refused here and not by wolfSSL.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    Name,
    NoWayToAnchor,
    NotPinned,
    /// By a code of wolfSSL's that its own check has not come to.
    Code(i32),
    Application(String),
}

impl ContextSetup {
    /// Runs this check after all others.
    pub(crate) fn set_additional_verification(&mut self, additional: AdditionalVerification) {
        self.checks().additional = Some(additional);
    }

    /// Takes peers with one of these keys alone.
    pub(crate) fn set_pinned_keys(&mut self, pins: PinnedKeys) {
        self.checks().pins = Some(pins);
    }
}

/// `VerifyCallback`: keeps the chain and may turn a yes into a no. The other way there are two
/// exceptions, to which wolfSSL always says no: raw public keys that are known, and pinned
/// keys where there is nothing else to go by.
///
/// With WOLFSSL_ALWAYS_VERIFY_CB it runs for the leaf on success too.
pub(super) unsafe extern "C" fn verify(
    preverify: c_int,
    store: *mut sys::WOLFSSL_X509_STORE_CTX,
) -> c_int {
    // SAFETY: wolfSSL passes a store context that is valid until the callback returns.
    let Some(store) = (unsafe { store.as_ref() }) else {
        return 0;
    };
    // SAFETY: userCtx is the CallbackState set by wolfSSL_SetCertCbCtx on this session; no
    // other reference to it exists while C runs.
    let Some(state) = (unsafe { store.userCtx.cast::<CallbackState>().as_mut() }) else {
        return 0;
    };
    // SAFETY: certs holds totalCerts entries, leaf first, each a DER buffer, valid during
    // the callback.
    let chain = unsafe { copy_chain(store) };
    let verdict = catch_unwind(AssertUnwindSafe(|| {
        state.peer_chain = chain;
        state.resumed_type = None;
        if store.error_depth != 0 {
            // Of intermediates wolfSSL reports errors alone.
            return Ok(state.accept_any || preverify == 1);
        }
        verdict_on_leaf(state, preverify == 1, store.error)
    }));
    match verdict {
        Ok(Ok(accepted)) => c_int::from(accepted),
        Ok(Err(refusal)) => {
            state.refusal = Some(refusal);
            0
        }
        Err(payload) => {
            state.panic = Some(payload);
            0
        }
    }
}

/// # Safety
/// `store.certs` must hold `store.totalCerts` buffers that are valid for reads.
unsafe fn copy_chain(store: &sys::WOLFSSL_X509_STORE_CTX) -> Vec<CertificateDer<'static>> {
    let count = usize::try_from(store.totalCerts).unwrap_or(0);
    if store.certs.is_null() {
        return Vec::new();
    }
    (0..count)
        .filter_map(|index| {
            // SAFETY: by this function's contract.
            let entry = unsafe { &*store.certs.add(index) };
            (!entry.buffer.is_null()).then(|| {
                // SAFETY: an entry's buffer holds `length` readable bytes.
                let der =
                    unsafe { std::slice::from_raw_parts(entry.buffer, entry.length as usize) };
                CertificateDer::from(der.to_vec())
            })
        })
        .collect()
}

/// `Ok(false)` leaves wolfSSL's own reason standing.
fn verdict_on_leaf(state: &CallbackState, good: bool, error: c_int) -> Result<bool, Refusal> {
    let checks = &state.checks;
    let Some(leaf) = state.peer_chain.first() else {
        return Ok(good); // nothing is shown, which wolfSSL has judged
    };
    let raw_key = error == sys::RPK_UNTRUSTED_E;
    let pins_alone = checks.pins.is_some() && checks.anchors.is_empty();
    let good = if state.accept_any {
        true
    } else if raw_key {
        raw_key_is_known(state)
    } else if pins_alone {
        true
    } else {
        if good {
            check_name(state, leaf)?;
            if !links::lead_to_anchor(&state.peer_chain, &checks.anchors) {
                return Err(Refusal::NoWayToAnchor);
            }
            check_revocation(state, leaf)?;
        }
        good
    };
    if !good {
        return Ok(false);
    }
    if let Some(pins) = &checks.pins {
        let key = if raw_key {
            Ok(leaf.to_vec())
        } else {
            public_key_of(leaf)
        };
        if !key.is_ok_and(|key| pins.contain(&key)) {
            return Err(Refusal::NotPinned);
        }
    }
    if let Some(AdditionalVerification(check)) = &checks.additional {
        let peer = VerifiedPeer {
            certificates: if raw_key { &[] } else { &state.peer_chain },
            raw_public_key: raw_key.then_some(leaf.as_ref()),
            server_name: server_name(state),
        };
        check(&peer).map_err(Refusal::Application)?;
    }
    Ok(true)
}

/// Only for a raw key that was negotiated as such.
fn raw_key_is_known(state: &CallbackState) -> bool {
    match (&state.raw_keys, state.peer_chain.as_slice()) {
        (Some(known), [key]) => known.contains(key),
        _ => false,
    }
}

/// Names that wolfSSL cannot check are checked here.
fn check_name(state: &CallbackState, leaf: &CertificateDer<'_>) -> Result<(), Refusal> {
    let Some(name) = &state.name else {
        return Ok(());
    };
    let leaf = webpki::EndEntityCert::try_from(leaf).map_err(|_| Refusal::Name)?;
    leaf.verify_is_valid_for_subject_name(name)
        .map_err(|_| Refusal::Name)
}

/// wolfSSL leaves the lists out for a leaf with a stapled OCSP answer, an empty one included:
/// the peer would choose whether its revocation counts.
fn check_revocation(state: &CallbackState, leaf: &CertificateDer<'_>) -> Result<(), Refusal> {
    if !state.checks.lists {
        return Ok(());
    }
    let size = c_int::try_from(leaf.len()).map_err(|_| Refusal::Code(sys::BAD_FUNC_ARG))?;
    // SAFETY: the context is alive as long as its sessions, and with it its manager, which
    // locks its lists itself; the leaf is readable for its size.
    let code = unsafe {
        let manager = sys::wolfSSL_CTX_GetCertManager(state.context);
        sys::wolfSSL_CertManagerCheckCRL(manager, leaf.as_ptr(), size)
    };
    match code {
        SUCCESS => Ok(()),
        code => Err(Refusal::Code(code)),
    }
}

/// Whom the client asked for.
fn server_name(state: &CallbackState) -> Option<String> {
    if state.asked_name.is_some() {
        return state.asked_name.clone();
    }
    let mut name: *mut c_void = null_mut();
    // SAFETY: the session is alive and runs this callback; the call reads its extensions, and
    // the name is copied at once.
    unsafe {
        let size =
            sys::wolfSSL_SNI_GetRequest(state.ssl, sys::WOLFSSL_SNI_HOST_NAME as u8, &raw mut name);
        if size == 0 || name.is_null() {
            return None;
        }
        let name = std::slice::from_raw_parts(name.cast::<u8>(), usize::from(size));
        String::from_utf8(name.to_vec()).ok()
    }
}
