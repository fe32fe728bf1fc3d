//! Hands the plan to CMake and runs the build. It decides nothing.

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::plan::Plan;
use crate::renames;
use crate::request::{Facts, Target};

/// What a build takes besides the plan.
pub struct Job<'a> {
    pub plan: &'a Plan,
    pub target: &'a Target,
    pub host: &'a str,
    pub source: &'a Path,
    pub compiler: &'a cc::Tool,
    pub facts: &'a Facts,
    pub has_toolchain_file: bool,
    pub out_dir: &'a Path,
}

/// Where the build left what.
#[derive(Clone, Debug)]
pub struct Built {
    /// The folder of `libwolfssl.a`, `config.h` and `wolfssl/options.h`.
    pub dir: PathBuf,
    /// The whole CMake build folder.
    pub root: PathBuf,
}

impl Built {
    pub fn options_header(&self) -> PathBuf {
        self.dir.join("wolfssl/options.h")
    }

    pub fn compile_commands(&self) -> PathBuf {
        self.root.join("compile_commands.json")
    }

    pub fn cache(&self) -> PathBuf {
        self.root.join("CMakeCache.txt")
    }

    pub fn library(&self, target: &Target) -> PathBuf {
        self.library_dir(target).join(if target.is_msvc() {
            "wolfssl.lib"
        } else {
            "libwolfssl.a"
        })
    }

    /// The folder that the linker has to look in.
    pub fn library_dir(&self, target: &Target) -> PathBuf {
        // Visual Studio's generators build into a folder by configuration.
        if target.is_msvc() && self.dir.join("Release").is_dir() {
            self.dir.join("Release")
        } else {
            self.dir.clone()
        }
    }
}

/// Configures and builds; the error holds the compiler's first.
pub fn build(job: &Job<'_>) -> Result<Built, String> {
    let overlay = job.out_dir.join("overlay");
    write_overlay(&overlay)
        .map_err(|error| format!("cannot write to {}: {error}", overlay.display()))?;

    let renames = renames::write(job.source, job.out_dir)?;
    start_afresh_if_changed(job).map_err(|error| format!("{}: {error}", job.out_dir.display()))?;

    let mut config = cmake::Config::new(&overlay);
    config
        .target(&job.target.triple)
        .host(job.host)
        .out_dir(job.out_dir)
        .profile("Release") // C is optimised whatever cargo's profile
        .build_target("wolfssl") // no install step, so no lib or lib64
        .define("CMAKE_EXPORT_COMPILE_COMMANDS", "ON")
        .define("WOLFSSL_SOURCE:PATH", job.source)
        .define(
            "WOLFSSL_EXTRA_SOURCES:STRING",
            job.plan.extra_sources.join(";"),
        )
        .define(
            "WOLFSSL_SHIM:FILEPATH",
            shim_dir().join("wolfssl_rs_shim.c"),
        )
        .define("WOLFSSL_RENAMES:FILEPATH", renames)
        .define("WOLFSSL_DEFINITIONS:STRING", definitions(job.plan));
    if job.plan.tell_system && !job.has_toolchain_file {
        config
            .define("CMAKE_SYSTEM_NAME", job.plan.system_name)
            .define("CMAKE_SYSTEM_PROCESSOR", &job.plan.processor);
    }
    for flag in &job.plan.c_flags {
        config.cflag(flag).asmflag(flag);
    }
    if !job.plan.release_flags.is_empty() {
        let flags = job.plan.release_flags.join(" ");
        config
            .define("CMAKE_C_FLAGS_RELEASE", &flags)
            .define("CMAKE_ASM_FLAGS_RELEASE", &flags);
    }
    for (name, value) in &job.plan.options {
        config.define(name, value);
    }
    for (name, value) in &job.plan.raw_variables {
        config.define(format!("{name}:STRING"), value);
    }
    let root = job.out_dir.join("build");
    run(config).map_err(|reason| complaint(&root).unwrap_or(reason))?;
    Ok(Built {
        dir: root.join("wolfssl"),
        root,
    })
}

/// Our own C, which tells what wolfSSL's native API does not.
pub fn shim_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("shim")
}

fn definitions(plan: &Plan) -> String {
    let flags: Vec<_> = plan.macros.iter().map(|name| format!("-D{name}")).collect();
    flags.join(";")
}

/// Leaves the file alone when it is right, so that CMake sees no change.
fn write_overlay(dir: &Path) -> std::io::Result<()> {
    let file = dir.join("CMakeLists.txt");
    if fs::read_to_string(&file).is_ok_and(|text| text == vendor::CMAKE_OVERLAY) {
        return Ok(());
    }
    fs::create_dir_all(dir)?;
    fs::write(file, vendor::CMAKE_OVERLAY)
}

/// CMake's cache outlives what it was made from: options taken back stay, and
/// another compiler loses the others. So a change in anything but the sources'
/// contents begins with an empty folder.
fn start_afresh_if_changed(job: &Job<'_>) -> std::io::Result<()> {
    let (path, flags) = (job.compiler.path(), job.compiler.args());
    let now = format!(
        "{:#?}\n{:?}",
        (job.plan, job.facts),
        (job.source, path, flags)
    );
    let record = job.out_dir.join("built-from.txt");
    if fs::read_to_string(&record).is_ok_and(|before| before == now) {
        return Ok(());
    }
    let build = job.out_dir.join("build");
    if build.exists() {
        fs::remove_dir_all(build)?;
    }
    fs::write(record, now)
}

/// The compiler's first error line: cargo does not show what the cmake crate let through. What
/// was built is not built again, so that asking once more is quick.
fn complaint(root: &Path) -> Option<String> {
    let cache = fs::read_to_string(root.join("CMakeCache.txt")).ok()?;
    let cmake = cache
        .lines()
        .find_map(|line| line.strip_prefix("CMAKE_COMMAND:INTERNAL="))?;
    let again = Command::new(cmake)
        .args(["--build", ".", "--config", "Release", "--target", "wolfssl"])
        .current_dir(root)
        .output()
        .ok()?;
    let text = [again.stdout, again.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find(|line| {
        let line = line.to_lowercase();
        line.contains("error:") || line.contains("error c") || line.contains("cmake error")
    })?;
    Some(format!("the C build failed: {}", line.trim()))
}

/// The cmake crate panics where a build fails. Its message has no more to say
/// than that.
fn run(mut config: cmake::Config) -> Result<(), String> {
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(move || {
        config.build();
    });
    panic::set_hook(default_hook);
    result.map_err(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or(payload.downcast_ref::<&str>().copied());
        let first = text
            .and_then(|text| text.lines().find(|line| !line.trim().is_empty()))
            .unwrap_or("cmake failed");
        format!("the C build failed ({first}); `cargo build -vv` shows cmake's messages")
    })
}
