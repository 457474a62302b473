//! What a bootstrap says of the edges: columns of their table, and a paragraph.

use plackett_dag::{
    Cpdag, Support,
    bootstrap::EdgeSupport,
    learning::{Direction, LearnedEdge},
};

use super::{Summary, edges::Column, text::first_of};
use crate::console::counted;

/// Edges that the graph does not have, but so many replicates, are named up to this number.
const MOST_OTHERS_SHOWN: usize = 12;

/// Two columns are joined in the consensus if they are so in more than this share of the replicates.
pub(in crate::learn) const THRESHOLD: f64 = 0.5;

/// Shares of replicates that leave it open whether two columns are joined.
const UNSURE: std::ops::RangeInclusive<f64> = 0.1..=0.9;

/// What the table says of a direction that fewer than half of the replicates have, though the class has it.
pub(super) const DOUBTFUL: &str = "doubtful";

impl Summary<'_> {
    /// Whether fewer than half of the replicates have the direction of an edge, though it is said to be one.
    pub(super) fn is_doubtful(&self, edge: &LearnedEdge) -> bool {
        let is_said =
            !matches!(self.learned.direction(edge.from, edge.to), Direction::Open | Direction::Known);
        let this_way = self.replicated().map(|(support, _)| support.of(edge.from, edge.to).forward);
        is_said && this_way.is_some_and(|share| share < 0.5)
    }

    /// The support, if there are replicates.
    fn replicated(&self) -> Option<(&Support, f64)> {
        self.support.filter(|(support, _)| support.replicates() > 0)
    }

    /// The pairs that are joined in some replicate, the most frequent first; from cause to effect where the graph joins them,
    /// otherwise the way that is more frequent.
    pub(in crate::learn) fn supported(&self) -> Vec<(usize, usize, EdgeSupport)> {
        let Some((support, _)) = self.support else { return Vec::new() };
        let dag = &self.learned.dag;
        let turned = |(a, b, pair): (usize, usize, EdgeSupport)| {
            let is_turned = dag.has_edge(b, a) || !dag.has_edge(a, b) && pair.backward > pair.forward;
            if is_turned { (b, a, support.of(b, a)) } else { (a, b, pair) }
        };
        let mut pairs: Vec<_> = support.pairs().map(turned).collect();
        pairs.sort_by(|a, b| b.2.adjacent.total_cmp(&a.2.adjacent));
        pairs
    }

    /// The shares of replicates that join two columns, and that have the edge as it is.
    pub(super) fn support_columns(&self) -> [Option<Column<'_>>; 2] {
        let Some((support, _)) = self.replicated() else { return [None, None] };
        let share = |share: f64| format!("{share:.2}");
        let of = |edge: &LearnedEdge| support.of(edge.from, edge.to);
        let joined = move |edge: &LearnedEdge| share(of(edge).adjacent);
        let this_way = move |edge: &LearnedEdge| share(of(edge).forward);
        [Some(Column::numbers("support", joined)), Some(Column::numbers("this way", this_way))]
    }

    /// The share of replicates that join two columns, and of those that do so in this direction, for the picture.
    pub(in crate::learn) fn arrow_support(&self, from: usize, to: usize) -> Option<(f64, f64)> {
        let edge = self.replicated()?.0.of(from, to);
        Some((edge.adjacent, edge.forward))
    }

    /// What the columns mean, and what most replicates agree on.
    pub(super) fn consensus(&self) -> Option<String> {
        let (support, seconds) = self.replicated()?;
        let replicates = support.replicates();
        let mut lines = vec![format!(
            "support: the share of {} in which the two are joined; this way: in this direction, the others being turned round or open",
            counted(replicates, "resample")
        )];
        let edges: Vec<LearnedEdge> = self.learned.edges().collect();
        let doubtful = edges.iter().filter(|edge| self.is_doubtful(edge)).count();
        if doubtful > 0 {
            lines.push(format!(
                "{DOUBTFUL}: the class has this direction, and fewer than half of the resamples do ({doubtful} of {}): \
                 do not rely on it",
                counted(edges.len(), "edge")
            ));
        }
        let unsure = support.pairs().filter(|(_, _, pair)| UNSURE.contains(&pair.adjacent)).count();
        if 2 * unsure > edges.len() {
            let pairs = if unsure == 1 { "1 pair is".to_owned() } else { format!("{unsure} pairs are") };
            lines.push(format!(
                "{pairs} joined in some resamples and not in others: where so many edges come and go, directions are right \
                 less often than their share says"
            ));
        }
        let consensus: Cpdag = support.consensus(THRESHOLD);
        lines.push(format!(
            "Consensus  {} joined in more than half of them, {} with a direction that most of those have",
            counted(consensus.directed().len() + consensus.undirected().len(), "pair"),
            consensus.directed().len()
        ));
        let dag = &self.learned.dag;
        let others: Vec<String> = self
            .supported()
            .into_iter()
            .filter(|&(a, b, pair)| pair.adjacent > THRESHOLD && !dag.has_edge(a, b) && !dag.has_edge(b, a))
            .map(|(a, b, pair)| format!("{} - {} ({:.2})", self.name(a), self.name(b), pair.adjacent))
            .collect();
        if !others.is_empty() {
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            lines.push(format!("Not in the graph: {}", first_of(&others, MOST_OTHERS_SHOWN, 18)));
        }
        lines.push(format!("Bootstrap in {seconds:.2} s"));
        Some(lines.join("\n"))
    }
}
