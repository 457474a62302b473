//! Gradients of an expectation over permutations: estimators beside the exact one, and training. `gradients.py` is the same in
//! Python.
//!
//! Run it with `cargo run --release --example gradients`.
#![allow(clippy::print_stdout)]

use plackett::{
    Error, Noise, PlackettLuce, Training, TrainingSettings,
    critic::Network,
    estimator::{Baseline, Estimator, Exact, Reinforce, Relax, Samples},
    run::{Limits, Run},
};

const ITEMS: usize = 5;
const REPETITIONS: u64 = 2000;
const WANTED: [usize; ITEMS] = [3, 1, 4, 0, 2];

/// What is to become small on average: how far each item is from where it is wanted.
fn displacement(order: &[usize]) -> f64 {
    order.iter().zip(WANTED).map(|(&item, wanted)| item.abs_diff(wanted) as f64).sum()
}

/// Prints and returns the total variance of an estimator from two samples each: right on average, and how far off one by one.
fn measure<E: Estimator<Latent = PlackettLuce>>(
    name: &str,
    estimator: &mut E,
    latent: &PlackettLuce,
    exact: &[f64],
) -> Result<f64, Error> {
    let (mut samples, mut noise) = (Samples::new(latent, 2)?, Noise::new(0));
    let (mut sum, mut squares, mut gradient) = ([0.0; ITEMS], [0.0; ITEMS], [0.0; ITEMS]);
    for repetition in 0..REPETITIONS {
        samples.draw(latent, estimator.demand(), &mut noise, 2 * repetition)?;
        samples.evaluate(&mut displacement)?;
        estimator.gradient(latent, &samples, &mut gradient)?;
        for item in 0..ITEMS {
            sum[item] += gradient[item];
            squares[item] += gradient[item] * gradient[item];
        }
    }
    let mean = |sums: &[f64; ITEMS], item: usize| sums[item] / REPETITIONS as f64;
    let error = (0..ITEMS).map(|item| (mean(&sum, item) - exact[item]).abs()).fold(0.0, f64::max);
    let variance = (0..ITEMS).map(|item| mean(&squares, item) - mean(&sum, item).powi(2)).sum();
    println!("{name}: the mean of {REPETITIONS} is off by {error:.2}, the variance is {variance:.1}");
    Ok(variance)
}

fn main() -> Result<(), Error> {
    // For so few items the gradient can be had exactly, by enumeration. All orders are equally likely at first.
    let latent = PlackettLuce::new(&[0.0; ITEMS])?;
    let mut enumeration = Exact::new(&latent, &mut displacement)?;
    let (value, exact) = enumeration.expectation(&latent)?;
    println!("E f = {value:.2}, gradient {exact:.3?}");

    let mut reinforce = Reinforce::new(&latent, Baseline::None)?;
    let plain = measure("REINFORCE", &mut reinforce, &latent, exact)?;
    let mut reinforce = Reinforce::new(&latent, Baseline::LeaveOneOut)?;
    let baseline = measure("REINFORCE, leave-one-out", &mut reinforce, &latent, exact)?;

    // RELAX subtracts a critic, here a small network that learns to predict the function. A rate of zero keeps the scores
    // where they are while it does.
    let relax = Relax::new(&latent, Network::new(ITEMS, 32), &mut Noise::new(0))?;
    let frozen = TrainingSettings { learning_rate: 0.0, samples: 4, ..TrainingSettings::default() };
    let mut training = Training::new(latent.clone(), relax, frozen)?;
    training.run(&mut displacement, &Run::new(Limits::steps(1000)))?;
    let mut relax = training.estimator().clone();
    let trained = measure("RELAX, its critic trained for 1,000 steps", &mut relax, &latent, exact)?;

    // Now both together, by Adam.
    let settings = TrainingSettings { samples: 4, ..TrainingSettings::default() };
    let mut training = Training::new(latent, relax, settings)?;
    training.run(&mut displacement, &Run::new(Limits::steps(3000)))?;
    let mode = training.mode();
    println!("the most probable order is {mode:?}, its value {}", displacement(&mode));

    assert!(baseline < plain && trained < plain && mode == WANTED);
    Ok(())
}
