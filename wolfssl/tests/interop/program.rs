//! Another side's program as a child process: its output as it comes, every wait bounded.

use std::ffi::OsStr;
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// No single wait of these tests is longer.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A running program. It is killed when it goes out of scope.
pub struct Program {
    name: String,
    child: Child,
    pieces: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
    /// What has been looked through by [`Program::expect`].
    seen: usize,
}

/// What a program left behind.
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    /// Standard output and standard error, as they came.
    pub text: String,
}

impl Program {
    /// Starts a program that `cargo xtask setup --interop` installs.
    pub fn start<A: AsRef<OsStr>>(name: &str, arguments: impl IntoIterator<Item = A>) -> Self {
        Self::start_with(name, arguments, &[])
    }

    /// The same with more environment variables.
    pub fn start_with<A: AsRef<OsStr>>(
        name: &str,
        arguments: impl IntoIterator<Item = A>,
        environment: &[(&str, &str)],
    ) -> Self {
        let mut command = Command::new(name);
        command.args(arguments).envs(environment.iter().copied());
        Self::spawn(name, command)
    }

    /// Starts `command`, with its three standard streams in our hands.
    pub fn spawn(name: &str, mut command: Command) -> Self {
        // One pipe for both, which keeps their order.
        let (output, writer) = io::pipe().expect("a pipe");
        let second = writer.try_clone().expect("a pipe");
        command.stdin(Stdio::piped()).stdout(writer).stderr(second);
        let child = command.spawn().unwrap_or_else(|error| match error.kind() {
            ErrorKind::NotFound => {
                panic!("{name} is not installed; run `cargo xtask setup --interop`")
            }
            _ => panic!("{name} does not start: {error}"),
        });
        drop(command); // and with it our copies of the pipe's other end
        let (sender, pieces) = mpsc::channel();
        forward(output, sender);
        Self {
            name: name.to_owned(),
            child,
            pieces,
            bytes: Vec::new(),
            seen: 0,
        }
    }

    /// Waits until `text` comes up in what has not been looked through yet.
    pub fn expect(&mut self, text: &str) {
        let at = self.search(text.as_bytes());
        self.seen = at + text.len();
    }

    /// Waits for `prefix` and returns the rest of its line.
    pub fn rest_of_line(&mut self, prefix: &str) -> String {
        self.expect(prefix);
        let start = self.seen;
        let end = self.search(b"\n");
        self.seen = end + 1;
        String::from_utf8_lossy(&self.bytes[start..end])
            .trim_end()
            .to_owned()
    }

    /// Writes to its standard input.
    pub fn send(&mut self, text: &str) {
        let input = self.child.stdin.as_mut().expect("still open");
        if let Err(error) = input
            .write_all(text.as_bytes())
            .and_then(|()| input.flush())
        {
            panic!("{} does not read: {error}\n{}", self.name, self.text());
        }
    }

    /// Ends its standard input.
    pub fn end_input(&mut self) {
        drop(self.child.stdin.take());
    }

    /// Kills it, as a machine that fails would.
    pub fn kill(mut self) {
        self.child.kill().expect("a child of ours");
        self.child.wait().expect("a child of ours");
    }

    /// Ends its input and waits until it is gone.
    pub fn finish(mut self) -> Finished {
        self.end_input();
        let deadline = Instant::now() + PATIENCE;
        while self.more(deadline) {}
        // Its output has ended, so it is gone or about to be.
        let status = loop {
            match self.child.try_wait().expect("a child of ours") {
                Some(status) => break status,
                None if Instant::now() > deadline => {
                    panic!("{} does not end; so far:\n{}", self.name, self.text())
                }
                None => thread::yield_now(),
            }
        };
        Finished {
            status,
            text: self.text(),
        }
    }

    fn search(&mut self, wanted: &[u8]) -> usize {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let unseen = &self.bytes[self.seen..];
            if let Some(at) = unseen.windows(wanted.len()).position(|w| w == wanted) {
                return self.seen + at;
            }
            if !self.more(deadline) {
                panic!(
                    "{} ended without saying {:?}; it said:\n{}",
                    self.name,
                    String::from_utf8_lossy(wanted),
                    self.text()
                );
            }
        }
    }

    /// Waits for a piece of output; false at its end.
    fn more(&mut self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.pieces.recv_timeout(left) {
            Ok(piece) => {
                self.bytes.extend_from_slice(&piece);
                true
            }
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => {
                panic!(
                    "{} goes on without what was waited for:\n{}",
                    self.name,
                    self.text()
                )
            }
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Finished {
    /// The rest of the first line that starts with `prefix`.
    pub fn value(&self, prefix: &str) -> &str {
        self.text
            .lines()
            .find_map(|line| line.trim_start().strip_prefix(prefix))
            .unwrap_or_else(|| panic!("no line starts with {prefix:?}:\n{}", self.text))
            .trim()
    }

    pub fn assert_success(&self) {
        assert!(self.status.success(), "{}\n{}", self.status, self.text);
    }

    pub fn assert_says(&self, text: &str) {
        assert!(
            self.text.contains(text),
            "it does not say {text:?} ({}):\n{}",
            self.status,
            self.text
        );
    }
}

fn forward(mut from: impl Read + Send + 'static, to: Sender<Vec<u8>>) {
    thread::spawn(move || {
        let mut buffer = [0; 8 * 1024];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) if to.send(buffer[..count].to_vec()).is_ok() => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => break,
            }
        }
    });
}
