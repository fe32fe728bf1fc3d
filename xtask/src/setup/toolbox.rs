//! What child processes must be told so that they find the tools that setup found.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment for cargo and its build scripts. Empty when the machine's own tools do.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    variables: Vec<(&'static str, OsString)>,
    folders: Vec<PathBuf>,
}

impl Toolbox {
    /// Gives `command` the tools.
    pub fn apply(&self, command: &mut Command) {
        for (name, value) in self.variables() {
            command.env(name, value);
        }
    }

    /// The variables to set, PATH included when it changes.
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        let mut all = self.variables.clone();
        if !self.folders.is_empty() {
            let old = std::env::var_os("PATH").unwrap_or_default();
            let folders = self
                .folders
                .iter()
                .cloned()
                .chain(std::env::split_paths(&old));
            // A folder of ours or of PATH that holds a separator cannot be joined; leave PATH then.
            if let Ok(path) = std::env::join_paths(folders) {
                all.push(("PATH", path));
            }
        }
        all
    }

    /// Adds the private copy of the tool called `name` at `path`.
    pub fn add_private(&mut self, name: &str, path: &Path) {
        let folder = path.parent().unwrap_or(path).to_owned();
        match name {
            "cmake" => self.variables.push(("CMAKE", path.into())),
            "libclang" => self.variables.push(("LIBCLANG_PATH", folder.into())),
            // cmake then has to be told to write files for ninja.
            "make" => {
                self.variables.push(("CMAKE_GENERATOR", "Ninja".into()));
                self.folders.push(folder);
            }
            _ => self.folders.push(folder),
        }
    }

    /// Lines for a shell, so that plain cargo commands find private tools too.
    pub fn shell_lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self
            .variables
            .iter()
            .map(|(name, value)| format!("export {name}='{}'", value.to_string_lossy()))
            .collect();
        for folder in &self.folders {
            lines.push(format!("export PATH='{}':\"$PATH\"", folder.display()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_tools_reach_children_by_their_variables() {
        let mut toolbox = Toolbox::default();
        toolbox.add_private("cmake", Path::new("/t/cmake/bin/cmake"));
        toolbox.add_private("libclang", Path::new("/t/clang/native/libclang.so"));
        toolbox.add_private("make", Path::new("/t/ninja/bin/ninja"));
        let variables = toolbox.variables();
        let value = |name| {
            variables
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, v)| v.clone())
        };
        assert_eq!(value("CMAKE"), Some("/t/cmake/bin/cmake".into()));
        assert_eq!(value("LIBCLANG_PATH"), Some("/t/clang/native".into()));
        assert_eq!(value("CMAKE_GENERATOR"), Some("Ninja".into()));
        let path = value("PATH")
            .expect("PATH is extended")
            .into_string()
            .expect("UTF-8");
        assert!(path.starts_with("/t/ninja/bin:"), "{path}");
        assert_eq!(toolbox.shell_lines().len(), 4);
    }

    #[test]
    fn the_machines_own_tools_need_no_variables() {
        assert!(Toolbox::default().variables().is_empty());
    }
}
