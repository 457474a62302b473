//! A picture of a causal graph: nodes in layers, causes above effects; arrows colored by the sign of their weights and
//! as thick as they are strong; dashed where the data leave the direction open. With a bootstrap, the fainter the line the fewer resamples
//! join the two, and the fainter the head the fewer have its direction; one that fewer than half of them have is dotted with a hollow head.

use super::{
    HALF_CAPITAL, LABEL_SIZE, LEADING, MARGIN, TEXT, TITLE_SIZE,
    canvas::{Anchor, Canvas, Dash, Font, Point, Rgb, Shape},
    text,
};
use crate::plot::Color;
use plackett::elementary::{cos, hypot, sin};
use plackett_report::layout::{Gaps, Layout};

/// An arrow between two nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrow {
    pub from: usize,
    pub to: usize,
    pub weight: f64,
    /// How strong it is beside the others, in whatever units: how thick it is drawn.
    pub strength: f64,
    /// Whether it might as well point the other way.
    pub is_open: bool,
    /// The shares of resamples that join the two and that have this direction, if there were any.
    pub support: Option<(f64, f64)>,
}

impl Arrow {
    /// Whether fewer than half of the resamples have its direction, which is said to be one.
    pub(super) fn is_doubtful(&self) -> bool {
        !self.is_open && self.support.is_some_and(|(_, this_way)| this_way < 0.5)
    }

    /// How solid line and head are drawn.
    fn opacities(&self) -> (f32, f32) {
        let visible = |share: f64| (FAINTEST + (1.0 - FAINTEST) * share) as f32;
        match self.support {
            None => (1.0, 1.0),
            Some((joined, _)) if self.is_open => (visible(joined), visible(joined)),
            Some((joined, this_way)) => (visible(joined), visible(this_way)),
        }
    }

    /// The number at its line: its support in percent, or its weight.
    fn label(&self) -> String {
        match self.support {
            None => format!("{:.2}", self.weight),
            Some((joined, _)) if self.is_open => format!("{:.0}", 100.0 * joined),
            Some((joined, this_way)) => format!("{:.0}/{:.0}", 100.0 * joined, 100.0 * this_way),
        }
    }
}

/// What the weights of a graph's arrows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weights {
    /// Standardized coefficients of a linear model.
    Effects,
    /// What a score would lose without the arrow: positive, and of no use as numbers in a picture.
    Strengths,
}

const PAPER: Rgb = Rgb(0xff, 0xff, 0xff);
const NODE_SIZE: f64 = 12.0;
const NODE_HEIGHT: f64 = 24.0;
const NODE_PADDING: f64 = 10.0;
const NODE_LINE: f64 = 1.2;
const NODE_FILL: Rgb = Rgb(0xf4, 0xf6, 0xf8);
const NODE_EDGE: Rgb = Rgb(0x55, 0x5f, 0x6b);
/// Longer names are cut, lest one of them decide the width of the picture.
const LONGEST_NAME: usize = 24;

/// Larger pictures are drawn smaller, to keep the PNG within what viewers open.
const MOST_SIZE: f64 = 3000.0;

const THINNEST: f64 = 1.0;
const THICKEST: f64 = 3.2;
const HEAD_LENGTH: f64 = 9.0;
const HEAD_HALF_WIDTH: f64 = 3.5;
/// Points of the line that stand for one stretch of a curve between two layers.
const STRETCH: usize = 12;

const CAPTION_SIZE: f64 = 10.0;
const WEIGHT_SIZE: f64 = 9.5;
/// The opacity of an edge that no resample has: still to be seen.
const FAINTEST: f64 = 0.15;
/// With more arrows than this their weights would hide the arrows.
const MOST_WEIGHTS: usize = 40;
/// Where on its line a weight may stand, the best place first.
const WEIGHT_PLACES: [f64; 7] = [0.5, 0.58, 0.42, 0.66, 0.34, 0.74, 0.26];

