//! The BGe score: −log of the marginal likelihood of a linear Gaussian network (Geiger and Heckerman 2002, as corrected by Kuipers,
//! Moffa and Heckerman 2014), and of a prior on graphs. With l − 1 parents P and a = α_w − d,
//!
//! cost(i, P) = const − log Γ((n+a+l)/2)/Γ((a+l)/2) − ½(a+2l−1)·log t + ½(n+a+l)·log r(i | P) + ½ log det R_PP − log prior(|P|),
//!
//! where R = T + n·(covariances) with T = t·I, and r(i | P) = R_ii − R_iP R_PP⁻¹ R_Pi. The settings are the usual ones: α_μ =
//! [`MEAN_ROWS`], α_w = d + α_μ + 1 and t = α_μ(α_w − d − 1)/(α_μ + 1), under which the noise has variance about ½ beforehand. So that this fits, and
//! that the answer does not change with the units of the columns, each is first divided by its standard deviation given all the others, about
//! that of its noise. Divided by standard deviations as they are, noise that is small beside what it is added to would have too wide a prior, and
//! edges would appear that make up for it: with 20 nodes, degree 4, strong effects and n = 1000, 7.2 false ones in place of none.
//! The prior on graphs is [`SizePrior::EvenSizes`]: every number of parents is as likely as any other.
//!
//! A node that was set from outside in some rows has n, the covariances and its unit by the others: the likelihood of a family is that of the rows
//! in which the node followed its parents.

use std::ops::Range;
use std::sync::Arc;

use plackett::{elementary::ln, run::Run};

use super::family::{Family, FamilyLocal};
use super::{LocalScore, ScoreEntry, SizePrior};
use crate::cholesky::Cholesky;
use crate::gram::NodeMoments;
use crate::{Gram, Interventions, Result};

pub(super) const ENTRY: ScoreEntry = ScoreEntry {
    name: "bge",
    summary: "Marginal likelihood of a linear Gaussian network with a prior on graphs; what --posterior takes for numbers",
    needs_rows: false,
    build: |gram, _| Bge::local(&gram, &Run::default()),
};

/// α_μ, the rows that the prior of the means is worth.
const MEAN_ROWS: f64 = 1.0;

/// α_w − d, what the degrees of freedom of the prior of the covariances exceed the nodes by.
const FREEDOM: f64 = MEAN_ROWS + 1.0;

/// t, the size of the prior's matrix T = t·I.
const SPREAD: f64 = MEAN_ROWS * (FREEDOM - 1.0) / (MEAN_ROWS + 1.0);

/// The score on the moments of numbers.
#[derive(Debug)]
pub(crate) struct Bge {
    /// R, in the units of the prior.
    matrix: Gram,
    /// What the columns are divided by.
    units: Vec<f64>,
    rows: f64,
    /// What does not depend on the data, by the number of parents.
    constants: Vec<f64>,
}

/// The factor of the parents, with what it leaves of the node.
#[derive(Debug, Default)]
pub(crate) struct Space {
    factor: Cholesky,
    parents: Vec<usize>,
    projection: Vec<f64>,
}

impl Bge {
    /// The score on these moments. If the run is over first, that of nodes which were set in some rows is unfinished. O(d³) for each of them.
    pub(crate) fn local(gram: &Gram, run: &Run<'_>) -> Result<Arc<dyn LocalScore>> {
        let units = units(gram, run)?;
        let targets = gram.interventions().map_or_else(Vec::new, Interventions::targets);
        let own = |node: usize| {
            let is_own = targets.binary_search(&node).is_ok() && !run.is_over();
            is_own.then(|| Self::new(gram.of(node), &units)).transpose()
        };
        let own = (0..gram.nodes()).map(own).collect::<Result<_>>()?;
        Ok(Arc::new(FamilyLocal::new(Self::new(gram.pooled(), &units)?, gram.nodes()).with_own(own)))
    }

    /// Bytes that the score takes.
    pub(crate) fn bytes_needed(gram: &Gram) -> u128 {
        let targets = gram.interventions().map_or(0, |told| told.targets().len()) as u128;
        let nodes = gram.nodes() as u128;
        (1 + targets) * nodes * nodes * size_of::<f64>() as u128
    }

