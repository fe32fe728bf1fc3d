//! The table of targets, and their descriptions as cargo would give them.

use crate::request::Target;

/// Each target with the fates of `u128`, `sp`, `sp-asm`, `armasm`, `intelasm`
/// and `fp-ecc`: on, or a part of the reason to ignore the request.
pub const TABLE: &[(&str, [&str; 6])] = &[
    (
        "x86_64-unknown-linux-gnu",
        ["on", "on", "on", "for aarch64", "on", "on"],
    ),
    (
        "x86_64-unknown-linux-musl",
        ["on", "on", "on", "for aarch64", "on", "on"],
    ),
    (
        "x86_64-unknown-freebsd",
        ["on", "on", "on", "for aarch64", "on", "on"],
    ),
    (
        "x86_64-apple-darwin",
        ["on", "on", "on", "for aarch64", "on", "on"],
    ),
    (
        "x86_64-linux-android",
        ["on", "on", "on", "for aarch64", "on", "on"],
    ),
    (
        "x86_64-unknown-linux-gnux32",
        [
            "32-bit pointers",
            "on",
            "x86_64 and aarch64 only",
            "for aarch64",
            "for x86_64",
            "on",
        ],
    ),
    (
        "aarch64-unknown-linux-gnu",
        ["on", "on", "on", "on", "for x86_64", "on"],
    ),
    (
        "aarch64-unknown-linux-musl",
        ["on", "on", "on", "on", "for x86_64", "on"],
    ),
    (
        "aarch64_be-unknown-linux-gnu",
        [
            "on",
            "on",
            "little-endian",
            "little-endian",
            "for x86_64",
            "on",
        ],
    ),
    (
        "aarch64-apple-darwin",
        ["on", "on", "on", "on", "for x86_64", "on"],
    ),
    (
        "aarch64-apple-ios",
        ["on", "on", "on", "on", "for x86_64", "on"],
    ),
    (
        "aarch64-linux-android",
        ["on", "on", "on", "on", "for x86_64", "on"],
    ),
    (
        "i686-unknown-linux-gnu",
        [
            "32-bit pointers",
            "on",
            "x86_64 and aarch64 only",
            "for aarch64",
            "for x86_64",
            "on",
        ],
    ),
    (
        "i686-pc-windows-msvc",
        [
            "32-bit pointers",
            "on",
            "ml64",
            "for aarch64",
            "for x86_64",
            "on",
        ],
    ),
    (
        "armv7-unknown-linux-gnueabihf",
        [
            "32-bit pointers",
            "on",
            "x86_64 and aarch64 only",
            "for aarch64",
            "for x86_64",
            "on",
        ],
    ),
    (
        "armv7-linux-androideabi",
        [
            "32-bit pointers",
            "on",
            "x86_64 and aarch64 only",
            "for aarch64",
            "for x86_64",
            "on",
        ],
    ),
    (
        "riscv64gc-unknown-linux-gnu",
        [
            "on",
            "on",
            "x86_64 and aarch64 only",
            "for aarch64",
            "for x86_64",
            "on",
        ],
    ),
    (
        "s390x-unknown-linux-gnu",
        [
            "on",
            "on",
            "little-endian",
            "for aarch64",
            "for x86_64",
            "on",
        ],
    ),
    (
        "powerpc64le-unknown-linux-gnu",
        [
            "on",
            "on",
            "x86_64 and aarch64 only",
            "for aarch64",
            "for x86_64",
            "on",
        ],
    ),
    (
        "x86_64-pc-windows-gnu",
        ["on", "on", "ELF syntax", "for aarch64", "ELF syntax", "on"],
    ),
    (
        "x86_64-pc-windows-msvc",
        ["MSVC", "on", "ml64", "for aarch64", "ml64", "on"],
    ),
    (
        "aarch64-pc-windows-msvc",
        ["MSVC", "on", "ml64", "ml64", "for x86_64", "on"],
    ),
];

/// What `CARGO_CFG_TARGET_*` say of a triple.
pub fn target(triple: &str) -> Target {
    let first = triple.split('-').next().unwrap_or_default();
    let arch = match first {
        "i686" => "x86",
        "aarch64_be" => "aarch64",
        "riscv64gc" => "riscv64",
        "powerpc64le" => "powerpc64",
        "armv7" | "thumbv7em" => "arm",
        other => other,
    };
    let narrow = matches!(arch, "x86" | "arm" | "wasm32") || triple.ends_with("gnux32");
    Target {
        triple: triple.to_owned(),
        arch: arch.to_owned(),
        os: os(triple).to_owned(),
        env: env(triple).to_owned(),
        pointer_width: match (arch, narrow) {
            ("avr", _) => 16,
            (_, true) => 32,
            (_, false) => 64,
        },
        big_endian: matches!(first, "aarch64_be" | "s390x"),
    }
}

fn os(triple: &str) -> &'static str {
    const NAMES: &[(&str, &str)] = &[
        ("android", "android"),
        ("linux", "linux"),
        ("freebsd", "freebsd"),
        ("windows", "windows"),
        ("darwin", "macos"),
        ("ios", "ios"),
        ("none", "none"),
    ];
    NAMES
        .iter()
        .find(|(part, _)| triple.contains(part))
        .map_or("unknown", |(_, name)| name)
}

fn env(triple: &str) -> &'static str {
    match triple.rsplit('-').next().unwrap_or_default() {
        "msvc" => "msvc",
        "musl" => "musl",
        last if last.starts_with("gnu") => "gnu",
        _ => "",
    }
}
