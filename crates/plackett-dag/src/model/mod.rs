//! Models fitted to data: a graph, and for each of its nodes how it depends on its parents. Numbers are linear in the numbers among their
//! parents, with coefficients of their own in every configuration of the categories among them (conditional Gaussian); categories
//! have tables given categories, and are logistic where numbers are among their parents.

mod document;
mod draw;
pub(crate) mod fit;
pub(crate) mod least_squares;
pub(crate) mod logistic;
mod predict;

pub use fit::Fitting;
pub use logistic::Logistic;
pub use predict::Prediction;

use plackett::elementary::ln;
use serde::{Deserialize, Serialize};

use crate::cholesky::dot;
use crate::dataset::Sample;
use crate::graph::{Dag, NamedDag};
use crate::network::BayesNet;
use crate::{Error, NodeSet, Result, parallel};

/// A linear regression of a node on the numbers among its parents, in one configuration of the categories among them.
///
/// ```
/// use plackett_dag::{Dataset, Fitting, NamedDag, dataset::Reading, model::Distribution};
///
/// let text = "a,b\n1.0,3.1\n2.0,4.9\n3.0,7.2\n4.0,8.8\n5.0,11.0\n";
/// let sample = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?.sample()?;
/// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [(0, 1, 1.0)])?;
/// let model = Fitting::default().fit(&graph, &sample)?;
/// let Distribution::Linear(found) = &model.nodes()[1].distribution else { unreachable!() };
/// assert!((found[0].coefficients[0] - 1.97).abs() < 1e-9 && (found[0].intercept - 1.09).abs() < 1e-9);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    /// What is expected where all predictors are zero.
    pub intercept: f64,
    /// Its standard error, where rows are left to tell it.
    pub intercept_error: Option<f64>,
    /// A coefficient for each number among the parents, ascending; zero for one that those before it tell already.
    pub coefficients: Vec<f64>,
    /// Their standard errors; none for a coefficient that is zero because others tell it.
    pub errors: Vec<Option<f64>>,
    /// The variance of what is left: the sum of squares by the rows less the coefficients.
    pub variance: f64,
    /// The rows that it rests on.
    pub rows: f64,
    /// Whether this configuration has too few rows, so that the regression is that of all rows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_pooled: bool,
}

/// How a node depends on its parents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Distribution {
    /// Probabilities of states: a row for each configuration of the parents, the states of the last parent changing fastest.
    Table(Vec<f64>),
    /// Numbers: a regression for each configuration of the categories among the parents, in the same order.
    Linear(Vec<Regression>),
    /// Probabilities of states where numbers are among the parents.
    Logistic(Logistic),
}

/// A node of a [`Model`].
#[derive(Clone, Debug, PartialEq)]
pub struct NodeModel {
    /// The states of a category; none for numbers.
    pub states: Vec<String>,
    /// How it depends on its parents, which the graph names.
    pub distribution: Distribution,
    /// The rows that it was fitted to.
    pub rows: f64,
}

/// A graph with a distribution for each node, fitted to data by [`Fitting`].
///
/// ```
/// use plackett_dag::{BayesNet, Fitting, Model, Observations, Sample};
///
/// let asia = BayesNet::embedded("asia")?;
/// let data = asia.sample(5000, 1, BayesNet::TRAINING)?;
/// let labels = (0..8).map(|node| asia.states(node).to_vec()).collect();
/// let sample = Sample::new(asia.names().to_vec(), labels, Observations::Categories(data.into()))?;
/// let model = Fitting::default().fit(asia.graph(), &sample)?;
/// let network = model.to_network().expect("all columns are categories");
/// assert!((network.row(2, 0)[0] - 0.5).abs() < 0.02); // half of them smoke
/// assert_eq!(Model::from_json(model.to_json().as_bytes(), "model.json")?, model);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    graph: NamedDag,
    nodes: Vec<NodeModel>,
    ess: f64,
    shapes: Vec<Shape>,
}

/// Which parents of a node are numbers and which are categories, and how many states these have.
#[derive(Clone, Debug, PartialEq)]
struct Shape {
    numbers: Vec<usize>,
    categories: Vec<(usize, usize)>,
}

impl Shape {
    fn of(dag: &Dag, node: usize, arity: impl Fn(usize) -> usize) -> Self {
        let (numbers, categories): (Vec<usize>, Vec<usize>) =
            dag.parents(node).iter().partition(|&&parent| arity(parent) == 0);
        Self { numbers, categories: categories.into_iter().map(|parent| (parent, arity(parent))).collect() }
    }

    /// The configuration of the categories in a row of values; codes are numbers there.
    #[expect(clippy::cast_sign_loss, reason = "codes")]
    fn configuration(&self, row: &[f64]) -> usize {
        self.categories.iter().fold(0, |found, &(parent, arity)| found * arity + row[parent] as usize)
    }

    fn configurations(&self) -> usize {
        self.categories.iter().fold(1, |found, &(_, arity)| found.saturating_mul(arity))
    }

    /// How many predictors a logistic regression has.
    fn width(&self) -> usize {
        self.numbers.len() + self.categories.iter().map(|&(_, arity)| arity.saturating_sub(1)).sum::<usize>()
    }

    /// The predictors of a logistic regression: numbers, then indicators.
    fn predictors(&self, row: &[f64], predictors: &mut Vec<f64>) {
        predictors.extend(self.numbers.iter().map(|&parent| row[parent]));
        for &(parent, arity) in &self.categories {
            predictors.extend((1..arity).map(|state| f64::from(u8::from(row[parent] == state as f64))));
        }
    }
}

