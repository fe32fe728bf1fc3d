//! The parts of the page that are words: the verdict, the trust, the circumstances, the commands.

use super::{Table, escape};
use crate::results::{ArmRecord, RatioRecord, ResultFile, Verdict};
use crate::statistics::median;
use crate::table::figure;

/// The last arm of the first arm's library: the most of it.
pub(super) fn ours(file: &ResultFile) -> Option<&ArmRecord> {
    let first = file.arms.first()?;
    real(file).rfind(|arm| arm.library == first.library)
}

/// The arms of other libraries.
pub(super) fn peers(file: &ResultFile) -> impl Iterator<Item = &ArmRecord> {
    let own = file.arms.first().map(|arm| arm.library.as_str());
    real(file).filter(move |arm| Some(arm.library.as_str()) != own)
}

/// One sentence to remember, then one for each peer.
pub(super) fn verdict(file: &ResultFile) -> String {
    let invalid = file.invalid().count();
    if invalid > 0 {
        let rows = if invalid == 1 { "row is" } else { "rows are" };
        let list: String = file
            .invalid()
            .map(|row| {
                let why = row.why_invalid.join("; ");
                format!(
                    "<li>{}</li>\n",
                    escape(&format!("{} {}: {why}", row.arm, row.scenario))
                )
            })
            .collect();
        return format!(
            "<p class=\"verdict bad\">{invalid} {rows} INVALID: they measured something else than \
             they should.</p>\n<ul>{list}</ul>\n"
        );
    }
    let Some(ours) = ours(file) else {
        return "<p class=\"verdict\">Nothing was measured.</p>\n".to_owned();
    };
    let mut text = format!(
        "<p class=\"verdict\">{}</p>\n",
        escape(&headline(file, ours))
    );
    let sentences: String = peers(file)
        .filter_map(|peer| against(file, ours, peer))
        .map(|sentence| format!("<li>{}</li>\n", escape(&sentence)))
        .collect();
    if !sentences.is_empty() {
        text.push_str(&format!("<ul>{sentences}</ul>\n"));
    }
    text
}

/// What makes one believe the figures, or not.
pub(super) fn trust(file: &ResultFile) -> String {
    let valid = file.results.iter().filter(|row| row.valid).count();
    let noisy = file.results.iter().filter(|row| row.noisy).count();
    let discarded: usize = file.results.iter().map(|row| row.n_discarded).sum();
    let all: usize = file.results.iter().map(|row| row.samples.len()).sum();
    let floors: Vec<f64> = file
        .ratios
        .iter()
        .filter_map(|ratio| ratio.aa_floor)
        .collect();
    let badge = |good: bool, words: String| {
        let class = if good { "good" } else { "bad" };
        format!("<li class=\"{class}\">{}</li>\n", escape(&words))
    };
    let mut badges = badge(
        valid == file.results.len(),
        format!("{valid} of {} rows valid", file.results.len()),
    );
    badges += &badge(noisy == 0, format!("{noisy} noisy rows"));
    badges += &badge(
        discarded * 10 <= all,
        format!("{discarded} of {all} samples left out"),
    );
    badges += &match median(&floors) {
        Some(floor) => badge(floor < 0.05, format!("A/A floor {:.1} %", floor * 100.0)),
        None => badge(false, "no A/A control".to_owned()),
    };
    let words = [
        "Version, suite, group and resumption are read from the bytes on the wire before every \
         sample and asked of both sides after every timed handshake; a row in which any of it \
         differs from what the row says is INVALID and shows no figure.",
        "Before a TLS row is measured, the client has to refuse the server under a wrong name and \
         under a wrong CA.",
        "The arms take turns on one core; ratios are those of neighbouring turns. A round in which \
         the hypervisor or another program took time is left out for all arms alike.",
        "A difference counts as one if its 95 % interval excludes 1, it exceeds the distance of an \
         arm from itself, and its probability by chance, corrected for the number of comparisons, \
         is below 5 %.",
    ];
    let words: String = words
        .iter()
        .map(|sentence| format!("<li>{}</li>\n", escape(sentence)))
        .collect();
    format!("<ul class=\"badges\">{badges}</ul>\n<ul>{words}</ul>\n")
}

