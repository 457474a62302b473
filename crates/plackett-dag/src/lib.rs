//! Causal graphs from data: graphs and their metrics, data files, and simulated structural equation models.
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

mod cholesky;
mod cpdag;
mod data;
mod error;
mod format;
mod gram;
mod graph;
mod metrics;
pub mod node_set;
mod oracle;
mod records;
pub mod rival;
mod score;
mod search;
mod simulate;
#[cfg(test)]
mod testing;

pub use cpdag::{Cpdag, Mark};
pub use data::{ColumnFault, RowReader, Table, diagnose_moments};
pub use error::{Error, Place, Problem, Result};
pub use format::{
    CpdagDocument, EdgeDocument, GraphDocument, cpdag_to_dot, parse_graph_csv, parse_graph_json, read_graph,
    to_dot, write_graph_csv,
};
pub use gram::{Centring, Gram, GramBuilder};
pub use graph::{Dag, NamedDag};
pub use metrics::{Comparison, compare, shd, shd_cpdag, sid};
pub use node_set::NodeSet;
pub use oracle::{Oracle, OracleStats};
pub use score::{
    Bic, Choice, EvL0, L1, LocalScore, SCORES, ScoreEntry, ScoreSettings, Scratch, SubsetSearch, fit_weights,
    score_by_name,
};
pub use search::{
    Exact, Expectation, GradientKind, Insertion, LocalTable, OrderSolution, PlSearch, PlSolution,
};
pub use simulate::{GraphKind, Noise, Sem, SemSettings, simulate_sem};
