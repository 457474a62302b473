//! Scoring one node's parent sets on its own rows: those that agree in the node and its core are taken together first, and
//! some hundreds of them often stand for a million. Subsets are gone through depth first, one refinement each.

use std::borrow::Cow;

use plackett::run::Run;

use super::list::List;
use super::prices::Prices;
use super::rows::Rows;
use super::sieve::{Margin, Sieve};
use super::subsets::Subsets;
use crate::counts::{FamilyCounts, Partition, is_dense};
use crate::pace::Pace;
use crate::parallel;
use crate::score::{CountScore, MOST_CONFIGURATIONS};

/// What the parent sets of one node are scored from.
pub(super) struct NodeTask<'a> {
    pub(super) rows: &'a Rows<'a>,
    /// Of the rows as they were given, each counting once.
    pub(super) row_count: usize,
    pub(super) arities: &'a [usize],
    pub(super) score: &'a dyn CountScore,
    pub(super) node: usize,
    pub(super) core: &'a [usize],
    pub(super) outside: &'a [usize],
    /// What every set holds besides, whatever it costs.
    pub(super) fixed: &'a [usize],
    pub(super) limit: usize,
    pub(super) prices: &'a Prices,
    pub(super) margin: Margin,
    pub(super) words: usize,
}

impl NodeTask<'_> {
    /// All sets worth keeping: those not dominated, and those within the margin. Nothing if the run is over before.
    pub(super) fn run(&self, run: &Run<'_>) -> Option<(List, List)> {
        let (mut groups, mut finer, mut map) = (Partition::default(), Partition::default(), Vec::new());
        groups.start(self.rows.count);
        // The groups of all of them are the rows of the collapsed table.
        let columns: Vec<usize> =
            self.core.iter().copied().chain([self.node]).chain(self.fixed.iter().copied()).collect();
        for &column in &columns {
            if run.is_over() {
                return None;
            }
            finer.refine(&groups, &self.rows.columns[column], self.arities[column], &mut map);
            std::mem::swap(&mut groups, &mut finer);
        }
        groups.drop_empty(&mut map);
        let table = self.rows.distinct(&groups, &columns);

        let subsets = Subsets::new(self.core.len(), self.limit);
        let mut sieve =
            Sieve::new(&subsets, self.core, self.margin, self.row_count, self.words).with_fixed(self.fixed);
        Walk::new(self, &table, None, run).run(&mut sieve)?;
        run.advance(1);
        let least = if self.outside.is_empty() { Vec::new() } else { sieve.least_costs() };
        let (mut best, mut all) = (sieve.best, sieve.all);
        if self.limit == 0 {
            return Some((best, all));
        }
        let smaller = Subsets::new(self.core.len(), self.limit - 1);
        let found: Option<Vec<(List, List)>> = parallel::map(self.outside, |&other| {
            let mut sieve = Sieve::new(&smaller, self.core, self.margin, self.row_count, self.words)
                .with_fixed(self.fixed)
                .with_outside(other, &least);
            if run.is_over() {
                return None;
            }
            let wider = self.with_column(&table, &groups, other);
            Walk::new(self, &wider, Some(other), run).run(&mut sieve)?;
            run.advance(1);
            Some((sieve.best, sieve.all))
        });
        for (more_best, more_all) in found? {
            best.append(more_best);
            all.append(more_all);
        }
        Some((best, all))
    }

    /// The collapsed table with one column more, at the end: one pass over the rows.
    fn with_column(&self, table: &Rows<'static>, groups: &Partition, other: usize) -> Rows<'static> {
        let (column, arity) = (&self.rows.columns[other], self.arities[other]);
        let (old, codes, weights) = if is_dense(groups.groups() * arity, self.rows.count) {
            let mut counts = Vec::new();
            groups.tabulate(column, arity, self.rows.weights(), &mut counts);
            let mut cells = (Vec::new(), Vec::new(), Vec::new());
            for (cell, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
                cells.0.push((cell / arity) as u32);
                cells.1.push((cell % arity) as u8);
                cells.2.push(count);
            }
            cells
        } else {
            let (mut finer, mut map, mut weights) = (Partition::default(), Vec::new(), Vec::new());
            finer.refine(groups, column, arity, &mut map);
            finer.drop_empty(&mut map);
            finer.sizes(self.rows.weights(), &mut weights);
            let first = finer.first_rows();
            let old = first.iter().map(|&row| groups.ids()[row as usize]).collect();
            let codes = first.iter().map(|&row| column[row as usize]).collect();
            (old, codes, weights)
        };
        let gather = |column: &Cow<'_, [u8]>| {
            Cow::Owned(old.iter().map(|&row| column[row as usize]).collect::<Vec<u8>>())
        };
        let mut columns: Vec<Cow<'static, [u8]>> = table.columns.iter().map(gather).collect();
        columns.push(Cow::Owned(codes));
        Rows { columns, count: weights.len(), weights: Some(weights) }
    }
}