/// A graph to be drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Graph<'a> {
    pub title: &'a str,
    pub names: &'a [String],
    /// All arrows lead from earlier to later nodes in it.
    pub order: &'a [usize],
    pub arrows: &'a [Arrow],
    pub weights: Weights,
    /// What the numbers at arrows are.
    pub numbers: &'a str,
    /// What makes an arrow thick.
    pub caption: &'a str,
}

/// The picture with arrows.
pub(super) fn compose(graph: &Graph<'_>, font: &Font) -> Canvas {
    let &Graph { title, names, order, arrows, weights: kind, numbers, caption } = graph;
    let labels: Vec<String> = names.iter().map(|name| shortened(name)).collect();
    let widths: Vec<f64> = labels
        .iter()
        .map(|label| (font.width(label, NODE_SIZE) + 2.0 * NODE_PADDING).max(NODE_HEIGHT + 8.0))
        .collect();
    let edges: Vec<(usize, usize)> = arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect();
    let Layout { nodes: places, edges: paths, width, height, .. } =
        Layout::layered(order, &edges, &widths, Gaps::default());

    let legend = legend_entries(arrows, kind);
    let legend_width: f64 = legend.iter().map(|entry| entry.width(font)).sum();
    let has_support = arrows.iter().any(|arrow| arrow.support.is_some());
    let shows_numbers = (has_support || kind == Weights::Effects) && arrows.len() <= MOST_WEIGHTS;
    let captions = captions(arrows, (caption, numbers), shows_numbers, has_support);
    let caption_width = captions.iter().map(|line| font.width(line, CAPTION_SIZE)).fold(0.0, f64::max);
    let title_width = font.width(title, TITLE_SIZE).max(caption_width);
    let page_width = width.max(legend_width).max(title_width) + 2.0 * MARGIN;
    let top = MARGIN + TITLE_SIZE * LEADING + NODE_HEIGHT / 2.0;
    let legend_top = top + height + NODE_HEIGHT / 2.0 + MARGIN;
    let caption_top = legend_top + if legend.is_empty() { 0.0 } else { LABEL_SIZE * LEADING };
    let page_height = caption_top + captions.len() as f64 * CAPTION_SIZE * LEADING + MARGIN;
    let moved = |(x, y): Point| (x + (page_width - width) / 2.0, y + top);

    let mut shapes = vec![text(title, (page_width / 2.0, MARGIN + TITLE_SIZE), TITLE_SIZE, Anchor::Middle)];
    let largest = arrows.iter().map(|arrow| arrow.strength).fold(0.0, f64::max);
    let mut weights = Vec::new();
    let mut taken: Vec<Label> = places
        .iter()
        .zip(&widths)
        .map(|(&place, width)| (moved(place), width / 2.0, NODE_HEIGHT / 2.0))
        .collect();
    for (arrow, path) in arrows.iter().zip(&paths) {
        let path: Vec<Point> = path.iter().map(|&point| moved(point)).collect();
        let line = clipped(&curve(&path), moved(places[arrow.to]), widths[arrow.to]);
        // What a score loses grows as the square of a correlation.
        let share = if largest > 0.0 { (arrow.strength.max(0.0) / largest).sqrt() } else { 0.0 };
        draw_arrow(&line, arrow, THINNEST + (THICKEST - THINNEST) * share, &mut shapes);
        if shows_numbers {
            draw_number(arrow, &line, font, &mut taken, &mut weights);
        }
    }
    shapes.append(&mut weights);
    for ((label, &width), &place) in labels.iter().zip(&widths).zip(&places) {
        draw_node(label, moved(place), width, &mut shapes);
    }
    let mut x = (page_width - legend_width) / 2.0;
    for entry in &legend {
        entry.draw((x, legend_top + LABEL_SIZE), &mut shapes);
        x += entry.width(font);
    }
    for (line, caption) in captions.iter().enumerate() {
        let y = caption_top + CAPTION_SIZE * (1.0 + line as f64 * LEADING);
        shapes.push(text(caption, (page_width / 2.0, y), CAPTION_SIZE, Anchor::Middle));
    }
    let description = format!("{title}. Causes above effects. {}", described(names, arrows));
    let mut canvas = Canvas { width: page_width, height: page_height, description, shapes };
    let zoom = (MOST_SIZE / canvas.width.max(canvas.height)).min(1.0);
    if zoom < 1.0 {
        canvas.zoom(zoom);
    }
    canvas
}

