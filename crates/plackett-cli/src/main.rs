//! The `plackett` program: the libraries' experiments and tools from the command line.
//!
//! Human-readable by default; `--json` prints one JSON document on standard output and nothing else there. Progress
//! goes to standard error, and only to a terminal. Exit codes: 0 done, 1 failed, 2 wrong usage or bad input.

mod console;
mod evaluate;
mod files;
mod interrupt;
mod learn;
mod optimize;
mod plot;
mod reproduce;
mod simulate;
mod statistics;
mod toy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Optimization over permutations with low-variance gradients of the Plackett–Luce distribution.
#[derive(Parser)]
#[command(version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Learn a causal graph from a CSV file
    Learn(Box<learn::Arguments>),
    /// Find a good order for a problem file or for a program that values orders
    Optimize(optimize::Arguments),
    /// Make data with a known graph
    Simulate(simulate::Arguments),
    /// Compare an estimated graph with the true one
    Evaluate(evaluate::Arguments),
    /// Solve the toy problem of the paper's Figure 1 with one gradient estimator
    Toy(toy::Arguments),
    /// Make a figure or a table of the paper again, with several seeds
    Reproduce(reproduce::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Learn(arguments) => learn::command(&arguments),
        Command::Optimize(arguments) => optimize::command(&arguments),
        Command::Simulate(arguments) => simulate::command(&arguments),
        Command::Evaluate(arguments) => evaluate::command(&arguments),
        Command::Toy(arguments) => toy::command(&arguments),
        Command::Reproduce(arguments) => reproduce::command(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if console::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            console::complain(&error);
            ExitCode::from(if console::is_bad_input(&error) { 2 } else { 1 })
        }
    }
}
