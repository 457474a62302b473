//! Learning a graph from data.

use std::path::PathBuf;
use std::time::Duration;

use numpy::{PyArray1, PyArray2, PyReadonlyArray2};
use plackett::run::{Limits, Progress, Run};
use plackett_cli::{Face, Summary};
use plackett_dag::{
    Error, Knowledge, LearnMethod, Learned, Learning, ScoreChoice,
    diagnostics::{Diagnostic, Evidence, diagnose},
    knowledge::Resolved,
    learning::{
        CategorySettings, KnowledgeCost, LearnedEdge, NumberSettings, Path, PathEdge, SearchSettings,
        TestSettings,
    },
};
use plackett_report::{Column, Input, Recipe, Report, Resampling, Source, warnings};
use pyo3::{exceptions::PyKeyboardInterrupt, prelude::*};

use crate::{
    arrays::matrix,
    bootstrap::Support,
    data::Data,
    error::Failure,
    graph::{self, Pairs},
    interrupt::interruptible,
};

/// How to learn, as the Python half has it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    method: String,
    score: Option<String>,
    #[pyo3(item("lambda_"))]
    lambda: Option<f64>,
    sigma2: Option<f64>,
    penalty: Option<f64>,
    threshold: Option<f64>,
    ess: Option<f64>,
    candidates: Option<String>,
    max_parents: Option<usize>,
    orient: Option<String>,
    alpha: Option<f64>,
    max_conditioning: Option<usize>,
    posterior: bool,
    path: bool,
    restarts: Option<usize>,
    steps: Option<u64>,
    memory: usize,
    time_limit: Option<f64>,
    seed: u64,
    /// As JSON.
    knowledge: Option<String>,
}

impl Settings {
    pub(crate) fn learning(&self) -> Result<Learning, Failure> {
        let space = self.candidates.as_deref().map(str::parse).transpose().map_err(explained)?;
        let orient = self.orient.as_deref().map(str::parse).transpose().map_err(explained)?;
        Ok(Learning {
            method: LearnMethod::by_name(&self.method)?,
            score: self.score.as_deref().map_or(ScoreChoice::Auto, ScoreChoice::from),
            numbers: NumberSettings {
                lambda: self.lambda,
                noise_variance: self.sigma2,
                penalty: self.penalty,
                threshold: self.threshold,
            },
            categories: CategorySettings {
                equivalent_sample_size: self.ess,
                space,
                max_parents: self.max_parents,
                orient,
            },
            tests: TestSettings { alpha: self.alpha, max_conditioning: self.max_conditioning },
            search: SearchSettings {
                restarts: self.restarts,
                steps: self.steps,
                posterior: self.posterior,
                memory_bytes: self.memory.saturating_mul(1 << 20),
            },
            seed: self.seed,
            start: None,
            bounds: None,
        })
    }

    /// What is known, by names.
    fn knowledge(&self) -> Result<Option<Knowledge>, Failure> {
        Ok(self.knowledge.as_deref().map(Knowledge::parse).transpose()?)
    }

    /// What is known of the graph of these data.
    pub(crate) fn known(&self, data: &Data) -> Result<Option<Resolved>, Failure> {
        Ok(self.knowledge()?.map(|known| known.resolve(data.names())).transpose()?)
    }

    pub(crate) fn limits(&self) -> Limits {
        let time = self.time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Limits { time, ..Limits::default() }
    }
}

/// The library's refusal in the words of the Python half.
pub(crate) fn explained(error: Error) -> Failure {
    let Error::Misfit { setting, reason } = error else { return error.into() };
    Failure::new(format!("{} {reason}", Face::Python.setting(setting)))
}

type PathFigures =
    (String, Vec<(f64, Option<f64>, Pairs)>, Vec<(usize, usize, f64, f64, usize, usize, bool)>);

type EdgeFigures = (usize, usize, Option<f64>, Option<f64>, Option<f64>, String);

