//! One Plackett–Luce distribution by its normalized scores, where they lie: log p of a ranking, its gradient, and samples.
//!
//! [`PlackettLuce`](crate::PlackettLuce) is one such row and [`Batch`](crate::Batch) many. The suffix sums
//! Θ_j = Σ_{u ≥ j} exp θ_{b_u} are plain sums where no score is far below the others, with one logarithm for eight ranks;
//! elsewhere they are kept as logarithms. An item whose score is −∞ is absent.

use rand::Rng;

use crate::{
    elementary::{exp, exp_of_negative, ln},
    error::Error,
    gumbel::{LogSum, exponential},
    noise::fill_uniform,
};

/// A normalized score above this can be used in linear space: products of [`FACTORS`] of their exponentials stay above 10⁻²⁷⁸.
const LOWEST_LINEAR: f64 = -80.0;

/// How many probabilities are multiplied before a logarithm is taken.
const FACTORS: usize = 8;

/// Scores may be any finite numbers, so their differences can overflow. Further than this below the largest they
/// are squeezed together, by a logarithm: their order and the gulfs between them stay, and sums of a million are still finite.
const FAR_SCORE: f64 = -1e290;

/// Scores that are squeezed are either equal but for rounding, or further apart than this.
const GULF: f64 = -1e6;

/// The difference of two normalized scores, a ≤ b, as it was before they were squeezed; −∞ where no number can hold it.
pub(crate) fn difference(a: f64, b: f64) -> f64 {
    let plain = a - b;
    // ln(a / F) = a' / F − 1 for the squeezed a'.
    let stretched = |log: f64| if log < FAR_SCORE { FAR_SCORE * exp(log / FAR_SCORE - 1.0) } else { log };
    if a < FAR_SCORE && plain < GULF { stretched(a) - stretched(b) } else { plain }
}

/// Refuses a log-probability that no number can hold.
pub(crate) fn check_log_prob(log_prob: f64) -> Result<f64, Error> {
    if log_prob.is_finite() { Ok(log_prob) } else { Err(Error::TooImprobable) }
}

/// Writes scores normalized so that Σ exp θ = 1, and their exponentials. At least one must be finite, and none NaN or +∞; −∞
/// stays −∞. O(k).
pub(crate) fn normalize(scores: &[f64], log: &mut [f64], probability: &mut [f64]) {
    let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for (log, score) in log.iter_mut().zip(scores) {
        let gap = score - max;
        // Halves are finite even where the gap is not.
        let squeezed = || FAR_SCORE * (1.0 + ln((0.5 * score - 0.5 * max) / (0.5 * FAR_SCORE)));
        *log = if gap < FAR_SCORE && *score > f64::NEG_INFINITY { squeezed() } else { gap };
    }
    for (log, probability) in log.iter().zip(&mut *probability) {
        *probability = exp_of_negative(*log);
    }
    let total: f64 = probability.iter().sum();
    let normalizer = ln(total);
    for (log, probability) in log.iter_mut().zip(probability) {
        *log -= normalizer;
        *probability /= total;
    }
}

/// Rank j's place in the suffix sums Θ, in log space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Suffix {
    /// log Θ_j.
    pub(crate) log_sum: f64,
    /// exp θ_{b_j} / Θ_j: the probability of choosing b_j at rank j.
    pub(crate) share: f64,
    /// Θ_{j+1} / Θ_j = 1 − `share`.
    pub(crate) rest: f64,
    /// log `share`, exact where `share` itself is zero.
    pub(crate) log_share: f64,
}

/// The suffix sums along an order, which has at least one item and no absent ones.
pub(crate) fn fill_suffixes(log: &[f64], order: &[usize], suffixes: &mut [Suffix]) {
    let last = order.len() - 1;
    let mut log_sum = log[order[last]];
    suffixes[last] = Suffix { log_sum, share: 1.0, rest: 0.0, log_share: 0.0 };
    for rank in (0..last).rev() {
        let sum = LogSum::of(log[order[rank]], log_sum);
        log_sum = sum.log;
        let LogSum { first: share, second: rest, log_first: log_share, .. } = sum;
        suffixes[rank] = Suffix { log_sum, share, rest, log_share };
    }
}

