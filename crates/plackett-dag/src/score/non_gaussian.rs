//! The score of linear models with noise of any shape (LiNGAM, Shimizu et al. 2006): r(i, S) = min(B, B − n·J + κ·(log n / 2)·3), where B is
//! the BIC of node i with the parents that the BIC chooses from S, and J what the likelihood gains a row if the residual's density
//! need not be Gaussian ([`Shape`]). Residuals of the wrong direction mix the noises of several nodes and are closer to
//! Gaussian, so that the score tells directions which the BIC leaves open; where the noise is Gaussian it is the BIC.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use plackett::{elementary::ln, run::Run};

use super::shape::{PARAMETERS, Shape};
use super::{Bic, Choice, LocalScore, ScoreEntry, ScoreSettings, Scratch};
use crate::gram::NumberRows;
use crate::{Dag, Error, Gram, NodeSet, Result};

pub(super) const ENTRY: ScoreEntry = ScoreEntry {
    name: "non-gaussian",
    summary: "The BIC with residuals of any shape: tells directions where the noise is not Gaussian; needs the rows",
    needs_rows: true,
    build: |gram, settings| Ok(Arc::new(NonGaussian::new(gram, settings)?)),
};

/// Costs that are remembered of each node. A full memory starts anew.
const MOST_REMEMBERED: usize = 1 << 14;

/// A column has no density to speak of if it has fewer different values than this,
const FEWEST_VALUES: usize = 20;
/// or if one of its values makes up a larger share than this.
const LARGEST_SHARE: f64 = 0.1;

/// The score on rows and their moments.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Dataset, Learning, Observations, dataset::{Reading, SourceColumn, SourceValues}, gram::Centering};
/// // Noise that is uniform: a → b, and not b → a.
/// let a: Vec<f64> = (0..500).map(|row| f64::from(row * 37 % 101)).collect();
/// let b = a.iter().enumerate().map(|(row, value)| value + (row * 53 % 97) as f64).collect();
/// let column = |name: &str, values| SourceColumn { name: name.to_owned(), values: SourceValues::Numbers(values) };
/// let data = Dataset::from_columns(vec![column("b", b), column("a", a)], "data", &Reading::default())?;
/// let learning = Learning { score: "non-gaussian".into(), ..Learning::default() };
/// let learned = learning.run(&data.observations(Centering::Standardize)?, &Run::default())?;
/// assert_eq!(learned.order, [1, 0]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub struct NonGaussian {
    gram: Arc<Gram>,
    rows: NumberRows,
    bic: Bic,
    /// For each node, how much rows count: nothing if all count once.
    weights: Vec<Option<Vec<f64>>>,
    /// Whether the column of a node is smooth enough to have a density.
    has_shape: Vec<bool>,
    /// What a shape that is not Gaussian costs each node.
    prices: Vec<f64>,
    known: Vec<Mutex<HashMap<NodeSet, f64>>>,
}

impl NonGaussian {
    /// The score on moments that hold their rows.
    ///
    /// # Errors
    /// [`Error::Misfit`] if they do not; as [`Bic::new`].
    pub fn new(gram: Arc<Gram>, settings: &ScoreSettings) -> Result<Self> {
        let Some(rows) = gram.number_rows().cloned() else {
            let reason =
                format!("{} does not fit: it looks at the rows, and only moments are known", ENTRY.name);
            return Err(Error::Misfit { setting: "score", reason });
        };
        let nodes = 0..gram.nodes();
        let weights = nodes.clone().map(|node| weights(&gram, &rows, node)).collect();
        let has_shape = rows.columns().iter().map(|column| has_density(column)).collect();
        let prices = nodes.clone().map(|node| 0.5 * PARAMETERS * ln(gram.kept_rows(node) as f64)).collect();
        let bic = Bic::new(Arc::clone(&gram), settings)?;
        Ok(Self {
            bic,
            weights,
            has_shape,
            prices,
            known: nodes.map(|_| Mutex::default()).collect(),
            rows,
            gram,
        })
    }

