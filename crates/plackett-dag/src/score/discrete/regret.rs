//! The regret of the multinomial distribution, log C(N, K): what the normalized maximum likelihood of N draws from K
//! categories pays for the freedom of its K − 1 parameters.
//!
//! C(N, 1) = 1. C(N, 2) = Σ_h binom(N, h)·(h/N)^h·((N−h)/N)^(N−h) = Σ_k N(N−1)…(N−k+1)/N^k, whose terms fade like
//! exp(−k²/2N): √N of them are enough. From there C(N, K+2) = C(N, K+1) + (N/K)·C(N, K), which overflows doubles; its
//! ratios C(N, K+1)/C(N, K) do not, and their logarithms add up to the table kept here.
//!
//! Past the table the approximation of Szpankowski and Weinberger is used, which exceeds the exact value by about 1/(6K)
//! if N is large, and by less if it is not.

use plackett::elementary::{ln, ln_1p};

/// Categories up to which the regret is exact. Beyond, the approximation's error is below 3·10⁻⁶.
const EXACT: usize = 1 << 16;

/// log C(N, K) for one N and any K.
#[derive(Debug, Clone)]
pub(super) struct Regret {
    rows: f64,
    /// Entry K − 1 is log C(N, K).
    exact: Vec<f64>,
}

impl Regret {
    /// An error of the approximation can make a difference of regrets shrink where it should grow, by less than this.
    pub(super) const SLACK: f64 = 1e-5;

    /// O(√rows + 2¹⁶): about a millisecond.
    pub(super) fn new(rows: usize) -> Self {
        let n = rows as f64;
        let mut exact = Vec::with_capacity(EXACT);
        exact.push(0.0);
        let mut ratio = binary(n);
        let mut total = ln(ratio);
        exact.push(total);
        for k in 1..EXACT - 1 {
            ratio = 1.0 + n / (k as f64 * ratio);
            total += ln(ratio);
            exact.push(total);
        }
        Self { rows: n, exact }
    }

    /// log C(N, `categories`); the number of categories is an integer of at least one, however large.
    #[expect(clippy::cast_sign_loss, reason = "a number of categories is positive")]
    pub(super) fn of(&self, categories: f64) -> f64 {
        if categories <= EXACT as f64 {
            self.exact[(categories as usize).max(1) - 1]
        } else {
            approximation(self.rows, categories)
        }
    }
}

/// log C(N, K) for one pair of them. O(√N + K).
pub(super) fn log_normalizer(rows: u32, categories: usize) -> f64 {
    if rows == 0 || categories < 2 {
        return 0.0;
    }
    let n = f64::from(rows);
    let mut ratio = binary(n);
    let mut total = ln(ratio);
    for k in 1..categories - 1 {
        ratio = 1.0 + n / (k as f64 * ratio);
        total += ln(ratio);
    }
    total
}

/// C(N, 2).
fn binary(rows: f64) -> f64 {
    let (mut term, mut sum, mut k) = (1.0, 1.0, 0.0);
    while k < rows && term > f64::EPSILON * 1e-3 {
        term *= (rows - k) / rows;
        sum += term;
        k += 1.0;
    }
    sum
}

