//! Learning from categories: a climb over graphs bounds the parents of each node, every parent set within the bounds is scored once, with
//! a price for its size, and the search over orders looks them up. Of few columns all parent sets are scored, and the best order
//! of all is found.

use std::cell::RefCell;
use std::sync::Arc;

use plackett::run::{Ending, Run};

use super::{
    Basis, CANDIDATE_ALPHA, Learned, Learning, METHOD_ALPHA, Observations, Orient, ParentSpace, ScoreChoice,
    SearchTask, patterned, posterior::MOST_SETS_OF_CATEGORIES, refuse, unscored,
};
use crate::{
    Bounds, Categories, Dag, Error, LocalScore, NodeSet, OrderSolution, Result,
    error::check_factor,
    independence::GSquare,
    orientation::orient_within,
    parent_sets::{Candidates, Keep, ParentSets, Reach, SizePrior, count_subsets},
    score::{
        Bdeu, DISCRETE_SCORES, DiscreteScoreSettings, Families, FamilyScore, Priced, discrete_score_by_name,
        graph_cost, weigh_edges,
    },
    search::{EdgePosterior, Expanded, Expansion, Growth, Insertion, climbed},
};

/// The scores unless another is asked for: that one under which the data, with a graph that a climb finds, take the fewer nats to write down. Both are lengths of
/// codes, so that they compare. By the lengths that whole searches come to, on alarm, asia, child, insurance, mildew, sachs and water (five sets each) their choice has a mean SHD-CPDAG of 30.2, 26.7, 23.1, 17.7 and
/// 13.4 at 100, 200, 500, 1000 and 5000 rows, `bdeu` alone of 29.8, 27.5, 23.7, 18.2 and 13.4, `qnml` alone of 31.7, 28.3, 25.1, 20.7 and 15.7; and it
/// is nowhere worse than the graph without edges, as `bdeu` is on mildew. On random networks of 20 nodes `qnml` is the better one.
const DEFAULT_SCORES: [&str; 2] = ["bdeu", "qnml"];

/// The rows that the prior of `bdeu` is worth if it is chosen. With 1 in place of 2 the means of `bdeu` are 30.5, 27.7, 25.4, 18.9 and 13.9.
const DEFAULT_SAMPLE_SIZE: f64 = 2.0;

/// The most columns that the choice looks at, the first, and the most rows.
const COLUMNS_TO_CHOOSE: usize = 128;
const ROWS_TO_CHOOSE: usize = 20_000;

/// What multiplies the price of parents, log binom(d − 1, k) for k of them. Of 1½ and 2 it had the lesser mean distance on the same
/// sets, and less of both than ½, 1 or none before: without a price the mean at 100 rows is above that of the graph without edges.
const PRICE: f64 = 2.0;

/// The most columns of which all parent sets are scored and a dynamic program finds the best order, and the work that may take, in rows
/// counted: two seconds or so.
const COMPLETE_COLUMNS: usize = 16;
const COMPLETE_WORK: f64 = 2e9;

/// Up to so many columns there is no limit on parents in it.
const FREE_COLUMNS: usize = 12;

/// Kicks of the search while the space grows, if there is an order to begin with.
const KICKS_FROM_A_START: usize = 10;

/// The most parents of a column for which all parent sets are scored; nothing if these are too few, or if candidates are asked for.
pub(super) fn complete_limit(learning: &Learning, data: &Categories) -> Option<usize> {
    let columns = data.columns();
    if learning.categories.space.is_some() || learning.start.is_some() || columns > COMPLETE_COLUMNS {
        return None;
    }
    let others = columns.saturating_sub(1);
    let most = if columns > FREE_COLUMNS { Candidates::DEFAULT_MAX_PARENTS } else { others };
    let limit = learning.categories.max_parents.unwrap_or(most).min(others);
    let sets = count_subsets(others, limit) as f64 * columns as f64;
    (sets * data.row_count() as f64 <= COMPLETE_WORK).then_some(limit)
}

/// The most parents where every node is a candidate.
const MAX_PARENTS_OF_ALL: usize = 3;

