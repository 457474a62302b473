//! `plackett reproduce`: the paper's experiments again, with its figures beside ours.

mod cells;
mod figure1;
mod jobs;
mod linear;
mod networks;
mod page;
mod paper;
mod variance;

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::{
    arguments::{self, Common},
    console::{self, BadInput},
    files::{OutDir, OutFile},
    interrupt,
    plot::Figure,
};
pub(crate) use cells::Cell;

#[derive(Args)]
#[command(mut_arg("seed", |seed| seed.help("The first seed")))]
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
    /// Numbers whose columns the order score of `variance` is of, as many as are wanted, drawn by the seed [default: simulated ones]
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Stop after this many seconds: what is finished by then is in the folder `partial`, and the next call goes on with the tables
    #[arg(long, value_name = "S", value_parser = arguments::seconds, allow_negative_numbers = true)]
    time: Option<Duration>,
    #[command(flatten)]
    common: Common,
    /// Write a report, to read in any browser: one HTML file with the tables beside the paper's, and the pictures
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// The folder for tables, data and pictures
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Experiment {
    /// Training curves and gradient variance on the toy problem
    Figure1,
    /// Structure learning on 10 nodes
    Table1,
    /// Structure learning on 20 nodes
    Table2,
    /// Structure learning on 50 nodes
    Table3,
    /// Structure learning from categories: ALARM and other networks
    Table4,
    /// The variance of every estimator on eight objectives, past the paper
    Variance,
    /// All of the paper's
    All,
}

/// The document that `--json` prints and every folder holds.
#[derive(Serialize)]
struct Document<'a> {
    cells: &'a [Cell],
    seeds: &'a [u64],
    quick: bool,
    interrupted: bool,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.data.is_some() && !matches!(arguments.experiment, Experiment::Variance) {
        return Err(BadInput("--data is for reproduce variance alone".to_owned()).into());
    }
    let out = OutDir::create(&arguments.out)?;
    let file = arguments.report.as_deref().map(OutFile::tried).transpose()?;
    interrupt::listen()?;
    arguments.time.into_iter().for_each(interrupt::after);
    let count = arguments.seeds.unwrap_or(if arguments.quick { 2 } else { 5 });
    plackett::memory::check("a list of so many seeds", BYTES_PER_SEED * u128::from(count))?;
    let seeds: Vec<u64> = (0..count).map(|index| arguments.common.seed.wrapping_add(index)).collect();
    let is_json = arguments.common.json;
    let (mut interrupted, mut cells) = (false, Vec::new());
    // Neither what is shown nor what is written is lost if the other cannot be had.
    let (mut shown, mut written) = (Ok(()), Ok(()));
    let mut page = page::Experiments::new(arguments, &seeds);
    for (name, make) in EXPERIMENTS.iter().filter(|(name, _)| arguments.experiment.includes(name)) {
        let wish = Wish { seeds: &seeds, quick: arguments.quick, data: arguments.data.as_deref() };
        let mut report = make(&out, wish)?;
        interrupted = interrupt::check().is_break();
        let document = Document { cells: &report.cells, seeds: &seeds, quick: arguments.quick, interrupted };
        report.files.push((format!("{name}.json"), serde_json::to_vec_pretty(&document)?));
        let say = |text: &str| if is_json { Ok(()) } else { console::say(text) };
        shown = say(&report.text);
        written = write(&report, &out, interrupted).and_then(|folder| {
            let names: Vec<&str> = report.files.iter().map(|(name, _)| name.as_str()).collect();
            say(&format!("Written to {}: {}", folder.display(), names.join(", ")))
        });
        page.add(name, &report, interrupted);
        cells.extend(report.cells);
        if interrupted || shown.is_err() || written.is_err() {
            break;
        }
    }
    if is_json {
        let document = Document { cells: &cells, seeds: &seeds, quick: arguments.quick, interrupted };
        shown = console::say_json(&document);
    }
    if let (Some(file), Some(path)) = (file, &arguments.report) {
        let page = file.write(page.html().as_bytes());
        written = written.and(page).and_then(|_| {
            let note = || format!("Report in {}", path.display());
            if is_json { Ok(()) } else { console::say(&note()) }
        });
    }
    shown.and(written)?;
    if interrupted {
        let place = arguments.out.join("partial");
        return Err(anyhow!("interrupted: what is there is in {}; call again for the rest", place.display()));
    }
    Ok(())
}

/// What a table says that is not whole.
const PARTIAL: &str =
    "Interrupted: these are the figures of the runs that had been finished, and not the whole experiment.";

/// How an experiment is wanted.
#[derive(Clone, Copy)]
struct Wish<'a> {
    seeds: &'a [u64],
    quick: bool,
    data: Option<&'a Path>,
}

type Make = fn(&OutDir, Wish<'_>) -> anyhow::Result<Report>;

/// What the runs of a seed take, all methods together.
const BYTES_PER_SEED: u128 = 4096;

/// The experiments by name: a new one is one line here and one in [`Experiment`].
const EXPERIMENTS: [(&str, Make); 6] = [
    ("figure1", |_, wish| figure1::make(wish)),
    ("table1", |out, wish| linear::make(out, 10, wish)),
    ("table2", |out, wish| linear::make(out, 20, wish)),
    ("table3", |out, wish| linear::make(out, 50, wish)),
    ("table4", networks::make),
    ("variance", variance::make),
];

impl Experiment {
    /// Its word on the command line.
    fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Variance => "variance",
            Self::Figure1 => "figure1",
            Self::Table1 => "table1",
            Self::Table2 => "table2",
            Self::Table3 => "table3",
            Self::Table4 => "table4",
        }
    }

    fn includes(self, name: &str) -> bool {
        match self {
            Self::All => name != "variance",
            one => name == one.word(),
        }
    }
}

/// What an experiment leaves: its cells, a text to show, its files.
struct Report {
    cells: Vec<Cell>,
    text: String,
    files: Vec<(String, Vec<u8>)>,
}

/// Writes the files of a report, and says where they are. What is not whole does not take the place of what is.
fn write(report: &Report, out: &OutDir, is_partial: bool) -> anyhow::Result<PathBuf> {
    let part = is_partial.then(|| out.folder("partial")).transpose()?;
    let folder = part.as_ref().unwrap_or(out);
    for (name, bytes) in &report.files {
        let mut bytes = Cow::Borrowed(bytes);
        if is_partial && name.strip_suffix(".md").is_some() {
            bytes = Cow::Owned([format!("> {PARTIAL}\n\n").as_bytes(), &bytes].concat());
        }
        folder.write(name, &bytes)?;
    }
    Ok(folder.path().to_owned())
}

/// A picture in both of its forms.
fn pictures(name: &str, figure: Figure) -> [(String, Vec<u8>); 2] {
    [(format!("{name}.svg"), figure.svg.into_bytes()), (format!("{name}.png"), figure.png)]
}
