//! Problems over permutations that people have, read from the text files that they are published in.
//!
//! | kind | problem | files |
//! | --- | --- | --- |
//! | `lop` | [`LinearOrdering`] | LOLIB |
//! | `qap` | [`QuadraticAssignment`] | QAPLIB |
//! | `tsp` | [`TravelingSalesman`] | TSPLIB |
//! | `pfsp` | [`FlowShop`] | Taillard's |
//! | `assignment` | [`LinearAssignment`] | a matrix |
//!
//! Each is a [`Problem`](plackett::problem::Problem) with a neighborhood of its own, made of nothing but the public interface of the crate `plackett`, so
//! it is also an example of how to bring another.
//!
//! ```
//! use plackett::{run::{Limits, Run}, solver::{Method, Solver}};
//! use plackett_problems::{Instance, Kind};
//! let text = "4\n0 1 2 3\n1 0 5 4\n2 5 0 6\n3 4 6 0\n\n0 9 1 2\n9 0 3 1\n1 3 0 4\n2 1 4 0\n";
//! let problem = Kind::QuadraticAssignment.parse("four.dat", text)?;
//! let limits = Limits::evaluations(1000);
//! let mut solver = Solver::new(problem.as_ref(), Method::Default, 0, &limits)?;
//! solver.run(problem.as_ref(), &Run::new(limits))?;
//! assert_eq!((problem.name(), solver.best().unwrap().1), ("four", 110.0));
//! # Ok::<(), plackett_problems::Error>(())
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod error;
mod flow_shop;
mod instance;
mod kind;
mod linear_assignment;
mod linear_ordering;
mod published;
mod quadratic_assignment;
mod read;
mod taillard;
mod text;
mod traveling_salesman;

pub use error::Error;
pub use flow_shop::FlowShop;
pub use instance::Instance;
pub use kind::Kind;
pub use linear_assignment::LinearAssignment;
pub use linear_ordering::LinearOrdering;
pub use published::BestKnown;
pub use quadratic_assignment::QuadraticAssignment;
pub use read::read_problem;
pub use traveling_salesman::TravelingSalesman;

// So that the example there is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
