//! Session ids of a TLS 1.2 server, kept in the caller's store.
//!
//! wolfSSL's own cache has one table for the whole process, where a session of one context can
//! be resumed in another. Its callbacks for an external cache have none: what they keep is
//! bound to what the configuration asks of clients, as tickets are.

use std::ffi::{c_int, c_long, c_uchar};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rustls_pki_types::CertificateDer;
use wolfssl_sys as sys;
use zeroize::Zeroizing;

use super::callback::CallbackState;
use super::context::{ContextSetup, check};
use super::resume::{OwnedSession, PeerIdentity, serialise};
use super::tickets::Opened;
use crate::raw_keys::CertificateType;
use crate::resumption::reader::{Reader, put};
use crate::resumption::server::ServerSessionStore;
use crate::resumption::{max_session_age, now};

/// How a server keeps sessions that have an id.
pub(crate) struct SessionIdRules {
    pub(crate) store: Arc<dyn ServerSessionStore>,
    /// What a session is bound to: what is asked of clients.
    pub(crate) binding: [u8; 32],
    /// In seconds.
    pub(crate) lifetime: u32,
    pub(crate) certificate_required: bool,
}

/// wolfSSL's session ids are all of this size.
const ID_SIZE: usize = 32;
/// What a kept session begins with; the last digit is the version of the format.
const MAGIC: &[u8; 4] = b"ids1";

impl ContextSetup {
    /// Gives TLS 1.2 clients session ids by these rules.
    pub(crate) fn use_session_ids(&mut self, rules: SessionIdRules) -> Result<(), i32> {
        let lifetime = rules.lifetime;
        // SAFETY: live, unshared context; the callbacks have the types that the setters
        // declare.
        unsafe {
            sys::wolfSSL_CTX_set_session_cache_mode(
                self.ptr(),
                sys::WOLFSSL_SESS_CACHE_NO_INTERNAL as c_long,
            );
            sys::wolfSSL_CTX_sess_set_new_cb(self.ptr(), Some(keep));
            sys::wolfSSL_CTX_sess_set_get_cb(self.ptr(), Some(find));
            check(sys::wolfSSL_CTX_set_timeout(self.ptr(), lifetime))?;
        }
        self.set_session_id_rules(Arc::new(rules));
        Ok(())
    }
}

/// The callback of `wolfSSL_CTX_sess_set_new_cb` for servers. Returns 0, as no reference is
/// kept.
unsafe extern "C" fn keep(ssl: *mut sys::WOLFSSL, session: *mut sys::WOLFSSL_SESSION) -> c_int {
    // SAFETY: the read context of every session of ours is its CallbackState, which no one
    // else uses while C runs.
    let state = unsafe { &mut *sys::wolfSSL_GetIOReadCtx(ssl).cast::<CallbackState>() };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let rules = Arc::clone(state.tickets.session_ids()?);
        // SAFETY: wolfSSL passes live pointers, valid until the callback returns; the calls
        // only read.
        let (kept, client) = unsafe {
            let has_ticket = sys::wolfSSL_SESSION_has_ticket(session) == 1;
            if has_ticket || sys::wolfssl_rs_session_version(session) != 0x0303 {
                return None;
            }
            (serialise(session).ok()?, state.peer_identity(ssl))
        };
        let id = session_id(&kept)?.to_vec();
        let value = Kept {
            authenticated_at: now(),
            client,
        }
        .write(&rules.binding, &kept);
        let lifetime = Duration::from_secs(u64::from(rules.lifetime));
        rules.store.put(&id, value.to_vec(), lifetime);
        Some(())
    }));
    if let Err(payload) = outcome {
        state.panic = Some(payload);
    }
    0
}