/// What thickness, numbers and faintness mean.
fn captions(
    arrows: &[Arrow],
    (thickness, numbers): (&str, &str),
    shows_numbers: bool,
    has_support: bool,
) -> Vec<String> {
    let mut lines = match (arrows.is_empty(), shows_numbers, has_support) {
        (true, _, _) => Vec::new(),
        (false, true, true) => vec![
            thickness.to_owned(),
            "numbers: % of resamples that join the two / in this direction; fainter: fewer".to_owned(),
        ],
        (false, true, false) => vec![format!("{thickness}; numbers: {numbers}")],
        (false, false, true) => {
            vec![format!(
                "{thickness}; fainter lines: fewer resamples join the two; heads: in this direction"
            )]
        }
        (false, false, false) => vec![thickness.to_owned()],
    };
    if arrows.iter().any(Arrow::is_doubtful) {
        lines.push("doubtful: fewer than half of the resamples have this direction".to_owned());
    }
    lines
}

pub(super) fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

/// A smooth line through the points of an edge, x as a cubic function of y between two layers. Its slope at a joint is
/// the mean of the slopes on both sides, or 0 where they have different signs: no overshooting.
fn curve(points: &[Point]) -> Vec<Point> {
    let slope = |at: usize| (points[at + 1].0 - points[at].0) / (points[at + 1].1 - points[at].1);
    let last = points.len() - 1;
    let tangent = |at: usize| match at {
        0 => slope(0),
        at if at == last => slope(last - 1),
        at if slope(at - 1) * slope(at) <= 0.0 => 0.0,
        at => f64::midpoint(slope(at - 1), slope(at)),
    };
    let mut line = vec![points[0]];
    for at in 0..last {
        let ((x0, y0), (x1, y1)) = (points[at], points[at + 1]);
        let rise = y1 - y0;
        let (m0, m1) = (tangent(at) * rise, tangent(at + 1) * rise);
        line.extend((1..=STRETCH).map(|step| {
            let t = step as f64 / STRETCH as f64;
            let (t2, t3) = (t * t, t * t * t);
            let x = x0 * (2.0 * t3 - 3.0 * t2 + 1.0)
                + m0 * (t3 - 2.0 * t2 + t)
                + x1 * (3.0 * t2 - 2.0 * t3)
                + m1 * (t3 - t2);
            (x, y0 + t * rise)
        }));
    }
    line
}

/// The line up to where it meets the node that it ends in.
fn clipped(line: &[Point], (x, y): Point, width: f64) -> Vec<Point> {
    // How far outside the node a point is: its distance from the line between the centers of the half circles.
    let (radius, straight) = (NODE_HEIGHT / 2.0, (width - NODE_HEIGHT) / 2.0);
    let outside = |point: Point| {
        hypot(((point.0 - x).abs() - straight).max(0.0), point.1 - y) - radius - NODE_LINE / 2.0
    };
    let end = line.iter().rposition(|&point| outside(point) > 0.0).unwrap_or(0);
    let mut kept = line[..=end].to_vec();
    if let Some(&inside) = line.get(end + 1) {
        let (mut out, mut within) = (line[end], inside);
        for _ in 0..20 {
            let middle = (f64::midpoint(out.0, within.0), f64::midpoint(out.1, within.1));
            if outside(middle) > 0.0 {
                out = middle;
            } else {
                within = middle;
            }
        }
        kept.push(out);
    }
    kept
}

pub(super) fn color(weight: f64) -> Rgb {
    if weight < 0.0 { Color::Vermilion.rgb() } else { Color::Blue.rgb() }
}

