//! Figures as SVG and PNG: line charts with bands, a grid of panels above one shared legend; and pictures of graphs.
//!
//! Drawn by our own hand, because the chart crates tried put legends and labels on top of the curves or drew ragged
//! lines; what is left to others is the hard part, rasterizing (`tiny-skia`) and glyphs (`ttf-parser`).

mod axis;
mod canvas;
mod matrix;
mod network;
mod stays;

pub(crate) use network::{Arrow, Graph, Weights};
pub(crate) use stays::{Stay, Stays};

use anyhow::ensure;

use axis::{Axis, Tick};
use canvas::{Anchor, Canvas, Dash, Font, Point, Rgb, Shape};

/// Colors that stay apart for color-blind readers and in grey print: those of Okabe and Ito, less the yellow, which
/// is too faint for a line on white. A method keeps its color in every panel and figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Color {
    Black,
    Blue,
    Vermilion,
    Green,
    Orange,
    Purple,
    Sky,
}

impl Color {
    fn rgb(self) -> Rgb {
        match self {
            Color::Black => Rgb(0x00, 0x00, 0x00),
            Color::Blue => Rgb(0x00, 0x72, 0xb2),
            Color::Vermilion => Rgb(0xd5, 0x5e, 0x00),
            Color::Green => Rgb(0x00, 0x9e, 0x73),
            Color::Orange => Rgb(0xe6, 0x9f, 0x00),
            Color::Purple => Rgb(0xcc, 0x79, 0xa7),
            Color::Sky => Rgb(0x56, 0xb4, 0xe9),
        }
    }
}

/// One method's course. A point with a coordinate that is not finite (or not positive, on a logarithmic axis) is a
/// gap in the line.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    /// Its name in the legend; curves of one look and name share a legend entry.
    pub label: String,
    pub points: Vec<(f64, f64)>,
    /// Lower and upper edge at each point; empty for none.
    pub band: Vec<(f64, f64)>,
    pub color: Color,
    pub dashed: bool,
}

/// A horizontal line to compare the curves with, such as the optimum.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    /// Its name in the legend.
    pub label: String,
    pub value: f64,
}

/// One pair of axes and what is drawn on them. Empty titles and labels take no room.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panel {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub log_x: bool,
    pub curves: Vec<Curve>,
    pub reference: Option<Reference>,
    /// Lowest and highest value shown; the extent of the curves, bands and reference where not given.
    pub y_range: Option<(f64, f64)>,
}

/// A finished figure.
#[derive(Debug)]
pub(crate) struct Figure {
    pub svg: String,
    pub png: Vec<u8>,
}

const TEXT: Rgb = Rgb(0x22, 0x22, 0x22);
const AXIS: Rgb = Rgb(0x55, 0x55, 0x55);
const GRID: Rgb = Rgb(0xe4, 0xe4, 0xe4);

const TITLE_SIZE: f64 = 16.0;
const PANEL_TITLE_SIZE: f64 = 13.0;
const LABEL_SIZE: f64 = 12.0;
const TICK_SIZE: f64 = 11.0;

/// From a baseline up to the middle of a digit or capital, as a share of the text size.
const HALF_CAPITAL: f64 = 0.357;
/// From one baseline to the next, as a share of the text size.
const LEADING: f64 = 1.5;

const CURVE_WIDTH: f32 = 1.6;
const HAIRLINE: f32 = 1.0;
const BAND_OPACITY: f32 = 0.18;
/// A point with gaps on both sides has no line to show it.
const DOT_RADIUS: f64 = 2.0;

/// Around the whole figure, and between its parts.
const MARGIN: f64 = 12.0;
const COLUMN_GAP: f64 = 22.0;
const ROW_GAP: f64 = 10.0;
const TICK_GAP: f64 = 6.0;

/// Between tick labels and the label of a vertical axis: a viewer's own font for an SVG may be wider than ours.
const Y_LABEL_GAP: f64 = 3.0;

/// The least free share of the y-range above and below the curves.
const Y_MARGIN: f64 = 0.05;

const LEGEND_STROKE: f64 = 26.0;
const LEGEND_GAP: f64 = 24.0;

/// Larger graphs are drawn as a matrix: of so many arrows none could be followed, and laying them out takes longer than the search.
const MOST_NODES_WITH_ARROWS: usize = 300;
const MOST_ARROWS: usize = 1000;

