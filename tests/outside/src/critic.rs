//! A critic: a quadratic function of the perturbed scores, c(z) = Σ φ_i z_i + ½ Σ ψ_i z_i².

use plackett::critic::Critic;

/// The critic, with the z that it was last asked for.
#[derive(Clone, Debug)]
pub struct Quadratic {
    z: Vec<f64>,
}

impl Quadratic {
    /// A critic of so many perturbed scores.
    pub fn new(items: usize) -> Self {
        Self { z: vec![0.0; items] }
    }
}

impl Critic for Quadratic {
    fn inputs(&self) -> usize {
        self.z.len()
    }

    fn parameters(&self) -> usize {
        2 * self.z.len()
    }

    fn initialize(&self, _: &[f64], parameters: &mut [f64]) {
        parameters.fill(0.0);
    }

    fn value_and_gradient(&mut self, parameters: &[f64], z: &[f64], gradient: &mut [f64]) -> f64 {
        self.z.copy_from_slice(z);
        let (slopes, curves) = parameters.split_at(z.len());
        let mut value = 0.0;
        for (((gradient, z), slope), curve) in gradient.iter_mut().zip(z).zip(slopes).zip(curves) {
            value += z * (slope + 0.5 * curve * z);
            *gradient = slope + curve * z;
        }
        value
    }

    fn add_parameter_gradient(&mut self, _: &[f64], a: f64, v: &[f64], gradient: &mut [f64]) {
        let (slopes, curves) = gradient.split_at_mut(self.z.len());
        for (((slope, curve), z), v) in slopes.iter_mut().zip(curves).zip(&self.z).zip(v) {
            *slope += a * z + v;
            *curve += z * (0.5 * a * z + v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plackett::{
        Noise, PlackettLuce, Training, TrainingSettings,
        estimator::{Baseline, Reinforce, Relax},
        run::{Limits, Run},
    };

    /// Of the finite differences.
    const STEP: f64 = 1e-6;

    #[test]
    fn its_derivatives_are_those_of_its_value() {
        let (mut critic, parameters, z, v) =
            (Quadratic::new(2), [0.3, -0.7, 0.5, 0.2], [1.1, -0.4], [0.6, -1.3]);
        let mut both = |parameters: &[f64], z: &[f64]| {
            let mut gradient = [0.0; 2];
            let value = critic.value_and_gradient(parameters, z, &mut gradient);
            (value, 0.9 * value + v[0] * gradient[0] + v[1] * gradient[1], gradient)
        };
        let gradient = both(&parameters, &z).2;
        for at in 0..2 {
            let mut moved = z;
            moved[at] += STEP;
            let slope = (both(&parameters, &moved).0 - both(&parameters, &z).0) / STEP;
            assert!((slope - gradient[at]).abs() < 1e-5);
        }
        let slopes: Vec<f64> = (0..4)
            .map(|at| {
                let mut moved = parameters;
                moved[at] += STEP;
                (both(&moved, &z).1 - both(&parameters, &z).1) / STEP
            })
            .collect();
        both(&parameters, &z);
        let mut found = [0.0; 4];
        critic.add_parameter_gradient(&parameters, 0.9, &v, &mut found);
        assert!(slopes.iter().zip(found).all(|(slope, found)| (slope - found).abs() < 1e-5));
    }

    #[test]
    fn trained_it_lowers_the_variance() {
        let latent = PlackettLuce::new(&[0.0; 5]).unwrap();
        let mut objective =
            |order: &[usize]| order.iter().zip(1..).map(|(&i, r)| (i * r) as f64).sum::<f64>();
        let frozen = TrainingSettings { learning_rate: 0.0, samples: 2, ..TrainingSettings::default() };
        let relax = Relax::new(&latent, Quadratic::new(5), &mut Noise::new(0)).unwrap();
        let mut with = Training::new(latent.clone(), relax, frozen).unwrap();
        with.run(&mut objective, &Run::new(Limits::steps(3000))).unwrap();
        let reinforce = Reinforce::new(&latent, Baseline::None).unwrap();
        let mut without = Training::new(latent, reinforce, frozen).unwrap();
        let variances =
            [with.gradient_variance(&mut objective, 500), without.gradient_variance(&mut objective, 500)];
        let [with, without] = variances.map(Result::unwrap);
        assert!(with < 0.2 * without, "{with} against {without}");
    }
}
