//! Local scores r(i, S): what node i costs when its parents may come from S only, lower being better.
//! An order's score is `Σ r(b_i, {b_1 … b_{i−1}})`. Each score is one file and one line in [`SCORES`].

mod additive;
mod bge;
mod bic;
pub(crate) mod conditional;
pub(crate) mod degenerate;
mod discrete;
mod ev_l0;
mod families;
pub(crate) mod family;
mod l1;
pub(crate) mod lasso;
pub(crate) mod mixed;
pub(crate) mod node_average;
mod non_gaussian;
mod regression;
mod regressions;
mod shape;
mod size_prior;
mod small_sample;
mod spline;
mod subset;
pub(crate) mod walker;
mod warm;

use std::any::Any;
use std::sync::Arc;

use plackett::run::Run;

pub(crate) use additive::{additive, additive_bytes};
pub(crate) use bge::Bge;
pub use bic::Bic;
pub(crate) use discrete::MOST_CONFIGURATIONS;
pub use discrete::{
    Bdeu, CountScore, DISCRETE_SCORES, DiscreteBic, DiscreteScoreEntry, DiscreteScoreSettings, FamilyScore,
    Fnml, K2, Priced, Qnml, discrete_score_by_name, graph_cost, weigh_edges,
};
pub(crate) use discrete::{Completed, Families};
pub use ev_l0::EvL0;
pub(crate) use ev_l0::estimate_noise_variance;
pub use family::weigh_by_cost;
pub use l1::L1;
pub use mixed::{MIXED_SCORES, MixedScoreEntry, MixedScoreSettings, mixed_score_by_name};
pub use non_gaussian::NonGaussian;
pub use size_prior::SizePrior;
pub use subset::SubsetSearch;
pub use walker::Walker;

use crate::{Bounds, Dag, Error, Gram, NodeSet, Result};

/// The scores known by name: to add one, write its file and add its line here.
///
/// ```
/// assert!(plackett_dag::score::SCORES.iter().any(|entry| entry.name == "ev-l0"));
/// ```
pub const SCORES: &[ScoreEntry] =
    &[l1::ENTRY, ev_l0::ENTRY, bic::ENTRY, bge::ENTRY, non_gaussian::ENTRY, additive::ENTRY];

/// How a score is known and made.
///
/// ```
/// for entry in plackett_dag::score::SCORES {
///     assert!(!entry.name.is_empty() && !entry.summary.is_empty());
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ScoreEntry {
    /// Name for settings and the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    /// Whether moments are not enough for it, and it looks at the rows that they hold.
    pub needs_rows: bool,
    build: Build,
}

type Build = fn(Arc<Gram>, &ScoreSettings) -> Result<Arc<dyn LocalScore>>;

/// What the scores can be told; each reads what concerns it.
///
/// ```
/// use plackett_dag::score::ScoreSettings;
/// let settings = ScoreSettings { lambda: 0.1, ..ScoreSettings::default() };
/// assert_eq!(settings.noise_variance, None);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreSettings {
    /// λ of `l1`.
    pub lambda: f64,
    /// σ² of `ev-l0`; estimated from the data if not given.
    pub noise_variance: Option<f64>,
    /// κ, which multiplies the price of a parent in `ev-l0` (log n) and `bic` (½ log n). Without it the price grows with
    /// the number of nodes: ½ log n + (3/2) log d in both.
    pub penalty_factor: Option<f64>,
    /// What a parent costs in `bic`, in nats, if no κ is given. As without both, where rows are few parents cost more.
    pub price: Option<f64>,
    /// How `ev-l0` and `bic` look for the best set of parents.
    pub subset_search: SubsetSearch,
}

impl ScoreSettings {
    /// Settings under which a parent costs the BIC this much.
    pub(crate) fn priced(price: f64) -> Self {
        Self { price: Some(price), ..Self::default() }
    }
}

impl Default for ScoreSettings {
    fn default() -> Self {
        Self {
            lambda: L1::DEFAULT_LAMBDA,
            noise_variance: None,
            penalty_factor: None,
            price: None,
            subset_search: SubsetSearch::default(),
        }
    }
}

