//! Which parent sets are looked at: for each node a core of candidate parents, as PC-stable finds them, and how far a
//! parent set may reach past it.

use super::subsets::count_subsets;
use crate::{Bounds, Error, NodeSet, Result};

/// How far a parent set may reach past the core of its node.
///
/// ```
/// assert_eq!(plackett_dag::parent_sets::Reach::default(), plackett_dag::parent_sets::Reach::Core);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Parents come from the core alone.
    #[default]
    Core,
    /// At most one parent comes from outside the core (Kuipers and Moffa): a search can find out that a candidate was
    /// missed. Costs as many times more as there are nodes outside.
    PlusOne,
}

/// The parent sets to look at.
///
/// Where there would be more sets for a node than [`max_sets`](Self::max_sets), the limit on its parents is lowered
/// until there are not; [`ParentSets::lowered_limits`](crate::parent_sets::ParentSets::lowered_limits) tells where.
///
/// ```
/// use plackett_dag::{NodeSet, parent_sets::{Candidates, Reach}};
/// let cores = vec![NodeSet::from_iter([1]), NodeSet::from_iter([0, 2]), NodeSet::default()];
/// let mut candidates = Candidates::from_neighbors(cores)?;
/// candidates.reach = Reach::PlusOne;
/// candidates.max_parents = 2;
/// assert_eq!(candidates.core(1).len(), 2);
/// assert!(Candidates::from_neighbors(vec![NodeSet::from_iter([7])]).is_err());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Candidates {
    cores: Vec<NodeSet>,
    bounds: Bounds,
    /// How far a parent set may reach past the core.
    pub reach: Reach,
    /// The most parents a node may have, unless more are required.
    pub max_parents: usize,
    /// The most parent sets to look at for one node.
    pub max_sets: usize,
}

impl Candidates {
    /// The most parents of a node if nothing else is said. Tables of more parents have few rows to a configuration.
    pub const DEFAULT_MAX_PARENTS: usize = 6;
    /// The most parent sets of a node if nothing else is said: 8 bytes each while they are worked on.
    pub const DEFAULT_MAX_SETS: usize = 1 << 22;

    /// Every other node is a candidate.
    ///
    /// ```
    /// let candidates = plackett_dag::parent_sets::Candidates::all(5, 2);
    /// assert_eq!((candidates.nodes(), candidates.core(3).len(), candidates.max_parents), (5, 4, 2));
    /// ```
    pub fn all(nodes: usize, max_parents: usize) -> Self {
        let others = |node| {
            let mut others = NodeSet::full(nodes);
            others.remove(node);
            others
        };
        let cores = (0..nodes).map(others).collect();
        let bounds = Bounds::free(nodes);
        Self { cores, bounds, reach: Reach::Core, max_parents, max_sets: Self::DEFAULT_MAX_SETS }
    }

