//! Certificate types (RFC 7250): what this end shows and what it takes.

use std::ffi::{c_char, c_int};

use rustls_pki_types::SubjectPublicKeyInfoDer;
use wolfssl_sys as sys;

use super::context::{ContextSetup, Role, check};
use super::session::Session;
use crate::raw_keys::{CertificateType, RawPublicKeys};

impl ContextSetup {
    /// Shows this key where a chain would stand (`wolfSSL_CTX_use_certificate_buffer`, which
    /// takes a DER SubjectPublicKeyInfo).
    pub(crate) fn use_raw_public_key(
        &mut self,
        key: &SubjectPublicKeyInfoDer<'_>,
    ) -> Result<(), i32> {
        // SAFETY: live, unshared context; the buffer is readable for its length and copied.
        check(unsafe {
            sys::wolfSSL_CTX_use_certificate_buffer(
                self.ptr(),
                key.as_ref().as_ptr(),
                key.as_ref().len() as _,
                sys::WOLFSSL_FILETYPE_ASN1 as c_int,
            )
        })
    }

    /// Says which types this end has and takes, and which raw keys of peers are known.
    pub(crate) fn set_certificate_types(
        &mut self,
        own: CertificateType,
        peer: &[CertificateType],
        known: Option<RawPublicKeys>,
    ) -> Result<(), i32> {
        let (client, server) = match self.role() {
            Role::Client => (&[own][..], peer),
            Role::Server => (peer, &[own][..]),
        };
        let (client, server) = (wire_values(client), wire_values(server));
        // SAFETY: live, unshared context; the lists are readable for their lengths and
        // copied.
        unsafe {
            check(sys::wolfSSL_CTX_set_client_cert_type(
                self.ptr(),
                client.as_ptr(),
                client.len() as c_int,
            ))?;
            check(sys::wolfSSL_CTX_set_server_cert_type(
                self.ptr(),
                server.as_ptr(),
                server.len() as c_int,
            ))?;
        }
        self.set_raw_keys(known);
        Ok(())
    }
}

impl Session {
    /// The type that the server's certificate has (`wolfSSL_get_negotiated_server_cert_type`).
    pub(crate) fn server_certificate_type(&self) -> CertificateType {
        if let (Role::Client, Some(kind)) = (self.role(), self.state().resumed_type) {
            return kind;
        }
        let mut value = 0;
        // SAFETY: live session; the call only reads it and writes the value.
        unsafe {
            sys::wolfSSL_get_negotiated_server_cert_type(self.ssl.as_ptr(), &raw mut value);
        }
        certificate_type(value)
    }

    /// The type that the client's certificate has (`wolfSSL_get_negotiated_client_cert_type`).
    pub(crate) fn client_certificate_type(&self) -> CertificateType {
        if let (Role::Server, Some(kind)) = (self.role(), self.state().resumed_type) {
            return kind;
        }
        let mut value = 0;
        // SAFETY: as for the server's.
        unsafe {
            sys::wolfSSL_get_negotiated_client_cert_type(self.ssl.as_ptr(), &raw mut value);
        }
        certificate_type(value)
    }

    /// The type that the peer's certificate has.
    pub(crate) fn peer_certificate_type(&self) -> CertificateType {
        match self.context.role() {
            Role::Client => self.server_certificate_type(),
            Role::Server => self.client_certificate_type(),
        }
    }
}

/// X.509 where nothing was negotiated.
pub(super) fn certificate_type(value: c_int) -> CertificateType {
    match value {
        sys::WOLFSSL_CERT_TYPE_RPK => CertificateType::RawPublicKey,
        _ => CertificateType::X509,
    }
}

fn wire_values(types: &[CertificateType]) -> Vec<c_char> {
    types
        .iter()
        .map(|kind| match kind {
            CertificateType::X509 => sys::WOLFSSL_CERT_TYPE_X509 as c_char,
            CertificateType::RawPublicKey => sys::WOLFSSL_CERT_TYPE_RPK as c_char,
        })
        .collect()
}