/// Learns a graph from categories.
pub(super) fn learn(learning: &Learning, data: &Arc<Categories>, run: &Run<'_>) -> Result<Learned> {
    refuse(
        &[
            ("lambda", learning.numbers.lambda.is_some()),
            ("noise_variance", learning.numbers.noise_variance.is_some()),
        ],
        "is for columns of numbers, and these are categories",
    )?;
    let settings = &learning.categories;
    if learning.method.is_pc() {
        refuse(
            &[
                ("posterior", learning.search.posterior),
                ("space", settings.space.is_some()),
                ("max_parents", settings.max_parents.is_some()),
                ("orient", settings.orient.is_some()),
            ],
            "is for searches over orders, and pc is none",
        )?;
    } else if settings.space != Some(ParentSpace::Neighbors) {
        refuse(
            &[
                ("alpha", learning.tests.alpha.is_some()),
                ("max_conditioning", learning.tests.max_conditioning.is_some()),
            ],
            "is for tests that bound the parents, and here none are made: they are with candidates by pc",
        )?;
    }
    let Chosen { score, reason, met } = priced_score(learning, data, run)?;
    let learner = Learner { learning, data, score: &score, met };
    if learning.method.is_pc() {
        return learner.by_tests(run);
    }
    Ok(Learned { score_choice: reason, ..learner.by_orders(run)? })
}

impl Learning {
    /// What a graph costs on categories by the score of these settings, with its price for parents: what the graph learned is scored by.
    ///
    /// # Errors
    /// Those of [`graph_cost`], and of settings that do not fit.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{BayesNet, Learning, Observations};
    /// let network = BayesNet::embedded("asia")?;
    /// let data = network.sample(1000, 0, BayesNet::TRAINING)?;
    /// let truth = Learning::default().cost_of_graph(&data, network.dag())?;
    /// let learned = Learning::default().run(&Observations::Categories(data.into()), &Run::default())?;
    /// assert!(learned.score.unwrap() <= truth);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn cost_of_graph(&self, data: &Categories, dag: &Dag) -> Result<f64> {
        graph_cost(data, &priced_score(self, data, &Run::default())?.score, dag)
    }
}

/// A score with its price for parents.
struct Chosen {
    score: Priced,
    /// Why it is this one, where it was chosen.
    reason: Option<String>,
    /// The parents of every node in the best graph met while it was chosen, of as many columns as were looked at.
    met: Option<Vec<Vec<usize>>>,
}

/// The score with its price for parents, asked for or chosen.
fn priced_score(learning: &Learning, data: &Categories, run: &Run<'_>) -> Result<Chosen> {
    let weight = learning.numbers.penalty.unwrap_or(1.0);
    check_factor(weight)?;
    let size = learning.categories.equivalent_sample_size;
    let priced = |name: &str, nodes: usize, default: f64| -> Result<Priced> {
        let settings = DiscreteScoreSettings { equivalent_sample_size: size.unwrap_or(default) };
        Ok(Priced::new(discrete_score_by_name(name, &settings)?, nodes, PRICE * weight))
    };
    if let Some(name) = score_name(learning)? {
        let score = priced(name, data.columns(), Bdeu::DEFAULT_SAMPLE_SIZE)?;
        return Ok(Chosen { score, reason: None, met: None });
    }
    if data.total() == 0 {
        return Err(Error::Empty);
    }
    if size.is_some() {
        let reason = Some("a setting of its own is given".to_owned());
        let score = priced(DEFAULT_SCORES[0], data.columns(), DEFAULT_SAMPLE_SIZE)?;
        return Ok(Chosen { score, reason, met: None });
    }
    let part = data.part(COLUMNS_TO_CHOOSE, ROWS_TO_CHOOSE);
    let mut best: Option<(f64, &str)> = None;
    let (mut lengths, mut met) = (Vec::new(), None);
    for name in DEFAULT_SCORES {
        let score = priced(name, part.columns(), DEFAULT_SAMPLE_SIZE)?;
        let Some((length, parents)) = climbed(&part, &score, run) else { break };
        let is_best = best.is_none_or(|best| length < best.0);
        // A graph that was cut short says nothing of the score, but it is one.
        if is_best || met.is_none() {
            met = Some(parents);
        }
        if run.is_over() {
            break;
        }
        lengths.push(format!("{length:.0} with {name}"));
        best = if is_best { Some((length, name)) } else { best };
    }
    let (name, reason) = match best {
        Some((_, name)) if lengths.len() == DEFAULT_SCORES.len() => {
            let reason =
                format!("the data are categories, and take {} nats to write down", lengths.join(", "));
            (name, reason)
        }
        _ => (DEFAULT_SCORES[0], "the data are categories, and there was no time to compare".to_owned()),
    };
    Ok(Chosen { score: priced(name, data.columns(), DEFAULT_SAMPLE_SIZE)?, reason: Some(reason), met })
}

