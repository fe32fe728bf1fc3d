//! Handshakes and data with programs of other TLS libraries, in both directions.
//!
//! Nothing is imitated here: each test starts the other side's own program on a loopback
//! port, reads what that program says about the connection, and compares it with what this
//! library says. A program that is not installed is a failure with its remedy.
#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod agreement;
mod credentials;
mod curl;
mod cuts;
mod early_data;
mod examples;
mod gnutls_cli;
#[cfg(target_os = "linux")] // it is held to loopback by LD_PRELOAD
mod gnutls_serv;
#[cfg(feature = "tokio")]
mod https;
mod keying;
#[path = "../support/openssl.rs"]
mod openssl;
mod ours;
mod program;
mod resumption;
mod retry;
mod s_client;
mod s_server;
mod spelling;
mod stapling;