/// The picture of a graph as SVG alone, which is quicker.
///
/// # Errors
/// When the font is broken.
pub(crate) fn graph_svg(graph: &Graph<'_>) -> anyhow::Result<String> {
    Ok(compose_graph(graph, &Font::load()?).to_svg())
}

fn compose_graph(graph: &Graph<'_>, font: &Font) -> Canvas {
    let has_arrows = graph.names.len() <= MOST_NODES_WITH_ARROWS && graph.arrows.len() <= MOST_ARROWS;
    if has_arrows { network::compose(graph, font) } else { matrix::compose(graph, font) }
}

impl Figure {
    /// Draws a graph, with arrows if they can be followed.
    ///
    /// # Errors
    /// When the font is broken or the picture too large.
    pub(crate) fn draw_graph(graph: &Graph<'_>) -> anyhow::Result<Self> {
        let font = Font::load()?;
        let canvas = compose_graph(graph, &font);
        Ok(Self { svg: canvas.to_svg(), png: canvas.to_png(&font)? })
    }
}

impl Figure {
    /// Draws where along a range of values things are there.
    ///
    /// # Errors
    /// When the font is broken or the picture too large.
    pub(crate) fn draw_stays(stays: &Stays<'_>) -> anyhow::Result<Self> {
        let font = Font::load()?;
        let canvas = stays::compose(stays, &font);
        Ok(Self { svg: canvas.to_svg(), png: canvas.to_png(&font)? })
    }
}

impl Figure {
    /// Draws the panels row by row, so many to a row.
    ///
    /// # Errors
    /// When there is nothing to draw, a band does not match its curve, or a fixed range is empty or not finite.
    pub(crate) fn draw(title: &str, panels: &[Panel], columns: usize) -> anyhow::Result<Self> {
        ensure!(!panels.is_empty() && columns > 0, "a figure needs a panel");
        for panel in panels {
            check(panel)?;
        }
        let font = Font::load()?;
        let canvas = compose(title, panels, columns.min(panels.len()), &font);
        Ok(Self { svg: canvas.to_svg(), png: canvas.to_png(&font)? })
    }
}

fn check(panel: &Panel) -> anyhow::Result<()> {
    for curve in &panel.curves {
        ensure!(
            curve.band.is_empty() || curve.band.len() == curve.points.len(),
            "the band of {:?} has {} points, the curve {}",
            curve.label,
            curve.band.len(),
            curve.points.len()
        );
    }
    if let Some((low, high)) = panel.y_range {
        ensure!(
            low < high && low.is_finite() && high.is_finite(),
            "the y-range {low} to {high} of panel {:?} is empty",
            panel.title
        );
    }
    Ok(())
}

/// A panel with its axes worked out, as the room they take decides where the panel goes.
struct Plot<'a> {
    panel: &'a Panel,
    x: Axis,
    y: Axis,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
}

impl<'a> Plot<'a> {
    fn new(panel: &'a Panel, width: f64, height: f64, font: &Font) -> Self {
        let curves = &panel.curves;
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let x = Axis::around(points().map(|point| point.0), panel.log_x, 0.0);
        let y = match panel.y_range {
            Some((low, high)) => Axis::around([low, high].into_iter(), false, 0.0),
            None => Axis::around(
                points()
                    .map(|point| point.1)
                    .chain(curves.iter().flat_map(|curve| &curve.band).flat_map(|&(low, high)| [low, high]))
                    .chain(panel.reference.iter().map(|reference| reference.value)),
                false,
                Y_MARGIN,
            ),
        };
        Self {
            panel,
            x,
            y,
            x_ticks: x.ticks_across(width, font, TICK_SIZE),
            y_ticks: y.ticks_upwards(height, TICK_SIZE),
        }
    }

    /// The room left of the vertical axis.
    fn left_room(&self, font: &Font) -> f64 {
        let widest = self.y_ticks.iter().map(|tick| font.width(&tick.label, TICK_SIZE)).fold(0.0, f64::max);
        widest + TICK_GAP + Y_LABEL_GAP + line_of(LABEL_SIZE, &self.panel.y_label)
    }

