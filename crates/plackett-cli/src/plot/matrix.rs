//! A picture of a graph that is too large for arrows: a dot for every edge, causes downwards and effects to the right in the
//! order of the graph, so that all dots lie above the diagonal. Below it there is room to name the nodes with most edges.

use super::{
    HALF_CAPITAL, LABEL_SIZE, LEADING, MARGIN, TEXT, TITLE_SIZE,
    canvas::{Anchor, Canvas, Dash, Font, Point, Rgb, Shape},
    network::{Arrow, Entry, Graph, color, legend_entries, shortened},
    text,
};

/// The side of the matrix.
const SIDE: f64 = 1000.0;
/// The smallest dot that can be seen.
const LEAST_RADIUS: f64 = 0.9;
/// Dots of small graphs would otherwise touch.
const MOST_RADIUS: f64 = 4.0;
/// Names along each side; more would not find room.
const MOST_TICKS: usize = 40;
const TICK_SIZE: f64 = 10.0;
const TICK: f64 = 5.0;
/// How many of the nodes with most edges are named.
const HUBS: usize = 12;
const FRAME: Rgb = Rgb(0xb8, 0xc0, 0xc8);
/// Edges of open or doubtful direction have no sign of their own in so small a form.
const OPEN: Rgb = Rgb(0x9a, 0xa3, 0xad);

/// The picture with dots.
pub(super) fn compose(graph: &Graph<'_>, font: &Font) -> Canvas {
    let &Graph { title, names, order, arrows, weights: kind, .. } = graph;
    let labels: Vec<String> = names.iter().map(|name| shortened(name)).collect();
    let mut rank = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &node)| rank[node] = at);
    let step = SIDE / order.len().max(1) as f64;
    let ticks: Vec<usize> = (0..order.len()).step_by(order.len().div_ceil(MOST_TICKS).max(1)).collect();
    let room =
        ticks.iter().map(|&at| font.width(&labels[order[at]], TICK_SIZE)).fold(0.0, f64::max) + 2.0 * TICK;
    let (left, top) = (MARGIN + room, MARGIN + TITLE_SIZE * LEADING + room);
    let center = |at: usize| (at as f64 + 0.5) * step;

    let (width, height) = (left + SIDE + MARGIN, top + SIDE + 2.0 * MARGIN + LABEL_SIZE * LEADING);
    let mut shapes = vec![text(title, (width / 2.0, MARGIN + TITLE_SIZE), TITLE_SIZE, Anchor::Middle)];
    let frame = [(0.0, 0.0), (SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE), (0.0, 0.0), (SIDE, SIDE)];
    let points = frame.iter().map(|&(x, y)| (left + x, top + y)).collect();
    shapes.push(Shape::Line { points, color: FRAME, width: 1.0, dash: Dash::Solid, opacity: 1.0 });
    for &at in &ticks {
        let label = &labels[order[at]];
        let (x, y) = (left + center(at), top + center(at));
        let mark = |points: [Point; 2]| Shape::Line {
            points: points.to_vec(),
            color: FRAME,
            width: 1.0,
            dash: Dash::Solid,
            opacity: 1.0,
        };
        shapes.push(mark([(left - TICK, y), (left, y)]));
        shapes.push(mark([(x, top - TICK), (x, top)]));
        let baseline = TICK_SIZE * HALF_CAPITAL;
        shapes.push(text(label, (left - 1.5 * TICK, y + baseline), TICK_SIZE, Anchor::End));
        shapes.push(Shape::Text {
            text: label.clone(),
            at: (x + baseline, top - 1.5 * TICK),
            size: TICK_SIZE,
            anchor: Anchor::Start,
            upright: true,
            color: TEXT,
        });
    }
    let radius = (0.45 * step).clamp(LEAST_RADIUS, MOST_RADIUS);
    for arrow in arrows {
        let center = (left + center(rank[arrow.to]), top + center(rank[arrow.from]));
        let color = if arrow.is_open || arrow.is_doubtful() { OPEN } else { color(arrow.weight) };
        shapes.push(Shape::Dot { center, radius, color });
    }
    name_hubs(&labels, arrows, (left + SIDE / 25.0, top + SIDE * 0.52), &mut shapes);

    let explained = format!("row: cause, column: effect; {} of {} names", ticks.len(), names.len());
    shapes.push(text(&explained, (left, top + SIDE + MARGIN + LABEL_SIZE), LABEL_SIZE, Anchor::Start));
    let legend = legend_entries(arrows, kind).into_iter().map(|entry| match entry.dash {
        Dash::Solid => entry,
        _ => Entry { color: OPEN, dash: Dash::Solid, ..entry },
    });
    let legend: Vec<Entry> = legend.collect();
    let mut x = left + SIDE - legend.iter().map(|entry| entry.width(font)).sum::<f64>();
    for entry in &legend {
        entry.draw((x, top + SIDE + MARGIN + LABEL_SIZE), &mut shapes);
        x += entry.width(font);
    }
    let description = format!("{title}. A dot for every edge: its row is the cause, its column the effect.");
    Canvas { width, height, description, shapes }
}

