//! The requests of the page, one after the other, and what they leave behind.

use std::{ops::ControlFlow, sync::Arc, time::Duration};

use plackett::run::{Clock, Limits, Progress, Run};
use plackett_dag::{
    Bootstrap, Dag, Dataset, Error, Support,
    dataset::Kind,
    diagnostics::{Evidence, diagnose},
    effect::EffectQuery,
    example::{Example, examples},
    finding::faults_text,
    learning::LEARN_METHODS,
    score::{DISCRETE_SCORES, MIXED_SCORES, SCORES},
};
use plackett_report::{data_warnings, flag, option, shell_command};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    found::{Found, Loaded, Origin, Prepared},
    overview::Overview,
    race::{Race, RaceSettings},
    settings::Settings,
};

/// How long to look at a graph whose run is over.
const LAST_LOOK: Duration = Duration::from_millis(100);

/// The least time between two drawings of the best so far, and the most nodes for which there is such a drawing.
const SKETCH_EVERY: f64 = 0.4;
const MOST_SKETCHED: usize = 300;

/// What is outside: a clock, and somebody who looks on.
///
/// ```
/// use plackett_web::{Alone, Outside};
/// assert!(Alone.goes_on("{}"));
/// ```
pub trait Outside: Sync {
    /// The time since some moment in the past.
    fn now(&self) -> Duration;

    /// Hears how far a run is, as JSON, and says whether it goes on.
    fn goes_on(&self, progress: &str) -> bool;
}

/// Nobody looks on, and the clock is the system's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Outside for Alone {
    fn now(&self) -> Duration {
        plackett::run::SystemClock.now()
    }

    fn goes_on(&self, _: &str) -> bool {
        true
    }
}

/// What the page is about.
#[derive(Default)]
pub struct Session {
    loaded: Option<Loaded>,
    found: Option<Found>,
    race: Option<Race>,
}

/// A request.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    /// What there is to choose from.
    Choices,
    /// Reads a file, whose bytes come with the request, or draws an example.
    Read {
        #[serde(default)]
        file: Option<String>,
        #[serde(default)]
        example: Option<String>,
        #[serde(default)]
        samples: Option<usize>,
        #[serde(default)]
        settings: Box<Settings>,
    },
    /// Learns a graph.
    Learn {
        #[serde(default)]
        settings: Box<Settings>,
    },
    /// Draws the rows anew until so many resamples are learned from.
    Bootstrap { resamples: u64 },
    /// Asks for an effect.
    Effect {
        from: String,
        to: String,
        #[serde(default)]
        change: Option<(String, String)>,
        #[serde(default)]
        state: Option<String>,
    },
    /// Gives the report, or the graph in a format.
    Save { format: String },
    /// Begins a race of estimators.
    Race { settings: RaceSettings },
    /// Lets everybody in the race make so many steps.
    Advance { steps: u64 },
}

/// A refusal, in the words of the program.
struct Refusal(String);

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            Error::Unfit { file, faults } => Self(faults_text(&file, &faults, flag)),
            Error::Misfit { setting, reason } => Self(format!("{} {reason}", option(setting))),
            Error::Knowledge { problems } => {
                Self(format!("what is known cannot be so:\n  {}", problems.join("\n  ")))
            }
            error => Self(error.to_string()),
        }
    }
}

impl From<plackett::Error> for Refusal {
    fn from(error: plackett::Error) -> Self {
        Self(error.to_string())
    }
}

fn refused<T>(text: &str) -> Result<T, Refusal> {
    Err(Refusal(text.to_owned()))
}

impl Session {
    /// Answers a request; `bytes` are those of a file that is to be read. What is wrong is said in the field `error`.
    pub fn answer(&mut self, request: &str, bytes: &[u8], outside: &dyn Outside) -> String {
        let answer = match serde_json::from_str(request) {
            Ok(request) => self.respond(request, bytes, outside),
            Err(error) => Err(Refusal(format!("the settings cannot be read: {error}"))),
        };
        answer.unwrap_or_else(|Refusal(text)| json!({ "error": text })).to_string()
    }

    fn respond(&mut self, request: Request, bytes: &[u8], outside: &dyn Outside) -> Result<Value, Refusal> {
        match request {
            Request::Choices => Ok(choices()),
            Request::Read { file, example, samples, settings } => {
                let origin = match (file, example) {
                    (_, Some(name)) => Origin::Example(name, samples),
                    (file, None) => Origin::File(file.unwrap_or_else(|| "data.csv".to_owned())),
                };
                self.read(origin, bytes, &settings, outside)
            }
            Request::Learn { settings } => self.learn(&settings, outside),
            Request::Bootstrap { resamples } => self.bootstrap(resamples, outside),
            Request::Effect { from, to, change, state } => {
                self.effect(&EffectQuery { change, state, ..EffectQuery::new(from, to) })
            }
            Request::Save { format } => self.save(&format),
            Request::Race { settings } => {
                self.race = Some(Race::new(&settings)?);
                self.advance(0, outside)
            }
            Request::Advance { steps } => self.advance(steps, outside),
        }
    }

