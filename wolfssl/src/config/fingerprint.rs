//! A digest of the settings that decide what is trusted and offered, for what is kept beyond a
//! connection: sessions and tickets are good under equal settings alone.

use rustls_pki_types::CertificateDer;

use super::Protocols;
use super::trust::Trust;
use crate::error::{Error, ErrorCode};
use crate::ffi;
use crate::raw_keys::RawPublicKeys;
use crate::roots::RootCertStore;

/// Collects settings; equal ones in equal order give equal digests in every process.
pub(crate) struct Fingerprint {
    text: Vec<u8>,
}

impl Fingerprint {
    pub(crate) fn new(role: &str) -> Self {
        let mut fingerprint = Self { text: Vec::new() };
        fingerprint.mix("role", [role.as_bytes()]);
        fingerprint
    }

    /// Adds a setting with a list of values. All are prefixed by their lengths, so that no two
    /// lists read alike.
    pub(crate) fn mix<T: AsRef<[u8]>>(
        &mut self,
        setting: &str,
        values: impl IntoIterator<Item = T>,
    ) {
        self.put(setting.as_bytes());
        let mut count = 0u64;
        for value in values {
            self.put(value.as_ref());
            count += 1;
        }
        self.text.extend_from_slice(&count.to_be_bytes());
    }

    /// Adds what both ends configure alike.
    ///
    /// # Errors
    /// [`Error::Library`] without random bytes.
    pub(crate) fn mix_protocols(&mut self, protocols: &Protocols) -> Result<(), Error> {
        let versions = protocols.versions.iter();
        self.mix("versions", versions.map(|v| v.to_u16().to_be_bytes()));
        let suites = protocols.cipher_suites.iter();
        self.mix("suites", suites.map(|suite| suite.value().to_be_bytes()));
        let groups = protocols.groups.iter();
        self.mix("groups", groups.map(|group| group.value().to_be_bytes()));
        self.mix("alpn", &protocols.alpn);
        let schemes = protocols.signature_schemes.iter();
        self.mix(
            "schemes",
            schemes.map(|scheme| scheme.value().to_be_bytes()),
        );
        self.mix_raw_keys(protocols.raw_public_keys.as_ref());
        self.mix_trust(&protocols.trust)
    }

    /// Adds what a peer has to pass beside its chain.
    ///
    /// # Errors
    /// [`Error::Library`] without random bytes.
    pub(crate) fn mix_trust(&mut self, trust: &Trust) -> Result<(), Error> {
        if let Some(lists) = &trust.lists {
            self.mix("revocation lists", &lists.lists);
            self.mix(
                "revocation",
                [[lists.scope as u8, u8::from(lists.accept_missing)]],
            );
        }
        if let Some(pins) = &trust.pins {
            self.mix("pins", pins.sorted());
        }
        if trust.additional.is_some() {
            // What a check does cannot be told: each configuration is one of its own.
            let mut unique = [0; 16];
            ffi::random(&mut unique).map_err(|code| Error::Library(ErrorCode::new(code)))?;
            self.mix("additional verification", [unique]);
        }
        Ok(())
    }

    /// Adds trust anchors, in whatever order they were read.
    pub(crate) fn mix_roots(&mut self, roots: &RootCertStore) {
        let mut anchors = roots.anchors().iter().collect::<Vec<_>>();
        anchors.sort_by(|one, other| one.as_ref().cmp(other.as_ref()));
        self.mix("roots", anchors);
    }

    /// Adds the peers known by their key.
    pub(crate) fn mix_raw_keys(&mut self, keys: Option<&RawPublicKeys>) {
        self.mix(
            "raw keys",
            keys.map(RawPublicKeys::keys).unwrap_or_default(),
        );
    }

    /// Adds one's own chain.
    pub(crate) fn mix_chain(&mut self, chain: &[CertificateDer<'_>]) {
        self.mix("chain", chain);
    }

    /// The digest (SHA-256).
    pub(crate) fn digest(&self) -> Result<[u8; 32], Error> {
        ffi::sha256(&self.text).map_err(|code| Error::Library(ErrorCode::new(code)))
    }

    fn put(&mut self, bytes: &[u8]) {
        self.text
            .extend_from_slice(&(bytes.len() as u64).to_be_bytes());
        self.text.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(settings: &[(&str, &[&str])]) -> [u8; 32] {
        let mut fingerprint = Fingerprint::new("client");
        for (setting, values) in settings {
            fingerprint.mix(setting, values.iter());
        }
        fingerprint.digest().unwrap()
    }

    #[test]
    fn no_two_lists_read_alike() {
        let all = [
            digest(&[]),
            digest(&[("alpn", &[])]),
            digest(&[("alpn", &["h2"])]),
            digest(&[("alpn", &["h", "2"])]),
            digest(&[("alpn", &["h2", ""])]),
            digest(&[("alpn", &["h2"]), ("roots", &[])]),
            digest(&[("alpn", &["h2", "roots"])]),
            Fingerprint::new("server").digest().unwrap(),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[index + 1..].contains(one), "{index}");
        }
        assert_eq!(all[2], digest(&[("alpn", &["h2"])]));
    }
}