/// Hands out ∇ Σ_j w_j log p(b_j | b_1 … b_{j−1}), item by item. ∂/∂θ_{b_u} = w_u − Σ_{j ≤ u} w_j exp θ_{b_u} / Θ_j. The sum is
/// `share`_u · T_u with T_u = Θ_u Σ_{j ≤ u} w_j/Θ_j, which obeys T_u = w_u + `rest`_{u−1} · T_{u−1}.
pub(crate) fn weighted_gradient(
    order: &[usize],
    suffixes: &[Suffix],
    weights: impl Iterator<Item = f64>,
    mut put: impl FnMut(usize, f64),
) {
    let mut carried = 0.0;
    for ((&item, suffix), weight) in order.iter().zip(suffixes).zip(weights) {
        let chances = carried + weight;
        put(item, weight - suffix.share * chances);
        carried = suffix.rest * chances;
    }
}

/// A number that stands for an item in an array of ranked items: `usize`, or numpy's `i64`, of which the negative ones say that
/// nothing more is ranked.
pub trait ItemNumber: Copy + Send + Sync {
    /// The number of an item.
    fn of(item: usize) -> Self;

    /// The item of a number.
    fn item(self) -> Option<usize>;
}

impl ItemNumber for usize {
    fn of(item: usize) -> Self {
        item
    }

    fn item(self) -> Option<usize> {
        Some(self)
    }
}

impl ItemNumber for i64 {
    fn of(item: usize) -> Self {
        item.cast_signed() as Self
    }

    fn item(self) -> Option<usize> {
        usize::try_from(self).ok()
    }
}

/// What a look at all scores of a row tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// How many items are not absent.
    present: usize,
    /// Whether all of them can be used in linear space.
    is_linear: bool,
}

impl Extent {
    /// Looks at normalized scores.
    pub(crate) fn of(log: &[f64]) -> Self {
        Self {
            present: log.iter().filter(|&&log| log > f64::NEG_INFINITY).count(),
            is_linear: log.iter().all(|&log| log >= LOWEST_LINEAR || log == f64::NEG_INFINITY),
        }
    }
}

/// A distribution where its scores lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    log: &'a [f64],
    probability: &'a [f64],
    extent: Extent,
}

/// Room for the calls of a [`Row`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    /// The call that an item was last ranked in, and the number of this call.
    seen: Vec<u32>,
    call: u32,
    /// The ranking, and all present items behind it where that is needed.
    order: Vec<usize>,
    suffixes: Vec<Suffix>,
    /// What is sorted to draw a sample: exact, and rounded with the item in the lowest bits.
    times: Vec<f64>,
    keys: Vec<u64>,
}

/// A sum whose every stage is wanted, in blocks: rounding grows with the number of blocks and the length of one, not with their product.
struct RunningSum {
    blocks: f64,
    block: f64,
    length: usize,
}

impl RunningSum {
    /// Summands of a block: a million items have as many blocks as a block has items, within a factor of four.
    const BLOCK: usize = 512;

    fn from(first: f64) -> Self {
        Self { blocks: 0.0, block: first, length: 0 }
    }

    fn add(&mut self, summand: f64) -> f64 {
        self.block += summand;
        self.length += 1;
        let sum = self.blocks + self.block;
        if self.length == Self::BLOCK {
            *self = Self { blocks: sum, block: 0.0, length: 0 };
        }
        sum
    }
}

impl<'a> Row<'a> {
    /// The distribution with these normalized scores.
    pub(crate) fn new(log: &'a [f64], probability: &'a [f64], extent: Extent) -> Self {
        Self { log, probability, extent }
    }