/// Figures of the chains that probabilities come from.
type ChainFigures = ((usize, u64, u64), (f64, f64, f64), Option<(usize, usize, f64)>, bool);

/// What knowledge cost.
type Known = (Vec<String>, Option<f64>, Option<f64>, Vec<(usize, Pairs, Option<f64>)>, bool);

/// A learned graph.
#[pyclass(frozen, module = "plackett._plackett")]
pub(crate) struct LearnedGraph {
    pub(crate) learning: Learning,
    pub(crate) learned: Learned,
    diagnostics: Vec<Diagnostic>,
    path: Option<Path>,
    known: Option<(Resolved, KnowledgeCost)>,
    knowledge: Option<Knowledge>,
    time_limit: Option<f64>,
    #[pyo3(get)]
    seconds: f64,
}

#[pymethods]
impl LearnedGraph {
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>, Failure> {
        graph::adjacency(py, &self.learned.dag)
    }

    /// Edges, the strongest first, as (from, to, standardized weight, strength, p-value, what the direction rests on).
    #[getter]
    fn edges(&self) -> Vec<EdgeFigures> {
        let figures = |edge: LearnedEdge| {
            let direction = self.learned.direction(edge.from, edge.to).to_string();
            (edge.from, edge.to, edge.standardized, edge.strength, edge.p_value, direction)
        };
        self.learned.strongest_edges().into_iter().map(figures).collect()
    }

    /// The setting that varies, the graphs as (price, score, edges), and the edges as (from, to, lowest, highest, count, turned,
    /// whether the learned graph has it).
    #[getter]
    fn path(&self) -> Option<PathFigures> {
        let path = self.path.as_ref()?;
        let points = path.points.iter().map(|point| (point.price, point.score, point.edges.clone()));
        let edge = |edge: &PathEdge| {
            (edge.from, edge.to, edge.lowest, edge.highest, edge.count, edge.turned, edge.is_learned)
        };
        Some((Face::Python.setting(path.setting), points.collect(), path.edges.iter().map(edge).collect()))
    }

    /// Diagnostics as (name, value, verdict, advice).
    #[getter]
    fn diagnostics(&self) -> Vec<(&'static str, Option<f64>, String, &str)> {
        let found = self.diagnostics.iter();
        found
            .map(|found| (found.name, found.value, found.verdict.to_string(), found.advice.as_str()))
            .collect()
    }

    /// What open directions rest on where they are not equally good.
    #[getter]
    fn directions_rest_on(&self) -> Option<&str> {
        self.learned.basis.as_ref().map(|basis| basis.text.as_str())
    }

