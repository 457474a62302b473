//! Insertion search: take one node out of the order and put it back where the order scores best, until no node moves.
//! All places of a node are tried by exchanging neighbors, and an exchange changes two local scores only. From several
//! starts, each followed by kicks: a few nodes moved at random, and the search again from there. Starts do not depend on each
//! other, so they are made side by side where the score has walkers of its own.

use std::sync::Arc;

use plackett::neighborhood::Queue;
use plackett::run::Run;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::cached::Cached;
use super::{OrderSolution, cost_of};
use crate::score::{Walker, walker::Patience};
use crate::{Bounds, Oracle, Result, parallel};

/// Nodes moved to random places by one kick. At 50 dense nodes 5 leaves a quarter of the gap that 2 leaves; 8 is no better.
const KICKED_NODES: usize = 5;

/// Up to this many nodes four starts are made, and two beyond: with the oracle's cache, and with walkers that are quicker. Four
/// reach the optimum of `l1` on all the sets of 10 and 20 nodes that it was compared on.
const NODES_FOR_FOUR_STARTS: (usize, usize) = (64, 500);

/// Kicks of every start: with the oracle's cache, and with walkers that are quicker, up to 500 nodes. Chosen on 18 sets of 50
/// to 500 nodes, on all of which the score was at least that of 20 restarts of the best rival, in less time.
const KICKS: (usize, usize) = (30, 100);

/// Beyond 500 nodes kicks become dear: there are so many divided by the nodes.
const KICKED_NODES_IN_ALL: usize = 50_000;

/// Settings of the insertion search: how many random starts and kicks, and the seed that all its randomness comes from.
///
/// Outcomes depend on the score, these settings and nothing else.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Oracle, score::{EvL0, ScoreSettings}, search::Insertion};
/// // x₁ = 2·x₀ + noise of variance 1.
/// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let mut oracle = Oracle::new(Arc::new(EvL0::new(gram, &ScoreSettings::default())?));
/// assert_eq!(Insertion { starts: Some(3), kicks: Some(0), seed: 7 }.run(&mut oracle, &Run::default()).order, [0, 1]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Insertion {
    /// Number of orders to start from, those that the score suggests, if it does, and random ones; by default so many as a
    /// walker of this kind on so many nodes is worth.
    pub starts: Option<usize>,
    /// Number of times that each start's best order is disturbed and improved again, with a default likewise.
    pub kicks: Option<usize>,
    /// Seed of the starts; start `i` draws from stream `i`.
    pub seed: u64,
}

impl Insertion {
    /// The best order over all starts within the oracle's bounds, the first of equals; the best so far if the run ends before, and
    /// the graph of the edges that must be there if it ends before there is one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, Oracle, score::{Bic, ScoreSettings}, search::Insertion};
    /// let gram = Arc::new(Gram::from_matrix(1000, 1, vec![1.0])?);
    /// let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
    /// assert_eq!(Insertion::default().run(&mut oracle, &Run::default()).order, [0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn run(&self, oracle: &mut Oracle, run: &Run<'_>) -> OrderSolution {
        self.search(oracle, None, run)
    }

    /// The same with `start`, brought within the bounds, as the first order to start from: the outcome is never worse, unless the run is over before
    /// its score is known.
    ///
    /// # Errors
    /// [`Error::NotAnOrder`](crate::Error::NotAnOrder) unless `start` lists each node once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, Oracle, score::{EvL0, ScoreSettings}, search::Insertion};
    /// let gram = Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?);
    /// let mut oracle = Oracle::new(Arc::new(EvL0::new(gram, &ScoreSettings::default())?));
    /// assert_eq!(Insertion::default().improve(&mut oracle, &[1, 0], &Run::default())?.order, [0, 1]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn improve(&self, oracle: &mut Oracle, start: &[usize], run: &Run<'_>) -> Result<OrderSolution> {
        oracle.check_order(start)?;
        Ok(self.search(oracle, Some(start), run))
    }

    fn search(&self, oracle: &mut Oracle, start: Option<&[usize]>, run: &Run<'_>) -> OrderSolution {
        let score = Arc::clone(oracle.score());
        let (nodes, bounds) = (score.nodes(), oracle.bounds().clone());
        let effort = |(starts, kicks): (usize, usize)| {
            let starts = self.starts.unwrap_or(starts).max(1);
            let kicks = self.kicks.unwrap_or(kicks.min(KICKED_NODES_IN_ALL / nodes.max(1)));
            // What it is a stage of, the caller knows; how long it is, is known here.
            run.begin(&run.progress().stage, Some((starts * (kicks + 1)) as u64));
            (starts, kicks)
        };
        let mut best: Option<OrderSolution> = None;
        let mut see = |found: OrderSolution| {
            if best.as_ref().is_none_or(|best| found.score < best.score) {
                best = Some(found);
            }
        };
        let known: Vec<Vec<usize>> =
            start.map(<[usize]>::to_vec).into_iter().chain(score.first_orders(run)).collect();
        let first = |index: usize, rng: &mut ChaCha8Rng| match known.get(index) {
            Some(order) => bounds.arrange(order),
            None => bounds.arrange(&random_order(nodes, rng)),
        };
        if let Some(begun) = score.walker(&first(0, &mut self.stream(0)), &bounds, run) {
            let usual = (if nodes <= NODES_FOR_FOUR_STARTS.1 { 4 } else { 2 }, KICKS.1);
            let (starts, kicks) = effort(begun.effort().unwrap_or(usual));
            let mut walkers = vec![Some(begun)];
            walkers.resize_with(starts, || None);
            let chain = |(index, walker): (usize, Option<Box<dyn Walker + '_>>)| {
                let mut rng = self.stream(index);
                let order = first(index, &mut rng);
                let mut walker = walker.or_else(|| score.walker(&order, &bounds, run))?;
                walk(&mut *walker, &bounds, kicks, rng, run);
                let (order, parents) = (walker.order().to_vec(), walker.parents()?);
                Some((OrderSolution { order, score: walker.score(), parents }, walker.evaluations()))
            };
            let walkers: Vec<_> = walkers.into_iter().enumerate().collect();
            let found: Vec<_> = parallel::map(walkers, chain);
            for (mut solution, evaluations) in found.into_iter().flatten() {
                oracle.count(evaluations);
                solution.score = cost_of(score.as_ref(), &solution.parents).unwrap_or(solution.score);
                see(solution);
            }
        } else {
            let (starts, kicks) = effort((if nodes <= NODES_FOR_FOUR_STARTS.0 { 4 } else { 2 }, KICKS.0));
            for index in 0..starts {
                let mut rng = self.stream(index);
                let order = first(index, &mut rng);
                let Some(mut walker) = Cached::new(oracle, order, run) else { break };
                walk(&mut walker, &bounds, kicks, rng, run);
                let Some(parents) = walker.parents() else { break };
                see(OrderSolution { order: walker.order().to_vec(), score: walker.score(), parents });
            }
        }
        best.unwrap_or_else(|| OrderSolution::empty(oracle))
    }

    fn stream(&self, index: usize) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(index as u64);
        rng
    }
}

