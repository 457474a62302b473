//! `plackett learn`: a causal graph from a CSV file, by searching over topological orders.

mod data;
mod method;
mod report;
mod score;

use std::{path::PathBuf, sync::Arc, time::Instant};

use anyhow::Context;
use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser},
};
use plackett_dag::{
    Centring, Dag, Gram, NamedDag, Oracle, SCORES, ScoreSettings, fit_weights, read_graph, score_by_name,
};

use crate::{console::BadInput, files::OutDir, interrupt};
use data::{Data, EXAMPLES};
use method::{Found, Method, Settings, Status};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The data: a header of names, then rows of numbers, separated by commas
    #[arg(value_name = "DATA.csv", required_unless_present = "example", conflicts_with = "example")]
    data: Option<PathBuf>,
    /// Learn from data that the program makes itself, and compare with the truth
    #[arg(long, value_name = "NAME", value_parser = example_names(), conflicts_with = "truth")]
    example: Option<String>,
    /// How to search for the order of the variables
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    /// What makes a graph good
    #[arg(long, default_value = AUTO, value_parser = score_names())]
    score: String,
    /// The price of a unit of weight in the score l1, and a wish for it [default: 0.5]
    #[arg(long, value_name = "L", allow_negative_numbers = true)]
    lambda: Option<f64>,
    /// The noise variance in the score ev-l0, and a wish for it [default: estimated]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    sigma2: Option<f64>,
    /// The price of a parent in ev-l0 and bic, 1 being that of the BIC proper [default: one that grows with the columns]
    #[arg(long, value_name = "FACTOR")]
    penalty: Option<f64>,
    /// Divide every column by its standard deviation first; weights are then in standard deviations
    #[arg(long)]
    standardize: bool,
    /// Leave the columns' means in: the model then has no intercepts
    #[arg(long, conflicts_with = "standardize")]
    no_center: bool,
    /// How many random orders to start from [default: 4, or 2 beyond 64 columns]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    restarts: Option<u16>,
    /// Most memory for tables and caches, in MiB
    #[arg(long, value_name = "MiB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Stop after about this many seconds with the best order so far; only then can two runs of one seed differ
    #[arg(long, value_name = "S", value_parser = parse_seconds, allow_negative_numbers = true)]
    time: Option<f64>,
    /// The true graph, to compare with: an adjacency matrix in CSV (row i, column j non-zero means i -> j) or JSON
    #[arg(long, value_name = "GRAPH")]
    truth: Option<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// Write graph.json, graph.csv, graph.dot, graph.svg and graph.png into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The score that is chosen by looking at the data.
const AUTO: &str = "auto";

fn score_names() -> PossibleValuesParser {
    let auto = PossibleValue::new(AUTO)
        .help("ev-l0 if the noise variances that it finds agree, as it then tells every direction; else bic");
    let named = SCORES.iter().map(|entry| PossibleValue::new(entry.name).help(entry.summary));
    PossibleValuesParser::new(std::iter::once(auto).chain(named).collect::<Vec<_>>())
}

fn example_names() -> PossibleValuesParser {
    let named = EXAMPLES.iter().map(|example| PossibleValue::new(example.name).help(example.summary));
    PossibleValuesParser::new(named.collect::<Vec<_>>())
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds > 0.0 && seconds.is_finite());
    seconds.ok_or_else(|| "a positive number of seconds is needed".to_owned())
}

/// A learned graph and how it came about.
struct Learned {
    score_name: &'static str,
    /// Why this score, where the program chose it.
    score_choice: Option<String>,
    score: f64,
    /// The learned order, by index, causes first.
    order: Vec<usize>,
    graph: NamedDag,
    evaluations: u64,
    status: Status,
    seconds: f64,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let wish = Wish::of(arguments)?;
    let centring = match (arguments.standardize, arguments.no_center) {
        (true, _) => Centring::Standardise,
        (false, true) => Centring::None,
        (false, false) => Centring::Centre,
    };
    let start = Instant::now();
    let (data, truth) = load(arguments, centring)?;
    let out = arguments.out.clone().map(OutDir::create).transpose()?;
    interrupt::listen()?;
    let learner = Learner { arguments, data: &data };
    let mut learned = learner.learn(&wish)?;
    learned.seconds = start.elapsed().as_secs_f64();
    report::Report::new(arguments, &data, centring, &learned, truth.as_ref())?.give(out.as_ref())
}

