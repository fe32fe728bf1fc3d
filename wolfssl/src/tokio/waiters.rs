//! Who waits for the transport.
//!
//! A transport remembers one task for reading and one for writing. But a TLS stream whose
//! halves are used by two tasks reads while it writes (handshake) and writes while it reads
//! (replies, output that was held up), so both tasks may wait for the same direction, and the
//! transport would forget the first. That is how wake-ups get lost.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

/// On whose behalf the transport is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Reader,
    Writer,
}

/// The tasks that wait for one direction of the transport.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Waiters {
    /// Uses the transport through `operation`; while it is pending, it will wake the tasks of
    /// both roles if both wait.
    pub(super) fn poll<R>(
        &mut self,
        role: Role,
        context: &mut Context<'_>,
        operation: impl FnOnce(&mut Context<'_>) -> Poll<R>,
    ) -> Poll<R> {
        let (own, other) = match role {
            Role::Reader => (&mut self.reader, &self.writer),
            Role::Writer => (&mut self.writer, &self.reader),
        };
        let waker = context.waker();
        let result = match other {
            // From the start, not only once it is pending: a transport may replace the task
            // that it remembers and then turn out to be ready.
            Some(other) if !other.will_wake(waker) => {
                let both = Waker::from(Arc::new(Both(waker.clone(), other.clone())));
                operation(&mut Context::from_waker(&both))
            }
            _ => operation(context),
        };
        if result.is_ready() {
            *own = None;
        } else {
            match own {
                Some(own) => own.clone_from(context.waker()),
                None => *own = Some(context.waker().clone()),
            }
        }
        result
    }

    /// The task of this role waits no longer.
    pub(super) fn forget(&mut self, role: Role) {
        match role {
            Role::Reader => self.reader = None,
            Role::Writer => self.writer = None,
        }
    }
}

/// Wakes two tasks.
struct Both(Waker, Waker);

impl Wake for Both {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.wake_by_ref();
        self.1.wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A transport that is never ready and remembers one task.
    #[derive(Default)]
    struct Never(Option<Waker>);

    impl Never {
        fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
            self.0 = Some(context.waker().clone());
            Poll::Pending
        }
    }

    #[test]
    fn both_roles_are_woken_and_none_that_no_longer_waits() {
        let (reader, writer) = (Arc::new(Count::default()), Arc::new(Count::default()));
        let tasks = [Waker::from(Arc::clone(&reader)), Arc::clone(&writer).into()];
        let woken = || {
            let count = |count: &Count| count.0.swap(0, Ordering::Relaxed);
            (count(&reader), count(&writer))
        };
        let (mut waiters, mut transport) = (Waiters::default(), Never::default());
        let mut poll = |waiters: &mut Waiters, role, ready: bool| {
            let waker = &tasks[(role == Role::Writer) as usize];
            let _ = waiters.poll(
                role,
                &mut Context::from_waker(waker),
                |context| match transport.poll(context) {
                    Poll::Pending if ready => Poll::Ready(()),
                    poll => poll,
                },
            );
            transport.0.take().unwrap().wake();
        };
        poll(&mut waiters, Role::Reader, false);
        assert_eq!(woken(), (1, 0));
        poll(&mut waiters, Role::Writer, false);
        assert_eq!(woken(), (1, 1), "the reader is not forgotten");
        poll(&mut waiters, Role::Reader, false);
        assert_eq!(woken(), (1, 1), "nor the writer");
        poll(&mut waiters, Role::Reader, true);
        woken();
        poll(&mut waiters, Role::Writer, false);
        assert_eq!(
            woken(),
            (0, 1),
            "a reader that has what it wants is left alone"
        );
        waiters.forget(Role::Writer);
        poll(&mut waiters, Role::Reader, false);
        assert_eq!(woken(), (1, 0), "and so is a writer");
    }

    #[test]
    fn a_single_task_in_both_roles_is_woken_once() {
        let task = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&task));
        let (mut waiters, mut transport) = (Waiters::default(), Never::default());
        for role in [Role::Reader, Role::Writer] {
            let mut context = Context::from_waker(&waker);
            let _ = waiters.poll(role, &mut context, |context| transport.poll(context));
        }
        transport.0.take().unwrap().wake();
        assert_eq!(task.0.load(Ordering::Relaxed), 1);
    }
}
