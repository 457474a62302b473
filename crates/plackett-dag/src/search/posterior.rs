//! The posterior probability of every edge, by several chains over partitions: each graph counts once, with its score and the prior
//! that the sums have. Whether the chains agree is part of the answer.

use plackett::run::Run;
use serde::Serialize;

use super::convergence::{effective_size, scale_reduction, split_r_hat};
use super::partition_mcmc::{Chain, Shares};
use crate::error::check_setting;
use crate::{Dag, Result, parallel, parent_sets::ParentSums};

/// What a round of moves is called while it goes on.
const STAGE: &str = "partition MCMC";

/// The first of so many parts of a round, which may still remember where it started, is left out.
const BURN_IN: u64 = 5;

/// Partitions that a chain is looked at in a round, after that.
const LOOKS: u64 = 1000;

/// Moves between two looks, for each node, in the first round.
const MOVES_PER_NODE: u64 = 1;

/// Rounds at most, each twice as long as the one before, as long as the chains disagree.
const MOST_ROUNDS: u32 = 4;

/// More rounds follow as long as their moves, times the nodes that each looks at, are no more than this: of few nodes they take a second.
const FEW_LOOKUPS: u64 = 4_000_000;

/// Chains agree if R̂ of the score is at most this.
const AGREED_SCORES: f64 = 1.05;

/// Chains agree on an edge if R̂ is at most this, or if they are no farther apart than [`AGREED_PROBABILITIES`].
const AGREED_EDGES: f64 = 1.1;

/// Rounds follow one another until no probability has a larger standard error than this, beside agreement.
const PRECISE: f64 = 0.02;

/// Means of chains that are no farther apart than this tell the same probability, whatever R̂ says of what is near certain.
const AGREED_PROBABILITIES: f64 = 0.02;

/// Several Markov chains over partitions of the nodes into layers (Kuipers and Moffa 2017).
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{
///     Dag, Gram, parent_sets::{Candidates, ParentSums, SizePrior}, score::{ScoreSettings, score_by_name}, search::PartitionMcmc,
/// };
/// let gram = Arc::new(Gram::from_matrix(100, 3, vec![1.0, 0.8, 0.0, 0.8, 1.0, 0.0, 0.0, 0.0, 1.0])?);
/// let score = score_by_name("bge", gram, &ScoreSettings::default())?;
/// let sums = ParentSums::of(score.as_ref(), &Candidates::all(3, 2), SizePrior::Even, &Run::default())?.unwrap();
/// let found = PartitionMcmc::default().run(&sums, &Dag::empty(3), &Run::default())?;
/// // Joined for certain, and nothing says in which direction.
/// assert!((found.probabilities[1] - 0.5).abs() < 0.05 && (found.probabilities[3] - 0.5).abs() < 0.05);
/// assert!(found.convergence.agrees());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionMcmc {
    /// Moves of each chain; without a number, as many as it takes the chains to agree, within reason.
    pub steps: Option<u64>,
    /// Chains, each with random numbers of its own.
    pub chains: usize,
    /// Seed of the moves.
    pub seed: u64,
}

impl Default for PartitionMcmc {
    fn default() -> Self {
        Self { steps: None, chains: 4, seed: 0 }
    }
}

/// What the chains say of the edges.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgePosterior {
    /// The probability of each edge, row-major, entry (i, j) that of i → j.
    pub probabilities: Vec<f64>,
    /// Whether the chains agree.
    pub convergence: Convergence,
}

/// How the chains went, and whether they have come to the same answer.
///
/// ```
/// use plackett_dag::search::Convergence;
/// let apart = Convergence { r_hat: 1.3, ..Convergence::default() };
/// assert!(!apart.agrees() && Convergence { r_hat: 1.01, ..apart }.agrees());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Convergence {
    /// Chains that were looked at.
    pub chains: usize,
    /// Moves of each chain in all.
    pub steps: u64,
    /// Partitions that the probabilities are averaged over, all chains together.
    pub samples: u64,
    /// R̂ of the score, by rank, each chain split in half: near one if the chains agree. Infinite if it cannot be told.
    pub r_hat: f64,
    /// How many independent draws the scores of all chains are worth.
    pub effective_size: f64,
    /// The edge that the chains agree on least, and R̂ of its probability, each chain split in half; none if all chains are within 0.02 on all edges.
    pub worst_edge: Option<WorstEdge>,
    /// The largest standard error of a probability, by how far the chains are apart.
    pub standard_error: f64,
}

