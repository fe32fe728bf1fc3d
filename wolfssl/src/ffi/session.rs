//! `WOLFSSL`: one connection, driven through lent memory buffers.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::resume_unwind;
use std::ptr::NonNull;
use std::sync::Arc;

use rustls_pki_types::{CertificateDer, ServerName};
use wolfssl_sys as sys;

use super::alerts::FATAL;
use super::callback::CallbackState;
use super::context::{Context, Role};
use super::secrets::Exporter;
use super::status::SUCCESS;
use super::verify::Refusal;

/// What a handshake step led to.
pub(crate) enum Handshake {
    Complete,
    WantsInput,
    WantsSignature,
    /// Some has come.
    EarlyData,
    Failed(i32),
}

/// What looking for application data led to.
pub(crate) enum Plaintext {
    Ready,
    WantsInput,
    WantsSignature,
    PeerClosed,
    Failed(i32),
}

/// A `WOLFSSL` with the state of its callbacks.
///
/// The state lives behind a raw pointer made once by `Box::into_raw`: C keeps a copy of it,
/// and neither moving the session nor borrowing it can invalidate that copy.
pub(crate) struct Session {
    pub(super) ssl: NonNull<sys::WOLFSSL>,
    state: NonNull<CallbackState>,
    pub(super) context: Arc<Context>,
    /// From the end of the handshake on.
    pub(super) exporter: Option<Box<Exporter>>,
}

// SAFETY: a WOLFSSL has no tie to a thread; all access goes through `&mut Session` or reads
// that no one else can race with, as Session is not Sync.
unsafe impl Send for Session {}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: both pointers are ours alone; the WOLFSSL goes first, as it may still hold
        // the state's address. The context outlives both through the Arc.
        unsafe {
            sys::wolfSSL_free(self.ssl.as_ptr());
            drop(Box::from_raw(self.state.as_ptr()));
        }
    }
}

impl Session {
    /// `wolfSSL_new` on the shared context.
    pub(crate) fn new(context: &Arc<Context>) -> Result<Self, i32> {
        // SAFETY: the context is live and set up; wolfSSL_new takes a reference of its own.
        let ssl = unsafe { sys::wolfSSL_new(context.as_ptr()) };
        let ssl = NonNull::new(ssl).ok_or(sys::MEMORY_E)?;
        let mut state = CallbackState::new();
        state.accept_any = context.accepts_any_certificate();
        state.raw_keys = context.raw_keys().cloned();
        state.checks = Arc::clone(context.checks());
        state.ssl = ssl.as_ptr();
        state.context = context.as_ptr();
        let state = Box::into_raw(Box::new(state));
        // SAFETY: live session; the state's address stays valid until after wolfSSL_free.
        unsafe {
            sys::wolfSSL_SetIOReadCtx(ssl.as_ptr(), state.cast::<c_void>());
            sys::wolfSSL_SetIOWriteCtx(ssl.as_ptr(), state.cast::<c_void>());
            sys::wolfSSL_SetCertCbCtx(ssl.as_ptr(), state.cast::<c_void>());
        }
        let mut session = Self {
            ssl,
            // SAFETY: Box::into_raw never returns null.
            state: unsafe { NonNull::new_unchecked(state) },
            context: Arc::clone(context),
            exporter: None,
        };
        session.attach_signer();
        session.restrict_groups()?;
        session.attach_tickets();
        Ok(session)
    }

