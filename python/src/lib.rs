//! The native half of the Python package `plackett`: the two libraries behind functions of numpy arrays, and the program.
//!
//! Nothing is decided here. The Python half brings its arguments into one form (contiguous arrays of doubles and of 64-bit
//! integers), documents them and names the results; this half checks what the libraries check, releases the interpreter
//! while they work, and turns their errors into `plackett.PlackettError`.

mod arrays;
mod batch;
mod bootstrap;
mod critic;
mod data;
mod distribution;
mod effect;
mod error;
mod estimate;
mod fitted;
mod graph;
mod interrupt;
mod learn;
mod model;
mod optimize;
mod problems;
mod program;
mod relaxation;
mod statistics;
mod surrogate;

use pyo3::prelude::*;

/// The native module.
#[pymodule]
mod _plackett {
    #[pymodule_export]
    use crate::{
        batch::{Batch, fit},
        bootstrap::{Support, bootstrap},
        critic::Critic,
        data::{Batches, Data},
        distribution::Distribution,
        effect::{effect, learned_effect},
        error::PlackettError,
        fitted::FittedModel,
        graph::{
            adjustment_set, compare, cpdag, graph_format, graph_layout, graph_svg, interventional_cpdag,
            is_adjustment_set, is_d_separated, parse_graph, read_graph, related, shd, shd_cpdag, sid,
            topological_order, write_graph,
        },
        learn::{LearnedGraph, learn, read_knowledge},
        model::{LinearModel, Network},
        optimize::{Journal, Optimizer},
        problems::Problem,
        program::main,
        relaxation::{neural_sort, sinkhorn, softmax},
        statistics::Statistics,
        surrogate::Surrogate,
    };

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name that Python knows it by")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