    fn new(moments: NodeMoments<'_>, units: &[f64]) -> Result<Self> {
        let (nodes, rows) = (moments.nodes(), moments.rows() as f64);
        let mut matrix = Vec::with_capacity(nodes * nodes);
        for (a, &unit) in units.iter().enumerate() {
            let row = moments.row(a);
            matrix.extend(
                units
                    .iter()
                    .enumerate()
                    .map(|(b, &other)| rows * (row[b] / unit / other) + if a == b { SPREAD } else { 0.0 }),
            );
        }
        let matrix = Gram::from_matrix(moments.rows(), nodes, matrix)?;
        let prior = SizePrior::EvenSizes.costs(nodes, nodes);
        let constant = |(parents, prior): (usize, &f64)| {
            let free = FREEDOM + (parents + 1) as f64;
            let gammas = libm::lgamma(0.5 * (rows + free)) - libm::lgamma(0.5 * free);
            let means = 0.5 * ln(MEAN_ROWS / (rows + MEAN_ROWS));
            let spread = 0.5 * (free + parents as f64) * ln(SPREAD);
            0.5 * rows * ln(std::f64::consts::PI) - means - gammas - spread + prior
        };
        let constants = prior.iter().enumerate().map(constant).collect();
        Ok(Self { matrix, units: units.to_vec(), rows, constants })
    }

    /// What a node costs that so many parents leave such a rest of, `log_parents` being log det `R_PP`.
    fn total(&self, parents: usize, rest: f64, log_parents: f64) -> f64 {
        let free = self.rows + FREEDOM + (parents + 1) as f64;
        self.constants[parents] + 0.5 * (free * ln(rest) + log_parents)
    }

    /// Factors the parents and projects the node on them; log det `R_PP` and what is left of the node.
    fn fit(&self, node: usize, parents: &[usize], space: &mut Space) -> (f64, f64) {
        let Space { factor, parents: known, projection } = space;
        factor.reset(parents.len() + 2);
        known.clear();
        projection.clear();
        let row = self.matrix.row(node);
        let (mut rest, mut log_parents) = (row[node], 0.0);
        for &parent in parents {
            // T keeps every one of them apart from the others.
            if factor.push(self.matrix.pooled(), known, parent) {
                known.push(parent);
                log_parents += factor.last_log_variance();
                let along = factor.extend(projection, row[parent]);
                projection.push(along);
                rest -= along * along;
            }
        }
        (rest, log_parents)
    }
}

/// What each column is divided by: its standard deviation given all the others, in the rows in which it was not set.
fn units(gram: &Gram, run: &Run<'_>) -> Result<Vec<f64>> {
    let mut units = given_others(gram.pooled(), 0..gram.nodes())?;
    for target in gram.interventions().map_or_else(Vec::new, Interventions::targets) {
        // One that varies only where it was set has no other unit than that of all rows.
        if gram.of(target).variance(target) > 0.0 && !run.is_over() {
            units[target] = given_others(gram.of(target), target..target + 1)?[0];
        }
    }
    Ok(units)
}

/// The standard deviations of some columns given all the others, by the correlations of the data and of one row more in which nothing goes with
/// anything, so that there is one however many columns there are. O(d³).
fn given_others(moments: NodeMoments<'_>, wanted: Range<usize>) -> Result<Vec<f64>> {
    let (nodes, rows) = (moments.nodes(), moments.rows() as f64);
    // A column that does not vary goes with nothing, whatever its unit.
    let deviation = |node| Some(moments.variance(node).sqrt()).filter(|&size| size > 0.0).unwrap_or(1.0);
    let deviations: Vec<f64> = (0..nodes).map(deviation).collect();
    let mut correlations = Vec::with_capacity(nodes * nodes);
    for a in 0..nodes {
        let row = moments.row(a);
        correlations.extend((0..nodes).map(|b| {
            let share = if a == b { 1.0 } else { rows / (rows + 1.0) };
            share * row[b] / deviations[a] / deviations[b]
        }));
    }
    let correlations = Gram::from_matrix(moments.rows(), nodes, correlations)?;
    let mut factor = Cholesky::default();
    factor.reset(nodes);
    let mut known: Vec<usize> = Vec::with_capacity(nodes);
    for node in 0..nodes {
        if factor.push(correlations.pooled(), &known, node) {
            known.push(node);
        }
    }
    let mut column = Vec::new();
    let unit = |node: usize| match known.binary_search(&node) {
        Ok(at) => deviations[node] / factor.inverse_entry(at, &mut column).sqrt(),
        Err(_) => deviations[node],
    };
    Ok(wanted.map(unit).collect())
}

impl Family for Bge {
    type Space = Space;

    const NAME: &'static str = ENTRY.name;
    const EFFORT: (usize, usize) = (4, 30);

