//! What `plackett learn` shows: a JSON document, or a text with the edges, the order and what to make of them; and files.

use plackett::run::Ending;
use plackett_dag::{
    Learned, NamedDag, Observations, Table,
    cpdag::Mark,
    dataset::Kind,
    format::{CpdagDocument, GraphDocument, to_dot, write_graph_csv},
    learning::residual_variances,
    metrics::Comparison,
};
use serde::Serialize;

use super::{
    Arguments, Settings,
    data::{Data, InputDocument, MissingDocument},
    true_score,
};
use crate::{
    console::{self, counted},
    evaluate,
    files::OutDir,
    plot::{Arrow, Figure, Graph, Weights},
};

/// Edges beyond these would fill the screen; the files have them all.
const MOST_EDGES_SHOWN: usize = 30;
/// Likewise names of the order.
const MOST_NAMES_SHOWN: usize = 150;
/// Columns of a relation that are named, and relations that are told one by one.
const MOST_NAMED: usize = 8;
const MOST_ALIKE: usize = 5;
/// Characters of a line of names.
const LINE: usize = 90;
/// A residual variance below this share of the variable's own is rounding: the variable is a function of its parents.
const RESIDUAL_TOLERANCE: f64 = 1e-10;

/// The document that `--json` prints and `graph.json` holds.
#[derive(Serialize)]
struct Document<'a> {
    version: &'static str,
    method: &'a str,
    score_name: Option<&'a str>,
    score_choice: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    price: Option<f64>,
    score: Option<f64>,
    seconds: f64,
    evaluations: u64,
    status: Ending,
    nodes: usize,
    rows: usize,
    data: &'static str,
    data_choice: Option<&'a str>,
    preprocessing: &'static str,
    seed: u64,
    #[serde(flatten)]
    graph: GraphDocument,
    #[serde(skip_serializing_if = "Option::is_none")]
    probabilities: Option<Vec<EdgeProbability<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    true_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
    warnings: &'a [String],
    settings: Settings<'a>,
    input: &'a InputDocument,
    missing: Option<Gaps<'a>>,
}

/// What is missing, what was done about it, and how that went.
#[derive(Serialize)]
struct Gaps<'a> {
    #[serde(flatten)]
    document: &'a MissingDocument,
    #[serde(flatten)]
    estimation: Option<EstimationDocument>,
}

#[derive(Serialize)]
struct EstimationDocument {
    effective_rows: f64,
    iterations: usize,
    change: f64,
    converged: bool,
}

/// How likely an edge is, whether the learned graph has it or not.
#[derive(Serialize)]
struct EdgeProbability<'a> {
    from: &'a str,
    to: &'a str,
    probability: f64,
}

/// Less likely edges are left out of the document; `probabilities.csv` has them all.
const LEAST_PROBABILITY: f64 = 0.01;

pub(super) struct Report<'a> {
    arguments: &'a Arguments,
    settings: Settings<'a>,
    data: &'a Data,
    learned: &'a Learned,
    /// The learned graph under the names of the columns.
    graph: NamedDag,
    truth: Option<&'a NamedDag>,
    true_score: Option<f64>,
    comparison: Option<Comparison>,
    seconds: f64,
    warnings: Vec<String>,
}

impl<'a> Report<'a> {
    pub(super) fn new(
        arguments: &'a Arguments,
        settings: Settings<'a>,
        data: &'a Data,
        learned: &'a Learned,
        truth: Option<&'a NamedDag>,
        seconds: f64,
    ) -> anyhow::Result<Self> {
        let graph = NamedDag::new(data.names.clone(), learned.dag.clone())?;
        let comparison = truth.map(|truth| truth.compare(&graph)).transpose()?;
        let true_score = true_score(arguments, data, learned, truth)?;
        let mut warnings = data.warnings.clone();
        for &(node, limit) in &learned.lowered_limits {
            warnings.push(format!(
                "column \"{}\" has too many candidates for all their sets: at most {} were tried together",
                data.names[node],
                counted(limit, "parent")
            ));
        }
        if arguments.posterior && learned.probabilities.is_none() {
            warnings.push("the run ended before the probabilities of the edges were known".to_owned());
        }
        if let Some(estimation) = learned.estimation.filter(|estimation| !estimation.is_converged) {
            warnings.push(format!(
                "EM had not converged after {}: the last one changed moments by up to {:.1e} standard deviations",
                counted(estimation.iterations, "step"),
                estimation.change
            ));
        }
        warnings.extend(exact_relations(data, learned));
        Ok(Self {
            arguments,
            settings,
            data,
            learned,
            graph,
            truth,
            true_score,
            comparison,
            seconds,
            warnings,
        })
    }

