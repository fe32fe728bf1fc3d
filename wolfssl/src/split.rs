//! A blocking stream as two halves, for a thread that reads and one that writes.
//!
//! A TLS connection is one state machine, so the halves share it under a lock. Only what does
//! not block happens there: opening and sealing records. Each half uses the transport outside
//! the lock, so neither waits for the other's peer.

use std::io::{self, IoSlice, Read, Write};
use std::ops::DerefMut;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::connection::buffered::append_output;
use crate::connection::{ConnectionCommon, Status};
use crate::error::Error;
use crate::stream::{StreamOwned, ignore_would_block, retry};

/// Splits a connection into a half that reads and one that writes, usable from two threads.
///
/// `reader` and `writer` are the two directions of one transport; for a transport that can be
/// used by reference, such as `TcpStream`, there is [`StreamOwned::split`]. Complete the
/// handshake first: until then the writer's calls fail with `NotConnected`, while reading goes
/// on with it.
///
/// What reading has to answer (key updates, alerts) is sent by whichever half is at it; when
/// the writer is not, the reader does it, and waits for the transport as a writer would.
///
/// A connection that is not split cannot be used from two threads at once:
///
/// ```compile_fail
/// # fn f(connection: &wolfssl::ClientConnection) {
/// std::thread::scope(|scope| {
///     scope.spawn(|| connection.is_handshaking());
///     scope.spawn(|| connection.plaintext_len());
/// });
/// # }
/// ```
pub fn split<C, R, W>(connection: C, reader: R, writer: W) -> Halves<C, R, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    R: Read,
    W: Write,
{
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            connection,
            sending: false,
            write_failure: None,
        }),
        sent: Condvar::new(),
        writer: Mutex::new(writer),
    });
    let read = ReadHalf {
        shared: Arc::clone(&shared),
        reader,
    };
    (read, WriteHalf { shared })
}

/// What [`split`] makes of a connection and its transport.
pub type Halves<C, R, W> = (ReadHalf<C, R, W>, WriteHalf<C, W>);

/// The half that reads; see [`split`]. What is said of [`StreamOwned`] about ends and
/// truncation holds here.
#[derive(Debug)]
pub struct ReadHalf<C, R, W> {
    shared: Arc<Shared<C, W>>,
    reader: R,
}

/// The half that writes; see [`split`]. Dropping it does not send `close_notify`: call
/// [`shutdown`](Self::shutdown), after which the other half still reads.
#[derive(Debug)]
pub struct WriteHalf<C, W> {
    shared: Arc<Shared<C, W>>,
}

/// A transport used by reference from both halves: made by [`StreamOwned::split`].
#[derive(Debug)]
pub struct SharedTransport<T>(Arc<T>);

#[derive(Debug)]
struct Shared<C, W> {
    state: Mutex<State<C>>,
    /// The half that was sending is done.
    sent: Condvar,
    /// Locked after `state` was released, never before.
    writer: Mutex<W>,
}

#[derive(Debug)]
struct State<C> {
    connection: C,
    /// One half is sending what it took out of the output. Kept under the lock, so that what
    /// is appended meanwhile is seen by it, or sent by whoever appended it.
    sending: bool,
    /// Met while reading; it is the writer's to learn of.
    write_failure: Option<io::Error>,
}

impl<C, T> StreamOwned<C, T>
where
    C: DerefMut<Target = ConnectionCommon>,
    T: Read + Write,
    for<'a> &'a T: Read + Write,
{
    /// Splits the stream into a half that reads and one that writes, usable from two threads;
    /// see [`split`](crate::split()).
    ///
    /// ```no_run
    /// # use std::io::{Read, Write};
    /// # use std::net::TcpStream;
    /// # use wolfssl::{ClientConnection, StreamOwned};
    /// # fn f(tls: StreamOwned<ClientConnection, TcpStream>) -> std::io::Result<()> {
    /// let (mut read, mut write) = tls.split();
    /// let reading = std::thread::spawn(move || {
    ///     let mut answer = Vec::new();
    ///     read.read_to_end(&mut answer).map(|_| answer)
    /// });
    /// write.write_all(b"question")?;
    /// write.shutdown()?;
    /// let answer = reading.join().expect("no panic")?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn split(self) -> Halves<C, SharedTransport<T>, SharedTransport<T>> {
        let (connection, transport) = self.into_parts();
        let transport = Arc::new(transport);
        let other = SharedTransport(Arc::clone(&transport));
        split(connection, SharedTransport(transport), other)
    }
}

