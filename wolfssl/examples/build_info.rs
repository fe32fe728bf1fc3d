//! Prints how the wolfSSL in this program was built and what it found on this machine; `--json`
//! for programs. `cargo xtask build-info` brings the tools first and then runs this.

use std::process::ExitCode;

use wolfssl::{Fate, build_info, processor_features};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => text(),
        ["--json"] => json(),
        _ => {
            eprintln!("usage: build_info [--json]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn text() {
    let info = build_info();
    println!("wolfSSL    {}", info.wolfssl_version);
    println!("source     {} ({})", info.source, info.origin);
    println!("target     {}", info.target);
    println!("compiler   {}", info.compiler);
    println!("cmake      {}", info.cmake_version);
    println!("optimised  {}", info.optimisation);
    println!("library    {}", info.library);
    for (name, fate) in info.features {
        match fate {
            Fate::On => println!("feature    {name:<9} on"),
            Fate::Ignored(why) => println!("feature    {name:<9} ignored: {why}"),
            _ => println!("feature    {name:<9} off"),
        }
    }
    println!("processor  {}", processor_features().join(" "));
    println!("macros     {} (--json lists them)", info.macros.len());
}

/// The build's own report with the processor's features put in front.
fn json() {
    let features: Vec<_> = processor_features()
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    let report = wolfssl_sys::BUILD_INFO_JSON.trim_start_matches('{');
    println!("{{\"processor\":[{}],{report}", features.join(","));
}
