//! The public key of a certificate: taken out of it, and used to check one signature.

use std::ptr::{NonNull, null_mut};

use rustls_pki_types::alg_id;
use wolfssl_sys as sys;

use crate::der::element;
use crate::signing::{SignatureRequest, SigningInput};

/// A `SubjectPublicKeyInfo` of a kind that handshakes are signed with.
#[derive(Clone)]
pub(crate) struct PublicKey {
    spki: Vec<u8>,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Ecdsa,
    Rsa,
    Ed25519,
}

/// Whether this is a SubjectPublicKeyInfo of a kind that TLS signs with here.
pub(crate) fn is_public_key(spki: &[u8]) -> bool {
    PublicKey::from_spki(spki.to_vec()).is_some()
}

/// The SubjectPublicKeyInfo in a certificate (`wc_GetSubjectPubKeyInfoDerFromCert`).
pub(crate) fn public_key_of(der: &[u8]) -> Result<Vec<u8>, i32> {
    let size = u32::try_from(der.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
    let mut spki = vec![0; der.len()]; // it is a part of the certificate
    let mut length = size;
    // SAFETY: both buffers are valid for their lengths; `length` says how much room there is
    // and then how much was written.
    let code = unsafe {
        sys::wc_GetSubjectPubKeyInfoDerFromCert(
            der.as_ptr(),
            size,
            spki.as_mut_ptr(),
            &raw mut length,
        )
    };
    if code != 0 {
        return Err(code);
    }
    spki.truncate(length as usize);
    Ok(spki)
}

impl PublicKey {
    /// The key in a certificate.
    pub(crate) fn of_certificate(der: &[u8]) -> Result<Self, i32> {
        Self::from_spki(public_key_of(der)?).ok_or(sys::ALGO_ID_E)
    }

    /// `None` when it is not of a kind that TLS signs with here.
    pub(crate) fn from_spki(spki: Vec<u8>) -> Option<Self> {
        const SEQUENCE: u8 = 0x30;
        let (SEQUENCE, body, []) = element(&spki)? else {
            return None;
        };
        let (SEQUENCE, algorithm, _) = element(body)? else {
            return None;
        };
        let kind = if [alg_id::ECDSA_P256, alg_id::ECDSA_P384, alg_id::ECDSA_P521]
            .iter()
            .any(|id| id.as_ref() == algorithm)
        {
            Kind::Ecdsa
        } else if algorithm == alg_id::RSA_ENCRYPTION.as_ref() {
            Kind::Rsa
        } else if algorithm == alg_id::ED25519.as_ref() {
            Kind::Ed25519
        } else {
            return None;
        };
        Some(Self { spki, kind })
    }

    /// The DER form.
    pub(crate) fn spki(&self) -> &[u8] {
        &self.spki
    }

    /// Whether `signature` is one of this key's over what `request` says.
    pub(crate) fn verifies(&self, request: &SignatureRequest, signature: &[u8]) -> bool {
        if u32::try_from(signature.len()).is_err() {
            return false;
        }
        match (self.kind, request.input()) {
            (Kind::Ecdsa, SigningInput::Digest(digest)) => {
                self.verifies_ecdsa(digest, signature) == Some(true)
            }
            (Kind::Ed25519, SigningInput::Message(message)) => {
                self.verifies_ed25519(message, signature) == Some(true)
            }
            (Kind::Rsa, SigningInput::Digest(digest)) => match request.digest_info() {
                Some(info) => self.verifies_rsa(&info, signature) == Some(true),
                None => self.verifies_rsa_pss(digest, signature) == Some(true),
            },
            _ => false,
        }
    }

    fn verifies_ecdsa(&self, digest: &[u8], signature: &[u8]) -> Option<bool> {
        let key = EcKey::new(&self.spki)?;
        let mut verified = 0;
        // SAFETY: live key with its public part set; both buffers are readable for their
        // lengths; `verified` is written with 1 or 0.
        let code = unsafe {
            sys::wc_ecc_verify_hash(
                signature.as_ptr(),
                signature.len() as u32,
                digest.as_ptr(),
                digest.len() as u32,
                &raw mut verified,
                key.0.as_ptr(),
            )
        };
        Some(code == 0 && verified == 1)
    }

    fn verifies_ed25519(&self, message: &[u8], signature: &[u8]) -> Option<bool> {
        let key = Ed25519Key::new(&self.spki)?;
        let mut verified = 0;
        // SAFETY: as for ECDSA.
        let code = unsafe {
            sys::wc_ed25519_verify_msg(
                signature.as_ptr(),
                signature.len() as u32,
                message.as_ptr(),
                message.len() as u32,
                &raw mut verified,
                key.0.as_ptr(),
            )
        };
        Some(code == 0 && verified == 1)
    }

    fn verifies_rsa(&self, digest_info: &[u8], signature: &[u8]) -> Option<bool> {
        let key = RsaKey::new(&self.spki)?;
        let mut opened = vec![0; signature.len()];
        // SAFETY: live public key; both buffers are valid for their lengths; the result is
        // the length of what was written, or negative.
        let length = unsafe {
            sys::wc_RsaSSL_Verify(
                signature.as_ptr(),
                signature.len() as u32,
                opened.as_mut_ptr(),
                opened.len() as u32,
                key.0.as_ptr(),
            )
        };
        let length = usize::try_from(length).ok()?;
        Some(opened.get(..length)? == digest_info)
    }

    fn verifies_rsa_pss(&self, digest: &[u8], signature: &[u8]) -> Option<bool> {
        let (hash, mgf) = match digest.len() {
            32 => (sys::WC_HASH_TYPE_SHA256, sys::WC_MGF1SHA256),
            48 => (sys::WC_HASH_TYPE_SHA384, sys::WC_MGF1SHA384),
            64 => (sys::WC_HASH_TYPE_SHA512, sys::WC_MGF1SHA512),
            _ => return None,
        };
        let key = RsaKey::new(&self.spki)?;
        let mut opened = vec![0; signature.len()];
        // SAFETY: live public key; the three buffers are valid for their lengths; a positive
        // result says that padding and digest are right.
        let code = unsafe {
            sys::wc_RsaPSS_VerifyCheck(
                signature.as_ptr(),
                signature.len() as u32,
                opened.as_mut_ptr(),
                opened.len() as u32,
                digest.as_ptr(),
                digest.len() as u32,
                hash,
                mgf,
                key.0.as_ptr(),
            )
        };
        Some(code > 0)
    }
}

/// Makes the owner of one of wolfCrypt's key structs, filled from a SubjectPublicKeyInfo.
macro_rules! key_owner {
    ($name:ident: $type:ident, $new:ident($($arg:expr),*), $decode:ident, $free:ident($($more:expr)?)) => {
        struct $name(NonNull<sys::$type>);

        impl $name {
            fn new(spki: &[u8]) -> Option<Self> {
                // SAFETY: the constructor takes null for heap hint and result code, and
                // returns null or a key that its counterpart in `drop` frees.
                let key = Self(NonNull::new(unsafe { sys::$new($($arg),*) })?);
                let mut index = 0;
                // SAFETY: live key; the buffer is readable for its length.
                let code = unsafe {
                    sys::$decode(
                        spki.as_ptr(),
                        &raw mut index,
                        key.0.as_ptr(),
                        spki.len() as u32,
                    )
                };
                (code == 0).then_some(key)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the key came from the matching constructor and is freed once; the
                // second argument, where there is one, may be null.
                unsafe { sys::$free(self.0.as_ptr() $(, $more)?) };
            }
        }
    };
}

key_owner!(EcKey: ecc_key, wc_ecc_key_new(null_mut()), wc_EccPublicKeyDecode, wc_ecc_key_free());
key_owner!(
    RsaKey: RsaKey,
    wc_NewRsaKey(null_mut(), NO_DEVICE, null_mut()),
    wc_RsaPublicKeyDecode,
    wc_DeleteRsaKey(null_mut())
);
key_owner!(
    Ed25519Key: ed25519_key,
    wc_ed25519_new(null_mut(), NO_DEVICE, null_mut()),
    wc_Ed25519PublicKeyDecode,
    wc_ed25519_delete(null_mut())
);

/// `INVALID_DEVID`: no crypto device.
const NO_DEVICE: i32 = -2;
