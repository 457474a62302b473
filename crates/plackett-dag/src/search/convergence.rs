//! Whether several Markov chains have come to the same distribution: the potential scale reduction R̂ of chains split in half, and the effective
//! number of independent draws, both of rank-normalized values (Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021).

use crate::tails::normal_quantile;
use plackett::elementary::log10;

/// The values of several chains, cut to the same length, each split in half.
fn split(chains: &[Vec<f64>]) -> Vec<&[f64]> {
    let length = chains.iter().map(Vec::len).min().unwrap_or(0) / 2;
    let halves = chains.iter().flat_map(|chain| {
        let (first, second) = chain.split_at(chain.len() - length);
        [&first[first.len() - length..], second]
    });
    halves.collect()
}

/// The quantile of a normal distribution that each value stands for by its rank among all; equal values share theirs.
fn rank_normalized(chains: &[&[f64]]) -> Vec<Vec<f64>> {
    let mut sorted: Vec<f64> = chains.iter().flat_map(|chain| chain.iter().copied()).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len() as f64;
    let quantile = |value: &f64| {
        let below = sorted.partition_point(|other| other.total_cmp(value).is_lt());
        let not_above = sorted.partition_point(|other| other.total_cmp(value).is_le());
        let rank = 0.5 * (below + not_above + 1) as f64;
        -normal_quantile((rank - 0.375) / (count + 0.25))
    };
    chains.iter().map(|chain| chain.iter().map(quantile).collect()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// R̂ from the mean and the variance of each chain and their length: one where the chains agree; infinite where they differ and none moves.
pub(super) fn scale_reduction(means: &[f64], variances: &[f64], length: f64) -> f64 {
    let within = mean(variances);
    let middle = mean(means);
    let between =
        means.iter().map(|mean| (mean - middle).powi(2)).sum::<f64>() / (means.len() as f64 - 1.0).max(1.0);
    if within > 0.0 {
        (((length - 1.0) / length * within + between) / within).sqrt()
    } else if between > 0.0 {
        f64::INFINITY
    } else {
        1.0
    }
}

/// R̂ of the chains' values by rank, each split in half.
pub(super) fn split_r_hat(chains: &[Vec<f64>]) -> f64 {
    let halves = split(chains);
    let length = halves.first().map_or(0, |half| half.len());
    if length < 2 {
        return f64::INFINITY;
    }
    let values = rank_normalized(&halves);
    let means: Vec<f64> = values.iter().map(|half| mean(half)).collect();
    let variances: Vec<f64> =
        values.iter().zip(&means).map(|(half, &mean)| covariance(half, mean, 0)).collect();
    scale_reduction(&means, &variances, length as f64)
}

/// The covariance of values so far apart, with divisor n − 1.
fn covariance(values: &[f64], mean: f64, lag: usize) -> f64 {
    let products = values.iter().zip(&values[lag..]).map(|(a, b)| (a - mean) * (b - mean));
    products.sum::<f64>() / (values.len() as f64 - 1.0)
}

/// How many independent draws the chains' values are worth, by rank: Geyer's initial monotone sequence of the autocorrelations of all
/// chains, each split in half. At most the number of values times its logarithm to base ten.
pub(super) fn effective_size(chains: &[Vec<f64>]) -> f64 {
    let halves = split(chains);
    let length = halves.first().map_or(0, |half| half.len());
    if length < 4 {
        return 0.0;
    }
    let values = rank_normalized(&halves);
    let (count, n) = (values.len() as f64, length as f64);
    let means: Vec<f64> = values.iter().map(|half| mean(half)).collect();
    let at_lag = |lag: usize| {
        values.iter().zip(&means).map(|(half, &mean)| covariance(half, mean, lag)).sum::<f64>() / count
    };
    let within = at_lag(0);
    let middle = mean(&means);
    let between = means.iter().map(|mean| (mean - middle).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    let total = (n - 1.0) / n * within + between;
    if total <= 0.0 {
        return count * n;
    }
    let correlation = |lag: usize| 1.0 - (within - at_lag(lag)) / total;
    let (mut sum, mut least) = (0.0, f64::INFINITY);
    for lag in (0..length - 1).step_by(2) {
        let pair = correlation(lag) + correlation(lag + 1);
        if pair <= 0.0 {
            break;
        }
        least = least.min(pair);
        sum += least;
    }
    let size = count * n / (2.0 * sum - 1.0).max(1.0 / log10(count * n));
    size.min(count * n * log10(count * n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Rng, normal};

    /// Chains x ← ρ·x + noise, of variance one, each with a mean of its own.
    fn chains(correlation: f64, means: [f64; 4]) -> Vec<Vec<f64>> {
        let mut rng = Rng::new(5);
        let noise = (1.0 - correlation * correlation).sqrt();
        let mut chain = |mean: f64| {
            let mut value = normal(&mut rng);
            (0..4000)
                .map(|_| {
                    value = correlation * value + noise * normal(&mut rng);
                    mean + value
                })
                .collect()
        };
        means.map(&mut chain).into()
    }

    #[test]
    fn chains_of_known_correlation_are_worth_what_theory_says() {
        for correlation in [0.0, 0.5, 0.9] {
            let found = chains(correlation, [0.0; 4]);
            let expected = 16_000.0 * (1.0 - correlation) / (1.0 + correlation);
            let size = effective_size(&found);
            assert!((size / expected - 1.0).abs() < 0.15, "{size} for {expected}");
            assert!((split_r_hat(&found) - 1.0).abs() < 0.01);
        }
    }

    #[test]
    fn chains_that_disagree_are_told() {
        let apart = chains(0.5, [0.0, 0.0, 0.0, 1.0]);
        // Between chains the variance of the means is 1/4, but for ranks.
        assert!((split_r_hat(&apart) - 1.1).abs() < 0.03, "{}", split_r_hat(&apart));
        assert!(effective_size(&apart) < 100.0);
        // One that drifts disagrees with itself.
        let drift: Vec<Vec<f64>> = vec![(0..100).map(f64::from).collect()];
        assert!(split_r_hat(&drift) > 1.5);
        let stuck = vec![vec![1.0; 10], vec![2.0; 10]];
        assert_eq!((split_r_hat(&stuck), split_r_hat(&[vec![1.0; 10]])), (f64::INFINITY, 1.0));
        assert_eq!((split_r_hat(&[vec![1.0]]), effective_size(&[vec![1.0]])), (f64::INFINITY, 0.0));
    }
}
