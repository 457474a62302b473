//! `plackett simulate`: data with a known graph, to try a method on or to test one's trust in it.

mod sem;

use clap::{Args, Subcommand};

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    model: Model,
}

#[derive(Subcommand)]
enum Model {
    /// A linear structural equation model with Gaussian noise of variance 1 and a random graph
    Sem(sem::Arguments),
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.model {
        Model::Sem(arguments) => sem::command(arguments),
    }
}
