//! Where the nodes of a directed acyclic graph go: in layers, causes above effects, in the manner of Sugiyama.
//!
//! A node's layer is the length of the longest path that leads to it, with nodes pulled down towards their children where
//! that shortens edges. An edge over several layers gets a joint in each layer it passes. The order within the layers
//! comes from sweeps that sort by the mean place of the neighbors, keeping the order with the fewest crossings; the
//! places themselves minimize squared distances to the neighbors, exactly for one layer at a time.

use super::{Gaps, Point};

/// Sweeps down and up in search of an order with few crossings; more are of no use on graphs up to 50 nodes.
const ORDER_SWEEPS: usize = 16;
/// Sweeps down and up that settle the places; the last ones move nothing by a pixel.
const PLACE_SWEEPS: usize = 40;
/// The weight of a line between two joints, one joint, none: long edges should be straight before short ones.
const STRAIGHTNESS: [f64; 3] = [1.0, 2.0, 8.0];

/// A picture wider than this many times its height has its layers moved apart, lest the arrows lie flat, but not
/// further than this many times the usual distance.
const WIDEST: f64 = 2.0;
const FURTHEST: f64 = 3.0;

/// Places for nodes and edges; the smallest horizontal place of a node's edge is 0, the first layer's vertical one too.
pub(super) struct Layers {
    /// The center of each node.
    pub nodes: Vec<Point>,
    /// For each edge, the centers of its ends and its joints between them, from top to bottom.
    pub edges: Vec<Vec<Point>>,
    /// From the left edge of the leftmost node to the right edge of the rightmost one.
    pub width: f64,
}

/// Lays out a graph whose edges all lead from earlier to later nodes in `order`.
pub(super) fn lay_out(order: &[usize], edges: &[(usize, usize)], widths: &[f64], gaps: Gaps) -> Layers {
    let layer = layers(order, edges);
    let mut layered = Layered::new(&layer, edges, widths, gaps);
    layered.reduce_crossings();
    layered.settle();
    layered.finish(widths.len())
}

pub(super) fn layers(order: &[usize], edges: &[(usize, usize)]) -> Vec<usize> {
    let mut parents = vec![Vec::new(); order.len()];
    let mut children = vec![Vec::new(); order.len()];
    for &(from, to) in edges {
        parents[to].push(from);
        children[from].push(to);
    }
    let mut layer = vec![0; order.len()];
    for &node in order {
        layer[node] = parents[node].iter().map(|&parent| layer[parent] + 1).max().unwrap_or(0);
    }
    for &node in order.iter().rev() {
        if let Some(lowest) = children[node].iter().map(|&child| layer[child] - 1).min()
            && children[node].len() > parents[node].len()
        {
            layer[node] = lowest;
        }
    }
    layer
}

/// A node or a joint.
struct Vertex {
    layer: usize,
    half_width: f64,
    is_joint: bool,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

struct Layered {
    /// The nodes first, then the joints.
    vertices: Vec<Vertex>,
    /// The vertices of each layer from left to right.
    rows: Vec<Vec<usize>>,
    /// For each edge its vertices from top to bottom.
    paths: Vec<Vec<usize>>,
    gaps: Gaps,
}

impl Layered {
    fn new(layer: &[usize], edges: &[(usize, usize)], widths: &[f64], gaps: Gaps) -> Self {
        let vertex = |layer, half_width, is_joint| Vertex {
            layer,
            half_width,
            is_joint,
            x: 0.0,
            above: Vec::new(),
            below: Vec::new(),
        };
        let mut vertices: Vec<Vertex> =
            layer.iter().zip(widths).map(|(&layer, width)| vertex(layer, width / 2.0, false)).collect();
        let mut paths = Vec::with_capacity(edges.len());
        for &(from, to) in edges {
            let mut path = vec![from];
            for between in layer[from] + 1..layer[to] {
                path.push(vertices.len());
                vertices.push(vertex(between, 0.0, true));
            }
            path.push(to);
            for pair in path.windows(2) {
                vertices[pair[0]].below.push(pair[1]);
                vertices[pair[1]].above.push(pair[0]);
            }
            paths.push(path);
        }
        let depth = layer.iter().max().map_or(0, |deepest| deepest + 1);
        let mut layered = Self { vertices, rows: vec![Vec::new(); depth], paths, gaps };
        layered.walk();
        layered
    }

    /// Fills the rows by walking from neighbor to neighbor, so that what belongs together starts out together.
    fn walk(&mut self) {
        let mut seen = vec![false; self.vertices.len()];
        for start in 0..self.vertices.len() {
            let mut stack = vec![start];
            while let Some(at) = stack.pop() {
                if !std::mem::replace(&mut seen[at], true) {
                    let vertex = &self.vertices[at];
                    self.rows[vertex.layer].push(at);
                    stack.extend(vertex.above.iter().chain(&vertex.below).rev());
                }
            }
        }
    }

