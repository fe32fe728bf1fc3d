//! The only door to `wolfssl-sys`: every unsafe block of this crate lives in this folder.
//!
//! What leaves it is safe: owners that free themselves, return codes turned into
//! [`ErrorCode`], callbacks that cannot unwind into C.
#![allow(unsafe_code)]

mod alerts;
mod callback;
mod context;
mod cpu;
mod crypto;
mod digest;
mod early_data;
mod ech;

mod encrypted_key;
mod fragments;
mod key_log;
mod parameters;
mod post_handshake;
mod public_key;
mod raw_keys;
mod resume;

mod revocation;
mod scratch;
mod secrets;
mod session;
mod session_ids;
mod signing;
mod status;
mod tickets;

mod verify;

pub(crate) use context::{Context, ContextSetup, PeerVerification, Role};
pub(crate) use cpu::processor_features;
pub(crate) use crypto::{hkdf, random, sha256};
pub(crate) use digest::Hash;
pub(crate) use early_data::EarlyDataRules;
pub(crate) use ech::{check_ech_configs, check_ech_keys, generate_ech_key};

pub(crate) use encrypted_key::{decrypt_legacy_pem, decrypt_pkcs8};
pub(crate) use public_key::{PublicKey, is_public_key, public_key_of};
pub(crate) use resume::{PeerIdentity, SessionData};
pub(crate) use scratch::{
    IdentityFault, check_identity, check_raw_identity, check_raw_signer, check_signer,
    check_trust_anchor,
};
pub(crate) use session::{Handshake, Plaintext, Session};
pub(crate) use session_ids::SessionIdRules;
pub(crate) use signing::Signer;
pub(crate) use status::reason_text;
pub(crate) use tickets::{ClientChains, TicketRules};

pub(crate) use verify::Refusal;

use std::sync::OnceLock;

/// Runs `wolfSSL_Init` once for the process; never undone, as other users of the library
/// in this process may outlive us.
pub(crate) fn init() -> Result<(), i32> {
    static RESULT: OnceLock<Result<(), i32>> = OnceLock::new();
    *RESULT.get_or_init(|| {
        // SAFETY: wolfSSL_Init takes no arguments and locks internally.
        match unsafe { wolfssl_sys::wolfSSL_Init() } {
            status::SUCCESS => Ok(()),
            code => Err(code),
        }
    })
}
