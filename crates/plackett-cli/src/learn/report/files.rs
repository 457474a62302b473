//! The files in the folder of `--out`: the document, the graph for other programs, and its picture.

use plackett_dag::{
    Table,
    format::{to_dot, write_graph_csv},
    learning::LearnedEdge,
};

use super::{Report, document::Document};
use crate::{
    console::counted,
    files::OutDir,
    plot::{Arrow, Figure, Graph, Weights},
};

impl Report<'_> {
    /// Writes all files, and tells their names.
    pub(super) fn write(&self, out: &OutDir, document: &Document) -> anyhow::Result<Vec<&'static str>> {
        let graph = &self.graph;
        let mut written = Vec::new();
        let mut write = |name: &'static str, content: &[u8]| {
            written.push(name);
            out.write(name, content)
        };
        write("graph.json", serde_json::to_string_pretty(document)?.as_bytes())?;
        let mut csv = Vec::new();
        write_graph_csv(graph, &mut csv, "graph.csv")?;
        write("graph.csv", &csv)?;
        write("graph.dot", to_dot(graph, |from, to| self.summary.is_open(from, to)).as_bytes())?;
        let figure = self.picture()?;
        write("graph.svg", figure.svg.as_bytes())?;
        write("graph.png", &figure.png)?;
        if let Some(probabilities) = &self.summary.learned.probabilities {
            let mut csv = Vec::new();
            Table::new(graph.names().to_vec(), probabilities.clone())?
                .write_csv(&mut csv, "probabilities.csv")?;
            write("probabilities.csv", &csv)?;
        }
        if let Some(figure) = self.path_picture().transpose()? {
            write("path.svg", figure.svg.as_bytes())?;
            write("path.png", &figure.png)?;
        }
        if let Some(csv) = self.support_csv()? {
            write("support.csv", &csv)?;
        }
        Ok(written)
    }

    fn picture(&self) -> anyhow::Result<Figure> {
        let graph = &self.graph;
        let arrow = |edge: LearnedEdge| Arrow {
            from: edge.from,
            to: edge.to,
            weight: edge.standardized.unwrap_or(edge.weight),
            strength: edge.rank(),
            is_open: self.summary.is_open(edge.from, edge.to),
            support: self.summary.arrow_support(edge.from, edge.to),
        };
        let arrows: Vec<Arrow> = self.summary.learned.edges().map(arrow).collect();
        let by = self.summary.learned.score_name.as_deref().unwrap_or(self.summary.learned.method.name);
        let title = format!("{}: {by}, {}", self.data.title, counted(graph.dag().edge_count(), "edge"));
        Figure::draw_graph(&Graph {
            title: &title,
            names: graph.names(),
            order: graph.dag().topological_order(),
            arrows: &arrows,
            weights: if self.summary.is_linear() { Weights::Effects } else { Weights::Strengths },
            caption: match (&self.summary.learned.strengths, &self.summary.learned.p_values) {
                (Some(_), _) => "thicker: the score would lose more without it",
                (None, Some(_)) => "thicker: smaller p-values",
                (None, None) => "thicker: larger weights",
            },
        })
    }
}
