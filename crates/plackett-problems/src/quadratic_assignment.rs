//! Quadratic assignment: put items into places so that flow times distance is small. Files as in QAPLIB: the number of
//! items, then the matrices A and B; some have the best known value after the number.
//!
//! With x_u = a(r, u) − a(s, u) and y_u = b(p_s, p_u) − b(p_r, p_u) taken after the exchange of r and s, what an exchange of
//! u and v would change is itself changed by (x_u − x_v)(y_u − y_v), and likewise for columns: a table of all exchanges,
//! once it is made, is kept at O(1) an entry, but for those of r and s themselves. Of symmetric matrices these follow from the
//! products P(u, v) = Σₖ a(u, k)·b(p_v, pₖ), to which the exchange adds x_u·y_v. On the table runs Taillard's robust tabu search.

use plackett::{
    neighborhood::{Move, MoveKind, Neighborhood, Queue, Standing, is_gain},
    problem::Problem,
    rand::{RngExt as _, rngs::ChaCha8Rng, seq::SliceRandom as _},
    run::Run,
};

use crate::{
    error::{Error, check_matrix},
    instance::Instance,
    kind::Kind,
    published::{self, BestKnown},
    text,
};

/// A quadratic assignment problem: minimize Σ_{ij} a(i, j)·b(pᵢ, pⱼ) over orders p.
///
/// ```
/// use plackett::problem::Problem;
/// use plackett_problems::QuadraticAssignment;
/// let problem = QuadraticAssignment::new("tiny", 2, vec![0.0, 3.0, 1.0, 0.0], vec![0.0, 5.0, 2.0, 0.0])?;
/// assert_eq!(problem.value(&[0, 1]), 3.0 * 5.0 + 1.0 * 2.0);
/// assert_eq!(problem.value(&[1, 0]), 3.0 * 2.0 + 1.0 * 5.0);
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct QuadraticAssignment {
    name: String,
    items: usize,
    a: Vec<f64>,
    b: Vec<f64>,
    stated: Option<f64>,
    /// Both matrices are symmetric: rows say all. Where only one is, of the other only the symmetric part counts, and is kept.
    is_symmetric: bool,
    /// Exchanges of the tabu search without a better order.
    idle_exchanges: u64,
}

impl QuadraticAssignment {
    /// The problem of two matrices, row-major.
    ///
    /// # Errors
    /// Matrices that are empty, not square or not finite.
    pub fn new(name: &str, items: usize, mut a: Vec<f64>, mut b: Vec<f64>) -> Result<Self, Error> {
        check_matrix("the matrix A", items, &a)?;
        check_matrix("the matrix B", items, &b)?;
        let dominance = variation(items, &a).max(variation(items, &b));
        let per_item = (IDLE_EXCHANGES / dominance.powi(2)).clamp(LEAST_IDLE, MOST_IDLE);
        #[expect(clippy::cast_sign_loss, reason = "at least 3")]
        let idle_exchanges = (per_item * items as f64) as u64;
        let is_symmetric = is_symmetric(items, &a) || is_symmetric(items, &b);
        if is_symmetric {
            symmetrize(items, &mut a);
            symmetrize(items, &mut b);
        }
        Ok(Self { name: name.to_owned(), items, a, b, stated: None, is_symmetric, idle_exchanges })
    }

    /// Reads the problem from a text; `file` is what errors call it.
    ///
    /// ```
    /// let problem = plackett_problems::QuadraticAssignment::parse("two.dat", "2\n0 3\n1 0\n\n0 5\n2 0\n")?;
    /// # Ok::<(), plackett_problems::Error>(())
    /// ```
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let mut words = text::words_after_title(file, text);
        let items = words.count("the number of items")?;
        let is_stated = words.left() == 2 * items * items + 1;
        let stated = if is_stated { Some(words.number("the best known value")?) } else { None };
        let a = words.numbers(items * items, "the matrix A")?;
        let b = words.numbers(items * items, "the matrix B")?;
        words.end()?;
        Ok(Self { stated, ..Self::new(&text::stem(file), items, a, b)? })
    }
}

fn is_symmetric(items: usize, matrix: &[f64]) -> bool {
    (0..matrix.len()).all(|at| matrix[at] == matrix[at % items * items + at / items])
}

/// The mean of a matrix and its transpose.
fn symmetrize(items: usize, matrix: &mut [f64]) {
    for row in 0..items {
        for column in 0..row {
            let mean = matrix[row * items + column] / 2.0 + matrix[column * items + row] / 2.0;
            matrix[row * items + column] = mean;
            matrix[column * items + row] = mean;
        }
    }
}

