//! The openssl command, which has to be there: a test that skips itself tests nothing.
#![allow(dead_code)] // each test binary uses its own part

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The command with these arguments, not run yet.
pub fn command<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new("openssl");
    command.args(arguments);
    command
}

/// Runs the command in `dir`; its standard output.
pub fn run<S: AsRef<OsStr>>(dir: &Path, arguments: impl IntoIterator<Item = S>) -> Vec<u8> {
    let mut command = command(arguments);
    let output = output_of(command.current_dir(dir));
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    output.stdout
}

/// Runs a command of openssl to its end.
pub fn output_of(command: &mut Command) -> Output {
    match command.output() {
        Ok(output) => output,
        Err(error) => panic!("cannot run openssl ({error}): install it (apt-get install openssl)"),
    }
}

/// Writes a file of a test.
pub fn write(dir: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = dir.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

/// The same key without ring's public part, which openssl does not read.
pub fn key(pem: &str) -> Vec<u8> {
    use p256::pkcs8::{DecodePrivateKey, EncodePrivateKey};
    let key = p256::SecretKey::from_pkcs8_pem(pem).unwrap();
    key.to_pkcs8_pem(Default::default())
        .unwrap()
        .as_bytes()
        .to_vec()
}
