//! The exponential race: expectations over orders as integrals over time, exact to a dozen digits for hundreds of items.
//!
//! Let item j arrive at a time that is exponential with rate w_j = exp θ_j. The order of arrival is then Plackett–Luce, and given
//! that one item arrives at time t the others are independent: j is still out with probability q_j = exp(−w_j t) and has
//! arrived with p_j = 1 − q_j. Whatever depends on an order through ranks, neighbors or what is left at a rank is so an
//! integral of products over items, where enumeration would visit k! orders.
//!
//! The integrals are done by the trapezoid rule in x with t = exp(x − exp(−x)), which converges exponentially. Rates are kept
//! as logarithms, and an item takes part only in the stretch of time in which its arrival is neither certain nor impossible:
//! sorted by rate, those that do are neighbors, and stretches in which nobody does are skipped. So scores may be spread over any
//! range, and no more than some hundred nodes are spent on each item.

mod expectation;
mod information;
mod pairs;
mod positions;

pub(crate) use expectation::{Expectation, precedence};
pub(crate) use information::cross_entropy;
pub(crate) use pairs::{fisher_information, neighbor_probabilities};
pub(crate) use positions::rank_probabilities;

use crate::elementary::{exp, exp_of_negative, ln};

/// Where the rule begins: t = exp(−33) there, before which the first of all items arrives with probability 10⁻¹⁴·⁵.
const FIRST_NODE: f64 = -3.4;
/// An item is impossible before w t = exp(−36) ≈ 2·10⁻¹⁶, and certain after w t = 37, where q ≈ 10⁻¹⁶.
const LOG_IMPOSSIBLE: f64 = -36.0;
const LOG_CERTAIN: f64 = 3.610_917_912_644_224_3;
/// A gap between two logarithms of rates that is wider than this is as good as this: one item overtakes the other with probability
/// exp(−40). Narrowed, times stay numbers whose last digits mean something.
const WIDEST_GAP: f64 = 40.0;
/// The widest step of the rule.
const WIDEST_STEP: f64 = 0.25;
/// The integrand of a single rank among k narrows like 1/√k, that of pairs like 1/log k, and the step with it.
const STEP_OF_RANKS: f64 = 0.9;
const STEP_OF_PAIRS: f64 = 0.75;
/// Below this the chance of arrival is w t − (w t)²/2: the subtraction 1 − q would leave no digits.
const SMALL_RATE: f64 = 1e-5;

/// How narrow the integrand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// Single ranks are told apart.
    Ranks,
    /// Only what is left, not how many are: the integrand nearly keeps its width.
    Pairs,
}

/// A node of the rule: a time, and the items that are under way at it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// dt / t.
    measure: f64,
    /// Items before this place (by rate) have arrived, items from `end` on have not started.
    begin: usize,
    end: usize,
    /// Where the node's items begin in the lists of chances.
    at: usize,
}

/// The items under way at a node.
#[derive(Clone, Copy)]
struct UnderWay<'a> {
    /// w t.
    rate: &'a [f64],
    /// q = exp(−w t).
    out: &'a [f64],
    /// p = 1 − q.
    arrived: &'a [f64],
}

/// The nodes of the rule at some scores, with the chances of all items under way. Refilled without allocation.
#[derive(Clone, Debug)]
pub(crate) struct Race {
    step: f64,
    /// Items by descending score: what follows is in this order.
    ranking: Vec<usize>,
    /// Logarithms of the rates, gaps narrowed.
    log_rate: Vec<f64>,
    nodes: Vec<Node>,
    rate: Vec<f64>,
    out: Vec<f64>,
    arrived: Vec<f64>,
}

impl Race {
    /// Room for the race of k items.
    pub(crate) fn new(items: usize, grain: Grain) -> Self {
        let step = match grain {
            Grain::Ranks => WIDEST_STEP.min(STEP_OF_RANKS / (items as f64).sqrt()),
            Grain::Pairs => WIDEST_STEP.min(STEP_OF_PAIRS / ln(items as f64)),
        };
        // Every node has somebody under way, and nobody is under way for longer than this.
        #[allow(clippy::cast_sign_loss, reason = "a positive number")]
        let longest = ((LOG_CERTAIN - LOG_IMPOSSIBLE) / step) as usize + 2;
        let most = items * longest;
        Self {
            step,
            ranking: (0..items).collect(),
            log_rate: vec![0.0; items],
            nodes: Vec::with_capacity(most),
            rate: Vec::with_capacity(most),
            out: Vec::with_capacity(most),
            arrived: Vec::with_capacity(most),
        }
    }

    fn items(&self) -> usize {
        self.ranking.len()
    }

    /// Places the nodes for scores whose exponentials sum to one.
    pub(crate) fn set_scores(&mut self, scores: &[f64]) {
        self.ranking.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        let mut log_rate = scores[self.ranking[0]];
        for (place, &item) in self.ranking.iter().enumerate() {
            if place > 0 {
                log_rate -= (scores[self.ranking[place - 1]] - scores[item]).min(WIDEST_GAP);
            }
            self.log_rate[place] = log_rate;
        }
        self.place_nodes();
    }

    fn place_nodes(&mut self) {
        for list in [&mut self.rate, &mut self.out, &mut self.arrived] {
            list.clear();
        }
        self.nodes.clear();
        let items = self.log_rate.len();
        let (mut begin, mut end) = (0, 0);
        let mut number = 0.0;
        while begin < items {
            let x = FIRST_NODE + self.step * number;
            let shift = exp(-x);
            let log_time = x - shift;
            number += 1.0;
            while begin < items && self.log_rate[begin] + log_time > LOG_CERTAIN {
                begin += 1;
            }
            end = end.max(begin);
            while end < items && self.log_rate[end] + log_time > LOG_IMPOSSIBLE {
                end += 1;
            }
            if begin == end {
                if begin < items {
                    // Nobody is under way until the next one starts.
                    let start = LOG_IMPOSSIBLE - self.log_rate[begin];
                    number = number.max(((start - FIRST_NODE) / self.step).floor());
                }
                continue;
            }
            self.nodes.push(Node { measure: self.step * (1.0 + shift), begin, end, at: self.rate.len() });
            for log_rate in &self.log_rate[begin..end] {
                let rate = exp_of_negative(log_rate + log_time - LOG_CERTAIN) * exp(LOG_CERTAIN);
                let out = exp_of_negative(-rate);
                self.rate.push(rate);
                self.out.push(out);
                self.arrived.push(if rate < SMALL_RATE { rate - 0.5 * rate * rate } else { 1.0 - out });
            }
        }
    }

    fn under_way(&self, node: &Node) -> UnderWay<'_> {
        let range = node.at..node.at + node.end - node.begin;
        UnderWay {
            rate: &self.rate[range.clone()],
            out: &self.out[range.clone()],
            arrived: &self.arrived[range],
        }
    }

    /// The rows and columns of a matrix over pairs of items in the order of the race; an item is no pair with itself.
    fn sort_pairs(&self, matrix: &[f64], sorted: &mut [f64]) {
        let items = self.items();
        for (&row, sorted) in self.ranking.iter().zip(sorted.chunks_exact_mut(items)) {
            let row = &matrix[row * items..][..items];
            for (entry, &column) in sorted.iter_mut().zip(&self.ranking) {
                *entry = row[column];
            }
        }
        sorted.iter_mut().step_by(items + 1).for_each(|own| *own = 0.0);
    }
}
