//! Whether the noise variances agree, which decides on the score of numbers when none is asked for.
//!
//! Under equal noise variances `ev-l0` tells the whole graph; without them it errs, and `bic` is safe but tells the graph
//! up to equivalence only. So equality has to be supported by the data: the residual variances of the graph that `ev-l0`
//! finds must be within a stated ratio, with confidence. And equality has to say something: of i → j it tells the direction as long as
//! σ_i²/σ_j² < Var(x_j)/σ_j², so that where effects are weak the least difference of the variances turns it.

use std::fmt;

use crate::{Dag, Gram};
use plackett::elementary::{exp, ln};

/// Var(x_i − Σ w_ji x_j) for each node i, with the divisor n; `dag` has a node for each column.
///
/// ```
/// use plackett_dag::{Dag, Gram, learning::residual_variances};
/// // x₁ = 2·x₀ + noise of variance 1.
/// let gram = Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?;
/// let dag = Dag::from_weighted_parents(vec![vec![], vec![(0, 2.0)]])?;
/// assert_eq!(residual_variances(&gram, &dag), [1.0, 1.0]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn residual_variances(gram: &Gram, dag: &Dag) -> Vec<f64> {
    let residual = |node: usize| {
        let parents = dag.parents(node).iter().zip(dag.parent_weights(node));
        let mut terms: Vec<(usize, f64)> = parents.map(|(&parent, &weight)| (parent, -weight)).collect();
        terms.push((node, 1.0));
        let own = gram.of(node);
        let row = |a: usize| {
            let entries = own.row(a);
            terms.iter().map(|&(b, y)| y * entries[b]).sum::<f64>()
        };
        terms.iter().map(|&(a, x)| x * row(a)).sum::<f64>().max(0.0)
    };
    (0..dag.nodes()).map(residual).collect()
}

/// Noise variances that may be apart by this factor still count as equal: `ev-l0` then errs less in directions than `bic`,
/// which tells none (780 sets of 5 to 50 nodes with variances apart by factors of 1 to 10).
const EQUAL: f64 = 4.0;

/// The 95 % quantile of the normal distribution.
const QUANTILE: f64 = 1.645;

/// The noise variances under a graph, with degrees of freedom accounted for, and how far apart they may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoiseVariances {
    low: f64,
    high: f64,
    /// The upper 95 % bound of the largest over the smallest.
    bound: f64,
    /// By how much the BIC is better with one variance for all in place of one for each.
    saving: f64,
    /// The median, over the nodes with parents, of their variance over that of their noise.
    explained: Option<f64>,
}

impl NoiseVariances {
    pub(crate) fn of(gram: &Gram, dag: &Dag) -> Self {
        let rows = |node: usize| gram.kept_rows(node) as f64;
        // Without the degrees of freedom, nodes with many parents would seem to have less noise.
        let freedom = |node: usize| (rows(node) - 1.0 - dag.parents(node).len() as f64).max(1.0);
        let raw = residual_variances(gram, dag);
        let mut explained: Vec<f64> = (0..raw.len())
            .filter(|&node| !dag.parents(node).is_empty())
            .map(|node| gram.of(node).variance(node) / raw[node])
            .collect();
        explained.sort_unstable_by(f64::total_cmp);
        let explained = explained.get(explained.len() / 2).copied();
        let count = raw.len() as f64;
        let total: f64 = (0..raw.len()).map(rows).sum();
        let mean = raw.iter().enumerate().map(|(node, variance)| rows(node) * variance).sum::<f64>() / total;
        // (n/2)·log of each variance and ½ log n for it, against d times (n/2)·log of their mean and ½ log n once.
        let lost: f64 =
            raw.iter().enumerate().map(|(node, variance)| 0.5 * rows(node) * ln(mean / variance)).sum();
        let saving = 0.5 * ln(gram.rows() as f64) * (count - 1.0) - lost;
        let variances = raw.into_iter().enumerate();
        let variances =
            variances.map(|(node, variance)| (variance * rows(node) / freedom(node), freedom(node)));
        let mut low = (f64::INFINITY, 1.0);
        let mut high = (0.0, 1.0);
        for (variance, freedom) in variances {
            if variance < low.0 {
                low = (variance, freedom);
            }
            if variance > high.0 {
                high = (variance, freedom);
            }
        }
        // The logarithm of a variance has the standard error √(2/ν).
        let error = (2.0 / low.1 + 2.0 / high.1).sqrt();
        Self { low: low.0, high: high.0, bound: high.0 / low.0 * exp(QUANTILE * error), saving, explained }
    }

    /// Whether the data support that they are equal; not being able to tell them apart is not enough.
    pub(crate) fn are_equal(&self) -> bool {
        self.bound <= EQUAL
    }

    /// How many times its noise a node with parents varies, if that is too little for the variances to tell directions: if the farthest two of them are apart as far
    /// as they may be, and so a typical pair by the square root of that, the direction of a typical edge could be turned.
    pub(crate) fn too_little(&self) -> Option<f64> {
        self.explained.filter(|&explained| explained <= self.bound.sqrt())
    }

    /// How far apart they may be: the upper 95 % bound of the largest over the smallest.
    pub(crate) fn bound(&self) -> f64 {
        self.bound
    }