/// Makes the score registered under `name`.
///
/// # Errors
/// [`Error::UnknownScore`], or what the score objects to in its settings.
///
/// ```
/// use std::sync::Arc;
/// use plackett_dag::{Gram, score::{ScoreSettings, score_by_name}};
/// let gram = Arc::new(Gram::from_matrix(100, 2, vec![1.0, 0.5, 0.5, 1.0])?);
/// assert_eq!(score_by_name("bic", gram.clone(), &ScoreSettings::default())?.nodes(), 2);
/// assert!(score_by_name("none", gram, &ScoreSettings::default()).is_err());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn score_by_name(name: &str, gram: Arc<Gram>, settings: &ScoreSettings) -> Result<Arc<dyn LocalScore>> {
    match SCORES.iter().find(|entry| entry.name == name) {
        Some(entry) => (entry.build)(gram, settings),
        None => Err(Error::UnknownScore {
            name: name.to_owned(),
            known: SCORES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// The best parents of a node among those allowed.
///
/// ```
/// use plackett_dag::{NodeSet, score::Choice};
/// let none = Choice { score: 1.0, parents: NodeSet::default(), witness: NodeSet::default() };
/// assert!(none.parents.is_subset(&none.witness));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// r(i, S), lower being better.
    pub score: f64,
    /// The parents chosen.
    pub parents: NodeSet,
    /// The allowed nodes that the answer rests on: it stays the same if any others are forbidden. For a score that is
    /// minimized exactly these are the parents; a greedy one adds what it took up and dropped again.
    pub witness: NodeSet,
}

/// Workspace that a score keeps between calls, so that solving allocates nothing once warm. One per thread.
///
/// ```
/// let mut scratch = plackett_dag::score::Scratch::default();
/// scratch.space::<Vec<f64>>().push(1.0);
/// assert_eq!(scratch.space::<Vec<f64>>().len(), 1);
/// ```
#[derive(Debug, Default)]
pub struct Scratch(Option<Box<dyn Any + Send>>);

impl Scratch {
    /// The workspace of type `T`, made when first asked for; asking for another type replaces it.
    ///
    /// ```
    /// let mut scratch = plackett_dag::score::Scratch::default();
    /// assert_eq!(*scratch.space::<u32>(), 0);
    /// ```
    #[expect(clippy::missing_panics_doc, reason = "the type is the one just put in")]
    pub fn space<T: Default + Send + 'static>(&mut self) -> &mut T {
        let kept = self.0.take().and_then(|space| space.downcast::<T>().ok()).unwrap_or_default();
        let space: &mut Box<dyn Any + Send> = self.0.insert(kept);
        space.downcast_mut().expect("the workspace was just made with this type")
    }
}

/// A local score, a pure function of its arguments.
///
/// The law that everything rests on: if `best(i, U)` has witness T and T ⊆ U′ ⊆ U, then `best(i, U′)` is the same choice,
/// to the last bit of its score. Minimizing any fixed cost of parent sets obeys it with the parents as witness.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{LocalScore, NodeSet, score::{Choice, Scratch}};
///
/// /// Every node likes all smaller ones as parents.
/// struct Smaller(usize);
///
/// impl LocalScore for Smaller {
///     fn name(&self) -> &str {
///         "smaller"
///     }
///     fn nodes(&self) -> usize {
///         self.0
///     }
///     fn best(&self, node: usize, allowed: &NodeSet, required: &NodeSet, _: &mut Scratch, _: &Run) -> Option<Choice> {
///         let is_parent = |&other: &usize| other < node || required.contains(other);
///         let parents: NodeSet = allowed.iter().filter(is_parent).collect();
///         Some(Choice { score: -(parents.len() as f64), witness: parents.clone(), parents })
///     }
/// }
///
/// let allowed = NodeSet::from_iter([0, 1, 3]);
/// let best = |required| Smaller(4).best(2, &allowed, &required, &mut Scratch::default(), &Run::default());
/// assert_eq!(best(NodeSet::default()).map(|choice| choice.score), Some(-2.0));
/// assert_eq!(best(NodeSet::from_iter([3])).map(|choice| choice.score), Some(-3.0));
/// ```
pub trait LocalScore: Send + Sync {
    /// What it is called.
    fn name(&self) -> &str;

    /// Number of nodes, d.
    fn nodes(&self) -> usize;

    /// The best parents of `node` (below [`nodes`](Self::nodes)) among `allowed`, which holds nodes other than `node`, of which
    /// those `required` are parents whatever they cost. [`Oracle`](crate::Oracle) sees to all that before it asks.
    ///
    /// Nothing if the run was over before there was an answer. With nothing allowed but what is required the answer is quick,
    /// whatever the run says: there must be something to show.
    fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        scratch: &mut Scratch,
        run: &Run<'_>,
    ) -> Option<Choice>;

    /// Whether graphs of one class of Markov-equivalent graphs all score the same, so that only the class can be learned.
    fn is_equivalent(&self) -> bool {
        false
    }

    /// The edges of a graph of which a score that tells equivalent graphs apart says nothing all the same: their direction is open.
    fn undecided(&self, dag: &Dag) -> Vec<(usize, usize)> {
        let _ = dag;
        Vec::new()
    }

    /// What the score is divided by to be a negative log-probability, for Markov chains over orders.
    fn temperature(&self) -> f64 {
        1.0
    }

    /// What `node` costs with exactly these parents, if the score can say.
    fn cost(&self, node: usize, parents: &NodeSet) -> Option<f64> {
        let _ = (node, parents);
        None
    }

    /// Orders that are good to start a search from, the most promising first, if the score knows any.
    fn first_orders(&self, run: &Run<'_>) -> Vec<Vec<usize>> {
        let _ = run;
        Vec::new()
    }

    /// The order `start`, which the bounds allow, under improvement within them by something that values moves faster than by
    /// asking for every node anew, if the score has such a thing.
    fn walker<'a>(
        &'a self,
        start: &[usize],
        bounds: &'a Bounds,
        run: &Run<'_>,
    ) -> Option<Box<dyn Walker + 'a>> {
        let _ = (start, bounds, run);
        None
    }

    /// The same score with every local problem solved to its optimum, if [`best`](Self::best) takes short cuts.
    fn exact(&self) -> Option<Arc<dyn LocalScore>> {
        None
    }

    /// Writes what the node costs with exactly the parents P for all sets P of others at once, P as bits with the node's own bit
    /// squeezed out, and returns true; or returns false if asking [`best`](Self::best) for what is best within every set is as
    /// good. A set that cannot be the best may be given an infinite cost. If the run is over before it is done, what is written
    /// does not matter.
    fn fill_costs(&self, node: usize, table: &mut [f64], run: &Run<'_>) -> bool {
        let _ = (node, table, run);
        false
    }

    /// The weights of `parents` in increasing order of the parent, if the score has a linear model behind it.
    fn weights(&self, node: usize, parents: &NodeSet) -> Option<Vec<f64>> {
        let _ = (node, parents);
        None
    }
}

