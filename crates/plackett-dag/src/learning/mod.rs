//! Learning a graph in one call: from data and a few settings, each with a default that suits most, to a graph with what
//! there is to say about it. What the `plackett learn` command does.

mod categories;
mod equal_variances;
mod method;
mod numbers;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

pub use equal_variances::residual_variances;
pub use method::{LEARN_METHODS, LearnMethod};

use crate::{Categories, Cpdag, Dag, Error, Gram, IndependenceTest, Pc, PcResult, Result};

/// Columns of numbers, of which the second moments are enough, or of categories.
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
            Self::Categories(categories) => categories.row_count(),
        }
    }
}

/// Which parents a column of categories may have.
///
/// ```
/// assert_eq!(plackett_dag::ParentSpace::default(), plackett_dag::ParentSpace::PlusOne);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParentSpace {
    /// Those that PC-stable leaves joined to it, and one more, the space growing until no one more helps.
    #[default]
    PlusOne,
    /// Those that PC-stable leaves joined to it, as in the paper.
    Neighbors,
    /// All others, few at a time.
    All,
}

/// How to learn. A setting that has no meaning for the data or for the score is refused rather than ignored.
///
/// ```
/// use std::ops::ControlFlow;
/// use plackett_dag::{BayesNet, Learning, Observations, shd_cpdag};
/// let network = BayesNet::embedded("alarm")?;
/// let data = Observations::Categories(network.sample(20_000, 0, BayesNet::TRAINING)?.into());
/// let learned = Learning::default().run(&data, &mut |_| ControlFlow::Continue(()))?;
/// assert!(shd_cpdag(network.dag(), &learned.dag)? <= 3);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Learning {
    /// How to search.
    pub method: &'static LearnMethod,
    /// What makes a graph good, by name; chosen by the data if not given.
    pub score: Option<String>,
    /// λ of the score `l1`.
    pub lambda: Option<f64>,
    /// σ² of the score `ev-l0`.
    pub noise_variance: Option<f64>,
    /// The price of a parent in `ev-l0` and in `bic` of numbers, one being that of the BIC proper.
    pub penalty: Option<f64>,
    /// The equivalent sample size of the score `bdeu`.
    pub equivalent_sample_size: Option<f64>,
    /// Which parents a column of categories may have.
    pub space: Option<ParentSpace>,
    /// The most parents of a column of categories.
    pub max_parents: Option<usize>,
    /// The level of PC-stable's tests.
    pub alpha: Option<f64>,
    /// The most columns that PC-stable's tests condition on.
    pub max_conditioning: Option<usize>,
    /// Whether to find the posterior probability of every edge between categories.
    pub posterior: bool,
    /// Random orders to start from.
    pub restarts: Option<usize>,
    /// Steps of the gradient methods, moves of the Markov chains.
    pub steps: Option<u64>,
    /// Most memory for tables and caches.
    pub memory_bytes: usize,
    /// The time after which the best order so far is good enough; only then can two runs of one seed differ.
    pub time: Option<Duration>,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Default for Learning {
    fn default() -> Self {
        Self {
            method: &LEARN_METHODS[0],
            score: None,
            lambda: None,
            noise_variance: None,
            penalty: None,
            equivalent_sample_size: None,
            space: None,
            max_parents: None,
            alpha: None,
            max_conditioning: None,
            posterior: false,
            restarts: None,
            steps: None,
            memory_bytes: 1 << 30,
            time: None,
            seed: 0,
        }
    }
}

/// A learned graph and how it came about.
#[derive(Clone, Debug)]
pub struct Learned {
    /// The graph. Weights are those of the linear model; between categories, what the score would lose without the edge.
    pub dag: Dag,
    /// An order that the graph follows, causes first.
    pub order: Vec<usize>,
    /// What the data say of directions, up to equivalence.
    pub cpdag: Cpdag,
    /// The score's name.
    pub score_name: &'static str,
    /// Why this score, where it was chosen by the data.
    pub score_choice: Option<String>,
    /// The graph's score, lower being better.
    pub score: f64,
    /// Whether graphs of one equivalence class are equally good by the score.
    pub is_equivalent: bool,
    /// The posterior probability of each edge, row-major, entry (i, j) that of i → j, if asked for and if there was
    /// time for it.
    pub probabilities: Option<Vec<f64>>,
    /// Local scores looked at, or tests made.
    pub evaluations: u64,
    /// How the search ended.
    pub status: LearnStatus,
    /// Nodes with too many candidates for all their parent sets, and the most parents that were tried together.
    pub lowered_limits: Vec<(usize, usize)>,
}

/// How a search ended.
///
/// ```
/// assert_eq!(serde_json::to_string(&plackett_dag::LearnStatus::TimeLimit).unwrap(), "\"time limit\"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LearnStatus {
    /// By itself.
    Finished,
    /// The observer ended it: the answer is the best so far.
    Interrupted,
    /// Time was up: the answer is the best so far.
    #[serde(rename = "time limit")]
    TimeLimit,
}

/// How far the work is.
///
/// ```
/// let progress = plackett_dag::LearnProgress { stage: "PC-stable".into(), done: 3, total: 10 };
/// assert!(progress.done < progress.total);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LearnProgress {
    /// What is being done.
    pub stage: String,
    /// Parts of it done.
    pub done: u64,
    /// Parts of it in all.
    pub total: u64,
}

/// Is told how far the work is, some times a second, and may end it.
pub type LearnObserver<'a> = &'a mut (dyn FnMut(&LearnProgress) -> ControlFlow<()> + Send);

impl Learning {
    /// Learns a graph.
    ///
    /// # Errors
    /// [`Error::Misfit`] for settings that do not fit each other or the data, [`Error::Stopped`] if the observer ended the work
    /// before there was a graph, and what the parts object to.
    pub fn run(&self, data: &Observations, observe: LearnObserver) -> Result<Learned> {
        let start = Instant::now();
        let deadline = self.time.and_then(|time| start.checked_add(time));
        match data {
            Observations::Numbers(gram) => numbers::learn(self, gram, deadline, observe),
            Observations::Categories(categories) => categories::learn(self, categories, deadline, observe),
        }
    }

    /// Four starts reach the optimum of l1 on all the data sets of 10 and 20 columns that it was compared on; beyond 64
    /// columns a start takes long enough for two to be a better bargain.
    fn restarts(&self, columns: usize) -> usize {
        self.restarts.unwrap_or(if columns <= 64 { 4 } else { 2 })
    }

    /// PC-stable, told to the observer.
    fn test<T: IndependenceTest + Clone + Sync>(&self, test: &T, observe: LearnObserver) -> Result<PcResult> {
        let pc = Pc { max_conditioning: self.max_conditioning };
        let found = pc.run(test, |progress| {
            let stage = match progress.level {
                Some(level) => format!("PC-stable, given {level}"),
                None => "PC-stable, directions".to_owned(),
            };
            observe(&LearnProgress { stage, done: progress.done as u64, total: progress.nodes as u64 })
        });
        if found.status == plackett::run::Ending::Interrupted { Err(Error::Stopped) } else { Ok(found) }
    }
}

/// The first of these settings that is given is refused, with the reason.
fn refuse(settings: &[(&str, bool)], reason: &str) -> Result<()> {
    match settings.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Error::Misfit(format!("{name} {reason}"))),
        None => Ok(()),
    }
}

/// The level of PC-stable's tests where their answer is the graph.
const METHOD_ALPHA: f64 = 0.01;
