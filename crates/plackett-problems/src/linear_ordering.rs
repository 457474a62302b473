//! Linear ordering: permute rows and columns of a matrix alike so that the sum above the diagonal is as large as it can be.
//! Files as in LOLIB: a title or none, the number of items, the matrix.
//!
//! Exchanging neighbors a, b changes the sum by c(b, a) − c(a, b) alone, so all ranks of one item are valued in O(k).

use plackett::{
    Additive,
    neighborhood::{Move, MoveKind, Neighborhood, Standing},
    problem::{Problem, Sense},
    run::Run,
};

use crate::{
    error::{Error, check_matrix},
    instance::Instance,
    kind::Kind,
    text,
};

/// A linear ordering problem: maximize Σ_{i<j} c(bᵢ, bⱼ).
///
/// ```
/// use plackett::problem::{Problem, Sense};
/// use plackett_problems::LinearOrdering;
/// let problem = LinearOrdering::new("tiny", 3, vec![0.0, 1.0, 5.0, 4.0, 0.0, 2.0, 3.0, 6.0, 0.0])?;
/// assert_eq!(problem.sense(), Sense::Maximize);
/// assert_eq!(problem.value(&[1, 0, 2]), 4.0 + 2.0 + 5.0);
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearOrdering {
    name: String,
    items: usize,
    matrix: Vec<f64>,
    /// c(a, b) − c(b, a): what is gained by a coming before b.
    gains: Vec<f64>,
}

impl LinearOrdering {
    /// The problem of a matrix, row-major.
    ///
    /// # Errors
    /// A matrix that is empty, not square or not finite.
    pub fn new(name: &str, items: usize, matrix: Vec<f64>) -> Result<Self, Error> {
        check_matrix("the matrix", items, &matrix)?;
        let gain = |at: usize| matrix[at] - matrix[at % items * items + at / items];
        let gains = (0..matrix.len()).map(gain).collect();
        Ok(Self { name: name.to_owned(), items, matrix, gains })
    }

    /// Reads the problem from a text; `file` is what errors call it.
    ///
    /// ```
    /// let problem = plackett_problems::LinearOrdering::parse("some.mat", "Some title\n2\n0 1\n2 0\n")?;
    /// # Ok::<(), plackett_problems::Error>(())
    /// ```
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let (name, items, matrix) = text::one_matrix(file, text)?;
        Self::new(&name, items, matrix)
    }
}

impl Problem for LinearOrdering {
    fn items(&self) -> usize {
        self.items
    }

    fn sense(&self) -> Sense {
        Sense::Maximize
    }

    fn value(&self, order: &[usize]) -> f64 {
        let mut value = 0.0;
        for (rank, &item) in order.iter().enumerate() {
            let row = &self.matrix[item * self.items..][..self.items];
            value += order[rank + 1..].iter().map(|&after| row[after]).sum::<f64>();
        }
        value
    }

    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        for (rank, (&item, part)) in order.iter().zip(parts).enumerate() {
            *part = order[..rank].iter().map(|&before| self.matrix[before * self.items + item]).sum();
        }
    }

    fn additive(&self) -> Option<Additive> {
        Additive::new(self.items).ok()?.with_precedences(self.matrix.clone()).ok()
    }

    /// A small population, whose orders are mixed.
    fn walks(&self) -> usize {
        WALKS
    }

    /// Twice as many walks make rounds of half the length, so that they meet as often.
    fn round_evaluations(&self) -> u64 {
        ROUND_EVALUATIONS.max(ROUND_EVALUATIONS_PER_PAIR * (self.items * self.items) as u64)
    }

    fn neighborhood(&self) -> Box<dyn Neighborhood + '_> {
        let mut walk = Walk { problem: self, standing: Standing::new(self.items) };
        walk.set_order(&(0..self.items).collect::<Vec<_>>());
        Box::new(walk)
    }
}

impl Instance for LinearOrdering {
    fn kind(&self) -> Kind {
        Kind::LinearOrdering
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// The share of kicks that mix: at 250 items more than half of them, among twice the usual number of walks, leave less of the gap
/// than one in five among eight.
const MIXING: f64 = 0.6;
const WALKS: usize = 16;
/// Evaluations of a walk in a round, and per pair of items.
const ROUND_EVALUATIONS: u64 = 100_000;
const ROUND_EVALUATIONS_PER_PAIR: u64 = 5;

struct Walk<'a> {
    problem: &'a LinearOrdering,
    standing: Standing,
}

impl Walk<'_> {
    fn gains_of(&self, item: usize) -> &[f64] {
        &self.problem.gains[item * self.problem.items..][..self.problem.items]
    }

    /// What moving an item over these others costs, to their left.
    fn loss_before(&self, item: usize, others: &[usize]) -> f64 {
        let gains = self.gains_of(item);
        -others.iter().map(|&other| gains[other]).sum::<f64>()
    }

    /// What a move would change.
    fn change_by(&self, step: Move) -> f64 {
        let order = &self.standing.order;
        match step {
            Move::Insert { from, to } if to < from => self.loss_before(order[from], &order[to..from]),
            Move::Insert { from, to } => -self.loss_before(order[from], &order[from + 1..=to]),
            Move::Swap { first, second } => {
                let (left, right) = (order[first], order[second]);
                let between = &order[first + 1..second];
                self.loss_before(right, between) - self.loss_before(left, between)
                    + self.loss_before(right, &[left])
            }
            Move::Reverse { first, last } => {
                (first + 1..=last).map(|rank| self.loss_before(order[rank], &order[first..rank])).sum()
            }
        }
    }
}

impl Neighborhood for Walk<'_> {
    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn kinds(&self) -> &'static [MoveKind] {
        &[MoveKind::Insert]
    }

    fn set_order(&mut self, order: &[usize]) {
        self.standing.set(order, -self.problem.value(order));
    }

    fn change(&mut self, step: Move) -> f64 {
        self.standing.evaluations += 1;
        self.change_by(step)
    }

    fn apply(&mut self, step: Move) {
        self.standing.cost += self.change_by(step);
        self.standing.apply(step);
    }

    fn mixing(&self) -> f64 {
        MIXING
    }

    /// O(1) a rank.
    fn insertions(&mut self, from: usize, low: usize, high: usize, changes: &mut Vec<f64>, run: &Run<'_>) {
        let left = usize::try_from(self.left(run)).unwrap_or(usize::MAX);
        changes.clear();
        changes.resize(high - low + 1, f64::INFINITY);
        changes[from - low] = 0.0;
        // No farther to the left, and then to the right, than there are evaluations left.
        let low_valued = low.max(from.saturating_sub(left));
        let high_valued = high.min(from.saturating_add(left - (from - low_valued)));
        let order = &self.standing.order;
        let gains = self.gains_of(order[from]);
        let mut change = 0.0;
        for to in (low_valued..from).rev() {
            change -= gains[order[to]];
            changes[to - low] = change;
        }
        change = 0.0;
        for to in from + 1..=high_valued {
            change += gains[order[to]];
            changes[to - low] = change;
        }
        self.standing.evaluations += (high_valued - low_valued) as u64;
    }
}
