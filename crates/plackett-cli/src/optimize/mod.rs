//! `plackett optimize`: a good order for a problem file, or for an objective in any language that another program computes.

mod external;
mod page;
mod problem;
mod report;
mod workers;

use std::{ops::ControlFlow, path::PathBuf, time::Duration};

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser},
};
use indicatif::ProgressBar;
use plackett::{
    Constraints,
    optimizer::Noisy,
    run::{Limits, Observer, Progress},
    solver::Method,
};
use plackett_problems::Kind;

pub use workers::worker_answer;

use crate::{
    arguments::{self, Common},
    console::{self, BadInput},
    files::{OutDir, OutFile},
    interrupt,
};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The problem: LOLIB, QAPLIB, TSPLIB or Taillard's flow shop format, or a matrix
    #[arg(required_unless_present = "command", conflicts_with = "command")]
    file: Option<PathBuf>,
    /// What kind of problem the file holds [default: what it looks like]
    #[arg(long, value_parser = kinds(), conflicts_with = "command")]
    kind: Option<String>,
    /// Which problem of a flow shop file that holds several, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "command")]
    instance: u32,
    /// A program that evaluates orders: it reads lines {"id": 0, "order": [2, 0, 1]} and answers {"id": 0, "value": 1.5}. The system's
    /// shell runs it (sh -c, on Windows cmd /C), which sees quotes, variables, pipes and semicolons as it always does: take it from
    /// nobody whom you would not let type at your shell
    #[arg(long, value_name = "CMD", requires = "items")]
    command: Option<String>,
    /// How many items an order has
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..), requires = "command")]
    items: Option<u32>,
    /// How many copies of the program to run side by side; the result depends on --window, not on this
    #[arg(long, value_name = "W", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..), requires = "command")]
    workers: u16,
    /// An order is asked in view of all answers but the last W - 1; the largest number of workers that are of use [default: 1
    /// for one worker, 8 for several]
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u16).range(1..), requires = "command")]
    window: Option<u16>,
    /// End a copy of the program that takes longer than this many seconds for an order, which then has failed
    #[arg(long, value_name = "S", value_parser = arguments::seconds, allow_negative_numbers = true, requires = "command")]
    timeout: Option<Duration>,
    /// An order to ask about first, such as 2,0,1; may be repeated
    #[arg(long, value_name = "ORDER", requires = "command")]
    start: Vec<StartOrder>,
    /// Only the first M items of an order matter: a choice of so many
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..), requires = "command")]
    top: Option<u32>,
    /// The value of an order is not the same each time: yes, no, or detect by asking one order twice
    #[arg(long, value_name = "WHETHER", default_value = "no", value_parser = ["no", "yes", "detect"], requires = "command")]
    noise: String,
    /// Look for large values rather than small ones (with --command)
    #[arg(long, requires = "command")]
    maximize: bool,
    /// How to search
    #[arg(long, default_value = Method::Default.name(), value_parser = methods())]
    method: String,
    /// Item A must come before item B, both counted from 0; may be repeated
    #[arg(long, value_name = "A,B", value_parser = pair)]
    before: Vec<(usize, usize)>,
    /// Item I must have rank R, both counted from 0; may be repeated
    #[arg(long, value_name = "I,R", value_parser = pair)]
    pin: Vec<(usize, usize)>,
    /// Item I must have a rank from FIRST to LAST, all counted from 0; may be repeated
    #[arg(long, value_name = "I,FIRST,LAST", value_parser = window)]
    ranks: Vec<(usize, usize, usize)>,
    /// Several orders at once, one after another as one: of the first A items, of the next B, and so on
    #[arg(long, value_name = "A,B,...", value_delimiter = ',', requires = "command", conflicts_with = "top")]
    blocks: Vec<usize>,
    /// Stop after this many orders have been valued, whole or by what a move changes [default: enough for some seconds, or 10000 with --command]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    evaluations: Option<u64>,
    /// Stop after about this many seconds; two runs of one seed can then differ
    #[arg(long, value_name = "S", value_parser = arguments::seconds, allow_negative_numbers = true)]
    time: Option<Duration>,
    /// Stop as soon as a value is as good as this [default: the published optimum, where there is one]
    #[arg(long, value_name = "V", value_parser = finite, allow_negative_numbers = true)]
    target: Option<f64>,
    /// Stop after this many evaluations without a better value
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    patience: Option<u64>,
    /// Save the run to this file, every few seconds and at the end, and go on from there if it exists
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// Share the run with other processes, on this machine or others, through this file: each evaluates orders of its own,
    /// goes on from what the others find, and counts its own evaluations; such a run cannot be repeated to the bit
    #[arg(long, value_name = "FILE", requires = "command", conflicts_with = "state")]
    journal: Option<PathBuf>,
    /// How many threads to use [default: all]; the result is the same for any number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    #[command(flatten)]
    common: Common,
    /// Write a report on the run, to read in any browser: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write result.json and trace.csv into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// An order, as it is typed.
