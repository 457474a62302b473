//! `plackett effect`: how much one column, or several that are set together, change another, by a graph and data.

mod joint;

use std::{path::PathBuf, time::Duration};

use clap::{Args, builder::PossibleValuesParser};
use plackett::run::{Limits, Progress, Run};
use plackett_dag::{
    Bootstrap, Cpdag, Error, LearnMethod, Learning, Resampler, Sample, ScoreChoice,
    effect::{Adjustment, AnyEffect, AnyQuery, Effect, EffectQuery, JointQuery},
    format::read_claim,
    knowledge::pair,
    learning::LEARN_METHODS,
};
use serde::Serialize;

use crate::{
    arguments::{self, Common},
    console::{self, BadInput, counted},
    fit, interrupt,
    learn::{self, data::ReadingArguments, knowledge::KnowledgeArguments},
};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The graph: a file in any of the forms that `plackett evaluate` reads. Where it leaves directions open, as graph.json of `plackett
    /// learn` does, all values that its graphs give are listed
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// The data: a file with a row per line, as for `plackett learn`; - is standard input
    #[arg(value_name = "DATA")]
    data: PathBuf,
    /// The column that is set; give it again for others that are set at the same time
    #[arg(long, value_name = "A", required = true)]
    from: Vec<String>,
    /// The column that is looked at
    #[arg(long, value_name = "B")]
    to: String,
    /// The states that a category is changed from and to; with several causes once for each that is a category, in their order [default:
    /// the first and the last]
    #[arg(long, value_name = "X,Y", value_parser = pair)]
    change: Vec<(String, String)>,
    /// The state of a category whose probability is looked at [default: the last]
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// What is adjusted for: the set of the smallest variance, the parents of the cause, or a part of the first of which nothing can be
    /// left out; for one cause [default: optimal]
    #[arg(long, value_parser = PossibleValuesParser::new(Adjustment::NAMES))]
    adjustment: Option<String>,
    /// The level of intervals
    #[arg(long, value_name = "P", default_value_t = 0.95, allow_negative_numbers = true)]
    level: f64,
    /// Take the graph for one of its equivalence class: directions that data alone cannot tell are open
    #[arg(long)]
    class: bool,
    /// Also draw the rows anew so many times, learn a graph from each resample and ask it: the interval then includes that the graph may
    /// be another
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    bootstrap: Option<u32>,
    /// How graphs are searched for with --bootstrap: as the graph was
    #[arg(long, default_value = LEARN_METHODS[0].name, value_parser = learn::method_names(), requires = "bootstrap")]
    method: String,
    /// What makes a graph good with --bootstrap: as for the graph
    #[arg(long, default_value = learn::AUTO, value_parser = learn::score_names(), requires = "bootstrap")]
    score: String,
    #[command(flatten)]
    knowledge: KnowledgeArguments,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Maximum memory for rows of data, in MiB
    #[arg(long, value_name = "MiB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Stop --bootstrap after this many seconds, with the resamples that there are
    #[arg(long, value_name = "S", value_parser = arguments::seconds, allow_negative_numbers = true)]
    time: Option<Duration>,
    #[command(flatten)]
    common: Common,
}

/// What is asked: the effect of one column, or of several together.
fn question(arguments: &Arguments, sample: &Sample) -> anyhow::Result<AnyQuery> {
    let (change, state, level) = (&arguments.change, arguments.state.clone(), arguments.level);
    if let [cause] = &arguments.from[..] {
        if change.len() > 1 {
            return Err(BadInput("--change is given more often than there are causes".to_owned()).into());
        }
        let adjustment = arguments.adjustment.as_deref().map_or(Ok(Adjustment::default()), str::parse)?;
        let query = EffectQuery::new(cause, &arguments.to);
        return Ok(AnyQuery::One(EffectQuery {
            change: change.first().cloned(),
            state,
            adjustment,
            level,
            ..query
        }));
    }
    if arguments.adjustment.is_some() {
        let text = "--adjustment is for one cause: for several, one set need not do, and all between them and the outcome is fitted";
        return Err(BadInput(text.to_owned()).into());
    }
    let place = |name: &String| sample.names().iter().position(|own| own == name);
    let is_category = |name: &&String| place(name).is_some_and(|column| !sample.is_numeric(column));
    let categories: Vec<&String> = arguments.from.iter().filter(is_category).collect();
    if !change.is_empty() && change.len() != categories.len() {
        let text = format!(
            "--change is given {}, and {} of the causes are categories: give it once for each of these, in their order",
            counted(change.len(), "time"),
            categories.len()
        );
        return Err(BadInput(text).into());
    }
    let changes = categories.into_iter().zip(change);
    let changes = changes.map(|(name, (from, to))| (name.clone(), from.clone(), to.clone())).collect();
    Ok(AnyQuery::Several(JointQuery {
        changes,
        state,
        level,
        ..JointQuery::new(&arguments.from, &arguments.to)
    }))
}

