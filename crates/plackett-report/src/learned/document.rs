//! The document that the viewer draws: nodes with their places, and pairs of nodes with how each view joins them and what there is to say
//! of that. `assets/viewer.js` reads it; a field is one here and one there.

use std::collections::BTreeMap;

use plackett_dag::{Cpdag, Dag, Support};
use serde::Serialize;

use super::{Report, THRESHOLD, fit::Fit, number};
use crate::layout::{Layout, Point};

/// The width of a character of a name in the viewer's font, the room around it, and the narrowest node.
const CHARACTER: f64 = 7.2;
const PADDING: f64 = 20.0;
const NARROWEST: f64 = 34.0;
/// Longer names are cut in the picture.
const LONGEST_NAME: usize = 24;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    title: String,
    /// Whether nodes are in layers, and lines have joints.
    layered: bool,
    nodes: Vec<Node<'a>>,
    edges: Vec<Edge>,
    views: Vec<View>,
    /// What the strength of an edge is.
    strength: &'static str,
    /// Whether weights are those of a linear model.
    linear: bool,
}

#[derive(Serialize)]
struct View {
    id: &'static str,
    name: &'static str,
    note: &'static str,
}

#[derive(Serialize)]
struct Node<'a> {
    name: &'a str,
    kind: &'static str,
    missing: usize,
    x: f64,
    y: f64,
    width: f64,
    /// Its place in the order, causes first.
    rank: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fit: Vec<(&'static str, String)>,
}

/// Two nodes that some view joins: `>` where a causes b, `<` the other way, `-` where the direction is open.
#[derive(Default, Serialize)]
struct Edge {
    a: usize,
    b: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    dag: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consensus: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<char>,
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standardized: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strength: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p_value: Option<f64>,
    /// How strong it is beside the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<f64>,
    /// That of a → b and of b → a.
    #[serde(skip_serializing_if = "Option::is_none")]
    probability: Option<(f64, f64)>,
    /// Shares of resamples that join the two, that have a → b, that have b → a, and that leave it open.
    #[serde(skip_serializing_if = "Option::is_none")]
    support: Option<[f64; 4]>,
    /// The joints of its line, where that is not straight.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    joints: Vec<Point>,
}

impl Report<'_> {
    pub(super) fn document(&self) -> Document<'_> {
        let learned = self.learned;
        let dag = &learned.dag;
        let (layout, widths) = laid_out(self.names, dag);
        let fits = self.fits();
        let mut rank = vec![0; self.names.len()];
        for (at, &node) in learned.order.iter().enumerate() {
            rank[node] = at;
        }
        let nodes = (0..self.names.len()).map(|node| Node {
            name: &self.names[node],
            kind: self.input.columns[node].kind,
            missing: self.input.columns[node].missing,
            x: rounded(layout.nodes[node].0),
            y: rounded(layout.nodes[node].1),
            width: rounded(widths[node]),
            rank: rank[node],
            fit: fits[node].map(fit_lines).unwrap_or_default(),
        });
        Document {
            title: self.title(),
            layered: layout.is_layered,
            nodes: nodes.collect(),
            edges: self.pairs(&layout),
            views: self.views(),
            strength: match (&learned.strengths, &learned.p_values) {
                (Some(_), _) => "strength",
                (None, Some(_)) => "surprise",
                (None, None) => "weight",
            },
            linear: self.is_linear(),
        }
    }

    fn views(&self) -> Vec<View> {
        let class = match (&self.learned.p_values, self.known) {
            (Some(_), _) => "the pattern that the tests leave",
            (None, Some(_)) => "what all equally good graphs that keep the knowledge agree on",
            (None, None) => "what all graphs that fit the data equally well agree on",
        };
        let note = "the graph itself; dashed where the data leave the direction open";
        let mut views =
            vec![View { id: "dag", name: "graph", note }, View { id: "class", name: "class", note: class }];
        if self.replicated().is_some() {
            let note = "what more than half of the resamples agree on";
            views.push(View { id: "consensus", name: "consensus", note });
        }
        views
    }

    /// The pairs that a view or the truth joins, in the order of their nodes.
    fn pairs(&self, layout: &Layout) -> Vec<Edge> {
        let learned = self.learned;
        let mut pairs: BTreeMap<(usize, usize), Edge> = BTreeMap::new();
        // An edge is told from cause to effect as the graph has it; others as the first view that joins them.
        let mut add = |from: usize, to: usize, mark: char, set: &dyn Fn(&mut Edge, char)| {
            let edge = pairs.entry((from.min(to), from.max(to))).or_insert_with(|| Edge {
                a: from,
                b: to,
                ..Edge::default()
            });
            let is_turned = edge.a != from;
            set(edge, if is_turned && mark == '>' { '<' } else { mark });
        };
        for (edge, line) in learned.edges().zip(&layout.edges) {
            let direction = self.direction(edge.from, edge.to);
            add(edge.from, edge.to, '>', &|found, mark| {
                found.dag = Some(mark);
                found.direction = Some(direction.clone());
                found.weight = Some(edge.weight);
                found.standardized = edge.standardized;
                found.strength = edge.strength;
                found.p_value = edge.p_value;
                found.rank = Some(edge.rank());
                found.joints = joints(line);
            });
        }
        let mut of_class = |class: &Cpdag, set: fn(&mut Edge, char)| {
            class.directed().iter().for_each(|&(from, to)| add(from, to, '>', &set));
            class.undirected().iter().for_each(|&(a, b)| add(a, b, '-', &set));
        };
        of_class(&learned.cpdag, |edge, mark| edge.class = Some(mark));
        if let Some(support) = self.replicated() {
            of_class(&support.consensus(THRESHOLD), |edge, mark| edge.consensus = Some(mark));
        }
        if let Some(truth) = self.truth {
            for (from, to, _) in truth.dag().edges() {
                add(from, to, '>', &|edge, mark| edge.truth = Some(mark));
            }
        }
        let mut edges: Vec<Edge> = pairs.into_values().collect();
        let nodes = self.names.len();
        for edge in &mut edges {
            edge.support = self.replicated().map(|support| shares(support, edge.a, edge.b));
            let probabilities = learned.probabilities.as_ref();
            edge.probability =
                probabilities.map(|all| (all[edge.a * nodes + edge.b], all[edge.b * nodes + edge.a]));
        }
        edges
    }
}

