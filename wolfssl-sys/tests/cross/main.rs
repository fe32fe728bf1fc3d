//! The plan, cmake, the proof and the bindings for other machines, without a
//! Rust standard library for them: what the build script does, and a look at
//! the objects. The proof is the test, as it compares the plan with options.h,
//! every object's flags and the archive's symbols.
#![allow(
    dead_code,
    reason = "the build script's modules, of which the tests use a part"
)]

#[path = "../../build/archive.rs"]
mod archive;
#[path = "../../build/bindings.rs"]
mod bindings;
#[path = "../../build/cmake.rs"]
mod cmake;
#[path = "../../build/content.rs"]
mod content;
#[path = "../../build/plan.rs"]
mod plan;
#[path = "../../build/proof.rs"]
mod proof;
#[path = "../../build/renames.rs"]
mod renames;
#[path = "../../build/request.rs"]
mod request;
#[path = "../../build/rules.rs"]
mod rules;
#[path = "../plan/targets.rs"]
mod targets;
#[path = "../../build/tools.rs"]
mod tools;

use std::fs;
use std::path::Path;

use object::Architecture;
use object::read::Object as _;
use object::read::archive::ArchiveFile;

use proof::Evidence;
use request::{Feature, Request};
use rules::Fate;

/// The machine that the tests run on, for the cc and cmake crates.
const HOST: &str = "x86_64-unknown-linux-gnu";

struct Outcome {
    plan: plan::Plan,
    evidence: Evidence,
    architectures: Vec<Architecture>,
}

fn build(triple: &str, features: &[Feature]) -> Outcome {
    // Kept between runs: what did not change is not compiled again.
    let folder = format!("cross-{triple}-{}", features.len());
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&out).unwrap();
    let target = targets::target(triple);
    let source = vendor::locate(&vendor::Places::from_env(&out.join("pin"))).unwrap();
    let compiler = tools::compiler(&target, HOST).unwrap();
    let cmake = tools::cmake(std::env::var_os("CMAKE").unwrap_or("cmake".into())).unwrap();
    let facts = tools::facts(&target, &compiler, &cmake, &out.join("probe")).unwrap();
    let plan = plan::plan(&Request::new(features), &target, &facts, HOST, false).unwrap();
    let built = cmake::build(&cmake::Job {
        plan: &plan,
        target: &target,
        host: HOST,
        source: &source.root,
        compiler: &compiler,
        facts: &facts,
        has_toolchain_file: false,
        out_dir: &out,
    })
    .unwrap();
    let evidence = proof::prove(&plan, &target, &built).unwrap();
    bindings::generate(
        &bindings::Job {
            wrapper: &bindings::write_wrapper(&evidence, &out).unwrap(),
            include_dirs: &[built.dir.clone(), source.root.clone(), cmake::shim_dir()],
            target: &target,
            builtin_headers: tools::builtin_headers(&compiler),
            compiler: &compiler,
            symbols: &evidence.symbols,
        },
        &out.join("bindings.rs"),
    )
    .unwrap();
    let bindings = fs::read_to_string(out.join("bindings.rs")).unwrap();
    assert!(bindings.contains("pub fn wolfSSL_connect("));
    let architectures = architectures(&built.library(&target));
    Outcome {
        plan,
        evidence,
        architectures,
    }
}

/// The machine of every object in a library.
fn architectures(library: &Path) -> Vec<Architecture> {
    let data = fs::read(library).unwrap();
    let archive = ArchiveFile::parse(&*data).unwrap();
    let machine = |member: object::Result<object::read::archive::ArchiveMember<'_>>| {
        let data = member.unwrap().data(&*data).unwrap();
        object::File::parse(data).unwrap().architecture()
    };
    archive.members().map(machine).collect()
}

impl Outcome {
    fn check(&self, architecture: Architecture, defined: &[&str], absent: &[&str]) {
        assert!(self.architectures.len() > 40);
        assert!(self.architectures.iter().all(|of| *of == architecture));
        for name in defined {
            assert!(
                self.evidence.macros.contains_key(*name),
                "{name} is not defined"
            );
        }
        for name in absent {
            assert!(
                !self.evidence.macros.contains_key(*name),
                "{name} is defined"
            );
        }
    }
}

#[test]
#[ignore = "needs aarch64-linux-gnu-gcc (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)"]
fn aarch64_with_everything_asked_for() {
    let outcome = build("aarch64-unknown-linux-gnu", &Feature::ALL);
    outcome.check(
        Architecture::Aarch64,
        &[
            "WOLFSSL_AARCH64_BUILD",
            "HAVE_SNI",
            "WOLFSSL_ARMASM",
            "WOLFSSL_SP_ARM64_ASM",
            "HAVE___UINT128_T",
        ],
        &[
            "WOLFSSL_X86_64_BUILD",
            "WOLFSSL_AESNI",
            "USE_INTEL_SPEEDUP",
            "WOLFSSL_SP_X86_64_ASM",
        ],
    );
    assert_eq!(outcome.plan.fate(Feature::Armasm), Fate::On);
    assert!(matches!(
        outcome.plan.fate(Feature::Intelasm),
        Fate::Ignored(_)
    ));
}

#[test]
#[ignore = "needs aarch64-linux-gnu-gcc (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)"]
fn aarch64_with_nothing_asked_for() {
    let outcome = build("aarch64-unknown-linux-gnu", &[]);
    outcome.check(
        Architecture::Aarch64,
        &["WOLFSSL_AARCH64_BUILD", "HAVE_SNI"],
        &[
            "WOLFSSL_ARMASM",
            "WOLFSSL_SP_ARM64_ASM",
            "HAVE___UINT128_T",
            "WOLFSSL_HAVE_SP_RSA",
        ],
    );
}

#[test]
#[ignore = "needs i686-linux-gnu-gcc (Debian: gcc-i686-linux-gnu, libc6-dev-i386-cross)"]
fn i686_with_everything_asked_for() {
    let outcome = build("i686-unknown-linux-gnu", &Feature::ALL);
    outcome.check(
        Architecture::I386,
        &["HAVE_SNI", "WOLFSSL_HAVE_SP_RSA", "WOLFSSL_SHA3"],
        &[
            "WOLFSSL_X86_64_BUILD",
            "WOLFSSL_AARCH64_BUILD",
            "HAVE___UINT128_T",
            "WOLFSSL_SP_ASM",
            "WOLFSSL_AESNI",
        ],
    );
}
