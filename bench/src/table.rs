//! The result as a table for the terminal: rows are scenarios, columns are arms.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};

use crate::compare::Comparison;
use crate::results::{ArmRecord, ResultFile, Row};
use crate::scenario::Unit;
use crate::statistics::median;

/// The tables and notes of a run.
pub fn render(file: &ResultFile) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", arms(file));
    let _ = writeln!(text, "{}", figures(file));
    if let Some(peers) = peers(file) {
        let _ = writeln!(text, "{peers}");
    }
    text.push_str(&notes(file));
    text
}

/// The same as Markdown.
pub fn markdown(file: &ResultFile) -> String {
    let mut text = format!("```\n{}```\n\n", arms(file));
    let mut figures = figures(file);
    figures.load_style(presets::ASCII_MARKDOWN);
    let _ = writeln!(text, "{figures}\n");
    if let Some(mut peers) = peers(file) {
        peers.load_style(presets::ASCII_MARKDOWN);
        let _ = writeln!(text, "{peers}\n");
    }
    for line in notes(file).lines() {
        let _ = writeln!(text, "{line}  ");
    }
    text
}

/// Two runs side by side: first what differs around the figures, then the figures.
pub fn comparison(comparison: &Comparison) -> String {
    let mut text = String::new();
    for line in &comparison.circumstances {
        let _ = writeln!(text, "differs: {line}");
    }
    let mut table = table();
    table.set_header([
        "arm", "scenario", "unit", "before", "after", "ratio", "verdict",
    ]);
    for delta in &comparison.deltas {
        let ratio = &delta.ratio;
        table.add_row([
            delta.arm.clone(),
            delta.scenario.clone(),
            delta.unit.label().to_owned(),
            figure(delta.before),
            figure(delta.after),
            format!("{:.3}  [{:.3}, {:.3}]", ratio.ratio, ratio.low, ratio.high),
            delta.verdict.label().to_owned(),
        ]);
    }
    align(&mut table, 3);
    let _ = writeln!(text, "{table}");
    for line in &comparison.lost {
        let _ = writeln!(text, "LOST {line}");
    }
    text
}

/// A figure with three to four digits that mean something, thousands apart.
pub fn figure(value: f64) -> String {
    let digits = match value {
        v if v >= 99.5 => 0,
        v if v >= 9.95 => 1,
        _ => 2,
    };
    let plain = format!("{value:.digits$}");
    let (whole, fraction) = match plain.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (plain.as_str(), String::new()),
    };
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + &fraction
}

fn arms(file: &ResultFile) -> String {
    let mut text = String::new();
    for arm in real_arms(file) {
        let _ = writeln!(
            text,
            "{:<16} {} {}{}",
            arm.id,
            arm.library,
            arm.version,
            build(arm)
        );
    }
    let host = &file.host;
    let cpu = host.cpu.as_deref().unwrap_or("unknown processor");
    let machine = if host.hypervisor {
        ", virtual machine"
    } else {
        ""
    };
    let load = host
        .load
        .map_or(String::new(), |load| format!(", load {load}"));
    let _ = writeln!(
        text,
        "{:<16} {cpu}, {} cores{machine}, {}{load}; {}",
        "on",
        host.vcpus,
        host.platform,
        host.cpu_flags.join(" ")
    );
    text
}

/// How the library says it was built: features and their fate, optimisation, compiler.
fn build(arm: &ArmRecord) -> String {
    let mut parts = Vec::new();
    let mut on = Vec::new();
    let mut ignored = Vec::new();
    for name in &arm.features {
        match arm.build_info["features"][name]["fate"].as_str() {
            Some("ignored") => ignored.push(name.as_str()),
            _ => on.push(name.as_str()),
        }
    }
    if !on.is_empty() {
        parts.push(format!("with {}", on.join(", ")));
    }
    if !ignored.is_empty() {
        parts.push(format!(
            "(no effect on this target: {})",
            ignored.join(", ")
        ));
    }
    for key in ["optimisation", "compiler"] {
        parts.extend(arm.build_info[key].as_str().map(str::to_owned));
    }
    for peer in ["aws-lc-rs", "aws-lc-sys"] {
        let version = arm.build_info[peer].as_str();
        parts.extend(version.map(|version| format!("{peer} {version}")));
    }
    parts.iter().map(|part| format!(" {part}")).collect()
}

fn figures(file: &ResultFile) -> Table {
    let arms: Vec<&ArmRecord> = real_arms(file).collect();
    let control = file.arms.iter().find(|arm| arm.control_of.is_some());
    let mut table = table();
    let mut header = vec!["scenario".to_owned(), "unit".to_owned()];
    header.extend(arms.iter().map(|arm| arm.id.clone()));
    header.extend(control.map(|_| "A/A".to_owned()));
    table.set_header(header);
    for scenario in &file.scenarios {
        let mut cells = vec![scenario.id.clone(), scenario.unit.label().to_owned()];
        for arm in &arms {
            let factor = file.ratio(&arm.id, &arms[0].id, &scenario.id);
            cells.push(cell(
                file.row(&arm.id, &scenario.id),
                factor.map(|record| record.ratio),
            ));
        }
        if let Some(control) = control {
            let drift = file.ratio(&control.id, &arms[0].id, &scenario.id);
            cells.push(drift.map_or_else(dash, |record| {
                format!("{:+.1} %", (record.ratio - 1.0) * 100.0)
            }));
        }
        table.add_row(cells);
    }
    align(&mut table, 2);
    table
}

