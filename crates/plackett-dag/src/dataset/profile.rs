//! What is to be known of a column of numbers beside its moments, gathered block by block: whether it counts the rows, whether
//! a mark of missing values hides in it, how heavy its tails are.

use std::collections::HashSet;

use crate::field::as_whole;

/// Numbers that stand for missing values where they are far from all others.
const SENTINELS: [f64; 10] =
    [-9.0, -99.0, -999.0, -9999.0, -99999.0, 99.0, 999.0, 9999.0, 99999.0, 999_999.0];

/// With fewer rows than this, a column in which no number comes twice is nothing special.
const LEAST_ROWS_OF_IDS: usize = 20;

/// Different numbers beyond which a column under the name of an id is not looked at for one that comes twice.
const MOST_IDS: usize = 1 << 20;

/// Rows below which a kurtosis says nothing.
const LEAST_ROWS_OF_TAILS: usize = 50;

/// Odd, with no pattern in its bits: the fraction of the golden ratio.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// What a column of numbers shows.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    /// Values that are there.
    count: usize,
    has_gaps: bool,
    is_whole: bool,
    is_rising: bool,
    last: f64,
    low: End,
    high: End,
    /// A sum that only numbers without a gap and without a repetition are likely to have.
    hashes: u64,
    /// The numbers of a column that is called an id, while they are few and all different.
    ids: Option<HashSet<u64>>,
    powers: Powers,
}

/// One end of the values, mirrored for the upper one: the least, how often it comes, and the next.
#[derive(Clone, Copy, Debug)]
struct End {
    value: f64,
    count: usize,
    next: f64,
}

impl End {
    const NOTHING: Self = Self { value: f64::INFINITY, count: 0, next: f64::INFINITY };

    #[inline]
    fn take(&mut self, value: f64) {
        if value > self.value {
            self.next = self.next.min(value);
        } else if value == self.value {
            self.count += 1;
        } else {
            *self = Self { value, count: 1, next: self.value };
        }
    }
}

impl Profile {
    pub(super) fn new(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let is_called_id = name == "id" || name.ends_with("_id");
        Self {
            count: 0,
            has_gaps: false,
            is_whole: true,
            is_rising: true,
            last: f64::NEG_INFINITY,
            low: End::NOTHING,
            high: End::NOTHING,
            hashes: 0,
            ids: is_called_id.then(HashSet::new),
            powers: Powers::default(),
        }
    }

    /// Takes values, NaN where they are missing.
    pub(super) fn take(&mut self, values: &[f64]) {
        let mut there = 0;
        for &value in values.iter().filter(|value| !value.is_nan()) {
            there += 1;
            self.low.take(value);
            self.high.take(-value);
        }
        self.count += there;
        self.has_gaps |= there < values.len();
        self.is_whole = self.is_whole && values.iter().all(|&value| as_whole(value).is_some());
        if self.is_whole {
            let before = std::iter::once(&self.last).chain(values);
            self.is_rising = self.is_rising && before.zip(values).all(|(before, value)| before < value);
            self.last = values.last().copied().unwrap_or(self.last);
            self.hashes = values.iter().fold(self.hashes, |sum, &value| sum.wrapping_add(mixed(value)));
            if let Some(ids) = &mut self.ids {
                let is_new = values.iter().all(|value| ids.insert(value.to_bits()));
                if !is_new || ids.len() > MOST_IDS {
                    self.ids = None;
                }
            }
        }
        self.powers.take(values);
    }

    /// Whether the numbers count the rows: whole, all different, and rising, or without a gap, or under the name of an id.
    pub(super) fn is_id(&self) -> bool {
        if self.count < LEAST_ROWS_OF_IDS || !self.is_whole || self.has_gaps {
            return false;
        }
        if self.is_rising || self.ids.is_some() {
            return true;
        }
        let (low, high) = (self.low.value, -self.high.value);
        let fits = high - low == (self.count - 1) as f64;
        fits && (0..self.count)
            .fold(0_u64, |sum, step| sum.wrapping_add(mixed(low + step as f64)))
            .eq(&self.hashes)
    }

    /// A value that comes more than once and is further from all others than these are from one another, if it is one that
    /// is used as a mark; and how often it comes.
    pub(super) fn sentinel(&self) -> Option<(f64, usize)> {
        // The upper end is that of the values with their signs turned.
        let ends = [(1.0, &self.low, -self.high.value), (-1.0, &self.high, -self.low.value)];
        ends.into_iter().find_map(|(sign, end, furthest)| {
            let is_mark = end.count > 1 && SENTINELS.contains(&(sign * end.value));
            let (gap, spread) = (end.next - end.value, furthest - end.next);
            (is_mark && spread > 0.0 && spread.is_finite() && gap > spread)
                .then_some((sign * end.value, end.count))
        })
    }

