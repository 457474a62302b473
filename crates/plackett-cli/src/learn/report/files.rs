//! The files in the folder of `--out`: the document, the graph for other programs, and its picture.

use plackett_dag::{
    Table,
    format::{to_dot, write_graph_csv},
};

use super::{Report, document::Document};
use crate::{files::OutDir, plot::Figure};

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
        let figure = self.summary.picture(Figure::draw_graph)?;
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
}
