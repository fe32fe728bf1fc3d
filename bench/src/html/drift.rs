//! The drift strip: how fast the core itself was throughout the run, and which rounds were left out.

use plotters::prelude::*;

use super::plot::{INK, LINE, MUTED, PlotResult, SERIES, picture, text, text_before};
use super::{Section, Table, illustrated};
use crate::results::{ResultFile, SampleRecord};
use crate::statistics::{median, percentile};

const WIDTH: i32 = 820;
const HEIGHT: i32 = 180;
const LEFT: i32 = 60;
const RIGHT: i32 = 20;
const TOP: i32 = 30;
const BOTTOM: i32 = 20;

pub(super) fn section(file: &ResultFile) -> PlotResult<Option<Section>> {
    let samples = in_order(file);
    let speeds: Vec<f64> = samples.iter().map(|sample| speed(sample)).collect();
    let Some(middle) = median(&speeds) else {
        return Ok(None);
    };
    let deviations: Vec<(f64, bool)> = samples
        .iter()
        .map(|sample| {
            (
                (speed(sample) / middle - 1.0) * 100.0,
                sample.discarded.is_some(),
            )
        })
        .collect();
    let reach = deviations
        .iter()
        .fold(5.0_f64, |reach, (deviation, _)| reach.max(deviation.abs()))
        .min(50.0);
    let description = "Every sample in the order it was taken; the height is the speed of a fixed \
                       loop on the same core, as a deviation from its median.";
    let svg = picture(
        (WIDTH as u32, HEIGHT as u32),
        "Speed of the core",
        description,
        |canvas| {
            let foot = HEIGHT - BOTTOM;
            let y = |percent: f64| {
                let share = (percent.clamp(-reach, reach) + reach) / (2.0 * reach);
                foot - (share * f64::from(foot - TOP)).round() as i32
            };
            for percent in [-reach, 0.0, reach] {
                let line = [(LEFT, y(percent)), (WIDTH - RIGHT, y(percent))];
                let style = if percent == 0.0 { INK } else { LINE };
                canvas.draw(&PathElement::new(line, style))?;
                let label = format!("{percent:+.0} %");
                canvas.draw(&Text::new(
                    label,
                    (LEFT - 8, y(percent)),
                    text_before(MUTED),
                ))?;
            }
            let last = deviations.len().max(2) as i32 - 1;
            for (index, &(percent, left_out)) in deviations.iter().enumerate() {
                let x = LEFT + (WIDTH - RIGHT - LEFT) * index as i32 / last;
                let colour = SERIES[usize::from(left_out)];
                canvas.draw(&Circle::new((x, y(percent)), 2, colour.filled()))?;
            }
            let keys = [
                (SERIES[0], "counted", LEFT),
                (SERIES[1], "left out", LEFT + 110),
            ];
            for (colour, word, x) in keys {
                canvas.draw(&Circle::new((x + 4, 14), 4, colour.filled()))?;
                canvas.draw(&Text::new(word, (x + 14, 14), text(INK)))?;
            }
            Ok(())
        },
    )?;
    let mut table = Table::new(["share of the samples", "speed, steps per µs"]);
    for (name, rank) in [
        ("slowest", 0.0),
        ("5 %", 0.05),
        ("half", 0.5),
        ("95 %", 0.95),
        ("fastest", 1.0),
    ] {
        let value = percentile(&speeds, rank).unwrap_or_default();
        table.row([name.to_owned(), format!("{value:.1}")]);
    }
    let caption = "Every sample in the order it was taken: the speed of a fixed loop on the same \
                   core. A flat line is a quiet machine.";
    Ok(Some(Section {
        title: "How steady the machine was".to_owned(),
        body: illustrated(&svg, caption, &table),
    }))
}

/// A launch visits the scenarios one after the other, each with its rounds and their turns.
fn in_order(file: &ResultFile) -> Vec<&SampleRecord> {
    let place = |id: &str| file.scenarios.iter().position(|scenario| scenario.id == id);
    let mut samples: Vec<(u32, Option<usize>, &SampleRecord)> = file
        .results
        .iter()
        .flat_map(|row| {
            let scenario = place(&row.scenario);
            row.samples
                .iter()
                .map(move |sample| (sample.launch, scenario, sample))
        })
        .collect();
    samples
        .sort_by_key(|(launch, scenario, sample)| (*launch, *scenario, sample.round, sample.slot));
    samples.into_iter().map(|(_, _, sample)| sample).collect()
}

fn speed(sample: &SampleRecord) -> f64 {
    let [before, after] = sample.spin;
    (before + after) / 2.0
}