/// An edge that chains disagree on.
///
/// ```
/// let edge = plackett_dag::search::WorstEdge { from: 0, to: 1, r_hat: 1.2 };
/// assert!(edge.r_hat > 1.1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WorstEdge {
    /// Its tail.
    pub from: usize,
    /// Its head.
    pub to: usize,
    /// R̂ of its probability.
    pub r_hat: f64,
}

impl Convergence {
    /// Whether the chains agree: R̂ is at most 1.05 for the score, and 1.1 for every edge that they are more than 0.02 apart on.
    ///
    /// ```
    /// use plackett_dag::search::{Convergence, WorstEdge};
    /// let edge = WorstEdge { from: 0, to: 1, r_hat: 1.2 };
    /// assert!(!Convergence { r_hat: 1.0, worst_edge: Some(edge), ..Convergence::default() }.agrees());
    /// ```
    pub fn agrees(&self) -> bool {
        self.r_hat <= AGREED_SCORES && self.worst_edge.is_none_or(|edge| edge.r_hat <= AGREED_EDGES)
    }

    /// What to know before trusting the probabilities, and what to do about it, if the chains do not agree.
    ///
    /// ```
    /// use plackett_dag::search::Convergence;
    /// let names = ["a".to_owned(), "b".to_owned()];
    /// let apart = Convergence { r_hat: 1.3, steps: 1000, ..Convergence::default() };
    /// assert!(apart.warning(&names).unwrap().contains("more than 1000 steps"));
    /// assert_eq!(Convergence { r_hat: 1.0, ..apart }.warning(&names), None);
    /// ```
    pub fn warning(&self, names: &[String]) -> Option<String> {
        if self.agrees() {
            return None;
        }
        let edge = self.worst_edge.filter(|edge| edge.r_hat > AGREED_EDGES).map(|edge| {
            let (from, to) = (&names[edge.from], &names[edge.to]);
            format!(", {:.2} of the edge {from} -> {to}", edge.r_hat)
        });
        Some(format!(
            "the chains disagree (R-hat {:.2} of the score{}): probabilities may be off by {:.2} or more; try more than {} steps, and look at another seed",
            self.r_hat,
            edge.unwrap_or_default(),
            2.0 * self.standard_error,
            self.steps
        ))
    }
}

