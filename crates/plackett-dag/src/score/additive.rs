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

    #[test]
    fn bytes_are_those_of_functions_and_of_three_tables() {
        // Eight functions of three columns, in a hundred rows of eight bytes; and tables of all of them by all of them.
        assert_eq!(additive_bytes(3, 100), 8 * (24 * 100) + 3 * 8 * (24 * 24));
    }
}
