//! The worker program: measures one library for the orchestrator that started it, over standard
//! input and output. See `bench::protocol` for the language.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use bench::cohort::{Failure, LIBRARIES, Library};
use bench::fixtures::{Fixtures, make};
use bench::worker::{processor, serve};
use clap::Parser;

#[derive(Parser)]
#[command(about = "Measures one TLS library; started by `cargo xtask bench`")]
struct Arguments {
    /// The library to measure
    #[arg(long, required_unless_present = "make_fixtures")]
    library: Option<String>,
    /// The folder of certificates and keys
    #[arg(long)]
    fixtures: PathBuf,
    /// Run on this core only
    #[arg(long)]
    core: Option<usize>,
    /// Write the certificates and keys to their folder, and end
    #[arg(long)]
    make_fixtures: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("bench-worker: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.make_fixtures {
        return make::make(&arguments.fixtures);
    }
    let library = find(arguments.library.as_deref().unwrap_or_default())?;
    if let Some(core) = arguments.core {
        processor::pin(core).map_err(|error| format!("cannot run on core {core}: {error}"))?;
    }
    let fixtures = Fixtures::open(&arguments.fixtures);
    serve(library, &fixtures, io::stdin().lock(), io::stdout().lock())?;
    Ok(())
}

fn find(name: &str) -> Result<&'static Library, Failure> {
    LIBRARIES
        .iter()
        .find(|library| library.name == name)
        .ok_or_else(|| {
            let known: Vec<&str> = LIBRARIES.iter().map(|library| library.name).collect();
            format!(
                "library {name:?} is not in this worker, which has: {}",
                known.join(", ")
            )
            .into()
        })
}
