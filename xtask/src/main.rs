//! The project's chores, one file per verb; this file only dispatches.
fn main() {}