    /// Writes the files, if there is a folder for them, and prints the rest.
    pub(super) fn give(&self, out: Option<&OutDir>) -> anyhow::Result<()> {
        let document = self.document();
        if let Some(out) = out {
            self.write(out, &document)?;
        }
        if self.arguments.common.json {
            return console::say_json(&document);
        }
        console::say(&self.text())?;
        if let Some(out) = &self.arguments.out {
            let also = if self.learned.probabilities.is_some() { ", probabilities.csv" } else { "" };
            let files = "graph.json, graph.csv, graph.dot, graph.svg, graph.png";
            console::say(&format!("Written to {}: {files}{also}", out.display()))?;
        }
        Ok(())
    }

    fn document(&self) -> Document<'_> {
        let learned = self.learned;
        let mut graph = GraphDocument::new(&self.graph);
        graph.order = self.order().into_iter().map(str::to_owned).collect();
        graph.cpdag = Some(CpdagDocument::new(&self.data.names, &learned.cpdag));
        Document {
            version: env!("CARGO_PKG_VERSION"),
            method: learned.method.name,
            score_name: learned.score_name.as_deref(),
            score_choice: learned.score_choice.as_deref(),
            price: learned.price,
            score: learned.score,
            seconds: self.seconds,
            evaluations: learned.evaluations,
            status: learned.ending,
            nodes: self.data.names.len(),
            rows: self.data.values.rows(),
            data: match self.data.kind {
                Some(Kind::Numbers) => "continuous",
                Some(_) => "discrete",
                None => "mixed",
            },
            data_choice: self.data.kind_choice.as_deref(),
            preprocessing: self.data.preparation,
            seed: self.arguments.common.seed,
            graph,
            probabilities: self.probable_edges(),
            true_score: self.true_score,
            comparison: self.comparison,
            warnings: &self.warnings,
            settings: self.settings,
            input: &self.data.input,
            missing: self.gaps(),
        }
    }

    fn gaps(&self) -> Option<Gaps<'_>> {
        let document = self.data.missing.as_ref()?;
        let estimation = self.learned.estimation.map(|estimation| EstimationDocument {
            effective_rows: estimation.effective_rows,
            iterations: estimation.iterations,
            change: estimation.change,
            converged: estimation.is_converged,
        });
        Some(Gaps { document, estimation })
    }

    /// The likely edges, the likeliest first.
    fn probable_edges(&self) -> Option<Vec<EdgeProbability<'_>>> {
        let probabilities = self.learned.probabilities.as_ref()?;
        let nodes = self.data.names.len();
        let edge = |(at, &probability): (usize, &f64)| EdgeProbability {
            from: self.name(at / nodes),
            to: self.name(at % nodes),
            probability,
        };
        let mut edges: Vec<_> = probabilities.iter().enumerate().map(edge).collect();
        edges.retain(|edge| edge.probability >= LEAST_PROBABILITY);
        edges.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        Some(edges)
    }

    /// The learned order by name, causes first.
    fn order(&self) -> Vec<&str> {
        self.learned.order.iter().map(|&node| self.name(node)).collect()
    }

    fn name(&self, node: usize) -> &str {
        &self.data.names[node]
    }

    /// Whether the edge might as well point the other way.
    fn is_open(&self, from: usize, to: usize) -> bool {
        self.learned.is_equivalent && self.learned.cpdag.mark(from, to) == Mark::Undirected
    }

    fn text(&self) -> String {
        let Self { arguments, data, learned, .. } = self;
        let mut text = format!(
            "Learned from {}: {}, {} ({})\n",
            data.source,
            counted(data.values.rows(), "row"),
            counted(data.names.len(), "column"),
            data.preparation,
        );
        if !data.input.notes.is_empty() {
            text += &format!("Read    {}\n", data.input.notes.join(", "));
        }
        if let Some(reason) = &data.kind_choice {
            text += &format!("Data    {reason}\n");
        }
        if let Some(name) = &learned.score_name {
            text += &format!("Score   {name}");
            if let Some(reason) = &learned.score_choice {
                text += &format!(": {reason}");
            }
            text += "\n";
        }
        if let Some(price) = learned.price {
            text += &format!(
                "Price   {price:.2} a parent{}\n",
                if arguments.penalty.is_none() { ", by the density found" } else { "" }
            );
        }
        if let Some(estimation) = &learned.estimation {
            text += &format!(
                "EM      {} steps to a change of {:.1e}{}; worth {:.0} complete rows\n",
                estimation.iterations,
                estimation.change,
                if estimation.is_converged { "" } else { ", not converged" },
                estimation.effective_rows
            );
        }
        text += &format!("Method  {}, seed {}\n", learned.method.name, arguments.common.seed);
        for warning in &self.warnings {
            text += &format!("Warning: {warning}\n");
        }
        text += &format!("\n{}\n", self.edges());
        if learned.is_equivalent && !learned.cpdag.undirected().is_empty() {
            text += "open: the data fit as well with this edge turned round (see `cpdag` in --json for the class)\n";
        }
        text += &format!("\nOrder   {}\n", first_of(&self.order(), MOST_NAMES_SHOWN, 8));
        text += &format!(
            "CPDAG   {} directed, {} undirected\n",
            counted(learned.cpdag.directed().len(), "edge"),
            learned.cpdag.undirected().len()
        );
        text += &format!(
            "{} of {}, {}{} {} in {:.2} s{}",
            counted(learned.dag.edge_count(), "edge"),
            counted(data.names.len(), "node"),
            learned.score.map_or_else(String::new, |score| format!("score {score:.6}, ")),
            console::thousands(learned.evaluations),
            if learned.score_name.is_none() { "tests" } else { "local scores" },
            self.seconds,
            if learned.ending.is_early() {
                format!(" ({}: the best graph so far)", learned.ending)
            } else {
                String::new()
            },
        );
        if let Some(score) = self.true_score {
            text += &format!("\nThe true graph's score is {score:.6}");
        }
        if let Some(comparison) = &self.comparison {
            text += &format!(
                "\n\nAgainst the true graph (i -> j where row i, column j is non-zero)\n{}",
                evaluate::table(comparison, data.names.len())
            );
        }
        text
    }

    /// The strongest edges as a table, those that the truth alone has after it.
    fn edges(&self) -> String {
        let dag = &self.learned.dag;
        let mut edges: Vec<_> = dag.edges().collect();
        if edges.is_empty() {
            return "No edges: no column helps to predict another by more than chance".to_owned()
                + &self.missing();
        }
        let has_categories = self.data.kind != Some(Kind::Numbers);
        edges.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
        // What an edge between categories is worth is what the score would lose without it.
        let mut header = vec!["edge", if has_categories { "strength" } else { "weight" }];
        if self.learned.probabilities.is_some() {
            header.push("probability");
        }
        if self.learned.is_equivalent {
            header.push("direction");
        }
        if self.truth.is_some() {
            header.push("truth");
        }
        let rows = edges.iter().take(MOST_EDGES_SHOWN).map(|&(from, to, weight)| {
            let mut row = vec![format!("{} -> {}", self.name(from), self.name(to)), number(weight)];
            if let Some(probabilities) = &self.learned.probabilities {
                row.push(format!("{:.3}", probabilities[from * dag.nodes() + to]));
            }
            if self.learned.is_equivalent {
                row.push(if self.is_open(from, to) { "open" } else { "settled" }.to_owned());
            }
            if let Some(truth) = self.truth.map(NamedDag::dag) {
                row.push(if truth.has_edge(from, to) {
                    if has_categories { "yes".to_owned() } else { number(truth.weight(from, to)) }
                } else if truth.has_edge(to, from) {
                    "reversed".to_owned()
                } else {
                    "no edge".to_owned()
                });
            }
            row
        });
        let mut text = console::table_with_notes(&header, rows);
        if let Some(rest) = edges.len().checked_sub(MOST_EDGES_SHOWN).filter(|&rest| rest > 0) {
            text += &format!(
                "\nand {} weaker ones (--json and --out have them all)",
                console::thousands(rest as u64)
            );
        }
        text + &self.missing()
    }

    fn missing(&self) -> String {
        let Some(truth) = self.truth else { return String::new() };
        let dag = &self.learned.dag;
        let missing: Vec<String> = truth
            .dag()
            .edges()
            .filter(|&(from, to, _)| !dag.has_edge(from, to) && !dag.has_edge(to, from))
            .map(|(from, to, _)| format!("{} -> {}", self.name(from), self.name(to)))
            .collect();
        if missing.is_empty() {
            return String::new();
        }
        let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
        format!("\nMissing: {}", first_of(&missing, MOST_EDGES_SHOWN, 9))
    }

    fn write(&self, out: &OutDir, document: &Document) -> anyhow::Result<()> {
        let graph = &self.graph;
        out.write("graph.json", serde_json::to_string_pretty(document)?.as_bytes())?;
        let mut csv = Vec::new();
        write_graph_csv(graph, &mut csv, "graph.csv")?;
        out.write("graph.csv", &csv)?;
        out.write("graph.dot", to_dot(graph, |from, to| self.is_open(from, to)).as_bytes())?;
        if let Some(probabilities) = &self.learned.probabilities {
            let mut csv = Vec::new();
            Table::new(graph.names().to_vec(), probabilities.clone())?
                .write_csv(&mut csv, "probabilities.csv")?;
            out.write("probabilities.csv", &csv)?;
        }
        let arrows: Vec<Arrow> = graph
            .dag()
            .edges()
            .map(|(from, to, weight)| Arrow { from, to, weight, is_open: self.is_open(from, to) })
            .collect();
        let by = self.learned.score_name.as_deref().unwrap_or(self.learned.method.name);
        let title = format!("{}: {by}, {}", self.data.title, counted(graph.dag().edge_count(), "edge"));
        let weights = match self.data.kind {
            Some(Kind::Numbers) => Weights::Effects,
            _ => Weights::Strengths,
        };
        let order = graph.dag().topological_order();
        let figure = Figure::draw_graph(&Graph {
            title: &title,
            names: graph.names(),
            order,
            arrows: &arrows,
            weights,
        })?;
        out.write("graph.svg", figure.svg.as_bytes())?;
        out.write("graph.png", &figure.png)?;
        Ok(())
    }
}

