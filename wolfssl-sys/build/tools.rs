//! Asks the C compiler and cmake who they are, before anything is built: a
//! missing tool is named here, in one line, with the remedy.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::request::{CompilerKind, Facts, Target};

/// Finds out what the tools can do. `scratch` takes the probe's files.
pub fn facts(
    target: &Target,
    compiler: &cc::Tool,
    cmake: &Cmake,
    scratch: &Path,
) -> Result<Facts, String> {
    let compiler_kind = if compiler.is_like_msvc() {
        CompilerKind::Msvc
    } else if compiler.is_like_clang() {
        CompilerKind::Clang
    } else {
        CompilerKind::Gnu
    };
    compile(compiler, "int probe(void) { return 0; }", scratch).map_err(|reason| {
        format!(
            "the C compiler {} does not compile for {}: {reason}; install one for this target, \
             or name one with CC or CC_{}",
            compiler.path().display(),
            target.triple,
            target.triple.replace('-', "_")
        )
    })?;
    let has_u128 = compile(
        compiler,
        "__uint128_t probe(__uint128_t a) { return a * a; }",
        scratch,
    )
    .is_ok();
    let version =
        version_line(compiler.path()).unwrap_or_else(|| compiler.path().display().to_string());
    Ok(Facts {
        compiler_kind,
        compiler: version,
        has_u128,
        cmake_version: cmake.version.clone(),
    })
}

/// The cmake that was found.
#[derive(Clone, Debug)]
pub struct Cmake {
    pub version: String,
}

/// Checks that `path` is a cmake, recent enough for the overlay.
pub fn cmake(path: OsString) -> Result<Cmake, String> {
    let remedy = "install cmake 3.16 or newer, or set CMAKE to its path; `cargo xtask setup` brings a private copy";
    let output = Command::new(&path).arg("--version").output();
    let text = match output {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        _ => {
            return Err(format!(
                "cannot run cmake as `{}`: {remedy}",
                Path::new(&path).display()
            ));
        }
    };
    let version = text
        .lines()
        .next()
        .unwrap_or_default()
        .rsplit(' ')
        .next()
        .unwrap_or_default()
        .to_owned();
    if number(&version) < (3, 16) {
        return Err(format!("cmake {version} is too old: {remedy}"));
    }
    Ok(Cmake { version })
}

fn number(version: &str) -> (u32, u32) {
    let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// The compiler and flags that the cc crate would use, as the cmake crate does.
pub fn compiler(target: &Target, host: &str) -> Result<cc::Tool, String> {
    cc_build(target, host).try_get_compiler().map_err(|error| {
        format!(
            "no C compiler for {}: {error}; install gcc or clang, or name one with CC",
            target.triple
        )
    })
}

fn cc_build(target: &Target, host: &str) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .target(&target.triple)
        .host(host)
        .opt_level(0)
        .debug(false)
        .warnings(false)
        .cargo_metadata(false)
        .cargo_warnings(false);
    build
}

/// Compiles one line of C; the error is the compiler's first.
fn compile(compiler: &cc::Tool, code: &str, scratch: &Path) -> Result<PathBuf, String> {
    let source = scratch.join("probe.c");
    let object = scratch.join("probe.o");
    fs::create_dir_all(scratch)
        .and_then(|()| fs::write(&source, format!("{code}\n")))
        .map_err(|error| error.to_string())?;
    let mut command = compiler.to_command();
    if compiler.is_like_msvc() {
        command
            .arg("/c")
            .arg(format!("/Fo{}", object.display()))
            .arg(&source);
    } else {
        command.arg("-c").arg("-o").arg(&object).arg(&source);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(object);
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(text
        .lines()
        .find(|line| line.contains("error"))
        .or(text.lines().next())
        .unwrap_or("it failed")
        .to_owned())
}

fn version_line(compiler: &Path) -> Option<String> {
    let output = Command::new(compiler).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .next()
        .map(str::to_owned)
        .filter(|line| !line.is_empty())
}

/// The folder of the compiler's own headers, such as `stddef.h`.
pub fn builtin_headers(compiler: &cc::Tool) -> Option<PathBuf> {
    let output = compiler
        .to_command()
        .arg("-print-file-name=include")
        .output()
        .ok()?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    path.join("stddef.h").is_file().then_some(path)
}
