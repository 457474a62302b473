//! The report on a learned graph: sections, each a function that is named in the list of [`Report::sections`].

mod document;
mod edges;
mod fit;
mod words;

use std::path::Path as FilePath;

use plackett_dag::{
    Knowledge, Learned, NamedDag, Observations, Result, Support,
    dataset::Kind,
    diagnostics::Diagnostic,
    knowledge::Resolved,
    learning::{Direction, KnowledgeCost, Path},
    metrics::{Comparison, shd_classes},
};

use crate::{
    chart::trace_chart,
    html::Html,
    page::Page,
    recipe::{KNOWLEDGE_FILE, Recipe, Source},
};
pub use document::sketch;
use fit::Fit;

/// Two columns are joined in the consensus if they are so in more than this share of the resamples.
const THRESHOLD: f64 = 0.5;

/// What the table says of a direction that fewer than half of the resamples have, though the class has it.
const DOUBTFUL: &str = "doubtful";

/// Room for the viewer, and what to read where it cannot be.
const FIGURE: &str = "<div id=\"viewer\"></div><noscript><p>The drawing needs JavaScript; the tables below say the same.</p></noscript>";

/// What was read.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// The number of rows.
    pub rows: usize,
    /// The same for the same data from whatever source.
    pub fingerprint: &'a str,
    /// What is out of the ordinary in how a file is written.
    pub notes: &'a [String],
    /// The columns, in the order of the nodes.
    pub columns: Vec<Column>,
}

/// A part of the report under a heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its place in the page.
    pub name: &'static str,
    /// What stands above it.
    pub heading: &'static str,
    /// What it says.
    pub body: Html,
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// What it holds.
    pub kind: &'static str,
    /// How many of its values are missing.
    pub missing: usize,
}

/// A learned graph with all that a report is made of.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Learning, Observations, dataset::{Kind, Reading}, gram::Centering};
/// use plackett_report::{Column, Input, Recipe, Report, Source};
/// let data = Observations::Numbers(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?.into());
/// let learning = Learning::default();
/// let learned = learning.run(&data, &Run::default())?;
/// let report = Report {
///     source: "the data",
///     names: &["cause".to_owned(), "effect".to_owned()],
///     input: Input { rows: 1000, fingerprint: "", notes: &[], columns: vec![Column { kind: "numbers", missing: 0 }; 2] },
///     data: &data,
///     kind: Some(Kind::Numbers),
///     kind_choice: None,
///     learned: &learned,
///     warnings: &[],
///     known: None,
///     support: None,
///     path: None,
///     diagnostics: &[],
///     truth: None,
///     recipe: Recipe {
///         source: Source::Memory,
///         reading: &Reading::default(),
///         centering: Centering::Center,
///         learning: &learning,
///         knowledge: None,
///         resampling: None,
///         has_path: false,
///         time: None,
///     },
/// };
/// assert!(report.html()?.contains("plackett learn DATA.csv"));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// What the data are called.
    pub source: &'a str,
    /// The names of the columns.
    pub names: &'a [String],
    /// What was read.
    pub input: Input<'a>,
    /// What the graph was learned from.
    pub data: &'a Observations,
    /// What the columns are; nothing if they are numbers and categories.
    pub kind: Option<Kind>,
    /// Why they were taken for that, if it was not said.
    pub kind_choice: Option<&'a str>,
    /// The graph.
    pub learned: &'a Learned,
    /// What to know before trusting it.
    pub warnings: &'a [String],
    /// What was known of the graph, and what that cost.
    pub known: Option<(&'a Resolved, &'a KnowledgeCost)>,
    /// What was learned from rows drawn anew.
    pub support: Option<&'a Support>,
    /// Which edges stay at other prices.
    pub path: Option<&'a Path>,
    /// How far the graph can be trusted, as far as the data tell.
    pub diagnostics: &'a [Diagnostic],
    /// The true graph, its nodes in the order of the columns, where that is known.
    pub truth: Option<&'a NamedDag>,
    /// How to learn it again.
    pub recipe: Recipe<'a>,
}

/// How a learned graph differs from the truth, whose nodes are in the order of the columns; where columns were set from outside, its class by
/// what such data can tell.
///
/// # Errors
/// If the graphs have different nodes.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Learning, NamedDag, Observations};
/// let data = Observations::Numbers(Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?.into());
/// let learned = Learning::default().run(&data, &Run::default())?;
/// let truth = NamedDag::new(vec!["a".to_owned(), "b".to_owned()], learned.dag.clone())?;
/// assert_eq!(plackett_report::comparison(&truth, &data, &learned)?.shd, 0);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn comparison(truth: &NamedDag, data: &Observations, learned: &Learned) -> Result<Comparison> {
    let comparison = plackett_dag::metrics::compare(truth.dag(), &learned.dag)?;
    let Some(told) = data.interventions() else { return Ok(comparison) };
    let class = told.class(truth.dag())?;
    Ok(Comparison { shd_cpdag: shd_classes(&class, &learned.cpdag)?, ..comparison })
}

