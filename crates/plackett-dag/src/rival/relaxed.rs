//! SINKHORN and URS: the paper's (φ, A) problem without a constraint.
//!
//! min over φ and strictly upper triangular A of ½ tr((I − W)ᵀ G (I − W)) + λ‖A‖₁ with W = R(φ)ᵀ A R(φ), taken in
//! turns: accelerated proximal gradient on A, then a step of Adam on φ. At the end R(φ) is rounded to a permutation and
//! **A is kept as it is**: the graph has the weights that were fitted to the relaxed order, which is why its score is
//! worse than that of the relaxation, often worse than that of no edges at all ("deterioration in score value when
//! relaxation is transformed to permutation").
//!
//! The parameters start near zero, so that R starts near the uniform matrix, where M = R G Rᵀ has the variance of the
//! nodes' mean in every entry. If that is at most λ, A = 0 is optimal, the gradient in φ vanishes with A, and the run
//! ends where it began: with the empty graph, whichever the relaxation. Those are the identical rows in the paper's
//! tables.

use plackett::run::{Ending, Run};
use plackett::{Adam, Order};

use super::objective::{Objective, Penalty};
use super::proximal::Proximal;
use super::soft_order::SoftOrder;
use super::{Learned, Relaxation, check_count};
use crate::error::check_positive;
use crate::{Dag, Error, Gram};

/// Below this share of the largest weight a step of the inner solver no longer matters.
pub(super) const WEIGHT_TOLERANCE: f64 = 1e-7;

/// The methods SINKHORN and URS. The paper gives λ; the other numbers are chosen so that its tables reappear: the
/// cells with the empty graph, scores of that magnitude on sparse graphs, SHDs within five edges at 10 and 20 nodes. On
/// dense graphs the scores spread over orders of magnitude from one seed to the next, and may exceed those of RANDOM,
/// as in the paper.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Gram, rival::Relaxed};
/// let gram = Gram::from_matrix(100, 3, vec![1.0, 2.0, 0.0, 2.0, 5.0, 0.0, 0.0, 0.0, 1.0])?;
/// let learned = Relaxed::urs().run(&gram, 0, &Run::default())?;
/// assert_eq!(learned.order.len(), 3);
/// assert!(*learned.trace.last().unwrap() <= learned.trace[0]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relaxed {
    /// What orders are relaxed to.
    pub relaxation: Relaxation,
    /// λ, the price of a unit of weight.
    pub lambda: f64,
    /// τ, the temperature of the relaxation.
    pub temperature: f64,
    /// The parameters start uniformly within this distance of zero.
    pub spread: f64,
    /// Adam's learning rate for the parameters.
    pub rate: f64,
    /// Steps on the parameters.
    pub steps: usize,
    /// Accelerated proximal gradient steps on the weights between two of them.
    pub weight_steps: usize,
}

impl Relaxed {
    /// SINKHORN.
    ///
    /// ```
    /// assert_eq!(plackett_dag::rival::Relaxed::sinkhorn().lambda, 0.5);
    /// ```
    pub fn sinkhorn() -> Self {
        Self {
            relaxation: Relaxation::SINKHORN,
            lambda: 0.5,
            temperature: 1.0,
            spread: 0.02,
            rate: 0.1,
            steps: 1000,
            weight_steps: 100,
        }
    }

    /// URS.
    ///
    /// ```
    /// assert_eq!(plackett_dag::rival::Relaxed::urs().relaxation, plackett_dag::rival::Relaxation::Urs);
    /// ```
    pub fn urs() -> Self {
        Self { relaxation: Relaxation::Urs, ..Self::sinkhorn() }
    }

    /// Learns a graph. For d nodes a step is
    /// O(d³ · `weight_steps`).
    ///
    /// # Errors
    /// [`Error::Setting`], or [`Error::Diverged`] if the objective leaves the finite numbers.
    pub fn run(&self, gram: &Gram, seed: u64, run: &Run<'_>) -> Result<Learned, Error> {
        check_positive("lambda", self.lambda)?;
        check_positive("rate", self.rate)?;
        check_count("steps", self.steps)?;
        check_count("weight_steps", self.weight_steps)?;
        let nodes = gram.nodes();
        let mut soft = SoftOrder::new(self.relaxation, nodes, self.temperature, self.spread, seed)?;
        let mut objective = Objective::new(gram.matrix(), nodes, self.lambda, Penalty::L1);
        let mut solver = Proximal::new(gram.matrix(), nodes, self.lambda, Penalty::L1);
        let mut adam = Adam::new(soft.parameters.len(), self.rate);
        let mut gradient = vec![0.0; soft.parameters.len()];
        let (mut weights, mut slope) = (vec![0.0; nodes * nodes], vec![0.0; nodes * nodes]);
        let mut trace = Vec::with_capacity(self.steps);
        let mut ending = Ending::Steps;
        let mut has_moved = false;
        run.begin("steps on a relaxed order", Some(self.steps as u64));
        for step in 1..=self.steps {
            solver.fit(&soft.matrix, &mut weights, self.weight_steps, WEIGHT_TOLERANCE);
            let value = objective.evaluate(&soft.matrix, &weights, &mut slope);
            if !value.is_finite() {
                return Err(Error::Diverged { step });
            }
            trace.push(value);
            run.advance(1);
            if run.is_over() {
                ending = run.ending().unwrap_or(ending);
                break;
            }
            has_moved |= weights.iter().any(|&a| a != 0.0);
            if !has_moved {
                ending = Ending::Converged;
                break;
            }
            if step < self.steps {
                soft.pull_back(&slope, &mut gradient);
                adam.step(&mut soft.parameters, &gradient);
                soft.refresh();
            }
        }
        let order = soft.round().map_err(|_| Error::Diverged { step: trace.len() })?;
        Ok(Learned { dag: carry_over(&weights, &order)?, order, trace, ending })
    }
}

