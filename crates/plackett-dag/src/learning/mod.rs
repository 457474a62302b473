//! Learning a graph in one call: from data and a few settings, each with a default that suits most, to a graph with what
//! there is to say about it. What the `plackett learn` command does.

mod categories;
mod cost;
mod direction;
mod edges;
mod equal_variances;
mod isolated;
mod method;
mod mixed;
mod numbers;
mod path;
mod posterior;
mod price;
mod settings;
mod threshold;

use std::sync::Arc;

use plackett::run::{Ending, Run, Trace};
use serde::Serialize;

pub use crate::em::Estimation;
pub use cost::{Decisive, KnowledgeCost};
pub use direction::{Basis, Direction};
pub use edges::LearnedEdge;
pub(crate) use equal_variances::NoiseVariances;
pub use equal_variances::residual_variances;
pub use method::{Found, LEARN_METHODS, LearnMethod, SearchTask};
pub use path::{Path, PathEdge, PathPoint};
pub use settings::{
    CategorySettings, NumberSettings, Orient, ParentSpace, ScoreChoice, SearchSettings, TestSettings,
};

use crate::{
    Bounds, Categories, Cpdag, Dag, Error, Gram, Interventions, JointMoments, LocalScore, Mixed, NodeSet,
    Oracle, OrderSolution, Pc, Result,
    independence::IndependenceTest,
    pc::PcResult,
    score::{fit_weights, weigh_by_cost},
    search::{Convergence, EdgePosterior, Exact, cost_of},
};

/// Columns of numbers, of which the second moments are enough, or of categories, or what is neither: both side by side, or with
/// missing values; of complete ones side by side, the moments are enough for some scores.
///
/// ```
/// use std::sync::Arc;
/// use plackett_dag::{Gram, Observations};
/// let gram = Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?;
/// assert_eq!(Observations::Numbers(Arc::new(gram)).columns(), 2);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Observations {
    /// The moments of numbers.
    Numbers(Arc<Gram>),
    /// Codes of categories.
    Categories(Arc<Categories>),
    /// Numbers and categories side by side, or columns of any kind with missing values.
    Mixed(Arc<Mixed>),
    /// The moments of numbers and categories side by side.
    Joint(Arc<JointMoments>),
}

impl Observations {
    /// The number of columns.
    ///
    /// ```
    /// use plackett_dag::{BayesNet, Observations};
    /// let data = BayesNet::embedded("asia")?.sample(10, 0, BayesNet::TRAINING)?;
    /// assert_eq!(Observations::Categories(data.into()).columns(), 8);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        match self {
            Self::Numbers(gram) => gram.nodes(),
            Self::Categories(categories) => categories.columns(),
            Self::Mixed(data) => data.columns().len(),
            Self::Joint(moments) => moments.columns(),
        }
    }

    /// The number of rows.
    ///
    /// ```
    /// use plackett_dag::{BayesNet, Observations};
    /// let data = BayesNet::embedded("asia")?.sample(10, 0, BayesNet::TRAINING)?;
    /// assert_eq!(Observations::Categories(data.into()).rows(), 10);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        match self {
            Self::Numbers(gram) => gram.rows(),
            Self::Categories(categories) => categories.total(),
            #[expect(clippy::cast_sign_loss, reason = "a number of rows")]
            Self::Mixed(data) => data.total().round() as usize,
            Self::Joint(moments) => moments.rows(),
        }
    }
}

impl Observations {
    /// Which columns were set from outside in which rows, if any were.
    ///
    /// ```
    /// use plackett_dag::{BayesNet, Observations};
    /// let data = BayesNet::embedded("asia")?.sample(10, 0, BayesNet::TRAINING)?;
    /// assert!(Observations::Categories(data.into()).interventions().is_none());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn interventions(&self) -> Option<&Interventions> {
        match self {
            Self::Numbers(gram) => gram.interventions(),
            Self::Categories(categories) => categories.interventions(),
            Self::Mixed(data) => data.interventions(),
            Self::Joint(_) => None,
        }
    }
}

