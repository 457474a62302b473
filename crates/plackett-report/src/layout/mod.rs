//! Where the nodes of a directed acyclic graph go: in layers, causes above effects, while arrows can be followed; by springs, which show
//! what belongs together, where there are too many. Nodes without edges stand in rows below the others.

mod layers;
mod springs;

/// A place: how far to the right, and how far down.
pub type Point = (f64, f64);

/// Room between nodes side by side, between lines, and from one layer to the next.
///
/// ```
/// assert!(plackett_report::layout::Gaps::default().layers > 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaps {
    /// Between two nodes of a layer, or a node and a line.
    pub nodes: f64,
    /// Between two lines that pass a layer.
    pub joints: f64,
    /// From one layer to the next.
    pub layers: f64,
}

impl Default for Gaps {
    fn default() -> Self {
        Self { nodes: 22.0, joints: 16.0, layers: 74.0 }
    }
}

/// Nodes without edges stand in rows so far apart.
const LONELY_ROW: f64 = 40.0;
/// The width to which those rows are filled where the graph itself is narrower.
const LEAST_WIDTH: f64 = 360.0;

/// Larger graphs are laid out by springs: layers would be wider than a screen, and their long lines hide each other.
const MOST_LAYERED_NODES: usize = 120;
const MOST_LAYERED_EDGES: usize = 300;

/// Places for all nodes and edges of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// The center of each node.
    pub nodes: Vec<Point>,
    /// For each edge, the centers of its ends and the joints between them, from cause to effect.
    pub edges: Vec<Vec<Point>>,
    /// The width that nodes and lines take.
    pub width: f64,
    /// From the center of the highest node to that of the lowest.
    pub height: f64,
    /// Whether nodes are in layers.
    pub is_layered: bool,
}

impl Layout {
    /// Lays a graph out in the way that suits its size. All edges lead from earlier to later nodes in `order`; `widths` are those of the nodes.
    ///
    /// ```
    /// use plackett_report::layout::Layout;
    /// let layout = Layout::new(&[0, 1, 2], &[(0, 1)], &[30.0; 3]);
    /// assert!(layout.is_layered && layout.nodes[0].1 < layout.nodes[1].1);
    /// ```
    pub fn new(order: &[usize], edges: &[(usize, usize)], widths: &[f64]) -> Self {
        if widths.len() <= MOST_LAYERED_NODES && edges.len() <= MOST_LAYERED_EDGES {
            return Self::layered(order, edges, widths, Gaps::default());
        }
        Self::with(order, edges, widths, Gaps::default(), |order, edges, widths| {
            let nodes = springs::lay_out(order, edges, widths);
            let width =
                nodes.iter().zip(widths).map(|(place, width)| place.0 + width / 2.0).fold(0.0, f64::max);
            let edges = edges.iter().map(|&(from, to)| vec![nodes[from], nodes[to]]).collect();
            Self { nodes, edges, width, height: 0.0, is_layered: false }
        })
    }

    /// Lays a graph out in layers, whatever its size.
    ///
    /// ```
    /// use plackett_report::layout::{Gaps, Layout};
    /// let chain = Layout::layered(&[2, 0, 1], &[(2, 0), (0, 1)], &[30.0; 3], Gaps::default());
    /// assert_eq!(chain.nodes[2].1, 0.0);
    /// assert!(chain.nodes[1].1 > chain.nodes[0].1);
    /// ```
    pub fn layered(order: &[usize], edges: &[(usize, usize)], widths: &[f64], gaps: Gaps) -> Self {
        Self::with(order, edges, widths, gaps, |order, edges, widths| {
            let layers::Layers { nodes, edges, width } = layers::lay_out(order, edges, widths, gaps);
            Self { nodes, edges, width, height: 0.0, is_layered: true }
        })
    }

    /// Lays out the nodes that have edges in one way or another, and the others below them.
    fn with(
        order: &[usize],
        edges: &[(usize, usize)],
        widths: &[f64],
        gaps: Gaps,
        lay_out: impl Fn(&[usize], &[(usize, usize)], &[f64]) -> Self,
    ) -> Self {
        let mut is_joined = vec![false; widths.len()];
        for &(from, to) in edges {
            is_joined[from] = true;
            is_joined[to] = true;
        }
        // The layout sees the joined nodes only, under numbers of their own.
        let joined: Vec<usize> = (0..widths.len()).filter(|&node| is_joined[node]).collect();
        let mut number = vec![0; widths.len()];
        for (at, &node) in joined.iter().enumerate() {
            number[node] = at;
        }
        let inner_order: Vec<usize> =
            order.iter().filter(|&&node| is_joined[node]).map(|&node| number[node]).collect();
        let inner_edges: Vec<(usize, usize)> =
            edges.iter().map(|&(from, to)| (number[from], number[to])).collect();
        let inner_widths: Vec<f64> = joined.iter().map(|&node| widths[node]).collect();
        let inner = lay_out(&inner_order, &inner_edges, &inner_widths);

        let mut places = vec![(0.0, 0.0); widths.len()];
        for (&node, &place) in joined.iter().zip(&inner.nodes) {
            places[node] = place;
        }
        let (mut width, mut height) =
            (inner.width, inner.nodes.iter().map(|place| place.1).fold(0.0, f64::max));
        let room = width.max(LEAST_WIDTH);
        let mut at = (0.0, if joined.is_empty() { 0.0 } else { height + gaps.layers });
        for node in (0..widths.len()).filter(|&node| !is_joined[node]) {
            if at.0 > 0.0 && at.0 + widths[node] > room {
                at = (0.0, at.1 + LONELY_ROW);
            }
            places[node] = (at.0 + widths[node] / 2.0, at.1);
            at.0 += widths[node];
            width = width.max(at.0);
            height = at.1;
            at.0 += gaps.nodes;
        }
        Self { nodes: places, width, height, ..inner }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_without_edges_stand_below_the_others_in_rows() {
        let order: Vec<usize> = (0..30).collect();
        let layout = Layout::new(&order, &[(3, 7)], &[100.0; 30]);
        let lowest = layout.nodes[7].1;
        let rows: std::collections::BTreeSet<i64> =
            (0..30).filter(|node| ![3, 7].contains(node)).map(|node| layout.nodes[node].1 as i64).collect();
        assert!(rows.len() > 5 && rows.iter().all(|&y| y as f64 > lowest));
        assert!(layout.nodes.iter().all(|place| place.0 <= layout.width));
    }

    #[test]
    fn large_graphs_have_springs_and_nothing_at_all_has_no_size() {
        let order: Vec<usize> = (0..200).collect();
        let edges: Vec<(usize, usize)> = (1..200).map(|node| (node / 3, node)).collect();
        let layout = Layout::new(&order, &edges, &[40.0; 200]);
        assert!(!layout.is_layered);
        assert!(layout.nodes.iter().all(|place| place.0.is_finite() && place.1 >= 0.0));
        assert_eq!((Layout::new(&[], &[], &[]).width, Layout::new(&[], &[], &[]).height), (0.0, 0.0));
    }
}
