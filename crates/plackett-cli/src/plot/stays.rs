//! Where along a range of values things are there: a line of bars for each, on an axis of the values, and where the chosen one lies.

use super::{
    HALF_CAPITAL, LABEL_SIZE, LEADING, MARGIN, TEXT, TITLE_SIZE,
    canvas::{Anchor, Canvas, Dash, Font, Rgb, Shape},
    text,
};
use crate::plot::Color;

/// What is there at which values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stays<'a> {
    pub title: &'a str,
    /// What the values are.
    pub axis: &'a str,
    pub values: &'a [f64],
    /// Which of the values was chosen.
    pub chosen: usize,
    pub lines: &'a [Stay],
}

/// A line of the picture.
#[derive(Clone, Debug)]
pub(crate) struct Stay {
    pub label: String,
    /// Whether it is there at each of the values.
    pub is_there: Vec<bool>,
    /// Whether it is among what was chosen.
    pub is_chosen: bool,
}

const LINE_HEIGHT: f64 = 18.0;
const BAR_HEIGHT: f64 = 9.0;
const STEP: f64 = 44.0;
const TICK_SIZE: f64 = 10.0;
const LABEL_GAP: f64 = 8.0;
const OTHER: Rgb = Rgb(0x9a, 0xa3, 0xad);
const GRID: Rgb = Rgb(0xe3, 0xe7, 0xeb);

/// The picture.
pub(super) fn compose(stays: &Stays<'_>, font: &Font) -> Canvas {
    let &Stays { title, axis, values, chosen, lines } = stays;
    let room = lines.iter().map(|line| font.width(&line.label, LABEL_SIZE)).fold(0.0, f64::max) + LABEL_GAP;
    let bars = STEP * values.len() as f64;
    let (left, top) = (MARGIN + room, 2.0 * MARGIN + TITLE_SIZE * LEADING);
    let bottom = top + LINE_HEIGHT * lines.len() as f64;
    let width = (left + bars + MARGIN).max(font.width(title, TITLE_SIZE) + 2.0 * MARGIN);
    let height = bottom + 2.0 * TICK_SIZE * LEADING + LABEL_SIZE * LEADING + MARGIN;
    let mut shapes = vec![text(title, (width / 2.0, MARGIN + TITLE_SIZE), TITLE_SIZE, Anchor::Middle)];
    let center = |at: usize| left + (at as f64 + 0.5) * STEP;
    for (at, &value) in values.iter().enumerate() {
        let (color, dash) = if at == chosen { (TEXT, Dash::Dashed) } else { (GRID, Dash::Solid) };
        shapes.push(Shape::Line {
            points: vec![(center(at), top), (center(at), bottom)],
            color,
            width: 1.0,
            dash,
            opacity: 1.0,
        });
        shapes.push(text(
            &tick(value),
            (center(at), bottom + TICK_SIZE * LEADING),
            TICK_SIZE,
            Anchor::Middle,
        ));
    }
    for (row, line) in lines.iter().enumerate() {
        let middle = top + (row as f64 + 0.5) * LINE_HEIGHT;
        let at = (left - LABEL_GAP, middle + LABEL_SIZE * HALF_CAPITAL);
        shapes.push(text(&line.label, at, LABEL_SIZE, Anchor::End));
        let color = if line.is_chosen { Color::Blue.rgb() } else { OTHER };
        for at in (0..line.is_there.len()).filter(|&at| line.is_there[at]) {
            let (start, end) = (left + at as f64 * STEP, left + (at + 1) as f64 * STEP);
            let (high, low) = (middle - BAR_HEIGHT / 2.0, middle + BAR_HEIGHT / 2.0);
            let points = vec![(start, high), (end, high), (end, low), (start, low)];
            shapes.push(Shape::Area { points, color, opacity: 0.9 });
        }
    }
    let caption = format!("{axis}; dashed: the graph that was learned; gray: edges that it does not have");
    let at = (left + bars / 2.0, bottom + 2.0 * TICK_SIZE * LEADING + LABEL_SIZE);
    shapes.push(text(&caption, at, TICK_SIZE, Anchor::Middle));
    let width = width.max(left + bars / 2.0 + font.width(&caption, TICK_SIZE) / 2.0 + MARGIN);
    Canvas { width, height, description: format!("{title}. {caption}."), shapes }
}

fn tick(value: f64) -> String {
    if (0.01..1000.0).contains(&value) { format!("{value:.2}") } else { format!("{value:.0e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Figure;

    #[test]
    fn a_bar_for_each_value_at_which_a_line_is_there() {
        let stay = |label: &str, is_there: [bool; 3], is_chosen| Stay {
            label: label.to_owned(),
            is_there: is_there.to_vec(),
            is_chosen,
        };
        let lines = [stay("a -> b", [true, true, false], true), stay("b -> c", [true, false, false], false)];
        let stays =
            Stays { title: "edges", axis: "penalty", values: &[0.5, 1.0, 2.0], chosen: 1, lines: &lines };
        let canvas = compose(&stays, &Font::load().unwrap());
        let bars = canvas.shapes.iter().filter(|shape| matches!(shape, Shape::Area { .. })).count();
        assert_eq!(bars, 3);
        let figure = Figure::draw_stays(&stays).unwrap();
        assert!(
            figure.svg.contains("a -&gt; b")
                && figure.svg.contains("0.50")
                && figure.svg.contains("dasharray")
        );
    }
}
