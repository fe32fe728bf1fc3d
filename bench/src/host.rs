//! The machine: what it is, and how much of a core the hypervisor took away.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

/// The machine and what runs on it, as recorded with a run. Fields the system does not tell are
/// absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Host {
    /// Processor model.
    pub cpu: Option<String>,
    /// Processor features that matter to cryptography, of those the system lists.
    pub cpu_flags: Vec<String>,
    /// Processors that this process may use.
    pub vcpus: usize,
    /// Whether this is a virtual machine.
    pub hypervisor: bool,
    /// Operating system and architecture.
    pub platform: String,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Frequency governor of the measured core.
    pub governor: Option<String>,
    /// Load average over one minute before the run.
    pub load: Option<f64>,
    /// Rust compiler.
    pub rustc: Option<String>,
}

/// Processor features worth recording.
const FLAGS: &[&str] = &[
    "aes",
    "pclmulqdq",
    "avx",
    "avx2",
    "bmi2",
    "adx",
    "sha_ni",
    "avx512f",
    "avx512ifma",
    "vaes",
    "vpclmulqdq",
    "pmull",
    "sha1",
    "sha2",
    "sha3",
    "sha512",
];

impl Host {
    /// Looks at this machine; `core` is the one that is measured on.
    pub fn inspect(core: Option<usize>) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let flags = field(&cpuinfo, "flags").or_else(|| field(&cpuinfo, "Features"));
        let listed: Vec<&str> = flags.unwrap_or_default().split_whitespace().collect();
        let governor = core.and_then(|core| {
            first_line(format!(
                "/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_governor"
            ))
        });
        let load = first_line("/proc/loadavg")
            .and_then(|line| line.split_whitespace().next()?.parse().ok());
        Self {
            cpu: field(&cpuinfo, "model name").map(str::to_owned),
            cpu_flags: FLAGS
                .iter()
                .filter(|flag| listed.contains(flag))
                .map(ToString::to_string)
                .collect(),
            vcpus: std::thread::available_parallelism().map_or(1, usize::from),
            hypervisor: listed.contains(&"hypervisor"),
            platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            kernel: first_line("/proc/sys/kernel/osrelease"),
            governor,
            load,
            rustc: answer(Command::new("rustc").arg("--version")),
        }
    }
}

/// The core to measure on: the last one that this process may use, as interrupts prefer the first.
/// `None` where the system does not tell.
pub fn quiet_core() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    last_core(field(&status, "Cpus_allowed_list")?)
}

/// Clock ticks (usually of 10 ms) that the hypervisor took from `core` since the machine started.
/// `None` where the system does not tell.
pub fn steal_ticks(core: usize) -> Option<u64> {
    steal_in(&fs::read_to_string("/proc/stat").ok()?, core)
}

/// Standard output of a program that succeeds, trimmed.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

fn last_core(list: &str) -> Option<usize> {
    let last = list.rsplit([',', '-']).next()?;
    last.trim().parse().ok()
}

fn steal_in(stat: &str, core: usize) -> Option<u64> {
    let name = format!("cpu{core}");
    let line = stat
        .lines()
        .find(|line| line.split_whitespace().next() == Some(&name))?;
    // user nice system idle iowait irq softirq steal, after the name.
    line.split_whitespace().nth(8)?.parse().ok()
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim())
    })
}

fn first_line(path: impl AsRef<Path>) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_the_eighth_figure_of_the_right_core() {
        let stat = "cpu  10 0 20 900 1 0 2 99 0 0\ncpu0 5 0 10 450 1 0 1 7 0 0\n\
                    cpu1 5 0 10 450 0 0 1 23 0 0\ncpu10 5 0 10 450 0 0 1 1 0 0\nintr 3\n";
        assert_eq!(steal_in(stat, 1), Some(23));
        assert_eq!(steal_in(stat, 10), Some(1));
        assert_eq!(steal_in(stat, 2), None);
    }

    #[test]
    fn the_last_allowed_core() {
        assert_eq!(last_core("0-3"), Some(3));
        assert_eq!(last_core("0,2,5-7"), Some(7));
        assert_eq!(last_core("4"), Some(4));
        assert_eq!(last_core(""), None);
    }

    #[test]
    fn fields_of_the_proc_files() {
        let text = "model name\t: Some CPU\nflags\t\t: aes avx\n";
        assert_eq!(field(text, "model name"), Some("Some CPU"));
        assert_eq!(field(text, "flags"), Some("aes avx"));
        assert_eq!(field(text, "model"), None);
    }
}
