//! Sessions borrow from a configuration in C: nothing may change it once it is built.

use wolfssl::{ClientConfig, RootCertStore, ServerConfig};

fn client(config: ClientConfig, roots: RootCertStore) {
    config.roots(roots);
}

fn server(config: ServerConfig) {
    config.alpn(["h2"]);
}

fn main() {}