    /// Sends `name` as SNI when it is a DNS name, and has the peer's certificate checked
    /// against it.
    pub(crate) fn set_server_name(
        &mut self,
        name: &ServerName<'static>,
        verify: bool,
    ) -> Result<(), i32> {
        let text = name.to_str();
        // The trailing dot of a rooted name is part of neither SNI nor certificates; case has
        // no meaning, yet a server that binds tickets to the name may tell it apart.
        let host = text.strip_suffix('.').unwrap_or(&text).to_ascii_lowercase();

        if self.context.checks().additional.is_some() {
            self.with_state(|state| state.asked_name = Some(host.clone()));
        }
        if let ServerName::DnsName(_) = name {
            let length = u16::try_from(host.len()).map_err(|_| sys::BAD_FUNC_ARG)?;
            // SAFETY: live session; the name is readable for its length and copied.
            let code = unsafe {
                sys::wolfSSL_UseSNI(
                    self.ssl.as_ptr(),
                    sys::WOLFSSL_SNI_HOST_NAME as u8,
                    host.as_ptr().cast::<c_void>(),
                    length,
                )
            };
            if code != SUCCESS {
                return Err(code);
            }
        }
        if !verify {
            return Ok(());
        }
        if self.context.raw_keys().is_some() {
            // wolfSSL would look for the name in a raw public key, which has none.
            self.with_state(|state| state.name = Some(name.clone()));
            return Ok(());
        }
        let text = CString::new(host).map_err(|_| sys::BAD_FUNC_ARG)?;
        // SAFETY: live session; both copy the NUL-terminated text.
        let code = unsafe {
            match name {
                ServerName::IpAddress(_) => {
                    sys::wolfSSL_check_ip_address(self.ssl.as_ptr(), text.as_ptr())
                }
                _ => sys::wolfSSL_check_domain_name(self.ssl.as_ptr(), text.as_ptr()),
            }
        };
        if code != SUCCESS {
            // Single labels and names with underscores are not domain names to wolfSSL;
            // refusing them would keep users from their intranet, not checking them from
            // their peace. So our own callback checks these.
            self.with_state(|state| state.name = Some(name.clone()));
        }
        Ok(())
    }

    /// Offers or accepts these protocols (`wolfSSL_UseALPN`); names hold no comma and no NUL.
    pub(crate) fn set_alpn(&mut self, comma_separated: &[u8]) -> Result<(), i32> {
        let mut list = comma_separated.to_vec();
        let options = match self.context.role() {
            Role::Client => sys::WOLFSSL_ALPN_CONTINUE_ON_MISMATCH,
            Role::Server => sys::WOLFSSL_ALPN_FAILED_ON_MISMATCH,
        };
        // SAFETY: live session; the list is readable for its length and copied.
        let code = unsafe {
            sys::wolfSSL_UseALPN(
                self.ssl.as_ptr(),
                list.as_mut_ptr().cast::<c_char>(),
                list.len() as u32,
                options as u8,
            )
        };
        if code == SUCCESS { Ok(()) } else { Err(code) }
    }

