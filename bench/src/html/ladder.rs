//! The ladder: what each feature adds, from the first arm to the last of the same library.

use plotters::prelude::*;

use super::plot::{
    Canvas, INK, LINE, MUTED, PlotResult, SERIES, picture, position, text, text_around,
    text_before, ticks,
};
use super::{Section, Table, illustrated};
use crate::results::{ArmRecord, ResultFile};
use crate::table::figure;

const WIDTH: i32 = 820;
const HEIGHT: i32 = 340;
const LEFT: i32 = 60;
const RIGHT: i32 = 270;
const TOP: i32 = 16;
const BOTTOM: i32 = 36;
/// Labels at the right end keep this distance.
const LABEL_STEP: i32 = 17;

/// A family of rows that share a plot: its name, and how the ids of its rows begin.
const FAMILIES: [(&str, &[&str]); 4] = [
    ("Handshakes", &["hs-"]),
    ("Records", &["bulk:"]),
    (
        "Public keys",
        &[
            "algo:rsa",
            "algo:dh",
            "algo:p256",
            "algo:x25519",
            "algo:ml-",
        ],
    ),
    ("Ciphers and hashes", &["algo:"]),
];

/// One row's way up: the factor over the first arm at each arm that has one.
struct Climb {
    scenario: String,
    steps: Vec<(usize, f64)>,
}

pub(super) fn section(file: &ResultFile) -> PlotResult<Option<Section>> {
    let Some(first) = file.arms.first() else {
        return Ok(None);
    };
    let arms: Vec<&ArmRecord> = file
        .arms
        .iter()
        .filter(|arm| arm.control_of.is_none() && arm.library == first.library)
        .collect();
    if arms.len() < 2 {
        return Ok(None);
    }
    let mut body = String::new();
    let mut seen: Vec<&str> = Vec::new();
    for (name, starts) in FAMILIES {
        let members: Vec<&str> = file
            .scenarios
            .iter()
            .map(|scenario| scenario.id.as_str())
            .filter(|id| !seen.contains(id) && starts.iter().any(|start| id.starts_with(start)))
            .collect();
        seen.extend(&members);
        let climbs: Vec<Climb> = members
            .iter()
            .map(|id| climb(file, &arms, id))
            .filter(|climb| climb.steps.len() > 1)
            .collect();
        if !climbs.is_empty() {
            body.push_str(&one(name, &arms, &climbs)?);
        }
    }
    Ok((!body.is_empty()).then(|| Section {
        title: format!("What each feature adds to {}", first.id),
        body,
    }))
}

fn climb(file: &ResultFile, arms: &[&ArmRecord], scenario: &str) -> Climb {
    let first = &arms[0].id;
    let base = file.row(first, scenario).filter(|row| row.valid);
    let mut steps: Vec<(usize, f64)> = base.map(|_| (0, 1.0)).into_iter().collect();
    for (index, arm) in arms.iter().enumerate().skip(1) {
        steps.extend(
            file.ratio(&arm.id, first, scenario)
                .map(|record| (index, record.ratio)),
        );
    }
    Climb {
        scenario: scenario.to_owned(),
        steps,
    }
}

fn one(name: &str, arms: &[&ArmRecord], climbs: &[Climb]) -> PlotResult<String> {
    let title = format!("{name}: times {}", arms[0].id);
    let description = "One line for each scenario, rising from 1 at the first arm to the factor at \
                       each further arm, on a logarithmic axis.";
    let svg = picture(
        (WIDTH as u32, HEIGHT as u32),
        &title,
        description,
        |canvas| draw(canvas, arms, climbs),
    )?;
    let mut table = Table::new(["scenario", "arm", "factor"]);
    for climb in climbs {
        for &(arm, factor) in &climb.steps {
            table.row([
                climb.scenario.clone(),
                arms[arm].id.clone(),
                format!("×{}", figure(factor)),
            ]);
        }
    }
    Ok(illustrated(
        &svg,
        &format!("{title}, each arm with one feature more."),
        &table,
    ))
}

