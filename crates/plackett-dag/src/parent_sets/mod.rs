//! The best parents of each node under any order, for categorical data: every parent set of a search space is scored
//! once, and what can be the best somewhere is kept, cheapest first. The best set among allowed nodes is then the first
//! that they hold. This is the paper's exact MAP graph of an order over candidates from PC-stable.

mod candidates;
mod collapsed;
mod list;
mod prices;
mod rows;
mod shared;
mod sieve;
mod subsets;
mod sums;
mod walker;

use std::sync::{Arc, OnceLock};

use plackett::{elementary::ln, run::Run};

pub use candidates::{Candidates, Reach};
pub use sums::ParentSums;
use sums::STAGE;
pub(crate) use sums::{Before, Ways};

pub use crate::score::SizePrior;

use crate::score::{CountScore, FamilyScore};
use crate::{
    Bounds, Categories, Error, LocalScore, NodeSet, Result, parallel,
    score::{Choice, Scratch, Walker},
};
use collapsed::NodeTask;
use list::List;
use prices::Prices;
use rows::Rows;
use shared::{NeededSets, SetSums};
use sieve::{Margin, Sieve};
use subsets::Subsets;
pub(crate) use subsets::count_subsets;
use walker::{Compact, Listed};

/// The most sums over sets of nodes to be held while nodes share them: 24 bytes each at worst.
const MOST_SHARED_SUMS: usize = 1 << 24;

/// Which parent sets are kept.
///
/// ```
/// assert_eq!(plackett_dag::parent_sets::Keep::default(), plackett_dag::parent_sets::Keep::Best);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Those that are the best for some allowed nodes.
    #[default]
    Best,
    /// All that matter to sums over parent sets as well, weighted by a prior; see [`ParentSums`]. The prior enters the sums
    /// only, not the best sets.
    All(SizePrior),
}

/// The parent sets of each node with their costs: the exact best parents under any order.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Categories, NodeSet, Oracle, parent_sets::{Candidates, Keep, ParentSets}, score::Qnml};
/// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 3];
/// let a: Vec<u8> = (0..200).map(|row| row % 2).collect();
/// let b: Vec<u8> = (0..200).map(|row| row / 2 % 2).collect();
/// let both = a.iter().zip(&b).map(|(a, b)| a & b).collect();
/// let names = vec!["a".into(), "b".into(), "both".into()];
/// let data = Categories::new(names, levels, vec![a, b, both])?;
///
/// let run = Run::default();
/// let sets = ParentSets::build(&data, &Qnml, &Candidates::all(3, 2), Keep::Best, &run)?;
/// let mut oracle = Oracle::new(Arc::new(sets.expect("nothing ends the run")));
/// assert_eq!(oracle.best(2, &NodeSet::full(2), &run)?.unwrap().parents, NodeSet::full(2));
/// assert!(oracle.best(1, &NodeSet::full(1), &run)?.unwrap().parents.is_empty());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ParentSets {
    /// Of the score.
    name: &'static str,
    is_equivalent: bool,
    best: Vec<List>,
    sums: Option<Arc<ParentSums>>,
    scored: usize,
    lowered: Vec<(usize, usize)>,
    /// What walkers work on, made when the first of them comes.
    compact: OnceLock<Arc<Compact>>,
}

