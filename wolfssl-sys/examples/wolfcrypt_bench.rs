//! wolfCrypt's own benchmark with the library of this feature set, arguments
//! passed on: `cargo run -p wolfssl-sys --example wolfcrypt_bench -- -rsa-sz 2048`.
//! A second opinion on our own figures.

mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    support::build_and_run("wolfcrypt/benchmark/benchmark.c", &arguments)
}