    fn draw(&self, frame: Frame, font: &Font) -> Vec<Shape> {
        let mut shapes = Vec::new();
        self.draw_axes(frame, font, &mut shapes);
        let mut inside = Vec::new();
        if let Some(reference) = &self.panel.reference
            && self.y.holds(reference.value)
        {
            let y = self.y.place(reference.value, frame.bottom(), frame.top);
            inside.push(reference_line((frame.left, y), (frame.right(), y)));
        }
        // All bands first: none may cover another method's curve.
        for curve in &self.panel.curves {
            self.draw_band(curve, frame, &mut inside);
        }
        for curve in &self.panel.curves {
            self.draw_curve(curve, frame, &mut inside);
        }
        // Half a line's width more, so that a curve along the edge keeps its thickness.
        let spare = f64::from(CURVE_WIDTH);
        shapes.push(Shape::Clip {
            left: frame.left - spare,
            top: frame.top - spare,
            width: frame.width + 2.0 * spare,
            height: frame.height + 2.0 * spare,
            shapes: inside,
        });
        shapes
    }

    fn draw_axes(&self, frame: Frame, font: &Font, shapes: &mut Vec<Shape>) {
        let (left, right, top, bottom) = (frame.left, frame.right(), frame.top, frame.bottom());
        for tick in &self.x_ticks {
            let x = self.x.place(tick.value, left, right);
            shapes.push(hairline(vec![(x, bottom), (x, top)], GRID));
            let baseline = bottom + TICK_GAP + 2.0 * HALF_CAPITAL * TICK_SIZE;
            shapes.push(text(&tick.label, (x, baseline), TICK_SIZE, Anchor::Middle));
        }
        for tick in &self.y_ticks {
            let y = self.y.place(tick.value, bottom, top);
            shapes.push(hairline(vec![(left, y), (right, y)], GRID));
            let baseline = y + HALF_CAPITAL * TICK_SIZE;
            let place = (left - TICK_GAP, baseline);
            shapes.push(text(&tick.label, place, TICK_SIZE, Anchor::End));
        }
        shapes.push(hairline(vec![(left, top), (left, bottom), (right, bottom)], AXIS));

        let middle = f64::midpoint(left, right);
        let title_size = fitted(font, &self.panel.title, PANEL_TITLE_SIZE, frame.width);
        shapes.push(text(
            &self.panel.title,
            (middle, top - 0.6 * PANEL_TITLE_SIZE),
            title_size,
            Anchor::Middle,
        ));
        let x_size = fitted(font, &self.panel.x_label, LABEL_SIZE, frame.width);
        let x_label_baseline = bottom + TICK_GAP + (LEADING * TICK_SIZE) + LABEL_SIZE;
        shapes.push(text(&self.panel.x_label, (middle, x_label_baseline), x_size, Anchor::Middle));
        shapes.push(Shape::Text {
            text: self.panel.y_label.clone(),
            at: (left - self.left_room(font) + LABEL_SIZE, f64::midpoint(top, bottom)),
            size: fitted(font, &self.panel.y_label, LABEL_SIZE, frame.height),
            anchor: Anchor::Middle,
            upright: true,
            color: TEXT,
        });
    }

    fn draw_band(&self, curve: &Curve, frame: Frame, shapes: &mut Vec<Shape>) {
        let edges: Vec<_> = curve
            .points
            .iter()
            .zip(&curve.band)
            .map(|(point, edges)| {
                let low = self.place((point.0, edges.0), frame)?;
                let high = self.place((point.0, edges.1), frame)?;
                Some((low, high))
            })
            .collect();
        for run in edges.split(Option::is_none) {
            let lower = run.iter().flatten().map(|edge| edge.0);
            let upper = run.iter().flatten().map(|edge| edge.1);
            if run.len() > 1 {
                shapes.push(Shape::Area {
                    points: lower.chain(upper.rev()).collect(),
                    color: curve.color.rgb(),
                    opacity: BAND_OPACITY,
                });
            }
        }
    }

    fn draw_curve(&self, curve: &Curve, frame: Frame, shapes: &mut Vec<Shape>) {
        let places: Vec<_> = curve.points.iter().map(|&point| self.place(point, frame)).collect();
        for run in places.split(Option::is_none) {
            let points: Vec<Point> = run.iter().copied().flatten().collect();
            match points[..] {
                [] => {}
                [center] => shapes.push(Shape::Dot { center, radius: DOT_RADIUS, color: curve.color.rgb() }),
                _ => shapes.push(curve_line(points, curve.color.rgb(), curve.dashed)),
            }
        }
    }

