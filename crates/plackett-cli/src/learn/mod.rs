//! `plackett learn`: a causal graph from a CSV file, by searching over topological orders.

mod bootstrap;
pub(crate) mod data;
mod interventions;
pub(crate) mod knowledge;
mod report;
pub(crate) mod summary;

use std::{path::PathBuf, time::Duration};

use anyhow::Context;
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser},
};
use indicatif::ProgressBar;
use plackett::run::{Limits, Progress, Run};
use plackett_dag::{
    Dag, Error, LearnMethod, Learned, Learning, NamedDag, Observations, ScoreChoice,
    dataset::{Kind, Reading},
    diagnostics::{Evidence, diagnose},
    example::examples,
    format::read_graph,
    gram::Centering,
    learning::{
        CategorySettings, LEARN_METHODS, NumberSettings, Orient, ParentSpace, SearchSettings, TestSettings,
    },
    score::{DISCRETE_SCORES, MIXED_SCORES, SCORES},
};

use crate::{
    arguments::{self, Common},
    console::{self, BadInput},
    files::{OutDir, OutFile},
    interrupt,
    state::StateFile,
};
use data::{Data, ReadingArguments, Use};
use knowledge::{KnowledgeArguments, Known};
use plackett_report::option;
use serde::{Serialize, Serializer};

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Arguments {
    /// The data: a file with a row per line, of numbers or of categories, perhaps packed by gzip or zstd; - is standard input
    #[arg(value_name = "DATA", required_unless_present = "example", conflicts_with = "example")]
    data: Option<PathBuf>,
    /// Learn from example data whose true graph is known, and compare with it
    #[arg(long, value_name = "NAME", value_parser = example_names(), conflicts_with = "truth")]
    example: Option<String>,
    /// Rows of the example [default: 1,000 for sem, 20,000 for the networks]
    #[arg(long, value_name = "N", requires = "example", value_parser = clap::value_parser!(u32).range(2..))]
    samples: Option<u32>,
    #[command(flatten)]
    reading: ReadingArguments,
    #[command(flatten)]
    knowledge: KnowledgeArguments,
    /// How to search for the order of the variables
    #[arg(long, default_value = LEARN_METHODS[0].name, value_parser = method_names())]
    method: String,
    /// What makes a graph good
    #[arg(long, default_value = AUTO, value_parser = score_names())]
    score: String,
    /// The price of a unit of weight in the score l1; selects that score [default: 0.5]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// The noise variance in the score ev-l0; selects that score [default: estimated]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    sigma2: Option<f64>,
    /// The price of a parent in ev-l0 and bic on numbers and of a parameter in dg, cg and nal, 1 being that of the BIC proper
    /// [default: one that fits the density found, in bic, or grows with the columns]; on categories a factor of the prior on graphs,
    /// 0 for none [default: 1]
    #[arg(long, value_name = "FACTOR")]
    penalty: Option<f64>,
    /// Leave out edges of numbers whose weight is smaller than this in size, once the graph is learned
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    threshold: Option<f64>,
    /// The equivalent sample size in the score bdeu; selects that score [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    ess: Option<f64>,
    /// Which parents a column of categories may have [default: plus-one]
    #[arg(long, value_parser = names(&ParentSpace::NAMED))]
    candidates: Option<String>,
    /// The maximum number of parents of a column of categories [default: as many as pay, 6 with --candidates pc, 3 with all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    max_parents: Option<u8>,
    /// What chooses the directions that the score of categories leaves open [default: nothing does, and they are shown as open]
    #[arg(long, value_parser = names(&Orient::NAMED))]
    orient: Option<String>,
    /// The significance level of PC-stable's tests; a larger one keeps more edges [default: 0.01 for --method pc, 0.05 for --candidates pc]
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    alpha: Option<f64>,
    /// The maximum number of columns that PC-stable's tests condition on [default: no limit]
    #[arg(long, value_name = "N")]
    max_conditioning: Option<usize>,
    /// Also estimate the posterior probability of every edge, by Markov chains over partitions of the columns into layers; the
    /// score of numbers is then bge unless another is asked for
    #[arg(long)]
    posterior: bool,
    /// Also learn with other prices of an edge (or levels of the tests, or sizes of the prior), from a quarter of the price to four
    /// times it, and say which edges stay
    #[arg(long)]
    path: bool,
    /// Also draw the rows anew so many times, learn from each of these resamples, and show in how many of them two columns are joined
    /// and which way
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "posterior")]
    bootstrap: Option<u32>,
    /// A file to save the resamples of --bootstrap in every few seconds, and to go on from if it is there
    #[arg(long, value_name = "FILE", requires = "bootstrap")]
    state: Option<PathBuf>,
    /// Search from scratch in every resample of --bootstrap, in place of from the order of the whole graph: slower, and hardly
    /// different
    #[arg(long, requires = "bootstrap")]
    cold: bool,
    /// Divide every column by its standard deviation first; weights are then in standard deviations
    #[arg(long)]
    standardize: bool,
    /// Do not subtract the columns' means: the model then has no intercepts
    #[arg(long, conflicts_with = "standardize")]
    no_center: bool,
    /// How many orders to start from [default: 4, or 2 beyond 64 columns (500 with bic and ev-l0)]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    restarts: Option<u16>,
    /// Steps of the methods pl-*, moves of order-mcmc and of each chain of --posterior [default: depends on the method; for
    /// --posterior until the chains agree]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    steps: Option<u64>,
    /// Maximum memory for each of these, in MiB: the rows of data (of more rows their statistics alone are kept), the cache of local
    /// scores, --method exact, the parent sets of categories (of which fewer are looked at), and the sums of --posterior
    #[arg(long, value_name = "MiB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Stop after this many seconds, reading included, with the best graph so far, at worst the one without edges; data that
    /// take longer to read are refused. Only then can two runs of one seed differ
    #[arg(long, value_name = "S", value_parser = arguments::seconds, allow_negative_numbers = true)]
    time: Option<Duration>,
    /// The true graph, to compare with: an adjacency matrix in CSV (row i, column j non-zero means i -> j), the JSON of `learn`, a BIF
    /// file, or a graph in DOT, GraphML, GML, or as Tetrad, causal-learn, DAGitty or bnlearn write it
    #[arg(long, value_name = "GRAPH")]
    truth: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
    /// Write a report on the graph, to explore in any browser: one HTML file that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Write graph.json, graph.csv, graph.dot, graph.svg and graph.png into this folder, and what --posterior and --bootstrap say
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Arguments {
    /// Whether a setting is given that only numbers can have.
    fn is_for_numbers(&self) -> bool {
        let given = [&self.lambda, &self.sigma2].into_iter().any(Option::is_some);
        given || self.standardize || self.no_center
    }

    fn learning(&self) -> anyhow::Result<Learning> {
        Ok(Learning {
            method: LearnMethod::by_name(&self.method)?,
            score: ScoreChoice::from(self.score.as_str()),
            numbers: NumberSettings {
                lambda: self.lambda,
                noise_variance: self.sigma2,
                penalty: self.penalty,
                threshold: self.threshold,
            },
            categories: CategorySettings {
                equivalent_sample_size: self.ess,
                space: self.candidates.as_deref().map(str::parse).transpose()?,
                max_parents: self.max_parents.map(usize::from),
                orient: self.orient.as_deref().map(str::parse).transpose()?,
            },
            tests: TestSettings { alpha: self.alpha, max_conditioning: self.max_conditioning },
            search: SearchSettings {
                restarts: self.restarts.map(usize::from),
                steps: self.steps,
                posterior: self.posterior,
                memory_bytes: (self.memory as usize) << 20,
            },
            seed: self.common.seed,
            start: None,
            bounds: None,
        })
    }

    fn reading(&self) -> anyhow::Result<Reading> {
        // A price of parents says that few different whole numbers are numbers, but not that words are.
        let lean = self.penalty.map(|_| Kind::Numbers);
        self.reading.reading(self.is_for_numbers(), lean, (self.memory as usize) << 20)
    }

    fn limits(&self) -> Limits {
        Limits { time: self.time, ..Limits::default() }
    }
}

