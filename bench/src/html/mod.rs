//! The result as one self-contained page: no script, nothing from the network, light and dark.
//!
//! The verdict comes first, then how far it can be trusted, then the plots, each with its data in a
//! table below it, then how to do it again.

mod drift;
mod forest;
mod ladder;
mod plot;
mod words;

use crate::error::Error;
use crate::results::ResultFile;
use crate::table::figure;

/// The page, or what the plotting library could not do.
pub fn render(file: &ResultFile) -> Result<String, Error> {
    let mut page = Page::default();
    page.section("", &words::verdict(file));
    page.section("How far this can be trusted", &words::trust(file));
    for section in [
        forest::section(file),
        ladder::section(file),
        drift::section(file),
    ] {
        let section = section.map_err(|message| Error::Plot { message })?;
        if let Some(Section { title, body }) = section {
            page.section(&title, &body);
        }
    }
    page.section("All figures", &all_figures(file));
    page.section("What was measured where", &words::circumstances(file));
    page.section("Do it again", &words::reproduction(file));
    Ok(page.finish())
}

/// A part of the page with a heading.
struct Section {
    title: String,
    body: String,
}

#[derive(Default)]
struct Page {
    body: String,
}

impl Page {
    fn section(&mut self, title: &str, body: &str) {
        self.body.push_str("<section>\n");
        if !title.is_empty() {
            self.body.push_str(&format!("<h2>{}</h2>\n", escape(title)));
        }
        self.body.push_str(body);
        self.body.push_str("</section>\n");
    }

    fn finish(self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>TLS benchmark</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n\
             <h1>TLS benchmark</h1>\n{}</main>\n</body>\n</html>\n",
            include_str!("page.css"),
            self.body
        )
    }
}

/// A picture with its caption and, folded away, its data.
fn illustrated(svg: &str, caption: &str, table: &Table) -> String {
    format!(
        "<figure><div class=\"wide\">{svg}</div><figcaption>{}</figcaption>\n\
         <details><summary>The data</summary>{}</details></figure>\n",
        escape(caption),
        table.render()
    )
}

fn all_figures(file: &ResultFile) -> String {
    let mut table = Table::new([
        "scenario", "arm", "figure", "unit", "MAD", "samples", "left out",
    ]);
    for row in &file.results {
        let (shown, spread) = match (row.valid, row.median) {
            (true, Some(median)) => (figure(median), row.mad.map_or(String::new(), figure)),
            _ => (
                format!("INVALID: {}", row.why_invalid.join("; ")),
                String::new(),
            ),
        };
        table.row([
            row.scenario.clone(),
            row.arm.clone(),
            shown,
            row.unit.label().to_owned(),
            spread,
            row.n.to_string(),
            row.n_discarded.to_string(),
        ]);
    }
    format!(
        "<details><summary>{} rows</summary>{}</details>\n",
        file.results.len(),
        table.render()
    )
}

/// A table whose cells are text; figures are set right.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new<const N: usize>(header: [&str; N]) -> Self {
        Self {
            header: header.map(str::to_owned).to_vec(),
            rows: Vec::new(),
        }
    }

    fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.to_vec());
    }

    fn render(&self) -> String {
        let line = |tag: &str, cells: &[String]| {
            let cells = cells.iter().map(|cell| {
                let class = if is_figure(cell) { " class=\"n\"" } else { "" };
                format!("<{tag}{class}>{}</{tag}>", escape(cell))
            });
            format!("<tr>{}</tr>\n", cells.collect::<String>())
        };
        let rows: String = self.rows.iter().map(|row| line("td", row)).collect();
        format!(
            "<div class=\"wide\"><table><thead>{}</thead><tbody>\n{rows}</tbody></table></div>",
            line("th", &self.header)
        )
    }
}

fn is_figure(cell: &str) -> bool {
    cell.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '×'))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::example;

    #[test]
    fn the_page_stands_alone_and_begins_with_the_verdict() {
        let page = render(&example()).unwrap();
        for forbidden in ["<script", "src=", "href=", "@import", "url("] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        let verdict = page.find("13.3 times").unwrap();
        assert!(verdict < page.find("<svg").unwrap());
        assert!(page.contains("prefers-color-scheme: dark"));
        assert_eq!(
            page.matches("<svg").count(),
            page.matches("<title>").count() - 1
        );
    }

    #[test]
    fn colours_are_the_themes() {
        let page = render(&example()).unwrap();
        let pictures: Vec<&str> = page.split("<svg").skip(1).collect();
        assert!(!pictures.is_empty());
        for picture in pictures {
            let picture = &picture[..picture.find("</svg>").unwrap()];
            assert!(!picture.contains("\"#"), "a colour outside the theme");
        }
    }

    #[test]
    fn an_invalid_row_is_the_first_thing_said_and_shows_no_figure() {
        let mut file = example();
        file.results[1].valid = false;
        file.results[1].why_invalid = vec!["group is <other>, not x25519".into()];
        file.ratios.clear();
        let page = render(&file).unwrap();
        let said = page.find("1 row is INVALID").unwrap();
        assert!(said < page.find("<h2>").unwrap());
        assert!(page.contains("group is &lt;other&gt;, not x25519"));
        assert!(!page.contains("2,000"));
    }
}
