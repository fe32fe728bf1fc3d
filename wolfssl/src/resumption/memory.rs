//! Stores in memory: of a client's sessions, and of a server's.

use std::borrow::Borrow;
use std::collections::VecDeque;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lru::LruCache;
use zeroize::Zeroizing;

use super::server::ServerSessionStore;
use super::ticket::SessionTicket;
use super::{ClientSessionStore, SessionKey};
use crate::protocol::ProtocolVersion;

/// Sessions kept for one server.
const SESSIONS_PER_SERVER: usize = 8;

/// A client's sessions.
pub(crate) struct InMemoryClientStore {
    servers: Mutex<Bounded<SessionKey, VecDeque<SessionTicket>>>,
}

impl InMemoryClientStore {
    pub(crate) fn new(servers: usize) -> Self {
        Self {
            servers: Mutex::new(Bounded::new(servers)),
        }
    }
}

impl ClientSessionStore for InMemoryClientStore {
    fn insert(&self, key: &SessionKey, session: SessionTicket) {
        let mut servers = lock(&self.servers);
        let Some(sessions) = servers.entry(*key) else {
            return;
        };
        if session.version() == ProtocolVersion::TLSv1_2 {
            sessions.retain(|kept| kept.version() != ProtocolVersion::TLSv1_2);
        }
        if sessions.len() == SESSIONS_PER_SERVER {
            sessions.pop_front();
        }
        sessions.push_back(session);
    }

    fn take(&self, key: &SessionKey) -> Option<SessionTicket> {
        let mut servers = lock(&self.servers);
        let sessions = servers.get(key)?;
        let session = sessions.pop_back();
        if sessions.is_empty() {
            servers.remove(key);
        }
        session
    }
}

/// A server's sessions, kept in this process.
pub struct InMemoryServerSessions {
    sessions: Mutex<Bounded<Vec<u8>, Stored>>,
}

#[derive(Default)]
struct Stored {
    value: Zeroizing<Vec<u8>>,
    until: Option<Instant>,
}

impl InMemoryServerSessions {
    /// Room for this many sessions; the one used least recently makes room.
    pub fn new(sessions: usize) -> Self {
        Self {
            sessions: Mutex::new(Bounded::new(sessions)),
        }
    }
}

impl fmt::Debug for InMemoryServerSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InMemoryServerSessions")
            .finish_non_exhaustive()
    }
}

impl ServerSessionStore for InMemoryServerSessions {
    fn put(&self, id: &[u8], session: Vec<u8>, lifetime: Duration) {
        if let Some(stored) = lock(&self.sessions).entry(id.to_vec()) {
            *stored = Stored {
                value: Zeroizing::new(session),
                until: Instant::now().checked_add(lifetime),
            };
        }
    }

    fn get(&self, id: &[u8]) -> Option<Vec<u8>> {
        let mut sessions = lock(&self.sessions);
        let stored = sessions.get(id)?;
        if stored.until.is_some_and(|until| until > Instant::now()) {
            return Some(stored.value.to_vec());
        }
        sessions.remove(id);
        None
    }
}

/// A map that forgets what was used least recently; without capacity it keeps nothing.
pub(crate) struct Bounded<K: Eq + Hash, V>(Option<LruCache<K, V>>);

impl<K: Eq + Hash, V> Bounded<K, V> {
    pub(crate) fn new(capacity: usize) -> Self {
        // Not `new`, which would reserve the whole capacity at once.
        Self(NonZeroUsize::new(capacity).map(|capacity| {
            let mut cache = LruCache::unbounded();
            cache.resize(capacity);
            cache
        }))
    }

    /// The value of `key`, made if there is none; `None` only without capacity.
    pub(crate) fn entry(&mut self, key: K) -> Option<&mut V>
    where
        V: Default,
    {
        let cache = self.0.as_mut()?;
        Some(cache.get_or_insert_mut(key, V::default))
    }

    /// The value of `key`, which counts as a use.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.0.as_mut()?.get_mut(key)
    }

    pub(crate) fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Some(cache) = &mut self.0 {
            cache.pop(key);
        }
    }
}

/// A panic elsewhere leaves these maps whole.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut map = Bounded::<u32, u32>::new(3);
        for key in 0..3 {
            *map.entry(key).unwrap() = key * 10;
        }
        assert_eq!(map.get(&0), Some(&mut 0));
        *map.entry(3).unwrap() = 30;
        assert_eq!(map.get(&1), None);
        assert_eq!(map.get(&0), Some(&mut 0));
        assert_eq!(map.get(&2), Some(&mut 20));
        assert_eq!(map.get(&3), Some(&mut 30));
        map.remove(&0);
        *map.entry(4).unwrap() = 40;
        assert_eq!(map.get(&2), Some(&mut 20));
    }

    #[test]
    fn without_capacity_nothing_is_kept() {
        let mut map = Bounded::<u32, u32>::new(0);
        assert!(map.entry(1).is_none());
        assert!(map.get(&1).is_none());
    }

    #[test]
    fn server_sessions_expire() {
        let store = InMemoryServerSessions::new(2);
        store.put(b"a", vec![1], Duration::from_secs(60));
        store.put(b"b", vec![2], Duration::ZERO);
        assert_eq!(store.get(b"a"), Some(vec![1]));
        assert_eq!(store.get(b"b"), None);
    }
}
