//! Learning from categories: PC-stable bounds the parents of each node, every parent set within the bounds is scored once,
//! and the search over orders looks them up.

use std::{ops::ControlFlow, sync::Arc, time::Instant};

use plackett_dag::{
    BuildProgress, Candidates, Categories, Cpdag, DISCRETE_SCORES, Dag, DiscreteScoreSettings, Expanded,
    Expansion, FamilyScore, GSquare, Insertion, Keep, NamedDag, Oracle, OrderMcmc, ParentSets, PcResult,
    PlSearch, SizePrior, discrete_score_by_name, graph_cost, orient, weigh_edges,
};

use super::{
    AUTO, Arguments, CandidateKind, Learned,
    data::Data,
    method::{Found, Settings, Status},
    pc,
};
use crate::{
    console::{self, BadInput, counted},
    interrupt,
};

/// The score unless another is asked for: it has no setting that the user could get wrong.
const DEFAULT_SCORE: &str = "qnml";

/// The most parents where every node is a candidate.
const MAX_PARENTS_OF_ALL: usize = 3;

/// The level of the tests where they only bound the parents: a pair kept in error does no harm.
const CANDIDATE_ALPHA: f64 = 0.05;

/// Learns a graph from categories.
pub(super) fn learn(
    arguments: &Arguments,
    data: &Data,
    categories: &Arc<Categories>,
    truth: Option<&NamedDag>,
) -> anyhow::Result<Learned> {
    check(arguments)?;
    let (name, choice) = score_name(arguments)?;
    let settings = match arguments.ess {
        Some(equivalent_sample_size) => DiscreteScoreSettings { equivalent_sample_size },
        None => DiscreteScoreSettings::default(),
    };
    let score = discrete_score_by_name(name, &settings)?;
    let learner = Learner { arguments, data, categories, score: score.as_ref(), start: Instant::now() };
    let mut learned = if arguments.method.is_pc() { learner.by_tests()? } else { learner.by_orders()? };
    learned.score_choice = choice;
    learned.true_score =
        truth.map(|truth| graph_cost(categories, score.as_ref(), truth.dag())).transpose()?;
    Ok(learned)
}

/// Settings that have no meaning for categories are refused rather than ignored.
fn check(arguments: &Arguments) -> Result<(), BadInput> {
    let given = [
        ("--standardize", arguments.standardize),
        ("--no-center", arguments.no_center),
        ("--lambda", arguments.lambda.is_some()),
        ("--sigma2", arguments.sigma2.is_some()),
        ("--penalty", arguments.penalty.is_some()),
    ];
    match given.into_iter().find(|&(_, is_given)| is_given) {
        Some((flag, _)) => Err(BadInput(format!("{flag} is for numbers, and the data are categories"))),
        None => Ok(()),
    }
}

fn score_name(arguments: &Arguments) -> Result<(&'static str, Option<String>), BadInput> {
    let wanted = match (arguments.score.as_str(), arguments.ess) {
        (AUTO, Some(_)) => return Ok(("bdeu", Some("--ess belongs to it".to_owned()))),
        (AUTO, None) => return Ok((DEFAULT_SCORE, Some("the data are categories".to_owned()))),
        (wanted, _) => wanted,
    };
    let Some(entry) = DISCRETE_SCORES.iter().find(|entry| entry.name == wanted) else {
        let known: Vec<_> = DISCRETE_SCORES.iter().map(|entry| entry.name).collect();
        let known = known.join(", ");
        return Err(BadInput(format!("--score {wanted} is for numbers; for categories there are {known}")));
    };
    if arguments.ess.is_some() && entry.name != "bdeu" {
        return Err(BadInput(format!("--ess belongs to --score bdeu, not to --score {wanted}")));
    }
    Ok((entry.name, None))
}

struct Learner<'a> {
    arguments: &'a Arguments,
    data: &'a Data,
    categories: &'a Arc<Categories>,
    score: &'a dyn FamilyScore,
    start: Instant,
}

/// The parent sets to search in.
struct Space {
    candidates: Candidates,
    sets: Arc<ParentSets>,
    /// The best order met while the space was grown.
    start: Option<Vec<usize>>,
}