/// The score that is asked for, if one is.
fn score_name(learning: &Learning) -> Result<Option<&'static str>> {
    let ScoreChoice::Named(wanted) = &learning.score else { return Ok(None) };
    let Some(entry) = DISCRETE_SCORES.iter().find(|entry| entry.name == wanted) else {
        let known = DISCRETE_SCORES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
        let reason = format!(
            "{wanted} does not fit: there is no score {wanted} of categories; for columns of categories there are {known}"
        );
        return Err(Error::Misfit { setting: "score", reason });
    };
    if learning.categories.equivalent_sample_size.is_some() && entry.name != "bdeu" {
        let reason = format!("belongs to the score bdeu, not to the score {wanted}");
        return Err(Error::Misfit { setting: "equivalent_sample_size", reason });
    }
    Ok(Some(entry.name))
}

struct Learner<'a> {
    learning: &'a Learning,
    data: &'a Arc<Categories>,
    score: &'a dyn FamilyScore,
    /// The parents of the first columns in the graph met while the score was chosen.
    met: Option<Vec<Vec<usize>>>,
}

/// The parent sets to search in.
struct Space {
    candidates: Candidates,
    sets: Arc<ParentSets>,
    /// The best order met while the space was grown.
    start: Option<Vec<usize>>,
    /// Nodes that more parents than were allowed would better.
    bound: Vec<usize>,
    /// Nodes for which fewer parents than were allowed could be tried.
    lowered: Vec<(usize, usize)>,
}

impl Space {
    /// A space that is what it is.
    fn fixed(candidates: Candidates, sets: ParentSets) -> Self {
        let lowered = sets.lowered_limits().to_vec();
        Self { candidates, sets: Arc::new(sets), start: None, bound: Vec::new(), lowered }
    }
}