/// The first of a list, and how many more there are.
fn first_of(names: &[&str], most: usize, indent: usize) -> String {
    let shown = console::wrapped(&names[..most.min(names.len())], LINE, indent);
    match names.len().saturating_sub(most) {
        0 => shown,
        rest => format!("{shown} and {} more", console::thousands(rest as u64)),
    }
}

/// Three digits after the point, or the form with an exponent where those would say nothing.
fn number(weight: f64) -> String {
    if (1e-2..1e5).contains(&weight.abs()) { format!("{weight:.3}") } else { format!("{weight:.2e}") }
}

/// Variables that are linear functions of their parents: no noise, and so no direction that noise could tell.
fn exact_relations(data: &Data, learned: &Learned) -> Vec<String> {
    let Observations::Numbers(gram) = &data.values else { return Vec::new() };
    let dag = &learned.dag;
    let variances = residual_variances(gram, dag);
    // One of a single column is a copy, of which the data have been said to hold one.
    let exact = |&node: &usize| {
        dag.parents(node).len() > 1 && variances[node] <= RESIDUAL_TOLERANCE * gram.entry(node, node)
    };
    let warning = |node: &usize| {
        let parents = dag.parents(*node);
        let names: Vec<String> =
            parents.iter().take(MOST_NAMED).map(|&parent| format!("\"{}\"", data.names[parent])).collect();
        let rest = parents.len().saturating_sub(MOST_NAMED);
        let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        format!(
            "column \"{}\" is an exact linear function of {}{rest}: directions among them mean nothing",
            data.names[*node],
            names.join(", ")
        )
    };
    let nodes: Vec<usize> = (0..dag.nodes()).filter(exact).collect();
    let mut warnings: Vec<String> = nodes.iter().take(MOST_ALIKE).map(warning).collect();
    if nodes.len() > MOST_ALIKE {
        warnings.push(format!("and {} more of that kind", nodes.len() - MOST_ALIKE));
    }
    warnings
}