    fn ranks(&self) -> Vec<usize> {
        let mut ranks = vec![0; self.vertices.len()];
        for row in &self.rows {
            for (rank, &at) in row.iter().enumerate() {
                ranks[at] = rank;
            }
        }
        ranks
    }

    fn reduce_crossings(&mut self) {
        let mut best = (self.crossings(), self.rows.clone());
        for sweep in 0..ORDER_SWEEPS {
            let is_downwards = sweep % 2 == 0;
            for step in 1..self.rows.len() {
                let row = if is_downwards { step } else { self.rows.len() - 1 - step };
                self.sort_row(row, is_downwards);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.rows.clone());
            }
        }
        self.rows = best.1;
        while self.exchange_neighbors() {}
    }

    fn sort_row(&mut self, row: usize, by_above: bool) {
        let ranks = self.ranks();
        let mean = |at: usize| {
            let vertex = &self.vertices[at];
            let neighbors = if by_above { &vertex.above } else { &vertex.below };
            if neighbors.is_empty() {
                ranks[at] as f64
            } else {
                neighbors.iter().map(|&other| ranks[other] as f64).sum::<f64>() / neighbors.len() as f64
            }
        };
        let mut keyed: Vec<(f64, usize)> = self.rows[row].iter().map(|&at| (mean(at), at)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.rows[row] = keyed.into_iter().map(|(_, at)| at).collect();
    }

    /// Exchanges neighbors wherever that removes crossings; whether it did so anywhere.
    fn exchange_neighbors(&mut self) -> bool {
        let ranks = self.ranks();
        let mut is_better = false;
        for row in 0..self.rows.len() {
            for left in 1..self.rows[row].len() {
                let (a, b) = (self.rows[row][left - 1], self.rows[row][left]);
                let (a_vertex, b_vertex) = (&self.vertices[a], &self.vertices[b]);
                let count = |first: &Vertex, second: &Vertex| {
                    pairs_out_of_order(&first.above, &second.above, &ranks)
                        + pairs_out_of_order(&first.below, &second.below, &ranks)
                };
                if count(b_vertex, a_vertex) < count(a_vertex, b_vertex) {
                    self.rows[row].swap(left - 1, left);
                    is_better = true;
                }
            }
            if is_better {
                // The rows next to this one look at ranks that have just changed.
                return true;
            }
        }
        false
    }

    fn crossings(&self) -> usize {
        let ranks = self.ranks();
        let mut crossings = 0;
        for row in &self.rows {
            let mut ends: Vec<(usize, usize)> = row
                .iter()
                .flat_map(|&at| self.vertices[at].below.iter().map(move |&below| (at, below)))
                .map(|(at, below)| (ranks[at], ranks[below]))
                .collect();
            ends.sort_unstable();
            for (index, &(top, bottom)) in ends.iter().enumerate() {
                crossings += ends[..index]
                    .iter()
                    .filter(|&&(other_top, other)| other_top < top && other > bottom)
                    .count();
            }
        }
        crossings
    }

    /// The least distance between the centers of neighbors.
    fn apart(&self, left: usize, right: usize) -> f64 {
        let (left, right) = (&self.vertices[left], &self.vertices[right]);
        let gap = if left.is_joint && right.is_joint { self.gaps.joints } else { self.gaps.nodes };
        left.half_width + gap + right.half_width
    }

    fn settle(&mut self) {
        for row in 0..self.rows.len() {
            let mut x = 0.0;
            for index in 0..self.rows[row].len() {
                let at = self.rows[row][index];
                if index > 0 {
                    x += self.apart(self.rows[row][index - 1], at);
                }
                self.vertices[at].x = x;
            }
            // Rows start out centered on one another.
            for &at in &self.rows[row] {
                self.vertices[at].x -= x / 2.0;
            }
        }
        for sweep in 0..PLACE_SWEEPS {
            for step in 0..self.rows.len() {
                let row = if sweep % 2 == 0 { step } else { self.rows.len() - 1 - step };
                self.settle_row(row);
            }
        }
    }

    /// Moves one row to the places nearest to those of its neighbors that keep their distances: isotonic regression
    /// on the places less the distances before them, by pooling neighbors that would violate the order.
    fn settle_row(&mut self, row: usize) {
        struct Pool {
            sum: f64,
            weight: f64,
            size: usize,
        }
        let mut pools: Vec<Pool> = Vec::new();
        let mut offsets = Vec::with_capacity(self.rows[row].len());
        let mut offset = 0.0;
        for (index, &at) in self.rows[row].iter().enumerate() {
            if index > 0 {
                offset += self.apart(self.rows[row][index - 1], at);
            }
            offsets.push(offset);
            let (wanted, weight) = self.wanted(at);
            let mut pool = Pool { sum: weight * (wanted - offset), weight, size: 1 };
            while let Some(last) = pools.pop_if(|last| last.sum * pool.weight >= pool.sum * last.weight) {
                pool.sum += last.sum;
                pool.weight += last.weight;
                pool.size += last.size;
            }
            pools.push(pool);
        }
        let places = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.sum / pool.weight, pool.size));
        for ((&at, offset), place) in self.rows[row].iter().zip(offsets).zip(places) {
            self.vertices[at].x = place + offset;
        }
    }

    /// The weighted mean of the neighbors' places, and the weight.
    fn wanted(&self, at: usize) -> (f64, f64) {
        let vertex = &self.vertices[at];
        let (mut sum, mut weight) = (0.0, 0.0);
        for &other in vertex.above.iter().chain(&vertex.below) {
            let joints = usize::from(vertex.is_joint) + usize::from(self.vertices[other].is_joint);
            sum += STRAIGHTNESS[joints] * self.vertices[other].x;
            weight += STRAIGHTNESS[joints];
        }
        if weight > 0.0 { (sum / weight, weight) } else { (vertex.x, STRAIGHTNESS[0]) }
    }

    fn finish(self, nodes: usize) -> Layers {
        let left = self.vertices.iter().map(|v| v.x - v.half_width).fold(f64::INFINITY, f64::min);
        let right = self.vertices.iter().map(|v| v.x + v.half_width).fold(f64::NEG_INFINITY, f64::max);
        let width = (right - left).max(0.0);
        let steps = self.rows.len().saturating_sub(1).max(1) as f64;
        let usual = self.gaps.layers;
        let gap = (width / (WIDEST * steps)).clamp(usual, FURTHEST * usual);
        let place = |at: usize| {
            let vertex = &self.vertices[at];
            (vertex.x - left, vertex.layer as f64 * gap)
        };
        Layers {
            nodes: (0..nodes).map(place).collect(),
            edges: self.paths.iter().map(|path| path.iter().map(|&at| place(at)).collect()).collect(),
            width,
        }
    }
}