/// How to learn. A setting that has no meaning for the data or for the score is refused rather than ignored.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{BayesNet, Learning, Observations, metrics::shd_cpdag};
/// let network = BayesNet::embedded("alarm")?;
/// let data = Observations::Categories(network.sample(20_000, 0, BayesNet::TRAINING)?.into());
/// let learned = Learning::default().run(&data, &Run::default())?;
/// assert!(shd_cpdag(network.dag(), &learned.dag)? <= 3);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct Learning {
    /// How to search.
    pub method: &'static LearnMethod,
    /// What makes a graph good.
    pub score: ScoreChoice,
    /// What concerns numbers.
    pub numbers: NumberSettings,
    /// What concerns categories.
    pub categories: CategorySettings,
    /// What concerns PC-stable's tests.
    pub tests: TestSettings,
    /// What concerns the search over orders.
    pub search: SearchSettings,
    /// Seed of all random numbers.
    pub seed: u64,
    /// An order of the columns to begin with: searches that climb start from it once, in place of several times from anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<usize>>,
    /// What is known of the graph, column by column; nothing if not given. The graph learned keeps it, whatever the method.
    #[serde(skip)]
    pub bounds: Option<Bounds>,
}

impl Default for Learning {
    fn default() -> Self {
        Self {
            method: &LEARN_METHODS[0],
            score: ScoreChoice::default(),
            numbers: NumberSettings::default(),
            categories: CategorySettings::default(),
            tests: TestSettings::default(),
            search: SearchSettings::default(),
            seed: 0,
            start: None,
            bounds: None,
        }
    }
}

/// A learned graph and how it came about.
#[derive(Clone, Debug)]
pub struct Learned {
    /// How it was searched for.
    pub method: &'static LearnMethod,
    /// The graph. Weights are those of the linear model; where there are categories, what the score would lose without the edge.
    pub dag: Dag,
    /// The same graph, each edge with what the score would lose without it; see [`edges`](Self::edges).
    pub strengths: Option<Dag>,
    /// The same graph, each edge with the largest p-value of the tests that kept it.
    pub p_values: Option<Dag>,
    /// The standard deviations of the columns that the weights of a linear model belong to.
    pub deviations: Option<Vec<f64>>,
    /// An order that the graph follows, causes first.
    pub order: Vec<usize>,
    /// What the data say of directions, up to equivalence. Where something is known of the graph, the maximally oriented graph under it:
    /// an edge is directed if all equivalent graphs that keep what is known direct it so.
    pub cpdag: Cpdag,
    /// What was known of the graph.
    pub bounds: Bounds,
    /// The score's name; tests have none.
    pub score_name: Option<String>,
    /// Why this score, where it was chosen by the data.
    pub score_choice: Option<String>,
    /// What a parent cost in the BIC of numbers, and one of one parameter in the scores of mixed data.
    pub price: Option<f64>,
    /// The graph's score, lower being better.
    pub score: Option<f64>,
    /// Whether graphs of one equivalence class are equally good, so that only the class can be told.
    pub is_equivalent: bool,
    /// What open directions rest on where they are not equally good.
    pub basis: Option<Basis>,
    /// The posterior probability of each edge, row-major, entry (i, j) that of i → j, if asked for and if there was
    /// time for it.
    pub probabilities: Option<Vec<f64>>,
    /// Whether the chains that the probabilities come from agree.
    pub convergence: Option<Convergence>,
    /// Local scores looked at, or tests made.
    pub evaluations: u64,
    /// How it ended; in each case the graph is the best so far, at worst the one without edges but those that must be there.
    pub ending: Ending,
    /// When better orders were found.
    pub trace: Trace,
    /// Nodes with too many candidates for all their parent sets, and the most parents that were tried together.
    pub lowered_limits: Vec<(usize, usize)>,
    /// Edges that the [threshold](NumberSettings::threshold) left out, with their weights; the score is that of the graph with them.
    pub dropped: Vec<(usize, usize, f64)>,
    /// Nodes of categories that have as many parents as was allowed, though one more would better the score.
    pub bound_by_limit: Vec<usize>,
    /// How the moments of incomplete data were found, where they were.
    pub estimation: Option<Estimation>,
}