/// The weights of a graph under `score`: row-major, entry (i, j) the weight of i → j; nothing if the score has no linear
/// model. For `l1` these are the lasso's weights, for the subset scores those of least squares.
///
/// # Errors
/// [`Error::Size`] if there is not one parent set per node.
///
/// ```
/// use std::sync::Arc;
/// use plackett_dag::{Gram, NodeSet, score::{Bic, ScoreSettings, fit_weights}};
/// let gram = Arc::new(Gram::from_matrix(100, 2, vec![1.0, 2.0, 2.0, 5.0])?);
/// let score = Bic::new(gram, &ScoreSettings::default())?;
/// let weights = fit_weights(&score, &[NodeSet::default(), NodeSet::full(1)])?;
/// assert_eq!(weights, Some(vec![0.0, 2.0, 0.0, 0.0]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn fit_weights(score: &dyn LocalScore, parents: &[NodeSet]) -> Result<Option<Vec<f64>>> {
    let d = score.nodes();
    if parents.len() != d {
        return Err(Error::Size { what: "the list of parent sets", expected: d, found: parents.len() });
    }
    let mut weights = vec![0.0; d * d];
    for (node, set) in parents.iter().enumerate() {
        let known: NodeSet = set.iter().filter(|&parent| parent < d && parent != node).collect();
        let Some(fitted) = score.weights(node, &known) else {
            return Ok(None);
        };
        for (parent, weight) in known.iter().zip(fitted) {
            weights[parent * d + node] = weight;
        }
    }
    Ok(Some(weights))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Says no more than a score must, and weights if it has some.
    struct Silent(Option<f64>);

    impl LocalScore for Silent {
        fn name(&self) -> &'static str {
            "silent"
        }

        fn nodes(&self) -> usize {
            3
        }

        fn best(
            &self,
            _: usize,
            _: &NodeSet,
            required: &NodeSet,
            _: &mut Scratch,
            _: &Run<'_>,
        ) -> Option<Choice> {
            Some(Choice { score: 0.0, parents: required.clone(), witness: required.clone() })
        }

        fn weights(&self, node: usize, parents: &NodeSet) -> Option<Vec<f64>> {
            let first = self.0?;
            Some(parents.iter().map(|parent| first + (10 * node + parent) as f64).collect())
        }
    }

    #[test]
    fn a_score_that_says_nothing_more_claims_nothing() {
        let (score, run) = (Silent(None), Run::default());
        let dag = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]]).unwrap();
        assert!(!score.is_equivalent() && score.undecided(&dag).is_empty());
        assert_eq!(score.temperature(), 1.0);
        assert_eq!(score.cost(1, &NodeSet::default()), None);
        assert!(score.first_orders(&run).is_empty() && score.exact().is_none());
        assert!(score.walker(&[0, 1, 2], &Bounds::free(3), &run).is_none());
        let mut table = [7.0; 4];
        assert!(!score.fill_costs(0, &mut table, &run));
        assert_eq!(table, [7.0; 4]);
    }

    #[test]
    fn the_weights_of_a_graph_are_by_parent_and_node() {
        // Neither a node itself nor one that there is not is a parent.
        let parents =
            [NodeSet::from_iter([2]), NodeSet::from_iter([0, 1, 3]), NodeSet::from_iter([0, 1, 2, 9])];
        let weights = fit_weights(&Silent(Some(100.0)), &parents).unwrap();
        assert_eq!(weights, Some(vec![0.0, 110.0, 120.0, 0.0, 0.0, 121.0, 102.0, 0.0, 0.0]));
        assert_eq!(fit_weights(&Silent(None), &parents).unwrap(), None);
        let size = fit_weights(&Silent(Some(0.0)), &parents[..2]);
        assert!(matches!(size, Err(Error::Size { expected: 3, found: 2, .. })));
    }

    #[test]
    fn a_workspace_is_kept_until_another_is_asked_for() {
        let mut scratch = Scratch::default();
        scratch.space::<Vec<u8>>().push(3);
        assert_eq!(*scratch.space::<Vec<u8>>(), [3]);
        assert_eq!(*scratch.space::<u64>(), 0);
        assert!(scratch.space::<Vec<u8>>().is_empty());
    }

    #[test]
    fn scores_are_found_by_their_names_and_a_price_is_a_setting() {
        let gram = Arc::new(crate::testing::random_gram(3, 50, 1));
        for entry in SCORES.iter().filter(|entry| !entry.needs_rows) {
            let score = score_by_name(entry.name, Arc::clone(&gram), &ScoreSettings::default()).unwrap();
            assert_eq!((score.name(), score.nodes()), (entry.name, 3));
        }
        let known = SCORES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
        match score_by_name("none", gram, &ScoreSettings::default()).map(|_| ()) {
            Err(Error::UnknownScore { name, known: listed }) => {
                assert_eq!((name, listed), ("none".into(), known));
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(
            ScoreSettings::priced(2.5),
            ScoreSettings { price: Some(2.5), ..ScoreSettings::default() }
        );
    }
}
