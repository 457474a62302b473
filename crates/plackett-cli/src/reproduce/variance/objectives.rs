//! The eight objectives, each drawn from a seed.

use std::{path::Path, sync::Arc};

use plackett::{
    Noise, Objective as _, PlackettLuce, Toy,
    elementary::{exp2, hypot, log2},
    problem::Problem as _,
    run::Run,
};
use plackett_dag::{
    Dataset, Gram, Oracle, Sem,
    dataset::Reading,
    gram::{Centering, GramBuilder},
    score::{Bic, ScoreSettings},
    simulate::{self, GraphKind, SemSettings, simulate_sem},
};
use plackett_problems::{FlowShop, LinearOrdering, QuadraticAssignment, TravelingSalesman};

use crate::console::BadInput;

/// Something to minimize over orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Toy,
    LinearOrdering,
    Tour,
    QuadraticAssignment,
    FlowShop,
    Ndcg,
    ReciprocalRank,
    OrderScore,
}

/// What a task is given as.
pub(super) type Objective = Box<dyn FnMut(&[usize]) -> Result<f64, anyhow::Error>>;

/// The toy's offset, and how far down the gain of a ranking is counted.
const OFFSET: f64 = 0.05;
const TOP: usize = 5;
/// Grades of relevance, from nothing to this.
const HIGHEST_GRADE: i32 = 4;
const MACHINES: usize = 5;
/// Rows of the data that an order of variables is scored on.
const ROWS: usize = 500;

/// Columns of numbers from a file.
pub(super) struct Numbers {
    /// What the file is called, and what tells its contents from others.
    pub name: String,
    pub fingerprint: String,
    columns: Vec<Vec<f64>>,
}

/// A column that has fewer different values than this is hardly one of numbers.
const FEWEST_VALUES: usize = 10;

impl Numbers {
    /// The columns of a file that are complete and vary.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let data = Dataset::read(path, &Reading::default())?;
        let is_varied =
            |column: usize| data.columns()[column].distinct.is_none_or(|many| many >= FEWEST_VALUES);
        let columns = (0..data.names().len())
            .filter(|&column| is_varied(column) && data.columns()[column].missing == 0)
            .filter_map(|column| data.numbers(column).map(<[f64]>::to_vec))
            .collect();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, fingerprint: data.fingerprint().to_owned(), columns })
    }

    /// Some of them, drawn by a seed.
    fn draw(&self, items: usize, seed: u64) -> anyhow::Result<Gram> {
        let count = self.columns.len();
        if count < items {
            return Err(BadInput(format!(
                "{}: {count} varied columns of numbers are too few, {items} are needed",
                self.name
            ))
            .into());
        }
        let drawn = PlackettLuce::new(&vec![0.0; count])?.sample(Noise::new(seed).stream(0));
        let columns: Vec<&[f64]> = drawn[..items].iter().map(|&column| &*self.columns[column]).collect();
        let mut builder = GramBuilder::new(items)?;
        for row in 0..columns[0].len() {
            builder.push_row(&columns.iter().map(|column| column[row]).collect::<Vec<_>>())?;
        }
        Ok(builder.finish(Centering::Standardize)?)
    }
}

/// The moments of data from a linear model.
fn simulated(items: usize, seed: u64) -> anyhow::Result<Gram> {
    // As dense as graphs of so many nodes can well be.
    let degree = if items < 10 { 2 } else { 4 };
    let (graph, noise) = (GraphKind::ErdosRenyi, simulate::Noise::Standard);
    let sem = simulate_sem(&SemSettings { graph, degree, nodes: items, noise }, seed)?;
    let table = sem.sample(ROWS, Sem::TRAINING);
    let mut builder = GramBuilder::new(table.columns())?;
    table.rows().try_for_each(|row| builder.push_row(row))?;
    Ok(builder.finish(Centering::Standardize)?)
}

