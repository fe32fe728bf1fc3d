//! Tries certificates and keys on a throw-away context, so that what is wrong with them is
//! said when they are given, not in a handshake.

use rustls_pki_types::{CertificateDer, PrivateKeyDer, SubjectPublicKeyInfoDer};

use wolfssl_sys as sys;

use super::context::{ContextSetup, Role};
use super::public_key::public_key_of;
use super::signing::Signer;
use crate::public_key::PublicKeyType;

/// Why an identity cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdentityFault {
    Setup(i32),
    Chain(i32),
    Key(i32),
    Mismatch,
}

impl IdentityFault {
    /// A public key of a kind that nothing is signed with here.
    pub(crate) const UNKNOWN_KEY: Self = Self::Key(sys::ALGO_ID_E);
}

/// The largest RSA keys that the library is built for.
const MAX_RSA_BITS: usize = sys::RSA_MAX_SIZE as usize;

/// Whether wolfSSL takes this certificate as a trust anchor.
pub(crate) fn check_trust_anchor(der: &CertificateDer<'_>) -> Result<(), i32> {
    if let Some(PublicKeyType::Rsa { bits } | PublicKeyType::RsaPss { bits }) =
        PublicKeyType::of_spki(&public_key_of(der)?)
        && bits > MAX_RSA_BITS
    {
        // wolfSSL takes it and then fails at every signature.
        return Err(sys::RSA_KEY_SIZE_E);
    }
    ContextSetup::new(Role::Client, true, true)?.add_trust_anchor(der)
}

/// Whether wolfSSL takes this chain and key, and the key is the leaf's.
pub(crate) fn check_identity(
    chain: &[CertificateDer<'_>],
    key: &PrivateKeyDer<'_>,
) -> Result<(), IdentityFault> {
    let mut setup = ContextSetup::new(Role::Server, true, true).map_err(IdentityFault::Setup)?;
    setup.use_chain(chain).map_err(IdentityFault::Chain)?;
    setup.use_private_key(key).map_err(IdentityFault::Key)?;
    if setup.key_matches_chain() {
        Ok(())
    } else {
        Err(IdentityFault::Mismatch)
    }
}

/// Whether wolfSSL takes this raw public key, and `key` is its private half.
pub(crate) fn check_raw_identity(
    public_key: &SubjectPublicKeyInfoDer<'_>,
    key: &PrivateKeyDer<'_>,
) -> Result<(), IdentityFault> {
    let mut setup = ContextSetup::new(Role::Server, true, true).map_err(IdentityFault::Setup)?;
    setup
        .use_raw_public_key(public_key)
        .map_err(IdentityFault::Chain)?;
    setup.use_private_key(key).map_err(IdentityFault::Key)?;
    if setup.key_matches_chain() {
        Ok(())
    } else {
        Err(IdentityFault::Mismatch)
    }
}

/// Whether wolfSSL takes this raw public key, and can have its signatures made by `signer`.
pub(crate) fn check_raw_signer(
    public_key: &SubjectPublicKeyInfoDer<'_>,
    signer: &Signer,
) -> Result<(), IdentityFault> {
    let mut setup = ContextSetup::new(Role::Server, true, true).map_err(IdentityFault::Setup)?;
    setup
        .use_raw_public_key(public_key)
        .map_err(IdentityFault::Chain)?;
    setup.use_signer(signer).map_err(IdentityFault::Key)
}

/// Whether wolfSSL takes this chain, and can have its signatures made by `signer`.
pub(crate) fn check_signer(
    chain: &[CertificateDer<'_>],
    signer: &Signer,
) -> Result<(), IdentityFault> {
    let mut setup = ContextSetup::new(Role::Server, true, true).map_err(IdentityFault::Setup)?;
    setup.use_chain(chain).map_err(IdentityFault::Chain)?;
    setup.use_signer(signer).map_err(IdentityFault::Key)
}
