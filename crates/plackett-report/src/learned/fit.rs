//! How well a node's parents tell its values: the share of its variance, or of its entropy, that they explain.

use std::collections::BTreeMap;

use plackett::elementary::ln;
use plackett_dag::{Categories, Dag, Observations, learning::residual_variances};

/// What is said of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fit {
    /// The share of the variance that the parents explain by their weights, and the standard deviation of what is left.
    Variance { explained: f64, left: f64 },
    /// The share of the entropy that the parents explain, and the number of categories.
    Entropy { explained: f64, categories: usize },
}

impl Fit {
    pub(super) fn explained(self) -> f64 {
        match self {
            Self::Variance { explained, .. } | Self::Entropy { explained, .. } => explained,
        }
    }
}

/// The fit of every node; nothing where neither moments nor counts tell it.
pub(super) fn fits(data: &Observations, dag: &Dag) -> Vec<Option<Fit>> {
    match data {
        Observations::Numbers(gram) => {
            let (own, left) =
                (residual_variances(gram, &Dag::empty(dag.nodes())), residual_variances(gram, dag));
            let fit = |(own, left): (f64, f64)| {
                (own > 0.0).then(|| Fit::Variance { explained: 1.0 - left / own, left: left.sqrt() })
            };
            own.into_iter().zip(left).map(fit).collect()
        }
        // Rows in which a column was set say nothing of its causes.
        Observations::Categories(data) if data.interventions().is_none() => {
            (0..dag.nodes()).map(|node| entropy_explained(data, node, dag.parents(node))).collect()
        }
        _ => vec![None; dag.nodes()],
    }
}

fn entropy_explained(data: &Categories, node: usize, parents: &[usize]) -> Option<Fit> {
    let weight = |row: usize| data.counts().map_or(1.0, |counts| f64::from(counts[row]));
    // Counts by the categories of the parents, then of the node.
    let mut cells: BTreeMap<Vec<u8>, BTreeMap<u8, f64>> = BTreeMap::new();
    let mut own: BTreeMap<u8, f64> = BTreeMap::new();
    for (row, &code) in data.column(node).iter().enumerate() {
        let key: Vec<u8> = parents.iter().map(|&parent| data.column(parent)[row]).collect();
        *cells.entry(key).or_default().entry(code).or_default() += weight(row);
        *own.entry(code).or_default() += weight(row);
    }
    let before = entropy(&own);
    let after: f64 = cells.values().map(entropy).sum();
    let categories = data.arity(node);
    (before > 0.0).then(|| Fit::Entropy { explained: 1.0 - after / before, categories })
}

/// Times the number of rows.
fn entropy(counts: &BTreeMap<u8, f64>) -> f64 {
    let total: f64 = counts.values().sum();
    counts.values().filter(|&&count| count > 0.0).map(|&count| count * ln(total / count)).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use plackett_dag::Gram;

    use super::*;

    #[test]
    fn numbers_have_the_r_squared_of_a_regression() {
        // x₁ = 2·x₀ + noise of variance 1, x₀ of variance 1: R² = 4/5.
        let data =
            Observations::Numbers(Arc::new(Gram::from_matrix(100, 2, vec![1.0, 2.0, 2.0, 5.0]).unwrap()));
        let dag = Dag::from_weighted_parents(vec![vec![], vec![(0, 2.0)]]).unwrap();
        let [Some(Fit::Variance { explained: none, .. }), Some(Fit::Variance { explained, left })] =
            fits(&data, &dag)[..]
        else {
            panic!("numbers have variances")
        };
        assert!(none.abs() < 1e-12 && (explained - 0.8).abs() < 1e-12 && (left - 1.0).abs() < 1e-12);
    }

    #[test]
    fn categories_have_the_share_of_entropy() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 3];
        // b is a; c is told by neither.
        let codes = vec![vec![0, 0, 1, 1], vec![0, 0, 1, 1], vec![0, 1, 0, 1]];
        let data = Observations::Categories(Arc::new(Categories::new(names, levels, codes).unwrap()));
        let dag = Dag::from_parents(vec![vec![], vec![0], vec![0]]).unwrap();
        let explained: Vec<f64> = fits(&data, &dag).into_iter().map(|fit| fit.unwrap().explained()).collect();
        assert!(
            explained[0].abs() < 1e-12 && (explained[1] - 1.0).abs() < 1e-12 && explained[2].abs() < 1e-12
        );
    }
}
