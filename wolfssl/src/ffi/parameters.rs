//! Signature schemes and key shares: what a hello says beside versions, suites and groups.

use wolfssl_sys as sys;

use super::context::{ContextSetup, Role, check};
use super::session::Session;
use super::status::SUCCESS;

impl ContextSetup {
    /// Schemes by wire value, most preferred first. To be called after the cipher suites are
    /// set, which bring wolfSSL's own list along.
    pub(crate) fn set_signature_schemes(&mut self, schemes: &[u16]) -> Result<(), i32> {
        let bytes = schemes
            .iter()
            .flat_map(|scheme| scheme.to_be_bytes())
            .collect::<Vec<_>>();
        // SAFETY: live, unshared context; the buffer is readable for its length and copied.
        check(unsafe {
            sys::wolfssl_rs_set_signature_schemes(self.ptr(), bytes.as_ptr(), bytes.len() as u32)
        })
    }
}

impl Session {
    /// Has a server take notice of its groups in TLS 1.2, too, where wolfSSL looks at those of
    /// the session alone (`wolfSSL_set_groups`).
    pub(super) fn restrict_groups(&mut self) -> Result<(), i32> {
        let mut groups = self.context.groups().to_vec();
        if self.role() == Role::Client || groups.is_empty() {
            return Ok(());
        }
        // SAFETY: live session; the array is readable for its length and copied.
        check(unsafe {
            sys::wolfSSL_set_groups(self.ssl.as_ptr(), groups.as_mut_ptr(), groups.len() as _)
        })
    }

    /// For a client that has not begun: the groups to send key shares of (`wolfSSL_UseKeyShare`,
    /// `wolfSSL_NoKeyShares`).
    pub(crate) fn set_key_shares(&mut self, groups: &[u16]) -> Result<(), i32> {
        if groups.is_empty() {
            // SAFETY: live session of a client.
            return match unsafe { sys::wolfSSL_NoKeyShares(self.ssl.as_ptr()) } {
                SUCCESS => Ok(()),
                code => Err(code),
            };
        }
        groups.iter().try_for_each(|&group| {
            // SAFETY: live session of a client.
            check(unsafe { sys::wolfSSL_UseKeyShare(self.ssl.as_ptr(), group) })
        })
    }

    /// The wire value of the scheme that the server signed the handshake with.
    pub(crate) fn server_signature(&self) -> Option<u16> {
        let ssl = self.ssl.as_ptr();
        // SAFETY: live session; both calls only read.
        let signature = unsafe {
            match self.role() {
                Role::Client => sys::wolfssl_rs_peer_signature(ssl),
                Role::Server => sys::wolfssl_rs_own_signature(ssl),
            }
        };
        signature_scheme(signature >> 8, signature & 0xff)
    }
}

/// The code point of RFC 8446 for wolfSSL's SignatureAlgorithm and wc_MACAlgorithm.
fn signature_scheme(algorithm: i32, hash: i32) -> Option<u16> {
    let hash = match hash {
        4 => 4, // sha256_mac
        5 => 5, // sha384_mac
        6 => 6, // sha512_mac
        _ => 0,
    };
    match (algorithm, hash) {
        (9, _) => Some(0x0807),  // ed25519_sa_algo
        (11, _) => Some(0x0808), // ed448_sa_algo
        (14, _) => Some(0x0904), // mldsa_44_sa_algo
        (15, _) => Some(0x0905), // mldsa_65_sa_algo
        (16, _) => Some(0x0906), // mldsa_87_sa_algo
        (_, 0) => None,
        (1, hash) => Some(hash << 8 | 1),  // rsa_sa_algo
        (3, hash) => Some(hash << 8 | 3),  // ecc_dsa_sa_algo
        (8, hash) => Some(0x0800 | hash),  // rsa_pss_sa_algo
        (10, hash) => Some(0x0805 + hash), // rsa_pss_pss_algo
        _ => None,
    }
}