impl Model {
    fn assemble(graph: NamedDag, nodes: Vec<NodeModel>, ess: f64) -> Self {
        let shapes = (0..nodes.len())
            .map(|node| Shape::of(graph.dag(), node, |parent| nodes[parent].states.len()))
            .collect();
        Self { graph, nodes, ess, shapes }
    }

    /// The graph. Edges between numbers weigh what their coefficient is, if there is one only; others weigh 1.
    pub fn graph(&self) -> &NamedDag {
        &self.graph
    }

    /// The nodes, in the order of the graph's.
    pub fn nodes(&self) -> &[NodeModel] {
        &self.nodes
    }

    /// The equivalent sample size of the prior on tables.
    pub fn ess(&self) -> f64 {
        self.ess
    }

    /// The same as a network, if all columns are categories.
    pub fn to_network(&self) -> Option<BayesNet> {
        let tables: Option<Vec<Vec<f64>>> = self
            .nodes
            .iter()
            .map(|node| match &node.distribution {
                Distribution::Table(table) => Some(table.clone()),
                _ => None,
            })
            .collect();
        let states = self.nodes.iter().map(|node| node.states.clone()).collect();
        let edges = self.graph.dag().edges().map(|(from, to, _)| (from, to, 1.0));
        let graph = NamedDag::from_edges(self.graph.names().to_vec(), edges).ok()?;
        BayesNet::new(graph, states, tables?).ok()
    }

    /// The log-density of a node's value given those of its parents, in a row of values in which codes are numbers.
    fn log_density(&self, node: usize, row: &[f64]) -> f64 {
        let shape = &self.shapes[node];
        #[expect(clippy::cast_sign_loss, reason = "codes")]
        match &self.nodes[node].distribution {
            Distribution::Table(table) => {
                let arity = self.nodes[node].states.len();
                ln(table[shape.configuration(row) * arity + row[node] as usize])
            }
            Distribution::Linear(regressions) => {
                let regression = &regressions[shape.configuration(row)];
                let surprise = row[node] - shape.expected(regression, row);
                -0.5 * (surprise * surprise / regression.variance
                    + ln(std::f64::consts::TAU * regression.variance))
            }
            Distribution::Logistic(logistic) => {
                let mut predictors = Vec::with_capacity(shape.width());
                shape.predictors(row, &mut predictors);
                logistic.log_probabilities(&predictors)[row[node] as usize]
            }
        }
    }

    /// The logarithm of the density of data, a density for numbers and a probability for categories: the sum over rows and nodes.
    /// Columns are matched by name, categories by their text; other columns are let be.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`] for columns that are not there; [`Error::UnknownCategory`] for a category that the model has not seen;
    /// [`Error::Misfit`] where a value is missing.
    ///
    /// ```
    /// use plackett_dag::{Dataset, Fitting, NamedDag, dataset::Reading};
    ///
    /// let read = |text: &str| Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?.sample();
    /// let graph = NamedDag::from_edges(vec!["a".into(), "b".into()], [])?;
    /// let model = Fitting::default().fit(&graph, &read("a,b\n1.5,x\n2.5,y\n3.5,x\n4.0,y\n5.0,y\n")?)?;
    /// let error = model.log_likelihood(&read("a,b\n1.5,x\n2.5,z\n3.5,x\n")?).unwrap_err();
    /// assert_eq!(error.to_string(), "column \"b\" has the category \"z\", which is none of \"x\", \"y\"");
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn log_likelihood(&self, sample: &Sample) -> Result<f64> {
        let columns = self.columns_of(sample, &NodeSet::full(self.nodes.len()))?;
        let weights = sample.weights();
        let weight = |row: usize| weights.as_ref().map_or(1.0, |weights| weights[row]);
        let rows = (0..sample.rows()).filter(|&row| weight(row) > 0.0);
        let rows: Vec<usize> = rows.collect();
        let by_node: Vec<f64> = parallel::map(0..self.nodes.len(), |node: usize| {
            let mut values = vec![0.0; self.nodes.len()];
            let family: Vec<usize> = self.graph.dag().parents(node).iter().copied().chain([node]).collect();
            let term = |&row: &usize| {
                family.iter().for_each(|&member| values[member] = columns[member][row]);
                weight(row) * self.log_density(node, &values)
            };
            rows.iter().map(term).sum()
        });
        Ok(by_node.iter().sum())
    }

    /// The columns of some nodes in the model's words; those of others are empty.
    fn columns_of(&self, sample: &Sample, wanted: &NodeSet) -> Result<Vec<Vec<f64>>> {
        let names: Vec<String> = wanted.iter().map(|node| self.graph.names()[node].clone()).collect();
        let mut columns = vec![Vec::new(); self.nodes.len()];
        for (node, place) in wanted.iter().zip(sample.places(&names)?) {
            columns[node] = sample.in_states(place, &self.nodes[node].states)?;
        }
        Ok(columns)
    }

    /// The node of this name.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`].
    fn node(&self, name: &str) -> Result<usize> {
        let found = self.graph.names().iter().position(|own| own == name);
        let known = || self.graph.names().to_vec();
        found.ok_or_else(|| Error::NoSuchColumn { names: vec![name.to_owned()], known: known() })
    }
}

impl Shape {
    /// What a regression expects in a row.
    fn expected(&self, regression: &Regression, row: &[f64]) -> f64 {
        let numbers: Vec<f64> = self.numbers.iter().map(|&parent| row[parent]).collect();
        regression.intercept + dot(&regression.coefficients, &numbers)
    }
}