    fn price_of_parent(&self, _: usize) -> f64 {
        0.5 * ln(self.rows)
    }

    fn work(&self) -> usize {
        // A handful of parents, each pushed in a handful of steps.
        128
    }

    fn cost(&self, node: usize, parents: &[usize], space: &mut Space) -> f64 {
        let (rest, log_parents) = self.fit(node, parents, space);
        self.total(parents.len(), rest, log_parents)
    }

    /// The factor of the parents is kept.
    fn costs_with(
        &self,
        node: usize,
        parents: &[usize],
        candidates: &[usize],
        space: &mut Space,
        costs: &mut Vec<f64>,
    ) {
        costs.clear();
        let (rest, log_parents) = self.fit(node, parents, space);
        let (row, size) = (self.matrix.row(node), space.parents.len());
        for &candidate in candidates {
            let (mut left, mut log_all) = (rest, log_parents);
            if space.factor.push(self.matrix.pooled(), &space.parents, candidate) {
                let along = space.factor.extend(&space.projection, row[candidate]);
                left -= along * along;
                log_all += space.factor.last_log_variance();
                space.factor.truncate(size);
            }
            costs.push(self.total(parents.len() + 1, left, log_all));
        }
    }

    /// The means of the posterior, `R_PP⁻¹ R_Pi`, in the units of the columns.
    fn weights(&self, node: usize, parents: &[usize]) -> Option<Vec<f64>> {
        let mut space = Space::default();
        self.fit(node, parents, &mut space);
        space.factor.solve_upper(&mut space.projection);
        let weight = |&parent: &usize| {
            let at = space.parents.iter().position(|&known| known == parent);
            at.map_or(0.0, |at| space.projection[at] * self.units[node] / self.units[parent])
        };
        Some(parents.iter().map(weight).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::gram::Centering;
    use crate::testing::{Rng, all_dags, normal};
    use crate::{Cpdag, Dag, NodeSet, score::score_by_name};

    /// Rows of four columns that lean on each other, standardized.
    fn rows(count: usize, seed: u64) -> Vec<[f64; 4]> {
        let mut rng = Rng::new(seed);
        let mut rows: Vec<[f64; 4]> = (0..count)
            .map(|_| {
                let first = normal(&mut rng);
                let second = 0.5 * first + normal(&mut rng);
                let third = normal(&mut rng);
                [first, second, third, 0.4 * second - 0.6 * third + normal(&mut rng)]
            })
            .collect();
        for column in 0..4 {
            let mean = rows.iter().map(|row| row[column]).sum::<f64>() / count as f64;
            let variance = rows.iter().map(|row| (row[column] - mean).powi(2)).sum::<f64>() / count as f64;
            rows.iter_mut().for_each(|row| row[column] = (row[column] - mean) / variance.sqrt());
        }
        rows
    }

    fn family(rows: &[[f64; 4]]) -> Bge {
        let gram = Gram::from_rows(rows.as_flattened(), 4, Centering::Center).unwrap();
        Bge::new(gram.pooled(), &units(&gram, &Run::default()).unwrap()).unwrap()
    }

    /// log det of a matrix, and `xᵀ M⁻¹ x`, by elimination.
    fn eliminate(mut matrix: Vec<Vec<f64>>, x: &[f64]) -> (f64, f64) {
        let (mut log_determinant, mut form, mut x) = (0.0, 0.0, x.to_vec());
        for pivot in 0..x.len() {
            log_determinant += matrix[pivot][pivot].ln();
            form += x[pivot] * x[pivot] / matrix[pivot][pivot];
            for row in pivot + 1..x.len() {
                let factor = matrix[row][pivot] / matrix[pivot][pivot];
                let above = matrix[pivot].clone();
                matrix[row]
                    .iter_mut()
                    .zip(above)
                    .skip(pivot)
                    .for_each(|(entry, above)| *entry -= factor * above);
                x[row] -= factor * x[pivot];
            }
        }
        (log_determinant, form)
    }

    /// log p(rows of some columns), one row after another: each is predicted by a Student distribution given those before it.
    fn predicted(rows: &[[f64; 4]], columns: &[usize]) -> f64 {
        let size = columns.len();
        let (mut weight, mut freedom) = (1.0, 2.0 + size as f64);
        let mut mean = vec![0.0; size];
        let mut matrix = vec![vec![0.0; size]; size];
        (0..size).for_each(|at| matrix[at][at] = 0.5);
        let mut total = 0.0;
        for row in rows {
            let away: Vec<f64> =
                columns.iter().zip(&mean).map(|(&column, mean)| row[column] - mean).collect();
            let (degrees, l) = (freedom - size as f64 + 1.0, size as f64);
            let factor = (weight + 1.0) / (weight * degrees);
            let scaled: Vec<Vec<f64>> =
                matrix.iter().map(|line| line.iter().map(|entry| entry * factor).collect()).collect();
            let (log_determinant, form) = eliminate(scaled, &away);
            total += libm::lgamma(0.5 * (degrees + l))
                - libm::lgamma(0.5 * degrees)
                - 0.5 * (l * (degrees * std::f64::consts::PI).ln() + log_determinant)
                - 0.5 * (degrees + l) * (form / degrees).ln_1p();
            for a in 0..size {
                for b in 0..size {
                    matrix[a][b] += weight / (weight + 1.0) * away[a] * away[b];
                }
                mean[a] += away[a] / (weight + 1.0);
            }
            weight += 1.0;
            freedom += 1.0;
        }
        total
    }

    #[test]
    fn the_marginal_likelihood_is_the_product_of_predictions() {
        for count in [3, 40] {
            let rows = rows(count, 7);
            let bge = family(&rows);
            let rows: Vec<[f64; 4]> = rows
                .iter()
                .map(|row| std::array::from_fn(|column| row[column] / bge.units[column]))
                .collect();
            let sets: [(usize, &[usize]); 5] =
                [(0, &[]), (3, &[1]), (0, &[3]), (3, &[1, 2]), (1, &[0, 2, 3])];
            for (node, parents) in sets {
                let both: Vec<usize> = parents.iter().copied().chain([node]).collect();
                let prior = [1.0_f64, 3.0, 3.0, 1.0][parents.len()].ln();
                let expected = predicted(&rows, parents) - predicted(&rows, &both) + prior;
                let found = bge.cost(node, parents, &mut Space::default());
                assert!((found - expected).abs() < 1e-9 * expected.abs(), "{found} for {expected}");
            }
        }
    }

    /// The rows in which a node was not set, each column less its mean there.
    fn kept(rows: &[[f64; 4]], told: &Interventions, node: usize) -> Vec<[f64; 4]> {
        let mut kept: Vec<[f64; 4]> = rows
            .iter()
            .zip(told.row_targets())
            .filter(|(_, targets)| !targets.contains(&node))
            .map(|(row, _)| *row)
            .collect();
        for column in 0..4 {
            let mean = kept.iter().map(|row| row[column]).sum::<f64>() / kept.len() as f64;
            kept.iter_mut().for_each(|row| row[column] -= mean);
        }
        kept
    }

    #[test]
    fn a_node_that_was_set_has_the_likelihood_of_its_other_rows() {
        for count in [12, 60] {
            let mut rows = rows(count, 4);
            let regimes = [vec![], vec![1], vec![], vec![1, 3], vec![2]];
            let told = Interventions::new(4, (0..count).map(|row| regimes[row % 5].clone())).unwrap();
            for (at, row) in rows.iter_mut().enumerate() {
                regimes[at % 5].iter().for_each(|&node| row[node] = 40.0 + (at * 7 % 11) as f64);
            }
            let gram = Gram::with_interventions(rows.as_flattened(), &told, Centering::Center).unwrap();
            let (score, units) =
                (Bge::local(&gram, &Run::default()).unwrap(), units(&gram, &Run::default()).unwrap());
            for node in 0..4 {
                let kept = kept(&rows, &told, node);
                let own = Gram::from_rows(kept.as_flattened(), 4, Centering::Center).unwrap();
                let unit = given_others(own.pooled(), node..node + 1).unwrap()[0];
                assert!((units[node] / unit - 1.0).abs() < 1e-8, "{} for {unit}", units[node]);
                let kept: Vec<[f64; 4]> = kept
                    .iter()
                    .map(|row| std::array::from_fn(|column| row[column] / units[column]))
                    .collect();
                for bits in (0..16_usize).filter(|bits| bits >> node & 1 == 0) {
                    let parents: Vec<usize> = (0..4).filter(|other| bits >> other & 1 == 1).collect();
                    let both: Vec<usize> = parents.iter().copied().chain([node]).collect();
                    let prior = [1.0_f64, 3.0, 3.0, 1.0][parents.len()].ln();
                    let expected = predicted(&kept, &parents) - predicted(&kept, &both) + prior;
                    let found = score.cost(node, &parents.into_iter().collect()).unwrap();
                    assert!((found - expected).abs() < 1e-7 * expected.abs(), "{found} for {expected}");
                }
            }
        }
    }

    #[test]
    fn equivalent_graphs_cost_the_same() {
        let bge = family(&rows(60, 3));
        let cost = |dag: &Dag| -> f64 {
            (0..4).map(|node| bge.cost(node, dag.parents(node), &mut Space::default())).sum()
        };
        let mut classes: HashMap<String, f64> = HashMap::new();
        let mut shared = 0;
        for dag in all_dags(4) {
            let class = Cpdag::of(&dag);
            let key = format!("{:?} {:?}", class.directed(), class.undirected());
            let found = cost(&dag);
            let first = *classes.entry(key).or_insert(found);
            assert!((found - first).abs() < 1e-9, "{found} and {first}");
            shared += usize::from(found.to_bits() != first.to_bits());
        }
        assert_eq!(classes.len(), 185);
        assert!(shared > 0, "sums in another order differ in their last bits");
    }

    #[test]
    fn units_change_nothing_but_the_weights() {
        let plain = rows(80, 5);
        let units: Vec<[f64; 4]> =
            plain.iter().map(|row| [row[0], 1e-6 * row[1], row[2], 1e9 * row[3]]).collect();
        let score = |rows: &[[f64; 4]]| {
            let gram = Gram::from_rows(rows.as_flattened(), 4, Centering::Center).unwrap();
            score_by_name("bge", Arc::new(gram), &crate::score::ScoreSettings::default()).unwrap()
        };
        let (plain, units): (Arc<dyn LocalScore>, _) = (score(&plain), score(&units));
        let parents = NodeSet::from_iter([1, 2]);
        let costs = (plain.cost(3, &parents).unwrap(), units.cost(3, &parents).unwrap());
        assert!((costs.0 - costs.1).abs() < 1e-8);
        let weights = (plain.weights(3, &parents).unwrap(), units.weights(3, &parents).unwrap());
        assert!((weights.0[0] - weights.1[0] * 1e-15).abs() < 1e-8 && (weights.0[0] - 0.4).abs() < 0.3);
        assert!((weights.0[1] - weights.1[1] * 1e-9).abs() < 1e-8);
    }

    /// Of two columns of correlation 0.8 each has 1 − 0.8² of its variance left given the other.
    #[test]
    fn the_units_are_deviations_given_the_others() {
        let gram = Gram::from_matrix(1_000_000, 2, vec![4.0, 1.6, 1.6, 1.0]).unwrap();
        let units = |gram: &Gram| units(gram, &Run::default()).unwrap();
        let found = units(&gram);
        assert!((found[0] - 1.2).abs() < 1e-4 && (found[1] - 0.6).abs() < 1e-4, "{found:?}");
        // Copies have none but for the row more.
        let copies = units(&Gram::from_matrix(99, 2, vec![1.0; 4]).unwrap());
        assert!((copies[0] - (1.0_f64 - 0.99 * 0.99).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn costs_of_candidates_are_those_of_their_sets() {
        let bge = family(&rows(50, 9));
        let mut costs = Vec::new();
        bge.costs_with(3, &[1], &[0, 2], &mut Space::default(), &mut costs);
        assert_eq!(costs.len(), 2);
        for (found, parents) in costs.iter().zip([[0, 1], [1, 2]]) {
            assert!((found - bge.cost(3, &parents, &mut Space::default())).abs() < 1e-9);
        }
    }

    #[test]
    fn each_column_that_was_set_has_a_table_of_its_own() {
        let rows = rows(20, 3);
        let gram = Gram::from_rows(rows.as_flattened(), 4, Centering::Center).unwrap();
        assert_eq!(Bge::bytes_needed(&gram), 8 * 4 * 4);
    }

    fn intervened(rows: &[[f64; 4]]) -> Gram {
        let regimes = [vec![], vec![1], vec![], vec![1, 3]];
        let told = Interventions::new(4, (0..rows.len()).map(|row| regimes[row % 4].clone())).unwrap();
        Gram::with_interventions(rows.as_flattened(), &told, Centering::Center).unwrap()
    }

    #[test]
    fn tables_are_counted_for_all_and_for_each_that_was_set() {
        assert_eq!(Bge::bytes_needed(&intervened(&rows(20, 3))), 8 * 4 * 4 * 3);
    }

    #[test]
    fn a_run_that_is_over_leaves_all_rows_to_nodes_that_were_set() {
        let gram = intervened(&rows(24, 6));
        let clock = || std::time::Duration::from_secs(9);
        let run = Run::by(&clock, plackett::run::Limits::time(std::time::Duration::ZERO));
        let plain = given_others(gram.pooled(), 0..4).unwrap();
        assert_eq!(units(&gram, &run).unwrap(), plain);
        let found = Bge::local(&gram, &run).unwrap();
        let expected = Bge::new(gram.pooled(), &plain).unwrap();
        for (node, parents) in [(1, &[0][..]), (3, &[1, 2]), (0, &[])] {
            let cost = found.cost(node, &parents.iter().copied().collect()).unwrap();
            assert_eq!(cost, expected.cost(node, parents, &mut Space::default()));
        }
    }

    #[test]
    fn what_does_not_vary_has_the_unit_one_or_that_of_all_rows() {
        // The second varies only where it was set, and the third never.
        let mut rows = rows(24, 6);
        for (at, row) in rows.iter_mut().enumerate() {
            row[2] = 7.0;
            if at % 2 == 0 {
                row[1] = 0.5;
            }
        }
        let gram = intervened(&rows);
        let (found, all) =
            (units(&gram, &Run::default()).unwrap(), given_others(gram.pooled(), 0..4).unwrap());
        assert_eq!((found[1], found[2]), (all[1], 1.0));
        assert!(found[3] != all[3] && found.iter().all(|&unit| unit > 0.0 && unit.is_finite()));
    }

    /// `R_PP⁻¹ R_Pi` of two parents by Cramer's rule.
    #[test]
    fn weights_are_the_means_of_the_posterior() {
        let rows: Vec<[f64; 4]> =
            rows(30, 8).iter().map(|row| [row[0], 5.0 * row[1], row[2], 0.1 * row[3]]).collect();
        let bge = family(&rows);
        let entry = |a: usize, b: usize| {
            let mean = |at: usize| rows.iter().map(|row| row[at]).sum::<f64>() / 30.0;
            let (left, right) = (mean(a), mean(b));
            let sum: f64 = rows.iter().map(|row| (row[a] - left) * (row[b] - right)).sum();
            sum / bge.units[a] / bge.units[b] + if a == b { 0.5 } else { 0.0 }
        };
        for (node, [p, q]) in [(3, [1, 2]), (1, [0, 3]), (0, [2, 3])] {
            let determinant = entry(p, p) * entry(q, q) - entry(p, q) * entry(p, q);
            let first = (entry(p, node) * entry(q, q) - entry(p, q) * entry(q, node)) / determinant;
            let second = (entry(q, node) * entry(p, p) - entry(p, q) * entry(p, node)) / determinant;
            let wanted = [first * bge.units[node] / bge.units[p], second * bge.units[node] / bge.units[q]];
            let found = Family::weights(&bge, node, &[p, q]).unwrap();
            assert_eq!(found.len(), 2);
            assert!(
                found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-9 * b.abs()),
                "{found:?} for {wanted:?}"
            );
        }
        assert!((bge.price_of_parent(1) - 0.5 * 30_f64.ln()).abs() < 1e-12);
    }

    /// The unit of a column is its deviation, less what the others explain by correlations with one row more.
    #[test]
    fn units_are_deviations_of_what_others_leave() {
        let rows: Vec<[f64; 4]> =
            rows(15, 2).iter().map(|row| [row[0], 5.0 * row[1], row[2], 0.1 * row[3]]).collect();
        let gram = Gram::from_rows(rows.as_flattened(), 4, Centering::Center).unwrap();
        let correlation = |a: usize, b: usize| {
            let size = (gram.entry(a, a) * gram.entry(b, b)).sqrt();
            gram.entry(a, b) / size * if a == b { 1.0 } else { 15.0 / 16.0 }
        };
        let log_determinant = |columns: &[usize]| {
            let matrix =
                columns.iter().map(|&a| columns.iter().map(|&b| correlation(a, b)).collect()).collect();
            eliminate(matrix, &vec![0.0; columns.len()]).0
        };
        let found = units(&gram, &Run::default()).unwrap();
        for (node, unit) in found.into_iter().enumerate() {
            let others: Vec<usize> = (0..4).filter(|&other| other != node).collect();
            let left = (log_determinant(&[0, 1, 2, 3]) - log_determinant(&others)).exp();
            let wanted = (gram.entry(node, node) * left).sqrt();
            assert!((unit / wanted - 1.0).abs() < 1e-12, "{unit} for {wanted}");
        }
    }
}