    /// Where a point lies on the page; nowhere if an axis has no place for it.
    fn place(&self, (x, y): (f64, f64), frame: Frame) -> Option<Point> {
        (self.x.holds(x) && self.y.holds(y))
            .then(|| (self.x.place(x, frame.left, frame.right()), self.y.place(y, frame.bottom(), frame.top)))
    }
}

/// The rectangle between the axes of one panel.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn right(self) -> f64 {
        self.left + self.width
    }

    fn bottom(self) -> f64 {
        self.top + self.height
    }
}

fn compose(title: &str, panels: &[Panel], columns: usize, font: &Font) -> Canvas {
    // More columns, smaller frames: the figure is shrunk to the width of a page, and its letters must stay legible.
    let (frame_width, frame_height) = match columns {
        1 => (500.0, 300.0),
        2 => (340.0, 230.0),
        _ => (260.0, 185.0),
    };
    let plots: Vec<Plot> =
        panels.iter().map(|panel| Plot::new(panel, frame_width, frame_height, font)).collect();

    // The axes of a column line up, so the widest labels of the column decide.
    let mut lefts = Vec::with_capacity(columns);
    let mut right = MARGIN;
    for column in 0..columns {
        let room =
            plots.iter().skip(column).step_by(columns).map(|plot| plot.left_room(font)).fold(0.0, f64::max);
        let left = right + room;
        lefts.push(left);
        right = left + frame_width + COLUMN_GAP;
    }
    let width = right - COLUMN_GAP + MARGIN + TICK_SIZE;

    let mut shapes = Vec::new();
    let mut top = MARGIN;
    if !title.is_empty() {
        let size = fitted(font, title, TITLE_SIZE, width - 2.0 * MARGIN);
        shapes.push(text(title, (width / 2.0, top + TITLE_SIZE), size, Anchor::Middle));
        top += LEADING * TITLE_SIZE + ROW_GAP / 2.0;
    }
    for row in plots.chunks(columns) {
        let highest = |size, text: fn(&Panel) -> &str| {
            row.iter().map(|plot| line_of(size, text(plot.panel))).fold(0.0, f64::max)
        };
        top += highest(PANEL_TITLE_SIZE, |panel| &panel.title);
        for (plot, &left) in row.iter().zip(&lefts) {
            let frame = Frame { left, top, width: frame_width, height: frame_height };
            shapes.extend(plot.draw(frame, font));
        }
        top += frame_height + TICK_GAP + LEADING * TICK_SIZE;
        top += highest(LABEL_SIZE, |panel| &panel.x_label) + ROW_GAP;
    }
    let height = draw_legend(panels, width, top, font, &mut shapes) + MARGIN;

    Canvas { width: width.ceil(), height: height.ceil(), description: title.to_owned(), shapes }
}

/// What the legend says of one kind of line.
#[derive(PartialEq)]
struct Entry<'a> {
    label: &'a str,
    /// Color and dashes of a curve; nothing for a reference.
    curve: Option<(Color, bool)>,
}

/// Draws every label once, centered, in as many lines as it takes, and returns where the legend ends.
///
/// It lies below the panels, where it can hide nothing.
fn draw_legend(panels: &[Panel], width: f64, top: f64, font: &Font, shapes: &mut Vec<Shape>) -> f64 {
    let curves = panels.iter().flat_map(|panel| &panel.curves);
    let references = panels.iter().filter_map(|panel| panel.reference.as_ref());
    let all = curves
        .map(|curve| Entry { label: &curve.label, curve: Some((curve.color, curve.dashed)) })
        .chain(references.map(|reference| Entry { label: &reference.label, curve: None }));
    let mut entries: Vec<Entry> = Vec::new();
    for entry in all {
        if !entry.label.is_empty() && !entries.contains(&entry) {
            entries.push(entry);
        }
    }

    let length = |entry: &Entry| LEGEND_STROKE + TICK_GAP + font.width(entry.label, LABEL_SIZE) + LEGEND_GAP;
    let mut lines: Vec<(f64, Vec<Entry>)> = Vec::new();
    for entry in entries {
        let more = length(&entry);
        match lines.last_mut() {
            Some((used, line)) if *used + more - LEGEND_GAP <= width - 2.0 * MARGIN => {
                *used += more;
                line.push(entry);
            }
            _ => lines.push((more, vec![entry])),
        }
    }

    let mut baseline = top;
    for (used, line) in lines {
        baseline += LEADING * LABEL_SIZE;
        let mut x = (width - (used - LEGEND_GAP)) / 2.0;
        for entry in line {
            let y = baseline - HALF_CAPITAL * LABEL_SIZE;
            let (from, to) = ((x, y), (x + LEGEND_STROKE, y));
            shapes.push(match entry.curve {
                Some((color, dashed)) => curve_line(vec![from, to], color.rgb(), dashed),
                None => reference_line(from, to),
            });
            let label_left = x + LEGEND_STROKE + TICK_GAP;
            shapes.push(text(entry.label, (label_left, baseline), LABEL_SIZE, Anchor::Start));
            x += length(&entry);
        }
    }
    baseline
}