    fn read(
        &mut self,
        origin: Origin,
        bytes: &[u8],
        settings: &Settings,
        outside: &dyn Outside,
    ) -> Result<Value, Refusal> {
        *self = Self::default();
        let reading = settings.reading()?;
        let source = match &origin {
            Origin::File(name) => name.clone(),
            Origin::Example(name, _) => format!("the example {name}"),
        };
        let (data, truth) = run(outside, &[], |run| match &origin {
            Origin::File(name) => {
                let data = Dataset::from_reader_within(bytes, name, &reading, run);
                data.map(|data| (data, None)).map_err(|error| at(&source, error))
            }
            Origin::Example(name, rows) => {
                let example = Example::draw(name, *rows, settings.seed)?;
                let truth = example.truth.clone();
                let data = example.read(&reading).map_err(|error| at(&source, error))?;
                let truth = truth.aligned_to(data.names()).ok();
                Ok((data, truth))
            }
        })?;
        let overview = serde_json::to_value(Overview::new(&source, &data)).unwrap_or_default();
        let warnings = data_warnings(&data);
        self.loaded = Some(Loaded { origin, source, data, reading, warnings, truth, prepared: None });
        Ok(overview)
    }

    fn learn(&mut self, settings: &Settings, outside: &dyn Outside) -> Result<Value, Refusal> {
        self.found = None;
        let Some(loaded) = &mut self.loaded else { return refused("there are no data yet") };
        if loaded.data.kind() != Some(Kind::Numbers) && settings.is_prepared() {
            let what = if loaded.data.kind().is_some() {
                "these are categories"
            } else {
                "some of these are categories"
            };
            let text = format!("--standardize and --no-center are for columns of numbers, and {what}");
            return Err(Refusal(text));
        }
        let mut learning = settings.learning()?;
        let centering = settings.centering();
        loaded.prepare(centering)?;
        let loaded = &*loaded;
        let (Some(prepared), names) = (&loaded.prepared, loaded.data.names()) else {
            return refused("there are no data yet");
        };
        let values = &prepared.values;
        let knowledge = settings.knowledge.clone();
        let resolved = if knowledge.is_empty() { None } else { Some(knowledge.resolve(names)?) };
        learning.bounds = resolved.as_ref().map(|resolved| resolved.bounds().clone());
        let refusal = |error| at(&loaded.source, error);
        let found = run(outside, names, |run| {
            let learned = learning.run(values, run).map_err(refusal)?;
            let seconds = run.seconds();
            let known = match resolved {
                Some(resolved) => {
                    let cost = learning.knowledge_cost(values, &resolved, &learned, run).map_err(refusal)?;
                    Some((resolved, cost))
                }
                None => None,
            };
            let path = settings.path.then(|| learning.path(values, &learned, run));
            let path = path.transpose().map_err(refusal)?;
            let evidence = Evidence { data: values, learned: &learned, names };
            // A search that was ended still deserves a look at what it found, if that is quick.
            let clock = || outside.now();
            let look = if run.is_over() {
                Run::by(&clock, Limits::time(LAST_LOOK))
            } else {
                run.part(Limits::default())
            };
            let diagnostics = diagnose(&evidence, &look);
            drop(look);
            let learning = learning.clone();
            Ok(Found {
                learning,
                centering,
                knowledge,
                learned,
                known,
                path,
                diagnostics,
                support: None,
                seconds,
            })
        })?;
        let view = found.view(loaded, values)?;
        self.found = Some(found);
        Ok(view)
    }

    fn bootstrap(&mut self, resamples: u64, outside: &dyn Outside) -> Result<Value, Refusal> {
        let (Some(loaded), Some(found)) = (&self.loaded, &mut self.found) else {
            return refused("there is no graph yet");
        };
        let Some(prepared) = &loaded.prepared else { return refused("there are no data yet") };
        let Some(rows) = &prepared.resampler else {
            return refused("--bootstrap draws rows anew, and of these data only the moments are known");
        };
        if found.learned.ending.is_early() {
            return refused("the search was stopped: let it finish first");
        }
        let start = Some(found.learned.order.as_slice());
        let bootstrap = Bootstrap { learning: &found.learning, rows, start };
        let nodes = loaded.data.names().len();
        let (mut support, _) = found.support.take().unwrap_or_else(|| (Support::new(nodes), 0));
        let made = run(outside, &[], |run| {
            let made = bootstrap.extend(&mut support, 0..resamples, &mut |_| (), run);
            made.map_err(|error| at(&loaded.source, error))
        });
        found.support = (support.replicates() > 0).then_some((support, resamples));
        made?;
        Ok(found.view(loaded, &prepared.values)?)
    }

