//! The steps for another target: cross-build, look at the result, run it under emulation.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use super::build::{self, Built};
use super::steps::{Step, step};
use super::{Counts, Run};
use crate::command::{self, answer, which};
use crate::setup::{self, Cross, DEBIAN_CARGO, Set};
use crate::workspace;

/// The steps for the target that `cross` describes.
pub fn steps(cross: &'static Cross) -> Vec<Step> {
    let needs = [Set::Build, Set::Cross(cross)];
    let packages = |package, test| move |run: &Run| emulate(run, cross, package, test);
    vec![
        step(
            "cross-build",
            "the target's own code is in the library",
            needs,
            move |run| inspect(run, cross),
        ),
        step(
            "cross-known-answers",
            "algorithms give the published answers",
            needs,
            packages("wolfssl-sys", "known_answers"),
        ),
        step(
            "cross-handshake",
            "the safe API completes a verified handshake",
            needs,
            packages("wolfssl", "handshake"),
        ),
    ]
}

/// Where the target's standard library comes from.
enum Library {
    /// The toolchain in use has it.
    Toolchain,
    /// Debian's Rust builds it from its sources.
    Debian,
}

impl Library {
    fn find(run: &Run, cross: &Cross) -> Result<Self> {
        if Self::installed(cross) {
            return Ok(Self::Toolchain);
        }
        if let Some(rustup) = which("rustup") {
            run.attempt(Command::new(rustup).args(["target", "add", cross.triple]))?;
            if Self::installed(cross) {
                return Ok(Self::Toolchain);
            }
        }
        setup::ensure(&[Set::CrossRust]).with_context(|| {
            format!(
                "no standard library for {} from rustup either",
                cross.triple
            )
        })?;
        Ok(Self::Debian)
    }

    fn installed(cross: &Cross) -> bool {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let folder = answer(Command::new(rustc).args([
            "--print",
            "target-libdir",
            "--target",
            cross.triple,
        ]));
        let entries = folder.and_then(|folder| Path::new(&folder).read_dir().ok());
        entries.into_iter().flatten().flatten().any(|entry| {
            let name = entry.file_name();
            name.to_string_lossy().starts_with("libstd-")
        })
    }

    /// Cargo for the target, in the project's root and with a target folder of its own.
    fn cargo(&self, run: &Run, cross: &Cross, verb: &str) -> Command {
        let mut cargo = match self {
            Self::Toolchain => run.cargo(&[verb]),
            Self::Debian => {
                let mut cargo = Command::new(DEBIAN_CARGO);
                run.toolbox.apply(&mut cargo);
                // rustup's own settings would mislead a Rust that is not its own.
                for name in ["LD_LIBRARY_PATH", "RUSTUP_TOOLCHAIN", "CARGO", "RUSTDOC"] {
                    cargo.env_remove(name);
                }
                // For this check alone: nothing that users build needs it.
                cargo
                    .env("RUSTC_BOOTSTRAP", "1")
                    .env("RUSTC", "/usr/bin/rustc");
                cargo
                    .current_dir(workspace::root())
                    .args([verb, "-Zbuild-std"]);
                cargo
            }
        };
        let name = cross.triple.to_uppercase().replace('-', "_");
        cargo
            .args(["--target", cross.triple])
            .env("CARGO_TARGET_DIR", folder())
            .env(format!("CARGO_TARGET_{name}_LINKER"), cross.gcc)
            .env(
                format!("CARGO_TARGET_{name}_RUNNER"),
                cross.runner.join(" "),
            );
        cargo
    }
}

fn folder() -> PathBuf {
    workspace::target().join("cross")
}

/// What must be true of a library for one target.
struct Expected {
    triple: &'static str,
    /// What `readelf` calls the machine.
    machine: &'static str,
    /// Macros that must be set for the C compiler.
    defined: &'static [&'static str],
    /// Parts of names of functions that only the target's own assembly has.
    symbols: &'static [&'static str],
}