/// The library's refusal in the words of the command line.
fn explained(error: Error, arguments: &Arguments, source: &str) -> anyhow::Error {
    match error {
        Error::Misfit { setting, reason } => {
            BadInput(format!("{source}: {} {reason}", option(setting))).into()
        }
        error if arguments.method == "exact" => anyhow::Error::from(error)
            .context("--method exact (--memory allows it more; --method insertion needs little)"),
        error => anyhow::Error::from(error).context(source.to_owned()),
    }
}

/// How long to look at a graph whose run is over: it should end within half a second.
const LAST_LOOK: Duration = Duration::from_millis(300);

/// The score that is chosen by looking at the data.
pub(crate) const AUTO: &str = "auto";

pub(crate) fn method_names() -> PossibleValuesParser {
    let named = LEARN_METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.summary));
    PossibleValuesParser::new(named.collect::<Vec<_>>())
}

pub(crate) fn score_names() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO).help(
        "Categories: qnml. Numbers: bic, or ev-l0 where the data support equal noise variances, as it then tells \
         every direction; bge with --posterior. Both: dg",
    );
    let numbers = SCORES.iter().map(|entry| (entry.name, entry.summary));
    // The BIC is there for both.
    let both = DISCRETE_SCORES.iter().map(|entry| (entry.name, entry.summary));
    let both = both.filter(|(name, _)| SCORES.iter().all(|entry| entry.name != *name));
    let mixed = MIXED_SCORES.iter().map(|entry| (entry.name, entry.summary));
    let named =
        numbers.chain(both).chain(mixed).map(|(name, summary)| PossibleValue::new(name).help(summary));
    PossibleValuesParser::new(std::iter::once(auto).chain(named).collect::<Vec<_>>())
}