impl Learned {
    /// What is said of directions: the class, or, by a score that tells the graphs of a class apart, the graph itself.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, Learning, Observations};
    /// // x₁ = 2·x₀ + noise of the same variance.
    /// let data = Observations::Numbers(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?.into());
    /// let learn = |score: &str| Learning { score: score.into(), ..Learning::default() }.run(&data, &Run::default());
    /// assert_eq!(learn("bic")?.claim().undirected(), [(0, 1)]);
    /// assert_eq!(learn("ev-l0")?.claim().directed(), [(0, 1)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn claim(&self) -> Cpdag {
        if self.is_equivalent {
            return self.cpdag.clone();
        }
        let undecided = self.basis.as_ref().map_or(&[][..], |basis| &basis.undecided);
        let is_told =
            |from: usize, to: usize| !undecided.contains(&(from, to)) || !self.bounds.permits(to, from);
        Cpdag::of_known(&self.dag, is_told)
    }

    /// The same with the probabilities of edges, if they are known.
    fn with_posterior(self, posterior: Option<EdgePosterior>) -> Self {
        match posterior {
            Some(EdgePosterior { probabilities, convergence }) => {
                Self { probabilities: Some(probabilities), convergence: Some(convergence), ..self }
            }
            None => self,
        }
    }
}