/// The last arm of our own against each peer, with the interval.
fn peers(file: &ResultFile) -> Option<Table> {
    let ours = real_arms(file).rfind(|arm| arm.library == file.arms[0].library)?;
    let peers: Vec<&ArmRecord> = real_arms(file)
        .filter(|arm| arm.library != ours.library)
        .collect();
    let mut table = table();
    let mut header = vec![format!("{} over", ours.id)];
    header.extend(peers.iter().map(|peer| peer.id.clone()));
    table.set_header(header);
    for scenario in &file.scenarios {
        let ratios: Vec<_> = peers
            .iter()
            .map(|peer| file.ratio(&ours.id, &peer.id, &scenario.id))
            .collect();
        if ratios.iter().any(Option::is_some) {
            let mut cells = vec![scenario.id.clone()];
            cells.extend(ratios.into_iter().map(|ratio| {
                ratio.map_or_else(dash, |record| {
                    let [low, high] = record.ci95;
                    format!("{:.2}  [{low:.2}, {high:.2}]", record.ratio)
                })
            }));
            table.add_row(cells);
        }
    }
    align(&mut table, 1);
    (table.row_count() > 0).then_some(table)
}

fn notes(file: &ResultFile) -> String {
    let mut text = String::new();
    let first = file.arms.first().map_or("", |arm| arm.id.as_str());
    let _ = writeln!(
        text,
        "MB = 10^6 bytes. ×: times {first}, median of paired rounds. {} launches of {} rounds of {} ms{}.",
        file.run.launches,
        file.run.rounds,
        file.run.millis,
        file.run
            .core
            .map_or(String::new(), |core| format!(", all on core {core}")),
    );
    let floors: Vec<f64> = file
        .ratios
        .iter()
        .filter(|ratio| is_control(file, &ratio.a))
        .filter_map(|ratio| ratio.aa_floor)
        .collect();
    if let Some(middle) = median(&floors) {
        let largest = floors.iter().copied().fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "A/A: the interval of {first} over itself reaches {:.1} % in the middle, {:.1} % at most; smaller differences mean nothing.",
            middle * 100.0,
            largest * 100.0
        );
    }
    let discarded: usize = file.results.iter().map(|row| row.n_discarded).sum();
    if discarded > 0 {
        let _ = writeln!(
            text,
            "{discarded} samples left out: their round was disturbed."
        );
    }
    let noisy = file.results.iter().filter(|row| row.noisy).count();
    if noisy > 0 {
        let _ = writeln!(
            text,
            "~ {noisy} of {} figures are noisy: other programs or the hypervisor disturbed most of their rounds.",
            file.results.len()
        );
    }
    for row in file.invalid() {
        let _ = writeln!(
            text,
            "INVALID {} {}: {}",
            row.arm,
            row.scenario,
            row.why_invalid.join("; ")
        );
    }
    text
}

fn cell(row: Option<&Row>, factor: Option<f64>) -> String {
    let Some(row) = row else { return dash() };
    let Some(value) = row.median.filter(|_| row.valid) else {
        return "INVALID".to_owned();
    };
    let mark = if row.noisy { "~" } else { "" };
    match factor {
        Some(factor) => format!("{mark}{} ×{}", figure(value), figure(factor)),
        None => format!("{mark}{}", figure(value)),
    }
}

fn real_arms(file: &ResultFile) -> impl DoubleEndedIterator<Item = &ArmRecord> {
    file.arms.iter().filter(|arm| arm.control_of.is_none())
}

fn is_control(file: &ResultFile, id: &str) -> bool {
    file.arms
        .iter()
        .any(|arm| arm.id == id && arm.control_of.is_some())
}

fn table() -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table
}

fn align(table: &mut Table, from: usize) {
    for column in table.column_iter_mut().skip(from) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn dash() -> String {
    "–".to_owned()
}

/// The scenarios and arms there are.
pub fn catalogue() -> String {
    let mut text = String::from("arms:\n");
    for arm in crate::arm::ARMS {
        let note = if arm.by_default {
            ""
        } else {
            " (only when named)"
        };
        let _ = writeln!(text, "  {:<36} {}{note}", arm.id, arm.summary);
    }
    text.push_str("scenarios:\n");
    for scenario in crate::scenario::Scenario::catalogue() {
        let unit: Unit = scenario.unit();
        let _ = writeln!(
            text,
            "  {:<36} {} ({}){}",
            scenario.id(),
            scenario.describe(),
            unit.label(),
            if scenario.is_headline() {
                ""
            } else {
                " (with --full or when named)"
            }
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_keep_the_digits_that_mean_something() {
        assert_eq!(figure(11_013.4), "11,013");
        assert_eq!(figure(1_234_567.0), "1,234,567");
        assert_eq!(figure(819.0), "819");
        assert_eq!(figure(12.34), "12.3");
        assert_eq!(figure(1.026), "1.03");
    }

    #[test]
    fn the_catalogue_names_everything() {
        let text = catalogue();
        assert!(text.contains("u128+sp+sp-asm"));
        assert!(text.contains("hs-full:tls1.2:rsa-2048:x25519"));
        assert!(text.contains("(MB/s)"));
    }
}
