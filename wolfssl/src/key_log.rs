//! `KeyLog`: where a connection's secrets are told, for looking into its traffic.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use zeroize::Zeroizing;

/// Is told the secrets of every connection of a configuration, as they are derived.
///
/// Whoever has them can read all of the traffic: this is for development. The labels are
/// those of the NSS key log format (RFC 9850): `CLIENT_RANDOM` in TLS 1.2,
/// `CLIENT_TRAFFIC_SECRET_0` and so on in TLS 1.3. A panic in it ends the handshake and goes
/// on in the caller of `process`.
///
/// ```
/// use wolfssl::{ClientConfig, KeyLog};
///
/// #[derive(Debug)]
/// struct Labels;
///
/// impl KeyLog for Labels {
///     fn log(&self, label: &str, client_random: &[u8], _secret: &[u8]) {
///         eprintln!("{label} for {client_random:x?}");
///     }
/// }
///
/// let builder = ClientConfig::builder().key_log(Labels);
/// # let _ = builder;
/// ```
pub trait KeyLog: fmt::Debug + Send + Sync {
    /// Takes one secret. `client_random` names the connection: 32 bytes of its ClientHello.
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]);

    /// Whether secrets of this label are wanted at all; default yes.
    fn will_log(&self, label: &str) -> bool {
        let _ = label;
        true
    }
}

/// A key log that appends lines of the NSS format to a file, which Wireshark reads.
///
/// ```no_run
/// use wolfssl::{ClientConfig, KeyLogFile};
///
/// // Logs where SSLKEYLOGFILE points to, and nothing where it is not set.
/// let builder = ClientConfig::builder().key_log(KeyLogFile::from_env());
/// # let _ = builder;
/// ```
pub struct KeyLogFile {
    path: Option<PathBuf>,
    file: Result<Mutex<File>, io::Error>,
}

impl KeyLogFile {
    /// Appends to the file that the environment variable `SSLKEYLOGFILE` names; without it
    /// nothing is logged. A file that cannot be opened does not keep a program from its work:
    /// [`KeyLogFile::error`] tells, and nothing is logged.
    pub fn from_env() -> Self {
        match std::env::var_os("SSLKEYLOGFILE").filter(|path| !path.is_empty()) {
            Some(path) => Self::open(Path::new(&path)),
            None => Self {
                path: None,
                file: Err(io::Error::new(
                    io::ErrorKind::NotFound,
                    "SSLKEYLOGFILE is not set",
                )),
            },
        }
    }

    /// Appends to this file, making it when it is not there.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn new(path: impl AsRef<Path>) -> io::Result<Self> {
        let log = Self::open(path.as_ref());
        match log.file {
            Ok(_) => Ok(log),
            Err(error) => Err(error),
        }
    }

    /// Why nothing is logged; `None` when all is well.
    pub fn error(&self) -> Option<&io::Error> {
        self.file.as_ref().err()
    }

    fn open(path: &Path) -> Self {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        Self {
            path: Some(path.to_owned()),
            file: options.open(path).map(Mutex::new),
        }
    }
}

impl KeyLog for KeyLogFile {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let Ok(file) = &self.file else {
            return;
        };
        let line = Zeroizing::new(line(label, client_random, secret));
        let mut file = file.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // A full disk must not end the connections of a program that is being looked into.
        let _ = file.write_all(line.as_bytes());
    }

    fn will_log(&self, _label: &str) -> bool {
        self.file.is_ok()
    }
}

impl fmt::Debug for KeyLogFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyLogFile")
            .field("path", &self.path)
            .field("error", &self.error())
            .finish()
    }
}

/// One line of the NSS format, with its end.
fn line(label: &str, client_random: &[u8], secret: &[u8]) -> String {
    let hex = |out: &mut String, bytes: &[u8]| {
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                out.extend(char::from_digit(u32::from(digit), 16));
            }
        }
    };
    // All at once, so that a growing string leaves no copy of the secret behind.
    let mut line = String::with_capacity(
        label.len() + 2 * (client_random.len() + secret.len()) + "  \n".len(),
    );
    line.push_str(label);
    line.push(' ');
    hex(&mut line, client_random);
    line.push(' ');
    hex(&mut line, secret);
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_label_random_and_secret() {
        assert_eq!(
            line("CLIENT_RANDOM", &[1, 0xab], &[0xff]),
            "CLIENT_RANDOM 01ab ff\n"
        );
        let long = line("L", &[0; 32], &[0; 48]);
        assert_eq!(long.len(), long.capacity());
    }
}
