//! Scores of categorical data (the paper's section on discrete data): what a node costs with given parents, from counts.
//! Every one of them is a difference of two sums over tables of counts, one over the cells of a node with its parents
//! (N_ijk, node i having value k while its parents have configuration j), one over the configurations of the parents
//! alone (N_ij). Each score is one file and one line in [`DISCRETE_SCORES`].

mod bdeu;
mod bic;
mod completed;
mod fnml;
mod graph;
mod k2;
mod priced;
mod qnml;
mod regret;
mod tabulated;

pub use bdeu::Bdeu;
pub use bic::DiscreteBic;
pub(crate) use completed::Completed;
pub use fnml::Fnml;
pub(crate) use graph::Families;
pub use graph::{graph_cost, weigh_edges};
pub use k2::K2;
pub use priced::Priced;
pub use qnml::Qnml;

use crate::counts::FamilyCounts;
use crate::{Error, Result};

/// Products of arities are cut off here, which leaves room for one more factor below the largest double.
pub(crate) const MOST_CONFIGURATIONS: f64 = 1e290;

/// The scores of categorical data known by name: to add one, write its file and add its line here.
///
/// ```
/// assert!(plackett_dag::score::DISCRETE_SCORES.iter().any(|entry| entry.name == "qnml"));
/// ```
pub const DISCRETE_SCORES: &[DiscreteScoreEntry] =
    &[qnml::ENTRY, bdeu::ENTRY, bic::ENTRY, k2::ENTRY, fnml::ENTRY];

/// How a score of categorical data is known and made.
///
/// ```
/// for entry in plackett_dag::score::DISCRETE_SCORES {
///     assert!(!entry.name.is_empty() && !entry.summary.is_empty());
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DiscreteScoreEntry {
    /// Name for settings and the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
    build: fn(&DiscreteScoreSettings) -> Result<Box<dyn FamilyScore>>,
}

/// What the scores of categorical data can be told; each reads what concerns it.
///
/// ```
/// assert_eq!(plackett_dag::score::DiscreteScoreSettings::default().equivalent_sample_size, 1.0);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteScoreSettings {
    /// α of `bdeu`: how many rows the prior is worth.
    pub equivalent_sample_size: f64,
}

impl Default for DiscreteScoreSettings {
    fn default() -> Self {
        Self { equivalent_sample_size: Bdeu::DEFAULT_SAMPLE_SIZE }
    }
}

