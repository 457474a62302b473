//! Learning from categories: PC-stable bounds the parents of each node, every parent set within the bounds is scored once,
//! and the search over orders looks them up. Directions that the score leaves open are chosen by [`orient`].

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::method::{Found, Settings};
use super::{
    LearnObserver, LearnProgress, LearnStatus, Learned, Learning, METHOD_ALPHA, ParentSpace, refuse,
};
use crate::{
    BuildProgress, Candidates, Categories, Cpdag, DISCRETE_SCORES, DiscreteScoreSettings, Error, Expanded,
    Expansion, FamilyScore, GSquare, Insertion, Keep, Oracle, OrderMcmc, ParentSets, PlSearch, Result,
    SizePrior, discrete_score_by_name, graph_cost, orient, weigh_edges,
};

/// The score unless another is asked for: it has no setting that the user could get wrong.
const DEFAULT_SCORE: &str = "qnml";

/// The most parents where every node is a candidate.
const MAX_PARENTS_OF_ALL: usize = 3;

/// The level of the tests where they only bound the parents: a pair kept in error does no harm.
const CANDIDATE_ALPHA: f64 = 0.05;

/// Moves of a chain between looks at the observer.
const MOVES_PER_LOOK: u64 = 256;

/// Learns a graph from categories.
pub(super) fn learn(
    learning: &Learning,
    data: &Categories,
    deadline: Option<Instant>,
    observe: LearnObserver,
) -> Result<Learned> {
    refuse(
        &[
            ("lambda", learning.lambda.is_some()),
            ("sigma2", learning.noise_variance.is_some()),
            ("penalty", learning.penalty.is_some()),
        ],
        "is for columns of numbers, and these are categories",
    )?;
    if learning.method.is_pc() {
        refuse(
            &[
                ("posterior", learning.posterior),
                ("candidates", learning.space.is_some()),
                ("max-parents", learning.max_parents.is_some()),
            ],
            "is for searches over orders, and pc is none",
        )?;
    } else if learning.space == Some(ParentSpace::All) {
        refuse(
            &[("alpha", learning.alpha.is_some()), ("max-conditioning", learning.max_conditioning.is_some())],
            "is for tests that bound the parents, and here all others may be parents",
        )?;
    }
    let (name, choice) = score_name(learning)?;
    let settings = match learning.equivalent_sample_size {
        Some(equivalent_sample_size) => DiscreteScoreSettings { equivalent_sample_size },
        None => DiscreteScoreSettings::default(),
    };
    let score = discrete_score_by_name(name, &settings)?;
    let learner = Learner { learning, data, score: score.as_ref(), deadline };
    let learned =
        if learning.method.is_pc() { learner.by_tests(observe) } else { learner.by_orders(observe) };
    Ok(Learned { score_choice: choice, ..learned? })
}

fn score_name(learning: &Learning) -> Result<(&'static str, Option<String>)> {
    let has_size = learning.equivalent_sample_size.is_some();
    let Some(wanted) = &learning.score else {
        let (name, reason) =
            if has_size { ("bdeu", "ess belongs to it") } else { (DEFAULT_SCORE, "the data are categories") };
        return Ok((name, Some(reason.to_owned())));
    };
    let Some(entry) = DISCRETE_SCORES.iter().find(|entry| entry.name == wanted) else {
        let known = DISCRETE_SCORES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
        return Err(Error::Misfit(format!(
            "there is no score {wanted} of categories; for columns of categories there are {known}"
        )));
    };
    if has_size && entry.name != "bdeu" {
        return Err(Error::Misfit(format!("ess belongs to the score bdeu, not to the score {wanted}")));
    }
    Ok((entry.name, None))
}

struct Learner<'a> {
    learning: &'a Learning,
    data: &'a Categories,
    score: &'a dyn FamilyScore,
    deadline: Option<Instant>,
}

/// The parent sets to search in.
struct Space {
    candidates: Candidates,
    sets: Arc<ParentSets>,
    /// The best order met while the space was grown.
    start: Option<Vec<usize>>,
}

