//! Graphs as adjacency matrices: entry (row i, column j) is the weight of i → j. Metrics, equivalence classes, paths and files.

use numpy::{PyArray2, PyReadonlyArray2};
use plackett_dag::{
    Cpdag, Dag, Interventions, NamedDag,
    format::{self, Claim, GraphFormat},
};
use plackett_report::layout::{Layout, Point};
use pyo3::prelude::*;

use crate::{
    arrays::{Rows, matrix},
    error::Failure,
};

/// Pairs of nodes.
pub(crate) type Pairs = Vec<(usize, usize)>;

pub(crate) fn dag(adjacency: &PyReadonlyArray2<'_, f64>) -> Result<Dag, Failure> {
    let rows = Rows::of(adjacency, "the adjacency matrix")?;
    if rows.count() != rows.columns() {
        return Err(Failure::new(format!(
            "an adjacency matrix is square, not {} by {}",
            rows.count(),
            rows.columns()
        )));
    }
    Ok(Dag::from_adjacency(rows.count(), rows.entries())?)
}

/// The adjacency matrix of a graph.
pub(crate) fn adjacency<'py>(py: Python<'py>, dag: &Dag) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
    matrix(py, dag.adjacency(), dag.nodes(), dag.nodes())
}

/// Edges to add, remove or turn round.
#[pyfunction]
pub(crate) fn shd(
    py: Python<'_>,
    truth: PyReadonlyArray2<'_, f64>,
    estimate: PyReadonlyArray2<'_, f64>,
) -> Result<usize, Failure> {
    let (truth, estimate) = (dag(&truth)?, dag(&estimate)?);
    py.detach(|| Ok(plackett_dag::metrics::shd(&truth, &estimate)?))
}

/// The same between the equivalence classes.
#[pyfunction]
pub(crate) fn shd_cpdag(
    py: Python<'_>,
    truth: PyReadonlyArray2<'_, f64>,
    estimate: PyReadonlyArray2<'_, f64>,
) -> Result<usize, Failure> {
    let (truth, estimate) = (dag(&truth)?, dag(&estimate)?);
    py.detach(|| Ok(plackett_dag::metrics::shd_cpdag(&truth, &estimate)?))
}

/// Wrong effects of one node on another.
#[pyfunction]
pub(crate) fn sid(
    py: Python<'_>,
    truth: PyReadonlyArray2<'_, f64>,
    estimate: PyReadonlyArray2<'_, f64>,
) -> Result<usize, Failure> {
    let (truth, estimate) = (dag(&truth)?, dag(&estimate)?);
    py.detach(|| Ok(plackett_dag::metrics::sid(&truth, &estimate)?))
}

/// SHD, SHD between the classes, SID, and the edges that are missing, extra and turned round.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    truth: PyReadonlyArray2<'_, f64>,
    estimate: PyReadonlyArray2<'_, f64>,
) -> Result<(usize, usize, usize, usize, usize, usize), Failure> {
    let (truth, estimate) = (dag(&truth)?, dag(&estimate)?);
    let found = py.detach(|| plackett_dag::metrics::compare(&truth, &estimate))?;
    Ok((found.shd, found.shd_cpdag, found.sid, found.missing, found.extra, found.reversed))
}

/// The nodes, each parent before its children.
#[pyfunction]
pub(crate) fn topological_order(graph: PyReadonlyArray2<'_, f64>) -> Result<Vec<usize>, Failure> {
    Ok(dag(&graph)?.topological_order().to_vec())
}

/// The directed and the undirected edges of a graph's equivalence class.
#[pyfunction]
pub(crate) fn cpdag(graph: PyReadonlyArray2<'_, f64>) -> Result<(Pairs, Pairs), Failure> {
    let cpdag = Cpdag::of(&dag(&graph)?);
    Ok((cpdag.directed().to_vec(), cpdag.undirected().to_vec()))
}

/// The same of the class that interventions on these sets of nodes tell.
#[pyfunction]
pub(crate) fn interventional_cpdag(
    graph: PyReadonlyArray2<'_, f64>,
    targets: Vec<Vec<usize>>,
) -> Result<(Pairs, Pairs), Failure> {
    let dag = dag(&graph)?;
    let class = Interventions::new(dag.nodes(), targets)?.class(&dag)?;
    Ok((class.directed().to_vec(), class.undirected().to_vec()))
}

/// A graph with the names of its nodes.
pub(crate) fn named(names: Vec<String>, graph: &PyReadonlyArray2<'_, f64>) -> Result<NamedDag, Failure> {
    Ok(NamedDag::new(names, dag(graph)?)?)
}