impl ParentSets {
    /// Scores the parent sets of every node and keeps those asked for; nothing if the run is over before all are scored.
    /// What comes out does not depend on the number of threads.
    ///
    /// Sets whose supersets cannot be of use either, by the score's lower bound, are passed over. The work is one pass over
    /// a node's distinct rows for each set; or, where the cores overlap much, one over all rows for each set of nodes.
    ///
    /// # Errors
    /// [`Error::Size`] unless the candidates have a node for each column; [`Error::Empty`] if there are no rows.
    ///
    /// ```
    /// use std::time::Duration;
    /// use plackett::run::{Limits, Run};
    /// use plackett_dag::{Categories, parent_sets::{Candidates, Keep, ParentSets}, score::Qnml};
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// let data = Categories::new(vec!["a".into()], levels, vec![vec![0, 1]])?;
    /// let over = Run::new(Limits::time(Duration::ZERO));
    /// assert!(ParentSets::build(&data, &Qnml, &Candidates::all(1, 3), Keep::Best, &over)?.is_none());
    /// assert!(ParentSets::build(&data, &Qnml, &Candidates::all(2, 3), Keep::Best, &over).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn build(
        data: &Categories,
        score: &dyn FamilyScore,
        candidates: &Candidates,
        keep: Keep,
        run: &Run<'_>,
    ) -> Result<Option<Self>> {
        let plan = Plan::new(data, score, candidates, keep)?;
        let (name, family) = (score.name(), score);
        let score = &*score.on_rows(data.total());
        let everyone: Vec<usize> = (0..data.columns()).collect();
        let lists = if plan.shares(score) {
            plan.run_shared(score, run)
        } else {
            plan.run_apart(&everyone, score, family, run)
        };
        let Some(lists) = lists else { return Ok(None) };
        let (best, all): (Vec<List>, Vec<List>) = lists.into_iter().unzip();
        let sums = match keep {
            Keep::Best => None,
            Keep::All(_) => Some(Arc::new(ParentSums::new(all, candidates, &plan.priors))),
        };
        let is_equivalent = !score.parents_differ();
        Ok(Some(Self {
            name,
            is_equivalent,
            best,
            sums,
            scored: plan.sets(),
            lowered: plan.lowered,
            compact: OnceLock::new(),
        }))
    }

    /// The same with the sets of some nodes scored again for other candidates; nothing if the run is over before.
    pub(crate) fn rescored(
        &self,
        nodes: &[usize],
        data: &Categories,
        score: &dyn FamilyScore,
        candidates: &Candidates,
        run: &Run<'_>,
    ) -> Result<Option<Self>> {
        let plan = Plan::new(data, score, candidates, Keep::Best)?;
        let Some(found) = plan.run_apart(nodes, &*score.on_rows(data.total()), score, run) else {
            return Ok(None);
        };
        let mut best = self.best.clone();
        nodes.iter().zip(found).for_each(|(&node, lists)| best[node] = lists.0);
        let (name, is_equivalent) = (self.name, self.is_equivalent);
        let (scored, lowered, compact) = (plan.sets(), plan.lowered, OnceLock::new());
        Ok(Some(Self { name, is_equivalent, best, sums: None, scored, lowered, compact }))
    }

    /// Adds a parent set whose cost is known, unless it is there or a subset costs no more.
    pub(crate) fn admit(&mut self, node: usize, parents: &[usize], cost: f64) {
        let list = &mut self.best[node];
        let is_dominated =
            |at: usize| list.costs()[at] <= cost && list.members(at).all(|member| parents.contains(&member));
        if !(0..list.len()).any(is_dominated) {
            list.push(cost, parents.iter().copied());
            list.sort();
            self.compact = OnceLock::new();
        }
    }

    /// The sums over all parent sets, if they were asked for.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Categories, parent_sets::{Candidates, Keep, ParentSets}, score::Qnml};
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// let data = Categories::new(vec!["a".into()], levels, vec![vec![0, 1]])?;
    /// let sets = ParentSets::build(&data, &Qnml, &Candidates::all(1, 3), Keep::Best, &Run::default())?;
    /// assert!(sets.unwrap().sums().is_none());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn sums(&self) -> Option<Arc<ParentSums>> {
        self.sums.clone()
    }

    /// The number of parent sets in the search space, all nodes together.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Categories, parent_sets::{Candidates, Keep, ParentSets}, score::Qnml};
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
    /// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1]; 2])?;
    /// let sets = ParentSets::build(&data, &Qnml, &Candidates::all(2, 1), Keep::Best, &Run::default())?;
    /// assert_eq!(sets.unwrap().set_count(), 4);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn set_count(&self) -> usize {
        self.scored
    }

    /// The parent sets of a node that are the best for some allowed nodes, with their costs, cheapest first; none if there
    /// is no such node.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Categories, parent_sets::{Candidates, Keep, ParentSets}, score::Qnml};
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// let data = Categories::new(vec!["a".into()], levels, vec![vec![0, 1]])?;
    /// let sets = ParentSets::build(&data, &Qnml, &Candidates::all(1, 3), Keep::Best, &Run::default())?;
    /// assert!(sets.unwrap().best_sets(0).all(|(cost, parents)| cost > 0.0 && parents.is_empty()));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn best_sets(&self, node: usize) -> impl Iterator<Item = (f64, NodeSet)> + '_ {
        let list = self.best.get(node);
        list.into_iter().flat_map(move |list| {
            (0..list.len()).map(move |at| (list.costs()[at], list.node_set(at, self.best.len())))
        })
    }

    /// The nodes for which fewer parents were allowed than asked for because there would have been too many sets, each
    /// with the most parents that it may have.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Categories, parent_sets::{Candidates, Keep, ParentSets}, score::Qnml};
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 3];
    /// let names = vec!["a".into(), "b".into(), "c".into()];
    /// let data = Categories::new(names, levels, vec![vec![0, 1]; 3])?;
    /// let mut candidates = Candidates::all(3, 2);
    /// candidates.max_sets = 3;
    /// let sets = ParentSets::build(&data, &Qnml, &candidates, Keep::Best, &Run::default())?;
    /// assert_eq!(sets.unwrap().lowered_limits(), [(0, 1), (1, 1), (2, 1)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn lowered_limits(&self) -> &[(usize, usize)] {
        &self.lowered
    }

    /// Bytes held.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Categories, parent_sets::{Candidates, Keep, ParentSets}, score::Qnml};
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// let data = Categories::new(vec!["a".into()], levels, vec![vec![0, 1]])?;
    /// let sets = ParentSets::build(&data, &Qnml, &Candidates::all(1, 3), Keep::Best, &Run::default())?;
    /// assert!(sets.unwrap().bytes() >= 16);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn bytes(&self) -> usize {
        self.best.iter().map(List::bytes).sum::<usize>() + self.sums.as_ref().map_or(0, |sums| sums.bytes())
    }
}