    /// The candidates of each node, for instance its neighbors in a skeleton; they need not be mutual. A node among its
    /// own candidates is left out.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`] if a candidate does not exist.
    ///
    /// ```
    /// use plackett_dag::{NodeSet, parent_sets::Candidates};
    /// let candidates = Candidates::from_neighbors(vec![NodeSet::full(2), NodeSet::default()])?;
    /// assert_eq!(*candidates.core(0), NodeSet::from_iter([1]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_neighbors(mut neighbors: Vec<NodeSet>) -> Result<Self> {
        let nodes = neighbors.len();
        for (node, set) in neighbors.iter_mut().enumerate() {
            if let Some(stranger) = set.iter().find(|&other| other >= nodes) {
                return Err(Error::NoSuchNode { node: stranger, nodes });
            }
            set.remove(node);
        }
        Ok(Self {
            cores: neighbors,
            bounds: Bounds::free(nodes),
            reach: Reach::Core,
            max_parents: Self::DEFAULT_MAX_PARENTS,
            max_sets: Self::DEFAULT_MAX_SETS,
        })
    }

    /// The same within bounds: no candidate that may not be a parent, and all that must be.
    ///
    /// # Errors
    /// [`Error::Size`] if the bounds are those of another number of nodes; [`Error::Misfit`] if a node must be joined to so many
    /// others, in whichever direction, that all the ways to do so are too many sets.
    ///
    /// ```
    /// use plackett_dag::{Bounds, NodeSet, parent_sets::Candidates};
    /// let candidates = Candidates::all(3, 2).within(Bounds::new(3, &[(1, 0)], &[(2, 0)], &[])?)?;
    /// assert_eq!(*candidates.core(0), NodeSet::from_iter([2]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn within(mut self, bounds: Bounds) -> Result<Self> {
        let nodes = self.cores.len();
        if bounds.nodes() != nodes {
            return Err(Error::Size { what: "the bounds", expected: nodes, found: bounds.nodes() });
        }
        for (node, core) in self.cores.iter_mut().enumerate() {
            bounds.restrict(node, core);
            let (required, joined) = bounds.fixed(node);
            if joined.len() >= usize::BITS as usize || 1 << joined.len() > self.max_sets {
                let reason = format!(
                    "joins one column to {} others without saying which way, and 2^{0} sets of parents are too many: say which way",
                    joined.len()
                );
                return Err(Error::Misfit { setting: "knowledge", reason });
            }
            required.iter().chain(&joined).for_each(|parent| core.insert(parent));
        }
        self.bounds = bounds;
        Ok(self)
    }

    /// The same with other candidates, within the same bounds.
    pub(crate) fn with_cores(&self, cores: Vec<NodeSet>) -> Result<Self> {
        let next = Self { cores, ..self.clone() };
        next.within(self.bounds.clone())
    }

    /// What is known of the graph.
    pub(crate) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The number of nodes.
    ///
    /// ```
    /// assert_eq!(plackett_dag::parent_sets::Candidates::all(5, 2).nodes(), 5);
    /// ```
    pub fn nodes(&self) -> usize {
        self.cores.len()
    }

    /// The candidate parents of a node.
    ///
    /// ```
    /// assert!(!plackett_dag::parent_sets::Candidates::all(5, 2).core(3).contains(3));
    /// ```
    pub fn core(&self, node: usize) -> &NodeSet {
        &self.cores[node]
    }

    /// Adds a candidate parent of a node, unless it may not be one.
    ///
    /// # Errors
    /// [`Error::NoSuchNode`] if either does not exist.
    ///
    /// ```
    /// let mut candidates = plackett_dag::parent_sets::Candidates::from_neighbors(vec![Default::default(); 2])?;
    /// candidates.insert(0, 1)?;
    /// assert!(candidates.core(0).contains(1) && candidates.insert(0, 2).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn insert(&mut self, node: usize, parent: usize) -> Result<()> {
        let nodes = self.cores.len();
        match [node, parent].into_iter().find(|&given| given >= nodes) {
            Some(stranger) => Err(Error::NoSuchNode { node: stranger, nodes }),
            None if !self.bounds.permits(parent, node) => Ok(()),
            None => {
                self.cores[node].insert(parent);
                Ok(())
            }
        }
    }

    /// The same with no more than so many candidates for each node, the strongest and those that it must be joined to.
    pub(crate) fn strongest(&self, most: usize, strength: impl Fn(usize, usize) -> f64) -> Self {
        let cut = |node: usize| {
            let core = &self.cores[node];
            if core.len() <= most {
                return core.clone();
            }
            let (required, joined) = self.bounds.fixed(node);
            let is_fixed = |other: usize| required.contains(other) || joined.contains(other);
            let rank = |other: usize| if is_fixed(other) { f64::INFINITY } else { strength(node, other) };
            let mut ranked: Vec<(f64, usize)> = core.iter().map(|other| (rank(other), other)).collect();
            let most = most.max(required.len() + joined.len());
            ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            ranked.iter().take(most).map(|&(_, other)| other).collect()
        };
        // What is cut off may still join the others.
        let is_cut = self.cores.iter().any(|core| core.len() > most);
        let reach = if is_cut { Reach::PlusOne } else { self.reach };
        Self { cores: (0..self.nodes()).map(cut).collect(), reach, ..self.clone() }
    }

    /// The number of parent sets of all nodes together, up to a number that is too many anyway.
    pub(crate) fn all_sets(&self) -> usize {
        let sets = (0..self.nodes()).map(|node| self.sets(node, self.limit(node).0));
        sets.fold(0, usize::saturating_add)
    }

    /// The candidates of a node in increasing order, but for those that are parents or not by what else is known.
    pub(super) fn core_list(&self, node: usize) -> Vec<usize> {
        let (required, joined) = self.bounds.fixed(node);
        self.cores[node]
            .iter()
            .filter(|&other| !required.contains(other) && !joined.contains(other))
            .collect()
    }

    /// The parents that a node has besides those it chooses: what is required, with each set of the nodes that it must be joined to and
    /// that may stand before it. One empty list where nothing is known.
    pub(super) fn fixed_lists(&self, node: usize) -> Vec<Vec<usize>> {
        let (required, joined) = self.bounds.fixed(node);
        let joined: Vec<usize> = joined.iter().collect();
        let list = |chosen: usize| {
            let chosen = joined.iter().enumerate().filter(move |(at, _)| chosen >> at & 1 == 1);
            required.iter().chain(chosen.map(|(_, &other)| other)).collect()
        };
        (0..1 << joined.len()).map(list).collect()
    }

    /// The nodes outside the core that a parent set may take one of.
    pub(super) fn outside(&self, node: usize) -> Vec<usize> {
        match self.reach {
            Reach::Core => Vec::new(),
            Reach::PlusOne => (0..self.nodes())
                .filter(|&other| self.bounds.permits(other, node) && !self.cores[node].contains(other))
                .collect(),
        }
    }

    /// The number of parent sets of a node with at most so many parents, up to a number that is too many anyway.
    pub(super) fn sets(&self, node: usize, max_parents: usize) -> usize {
        let (core, outside) = (self.core_list(node).len(), self.outside(node).len());
        let (required, joined) = self.bounds.fixed(node);
        let mut total = 0_usize;
        let mut ways = 1_usize;
        for chosen in 0..=joined.len() {
            let left = max_parents.saturating_sub(required.len() + chosen);
            let mut sets = count_subsets(core, left);
            if left > 0 {
                sets = sets.saturating_add(outside.saturating_mul(count_subsets(core, left - 1)));
            }
            total = total.saturating_add(ways.saturating_mul(sets));
            ways = ways * (joined.len() - chosen) / (chosen + 1);
        }
        total
    }

    /// The most parents of a node for which there are not too many sets, and whether that is less than was asked for.
    pub(super) fn limit(&self, node: usize) -> (usize, bool) {
        let possible = self.cores[node].len() + usize::from(!self.outside(node).is_empty());
        let wanted = self.max_parents.min(possible);
        let limit = (0..=wanted).rev().find(|&limit| self.sets(node, limit) <= self.max_sets).unwrap_or(0);
        (limit, limit < wanted)
    }
}