impl Learner<'_> {
    fn by_orders(&self, run: &Run<'_>) -> Result<Learned> {
        let Self { learning, data, score, .. } = *self;
        let Space { candidates, sets, start, bound, lowered } = match self.space(run)? {
            Ok(space) => space,
            Err(dag) => return self.cut_short(dag, run),
        };
        let first = start.clone().unwrap_or_else(|| (0..data.columns()).collect());
        let task = learning.task(&Observations::Categories(Arc::clone(data)));
        let start = start.or(task.start);
        let sets: Arc<dyn LocalScore> = sets;
        let found = learning.by_orders(&sets, &SearchTask { first, start, ..task }, None, run)?;
        let is_wanted = learning.search.posterior && !run.is_over();
        let posterior = if is_wanted { self.posterior(candidates, &found.dag, run)? } else { None };
        let found = found.with_posterior(posterior);
        // All graphs of the class score the same; the order has picked one of them by chance.
        let (mut dag, mut order, mut basis) = (found.dag, found.order, found.basis);
        if let (true, Some(Orient::Fnml)) = (found.is_equivalent, learning.categories.orient) {
            dag = orient_within(data, &dag, &found.bounds, run)?;
            order = dag.topological_order().to_vec();
            basis = Some(Basis::description());
        }
        let dag = weigh_edges(data, score, &dag)?;
        Ok(Learned {
            strengths: Some(dag.clone()),
            order,
            basis,
            cpdag: found.bounds.orient(&dag),
            dag,
            ending: run.ending().unwrap_or(Ending::Finished),
            lowered_limits: lowered,
            bound_by_limit: bound,
            ..found
        })
    }

    /// The best graph so far, where there was no time to search among orders.
    fn cut_short(&self, mut dag: Dag, run: &Run<'_>) -> Result<Learned> {
        let Self { data, score, .. } = *self;
        let bounds = self.learning.bounds_of(data.columns());
        let mut cost = graph_cost(data, score, &dag)?;
        if let Some(met) = self.met(&bounds)? {
            let its_cost = graph_cost(data, score, &met)?;
            (dag, cost) = if its_cost < cost { (met, its_cost) } else { (dag, cost) };
        }
        Ok(Learned {
            order: dag.topological_order().to_vec(),
            score_name: Some(score.name().to_owned()),
            score: Some(cost),
            is_equivalent: !score.on_rows(0).parents_differ(),
            ..unscored(
                self.learning,
                dag.clone(),
                bounds.orient(&dag),
                0,
                run.ending().unwrap_or(Ending::Finished),
            )
        })
    }

    /// The graph met while the score was chosen, within the bounds; nothing if there is none of so few parents as are asked for.
    fn met(&self, bounds: &Bounds) -> Result<Option<Dag>> {
        let most = self.learning.categories.max_parents.unwrap_or(usize::MAX);
        let fits = |met: &&Vec<Vec<usize>>| met.iter().all(|parents| parents.len() <= most);
        let Some(mut met) = self.met.as_ref().filter(fits).cloned() else { return Ok(None) };
        met.resize(bounds.nodes(), Vec::new());
        let parents: Vec<NodeSet> = met.iter().map(|parents| parents.iter().copied().collect()).collect();
        let order = Dag::from_parents(met)?.topological_order().to_vec();
        let (order, parents) = bounds.confine(&order, &parents);
        OrderSolution { order, score: 0.0, parents }.dag().map(Some)
    }

    /// PC-stable's graph. Where its edges have no direction, or contradict each other, a DAG close to them is given.
    fn by_tests(&self, run: &Run<'_>) -> Result<Learned> {
        let Self { learning, data, score, .. } = *self;
        let test = GSquare::new(data, learning.tests.alpha.unwrap_or(METHOD_ALPHA))?;
        let found = learning.test(&test, run);
        let (tests, ending) = (found.tests, found.ending);
        let (pattern, dag, p_values) = patterned(found, &learning.bounds_of(data.columns()))?;
        let order = dag.topological_order().to_vec();
        let dag = weigh_edges(data, score, &dag)?;
        Ok(Learned { order, p_values: Some(p_values), ..unscored(learning, dag, pattern, tests, ending) })
    }

    /// The most parent sets of a node that there is memory for.
    fn most_sets(&self) -> usize {
        /// A cost, what subsets cost and a place in a list, of two nodes at a time.
        const BYTES_PER_SET: usize = 128;
        Candidates::DEFAULT_MAX_SETS.min(self.learning.search.memory_bytes / BYTES_PER_SET)
    }

    /// The best graph so far if the run is over before there are parent sets.
    fn space(&self, run: &Run<'_>) -> Result<std::result::Result<Space, Dag>> {
        let Self { learning, data, score, .. } = *self;
        let least = || learning.bounds_of(data.columns()).least();
        if let Some(limit) = complete_limit(learning, data) {
            let mut candidates =
                Candidates::all(data.columns(), limit).within(learning.bounds_of(data.columns()))?;
            candidates.max_sets = self.most_sets();
            let sets = ParentSets::build(data, score, &candidates, Keep::Best, run)?;
            return Ok(sets.map(|sets| Space::fixed(candidates, sets)).ok_or_else(least));
        }
        let kind = learning.categories.space.unwrap_or_default();
        let mut candidates = match kind {
            ParentSpace::All => Candidates::all(data.columns(), MAX_PARENTS_OF_ALL),
            ParentSpace::PlusOne => Candidates::from_neighbors(vec![NodeSet::default(); data.columns()])?,
            ParentSpace::Neighbors => {
                let test = GSquare::new(data, learning.tests.alpha.unwrap_or(CANDIDATE_ALPHA))?;
                let found = learning.test(&test, run);
                if found.ending.is_early() {
                    return Ok(Err(least()));
                }
                Candidates::from_neighbors(found.skeleton)?
            }
        };
        candidates = candidates.within(learning.bounds_of(data.columns()))?;
        candidates.max_sets = self.most_sets();
        if let Some(most) = learning.categories.max_parents {
            candidates.max_parents = most;
        }
        if kind != ParentSpace::PlusOne {
            let sets = ParentSets::build(data, score, &candidates, Keep::Best, run)?;
            return Ok(sets.map(|sets| Space::fixed(candidates, sets)).ok_or_else(least));
        }
        let mut insertion = Insertion { seed: learning.seed, ..Expansion::default().insertion };
        if learning.start.is_some() {
            insertion = Insertion { starts: Some(1), kicks: Some(KICKS_FROM_A_START), ..insertion };
        }
        let expansion = Expansion { insertion, ..Expansion::default() };
        let is_limited = learning.categories.max_parents.is_some();
        let grown =
            expansion.run_from(learning.start.as_deref(), data, score, (candidates, is_limited), run)?;
        Ok(match grown {
            // Where fewer are tried together the climb over graphs is there for more.
            Growth::Whole(Expanded { candidates, sets, solution, bound, .. }) => {
                Ok(Space { candidates, sets, start: Some(solution.order), bound, lowered: Vec::new() })
            }
            Growth::Begun(dag) => Err(dag),
        })
    }

    /// The probability of every edge; nothing if the run is over before it is known.
    fn posterior(
        &self,
        mut candidates: Candidates,
        dag: &Dag,
        run: &Run<'_>,
    ) -> Result<Option<EdgePosterior>> {
        let Self { learning, data, score, .. } = *self;
        let families = RefCell::new(Families::new(data, score, dag)?);
        let gain = |node: usize, other: usize| {
            let mut families = families.borrow_mut();
            families.cost(node, &[]) - families.cost(node, &[other])
        };
        // The budget of the search is none for sums, which take any one other into account where there are too many for all.
        candidates.max_sets = Candidates::DEFAULT_MAX_SETS;
        if data.columns() > COMPLETE_COLUMNS {
            candidates.reach = Reach::PlusOne;
        }
        let candidates = learning.summable(candidates, dag, MOST_SETS_OF_CATEGORIES, gain)?;
        let keep = Keep::All(SizePrior::Even);
        let Some(sets) = ParentSets::build(data, score, &candidates, keep, run)? else { return Ok(None) };
        learning.edge_probabilities(&*sets.sums().ok_or(Error::Empty)?, dag, run)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use plackett::run::{Limits, Progress};

    use super::super::{CategorySettings, SearchSettings, TestSettings};
    use super::*;
    use crate::{BayesNet, LearnMethod};

    fn asia(rows: usize) -> Observations {
        let data = BayesNet::embedded("asia").unwrap().sample(rows, 0, BayesNet::TRAINING).unwrap();
        Observations::Categories(data.into())
    }

    /// Learns from ASIA, ended when the posterior has come so far. Each look at the clock takes a second.
    fn ended(learning: &Learning, stage: &str, done: u64) -> Learned {
        let looks = AtomicU64::new(0);
        let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
        let mut is_searched = false;
        let mut end = |progress: &Progress| {
            is_searched |= progress.stage.starts_with("exact");
            let is_end = is_searched && progress.stage == stage && progress.done >= done;
            if is_end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let run = Run::by(&clock, Limits::default()).observed(&mut end);
        learning.run(&asia(2000), &run).unwrap()
    }

    #[test]
    fn a_graph_survives_the_end_of_its_posterior() {
        let search = SearchSettings { posterior: true, steps: Some(40_000), ..SearchSettings::default() };
        let learning = Learning { search, ..Learning::default() };
        let whole = ended(&learning, "none", 0);
        assert_eq!(whole.ending, Ending::Finished);
        let whole_probabilities = whole.probabilities.unwrap();
        // Before there are sums, before the chain has forgotten its start, and in its middle.
        for (stage, done, is_known) in
            [("parent sets", 1, false), ("partition MCMC", 1, false), ("partition MCMC", 60, true)]
        {
            let learned = ended(&learning, stage, done);
            assert_eq!(learned.ending, Ending::Interrupted, "{stage} {done}");
            assert_eq!((learned.cpdag, learned.score), (whole.cpdag.clone(), whole.score));
            assert_eq!(learned.probabilities.is_some(), is_known, "{stage} {done}");
            for (part, whole) in learned.probabilities.iter().flatten().zip(&whole_probabilities) {
                assert!((part - whole).abs() < 0.1, "{part} for {whole}");
            }
        }
    }

    #[test]
    fn settings_that_nothing_would_read_are_refused() {
        let pc = LearnMethod::by_name("pc").unwrap();
        let all = CategorySettings { space: Some(ParentSpace::All), ..CategorySettings::default() };
        let few = CategorySettings { max_parents: Some(2), ..CategorySettings::default() };
        let level = TestSettings { alpha: Some(0.1), ..TestSettings::default() };
        let size = TestSettings { max_conditioning: Some(1), ..TestSettings::default() };
        for learning in [
            Learning { method: pc, categories: few, ..Learning::default() },
            Learning { categories: all, tests: level, ..Learning::default() },
            Learning { categories: all, tests: size, ..Learning::default() },
        ] {
            let refused = learning.run(&asia(100), &Run::default());
            assert!(matches!(refused, Err(Error::Misfit { .. })), "{learning:?}");
        }
    }

    /// However early the end comes, there is a graph, and it is the better the later it comes.
    #[test]
    fn there_is_a_graph_at_any_moment() {
        let learn = |looks_left: u64| {
            let looks = AtomicU64::new(0);
            let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
            let run = Run::by(&clock, Limits::time(Duration::from_secs(looks_left)));
            let search = SearchSettings { restarts: Some(1), ..SearchSettings::default() };
            let learned = Learning { search, ..Learning::default() }.run(&asia(500), &run).unwrap();
            (learned, looks.load(Ordering::Relaxed))
        };
        let (whole, all) = learn(u64::MAX);
        let (nothing, _) = learn(0);
        assert_eq!((nothing.ending, nothing.dag.edge_count()), (Ending::Time, 0));
        assert_eq!(nothing.method.name, "insertion");
        // By one score: which it is may not be known yet when the end comes.
        let Observations::Categories(data) = asia(500) else { unreachable!() };
        let cost = |learned: &Learned| Learning::default().cost_of_graph(&data, &learned.dag).unwrap();
        for part in 1..=20 {
            let (learned, _) = learn(part * all / 20);
            assert!(cost(&learned) >= cost(&whole) - 1e-9 && cost(&learned) <= cost(&nothing), "{part}");
        }
    }

    #[test]
    fn a_graph_met_while_the_score_was_chosen_is_not_forgotten() {
        let first = |learning: &Learning| {
            let clock = AtomicU64::new(0);
            let clock = || Duration::from_secs(clock.fetch_add(1, Ordering::Relaxed));
            let mut end = |progress: &Progress| match progress.stage.as_str() {
                "parent sets" => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            };
            let run = Run::by(&clock, Limits::default()).observed(&mut end);
            learning.run(&asia(500), &run).unwrap()
        };
        let learned = first(&Learning::default());
        assert_eq!(learned.ending, Ending::Interrupted);
        let (from, to) = learned.dag.edges().map(|(from, to, _)| (from, to)).next().unwrap();
        // What is known of the graph, and the most parents, hold for it too.
        let bounds = Bounds::new(8, &[(from, to), (to, from)], &[], &[]).unwrap();
        let bound = first(&Learning { bounds: Some(bounds.clone()), ..Learning::default() });
        assert!(bounds.hold(&bound.dag) && bound.dag.edge_count() > 0);
        let none = CategorySettings { max_parents: Some(0), ..CategorySettings::default() };
        assert_eq!(first(&Learning { categories: none, ..Learning::default() }).dag.edge_count(), 0);
    }
}
