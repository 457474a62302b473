//! Linear assignment: one item for every rank so that the sum of their costs is small. The toy problem of Figure 1 is one.
//! Files: the number of items, then the cost matrix, a row for every rank. Solved exactly.

use plackett::{
    Additive, assignment,
    neighborhood::{Move, MoveKind, Neighborhood, Standing},
    problem::Problem,
    run::Run,
};

use crate::{
    error::{Error, check_matrix},
    instance::Instance,
    kind::Kind,
    published::BestKnown,
    text,
};

/// A linear assignment problem: minimize Σᵢ cost(i, bᵢ).
///
/// ```
/// use plackett::problem::Problem;
/// use plackett_problems::{Instance, LinearAssignment};
/// let problem = LinearAssignment::new("tiny", 3, vec![4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0])?;
/// assert_eq!(problem.value(&[1, 0, 2]), 5.0);
/// assert_eq!(problem.best_known().unwrap().value, 5.0); // found by the Hungarian method
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearAssignment {
    name: String,
    items: usize,
    matrix: Vec<f64>,
    solution: Vec<usize>,
}

impl LinearAssignment {
    /// The problem of a cost matrix, row-major, a row for every rank. It is solved here, in O(k³).
    ///
    /// # Errors
    /// A matrix that is empty, not square or not finite.
    pub fn new(name: &str, items: usize, matrix: Vec<f64>) -> Result<Self, Error> {
        check_matrix("the matrix", items, &matrix)?;
        let solution = assignment(&matrix)?.into_vec();
        Ok(Self { name: name.to_owned(), items, matrix, solution })
    }

    /// Reads the problem from a text; `file` is what errors call it.
    ///
    /// ```
    /// let problem = plackett_problems::LinearAssignment::parse("two.txt", "2\n0 1\n1 0\n")?;
    /// # Ok::<(), plackett_problems::Error>(())
    /// ```
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let (name, items, matrix) = text::one_matrix(file, text)?;
        Self::new(&name, items, matrix)
    }

    fn cost(&self, rank: usize, item: usize) -> f64 {
        self.matrix[rank * self.items + item]
    }
}

impl Problem for LinearAssignment {
    fn items(&self) -> usize {
        self.items
    }

    fn value(&self, order: &[usize]) -> f64 {
        order.iter().enumerate().map(|(rank, &item)| self.cost(rank, item)).sum()
    }

    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        for (rank, (&item, part)) in order.iter().zip(parts).enumerate() {
            *part = self.cost(rank, item);
        }
    }

    fn additive(&self) -> Option<Additive> {
        Additive::new(self.items).ok()?.with_positions(self.matrix.clone()).ok()
    }

    fn neighborhood(&self) -> Box<dyn Neighborhood + '_> {
        let mut walk = Walk { problem: self, standing: Standing::new(self.items) };
        walk.set_order(&(0..self.items).collect::<Vec<_>>());
        Box::new(walk)
    }

    fn construct(&self, _: &Run<'_>) -> Option<Vec<usize>> {
        Some(self.solution.clone())
    }
}

impl Instance for LinearAssignment {
    fn kind(&self) -> Kind {
        Kind::LinearAssignment
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn best_known(&self) -> Option<BestKnown> {
        Some(BestKnown { value: self.value(&self.solution), is_optimal: true })
    }
}

struct Walk<'a> {
    problem: &'a LinearAssignment,
    standing: Standing,
}

impl Walk<'_> {
    /// What a move would change. O(ranks that change their item), so O(1) for an exchange.
    fn change_by(&self, step: Move) -> f64 {
        let Self { problem, standing: Standing { order, .. } } = self;
        let at = |rank: usize, from: usize| problem.cost(rank, order[from]) - problem.cost(rank, order[rank]);
        match step {
            Move::Swap { first, second } => at(first, second) + at(second, first),
            Move::Reverse { first, last } => (first..=last).map(|rank| at(rank, first + last - rank)).sum(),
            Move::Insert { from, to } if from <= to => {
                (from..to).map(|rank| at(rank, rank + 1)).sum::<f64>() + at(to, from)
            }
            Move::Insert { from, to } => {
                (to + 1..=from).map(|rank| at(rank, rank - 1)).sum::<f64>() + at(to, from)
            }
        }
    }
}

impl Neighborhood for Walk<'_> {
    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn kinds(&self) -> &'static [MoveKind] {
        &[MoveKind::Swap, MoveKind::Insert]
    }

    fn set_order(&mut self, order: &[usize]) {
        self.standing.set(order, self.problem.value(order));
    }

    fn change(&mut self, step: Move) -> f64 {
        self.standing.evaluations += 1;
        self.change_by(step)
    }

    fn apply(&mut self, step: Move) {
        self.standing.cost += self.change_by(step);
        self.standing.apply(step);
    }
}
