//! Fitting a model: node by node, on the rows in which neither the node nor one of its parents lacks a value, and in which the node was
//! not set from outside.

use super::{Distribution, Logistic, Model, NodeModel, Regression, Shape};
use crate::dataset::{ColumnValues as Values, Sample};
use crate::error::check_setting;
use crate::graph::NamedDag;
use crate::learning::Observations;
use crate::model::least_squares::{LeastSquares, Moments};
use crate::model::logistic::MOST_COEFFICIENTS;
use crate::network::MOST_ENTRIES;
use crate::{Error, Result, parallel};

/// Rows that a regression of a configuration has beyond its coefficients, lest its variance be that of chance alone.
const ROWS_TO_SPARE: f64 = 3.0;

/// How to fit a model.
///
/// ```
/// use plackett_dag::{Dataset, Fitting, NamedDag, dataset::Reading, model::Distribution};
///
/// let text = "rain,wet\nyes,yes\nno,no\nyes,yes\nno,yes\n";
/// let sample = Dataset::from_reader(text.as_bytes(), "data.csv", &Reading::default())?.sample()?;
/// let graph = NamedDag::from_edges(vec!["rain".into(), "wet".into()], [(0, 1, 1.0)])?;
/// let model = Fitting { ess: 4.0 }.fit(&graph, &sample)?; // one more of each cell
/// assert_eq!(model.nodes()[1].distribution, Distribution::Table(vec![0.5, 0.5, 0.25, 0.75]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitting {
    /// The equivalent sample size of the prior on tables, which spreads so many rows evenly over the cells of each; zero for the shares
    /// as they are.
    pub ess: f64,
}

impl Default for Fitting {
    /// One row, as in the score `bdeu`.
    fn default() -> Self {
        Self { ess: 1.0 }
    }
}

impl Fitting {
    /// Fits a distribution to each node of a graph. Columns are matched by name; others are let be.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`] for nodes that are no columns; [`Error::Fit`] for a node with too few rows, or a table or a regression
    /// that is too large; [`Error::Setting`] for an equivalent sample size that is negative or not finite.
    pub fn fit(&self, graph: &NamedDag, sample: &Sample) -> Result<Model> {
        let is_valid = self.ess >= 0.0 && self.ess.is_finite();
        check_setting("ess", self.ess, is_valid, "it must be finite and not negative")?;
        let places = sample.places(graph.names())?;
        let nodes: Vec<NodeModel> =
            parallel::map::<_, _, Result<Vec<NodeModel>>>(0..places.len(), |node: usize| {
                let family = Family::new(graph, sample, &places, node);
                family
                    .fit(self.ess)
                    .map_err(|problem| Error::Fit { node: graph.names()[node].clone(), problem })
            })?;
        let weight = |from: usize, to: usize| match &nodes[to].distribution {
            Distribution::Linear(regressions) if regressions.len() == 1 => {
                let numbers =
                    graph.dag().parents(to).iter().filter(|&&parent| nodes[parent].states.is_empty());
                let slope = numbers.zip(&regressions[0].coefficients).find(|(parent, _)| **parent == from);
                slope.map(|(_, &slope)| slope).filter(|&slope| slope != 0.0)
            }
            _ => None,
        };
        let edges = graph.dag().edges().map(|(from, to, _)| (from, to, weight(from, to).unwrap_or(1.0)));
        let graph = NamedDag::from_edges(graph.names().to_vec(), edges)?;
        Ok(Model::assemble(graph, nodes, self.ess))
    }
}

/// How often each state of a node occurs with each configuration of its parents, all of which are categories; columns are matched by name.
pub(crate) fn table_counts(
    graph: &NamedDag,
    sample: &Sample,
    node: usize,
) -> std::result::Result<Vec<f64>, String> {
    let places = sample.places(graph.names()).map_err(|error| error.to_string())?;
    let family = Family::new(graph, sample, &places, node);
    let rows = family.rows().unwrap_or_default();
    family.counts(&rows, sample.labels(places[node]).len())
}