    #[getter]
    fn order<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_iter(py, self.learned.order.iter().map(|&node| node as i64))
    }

    #[getter]
    fn cpdag(&self) -> (Pairs, Pairs) {
        (self.learned.cpdag.directed().to_vec(), self.learned.cpdag.undirected().to_vec())
    }

    #[getter]
    fn score_name(&self) -> Option<&str> {
        self.learned.score_name.as_deref()
    }

    #[getter]
    fn method(&self) -> &str {
        self.learned.method.name
    }

    #[getter]
    fn price(&self) -> Option<f64> {
        self.learned.price
    }

    #[getter]
    fn score_choice(&self) -> Option<&str> {
        self.learned.score_choice.as_deref()
    }

    #[getter]
    fn score(&self) -> Option<f64> {
        self.learned.score
    }

    #[getter]
    fn is_equivalent(&self) -> bool {
        self.learned.is_equivalent
    }

    #[getter]
    fn probabilities<'py>(&self, py: Python<'py>) -> Result<Option<Bound<'py, PyArray2<f64>>>, Failure> {
        let nodes = self.learned.dag.nodes();
        self.learned.probabilities.clone().map(|entries| matrix(py, entries, nodes, nodes)).transpose()
    }

    /// Chains, moves of each, samples, R-hat, effective size, standard error, and the worst edge with its R-hat.
    #[getter]
    fn convergence(&self) -> Option<ChainFigures> {
        let found = self.learned.convergence?;
        let edge = found.worst_edge.map(|edge| (edge.from, edge.to, edge.r_hat));
        let sizes = (found.chains, found.steps, found.samples);
        Some((sizes, (found.r_hat, found.effective_size, found.standard_error), edge, found.agrees()))
    }

    /// What to know before trusting the graph, learned from these data.
    fn warnings(&self, data: &Data) -> Vec<String> {
        warnings(data.warnings(), data.names(), &data.observations, &self.learned, &self.learning)
    }

    /// What there is to say of the graph, learned from these data, as a text; the support with the seconds that it took.
    fn summary(
        &self,
        data: &Data,
        warnings: Vec<String>,
        support: Option<(PyRef<'_, Support>, f64)>,
    ) -> String {
        let support = support.as_ref().map(|(support, seconds)| (support.inner(), *seconds));
        self.summary_of(data, &warnings, support).text()
    }

    /// The picture of the graph, learned from these data, as SVG.
    fn svg(&self, data: &Data, support: Option<PyRef<'_, Support>>) -> Result<String, Failure> {
        let support = support.as_ref().map(|support| (support.inner(), 0.0));
        self.summary_of(data, &[], support).svg().map_err(|error| Failure::new(error.to_string()))
    }

    /// The report on the graph, learned from these data, as HTML: that of the program. The support comes with how many resamples were
    /// wanted and whether they were learned from warm; the truth with its names.
    fn report(
        &self,
        py: Python<'_>,
        data: &Data,
        support: Option<(PyRef<'_, Support>, u64, bool)>,
        truth: Option<(Vec<String>, PyReadonlyArray2<'_, f64>)>,
    ) -> Result<String, Failure> {
        let truth = truth.map(|(names, weights)| {
            graph::named(names, &weights)?.aligned_to(data.names()).map_err(Failure::from)
        });
        let truth = truth.transpose()?;
        let plain =
            warnings(&data.plain_warnings, data.names(), &data.observations, &self.learned, &self.learning);
        let columns = data.columns.iter().map(|&(kind, missing, _)| Column { kind, missing }).collect();
        let resampling = support.as_ref().map(|&(_, wanted, is_warm)| Resampling { wanted, is_warm });
        let report = Report {
            source: &data.source,
            names: data.names(),
            input: Input { rows: data.rows, fingerprint: &data.fingerprint, notes: data.notes(), columns },
            data: &data.observations,
            kind: data.kind,
            kind_choice: data.choice(),
            learned: &self.learned,
            warnings: &plain,
            known: self.known.as_ref().map(|(resolved, cost)| (resolved, cost)),
            support: support.as_ref().map(|(support, _, _)| support.inner()),
            path: self.path.as_ref(),
            diagnostics: &self.diagnostics,
            truth: truth.as_ref(),
            recipe: Recipe {
                source: if data.is_file { Source::File(&data.source) } else { Source::Memory },
                reading: &data.reading,
                centering: data.centering,
                learning: &self.learning,
                knowledge: self.knowledge.as_ref().filter(|known| !known.is_empty()),
                resampling,
                has_path: self.path.is_some(),
                time: self.time_limit,
            },
        };
        py.detach(|| Ok(report.html()?))
    }

    #[getter]
    fn evaluations(&self) -> u64 {
        self.learned.evaluations
    }

    #[getter]
    fn status(&self) -> &'static str {
        self.learned.ending.name()
    }

    /// Effective rows, steps of EM, the change of the last one, and whether that was small enough.
    #[getter]
    fn estimation(&self) -> Option<(f64, usize, f64, bool)> {
        let found = self.learned.estimation?;
        Some((found.effective_rows, found.iterations, found.change, found.is_converged))
    }

    /// The statements, the score without them, what they cost, those that decided with their edges and costs, and whether that is all.
    #[getter]
    fn knowledge(&self) -> Option<Known> {
        let (resolved, found) = self.known.as_ref()?;
        let statements = resolved.statements().iter().map(ToString::to_string).collect();
        let decisive =
            found.decisive.iter().map(|one| (one.statement, one.edges.clone(), one.cost)).collect();
        Some((statements, found.free_score, found.cost, decisive, found.is_whole))
    }

    #[getter]
    fn dropped(&self) -> Vec<(usize, usize, f64)> {
        self.learned.dropped.clone()
    }
}

impl LearnedGraph {
    fn summary_of<'a>(
        &'a self,
        data: &'a Data,
        warnings: &'a [String],
        support: Option<(&'a plackett_dag::Support, f64)>,
    ) -> Summary<'a> {
        Summary {
            face: Face::Python,
            source: &data.source,
            names: data.names(),
            data: &data.observations,
            kind: data.kind,
            kind_choice: data.choice(),
            centering: data.centering,
            notes: data.notes(),
            learning: &self.learning,
            learned: &self.learned,
            warnings,
            known: self.known.as_ref().map(|(resolved, cost)| (resolved, cost)),
            support,
            path: self.path.as_ref(),
            diagnostics: &self.diagnostics,
            truth: None,
            seconds: self.seconds,
        }
    }
}