fn random_order(nodes: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..nodes).collect();
    order.shuffle(rng);
    order
}

/// Moves every node to its best place, in random order, and those concerned again, until none moves.
fn descend_from_all(walker: &mut dyn Walker, queue: &mut Queue, rng: &mut ChaCha8Rng, run: &Run<'_>) {
    random_order(walker.order().len(), rng).into_iter().for_each(|node| queue.push(node));
    descend(walker, queue, run);
}

fn descend(walker: &mut dyn Walker, queue: &mut Queue, run: &Run<'_>) {
    let mut patience = Patience::new(walker);
    while let Some(node) = queue.pop() {
        if run.is_over() || (walker.improve(node, queue, run) && !patience.lasts(walker.score())) {
            break;
        }
    }
    queue.clear();
}

/// The place nearest to this one that the bounds allow a node.
fn within(bounds: &Bounds, order: &[usize], node: usize, place: usize) -> usize {
    if bounds.is_free() {
        return place;
    }
    let rank = order.iter().position(|&other| other == node).unwrap_or(place);
    let (low, high) = bounds.places(order, rank);
    place.clamp(low, high)
}

/// The parents of every node, for whoever looks on.
fn lists(walker: &mut dyn Walker) -> Option<Vec<Vec<usize>>> {
    Some(walker.parents()?.iter().map(|parents| parents.into_iter().collect()).collect())
}

/// Improves an order until no move of one node helps, then disturbs it and tries again, keeping what is not worse.
fn walk(walker: &mut dyn Walker, bounds: &Bounds, kicks: usize, mut rng: ChaCha8Rng, run: &Run<'_>) {
    let nodes = walker.order().len();
    let mut queue = Queue::new(nodes);
    random_order(nodes, &mut rng).into_iter().for_each(|node| queue.push(node));
    walker.keep();
    let mut least = walker.score();
    walker.approach(&mut queue, run);
    descend_from_all(walker, &mut queue, &mut rng, run);
    if walker.score() > least {
        walker.go_back(); // cut short on the way
    }
    walker.keep();
    run.advance(1);
    least = walker.score();
    run.show(least, || lists(walker));
    let kicks = if nodes > 2 { kicks } else { 0 };
    for _ in 0..kicks {
        if run.is_over() {
            break;
        }
        for _ in 0..KICKED_NODES {
            let (node, place) = (rng.random_range(0..nodes), rng.random_range(0..nodes));
            walker.relocate(node, within(bounds, walker.order(), node, place), &mut queue);
        }
        descend(walker, &mut queue, run);
        if walker.score() <= least {
            least = walker.score();
            walker.keep();
            run.note(walker.evaluations(), Some(least));
            run.show(least, || lists(walker));
        } else {
            walker.go_back();
        }
        run.advance(1);
    }
    // Moves far from what was disturbed may have come into reach.
    loop {
        descend_from_all(walker, &mut queue, &mut rng, run);
        if run.is_over() || !walker.polish(&mut queue, run) {
            break;
        }
    }
    if walker.score() > least {
        walker.go_back();
    }
}