impl Report<'_> {
    /// The whole file.
    ///
    /// # Errors
    /// If the truth has other nodes than the graph.
    pub fn html(&self) -> Result<String> {
        let mut page = Page::new(&self.title(), &self.lead());
        for Section { name, heading, body } in self.sections()? {
            page.section(name, heading, &body);
        }
        page.graph(&self.document());
        Ok(page.to_html())
    }

    /// What the file says, piece by piece, for a page that has a frame and a viewer of its own.
    ///
    /// # Errors
    /// As [`html`](Self::html).
    pub fn sections(&self) -> Result<Vec<Section>> {
        let some = |name, heading, body| Some(Section { name, heading, body });
        let given = |name, heading, body: Option<Html>| body.map(|body| Section { name, heading, body });
        let diagnostics = (!self.diagnostics.is_empty()).then(|| self.diagnostics());
        let sections = [
            some("summary", "What was learned", self.facts()),
            given("warnings", "Warnings", self.warnings()),
            some("graph", "The graph", Html::trusted(FIGURE)),
            some("edges", "Edges", self.edges()),
            some("columns", "Columns", self.columns()),
            given("diagnostics", "Diagnostics", diagnostics),
            given("truth", "Against the true graph", self.against_truth()?),
            given("knowledge", "Knowledge", self.knowledge()),
            given("path", "Other prices", self.path()),
            some("trace", "The search", self.trace()),
            some("again", "Run it again", self.again()),
            some("words", "What the words mean", self.words()),
        ];
        Ok(sections.into_iter().flatten().collect())
    }

    /// The document that the viewer draws, as JSON.
    pub fn graph_json(&self) -> String {
        serde_json::json!(self.document()).to_string()
    }

    fn title(&self) -> String {
        let name = FilePath::new(self.source).file_name();
        format!("Causal graph of {}", name.map_or(self.source.into(), |name| name.to_string_lossy()))
    }

    fn lead(&self) -> String {
        let learned = self.learned;
        let how = match &learned.score_name {
            Some(score) => format!("the score {score}"),
            None => "tests of independence".to_owned(),
        };
        format!(
            "{} among {}, learned from {} of {} by {how}{}.",
            counted(learned.dag.edge_count(), "edge"),
            counted(self.names.len(), "column"),
            counted(self.data.rows(), "row"),
            self.source,
            if learned.ending.is_early() { ": the best graph when the run was ended" } else { "" },
        )
    }

    fn facts(&self) -> Html {
        let learned = self.learned;
        let with = |kind: &str| self.input.columns.iter().filter(|column| column.kind == kind).count();
        let kinds = match (with("numbers"), with("categories")) {
            (numbers, 0) => format!("{numbers}, all numbers"),
            (0, categories) => format!("{categories}, all categories"),
            (numbers, categories) => {
                format!("{}: {numbers} of numbers, {categories} of categories", numbers + categories)
            }
        };
        let missing: usize = self.input.columns.iter().map(|column| column.missing).sum();
        let class = &learned.cpdag;
        let mut facts = vec![
            ("Data", self.source.to_owned()),
            ("Rows", thousands(self.input.rows as u64)),
            ("Columns", kinds),
            ("Missing values", thousands(missing as u64)),
            ("Fingerprint of the data", self.input.fingerprint.to_owned()),
        ];
        if !self.input.notes.is_empty() {
            facts.push(("Read as", self.input.notes.join(", ")));
        }
        facts.extend(self.kind_choice.map(|reason| ("Kinds", reason.to_owned())));
        if let Some(told) = self.data.interventions() {
            let set = |node: usize| {
                format!("{} in {}", self.names[node], counted(told.rows() - told.kept_rows(node), "row"))
            };
            facts.push((
                "Set from outside",
                told.targets().into_iter().map(set).collect::<Vec<_>>().join(", "),
            ));
        }
        facts.push(("Edges", thousands(learned.dag.edge_count() as u64)));
        facts.push((
            "Directions",
            format!("{} told by the class, {} open", class.directed().len(), class.undirected().len()),
        ));
        if let (Some(name), Some(score)) = (&learned.score_name, learned.score) {
            facts.push(("Score", format!("{name}: {} (lower is better)", number(score))));
        }
        facts.extend(learned.score_choice.as_ref().map(|reason| ("Why this score", reason.clone())));
        facts.extend(learned.price.map(|price| ("Price of a parent", format!("{price:.2}"))));
        facts.extend(learned.basis.as_ref().map(|basis| ("Open directions rest on", basis.text.clone())));
        facts.extend(learned.estimation.as_ref().map(|found| {
            (
                "Missing values by EM",
                format!("{} steps; worth {:.0} complete rows", found.iterations, found.effective_rows),
            )
        }));
        facts.push(("Method", format!("{}, seed {}", learned.method.name, self.recipe.learning.seed)));
        let what = if learned.score_name.is_none() { "Tests" } else { "Local scores" };
        facts.push((what, thousands(learned.evaluations)));
        if let Some(found) = &learned.convergence {
            facts.push((
                "Markov chains",
                format!(
                    "{} of {} moves, R-hat {:.3}, effective size {:.0}",
                    found.chains,
                    thousands(found.steps),
                    found.r_hat,
                    found.effective_size
                ),
            ));
        }
        if let Some(support) = self.support {
            facts.push(("Resamples", thousands(support.replicates() as u64)));
        }
        facts.push(("Ended", learned.ending.to_string()));
        Html::facts(facts)
    }

    fn warnings(&self) -> Option<Html> {
        let mut warnings = self.warnings.to_vec();
        if let (Some(support), Some(drawn)) = (self.support, self.recipe.resampling)
            && (support.replicates() as u64) < drawn.wanted
        {
            let done = support.replicates();
            let wanted = drawn.wanted;
            warnings
                .push(format!("the run ended after {done} of {wanted} resamples: the support is by these"));
        }
        (!warnings.is_empty())
            .then(|| Html::element("div", "warnings", &Html::list(warnings.iter().map(String::as_str))))
    }

    fn columns(&self) -> Html {
        let fits = self.fits();
        let has_fits = fits.iter().any(Option::is_some);
        let dag = &self.learned.dag;
        let explained = if self.is_linear() { "variance explained" } else { "entropy explained" };
        let mut head = vec![
            ("column", false),
            ("kind", false),
            ("missing", true),
            ("parents", true),
            ("children", true),
        ];
        if has_fits {
            head.push((explained, true));
        }
        let rows = (0..self.names.len()).map(|node| {
            let column = &self.input.columns[node];
            let mut row = vec![
                self.names[node].clone(),
                column.kind.to_owned(),
                thousands(column.missing as u64),
                dag.parents(node).len().to_string(),
                dag.children(node).len().to_string(),
            ];
            if has_fits {
                row.push(fits[node].map_or_else(String::new, |fit| format!("{:.3}", fit.explained())));
            }
            row
        });
        Html::table("Columns, as they were read", &head, rows)
    }

    fn diagnostics(&self) -> Html {
        let row = |found: &Diagnostic| {
            let value = found.value.map(number).unwrap_or_default();
            vec![found.verdict.to_string(), found.name.to_owned(), value, found.advice.clone()]
        };
        let head = [("verdict", false), ("of what", false), ("figure", true), ("what it says", false)];
        let note = "fine: nothing speaks against what the method assumes; caution: something does; unused: other scores assume it, this \
                    one does not; unknown: it takes rows or time that were not there; assumed: no such data could tell.";
        [
            Html::table("Diagnostics", &head, self.diagnostics.iter().map(row)),
            Html::element("p", "note", &Html::text(note)),
        ]
        .into_iter()
        .collect()
    }

    fn against_truth(&self) -> Result<Option<Html>> {
        let Some(truth) = self.truth else { return Ok(None) };
        let Comparison { shd, shd_cpdag, sid, edges_true, edges_est, missing, extra, reversed } =
            comparison(truth, self.data, self.learned)?;
        let most = self.names.len() * self.names.len().saturating_sub(1);
        let row = |name: &str, count: usize, meaning: &str| {
            vec![name.to_owned(), thousands(count as u64), meaning.to_owned()]
        };
        let of_all = format!("wrong effects of one node on another, of {}", thousands(most as u64));
        let rows = [
            row("SHD", shd, "edges to add, remove or turn round"),
            row("SHD-CPDAG", shd_cpdag, "the same between the classes"),
            row("SID", sid, &of_all),
            row("edges, true", edges_true, "in the true graph"),
            row("edges, learned", edges_est, "in the learned graph"),
            row("missing", missing, "in the true graph only"),
            row("extra", extra, "in the learned graph only"),
            row("reversed", reversed, "in both, the other way round"),
        ];
        let head = [("measure", false), ("value", true), ("meaning", false)];
        Ok(Some(Html::table("Against the true graph", &head, rows)))
    }

    fn knowledge(&self) -> Option<Html> {
        let (resolved, cost) = self.known?;
        let mut body = Html::list(
            resolved
                .statements()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str),
        );
        body.extend(cost.cost.map(|price| {
            Html::paragraph(&match cost.free_score {
                Some(free) if price.abs() > 1e-9 * free.abs() => {
                    format!("They cost {price:.6} of the score, which is {free:.6} without them.")
                }
                _ => "They cost nothing: the score is as good without them.".to_owned(),
            })
        }));
        if !cost.decisive.is_empty() {
            let row = |decisive: &plackett_dag::learning::Decisive| {
                let statement = &resolved.statements()[decisive.statement];
                let edge = |&(from, to): &(usize, usize)| {
                    let is_there = if statement.forbids(from, to) { "" } else { "no " };
                    format!("{is_there}{} → {}", self.names[from], self.names[to])
                };
                vec![
                    statement.to_string(),
                    decisive.cost.map(number).unwrap_or_default(),
                    decisive.edges.iter().map(edge).collect::<Vec<_>>().join(", "),
                ]
            };
            let head =
                [("decisive statement", false), ("costs", true), ("the graph without knowledge has", false)];
            body.extend([Html::table("Statements that decided", &head, cost.decisive.iter().map(row))]);
        }
        Some(body)
    }

    fn path(&self) -> Option<Html> {
        let path = self.path?;
        let head = [
            ("edge", false),
            ("in the graph", false),
            ("from", true),
            ("to", true),
            ("graphs that have it", true),
            ("turned round in", true),
        ];
        let rows = path.edges.iter().map(|edge| {
            vec![
                format!("{} → {}", self.names[edge.from], self.names[edge.to]),
                if edge.is_learned { "yes" } else { "no" }.to_owned(),
                number(edge.lowest),
                number(edge.highest),
                edge.count.to_string(),
                edge.turned.to_string(),
            ]
        });
        let note = format!(
            "{} graphs were learned with other values of the setting {}; the one above has {}. An edge that stays over the whole range does not \
             depend on that choice.",
            path.points.len(),
            path.setting.replace('_', " "),
            number(path.learned_at)
        );
        Some([Html::paragraph(&note), Html::table("Which edges stay", &head, rows)].into_iter().collect())
    }

    fn trace(&self) -> Html {
        let learned = self.learned;
        let points: Vec<(u64, f64)> =
            learned.trace.points().iter().map(|point| (point.evaluations, point.best)).collect();
        let across = if learned.score_name.is_none() { "tests" } else { "local scores looked at" };
        let chart = trace_chart(&points, learned.evaluations, across, "best score so far");
        let order: Vec<&str> = learned.order.iter().map(|&node| self.names[node].as_str()).collect();
        let order = Html::element("p", "", &Html::text(&order.join(", ")));
        [chart, Html::details("The order found, causes first", &order)].into_iter().collect()
    }

    fn again(&self) -> Html {
        let recipe = &self.recipe;
        let mut body = Html::paragraph(&format!(
            "With plackett {}. The same data, settings and seed give the same graph{}.",
            env!("CARGO_PKG_VERSION"),
            if recipe.time.is_some() { ", unless the time limit ends one of the runs" } else { "" }
        ));
        if recipe.source == Source::Memory {
            body.extend([Html::paragraph(
                "The data were in the memory of a program: DATA.csv stands for a file of them, data for what the program has. Data with the \
                 same fingerprint are the same.",
            )]);
        }
        body.extend([Html::code(&recipe.command())]);
        body.extend(recipe.python().map(|call| Html::code(&call)));
        body.extend(recipe.knowledge.map(|knowledge: &Knowledge| {
            let file = Html::code(&knowledge.to_json());
            Html::details(&format!("The file {KNOWLEDGE_FILE}"), &file)
        }));
        let settings = serde_json::json!(recipe.learning);
        let settings = Html::code(&format!("{settings:#}"));
        body.extend([Html::details("All settings", &settings)]);
        body
    }

    fn fits(&self) -> Vec<Option<Fit>> {
        fit::fits(self.data, &self.learned.dag)
    }

    /// What the direction of an edge rests on.
    fn direction(&self, from: usize, to: usize) -> String {
        let direction = self.learned.direction(from, to);
        let is_said = !matches!(direction, Direction::Open | Direction::Known);
        let this_way = self.replicated().map(|support| support.of(from, to).forward);
        if is_said && this_way.is_some_and(|share| share < 0.5) {
            DOUBTFUL.to_owned()
        } else {
            direction.to_string()
        }
    }

    /// The support, if there are resamples.
    fn replicated(&self) -> Option<&Support> {
        self.support.filter(|support| support.replicates() > 0)
    }

    /// Whether the weights of edges are those of a linear model, rather than what the score would lose without them.
    fn is_linear(&self) -> bool {
        self.kind == Some(Kind::Numbers)
    }
}

/// Three digits after the point, or the form with an exponent where those would say nothing.
fn number(value: f64) -> String {
    if value == 0.0 || (1e-2..1e5).contains(&value.abs()) {
        format!("{value:.3}")
    } else {
        format!("{value:.2e}")
    }
}

pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", thousands(count as u64), if count == 1 { "" } else { "s" })
}

/// A whole number with commas.
fn thousands(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
