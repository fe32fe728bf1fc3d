//! Versions of the peers, which mostly do not tell their own: from the lock file of this build.

use super::Result;

const LOCK: &str = include_str!("../../../Cargo.lock");

/// The locked version of a package; several, joined by `+`, if several are locked.
pub(super) fn version_of(package: &str) -> Result<String> {
    let versions = versions_in(LOCK, package);
    if versions.is_empty() {
        return Err(format!("{package} is not in Cargo.lock").into());
    }
    Ok(versions.join("+"))
}

fn versions_in<'a>(lock: &'a str, package: &str) -> Vec<&'a str> {
    lock.split("[[package]]")
        .filter(|entry| field(entry, "name") == Some(package))
        .filter_map(|entry| field(entry, "version"))
        .collect()
}

fn field<'a>(entry: &'a str, name: &str) -> Option<&'a str> {
    entry.lines().find_map(|line| {
        let value = line.strip_prefix(name)?.strip_prefix(" = ")?;
        Some(value.trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_package_by_its_whole_name() {
        let lock = "version = 4\n\n[[package]]\nname = \"tls-extra\"\nversion = \"9.9.9\"\n\n\
                    [[package]]\nname = \"tls\"\nversion = \"1.2.3\"\nsource = \"registry\"\n";
        assert_eq!(versions_in(lock, "tls"), ["1.2.3"]);
        assert_eq!(versions_in(lock, "ls"), Vec::<&str>::new());
    }
}