/// A node with its parents in the data.
struct Family<'a> {
    sample: &'a Sample,
    /// The columns of all nodes.
    places: &'a [usize],
    node: usize,
    shape: Shape,
}

impl<'a> Family<'a> {
    fn new(graph: &NamedDag, sample: &'a Sample, places: &'a [usize], node: usize) -> Self {
        let shape = Shape::of(graph.dag(), node, |parent| sample.labels(places[parent]).len());
        Self { sample, places, node, shape }
    }

    fn fit(&self, ess: f64) -> std::result::Result<NodeModel, String> {
        let states = self.sample.labels(self.places[self.node]).to_vec();
        let Some(rows) = self.rows() else { return self.fit_moments(&self.columns()) };
        if rows.is_empty() {
            return Err("no row has its value and those of its parents".to_owned());
        }
        let total = rows.iter().map(|row| row.1).sum();
        let distribution = match (states.is_empty(), self.shape.numbers.is_empty()) {
            (true, _) => self.linear(&rows)?,
            (false, true) => Distribution::Table(self.table(&rows, states.len(), ess)?),
            (false, false) => self.logistic(&rows, states.len())?,
        };
        Ok(NodeModel { states, distribution, rows: total })
    }

    /// Those of the parents, and the node's own as the last.
    fn columns(&self) -> Vec<usize> {
        let members = self.shape.numbers.iter().chain(self.shape.categories.iter().map(|(parent, _)| parent));
        members.chain([&self.node]).map(|&member| self.places[member]).collect()
    }

    /// The rows that tell of the node; nothing if rows are not held.
    fn rows(&self) -> Option<Vec<(usize, f64)>> {
        let columns = self.columns();
        self.sample.telling(&columns, &columns[columns.len() - 1..])
    }

    /// The regression of numbers of which there are only moments.
    fn fit_moments(&self, columns: &[usize]) -> std::result::Result<NodeModel, String> {
        let Observations::Numbers(gram) = self.sample.observations() else {
            return Err("the rows are not held".to_owned());
        };
        let moments = Moments::of_gram(gram, columns);
        let rows = moments.rows;
        let distribution = Distribution::Linear(vec![regression(&moments, false)?]);
        Ok(NodeModel { states: Vec::new(), distribution, rows })
    }