static EXPECTED: [Expected; 4] = [
    Expected {
        triple: "aarch64-unknown-linux-gnu",
        machine: "AArch64",
        defined: &[
            "WOLFSSL_AARCH64_BUILD",
            "WOLFSSL_ARMASM",
            "WOLFSSL_SP_ARM64_ASM",
            "HAVE_SNI",
        ],
        symbols: &[
            "AES_GCM_encrypt_AARCH64",
            "Transform_Sha256_Len_crypto",
            "sp_256_mont_mul_4",
        ],
    },
    Expected {
        triple: "riscv64gc-unknown-linux-gnu",
        machine: "RISC-V",
        defined: &["HAVE___UINT128_T", "HAVE_SNI"],
        symbols: &[],
    },
    Expected {
        triple: "armv7-unknown-linux-gnueabihf",
        machine: "ARM",
        defined: &["HAVE_SNI"],
        symbols: &[],
    },
    Expected {
        triple: "i686-unknown-linux-gnu",
        machine: "Intel 80386",
        defined: &["HAVE_SNI"],
        symbols: &[],
    },
];

/// Cross-builds and checks machine, macros and symbols of the result.
fn inspect(run: &Run, cross: &Cross) -> Result<Counts> {
    let library = Library::find(run, cross)?;
    let mut cargo = library.cargo(run, cross, "build");
    let built = build::wolfssl_sys(run, &mut cargo)?;
    let expected = EXPECTED
        .iter()
        .find(|expected| expected.triple == cross.triple)
        .context("nothing is known about this target's library")?;
    let prefix = cross.gcc.strip_suffix("gcc").unwrap_or_default();
    check(run, &built, expected, prefix)
}

fn check(run: &Run, built: &Built, expected: &Expected, prefix: &str) -> Result<Counts> {
    let archive = built.archive()?;
    let header = run.must(
        Command::new(format!("{prefix}readelf"))
            .arg("-h")
            .arg(&archive),
    )?;
    let machines: Vec<_> = header
        .text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Machine:"))
        .collect();
    ensure!(
        !machines.is_empty(),
        "{} holds no object",
        archive.display()
    );
    for machine in machines {
        ensure!(
            machine.trim() == expected.machine,
            "an object is for {}, not for {}",
            machine.trim(),
            expected.machine
        );
    }

    let flags = built.c_flags()?;
    let defined = |name: &str| {
        let flag = format!("-D{name}");
        flags
            .iter()
            .any(|word| *word == flag || word.starts_with(&format!("{flag}=")))
    };
    for name in expected.defined {
        ensure!(defined(name), "{name} is not defined for the C compiler");
    }
    ensure!(
        !defined("WOLFSSL_X86_64_BUILD"),
        "the host's WOLFSSL_X86_64_BUILD is defined"
    );

    let symbols = run.must(Command::new(format!("{prefix}nm")).arg(&archive))?;
    for name in expected.symbols {
        let found = symbols.text.lines().any(|line| {
            let mut words = line.split_whitespace().rev();
            let symbol = words.next().unwrap_or_default();
            matches!(words.next(), Some("T" | "t")) && symbol.contains(name)
        });
        ensure!(found, "the library has no function {name}");
    }
    run.note(&format!(
        "{}: {} defined, {} found",
        expected.machine,
        expected.defined.join(" "),
        expected.symbols.join(" ")
    ));
    let passed = 2 + expected.defined.len() + expected.symbols.len();
    Ok(Counts {
        passed,
        ..Counts::default()
    })
}

/// Runs one test program of `package` under emulation.
fn emulate(run: &Run, cross: &Cross, package: &str, test: &str) -> Result<Counts> {
    let library = Library::find(run, cross)?;
    let mut cargo = library.cargo(run, cross, "test");
    cargo.args(["--package", package, "--test", test]);
    let counts = run.tests(&mut cargo)?;
    if counts == Counts::default() {
        bail!("`{}` ran no test", command::line(&cargo));
    }
    Ok(counts)
}
