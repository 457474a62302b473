//! The answer for categories: the likelihood-ratio test G² on a table of counts per stratum.

use std::sync::Arc;

use super::gamma::chi_square_tail;
use super::{IndependenceTest, check_alpha};
use crate::categories::Categories;
use crate::counts::Partition;
use crate::Result;

#[derive(Clone, Debug)]
pub struct GSquare<'a> {
    data: &'a Categories,
    alpha: f64,
    entropy: Arc<Entropy>,
    focus: Focus,
    /// `strata[k]` groups the rows by the first k of `given`.
    strata: Vec<Partition>,
    given: Vec<usize>,
    /// For each row its stratum and its category of `first`, as one number.
    keys: Vec<u32>,
    first: Option<usize>,
    map: Vec<u32>,
    counts: Vec<u32>,
    margin: Vec<u32>,
    pub rule: (f64, f64, bool),
}

impl<'a> GSquare<'a> {
    pub fn new(data: &'a Categories, alpha: f64) -> Result<Self> {
        check_alpha(alpha)?;
        Ok(Self {
            data,
            alpha,
            entropy: Arc::new(Entropy::new(data.row_count())),
            focus: Focus::default(),
            strata: Vec::new(),
            given: Vec::new(),
            keys: Vec::new(),
            first: None,
            map: Vec::new(),
            counts: Vec::new(),
            margin: Vec::new(),
            rule: (0.0, 1.0, false),
        })
    }

    /// Groups the rows by the given columns; what the last question has in common with this one stays.
    fn stratify(&mut self, given: &[usize]) {
        if self.strata.is_empty() {
            self.strata.push(Partition::default());
        }
        if self.first.is_none() {
            self.given.clear();
            let rows = self.focus.rows(self.data);
            self.strata[0].start(rows);
        }
        let common = self.given.iter().zip(given).take_while(|(old, new)| old == new).count();
        if common < self.given.len() || common < given.len() {
            self.first = None;
        }
        self.given.truncate(common);
        for &node in &given[common..] {
            let depth = self.given.len();
            if self.strata.len() == depth + 1 {
                self.strata.push(Partition::default());
            }
            let (coarse, fine) = self.strata.split_at_mut(depth + 1);
            let column = self.focus.column(self.data, node);
            fine[0].refine(&coarse[depth], column, self.data.arity(node), &mut self.map);
            self.given.push(node);
        }
    }
}

impl IndependenceTest for GSquare<'_> {
    fn nodes(&self) -> usize {
        self.data.columns()
    }

    fn alpha(&self) -> f64 {
        self.alpha
    }

    fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> f64 {
        if !self.focus.covers(a) || !self.focus.covers(b) || !given.iter().all(|&node| self.focus.covers(node)) {
            self.focus.nodes.clear();
            self.first = None;
        }
        self.stratify(given);
        let strata = &self.strata[given.len()];
        let (arity_a, arity_b) = (self.data.arity(a), self.data.arity(b));
        if self.first != Some(a) {
            let column = self.focus.column(self.data, a);
            self.keys.clear();
            self.keys.extend(
                strata.ids().iter().zip(column).map(|(&id, &code)| id * arity_a as u32 + u32::from(code)),
            );
            self.first = Some(a);
        }
        self.counts.clear();
        self.counts.resize(strata.groups() * arity_a * arity_b, 0);
        let column = self.focus.column(self.data, b);
        let cells =
            self.keys.iter().zip(column).map(|(&key, &code)| key as usize * arity_b + usize::from(code));
        match self.focus.weights() {
            Some(weights) => cells.zip(weights).for_each(|(cell, weight)| self.counts[cell] += weight),
            None => cells.for_each(|cell| self.counts[cell] += 1),
        }
        let mut half = 0;
        let mut freedom = 0;
        let mut nominal = 0;
        for table in self.counts.chunks_exact((arity_a * arity_b).max(1)) {
            self.margin.clear();
            self.margin.resize(arity_b, 0);
            let (mut total, mut occurring_a) = (0, 0);
            for row in table.chunks_exact(arity_b) {
                let mut sum = 0;
                for (column, &count) in self.margin.iter_mut().zip(row) {
                    *column += count;
                    sum += count;
                    half += self.entropy.of(count);
                }
                half -= self.entropy.of(sum);
                total += sum;
                occurring_a += u64::from(sum > 0);
            }
            if total == 0 {
                continue;
            }
            half += self.entropy.of(total);
            let mut occurring_b = 0;
            for &sum in &self.margin {
                half -= self.entropy.of(sum);
                occurring_b += u64::from(sum > 0);
            }
            freedom += (occurring_a - 1) * (occurring_b - 1);
            nominal += ((arity_a - 1) * (arity_b - 1)) as u64;
        }
        let (k, verdict, is_nominal) = self.rule;
        let df = if is_nominal { nominal } else { freedom };
        if (self.data.row_count() as f64) < k * df as f64 {
            return verdict;
        }
        chi_square_tail(2.0 * self.entropy.value(half), freedom as f64)
    }

    /// Rows that agree in all these columns are counted together from now on.
    fn focus(&mut self, nodes: &[usize]) {
        self.first = None;
        self.focus.gather(self.data, nodes, &mut self.strata, &mut self.map);
    }
}

