//! The only reader of the environment and the only printer of `cargo::` lines:
//! what is read is also watched.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::request::{Feature, Request, Target};

/// A variable that is not set by cargo itself, watched for changes.
pub fn watched(name: &str) -> Option<OsString> {
    println!("cargo::rerun-if-env-changed={name}");
    env::var_os(name).filter(|value| !value.is_empty())
}

/// `WOLFSSL_STRICT=1`: an ignored request is an error.
pub fn strict() -> bool {
    watched("WOLFSSL_STRICT").is_some_and(|value| value != "0")
}

pub fn request() -> Request {
    let wanted = |feature: &Feature| {
        let name = feature.name().to_uppercase().replace('-', "_");
        env::var_os(format!("CARGO_FEATURE_{name}")).is_some()
    };
    let features: Vec<_> = Feature::ALL.into_iter().filter(wanted).collect();
    Request::new(&features)
}

pub fn target() -> Target {
    Target {
        triple: of_cargo("TARGET"),
        arch: of_cargo("CARGO_CFG_TARGET_ARCH"),
        os: of_cargo("CARGO_CFG_TARGET_OS"),
        env: env::var("CARGO_CFG_TARGET_ENV").unwrap_or_default(),
        pointer_width: of_cargo("CARGO_CFG_TARGET_POINTER_WIDTH")
            .parse()
            .unwrap_or(0),
        big_endian: of_cargo("CARGO_CFG_TARGET_ENDIAN") == "big",
    }
}

pub fn host() -> String {
    of_cargo("HOST")
}

pub fn out_dir() -> PathBuf {
    of_cargo("OUT_DIR").into()
}

/// Cargo promises these to every build script.
fn of_cargo(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// Reruns the build script when `path` changes; a folder counts with all it holds.
pub fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

pub fn link_search(dir: &Path) {
    println!("cargo::rustc-link-search=native={}", dir.display());
}

pub fn link_static(name: &str) {
    println!("cargo::rustc-link-lib=static={name}");
}

pub fn link_system(name: &str) {
    println!("cargo::rustc-link-lib={name}");
}

/// `DEP_WOLFSSL_<KEY>` for the build scripts of crates that depend on this one.
pub fn metadata(key: &str, value: &str) {
    println!("cargo::metadata={key}={value}");
}

/// Ends the build with one readable line. Cargo fails the build for the line;
/// for an exit code it would print all that this script said.
pub fn fail(message: &str) -> ! {
    println!("cargo::error={}", message.replace('\n', " "));
    std::process::exit(0)
}

/// The cmake program, looked up as the cmake crate does it.
pub fn cmake(target: &Target, host: &str) -> OsString {
    for_target("CMAKE", target, host).unwrap_or_else(|| "cmake".into())
}

/// A toolchain file describes the target to CMake; nothing of it may be overruled.
pub fn has_toolchain_file(target: &Target, host: &str) -> bool {
    for_target("CMAKE_TOOLCHAIN_FILE", target, host).is_some()
}

/// Watches what the cmake crate, cc and bindgen read on their own account.
pub fn watch_tools(target: &Target, host: &str) {
    for name in [
        "CMAKE_TOOLCHAIN_FILE",
        "CMAKE_GENERATOR",
        "CMAKE_PREFIX_PATH",
        "CC",
        "CFLAGS",
        "ASMFLAGS",
    ] {
        for_target(name, target, host);
        watched(name);
    }
    let clang_arguments = "BINDGEN_EXTRA_CLANG_ARGS";
    for name in [
        "LIBCLANG_PATH",
        "LLVM_CONFIG_PATH",
        "CLANG_PATH",
        clang_arguments,
        "CROSS_COMPILE",
    ] {
        watched(name);
    }
    watched(&format!("{clang_arguments}_{}", target.triple));
    watched(&format!(
        "{clang_arguments}_{}",
        target.triple.replace('-', "_")
    ));
}

/// `NAME_<triple>`, `HOST_NAME` or `TARGET_NAME`, then `NAME` itself.
fn for_target(name: &str, target: &Target, host: &str) -> Option<OsString> {
    let kind = if target.triple == host {
        "HOST"
    } else {
        "TARGET"
    };
    watched(&format!("{name}_{}", target.triple))
        .or_else(|| watched(&format!("{name}_{}", target.triple.replace('-', "_"))))
        .or_else(|| watched(&format!("{kind}_{name}")))
        .or_else(|| watched(name))
}
