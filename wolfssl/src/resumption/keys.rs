//! `TicketKeys`: what a server seals its tickets with, and how the keys change.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use crate::error::{ConfigError, Error, ErrorCode};
use crate::ffi;

/// The keys that a server seals its tickets with: one current, and earlier ones whose tickets
/// are still taken.
///
/// A server keeps nothing for a ticket, the ticket itself holds the session. So servers that
/// share keys resume each other's sessions, also after a restart; whoever has a key can read
/// every TLS 1.2 connection, and the early data of TLS 1.3, of the sessions sealed with it.
/// Keys should therefore change about daily and be kept nowhere for long.
///
/// A clone is a handle on the same keys: a change through one is seen by all configurations
/// that have one.
///
/// ```
/// # fn main() -> Result<(), wolfssl::Error> {
/// use wolfssl::{TicketKeys, TicketSecret};
///
/// // The same 32 random bytes on every machine, from wherever secrets are kept.
/// # let (today, yesterday, tomorrow) = ([1; 32], [2; 32], [3; 32]);
/// let keys = TicketKeys::new(TicketSecret::new(today), [TicketSecret::new(yesterday)])?;
/// // … a day later, with configurations in use:
/// keys.rotate(TicketSecret::new(tomorrow))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct TicketKeys {
    shared: Arc<Shared>,
}

struct Shared {
    ring: RwLock<Vec<Entry>>,
    /// Keys of this process alone, which it changes by itself.
    own: bool,
}

/// A key and since when it is the current one; the current one is the first.
struct Entry {
    key: Arc<TicketKey>,
    since: Instant,
}

/// Earlier keys that are kept.
const KEPT: usize = 3;
/// Keys of the process's own are current for this long, and taken for twice as long.
const RENEWAL: Duration = Duration::from_secs(12 * 60 * 60);

impl TicketKeys {
    /// Random keys, known to this process alone and gone with it. They change by themselves
    /// every twelve hours, and tickets are taken for another twelve.
    ///
    /// # Errors
    /// [`Error::Library`] when there are no random bytes.
    pub fn generate() -> Result<Self, Error> {
        let key = TicketKey::new(&TicketSecret::generate()?)?;
        Ok(Self::from_keys(vec![key], true))
    }

    /// Keys that are known elsewhere, too: `current` seals, `previous` still open what they
    /// sealed. Of the previous the first three are used.
    ///
    /// # Errors
    /// [`Error::Library`] when memory is short.
    pub fn new(
        current: TicketSecret,
        previous: impl IntoIterator<Item = TicketSecret>,
    ) -> Result<Self, Error> {
        let previous = previous.into_iter().take(KEPT);
        let keys = std::iter::once(current)
            .chain(previous)
            .map(|secret| TicketKey::new(&secret))
            .collect::<Result<_, _>>()?;
        Ok(Self::from_keys(keys, false))
    }

    /// Makes `secret` the current key and the current one the first of the previous three,
    /// at once for all connections that begin from now on. A secret that is current already
    /// changes nothing.
    ///
    /// # Errors
    /// [`Error::Library`] when memory is short.
    pub fn rotate(&self, secret: TicketSecret) -> Result<(), Error> {
        self.push(TicketKey::new(&secret)?);
        Ok(())
    }

    fn from_keys(keys: Vec<TicketKey>, own: bool) -> Self {
        let since = Instant::now();
        let entry = |key| Entry {
            key: Arc::new(key),
            since,
        };
        Self {
            shared: Arc::new(Shared {
                ring: RwLock::new(keys.into_iter().map(entry).collect()),
                own,
            }),
        }
    }

    fn push(&self, key: TicketKey) {
        let mut ring = self
            .shared
            .ring
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if ring.first().is_some_and(|entry| entry.key.name == key.name) {
            return;
        }
        ring.retain(|entry| entry.key.name != key.name);
        ring.insert(
            0,
            Entry {
                key: Arc::new(key),
                since: Instant::now(),
            },
        );
        ring.truncate(1 + KEPT);
    }

    /// The key to seal with.
    pub(crate) fn current(&self) -> Option<Arc<TicketKey>> {
        self.renew();
        let ring = self
            .shared
            .ring
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        ring.first().map(|entry| Arc::clone(&entry.key))
    }

    /// The key with this name, if its tickets are still taken.
    pub(crate) fn find(&self, name: &[u8]) -> Option<Arc<TicketKey>> {
        let ring = self
            .shared
            .ring
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        ring.iter()
            .find(|entry| entry.key.name == name)
            .filter(|entry| !self.shared.own || entry.since.elapsed() < 2 * RENEWAL)
            .map(|entry| Arc::clone(&entry.key))
    }

    /// Changes keys of the process's own when it is time. Without random bytes the old one
    /// stays current.
    fn renew(&self) {
        let due = || {
            let ring = self
                .shared
                .ring
                .read()
                .unwrap_or_else(PoisonError::into_inner);
            ring.first()
                .is_none_or(|entry| entry.since.elapsed() >= RENEWAL)
        };
        if self.shared.own
            && due()
            && let Ok(secret) = TicketSecret::generate()
            && let Ok(key) = TicketKey::new(&secret)
        {
            self.push(key);
        }
    }
}

