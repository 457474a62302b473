//! The cells of a table: means over the seeds with the paper's beside them, as rows of text.

use serde::Serialize;

use super::paper::Published;
use crate::summary::mean_std;

/// One figure of a table, ours and the paper's.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cell {
    pub table: &'static str,
    pub graph: String,
    pub nodes: usize,
    /// What was done to the data: nothing beyond centering (raw), or standardized; or that they are categories.
    pub data: &'static str,
    pub method: String,
    pub metric: &'static str,
    pub mean: f64,
    pub std: f64,
    pub paper_mean: Option<f64>,
    pub paper_std: Option<f64>,
}

/// A metric of a table: its name, its heading, and where it is found in what was measured.
pub(super) struct Metric<M> {
    pub name: &'static str,
    pub heading: &'static str,
    /// Its name in the paper, whose figure stands beside it.
    pub paper: &'static str,
    pub digits: usize,
    pub pick: fn(&M) -> Option<f64>,
}

/// Data sets that differ by their seeds alone.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub table: &'static str,
    pub graph: &'static str,
    pub nodes: usize,
    pub data: &'static str,
    /// Whether the paper has figures for these data.
    pub published: bool,
}

impl Setting {
    /// The cells of one method here, from its results over the seeds.
    pub(super) fn cells<M>(
        &self,
        method: &str,
        metrics: &[Metric<M>],
        results: &[&M],
        published: &[Published],
    ) -> Vec<Cell> {
        let cell = |metric: &Metric<M>| {
            let values: Vec<f64> = results.iter().filter_map(|measured| (metric.pick)(measured)).collect();
            if values.is_empty() {
                return None;
            }
            let (mean, std) = mean_std(&values);
            // What is zero but for rounding is zero.
            let mean = if mean.abs() < 1e-6 { 0.0 } else { mean };
            let paper = published.iter().find(|figure| {
                self.published
                    && figure.nodes == self.nodes
                    && figure.graph == self.graph
                    && figure.method == method
                    && figure.metric == metric.paper
            });
            Some(Cell {
                table: self.table,
                graph: self.graph.to_owned(),
                nodes: self.nodes,
                data: self.data,
                method: method.to_owned(),
                metric: metric.name,
                mean,
                std,
                paper_mean: paper.map(|figure| figure.mean),
                paper_std: paper.map(|figure| figure.std),
            })
        };
        metrics.iter().filter_map(cell).collect()
    }

    /// One row per method: its name, then each metric as ours with the paper's behind it.
    pub(super) fn rows<M>(
        &self,
        methods: impl IntoIterator<Item = &'static str>,
        metrics: &[Metric<M>],
        cells: &[Cell],
    ) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for method in methods {
            let of_method: Vec<&Cell> = cells
                .iter()
                .filter(|cell| cell.graph == self.graph && cell.data == self.data && cell.method == method)
                .collect();
            if of_method.is_empty() {
                continue;
            }
            let mut row = vec![method.to_owned()];
            for Metric { name, digits, .. } in metrics {
                let cell = of_method.iter().find(|cell| cell.metric == *name);
                row.push(cell.map_or("-".to_owned(), |cell| match cell.paper_mean {
                    Some(paper) => format!("{:.digits$} ± {:.digits$} [{paper}]", cell.mean, cell.std),
                    None => format!("{:.digits$} ± {:.digits$}", cell.mean, cell.std),
                }));
            }
            rows.push(row);
        }
        rows
    }
}

/// The headings over [`Setting::rows`].
pub(super) fn header<M>(metrics: &[Metric<M>]) -> Vec<&'static str> {
    std::iter::once("method").chain(metrics.iter().map(|metric| metric.heading)).collect()
}

/// A table in Markdown.
pub(super) fn markdown(header: &[&str], rows: &[Vec<String>]) -> String {
    let line = |row: &[String]| format!("| {} |\n", row.join(" | "));
    let header: Vec<String> = header.iter().map(|&heading| heading.to_owned()).collect();
    let mut text = line(&header) + &line(&vec!["---".to_owned(); header.len()]);
    rows.iter().for_each(|row| text += &line(row));
    text
}

/// The cells as CSV.
pub(super) fn csv(cells: &[Cell]) -> anyhow::Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for cell in cells {
        csv.serialize(cell)?;
    }
    Ok(csv.into_inner()?)
}
