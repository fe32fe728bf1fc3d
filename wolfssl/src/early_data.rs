//! Early data (0-RTT, RFC 8446, section 2.3): what a server does about replays.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::resumption::memory::lock;

/// How long a server has to remember a ticket whose early data it took.
///
/// A replay comes with the age that the client gave its ticket, and wolfSSL takes a ticket only
/// if that age is right within eleven seconds. The rest is for clocks that are set meanwhile.
pub(crate) const REMEMBERED: Duration = Duration::from_secs(60);

/// Decides whether early data may be a replay.
///
/// Early data has no protection against replays in the protocol: whoever records it can send
/// it again, to the same server and to others that share its ticket keys. A server that takes
/// it asks here first, once for each hello that brings early data.
pub trait AntiReplay: Send + Sync {
    /// Notes that the early data of a ticket is about to be taken; `true` if it is for the
    /// first time. `ticket` tells it from all others. It has to be remembered for
    /// `remember_for`; later the ticket is too old. On `false`, and for whom there is no room,
    /// the handshake is a full one and the early data is passed over unread.
    fn first_use(&self, ticket: &[u8], remember_for: Duration) -> bool;

    /// Whether what was noted outlives this configuration, in a data base that all servers
    /// with the same ticket keys ask. If not, which is the default, tickets that come with
    /// early data are not taken if they are older than the configuration (RFC 8446, section
    /// 8.2): the handshake is a full one.
    fn outlives_configuration(&self) -> bool {
        false
    }
}

impl<R: AntiReplay + ?Sized> AntiReplay for Arc<R> {
    fn first_use(&self, ticket: &[u8], remember_for: Duration) -> bool {
        (**self).first_use(ticket, remember_for)
    }

    fn outlives_configuration(&self) -> bool {
        (**self).outlives_configuration()
    }
}

/// Remembers used tickets in this process: right for a server whose ticket keys no other
/// process has.
///
/// Its size bounds how much early data is taken in a minute, not how many tickets there are.
pub struct StrikeRegister {
    capacity: usize,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    tickets: HashSet<Vec<u8>>,
    until: VecDeque<(Instant, Vec<u8>)>,
}

impl StrikeRegister {
    /// Room for this many tickets, 100 bytes each. While it is full, no early data is taken.
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            used: Mutex::default(),
        }
    }
}

impl Default for StrikeRegister {
    /// Room for 65,536 tickets.
    fn default() -> Self {
        Self::new(65_536)
    }
}

impl AntiReplay for StrikeRegister {
    fn first_use(&self, ticket: &[u8], remember_for: Duration) -> bool {
        let mut used = lock(&self.used);
        let now = Instant::now();
        while used.until.front().is_some_and(|(until, _)| *until <= now) {
            if let Some((_, old)) = used.until.pop_front() {
                used.tickets.remove(&old);
            }
        }
        if used.until.len() >= self.capacity || !used.tickets.insert(ticket.to_vec()) {
            return false;
        }
        used.until.push_back((now + remember_for, ticket.to_vec()));
        true
    }
}

impl fmt::Debug for StrikeRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StrikeRegister")
            .field("capacity", &self.capacity)
            .field("used", &lock(&self.used).until.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_new_once() {
        let register = StrikeRegister::new(10);
        assert!(register.first_use(b"one", REMEMBERED));
        assert!(register.first_use(b"other", REMEMBERED));
        assert!(!register.first_use(b"one", REMEMBERED));
    }

    #[test]
    fn a_full_register_takes_nothing_until_there_is_room() {
        let register = StrikeRegister::new(2);
        assert!(register.first_use(b"1", Duration::ZERO));
        assert!(register.first_use(b"2", REMEMBERED));
        assert!(register.first_use(b"3", REMEMBERED)); // the first one has run out
        assert!(!register.first_use(b"4", REMEMBERED));
        assert!(!StrikeRegister::new(0).first_use(b"1", REMEMBERED));
    }
}