/// How much the entries off the diagonal vary, in units of their mean; infinite if that is zero.
fn variation(items: usize, matrix: &[f64]) -> f64 {
    let entries = || (0..items * items).filter(|at| at % items != at / items).map(|at| matrix[at]);
    let count = (items * (items - 1)).max(1) as f64;
    let mean = entries().sum::<f64>() / count;
    let variance = entries().map(|entry| (entry - mean).powi(2)).sum::<f64>() / count;
    if variance == 0.0 { 0.0 } else { variance.sqrt() / mean.abs() }
}

impl Problem for QuadraticAssignment {
    fn items(&self) -> usize {
        self.items
    }

    fn value(&self, order: &[usize]) -> f64 {
        let mut value = 0.0;
        for (row, &item) in self.a.chunks_exact(self.items).zip(order) {
            let distances = &self.b[item * self.items..][..self.items];
            value += row.iter().zip(order).map(|(a, &other)| a * distances[other]).sum::<f64>();
        }
        value
    }

    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        let n = self.items;
        for (rank, (&item, part)) in order.iter().zip(parts).enumerate() {
            let earlier = order[..rank].iter().enumerate();
            let pairs = earlier.map(|(other, &other_item)| {
                self.a[rank * n + other] * self.b[item * n + other_item]
                    + self.a[other * n + rank] * self.b[other_item * n + item]
            });
            *part = pairs.sum::<f64>() + self.a[rank * n + rank] * self.b[item * n + item];
        }
    }

    fn neighborhood(&self) -> Box<dyn Neighborhood + '_> {
        let n = self.items;
        let mut walk = Walk {
            problem: self,
            standing: Standing::new(n),
            placed: vec![0.0; n * n],
            changes: vec![0.0; n * n],
            has_changes: false,
            products: if self.is_symmetric { vec![0.0; n * n] } else { Vec::new() },
            x: vec![0.0; n],
            y: vec![0.0; n],
        };
        walk.set_order(&(0..n).collect::<Vec<_>>());
        Box::new(walk)
    }
}

impl Instance for QuadraticAssignment {
    fn kind(&self) -> Kind {
        Kind::QuadraticAssignment
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn best_known(&self) -> Option<BestKnown> {
        let stated = self.stated.map(|value| BestKnown { value, is_optimal: false });
        published::find(Kind::QuadraticAssignment, &self.name, self.items, |order| self.value(order))
            .or(stated)
    }
}

/// Exchanges that the tabu search makes before it ends on the best order it met, per item and since the last such order: of
/// entries that vary as much as their mean, and the least and most. The more they vary, the sooner a kick gets further (the
/// dominance of Vollmann and Buffa): three suffice for entries over many powers of ten, and of evenly spread ones a hundred are best.
const IDLE_EXCHANGES: f64 = 30.0;
const LEAST_IDLE: f64 = 3.0;
const MOST_IDLE: f64 = 100.0;

/// The share of kicks that mix two orders.
const MIXING: f64 = 0.5;

/// Adds a multiple of a row to another.
fn add(row: &mut [f64], factor: f64, other: &[f64]) {
    row.iter_mut().zip(other).for_each(|(entry, other)| *entry += factor * other);
}

/// The least entry; found several side by side, as processors do at once.
fn least(row: &[f64]) -> f64 {
    const SIDE_BY_SIDE: usize = 8;
    let mut least = [f64::INFINITY; SIDE_BY_SIDE];
    let (groups, rest) = row.as_chunks::<SIDE_BY_SIDE>();
    for group in groups {
        for (least, &entry) in least.iter_mut().zip(group) {
            *least = if entry < *least { entry } else { *least };
        }
    }
    least.iter().chain(rest).copied().fold(f64::INFINITY, f64::min)
}

struct Walk<'a> {
    problem: &'a QuadraticAssignment,
    standing: Standing,
    /// b(pᵢ, pⱼ).
    placed: Vec<f64>,
    /// What an exchange of ranks u < v would change, at u·n + v.
    changes: Vec<f64>,
    /// Whether that table has been made for the present order: it takes O(n³), and not every order is improved.
    has_changes: bool,
    /// P(u, v) at u·n + v, kept with the table where matrices are symmetric.
    products: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Walk<'_> {
    /// Takes an order of this cost. O(n²).
    fn place(&mut self, order: &[usize], cost: f64) {
        let n = self.problem.items;
        self.standing.go_back(order, cost);
        for (row, &item) in self.placed.chunks_exact_mut(n).zip(order) {
            for (entry, &other) in row.iter_mut().zip(order) {
                *entry = self.problem.b[item * n + other];
            }
        }
        self.has_changes = false;
    }

