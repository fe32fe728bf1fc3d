//! wolfCrypt's own test program against the library of this feature set:
//! `cargo run -p wolfssl-sys --no-default-features --features u128,sp --example wolfcrypt_test`.
//! The exit code is the program's.

mod support;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    support::build_and_run("wolfcrypt/test/test.c", &arguments)
}