/// The data and, where it is known, the true graph with its nodes in the order of the columns.
fn load(arguments: &Arguments, centring: Centring) -> anyhow::Result<(Data, Option<NamedDag>)> {
    if let Some(name) = &arguments.example {
        let (data, truth) = data::example(name, arguments.seed, centring)?;
        return Ok((data, Some(truth)));
    }
    let path = arguments.data.as_deref().context("no data were given")?;
    // The truth first: a slip there should not cost the reading of a large file.
    let truth =
        arguments.truth.as_ref().map(|path| read_graph(path).map(|graph| (path, graph))).transpose()?;
    let data = data::read(path, centring)?;
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

/// What the user wants of the score.
enum Wish {
    /// This one, and why, where the user has not said so in as many words.
    Score(&'static str, Option<String>),
    /// Whichever the data call for.
    Auto,
}

impl Wish {
    fn of(arguments: &Arguments) -> Result<Self, BadInput> {
        let Arguments { score, lambda, sigma2, standardize, .. } = arguments;
        let settings = [("--lambda", lambda.is_some(), "l1"), ("--sigma2", sigma2.is_some(), "ev-l0")];
        let given: Vec<_> = settings.into_iter().filter(|&(_, is_given, _)| is_given).collect();
        let named = SCORES.iter().find(|entry| entry.name == score).map(|entry| entry.name);
        match (named, given.as_slice()) {
            (None, []) if *standardize => {
                let reason = "standardised data no longer show the sizes of the noise, which ev-l0 compares";
                Ok(Self::Score("bic", Some(reason.to_owned())))
            }
            (None, []) => Ok(Self::Auto),
            (None, &[(flag, _, owner)]) => Ok(Self::Score(owner, Some(format!("{flag} belongs to it")))),
            (Some(name), given) => match given.iter().find(|&&(_, _, owner)| owner != name) {
                None => Ok(Self::Score(name, None)),
                Some((flag, _, owner)) => {
                    Err(BadInput(format!("{flag} belongs to --score {owner}, not to --score {name}")))
                }
            },
            (None, _) => {
                Err(BadInput("--lambda belongs to --score l1 and --sigma2 to --score ev-l0".to_owned()))
            }
        }
    }
}

/// Four starts reach the optimum of l1 on all the data sets of 10 and 20 columns that it was compared on; beyond 64 columns
/// a start takes long enough for two to be a better bargain.
fn default_restarts(columns: usize) -> usize {
    if columns <= 64 { 4 } else { 2 }
}

/// In the automatic choice both scores may have to be searched with; the first gets this share of the time.
const FIRST_SHARE: f64 = 0.5;

struct Learner<'a> {
    arguments: &'a Arguments,
    data: &'a Data,
}

impl Learner<'_> {
    fn learn(&self, wish: &Wish) -> anyhow::Result<Learned> {
        let time = self.arguments.time;
        match wish {
            Wish::Score(name, reason) => {
                Ok(Learned { score_choice: reason.clone(), ..self.learn_with(name, time)? })
            }
            Wish::Auto => {
                let start = Instant::now();
                let first = self.learn_with("ev-l0", time.map(|time| FIRST_SHARE * time))?;
                let variances = score::residual_variances(&self.data.gram, first.graph.dag());
                let (low, high) = (
                    variances.iter().copied().fold(f64::INFINITY, f64::min),
                    variances.iter().copied().fold(0.0, f64::max),
                );
                let range = format!("the noise variances that ev-l0 finds ({low:.3} to {high:.3})");
                if score::agree(&self.data.gram, first.graph.dag()) {
                    let reason = format!("{range} agree, so that every direction can be told");
                    return Ok(Learned { score_choice: Some(reason), ..first });
                }
                if first.status == Status::Interrupted {
                    let reason = format!("{range} differ, but there was no time for bic");
                    return Ok(Learned { score_choice: Some(reason), ..first });
                }
                let left = time.map(|time| (time - start.elapsed().as_secs_f64()).max(0.0));
                let second = self.learn_with("bic", left)?;
                let doubt = match first.status {
                    Status::Finished => "",
                    _ => ", though its search was cut short",
                };
                let reason = format!("{range} differ{doubt}, and bic allows them to");
                let evaluations = first.evaluations + second.evaluations;
                Ok(Learned { score_choice: Some(reason), evaluations, ..second })
            }
        }
    }

    fn learn_with(&self, score_name: &'static str, seconds: Option<f64>) -> anyhow::Result<Learned> {
        let Self { arguments, data } = self;
        let mut settings = ScoreSettings {
            noise_variance: arguments.sigma2,
            penalty_factor: arguments.penalty,
            ..ScoreSettings::default()
        };
        if let Some(lambda) = arguments.lambda {
            settings.lambda = lambda;
        }
        let score = score_by_name(score_name, Arc::clone(&data.gram), &settings)?;
        let memory_bytes = (arguments.memory as usize) << 20;
        let oracle = Oracle::with_memory(Arc::clone(&score), memory_bytes);
        let search = Settings {
            first: by_variance(&data.gram),
            restarts: arguments.restarts.map_or(default_restarts(data.gram.nodes()), usize::from),
            seed: arguments.seed,
            memory_bytes,
        };
        let label = format!("{}, {score_name}", arguments.method);
        let Found { solution, evaluations, status } = arguments.method.run(oracle, search, label, seconds)?;
        let weights = fit_weights(score.as_ref(), &solution.parents)?
            .with_context(|| format!("the score {score_name} has no weights"))?;
        let dag = Dag::from_adjacency(data.names.len(), &weights)?;
        let graph = NamedDag::new(data.names.clone(), dag)?;
        Ok(Learned {
            score_name,
            score_choice: None,
            score: solution.score,
            order: solution.order,
            graph,
            evaluations,
            status,
            seconds: 0.0,
        })
    }
}

/// The nodes by their variances, the smallest first: causes tend to vary less than their effects.
fn by_variance(gram: &Gram) -> Vec<usize> {
    let mut order: Vec<usize> = (0..gram.nodes()).collect();
    order.sort_by(|&a, &b| gram.entry(a, a).total_cmp(&gram.entry(b, b)));
    order
}