impl fmt::Debug for TicketKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TicketKeys")
            .field("own", &self.shared.own)
            .field("keys", &"redacted")
            .finish()
    }
}

/// What a ticket key is derived from: 32 random bytes, wiped from memory and never printed.
#[derive(Clone)]
pub struct TicketSecret(Zeroizing<[u8; 32]>);

impl TicketSecret {
    /// Takes 32 bytes, which must be random and known to servers alone.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Makes a new one from the system's randomness.
    ///
    /// # Errors
    /// [`Error::Library`] when there are no random bytes.
    pub fn generate() -> Result<Self, Error> {
        let mut bytes = Zeroizing::new([0; 32]);
        ffi::random(bytes.as_mut()).map_err(|code| Error::Library(ErrorCode::new(code)))?;
        Ok(Self(bytes))
    }

    /// The bytes, to share them with other servers.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl TryFrom<&[u8]> for TicketSecret {
    type Error = Error;

    /// # Errors
    /// [`ConfigError::TicketSecret`] when there are not 32 bytes.
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        let length = bytes.len();
        match bytes.try_into() {
            Ok(bytes) => Ok(Self::new(bytes)),
            Err(_) => Err(ConfigError::TicketSecret { length }.into()),
        }
    }
}

impl fmt::Debug for TicketSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TicketSecret(redacted)")
    }
}

/// A key with the name that tickets carry in the clear.
pub(crate) struct TicketKey {
    pub(crate) name: [u8; 16],
    pub(crate) key: Zeroizing<[u8; 32]>,
}

impl TicketKey {
    fn new(secret: &TicketSecret) -> Result<Self, Error> {
        let mut derived = Zeroizing::new([0; 48]);
        ffi::hkdf(
            secret.as_bytes(),
            b"wolfssl session ticket",
            derived.as_mut(),
        )
        .map_err(|code| Error::Library(ErrorCode::new(code)))?;
        let mut new = Self {
            name: [0; 16],
            key: Zeroizing::new([0; 32]),
        };
        new.name.copy_from_slice(&derived[..16]);
        new.key.copy_from_slice(&derived[16..]);
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(byte: u8) -> TicketSecret {
        TicketSecret::new([byte; 32])
    }

    fn name(byte: u8) -> [u8; 16] {
        TicketKey::new(&secret(byte)).unwrap().name
    }

    #[test]
    fn the_same_secret_gives_the_same_key_everywhere() {
        let (one, other) = (
            TicketKey::new(&secret(1)).unwrap(),
            TicketKey::new(&secret(1)).unwrap(),
        );
        assert_eq!(one.name, other.name);
        assert_eq!(*one.key, *other.key);
        assert_ne!(one.name, name(2));
    }

    #[test]
    fn rotation_keeps_three_earlier_keys() {
        let keys = TicketKeys::new(secret(1), []).unwrap();
        let clone = keys.clone();
        for byte in 2..=5 {
            keys.rotate(secret(byte)).unwrap();
            keys.rotate(secret(byte)).unwrap(); // once more changes nothing
        }
        assert_eq!(clone.current().unwrap().name, name(5));
        for byte in 2..=5 {
            assert!(clone.find(&name(byte)).is_some(), "{byte}");
        }
        assert!(clone.find(&name(1)).is_none());
        // An earlier key can become current again.
        keys.rotate(secret(3)).unwrap();
        assert_eq!(clone.current().unwrap().name, name(3));
        assert!(clone.find(&name(5)).is_some());
    }

    #[test]
    fn own_keys_change_by_themselves_and_run_out() {
        let keys = TicketKeys::generate().unwrap();
        let first = keys.current().unwrap().name;
        assert_eq!(keys.current().unwrap().name, first);
        let age = |by: Duration| {
            let mut ring = keys.shared.ring.write().unwrap();
            for entry in ring.iter_mut() {
                entry.since = entry.since.checked_sub(by).unwrap();
            }
        };
        age(RENEWAL);
        assert!(keys.find(&first).is_some());
        let second = keys.current().unwrap().name;
        assert_ne!(first, second);
        assert!(keys.find(&first).is_some());
        age(RENEWAL);
        assert!(keys.find(&first).is_none());
        assert!(keys.find(&second).is_some());
    }

    #[test]
    fn secrets_have_one_length_and_are_not_printed() {
        assert!(TicketSecret::try_from([7; 32].as_slice()).is_ok());
        for length in [0, 16, 31, 33] {
            let error = TicketSecret::try_from(vec![7; length].as_slice()).unwrap_err();
            assert!(
                matches!(error, Error::Config(ConfigError::TicketSecret { length: given }) if given == length)
            );
        }
        let printed = format!("{:?} {:?}", secret(7), TicketKeys::generate().unwrap());
        assert!(!printed.contains('7'), "{printed}");
    }
}
