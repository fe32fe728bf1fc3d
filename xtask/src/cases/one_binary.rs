//! Case B10: wolfSSL, OpenSSL and AWS-LC in one program, without a clash of symbols.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use walkdir::WalkDir;

use crate::command::{self, which};
use crate::test::external::{Application, rcgen_dependency};
use crate::test::{Counts, Run, build};
use crate::workspace;

/// Beginnings of names that belong to OpenSSL and its forks.
const FOREIGN: [&str; 4] = ["SSL_", "EVP_", "X509_", "RSA_"];

/// Builds the program with two linkers and as both kinds of C library, and runs each.
pub fn three_libraries(run: &Run) -> Result<Counts> {
    let mut counts = Counts::default();
    let dependencies = format!(
        "wolfssl = {{ path = {:?} }}\nrcgen = {}\nopenssl = {{ version = \"0.10\", features = \
         [\"vendored\"] }}\naws-lc-rs = \"1\"\n\n[lib]\nname = \"three\"\ncrate-type = [\"rlib\", \
         \"cdylib\", \"staticlib\"]\n",
        workspace::root().join("wolfssl"),
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
    Ok([counts, no_common_name(run)?].into_iter().sum())
}

/// No global name of wolfSSL's library is also one of the other libraries', nor looks like one.
fn no_common_name(run: &Run) -> Result<Counts> {
    let built = build::wolfssl_sys(run, &mut run.cargo(&["build"]))?;
    let ours = globals(run, &built.archive()?)?;
    ensure!(
        ours.contains("wolfSSL_Init"),
        "the library has no function wolfSSL_Init"
    );
    let look_alike = ours
        .iter()
        .find(|name| FOREIGN.iter().any(|start| name.starts_with(start)));
    ensure!(
        look_alike.is_none(),
        "the library defines {}",
        look_alike.map_or("", |name| name)
    );

    let mut others = 0;
    for entry in WalkDir::new(Application::target().join("debug/build"))
        .into_iter()
        .flatten()
    {
        let name = entry.file_name().to_string_lossy();
        let foreign = matches!(&*name, "libcrypto.a" | "libssl.a")
            || name.starts_with("libaws_lc_") && name.ends_with("_crypto.a");
        if !foreign {
            continue;
        }
        let theirs = globals(run, entry.path())?;
        ensure!(
            theirs.len() > 100,
            "{} is no library",
            entry.path().display()
        );
        let common: Vec<_> = ours.intersection(&theirs).map(String::as_str).collect();
        ensure!(
            common.is_empty(),
            "{} defines {} too",
            name,
            common.join(", ")
        );
        others += 1;
    }
    ensure!(
        others >= 3,
        "only {others} of the other libraries' archives were found"
    );
    Ok(Counts {
        passed: 1 + others,
        ..Counts::default()
    })
}

/// The global names that an archive defines.
fn globals(run: &Run, archive: &Path) -> Result<BTreeSet<String>> {
    let output = command::answer(
        Command::new("nm")
            .args(["--defined-only", "--extern-only"])
            .arg(archive),
    );
    let output = output.with_context(|| format!("nm cannot read {}", archive.display()))?;
    let names: BTreeSet<_> = output
        .lines()
        .filter_map(|line| {
            let mut words = line.split_whitespace().rev();
            let name = words.next()?;
            // A weak name gives way and cannot clash.
            matches!(words.next()?, "T" | "D" | "B" | "R").then(|| name.to_owned())
        })
        .collect();
    run.note(&format!(
        "{} global names in {}",
        names.len(),
        archive.display()
    ));
    Ok(names)
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
