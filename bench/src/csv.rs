//! The figures as comma separated values, one line a row, for spreadsheets.

use std::fmt::Write as _;

use crate::results::ResultFile;

const HEADER: &str = "scenario,arm,unit,valid,noisy,n,median,mad,min,max,\
                      factor,factor_low,factor_high,verdict";

/// All rows; factors are over the first arm, empty for the first arm itself. No value holds a
/// comma: ids, numbers and words are all there is.
pub fn render(file: &ResultFile) -> String {
    let first = file.arms.first().map_or("", |arm| arm.id.as_str());
    let mut text = format!("{HEADER}\n");
    for row in &file.results {
        let factor = file.ratio(&row.arm, first, &row.scenario);
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            row.scenario,
            row.arm,
            row.unit.label(),
            row.valid,
            row.noisy,
            row.n,
            number(row.median),
            number(row.mad),
            number(row.min),
            number(row.max),
            number(factor.map(|factor| factor.ratio)),
            number(factor.map(|factor| factor.ci95[0])),
            number(factor.map(|factor| factor.ci95[1])),
            factor.map_or("", |factor| factor.verdict.label()),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::example;

    #[test]
    fn every_row_has_every_column() {
        let text = render(&example());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4);
        let columns = HEADER.split(',').count();
        for line in &lines {
            assert_eq!(line.split(',').count(), columns, "{line}");
        }
        assert!(lines[1].starts_with("algo:rsa-2048-sign,generic,/s,true,false,3,150,1,"));
        assert!(lines[2].ends_with(",faster"), "{}", lines[2]);
    }
}
