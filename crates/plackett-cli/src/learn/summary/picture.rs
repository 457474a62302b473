//! The picture of a graph: what the files have, and notebooks show.

use std::path::Path;

use plackett_dag::{NamedDag, learning::LearnedEdge};

use super::Summary;
use crate::{
    console::counted,
    plot::{self, Arrow, Graph, Weights},
};

impl Summary<'_> {
    /// The picture as SVG.
    ///
    /// # Errors
    /// When the font that is part of the program is broken.
    pub fn svg(&self) -> anyhow::Result<String> {
        self.picture(plot::graph_svg)
    }

    /// The picture as somebody draws it.
    pub(in crate::learn) fn picture<T>(
        &self,
        draw: impl FnOnce(&Graph<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let learned = self.learned;
        let arrow = |edge: LearnedEdge| Arrow {
            from: edge.from,
            to: edge.to,
            weight: edge.standardized.unwrap_or(edge.weight),
            strength: edge.rank(),
            is_open: self.is_open(edge.from, edge.to),
            support: self.arrow_support(edge.from, edge.to),
        };
        let arrows: Vec<Arrow> = learned.edges().map(arrow).collect();
        let by = learned.score_name.as_deref().unwrap_or(learned.method.name);
        let source =
            Path::new(self.source).file_name().map_or(self.source.into(), |name| name.to_string_lossy());
        let title = format!("{source}: {by}, {}", counted(learned.dag.edge_count(), "edge"));
        draw(&Graph {
            title: &title,
            names: self.names,
            order: learned.dag.topological_order(),
            arrows: &arrows,
            weights: if self.is_linear() { Weights::Effects } else { Weights::Strengths },
            numbers: "weights in standard deviations",
            caption: match (&learned.strengths, &learned.p_values) {
                (Some(_), _) => "thicker: the score would lose more without it",
                (None, Some(_)) => "thicker: smaller p-values",
                (None, None) => "thicker: larger weights",
            },
        })
    }
}

/// The picture of a graph of which no more is known than its weights, as SVG; arrows are as thick as the weights are large.
///
/// # Errors
/// When the font that is part of the program is broken.
///
/// ```
/// use plackett_dag::{Dag, NamedDag};
/// let dag = Dag::from_weighted_parents(vec![vec![], vec![(0, 1.5)]])?;
/// let graph = NamedDag::new(vec!["rain".to_owned(), "wet".to_owned()], dag)?;
/// assert!(plackett_cli::graph_svg(&graph, "Weather", |_, _| false).unwrap().contains("rain"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn graph_svg(
    graph: &NamedDag,
    title: &str,
    is_open: impl Fn(usize, usize) -> bool,
) -> anyhow::Result<String> {
    let arrow = |(from, to, weight): (usize, usize, f64)| Arrow {
        from,
        to,
        weight,
        strength: weight.abs(),
        is_open: is_open(from, to),
        support: None,
    };
    let arrows: Vec<Arrow> = graph.dag().edges().map(arrow).collect();
    let is_plain = arrows.iter().all(|arrow| arrow.weight == 1.0);
    plot::graph_svg(&Graph {
        title,
        names: graph.names(),
        order: graph.dag().topological_order(),
        arrows: &arrows,
        weights: if is_plain { Weights::Strengths } else { Weights::Effects },
        numbers: "weights",
        caption: if is_plain { "" } else { "thicker: larger weights" },
    })
}
