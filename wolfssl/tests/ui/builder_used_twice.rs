//! A builder is gone once it has built: its settings cannot be changed under a configuration.

use wolfssl::{ClientConfigBuilder, RootCertStore};

fn build(builder: ClientConfigBuilder, roots: RootCertStore) {
    let config = builder.build();
    builder.roots(roots);
    drop(config);
}

fn main() {}
