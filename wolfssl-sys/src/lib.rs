//! Raw bindings to the wolfSSL that this crate's build script built from
//! source, and the report of that build. Safe TLS is in the crate `wolfssl`.
//!
//! Features ask for faster machine code; `build_info()` tells what became of
//! each request and which macros the library was built with. Protocol content
//! is the same in every build.
//!
//! wolfSSL's structs are to be handled by pointer: allocate them with
//! wolfSSL's own constructors.

mod build_info;
mod raw;

pub use build_info::{BuildInfo, Fate, build_info};
pub use raw::*;

include!(concat!(env!("OUT_DIR"), "/report.rs"));
