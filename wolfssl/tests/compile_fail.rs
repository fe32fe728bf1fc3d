//! What must not compile: the half of this crate's soundness that the compiler proves.
//!
//! Each file in `ui` is a program that would do harm, with the compiler's refusal beside it.
//! After an update of the compiler whose wording differs, run with `TRYBUILD=overwrite` and
//! read the differences.

#[test]
fn unsound_programs_are_refused() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