    fn values(&self, member: usize) -> Values<'a> {
        self.sample.values(self.places[member]).unwrap_or(Values::Numbers(&[]))
    }

    /// The values of the node's family in one row, at the places of the nodes.
    fn fill(&self, row: usize, target: &mut [f64]) {
        let members = self.shape.numbers.iter().chain(self.shape.categories.iter().map(|(parent, _)| parent));
        for &member in members.chain([&self.node]) {
            target[member] = self.values(member).get(row).unwrap_or(f64::NAN);
        }
    }

    fn configuration_count(&self, arity: usize) -> std::result::Result<usize, String> {
        let count = self.shape.configurations();
        if count.saturating_mul(arity) > MOST_ENTRIES {
            let parents = self.shape.categories.len();
            return Err(format!(
                "with {parents} categories as parents there are more than {MOST_ENTRIES} cells"
            ));
        }
        Ok(count)
    }

    /// Which configuration each row has.
    fn configurations(&self, rows: &[(usize, f64)]) -> Vec<usize> {
        let mut found = vec![0; rows.len()];
        for &(parent, arity) in &self.shape.categories {
            let values = self.values(parent);
            #[expect(clippy::cast_sign_loss, reason = "codes")]
            found.iter_mut().zip(rows).for_each(|(found, &(row, _))| {
                *found = *found * arity + values.get(row).unwrap_or(0.0) as usize;
            });
        }
        found
    }

    /// How often each state occurs in each configuration.
    fn counts(&self, rows: &[(usize, f64)], arity: usize) -> std::result::Result<Vec<f64>, String> {
        let mut counts = vec![0.0; self.configuration_count(arity)? * arity];
        let own = self.values(self.node);
        #[expect(clippy::cast_sign_loss, reason = "codes")]
        for (configuration, &(row, weight)) in self.configurations(rows).into_iter().zip(rows) {
            counts[configuration * arity + own.get(row).unwrap_or(0.0) as usize] += weight;
        }
        Ok(counts)
    }

    fn table(&self, rows: &[(usize, f64)], arity: usize, ess: f64) -> std::result::Result<Vec<f64>, String> {
        let mut table = self.counts(rows, arity)?;
        let prior = ess / table.len() as f64;
        for cells in table.chunks_exact_mut(arity) {
            cells.iter_mut().for_each(|cell| *cell += prior);
            let sum: f64 = cells.iter().sum();
            // Without a prior, what was never seen may be anything.
            cells
                .iter_mut()
                .for_each(|cell| *cell = if sum > 0.0 { *cell / sum } else { 1.0 / arity as f64 });
        }
        Ok(table)
    }

    fn linear(&self, rows: &[(usize, f64)]) -> std::result::Result<Distribution, String> {
        let width = self.shape.numbers.len() + 1;
        let configurations = self.configuration_count(width + 4)?;
        let members: Vec<Values<'_>> =
            self.shape.numbers.iter().chain([&self.node]).map(|&member| self.values(member)).collect();
        let moments = |rows: &[(usize, f64)]| {
            Moments::of_rows(width, rows, |row, target| {
                target
                    .iter_mut()
                    .zip(&members)
                    .for_each(|(value, member)| *value = member.get(row).unwrap_or(0.0));
            })
        };
        let pooled = regression(&moments(rows), configurations > 1)?;
        if configurations == 1 {
            return Ok(Distribution::Linear(vec![pooled]));
        }
        let mut parts: Vec<Vec<(usize, f64)>> = vec![Vec::new(); configurations];
        for (configuration, &row) in self.configurations(rows).into_iter().zip(rows) {
            parts[configuration].push(row);
        }
        let part = |rows: Vec<(usize, f64)>| {
            let total: f64 = rows.iter().map(|row| row.1).sum();
            if total < width as f64 + ROWS_TO_SPARE {
                return Regression { rows: total, ..pooled.clone() };
            }
            let moments = moments(&rows);
            // Rows that all say the same tell no variance.
            if moments.last_variance() <= 0.0 {
                return Regression { rows: total, ..pooled.clone() };
            }
            regression(&moments, false).unwrap_or_else(|_| Regression { rows: total, ..pooled.clone() })
        };
        Ok(Distribution::Linear(parts.into_iter().map(part).collect()))
    }

    fn logistic(&self, rows: &[(usize, f64)], arity: usize) -> std::result::Result<Distribution, String> {
        let width = self.shape.width();
        let coefficients = (width + 1).saturating_mul(arity.saturating_sub(1));
        if coefficients > MOST_COEFFICIENTS {
            return Err(format!(
                "its logistic regression would have {coefficients} coefficients, and {MOST_COEFFICIENTS} are the most"
            ));
        }
        let mut values = vec![0.0; self.places.len()];
        let mut predictors = Vec::with_capacity(rows.len() * width);
        let mut states = Vec::with_capacity(rows.len());
        for &(row, _) in rows {
            self.fill(row, &mut values);
            self.shape.predictors(&values, &mut predictors);
            #[expect(clippy::cast_sign_loss, reason = "a code")]
            states.push(values[self.node] as usize);
        }
        let weights: Vec<f64> = rows.iter().map(|row| row.1).collect();
        Ok(Distribution::Logistic(Logistic::fit(&predictors, width, &states, &weights, arity.max(1))))
    }
}

/// The regression of the last column of moments on the others.
fn regression(moments: &Moments, is_pooled: bool) -> std::result::Result<Regression, String> {
    let found: LeastSquares = moments.regress_last();
    let predictors = found.coefficients.len();
    if found.freedom <= 0.0 {
        return Err(format!(
            "{} rows are too few for {predictors} coefficients, an intercept and a variance",
            found.rows
        ));
    }
    Ok(Regression {
        intercept: found.intercept,
        intercept_error: found.intercept_error(),
        errors: (0..predictors).map(|at| found.error(at)).collect(),
        variance: found.variance,
        rows: found.rows,
        coefficients: found.coefficients,
        is_pooled,
    })
}
