//! The build on one screen: request and target, the source, what the tools can
//! do, the plan, cmake, the proof, the bindings, the report.

mod archive;
mod bindings;
mod cmake;
mod content;
mod env;
mod plan;
mod proof;
mod renames;
mod report;
mod request;
mod rules;
mod tools;

use std::path::Path;

use plan::Refusal;

fn main() {
    if let Err(message) = run() {
        env::fail(&message);
    }
}

fn run() -> Result<(), String> {
    let (request, target, host, out_dir) =
        (env::request(), env::target(), env::host(), env::out_dir());

    env::watch_tools(&target, &host);
    env::watch(&cmake::shim_dir());

    let source = locate(&out_dir)?;
    let cmake = tools::cmake(env::cmake(&target, &host))?;
    bindings::check_libclang()?;
    let compiler = tools::compiler(&target, &host)?;
    let facts = tools::facts(&target, &compiler, &cmake, &out_dir.join("probe"))?;
    let plan =
        plan::plan(&request, &target, &facts, &host, env::strict()).map_err(
            |refusal| match refusal {
                Refusal::Target(text) | Refusal::Feature(text) => text,
            },
        )?;

    let built = cmake::build(&cmake::Job {
        plan: &plan,
        target: &target,
        host: &host,
        source: &source.root,
        compiler: &compiler,
        facts: &facts,
        has_toolchain_file: env::has_toolchain_file(&target, &host),
        out_dir: &out_dir,
    })?;
    let evidence = proof::prove(&plan, &target, &built)?;

    let wrapper = bindings::write_wrapper(&evidence, &out_dir)?;
    let job = bindings::Job {
        wrapper: &wrapper,
        include_dirs: &[built.dir.clone(), source.root.clone(), cmake::shim_dir()],
        target: &target,
        builtin_headers: tools::builtin_headers(&compiler),
        compiler: &compiler,
        symbols: &evidence.symbols,
    };
    bindings::generate(&job, &out_dir.join("bindings.rs"))?;
    let report = report::Report {
        source: &source,
        target: &target,
        facts: &facts,
        plan: &plan,
        built: &built,
        evidence: &evidence,
    };
    report::write(&report, &out_dir.join("report.rs"))?;

    env::link_search(&built.library_dir(&target));
    env::link_static("wolfssl");
    plan.libraries
        .iter()
        .for_each(|name| env::link_system(name));
    env::metadata("include", &report.include_dirs().join(";"));
    env::metadata("wrapper", &wrapper.display().to_string());
    env::metadata("version", &source.version.to_string());
    env::metadata("features", &report.features_on());
    Ok(())
}

/// Finds the source and watches the place it came from, and the places that
/// would have come first.
fn locate(out_dir: &Path) -> Result<vendor::Source, String> {
    let mut places = vendor::Places::from_env(&out_dir.join("pin"));
    places.environment = env::watched(vendor::SOURCE_DIR_VAR);
    let source = vendor::locate(&places).map_err(|error| error.to_string())?;
    if source.origin == vendor::Origin::Environment {
        // Not the whole tree: a version control system writes to its own part.
        for part in ["CMakeLists.txt", "cmake", "src", "wolfcrypt", "wolfssl"] {
            env::watch(&source.root.join(part));
        }
        return Ok(source);
    }
    // The offline folder may appear or vanish: what holds it tells of both.
    env::watch(places.folder.parent().unwrap_or(&places.folder));
    // An unpacked package does not change, but cargo may clean it away.
    env::watch(&source.root.join("CMakeLists.txt"));
    Ok(source)
}