    /// What an exchange would change, from scratch. O(n), or O(1) from products.
    fn exchange(&self, r: usize, s: usize, has_products: bool) -> f64 {
        let n = self.problem.items;
        let (a, b) = (&self.problem.a, &self.placed);
        let change = (a[r * n + r] - a[s * n + s]) * (b[s * n + s] - b[r * n + r])
            + (a[r * n + s] - a[s * n + r]) * (b[s * n + r] - b[r * n + s]);
        let part = |k: usize| (a[r * n + k] - a[s * n + k]) * (b[s * n + k] - b[r * n + k]);
        let rows: f64 = if has_products {
            let p = &self.products;
            p[r * n + s] + p[s * n + r] - p[r * n + r] - p[s * n + s]
        } else {
            (0..n).map(part).sum()
        };
        let rows = rows - part(r) - part(s);
        if self.problem.is_symmetric {
            return change + 2.0 * rows;
        }
        let part = |k: usize| (a[k * n + r] - a[k * n + s]) * (b[k * n + s] - b[k * n + r]);
        change + rows + (0..n).filter(|&k| k != r && k != s).map(part).sum::<f64>()
    }

    /// Makes the table, unless the run is over before that.
    fn find_changes(&mut self, run: &Run<'_>) {
        let n = self.problem.items;
        if self.has_changes {
            return;
        }
        if self.problem.is_symmetric {
            self.find_products(run);
        }
        for r in 0..n {
            if run.is_over() {
                return;
            }
            for s in r + 1..n {
                self.changes[r * n + s] = self.exchange(r, s, self.problem.is_symmetric);
            }
        }
        self.has_changes = true;
    }

    /// Rows of B as it is placed, added up with the entries of A as weights, until the run is over. O(n³).
    fn find_products(&mut self, run: &Run<'_>) {
        let n = self.problem.items;
        self.products.fill(0.0);
        for (products, weights) in self.products.chunks_exact_mut(n).zip(self.problem.a.chunks_exact(n)) {
            if run.is_over() {
                return;
            }
            for (weight, row) in weights.iter().zip(self.placed.chunks_exact(n)) {
                add(products, *weight, row);
            }
        }
    }

    /// What an exchange would change: O(1) from the table, if there is one.
    fn change_of(&self, r: usize, s: usize) -> f64 {
        if self.has_changes { self.changes[r * self.problem.items + s] } else { self.exchange(r, s, false) }
    }

    /// Exchanges two ranks and brings the table up to date. O(n²), or O(n) without a table.
    fn make(&mut self, r: usize, s: usize) {
        let n = self.problem.items;
        self.standing.cost += self.change_of(r, s);
        self.standing.apply(Move::Swap { first: r, second: s });
        for k in 0..n {
            self.placed.swap(r * n + k, s * n + k);
        }
        for k in 0..n {
            self.placed.swap(k * n + r, k * n + s);
        }
        if !self.has_changes {
            return;
        }
        let is_symmetric = self.problem.is_symmetric;
        self.update(r, s, n, 1, if is_symmetric { 2.0 } else { 1.0 });
        if is_symmetric {
            self.update_products(r, s);
        } else {
            self.update(r, s, 1, n, 1.0);
        }
        for u in 0..n {
            for rank in [r, s] {
                if u != rank {
                    let (first, second) = (u.min(rank), u.max(rank));
                    self.changes[first * n + second] = self.exchange(first, second, is_symmetric);
                }
            }
        }
    }

    /// Brings the products up to date: x_u·y_v for the exchange of columns of B as it is placed, and then that of its rows.
    fn update_products(&mut self, r: usize, s: usize) {
        let n = self.problem.items;
        let Self { products, placed, y, .. } = self;
        for (y, row) in y.iter_mut().zip(placed.chunks_exact(n)) {
            *y = row[r] - row[s];
        }
        y.swap(r, s);
        for (products, a) in products.chunks_exact_mut(n).zip(self.problem.a.chunks_exact(n)) {
            add(products, a[r] - a[s], y);
            products.swap(r, s);
        }
    }

    /// Adds (x_u − x_v)(y_u − y_v) to all entries of the table, by rows (`line` = n, `step` = 1) or by columns.
    fn update(&mut self, r: usize, s: usize, line: usize, step: usize, factor: f64) {
        let n = self.problem.items;
        let (a, b) = (&self.problem.a, &self.placed);
        for u in 0..n {
            self.x[u] = factor * (a[r * line + u * step] - a[s * line + u * step]);
            self.y[u] = b[s * line + u * step] - b[r * line + u * step];
        }
        for u in 0..n {
            let (x_u, y_u) = (self.x[u], self.y[u]);
            let row = &mut self.changes[u * n + u + 1..(u + 1) * n];
            for ((change, x), y) in row.iter_mut().zip(&self.x[u + 1..]).zip(&self.y[u + 1..]) {
                *change += (x_u - x) * (y_u - y);
            }
        }
    }
}

