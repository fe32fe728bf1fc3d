//! Compiles one of wolfCrypt's own programs with the very command that
//! compiled the library, links it with the library, and runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use wolfssl_sys::build_info;

/// Builds `source`, relative to wolfSSL's root, and runs it with `arguments`.
pub(crate) fn build_and_run(source: &str, arguments: &[String]) -> ExitCode {
    match build(source).and_then(|program| run(&program, arguments)) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn build(source: &str) -> Result<PathBuf, String> {
    let info = build_info();
    let [compiler, flags @ ..] = info.c_command else {
        return Err("the build tool did not tell the compiler's command".to_owned());
    };
    let library = Path::new(info.library);
    let folder = library.parent().unwrap_or(library).join("programs");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let program = folder.join(Path::new(source).file_stem().unwrap_or_default());

    let mut command = Command::new(compiler);
    command
        .args(common_flags(flags))
        // The keys of the tests as C arrays, as the certificate files are not shipped.
        .args(["-DUSE_CERT_BUFFERS_2048", "-DUSE_CERT_BUFFERS_256"])
        .arg(Path::new(info.source).join(source))
        .arg(library)
        .args(info.libraries.iter().map(|name| format!("-l{name}")))
        .arg("-o")
        .arg(&program);
    let status = command
        .status()
        .map_err(|error| format!("{compiler}: {error}"))?;
    status
        .success()
        .then_some(program)
        .ok_or_else(|| format!("{source} does not build with the library's flags"))
}

/// The flags without the object that they made and without the library's own mark.
fn common_flags<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut words = flags.iter();
    while let Some(word) = words.next() {
        match *word {
            "-o" | "-c" => drop(words.next()),
            "-DBUILDING_WOLFSSL" | "-fvisibility=hidden" => {}
            word => kept.push(word),
        }
    }
    kept
}

fn run(program: &Path, arguments: &[String]) -> Result<ExitCode, String> {
    let status = Command::new(program)
        .args(arguments)
        .status()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
