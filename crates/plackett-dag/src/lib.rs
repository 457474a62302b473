//! Causal graphs from data by searching over topological orders.
//!
//! An order's score is a sum of local scores, one per node: what the node costs when its parents may come only from the
//! nodes before it. [`LocalScore`] is such a score: those of [`score`] on a [`Gram`] matrix that one pass over numbers gives,
//! [`parent_sets`] on [`Categories`]. [`Oracle`] remembers its answers, and [`search`] looks for the best order with it. [`Pc`]
//! learns from tests of [`independence`] instead. Beside them are graphs with their [`metrics`] and files ([`mod@format`]), models to
//! draw data from ([`simulate`], [`network`]), and the paper's [`rival`] methods. A [`Dataset`] reads data of any kind, and
//! [`Learning`] puts all of it together.
//!
//! ```
//! use std::sync::Arc;
//! use plackett::run::Run;
//! use plackett_dag::score::{EvL0, ScoreSettings, fit_weights};
//! use plackett_dag::simulate::{SemSettings, simulate_sem};
//! use plackett_dag::{Dag, Gram, LocalScore, Oracle, Sem, gram::Centering, metrics::shd, search::Insertion};
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
//! use plackett_dag::{Dag, metrics::compare};
//!
//! let truth = Dag::from_parents(vec![vec![], vec![0], vec![0, 1]])?;
//! let estimate = Dag::from_parents(vec![vec![1], vec![], vec![0, 1]])?;
//! let result = compare(&truth, &estimate)?;
//! assert_eq!((result.shd, result.shd_cpdag, result.reversed), (1, 0, 1));
//! # Ok::<(), plackett_dag::Error>(())
//! ```
//!
//! # Features
//! `threads`, on by default: work on all processors. Without it everything is done by the thread that calls; the answers are
//! the same.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod bootstrap;
mod bounds;
mod categories;
mod cells;
mod cholesky;
mod completion;
mod counts;
pub mod cpdag;
pub mod dataset;
pub mod diagnostics;
mod dictionary;
pub mod effect;
mod em;
pub mod error;
pub mod example;
mod field;
pub mod finding;
pub mod format;
pub mod gram;
mod graph;
pub mod independence;
mod interventions;
mod joint;
pub mod knowledge;
pub mod learning;
pub mod metrics;
pub mod mixed;
pub mod model;
pub mod network;
pub mod node_set;
mod normal;
pub mod oracle;
pub mod orientation;
mod pace;
mod parallel;
pub mod parent_sets;
mod pattern;
pub mod pc;
mod records;
pub mod rival;
pub mod score;
pub mod search;
pub mod simulate;
mod table;
mod tails;
#[cfg(test)]
mod testing;
mod text;

pub use bootstrap::{Bootstrap, Support};
pub use bounds::Bounds;
pub use categories::Categories;
pub use cpdag::Cpdag;
pub use dataset::{Dataset, Resampler, Sample, Statistics};
pub use error::{Error, Result};
pub use gram::Gram;
pub use graph::{Dag, NamedDag};
pub use interventions::Interventions;
pub use joint::JointMoments;
pub use knowledge::Knowledge;
pub use learning::{LearnMethod, Learned, Learning, Observations, ScoreChoice};
pub use mixed::Mixed;
pub use model::{Fitting, Model};
pub use network::BayesNet;
pub use node_set::NodeSet;
pub use oracle::Oracle;
pub use pc::Pc;
pub use score::LocalScore;
pub use search::OrderSolution;
pub use simulate::Sem;
pub use table::Table;

// So that the example there is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
