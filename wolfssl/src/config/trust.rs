//! What a peer has to pass beside its chain: revocation, pins, and the caller's own check.

use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi::ContextSetup;
use crate::revocation::RevocationLists;
use crate::verification::{AdditionalVerification, PinnedKeys};

/// The checks that both builders collect.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trust {
    pub(crate) lists: Option<RevocationLists>,
    pub(crate) pins: Option<PinnedKeys>,
    pub(crate) additional: Option<AdditionalVerification>,
}

impl Trust {
    /// To be called with the trust anchors added, whose lists are checked by them.
    pub(crate) fn set_up(&self, setup: &mut ContextSetup) -> Result<(), Error> {
        if let Some(lists) = &self.lists {
            setup.use_revocation_lists(lists).map_err(|(index, code)| {
                ConfigError::RevocationList {
                    index,
                    reason: ErrorCode::new(code),
                }
            })?;
        }
        if let Some(pins) = &self.pins {
            setup.set_pinned_keys(pins.clone());
        }
        if let Some(additional) = &self.additional {
            setup.set_additional_verification(additional.clone());
        }
        Ok(())
    }
}

/// Writes the setters that both builders have.
macro_rules! trust_setters {
    () => {
        /// Refuses peers whose certificates these lists revoke; default none. See
        /// [`RevocationLists`](crate::RevocationLists) for what is refused beside them.
        pub fn revocation_lists(mut self, lists: crate::RevocationLists) -> Self {
            self.protocols.trust.lists = Some(lists);
            self
        }

        /// Takes peers with one of these keys alone; default all that verify. Without trust
        /// anchors the key is the whole check, see [`PinnedKeys`](crate::PinnedKeys).
        pub fn pinned_keys(mut self, pins: crate::PinnedKeys) -> Self {
            self.protocols.trust.pins = Some(pins);
            self
        }

        /// A check that runs after all others have passed, and can refuse with a reason:
        /// nothing that was refused is accepted by it. It may run more than once for one
        /// peer; a resumed session is not asked again, and none is resumed under another
        /// configuration than the one that has asked. A panic in it ends the handshake and goes on in the caller of `process`.
        ///
        /// ```
        /// use wolfssl::{ClientConfig, ServerConfig};
        ///
        /// let client = ClientConfig::builder().additional_verification(|peer| {
        ///     match peer.certificates().len() {
        ///         1..=3 => Ok(()),
        ///         _ => Err("a chain as long as this is none of ours".to_owned()),
        ///     }
        /// });
        /// let server = ServerConfig::builder().additional_verification(|peer| {
        ///     let leaf = peer.certificates().first().ok_or("no certificate")?;
        ///     println!("{} bytes for {:?}", leaf.len(), peer.server_name());
        ///     Ok(())
        /// });
        /// # let _ = (client, server);
        /// ```
        pub fn additional_verification(
            mut self,
            check: impl Fn(&crate::VerifiedPeer<'_>) -> Result<(), String> + Send + Sync + 'static,
        ) -> Self {
            self.protocols.trust.additional = Some(crate::verification::AdditionalVerification(
                std::sync::Arc::new(check),
            ));
            self
        }
    };
}
pub(crate) use trust_setters;