#[derive(Clone)]
struct StartOrder(Vec<usize>);

impl std::str::FromStr for StartOrder {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let items: Result<_, _> = text.split(',').map(|item| item.trim().parse()).collect();
        items.map(Self).map_err(|_| "items with commas between them are needed, such as 2,0,1".to_owned())
    }
}

fn kinds() -> PossibleValuesParser {
    let named = Kind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.description()));
    PossibleValuesParser::new(named)
}

fn methods() -> PossibleValuesParser {
    let named = Method::ALL.map(|method| PossibleValue::new(method.name()).help(method.description()));
    PossibleValuesParser::new(named)
}

fn pair(text: &str) -> Result<(usize, usize), String> {
    let parse = |number: &str| number.trim().parse::<usize>().ok();
    text.split_once(',')
        .and_then(|(first, second)| Some((parse(first)?, parse(second)?)))
        .ok_or_else(|| "two whole numbers with a comma between them are needed".to_owned())
}

fn window(text: &str) -> Result<(usize, usize, usize), String> {
    let numbers: Result<Vec<usize>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[item, first, last]) => Ok((item, first, last)),
        _ => Err(
            "three whole numbers with commas between them are needed: an item, its first and its last rank"
                .to_owned(),
        ),
    }
}

fn finite(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|number| number.is_finite())
        .ok_or_else(|| "a number is needed".to_owned())
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(threads) = arguments.threads {
        rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build_global()?;
    }
    let method: Method = arguments.method.parse()?;
    let out = arguments.out.clone().map(OutDir::create).transpose()?;
    let page = arguments.report.as_deref().map(OutFile::tried).transpose()?;
    let found = match (&arguments.file, &arguments.command, arguments.items) {
        (Some(file), _, _) => problem::optimize(arguments, file, method)?,
        (None, Some(command), Some(items)) => external::optimize(arguments, command, items as usize, method)?,
        _ => return Err(BadInput("a file, or --items and --command, is needed".to_owned()).into()),
    };
    // Whatever fails, the rest is shown and written all the same.
    let given = report::give(arguments, &found, out.as_ref());
    let paged = page.map_or(Ok(()), |page| {
        let path = page.write(page::html(arguments, &found).as_bytes())?;
        if arguments.common.json { Ok(()) } else { console::say(&format!("Report in {}", path.display())) }
    });
    given.and(paged).and(found.unsaved.map_or(Ok(()), Err))
}

impl Arguments {
    fn noise(&self) -> Noisy {
        match self.noise.as_str() {
            "yes" => Noisy::Yes,
            "detect" => Noisy::Detect,
            _ => Noisy::No,
        }
    }

    fn constraints(&self, items: usize) -> Result<Constraints, plackett::Error> {
        let constraints = Constraints::new(items, &self.before, &self.pin)?.with_ranks(&self.ranks)?;
        if self.blocks.is_empty() { Ok(constraints) } else { constraints.with_blocks(&self.blocks) }
    }

    /// The limits that were given, or this many evaluations if neither they nor the time were.
    fn limits(&self, default_evaluations: u64, default_target: Option<f64>) -> Limits {
        let is_open = self.evaluations.is_none() && self.time.is_none();
        Limits {
            steps: None,
            evaluations: self.evaluations.or(is_open.then_some(default_evaluations)),
            time: self.time,
            target: self.target.or(default_target),
            patience: self.patience,
        }
    }
}

/// A progress bar over the seconds or the evaluations of a run, whichever it is limited by. It ends the run on Ctrl-C.
struct Bar {
    line: ProgressBar,
    time: Option<Duration>,
}

impl Bar {
    fn new(time: Option<Duration>) -> Self {
        Self { line: console::progress(time.map_or(0, |time| time.as_secs()), "reading"), time }
    }
}

impl Observer for Bar {
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        if self.time.is_some() {
            self.line.set_position(Duration::from_secs_f64(progress.seconds).as_secs());
        } else {
            self.line.set_length(progress.total.unwrap_or(0));
            self.line.set_position(progress.evaluations);
        }
        let best = progress.best.map_or_else(String::new, |best| format!(", best {best}"));
        self.line.set_message(format!("{}{best}", progress.stage));
        interrupt::check()
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}
