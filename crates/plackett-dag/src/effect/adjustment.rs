//! Adjustment sets: what must be held fixed so that an association is an effect. By the generalized adjustment criterion
//! (Perković, Textor, Kalisch and Maathuis 2018), a set is one if it has nothing that the effect passes through or leads to, and blocks every
//! path that is not causal.

use crate::independence::{DSeparation, IndependenceTest as _};
use crate::{Dag, Error, NodeSet, Result};

/// Which of several adjustment sets to take.
///
/// ```
/// use plackett_dag::{Dag, effect::Adjustment};
///
/// // 0 → 1 → 2, 0 → 3 → 2 and 4 → 2: the effect of 1 on 2.
/// let dag = Dag::from_parents(vec![vec![], vec![0], vec![1, 3, 4], vec![0], vec![]])?;
/// let set = |which: Adjustment| dag.adjustment_set(1, 2, which);
/// assert_eq!((set(Adjustment::Parents)?, set(Adjustment::Minimal)?, set(Adjustment::Optimal)?), (vec![0], vec![3], vec![3, 4]));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Adjustment {
    /// That of the smallest asymptotic variance: the parents of what the effect passes through (Henckel, Perković and Maathuis 2022).
    #[default]
    Optimal,
    /// The parents of the cause.
    Parents,
    /// A part of the optimal one of which nothing can be left out.
    Minimal,
}

impl Adjustment {
    /// The names by which they are asked for.
    pub const NAMES: [&'static str; 3] = ["optimal", "parents", "minimal"];
}

impl std::str::FromStr for Adjustment {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "optimal" => Ok(Self::Optimal),
            "parents" => Ok(Self::Parents),
            "minimal" => Ok(Self::Minimal),
            other => {
                let reason = "it must be optimal, parents or minimal";
                Err(Error::Setting { name: "adjustment", value: other.to_owned(), reason })
            }
        }
    }
}

impl Dag {
    /// Whether every path between two nodes is blocked by others: by a member where the arrows do not meet, or where they meet by the
    /// absence of all members among the node and its descendants. A node is not separated from itself, nor from what is given.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`].
    ///
    /// ```
    /// // 0 → 2 ← 1
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![], vec![0, 1]])?;
    /// assert!(dag.is_d_separated(0, 1, &[])? && !dag.is_d_separated(0, 1, &[2])?);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn is_d_separated(&self, a: usize, b: usize, given: &[usize]) -> Result<bool> {
        check_nodes(self, given.iter().copied().chain([a, b]))?;
        let is_apart = a != b && !given.contains(&a) && !given.contains(&b);
        Ok(is_apart && DSeparation::new(self).is_independent(a, b, given))
    }

    /// The nodes that directed paths from the cause to the outcome pass through, the outcome included, ascending.
    ///
    /// ```
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![0], vec![1], vec![0]])?;
    /// assert_eq!(dag.causal_nodes(0, 2), [1, 2]);
    /// assert!(dag.causal_nodes(2, 0).is_empty());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn causal_nodes(&self, cause: usize, outcome: usize) -> Vec<usize> {
        let mut before = self.ancestors(outcome);
        before.push(outcome);
        let mut found = self.descendants(cause);
        found.retain(|node| before.contains(node));
        found
    }

    /// An adjustment set for the effect of one node on another. Where there is no effect, as no directed path leads to the outcome, it is
    /// empty for all but [`Adjustment::Parents`].
    ///
    /// # Errors
    /// [`Error::NoSuchNode`]; [`Error::Question`] if the two are the same.
    pub fn adjustment_set(&self, cause: usize, outcome: usize, which: Adjustment) -> Result<Vec<usize>> {
        check_nodes(self, [cause, outcome])?;
        if cause == outcome {
            return Err(Error::Question { reason: "the cause and the outcome are the same".to_owned() });
        }
        if which == Adjustment::Parents {
            return Ok(self.parents(cause).to_vec());
        }
        let forbidden = self.forbidden(cause, outcome);
        let causal = self.causal_nodes(cause, outcome);
        let mut set: Vec<usize> =
            causal.iter().flat_map(|&node| self.parents(node).iter().copied()).collect();
        set.sort_unstable();
        set.dedup();
        set.retain(|&node| !forbidden.contains(node));
        if which == Adjustment::Minimal {
            // Among ancestors of the two separation is that of an undirected graph, in which more never opens a path: what can be left
            // out one by one leaves a set of which nothing can.
            for node in set.clone() {
                let rest: Vec<usize> = set.iter().copied().filter(|&other| other != node).collect();
                if self.blocks(cause, outcome, &rest) {
                    set = rest;
                }
            }
        }
        Ok(set)
    }

    /// Whether a set is an adjustment set for the effect of one node on another.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`]; [`Error::Question`] if the two are the same.
    ///
    /// ```
    /// // 0 → 1 → 2 and 0 → 2
    /// let dag = plackett_dag::Dag::from_parents(vec![vec![], vec![0], vec![0, 1]])?;
    /// assert!(dag.is_adjustment_set(1, 2, &[0])? && !dag.is_adjustment_set(1, 2, &[])?);
    /// assert!(!dag.is_adjustment_set(0, 2, &[1])?); // the effect passes through it
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn is_adjustment_set(&self, cause: usize, outcome: usize, set: &[usize]) -> Result<bool> {
        check_nodes(self, set.iter().copied().chain([cause, outcome]))?;
        if cause == outcome {
            return Err(Error::Question { reason: "the cause and the outcome are the same".to_owned() });
        }
        let forbidden = self.forbidden(cause, outcome);
        let is_allowed = set.iter().all(|&node| !forbidden.contains(node) && node != outcome);
        Ok(is_allowed && self.blocks(cause, outcome, set))
    }

    /// The cause, what the effect passes through, and what that leads to.
    fn forbidden(&self, cause: usize, outcome: usize) -> NodeSet {
        let mut forbidden = NodeSet::with_capacity(self.nodes());
        forbidden.insert(cause);
        for node in self.causal_nodes(cause, outcome) {
            forbidden.insert(node);
            self.descendants(node).into_iter().for_each(|other| forbidden.insert(other));
        }
        forbidden
    }

    /// Whether a set separates the two once the first edges of causal paths are taken away.
    fn blocks(&self, cause: usize, outcome: usize, set: &[usize]) -> bool {
        let causal = self.causal_nodes(cause, outcome);
        let parents = (0..self.nodes()).map(|node| {
            let mut parents = self.parents(node).to_vec();
            parents.retain(|&parent| parent != cause || causal.binary_search(&node).is_err());
            parents
        });
        let Ok(rest) = Dag::from_parents(parents.collect()) else { return false };
        !set.contains(&cause)
            && !set.contains(&outcome)
            && DSeparation::new(&rest).is_independent(cause, outcome, set)
    }
}

pub(super) fn check_nodes(dag: &Dag, nodes: impl IntoIterator<Item = usize>) -> Result<()> {
    match nodes.into_iter().find(|&node| node >= dag.nodes()) {
        Some(node) => Err(Error::NoSuchNode { node, nodes: dag.nodes() }),
        None => Ok(()),
    }
}
