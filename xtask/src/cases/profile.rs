//! Case B13: the C library is optimised in every cargo profile.

use anyhow::{Context, Result, ensure};

use crate::test::build::{optimisation, wolfssl_sys};
use crate::test::{Counts, Run};

/// Reads the optimisation flag of a real C file for each profile.
pub fn optimised(run: &Run) -> Result<Counts> {
    let mut counts = Counts::default();
    for profile in ["dev", "test", "release", "bench"] {
        let built = wolfssl_sys(run, &mut run.cargo(&["build", "--profile", profile]))?;
        let flags = built.c_flags()?;
        let level = optimisation(&flags).context("C is compiled without any -O flag")?;
        run.note(&format!("{profile}: {level}"));
        ensure!(
            matches!(level, "-O2" | "-O3"),
            "{profile} compiles C with {level}"
        );
        counts.passed += 1;
    }
    Ok(counts)
}
