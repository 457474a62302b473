//! Discrete Bayesian networks: a graph whose nodes take one of a few states each, and for each node a table of the
//! probabilities of its states given those of its parents, P(x) = Πᵢ P(xᵢ | parents of i). They are read from BIF files
//! or brought along, and data are drawn from them.

mod bif;
mod embedded;
mod inference;
mod likelihood;
mod sample;

pub use embedded::{EMBEDDED, EmbeddedNetwork};
pub use inference::Inference;

use std::collections::HashSet;

use crate::categories::Categories;
use crate::error::{Error, Result};
use crate::graph::{Dag, NamedDag};

/// How far from one the probabilities given to [`BayesNet::new`] may sum: far more than rounding leaves.
const SUM_TOLERANCE: f64 = 1e-6;

/// How far from one the probabilities in a file may sum: published ones are often rounded to three digits or four.
const FILE_SUM_TOLERANCE: f64 = 1e-3;

/// The most probabilities a table may have, 128 MB of them; a node of two states reaches it with 23 such parents.
pub(crate) const MOST_ENTRIES: usize = 1 << 24;

/// A Bayesian network over variables that each have a finite number of states.
///
/// # Example
/// ```
/// use plackett_dag::BayesNet;
///
/// let asia = BayesNet::embedded("asia")?;
/// assert_eq!((asia.dag().nodes(), asia.dag().edge_count(), asia.free_parameters()), (8, 8, 18));
/// let data = asia.sample(1000, 7, BayesNet::TRAINING)?;
/// assert_eq!((data.row_count(), data.names()), (1000, asia.names()));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BayesNet {
    graph: NamedDag,
    states: Vec<Vec<String>>,
    /// Of each node, one row of probabilities per configuration of its parents.
    tables: Vec<Vec<f64>>,
}

impl BayesNet {
    /// A network from its graph, the states of each node, and the table of each node: one row per configuration of the
    /// node's parents, in the order in which the parents ascend, the states of the last changing fastest. The rows are
    /// divided by their sums.
    ///
    /// # Errors
    /// [`Error::Size`] if the lists do not fit the graph; [`Error::NetworkNode`] for a node without states, with two of
    /// the same name or more than [`Categories::MOST_LEVELS`], and for a table of the wrong size, with a probability that
    /// is negative or not finite, or with a row that does not sum to one within 10⁻⁶.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{BayesNet, NamedDag};
    ///
    /// let graph = NamedDag::from_edges(vec!["rain".into(), "wet".into()], [(0, 1, 1.0)])?;
    /// let states = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
    /// let net = BayesNet::new(graph.clone(), states.clone(), vec![vec![0.8, 0.2], vec![0.9, 0.1, 0.3, 0.7]])?;
    /// assert_eq!(net.row(1, 1), [0.3, 0.7]); // given rain
    /// let error = BayesNet::new(graph, states, vec![vec![0.8, 0.1], vec![0.9, 0.1, 0.3, 0.7]]).unwrap_err();
    /// assert_eq!(error.to_string(), "node \"rain\": the probabilities sum to 0.9, not 1");
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn new(graph: NamedDag, states: Vec<Vec<String>>, mut tables: Vec<Vec<f64>>) -> Result<Self> {
        let nodes = graph.dag().nodes();
        for (what, found) in [("the list of states", states.len()), ("the list of tables", tables.len())] {
            if found != nodes {
                return Err(Error::Size { what, expected: nodes, found });
            }
        }
        for (node, table) in tables.iter_mut().enumerate() {
            let refused = |problem| Error::NetworkNode { node: graph.names()[node].clone(), problem };
            check_states(&states[node]).map_err(refused)?;
            let parents = graph.dag().parents(node);
            let configurations =
                configuration_count(parents, states[node].len(), &states).map_err(refused)?;
            let expected = configurations * states[node].len();
            if table.len() != expected {
                let problem =
                    format!("the table has {} probabilities where {expected} are needed", table.len());
                return Err(refused(problem));
            }
            for (configuration, row) in table.chunks_exact_mut(states[node].len()).enumerate() {
                normalize(row, SUM_TOLERANCE).map_err(|problem| {
                    refused(format!("{problem}{}", given(parents, configuration, graph.names(), &states)))
                })?;
            }
        }
        Ok(Self { graph, states, tables })
    }

    /// The network of a file, in which a node's parents may be listed in any order and its table follows that order.
    /// Tables must be of the right size.
    fn from_listed(
        names: Vec<String>,
        states: Vec<Vec<String>>,
        parents: &[Vec<usize>],
        tables: Vec<Vec<f64>>,
    ) -> Result<Self> {
        let edges =
            parents.iter().enumerate().flat_map(|(to, list)| list.iter().map(move |&from| (from, to, 1.0)));
        let graph = NamedDag::from_edges(names, edges)?;
        let reordered = |(node, table): (usize, Vec<f64>)| {
            let listed = &parents[node];
            if listed.is_sorted() {
                table
            } else {
                with_sorted_parents(&table, listed, states[node].len(), &states)
            }
        };
        let tables = tables.into_iter().enumerate().map(reordered).collect();
        Self::new(graph, states, tables)
    }