fn draw(
    canvas: &Canvas<'_>,
    arms: &[&ArmRecord],
    climbs: &[Climb],
) -> Result<(), Box<dyn std::error::Error>> {
    let factors = || {
        climbs
            .iter()
            .flat_map(|climb| &climb.steps)
            .map(|step| step.1)
    };
    let range = (
        factors().fold(1.0, f64::min) * 0.9,
        factors().fold(2.0, f64::max) * 1.1,
    );
    let foot = HEIGHT - BOTTOM;
    let y = |factor: f64| position(factor, range, (foot, TOP));
    let last = (arms.len() - 1) as i32;
    let x = |arm: usize| LEFT + 20 + (WIDTH - RIGHT - LEFT - 40) * arm as i32 / last;
    for tick in ticks(range.0, range.1) {
        let line = [(LEFT, y(tick)), (WIDTH - RIGHT, y(tick))];
        let style = if tick == 1.0 { INK } else { LINE };
        canvas.draw(&PathElement::new(line, style))?;
        canvas.draw(&Text::new(
            format!("×{tick}"),
            (LEFT - 8, y(tick)),
            text_before(MUTED),
        ))?;
    }
    for (index, arm) in arms.iter().enumerate() {
        canvas.draw(&Text::new(
            arm.id.clone(),
            (x(index), foot + 18),
            text_around(INK),
        ))?;
    }
    let ends: Vec<i32> = climbs
        .iter()
        .map(|climb| y(climb.steps.last().map_or(1.0, |step| step.1)))
        .collect();
    for ((index, climb), label) in climbs.iter().enumerate().zip(apart(&ends)) {
        let colour = SERIES[index % SERIES.len()];
        let points: Vec<(i32, i32)> = climb
            .steps
            .iter()
            .map(|&(arm, factor)| (x(arm), y(factor)))
            .collect();
        let Some(&(end_x, end_y)) = points.last() else {
            continue;
        };
        for &point in &points {
            canvas.draw(&Circle::new(point, 3, colour.filled()))?;
        }
        canvas.draw(&PathElement::new(points, colour.stroke_width(2)))?;
        let leader = [(end_x + 5, end_y), (WIDTH - RIGHT + 12, label)];
        canvas.draw(&PathElement::new(leader, LINE))?;
        let factor = climb.steps.last().map_or(1.0, |step| step.1);
        canvas.draw(&Text::new(
            format!("{} ×{}", climb.scenario, figure(factor)),
            (WIDTH - RIGHT + 16, label),
            text(colour),
        ))?;
    }
    Ok(())
}

/// Heights for labels that want to be at `wanted`, moved apart so that none hides another, within
/// the picture as far as they fit.
fn apart(wanted: &[i32]) -> Vec<i32> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|&index| wanted[index]);
    let mut placed = wanted.to_vec();
    let mut lowest_free = TOP - LABEL_STEP / 2;
    for &index in &order {
        placed[index] = placed[index].max(lowest_free);
        lowest_free = placed[index] + LABEL_STEP;
    }
    let mut highest_free = HEIGHT - LABEL_STEP / 2;
    for &index in order.iter().rev() {
        placed[index] = placed[index].min(highest_free);
        highest_free = placed[index] - LABEL_STEP;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_keep_their_distance_and_order() {
        let placed = apart(&[100, 102, 300, 101]);
        let mut sorted = placed.clone();
        sorted.sort_unstable();
        for pair in sorted.windows(2) {
            assert!(pair[1] - pair[0] >= LABEL_STEP, "{placed:?}");
        }
        assert!(placed[0] < placed[3] && placed[3] < placed[1] && placed[1] < placed[2]);
    }

    #[test]
    fn labels_at_the_foot_stay_inside() {
        let placed = apart(&[HEIGHT - 5, HEIGHT - 4, HEIGHT - 3]);
        assert!(placed.iter().all(|&height| height < HEIGHT));
    }
}