impl Learner<'_> {
    fn by_orders(&self) -> anyhow::Result<Learned> {
        let Space { candidates, sets, start } = self.space()?;
        let oracle = Oracle::with_memory(sets.clone(), self.arguments.memory_bytes());
        let label = format!("{}, {}", self.arguments.method, self.score.name());
        let first = start.clone().unwrap_or_else(|| (0..self.categories.columns()).collect());
        let descent = PlSearch::for_categories();
        let search = Settings { start, descent, ..self.arguments.search(first, 1.0) };
        let Found { solution, evaluations, status } =
            self.arguments.method.run(oracle, search, label, self.seconds_left())?;
        let mut warnings = Vec::new();
        for &(node, limit) in sets.lowered_limits() {
            warnings.push(format!(
                "column \"{}\" has too many candidates for all their sets: at most {} were tried together",
                self.data.names[node],
                counted(limit, "parent")
            ));
        }
        let probabilities = match self.arguments.posterior && status != Status::Interrupted {
            true => Some(self.posterior(&candidates)?),
            false => None,
        };
        let dag = solution.dag()?;
        // All graphs of the class score the same; the order has picked one of them by chance.
        let (dag, order) = match self.is_equivalent() {
            true => {
                let oriented = orient(self.categories, &dag)?;
                let order = oriented.topological_order().to_vec();
                (oriented, order)
            }
            false => (dag, solution.order),
        };
        let graph = self.graph(&dag)?;
        Ok(Learned {
            score: solution.score,
            order,
            probabilities,
            evaluations,
            status,
            warnings,
            ..self.blank(graph)
        })
    }

    /// PC-stable's graph. Where its edges have no direction, or contradict each other, a DAG close to them is shown.
    fn by_tests(&self) -> anyhow::Result<Learned> {
        let found = self.test(pc::METHOD_ALPHA)?;
        let dag = found.to_dag();
        Ok(Learned {
            score: graph_cost(self.categories, self.score, &dag)?,
            order: dag.topological_order().to_vec(),
            evaluations: found.tests,
            warnings: pc::warnings(&found),
            cpdag: found.pattern,
            ..self.blank(self.graph(&dag)?)
        })
    }

    /// A graph of which nothing else is known yet.
    fn blank(&self, graph: NamedDag) -> Learned {
        Learned {
            score_name: self.score.name(),
            score_choice: None,
            score: f64::NAN,
            is_equivalent: self.is_equivalent(),
            true_score: None,
            order: Vec::new(),
            cpdag: Cpdag::of(graph.dag()),
            graph,
            probabilities: None,
            evaluations: 0,
            status: Status::Finished,
            seconds: 0.0,
            warnings: Vec::new(),
        }
    }

    /// Whether graphs of one equivalence class have the same score.
    fn is_equivalent(&self) -> bool {
        !self.score.on_rows(0).parents_differ()
    }

    /// The graph with each edge's weight: what the score would lose without it.
    fn graph(&self, dag: &Dag) -> anyhow::Result<NamedDag> {
        let dag = weigh_edges(self.categories, self.score, dag)?;
        Ok(NamedDag::new(self.data.names.clone(), dag)?)
    }

    fn test(&self, alpha: f64) -> anyhow::Result<PcResult> {
        let test = GSquare::new(self.categories, self.arguments.alpha.unwrap_or(alpha))?;
        pc::run(&test, self.arguments.max_conditioning)
    }

    fn space(&self) -> anyhow::Result<Space> {
        let kind = self.arguments.candidates.unwrap_or(CandidateKind::PlusOne);
        let mut candidates = match kind {
            CandidateKind::All => Candidates::all(self.categories.columns(), MAX_PARENTS_OF_ALL),
            CandidateKind::Pc | CandidateKind::PlusOne => {
                Candidates::from_neighbours(self.test(CANDIDATE_ALPHA)?.skeleton)?
            }
        };
        if let Some(most) = self.arguments.max_parents {
            candidates.max_parents = usize::from(most);
        }
        if kind != CandidateKind::PlusOne {
            let sets = Arc::new(self.parent_sets(&candidates, Keep::Best)?);
            return Ok(Space { candidates, sets, start: None });
        }
        let insertion = Insertion { seed: self.arguments.seed, ..Expansion::default().insertion };
        let expansion = Expansion { insertion, ..Expansion::default() };
        let bar = console::progress(expansion.rounds as u64, "growing the space of parents");
        let grown = expansion.run_with(self.categories, self.score, candidates, &|rounds| {
            bar.set_position(rounds as u64);
            if self.seconds_left() == Some(0.0) { ControlFlow::Break(()) } else { interrupt::check() }
        });
        bar.finish_and_clear();
        let Expanded { candidates, sets, solution, .. } = grown?;
        Ok(Space { candidates, sets, start: Some(solution.order) })
    }

    fn parent_sets(&self, candidates: &Candidates, keep: Keep) -> anyhow::Result<ParentSets> {
        let bar = console::progress(1, "parent sets");
        let sets = ParentSets::build_with(
            self.categories,
            self.score,
            candidates,
            keep,
            &|progress: BuildProgress| {
                bar.set_length(progress.total as u64);
                bar.set_position(progress.done as u64);
                interrupt::check()
            },
        );
        bar.finish_and_clear();
        Ok(sets?)
    }

    /// The probability of every edge, by a chain on the sums over all parent sets.
    fn posterior(&self, candidates: &Candidates) -> anyhow::Result<Vec<f64>> {
        let sets = Arc::new(self.parent_sets(candidates, Keep::All(SizePrior::EvenSizes))?);
        let chain = OrderMcmc { seed: self.arguments.seed, ..OrderMcmc::default() };
        let chain = OrderMcmc { steps: self.arguments.steps.unwrap_or(chain.steps), ..chain };
        let bar = console::progress(chain.steps, "posterior");
        let posterior = chain.posterior(&sets, |state| {
            if state.step % LOOK_EVERY > 0 {
                return ControlFlow::Continue(());
            }
            bar.set_position(state.step);
            interrupt::check()
        })?;
        bar.finish_and_clear();
        Ok(posterior.probabilities)
    }

    fn seconds_left(&self) -> Option<f64> {
        self.arguments.time.map(|time| (time - self.start.elapsed().as_secs_f64()).max(0.0))
    }
}

/// Moves of the chain between looks at Ctrl-C.
const LOOK_EVERY: u64 = 256;