/// Makes the score of categorical data registered under `name`.
///
/// # Errors
/// [`Error::UnknownScore`], or what the score objects to in its settings.
///
/// ```
/// use plackett_dag::score::{DiscreteScoreSettings, discrete_score_by_name};
/// assert_eq!(discrete_score_by_name("k2", &DiscreteScoreSettings::default())?.name(), "k2");
/// assert!(discrete_score_by_name("none", &DiscreteScoreSettings::default()).is_err());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn discrete_score_by_name(name: &str, settings: &DiscreteScoreSettings) -> Result<Box<dyn FamilyScore>> {
    match DISCRETE_SCORES.iter().find(|entry| entry.name == name) {
        Some(entry) => (entry.build)(settings),
        None => Err(Error::UnknownScore {
            name: name.to_owned(),
            known: DISCRETE_SCORES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// A score of a node with its parents on categorical data: a name, and the working form for a number of rows.
///
/// ```
/// use plackett_dag::score::{FamilyScore, Qnml};
/// assert_eq!(Qnml.name(), "qnml");
/// // Four rows in which a node of two values follows its parent: the same with the parent as without costs less.
/// let score = Qnml.on_rows(4);
/// let with = score.parents(&[2, 2], 2.0, 2) - score.joint(&[2, 0, 0, 2], 4.0);
/// let without = score.parents(&[4], 1.0, 2) - score.joint(&[2, 2], 2.0);
/// assert!(with < without);
/// ```
pub trait FamilyScore: Send + Sync {
    /// The name under which the score is registered.
    fn name(&self) -> &'static str;

    /// The score on data of so many rows, with whatever tables make it fast.
    fn on_rows(&self, rows: usize) -> Box<dyn CountScore>;

    /// What a node with so many parents costs before the data are seen: −log of a prior on graphs, up to a constant. [`Priced`] has one.
    fn price(&self, parents: usize) -> f64 {
        let _ = parents;
        0.0
    }
}

/// A score on data of a known number of rows. The cost of node i with parents P, its negative log score in nats, is
/// `parents(counts of P) − joint(counts of P and i)`.
///
/// Counts come in any order and cells without rows may be there or not: they add nothing. The number of cells is that of
/// all combinations of categories, whether or not they occur, as a float because it may be huge.
///
/// ```
/// use plackett_dag::score::{DiscreteBic, FamilyScore};
/// let score = DiscreteBic.on_rows(4);
/// let cost = score.parents(&[4], 1.0, 2) - score.joint(&[3, 1], 2.0);
/// let log_likelihood = 3.0 * 0.75_f64.ln() + 0.25_f64.ln();
/// assert!((cost - (0.5 * 4_f64.ln() - log_likelihood)).abs() < 1e-12);
/// assert!(score.least_cost(1.0, 2, log_likelihood) <= cost);
/// ```
pub trait CountScore: Send + Sync {
    /// What the counts of a node together with its parents add to the log score; there are `cells` cells.
    fn joint(&self, counts: &[u32], cells: f64) -> f64;

    /// What the counts of the parents alone take away again, for a node of the given arity; there are `cells`
    /// configurations.
    fn parents(&self, counts: &[u32], cells: f64, arity: usize) -> f64 {
        let _ = arity;
        self.joint(counts, cells)
    }

    /// Whether [`parents`](Self::parents) is another function than [`joint`](Self::joint). Where it is not, a graph's
    /// score is that of its class of Markov-equivalent graphs, and sets of nodes can be counted once for all families.
    fn parents_differ(&self) -> bool {
        false
    }

    /// A lower bound on the cost of a node with any parents that have at least so many configurations and under which the
    /// log-likelihood is no more than the one given; minus infinity if there is none.
    fn least_cost(&self, configurations: f64, arity: usize, log_likelihood: f64) -> f64 {
        let _ = (configurations, arity, log_likelihood);
        f64::NEG_INFINITY
    }
}

impl FamilyCounts {
    /// The cost of the node with parents that have so many configurations, seen or not.
    pub(crate) fn cost(&self, score: &dyn CountScore, configurations: f64, arity: usize) -> f64 {
        score.parents(&self.parents, configurations, arity)
            - score.joint(&self.joint, configurations * arity as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, all_dags};
    use crate::{Categories, Cpdag};

    #[test]
    fn equivalent_graphs_cost_the_same_but_for_k2_and_fnml() {
        let mut rng = Rng::new(1);
        let arities = [2, 3, 2, 4];
        let mut columns = vec![Vec::new(); 4];
        for _ in 0..200 {
            let mut sum = 0;
            for (column, &arity) in columns.iter_mut().zip(&arities) {
                if rng.uniform() < 0.6 {
                    sum += usize::from(rng.uniform() < 0.5) + 2 * usize::from(rng.uniform() < 0.5);
                }
                column.push((sum % arity) as u8);
            }
        }
        let names = (0..4).map(|column| format!("x{column}")).collect();
        let levels = arities.iter().map(|&arity| vec![String::new(); arity]).collect();
        let data = Categories::new(names, levels, columns).unwrap();
        let dags = all_dags(4);
        let classes: Vec<Cpdag> = dags.iter().map(Cpdag::of).collect();
        for entry in DISCRETE_SCORES {
            let score = discrete_score_by_name(entry.name, &DiscreteScoreSettings::default()).unwrap();
            let costs: Vec<f64> = dags.iter().map(|dag| graph_cost(&data, &*score, dag).unwrap()).collect();
            let mut widest = 0.0_f64;
            let mut equal_across = 0;
            for a in 0..dags.len() {
                for b in 0..a {
                    let gap = (costs[a] - costs[b]).abs();
                    if classes[a] == classes[b] {
                        widest = widest.max(gap);
                    } else if gap < 1e-9 {
                        equal_across += 1;
                    }
                }
            }
            assert_eq!(widest < 1e-9, !["k2", "fnml"].contains(&entry.name), "{}: {widest}", entry.name);
            assert_eq!(equal_across, 0, "{}", entry.name);
        }
    }

    #[test]
    fn scores_have_the_names_that_they_are_known_by() {
        for entry in DISCRETE_SCORES {
            let score = discrete_score_by_name(entry.name, &DiscreteScoreSettings::default()).unwrap();
            assert_eq!((score.name(), score.price(3)), (entry.name, 0.0));
            let differ = ["k2", "fnml"].contains(&entry.name);
            assert_eq!(score.on_rows(9).parents_differ(), differ, "{}", entry.name);
        }
    }

    /// A family costs no less than the bound of its own configurations and likelihood, or of less of the former and more of the latter; and
    /// with these very ones as much, where there is a bound.
    #[test]
    fn bounds_are_below_costs_and_near_them() {
        let (parents, joint) = ([12, 0, 5, 3], [7, 5, 0, 0, 1, 4, 3, 0]);
        let part = |(&count, group): (&u32, u32)| {
            if count == 0 { 0.0 } else { f64::from(count) * (f64::from(count) / f64::from(group)).ln() }
        };
        let groups = parents.iter().flat_map(|&count| [count; 2]);
        let log_likelihood: f64 = joint.iter().zip(groups).map(part).sum();
        for entry in DISCRETE_SCORES {
            let score = discrete_score_by_name(entry.name, &DiscreteScoreSettings::default()).unwrap();
            let score = score.on_rows(20);
            let cost = score.parents(&parents, 4.0, 2) - score.joint(&joint, 8.0);
            let least = score.least_cost(4.0, 2, log_likelihood);
            let is_bounded = ["bic", "qnml"].contains(&entry.name);
            assert!(least <= cost + 1e-12, "{}: {least} for {cost}", entry.name);
            assert_eq!(least > cost - 2.0 * regret::Regret::SLACK, is_bounded, "{}", entry.name);
            assert_eq!(least == f64::NEG_INFINITY, !is_bounded, "{}", entry.name);
            for (configurations, log_likelihood) in [(2.0, log_likelihood), (4.0, 0.5 * log_likelihood)] {
                assert!(score.least_cost(configurations, 2, log_likelihood) <= cost, "{}", entry.name);
            }
        }
    }
}
