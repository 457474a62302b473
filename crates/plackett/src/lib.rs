//! Gradients and optimisation over permutations.

mod adam;
mod assignment;
mod categorical;
mod critic;
mod enumeration;
mod error;
mod estimator;
mod exponential;
mod gumbel;
mod latent;
mod linear;
mod noise;
mod objective;
mod order;
mod plackett_luce;
mod relaxation;
mod toy;
mod training;

pub use adam::Adam;
pub use assignment::assignment;
pub use categorical::{Categorical, GivenCategory};
pub use critic::{Critic, Network, RelaxedObjective, Sum};
pub use error::{Error, ObjectiveError};
pub use estimator::{Baseline, Demand, Estimator, Exact, Rebar, Reinforce, Relax, Reparametrised, Samples};
pub use gumbel::{gumbel, truncated_gumbel};
pub use latent::{Given, Latent};
pub use noise::Noise;
pub use objective::{Differentiable, IntoValue, Objective};
pub use order::Order;
pub use plackett_luce::{GivenOrder, PlackettLuce};
pub use relaxation::{
    NeuralSort, Relaxation, Sinkhorn, Softmax, gumbel_sinkhorn, neural_sort, sinkhorn, softmax,
};
pub use toy::Toy;
pub use training::{Settings, Status, Stop, Training};
