//! Places by springs: all nodes push each other away, the more edges they have the harder, which leaves room around them; edges pull their
//! ends together, and an effect is pushed below its cause (forces as in ForceAtlas2, Jacomy and others 2014). The layers of the graph are where
//! it begins, so that the result is the same every time.

use super::{Point, layers};
use plackett::elementary::hypot;

/// The distance that an edge would like to have.
const LENGTH: f64 = 110.0;
/// Rounds of moving all nodes, and the pairs of nodes that all rounds together may look at: beyond 900 nodes there are fewer rounds.
const ROUNDS: usize = 300;
const MOST_PAIRS: usize = 250_000_000;
/// How far below its cause an effect is pushed, as a share of the length of an edge, and how strongly.
const FALL: f64 = 1.0;
const FALL_STRENGTH: f64 = 1.5;
/// How strongly everything is drawn to the middle, across and down, lest parts that nothing joins drift apart; screens are wide.
const GRAVITY: Point = (0.017, 0.034);
/// The room that a node has in the end, on average.
const ROOM: f64 = 150.0 * 90.0;
/// The height of a node with the room around it, and the room beside it.
const ROW: f64 = 30.0;
const BESIDE: f64 = 10.0;
/// Rounds of pushing nodes apart that overlap.
const UNTANGLING: usize = 60;

/// Places whose smallest coordinates are those of half a node.
pub(super) fn lay_out(order: &[usize], edges: &[(usize, usize)], widths: &[f64]) -> Vec<Point> {
    let mut places = beginning(order, edges);
    let nodes = places.len();
    let rounds = (MOST_PAIRS / (nodes * nodes / 2).max(1)).clamp(10, ROUNDS);
    let mut weights = vec![1.0; nodes];
    for &(from, to) in edges {
        weights[from] += 1.0;
        weights[to] += 1.0;
    }
    let mut pushes = vec![(0.0, 0.0); nodes];
    for round in 0..rounds {
        forces(&places, &weights, edges, &mut pushes);
        // Steps grow shorter, from the size of an edge to nothing.
        let most = LENGTH * (1.0 - round as f64 / rounds as f64);
        for (place, push) in places.iter_mut().zip(&pushes) {
            let size = hypot(push.0, push.1).max(1e-9);
            let step = size.min(most) / size;
            *place = (place.0 + push.0 * step, place.1 + push.1 * step);
        }
    }
    let extent = |along: fn(&Point) -> f64| {
        let (low, high) =
            places.iter().map(along).fold((0.0_f64, 0.0_f64), |(low, high), at| (low.min(at), high.max(at)));
        high - low
    };
    let zoom = (ROOM * nodes as f64 / (extent(|place| place.0) * extent(|place| place.1)).max(1.0)).sqrt();
    places.iter_mut().for_each(|place| *place = (zoom * place.0, zoom * place.1));
    let passes = (MOST_PAIRS / (nodes * nodes / 2).max(1)).clamp(1, UNTANGLING);
    for _ in 0..passes {
        if !untangle(&mut places, widths) {
            break;
        }
    }
    let left =
        places.iter().zip(widths).map(|(place, width)| place.0 - width / 2.0).fold(f64::INFINITY, f64::min);
    let top = places.iter().map(|place| place.1).fold(f64::INFINITY, f64::min);
    places.iter().map(|&(x, y)| (x - left, y - top)).collect()
}

/// Layer by layer, the nodes of each side by side.
fn beginning(order: &[usize], edges: &[(usize, usize)]) -> Vec<Point> {
    let layer = layers::layers(order, edges);
    let mut sizes = vec![0.0; layer.iter().max().map_or(0, |deepest| deepest + 1)];
    for &at in &layer {
        sizes[at] += 1.0;
    }
    let mut filled = vec![0.0; sizes.len()];
    let mut places = vec![(0.0, 0.0); order.len()];
    for &node in order {
        let at = layer[node];
        // No two nodes in one line, in which forces could not part them.
        let jitter = (node * 7919 % 101) as f64 / 101.0 - 0.5;
        places[node] = (LENGTH * (filled[at] - sizes[at] / 2.0 + 0.5), LENGTH * (at as f64 + 0.6 * jitter));
        filled[at] += 1.0;
    }
    places
}

