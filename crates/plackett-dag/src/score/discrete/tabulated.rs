//! A function of counts as a table: counts are small integers and the same ones occur again and again.

use plackett::elementary::ln;

/// Counts up to this have an entry; the function is evaluated for larger ones. 8 MB.
pub(super) const MOST_ENTRIES: usize = 1 << 20;

/// A function of counts, looked up where it can be. The function is zero at zero, so cells without rows add nothing.
#[derive(Debug, Clone)]
pub(super) struct Tabulated<F> {
    values: Vec<f64>,
    function: F,
}

impl<F: Fn(f64) -> f64> Tabulated<F> {
    /// The table for counts up to `largest`, with at most `entries` entries.
    pub(super) fn new(largest: usize, entries: usize, function: F) -> Self {
        let values = (0..=largest.min(entries)).map(|count| function(count as f64)).collect();
        Self { values, function }
    }

    /// The sum of the function over the counts.
    #[inline]
    pub(super) fn sum(&self, counts: &[u32]) -> f64 {
        // Four sums side by side: one alone would wait for each addition.
        let mut sums = [0.0; 4];
        let chunks = counts.chunks_exact(4);
        let rest = chunks.remainder();
        for chunk in chunks {
            for (sum, &count) in sums.iter_mut().zip(chunk) {
                *sum += self.at(count);
            }
        }
        for (sum, &count) in sums.iter_mut().zip(rest) {
            *sum += self.at(count);
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    #[inline]
    pub(super) fn at(&self, count: u32) -> f64 {
        match self.values.get(count as usize) {
            Some(&value) => value,
            None => (self.function)(f64::from(count)),
        }
    }
}

/// x log x.
pub(super) type CountLogs = Tabulated<fn(f64) -> f64>;

/// x log x for counts up to `rows`, of which log-likelihoods are made: Σ N_ijk log(N_ijk/N_ij) is the sum over the cells
/// less the sum over the parents' configurations.
pub(super) fn count_logs(rows: usize) -> CountLogs {
    Tabulated::new(rows, MOST_ENTRIES, |x| if x > 1.0 { x * ln(x) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_past_the_table_are_evaluated() {
        let short = Tabulated::new(1000, 3, |x| x * x);
        assert_eq!(short.values.len(), 4);
        assert_eq!(short.sum(&[1, 2, 3, 4, 5, 0, 7]), 104.0);
        assert_eq!(count_logs(10).sum(&[0, 1, 10, 11]), 10.0 * 10_f64.ln() + 11.0 * 11_f64.ln());
    }
}