/// The names that a setting has for its values, each with a few words.
fn names<T>(named: &[(T, &'static str, &'static str)]) -> PossibleValuesParser {
    let named = named.iter().map(|&(_, name, summary)| PossibleValue::new(name).help(summary));
    PossibleValuesParser::new(named.collect::<Vec<_>>())
}

fn example_names() -> PossibleValuesParser {
    let named = examples().map(|(name, summary)| PossibleValue::new(name).help(summary));
    PossibleValuesParser::new(named.collect::<Vec<_>>())
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let centering = match (arguments.standardize, arguments.no_center) {
        (true, _) => Centering::Standardize,
        (false, true) => Centering::None,
        (false, false) => Centering::Center,
    };
    let mut learning = arguments.learning()?;
    let knowledge = arguments.knowledge.gather()?;
    let bar = console::progress(1, "");
    let mut observer = |progress: &Progress| {
        show(&bar, progress);
        interrupt::check()
    };
    // The time begins before the data are read: they are a part of the wait.
    let run = Run::new(arguments.limits()).observed(&mut observer);
    let wanted = Use { centering, is_resampled: arguments.bootstrap.is_some() };
    let page = arguments.report.as_deref().map(OutFile::tried).transpose()?;
    let reading = arguments.reading()?;
    let (data, truth) = load(arguments, &reading, wanted, &run)?;
    if data.kind != Some(Kind::Numbers) && (arguments.standardize || arguments.no_center) {
        let what = if data.kind.is_some() { "these are categories" } else { "some of these are categories" };
        let text = format!("--standardize and --no-center are for columns of numbers, and {what}");
        return Err(BadInput(text).into());
    }
    let resolved = knowledge::resolve(&knowledge, &data.names)?;
    learning.bounds = resolved.as_ref().map(|resolved| resolved.bounds().clone());
    // Whoever gives wrong data finds no empty folder.
    let out = arguments.out.clone().map(OutDir::create).transpose()?;
    let mut state = StateFile::locked(arguments.state.as_deref())?;
    interrupt::listen()?;
    let learned = learning
        .run(&data.values, &run)
        .map_err(|error| explained(error, arguments, &data.source))
        .inspect_err(|_| bar.finish_and_clear())?;
    let seconds = run.seconds();
    let known = resolved
        .map(|resolved| Known::weigh(resolved, &learning, &data.values, &learned, &run))
        .transpose()
        .inspect_err(|_| bar.finish_and_clear())?;
    let path = arguments
        .path
        .then(|| learning.path(&data.values, &learned, &run))
        .transpose()
        .map_err(|error| explained(error, arguments, &data.source))
        .inspect_err(|_| bar.finish_and_clear())?;
    let evidence = Evidence { data: &data.values, learned: &learned, names: &data.names };
    // A search that was ended still deserves a look at what it found, if that is quick.
    let look = if run.is_over() { Run::new(Limits::time(LAST_LOOK)) } else { run.part(Limits::default()) };
    let diagnostics = diagnose(&evidence, &look);
    drop(look);
    let settings =
        Settings { learning: &learning, time: arguments.time.map(|time| time.as_secs_f64()), centering };
    let support = bootstrap::run(arguments, &learning, &settings, &data, &learned, &run, &mut state);
    bar.finish_and_clear();
    let support = support.map_err(|error| match error.downcast::<Error>() {
        Ok(error) => explained(error, arguments, &data.source),
        Err(error) => error,
    })?;
    let found = report::Found {
        learned: &learned,
        known: known.as_ref(),
        diagnostics,
        path: path.as_ref(),
        support: support.as_ref(),
        seconds,
    };
    let ends =
        report::Ends { out: out.as_ref(), page: page.as_ref(), reading: &reading, knowledge: &knowledge };
    let given = report::give(arguments, settings, &data, &found, truth.as_ref(), ends);
    given.and(support.and_then(|support| support.unsaved).map_or(Ok(()), Err))
}

