//! What is in a static library: the names that its index tells to linkers.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use object::read::archive::ArchiveFile;

/// The contents of a static library.
#[derive(Clone, Debug)]
pub struct Archive {
    /// Every symbol that it defines for others.
    pub symbols: BTreeSet<String>,
}

impl Archive {
    pub fn defines(&self, name: &str) -> bool {
        // Mach-O puts an underscore before C's names.
        self.symbols.contains(name) || self.symbols.contains(&format!("_{name}"))
    }

    pub fn read(path: &Path) -> Result<Self, String> {
        let unreadable = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let data = fs::read(path).map_err(|error| unreadable(&error))?;
        let archive = ArchiveFile::parse(&*data).map_err(|error| unreadable(&error))?;
        let index = archive.symbols().map_err(|error| unreadable(&error))?;
        let index = index.ok_or_else(|| unreadable(&"it has no index"))?;
        let name = |symbol: object::Result<object::read::archive::ArchiveSymbol<'_>>| {
            symbol.map(|symbol| String::from_utf8_lossy(symbol.name()).into_owned())
        };
        let symbols = index
            .map(name)
            .collect::<object::Result<_>>()
            .map_err(|error| unreadable(&error))?;
        Ok(Self { symbols })
    }
}