/// The machine, the arms and how they were built.
pub(super) fn circumstances(file: &ResultFile) -> String {
    let host = &file.host;
    let unknown = || "unknown".to_owned();
    let mut machine = Table::new(["machine", ""]);
    let virtual_machine = if host.hypervisor {
        ", virtual machine"
    } else {
        ""
    };
    let mut fact = |name: &str, value: String| machine.row([name.to_owned(), value]);
    fact("processor", host.cpu.clone().unwrap_or_else(unknown));
    fact("its features", host.cpu_flags.join(" "));
    fact("cores", format!("{}{virtual_machine}", host.vcpus));
    fact("platform", host.platform.clone());
    fact("kernel", host.kernel.clone().unwrap_or_else(unknown));
    fact(
        "load before",
        host.load.map_or_else(unknown, |load| format!("{load}")),
    );
    fact("Rust", host.rustc.clone().unwrap_or_else(unknown));
    fact("measured", file.run.utc.clone());

    let mut arms = Table::new([
        "arm",
        "library",
        "features",
        "C",
        "compiler",
        "program, bytes",
    ]);
    for arm in real(file) {
        let told = |key: &str| arm.build_info[key].as_str().unwrap_or_default().to_owned();
        arms.row([
            arm.id.clone(),
            format!("{} {}", arm.library, arm.version),
            arm.features.join(", "),
            told("optimisation"),
            told("compiler"),
            arm.program_bytes.to_string(),
        ]);
    }
    let mut scenarios = Table::new(["scenario", "what it measures"]);
    for scenario in &file.scenarios {
        scenarios.row([scenario.id.clone(), scenario.what.clone()]);
    }
    format!(
        "{}\n{}\n<details><summary>The scenarios</summary>{}</details>\n",
        machine.render(),
        arms.render(),
        scenarios.render()
    )
}

/// The commands that lead here again.
pub(super) fn reproduction(file: &ResultFile) -> String {
    let mut lines = String::new();
    if let Some(commit) = &file.run.git {
        let changed = if file.run.dirty {
            " # with local changes"
        } else {
            ""
        };
        lines.push_str(&format!("git checkout {commit}{changed}\n"));
    }
    let arguments = file.run.argv.join(" ");
    let seed = if arguments.contains("--seed") {
        String::new()
    } else {
        format!(" --seed {}", file.run.seed)
    };
    lines.push_str(&format!("cargo xtask {arguments}{seed}\n"));
    format!("<pre>{}</pre>\n", escape(&lines))
}

/// The factor of the first scenario that has one.
fn headline(file: &ResultFile, ours: &ArmRecord) -> String {
    let first = &file.arms[0];
    let record = file.scenarios.iter().find_map(|scenario| {
        let record = file.ratio(&ours.id, &first.id, &scenario.id)?;
        Some((scenario, record))
    });
    match record {
        Some((scenario, record)) => format!(
            "{} is {} times as fast as {} at {}.",
            ours.id,
            figure(record.ratio),
            first.id,
            scenario.what.split(';').next().unwrap_or(&scenario.id)
        ),
        None => format!("{} rows of {} were measured.", file.results.len(), ours.id),
    }
}

/// How often ours is faster and slower than a peer, and in between.
fn against(file: &ResultFile, ours: &ArmRecord, peer: &ArmRecord) -> Option<String> {
    let records: Vec<&RatioRecord> = file
        .ratios
        .iter()
        .filter(|record| record.a == ours.id && record.b == peer.id)
        .collect();
    let count = |verdict| {
        records
            .iter()
            .filter(|record| record.verdict == verdict)
            .count()
    };
    let middle = median(
        &records
            .iter()
            .map(|record| record.ratio)
            .collect::<Vec<_>>(),
    )?;
    Some(format!(
        "Against {}, over {} scenarios: faster in {}, slower in {}, no difference in {}, \
         inconclusive in {}; median ratio {middle:.2}.",
        peer.id,
        records.len(),
        count(Verdict::Faster),
        count(Verdict::Slower),
        count(Verdict::NoDifference),
        count(Verdict::Inconclusive),
    ))
}

fn real(file: &ResultFile) -> impl DoubleEndedIterator<Item = &ArmRecord> {
    file.arms.iter().filter(|arm| arm.control_of.is_none())
}