/// A walk through the subsets of the core on a collapsed table.
struct Walk<'a, 'b> {
    task: &'a NodeTask<'a>,
    table: &'a Rows<'static>,
    /// A parent from outside the core that every set holds.
    outside: Option<usize>,
    node: (&'a [u8], usize),
    /// The log-likelihood with all of the table's columns as parents: no set reaches more.
    most_likelihood: f64,
    /// The groups of the set at each depth.
    groups: Vec<Partition>,
    counts: FamilyCounts,
    map: Vec<u32>,
    chosen: Vec<usize>,
    pace: Pace<'a, 'b>,
}

impl<'a, 'b> Walk<'a, 'b> {
    fn new(
        task: &'a NodeTask<'a>,
        table: &'a Rows<'static>,
        outside: Option<usize>,
        run: &'a Run<'b>,
    ) -> Self {
        let node = (&*table.columns[task.core.len()], task.arities[task.node]);
        Self {
            task,
            table,
            outside,
            node,
            most_likelihood: 0.0,
            groups: vec![Partition::default(); task.limit + 1],
            counts: FamilyCounts::default(),
            map: Vec::new(),
            chosen: Vec::new(),
            pace: Pace::new(run),
        }
    }

    fn run(&mut self, sieve: &mut Sieve<'_>) -> Option<()> {
        self.groups[0].start(self.table.count);
        let mut configurations = 1.0;
        let always = self.task.fixed.iter().copied().chain(self.outside);
        for (place, other) in always.enumerate() {
            let arity = self.task.arities[other];
            self.refine(0, self.task.core.len() + 1 + place, arity);
            configurations = (configurations * arity as f64).min(MOST_CONFIGURATIONS);
        }
        self.most_likelihood = self.likelihood_of_everything();
        let floor = sieve.floor(&[]);
        self.counts.count(&self.groups[0], self.node.0, self.node.1, self.table.weights());
        let price = self.task.prices.of(self.always());
        sieve.admit(&[], self.counts.cost(self.task.score, configurations, self.node.1) + price, floor);
        self.extend(self.task.core.len(), configurations, sieve)
    }

    /// How many parents every set has.
    fn always(&self) -> usize {
        self.task.fixed.len() + usize::from(self.outside.is_some())
    }

    /// Goes through the sets that hold the chosen ones and some of those before `below`.
    fn extend(&mut self, below: usize, configurations: f64, sieve: &mut Sieve<'_>) -> Option<()> {
        let depth = self.chosen.len();
        if depth == sieve.subsets().limit() {
            return Some(());
        }
        for place in 0..below {
            let arity = self.task.arities[self.task.core[place]];
            let configurations = (configurations * arity as f64).min(MOST_CONFIGURATIONS);
            self.chosen.push(place);
            let floor = sieve.floor(&self.chosen);
            let size = self.always() + depth + 1;
            let least = self.task.score.least_cost(configurations, self.node.1, self.most_likelihood)
                + self.task.prices.least(size);
            self.pace.spend(1)?;
            if !sieve.passes_over(least, floor) {
                self.pace.spend(self.table.count)?;
                let last = place == 0 || depth + 1 == sieve.subsets().limit();
                let weights = self.table.weights();
                if last {
                    let parent = (&*self.table.columns[place], arity);
                    self.counts.count_with(&self.groups[depth], parent, self.node, weights);
                } else {
                    self.refine(depth + 1, place, arity);
                    self.counts.count(&self.groups[depth + 1], self.node.0, self.node.1, weights);
                }
                let cost = self.counts.cost(self.task.score, configurations, self.node.1)
                    + self.task.prices.of(size);
                sieve.admit(&self.chosen, cost, floor);
                if !last {
                    self.extend(place, configurations, sieve)?;
                }
            }
            self.chosen.pop();
        }
        Some(())
    }

    /// Makes the groups at a depth: those above it, or at depth 0 themselves, refined by a column of the table.
    fn refine(&mut self, depth: usize, column: usize, arity: usize) {
        let mut finer = std::mem::take(&mut self.groups[depth]);
        if depth == 0 {
            let coarse = finer.clone();
            finer.refine(&coarse, &self.table.columns[column], arity, &mut self.map);
        } else {
            finer.refine(&self.groups[depth - 1], &self.table.columns[column], arity, &mut self.map);
        }
        self.groups[depth] = finer;
    }

    fn likelihood_of_everything(&mut self) -> f64 {
        if self.task.score.least_cost(1.0, self.node.1, 0.0) == f64::NEG_INFINITY {
            return 0.0;
        }
        let (mut groups, mut finer) = (self.groups[0].clone(), Partition::default());
        for (column, &node) in self.table.columns.iter().zip(self.task.core) {
            finer.refine(&groups, column, self.task.arities[node], &mut self.map);
            std::mem::swap(&mut groups, &mut finer);
        }
        self.counts.count(&groups, self.node.0, self.node.1, self.table.weights());
        self.counts.log_likelihood()
    }
}