fn curve_line(points: Vec<Point>, color: Rgb, dashed: bool) -> Shape {
    Shape::Line {
        points,
        color,
        width: CURVE_WIDTH,
        dash: if dashed { Dash::Dashed } else { Dash::Solid },
        opacity: 1.0,
    }
}

fn reference_line(from: Point, to: Point) -> Shape {
    Shape::Line { points: vec![from, to], color: AXIS, width: HAIRLINE, dash: Dash::Dotted, opacity: 1.0 }
}

fn hairline(points: Vec<Point>, color: Rgb) -> Shape {
    Shape::Line { points, color, width: HAIRLINE, dash: Dash::Solid, opacity: 1.0 }
}

fn text(text: &str, at: Point, size: f64, anchor: Anchor) -> Shape {
    Shape::Text { text: text.to_owned(), at, size, anchor, upright: false, color: TEXT }
}

/// The text size, or a smaller one at which the text has enough room.
fn fitted(font: &Font, text: &str, size: f64, room: f64) -> f64 {
    let width = font.width(text, size);
    if width > room { size * room / width } else { size }
}

/// The room one line of text takes: none without text.
fn line_of(size: f64, text: &str) -> f64 {
    if text.is_empty() { 0.0 } else { LEADING * size }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

    fn curve(label: &str, color: Color, points: Vec<(f64, f64)>) -> Curve {
        Curve { label: label.to_owned(), points, band: Vec::new(), color, dashed: false }
    }

    /// A curve that decays from 7.02 to 6.22 in 101 points, with a band.
    fn training(label: &str, color: Color, speed: f64) -> Curve {
        let points: Vec<_> = (0..=100)
            .map(|i| f64::from(i) * 500.0)
            .map(|step| (step, 6.22 + 0.8 * (-speed * step / 50_000.0).exp()))
            .collect();
        Curve {
            band: points.iter().map(|&(_, y)| (y - 0.05, y + 0.05)).collect(),
            ..curve(label, color, points)
        }
    }

    fn panel(title: &str) -> Panel {
        Panel {
            title: title.to_owned(),
            x_label: "step".to_owned(),
            y_label: "mean objective".to_owned(),
            curves: vec![
                training("exact", Color::Black, 0.0),
                training("REINFORCE", Color::Blue, 1.0),
                training("PL-REBAR", Color::Vermilion, 3.0),
                training("PL-RELAX", Color::Green, 8.0),
            ],
            reference: Some(Reference { label: "optimum".to_owned(), value: 6.22 }),
            ..Panel::default()
        }
    }

    /// Width and height in pixels.
    fn size(png: &[u8]) -> (u32, u32) {
        assert!(png.starts_with(PNG_SIGNATURE));
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
        (number(16), number(20))
    }

    /// How many pixels are not white.
    fn inked(png: &[u8]) -> usize {
        let pixels = tiny_skia::Pixmap::decode_png(png).unwrap();
        let white = |pixel: &&tiny_skia::PremultipliedColorU8| {
            (pixel.red(), pixel.green(), pixel.blue()) != (255, 255, 255)
        };
        pixels.pixels().iter().filter(white).count()
    }

    #[test]
    fn the_svg_holds_every_label_and_the_png_has_a_plausible_size() {
        let figure = Figure::draw("Toy", &[panel("First"), panel("Second")], 2).unwrap();
        for label in [
            "Toy",
            "First",
            "Second",
            "step",
            "mean objective",
            "exact",
            "REINFORCE",
            "PL-REBAR",
            "PL-RELAX",
            "optimum",
            "50k",
        ] {
            assert!(figure.svg.contains(&format!(">{label}<")), "{label}");
        }
        let (width, height) = size(&figure.png);
        assert!((1200..2400).contains(&width), "{width}");
        assert!((500..1200).contains(&height), "{height}");
    }

    #[test]
    fn the_legend_names_each_kind_of_curve_once() {
        let figure = Figure::draw("", &[panel("a"), panel("b"), panel("c")], 3).unwrap();
        assert_eq!(figure.svg.matches(">PL-RELAX<").count(), 1);
        assert_eq!(figure.svg.matches(">optimum<").count(), 1);
    }

    #[test]
    fn text_shows_in_the_png() {
        let bare = Figure::draw("", &[Panel::default()], 1).unwrap();
        let titled = Panel { title: "A title with many letters".to_owned(), ..Panel::default() };
        let titled = Figure::draw("", &[titled], 1).unwrap();
        assert!(inked(&titled.png) > inked(&bare.png) + 500);
    }

    #[test]
    fn points_that_are_not_finite_are_gaps() {
        let ys = [1.0, 2.0, f64::NAN, 3.0, f64::INFINITY, 1.0, 2.0];
        let points: Vec<_> = (0..).map(f64::from).zip(ys).collect();
        let broken = Curve {
            band: ys.iter().map(|&y| (y - 0.1, y + 0.1)).collect(),
            ..curve("broken", Color::Black, points)
        };
        let panel = Panel { curves: vec![broken], ..Panel::default() };
        let svg = Figure::draw("", &[panel], 1).unwrap().svg;
        // Two runs of two points, with a lone point between the gaps.
        assert_eq!(svg.matches("<polygon").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn curves_with_hardly_any_points_are_drawn() {
        let dashed = Curve { dashed: true, ..curve("two", Color::Blue, vec![(1.0, 5.0), (2.0, 1e120)]) };
        for log_x in [false, true] {
            for curves in [
                vec![],
                vec![curve("none", Color::Black, vec![])],
                vec![curve("one", Color::Green, vec![(3.0, 4.0)])],
                vec![curve("nowhere", Color::Green, vec![(f64::NAN, 4.0)])],
                vec![curve("zero", Color::Green, vec![(0.0, 0.0)])],
                vec![dashed.clone()],
            ] {
                for y_range in [None, Some((0.0, 10.0))] {
                    let panel = Panel { log_x, curves: curves.clone(), y_range, ..Panel::default() };
                    let figure = Figure::draw("", &[panel], 1).unwrap();
                    assert!(inked(&figure.png) > 100);
                }
            }
        }
    }

    #[test]
    fn a_fixed_range_is_kept_and_what_lies_outside_is_cut_off() {
        let tall = |y_range| Panel {
            curves: vec![curve("tall", Color::Blue, vec![(0.0, 0.0), (1.0, 1000.0)])],
            y_range,
            ..Panel::default()
        };
        let svg = Figure::draw("", &[tall(Some((0.0, 10.0)))], 1).unwrap().svg;
        assert!(svg.contains(">10<") && !svg.contains(">1000<"));
        assert!(svg.contains("overflow=\"hidden\""));
        assert!(Figure::draw("", &[tall(Some((1.0, 1.0)))], 1).is_err());
        assert!(Figure::draw("", &[tall(Some((0.0, f64::NAN)))], 1).is_err());
    }

    #[test]
    fn markup_in_labels_is_escaped() {
        let panel = Panel { title: "a < b & c > d\u{7}".to_owned(), ..Panel::default() };
        let svg = Figure::draw("", &[panel], 1).unwrap().svg;
        assert!(svg.contains(">a &lt; b &amp; c &gt; d <"));
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(Figure::draw("", &[], 1).is_err());
        assert!(Figure::draw("", &[Panel::default()], 0).is_err());
        let mut uneven = panel("uneven");
        uneven.curves[1].band.pop();
        let error = Figure::draw("", &[uneven], 1).unwrap_err();
        assert!(error.to_string().contains("REINFORCE"));
    }

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        let draw = || Figure::draw("Toy", &[panel("a"), panel("b")], 1).unwrap();
        assert_eq!(draw().svg, draw().svg);
        assert_eq!(draw().png, draw().png);
    }
}