    /// One step of the handshake.
    pub(crate) fn handshake(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Handshake {
        if self.reads_early_data() {
            self.accept_with_early_data(input, output)
        } else {
            self.negotiate(input, output)
        }
    }

    /// One step of `wolfSSL_connect` or `wolfSSL_accept`.
    pub(super) fn negotiate(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Handshake {
        let role = self.context.role();
        loop {
            let (code, error) = self.with_io(input, output, |ssl| {
                // SAFETY: live session with its I/O lent for the duration of the call.
                unsafe {
                    let code = match role {
                        Role::Client => sys::wolfSSL_connect(ssl),
                        Role::Server => sys::wolfSSL_accept(ssl),
                    };
                    (code, sys::wolfSSL_get_error(ssl, code))
                }
            });
            if code != SUCCESS {
                return self.unfinished(error);
            }
            // When a hello announces early data, wolfSSL_accept succeeds once before the
            // client's part of the handshake has come.
            // SAFETY: live session; the call only reads.
            let finished = unsafe { sys::wolfSSL_is_init_finished(self.ssl.as_ptr()) } == 1;
            if finished || role == Role::Client {
                return Handshake::Complete;
            }
        }
    }

    /// What a step of the handshake that did not succeed came to.
    pub(super) fn unfinished(&self, error: i32) -> Handshake {
        match error {
            WANT_READ => match self.alerts().sent {
                // Where nothing is in common, wolfSSL may say so and wait all the same.
                Some((FATAL, _)) => Handshake::Failed(sys::FATAL_ERROR),
                _ => Handshake::WantsInput,
            },
            sys::WC_PENDING_E => Handshake::WantsSignature,
            error => Handshake::Failed(error),
        }
    }

    /// Processes records until application data is decrypted or input runs out.
    pub(crate) fn decrypt(&mut self, input: &mut &[u8], output: &mut Vec<u8>) -> Plaintext {
        let mut byte = 0u8;
        let (count, error) = loop {
            let before = input.len();
            let (count, error) = self.with_io(input, output, |ssl| {
                // SAFETY: live session with its I/O lent; one writable byte, as stated.
                unsafe {
                    let count = sys::wolfSSL_peek(ssl, (&raw mut byte).cast::<c_void>(), 1);
                    (count, sys::wolfSSL_get_error(ssl, count))
                }
            });
            // After a post-handshake message (ticket, KeyUpdate) wolfSSL_peek wants to read,
            // whatever else there is.
            if error != WANT_READ || input.is_empty() || input.len() == before {
                break (count, error);
            }
        };
        match (count, error) {
            (1.., _) => Plaintext::Ready,
            (_, WANT_READ) => Plaintext::WantsInput,
            (_, sys::WC_PENDING_E) if self.skip_answered_record() => Plaintext::WantsSignature,
            (_, ZERO_RETURN) => Plaintext::PeerClosed,
            (_, error) => Plaintext::Failed(error),
        }
    }

    /// Bytes decrypted and not yet read (`wolfSSL_pending`).
    pub(crate) fn pending(&self) -> usize {
        // SAFETY: live session; the call only reads.
        usize::try_from(unsafe { sys::wolfSSL_pending(self.ssl.as_ptr()) }).unwrap_or(0)
    }

    /// Copies decrypted bytes out; never more than are pending, so that no I/O happens.
    pub(crate) fn read_pending(&mut self, buffer: &mut [u8]) -> usize {
        let count = buffer.len().min(self.pending());
        if count == 0 {
            return 0;
        }
        let (mut input, mut output) = (&[][..], Vec::new());
        let read = self.with_io(&mut input, &mut output, |ssl| {
            // SAFETY: live session; the buffer is writable for `count` bytes.
            unsafe { sys::wolfSSL_read(ssl, buffer.as_mut_ptr().cast::<c_void>(), count as c_int) }
        });
        usize::try_from(read).unwrap_or(0)
    }

    /// Seals `data` into records (`wolfSSL_write`); all of it, or an error code.
    pub(crate) fn write(&mut self, data: &[u8], output: &mut Vec<u8>) -> Result<(), i32> {
        let mut rest = data;
        while !rest.is_empty() {
            let size = rest.len().min(self.context.fragment_size()) as c_int;
            let (code, error) = self.with_io(&mut &[][..], output, |ssl| {
                // SAFETY: live session with its I/O lent; `rest` is readable for `size` bytes.
                unsafe {
                    let code = sys::wolfSSL_write(ssl, rest.as_ptr().cast::<c_void>(), size);
                    (code, sys::wolfSSL_get_error(ssl, code))
                }
            });
            match usize::try_from(code) {
                Ok(written @ 1..) => rest = &rest[written.min(rest.len())..],
                _ => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends close_notify (the first call of `wolfSSL_shutdown`).
    pub(crate) fn close_notify(&mut self, output: &mut Vec<u8>) -> Result<(), i32> {
        let (code, error) = self.with_io(&mut &[][..], output, |ssl| {
            // SAFETY: live session with its I/O lent.
            unsafe {
                let code = sys::wolfSSL_shutdown(ssl);
                (code, sys::wolfSSL_get_error(ssl, code))
            }
        });
        if code < 0 { Err(error) } else { Ok(()) }
    }

    /// The wire value of the version in use (`wolfSSL_version`).
    pub(crate) fn version(&self) -> u16 {
        // SAFETY: live session; the call only reads.
        u16::try_from(unsafe { sys::wolfSSL_version(self.ssl.as_ptr()) }).unwrap_or(0)
    }

    /// The wire value of the suite (`wolfSSL_get_current_cipher_suite`), 0 for none yet.
    pub(crate) fn cipher_suite(&self) -> u16 {
        // SAFETY: live session; the call only reads.
        let suite = unsafe { sys::wolfSSL_get_current_cipher_suite(self.ssl.as_ptr()) };
        u16::try_from(suite).unwrap_or(0)
    }

    /// The name of the group (`wolfSSL_get_curve_name`), as wolfSSL spells it.
    pub(crate) fn group_name(&self) -> Option<&'static str> {
        // SAFETY: live session; the result is null or a static NUL-terminated string.
        unsafe {
            let name = sys::wolfSSL_get_curve_name(self.ssl.as_ptr());
            (!name.is_null()).then(|| CStr::from_ptr(name))
        }
        .and_then(|name| name.to_str().ok())
    }

    /// The protocol agreed on (`wolfSSL_ALPN_GetProtocol`), copied.
    pub(crate) fn alpn(&self) -> Option<Vec<u8>> {
        let mut name: *mut c_char = std::ptr::null_mut();
        let mut size = 0u16;
        // SAFETY: live session; on success name points at `size` bytes owned by the session,
        // copied before anything else happens to it.
        unsafe {
            let code =
                sys::wolfSSL_ALPN_GetProtocol(self.ssl.as_ptr(), &raw mut name, &raw mut size);
            (code == SUCCESS && !name.is_null())
                .then(|| std::slice::from_raw_parts(name.cast::<u8>(), usize::from(size)).to_vec())
        }
    }

    /// The host name the client sent (`wolfSSL_SNI_GetRequest`), copied.
    pub(crate) fn received_server_name(&self) -> Option<Vec<u8>> {
        let mut name: *mut c_void = std::ptr::null_mut();
        // SAFETY: live session; the result is the length of the bytes at `name`, owned by the
        // session and copied at once.
        unsafe {
            let size = sys::wolfSSL_SNI_GetRequest(
                self.ssl.as_ptr(),
                sys::WOLFSSL_SNI_HOST_NAME as u8,
                &raw mut name,
            );
            (size > 0 && !name.is_null())
                .then(|| std::slice::from_raw_parts(name.cast::<u8>(), usize::from(size)).to_vec())
        }
    }

    /// Whether keys came from an earlier session (`wolfSSL_session_reused`).
    pub(crate) fn resumed(&self) -> bool {
        // SAFETY: live session; the call only reads.
        unsafe { sys::wolfSSL_session_reused(self.ssl.as_ptr()) == 1 }
    }

    /// The peer's chain as it came, leaf first.
    pub(crate) fn peer_chain(&self) -> &[CertificateDer<'static>] {
        &self.state().peer_chain
    }

    /// Why the peer's certificate was refused, unless it was wolfSSL's doing.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        self.state().refusal.as_ref()
    }

    /// Whether the peer's certificate is verified when it shows one.
    pub(crate) fn verifies_peer(&self) -> bool {
        self.context.verifies_peer()
    }

    /// Whether a callback has panicked.
    pub(crate) fn panicked(&self) -> bool {
        self.state().panicked
    }

    /// What the callbacks left.
    pub(super) fn state(&self) -> &CallbackState {
        // SAFETY: no C function runs while `&self` is held, and only C reaches the state
        // otherwise; it lives as long as the session.
        unsafe { self.state.as_ref() }
    }

    /// What the callbacks left, to change it.
    pub(super) fn state_mut(&mut self) -> &mut CallbackState {
        // SAFETY: as in `with_state`; the session stays borrowed as long as the result.
        unsafe { self.state.as_mut() }
    }

    /// The address that C keeps as the callbacks' context.
    pub(super) fn state_ptr(&self) -> *mut CallbackState {
        self.state.as_ptr()
    }

    pub(crate) fn role(&self) -> Role {
        self.context.role()
    }

    pub(super) fn with_state<R>(&mut self, change: impl FnOnce(&mut CallbackState) -> R) -> R {
        // SAFETY: `&mut self` and no C function running: no one else uses the state.
        change(unsafe { self.state.as_mut() })
    }

    /// Lends input and output to the I/O callbacks while `call` runs, then takes what is left
    /// of the input and passes on a panic that a callback caught.
    pub(super) fn with_io<R>(
        &mut self,
        input: &mut &[u8],
        output: &mut Vec<u8>,
        call: impl FnOnce(*mut sys::WOLFSSL) -> R,
    ) -> R {
        self.with_state(|state| {
            state.input = input.as_ptr();
            state.input_len = input.len();
            state.output = output;
        });
        let result = call(self.ssl.as_ptr());
        let (left, panic) = self.with_state(|state| {
            state.input = std::ptr::null();
            state.output = std::ptr::null_mut();
            state.panicked |= state.panic.is_some();
            (std::mem::take(&mut state.input_len), state.panic.take())
        });
        *input = &input[input.len() - left..];
        if let Some(payload) = panic {
            resume_unwind(payload);
        }
        result
    }
}

const WANT_READ: i32 = sys::WOLFSSL_ERROR_WANT_READ as i32;
const ZERO_RETURN: i32 = sys::WOLFSSL_ERROR_ZERO_RETURN as i32;
