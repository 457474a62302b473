//! An order under improvement, with the best parents known of every node. A search moves one node at a time to its best
//! place; how the places are valued is the walker's business.

use plackett::neighborhood::Queue;
use plackett::run::Run;

use crate::NodeSet;

/// A gain below this share of the score is rounding: without a margin two equal orders could alternate for ever.
pub(crate) const IMPROVEMENT: f64 = 1e-12;

/// Ends a series of moves that no longer lowers the score. What a move is worth is told before it is made, from parents that
/// may settle otherwise once it is; so a few moves could follow each other for ever, each promising what the others took.
pub(crate) struct Patience {
    least: f64,
    vain: usize,
    most: usize,
}

impl Patience {
    /// As many vain moves in a row as there are nodes are too many.
    pub(crate) fn new(walker: &dyn Walker) -> Self {
        Self { least: walker.score(), vain: 0, most: walker.order().len() }
    }

    /// Whether to go on after a move.
    pub(crate) fn lasts(&mut self, score: f64) -> bool {
        if score < self.least {
            (self.least, self.vain) = (score, 0);
        } else {
            self.vain += 1;
        }
        self.vain < self.most
    }
}

/// An order under improvement, for [`Insertion`](crate::search::Insertion). A local score that can value moves faster than by
/// asking for every node anew brings one of its own ([`LocalScore::walker`](crate::LocalScore::walker)).
pub trait Walker: Send {
    /// The order.
    fn order(&self) -> &[usize];

    /// Its score, with the parents that are known.
    fn score(&self) -> f64;

    /// The parents that are known, node by node; nothing if the run was over before they were.
    fn parents(&mut self) -> Option<Vec<NodeSet>>;

    /// How many places of nodes were valued.
    fn evaluations(&self) -> u64;

    /// How many walks are worth their time, and how often each being disturbed and begun again, if not as often as usual.
    fn effort(&self) -> Option<(usize, usize)> {
        None
    }

    /// Moves a node to its best place, unless it stands there or the run is over, and queues the nodes for which other
    /// places may be better now. Says whether it moved.
    fn improve(&mut self, node: usize, queue: &mut Queue, run: &Run<'_>) -> bool;

    /// Moves a node to a place, whatever that costs, and queues the nodes concerned.
    fn relocate(&mut self, node: usize, place: usize, queue: &mut Queue);

    /// Makes the present order the one to go [`back`](Self::go_back) to.
    fn keep(&mut self);

    /// Goes back to the order that was kept last.
    fn go_back(&mut self);

    /// Moves the nodes of the queue, and those concerned, to places that a cheaper look says are better, until none moves:
    /// what a walk from a bad order begins with, if there is such a look.
    fn approach(&mut self, queue: &mut Queue, run: &Run<'_>) {
        let _ = (queue, run);
    }

    /// Looks once more at the parents of every node under the present order, more widely than while walking, and queues
    /// the nodes whose parents became better. Says whether any did.
    fn polish(&mut self, queue: &mut Queue, run: &Run<'_>) -> bool {
        let _ = (queue, run);
        false
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::score::{Bic, LocalScore as _, ScoreSettings};
    use crate::testing::random_gram;

    #[test]
    fn patience_ends_after_as_many_vain_moves_as_there_are_nodes() {
        let score = Bic::new(Arc::new(random_gram(4, 30, 1)), &ScoreSettings::default()).unwrap();
        let bounds = crate::Bounds::free(4);
        let walker = score.walker(&[2, 0, 1, 3], &bounds, &Run::default()).unwrap();
        let start = walker.score();
        let lasting = |scores: &[f64]| -> Vec<bool> {
            let mut patience = Patience::new(walker.as_ref());
            scores.iter().map(|score| patience.lasts(start + score)).collect()
        };
        assert_eq!(lasting(&[0.0, 1.0, 0.0, 0.0]), [true, true, true, false]);
        assert_eq!(
            lasting(&[-1.0, -1.0, -2.0, -1.0, -2.0, -1.5, 3.0]),
            [true, true, true, true, true, true, false]
        );
    }
}