/// The graph in which the weight between two ranks becomes that between the nodes at these ranks.
fn carry_over(weights: &[f64], order: &Order) -> Result<Dag, Error> {
    let nodes = order.len();
    let entries = weights.iter().enumerate().filter(|&(_, &a)| a != 0.0);
    Dag::from_edges(nodes, entries.map(|(at, &a)| (order[at / nodes], order[at % nodes], a)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rival::tests::chain;

    #[test]
    fn the_weights_are_carried_over_from_ranks_to_nodes() {
        let order = Order::new(vec![2, 0, 1]).unwrap();
        let weights = [0.0, 1.5, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0];
        let edges: Vec<_> = carry_over(&weights, &order).unwrap().edges().collect();
        assert_eq!(edges, [(2, 0, 1.5), (0, 1, -2.0)]);
    }

    /// Where the mean of the nodes varies less than λ nothing ever moves, and both methods return no edges.
    #[test]
    fn a_small_variance_of_the_mean_gives_the_empty_graph() {
        let nodes = 4;
        let mut matrix = vec![0.0; nodes * nodes];
        (0..nodes).for_each(|node| matrix[node * nodes + node] = 1.0);
        matrix[1] = 0.9;
        matrix[nodes] = 0.9;
        let gram = Gram::from_matrix(1000, nodes, matrix).unwrap();
        for method in [Relaxed::sinkhorn(), Relaxed::urs()] {
            let learned = method.run(&gram, 0, &Run::default()).unwrap();
            assert_eq!((learned.dag.edge_count(), learned.ending), (0, Ending::Converged));
        }
    }

    #[test]
    fn the_objective_falls_and_rounding_costs() {
        let gram = chain(5, 3);
        for method in [Relaxed::sinkhorn(), Relaxed::urs()] {
            let learned = method.run(&gram, 1, &Run::default()).unwrap();
            let (first, last) = (learned.trace[0], *learned.trace.last().unwrap());
            assert!(last < first);
            assert!(gram.q(&learned.dag.adjacency(), 0.5).unwrap() > last);
            assert_eq!(learned, method.run(&gram, 1, &Run::default()).unwrap());
            assert_ne!(learned.trace, method.run(&gram, 2, &Run::default()).unwrap().trace);
        }
    }

    #[test]
    fn bad_settings_and_overflow_are_errors() {
        let gram = chain(3, 0);
        let good = Relaxed::urs();
        for bad in [
            Relaxed { lambda: 0.0, ..good },
            Relaxed { lambda: f64::NAN, ..good },
            Relaxed { temperature: -1.0, ..good },
            Relaxed { rate: f64::INFINITY, ..good },
            Relaxed { spread: -0.1, ..good },
            Relaxed { steps: 0, ..good },
            Relaxed { weight_steps: 0, ..good },
            Relaxed { relaxation: Relaxation::Sinkhorn { rounds: 0 }, ..good },
        ] {
            assert!(matches!(bad.run(&gram, 0, &Run::default()), Err(Error::Setting { .. })));
        }
        let huge = Gram::from_matrix(10, 2, vec![1e308, 1e308, 1e308, 1e308]).unwrap();
        assert!(matches!(good.run(&huge, 0, &Run::default()), Err(Error::Diverged { step: 1 })));
    }

    #[test]
    fn one_node_and_unrelated_nodes_are_no_special_cases() {
        let one = Gram::from_matrix(10, 1, vec![2.0]).unwrap();
        let constant = Gram::from_matrix(10, 2, vec![0.0; 4]).unwrap();
        for gram in [one, constant] {
            for method in [Relaxed::sinkhorn(), Relaxed::urs()] {
                assert_eq!(method.run(&gram, 0, &Run::default()).unwrap().dag, Dag::empty(gram.nodes()));
            }
        }
    }
}
