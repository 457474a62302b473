//! Which edges stay when the setting that decides how many there are takes other values: the price of a parent, the weight of the prior,
//! or the level of the tests. An edge that is there over the whole range does not hang on that setting.

use plackett::{elementary::ln, run::Run};

use super::{Learned, Learning, METHOD_ALPHA, NumberSettings, Observations, ScoreChoice};
use crate::{
    Cpdag, Error, Result,
    cpdag::Mark,
    score::{DiscreteScoreSettings, L1},
};

/// Values on either side of the one that the graph was learned with.
const EACH_WAY: i32 = 4;
/// The ratio of one price to the next: the range is from a quarter to four times the price.
const PRICE_STEP: f64 = std::f64::consts::SQRT_2;
/// The same for levels and priors, which matter by their orders of magnitude: from a sixteenth to sixteen times.
const LEVEL_STEP: f64 = 2.0;
/// A level beyond this keeps nearly everything.
const LARGEST_LEVEL: f64 = 0.5;

/// The graphs at different values of a setting.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Learning, Observations};
/// // 0 → 1 strongly, and 2 hardly goes with either.
/// let gram = Gram::from_matrix(200, 3, vec![1.0, 0.8, 0.1, 0.8, 1.0, 0.2, 0.1, 0.2, 1.0])?;
/// let data = Observations::Numbers(Arc::new(gram));
/// let (learning, run) = (Learning::default(), Run::default());
/// let learned = learning.run(&data, &run)?;
/// let path = learning.path(&data, &learned, &run)?;
/// assert_eq!((path.setting, path.points.len()), ("penalty", 9));
/// let strong = path.edges.iter().find(|edge| edge.from.max(edge.to) == 1).unwrap();
/// assert_eq!((strong.count, strong.is_learned), (9, true));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Path {
    /// The setting that varies: `penalty`, `lambda`, `equivalent_sample_size` or `alpha`.
    pub setting: &'static str,
    /// Its value for the graph that was learned.
    pub learned_at: f64,
    /// The graphs, by increasing values; fewer if the run was over first.
    pub points: Vec<PathPoint>,
    /// The edges of the learned graph, and then those that other values give, each where it is there.
    pub edges: Vec<PathEdge>,
}

/// The graph at one value of the setting.
///
/// ```
/// let point = plackett_dag::learning::PathPoint {
///     price: 1.0,
///     score: None,
///     edges: vec![(0, 1)],
///     cpdag: plackett_dag::Cpdag::from_edges(2, [], [(0, 1)])?,
/// };
/// assert_eq!(point.edges.len(), 1);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PathPoint {
    /// The value of the setting.
    pub price: f64,
    /// The score at this value; those at other values are no measure for it.
    pub score: Option<f64>,
    /// The edges of the graph, each from cause to effect.
    pub edges: Vec<(usize, usize)>,
    /// What is compelled and what is open.
    pub cpdag: Cpdag,
}

/// Where an edge is there, either way round.
///
/// ```
/// use plackett_dag::learning::PathEdge;
/// let edge = PathEdge { from: 0, to: 1, lowest: 0.5, highest: 2.0, count: 5, turned: 0, is_learned: true };
/// assert!(edge.lowest <= edge.highest);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathEdge {
    /// The cause, in the learned graph or in the first that has the edge.
    pub from: usize,
    /// The effect.
    pub to: usize,
    /// The lowest value of the setting at which the two are joined.
    pub lowest: f64,
    /// The highest.
    pub highest: f64,
    /// At how many of the values they are joined.
    pub count: usize,
    /// At how many of them the other direction is compelled.
    pub turned: usize,
    /// Whether the learned graph has the edge.
    pub is_learned: bool,
}

/// A setting that can take other values.
struct Varied {
    name: &'static str,
    value: f64,
    step: f64,
    set: fn(&mut Learning, f64),
}

impl Learning {
    /// Learns again with other values of the setting that decides how many edges there are, nine in all, and says which edges stay. The
    /// score and all else are those that `learned` was learned with.
    ///
    /// # Errors
    /// [`Error::Misfit`] if the score has no such setting, and what learning objects to.
    pub fn path(&self, data: &Observations, learned: &Learned, run: &Run<'_>) -> Result<Path> {
        let varied = self.varied(data, learned)?;
        let values = (-EACH_WAY..=EACH_WAY).map(|step| (step, varied.value * varied.step.powi(step)));
        let values =
            values.filter(|&(step, value)| step == 0 || varied.name != "alpha" || value <= LARGEST_LEVEL);
        let mut points = Vec::new();
        for (step, price) in values {
            if step == 0 {
                points.push(PathPoint::of(price, learned));
                continue;
            }
            let mut learning = self.clone();
            if let Some(name) = &learned.score_name {
                learning.score = ScoreChoice::from(name.as_str());
            }
            learning.search.posterior = false;
            (varied.set)(&mut learning, price);
            let found = learning.run(data, run)?;
            if found.ending.is_early() {
                continue;
            }
            points.push(PathPoint::of(price, &found));
        }
        let edges = edges_along(&points, learned);
        Ok(Path { setting: varied.name, learned_at: varied.value, points, edges })
    }