/// The distinct rows of some columns, each with the number of times it occurs; all rows and columns if there are none.
#[derive(Clone, Debug, Default)]
struct Focus {
    nodes: Vec<usize>,
    columns: Vec<Vec<u8>>,
    weights: Vec<u32>,
}

impl Focus {
    fn covers(&self, node: usize) -> bool {
        self.nodes.is_empty() || self.nodes.contains(&node)
    }

    fn weights(&self) -> Option<&[u32]> {
        if self.nodes.is_empty() { None } else { Some(&self.weights) }
    }

    fn rows(&self, data: &Categories) -> usize {
        if self.nodes.is_empty() { data.row_count() } else { self.weights.len() }
    }

    fn column<'b>(&'b self, data: &'b Categories, node: usize) -> &'b [u8] {
        match self.nodes.iter().position(|&other| other == node) {
            Some(at) => &self.columns[at],
            None => data.column(node),
        }
    }

    /// Looks at these columns, or at everything if few of their rows agree. O(rows · columns).
    fn gather(&mut self, data: &Categories, nodes: &[usize], work: &mut Vec<Partition>, map: &mut Vec<u32>) {
        self.nodes.clear();
        work.resize_with(work.len().max(2), Partition::default);
        let rows = data.row_count();
        work[0].start(rows);
        for &node in nodes {
            let (coarse, fine) = work.split_at_mut(1);
            fine[0].refine(&coarse[0], data.column(node), data.arity(node), map);
            work.swap(0, 1);
            if work[0].groups() > (rows / 2).max(1 << 12) {
                return;
            }
        }
        // map: the place of each group among those that occur.
        map.clear();
        map.resize(work[0].groups(), u32::MAX);
        self.weights.clear();
        self.columns.resize_with(self.columns.len().max(nodes.len()), Vec::new);
        self.columns.iter_mut().for_each(Vec::clear);
        for (row, &group) in work[0].ids().iter().enumerate() {
            let place = &mut map[group as usize];
            if *place == u32::MAX {
                *place = self.weights.len() as u32;
                self.weights.push(0);
                for (column, &node) in self.columns.iter_mut().zip(nodes) {
                    column.push(data.column(node)[row]);
                }
            }
            self.weights[*place as usize] += 1;
        }
        if self.weights.len() <= rows / 2 {
            self.nodes.extend_from_slice(nodes);
        }
    }
}

/// n ln n for whole n, as whole multiples of a power of two: sums of them are exact, whatever their order, so that an
/// answer does not depend on the order of the rows, the columns or the categories.
#[derive(Debug)]
struct Entropy {
    table: Vec<i64>,
    scale: f64,
}

impl Entropy {
    const TABLE: usize = 1 << 16;

    /// For counts of at most `rows` rows.
    fn new(rows: usize) -> Self {
        let most = rows.max(2) as f64;
        // Four sums of up to N ln N each stay within 63 bits.
        let scale = (60.0 - (most * most.ln()).log2().ceil()).exp2();
        let mut entropy = Self { table: Vec::new(), scale };
        entropy.table = (0..=rows.min(Self::TABLE) as u32).map(|count| entropy.compute(count)).collect();
        entropy
    }

    fn compute(&self, count: u32) -> i64 {
        let count = f64::from(count.max(1));
        (count * count.ln() * self.scale).round() as i64
    }

    #[inline]
    fn of(&self, count: u32) -> i64 {
        self.table.get(count as usize).copied().unwrap_or_else(|| self.compute(count))
    }

    fn value(&self, sum: i64) -> f64 {
        sum as f64 / self.scale
    }
}
