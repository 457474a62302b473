//! Whether the noise variances agree, which decides on the score of numbers when none is asked for.
//!
//! Under equal noise variances `ev-l0` tells the whole graph; without them it errs, and `bic` is safe but tells the graph
//! up to equivalence only. So the graph is learned with `ev-l0` first and its residual variances are looked at: either
//! they agree, by the BIC of one common variance against one for each node, or `bic` takes over.

use crate::{Dag, Gram};

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
        let row = |a: usize| terms.iter().map(|&(b, y)| y * gram.entry(a, b)).sum::<f64>();
        terms.iter().map(|&(a, x)| x * row(a)).sum::<f64>().max(0.0)
    };
    (0..dag.nodes()).map(residual).collect()
}

/// Whether one noise variance for all nodes describes the data as well as one for each: twice the difference of the
/// log-likelihoods, n·(d·log of the mean − Σ log), is at most the price of d − 1 more parameters, (d − 1)·log n.
pub(super) fn agree(gram: &Gram, dag: &Dag) -> bool {
    let rows = gram.rows() as f64;
    // Without the degrees of freedom, nodes with many parents would seem to have less noise.
    let freedom = |node: usize| (rows - 1.0 - dag.parents(node).len() as f64).max(1.0);
    let variances = residual_variances(gram, dag);
    let variances: Vec<f64> =
        variances.iter().enumerate().map(|(node, variance)| variance * rows / freedom(node)).collect();
    let nodes = variances.len() as f64;
    let mean = variances.iter().sum::<f64>() / nodes;
    let logs: f64 = variances.iter().map(|variance| variance.ln()).sum();
    rows * (nodes * mean.ln() - logs) <= (nodes - 1.0) * rows.ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Sem,
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
    fn equal_variances_agree_and_unequal_ones_do_not() {
        for seed in 0..20 {
            let (gram, sem) = gram_and_truth(Noise::Standard, 20, seed);
            assert!(agree(&gram, sem.dag()), "seed {seed}");
            let (gram, sem) = gram_and_truth(Noise::Unequal { low: 0.5, high: 2.0 }, 20, seed);
            assert!(!agree(&gram, sem.dag()), "seed {seed}");
        }
    }
}
