//! What a session derives for its application: exported keying material, Finished messages,
//! new traffic keys.

use std::ffi::{c_int, c_void};

use wolfssl_sys as sys;
use zeroize::Zeroize;

use super::digest::Hash;
use super::session::Session;
use super::status::SUCCESS;

/// What keying material is exported from: kept in a few bytes, so that wolfSSL's handshake
/// arrays (some 2 KB) need not live as long as the connection for it.
pub(super) struct Exporter {
    secret: [u8; sys::WOLFSSL_RS_SECRET_SIZE as usize],
    secret_size: usize,
    randoms: [u8; 2 * RANDOM_SIZE],
    hash: Hash,
    kind: Kind,
}

impl Drop for Exporter {
    fn drop(&mut self) {
        self.secret.zeroize();
    }
}

/// Which derivation the version has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tls12,
    Tls13 { prefix: &'static [u8; 6] },
}

const RANDOM_SIZE: usize = sys::WOLFSSL_RS_RANDOM_SIZE as usize;

impl Session {
    /// Before the handshake: has the exporter's secret derived, to be taken by
    /// [`Session::take_exporter`] (`wolfSSL_KeepArrays`).
    pub(crate) fn prepare_exporter(&mut self) {
        // SAFETY: live session; the call sets a flag.
        unsafe { sys::wolfSSL_KeepArrays(self.ssl.as_ptr()) }
    }

    /// Right after the handshake: keeps what exporting needs and lets wolfSSL free the rest
    /// as if nothing had been asked of it.
    pub(crate) fn take_exporter(&mut self) -> Result<(), i32> {
        let mut raw = sys::wolfssl_rs_exporter {
            secret: [0; sys::WOLFSSL_RS_SECRET_SIZE as usize],
            secret_size: 0,
            hash: 0,
            client_random: [0; RANDOM_SIZE],
            server_random: [0; RANDOM_SIZE],
        };
        // SAFETY: live session; the struct's layout is that of the same header, and every bit
        // pattern is a valid value of its fields.
        let code = unsafe { sys::wolfssl_rs_get_exporter(self.ssl.as_ptr(), &raw mut raw) };
        let kind = match self.version() {
            TLS12 | DTLS12 => Kind::Tls12,
            DTLS13 => Kind::Tls13 { prefix: b"dtls13" },
            _ => Kind::Tls13 { prefix: b"tls13 " },
        };
        if kind == Kind::Tls12 {
            // SAFETY: live session whose handshake is done; TLS 1.3 keeps its arrays in any
            // case, for post-handshake authentication.
            unsafe { sys::wolfSSL_FreeArrays(self.ssl.as_ptr()) }
        }
        let hash = Hash::from_mac_algorithm(raw.hash);
        let taken = match hash {
            Some(hash) if code == SUCCESS => {
                self.exporter = Some(Box::new(Exporter {
                    secret: raw.secret,
                    secret_size: (raw.secret_size as usize).min(raw.secret.len()),
                    randoms: [raw.client_random, raw.server_random]
                        .concat()
                        .try_into()
                        .map_err(|_| sys::BAD_STATE_E)?,
                    hash,
                    kind,
                }));
                Ok(())
            }
            _ => Err(code),
        };
        raw.secret.zeroize();
        taken
    }

    /// RFC 5705 and RFC 8446, section 7.5; `None` when there is no exporter yet.
    pub(crate) fn export(
        &self,
        label: &[u8],
        context: Option<&[u8]>,
        out: &mut [u8],
    ) -> Option<Result<(), i32>> {
        self.exporter
            .as_ref()
            .map(|exporter| exporter.export(label, context, out))
    }

    /// The master secret of a TLS 1.2 connection with the client's random, for key logs.
    pub(crate) fn tls12_master_secret(&self) -> Option<(&[u8], &[u8])> {
        let exporter = self.exporter.as_deref()?;
        (exporter.kind == Kind::Tls12)
            .then(|| (&exporter.randoms[..RANDOM_SIZE], exporter.secret()))
    }

    /// Whether the master secret is bound to the whole handshake (RFC 7627).
    pub(crate) fn binds_handshake(&self) -> bool {
        // SAFETY: live session; the call only reads.
        unsafe { sys::wolfssl_rs_binds_handshake(self.ssl.as_ptr()) == 1 }
    }

    /// The verify_data that this side sent, or that the peer sent (TLS 1.2).
    pub(crate) fn finished(&self, own: bool) -> Vec<u8> {
        let mut data = [0u8; 64];
        let (ssl, buffer) = (self.ssl.as_ptr(), data.as_mut_ptr().cast::<c_void>());
        // SAFETY: live session; both write at most the given number of bytes and return how
        // many, or 0.
        let count = unsafe {
            if own {
                sys::wolfSSL_get_finished(ssl, buffer, data.len() as _)
            } else {
                sys::wolfSSL_get_peer_finished(ssl, buffer, data.len() as _)
            }
        };
        data[..(count as usize).min(data.len())].to_vec()
    }

    /// Sends a KeyUpdate that asks for the peer's, too (`wolfSSL_update_keys`).
    pub(crate) fn update_keys(&mut self, output: &mut Vec<u8>) -> Result<(), i32> {
        let code = self.with_io(&mut &[][..], output, |ssl| {
            // SAFETY: live session with its I/O lent.
            unsafe { sys::wolfSSL_update_keys(ssl) }
        });
        if code == SUCCESS { Ok(()) } else { Err(code) }
    }

    /// Whether a KeyUpdate was sent that the peer has not answered
    /// (`wolfSSL_key_update_response`).
    pub(crate) fn key_update_pending(&self) -> bool {
        let mut required: c_int = 0;
        // SAFETY: live session; the call writes one int.
        let code =
            unsafe { sys::wolfSSL_key_update_response(self.ssl.as_ptr(), &raw mut required) };
        code == 0 && required != 0
    }
}

impl Exporter {
    fn secret(&self) -> &[u8] {
        &self.secret[..self.secret_size]
    }

    fn export(&self, label: &[u8], context: Option<&[u8]>, out: &mut [u8]) -> Result<(), i32> {
        match self.kind {
            Kind::Tls12 => {
                let mut seed = self.randoms.to_vec();
                if let Some(context) = context {
                    let length = u16::try_from(context.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
                    seed.extend_from_slice(&length.to_be_bytes());
                    seed.extend_from_slice(context);
                }
                self.hash.prf(self.secret(), label, &seed, out)
            }
            Kind::Tls13 { prefix } => {
                let empty = self.hash.digest(&[])?;
                let context = self.hash.digest(context.unwrap_or_default())?;
                let mut derived = zeroize::Zeroizing::new(vec![0; self.hash.size()]);
                self.hash
                    .expand_label(self.secret(), prefix, label, &empty, &mut derived)?;
                self.hash
                    .expand_label(&derived, prefix, b"exporter", &context, out)
            }
        }
    }
}

const TLS12: u16 = 0x0303;
const DTLS12: u16 = 0xfefd;
const DTLS13: u16 = 0xfefc;