    /// The fourth moment over the square of the second, if there are enough values.
    pub(super) fn kurtosis(&self) -> Option<f64> {
        let Powers { count, sums: [second, _, fourth], .. } = self.powers;
        (count >= LEAST_ROWS_OF_TAILS as f64 && second > 0.0).then(|| fourth * count / (second * second))
    }
}

/// A whole number with its bits mixed.
fn mixed(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits().wrapping_mul(MULTIPLIER);
    (bits ^ (bits >> 29)).wrapping_mul(MULTIPLIER)
}

/// Σ (x − mean)ᵏ for k = 2, 3, 4, block by block, merged as in Pébay (2008).
#[derive(Clone, Copy, Debug, Default)]
struct Powers {
    count: f64,
    mean: f64,
    sums: [f64; 3],
}

impl Powers {
    fn take(&mut self, values: &[f64]) {
        let there = || values.iter().copied().filter(|value| !value.is_nan());
        let count = there().count() as f64;
        if count == 0.0 {
            return;
        }
        let start = if self.count > 0.0 { self.mean } else { there().next().unwrap_or(0.0) };
        let mean = start + there().map(|value| value - start).sum::<f64>() / count;
        let [mut second, mut third, mut fourth] = [0.0; 3];
        for gap in there().map(|value| value - mean) {
            let square = gap * gap;
            second += square;
            third += square * gap;
            fourth += square * square;
        }
        self.merge(&Self { count, mean, sums: [second, third, fourth] });
    }

    fn merge(&mut self, other: &Self) {
        let (a, b) = (self.count, other.count);
        let n = a + b;
        let gap = other.mean - self.mean;
        let [second, third, fourth] = self.sums;
        let [second_b, third_b, fourth_b] = other.sums;
        self.sums = [
            second + second_b + gap.powi(2) * a * b / n,
            third
                + third_b
                + gap.powi(3) * a * b * (a - b) / n.powi(2)
                + 3.0 * gap * (a * second_b - b * second) / n,
            fourth
                + fourth_b
                + gap.powi(4) * a * b * (a * a - a * b + b * b) / n.powi(3)
                + 6.0 * gap.powi(2) * (a * a * second_b + b * b * second) / n.powi(2)
                + 4.0 * gap * (a * third_b - b * third) / n,
        ];
        self.mean += gap * b / n;
        self.count = n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, normal};

    fn profile(name: &str, values: &[f64], block: usize) -> Profile {
        let mut profile = Profile::new(name);
        values.chunks(block).for_each(|values| profile.take(values));
        profile
    }

    #[test]
    fn kurtosis_in_blocks_is_that_of_the_definition() {
        let mut rng = Rng::new(3);
        let values: Vec<f64> = (0..1000).map(|_| 1e3 + normal(&mut rng).powi(3)).collect();
        let mean = values.iter().sum::<f64>() / 1000.0;
        let moment = |power: i32| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / 1000.0;
        let wanted = moment(4) / moment(2).powi(2);
        for block in [7, 256, 1000] {
            let found = profile("x", &values, block).kurtosis().unwrap();
            assert!((found / wanted - 1.0).abs() < 1e-9, "{found} for {wanted}");
        }
    }

    #[test]
    fn ids_count_the_rows_and_measurements_do_not() {
        let shuffled: Vec<f64> = (0..100).map(|row| f64::from(row * 37 % 100 + 5)).collect();
        let mut twice = shuffled.clone();
        twice[50] = 6.0;
        let spread: Vec<f64> = (0..100).map(|row| f64::from(row * 37 % 101 * 3)).collect();
        for block in [1, 30, 100] {
            assert!(profile("x", &shuffled, block).is_id());
            assert!(!profile("x", &twice, block).is_id());
            assert!(!profile("x", &spread, block).is_id() && profile("row_id", &spread, block).is_id());
            assert!(!profile("id", &twice, block).is_id());
        }
        assert!(!profile("x", &shuffled[..10], 5).is_id());
    }

    #[test]
    fn sentinels_are_far_from_all_others_at_either_end() {
        let mut values: Vec<f64> = (0..60).map(|row| f64::from(row % 17)).collect();
        assert_eq!(profile("x", &values, 9).sentinel(), None);
        (values[3], values[40]) = (-999.0, -999.0);
        assert_eq!(profile("x", &values, 9).sentinel(), Some((-999.0, 2)));
        (values[3], values[40]) = (9999.0, 9999.0);
        assert_eq!(profile("x", &values, 9).sentinel(), Some((9999.0, 2)));
        values[3] = 500.0;
        assert_eq!(profile("x", &values, 9).sentinel(), None, "once is an outlier");
    }
}