/// The picture of a graph as SVG; the edges between `open` pairs are dashed.
#[pyfunction]
pub(crate) fn graph_svg(
    py: Python<'_>,
    names: Vec<String>,
    graph: PyReadonlyArray2<'_, f64>,
    open: Pairs,
    title: String,
) -> Result<String, Failure> {
    let graph = named(names, &graph)?;
    let is_open = |from, to| open.contains(&(from, to)) || open.contains(&(to, from));
    py.detach(|| plackett_cli::graph_svg(&graph, &title, is_open))
        .map_err(|error| Failure::new(error.to_string()))
}

/// The centers of a graph's nodes, each to the right and down, and the joints of its edges, in the order of the matrix.
#[pyfunction]
pub(crate) fn graph_layout(
    py: Python<'_>,
    graph: PyReadonlyArray2<'_, f64>,
    widths: Vec<f64>,
) -> Result<(Vec<Point>, Vec<Vec<Point>>), Failure> {
    let dag = dag(&graph)?;
    let edges: Pairs = dag.edges().map(|(from, to, _)| (from, to)).collect();
    if widths.len() != dag.nodes() {
        return Err(Failure::new(format!("{} widths for {} nodes", widths.len(), dag.nodes())));
    }
    let layout = py.detach(|| Layout::new(dag.topological_order(), &edges, &widths));
    Ok((layout.nodes, layout.edges))
}

/// A graph as a text for others; the directions between `open` pairs are open.
#[pyfunction]
pub(crate) fn write_graph(
    names: Vec<String>,
    graph: PyReadonlyArray2<'_, f64>,
    open: Pairs,
    what: &str,
) -> Result<String, Failure> {
    let graph = NamedDag::new(names, dag(&graph)?)?;
    let is_open = |from, to| open.contains(&(from, to)) || open.contains(&(to, from));
    Ok(GraphFormat::by_name(what)?.text(&graph, is_open)?)
}

/// The name of the format that the ending of a file's name tells.
#[pyfunction]
pub(crate) fn graph_format(path: std::path::PathBuf) -> Result<&'static str, Failure> {
    let format = GraphFormat::of_path(path)?;
    Ok(format.name())
}

/// Names, weights and the pairs whose direction is open.
type Parts<'py> = (Vec<String>, Bound<'py, PyArray2<f64>>, Pairs);

fn parts<'py>(py: Python<'py>, claim: &Claim) -> Result<Parts<'py>, Failure> {
    let weights = adjacency(py, claim.graph.dag())?;
    Ok((claim.graph.names().to_vec(), weights, claim.class.undirected().to_vec()))
}

/// The graph of a file in any of the formats.
#[pyfunction]
pub(crate) fn read_graph(py: Python<'_>, path: std::path::PathBuf) -> Result<Parts<'_>, Failure> {
    parts(py, &format::read_claim(path)?)
}

/// The graph of a text in any of the formats.
#[pyfunction]
pub(crate) fn parse_graph<'py>(py: Python<'py>, text: &str, file: &str) -> Result<Parts<'py>, Failure> {
    parts(py, &format::parse_claim(text.as_bytes(), file)?)
}

/// Nodes that stand in a relation to one: ancestors, descendants, or the Markov blanket.
#[pyfunction]
pub(crate) fn related(
    graph: PyReadonlyArray2<'_, f64>,
    node: usize,
    what: &str,
) -> Result<Vec<usize>, Failure> {
    let dag = dag(&graph)?;
    Ok(match what {
        "ancestors" => dag.ancestors(node),
        "descendants" => dag.descendants(node),
        _ => dag.markov_blanket(node),
    })
}

/// Whether every path between two nodes is blocked by others.
#[pyfunction]
pub(crate) fn is_d_separated(
    graph: PyReadonlyArray2<'_, f64>,
    a: usize,
    b: usize,
    given: Vec<usize>,
) -> Result<bool, Failure> {
    Ok(dag(&graph)?.is_d_separated(a, b, &given)?)
}

/// What to adjust for.
#[pyfunction]
pub(crate) fn adjustment_set(
    graph: PyReadonlyArray2<'_, f64>,
    cause: usize,
    outcome: usize,
    which: &str,
) -> Result<Vec<usize>, Failure> {
    Ok(dag(&graph)?.adjustment_set(cause, outcome, which.parse()?)?)
}

/// Whether a set is one to adjust for.
#[pyfunction]
pub(crate) fn is_adjustment_set(
    graph: PyReadonlyArray2<'_, f64>,
    cause: usize,
    outcome: usize,
    set: Vec<usize>,
) -> Result<bool, Failure> {
    Ok(dag(&graph)?.is_adjustment_set(cause, outcome, &set)?)
}
