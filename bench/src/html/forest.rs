//! The forest plot: how our fastest arm compares with each peer, interval by interval.

use plotters::prelude::*;

use super::plot::{
    BAND, INK, LINE, MUTED, PlotResult, SERIES, picture, position, text, text_around, text_before,
    ticks,
};
use super::words::{ours, peers};
use super::{Section, Table, illustrated};
use crate::results::{RatioRecord, ResultFile};

const WIDTH: i32 = 820;
const LABELS: i32 = 250;
const VALUES: i32 = 150;
const ROW: i32 = 24;
const TOP: i32 = 12;
const BOTTOM: i32 = 40;

pub(super) fn section(file: &ResultFile) -> PlotResult<Option<Section>> {
    let Some(ours) = ours(file) else {
        return Ok(None);
    };
    let mut body = String::new();
    for (index, peer) in peers(file).enumerate() {
        let ratios: Vec<&RatioRecord> = file
            .ratios
            .iter()
            .filter(|record| record.a == ours.id && record.b == peer.id)
            .collect();
        if !ratios.is_empty() {
            let colour = SERIES[index % SERIES.len()];
            body.push_str(&one(&ours.id, &peer.id, &ratios, colour)?);
        }
    }
    Ok((!body.is_empty()).then(|| Section {
        title: format!("{} against its peers", ours.id),
        body,
    }))
}

fn one(ours: &str, peer: &str, ratios: &[&RatioRecord], colour: RGBColor) -> PlotResult<String> {
    let title = format!("{ours} over {peer}");
    let description = "For each scenario the ratio of the two and its 95 % interval on a \
                       logarithmic axis; right of 1 means that ours is faster. The band is how far \
                       an arm lies from itself.";
    let height = TOP + ROW * ratios.len() as i32 + BOTTOM;
    let svg = picture(
        (WIDTH as u32, height as u32),
        &title,
        description,
        |canvas| {
            draw(canvas, ratios, colour)?;
            Ok(())
        },
    )?;
    let mut table = Table::new(["scenario", "ratio", "low", "high", "p (Holm)", "verdict"]);
    for record in ratios {
        table.row([
            record.scenario.clone(),
            format!("{:.3}", record.ratio),
            format!("{:.3}", record.ci95[0]),
            format!("{:.3}", record.ci95[1]),
            record.p_holm.map_or(String::new(), |p| format!("{p:.2e}")),
            record.verdict.label().to_owned(),
        ]);
    }
    let caption = format!(
        "{title}: median of paired rounds with its 95 % interval. Right of 1, ours is faster. \
         Grey: how far the first arm lies from itself."
    );
    Ok(illustrated(&svg, &caption, &table))
}

fn draw(
    canvas: &super::plot::Canvas<'_>,
    ratios: &[&RatioRecord],
    colour: RGBColor,
) -> Result<(), Box<dyn std::error::Error>> {
    let range = range(ratios);
    let span = (LABELS, WIDTH - VALUES);
    let x = |value: f64| position(value.clamp(range.0, range.1), range, span);
    let foot = TOP + ROW * ratios.len() as i32;
    for tick in ticks(range.0, range.1) {
        let style = if tick == 1.0 { INK } else { LINE };
        canvas.draw(&PathElement::new([(x(tick), TOP), (x(tick), foot)], style))?;
        canvas.draw(&Text::new(
            format!("{tick}"),
            (x(tick), foot + 14),
            text_around(MUTED),
        ))?;
    }
    canvas.draw(&Text::new(
        "times as fast",
        ((span.0 + span.1) / 2, foot + 31),
        text_around(MUTED),
    ))?;
    for (index, record) in ratios.iter().enumerate() {
        let middle = TOP + ROW * index as i32 + ROW / 2;
        if let Some(floor) = record.aa_floor {
            let corners = [
                (x(1.0 / (1.0 + floor)), middle - ROW / 2 + 2),
                (x(1.0 + floor), middle + ROW / 2 - 2),
            ];
            canvas.draw(&Rectangle::new(corners, BAND.mix(0.6).filled()))?;
        }
        let [low, high] = record.ci95;
        let whisker = [(x(low), middle), (x(high), middle)];
        canvas.draw(&PathElement::new(whisker, colour.stroke_width(2)))?;
        canvas.draw(&Circle::new((x(record.ratio), middle), 4, colour.filled()))?;
        canvas.draw(&Text::new(
            record.scenario.clone(),
            (LABELS - 10, middle),
            text_before(INK),
        ))?;
        canvas.draw(&Text::new(
            format!("{:.2}  [{low:.2}, {high:.2}]", record.ratio),
            (WIDTH - VALUES + 12, middle),
            text(INK),
        ))?;
    }
    Ok(())
}

/// Wide enough for all intervals, and at least from 0.5 to 2.
fn range(ratios: &[&RatioRecord]) -> (f64, f64) {
    let low = ratios
        .iter()
        .map(|record| record.ci95[0])
        .fold(0.5, f64::min);
    let high = ratios
        .iter()
        .map(|record| record.ci95[1])
        .fold(2.0, f64::max);
    (low * 0.95, high * 1.05)
}
