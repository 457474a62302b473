//! Additive models with Gaussian noise (CAM, Bühlmann, Peters and Ernest 2014): x_i = Σ_j f_ij(x_j) + noise, each f_ij a spline. With the
//! splines' functions as columns everything comes from one Gram matrix: r(i, P) = (n/2)·log v(P) + Σ_j (log n / 2)·m_ij + log d·(m_ij − 1), v(P)
//! being the residual variance and m_ij the number of functions (1, 2, 4 or 8) that j enters the model of i with. Noise is added to functions of
//! the causes, and not the other way round, which tells directions that linear models leave open.
//!
//! How many functions a parent has is settled beforehand, given the columns that go with the child: so that a set of parents has one cost.

use std::sync::Arc;

use plackett::{elementary::ln, run::Run};

use super::ScoreEntry;
use super::degenerate::Space;
use super::family::{Family, FamilyLocal};
use super::mixed::{Price, first_edge_price};
use super::spline::{LEVELS, functions};
use crate::cholesky::COLLINEAR;
use crate::gram::{Centering, GramBuilder, NumberRows};
use crate::{Dag, Error, Gram, Result, parallel};

pub(super) const ENTRY: ScoreEntry = ScoreEntry {
    name: "additive",
    summary: "Sums of smooth functions of the parents: tells directions where effects are not linear; needs the rows",
    needs_rows: true,
    build: |gram, settings| {
        let score = additive(&gram, settings.penalty_factor, &Run::default())?.ok_or(Error::Empty)?;
        let edge = if settings.penalty_factor.is_some() { 0.0 } else { first_edge_price(gram.nodes()) };
        Ok(Arc::new(score.priced(edge)))
    },
};

/// The score on the splines of the rows, edges without a price beside that of their functions; nothing if the run is over before they are
/// made. O(n·(8d)²).
///
/// # Errors
/// [`Error::Misfit`] if the moments do not hold their rows; [`Error::Setting`] for a penalty factor that is negative or not finite.
pub(crate) fn additive(
    gram: &Gram,
    factor: Option<f64>,
    run: &Run<'_>,
) -> Result<Option<FamilyLocal<Additive>>> {
    let Some(rows) = gram.number_rows() else {
        let reason = format!("{} does not fit: it looks at the rows, and only moments are known", ENTRY.name);
        return Err(Error::Misfit { setting: "score", reason });
    };
    let nodes = gram.nodes();
    let Some(family) = Additive::new(gram, rows, rows.weights(), factor, run)? else { return Ok(None) };
    let mut own = Vec::with_capacity(nodes);
    for node in 0..nodes {
        let Some(told) = gram.interventions().filter(|told| told.targets().contains(&node)) else {
            own.push(None);
            continue;
        };
        let weights = told.weights_without(node, rows.weights());
        let Some(family) = Additive::new(gram, rows, Some(&weights), factor, run)? else { return Ok(None) };
        own.push(Some(family));
    }
    Ok(Some(FamilyLocal::new(family, nodes).with_own(own)))
}

/// Bytes for the functions of so many columns and rows, and for their moments.
pub(crate) fn additive_bytes(nodes: usize, rows: usize) -> u128 {
    let width = (LEVELS[LEVELS.len() - 1] * nodes) as u128;
    8 * width * (rows as u128 + 3 * width)
}

/// What additive models cost.
#[derive(Debug)]
pub(crate) struct Additive {
    /// Correlations of all functions.
    correlations: Gram,
    /// Where each node's functions begin among them; the first is the node's column itself.
    starts: Vec<usize>,
    /// How many functions a parent has in the model of a node, by node and parent.
    levels: Vec<usize>,
    log_variances: Vec<f64>,
    rows: f64,
    price: Price,
    /// What a function costs more than a line: with many pairs of columns, some seem bent by chance.
    bend: f64,
}

