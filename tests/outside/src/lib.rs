//! What can be written outside the crates of the project, with their public interface alone: each file brings one thing and
//! tests it where it would be used.

pub mod count_score;
pub mod critic;
pub mod estimator;
pub mod local_score;
pub mod problem;
pub mod search;
