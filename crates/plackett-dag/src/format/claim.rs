//! A graph, and which of its directions are open.

use crate::cpdag::Cpdag;
use crate::error::Error;
use crate::graph::NamedDag;
use crate::pattern::Pattern;

/// What a file says of a graph: a graph, and the class of graphs that share the directions that are not open.
///
/// ```
/// use plackett_dag::format::parse_claim;
///
/// let claim = parse_claim(b"digraph { a -> b [dir=none]; b -> c [dir=none] }", "graph.dot")?;
/// assert!(claim.graph.dag().has_edge(0, 1) && claim.is_open(0, 1) && claim.is_open(1, 0));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// One of the graphs.
    pub graph: NamedDag,
    /// All of them.
    pub class: Cpdag,
}

impl Claim {
    /// A graph all of whose directions count.
    pub fn certain(graph: NamedDag) -> Self {
        let mut directed: Vec<(usize, usize)> = graph.dag().edges().map(|(from, to, _)| (from, to)).collect();
        directed.sort_unstable();
        let class = Cpdag::from_sorted(graph.dag().nodes(), directed, Vec::new());
        Self { graph, class }
    }

    /// A graph some of whose directions are open. If it is none of its own class, because the open ones make arrows meet that are not said to,
    /// a graph of the class takes its place, unless the class has none, as that of tests on data may.
    ///
    /// # Errors
    /// Never, for a graph that is one already; what its edges could be refused for was checked.
    pub fn open_in(graph: &NamedDag, is_open: impl Fn(usize, usize) -> bool) -> Result<Self, Error> {
        let edges: Vec<(usize, usize, f64)> = graph.dag().edges().collect();
        let (open, arrows): (Vec<_>, Vec<_>) =
            edges.into_iter().partition(|&(from, to, _)| is_open(from, to));
        Self::of_edges(graph.names().to_vec(), &arrows, &open)
    }

    /// The graphs with these arrows and these edges whose direction is open, each with its weight.
    pub(super) fn of_edges(
        names: Vec<String>,
        arrows: &[(usize, usize, f64)],
        open: &[(usize, usize, f64)],
    ) -> Result<Self, Error> {
        let drawn = NamedDag::from_edges(names.clone(), arrows.iter().chain(open).copied());
        if open.is_empty() {
            return Ok(Self::certain(drawn?));
        }
        // What is wrong with the arrows or the names is said by name.
        NamedDag::from_edges(names.clone(), arrows.iter().copied())?;
        let pairs = |edges: &[(usize, usize, f64)]| edges.iter().map(|&(a, b, _)| (a, b)).collect::<Vec<_>>();
        let class =
            Cpdag::from_edges(names.len(), pairs(arrows), pairs(open)).map_err(|error| match error {
                Error::RepeatedEdge { from, to } => {
                    let name = |text: String| text.parse::<usize>().map_or(text, |node| names[node].clone());
                    Error::RepeatedEdge { from: name(from), to: name(to) }
                }
                error => error,
            })?;
        let is_member = |graph: &NamedDag| Pattern::of(&class).has_colliders_of(graph.dag());
        let dag = match (drawn, class.extension()) {
            (Ok(graph), extension) if extension.is_none() || is_member(&graph) => {
                return Ok(Self { graph, class });
            }
            (_, Some(dag)) => dag,
            (_, None) => {
                let reason = "the graph stands for no directed acyclic graph: its undirected edges cannot be directed without a cycle or \
                              new arrows that meet";
                return Err(Error::Question { reason: reason.to_owned() });
            }
        };
        let weight = |a: usize, b: usize| {
            let mut edges = arrows.iter().chain(open);
            edges
                .find(|edge| (edge.0, edge.1) == (a, b) || (edge.0, edge.1) == (b, a))
                .map_or(1.0, |edge| edge.2)
        };
        let edges = dag.edges().map(|(from, to, _)| (from, to, weight(from, to)));
        Ok(Self { graph: NamedDag::from_edges(names, edges)?, class })
    }

    /// Whether the direction between two nodes is open.
    pub fn is_open(&self, a: usize, b: usize) -> bool {
        self.class.undirected().binary_search(&(a.min(b), a.max(b))).is_ok()
    }
}

/// Names in the order in which they come up, and edges between them.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    names: Vec<String>,
    places: std::collections::HashMap<String, usize>,
    pub(super) arrows: Vec<(usize, usize, f64)>,
    pub(super) open: Vec<(usize, usize, f64)>,
}

impl Gathered {
    /// The node of this name, which is new if it was not there.
    pub(super) fn node(&mut self, name: &str) -> usize {
        if let Some(&node) = self.places.get(name) {
            return node;
        }
        self.places.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    pub(super) fn name(&self, node: usize) -> &str {
        &self.names[node]
    }

    pub(super) fn claim(self, file: &str) -> Result<Claim, Error> {
        Claim::of_edges(self.names, &self.arrows, &self.open).map_err(|problem| super::in_file(file, problem))
    }
}