    /// The setting of the score, or of the tests, with its value.
    fn varied(&self, data: &Observations, learned: &Learned) -> Result<Varied> {
        let (rows, columns) = (data.rows().max(2) as f64, data.columns().max(1) as f64);
        let penalty = |default: f64| Varied {
            name: "penalty",
            value: self.numbers.penalty.unwrap_or(default),
            step: PRICE_STEP,
            set: |learning, value| learning.numbers.penalty = Some(value),
        };
        let score = learned.score_name.as_deref();
        Ok(match (score, learned.price) {
            (None, _) => Varied {
                name: "alpha",
                value: self.tests.alpha.unwrap_or(METHOD_ALPHA),
                step: LEVEL_STEP,
                set: |learning, value| learning.tests.alpha = Some(value),
            },
            // Both as multiples of what the penalty multiplies: ½ log n for a parameter, and log n for a parent.
            (Some("bic" | "dg" | "cg" | "nal"), Some(price)) => penalty(price / (0.5 * ln(rows))),
            (Some("ev-l0"), _) => penalty((0.5 * ln(rows) + 1.5 * ln(columns)) / ln(rows)),
            (Some("l1"), _) => Varied {
                name: "lambda",
                value: self.numbers.lambda.unwrap_or(L1::DEFAULT_LAMBDA),
                step: PRICE_STEP,
                set: |learning, value| {
                    learning.numbers = NumberSettings { lambda: Some(value), ..learning.numbers };
                },
            },
            // Of categories, as multiples of the price that they have.
            (Some("qnml" | "bic" | "k2" | "fnml"), _) => penalty(1.0),
            (Some("bdeu"), _) => Varied {
                name: "equivalent_sample_size",
                value: self
                    .categories
                    .equivalent_sample_size
                    .unwrap_or(DiscreteScoreSettings::default().equivalent_sample_size),
                step: LEVEL_STEP,
                set: |learning, value| learning.categories.equivalent_sample_size = Some(value),
            },
            (Some(name), _) => {
                let reason = format!(
                    "varies the price of an edge, and the score {name} has none: of numbers, bic, ev-l0 and l1 have one; those of categories \
                     have one, and bdeu its equivalent sample size; and the method pc has its level"
                );
                return Err(Error::Misfit { setting: "path", reason });
            }
        })
    }
}

impl PathPoint {
    fn of(price: f64, learned: &Learned) -> Self {
        Self {
            price,
            score: learned.score,
            edges: learned.dag.edges().map(|(from, to, _)| (from, to)).collect(),
            cpdag: learned.cpdag.clone(),
        }
    }

    fn joins(&self, a: usize, b: usize) -> bool {
        self.cpdag.mark(a, b) != Mark::Absent
    }
}

/// Every edge of the points, those of the learned graph first by strength, the others by how many points have them.
fn edges_along(points: &[PathPoint], learned: &Learned) -> Vec<PathEdge> {
    let along = |from: usize, to: usize, is_learned: bool| {
        let there = || points.iter().filter(|point| point.joins(from, to));
        PathEdge {
            from,
            to,
            lowest: there().map(|point| point.price).fold(f64::INFINITY, f64::min),
            highest: there().map(|point| point.price).fold(f64::NEG_INFINITY, f64::max),
            count: there().count(),
            turned: there().filter(|point| point.cpdag.mark(from, to) == Mark::Backward).count(),
            is_learned,
        }
    };
    let mut edges: Vec<PathEdge> =
        learned.strongest_edges().iter().map(|edge| along(edge.from, edge.to, true)).collect();
    let mut others: Vec<PathEdge> = Vec::new();
    let mut seen: std::collections::HashSet<(usize, usize)> =
        edges.iter().map(|edge| (edge.from.min(edge.to), edge.from.max(edge.to))).collect();
    for &(from, to) in points.iter().flat_map(|point| &point.edges) {
        if seen.insert((from.min(to), from.max(to))) {
            others.push(along(from, to, false));
        }
    }
    others.sort_by(|a, b| b.count.cmp(&a.count).then((a.from, a.to).cmp(&(b.from, b.to))));
    edges.append(&mut others);
    edges
}