/// Lists the nodes with most effects and those with most causes, in the empty half of the matrix.
fn name_hubs(labels: &[String], arrows: &[Arrow], (x, y): Point, shapes: &mut Vec<Shape>) {
    let mut effects = vec![0_usize; labels.len()];
    let mut causes = vec![0_usize; labels.len()];
    for arrow in arrows {
        effects[arrow.from] += 1;
        causes[arrow.to] += 1;
    }
    for (column, (title, counts)) in
        [("most effects", effects), ("most causes", causes)].into_iter().enumerate()
    {
        let x = x + column as f64 * SIDE / 4.5;
        let mut most: Vec<usize> = (0..labels.len()).filter(|&node| counts[node] > 0).collect();
        most.sort_by_key(|&node| std::cmp::Reverse(counts[node]));
        shapes.push(text(title, (x, y), LABEL_SIZE, Anchor::Start));
        for (line, &node) in most.iter().take(HUBS).enumerate() {
            let y = y + (line as f64 + 1.2) * LABEL_SIZE * LEADING;
            shapes.push(text(
                &format!("{}  {}", counts[node], labels[node]),
                (x, y),
                LABEL_SIZE,
                Anchor::Start,
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Weights;

    #[test]
    fn every_edge_is_a_dot_above_the_diagonal_and_hubs_are_named() {
        let names: Vec<String> = (0..500).map(|node| format!("x{node}")).collect();
        let order: Vec<usize> = (0..500).rev().collect();
        let arrows: Vec<Arrow> = (0..499)
            .map(|to| Arrow {
                from: 499,
                to,
                weight: if to % 2 == 0 { 1.0 } else { -1.0 },
                strength: 1.0,
                is_open: to == 3,
                support: None,
            })
            .collect();
        let graph = Graph {
            title: "large",
            names: &names,
            order: &order,
            arrows: &arrows,
            weights: Weights::Effects,
            numbers: "weights",
            caption: "",
        };
        let canvas = compose(&graph, &Font::load().unwrap());
        let dots: Vec<(Point, Rgb)> = canvas
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Dot { center, color, .. } => Some((*center, *color)),
                _ => None,
            })
            .collect();
        assert_eq!(dots.len(), 499);
        // All in the row of the one cause, each in a column of its own, the first effects first.
        assert!(dots.iter().all(|(center, _)| center.1 == dots[0].0.1));
        assert!(dots.windows(2).all(|pair| pair[0].0.0 > pair[1].0.0));
        assert_eq!(dots.iter().filter(|(_, color)| *color == OPEN).count(), 1);
        let svg = canvas.to_svg();
        assert!(
            ["499  x499", "most causes", "direction open", "lowers"].iter().all(|part| svg.contains(part))
        );
    }

    #[test]
    fn a_graph_without_nodes_has_a_frame() {
        let graph = Graph {
            title: "nothing",
            names: &[],
            order: &[],
            arrows: &[],
            weights: Weights::Strengths,
            numbers: "weights",
            caption: "",
        };
        assert!(compose(&graph, &Font::load().unwrap()).to_svg().contains("0 of 0 names"));
    }
}
