//! The build on one screen: request and target, the source, what the tools can
//! do, the plan, cmake, the proof, the bindings, the report.

mod bindings;
mod cmake;
mod content;
mod env;
mod plan;
mod proof;
mod report;
mod request;
mod rules;
mod tools;

use plan::Refusal;

fn main() {
    if let Err(message) = run() {
        env::fail(&message);
    }
}

fn run() -> Result<(), String> {
    let (request, target, host, out_dir) =
        (env::request(), env::target(), env::host(), env::out_dir());

    env::watch(&cmake::shim_dir());
    let source = locate(&out_dir)?;
    let cmake = tools::cmake(env::cmake(&target, &host))?;
    bindings::check_libclang()?;
    let facts = tools::facts(&target, &host, &cmake, &out_dir.join("probe"))?;
    let plan =
        plan::plan(&request, &target, &facts, env::strict()).map_err(|refusal| match refusal {
            Refusal::Target(text) | Refusal::Feature(text) => text,
        })?;

    let built = cmake::build(&cmake::Job {
        plan: &plan,
        target: &target,
        host: &host,
        source: &source.root,
        out_dir: &out_dir,
    })?;
    let evidence = proof::prove(&plan, &built)?;

    let compiler = tools::compiler(&target, &host)?;
    let wrapper = bindings::write_wrapper(&evidence, &out_dir)?;
    let job = bindings::Job {
        wrapper: &wrapper,
        source: &source.root,
        built: &built,
        target: &target,
        builtin_headers: tools::builtin_headers(&compiler),
        compiler: &compiler,
    };
    bindings::generate(&job, &out_dir.join("bindings.rs"))?;
    let report = report::Report {
        source: &source,
        target: &target,
        facts: &facts,
        plan: &plan,
        evidence: &evidence,
    };
    report::write(&report, &out_dir.join("report.rs"))?;

    env::link_search(&built.library_dir(&target));
    env::link_static("wolfssl");
    env::metadata(
        "include",
        &format!("{};{}", built.dir.display(), source.root.display()),
    );
    env::metadata("wrapper", &wrapper.display().to_string());
    env::metadata("version", &source.version.to_string());
    plan.libraries
        .iter()
        .for_each(|name| env::link_system(name));
    Ok(())
}

/// Finds the source and watches the place it came from.
fn locate(out_dir: &std::path::Path) -> Result<vendor::Source, String> {
    let mut places = vendor::Places::from_env(&out_dir.join("pin"));
    places.environment = env::watched(vendor::SOURCE_DIR_VAR);
    let source = vendor::locate(&places).map_err(|error| error.to_string())?;
    if source.origin == vendor::Origin::Environment {
        env::watch(&source.root);
    } else if let Some(parent) = places.folder.parent() {
        // The folder may appear or vanish: what holds it tells of both.
        env::watch(parent);
    }
    Ok(source)
}