impl Additive {
    fn new(
        gram: &Gram,
        rows: &NumberRows,
        weights: Option<&[f64]>,
        factor: Option<f64>,
        run: &Run<'_>,
    ) -> Result<Option<Self>> {
        let blocks: Vec<Vec<Vec<f64>>> = parallel::map(rows.columns(), |column| {
            if run.is_over() { Vec::new() } else { functions(column, weights) }
        });
        let mut starts = vec![0];
        blocks.iter().for_each(|block| starts.push(starts[starts.len() - 1] + block.len().max(1)));
        let width = starts[starts.len() - 1];
        let mut builder = GramBuilder::new(width)?;
        let mut row = vec![0.0; width];
        for at in 0..rows.columns().first().map_or(0, |column| column.len()) {
            if at % ROWS_BETWEEN_LOOKS == 0 && run.is_over() {
                return Ok(None);
            }
            for (block, &start) in blocks.iter().zip(&starts) {
                block.iter().enumerate().for_each(|(k, values)| row[start + k] = values[at]);
            }
            builder.push_weighted(&row, weights.map_or(1.0, |weights| weights[at]))?;
        }
        let found = builder.finish(Centering::Center)?;
        let count = found.rows() as f64;
        let nodes = gram.nodes();
        let variance = |node: usize| gram.of(node).variance(node);
        let mut family = Self {
            correlations: found,
            levels: Vec::new(),
            log_variances: (0..nodes).map(|node| ln(variance(node).max(f64::MIN_POSITIVE))).collect(),
            price: Price::new(count, factor)?,
            bend: if factor.is_some() { 0.0 } else { first_edge_price(nodes) },
            rows: count,
            starts,
        };
        family.levels = (0..nodes * nodes).map(|at| family.level_alone(at / nodes, at % nodes)).collect();
        let nodes: Vec<usize> = (0..nodes).collect();
        let levels: Vec<Option<Vec<usize>>> =
            parallel::map(&nodes, |&node| (!run.is_over()).then(|| family.levels_beside(node)));
        let Some(levels) = levels.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        family.levels = levels.concat();
        Ok(Some(family))
    }

    fn nodes(&self) -> usize {
        self.log_variances.len()
    }

    /// How many functions a column has.
    fn width(&self, node: usize) -> usize {
        self.starts[node + 1] - self.starts[node]
    }

    fn level(&self, node: usize, parent: usize) -> usize {
        self.levels[node * self.nodes() + parent]
    }

    /// The sizes of spaces that a parent can enter with.
    fn sizes(&self, parent: usize) -> impl Iterator<Item = usize> {
        let most = self.width(parent);
        LEVELS.into_iter().map(move |level| level.min(most))
    }

    /// The number of functions with which a parent is best alone: they are uncorrelated, so that what they explain adds up.
    fn level_alone(&self, node: usize, parent: usize) -> usize {
        let row = self.correlations.row(self.starts[node]);
        let cost = |size: usize| {
            let explained: f64 = row[self.starts[parent]..][..size].iter().map(|entry| entry * entry).sum();
            0.5 * self.rows * ln((1.0 - explained).max(COLLINEAR)) + self.price_of(size, 1)
        };
        self.sizes(parent).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
    }

    /// The numbers of functions with which others are best for a node beside those that go with it, which are found by adding one
    /// at a time.
    fn levels_beside(&self, node: usize) -> Vec<usize> {
        let mut space = Space::default();
        let (mut company, mut costs): (Vec<usize>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut cost = self.cost(node, &company, &mut space);
        loop {
            let others: Vec<usize> =
                (0..self.nodes()).filter(|other| *other != node && !company.contains(other)).collect();
            self.costs_with(node, &company, &others, &mut space, &mut costs);
            let least = others.iter().zip(&costs).min_by(|a, b| a.1.total_cmp(b.1));
            let Some((&other, &least)) =
                least.filter(|&(_, &least)| least < cost - first_edge_price(self.nodes()))
            else {
                break;
            };
            company.push(other);
            company.sort_unstable();
            cost = least;
        }
        let level = |other: usize| {
            if other == node {
                return 0;
            }
            let rest: Vec<usize> = company.iter().copied().filter(|&one| one != other).collect();
            let best = self
                .sizes(other)
                .map(|size| (self.cost_at(node, &rest, Some((other, size)), &mut Space::default()), size));
            best.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(1, |(_, size)| size)
        };
        (0..self.nodes()).map(level).collect()
    }

    /// What a node costs with these parents, and one more with so many functions.
    fn cost_at(
        &self,
        node: usize,
        parents: &[usize],
        more: Option<(usize, usize)>,
        space: &mut Space,
    ) -> f64 {
        let usual = parents.iter().map(|&parent| (parent, self.level(node, parent)));
        let all: Vec<(usize, usize)> = usual.chain(more).collect();
        let width: usize = all.iter().map(|&(_, size)| size).sum();
        space.start(width + 1);
        for &(parent, size) in &all {
            space.push(&self.correlations, self.starts[parent]..self.starts[parent] + size);
        }
        let left = self.left(node, space);
        self.total(node, left, (width, all.len()))
    }

    /// The logarithm of the share of a node's variance that the functions pushed leave; a node that they determine keeps what
    /// rounding does.
    fn left(&self, node: usize, space: &mut Space) -> f64 {
        let before = space.len();
        let left = space.push(&self.correlations, self.starts[node]..self.starts[node] + 1);
        if space.len() > before { left } else { ln(COLLINEAR) }
    }

    /// What so many functions of so many parents cost.
    fn price_of(&self, functions: usize, parents: usize) -> f64 {
        self.price.parameters(functions as f64) + self.bend * (functions - parents) as f64
    }

    fn total(&self, node: usize, log_left: f64, (functions, parents): (usize, usize)) -> f64 {
        0.5 * self.rows * (log_left + self.log_variances[node]) + self.price_of(functions, parents)
    }
}

/// Rows between two looks at the run.
const ROWS_BETWEEN_LOOKS: usize = 64;

impl Family for Additive {
    type Space = Space;