/// The callback of `wolfSSL_CTX_sess_set_get_cb`: a session that wolfSSL frees after use, or
/// null.
unsafe extern "C" fn find(
    ssl: *mut sys::WOLFSSL,
    id: *const c_uchar,
    size: c_int,
    keeps: *mut c_int,
) -> *mut sys::WOLFSSL_SESSION {
    // SAFETY: as in `keep`.
    let state = unsafe { &mut *sys::wolfSSL_GetIOReadCtx(ssl).cast::<CallbackState>() };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: `keeps` is writable; the id is readable for its size.
        let id = unsafe {
            *keeps = 0;
            std::slice::from_raw_parts(id, usize::try_from(size).ok()?)
        };
        // SAFETY: a live session; the call only reads.
        let is_tls12 = unsafe { sys::wolfSSL_version(ssl) } == 0x0303;
        // wolfSSL looks for the session of a ticket, too.
        if id.len() != ID_SIZE || !is_tls12 || state.tickets.has_opened(id) {
            return None;
        }
        let rules = Arc::clone(state.tickets.session_ids()?);
        let value = Zeroizing::new(rules.store.get(id)?);
        let (kept, session) = Kept::read(&value, &rules.binding)?;
        if session_id(session) != Some(id)
            || now().saturating_sub(kept.authenticated_at) > max_session_age(false)
            || (rules.certificate_required && kept.client.chain.is_empty())
        {
            return None;
        }
        let session = OwnedSession::from_bytes(session).ok()?;
        state.tickets.found(Opened {
            session_id: id.try_into().ok()?,
            authenticated_at: kept.authenticated_at,
            client: (!kept.client.chain.is_empty()).then_some(kept.client),
        });
        Some(session.into_raw())
    }));
    match outcome {
        Ok(session) => session.unwrap_or(std::ptr::null_mut()),
        Err(payload) => {
            state.panic = Some(payload);
            std::ptr::null_mut()
        }
    }
}

/// What is kept beside wolfSSL's own part of a session.
#[derive(Debug, PartialEq, Eq)]
struct Kept {
    authenticated_at: u64,
    client: PeerIdentity,
}

impl Kept {
    fn write(&self, binding: &[u8; 32], session: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(MAGIC.to_vec());
        put(&mut out, 1, crate::build_info().wolfssl_version.as_bytes());
        out.extend_from_slice(binding);
        out.extend_from_slice(&self.authenticated_at.to_be_bytes());
        out.push(u8::from(self.client.kind == CertificateType::RawPublicKey));
        out.push(self.client.chain.len().min(255) as u8);
        for certificate in self.client.chain.iter().take(255) {
            put(&mut out, 3, certificate);
        }
        put(&mut out, 3, session);
        out
    }

    /// What was kept and the session, if they are of this library and for this binding.
    fn read<'a>(value: &'a [u8], binding: &[u8; 32]) -> Option<(Self, &'a [u8])> {
        let mut reader = Reader(value);
        if reader.array()? != *MAGIC
            || reader.vector(1)? != crate::build_info().wolfssl_version.as_bytes()
            || reader.array::<32>()? != *binding
        {
            return None;
        }
        let authenticated_at = u64::from_be_bytes(reader.array()?);
        let [kind, count] = reader.array()?;
        let chain = (0..count)
            .map(|_| Some(CertificateDer::from(reader.vector(3)?.to_vec())))
            .collect::<Option<_>>()?;
        let kind = match kind {
            0 => CertificateType::X509,
            _ => CertificateType::RawPublicKey,
        };
        let kept = Self {
            authenticated_at,
            client: PeerIdentity { kind, chain },
        };
        let session = reader.vector(3)?;
        reader.0.is_empty().then_some((kept, session))
    }
}

/// The id in a serialised session: behind a byte for the side and four each for birth and
/// lifetime, after its length.
fn session_id(session: &[u8]) -> Option<&[u8]> {
    let (&size, rest) = session.get(9..)?.split_first()?;
    let id = rest.get(..usize::from(size))?;
    (id.len() == ID_SIZE).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again_under_the_same_binding_alone() {
        let kept = Kept {
            authenticated_at: 7,
            client: PeerIdentity {
                kind: CertificateType::X509,
                chain: vec![CertificateDer::from(vec![1; 300])].into(),
            },
        };
        let bytes = kept.write(&[1; 32], b"session");
        assert_eq!(Kept::read(&bytes, &[1; 32]), Some((kept, &b"session"[..])));
        assert!(Kept::read(&bytes, &[2; 32]).is_none());
        for length in 0..bytes.len() {
            assert!(Kept::read(&bytes[..length], &[1; 32]).is_none());
        }
    }
}