fn draw_arrow(line: &[Point], arrow: &Arrow, width: f64, shapes: &mut Vec<Shape>) {
    let tip = line[line.len() - 1];
    let length = HEAD_LENGTH + width;
    // The head lies along the chord of its own length, so that it follows the curve.
    let distance = |point: &Point| hypot(tip.0 - point.0, tip.1 - point.1);
    let end = line.iter().rposition(|point| distance(point) >= length).unwrap_or(0);
    let along = distance(&line[end]).max(f64::MIN_POSITIVE);
    let (dx, dy) = ((tip.0 - line[end].0) / along, (tip.1 - line[end].1) / along);
    let base = (tip.0 - dx * length, tip.1 - dy * length);
    let half = HEAD_HALF_WIDTH + width / 2.0;
    let mut shaft = line[..=end].to_vec();
    shaft.push(base);
    let color = color(arrow.weight);
    let dash = match (arrow.is_open, arrow.is_doubtful()) {
        (true, _) => Dash::Dashed,
        (false, true) => Dash::Dotted,
        (false, false) => Dash::Solid,
    };
    let (line_opacity, opacity) = arrow.opacities();
    shapes.push(Shape::Line { points: shaft, color, width: width as f32, dash, opacity: line_opacity });
    let corners =
        vec![tip, (base.0 - dy * half, base.1 + dx * half), (base.0 + dy * half, base.1 - dx * half)];
    if arrow.is_doubtful() {
        let outline = [&corners[..], &corners[..1]].concat();
        shapes.push(Shape::Area { points: corners, color: PAPER, opacity: 1.0 });
        shapes.push(Shape::Line {
            points: outline,
            color,
            width: 1.0,
            dash: Dash::Solid,
            opacity: line_opacity,
        });
    } else {
        shapes.push(Shape::Area { points: corners, color, opacity });
    }
}

/// The box of a label: its center, half its width and half its height.
type Label = (Point, f64, f64);

/// Puts an arrow's number on its line, in the middle unless that hides another one.
fn draw_number(arrow: &Arrow, line: &[Point], font: &Font, taken: &mut Vec<Label>, shapes: &mut Vec<Shape>) {
    let label = arrow.label();
    let (half, high) = (font.width(&label, WEIGHT_SIZE) / 2.0 + 1.5, WEIGHT_SIZE * 0.6);
    let overlap = |(x, y): Point| {
        let common = |&((other_x, other_y), other_half, other_high): &Label| {
            let across = (half + other_half - (x - other_x).abs()).max(0.0);
            let down = (high + other_high - (y - other_y).abs()).max(0.0);
            across * down
        };
        taken.iter().map(common).sum::<f64>()
    };
    let places = WEIGHT_PLACES.map(|share| along(line, share));
    let place = places.into_iter().min_by(|&a, &b| overlap(a).total_cmp(&overlap(b)));
    let (x, y) = place.unwrap_or(line[0]);
    taken.push(((x, y), half, high));
    let paper = vec![(x - half, y - high), (x + half, y - high), (x + half, y + high), (x - half, y + high)];
    shapes.push(Shape::Area { points: paper, color: PAPER, opacity: 0.85 });
    shapes.push(Shape::Text {
        text: label,
        at: (x, y + WEIGHT_SIZE * HALF_CAPITAL),
        size: WEIGHT_SIZE,
        anchor: Anchor::Middle,
        upright: false,
        color: color(arrow.weight),
    });
}