    fn effect(&self, query: &EffectQuery) -> Result<Value, Refusal> {
        let (Some(loaded), Some(found)) = (&self.loaded, &self.found) else {
            return refused("there is no graph yet");
        };
        let names = loaded.data.names();
        let sample = loaded.data.clone().sample().map_err(|error| at(&loaded.source, error))?;
        let answer = query.answer(names, &found.learned.claim(), &sample)?;
        let file = match &loaded.origin {
            Origin::File(name) => name,
            Origin::Example(..) => "data.csv",
        };
        let mut words =
            vec!["plackett", "effect", "graph.json", file, "--from", &query.cause, "--to", &query.outcome];
        let change = query.change.as_ref().map(|(from, to)| format!("{from},{to}"));
        words.extend(change.iter().flat_map(|change| ["--change", change]));
        words.extend(query.state.iter().flat_map(|state| ["--state", state]));
        Ok(json!({ "effect": answer, "command": shell_command(words) }))
    }

    fn advance(&mut self, steps: u64, outside: &dyn Outside) -> Result<Value, Refusal> {
        let Some(race) = &mut self.race else { return refused("there is no race yet") };
        run(outside, &[], |run| Ok(race.advance(steps, run)?))
    }

    fn save(&self, format: &str) -> Result<Value, Refusal> {
        let (Some(loaded), Some(found)) = (&self.loaded, &self.found) else {
            return refused("there is no graph yet");
        };
        let Some(prepared) = &loaded.prepared else { return refused("there are no data yet") };
        let text = match format {
            "report" => found.report(loaded, &prepared.values)?,
            format => found.graph(loaded, format)?,
        };
        Ok(json!({ "text": text }))
    }
}

impl Loaded {
    /// Makes what graphs are learned from, unless it is there.
    fn prepare(&mut self, centering: plackett_dag::gram::Centering) -> Result<(), Refusal> {
        if self.prepared.as_ref().is_some_and(|prepared| prepared.centering == centering) {
            return Ok(());
        }
        self.prepared = None;
        let refusal = |error| at(&self.source, error);
        let (values, resampler) = match self.data.clone().resampler(centering) {
            Ok(resampler) => (resampler.observations().clone(), Some(resampler)),
            // Of moments there are no rows to draw.
            Err(Error::Misfit { setting: "bootstrap", .. }) => {
                (self.data.clone().observations(centering).map_err(refusal)?, None)
            }
            Err(error) => return Err(refusal(error)),
        };
        self.prepared = Some(Prepared { centering, values, resampler });
        Ok(())
    }
}

/// An error with what it is about, as the program says it.
fn at(source: &str, error: Error) -> Refusal {
    match error {
        Error::Misfit { setting, reason } => Refusal(format!("{source}: {} {reason}", option(setting))),
        error @ Error::NoSuchColumn { .. } => Refusal(format!("{source}: {error}")),
        error => error.into(),
    }
}

/// Runs work that somebody looks on; with names, what is found so far is drawn.
fn run<T>(
    outside: &dyn Outside,
    names: &[String],
    work: impl FnOnce(&Run<'_>) -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let clock = || outside.now();
    let mut drawn: Option<Arc<[Vec<usize>]>> = None;
    let mut next = 0.0;
    let mut observer = |progress: &Progress| {
        let sketch = progress.sketch.as_ref().filter(|sketch| {
            let is_new = drawn.as_ref().is_none_or(|drawn| !Arc::ptr_eq(drawn, &sketch.lists));
            is_new && progress.seconds >= next && sketch.lists.len() == names.len()
        });
        let picture = sketch.and_then(|found| {
            (drawn, next) = (Some(Arc::clone(&found.lists)), progress.seconds + SKETCH_EVERY);
            let dag = Dag::from_parents(found.lists.to_vec()).ok()?;
            serde_json::from_str::<Value>(&plackett_report::sketch("The best graph so far", names, &dag)).ok()
        });
        let told = json!({
            "stage": progress.stage,
            "done": progress.done,
            "total": progress.total,
            "evaluations": progress.evaluations,
            "best": progress.best,
            "seconds": progress.seconds,
            "sketch": picture,
        });
        if outside.goes_on(&told.to_string()) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let whole = Run::by(&clock, Limits::default()).observed(&mut observer);
    if (1..=MOST_SKETCHED).contains(&names.len()) { work(&whole.sketched()) } else { work(&whole) }
}

/// What there is to choose from.
fn choices() -> Value {
    let named = |(name, summary): (&str, &str)| json!({ "name": name, "summary": summary });
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "examples": examples().map(named).collect::<Vec<_>>(),
        "methods": LEARN_METHODS.iter().map(|method| named((method.name, method.summary))).collect::<Vec<_>>(),
        "scores": {
            "numbers": SCORES.iter().map(|entry| named((entry.name, entry.summary))).collect::<Vec<_>>(),
            "categories": DISCRETE_SCORES.iter().map(|entry| named((entry.name, entry.summary))).collect::<Vec<_>>(),
            "mixed": MIXED_SCORES.iter().map(|entry| named((entry.name, entry.summary))).collect::<Vec<_>>(),
        },
    })
}