    /// log p of an order or of its beginning. It is −∞ where an absent item stands before a present one; absent items behind all
    /// present ones mean nothing. O(k).
    pub(crate) fn log_prob<T: ItemNumber>(&self, ranked: &[T], room: &mut Room) -> Result<f64, Error> {
        let ranks = self.read(ranked, room)?;
        if room.order[..ranks].iter().any(|&item| self.log[item] == f64::NEG_INFINITY) {
            return Ok(f64::NEG_INFINITY);
        }
        if !self.extent.is_linear {
            self.fill_suffixes(ranks, room);
            let log_share = |(&item, suffix): (&usize, &Suffix)| match self.log[item] {
                log if log < FAR_SCORE && suffix.log_share < GULF => difference(log, suffix.log_sum),
                _ => suffix.log_share,
            };
            return check_log_prob(room.order[..ranks].iter().zip(&room.suffixes).map(log_share).sum());
        }
        let mut sum = self.unranked(ranks, room);
        let mut log_prob = 0.0;
        for items in room.order[..ranks].rchunks(FACTORS) {
            let (mut chosen, mut all) = (1.0, 1.0);
            for &item in items.iter().rev() {
                let probability = self.probability[item];
                sum += probability;
                chosen *= probability;
                all *= sum;
            }
            log_prob += ln(chosen / all);
        }
        Ok(log_prob)
    }

    /// Adds `weight` ∇ log p of an order or of its beginning to the gradient; absent items have none. O(k).
    pub(crate) fn add_grad_log_prob<T: ItemNumber>(
        &self,
        ranked: &[T],
        weight: f64,
        gradient: &mut [f64],
        room: &mut Room,
    ) -> Result<(), Error> {
        let ranks = self.read(ranked, room)?;
        if let Some(rank) = room.order[..ranks].iter().position(|&item| self.log[item] == f64::NEG_INFINITY) {
            return Err(Error::AbsentItem { item: room.order[rank], rank });
        }
        if !self.extent.is_linear {
            self.fill_suffixes(ranks, room);
            let weights = std::iter::repeat_n(weight, ranks).chain(std::iter::repeat(0.0));
            weighted_gradient(&room.order, &room.suffixes, weights, |item, slope| gradient[item] += slope);
            return Ok(());
        }
        // ∂/∂θ_{b_u} = w − exp θ_{b_u} T_u with T_u = Σ_{j ≤ u} w / Θ_j; what is not ranked has the last T.
        let mut sum = RunningSum::from(self.unranked(ranks, room));
        room.times.clear();
        for &item in room.order[..ranks].iter().rev() {
            room.times.push(sum.add(self.probability[item]));
        }
        let (mut running, mut total) = (RunningSum::from(0.0), 0.0);
        for (&item, sum) in room.order[..ranks].iter().zip(room.times.iter().rev()) {
            total = running.add(weight / sum);
            gradient[item] += weight - self.probability[item] * total;
        }
        if ranks < self.extent.present {
            for ((slope, probability), seen) in gradient.iter_mut().zip(self.probability).zip(&room.seen) {
                *slope -= if *seen == room.call { 0.0 } else { probability * total };
            }
        }
        Ok(())
    }

    /// Draws the first items of an order. Item j arrives at an exponential time with rate exp θ_j, and the first to arrive are
    /// ranked first: lemma 1 of the paper, before its logarithms. Absent items come last, the smaller first. O(k log k), or O(k + m log m)
    /// for m ranks of many.
    pub(crate) fn sample<T: ItemNumber>(
        &self,
        rng: &mut (impl Rng + ?Sized),
        ranked: &mut [T],
        room: &mut Room,
    ) {
        let items = self.log.len();
        room.times.resize(items, 0.0);
        fill_uniform(rng, &mut room.times);
        if self.extent.is_linear {
            for (time, probability) in room.times.iter_mut().zip(self.probability) {
                *time = exponential(*time) / probability;
            }
        } else {
            for (time, log) in room.times.iter_mut().zip(self.log) {
                *time = ln(exponential(*time)) - log;
            }
        }
        sort_beginning(&room.times, &mut room.keys, ranked.len());
        for (place, key) in ranked.iter_mut().zip(&room.keys) {
            *place = T::of(*key as usize);
        }
    }