    /// By how much the BIC is better with one variance for all than with one for each: the logarithm of the odds, as far as
    /// the BIC tells them, by which the data speak for equality.
    pub(crate) fn saving(&self) -> f64 {
        self.saving
    }
}

impl fmt::Display for NoiseVariances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { low, high, bound, .. } = self;
        write!(
            f,
            "({low:.3} to {high:.3}) are apart by a factor of {bound:.1} at most (95 % bound; {EQUAL} counts as equal)"
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plackett::run::Run;

    use super::*;
    use crate::{
        Learning, Observations, Sem,
        gram::{Centering, GramBuilder},
        simulate::{Noise, SemSettings, simulate_sem},
    };

    fn gram_and_truth(noise: Noise, nodes: usize, seed: u64) -> (Gram, Sem) {
        let settings = SemSettings { noise, nodes, degree: 2, ..SemSettings::default() };
        let sem = simulate_sem(&settings, seed).unwrap();
        let mut builder = GramBuilder::new(nodes).unwrap();
        sem.sample_each(500, Sem::TRAINING, |row| builder.push_row(row).unwrap());
        (builder.finish(Centering::Center).unwrap(), sem)
    }

    #[test]
    fn residual_variances_are_those_of_the_noise() {
        let (gram, sem) = gram_and_truth(Noise::Unequal { low: 0.5, high: 2.0 }, 8, 1);
        for (found, deviation) in residual_variances(&gram, sem.dag()).iter().zip(sem.noise_deviations()) {
            // The standard error of a variance from 500 rows is 6 %.
            assert!((found / deviation.powi(2) - 1.0).abs() < 0.3, "{found} for {}", deviation.powi(2));
        }
    }

    #[test]
    fn one_variance_saves_what_the_formulas_of_the_bic_say() {
        // Two variances of 1 and 4 over 100 rows, by hand: 50·(log 1 + log 4) + log 100 against 50·2·log 2.5 + ½ log 100.
        let gram = Gram::from_matrix(100, 2, vec![1.0, 0.0, 0.0, 4.0]).unwrap();
        let apart = 50.0 * 4_f64.ln() + 100_f64.ln();
        let together = 100.0 * 2.5_f64.ln() + 0.5 * 100_f64.ln();
        let saving = NoiseVariances::of(&gram, &Dag::empty(2)).saving();
        assert!((saving - (apart - together)).abs() < 1e-10 && saving < 0.0, "{saving}");
    }

    #[test]
    fn equality_is_supported_by_enough_rows_of_equal_variances_only() {
        for seed in 0..20 {
            let (gram, sem) = gram_and_truth(Noise::Standard, 20, seed);
            assert!(NoiseVariances::of(&gram, sem.dag()).are_equal(), "seed {seed}");
            let (gram, sem) = gram_and_truth(Noise::Unequal { low: 0.2, high: 3.0 }, 20, seed);
            assert!(!NoiseVariances::of(&gram, sem.dag()).are_equal(), "seed {seed}");
        }
        // Three independent columns of variance 1: 5 rows do not show it, 200 do.
        let identity = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let supported = |rows: usize| {
            let gram = Gram::from_matrix(rows, 3, identity.clone()).unwrap();
            NoiseVariances::of(&gram, &Dag::empty(3)).are_equal()
        };
        assert!(!supported(5) && supported(200));
    }

    /// x₁ = w·x₀ + noise: `ev-l0` has the edge this way as long as x₀ varies less than x₁.
    #[test]
    fn weak_effects_leave_directions_to_small_differences_of_the_variances() {
        let two = |variance: f64, weight: f64| {
            let (covariance, effect) = (weight * variance, weight * weight * variance + 1.0);
            Gram::from_matrix(1000, 2, vec![variance, covariance, covariance, effect]).unwrap()
        };
        for (variance, weight) in [(0.8, 0.3), (1.05, 0.3), (1.2, 0.3), (1.2, 0.6), (2.0, 0.5), (2.0, 0.9)] {
            let gram = Arc::new(two(variance, weight));
            let dag = Dag::from_weighted_parents(vec![vec![], vec![(0, weight)]]).unwrap();
            let (is_right, explained) = (variance < gram.entry(1, 1), gram.entry(1, 1));
            let learning = Learning { score: "ev-l0".into(), ..Learning::default() };
            let learned = learning.run(&Observations::Numbers(Arc::clone(&gram)), &Run::default()).unwrap();
            assert_eq!(learned.dag.has_edge(0, 1), is_right, "{variance} {weight}");
            let found = NoiseVariances::of(&gram, &dag);
            match found.too_little() {
                None => assert!(explained > found.bound().sqrt()),
                Some(share) => assert!((share - explained).abs() < 1e-9 && explained <= found.bound().sqrt()),
            }
            // Two nodes are the farthest two: what is explained beyond what these may be apart is safe.
            assert!(is_right || explained <= found.bound());
        }
        let chosen = |weight: f64| {
            let data = Observations::Numbers(two(1.0, weight).into());
            Learning::default().run(&data, &Run::default()).unwrap().score_name
        };
        assert_eq!((chosen(0.2).as_deref(), chosen(0.9).as_deref()), (Some("bic"), Some("ev-l0")));
    }
}