    /// The graph with the names of its nodes; every edge weighs 1.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// assert_eq!(BayesNet::embedded("asia")?.graph().name(0), Some("asia"));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn graph(&self) -> &NamedDag {
        &self.graph
    }

    /// The graph by the indices of its nodes.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// assert_eq!(BayesNet::embedded("alarm")?.dag().edge_count(), 46);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn dag(&self) -> &Dag {
        self.graph.dag()
    }

    /// The names of the nodes.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// assert_eq!(BayesNet::embedded("survey")?.names(), ["A", "S", "E", "O", "R", "T"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn names(&self) -> &[String] {
        self.graph.names()
    }

    /// The names of a node's states; empty if there is no such node.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// assert_eq!(BayesNet::embedded("survey")?.states(5), ["car", "train", "other"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn states(&self, node: usize) -> &[String] {
        self.states.get(node).map_or(&[], Vec::as_slice)
    }

    /// A node's table as [`BayesNet::new`] takes it; empty if there is no such node.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// let net = BayesNet::embedded("asia")?;
    /// let tub = net.names().iter().position(|name| name == "tub").unwrap();
    /// assert_eq!(net.table(tub), [0.05, 0.95, 0.01, 0.99]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn table(&self, node: usize) -> &[f64] {
        self.tables.get(node).map_or(&[], Vec::as_slice)
    }

    /// The probabilities of a node's states given one configuration of its parents, that is one row of its table; empty
    /// if there is no such row.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// let net = BayesNet::embedded("asia")?;
    /// assert_eq!((net.row(0, 0), net.row(0, 1)), (&[0.01, 0.99][..], &[][..]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn row(&self, node: usize, configuration: usize) -> &[f64] {
        let arity = self.states(node).len();
        let start = configuration.saturating_mul(arity);
        self.table(node).get(start..start.saturating_add(arity)).unwrap_or_default()
    }

    /// The number of probabilities that can be chosen freely: in each row of each table all but one.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// assert_eq!(BayesNet::embedded("alarm")?.free_parameters(), 509);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn free_parameters(&self) -> usize {
        self.tables
            .iter()
            .zip(&self.states)
            .map(|(table, states)| table.len() - table.len() / states.len())
            .sum()
    }
}

/// What is wrong with a list of states, if anything.
fn check_states(states: &[String]) -> std::result::Result<(), String> {
    let most = Categories::MOST_LEVELS;
    let mut seen = HashSet::new();
    match states.iter().find(|state| state.is_empty() || !seen.insert(*state)) {
        _ if states.is_empty() => Err("there are no states".to_owned()),
        _ if states.len() > most => {
            Err(format!("there are {} states where {most} are the most", states.len()))
        }
        Some(state) if state.is_empty() => Err("a state has no name".to_owned()),
        Some(state) => Err(format!("two states are named \"{state}\"")),
        None => Ok(()),
    }
}

/// The number of configurations of some parents, or the complaint that the table would be too large.
fn configuration_count(
    parents: &[usize],
    arity: usize,
    states: &[Vec<String>],
) -> std::result::Result<usize, String> {
    let times = |product: usize, &parent: &usize| {
        product
            .checked_mul(states[parent].len())
            .filter(|product| product.saturating_mul(arity) <= MOST_ENTRIES)
    };
    parents.iter().try_fold(1, times).ok_or_else(|| {
        format!("with {} parents the table would have more than {MOST_ENTRIES} probabilities", parents.len())
    })
}

/// Divides a row of probabilities by their sum, or says why it is none.
fn normalize(row: &mut [f64], tolerance: f64) -> std::result::Result<(), String> {
    if let Some(value) = row.iter().find(|value| !(value.is_finite() && **value >= 0.0)) {
        return Err(format!("{value} is no probability"));
    }
    let sum: f64 = row.iter().sum();
    if (sum - 1.0).abs() > tolerance {
        // Enough digits to see what is wrong, without those that rounding leaves.
        let shown = format!("{sum:.9}");
        return Err(format!(
            "the probabilities sum to {}, not 1",
            shown.trim_end_matches('0').trim_end_matches('.')
        ));
    }
    // Rounding alone is left as it is, so that tables survive being written and read.
    if (sum - 1.0).abs() > f64::EPSILON * row.len() as f64 {
        row.iter_mut().for_each(|value| *value /= sum);
    }
    Ok(())
}

/// The states of the parents in one configuration.
fn configuration_states<'a>(
    parents: &[usize],
    mut configuration: usize,
    states: &'a [Vec<String>],
) -> Vec<&'a String> {
    let mut found: Vec<&String> = Vec::with_capacity(parents.len());
    for &parent in parents.iter().rev() {
        let arity = states[parent].len();
        found.push(&states[parent][configuration % arity]);
        configuration /= arity;
    }
    found.reverse();
    found
}

/// The configuration of a row as the end of a sentence.
fn given(parents: &[usize], configuration: usize, names: &[String], states: &[Vec<String>]) -> String {
    let states = configuration_states(parents, configuration, states);
    let parts: Vec<String> =
        parents.iter().zip(states).map(|(&parent, state)| format!("{} = {state}", names[parent])).collect();
    if parts.is_empty() { String::new() } else { format!(", given {}", parts.join(", ")) }
}

/// A table whose parents are in the order listed, with its rows in the order that ascending parents give.
fn with_sorted_parents(table: &[f64], listed: &[usize], arity: usize, states: &[Vec<String>]) -> Vec<f64> {
    let mut sorted = listed.to_vec();
    sorted.sort_unstable();
    let steps = |parents: &[usize]| {
        // How far apart two rows are that differ by one in the state of one parent.
        let mut steps = vec![1; parents.len()];
        for at in (1..parents.len()).rev() {
            steps[at - 1] = steps[at] * states[parents[at]].len();
        }
        steps
    };
    let sorted_steps = steps(&sorted);
    let mut result = vec![0.0; table.len()];
    for (configuration, row) in table.chunks_exact(arity).enumerate() {
        let place: usize = listed
            .iter()
            .zip(steps(listed))
            .map(|(parent, step)| {
                let state = configuration / step % states[*parent].len();
                let at = sorted.partition_point(|other| other < parent);
                state * sorted_steps[at]
            })
            .sum();
        result[place * arity..][..arity].copy_from_slice(row);
    }
    result
}
