//! One worker process, and a way of talking to it that cannot hang.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Worker;
use crate::error::{Error, Result};
use crate::protocol::{Hello, Reply, Request, Sample};

/// A running worker; killed when dropped.
pub struct WorkerProcess {
    arm: String,
    child: Child,
    requests: ChildStdin,
    replies: Receiver<io::Result<String>>,
}

/// How long a worker may take over anything but the measuring itself.
const PATIENCE: Duration = Duration::from_secs(60);

impl WorkerProcess {
    /// Starts a worker on `core`. `padding` bytes of environment shift its stack, as the place of
    /// things in memory alone can make a program faster or slower.
    pub fn start(
        worker: &Worker,
        fixtures: &Path,
        core: Option<usize>,
        padding: usize,
    ) -> Result<Self> {
        let mut command = Command::new(&worker.program);
        command
            .arg("--library")
            .arg(worker.library)
            .arg("--fixtures")
            .arg(fixtures)
            .env("BENCH_PADDING", "x".repeat(padding))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit());
        if let Some(core) = core {
            command.arg("--core").arg(core.to_string());
        }
        let mut child = command
            .spawn()
            .map_err(Error::io(format!("starting {}", worker.program.display())))?;
        let (Some(requests), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Worker {
                arm: worker.id.clone(),
                message: "has no standard input and output".to_owned(),
            });
        };
        let (sender, replies) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self {
            arm: worker.id.clone(),
            child,
            requests,
            replies,
        })
    }

    /// Asks who it is.
    pub fn hello(&mut self) -> Result<Hello> {
        match self.ask(&Request::Hello, PATIENCE)? {
            Reply::Hello(hello) => Ok(hello),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Has it make a scenario ready.
    pub fn prepare(&mut self, scenario: String) -> Result<()> {
        match self.ask(&Request::Prepare { scenario }, PATIENCE)? {
            Reply::Prepared => Ok(()),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Has it measure for `millis` milliseconds.
    pub fn run(&mut self, millis: u64) -> Result<Sample> {
        let patience = PATIENCE + Duration::from_millis(millis);
        match self.ask(&Request::Run { millis }, patience)? {
            Reply::Sample(sample) => Ok(*sample),
            other => Err(self.unexpected(&other)),
        }
    }

    /// Whether the process is still there.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn ask(&mut self, request: &Request, patience: Duration) -> Result<Reply> {
        let sent = serde_json::to_string(request)
            .map_err(io::Error::from)
            .and_then(|line| writeln!(self.requests, "{line}"));
        if sent.is_err() {
            return Err(self.gone());
        }
        let line = match self.replies.recv_timeout(patience) {
            Ok(line) => line.map_err(Error::io(format!("reading from worker {}", self.arm)))?,
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.child.kill();
                return Err(self.fault(format!("did not answer within {patience:?}")));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
        };
        match serde_json::from_str(&line) {
            Ok(Reply::Error { message }) => Err(self.fault(message)),
            Ok(reply) => Ok(reply),
            Err(error) => Err(self.fault(format!("answered {line:?}: {error}"))),
        }
    }

    fn gone(&mut self) -> Error {
        match self.child.wait() {
            Ok(status) => self.fault(format!("ended without an answer ({status})")),
            Err(error) => self.fault(format!("ended without an answer ({error})")),
        }
    }

    fn unexpected(&self, reply: &Reply) -> Error {
        self.fault(format!("gave an answer to another question: {reply:?}"))
    }

    fn fault(&self, message: String) -> Error {
        Error::Worker {
            arm: self.arm.clone(),
            message,
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        if let Ok(line) = serde_json::to_string(&Request::Stop) {
            let _ = writeln!(self.requests, "{line}");
        }
        // It answers nothing but `stopped` now; one that does not even do that is not waited for.
        let _ = self.replies.recv_timeout(Duration::from_secs(1));
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
