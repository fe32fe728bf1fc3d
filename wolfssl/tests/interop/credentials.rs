//! Keys and certificates as files that both sides read.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rcgen::{CertificateParams, KeyPair};
use tempfile::TempDir;
use wolfssl::{CertifiedKey, RootCertStore};

use crate::program::Program;
use crate::support::{Authority, Leaf};

/// The kinds of key that every pairing is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Keys made by the openssl program.
    Rsa2048,
    P256,
}

pub const KEYS: [Key; 2] = [Key::Rsa2048, Key::P256];

/// A leaf with its key and the root above it, in a directory that goes with them.
pub struct Credentials {
    directory: TempDir,
    pub leaf: Leaf,
}

impl Credentials {
    /// For `a.test` and the loopback address.
    pub fn new(key: Key) -> Self {
        Self::with(key, |_| {})
    }

    pub fn expired(key: Key) -> Self {
        Self::with(key, |params| {
            params.not_before = rcgen::date_time_ymd(2020, 1, 1);
            params.not_after = rcgen::date_time_ymd(2021, 1, 1);
        })
    }

    pub fn with(key: Key, change: impl FnOnce(&mut CertificateParams)) -> Self {
        let root = Authority::with_key(&root_name(), key_pair(key, 0));
        let leaf = root.leaf_for_key(&["a.test", "127.0.0.1"], key_pair(key, 1), change);
        Self::under(&root, leaf)
    }

    /// With an intermediate between root and leaf, which stands in the chain file, and alone
    /// in `above.pem`.
    pub fn with_intermediate() -> Self {
        let root = Authority::new(&root_name());
        let intermediate = root.intermediate("interop intermediate");
        let leaf = intermediate.leaf(&["a.test"]).under(&intermediate);
        let this = Self::under(&root, leaf);
        std::fs::write(this.file("above.pem"), &intermediate.pem).expect("a writable directory");
        this
    }

    /// A leaf with the root above it.
    pub fn under(root: &Authority, leaf: Leaf) -> Self {
        let directory = TempDir::new().expect("a temporary directory");
        let this = Self { directory, leaf };
        for (file, text) in [
            ("root.pem", &root.pem),
            ("chain.pem", &this.leaf.chain_pem),
            ("key.pem", &this.leaf.key_pem),
        ] {
            std::fs::write(this.file(file), text).expect("a writable directory");
        }
        this
    }

    /// The path of a file of that name next to the credentials.
    pub fn file(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The same, as an argument of a program.
    pub fn argument(&self, name: &str) -> String {
        self.file(name).to_str().expect("plain ASCII").to_owned()
    }

    /// The public key of the leaf as a PEM file, made by the openssl program.
    pub fn public_key_file(&self) -> String {
        let (key, public) = (self.argument("key.pem"), self.argument("public.pem"));
        Program::start("openssl", ["pkey", "-in", &key, "-pubout", "-out", &public])
            .finish()
            .assert_success();
        public
    }

    pub fn roots(&self) -> RootCertStore {
        RootCertStore::from_pem_file(self.file("root.pem")).expect("a root")
    }

    pub fn identity(&self) -> CertifiedKey {
        CertifiedKey::from_pem_files(self.file("chain.pem"), self.file("key.pem"))
            .expect("a chain with its key")
    }
}

/// Roots of one name and different keys would be taken for each other.
fn root_name() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(1);
    format!("interop root {}", COUNT.fetch_add(1, Ordering::Relaxed))
}

fn key_pair(key: Key, index: usize) -> KeyPair {
    match key {
        Key::P256 => KeyPair::generate().expect("a key"),
        Key::Rsa2048 => {
            static KEYS: OnceLock<[String; 2]> = OnceLock::new();
            let pem = &KEYS.get_or_init(|| [rsa_key(), rsa_key()])[index];
            KeyPair::from_pem_and_sign_algo(pem, &rcgen::PKCS_RSA_SHA256).expect("an RSA key")
        }
    }
}

fn rsa_key() -> String {
    let directory = TempDir::new().expect("a temporary directory");
    let file = directory.path().join("key.pem");
    let bits = ["-pkeyopt", "rsa_keygen_bits:2048"];
    let arguments = [
        "genpkey",
        "-algorithm",
        "RSA",
        "-out",
        file.to_str().unwrap(),
    ];
    Program::start("openssl", arguments.into_iter().chain(bits))
        .finish()
        .assert_success();
    std::fs::read_to_string(file).expect("a key")
}
