//! Reads the feature table of the README, so that it cannot say what is not so.

/// The targets that stand for a column of the table.
const COLUMNS: &[(&str, &[&str])] = &[
    (
        "x86_64 unix",
        &["x86_64-unknown-linux-gnu", "x86_64-apple-darwin"],
    ),
    (
        "aarch64 unix",
        &["aarch64-unknown-linux-gnu", "aarch64-apple-darwin"],
    ),
    (
        "i686, armv7",
        &["i686-unknown-linux-gnu", "armv7-unknown-linux-gnueabihf"],
    ),
    ("riscv64", &["riscv64gc-unknown-linux-gnu"]),
    ("Windows gnu", &["x86_64-pc-windows-gnu"]),
    ("Windows msvc", &["x86_64-pc-windows-msvc"]),
];

/// Feature, triple and the words of every cell.
pub fn cells() -> Vec<(String, &'static str, String)> {
    let readme = include_str!("../../../README.md");
    let rows: Vec<Vec<&str>> = readme
        .lines()
        .skip_while(|line| !line.starts_with("| feature |"))
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let [header, _, rows @ ..] = rows.as_slice() else {
        panic!("the README has no feature table");
    };
    let mut cells = Vec::new();
    for row in rows {
        for (column, cell) in header.iter().zip(row).skip(2) {
            let known = COLUMNS.iter().find(|(name, _)| name == column);
            let (_, triples) =
                known.unwrap_or_else(|| panic!("no target stands for the column {column}"));
            for triple in *triples {
                cells.push((
                    row[0].trim_matches('`').to_owned(),
                    *triple,
                    (*cell).to_owned(),
                ));
            }
        }
    }
    assert!(cells.len() >= 6 * 8, "the README's table is not whole");
    cells
}
