//! Signatures of keys held elsewhere: wolfSSL's sign callbacks, and how a connection waits.
//!
//! wolfSSL waits for a signature only when built for asynchronous crypto hardware, which
//! changes every key struct. It need not: when a sign callback returns `WC_PENDING_E`, the
//! functions that send CertificateVerify and ServerKeyExchange undo what they built, keep the
//! ephemeral key and the transcript, and leave the state of the handshake at themselves. So
//! the next `wolfSSL_connect` or `wolfSSL_accept` asks for the same signature again, and
//! takes the one that has come meanwhile. `tests/signing.rs` holds them to it.

use std::ffi::{c_int, c_uint, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use wolfssl_sys as sys;

use super::callback::CallbackState;
use super::context::{ContextSetup, check};
use super::public_key::PublicKey;
use super::session::Session;
use crate::signing::{SignatureFamily, SignatureRequest, Signing, SigningError, SigningKey};

/// A key held elsewhere and what its signatures are checked with.
#[derive(Clone)]
pub(crate) struct Signer {
    pub(crate) key: Arc<dyn SigningKey>,
    pub(crate) public_key: PublicKey,
}

/// One session's part in it.
pub(super) struct SigningState {
    signer: Signer,
    /// What is being waited for.
    pending: Option<SignatureRequest>,
    /// A checked signature for `pending`.
    provided: Option<Vec<u8>>,
    failure: Option<SigningError>,
}

impl ContextSetup {
    /// Has every signature made by `signer`; the chain must be loaded.
    ///
    /// The public key takes the private key's place, which wolfSSL allows once a sign
    /// callback is set: so it knows which schemes the key can sign.
    pub(crate) fn use_signer(&mut self, signer: &Signer) -> Result<(), i32> {
        let spki = signer.public_key.spki();
        // SAFETY: live, unshared context; the callbacks have the types that the setters
        // declare; the buffer is readable for its length and copied.
        unsafe {
            sys::wolfSSL_CTX_SetEccSignCb(self.ptr(), Some(sign_ecdsa));
            sys::wolfSSL_CTX_SetRsaSignCb(self.ptr(), Some(sign_rsa));
            sys::wolfSSL_CTX_SetRsaPssSignCb(self.ptr(), Some(sign_rsa_pss));
            sys::wolfSSL_CTX_SetEd25519SignCb(self.ptr(), Some(sign_ed25519));
            check(sys::wolfSSL_CTX_use_PrivateKey_buffer(
                self.ptr(),
                spki.as_ptr(),
                spki.len() as _,
                sys::WOLFSSL_FILETYPE_ASN1 as c_int,
            ))?;
        }
        self.set_signer(signer.clone());
        Ok(())
    }
}

impl Session {
    /// Points the sign callbacks at this session's state.
    pub(super) fn attach_signer(&mut self) {
        let Some(signer) = self.context.signer().cloned() else {
            return;
        };
        let ssl = self.ssl.as_ptr();
        let context = self.state_ptr().cast::<c_void>();
        self.with_state(|state| {
            state.signing = Some(Box::new(SigningState {
                signer,
                pending: None,
                provided: None,
                failure: None,
            }));
        });
        // SAFETY: live session; the state's address stays valid until after wolfSSL_free.
        unsafe {
            sys::wolfSSL_SetEccSignCtx(ssl, context);
            sys::wolfSSL_SetRsaSignCtx(ssl, context);
            sys::wolfSSL_SetRsaPssSignCtx(ssl, context);
            sys::wolfSSL_SetEd25519SignCtx(ssl, context);
        }
    }

    /// The signature that is being waited for, unless it has come.
    pub(crate) fn signature_request(&self) -> Option<&SignatureRequest> {
        let signing = self.state().signing.as_deref()?;
        match signing.provided {
            Some(_) => None,
            None => signing.pending.as_ref(),
        }
    }

    /// Whether a signature was asked for and is not in the handshake yet.
    pub(crate) fn signing_underway(&self) -> bool {
        let signing = self.state().signing.as_deref();
        signing.is_some_and(|signing| signing.pending.is_some())
    }

    /// Takes the signature that was waited for; one that does not verify is left out.
    pub(crate) fn provide_signature(&mut self, signature: &[u8]) -> Result<(), SigningError> {
        self.with_state(|state| {
            let Some(signing) = state.signing.as_deref_mut() else {
                return Err(SigningError::NotRequested);
            };
            let (Some(request), None) = (&signing.pending, &signing.provided) else {
                return Err(SigningError::NotRequested);
            };
            if !signing.signer.public_key.verifies(request, signature) {
                let scheme = request.scheme();
                return Err(SigningError::WrongSignature { scheme });
            }
            signing.provided = Some(signature.to_vec());
            Ok(())
        })
    }

    /// Why there was no signature, once.
    pub(crate) fn take_signing_failure(&mut self) -> Option<SigningError> {
        self.with_state(|state| {
            let signing = state.signing.as_deref_mut()?;
            match signing.pending.take() {
                Some(_) => Some(SigningError::CannotWait),
                None => signing.failure.take(),
            }
        })
    }
}

impl SigningState {
    /// The signature for `request`; `None` when it is yet to come or there will be none.
    fn sign(&mut self, request: SignatureRequest) -> Option<Vec<u8>> {
        if self.pending.as_ref() == Some(&request) {
            if self.provided.is_some() {
                self.pending = None;
            }
            return self.provided.take();
        }
        (self.pending, self.provided) = (None, None);
        match self.signer.key.sign(&request) {
            Ok(Signing::Done(signature)) => {
                if self.signer.public_key.verifies(&request, &signature) {
                    return Some(signature);
                }
                let scheme = request.scheme();
                self.failure = Some(SigningError::WrongSignature { scheme });
            }
            Ok(Signing::Later) => self.pending = Some(request),
            Err(reason) => self.failure = Some(SigningError::Key(reason.into())),
        }
        None
    }
}

/// What all sign callbacks do: 0 with the signature and its length written, else an error.
///
/// # Safety
/// `input` must be readable for `input_size` bytes, `output` writable for `*output_size`, and
/// `context` the CallbackState of a session whose C function is running.
unsafe fn sign(
    family: SignatureFamily,
    input: *const u8,
    input_size: c_uint,
    output: *mut u8,
    output_size: *mut u32,
    context: *mut c_void,
) -> c_int {
    // SAFETY: by this function's contract; no other reference to the state exists while C
    // runs.
    let Some(state) = (unsafe { context.cast::<CallbackState>().as_mut() }) else {
        return sys::BAD_FUNC_ARG;
    };
    let Some(signing) = state.signing.as_deref_mut() else {
        return sys::BAD_FUNC_ARG;
    };
    // SAFETY: by this function's contract.
    let (input, room) = unsafe {
        (
            std::slice::from_raw_parts(input, input_size as usize),
            *output_size as usize,
        )
    };
    let Some(request) = SignatureRequest::new(family, input) else {
        signing.failure = Some(SigningError::UnsupportedHash);
        return FAILED;
    };
    match catch_unwind(AssertUnwindSafe(|| signing.sign(request))) {
        Ok(Some(signature)) if signature.len() <= room => {
            // SAFETY: `output` has `room` writable bytes and overlaps nothing of ours.
            unsafe {
                std::ptr::copy_nonoverlapping(signature.as_ptr(), output, signature.len());
                *output_size = signature.len() as u32;
            }
            0
        }
        // A signature that verifies and does not fit cannot be: wolfSSL's room is for the
        // longest one of this very key.
        Ok(Some(_)) => sys::BUFFER_E,
        Ok(None) if signing.pending.is_some() => sys::WC_PENDING_E,
        Ok(None) => FAILED,
        Err(payload) => {
            state.panic = Some(payload);
            FAILED
        }
    }
}

/// What wolfSSL hears when there is no signature; callers get the [`SigningError`] instead.
const FAILED: c_int = sys::BAD_STATE_E;

/// `CallbackEccSign`.
unsafe extern "C" fn sign_ecdsa(
    _ssl: *mut sys::WOLFSSL,
    input: *const u8,
    input_size: c_uint,
    output: *mut u8,
    output_size: *mut u32,
    _key: *const u8,
    _key_size: c_uint,
    context: *mut c_void,
) -> c_int {
    // SAFETY: wolfSSL passes the digest, room for the signature with its size, and the
    // context of this session.
    unsafe {
        sign(
            SignatureFamily::Ecdsa,
            input,
            input_size,
            output,
            output_size,
            context,
        )
    }
}

/// `CallbackRsaSign`: the input is a DigestInfo.
unsafe extern "C" fn sign_rsa(
    _ssl: *mut sys::WOLFSSL,
    input: *const u8,
    input_size: c_uint,
    output: *mut u8,
    output_size: *mut u32,
    _key: *const u8,
    _key_size: c_uint,
    context: *mut c_void,
) -> c_int {
    // SAFETY: as in `sign_ecdsa`.
    unsafe {
        sign(
            SignatureFamily::RsaPkcs1,
            input,
            input_size,
            output,
            output_size,
            context,
        )
    }
}

/// `CallbackRsaPssSign`: hash and mask follow from the length of the digest.
unsafe extern "C" fn sign_rsa_pss(
    _ssl: *mut sys::WOLFSSL,
    input: *const u8,
    input_size: c_uint,
    output: *mut u8,
    output_size: *mut u32,
    _hash: c_int,
    _mgf: c_int,
    _key: *const u8,
    _key_size: c_uint,
    context: *mut c_void,
) -> c_int {
    // SAFETY: as in `sign_ecdsa`.
    unsafe {
        sign(
            SignatureFamily::RsaPss,
            input,
            input_size,
            output,
            output_size,
            context,
        )
    }
}

/// `CallbackEd25519Sign`: the input is the whole message.
unsafe extern "C" fn sign_ed25519(
    _ssl: *mut sys::WOLFSSL,
    input: *const u8,
    input_size: c_uint,
    output: *mut u8,
    output_size: *mut u32,
    _key: *const u8,
    _key_size: c_uint,
    context: *mut c_void,
) -> c_int {
    // SAFETY: as in `sign_ecdsa`.
    unsafe {
        sign(
            SignatureFamily::Ed25519,
            input,
            input_size,
            output,
            output_size,
            context,
        )
    }
}
