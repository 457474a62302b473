//! The neighborhood of a problem that can say no more than what a whole order is worth.

use super::Problem;
use crate::neighborhood::{Kept, Move, MoveKind, Neighborhood, Standing};

pub(super) struct Walk<'a, P: ?Sized> {
    problem: &'a P,
    standing: Standing,
    /// The order after a move.
    moved: Vec<usize>,
    /// The cheapest move since the order has changed, and what the order would cost after it.
    cheapest: Option<(Move, f64)>,
    kept_cost: f64,
}

impl<'a, P: Problem + ?Sized> Walk<'a, P> {
    pub(super) fn new(problem: &'a P) -> Self {
        let mut standing = Standing::new(problem.items());
        let moved = standing.order.clone();
        standing.cost = problem.sense().cost(problem.value(&moved));
        Self { problem, standing, moved, cheapest: None, kept_cost: 0.0 }
    }

    fn cost(&self, order: &[usize]) -> f64 {
        self.problem.sense().cost(self.problem.value(order))
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
        self.cheapest = None;
    }

    fn change(&mut self, step: Move) -> f64 {
        self.standing.evaluations += 1;
        self.moved.copy_from_slice(&self.standing.order);
        step.apply(&mut self.moved);
        let cost = self.cost(&self.moved);
        if self.cheapest.is_none_or(|(_, cheapest)| cost < cheapest) {
            self.cheapest = Some((step, cost));
        }
        cost - self.standing.cost
    }

    /// The cheapest move, which is the one that is made, has been valued before.
    fn apply(&mut self, step: Move) {
        self.standing.apply(step);
        let known = self.cheapest.take().filter(|(cheapest, _)| *cheapest == step);
        self.standing.cost = known.map_or_else(|| self.cost(&self.standing.order), |(_, cost)| cost);
    }

    fn keep(&mut self, kept: &mut Kept, is_best: bool) {
        kept.take(self.order(), is_best);
        self.kept_cost = self.standing.cost;
    }

    fn go_back(&mut self, kept: &Kept) {
        self.standing.go_back(&kept.order, self.kept_cost);
        self.cheapest = None;
    }
}