/// All settings that shaped a graph, by name.
#[derive(Clone, Copy, Serialize)]
struct Settings<'a> {
    #[serde(flatten)]
    learning: &'a Learning,
    time: Option<f64>,
    #[serde(serialize_with = "centering_name")]
    centering: Centering,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn centering_name<S: Serializer>(centering: &Centering, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match centering {
        Centering::None => "none",
        Centering::Center => "center",
        Centering::Standardize => "standardize",
    })
}

pub(crate) fn show(bar: &ProgressBar, progress: &Progress) {
    bar.set_message(progress.stage.clone());
    bar.set_length(progress.total.unwrap_or(progress.done));
    bar.set_position(progress.done);
}

/// The score of the true graph on the data that were learned from, where the score has one.
fn true_score(
    arguments: &Arguments,
    data: &Data,
    learned: &Learned,
    truth: &NamedDag,
) -> anyhow::Result<Option<f64>> {
    let (Observations::Categories(categories), Some(_)) = (&data.values, &learned.score_name) else {
        return Ok(None);
    };
    Ok(Some(arguments.learning()?.cost_of_graph(categories, truth.dag())?))
}

/// The data and, where it is known, the true graph with its nodes in the order of the columns.
fn load(
    arguments: &Arguments,
    reading: &Reading,
    wanted: Use,
    run: &Run<'_>,
) -> anyhow::Result<(Data, Option<NamedDag>)> {
    if let Some(name) = &arguments.example {
        let rows = arguments.samples.map(|rows| rows as usize);
        let (data, truth) = data::example(name, rows, arguments.common.seed, reading, wanted)?;
        return Ok((data, Some(truth)));
    }
    let path = arguments.data.as_deref().context("no data were given")?;
    // The truth first: a slip there should not cost the reading of a large file.
    let truth =
        arguments.truth.as_ref().map(|path| read_graph(path).map(|graph| (path, graph))).transpose()?;
    let data = data::read(path, reading, wanted, run)?;
    let truth = match truth {
        None => None,
        Some((truth_path, graph)) => {
            // Compared with a graph without edges, it is the names alone that can be wrong.
            let columns = NamedDag::new(data.names.clone(), Dag::empty(data.names.len()))?;
            graph.compare(&columns).with_context(|| {
                format!("{} (true) against the columns of {}", truth_path.display(), path.display())
            })?;
            Some(graph.aligned_to(&data.names)?)
        }
    };
    Ok((data, truth))
}
