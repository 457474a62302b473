//! Gradients and optimization over permutations.
//!
//! This crate minimizes E f(b) over the scores θ of a [`PlackettLuce`] distribution over orders (or a [`Categorical`]
//! one), for an f that may be a black box, with the low-variance gradient estimators of *Low-variance Black-box
//! Gradient Estimates for the Plackett-Luce Distribution* (Gadetsky, Struminsky, Robinson, Quadrianto and Vetrov,
//! AAAI 2020). It knows nothing of graphs, needs no automatic differentiation, and allocates nothing in a training step.
//!
//! ```
//! use plackett::{Noise, PlackettLuce, Training, TrainingSettings, critic::Network, estimator::Relax, run::{Limits, Run}};
//!
//! // Something to minimize: how far is each item from where we want it?
//! let wanted = [3, 1, 4, 0, 2];
//! let mut objective = |order: &[usize]| {
//!     order.iter().enumerate().map(|(rank, &item)| rank.abs_diff(wanted[item]) as f64).sum::<f64>()
//! };
//!
//! let latent = PlackettLuce::new(&[0.0; 5])?; // start from all orders alike
//! let critic = Network::new(5, 32); // f is a black box: a small network learns to predict it
//! let relax = Relax::new(&latent, critic, &mut Noise::new(0))?;
//! let mut training = Training::new(latent, relax, TrainingSettings { samples: 4, ..TrainingSettings::default() })?;
//! training.run(&mut objective, &Run::new(Limits::steps(3000)))?;
//! assert_eq!(training.mode(), [3, 1, 4, 0, 2]);
//! # Ok::<(), plackett::Error>(())
//! ```
//!
//! # The parts, and where the paper has them
//!
//! | part | paper | here |
//! | --- | --- | --- |
//! | orders b, matrices P_b | section 3 | [`Order`] |
//! | p(b \| θ), H(z), p(z \| θ), p(z \| b, θ) | definition 1, lemma 1, proposition 1, equation 10 | [`PlackettLuce`], [`Categorical`], by the traits [`Latent`] and [`Given`] |
//! | the (truncated) Gumbel distribution | appendix | [`gumbel()`], [`truncated_gumbel`], [`Noise`] |
//! | relaxations σ(z, τ) | sections 2.2 and 4 | [`relaxation`]; [`assignment()`] to round |
//! | critics c_φ | sections 2.3 and 5.1 | [`critic`] |
//! | REINFORCE | equation 1 | [`Reinforce`](estimator::Reinforce) with a [`Baseline`](estimator::Baseline) |
//! | the reparametrized gradient | section 2.2 | [`Reparametrized`](estimator::Reparametrized) |
//! | REBAR and RELAX | equations 11 and 13 | [`Relax`](estimator::Relax); [`Rebar`](estimator::Rebar) is RELAX with a particular critic |
//! | the exact gradient | Figure 1 | [`Exact`](estimator::Exact), for [`Additive`] objectives at hundreds of items |
//! | past the paper: a control variate with an exact expectation | | [`SurrogateGradient`](estimator::SurrogateGradient) with a [`Surrogate`] |
//! | the toy problem | section 5.1 | [`Toy`] |
//!
//! An [`Estimator`](estimator::Estimator) turns [`Samples`](estimator::Samples) and the objective's values into a gradient;
//! [`Training`] is a loop of that with [`Adam`]. Who wants the pieces, to evaluate the objective elsewhere or to mix the
//! gradient with others, calls them in the same order as [`Training::step`] does.
//!
//! # Optimizing anything over orders
//!
//! | for | use |
//! | --- | --- |
//! | an objective that somebody else evaluates: threads, programs, a cluster | [`optimizer`], asked for orders and told their values, saved and resumed |
//! | a closure, to be optimized until some limit | [`optimizer::drive`] with [`Parallel`](optimizer::Parallel) |
//! | orders that must keep precedences or ranks | [`Constraints`], [`ConstrainedPlackettLuce`] |
//! | a problem of your own, searched by a method by name | [`problem::Problem`], [`solver::Solver`] |
//! | local refinement by what a move changes | [`neighborhood`], [`solver::Walks`] |
//!
//! Problems that are published in files (linear ordering, quadratic assignment, traveling salesman, flow shop, linear
//! assignment) are in the crate `plackett-problems`.
//!
//! Whatever can take long has a `step` and a `run`: the latter makes steps under a [`Run`](run::Run), which has limits and
//! perhaps somebody who looks on, and returns how it [ended](run::Ending); who wants to look at the thing itself between
//! steps makes them one by one.
//!
//! # Features
//!
//! Both are on by default. Without `threads` everything is done by the thread that calls; without `json` nothing can be saved.
//!
//! # What can be relied on
//!
//! Scores may be any finite numbers and noise may be exactly 0 or 1: everything is computed in log space and stays
//! finite. A run is a function of its input, its settings and its seed. Bad input is an [`Error`] that names the
//! place. The allocation-free pieces ([`Latent`], [`Given`], [`Relaxation`](relaxation::Relaxation),
//! [`Critic`](critic::Critic)) trust the lengths of their
//! slices, and panic if those are wrong.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod adam;
mod assignment;
mod average;
mod batch;
mod categorical;
mod constrained;
mod constraints;
pub mod critic;
mod distribution;
pub mod elementary;
mod enumeration;
mod error;
pub mod estimator;
#[doc(hidden)]
pub mod faults;
pub mod files;
pub mod fitting;
mod gumbel;
mod latent;
pub mod linear;
mod marginals;
pub mod memory;
mod moves;
pub mod neighborhood;
mod noise;
mod objective;
pub mod optimizer;
mod order;
mod parallel;
mod plackett_luce;
pub mod problem;
mod race;
pub mod relaxation;
mod row;
pub mod run;
pub mod solver;
#[cfg(feature = "json")]
mod state;
mod surrogate;
mod toy;
mod training;
pub mod trial;

pub use adam::Adam;
pub use assignment::assignment;
pub use batch::Batch;
pub use categorical::{Categorical, GivenCategory};
pub use constrained::{ConstrainedPlackettLuce, ConstrainedRoom};
pub use constraints::Constraints;
pub use distribution::{Distribution, Enumerable};
pub use error::{Error, ObjectiveError};
pub use gumbel::{gumbel, truncated_gumbel};
pub use latent::{Given, Latent};
pub use noise::Noise;
pub use objective::{Additive, Differentiable, IntoValue, Objective};
pub use order::Order;
pub use plackett_luce::{GivenOrder, PlackettLuce};
pub use rand;
pub use row::ItemNumber;
pub use surrogate::{Families, Surrogate, SurrogateSettings};
pub use toy::Toy;
pub use training::{Training, TrainingSettings};

// So that the example there is run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
