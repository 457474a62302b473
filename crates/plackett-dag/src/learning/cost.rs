//! What knowledge cost: the score with it and without it, and the statements that made the difference. A statement that the data
//! speak against costs much, and that is how a wrong one shows.

use std::cmp::Reverse;

use plackett::run::Run;

use super::{EXACT_COLUMNS, Learned, Learning, Observations, ScoreChoice};
use crate::cpdag::Mark;
use crate::knowledge::{Resolved, Statement};
use crate::{Cpdag, Result};

/// The most statements that are taken away one at a time to see what each cost: every one takes a search, from a single start. Where
/// the dynamic program is what the data call for, it is quick.
const MOST_WEIGHED: usize = 8;
const MOST_WEIGHED_QUICKLY: usize = 32;

/// A score that differs by less than this share of itself is the same.
const SAME: f64 = 1e-9;

/// What knowledge cost. Scores are lower the better.
#[derive(Clone, Debug, PartialEq)]
pub struct KnowledgeCost {
    /// The score without any knowledge; nothing if the method has none, or if there was no time.
    pub free_score: Option<f64>,
    /// How much worse the score is with the knowledge.
    pub cost: Option<f64>,
    /// The statements that the graph without knowledge breaks, or that cost something on their own, the dearest first.
    pub decisive: Vec<Decisive>,
    /// Whether there was time to look at all that there is to look at.
    pub is_whole: bool,
}

/// A statement that made a difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisive {
    /// Its place among the statements.
    pub statement: usize,
    /// Edges that the graph without knowledge has and the statement forbids, and edges that it lacks and the statement requires.
    pub edges: Vec<(usize, usize)>,
    /// How much worse the score is with this statement than with all the others alone, if that was looked at.
    pub cost: Option<f64>,
}

impl Learning {
    /// What knowledge cost a graph that was learned within it from these data by these settings: one search without it, and one for each
    /// of the statements that may have made the difference: the eight that go against the strongest edges, or 32 for few columns of
    /// numbers.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, Knowledge, Learning, Observations};
    /// // 0 and 1 are correlated, and are said not to be joined.
    /// let data = Observations::Numbers(Arc::new(Gram::from_matrix(1000, 2, vec![1.0, 0.5, 0.5, 1.0])?));
    /// let known = Knowledge { apart: vec![("a".into(), "b".into())], ..Knowledge::default() };
    /// let known = known.resolve(&["a".to_owned(), "b".to_owned()])?;
    /// let learning = Learning { bounds: Some(known.bounds().clone()), ..Learning::default() };
    /// let learned = learning.run(&data, &Run::default())?;
    /// let cost = learning.knowledge_cost(&data, &known, &learned, &Run::default())?;
    /// assert!(cost.cost > Some(100.0) && cost.decisive.len() == 1);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn knowledge_cost(
        &self,
        data: &Observations,
        known: &Resolved,
        learned: &Learned,
        run: &Run<'_>,
    ) -> Result<KnowledgeCost> {
        let mut found = KnowledgeCost { free_score: None, cost: None, decisive: Vec::new(), is_whole: false };
        if run.is_over() || learned.ending.is_early() {
            return Ok(found);
        }
        let mut learning = Self { method: learned.method, bounds: None, ..self.clone() };
        learning.search.posterior = false;
        // The same score, lest apples be compared with pears.
        if let (Some(name), ScoreChoice::Auto) = (&learned.score_name, &self.score) {
            learning.score = ScoreChoice::Named(name.clone());
        }
        let free = learning.run(data, run)?;
        if free.ending.is_early() {
            return Ok(found);
        }
        // With less to keep the best score is no worse, whatever a search came upon.
        let difference =
            |score: Option<f64>| learned.score.zip(score).map(|(with, without)| (with - without).max(0.0));
        found.free_score = learned.score.zip(free.score).map(|(with, without)| without.min(with));
        found.cost = difference(free.score);
        // Where all graphs of a class score the same, a direction that is open breaks nothing.
        let class = if free.is_equivalent { free.cpdag.clone() } else { directed(&free) };
        let is_dear = |cost: f64| cost > SAME * learned.score.unwrap_or_default().abs();
        let is_costly = found.cost.is_some_and(is_dear);
        let mut touching = Vec::new();
        for (statement, pairs) in known.statements().iter().map(Statement::pairs).enumerate() {
            let [forbidden, required, joined] = pairs;
            let mark = |&(a, b): &(usize, usize)| class.mark(a, b);
            let is_broken = |&&(a, b): &&(usize, usize)| match class.mark(a, b) {
                Mark::Forward => true,
                // Either way is forbidden.
                Mark::Undirected => a < b && forbidden.contains(&(b, a)),
                Mark::Absent | Mark::Backward => false,
            };
            let edges = forbidden.iter().filter(is_broken);
            let lacked = |pair: &&(usize, usize)| matches!(mark(pair), Mark::Absent | Mark::Backward);
            let edges = edges.chain(required.iter().filter(lacked));
            let edges = edges.chain(joined.iter().filter(|pair| mark(pair) == Mark::Absent));
            let decisive = Decisive { statement, edges: edges.copied().collect(), cost: None };
            // On its own it only chooses a direction, but with others it may leave none.
            let is_touched = forbidden.iter().chain(required).any(|pair| mark(pair) == Mark::Undirected);
            if !decisive.edges.is_empty() {
                found.decisive.push(decisive);
            } else if is_touched && is_costly {
                touching.push(decisive);
            }
        }
        found.decisive.append(&mut touching);
        // Against the strongest edges first.
        let rank = |pair: &(usize, usize)| {
            let edge = free.edges().find(|edge| [(edge.from, edge.to), (edge.to, edge.from)].contains(pair));
            edge.map_or(0.0, |edge| edge.rank())
        };
        found.decisive.sort_by_cached_key(|decisive| {
            // Ranks are not negative, so that their bits are in their order.
            Reverse(decisive.edges.iter().map(rank).fold(0.0, f64::max).to_bits())
        });
        let is_quick = matches!(data, Observations::Numbers(_)) && data.columns() <= EXACT_COLUMNS;
        let most = if is_quick { MOST_WEIGHED_QUICKLY } else { MOST_WEIGHED };
        learning.search.restarts = learning.search.restarts.or(Some(1));
        found.is_whole = found.decisive.len() <= most;
        for decisive in found.decisive.iter_mut().take(most).filter(|_| learned.score.is_some()) {
            let bounds = Some(known.without(decisive.statement)?);
            let without = Self { bounds, ..learning.clone() }.run(data, run)?;
            if without.ending.is_early() {
                found.is_whole = false;
                break;
            }
            decisive.cost = difference(without.score);
        }
        found.decisive.retain(|decisive| !decisive.edges.is_empty() || decisive.cost.is_some_and(is_dear));
        let cost = |decisive: &Decisive| decisive.cost.unwrap_or(f64::NEG_INFINITY);
        found.decisive.sort_by(|a, b| cost(b).total_cmp(&cost(a)));
        Ok(found)
    }
}

/// The graph itself as a class of its own, for a score that tells every direction.
fn directed(learned: &Learned) -> Cpdag {
    Cpdag::of_known(&learned.dag, |_, _| true)
}