impl Learning {
    /// Learns a graph on the caller's thread, until it is done or the run is over.
    ///
    /// # Errors
    /// [`Error::Misfit`] for settings that do not fit each other or the data, and what the parts object to.
    ///
    /// ```
    /// use std::time::Duration;
    /// use plackett::run::{Ending, Limits, Run};
    /// use plackett_dag::{BayesNet, Learning, Observations};
    /// let data = Observations::Categories(BayesNet::embedded("asia")?.sample(100, 0, BayesNet::TRAINING)?.into());
    /// // There is always a graph.
    /// let learned = Learning::default().run(&data, &Run::new(Limits::time(Duration::ZERO)))?;
    /// assert_eq!((learned.ending, learned.dag.edge_count()), (Ending::Time, 0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn run(&self, data: &Observations, run: &Run<'_>) -> Result<Learned> {
        if let Some(found) = self.bounds.as_ref().map(Bounds::nodes).filter(|&nodes| nodes != data.columns())
        {
            return Err(Error::Size { what: "what is known", expected: data.columns(), found });
        }
        let Some(told) = data.interventions() else { return self.learn(data, run) };
        if self.method.is_pc() {
            let reason = "pc tests independences on all rows together, and interventions change them from row to row: take a \
                          method with a score";
            return Err(Error::Misfit { setting: "method", reason: reason.to_owned() });
        }
        let learned = self.learn(data, run)?;
        let is_bound =
            |from: usize, to: usize| self.bounds.as_ref().is_some_and(|bounds| !bounds.permits(to, from));
        let is_known = |from: usize, to: usize| told.separates(from, to) || is_bound(from, to);
        Ok(Learned { cpdag: Cpdag::of_known(&learned.dag, is_known), ..learned })
    }

    fn learn(&self, data: &Observations, run: &Run<'_>) -> Result<Learned> {
        let settled = Self { method: self.method_for(data), ..self.clone() };
        settled.check_threshold(data)?;
        let learned = settled.choose(data, run)?;
        match self.numbers.threshold {
            Some(threshold) => learned.above(threshold),
            None => Ok(learned),
        }
    }

    /// The learner that suits the score and the data.
    fn choose(&self, data: &Observations, run: &Run<'_>) -> Result<Learned> {
        if let ScoreChoice::Custom(score) = &self.score {
            return self.by_own_score(data, score, run);
        }
        match data {
            Observations::Numbers(gram) => isolated::learn(self, gram, run),
            Observations::Categories(categories) => categories::learn(self, categories, run),
            Observations::Mixed(data) => isolated::learn_mixed(self, data, run),
            Observations::Joint(moments) => isolated::learn_joint(self, moments, run),
        }
    }

    /// The method, or, where it is left open, the dynamic program for few columns of numbers or of categories, and insertion beyond them.
    fn method_for(&self, data: &Observations) -> &'static LearnMethod {
        let is_cheap = match data {
            Observations::Numbers(gram) => gram.nodes() <= EXACT_COLUMNS,
            Observations::Categories(data) => {
                categories::complete_limit(self, data).is_some()
                    && self.search.memory_bytes as u128 >= Exact::bytes_needed(data.columns())
            }
            Observations::Mixed(_) | Observations::Joint(_) => false,
        };
        let is_scored = !matches!(self.score, ScoreChoice::Custom(_));
        match (self.method.is_auto(), is_cheap && is_scored && self.search.restarts.is_none()) {
            (false, _) => self.method,
            (true, true) => &method::EXACT,
            (true, false) => &method::INSERTION,
        }
    }

    /// By a score of the caller's own. Where it has no linear model behind it, edges weigh one.
    fn by_own_score(
        &self,
        data: &Observations,
        score: &Arc<dyn LocalScore>,
        run: &Run<'_>,
    ) -> Result<Learned> {
        if score.nodes() != data.columns() {
            return Err(Error::Size { what: "the score", expected: data.columns(), found: score.nodes() });
        }
        let first: Vec<usize> = (0..score.nodes()).collect();
        let task = SearchTask { first, ..self.task(data) };
        self.by_orders(score, &task, None, run)
    }

    /// A search over orders on a score, with the weights that the score gives the graph. If the run ends before it has found a better one, it
    /// is the graph `met` before.
    fn by_orders(
        &self,
        score: &Arc<dyn LocalScore>,
        task: &SearchTask,
        met: Option<&OrderSolution>,
        run: &Run<'_>,
    ) -> Result<Learned> {
        let bounds = self.bounds_of(score.nodes());
        let mut oracle = Oracle::with_memory(Arc::clone(score), task.memory_bytes).within(bounds.clone())?;
        run.begin(&format!("{}, {}", self.method.name, score.name()), None);
        let Found { mut solution, evaluations, trace } = self.method.run(&mut oracle, task, run)?;
        if let Some(met) = met.filter(|_| run.is_over()) {
            let (order, parents) = bounds.confine(&met.order, &met.parents);
            match cost_of(score.as_ref(), &parents) {
                Some(cost) if cost < solution.score => {
                    solution = OrderSolution { order, score: cost, parents };
                }
                _ => {}
            }
        }
        let dag = weighted(score.as_ref(), &solution.dag()?, &bounds)?;
        let basis = (!score.is_equivalent())
            .then(|| Basis { undecided: score.undecided(&dag), ..Basis::of_score(score.name()) });
        let knows_costs = score.nodes() > 0 && score.cost(0, &NodeSet::default()).is_some();
        Ok(Learned {
            method: self.method,
            cpdag: bounds.orient(&dag),
            strengths: knows_costs.then(|| weigh_by_cost(score.as_ref(), &dag)).transpose()?,
            p_values: None,
            deviations: None,
            bounds,
            dag,
            order: solution.order,
            score_name: Some(score.name().to_owned()),
            score_choice: None,
            price: None,
            score: Some(solution.score),
            is_equivalent: score.is_equivalent(),
            basis,
            probabilities: None,
            convergence: None,
            evaluations,
            ending: run.ending().unwrap_or(Ending::Finished),
            trace,
            lowered_limits: Vec::new(),
            dropped: Vec::new(),
            bound_by_limit: Vec::new(),
            estimation: None,
        })
    }

    /// What the search is told; the order to fall back on is still to be put in.
    fn task(&self, data: &Observations) -> SearchTask {
        SearchTask {
            first: Vec::new(),
            start: self.start.clone(),
            restarts: self.search.restarts.or(self.start.is_some().then_some(1)),
            steps: self.search.steps,
            descent: match data {
                Observations::Numbers(_) => crate::search::PlSearch::default(),
                Observations::Categories(_) | Observations::Mixed(_) | Observations::Joint(_) => {
                    crate::search::PlSearch::for_categories()
                }
            },
            memory_bytes: self.search.memory_bytes,
            seed: self.seed,
        }
    }

    fn test<T: IndependenceTest + Clone + Sync>(&self, test: &T, run: &Run<'_>) -> PcResult {
        let pc = Pc { max_conditioning: self.tests.max_conditioning };
        pc.run_within(test, &self.bounds_of(test.nodes()), run)
    }

    /// What is known of so many columns.
    fn bounds_of(&self, columns: usize) -> Bounds {
        self.bounds.clone().unwrap_or_else(|| Bounds::free(columns))
    }
}

