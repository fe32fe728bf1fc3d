//! A configuration may outlive the function that made it, and so must its key.

use std::sync::Arc;

use wolfssl::pki_types::CertificateDer;
use wolfssl::{CertifiedKey, Error, KeyFailure, SignatureRequest, Signing};

fn identity(chain: Vec<CertificateDer<'static>>) -> Result<CertifiedKey, Error> {
    let secret = [7; 32];
    let key = |_: &SignatureRequest| -> Result<Signing, KeyFailure> {
        Ok(Signing::Done(secret.to_vec()))
    };
    CertifiedKey::with_signing_key(chain, Arc::new(key))
}

fn main() {}
