//! Causal graphs from data by searching over topological orders.
//!
//! An order's score is a sum of local scores, one per node: what the node costs when its parents may come only from the
//! nodes before it. [`LocalScore`] is such a score: [`L1`], [`EvL0`], [`Bic`] on a [`Gram`] matrix that one pass over
//! numbers gives, [`ParentSets`] with one of the [`DISCRETE_SCORES`] on [`Categories`]. [`Oracle`] remembers its answers.
//! [`Insertion`], [`PlSearch`], [`OrderMcmc`] and [`Exact`] search over orders with it. [`Pc`] learns from tests instead.
//! Beside them are graphs with their metrics and files, simulated models, discrete networks, and the paper's [`rival`]
//! methods. [`Learning`] puts all of it together.
//!
//! ```
//! use std::sync::Arc;
//! use plackett::run::Run;
//! use plackett_dag::*;
//!
//! let sem = simulate_sem(&SemSettings::default(), 1)?; // 10 nodes, about 10 edges
//! let data = sem.sample(1000, Sem::TRAINING);
//! let gram = Arc::new(Gram::from_rows(data.values(), data.columns(), Centering::Center)?);
//! let score: Arc<dyn LocalScore> = Arc::new(EvL0::new(gram, &ScoreSettings::default())?);
//! let found = Insertion::default().run(&mut Oracle::new(Arc::clone(&score)), &Run::default());
//! let weights = fit_weights(score.as_ref(), &found.parents)?.unwrap_or_default();
//! let learned = Dag::from_adjacency(10, &weights)?;
//! assert_eq!(shd(sem.dag(), &learned)?, 0);
//! # Ok::<(), plackett_dag::Error>(())
//! ```
//!
//! A node is an index `0..d` inside the library and a name at its edges: [`Dag`] knows indices only, [`NamedDag`]
//! adds the names that files carry. Direction is always explicit: entry (row i, column j) of an adjacency matrix and
//! an edge `(i, j)` both mean i → j.
//!
//! # Example
//! ```
//! use plackett_dag::{Dag, compare};
//!
//! let truth = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]])?;
//! let estimate = Dag::from_parents(vec![vec![1], vec![], vec![0, 1]])?;
//! let result = compare(&truth, &estimate)?;
//! assert_eq!((result.shd, result.shd_cpdag, result.reversed), (1, 0, 1));
//! # Ok::<(), plackett_dag::Error>(())
//! ```

mod categories;
mod cholesky;
mod counts;
mod cpdag;
mod dataset;
mod dictionary;
mod error;
mod field;
mod finding;
mod format;
mod gram;
mod graph;
mod independence;
mod learning;
mod metrics;
mod network;
pub mod node_set;
mod oracle;
mod orientation;
mod pace;
mod parent_sets;
mod pattern;
mod pc;
mod records;
pub mod rival;
mod score;
mod search;
mod simulate;
mod table;
#[cfg(test)]
mod testing;
mod text;

pub use categories::Categories;
pub use cpdag::{Cpdag, Mark};
pub use dataset::{Column, Dataset, Delimiter, Kind, Missing, Reading, SourceColumn, SourceValues, Why};
pub use error::{Error, Place, Problem, Result};
pub use finding::{Concern, Finding, Remedy, Where, faults_text, finding_texts};
pub use format::{
    CpdagDocument, EdgeDocument, GraphDocument, cpdag_to_dot, parse_graph_csv, parse_graph_json, read_graph,
    to_dot, write_graph_csv,
};
pub use gram::{Centering, Gram, GramBuilder};
pub use graph::{Dag, NamedDag};
pub use independence::{DSeparation, FisherZ, GSquare, IndependenceTest};
pub use learning::{
    CategorySettings, Found, LEARN_METHODS, LearnMethod, Learned, Learning, NumberSettings, Observations,
    ParentSpace, ScoreChoice, SearchSettings, SearchTask, TestSettings, residual_variances,
};
pub use metrics::{Comparison, compare, shd, shd_cpdag, sid};
pub use network::{BayesNet, EMBEDDED, EmbeddedNetwork};
pub use node_set::NodeSet;
pub use oracle::{Oracle, OracleStats};
pub use orientation::orient;
pub use parent_sets::{Candidates, Keep, ParentSets, Reach, SizePrior, SumScore};
pub use pc::{Pc, PcResult};
pub use score::{
    Bdeu, CountScore, DISCRETE_SCORES, DiscreteBic, DiscreteScoreEntry, DiscreteScoreSettings, FamilyScore,
    Fnml, K2, Qnml, discrete_score_by_name, graph_cost, weigh_edges,
};
pub use score::{
    Bic, Choice, EvL0, L1, LocalScore, SCORES, ScoreEntry, ScoreSettings, Scratch, SubsetSearch, Walker,
    fit_weights, score_by_name,
};
pub use search::{
    EdgePosterior, Exact, Expanded, Expansion, Expectation, GradientKind, Insertion, LocalTable,
    McmcSolution, OrderMcmc, OrderSolution, PlSearch, PlSolution,
};
pub use simulate::{GraphKind, Noise, Sem, SemSettings, simulate_sem};
pub use table::Table;

// So that the example there is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
