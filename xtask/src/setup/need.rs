//! The tools as data: what each is for, how to tell that it is there, and where it can come from.

/// A group of tools that some chores need together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// What every build of the C library needs.
    Build,
    /// The formatter and the linter, which a minimal Rust toolchain lacks.
    Lint,
    /// Programs of other TLS libraries, to talk to in tests.
    Interop,
    /// git, to make a repository of the project's files.
    Git,
    /// What the peers of the benchmark need to be built.
    Peers,
    /// Real programs that the benchmark's studies put under load.
    Studies,
    /// A C compiler, C library and emulator for another target.
    Cross(&'static Cross),
    /// Debian's Rust with the sources of its standard library, which can then be built for any
    /// target. Where rustup can bring the target, this is not needed.
    CrossRust,
}

/// One tool.
#[derive(Debug)]
pub struct Need {
    /// What people call it.
    pub name: &'static str,
    /// How to tell that it is there.
    pub probe: Probe,
    /// Debian packages that bring it.
    pub apt: &'static [&'static str],
    /// The PyPI package that brings it as a private copy.
    pub pypi: Option<&'static Wheel>,
    /// The component of the Rust toolchain that it is.
    pub component: Option<&'static str>,
}

/// How to tell that a tool is there.
#[derive(Debug)]
pub enum Probe {
    /// The C compiler that `CC` names, or `cc`.
    Compiler,
    /// The cmake that `CMAKE` names, or `cmake`, and not older than [`CMAKE_MINIMUM`].
    Cmake,
    /// A libclang that bindgen can load.
    Libclang,
    /// This subcommand of cargo.
    Subcommand(&'static str),
    /// Any of these programs on PATH.
    AnyOf(&'static [&'static str]),
    /// This program, by name on PATH or by its place.
    Path(&'static str),
    /// This file.
    File(&'static str),
}

/// A package of PyPI that holds a compiled tool.
#[derive(Debug)]
pub struct Wheel {
    /// Name and version as pip takes them.
    pub package: &'static str,
    /// The version, pinned so that everybody gets the same tool.
    pub version: &'static str,
    /// Where the tool can lie inside the installed package.
    pub inside: &'static [&'static str],
}

/// A target that an x86_64 Debian machine can build for and emulate.
#[derive(Debug, PartialEq, Eq)]
pub struct Cross {
    /// The target triple.
    pub triple: &'static str,
    /// The C compiler, which is also the linker.
    pub gcc: &'static str,
    /// The command that runs a program of that target.
    pub runner: &'static [&'static str],
    /// Debian packages of compiler and C library.
    pub compiler_apt: &'static [&'static str],
    /// Debian packages of the emulator.
    pub emulator_apt: &'static [&'static str],
}

/// The oldest cmake that wolfSSL's own build files accept.
pub const CMAKE_MINIMUM: (u32, u32) = (3, 16);

/// Where Debian puts cargo, whatever PATH says.
pub const DEBIAN_CARGO: &str = "/usr/bin/cargo";

