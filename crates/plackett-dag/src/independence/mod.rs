//! Conditional independence: what constraint-based methods ask of the data, and who answers. [`FisherZ`] does for
//! Gaussian data, [`GSquare`] for categories, [`DSeparation`] for a known graph.

mod blocks;
mod d_separation;
mod fisher_z;
mod g_square;

pub(crate) use blocks::BlockTest;
pub use d_separation::DSeparation;
pub use fisher_z::FisherZ;
pub use g_square::GSquare;

use crate::Result;
use crate::error::check_setting;

/// Answers whether two nodes are independent given others: from data, or from a known graph.
///
/// A test refers to its data and owns the buffers that it works in, so that a clone is cheap and each thread can have
/// its own.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{independence::IndependenceTest, rival::GreedySp};
/// /// The chain 0 → 1 → 2.
/// struct Chain;
/// impl IndependenceTest for Chain {
///     fn nodes(&self) -> usize {
///         3
///     }
///     fn alpha(&self) -> f64 {
///         0.5
///     }
///     fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> f64 {
///         if a.abs_diff(b) == 2 && given == [1] { 1.0 } else { 0.0 }
///     }
/// }
/// let learned = GreedySp::default().search(&mut Chain, 0, &Run::default())?;
/// assert_eq!(learned.dag.edge_count(), 2);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub trait IndependenceTest {
    /// The number of nodes.
    fn nodes(&self) -> usize;

    /// The level of the test.
    fn alpha(&self) -> f64;

    /// How probable it is, if `a` and `b` are independent given the others, that they look at least as dependent as
    /// they do; `given` is ascending and contains neither.
    ///
    /// A test may remember its last question: it is worth asking about the same `given` and `a` in a row.
    fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> f64;

    /// Whether `a` and `b` are independent given the others: the p-value is above the level.
    fn is_independent(&mut self, a: usize, b: usize, given: &[usize]) -> bool {
        self.p_value(a, b, given) > self.alpha()
    }

    /// Those of the candidates, ascending, that depend on `node` given all the other candidates, into `kept`. One
    /// question for all of them: a test that can answer it at once, rather than one by one as here, should.
    fn dependent(&mut self, node: usize, candidates: &[usize], kept: &mut Vec<usize>) {
        kept.clear();
        let mut given = Vec::with_capacity(candidates.len());
        for &candidate in candidates {
            given.clear();
            given.extend(candidates.iter().copied().filter(|&other| other != candidate));
            if !self.is_independent(node, candidate, &given) {
                kept.push(candidate);
            }
        }
    }

    /// A hint that many questions about these nodes follow. It changes how fast they are answered, never the answers.
    fn focus(&mut self, _nodes: &[usize]) {}
}

/// Refuses a level that is not one.
fn check_alpha(alpha: f64) -> Result<()> {
    check_setting("alpha", alpha, alpha > 0.0 && alpha < 1.0, "it must lie between 0 and 1")
}