impl PartitionMcmc {
    /// Averages the exact edge probabilities given each partition that is looked at, the first fifth of a round left out. If the chains
    /// disagree after a round, or a probability is not known within a standard error of 0.02, and no number of moves was given, another round follows, twice as long, and what was before it
    /// is left out. All chains start from `start`, which is best a good graph: from others they may stay where no good one is. So they can tell that
    /// they disagree, not that there is something which none of them has come to. The answer does not depend on the number of threads. Nothing is known, and all
    /// probabilities are zero, if there are no samples because the run was over before.
    ///
    /// # Errors
    /// [`Error::Setting`](crate::Error::Setting) without chains, and [`Error::Size`](crate::Error::Size) if `start` has other nodes.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{
    ///     BayesNet, Dag, parent_sets::{Candidates, Keep, ParentSets, SizePrior}, score::Bdeu, search::PartitionMcmc,
    /// };
    /// let data = BayesNet::embedded("cancer")?.sample(5000, 0, BayesNet::TRAINING)?;
    /// let (run, keep) = (Run::default(), Keep::All(SizePrior::Even));
    /// let sets = ParentSets::build(&data, &Bdeu::default(), &Candidates::all(5, 3), keep, &run)?;
    /// let sums = sets.expect("nothing ends the run").sums().expect("asked for");
    /// let posterior = PartitionMcmc { steps: Some(5000), ..PartitionMcmc::default() }.run(&sums, &Dag::empty(5), &run)?;
    /// let names = data.names();
    /// let of = |name: &str| names.iter().position(|other| other == name).unwrap();
    /// let (cancer, xray) = (of("Cancer"), of("Xray"));
    /// let joined = posterior.probabilities[cancer * 5 + xray] + posterior.probabilities[xray * 5 + cancer];
    /// assert!(joined > 0.99);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn run(&self, sums: &ParentSums, start: &Dag, run: &Run<'_>) -> Result<EdgePosterior> {
        self.run_by(sums, start, Shares::default(), run)
    }

    /// The bytes that the averages of so many nodes take, to be asked before they are made.
    pub(crate) fn bytes_needed(&self, nodes: usize) -> u128 {
        // Two halves with sums and squares.
        32 * self.chains as u128 * (nodes as u128).pow(2)
    }

    fn run_by(&self, sums: &ParentSums, start: &Dag, shares: Shares, run: &Run<'_>) -> Result<EdgePosterior> {
        let nodes = sums.nodes();
        check_setting("chains", self.chains as f64, self.chains > 0, "there must be one")?;
        if start.nodes() != nodes {
            return Err(crate::Error::Size {
                what: "the graph to start from",
                expected: nodes,
                found: start.nodes(),
            });
        }
        let empty = Dag::empty(nodes);
        let chain = |stream: usize| Chain::new(sums, [start, &empty], shares, self.seed, stream as u64);
        let mut chains: Vec<Observed> =
            (0..self.chains).map(|stream| Observed::new(chain(stream), nodes)).collect();
        let mut answer =
            EdgePosterior { probabilities: vec![0.0; nodes * nodes], convergence: Convergence::default() };
        let first = LOOKS * MOVES_PER_NODE * nodes.max(1) as u64 * BURN_IN / (BURN_IN - 1);
        let mut steps = self.steps.map_or(first, |steps| steps.max(1));
        let mut before = 0;
        let is_made = |round: u32, steps: u64| match self.steps {
            Some(_) => round == 0,
            None => round < MOST_ROUNDS || steps.saturating_mul(nodes as u64) <= FEW_LOOKUPS,
        };
        for number in 0.. {
            if !is_made(number, steps) {
                break;
            }
            let round = Round::new(steps);
            run.begin(STAGE, Some(self.chains as u64 * round.parts()));
            chains.iter_mut().for_each(Observed::forget);
            for part in 0..round.parts() {
                if run.is_over() {
                    break;
                }
                let _: Vec<()> = parallel::map(&mut chains, |chain| {
                    if !run.is_over() {
                        chain.go_on(&round, part, run);
                        run.advance(1);
                    }
                });
            }
            if let Some(found) = combined(&chains, nodes) {
                answer = found;
                answer.convergence.steps += before;
            }
            before += steps;
            let Convergence { standard_error, .. } = answer.convergence;
            if run.is_over() || answer.convergence.agrees() && standard_error <= PRECISE {
                break;
            }
            steps *= 2;
        }
        Ok(answer)
    }
}

/// A stretch of moves, and when chains are looked at.
struct Round {
    steps: u64,
    burn_in: u64,
    thinning: u64,
}

/// Moves that a chain makes before the others have made theirs.
const MOVES_PER_PART: u64 = 2000;

impl Round {
    fn new(steps: u64) -> Self {
        let burn_in = steps / BURN_IN;
        Self { steps, burn_in, thinning: ((steps - burn_in) / LOOKS).max(1) }
    }

    fn parts(&self) -> u64 {
        self.steps.div_ceil(MOVES_PER_PART)
    }

    /// Which half a look after so many moves belongs to; none if it is not due.
    fn half(&self, step: u64) -> Option<usize> {
        let after = step
            .checked_sub(self.burn_in)
            .filter(|&after| after > 0 && after.is_multiple_of(self.thinning))?;
        Some(usize::from(2 * after > self.steps - self.burn_in))
    }
}