/// Pairs of neighbors, one of the first and one of the second, whose lines cross while the first is on the left.
fn pairs_out_of_order(first: &[usize], second: &[usize], ranks: &[usize]) -> usize {
    first.iter().map(|&a| second.iter().filter(|&&b| ranks[a] > ranks[b]).count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAPS: Gaps = Gaps { nodes: 20.0, joints: 10.0, layers: 50.0 };

    fn lay(nodes: usize, edges: &[(usize, usize)]) -> Layers {
        let order: Vec<usize> = (0..nodes).collect();
        lay_out(&order, edges, &vec![30.0; nodes], GAPS)
    }

    /// A dense graph over the order 0, 1, 2, ….
    fn dense(nodes: usize) -> Vec<(usize, usize)> {
        (0..nodes)
            .flat_map(|to| {
                (0..to).filter(move |from| (from * 7 + to * 5) % 3 == 0).map(move |from| (from, to))
            })
            .collect()
    }

    #[test]
    fn causes_are_above_effects_and_edges_go_down_layer_by_layer() {
        let edges = dense(15);
        let layout = lay(15, &edges);
        for (&(from, to), path) in edges.iter().zip(&layout.edges) {
            assert_eq!((path[0], path[path.len() - 1]), (layout.nodes[from], layout.nodes[to]));
            assert!(path.windows(2).all(|pair| pair[0].1 < pair[1].1));
        }
    }

    #[test]
    fn nodes_of_a_layer_keep_their_distance_and_stay_on_the_page() {
        let layout = lay(15, &dense(15));
        for (a, &(x, y)) in layout.nodes.iter().enumerate() {
            assert!(x >= 15.0 - 1e-6 && x <= layout.width - 15.0 + 1e-6);
            for &(other_x, other_y) in &layout.nodes[..a] {
                assert!(y != other_y || (x - other_x).abs() >= 50.0 - 1e-6);
            }
        }
    }

    #[test]
    fn a_tree_is_drawn_without_crossings_and_a_chain_straight() {
        let tree = [(0, 1), (0, 2), (1, 3), (2, 4), (1, 5), (2, 6)];
        let order: Vec<usize> = (0..7).collect();
        let mut layered = Layered::new(&layers(&order, &tree), &tree, &[30.0; 7], GAPS);
        layered.reduce_crossings();
        assert_eq!(layered.crossings(), 0);
        let chain = lay(4, &[(0, 1), (1, 2), (2, 3)]);
        assert!(chain.nodes.iter().all(|place| (place.0 - chain.nodes[0].0).abs() < 1e-6));
    }

    #[test]
    fn a_source_stands_right_above_its_only_child() {
        assert_eq!(layers(&[0, 1, 2, 3], &[(0, 1), (1, 2), (3, 2)]), [0, 1, 2, 1]);
    }

    #[test]
    fn nothing_at_all_is_laid_out_too() {
        let layout = lay(0, &[]);
        assert!(layout.nodes.is_empty() && layout.width == 0.0);
    }
}