impl LocalScore for ParentSets {
    fn name(&self) -> &str {
        self.name
    }

    fn is_equivalent(&self) -> bool {
        self.is_equivalent
    }

    fn nodes(&self) -> usize {
        self.best.len()
    }

    /// Where something is known of the graph there is none: its lists hold what is required of each order.
    fn walker<'a>(
        &'a self,
        start: &[usize],
        bounds: &'a Bounds,
        _: &Run<'_>,
    ) -> Option<Box<dyn Walker + 'a>> {
        let compact = || self.compact.get_or_init(|| Arc::new(Compact::of(&self.best)));
        bounds.is_free().then(|| Box::new(Listed::new(compact(), start)) as Box<dyn Walker>)
    }

    /// O(sets kept) at worst; the first few mostly decide. Parents that are required must have been so when the sets were scored
    /// ([`Candidates::within`]): a set that has others may have been passed over, and costs an infinite amount then.
    fn best(
        &self,
        node: usize,
        allowed: &NodeSet,
        required: &NodeSet,
        _: &mut Scratch,
        _: &Run<'_>,
    ) -> Option<Choice> {
        let list = &self.best[node];
        let Some(at) = list.first_between(allowed.words(), required.words(), 0..list.len()) else {
            let (parents, witness) = (required.clone(), allowed.clone());
            return Some(Choice { score: f64::INFINITY, parents, witness });
        };
        let parents = list.node_set(at, self.best.len());
        Some(Choice { score: list.costs()[at], witness: parents.clone(), parents })
    }
}

/// What is to be done: the data, and for each node where its parents may come from and how many they may be.
struct Plan<'a> {
    data: &'a Categories,
    rows: Rows<'a>,
    row_count: usize,
    arities: Vec<usize>,
    cores: Vec<Vec<usize>>,
    outside: Vec<Vec<usize>>,
    /// What a node's parents hold besides, one list for each of the ways.
    fixed: Vec<Vec<Vec<usize>>>,
    limits: Vec<usize>,
    lowered: Vec<(usize, usize)>,
    set_counts: Vec<usize>,
    /// What the score charges for each size.
    prices: Prices,
    /// The cost of each size by the prior of the sums.
    priors: Vec<f64>,
    keep: Keep,
    words: usize,
}

