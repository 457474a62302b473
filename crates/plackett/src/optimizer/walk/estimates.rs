//! Noisy values: the best few orders, asked again and again, so that the one returned is good and not merely lucky.

/// The share of evaluations that ask an order again.
pub(super) const SHARE: f64 = 0.3;
/// How many orders are kept in the race.
const KEPT: usize = 24;
/// How many standard errors an order may be below its mean.
const DOUBT: f64 = 1.0;

/// An order in the race. The value that it came in with was chosen for being low, and does not count for the mean.
#[derive(Clone, Debug)]
struct Candidate {
    order: Vec<usize>,
    first: f64,
    count: u32,
    mean: f64,
}

/// The orders in the race, and how noisy values are.
#[derive(Clone, Debug, Default)]
pub(super) struct Estimates {
    candidates: Vec<Candidate>,
    /// Sum of squared deviations within orders, and its degrees of freedom.
    squares: f64,
    freedom: f64,
}

impl Candidate {
    /// The mean, or the first value for want of one.
    fn guess(&self) -> f64 {
        if self.count == 0 { self.first } else { self.mean }
    }

    /// What the noise makes of the mean, in standard deviations of one value. A chosen first value is worth less than a
    /// value.
    fn width(&self) -> f64 {
        if self.count == 0 { 1.0 } else { 1.0 / f64::from(self.count).sqrt() }
    }
}

impl Estimates {
    /// The variance of a value.
    pub(super) fn variance(&self) -> f64 {
        if self.freedom > 0.0 { self.squares / self.freedom } else { 0.0 }
    }

    /// Takes a value of an order; its mean if it is asked again.
    pub(super) fn tell(&mut self, order: &[usize], value: f64, is_again: bool) -> Option<f64> {
        if let Some(known) = self.candidates.iter_mut().find(|known| known.order == order) {
            if !is_again {
                return None;
            }
            known.count += 1;
            let change = value - known.mean;
            known.mean += change / f64::from(known.count);
            if known.count > 1 {
                self.squares += change * (value - known.mean);
                self.freedom += 1.0;
            }
            return Some(known.mean);
        }
        if self.candidates.len() == KEPT {
            let deviation = self.variance().sqrt();
            let low = |c: &Candidate| c.guess() - DOUBT * deviation * c.width();
            let worst =
                (0..KEPT).max_by(|&a, &b| low(&self.candidates[a]).total_cmp(&low(&self.candidates[b])))?;
            if low(&self.candidates[worst]) <= value - DOUBT * deviation {
                return None;
            }
            self.candidates.swap_remove(worst);
        }
        self.candidates.push(Candidate { order: order.to_vec(), first: value, count: 0, mean: 0.0 });
        None
    }

    /// The order that may be the best of all: lowest if all the doubt about it is in its favor.
    pub(super) fn doubtful(&self) -> Option<Vec<usize>> {
        let deviation = self.variance().sqrt();
        let low = |c: &Candidate| c.guess() - DOUBT * deviation * c.width();
        self.candidates.iter().min_by(|a, b| low(a).total_cmp(&low(b))).map(|c| c.order.clone())
    }

    /// The order that is best with all the doubt against it, its mean and the standard error.
    pub(super) fn best(&self) -> Option<(&[usize], f64, f64)> {
        let deviation = self.variance().sqrt();
        let high = |c: &&Candidate| c.mean + DOUBT * deviation * c.width();
        let valued = self.candidates.iter().filter(|c| c.count > 0);
        let best = valued.min_by(|a, b| high(a).total_cmp(&high(b)))?;
        Some((&best.order, best.mean, deviation * best.width()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;
    use rand::RngExt as _;

    #[test]
    fn the_best_of_many_lucky_orders_is_found_and_its_value_is_honest() {
        // Thirty orders of true values 0, 0.1, 0.2 …, noise of deviation 1: the luckiest first value is far too low.
        let mut noise = Noise::new(3);
        let rng = noise.stream(0);
        let mut normal = || (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0;
        let mut estimates = Estimates::default();
        assert!(estimates.best().is_none() && estimates.doubtful().is_none());
        for item in 0..30 {
            estimates.tell(&[item], item as f64 / 10.0 + normal(), false);
        }
        for _ in 0..3000 {
            let order = estimates.doubtful().unwrap();
            let value = order[0] as f64 / 10.0 + normal();
            estimates.tell(&order, value, true);
        }
        let (order, mean, error) = estimates.best().unwrap();
        assert!(order[0] <= 1, "{order:?}");
        assert!((estimates.variance() - 1.0).abs() < 0.1 && error < 0.1);
        assert!((mean - order[0] as f64 / 10.0).abs() < 3.0 * error, "{mean} {error}");
    }
}