impl<C, R, W> ReadHalf<C, R, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    R: Read,
    W: Write,
{
    /// Looks at the connection, for what was negotiated. The other half waits meanwhile, so
    /// `look` must not use it.
    pub fn with_connection<A>(&self, look: impl FnOnce(&C) -> A) -> A {
        look(&self.shared.lock().connection)
    }

    /// The transport's reading direction.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// Puts the two halves together again; bytes on their way stay in the connection.
    ///
    /// # Errors
    /// Gives back halves that are not of one connection.
    pub fn reunite(self, write: WriteHalf<C, W>) -> Result<(C, R, W), Halves<C, R, W>> {
        if !Arc::ptr_eq(&self.shared, &write.shared) {
            return Err((self, write));
        }
        let Self { shared, reader } = self;
        drop(write);
        let shared = Arc::into_inner(shared).expect("the two halves are the only owners");
        let state = shared.state.into_inner();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let writer = shared.writer.into_inner();
        let writer = writer.unwrap_or_else(PoisonError::into_inner);
        Ok((state.connection, reader, writer))
    }

    /// Fetches from the transport while the connection is free for the other half.
    fn fetch(&mut self) -> io::Result<()> {
        let mut space = self.shared.lock().connection.buffers.take_space();
        let result = retry(|| self.reader.read(&mut space));
        let mut state = self.shared.lock();
        let count = *result.as_ref().unwrap_or(&0);
        state.connection.buffers.put_space(space, count);
        if let Ok(0) = result {
            // Kept by the connection: its `read` tells an end from a truncation.
            let _ = state.connection.transport_ended();
        }
        result.map(|_| ())
    }

    /// Sends what reading gave rise to.
    fn answer(&self, must: bool) -> io::Result<()> {
        let state = self.shared.lock();
        if state.connection.buffers.unsent().is_empty() {
            return Ok(());
        }
        let sent = self.shared.send(state, must);
        if must {
            return sent; // the peer waits for it; reading on would wait for each other
        }
        if let Err(error) = ignore_would_block(sent) {
            self.shared.lock().write_failure.get_or_insert(error);
        }
        Ok(())
    }
}