/// The point at a share of a line's length.
fn along(line: &[Point], share: f64) -> Point {
    let length = |pair: &[Point]| hypot(pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
    let mut left = share * line.windows(2).map(length).sum::<f64>();
    for pair in line.windows(2) {
        let step = length(pair);
        if left <= step && step > 0.0 {
            let part = left / step;
            return (pair[0].0 + part * (pair[1].0 - pair[0].0), pair[0].1 + part * (pair[1].1 - pair[0].1));
        }
        left -= step;
    }
    line[line.len() - 1]
}

fn draw_node(label: &str, (x, y): Point, width: f64, shapes: &mut Vec<Shape>) {
    let outline = rounded(x, y, width, NODE_HEIGHT);
    let mut closed = outline.clone();
    closed.push(outline[0]);
    shapes.push(Shape::Area { points: outline, color: NODE_FILL, opacity: 1.0 });
    shapes.push(Shape::Line {
        points: closed,
        color: NODE_EDGE,
        width: NODE_LINE as f32,
        dash: Dash::Solid,
        opacity: 1.0,
    });
    shapes.push(text(label, (x, y + NODE_SIZE * HALF_CAPITAL), NODE_SIZE, Anchor::Middle));
}

/// A box around a center, its short sides half circles.
fn rounded(x: f64, y: f64, width: f64, height: f64) -> Vec<Point> {
    const ARC: usize = 12;
    let radius = height / 2.0;
    let arc = |center: f64, start: f64| {
        (0..=ARC).map(move |step| {
            let angle = start + std::f64::consts::PI * step as f64 / ARC as f64;
            (center + radius * cos(angle), y + radius * sin(angle))
        })
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    arc(x + width / 2.0 - radius, -quarter).chain(arc(x - width / 2.0 + radius, quarter)).collect()
}

/// A short stroke and what it means.
pub(super) struct Entry {
    pub(super) label: &'static str,
    pub(super) color: Rgb,
    pub(super) dash: Dash,
}

impl Entry {
    const STROKE: f64 = 26.0;
    const GAP: f64 = 6.0;
    const AFTER: f64 = 22.0;

    pub(super) fn width(&self, font: &Font) -> f64 {
        Self::STROKE + Self::GAP + font.width(self.label, LABEL_SIZE) + Self::AFTER
    }

    pub(super) fn draw(&self, (x, y): Point, shapes: &mut Vec<Shape>) {
        let middle = y - LABEL_SIZE * HALF_CAPITAL;
        let points = vec![(x, middle), (x + Self::STROKE, middle)];
        shapes.push(Shape::Line { points, color: self.color, width: 2.0, dash: self.dash, opacity: 1.0 });
        let at = (x + Self::STROKE + Self::GAP, y);
        shapes.push(text(self.label, at, LABEL_SIZE, Anchor::Start));
    }
}

/// Entries for what occurs in the picture.
pub(super) fn legend_entries(arrows: &[Arrow], kind: Weights) -> Vec<Entry> {
    let (raises, lowers) = match kind {
        Weights::Effects => ("raises", "lowers"),
        Weights::Strengths => ("the score would lose without it", "the score would gain without it"),
    };
    let has_negative = arrows.iter().any(|arrow| arrow.weight < 0.0);
    let has_positive = arrows.iter().any(|arrow| arrow.weight >= 0.0);
    let all = [
        (raises, Color::Blue.rgb(), Dash::Solid, has_positive && (has_negative || kind == Weights::Effects)),
        (lowers, Color::Vermilion.rgb(), Dash::Solid, has_negative),
        ("direction open", TEXT, Dash::Dashed, arrows.iter().any(|arrow| arrow.is_open)),
        ("direction doubtful", TEXT, Dash::Dotted, arrows.iter().any(Arrow::is_doubtful)),
    ];
    all.into_iter()
        .filter(|&(_, _, _, occurs)| occurs)
        .map(|(label, color, dash, _)| Entry { label, color, dash })
        .collect()
}

fn described(names: &[String], arrows: &[Arrow]) -> String {
    let edges: Vec<String> =
        arrows.iter().map(|arrow| format!("{} -> {}", names[arrow.from], names[arrow.to])).collect();
    if edges.is_empty() { "No edges.".to_owned() } else { format!("{}.", edges.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Figure;

    fn arrow(from: usize, to: usize, weight: f64, is_open: bool) -> Arrow {
        Arrow { from, to, weight, strength: weight.abs(), is_open, support: None }
    }

    fn draw(names: &[&str], arrows: &[Arrow]) -> Figure {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let order: Vec<usize> = (0..names.len()).collect();
        let graph = Graph {
            title: "a graph",
            names: &names,
            order: &order,
            arrows,
            weights: Weights::Effects,
            numbers: "weights",
            caption: "thicker: stronger",
        };
        Figure::draw_graph(&graph).unwrap()
    }

    #[test]
    fn names_weights_and_what_occurs_are_in_the_picture() {
        let figure = draw(&["age", "<b & c>", "alone"], &[arrow(0, 1, -0.5, true)]);
        for part in ["age", "&lt;b &amp; c&gt;", "alone", "-0.50", "lowers", "direction open", "dasharray"] {
            assert!(figure.svg.contains(part), "no {part}");
        }
        assert!(!figure.svg.contains("raises"));
        assert!(figure.png.starts_with(b"\x89PNG"));
    }

    #[test]
    fn support_is_told_by_numbers_and_faintness() {
        let with = |support: (f64, f64), is_open: bool| Arrow {
            support: Some(support),
            ..arrow(0, 1, 1.0, is_open)
        };
        let svg = draw(&["a", "b"], &[with((0.5, 0.2), false)]).svg;
        assert!(
            svg.contains("50/20")
                && svg.contains("stroke-opacity=\"0.575\"")
                && svg.contains("% of resamples")
        );
        assert!(svg.contains("direction doubtful") && svg.contains("stroke-dasharray=\"2 2.5\""));
        assert!(!draw(&["a", "b"], &[with((0.9, 0.5), false)]).svg.contains("doubtful"));
        let svg = draw(&["a", "b"], &[with((0.5, 0.2), true)]).svg;
        assert!(!svg.contains("doubtful"));
        assert!(svg.contains(">50<") && !svg.contains("50/20"));
        assert!(!draw(&["a", "b"], &[with((1.0, 1.0), false)]).svg.contains("stroke-opacity"));
    }

    #[test]
    fn graphs_without_edges_and_without_nodes_are_drawn() {
        assert!(draw(&["a", "b"], &[]).svg.contains("No edges."));
        draw(&[], &[]);
    }

    #[test]
    fn long_names_are_cut_and_large_graphs_drawn_smaller() {
        let long = "a rather long name for a variable";
        let svg = draw(&[long, "b"], &[]).svg;
        assert!(svg.contains("a rather long name for …") && !svg.contains(&format!(">{long}<")));
        let names: Vec<String> = (0..300).map(|node| format!("variable {node}")).collect();
        let order: Vec<usize> = (0..300).collect();
        let arrows: Vec<Arrow> = (1..300).map(|child| arrow(0, child, 1.0, false)).collect();
        let graph = Graph {
            title: "",
            names: &names,
            order: &order,
            arrows: &arrows,
            weights: Weights::Effects,
            numbers: "weights",
            caption: "thicker: stronger",
        };
        let canvas = compose(&graph, &Font::load().unwrap());
        assert!((canvas.width - MOST_SIZE).abs() < 1e-6);
    }

    #[test]
    fn lines_end_at_the_border_of_their_node() {
        let line = clipped(&[(0.0, 0.0), (0.0, 50.0), (0.0, 100.0)], (0.0, 100.0), 60.0);
        let tip = line[line.len() - 1];
        assert!((tip.1 - (100.0 - NODE_HEIGHT / 2.0 - NODE_LINE / 2.0)).abs() < 1e-3, "{tip:?}");
        assert_eq!(along(&[(0.0, 0.0), (0.0, 2.0), (2.0, 2.0)], 0.75), (1.0, 2.0));
    }

    #[test]
    fn curves_pass_through_their_joints_without_overshooting() {
        let points = [(0.0, 0.0), (10.0, 10.0), (10.0, 20.0), (0.0, 30.0)];
        let line = curve(&points);
        assert!(points.iter().all(|point| line.contains(point)));
        assert!(line.iter().all(|&(x, _)| (-1e-9..=10.0 + 1e-9).contains(&x)));
    }
}