impl Task {
    pub(super) const ALL: [Self; 8] = [
        Self::Toy,
        Self::LinearOrdering,
        Self::Tour,
        Self::QuadraticAssignment,
        Self::FlowShop,
        Self::Ndcg,
        Self::ReciprocalRank,
        Self::OrderScore,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Toy => "toy",
            Self::LinearOrdering => "linear ordering",
            Self::Tour => "tour",
            Self::QuadraticAssignment => "quadratic assignment",
            Self::FlowShop => "flow shop",
            Self::Ndcg => "NDCG@5",
            Self::ReciprocalRank => "reciprocal rank",
            Self::OrderScore => "order score",
        }
    }

    /// Whether it is a sum over ranks, pairs or neighbors.
    pub(super) fn is_additive(self) -> bool {
        matches!(self, Self::Toy | Self::LinearOrdering | Self::Tour | Self::Ndcg)
    }

    /// How many of the first items it reads, if not all.
    pub(super) fn top(self) -> Option<usize> {
        (self == Self::Ndcg).then_some(TOP)
    }

    /// The objective of a seed.
    pub(super) fn draw(
        self,
        items: usize,
        seed: u64,
        numbers: Option<&Numbers>,
    ) -> anyhow::Result<Objective> {
        let uniform = |stream: u64, count: usize| {
            let mut uniform = vec![0.0; count];
            Noise::new(seed).fill(stream, &mut uniform);
            uniform
        };
        let square = items * items;
        let grades = || uniform(0, items).into_iter().map(|u| (u * f64::from(HIGHEST_GRADE + 1)).floor());
        Ok(match self {
            Self::Toy => {
                let mut toy = Toy::permutation(items, OFFSET)?;
                Box::new(move |order| toy.evaluate(order).map_err(|error| anyhow::anyhow!("{error}")))
            }
            Self::LinearOrdering => {
                let problem = LinearOrdering::new("", items, uniform(0, square))?;
                Box::new(move |order| Ok(-problem.value(order)))
            }
            Self::Tour => {
                let points = uniform(0, 2 * items);
                let place = |city: usize| (points[2 * city], points[2 * city + 1]);
                let distance = |at: usize| {
                    let ((x, y), (u, v)) = (place(at / items), place(at % items));
                    hypot(x - u, y - v)
                };
                let problem =
                    TravelingSalesman::from_distances("", items, (0..square).map(distance).collect())?;
                Box::new(move |order| Ok(problem.value(order)))
            }
            Self::QuadraticAssignment => {
                let drawn = uniform(0, square);
                let flow = |at: usize| {
                    let (i, j) = (at / items, at % items);
                    if i == j { 0.0 } else { (10.0 * drawn[i.min(j) * items + i.max(j)]).floor() }
                };
                // Manhattan distances on a grid that is about a square.
                let width = items.isqrt() + usize::from(items.isqrt().pow(2) < items);
                let distance = |at: usize| {
                    let (i, j) = (at / items, at % items);
                    ((i / width).abs_diff(j / width) + (i % width).abs_diff(j % width)) as f64
                };
                let (distances, flows) =
                    ((0..square).map(distance).collect(), (0..square).map(flow).collect());
                let problem = QuadraticAssignment::new("", items, distances, flows)?;
                Box::new(move |order| Ok(problem.value(order)))
            }
            Self::FlowShop => {
                let times = uniform(0, items * MACHINES).into_iter().map(|u| 1.0 + (99.0 * u).floor());
                let problem = FlowShop::new("", items, MACHINES, times.collect())?;
                Box::new(move |order| Ok(problem.value(order)))
            }
            Self::Ndcg => {
                let gains: Vec<f64> = grades().map(|grade| exp2(grade) - 1.0).collect();
                let discount = |rank: usize| 1.0 / log2(rank as f64 + 2.0);
                let mut best = gains.clone();
                best.sort_by(|a, b| b.total_cmp(a));
                let ideal: f64 =
                    best.iter().take(TOP).enumerate().map(|(rank, gain)| gain * discount(rank)).sum();
                Box::new(move |order| {
                    let ranks = order.iter().take(TOP).enumerate();
                    Ok(-ranks.map(|(rank, &item)| gains[item] * discount(rank)).sum::<f64>() / ideal)
                })
            }
            Self::ReciprocalRank => {
                let scale = exp2(f64::from(HIGHEST_GRADE));
                let satisfied: Vec<f64> = grades().map(|grade| (exp2(grade) - 1.0) / scale).collect();
                Box::new(move |order| {
                    let (mut value, mut goes_on) = (0.0, 1.0);
                    for (rank, &item) in order.iter().enumerate() {
                        value -= goes_on * satisfied[item] / (rank as f64 + 1.0);
                        goes_on *= 1.0 - satisfied[item];
                    }
                    Ok(value)
                })
            }
            Self::OrderScore => {
                let gram = Arc::new(match numbers {
                    Some(numbers) => numbers.draw(items, seed)?,
                    None => simulated(items, seed)?,
                });
                let mut oracle = Oracle::new(Arc::new(Bic::new(gram, &ScoreSettings::default())?));
                let run = Run::default();
                Box::new(move |order| {
                    let score = oracle.order_score(order, &run)?;
                    score.ok_or_else(|| anyhow::anyhow!("the run is over"))
                })
            }
        })
    }
}