/// A chain with what was seen of it in a round.
struct Observed<'a> {
    chain: Chain<'a>,
    steps: u64,
    scores: Vec<f64>,
    halves: [Half; 2],
    row: Vec<f64>,
}

/// Sums over half of the looks at a chain.
struct Half {
    looks: u64,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Half {
    fn new(nodes: usize) -> Self {
        Self { looks: 0, sums: vec![0.0; nodes * nodes], squares: vec![0.0; nodes * nodes] }
    }

    fn mean(&self, at: usize) -> f64 {
        self.sums[at] / self.looks as f64
    }

    fn variance(&self, at: usize) -> f64 {
        let (count, mean) = (self.looks as f64, self.mean(at));
        // What is left of rounding must not pass for a spread.
        let spread = (self.squares[at] / count - mean * mean).max(0.0);
        if spread < 1e-12 { 0.0 } else { spread * count / (count - 1.0).max(1.0) }
    }
}

impl<'a> Observed<'a> {
    fn new(chain: Chain<'a>, nodes: usize) -> Self {
        let halves = [Half::new(nodes), Half::new(nodes)];
        Self { chain, steps: 0, scores: Vec::new(), halves, row: vec![0.0; nodes] }
    }

    fn forget(&mut self) {
        self.steps = 0;
        self.scores.clear();
        for half in &mut self.halves {
            half.looks = 0;
            half.sums.fill(0.0);
            half.squares.fill(0.0);
        }
    }

    fn go_on(&mut self, round: &Round, part: u64, run: &Run<'_>) {
        let last = ((part + 1) * MOVES_PER_PART).min(round.steps);
        while self.steps < last && !(self.steps.is_multiple_of(16) && run.is_over()) {
            self.chain.step();
            self.steps += 1;
            if let Some(half) = round.half(self.steps) {
                let Half { looks, sums, squares } = &mut self.halves[half];
                *looks += 1;
                self.scores.push(self.chain.log_weight());
                self.chain.look(&mut self.row, sums, squares);
            }
        }
    }

    fn looks(&self) -> u64 {
        self.halves[0].looks + self.halves[1].looks
    }