/// The targets that can be tested by emulation.
pub static CROSS: [Cross; 4] = [
    Cross {
        triple: "aarch64-unknown-linux-gnu",
        gcc: "aarch64-linux-gnu-gcc",
        runner: &["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"],
        compiler_apt: &["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
        emulator_apt: &["qemu-user"],
    },
    Cross {
        triple: "riscv64gc-unknown-linux-gnu",
        gcc: "riscv64-linux-gnu-gcc",
        runner: &["qemu-riscv64", "-L", "/usr/riscv64-linux-gnu"],
        compiler_apt: &["gcc-riscv64-linux-gnu", "libc6-dev-riscv64-cross"],
        emulator_apt: &["qemu-user"],
    },
    Cross {
        triple: "armv7-unknown-linux-gnueabihf",
        gcc: "arm-linux-gnueabihf-gcc",
        runner: &["qemu-arm", "-L", "/usr/arm-linux-gnueabihf"],
        compiler_apt: &["gcc-arm-linux-gnueabihf", "libc6-dev-armhf-cross"],
        emulator_apt: &["qemu-user"],
    },
    Cross {
        triple: "i686-unknown-linux-gnu",
        gcc: "i686-linux-gnu-gcc",
        // An x86_64 kernel runs these; qemu-i386 7.2 hangs when a thread starts.
        runner: &[
            "/usr/i686-linux-gnu/lib/ld-linux.so.2",
            "--library-path",
            "/usr/i686-linux-gnu/lib",
        ],
        compiler_apt: &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
        emulator_apt: &["libc6-i386-cross"],
    },
];

/// What `set` consists of.
pub fn needs(set: Set) -> Vec<Need> {
    let need = |name, probe, apt| Need {
        name,
        probe,
        apt,
        pypi: None,
        component: None,
    };
    let program = |name, programs, apt| need(name, Probe::AnyOf(programs), apt);
    let component = |name, subcommand| Need {
        component: Some(name),
        ..need(name, Probe::Subcommand(subcommand), &[])
    };
    match set {
        Set::Build => vec![
            need("C compiler", Probe::Compiler, &["gcc", "libc6-dev"]),
            Need {
                pypi: Some(&NINJA),
                ..program("make", &["make", "gmake"], &["make"])
            },
            Need {
                pypi: Some(&CMAKE),
                ..need("cmake", Probe::Cmake, &["cmake"])
            },
            Need {
                pypi: Some(&LIBCLANG),
                ..need("libclang", Probe::Libclang, &["libclang-dev"])
            },
        ],
        Set::Lint => vec![component("rustfmt", "fmt"), component("clippy", "clippy")],
        Set::Interop => vec![
            program("openssl", &["openssl"], &["openssl"]),
            program("curl", &["curl"], &["curl"]),
            program("gnutls-cli", &["gnutls-cli"], &["gnutls-bin"]),
        ],
        Set::Git => vec![program("git", &["git"], &["git"])],
        Set::Peers => vec![
            program("C++ compiler", &["c++"], &["g++"]),
            program("perl", &["perl"], &["perl"]),
            program("git", &["git"], &["git"]),
        ],
        Set::Studies => vec![
            program("ab", &["ab"], &["apache2-utils"]),
            program("wrk", &["wrk"], &["wrk"]),
            program("openssl", &["openssl"], &["openssl"]),
            // The programs alone: the studies start their own server, no service is wanted.
            need(
                "MariaDB server",
                Probe::Path("/usr/sbin/mariadbd"),
                &["mariadb-server-core"],
            ),
            program("MariaDB client", &["mariadb"], &["mariadb-client-core"]),
        ],
        Set::Cross(cross) => vec![
            need("cross compiler", Probe::Path(cross.gcc), cross.compiler_apt),
            need("emulator", Probe::Path(cross.runner[0]), cross.emulator_apt),
        ],
        Set::CrossRust => vec![
            need(
                "Debian's cargo",
                Probe::Path(DEBIAN_CARGO),
                &["rustc-web", "cargo-web"],
            ),
            need(
                "Rust's sources",
                Probe::File("/usr/lib/rustlib/src/rust/library/std/Cargo.toml"),
                &["rust-web-src"],
            ),
        ],
    }
}

static CMAKE: Wheel = Wheel {
    package: "cmake",
    version: "3.31.6",
    inside: &["cmake/data/bin/cmake", "bin/cmake"],
};

static NINJA: Wheel = Wheel {
    package: "ninja",
    version: "1.11.1.4",
    inside: &["ninja/data/bin/ninja", "bin/ninja"],
};

static LIBCLANG: Wheel = Wheel {
    package: "libclang",
    version: "18.1.1",
    inside: &[
        "clang/native/libclang.so",
        "clang/native/libclang.dylib",
        "clang/native/libclang.dll",
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_can_come_from_somewhere() {
        let sets = [
            Set::Build,
            Set::Interop,
            Set::Peers,
            Set::Studies,
            Set::Lint,
            Set::CrossRust,
        ];
        for set in sets.into_iter().chain(CROSS.iter().map(Set::Cross)) {
            for need in needs(set) {
                let known = !need.apt.is_empty() || need.component.is_some();
                assert!(known, "{} can come from nowhere", need.name);
            }
        }
    }

    #[test]
    fn a_fresh_machine_needs_no_package_manager_for_what_pypi_has() {
        let private: Vec<_> = needs(Set::Build)
            .iter()
            .filter(|need| need.pypi.is_some())
            .map(|need| need.name)
            .collect();
        assert_eq!(private, ["make", "cmake", "libclang"]);
    }
}