/// The pattern of the tests, a DAG close to it, without edges but those that must be there if there was no time to test all pairs,
/// and the p-values of its edges.
fn patterned(found: PcResult, bounds: &Bounds) -> Result<(Cpdag, Dag, Dag)> {
    if found.levels == 0 && found.ending.is_early() {
        let nothing = bounds.least();
        return Ok((bounds.orient(&nothing), nothing, Dag::empty(bounds.nodes())));
    }
    let dag = found.to_dag();
    // Zero would be no edge, and an edge that was never tested has no p-value.
    let p_values = dag.edges().filter_map(|(from, to, _)| {
        found.p_value(from, to).map(|p_value| (from, to, p_value.max(f64::MIN_POSITIVE)))
    });
    let p_values = Dag::from_edges(dag.nodes(), p_values)?;
    if bounds.is_free() {
        return Ok((found.pattern, dag, p_values));
    }
    // What is known may leave no room for an edge that the tests left.
    let is_there = |&(a, b): &(usize, usize)| dag.has_edge(a, b) || dag.has_edge(b, a);
    let directed = found.pattern.directed().iter().copied().filter(is_there);
    let undirected = found.pattern.undirected().iter().copied().filter(is_there);
    Ok((Cpdag::from_edges(dag.nodes(), directed, undirected)?, dag, p_values))
}

/// The graph with the weights that a score gives its edges, those that it gives none being dropped unless they must be there; with
/// weights of one if the score gives none.
fn weighted(score: &dyn LocalScore, dag: &Dag, bounds: &Bounds) -> Result<Dag> {
    let nodes = dag.nodes();
    let parents: Vec<NodeSet> = (0..nodes).map(|node| dag.parents(node).iter().copied().collect()).collect();
    let Some(mut weights) = fit_weights(score, &parents)? else { return Ok(dag.clone()) };
    for (from, to, _) in dag.edges().filter(|&(from, to, _)| bounds.joins(from, to)) {
        let weight = &mut weights[from * nodes + to];
        // Zero would be no edge.
        *weight = if *weight == 0.0 { f64::MIN_POSITIVE } else { *weight };
    }
    Dag::from_adjacency(nodes, &weights)
}

/// A graph without a score: that of tests, with the directions of the pattern, or one that there was no time to score.
fn unscored(learning: &Learning, dag: Dag, cpdag: Cpdag, evaluations: u64, ending: Ending) -> Learned {
    Learned {
        method: learning.method,
        bounds: learning.bounds_of(dag.nodes()),
        order: dag.topological_order().to_vec(),
        dag,
        strengths: None,
        p_values: None,
        deviations: None,
        cpdag,
        score_name: None,
        score_choice: None,
        price: None,
        score: None,
        is_equivalent: true,
        basis: None,
        probabilities: None,
        convergence: None,
        evaluations,
        ending,
        trace: Trace::default(),
        lowered_limits: Vec::new(),
        dropped: Vec::new(),
        bound_by_limit: Vec::new(),
        estimation: None,
    }
}

/// Why settings of tests are refused where none are made.
const NO_TESTS: &str = "is for tests, which bound the parents of categories and which the method pc makes";

/// The first of these settings that is given is refused, with the reason.
fn refuse(settings: &[(&'static str, bool)], reason: &str) -> Result<()> {
    match settings.iter().find(|(_, is_given)| *is_given) {
        Some(&(setting, _)) => Err(Error::Misfit { setting, reason: reason.to_owned() }),
        None => Ok(()),
    }
}

/// Up to so many columns of numbers the best order of all is found in a fraction of a second.
const EXACT_COLUMNS: usize = 16;

/// The level of PC-stable's tests where their answer is the graph.
const METHOD_ALPHA: f64 = 0.01;

/// The level of the tests where they only bound the parents: a pair kept in error does no harm.
const CANDIDATE_ALPHA: f64 = 0.05;