impl<C, R, W> Read for ReadHalf<C, R, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    R: Read,
    W: Write,
{
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let (read, status, handshaking) = {
                let mut state = self.shared.lock();
                let connection = &mut state.connection;
                match connection.read(buffer) {
                    Err(Error::WantsInput) => {
                        let status = connection.process_buffered();
                        (None, status, connection.is_handshaking())
                    }
                    result => (Some(result), Ok(Status::PlaintextReady), false),
                }
            };
            self.answer(handshaking && status.is_ok())?;
            if let Some(result) = read {
                return result.map_err(io::Error::from);
            }
            match status {
                Ok(Status::WantsInput) => self.fetch()?,
                Ok(Status::WantsSignature) => return Err(Error::WantsSignature.into()),
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

impl<C, W> WriteHalf<C, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    W: Write,
{
    /// Sends `close_notify`: nothing can be written afterwards; the other half goes on reading.
    ///
    /// # Errors
    /// Of the transport and of the connection. On `WouldBlock` call again: the alert is sent
    /// once, however often.
    pub fn shutdown(&mut self) -> io::Result<()> {
        let mut state = self.shared.lock();
        state.connection.close_buffered()?;
        self.send(state)?;
        self.shared.writer().flush()
    }

    /// Lets `act` append records to what is to be sent; see [`StreamOwned::with_output`]. The
    /// other half waits meanwhile, so `act` must not use it.
    pub fn with_output<A>(&mut self, act: impl FnOnce(&mut C, &mut Vec<u8>) -> A) -> A {
        append_output(&mut self.shared.lock().connection, act)
    }

    /// The transport's writing direction, to close it after [`shutdown`](Self::shutdown), for
    /// instance. Nothing is sent meanwhile; bytes written to it are not part of the stream.
    pub fn with_transport<A>(&mut self, act: impl FnOnce(&mut W) -> A) -> A {
        act(&mut self.shared.writer())
    }

    fn seal(
        &mut self,
        seal: impl FnOnce(&mut ConnectionCommon) -> Result<usize, Error>,
    ) -> io::Result<usize> {
        // First what is left from before: nothing more is accepted until it is out.
        let state = self.shared.lock();
        self.send(state)?;
        let mut state = self.shared.lock();
        let count = seal(&mut state.connection)?;
        ignore_would_block(self.send(state))?;
        Ok(count)
    }

    fn send(&self, mut state: MutexGuard<'_, State<C>>) -> io::Result<()> {
        match state.write_failure.take() {
            Some(failure) => Err(failure),
            None => self.shared.send(state, true),
        }
    }
}

impl<C, W> Write for WriteHalf<C, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    W: Write,
{
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if data.is_empty() {
            return Ok(0);
        }
        self.seal(|connection| connection.write_buffered(data))
    }

    fn write_vectored(&mut self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        if pieces.iter().all(|piece| piece.is_empty()) {
            return Ok(0);
        }
        self.seal(|connection| connection.write_gathered(pieces))
    }

    fn flush(&mut self) -> io::Result<()> {
        let state = self.shared.lock();
        self.send(state)?;
        self.shared.writer().flush()
    }
}

impl<C, W> Shared<C, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    W: Write,
{
    /// A panic under the lock leaves the connection fit for use, or refusing it.
    fn lock(&self) -> MutexGuard<'_, State<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> MutexGuard<'_, W> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends until there is nothing left. If the other half is sending, waits for it, or
    /// leaves it to it.
    fn send<'a>(&'a self, mut state: MutexGuard<'a, State<C>>, wait: bool) -> io::Result<()> {
        loop {
            if state.sending {
                if !wait {
                    return Ok(());
                }
                state = self
                    .sent
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            if state.connection.buffers.unsent().is_empty() {
                return Ok(());
            }
            state.sending = true;
            let mut turn = Turn {
                shared: self,
                unsent: state.connection.buffers.take_unsent(),
                sent: 0,
            };
            drop(state);
            let result = turn.take();
            drop(turn);
            result?;
            state = self.lock();
        }
    }
}

/// One half's turn at sending. Ends when dropped, be it by a panic of the transport.
struct Turn<'a, C, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    W: Write,
{
    shared: &'a Shared<C, W>,
    unsent: Vec<u8>,
    sent: usize,
}

impl<C, W> Turn<'_, C, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    W: Write,
{
    fn take(&mut self) -> io::Result<()> {
        let mut writer = self.shared.writer();
        while self.sent < self.unsent.len() {
            let rest = &self.unsent[self.sent..];
            let count = retry(|| writer.write(rest))?.min(rest.len());
            if count == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.sent += count;
        }
        Ok(())
    }
}

impl<C, W> Drop for Turn<'_, C, W>
where
    C: DerefMut<Target = ConnectionCommon>,
    W: Write,
{
    fn drop(&mut self) {
        let mut unsent = std::mem::take(&mut self.unsent);
        unsent.drain(..self.sent);
        let mut state = self.shared.lock();
        state.connection.buffers.put_unsent(unsent);
        state.sending = false;
        drop(state);
        self.shared.sent.notify_all();
    }
}

impl<T> SharedTransport<T> {
    /// The transport.
    pub fn get_ref(&self) -> &T {
        &self.0
    }
}

impl<T> Read for SharedTransport<T>
where
    for<'a> &'a T: Read,
{
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self.0).read(buffer)
    }
}

impl<T> Write for SharedTransport<T>
where
    for<'a> &'a T: Write,
{
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        (&*self.0).write(data)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.0).flush()
    }
}
