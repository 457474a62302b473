//! `plackett reproduce`: the paper's experiments again, with its figures beside ours.

mod figure1;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::{console, files::OutDir, interrupt};

#[derive(Args)]
pub(crate) struct Arguments {
    /// What to make
    #[arg(value_enum)]
    experiment: Experiment,
    /// A short form, in seconds: fewer steps and seeds, for a first look
    #[arg(long)]
    quick: bool,
    /// How many seeds to run, counted up from --seed [default: 5, or 2 with --quick]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// The first seed
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// The folder for tables, data and pictures
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Experiment {
    /// Training curves and gradient variance on the toy problem
    Figure1,
    /// Everything there is
    All,
}

/// One figure of a table, ours and the paper's.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Cell {
    pub table: &'static str,
    pub graph: String,
    pub nodes: usize,
    pub method: String,
    pub metric: &'static str,
    pub mean: f64,
    pub std: f64,
    pub paper_mean: Option<f64>,
    pub paper_std: Option<f64>,
}

/// The document that `--json` prints and every folder holds.
#[derive(Serialize)]
struct Document<'a> {
    cells: &'a [Cell],
    seeds: Vec<u64>,
    quick: bool,
    interrupted: bool,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let out = OutDir::create(&arguments.out)?;
    interrupt::listen()?;
    let count = arguments.seeds.unwrap_or(if arguments.quick { 2 } else { 5 });
    let seeds: Vec<u64> = (0..count).map(|index| arguments.seed.wrapping_add(index)).collect();
    // One experiment is all there is, so `all` is the same.
    let (Experiment::Figure1 | Experiment::All) = arguments.experiment;
    let report = figure1::make(&out, &seeds, arguments.quick)?;
    let interrupted = interrupt::check().is_break();
    let document = Document { cells: &report.cells, seeds, quick: arguments.quick, interrupted };
    out.write("figure1.json", serde_json::to_string_pretty(&document)?.as_bytes())?;
    if arguments.json {
        return console::say_json(&document);
    }
    console::say(&report.text)?;
    let note = if interrupted { " (interrupted: the curves end early)" } else { "" };
    console::say(&format!("Written to {}{note}: {}", arguments.out.display(), report.files.join(", ")))
}

/// What an experiment leaves: its cells, a text to show, the names of its files.
struct Report {
    cells: Vec<Cell>,
    text: String,
    files: Vec<&'static str>,
}