impl<'a> Plan<'a> {
    fn new(
        data: &'a Categories,
        score: &dyn FamilyScore,
        candidates: &Candidates,
        keep: Keep,
    ) -> Result<Self> {
        let nodes = data.columns();
        if candidates.nodes() != nodes {
            return Err(Error::Size {
                what: "the list of candidates",
                expected: nodes,
                found: candidates.nodes(),
            });
        }
        if data.total() == 0 {
            return Err(Error::Empty);
        }
        let limits: Vec<(usize, bool)> = (0..nodes).map(|node| candidates.limit(node)).collect();
        let lowered =
            limits.iter().enumerate().filter(|(_, limit)| limit.1).map(|(node, limit)| (node, limit.0));
        let lowered = lowered.collect();
        let limits: Vec<usize> = limits.into_iter().map(|(limit, _)| limit).collect();
        let fixed: Vec<_> = (0..nodes).map(|node| candidates.fixed_lists(node)).collect();
        let sizes = fixed.iter().flatten().map(Vec::len).chain(limits.iter().copied());
        let largest = sizes.max().unwrap_or(0);
        let prior = match keep {
            Keep::Best => SizePrior::Even,
            Keep::All(prior) => prior,
        };
        Ok(Self {
            data,
            rows: Rows::new(data),
            row_count: data.total(),
            arities: (0..nodes).map(|node| data.arity(node)).collect(),
            cores: (0..nodes).map(|node| candidates.core_list(node)).collect(),
            outside: (0..nodes).map(|node| candidates.outside(node)).collect(),
            prices: Prices::new(score, largest),
            priors: prior.costs(nodes, largest),
            fixed,
            lowered,
            set_counts: limits
                .iter()
                .enumerate()
                .map(|(node, &limit)| candidates.sets(node, limit))
                .collect(),
            limits,
            keep,
            words: nodes.div_ceil(64).max(1),
        })
    }

    fn sets(&self) -> usize {
        self.set_counts.iter().sum()
    }

    /// All sets dropped from a sum together make up less than 10⁻¹³ of it: each is that much below a subset, which is
    /// allowed wherever it is.
    fn margin(&self, node: usize) -> Margin {
        match self.keep {
            Keep::Best => Margin::None,
            Keep::All(_) => {
                let largest = self.priors.iter().copied().fold(0.0, f64::max);
                Margin::Within(sums::NEGLIGIBLE + ln(self.set_counts[node] as f64) + largest)
            }
        }
    }

    fn needed(&self) -> NeededSets {
        NeededSets::new(&self.cores, self.limits.iter().copied().max().unwrap_or(0))
    }

    /// Whether counting sets of nodes once for all is less work than going through each node's sets on its own rows.
    fn shares(&self, score: &dyn CountScore) -> bool {
        let is_fixed = |lists: &Vec<Vec<usize>>| lists.iter().any(|list| !list.is_empty());
        if self.data.interventions().is_some() {
            return false;
        }
        if self.outside.iter().any(|outside| !outside.is_empty()) || self.fixed.iter().any(is_fixed) {
            return false;
        }
        let needed = self.needed();
        if needed.space(&self.arities, score) > MOST_SHARED_SUMS {
            return false;
        }
        let rows = self.rows.count as f64;
        let apart: f64 = (0..self.cores.len())
            .map(|node| {
                let cells = self.cores[node].iter().fold(self.arities[node] as f64, |cells, &other| {
                    (cells * self.arities[other] as f64).min(rows)
                });
                (self.cores[node].len() + 1) as f64 * rows + self.set_counts[node] as f64 * cells
            })
            .sum();
        needed.count(MOST_SHARED_SUMS) as f64 * rows < apart
    }

    fn run_shared(&self, score: &dyn CountScore, run: &Run<'_>) -> Option<Vec<(List, List)>> {
        let needed = self.needed();
        let blocks = shared::blocks(&self.rows, &self.arities, &needed);
        run.begin(STAGE, Some((shared::pairs(&blocks).len() + self.cores.len()) as u64));
        let sums = SetSums::new(&self.rows, &self.arities, &blocks, score, &needed, run)?;
        parallel::map(0..self.cores.len(), |node| {
            let subsets = Subsets::new(self.cores[node].len(), self.limits[node]);
            let mut sieve =
                Sieve::new(&subsets, &self.cores[node], self.margin(node), self.row_count, self.words);
            sums.sift(node, self.arities[node], &self.cores[node], &self.prices, &mut sieve, run)?;
            run.advance(1);
            let (mut best, all) = (sieve.best, sieve.all);
            best.sort();
            Some((best, all))
        })
    }

