//! The neighborhood of a problem that can say no more than what a whole order is worth.

use super::Problem;
use crate::neighborhood::{Move, MoveKind, Neighborhood, Standing};

pub(super) struct Walk<'a, P: ?Sized> {
    problem: &'a P,
    standing: Standing,
    /// The order after a move.
    moved: Vec<usize>,
}

impl<'a, P: Problem + ?Sized> Walk<'a, P> {
    pub(super) fn new(problem: &'a P) -> Self {
        let standing = Standing::new(problem.items());
        let mut walk = Self { problem, moved: standing.order.clone(), standing };
        walk.value();
        walk
    }

    fn cost(&self, order: &[usize]) -> f64 {
        self.problem.sense().cost(self.problem.value(order))
    }

    fn value(&mut self) {
        self.standing.cost = self.cost(&self.standing.order);
        self.standing.evaluations += 1;
    }
}

impl<P: Problem + ?Sized> Neighborhood for Walk<'_, P> {
    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn kinds(&self) -> &'static [MoveKind] {
        &[MoveKind::Insert]
    }

    fn set_order(&mut self, order: &[usize]) {
        self.standing.set(order, self.cost(order));
    }

    fn change(&mut self, step: Move) -> f64 {
        self.standing.evaluations += 1;
        self.moved.copy_from_slice(&self.standing.order);
        step.apply(&mut self.moved);
        self.cost(&self.moved) - self.standing.cost
    }

    fn apply(&mut self, step: Move) {
        self.standing.apply(step);
        self.value();
    }
}
