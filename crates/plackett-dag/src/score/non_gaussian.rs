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
        let weights: Vec<_> = nodes.clone().map(|node| weights(&gram, &rows, node)).collect();
        let has_shape =
            rows.columns().iter().zip(&weights).map(|(column, own)| has_density(column, own.as_deref()));
        let has_shape = has_shape.collect();
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

/// Whether the values of a column are many, and none of them frequent, in the rows that count.
fn has_density(column: &[f64], weights: Option<&[f64]>) -> bool {
    let counts = |row: usize| weights.is_none_or(|weights| weights[row] > 0.0);
    let mut sorted: Vec<f64> = (0..column.len()).filter(|&row| counts(row)).map(|row| column[row]).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interventions;
    use crate::gram::Centering;
    use crate::testing::{Rng, normal};

    const ROWS: usize = 300;

    /// Two Gaussian columns and two uniform ones, at scales and places of their own; each second one follows others. A fifth has two values.
    fn rows() -> Vec<[f64; 5]> {
        let mut rng = Rng::new(11);
        let row = |_| {
            let (a, noise) = (normal(&mut rng), normal(&mut rng));
            let (c, other) = (rng.uniform(), rng.uniform());
            let d = other - 0.6 * c + 0.5 * a;
            [
                100.0 + 3.0 * a,
                0.8 * a + 0.5 * c + noise,
                50.0 * c,
                7.0 - 0.2 * d,
                f64::from(u8::from(c > 0.5)),
            ]
        };
        (0..ROWS).map(row).collect()
    }

    fn score(gram: Gram) -> NonGaussian {
        NonGaussian::new(Arc::new(gram), &ScoreSettings::default()).unwrap()
    }

    /// What least squares by two parents, or none, leave of a column.
    fn residual(rows: &[[f64; 5]], node: usize, parents: &[usize]) -> Vec<f64> {
        let column = |at: usize| {
            let mean = rows.iter().map(|row| row[at]).sum::<f64>() / rows.len() as f64;
            rows.iter().map(|row| row[at] - mean).collect::<Vec<f64>>()
        };
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let own = column(node);
        let &[a, b] = parents else { return own };
        let (a, b) = (column(a), column(b));
        let (aa, ab, bb) = (product(&a, &a), product(&a, &b), product(&b, &b));
        let (ay, by) = (product(&a, &own), product(&b, &own));
        let determinant = aa * bb - ab * ab;
        let weights = [(bb * ay - ab * by) / determinant, (aa * by - ab * ay) / determinant];
        (0..rows.len()).map(|row| own[row] - weights[0] * a[row] - weights[1] * b[row]).collect()
    }

    /// n·J less the price of three parameters, if that is more than nothing.
    fn expected_gain(rows: &[[f64; 5]], node: usize, parents: &[usize]) -> f64 {
        let count = rows.len() as f64;
        let gain = Shape::of(&mut residual(rows, node, parents), None).unwrap().gain();
        (count * gain - 1.5 * count.ln()).max(0.0)
    }

    const FAMILIES: [(usize, &[usize]); 7] =
        [(0, &[]), (2, &[]), (3, &[]), (1, &[0, 2]), (3, &[0, 2]), (2, &[0, 3]), (0, &[1, 3])];

    #[test]
    fn a_gain_is_that_of_the_residual_of_least_squares() {
        let rows = rows();
        for centering in [Centering::Center, Centering::Standardize] {
            let score = score(Gram::with_rows(rows.as_flattened(), 5, centering).unwrap());
            let mut positive = 0;
            for (node, parents) in FAMILIES {
                let expected = expected_gain(&rows, node, parents);
                let set: NodeSet = parents.iter().copied().collect();
                // The second time it is remembered.
                for _ in 0..2 {
                    let found = score.gain(node, &set, &mut Vec::new());
                    assert!((found - expected).abs() < 1e-6, "{node} {parents:?}: {found} for {expected}");
                }
                let plain = score.bic.cost(node, &set);
                assert!((LocalScore::cost(&score, node, &set).unwrap() - (plain - expected)).abs() < 1e-6);
                positive += usize::from(expected > 1.0);
            }
            assert!(positive >= 2, "{positive}");
            // Two values have no density, however far from Gaussian they are.
            assert_eq!(score.gain(4, &NodeSet::default(), &mut Vec::new()), 0.0);
        }
    }

    #[test]
    fn a_node_that_was_set_has_the_gain_of_its_other_rows() {
        let mut rows = rows();
        let told = Interventions::new(5, (0..ROWS).map(|row| if row % 3 == 0 { vec![2, 3] } else { vec![] }));
        let told = told.unwrap();
        for row in rows.iter_mut().step_by(3) {
            (row[2], row[3]) = (-500.0, 90.0);
        }
        let gram = Gram::with_interventions(rows.as_flattened(), &told, Centering::Center).unwrap();
        let score = score(gram);
        let kept: Vec<[f64; 5]> = (0..ROWS).filter(|row| row % 3 != 0).map(|row| rows[row]).collect();
        for (node, parents) in FAMILIES {
            // That they were all set to the same value says nothing of their density where they were not.
            let expected = expected_gain(if [2, 3].contains(&node) { &kept } else { &rows }, node, parents);
            let found = score.gain(node, &parents.iter().copied().collect(), &mut Vec::new());
            assert!((found - expected).abs() < 1e-6, "{node} {parents:?}: {found} for {expected}");
        }
    }

    #[test]
    fn rows_count_by_their_weights_and_not_where_a_node_was_set() {
        let columns = vec![vec![0.0, 1.0, 5.0, 7.0], vec![3.0, 1.0, 4.0, 1.0]];
        let data: Vec<f64> = (0..4).flat_map(|row| [columns[0][row], columns[1][row]]).collect();
        let told = Interventions::new(2, [vec![], vec![1], vec![], vec![]]).unwrap();
        let gram = Gram::with_interventions(&data, &told, Centering::Center).unwrap();
        let own = vec![0.5, 2.0, 1.0, 0.0];
        let plain = NumberRows::new(columns.clone(), None);
        let weighted = NumberRows::new(columns, Some(own.clone()));
        assert_eq!(weights(&gram, &plain, 0), None);
        assert_eq!(weights(&gram, &plain, 1), Some(vec![1.0, 0.0, 1.0, 1.0]));
        assert_eq!(weights(&gram, &weighted, 0), Some(own));
        assert_eq!(weights(&gram, &weighted, 1), Some(vec![0.5, 0.0, 1.0, 0.0]));
    }

    #[test]
    fn a_density_has_many_values_and_none_that_is_frequent() {
        let values = |different: u32, times: u32| -> Vec<f64> {
            (0..different * times).map(|row| f64::from(row % different)).collect()
        };
        let has = |column: &[f64]| has_density(column, None);
        assert!(has(&values(20, 3)) && has(&values(20, 1)));
        assert!(!has(&values(19, 3)) && !has(&values(19, 1)));
        // The value −1 makes up a tenth of a hundred rows, and then more.
        let frequent = |times: u32| -> Vec<f64> {
            let value =
                |row: u32| if row.is_multiple_of(9) && row / 9 < times { -1.0 } else { f64::from(row) };
            (0..100).map(value).collect()
        };
        assert!(has(&frequent(10)) && !has(&frequent(11)));
        // Rows that count nothing are not there.
        let weight = |value: &f64| if *value < 0.0 { 0.0 } else { 0.5 };
        let weights: Vec<f64> = frequent(11).iter().map(weight).collect();
        assert!(has_density(&frequent(11), Some(&weights)) && !has_density(&frequent(11), Some(&[1.0; 100])));
    }

    #[test]
    fn the_best_parents_are_the_bic_s_and_edges_between_gaussian_nodes_are_open() {
        let rows = rows();
        let score = score(Gram::with_rows(rows.as_flattened(), 5, Centering::Standardize).unwrap());
        let (run, none) = (Run::default(), NodeSet::default());
        assert_eq!((score.name(), score.nodes()), ("non-gaussian", 5));
        for node in 0..4 {
            let allowed: NodeSet = (0..4).filter(|&other| other != node).collect();
            let best = score.best(node, &allowed, &none, &mut Scratch::default(), &run).unwrap();
            let plain = score.bic.best(node, &allowed, &none, &mut Scratch::default(), &run).unwrap();
            let gain = score.gain(node, &best.parents, &mut Vec::new());
            assert_eq!((&best.parents, &best.witness), (&plain.parents, &plain.witness));
            assert!((best.score - (plain.score - gain)).abs() < 1e-9, "{node}");
            let weights = LocalScore::weights(&score, node, &best.parents);
            assert!(weights.is_some() && weights == LocalScore::weights(&score.bic, node, &best.parents));
        }
        assert_eq!(score.first_orders(&run), score.bic.first_orders(&run));
        let dag = Dag::from_parents(vec![vec![], vec![0, 2], vec![], vec![0, 2], vec![]]).unwrap();
        assert_eq!(score.undecided(&dag), [(0, 1)]);
        assert_eq!(score.undecided(&Dag::empty(5)), []);
    }
}
