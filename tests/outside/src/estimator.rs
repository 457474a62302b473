//! A gradient estimator: REINFORCE on antithetic pairs, in which the second order of a pair stands in for the baseline of the
//! first and the other way round.

use plackett::{
    Distribution, Error,
    estimator::{Demand, Estimator, Samples},
};

/// The estimator, with room for one gradient of log p.
#[derive(Clone, Debug)]
pub struct Paired<D: Distribution> {
    room: D::Room,
    slope: Vec<f64>,
    ones: Vec<f64>,
}

impl<D: Distribution> Paired<D> {
    /// An estimator for a distribution.
    pub fn new(latent: &D) -> Self {
        Self { room: latent.room(), slope: vec![0.0; latent.items()], ones: vec![1.0; latent.outcome_len()] }
    }
}

impl<D: Distribution> Estimator for Paired<D> {
    type Latent = D;

    fn demand(&self) -> Demand {
        Demand::Values
    }

    fn gradient(&mut self, latent: &D, samples: &Samples, gradient: &mut [f64]) -> Result<f64, Error> {
        samples.check_fit(latent)?;
        let values = samples.values();
        gradient.fill(0.0);
        for (at, sample) in samples.iter().enumerate() {
            // The last of an odd number goes without.
            let baseline = values.get(at ^ 1).copied().unwrap_or(0.0);
            latent.weighted_grad_log_prob(sample.outcome, &self.ones, &mut self.slope, &mut self.room);
            for (sum, slope) in gradient.iter_mut().zip(&self.slope) {
                *sum += (sample.value - baseline) * slope / samples.count() as f64;
            }
        }
        Ok(samples.mean_value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plackett::{Noise, PlackettLuce, estimator::Exact};

    #[test]
    fn its_mean_is_the_exact_gradient() {
        const STEPS: u64 = 20_000;
        let latent = PlackettLuce::new(&[0.3, -0.5, 0.9, 0.0]).unwrap();
        let mut objective =
            |order: &[usize]| order.iter().zip(1..).map(|(&i, r)| (i * r * r) as f64).sum::<f64>();
        let mut exact = Exact::new(&latent, &mut objective).unwrap();
        let exact = exact.expectation(&latent).unwrap().1.to_vec();
        let mut samples = Samples::new(&latent, 2).unwrap();
        let (mut noise, mut paired) = (Noise::new(5), Paired::new(&latent));
        let (mut sums, mut squares, mut gradient) = ([0.0; 4], [0.0; 4], [0.0; 4]);
        for step in 0..STEPS {
            samples.draw(&latent, Demand::Values, &mut noise, 2 * step).unwrap();
            samples.evaluate(&mut objective).unwrap();
            paired.gradient(&latent, &samples, &mut gradient).unwrap();
            for ((sum, square), g) in sums.iter_mut().zip(&mut squares).zip(gradient) {
                *sum += g;
                *square += g * g;
            }
        }
        for ((sum, square), exact) in sums.iter().zip(squares).zip(exact) {
            let mean = sum / STEPS as f64;
            let error = ((square / STEPS as f64 - mean * mean) / STEPS as f64).sqrt();
            assert!((mean - exact).abs() < 4.5 * error, "{mean} for {exact}");
        }
    }
}