    fn mean(&self, at: usize) -> f64 {
        (self.halves[0].sums[at] + self.halves[1].sums[at]) / self.looks() as f64
    }
}

/// What chains say together; nothing if none was looked at.
fn combined(chains: &[Observed<'_>], nodes: usize) -> Option<EdgePosterior> {
    let seen: Vec<&Observed<'_>> = chains.iter().filter(|chain| chain.looks() > 0).collect();
    let samples: u64 = seen.iter().map(|chain| chain.looks()).sum();
    if samples == 0 {
        return None;
    }
    let total = |at: usize| seen.iter().map(|chain| chain.mean(at) * chain.looks() as f64).sum::<f64>();
    let probabilities: Vec<f64> = (0..nodes * nodes).map(|at| total(at) / samples as f64).collect();
    let scores: Vec<Vec<f64>> = seen.iter().map(|chain| chain.scores.clone()).collect();
    let (mut worst_edge, mut standard_error) = (None::<WorstEdge>, 0.0_f64);
    for (at, middle) in probabilities.iter().enumerate() {
        let means = || seen.iter().map(|chain| chain.mean(at));
        if seen.len() > 1 {
            let spread = means().map(|mean| (mean - middle).powi(2)).sum::<f64>() / (seen.len() - 1) as f64;
            standard_error = standard_error.max((spread / seen.len() as f64).sqrt());
        }
        let range = means().fold(0.0, f64::max) - means().fold(1.0, f64::min);
        let halves = || seen.iter().flat_map(|chain| &chain.halves).filter(|half| half.looks > 1);
        let length = halves().map(|half| half.looks).min().unwrap_or(0);
        if range <= AGREED_PROBABILITIES || length == 0 {
            continue;
        }
        let (means, variances): (Vec<f64>, Vec<f64>) =
            halves().map(|half| (half.mean(at), half.variance(at))).unzip();
        let r_hat = scale_reduction(&means, &variances, length as f64);
        if worst_edge.is_none_or(|worst| r_hat > worst.r_hat) {
            worst_edge = Some(WorstEdge { from: at / nodes, to: at % nodes, r_hat });
        }
    }
    let convergence = Convergence {
        chains: seen.len(),
        steps: seen.iter().map(|chain| chain.steps).max().unwrap_or(0),
        samples,
        r_hat: split_r_hat(&scores),
        effective_size: effective_size(&scores),
        worst_edge,
        standard_error,
    };
    Some(EdgePosterior { probabilities, convergence })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use plackett::run::Limits;

    use super::*;
    use crate::gram::Centering;
    use crate::mixed::MixedColumn;
    use crate::testing::{Rng, all_dags, normal};
    use crate::{
        BayesNet, Bounds, Categories, Gram, Interventions, Learning, LocalScore, Mixed, NodeSet,
        Observations,
        learning::{NumberSettings, SearchSettings},
        parent_sets::{Candidates, Keep, ParentSets, Reach, SizePrior},
        score::{Bdeu, MixedScoreSettings, ScoreSettings, graph_cost, mixed_score_by_name, score_by_name},
    };

    fn sums(prior: SizePrior) -> Arc<ParentSums> {
        let (keep, run) = (Keep::All(prior), Run::default());
        let sets = ParentSets::build(&data(), &Bdeu::default(), &Candidates::all(4, 3), keep, &run);
        sets.unwrap().unwrap().sums().unwrap()
    }

    /// The first four columns of ASIA, few enough rows for the answer to be open.
    fn data() -> Categories {
        let sample = BayesNet::embedded("asia").unwrap().sample(150, 5, BayesNet::TRAINING).unwrap();
        let levels = (0..4).map(|column| sample.levels(column).to_vec()).collect();
        let codes = (0..4).map(|column| sample.column(column).to_vec()).collect();
        Categories::new(sample.names()[..4].to_vec(), levels, codes).unwrap()
    }

    /// The probability of each edge by all graphs, each counted once with its cost.
    fn enumerated(nodes: usize, cost: impl Fn(&Dag) -> f64) -> Vec<f64> {
        let dags: Vec<(Dag, f64)> =
            all_dags(nodes).into_iter().map(|dag| (dag.clone(), cost(&dag))).collect();
        let least = dags.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
        let (mut edges, mut total) = (vec![0.0; nodes * nodes], 0.0);
        for (dag, cost) in dags {
            let weight = (least - cost).exp();
            total += weight;
            dag.edges().for_each(|(from, to, _)| edges[nodes * from + to] += weight);
        }
        edges.iter().map(|sum| sum / total).collect()
    }

    fn family_cost(score: &dyn LocalScore) -> impl Fn(&Dag) -> f64 + '_ {
        |dag| {
            let parents = |node: usize| dag.parents(node).iter().copied().collect::<NodeSet>();
            (0..dag.nodes()).map(|node| score.cost(node, &parents(node)).unwrap()).sum()
        }
    }

    fn compare(found: &EdgePosterior, exact: &[f64], tolerance: f64) {
        for (found, exact) in found.probabilities.iter().zip(exact) {
            assert!((exact - found).abs() < tolerance, "{found} for {exact}");
        }
        let open = exact.iter().filter(|&&exact| exact > 0.05 && exact < 0.95).count();
        assert!(open >= 4, "a test of certainties would show nothing");
        assert!(found.convergence.agrees(), "{:?}", found.convergence);
        assert!(found.convergence.standard_error < tolerance);
    }

    #[test]
    fn edge_probabilities_of_categories_are_those_of_all_graphs_enumerated() {
        let data = data();
        for prior in [SizePrior::Even, SizePrior::EvenSizes] {
            let size_cost = |parents: usize| match prior {
                SizePrior::Even => 0.0,
                SizePrior::EvenSizes => [1.0_f64, 3.0, 3.0, 1.0][parents].ln(),
            };
            let exact = enumerated(4, |dag| {
                let sizes: f64 = (0..4).map(|node| size_cost(dag.parents(node).len())).sum();
                sizes + graph_cost(&data, &Bdeu::default(), dag).unwrap()
            });
            let chains = PartitionMcmc { steps: Some(40_000), seed: 1, ..PartitionMcmc::default() };
            let found = chains.run(&sums(prior), &Dag::empty(4), &Run::default()).unwrap();
            assert_eq!((found.convergence.chains, found.convergence.samples), (4, 4000));
            compare(&found, &exact, 0.02);
        }
    }

    /// Five columns of numbers in a chain and a fork, with few rows.
    fn numbers() -> Arc<dyn LocalScore> {
        let mut rng = Rng::new(11);
        let mut rows = Vec::new();
        for _ in 0..60 {
            let first = normal(&mut rng);
            let second = 0.5 * first + normal(&mut rng);
            let third = 0.4 * second + normal(&mut rng);
            let fourth = 0.3 * second + normal(&mut rng);
            rows.extend([first, second, third, fourth, 0.4 * third + 0.4 * fourth + normal(&mut rng)]);
        }
        let gram = Arc::new(Gram::from_rows(&rows, 5, Centering::Center).unwrap());
        score_by_name("bge", gram, &ScoreSettings::default()).unwrap()
    }

    /// Each kind of move alone, beside the one that leads everywhere, and all together.
    #[test]
    fn edge_probabilities_of_numbers_are_those_of_all_graphs_enumerated() {
        let score = numbers();
        let exact = enumerated(5, family_cost(score.as_ref()));
        let sums = ParentSums::of(score.as_ref(), &Candidates::all(5, 4), SizePrior::Even, &Run::default());
        let sums = sums.unwrap().unwrap();
        let none = Shares { exchange: 0.0, neighbors: 0.0, split: 0.0, reverse: 0.0 };
        for shares in [
            Shares::default(),
            none,
            Shares { exchange: 0.8, ..none },
            Shares { neighbors: 0.8, ..none },
            Shares { split: 0.8, ..none },
            Shares { reverse: 0.8, ..none },
        ] {
            let chains = PartitionMcmc { steps: Some(50_000), seed: 2, ..PartitionMcmc::default() };
            let found = chains.run_by(&sums, &Dag::empty(5), shares, &Run::default()).unwrap();
            compare(&found, &exact, 0.02);
        }
    }

    /// By learning as a whole, with columns that were set from outside in some rows: numbers, and numbers beside a category.
    #[test]
    fn edge_probabilities_of_experiments_are_those_of_all_graphs_enumerated() {
        let mut rng = Rng::new(5);
        let (mut rows, mut targets) = (Vec::new(), Vec::new());
        for row in 0..60 {
            let target = [None, None, Some(1), Some(3)][row % 4];
            let mut values: Vec<f64> = Vec::new();
            for node in 0..4 {
                let cause = if node > 0 { 0.4 * values[node - 1] } else { 0.0 };
                values.push(if target == Some(node) { 0.0 } else { cause } + normal(&mut rng));
            }
            rows.push(values);
            targets.push(target);
        }
        let told = Interventions::new(4, targets).unwrap();
        let gram = Gram::with_interventions(&rows.concat(), &told, Centering::Center).unwrap();
        let columns = (0..4).map(|at| match at {
            2 => MixedColumn::Categories {
                codes: rows.iter().map(|row| u8::from(row[2] > 0.0)).collect(),
                levels: 2,
            },
            _ => MixedColumn::Numbers(rows.iter().map(|row| row[at]).collect()),
        });
        let mixed = Arc::new(Mixed::new(columns.collect()).unwrap().with_interventions(told).unwrap());
        let gram = Arc::new(gram);
        for (data, score) in [
            (
                Observations::Numbers(Arc::clone(&gram)),
                score_by_name("bge", gram, &ScoreSettings::default()).unwrap(),
            ),
            (
                Observations::Mixed(Arc::clone(&mixed)),
                mixed_score_by_name("dg", &mixed, &MixedScoreSettings { penalty_factor: Some(1.0) }).unwrap(),
            ),
        ] {
            let search = SearchSettings { posterior: true, steps: Some(50_000), ..SearchSettings::default() };
            // Without a price of edges that fits the data: the score beside it has none.
            let penalty = (score.name() == "dg").then_some(1.0);
            let numbers = NumberSettings { penalty, ..NumberSettings::default() };
            let learning =
                Learning { search, numbers, seed: 3, score: score.name().into(), ..Learning::default() };
            let learned = learning.run(&data, &Run::default()).unwrap();
            let (probabilities, convergence) = (learned.probabilities.unwrap(), learned.convergence.unwrap());
            let exact = enumerated(4, family_cost(score.as_ref()));
            compare(&EdgePosterior { probabilities, convergence }, &exact, 0.02);
        }
    }

    /// Numbers and a category, few enough rows for the answer to be open.
    fn mixed() -> Arc<Mixed> {
        let mut rng = Rng::new(3);
        let (mut codes, mut columns) = (Vec::new(), vec![Vec::new(); 3]);
        for _ in 0..40 {
            let code = u8::from(rng.uniform() < 0.5);
            let first = 0.5 * f64::from(code) + normal(&mut rng);
            let second = 0.4 * first + normal(&mut rng);
            columns[0].push(first);
            columns[1].push(second);
            columns[2].push(0.4 * second + 0.4 * f64::from(code) + normal(&mut rng));
            codes.push(code);
        }
        let mut columns: Vec<MixedColumn> = columns.into_iter().map(MixedColumn::Numbers).collect();
        columns.insert(1, MixedColumn::Categories { codes, levels: 2 });
        Arc::new(Mixed::new(columns).unwrap())
    }

    #[test]
    fn edge_probabilities_of_mixed_data_are_those_of_all_graphs_enumerated() {
        for name in ["dg", "cg"] {
            let score = mixed_score_by_name(name, &mixed(), &MixedScoreSettings::default()).unwrap();
            let exact = enumerated(4, family_cost(score.as_ref()));
            // All sets, from the core alone and with one node from outside of it.
            for candidates in [Candidates::all(4, 3), nearly_all()] {
                let sums = ParentSums::of(score.as_ref(), &candidates, SizePrior::Even, &Run::default());
                let chains = PartitionMcmc { steps: Some(40_000), seed: 1, ..PartitionMcmc::default() };
                let found = chains.run(&sums.unwrap().unwrap(), &Dag::empty(4), &Run::default()).unwrap();
                compare(&found, &exact, 0.02);
            }
        }
    }

    /// Cores that lack one node each, which may come from outside.
    fn nearly_all() -> Candidates {
        let core = |node: usize| (0..4).filter(|&other| other != (node + 1) % 4).collect();
        let mut candidates = Candidates::from_neighbors((0..4).map(core).collect()).unwrap();
        candidates.reach = Reach::PlusOne;
        candidates
    }

    /// One edge must be there, another may not, and two nodes must be joined whichever way.
    #[test]
    fn what_is_known_holds_in_every_graph() {
        let score = numbers();
        let bounds = Bounds::new(5, &[(0, 1)], &[(3, 2)], &[(1, 4), (0, 3)]).unwrap();
        let known = |dag: &Dag| if bounds.hold(dag) { 0.0 } else { f64::INFINITY };
        let exact = enumerated(5, |dag| known(dag) + family_cost(score.as_ref())(dag));
        let core = |node: usize| (0..5).filter(|&other| other != (node + 1) % 5).collect();
        let mut nearly_all = Candidates::from_neighbors((0..5).map(core).collect()).unwrap();
        (nearly_all.reach, nearly_all.max_parents) = (Reach::PlusOne, 5);
        for candidates in [Candidates::all(5, 4), nearly_all] {
            let candidates = candidates.within(bounds.clone()).unwrap();
            let sums = ParentSums::of(score.as_ref(), &candidates, SizePrior::Even, &Run::default());
            let chains = PartitionMcmc { steps: Some(60_000), seed: 5, ..PartitionMcmc::default() };
            let start = bounds.least();
            let found = chains.run(&sums.unwrap().unwrap(), &start, &Run::default()).unwrap();
            compare(&found, &exact, 0.02);
            assert!((found.probabilities[3 * 5 + 2] - 1.0).abs() < 1e-9 && found.probabilities[1] == 0.0);
            let joined = found.probabilities[5 + 4] + found.probabilities[4 * 5 + 1];
            assert!((joined - 1.0).abs() < 1e-9, "{joined}");
        }
    }

    /// So many rows that no double holds what a parent from outside the core is worth.
    #[test]
    fn strong_parents_from_outside_the_core_keep_their_weight() {
        let gram = Gram::from_matrix(20_000, 3, vec![1.0, 0.9, 0.81, 0.9, 1.0, 0.9, 0.81, 0.9, 1.0]).unwrap();
        let score = score_by_name("bge", Arc::new(gram), &ScoreSettings::default()).unwrap();
        let exact = enumerated(3, |dag| family_cost(score.as_ref())(dag));
        let cores = vec![NodeSet::from_iter([2]), NodeSet::from_iter([0]), NodeSet::default()];
        let mut candidates = Candidates::from_neighbors(cores).unwrap();
        candidates.reach = Reach::PlusOne;
        let sums =
            ParentSums::of(score.as_ref(), &candidates, SizePrior::Even, &Run::default()).unwrap().unwrap();
        for start in [Dag::empty(3), Dag::from_parents(vec![vec![], vec![0], vec![1]]).unwrap()] {
            let chains = PartitionMcmc { steps: Some(40_000), ..PartitionMcmc::default() };
            compare(&chains.run(&sums, &start, &Run::default()).unwrap(), &exact, 0.03);
        }
    }

    #[test]
    fn sums_need_costs_and_candidates_and_time() {
        let score = mixed_score_by_name("dg", &mixed(), &MixedScoreSettings::default()).unwrap();
        let (prior, over) = (SizePrior::Even, Run::new(Limits::time(Duration::ZERO)));
        assert!(ParentSums::of(score.as_ref(), &Candidates::all(3, 1), prior, &Run::default()).is_err());
        assert!(ParentSums::of(score.as_ref(), &Candidates::all(4, 1), prior, &over).unwrap().is_none());
        let sums = sums(SizePrior::Even);
        assert!(PartitionMcmc::default().run(&sums, &Dag::empty(3), &Run::default()).is_err());
        let none = PartitionMcmc { chains: 0, ..PartitionMcmc::default() };
        assert!(none.run(&sums, &Dag::empty(4), &Run::default()).is_err());
    }

    #[test]
    fn short_chains_are_looked_at_once_and_those_ended_early_not_at_all() {
        let sums = sums(SizePrior::Even);
        for steps in 1..=3 {
            let chains = PartitionMcmc { steps: Some(steps), ..PartitionMcmc::default() };
            let found = chains.run(&sums, &Dag::empty(4), &Run::default()).unwrap();
            assert_eq!((found.convergence.samples, found.convergence.steps), (4 * steps, steps));
            assert!(found.convergence.agrees() || steps < 4, "too short to tell");
        }
        let over = Run::new(Limits::time(Duration::ZERO));
        // However many steps are asked for.
        for steps in [None, Some(u64::MAX)] {
            let chains = PartitionMcmc { steps, ..PartitionMcmc::default() };
            let found = chains.run(&sums, &Dag::empty(4), &over).unwrap();
            assert_eq!((found.convergence.samples, found.probabilities), (0, vec![0.0; 16]));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_probabilities() {
        let sums = sums(SizePrior::Even);
        let run = |seed| {
            let chains = PartitionMcmc { steps: Some(2000), seed, ..PartitionMcmc::default() };
            chains.run(&sums, &Dag::empty(4), &Run::default()).unwrap()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1).probabilities, run(2).probabilities);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(pool.install(|| run(3)), run(3));
    }
}