fn forces(places: &[Point], weights: &[f64], edges: &[(usize, usize)], pushes: &mut [Point]) {
    for ((push, place), weight) in pushes.iter_mut().zip(places).zip(weights) {
        *push = (-GRAVITY.0 * weight * place.0, -GRAVITY.1 * weight * place.1);
    }
    let scale =
        LENGTH * LENGTH / (2.0 * weights.iter().sum::<f64>() / weights.len().max(1) as f64 - 1.0).max(1.0);
    for a in 0..places.len() {
        let (x, y) = places[a];
        let (mut sum_x, mut sum_y) = (0.0, 0.0);
        for b in a + 1..places.len() {
            let (dx, dy) = (x - places[b].0, y - places[b].1);
            let push = scale * weights[a] * weights[b] / (dx * dx + dy * dy).max(1.0);
            sum_x += dx * push;
            sum_y += dy * push;
            pushes[b].0 -= dx * push;
            pushes[b].1 -= dy * push;
        }
        pushes[a].0 += sum_x;
        pushes[a].1 += sum_y;
    }
    for &(from, to) in edges {
        let (dx, dy) = (places[to].0 - places[from].0, places[to].1 - places[from].1);
        let fall = FALL_STRENGTH * (FALL * LENGTH - dy).max(0.0);
        pushes[from].0 += dx;
        pushes[from].1 += dy - fall;
        pushes[to].0 -= dx;
        pushes[to].1 -= dy - fall;
    }
}

/// Pushes nodes apart that overlap, up and down or sideways, whichever is shorter; whether there were any.
fn untangle(places: &mut [Point], widths: &[f64]) -> bool {
    let mut were_any = false;
    for a in 0..places.len() {
        for b in 0..a {
            let (dx, dy) = (places[a].0 - places[b].0, places[a].1 - places[b].1);
            let (over_x, over_y) = (f64::midpoint(widths[a], widths[b]) + BESIDE - dx.abs(), ROW - dy.abs());
            if over_x <= 0.0 || over_y <= 0.0 {
                continue;
            }
            were_any = true;
            if over_y < over_x {
                let half = (over_y / 2.0).copysign(dy);
                places[a].1 += half;
                places[b].1 -= half;
            } else {
                let half = (over_x / 2.0).copysign(dx);
                places[a].0 += half;
                places[b].0 -= half;
            }
        }
    }
    were_any
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two trees that one edge joins.
    fn two_trees() -> (Vec<usize>, Vec<(usize, usize)>) {
        let tree = |offset: usize| (1..40).map(move |node| (offset + (node - 1) / 3, offset + node));
        ((0..80).collect(), tree(0).chain(tree(40)).chain([(39, 40)]).collect())
    }

    #[test]
    fn neighbors_are_nearer_than_others_and_effects_mostly_below_causes() {
        let (order, edges) = two_trees();
        let places = lay_out(&order, &edges, &[40.0; 80]);
        let distance = |a: usize, b: usize| (places[a].0 - places[b].0).hypot(places[a].1 - places[b].1);
        let of_edges = edges.iter().map(|&(a, b)| distance(a, b)).sum::<f64>() / edges.len() as f64;
        let of_all =
            (0..80).flat_map(|a| (0..a).map(move |b| (a, b))).map(|(a, b)| distance(a, b)).sum::<f64>()
                / 3160.0;
        assert!(of_all > 2.5 * of_edges, "{of_all} {of_edges}");
        let falling = edges.iter().filter(|&&(from, to)| places[to].1 > places[from].1).count();
        assert!(10 * falling > 7 * edges.len(), "{falling} of {}", edges.len());
    }

    #[test]
    fn no_two_nodes_overlap() {
        let (order, edges) = two_trees();
        let places = lay_out(&order, &edges, &[90.0; 80]);
        for a in 0..80 {
            for b in 0..a {
                let (dx, dy) = ((places[a].0 - places[b].0).abs(), (places[a].1 - places[b].1).abs());
                assert!(dx > 90.0 || dy > 20.0, "{a} {b}: {dx} {dy}");
            }
        }
    }
}