    fn run_apart(
        &self,
        nodes: &[usize],
        score: &dyn CountScore,
        family: &dyn FamilyScore,
        run: &Run<'_>,
    ) -> Option<Vec<(List, List)>> {
        let parts = |&node: &usize| (1 + self.outside[node].len()) * self.fixed[node].len();
        let parts: usize = nodes.iter().map(parts).sum();
        run.begin(STAGE, Some(parts as u64));
        parallel::map(nodes, |&node| {
            // Where the node was set from outside, rows say nothing of its parents.
            let own = self.data.kept_counts(node).map(|counts| {
                let total = counts.iter().map(|&count| count as usize).sum();
                (Rows::counted(self.data, counts), total, family.on_rows(total))
            });
            let (rows, row_count, score) = match &own {
                Some((rows, total, score)) => (rows, *total, &**score),
                None => (&self.rows, self.row_count, score),
            };
            let (mut best, mut all) = (List::new(self.words), List::new(self.words));
            for fixed in &self.fixed[node] {
                let task = NodeTask {
                    rows,
                    row_count,
                    arities: &self.arities,
                    score,
                    node,
                    core: &self.cores[node],
                    outside: &self.outside[node],
                    fixed,
                    limit: self.limits[node].saturating_sub(fixed.len()),
                    prices: &self.prices,
                    margin: self.margin(node),
                    words: self.words,
                };
                let (more_best, more_all) = task.run(run)?;
                best.append(more_best);
                all.append(more_all);
            }
            best.sort();
            Some((best, all))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{DISCRETE_SCORES, DiscreteScoreSettings, Qnml, discrete_score_by_name};
    use crate::testing::Rng;

    fn random_data(rows: usize, arities: &[usize], seed: u64) -> Categories {
        let mut rng = Rng::new(seed);
        let mut columns = vec![Vec::new(); arities.len()];
        for _ in 0..rows {
            let mut sum = 0_usize;
            for (column, &arity) in columns.iter_mut().zip(arities) {
                sum += (0..arity - 1).filter(|_| rng.uniform() < 0.3).count();
                column.push((sum % arity) as u8);
            }
        }
        let names = (0..arities.len()).map(|column| format!("x{column}")).collect();
        let levels = arities.iter().map(|&arity| vec![String::new(); arity]).collect();
        Categories::new(names, levels, columns).unwrap()
    }

    /// Both ways of counting, on rows that collapse and on rows that do not, with blocks and with wide columns.
    #[test]
    fn shared_counts_give_what_each_nodes_own_give() {
        let run = Run::default();
        for (rows, arities) in [
            (2000, vec![2, 2, 2, 2, 2, 2, 2]),
            (3000, vec![2, 3, 4, 2, 1, 3, 2, 2, 4]),
            (40, vec![20, 3, 2, 90, 2, 256, 2]),
        ] {
            let data = random_data(rows, &arities, 1);
            let everyone: Vec<usize> = (0..arities.len()).collect();
            for entry in DISCRETE_SCORES {
                let score = discrete_score_by_name(entry.name, &DiscreteScoreSettings::default()).unwrap();
                let counted = score.on_rows(rows);
                let mut lopsided = Candidates::all(arities.len(), 4);
                lopsided = Candidates::from_neighbors(
                    (0..arities.len())
                        .map(|node| {
                            lopsided.core(node).iter().filter(|other| other % 3 != node % 2).collect()
                        })
                        .collect(),
                )
                .unwrap();
                for candidates in [Candidates::all(arities.len(), 3), lopsided] {
                    let plan = Plan::new(&data, &*score, &candidates, Keep::All(SizePrior::Even)).unwrap();
                    let shared = plan.run_shared(&*counted, &run).unwrap();
                    let apart = plan.run_apart(&everyone, &*counted, &*score, &run).unwrap();
                    for (shared, apart) in shared.into_iter().zip(apart) {
                        for (mut shared, mut apart) in [(shared.0, apart.0), (shared.1, apart.1)] {
                            shared.sort_by_members();
                            apart.sort_by_members();
                            assert_eq!(shared.len(), apart.len(), "{}", entry.name);
                            for at in 0..shared.len() {
                                assert_eq!(shared.set(at), apart.set(at), "{}", entry.name);
                                assert!(
                                    (shared.costs()[at] - apart.costs()[at]).abs() < 1e-8,
                                    "{}",
                                    entry.name
                                );
                            }
                        }
                    }
                }
            }
        }
        let complete = random_data(2000, &[3; 12], 2);
        let plan = |candidates| {
            Plan::new(&complete, &Qnml, &candidates, Keep::Best).unwrap().shares(&*Qnml.on_rows(2000))
        };
        assert!(plan(Candidates::all(12, 3)));
        assert!(!plan(Candidates::from_neighbors(vec![NodeSet::from_iter([0, 1]); 12]).unwrap()));
    }
}