/// A graph that is still being looked for, as the viewer draws it: nodes and edges, and nothing to say of them yet.
///
/// ```
/// use plackett_dag::Dag;
/// let names = ["rain", "wet"].map(str::to_owned);
/// let found = Dag::from_parents(vec![vec![], vec![0]])?;
/// assert!(plackett_report::sketch("So far", &names, &found).contains(r#""a":0,"b":1,"dag":">""#));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn sketch(title: &str, names: &[String], dag: &Dag) -> String {
    let (layout, widths) = laid_out(names, dag);
    let mut rank = vec![0; names.len()];
    for (at, &node) in dag.topological_order().iter().enumerate() {
        rank[node] = at;
    }
    let node = |node: usize| Node {
        name: &names[node],
        kind: "",
        missing: 0,
        x: rounded(layout.nodes[node].0),
        y: rounded(layout.nodes[node].1),
        width: rounded(widths[node]),
        rank: rank[node],
        fit: Vec::new(),
    };
    let edge = |((a, b, _), line): ((usize, usize, f64), &Vec<Point>)| Edge {
        a,
        b,
        dag: Some('>'),
        joints: joints(line),
        ..Edge::default()
    };
    let document = Document {
        title: title.to_owned(),
        layered: layout.is_layered,
        nodes: (0..names.len()).map(node).collect(),
        edges: dag.edges().zip(&layout.edges).map(edge).collect(),
        views: vec![View { id: "dag", name: "graph", note: "the best graph so far" }],
        strength: "strength",
        linear: false,
    };
    serde_json::json!(document).to_string()
}

/// Where nodes and lines are, and how wide the nodes.
fn laid_out(names: &[String], dag: &Dag) -> (Layout, Vec<f64>) {
    let widths: Vec<f64> = names.iter().map(|name| width(name)).collect();
    let arrows: Vec<(usize, usize)> = dag.edges().map(|(from, to, _)| (from, to)).collect();
    (Layout::new(dag.topological_order(), &arrows, &widths), widths)
}

/// The joints of a line, its ends left out.
fn joints(line: &[Point]) -> Vec<Point> {
    line[1..line.len() - 1].iter().map(|&(x, y)| (rounded(x), rounded(y))).collect()
}

fn shares(support: &Support, from: usize, to: usize) -> [f64; 4] {
    let shares = support.of(from, to);
    [shares.adjacent, shares.forward, shares.backward, shares.undirected]
}

fn fit_lines(fit: Fit) -> Vec<(&'static str, String)> {
    match fit {
        Fit::Variance { explained, left } => vec![
            ("variance explained (R²)", format!("{explained:.3}")),
            ("standard deviation left", number(left)),
        ],
        Fit::Entropy { explained, categories } => {
            vec![("entropy explained", format!("{explained:.3}")), ("categories", categories.to_string())]
        }
    }
}

fn width(name: &str) -> f64 {
    let characters = name.chars().count().min(LONGEST_NAME);
    (CHARACTER * characters as f64 + PADDING).max(NARROWEST)
}

/// A tenth of a pixel is enough, and shorter.
fn rounded(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}
