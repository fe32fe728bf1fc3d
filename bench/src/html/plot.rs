//! What the plots share: colours that follow the page's theme, text, and the frame around a drawing.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::escape;

/// A drawing that goes to a string.
pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Why a plot failed, as text.
pub type PlotResult<T> = Result<T, String>;

/// The plotting library knows fixed colours only. These stand for the theme's and are replaced by
/// its variables in the finished drawing.
const THEME: [(RGBColor, &str); 12] = [
    (INK, "ink"),
    (MUTED, "muted"),
    (LINE, "line"),
    (BAND, "band"),
    (SERIES[0], "c0"),
    (SERIES[1], "c1"),
    (SERIES[2], "c2"),
    (SERIES[3], "c3"),
    (SERIES[4], "c4"),
    (SERIES[5], "c5"),
    (SERIES[6], "c6"),
    (SERIES[7], "c7"),
];

/// Text and axes.
pub const INK: RGBColor = RGBColor(1, 2, 1);
/// Text of less weight.
pub const MUTED: RGBColor = RGBColor(1, 2, 2);
/// Grid lines.
pub const LINE: RGBColor = RGBColor(1, 2, 3);
/// The A/A band.
pub const BAND: RGBColor = RGBColor(1, 2, 4);
/// Series, told apart by people who do not see all colours, too.
pub const SERIES: [RGBColor; 8] = [
    RGBColor(1, 3, 0),
    RGBColor(1, 3, 1),
    RGBColor(1, 3, 2),
    RGBColor(1, 3, 3),
    RGBColor(1, 3, 4),
    RGBColor(1, 3, 5),
    RGBColor(1, 3, 6),
    RGBColor(1, 3, 7),
];

/// Draws on a canvas of this size and returns the picture with its title and description.
pub fn picture(
    size: (u32, u32),
    title: &str,
    description: &str,
    draw: impl FnOnce(&Canvas<'_>) -> Result<(), Box<dyn Error>>,
) -> PlotResult<String> {
    let mut svg = String::new();
    {
        let canvas = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&canvas).map_err(|error| error.to_string())?;
        canvas.present().map_err(|error| error.to_string())?;
    }
    for (colour, name) in THEME {
        let RGBColor(red, green, blue) = colour;
        let fixed = format!("#{red:02X}{green:02X}{blue:02X}");
        svg = svg.replace(&fixed, &format!("var(--{name})"));
    }
    let labels = format!(
        "<title>{}</title><desc>{}</desc>",
        escape(title),
        escape(description)
    );
    let inside = svg.find('>').map_or(0, |end| end + 1);
    svg.insert_str(inside, &labels);
    Ok(svg.replacen("<svg ", "<svg role=\"img\" ", 1))
}

/// Text that begins at its point.
pub fn text(colour: RGBColor) -> TextStyle<'static> {
    anchored(colour, HPos::Left)
}

/// Text that ends at its point.
pub fn text_before(colour: RGBColor) -> TextStyle<'static> {
    anchored(colour, HPos::Right)
}

/// Text with its middle at its point.
pub fn text_around(colour: RGBColor) -> TextStyle<'static> {
    anchored(colour, HPos::Center)
}

fn anchored(colour: RGBColor, horizontal: HPos) -> TextStyle<'static> {
    ("sans-serif", 13)
        .into_font()
        .color(&colour)
        .pos(Pos::new(horizontal, VPos::Center))
}

/// Whole powers and their halves and doubles between `low` and `high`, for the ticks of a
/// logarithmic axis: 0.5 1 2 5 10 20 50 100 ...
pub fn ticks(low: f64, high: f64) -> Vec<f64> {
    (-3..6)
        .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)))
        .filter(|tick| (low..=high).contains(tick))
        .collect()
}

/// Where a value lies on a logarithmic axis from `low` to `high`, drawn from `start` to `end`.
pub fn position(value: f64, (low, high): (f64, f64), (start, end): (i32, i32)) -> i32 {
    let share = (value.ln() - low.ln()) / (high.ln() - low.ln());
    start + (share * f64::from(end - start)).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_axis() {
        assert_eq!(position(1.0, (0.1, 10.0), (0, 200)), 100);
        assert_eq!(position(0.1, (0.1, 10.0), (50, 250)), 50);
        assert_eq!(ticks(0.4, 12.0), [0.5, 1.0, 2.0, 5.0, 10.0]);
    }
}
