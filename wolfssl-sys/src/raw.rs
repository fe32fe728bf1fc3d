//! The generated bindings.
#![allow(
    missing_docs,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    unsafe_code,
    clippy::all,
    clippy::pedantic,
    clippy::undocumented_unsafe_blocks,
    reason = "generated from C headers, whose names and docs are C's"
)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
