//! `report`: a result file as a page or as tables.

use std::path::PathBuf;

use super::Ending;
use crate::error::{Error, Result};
use crate::results::ResultFile;
use crate::{html, table};

/// Show a result file: its tables here, or as a page for the browser.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The result file
    file: PathBuf,
    /// Write one self-contained page to this file
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
}

/// Prints or writes the report; an INVALID row makes the ending so.
pub(super) fn run(args: &Args) -> Result<Ending> {
    let file = ResultFile::read(&args.file)?;
    match &args.html {
        None => print!("{}", table::render(&file)),
        Some(path) => {
            let page = html::render(&file)?;
            let doing = format!("writing {}", path.display());
            std::fs::write(path, page).map_err(Error::io(doing))?;
            eprintln!("written to {}", path.display());
        }
    }
    Ok(if file.invalid().next().is_some() {
        Ending::Invalid
    } else {
        Ending::Good
    })
}
