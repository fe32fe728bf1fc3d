//! Connections on several threads share one store of sessions.

use std::cell::RefCell;

use wolfssl::{ClientSessionStore, SessionKey, SessionTicket};

struct Store(RefCell<Vec<SessionTicket>>);

impl ClientSessionStore for Store {
    fn insert(&self, _: &SessionKey, session: SessionTicket) {
        self.0.borrow_mut().push(session);
    }

    fn take(&self, _: &SessionKey) -> Option<SessionTicket> {
        self.0.borrow_mut().pop()
    }
}

fn main() {}