/// Szpankowski and Weinberger's log C(N, K), written so that nothing is lost where K/N is huge.
fn approximation(rows: f64, categories: f64) -> f64 {
    if rows == 0.0 {
        return 0.0;
    }
    let alpha = categories / rows;
    let excess = 2.0 / (alpha * (1.0 + (1.0 + 4.0 / alpha).sqrt()));
    let c = 1.0 + excess;
    rows * (ln(alpha) + (alpha + 2.0) * ln_1p(excess) - 1.0 / c) - 0.5 * ln(c + 2.0 / alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C(N, K) by its definition: the largest likelihood of every sequence, summed over the count vectors.
    fn by_definition(rows: u32, categories: u32) -> f64 {
        fn sum(total: u32, left: u32, categories: u32) -> f64 {
            let likelihood = |h: u32| (f64::from(h) / f64::from(total)).powf(f64::from(h));
            if categories == 1 {
                return likelihood(left);
            }
            (0..=left).map(|h| binomial(left, h) * likelihood(h) * sum(total, left - h, categories - 1)).sum()
        }
        sum(rows, rows, categories)
    }

    fn binomial(n: u32, k: u32) -> f64 {
        (0..k).fold(1.0, |value, i| value * f64::from(n - i) / f64::from(i + 1))
    }

    #[test]
    fn the_sum_over_all_count_vectors() {
        for rows in [1, 2, 3, 7, 12, 20] {
            let regret = Regret::new(rows as usize);
            for categories in 1..=5 {
                let (found, wanted) =
                    (regret.of(f64::from(categories)), by_definition(rows, categories).ln());
                assert!(
                    (found - wanted).abs() < 1e-12 * wanted.max(1.0),
                    "{rows} {categories} {found} {wanted}"
                );
                assert_eq!(log_normalizer(rows, categories as usize), found);
            }
        }
        // C(1, K) = K, C(2, 2) = 1 + 2/4 + 1, C(3, 2) = 2 + 2·3·(1/3)(2/3)².
        assert_eq!(Regret::new(2).of(2.0), 2.5_f64.ln());
        assert!((Regret::new(3).of(2.0) - (2.0_f64 + 8.0 / 9.0).ln()).abs() < 1e-15);
        assert!((Regret::new(1).of(50_000.0) - 50_000_f64.ln()).abs() < 1e-10);
        assert_eq!((Regret::new(0).of(7.0), Regret::new(0).of(1e9)), (0.0, 0.0));
    }

    /// The direct sum for two categories, by Stirling's error terms: the large parts of the logarithms cancel, and the
    /// terms are √(N/(2πh(N−h)))·exp(δ(N)−δ(h)−δ(N−h)).
    #[test]
    fn two_categories_against_the_direct_sum() {
        fn stirling(count: u32) -> f64 {
            let x = f64::from(count);
            if count < 30 {
                let factorial: f64 = (1..=count).map(f64::from).product();
                factorial.ln() - (x * x.ln() - x + 0.5 * (std::f64::consts::TAU * x).ln())
            } else {
                1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5))
            }
        }
        for rows in [10_u32, 1000, 20_000, 1 << 22] {
            let n = f64::from(rows);
            let term = |h: u32| {
                let spread = std::f64::consts::TAU * f64::from(h) * f64::from(rows - h);
                (n / spread).sqrt() * (stirling(rows) - stirling(h) - stirling(rows - h)).exp()
            };
            let direct = (2.0 + (1..rows).map(term).sum::<f64>()).ln();
            let found = Regret::new(rows as usize).of(2.0);
            assert!((found / direct - 1.0).abs() < 1e-10, "{rows}: {found} {direct}");
        }
    }

    #[test]
    fn the_approximation_takes_over_where_it_is_good() {
        for rows in [1, 2, 10, 300, 20_000, 1_000_000, 1 << 24] {
            let regret = Regret::new(rows);
            for categories in [1 << 12, 20_000, EXACT - 1, EXACT] {
                let k = categories as f64;
                let error = approximation(rows as f64, k) - regret.of(k);
                assert!(error.abs() < 0.2 / k, "{rows} {categories} {error}");
            }
            let largest = regret.of(1e290);
            assert!(largest.is_finite());
            assert!((regret.of(1e293) - largest - rows as f64 * 1000_f64.ln()).abs() < 1e-12 * largest);
        }
    }

    /// What the lower bounds rest on: adding parents never makes the price of a node smaller.
    #[test]
    fn the_price_grows_with_the_configurations() {
        for rows in [1, 2, 5, 30, 1000, 20_000, 1 << 20, 1 << 24] {
            let regret = Regret::new(rows);
            for arity in [2.0, 3.0, 7.0, 256.0] {
                let price = |q: f64| regret.of(q * arity) - regret.of(q);
                let mut last = 0.0;
                let mut q = 1.0_f64;
                while q < 1e12 {
                    assert!(
                        price(q) >= last - Regret::SLACK,
                        "{rows} rows, arity {arity}, {q} configurations"
                    );
                    last = price(q);
                    q = (q * 1.01).ceil();
                }
            }
        }
    }

    /// All terms of C(N, 2), from the last to the first.
    #[test]
    fn two_categories_to_the_last_digits() {
        for rows in (1..60).chain([100, 1000, 10_000]) {
            let n = f64::from(rows);
            let exact = (0..rows).rev().fold(1.0, |sum, k| 1.0 + sum * ((n - f64::from(k)) / n));
            let found = binary(n);
            assert!((found / exact - 1.0).abs() < 5e-15, "{rows}: {found} for {exact}");
        }
        assert_eq!(binary(0.0), 1.0);
    }
}
