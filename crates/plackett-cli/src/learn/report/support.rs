//! What a bootstrap says of the edges: columns of their table, a paragraph, fields of the document, a file.

use plackett::run::Ending;
use plackett_dag::{Cpdag, bootstrap::EdgeSupport, format::CpdagDocument, learning::LearnedEdge};
use serde::Serialize;

use super::{Report, edges::Column, text::first_of};
use crate::{console::counted, learn::bootstrap::Supported};

/// Edges that the graph does not have, but so many replicates, are named up to this number.
const MOST_OTHERS_SHOWN: usize = 12;

/// Two columns are joined in the consensus if they are so in more than this share of the replicates.
pub(super) const THRESHOLD: f64 = 0.5;

/// The shares of replicates in which two columns are joined, and which way.
#[derive(Serialize)]
pub(super) struct PairDocument<'a> {
    from: &'a str,
    to: &'a str,
    adjacent: f64,
    forward: f64,
    backward: f64,
    undirected: f64,
}

/// How the shares came about, and what most replicates agree on.
#[derive(Serialize)]
pub(super) struct BootstrapDocument {
    replicates: usize,
    wanted: u64,
    warm: bool,
    seconds: f64,
    status: Ending,
    threshold: f64,
    consensus: CpdagDocument,
}

impl Report<'_> {
    /// The pairs that are joined in some replicate, the most frequent first; from cause to effect where the graph joins them,
    /// otherwise the way that is more frequent.
    fn supported(&self) -> Vec<(usize, usize, EdgeSupport)> {
        let Some(Supported { support, .. }) = self.support else { return Vec::new() };
        let dag = &self.learned.dag;
        let turned = |(a, b, pair): (usize, usize, EdgeSupport)| {
            let is_turned = dag.has_edge(b, a) || !dag.has_edge(a, b) && pair.backward > pair.forward;
            if is_turned { (b, a, support.of(b, a)) } else { (a, b, pair) }
        };
        let mut pairs: Vec<_> = support.pairs().map(turned).collect();
        pairs.sort_by(|a, b| b.2.adjacent.total_cmp(&a.2.adjacent));
        pairs
    }

    pub(super) fn support_document(&self) -> Option<Vec<PairDocument<'_>>> {
        self.support?;
        let pair = |(from, to, pair): (usize, usize, EdgeSupport)| PairDocument {
            from: self.name(from),
            to: self.name(to),
            adjacent: pair.adjacent,
            forward: pair.forward,
            backward: pair.backward,
            undirected: pair.undirected,
        };
        Some(self.supported().into_iter().map(pair).collect())
    }

    pub(super) fn bootstrap_document(&self) -> Option<BootstrapDocument> {
        let &Supported { ref support, wanted, is_warm, seconds, ending } = self.support?;
        Some(BootstrapDocument {
            replicates: support.replicates(),
            wanted,
            warm: is_warm,
            seconds,
            status: ending,
            threshold: THRESHOLD,
            consensus: CpdagDocument::new(&self.data.names, &support.consensus(THRESHOLD)),
        })
    }

    /// The shares of replicates that join two columns, and that have the edge as it is.
    pub(super) fn support_columns(&self) -> [Option<Column<'_>>; 2] {
        let Some(Supported { support, .. }) = self.support.filter(|found| found.support.replicates() > 0)
        else {
            return [None, None];
        };
        let share = |share: f64| format!("{share:.2}");
        let of = |edge: &LearnedEdge| support.of(edge.from, edge.to);
        let joined = move |edge: &LearnedEdge| share(of(edge).adjacent);
        let this_way = move |edge: &LearnedEdge| share(of(edge).forward);
        [Some(Column::numbers("support", joined)), Some(Column::numbers("this way", this_way))]
    }

    /// The share of replicates that join two columns, and of those that do so in this direction, for the picture.
    pub(super) fn arrow_support(&self, from: usize, to: usize) -> Option<(f64, f64)> {
        let found = self.support.filter(|found| found.support.replicates() > 0)?;
        let edge = found.support.of(from, to);
        Some((edge.adjacent, edge.forward))
    }

    /// What the columns mean, and what most replicates agree on.
    pub(super) fn consensus(&self) -> Option<String> {
        let found = self.support.filter(|found| found.support.replicates() > 0)?;
        let support = &found.support;
        let replicates = support.replicates();
        let mut lines = vec![format!(
            "support: the share of {} in which the two are joined; this way: in this direction, the others being turned round or open",
            counted(replicates, "resample")
        )];
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
        lines.push(format!("Bootstrap in {:.2} s", found.seconds));
        Some(lines.join("\n"))
    }

    /// The pairs as a table for other programs.
    pub(super) fn support_csv(&self) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(pairs) = self.support_document() else { return Ok(None) };
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Also where there is no pair to name them by.
        if pairs.is_empty() {
            writer.write_record(["from", "to", "adjacent", "forward", "backward", "undirected"])?;
        }
        for pair in pairs {
            writer.serialize(pair)?;
        }
        Ok(Some(writer.into_inner()?))
    }
}

/// What to know of a bootstrap that ended early.
pub(super) fn warning(found: &Supported) -> Option<String> {
    let done = found.support.replicates();
    ((done as u64) < found.wanted).then(|| match done {
        0 => "the run ended before the first resample of --bootstrap was learned from".to_owned(),
        done => format!("the run ended after {done} of {} resamples: the support is by these", found.wanted),
    })
}