#[derive(Serialize)]
struct Document<'a> {
    version: &'static str,
    #[serde(flatten)]
    effect: &'a AnyEffect,
    warnings: Vec<String>,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let claim = read_claim(&arguments.graph)?;
    let names = claim.graph.names();
    let class = if arguments.class { Cpdag::of(claim.graph.dag()) } else { claim.class };
    let knowledge = arguments.knowledge.gather()?;
    if arguments.bootstrap.is_none() && !knowledge.is_empty() {
        let text = "what is known is for --bootstrap, which learns graphs: the graph given keeps it already";
        return Err(BadInput(text.to_owned()).into());
    }
    let data = fit::read(&arguments.data, &arguments.reading, names, arguments.memory)?;
    let mut warnings = plackett_report::data_warnings(&data);
    let explained = |error: Error| match error {
        Error::Misfit { setting, reason } => {
            anyhow::Error::from(BadInput(format!("{} {reason}", plackett_report::option(setting))))
        }
        error => error.into(),
    };
    let (sample, rows): (Sample, Option<Resampler>) = if arguments.bootstrap.is_some() {
        let (sample, rows) = data.resampled_sample().map_err(explained)?;
        (sample, Some(rows))
    } else {
        (data.sample()?, None)
    };
    let question = question(arguments, &sample)?;
    let mut effect = question.answer(names, &class, &sample).map_err(explained)?;
    if let (Some(wanted), Some(rows)) = (arguments.bootstrap, &rows) {
        let known = learn::knowledge::resolve(&knowledge, sample.names())?;
        let learning = Learning {
            method: LearnMethod::by_name(&arguments.method)?,
            score: ScoreChoice::from(arguments.score.as_str()),
            seed: arguments.common.seed,
            bounds: known.map(|known| known.bounds().clone()),
            ..Learning::default()
        };
        let bar = console::progress(1, "");
        let mut observer = |progress: &Progress| {
            learn::show(&bar, progress);
            interrupt::check()
        };
        let run = Run::new(Limits { time: arguments.time, ..Limits::default() }).observed(&mut observer);
        interrupt::listen()?;
        let bootstrap = Bootstrap { learning: &learning, rows, start: None };
        let resampled = question.resampled(effect, &bootstrap, &sample, 0..u64::from(wanted), &run);
        bar.finish_and_clear();
        effect = resampled.map_err(explained)?;
        let done = effect.resampling().map_or(0, |resampling| resampling.replicates);
        if done < wanted as usize {
            warnings.push(format!("{done} of {wanted} resamples told the effect: the interval is by these"));
        }
    }
    if arguments.common.json {
        return console::say_json(&Document {
            version: env!("CARGO_PKG_VERSION"),
            effect: &effect,
            warnings,
        });
    }
    let mut text = match &effect {
        AnyEffect::One(effect) => describe(effect),
        AnyEffect::Several(effect) => joint::describe(effect),
    };
    if let Some(found) = effect.resampling() {
        text += &format!(
            "\nWith the uncertainty of the graph, by {}: {:.0} % interval {:.4} to {:.4}; no effect in {:.0} % of them, open in {:.0} %",
            counted(found.replicates, "resample"),
            100.0 * effect.level(),
            found.low,
            found.high,
            100.0 * found.absent,
            100.0 * found.open
        );
    }
    for warning in &warnings {
        text += &format!("\nWarning: {warning}");
    }
    console::say(&text)
}

/// The answer as a person reads it.
fn describe(effect: &Effect) -> String {
    let level = format!("{:.0} %", 100.0 * effect.level);
    let mut text = format!("Effect of {} on {}: {}\n", effect.cause, effect.outcome, effect.meaning);
    let adjusted = |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    match (effect.effect, &effect.values[..]) {
        (Some(_), [value]) if value.is_absent => {
            text += &format!("None: no directed path leads from {} to {}", effect.cause, effect.outcome);
        }
        (Some(found), [value]) => {
            #[expect(clippy::cast_sign_loss, reason = "a number of rows")]
            let rows = counted(value.rows.round() as usize, "row");
            text += &format!(
                "{found:.4}, {level} interval {:.4} to {:.4}; adjusted for {}; {rows}",
                value.low,
                value.high,
                adjusted(&value.adjustment)
            );
        }
        (_, values) => {
            text += &format!(
                "The graph leaves open what causes what: {} values, together {level} interval {:.4} to {:.4}\n",
                values.len(),
                effect.low,
                effect.high
            );
            let number = |value: f64| format!("{value:.4}");
            let rows = values.iter().map(|value| {
                let why =
                    if value.is_absent { "no directed path".to_owned() } else { adjusted(&value.adjustment) };
                vec![why, number(value.effect), number(value.low), number(value.high)]
            });
            text += &console::table(&["adjusted for", "effect", "low", "high"], rows);
        }
    }
    if let [value] = &effect.values[..] {
        if !value.levels.is_empty() {
            let rows = value.levels.iter().flat_map(|level| {
                level.expected.iter().map(|expected| {
                    vec![
                        format!("do({} = {})", effect.cause, level.cause),
                        expected.state.clone().unwrap_or_else(|| "mean".to_owned()),
                        format!("{:.4}", expected.value),
                        format!("{:.4}", expected.low),
                        format!("{:.4}", expected.high),
                    ]
                })
            });
            text += "\n";
            text += &console::table_of(&["after", &effect.outcome, "value", "low", "high"], rows, &[2, 3, 4]);
        }
        if value.unsupported > 0.0 {
            text += &format!(
                "\n{:.0} % of the rows are alike to none with one of the two states: the data say nothing of the effect there, and \
                 that without adjustment stands in",
                100.0 * value.unsupported
            );
        }
    }
    text
}
