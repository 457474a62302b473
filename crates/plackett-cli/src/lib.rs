//! The `plackett` program: the libraries' experiments and tools from the command line.
//!
//! Human-readable by default; `--json` prints one JSON document on standard output and nothing else there. Progress
//! goes to standard error, and only to a terminal. Exit codes: 0 done, 1 failed, 2 wrong usage or bad input.
//!
//! This is a library only so that the Python package can install the same program and say the same of a graph: [`run`],
//! [`Summary`] and [`graph_svg`] are all that it offers; what there is to build on is in the crates `plackett` and `plackett-dag`.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arguments;
mod console;
mod convert;
mod effect;
mod evaluate;
mod files;
mod fit;
mod interrupt;
mod learn;
mod optimize;
mod plot;
mod query;
mod reproduce;
mod simulate;
mod state;
mod statistics;
mod summary;
mod toy;

use std::{ffi::OsString, io::Write as _};

use clap::{Parser, Subcommand};

pub use learn::summary::{Face, Summary, Truth, graph_svg};

#[doc(hidden)]
pub use optimize::worker_answer;

/// The exit code of a run that did what was asked.
const DONE: u8 = 0;
/// The exit code when the disk or the program is at fault.
const FAILED: u8 = 1;
/// The exit code when the user is.
const BAD_INPUT: u8 = 2;

/// Optimization over permutations with low-variance gradients of the Plackett–Luce distribution.
#[derive(Parser)]
// Named here, as the package has another name and the file that Python starts has none that a user knows.
#[command(name = "plackett", bin_name = "plackett", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Learn a causal graph from a CSV file
    Learn(Box<learn::Arguments>),
    /// Fit a model to data: coefficients and probabilities of a graph
    Fit(Box<fit::Arguments>),
    /// Estimate how much one column, or several together, change another, by a graph and data
    Effect(Box<effect::Arguments>),
    /// Ask a network of categories for probabilities, given what is observed and what is set
    Query(query::Arguments),
    /// Write a graph in the format of another program
    Convert(convert::Arguments),
    /// Sum data up in a file that graphs are learned from, and that merges with others
    Statistics(statistics::Arguments),
    /// Find a good order for a problem file or for a program that evaluates orders
    Optimize(optimize::Arguments),
    /// Make data with a known graph
    Simulate(simulate::Arguments),
    /// Compare an estimated graph with the true one
    Evaluate(evaluate::Arguments),
    /// Solve the toy problem of the paper's Figure 1 with one gradient estimator
    Toy(toy::Arguments),
    /// Reproduce a figure or a table of the paper, over several seeds
    Reproduce(reproduce::Arguments),
}

/// Runs the program with these arguments, the first of which is the program's own name, and returns its exit code.
///
/// It is written for a process of its own: it prints, and commands that can be stopped catch Ctrl-C and the system's wish to
/// end from then on, which a process can ask for once only.
///
/// # Example
/// ```
/// assert_eq!(plackett_cli::run(["plackett", "--version"].map(Into::into)), 0);
/// assert_eq!(plackett_cli::run(["plackett", "levitate"].map(Into::into)), 2);
/// ```
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(message) => return explain(&message),
    };
    let outcome = match cli.command {
        Command::Learn(arguments) => learn::command(&arguments),
        Command::Fit(arguments) => fit::command(&arguments),
        Command::Effect(arguments) => effect::command(&arguments),
        Command::Query(arguments) => query::command(&arguments),
        Command::Convert(arguments) => convert::command(&arguments),
        Command::Statistics(arguments) => statistics::command(&arguments),
        Command::Optimize(arguments) => optimize::command(&arguments),
        Command::Simulate(arguments) => simulate::command(&arguments),
        Command::Evaluate(arguments) => evaluate::command(&arguments),
        Command::Toy(arguments) => toy::command(&arguments),
        Command::Reproduce(arguments) => reproduce::command(&arguments),
    };
    match outcome {
        Ok(()) => DONE,
        Err(error) if console::is_closed_pipe(&error) => DONE,
        Err(error) => {
            console::complain(&error);
            if console::is_bad_input(&error) { BAD_INPUT } else { FAILED }
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments.
fn explain(message: &clap::Error) -> u8 {
    // Whoever closed our output does not want to know.
    message.print().and_then(|()| std::io::stdout().flush()).ok();
    if message.use_stderr() { BAD_INPUT } else { DONE }
}