impl Learner<'_> {
    fn by_orders(&self, observe: LearnObserver) -> Result<Learned> {
        let Self { learning, data, score, deadline } = *self;
        let Space { candidates, sets, start } = self.space(observe)?;
        let search = Settings {
            first: start.clone().unwrap_or_else(|| (0..data.columns()).collect()),
            start,
            restarts: learning.restarts(data.columns()),
            steps: learning.steps,
            descent: PlSearch::for_categories(),
            temperature: 1.0,
            seed: learning.seed,
            memory_bytes: learning.memory_bytes,
        };
        let oracle = Oracle::with_memory(sets.clone(), learning.memory_bytes);
        let stage = format!("{}, {}", learning.method.name, score.name());
        let Found { solution, evaluations, mut status } =
            learning.method.run(oracle, search, &stage, deadline, observe)?;
        let mut probabilities = None;
        if learning.posterior && status == LearnStatus::Finished {
            probabilities = self.posterior(&candidates, &mut status, observe)?;
        }
        // All graphs of the class score the same; the order has picked one of them by chance.
        let is_equivalent = !score.on_rows(0).parents_differ();
        let (mut dag, mut order) = (solution.dag()?, solution.order);
        if is_equivalent {
            dag = orient(data, &dag)?;
            order = dag.topological_order().to_vec();
        }
        Ok(Learned {
            dag: weigh_edges(data, score, &dag)?,
            order,
            cpdag: Cpdag::of(&dag),
            score_name: score.name(),
            score_choice: None,
            score: solution.score,
            is_equivalent,
            probabilities,
            evaluations,
            status,
            lowered_limits: sets.lowered_limits().to_vec(),
        })
    }

    /// PC-stable's graph. Where its edges have no direction, or contradict each other, a DAG close to them is given.
    fn by_tests(&self, observe: LearnObserver) -> Result<Learned> {
        let Self { learning, data, score, .. } = *self;
        let test = GSquare::new(data, learning.alpha.unwrap_or(METHOD_ALPHA))?;
        let found = learning.test(&test, observe)?;
        let dag = found.to_dag();
        Ok(Learned {
            order: dag.topological_order().to_vec(),
            score_name: score.name(),
            score_choice: None,
            score: graph_cost(data, score, &dag)?,
            is_equivalent: true,
            probabilities: None,
            evaluations: found.tests,
            status: LearnStatus::Finished,
            lowered_limits: Vec::new(),
            cpdag: found.pattern,
            dag: weigh_edges(data, score, &dag)?,
        })
    }

    fn space(&self, observe: LearnObserver) -> Result<Space> {
        let Self { learning, data, score, .. } = *self;
        let kind = learning.space.unwrap_or_default();
        let mut candidates = match kind {
            ParentSpace::All => Candidates::all(data.columns(), MAX_PARENTS_OF_ALL),
            ParentSpace::Neighbors | ParentSpace::PlusOne => {
                let test = GSquare::new(data, learning.alpha.unwrap_or(CANDIDATE_ALPHA))?;
                Candidates::from_neighbors(learning.test(&test, observe)?.skeleton)?
            }
        };
        if let Some(most) = learning.max_parents {
            candidates.max_parents = most;
        }
        if kind != ParentSpace::PlusOne {
            let sets = Arc::new(self.parent_sets(&candidates, Keep::Best, observe)?);
            return Ok(Space { candidates, sets, start: None });
        }
        let insertion = Insertion { seed: learning.seed, ..Expansion::default().insertion };
        let expansion = Expansion { insertion, ..Expansion::default() };
        let observe = Mutex::new(observe);
        let grown = expansion.run_with(data, score, candidates, &|rounds| {
            let stage = "growing the space of parents".to_owned();
            let progress = LearnProgress { stage, done: rounds as u64, total: expansion.rounds as u64 };
            let told = observe.lock().unwrap_or_else(PoisonError::into_inner)(&progress);
            if self.is_late() { ControlFlow::Break(()) } else { told }
        });
        let Expanded { candidates, sets, solution, .. } = grown?;
        Ok(Space { candidates, sets, start: Some(solution.order) })
    }

    fn parent_sets(&self, candidates: &Candidates, keep: Keep, observe: LearnObserver) -> Result<ParentSets> {
        let observe = Mutex::new(observe);
        ParentSets::build_with(self.data, self.score, candidates, keep, &|BuildProgress { done, total }| {
            let stage = "parent sets".to_owned();
            let progress = LearnProgress { stage, done: done as u64, total: total as u64 };
            observe.lock().unwrap_or_else(PoisonError::into_inner)(&progress)
        })
    }

    /// The probability of every edge, by a chain on the sums over all parent sets. The observer and the time may end it,
    /// which `status` then tells: with the orders so far, or with nothing if there are none.
    fn posterior(
        &self,
        candidates: &Candidates,
        status: &mut LearnStatus,
        observe: LearnObserver,
    ) -> Result<Option<Vec<f64>>> {
        let mut observe = |progress: &LearnProgress| {
            if observe(progress).is_break() {
                *status = LearnStatus::Interrupted;
            } else if self.is_late() {
                *status = LearnStatus::TimeLimit;
            } else {
                return ControlFlow::Continue(());
            }
            ControlFlow::Break(())
        };
        let sets = match self.parent_sets(candidates, Keep::All(SizePrior::EvenSizes), &mut observe) {
            Err(Error::Stopped) => return Ok(None),
            sets => sets?,
        };
        let chain = OrderMcmc { seed: self.learning.seed, ..OrderMcmc::default() };
        let chain = OrderMcmc { steps: self.learning.steps.unwrap_or(chain.steps), ..chain };
        let posterior = chain.posterior(&sets.sums().ok_or(Error::Empty)?, |state| {
            if state.step % MOVES_PER_LOOK > 0 {
                return ControlFlow::Continue(());
            }
            observe(&LearnProgress { stage: "posterior".to_owned(), done: state.step, total: chain.steps })
        })?;
        Ok((posterior.samples > 0).then_some(posterior.probabilities))
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{BayesNet, Observations};

    /// Learns from ASIA, ended when a stage of the posterior has come so far.
    fn ended(learning: &Learning, stage: &str, done: u64) -> Learned {
        let data = BayesNet::embedded("asia").unwrap().sample(2000, 0, BayesNet::TRAINING).unwrap();
        let mut is_searched = false;
        let learned = learning.run(&Observations::Categories(data.into()), &mut |progress| {
            is_searched |= progress.stage.starts_with("growing");
            let is_end = is_searched && progress.stage == stage && progress.done >= done;
            if is_end { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        learned.unwrap()
    }

    #[test]
    fn a_graph_survives_the_end_of_its_posterior() {
        let learning = Learning { posterior: true, ..Learning::default() };
        let whole = ended(&learning, "none", 0);
        assert_eq!(whole.status, LearnStatus::Finished);
        let whole_probabilities = whole.probabilities.unwrap();
        // Before there are sums, before the chain has forgotten its start, and in its middle.
        for (stage, done, is_known) in
            [("parent sets", 1, false), ("posterior", 1, false), ("posterior", 50_000, true)]
        {
            let learned = ended(&learning, stage, done);
            assert_eq!(learned.status, LearnStatus::Interrupted, "{stage} {done}");
            assert_eq!((learned.dag, learned.score), (whole.dag.clone(), whole.score));
            assert_eq!(learned.probabilities.is_some(), is_known, "{stage} {done}");
            for (part, whole) in learned.probabilities.iter().flatten().zip(&whole_probabilities) {
                assert!((part - whole).abs() < 0.1, "{part} for {whole}");
            }
        }
    }

    #[test]
    fn settings_that_nothing_would_read_are_refused() {
        let data = BayesNet::embedded("asia").unwrap().sample(100, 0, BayesNet::TRAINING).unwrap();
        let data = Observations::Categories(data.into());
        let pc = crate::LearnMethod::by_name("pc").unwrap();
        let all = Some(ParentSpace::All);
        for learning in [
            Learning { method: pc, max_parents: Some(2), ..Learning::default() },
            Learning { space: all, alpha: Some(0.1), ..Learning::default() },
            Learning { space: all, max_conditioning: Some(1), ..Learning::default() },
        ] {
            let refused = learning.run(&data, &mut |_| ControlFlow::Continue(()));
            assert!(matches!(refused, Err(Error::Misfit(_))), "{learning:?}");
        }
    }

    #[test]
    fn the_posterior_keeps_to_the_time() {
        let time = Some(Duration::from_secs(1));
        let learning = Learning { posterior: true, steps: Some(1 << 40), time, ..Learning::default() };
        let start = Instant::now();
        let learned = ended(&learning, "none", 0);
        assert_eq!(learned.status, LearnStatus::TimeLimit);
        assert!(start.elapsed() < Duration::from_secs(20));
        assert!(learned.probabilities.is_none(), "the chain has not come past its first fifth");
    }
}
