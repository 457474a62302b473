//! `plackett simulate`: data with a known graph, to try a method on or to test one's trust in it.

pub(crate) mod network;
mod sem;

use clap::{Args, Subcommand};
use plackett::memory;

use crate::arguments::Common;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    model: Model,
}

#[derive(Subcommand)]
enum Model {
    /// A linear structural equation model with Gaussian noise of variance 1 and a random graph
    Sem(sem::Arguments),
    /// A discrete Bayesian network: a published one by name, or one from a BIF file
    Network(network::Arguments),
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.model {
        Model::Sem(arguments) => sem::command(arguments),
        Model::Network(arguments) => network::command(arguments),
    }
}

/// What is drawn from any model.
#[derive(Args)]
struct Drawing {
    /// Rows of data.csv
    #[arg(long, default_value_t = 1000, value_parser = parse_rows)]
    samples: usize,
    /// Rows of validation.csv [default: as many as --samples]
    #[arg(long, value_parser = parse_rows)]
    validation: Option<usize>,
    #[command(flatten)]
    common: Common,
}

impl Drawing {
    fn validation(&self) -> usize {
        self.validation.unwrap_or(self.samples)
    }

    /// Refuses more rows than there is memory for, together with `others`: of so many columns, whose values take so many bytes with their text.
    fn check(&self, others: u128, columns: usize, bytes: usize) -> anyhow::Result<()> {
        let rows = self.samples as u128 + self.validation() as u128 + others;
        Ok(memory::check("so many rows", (rows * columns as u128).saturating_mul(bytes as u128))?)
    }
}

/// A file without rows would be refused by every reader.
fn parse_rows(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("at least 1 row is needed".to_owned()),
        Ok(rows) => Ok(rows),
        Err(_) => Err("a whole number is needed".to_owned()),
    }
}
