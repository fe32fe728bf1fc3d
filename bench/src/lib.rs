//! Measures wolfSSL's feature sets against each other and against peers.
//!
//! `Scenario` -> worker -> orchestrator -> statistics -> report. Without cargo features this crate
//! is the orchestrator alone and needs no TLS library; a worker is built with the features of its
//! arm.

pub mod arm;
pub mod cli;
#[cfg(feature = "worker")]
pub mod cohort;
pub mod compare;
pub mod csv;
pub mod error;
pub mod evaluate;
pub mod fixtures;
pub mod host;
pub mod html;
pub mod orchestrator;
mod progress;
pub mod protocol;
pub mod results;
pub mod scenario;
pub mod schedule;
pub mod statistics;
pub mod table;
pub mod validity;
#[cfg(feature = "wolfssl")]
pub mod wolfcrypt;
#[cfg(feature = "worker")]
pub mod worker;
