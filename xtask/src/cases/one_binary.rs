//! Case B10: wolfSSL, OpenSSL and AWS-LC in one program, without a clash of symbols.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::which;
use crate::test::external::{Application, rcgen_dependency};
use crate::test::{Counts, Run, build};
use crate::workspace;

/// Names that belong to OpenSSL and its forks.
const FOREIGN: [&str; 10] = [
    "SSL_", "EVP_", "X509_", "RSA_", "EC_", "BN_", "BIO_", "ERR_", "SHA256_", "AES_",
];

/// Builds the program with two linkers and as both kinds of C library, and runs each.
pub fn three_libraries(run: &Run) -> Result<Counts> {
    let mut counts = unprefixed(run)?;
    let dependencies = format!(
        "wolfssl = {{ path = {:?} }}\nrcgen = {}\nopenssl = {{ version = \"0.10\", features = \
         [\"vendored\"] }}\naws-lc-rs = \"1\"\n\n[lib]\nname = \"three\"\ncrate-type = [\"rlib\", \
         \"cdylib\", \"staticlib\"]\n",
        workspace::root(),
        rcgen_dependency()?
    );
    let application = Application::create(&dependencies, MAIN)?;
    application.write("src/lib.rs", include_str!("../../apps/three_libraries.rs"))?;
    application.write("caller.c", CALLER)?;

    for linker in ["bfd", "lld"] {
        if which(format!("ld.{linker}")).is_none() && linker != "bfd" {
            run.note(&format!(
                "{linker} is not installed; the toolchain's own default is tried"
            ));
            run.must(&mut application.cargo(run, "run"))?;
        } else {
            let mut build = application.cargo(run, "rustc");
            build.args([
                "--bin",
                "app",
                "--",
                &format!("-Clink-arg=-fuse-ld={linker}"),
            ]);
            run.must(&mut build)?;
            let program = Application::target().join("debug/app");
            let output = run.must(&mut Command::new(program))?;
            ensure!(
                output.text.contains(SUCCESS),
                "the program linked by {linker} is silent"
            );
        }
        counts.passed += 1;
    }

    let library = Application::target().join("debug");
    run.must(application.cargo(run, "build").arg("--lib"))?;
    for (kind, arguments) in [
        ("libthree.a", vec!["-lpthread", "-ldl", "-lm"]),
        ("libthree.so", vec![]),
    ] {
        let program = application.path().join(kind.replace('.', "-"));
        let mut compile = Command::new("cc");
        compile
            .current_dir(application.path())
            .arg("caller.c")
            .arg("-o")
            .arg(&program);
        compile.arg(library.join(kind)).args(arguments);
        run.must(&mut compile)?;
        let mut command = Command::new(&program);
        let output = run.must(command.env("LD_LIBRARY_PATH", &library))?;
        ensure!(
            output.text.contains(SUCCESS),
            "the C program with {kind} is silent"
        );
        counts.passed += 1;
    }
    Ok(counts)
}

/// No function of the library has a name of OpenSSL's.
fn unprefixed(run: &Run) -> Result<Counts> {
    let built = build::wolfssl_sys(run, &mut run.cargo(&["build"]))?;
    let archive = built.archive()?;
    let symbols = run.must(Command::new("nm").arg("--defined-only").arg(&archive))?;
    let clash = symbols.text.lines().find_map(|line| {
        let mut words = line.split_whitespace().rev();
        let name = words.next()?;
        let visible = words.next()? == "T";
        (visible && FOREIGN.iter().any(|prefix| name.starts_with(prefix))).then(|| name.to_owned())
    });
    ensure!(
        clash.is_none(),
        "the library defines {}",
        clash.unwrap_or_default()
    );
    symbols
        .text
        .lines()
        .find(|line| line.ends_with(" T wolfSSL_Init"))
        .context("the library has no function wolfSSL_Init")?;
    Ok(Counts::SUCCESS)
}

const SUCCESS: &str = "three libraries agree";

const MAIN: &str = r#"//! Runs the library's one function.

fn main() {
    assert_eq!(three::three_libraries(), 0);
}
"#;

const CALLER: &str = r#"/* Calls the Rust library from C. */
int three_libraries(void);
int main(void) { return three_libraries(); }
"#;