    /// What the residual's shape takes off the BIC of a node with these parents.
    pub(crate) fn gain(&self, node: usize, parents: &NodeSet, space: &mut Vec<f64>) -> f64 {
        if !self.has_shape[node] {
            return 0.0;
        }
        let known = || self.known[node].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&gain) = known().get(parents) {
            return gain;
        }
        let gain = self.computed_gain(node, parents, space);
        let mut known = known();
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert(parents.clone(), gain);
        gain
    }

    fn computed_gain(&self, node: usize, parents: &NodeSet, residual: &mut Vec<f64>) -> f64 {
        let scale = |column: usize| 1.0 / self.gram.scales()[column];
        let own = &self.rows.columns()[node];
        residual.clear();
        let (mean, factor) = (self.gram.means()[node], scale(node));
        residual.extend(own.iter().map(|value| (value - mean) * factor));
        let coefficients = self.bic.weights(node, parents).unwrap_or_default();
        for (parent, weight) in parents.iter().zip(coefficients) {
            let (mean, factor) = (self.gram.means()[parent], weight * scale(parent));
            let column = self.rows.columns()[parent].iter();
            residual.iter_mut().zip(column).for_each(|(left, value)| *left -= (value - mean) * factor);
        }
        let Some(shape) = Shape::of(residual, self.weights[node].as_deref()) else { return 0.0 };
        let rows = self.gram.kept_rows(node) as f64;
        (rows * shape.gain() - self.prices[node]).max(0.0)
    }
}

/// How much each row counts for a node: nothing if it was set from outside there.
fn weights(gram: &Gram, rows: &NumberRows, node: usize) -> Option<Vec<f64>> {
    match gram.interventions().filter(|told| told.targets().contains(&node)) {
        Some(told) => Some(told.weights_without(node, rows.weights())),
        None => rows.weights().map(<[f64]>::to_vec),
    }
}

/// Whether the values of a column are many, and none of them frequent.
fn has_density(column: &[f64]) -> bool {
    let mut sorted = column.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let runs = sorted.chunk_by(|a, b| a == b).map(<[f64]>::len);
    let (count, largest) = runs.fold((0, 0), |(count, largest), run| (count + 1, run.max(largest)));
    count >= FEWEST_VALUES && (largest as f64) <= LARGEST_SHARE * sorted.len() as f64
}

impl LocalScore for NonGaussian {
    fn name(&self) -> &str {
        ENTRY.name
    }

    fn nodes(&self) -> usize {
        self.gram.nodes()
    }

    fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        scratch: &mut Scratch,
        run: &Run<'_>,
    ) -> Option<Choice> {
        let choice = self.bic.best(node, allowed, required, scratch, run)?;
        let gain = self.gain(node, &choice.parents, &mut Vec::new());
        Some(Choice { score: choice.score - gain, ..choice })
    }

    fn cost(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        Some(self.bic.cost(node, parents) - self.gain(node, parents, &mut Vec::new()))
    }

    /// Those between nodes whose noise is Gaussian.
    fn undecided(&self, dag: &Dag) -> Vec<(usize, usize)> {
        let parents = |node: usize| dag.parents(node).iter().copied().collect::<NodeSet>();
        let shaped = |node: usize| self.gain(node, &parents(node), &mut Vec::new()) > 0.0;
        let is_shaped: Vec<bool> = (0..dag.nodes()).map(shaped).collect();
        let edges = dag.edges().map(|(from, to, _)| (from, to));
        edges.filter(|&(from, to)| !is_shaped[from] && !is_shaped[to]).collect()
    }

    fn first_orders(&self, run: &Run<'_>) -> Vec<Vec<usize>> {
        self.bic.first_orders(run)
    }

    fn weights(&self, node: usize, parents: &NodeSet) -> Option<Vec<f64>> {
        LocalScore::weights(&self.bic, node, parents)
    }
}