impl Neighborhood for Walk<'_> {
    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn kinds(&self) -> &'static [MoveKind] {
        &[MoveKind::Swap]
    }

    /// O(n²).
    fn set_order(&mut self, order: &[usize]) {
        self.place(order, self.problem.value(order));
        self.standing.evaluations += 1;
    }

    /// O(1) for an exchange once there is a table, else O(n); what else there is, is valued as a whole.
    fn change(&mut self, step: Move) -> f64 {
        self.standing.evaluations += 1;
        if let Move::Swap { first, second } = step {
            return self.change_of(first, second);
        }
        let mut moved = self.standing.order.clone();
        step.apply(&mut moved);
        self.problem.value(&moved) - self.standing.cost
    }

    fn apply(&mut self, step: Move) {
        match step {
            Move::Swap { first, second } => self.make(first, second),
            Move::Insert { from, to } if from < to => (from..to).for_each(|rank| self.make(rank, rank + 1)),
            Move::Insert { from, to } => (to..from).rev().for_each(|rank| self.make(rank, rank + 1)),
            Move::Reverse { first, last } => {
                (0..(last + 1 - first) / 2).for_each(|step| self.make(first + step, last - step));
            }
        }
    }

    /// Robust tabu search: the best exchange each time, though not one that takes two items back to where they were until
    /// a while ago, unless it leads to the best order yet.
    fn improve(&mut self, queue: &mut Queue, rng: &mut ChaCha8Rng, run: &Run<'_>) {
        self.find_changes(run);
        self.descend(queue, run);
        let n = self.problem.items;
        if n < 4 || !self.has_changes {
            return;
        }
        let (shortest, longest) = (n as u64 * 9 / 10, n as u64 * 11 / 10 + 4);
        // Up to which exchange an item may not return to a rank.
        let mut barred = vec![0; n * n];
        let mut best = (self.standing.cost, self.standing.order.clone());
        let (mut made, mut since_best) = (0, 0);
        while since_best < self.problem.idle_exchanges && !self.is_over(run) {
            made += 1;
            since_best += 1;
            let mut left = usize::try_from(self.left(run)).unwrap_or(usize::MAX);
            let order = &self.standing.order;
            let mut chosen = (f64::INFINITY, None);
            for first in 0..n {
                let end = n.min((first + 1).saturating_add(left));
                left -= end - (first + 1);
                self.standing.evaluations += (end - (first + 1)) as u64;
                if least(&self.changes[first * n + first + 1..first * n + end]) >= chosen.0 {
                    continue;
                }
                for second in first + 1..end {
                    let change = self.changes[first * n + second];
                    if change < chosen.0
                        && (barred[first * n + order[second]] <= made
                            || barred[second * n + order[first]] <= made
                            || is_gain(self.standing.cost + change - best.0, best.0))
                    {
                        chosen = (change, Some((first, second)));
                    }
                }
            }
            let (first, second) = chosen.1.unwrap_or_else(|| {
                let first = rng.random_range(0..n - 1);
                (first, rng.random_range(first + 1..n))
            });
            for rank in [first, second] {
                barred[rank * n + order[rank]] = made + rng.random_range(shortest..=longest);
            }
            self.make(first, second);
            if is_gain(self.standing.cost - best.0, best.0) {
                best.0 = self.standing.cost;
                best.1.copy_from_slice(&self.standing.order);
                since_best = 0;
            }
        }
        self.place(&best.1, best.0);
    }

    /// What both orders have in a place stays there; elsewhere one of the two has its will, and what is left fills the gaps.
    fn mixed(&self, other: &[usize], rng: &mut ChaCha8Rng) -> Vec<usize> {
        let (one, n) = (&self.standing.order, self.problem.items);
        let mut mixed = vec![n; n];
        let mut is_placed = vec![false; n];
        for rank in 0..n {
            let (wish, second) =
                if rng.random() { (one[rank], other[rank]) } else { (other[rank], one[rank]) };
            if let Some(&item) = [wish, second].iter().find(|&&item| !is_placed[item]) {
                mixed[rank] = item;
                is_placed[item] = true;
            }
        }
        let mut left: Vec<usize> = (0..n).filter(|&item| !is_placed[item]).collect();
        left.shuffle(rng);
        mixed.iter_mut().filter(|item| **item == n).for_each(|item| *item = left.pop().unwrap_or(n));
        mixed
    }

    fn mixing(&self) -> f64 {
        MIXING
    }

    /// A random share of the items, from a few to half of them, moved round among their ranks.
    fn kick(&mut self, queue: &mut Queue, rng: &mut ChaCha8Rng, _: &Run<'_>) {
        let n = self.problem.items;
        let mut order = self.standing.order.clone();
        for at in 0..rng.random_range(2..=(n / 2).max(2)) {
            let (at, other) = (at % n, rng.random_range(0..n));
            order.swap(at, other);
        }
        self.set_order(&order);
        (0..n).for_each(|item| queue.push(item));
    }
}