    /// Takes a list of ranked items apart, and returns how many ranks of present items it has (or of as many as there are present
    /// ones, if absent ones stand among them).
    fn read<T: ItemNumber>(&self, ranked: &[T], room: &mut Room) -> Result<usize, Error> {
        let items = self.log.len();
        room.seen.resize(items, 0);
        room.call = room.call.wrapping_add(1);
        if room.call == 0 {
            room.seen.fill(0);
            room.call = 1;
        }
        room.order.clear();
        for (rank, number) in ranked.iter().enumerate() {
            let Some(item) = number.item() else { break };
            let Some(seen) = room.seen.get_mut(item) else {
                return Err(Error::UnknownItem { item, rank, items });
            };
            if *seen == room.call {
                let first = room.order.iter().position(|&other| other == item).unwrap_or(rank);
                return Err(Error::RepeatedItem { item, first, second: rank });
            }
            *seen = room.call;
            room.order.push(item);
        }
        let after = ranked[room.order.len()..].iter().position(|number| number.item().is_some());
        if let Some(after) = after {
            return Err(Error::RankedAfterEnd { rank: room.order.len() + after, end: room.order.len() });
        }
        Ok(room.order.len().min(self.extent.present))
    }

    /// The sum of the probabilities of what is not ranked.
    fn unranked(&self, ranks: usize, room: &Room) -> f64 {
        if ranks == self.extent.present {
            return 0.0;
        }
        let left = |(probability, seen): (&f64, &u32)| if *seen == room.call { 0.0 } else { *probability };
        self.probability.iter().zip(&room.seen).map(left).sum()
    }

    /// The suffix sums of the ranking and whatever present items follow it.
    fn fill_suffixes(&self, ranks: usize, room: &mut Room) {
        room.order.truncate(ranks);
        if ranks < self.extent.present {
            let is_left = |&item: &usize| room.seen[item] != room.call && self.log[item] > f64::NEG_INFINITY;
            room.order.extend((0..self.log.len()).filter(is_left));
        }
        room.suffixes.resize(room.order.len(), Suffix::default());
        if !room.order.is_empty() {
            fill_suffixes(self.log, &room.order, &mut room.suffixes);
        }
    }
}

/// Leaves in `keys` the places of the smallest times, in order, ties by the smaller place.
///
/// The times are sorted as whole numbers that have the place in their lowest bits; where two differ in those bits alone, which is rare, all are
/// sorted again with every digit.
fn sort_beginning(times: &[f64], keys: &mut Vec<u64>, length: usize) {
    const SIGN: u64 = 1 << 63;
    let places = (times.len() as u64).next_power_of_two() - 1;
    keys.clear();
    keys.extend(times.iter().enumerate().map(|(place, &time)| {
        let bits = (time + 0.0).to_bits(); // adding zero makes −0 and 0 the tie that they are
        let ascending = if bits & SIGN == 0 { bits | SIGN } else { !bits };
        ascending & !places | place as u64
    }));
    if length < keys.len() {
        keys.select_nth_unstable(length);
        keys[..length].sort_unstable();
    } else {
        keys.sort_unstable();
    }
    let end = (length + 1).min(keys.len());
    if keys[..end].windows(2).any(|pair| pair[0] | places == pair[1] | places) {
        keys.clear();
        keys.extend(0..times.len() as u64);
        let time = |place: u64| times[place as usize] + 0.0;
        keys.sort_unstable_by(|&a, &b| time(a).total_cmp(&time(b)).then(a.cmp(&b)));
    }
    keys.truncate(length);
    keys.iter_mut().for_each(|key| *key &= places);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::sort_descending;
    use proptest::prelude::*;

    #[test]
    fn close_times_and_ties_are_sorted_with_every_digit() {
        let times =
            [1.0, 1.0f64.next_up(), f64::INFINITY, 1.0, 1.0f64.next_down(), -0.0, 0.0, f64::INFINITY, -3.0];
        for length in 0..=times.len() {
            let mut keys = Vec::new();
            sort_beginning(&times, &mut keys, length);
            assert_eq!(keys, [8, 5, 6, 4, 0, 3, 1, 2, 7][..length]);
        }
    }

    proptest! {
        #[test]
        fn keys_sort_as_numbers_do(times in prop::collection::vec(-1e3..1e3f64, 1..70), length in 0..70usize) {
            let length = length.min(times.len());
            let (mut keys, mut order) = (Vec::new(), vec![0; times.len()]);
            sort_beginning(&times, &mut keys, length);
            let negative: Vec<f64> = times.iter().map(|time| -time).collect();
            sort_descending(&negative, &mut order);
            prop_assert!(keys.iter().zip(&order).all(|(&key, &item)| key == item as u64));
        }
    }
}