/// What a file says of a graph, as JSON.
#[pyfunction]
pub(crate) fn read_knowledge(path: PathBuf) -> Result<String, Failure> {
    Ok(Knowledge::read(path)?.to_json())
}

/// Learns a graph. `progress`, if given, is called with a stage, the parts of it done and those in all. Ctrl-C ends the
/// search with the best order so far.
#[pyfunction]
pub(crate) fn learn(
    py: Python<'_>,
    data: &Data,
    settings: Settings,
    progress: Option<Bound<'_, PyAny>>,
) -> Result<LearnedGraph, Failure> {
    let (mut learning, limits) = (settings.learning()?, settings.limits());
    let known = settings.known(data)?;
    learning.bounds = known.as_ref().map(|known| known.bounds().clone());
    let tell = |news: &Progress| match &progress {
        Some(progress) => progress.call1((&news.stage, news.done, news.total)).map(drop),
        None => Ok(()),
    };
    let wants_path = settings.path;
    let ((outcome, seconds), raised) = interruptible(py, tell, |observer| {
        let run = Run::new(limits).observed(observer);
        let learned = learning.run(&data.observations, &run);
        let seconds = run.seconds();
        // A search that was ended still deserves a look at what it found, if that is quick.
        let look =
            if run.is_over() { Run::new(Limits::time(LAST_LOOK)) } else { run.part(Limits::default()) };
        let weighed = learned.and_then(|learned| {
            let cost = |known: Resolved| {
                let cost = learning.knowledge_cost(&data.observations, &known, &learned, &run)?;
                Ok::<_, Error>((known, cost))
            };
            let known = known.map(cost).transpose()?;
            let evidence = Evidence { data: &data.observations, learned: &learned, names: &data.names };
            let diagnostics = diagnose(&evidence, &look);
            let path = wants_path.then(|| learning.path(&data.observations, &learned, &run)).transpose()?;
            Ok((learned, known, diagnostics, path))
        });
        drop(look);
        (weighed, seconds)
    });
    match raised {
        // Ctrl-C asks for the best so far.
        Some(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error.into()),
        _ => {
            let (learned, known, diagnostics, path) = outcome.map_err(explained)?;
            let (knowledge, time_limit) = (settings.knowledge()?, settings.time_limit);
            Ok(LearnedGraph { learning, learned, diagnostics, path, known, knowledge, time_limit, seconds })
        }
    }
}

/// How long to look at a graph whose run is over.
const LAST_LOOK: Duration = Duration::from_millis(300);