    const NAME: &'static str = ENTRY.name;

    const IS_EQUIVALENT: bool = false;
    const EFFORT: (usize, usize) = (4, 30);

    fn price_of_parent(&self, _: usize) -> f64 {
        self.price.parameters(1.0)
    }

    fn work(&self) -> usize {
        1024
    }

    /// Those that are straight lines both ways.
    fn undecided(&self, dag: &Dag) -> Vec<(usize, usize)> {
        let is_straight =
            |&(from, to): &(usize, usize)| self.level(to, from) == 1 && self.level(from, to) == 1;
        dag.edges().map(|(from, to, _)| (from, to)).filter(is_straight).collect()
    }

    fn cost(&self, node: usize, parents: &[usize], space: &mut Space) -> f64 {
        self.cost_at(node, parents, None, space)
    }

    /// The factor of the parents' functions is kept.
    fn costs_with(
        &self,
        node: usize,
        parents: &[usize],
        candidates: &[usize],
        space: &mut Space,
        costs: &mut Vec<f64>,
    ) {
        costs.clear();
        let width: usize = parents.iter().map(|&parent| self.level(node, parent)).sum();
        space.start(width + LEVELS[LEVELS.len() - 1] + 1);
        for &parent in parents {
            let start = self.starts[parent];
            space.push(&self.correlations, start..start + self.level(node, parent));
        }
        let known = space.len();
        for &candidate in candidates {
            let (start, size) = (self.starts[candidate], self.level(node, candidate));
            space.push(&self.correlations, start..start + size);
            let left = self.left(node, space);
            costs.push(self.total(node, left, (width + size, parents.len() + 1)));
            space.truncate(known);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, normal};
    use crate::{Interventions, LocalScore as _, NodeSet};

    #[test]
    fn bytes_are_those_of_functions_and_of_three_tables() {
        // Eight functions of three columns, in a hundred rows of eight bytes; and tables of all of them by all of them.
        assert_eq!(additive_bytes(3, 100), 8 * (24 * 100) + 3 * 8 * (24 * 24));
    }

    /// Waves, lines, a column of three values, a copy of the first and one that does not vary.
    fn rows(count: usize) -> Vec<[f64; 6]> {
        let mut rng = Rng::new(31);
        let row = |at: usize| {
            let x = 4.0 * rng.uniform() - 2.0;
            let y = (1.5 * x).sin() + 0.3 * normal(&mut rng);
            let z = 0.8 * y + x * x + 0.5 * normal(&mut rng);
            [x, 10.0 * y, 100.0 - z, (at % 3) as f64 + f64::from(u8::from(x > 0.5)), 3.0 * x - 1.0, 5.0]
        };
        (0..count).map(row).collect()
    }

    fn family(rows: &[[f64; 6]], factor: Option<f64>) -> Additive {
        let gram = Gram::with_rows(rows.as_flattened(), 6, Centering::Center).unwrap();
        let held = gram.number_rows().unwrap();
        Additive::new(&gram, held, None, factor, &Run::default()).unwrap().unwrap()
    }

    /// What a node costs with so many functions of each parent: least squares on them by elimination.
    fn plain_cost(rows: &[[f64; 6]], bend: f64, node: usize, parents: &[(usize, usize)]) -> f64 {
        let count = rows.len() as f64;
        let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<f64>>();
        let centered = |mut values: Vec<f64>| {
            let mean = values.iter().sum::<f64>() / count;
            values.iter_mut().for_each(|value| *value -= mean);
            values
        };
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>() / count;
        let mut kept: Vec<Vec<f64>> = Vec::new();
        let rest = |mut function: Vec<f64>, kept: &[Vec<f64>]| {
            for other in kept.iter().chain(kept) {
                let share = product(&function, other) / product(other, other);
                function.iter_mut().zip(other).for_each(|(value, other)| *value -= share * other);
            }
            function
        };
        let mut width = 0;
        for &(parent, size) in parents {
            for function in functions(&column(parent), None).into_iter().take(size) {
                let left = rest(centered(function), &kept);
                if product(&left, &left) > 1e-12 {
                    kept.push(left);
                }
            }
            width += size;
        }
        let own = centered(column(node));
        let left = rest(own.clone(), &kept);
        let variance = product(&own, &own).max(f64::MIN_POSITIVE);
        let share = (product(&left, &left) / variance).max(1e-13);
        0.5 * count * (share.ln() + variance.ln())
            + 0.5 * count.ln() * width as f64
            + bend * (width - parents.len()) as f64
    }

    /// The numbers of functions of the others by trying all of them: alone, and then beside those that go with the node.
    fn plain_levels(family: &Additive, rows: &[[f64; 6]], node: usize) -> (Vec<usize>, Vec<usize>) {
        let price = 6_f64.ln();
        let cost = |parents: &[(usize, usize)]| plain_cost(rows, price, node, parents);
        let best = |rest: &[(usize, usize)], other: usize| {
            let with = |size: usize| cost(&[rest, &[(other, size)]].concat());
            let most = family.width(other);
            let sizes = [1, 2, 4, 8].into_iter().filter(|&size| size <= most || size / 2 < most);
            sizes.map(|size| size.min(most)).min_by(|&a, &b| with(a).total_cmp(&with(b))).unwrap()
        };
        let alone: Vec<usize> = (0..6).map(|other| best(&[], other)).collect();
        let mut company: Vec<(usize, usize)> = Vec::new();
        loop {
            let is_new = |other: &usize| *other != node && company.iter().all(|one| one.0 != *other);
            let with = |other: usize| cost(&[&company[..], &[(other, alone[other])]].concat());
            let Some(other) = (0..6).filter(is_new).min_by(|&a, &b| with(a).total_cmp(&with(b))) else {
                break;
            };
            if with(other) >= cost(&company) - price {
                break;
            }
            company.push((other, alone[other]));
        }
        let beside = |other: usize| {
            let rest: Vec<(usize, usize)> = company.iter().copied().filter(|one| one.0 != other).collect();
            if other == node { 0 } else { best(&rest, other) }
        };
        (alone.clone(), (0..6).map(beside).collect())
    }

    /// Effects so weak that some of them are not worth their price.
    fn weak(count: usize, seed: u64) -> Vec<[f64; 6]> {
        let mut rng = Rng::new(seed);
        let row = |_| {
            let x: [f64; 5] = std::array::from_fn(|_| 4.0 * rng.uniform() - 2.0);
            let bent = 0.3 * x[0] * x[0] + 0.4 * (2.0 * x[1]).sin() + 0.4 * x[3].abs();
            let y = bent + 0.3 * x[2] + 0.6 * normal(&mut rng);
            [y, x[0], x[1], x[2], x[3], x[4] + 0.5 * x[0] * x[0]]
        };
        (0..count).map(row).collect()
    }

    #[test]
    fn the_numbers_of_functions_are_the_best_beside_those_that_go_with_a_node() {
        let mut all: Vec<usize> = Vec::new();
        let mut check = |rows: &[[f64; 6]], nodes: &[usize]| {
            let family = family(rows, None);
            for &node in nodes {
                let (alone, beside) = plain_levels(&family, rows, node);
                for other in (0..6).filter(|&other| other != node) {
                    assert_eq!(family.level_alone(node, other), alone[other], "{node} {other}");
                    assert_eq!(family.level(node, other), beside[other], "{node} {other}");
                }
                all.extend(beside);
            }
        };
        // Without copies, of which it does not matter which is taken.
        let mut rows = rows(160);
        rows.iter_mut().enumerate().for_each(|(at, row)| row[4] = (at * 37 % 101) as f64);
        check(&rows, &[1, 2, 3]);
        for (count, seed) in [(60, 1), (40, 3), (40, 10), (60, 18), (60, 28)] {
            check(&weak(count, seed), &[0, 5]);
        }
        assert!([1, 2, 4].iter().all(|level| all.contains(level)), "{all:?}");
    }

    #[test]
    fn costs_are_those_of_least_squares_for_one_candidate_and_for_many() {
        let rows = rows(120);
        for (factor, bend) in [(None, 6_f64.ln()), (Some(1.0), 0.0)] {
            let mut family = family(&rows, factor);
            let most: Vec<usize> = (0..36).map(|at| family.width(at % 6)).collect();
            for levels in [family.levels.clone(), most] {
                family.levels = levels;
                for node in 0..6 {
                    let others: Vec<usize> = (0..6).filter(|&other| other != node).collect();
                    let expected = |parents: &[usize]| {
                        let with: Vec<(usize, usize)> =
                            parents.iter().map(|&parent| (parent, family.level(node, parent))).collect();
                        plain_cost(&rows, bend, node, &with)
                    };
                    let sets: [&[usize]; 5] = [&[], &others[..1], &others[2..3], &others[1..3], &others[..3]];
                    for parents in sets {
                        let found = family.cost(node, parents, &mut Space::default());
                        let wanted = expected(parents);
                        assert!((found - wanted).abs() < 1e-6, "{node} {parents:?}: {found} for {wanted}");
                        let more: Vec<usize> =
                            others.iter().copied().filter(|other| !parents.contains(other)).collect();
                        let mut costs = vec![2.0];
                        family.costs_with(node, parents, &more, &mut Space::default(), &mut costs);
                        assert_eq!(costs.len(), more.len());
                        for (found, candidate) in costs.iter().zip(more) {
                            let with = [parents, &[candidate]].concat();
                            let wanted = family.cost(node, &with, &mut Space::default());
                            assert!((found - wanted).abs() < 1e-7, "{node} {with:?}: {found} for {wanted}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_node_that_was_set_costs_what_its_other_rows_say() {
        let mut rows = rows(150);
        let is_set = |row: usize| row % 5 == 2;
        rows.iter_mut().enumerate().filter(|(row, _)| is_set(*row)).for_each(|(_, row)| row[1] = 900.0);
        let told =
            Interventions::new(6, (0..150).map(|row| if is_set(row) { vec![1] } else { vec![] })).unwrap();
        let gram = Gram::with_interventions(rows.as_flattened(), &told, Centering::Center).unwrap();
        let score = additive(&gram, None, &Run::default()).unwrap().unwrap();
        let kept: Vec<[f64; 6]> = (0..150).filter(|&row| !is_set(row)).map(|row| rows[row]).collect();
        let (own, other) = (family(&kept, None), family(&rows, None));
        for parents in [&[][..], &[0], &[0, 2], &[3]] {
            let set: NodeSet = parents.iter().copied().collect();
            let costs = [(1, &own), (4, &other)].map(|(node, family)| {
                let found = score.cost(node, &set).unwrap();
                (found - family.cost(node, parents, &mut Space::default())).abs()
            });
            assert!(costs.iter().all(|apart| *apart < 1e-6), "{parents:?}: {costs:?}");
        }
    }

    #[test]
    fn edges_that_are_lines_both_ways_are_open_and_a_parent_costs_a_parameter() {
        let mut family = family(&rows(60), None);
        assert!((family.price_of_parent(2) - 0.5 * 60_f64.ln()).abs() < 1e-12);
        family.levels = vec![1; 36];
        // The third enters the model of the first with two functions, and the first that of the second with four.
        (family.levels[2], family.levels[6]) = (2, 4);
        let dag = Dag::from_edges(6, [(0, 1, 1.0), (0, 2, 1.0), (1, 2, 1.0), (3, 2, 1.0)]).unwrap();
        assert_eq!(family.undecided(&dag), [(1, 2), (3, 2)]);
    }

    #[test]
    fn a_run_that_is_over_makes_no_functions() {
        let gram = Gram::with_rows(rows(60).as_flattened(), 6, Centering::Center).unwrap();
        let clock = || std::time::Duration::from_secs(9);
        let run = Run::by(&clock, plackett::run::Limits::time(std::time::Duration::ZERO));
        assert!(additive(&gram, None, &run).unwrap().is_none());
        let moments = Gram::from_matrix(9, 1, vec![1.0]).unwrap();
        assert!(additive(&moments, None, &Run::default()).is_err());
    }
}
