//! One item, and a million.

mod common;

use common::{spread, uniform};
use plackett::{
    Categorical, Distribution as _, Error, Noise, Order, PlackettLuce, Toy, Training, TrainingSettings,
    assignment,
    critic::{Network, RelaxedObjective},
    estimator::{Baseline, Estimator, Exact, Reinforce, Relax, Reparametrized, Samples},
    relaxation::{NeuralSort, Softmax},
    run::{Limits, Run},
};
use statrs::function::gamma::ln_gamma;
const MILLION: usize = 1_000_000;

#[test]
fn one_item() {
    for score in [-1e308, -3.0, 0.0, 1e308] {
        let mut noise = Noise::new(0);
        let latent = PlackettLuce::new(&[score]).unwrap();
        assert_eq!(latent.scores(), [0.0]);
        assert_eq!(latent.sample(noise.stream(0)), Order::identity(1));
        assert_eq!(latent.mode(), Order::identity(1));
        assert_eq!((latent.log_prob(&[0]).unwrap(), latent.log_prob(&[]).unwrap()), (0.0, 0.0));
        assert_eq!(latent.grad_log_prob(&[0]).unwrap(), [0.0]);
        assert_eq!(latent.entropy().unwrap(), 0.0);
        assert_eq!(latent.entropy_estimate(5, noise.stream(0)).unwrap(), (0.0, 0.0));
        assert_eq!(latent.enumerate().unwrap(), [(Order::identity(1), 1.0)]);
        let gumbel = plackett::gumbel(0.3).unwrap();
        assert_eq!(latent.perturb(&[0.3]).unwrap(), [gumbel]);
        assert_eq!(latent.conditional(&[0], &[0.3]).unwrap(), [gumbel]);

        let latent = Categorical::new(&[score]).unwrap();
        assert_eq!((latent.sample(noise.stream(0)), latent.mode()), (0, 0));
        assert_eq!((latent.log_prob(0).unwrap(), latent.entropy()), (0.0, 0.0));
        assert_eq!(latent.grad_log_prob(0).unwrap(), [0.0]);
        assert_eq!(latent.conditional(0, &[0.3]).unwrap(), [gumbel]);
    }
    assert_eq!(plackett::relaxation::neural_sort(&[5.0], 0.1).unwrap(), [1.0]);
    assert_eq!(plackett::relaxation::softmax(&[5.0], 0.1).unwrap(), [1.0]);
    assert_eq!(plackett::relaxation::sinkhorn(&[5.0], 3).unwrap(), [1.0]);
    assert_eq!(assignment(&[5.0]).unwrap(), Order::identity(1));
}

/// There is nothing to learn about one item, and every estimator knows it.
fn check_one_item<E: Estimator>(latent: &E::Latent, estimator: E, samples: usize) {
    let settings = TrainingSettings { samples, ..TrainingSettings::default() };
    let mut training = Training::new(latent.clone(), estimator, settings).unwrap();
    training.run(&mut |_: &[usize]| 3.5, &Run::new(Limits::steps(20))).unwrap();
    assert!(training.gradient()[0].abs() < 1e-12 && training.scores()[0].abs() < 1e-6);
    assert_eq!(training.mode(), [0]);
    assert_eq!(training.mode_probability(), 1.0);
    assert!(training.gradient_variance(&mut |_: &[usize]| 3.5, 10).unwrap() < 1e-24);
}

#[test]
fn training_with_one_item() {
    let network = || Network::new(1, 3);
    let mut noise = Noise::new(0);

    let latent = PlackettLuce::new(&[0.0]).unwrap();
    check_one_item(&latent, Reinforce::new(&latent, Baseline::LeaveOneOut).unwrap(), 3);
    check_one_item(&latent, Exact::new(&latent, &mut |_: &[usize]| 3.5).unwrap(), 1);
    let critic = RelaxedObjective::scaled(Toy::permutation(1, 0.05).unwrap(), NeuralSort::new(1));
    check_one_item(&latent, Relax::new(&latent, critic.clone(), &mut noise).unwrap(), 1);
    check_one_item(&latent, Reparametrized::new(&latent, critic, vec![0.0, 1.0]).unwrap(), 1);
    check_one_item(&latent, Relax::new(&latent, network(), &mut noise).unwrap(), 2);

    let latent = Categorical::new(&[0.0]).unwrap();
    check_one_item(&latent, Reinforce::new(&latent, Baseline::LeaveOneOut).unwrap(), 3);
    check_one_item(&latent, Exact::new(&latent, &mut |_: &[usize]| 3.5).unwrap(), 1);
    let critic = RelaxedObjective::scaled(Toy::categorical(1, 0.05).unwrap(), Softmax::new(1));
    check_one_item(&latent, Relax::new(&latent, critic.clone(), &mut noise).unwrap(), 1);
    check_one_item(&latent, Reparametrized::new(&latent, critic, vec![0.0, 1.0]).unwrap(), 1);
    check_one_item(&latent, Relax::new(&latent, network(), &mut noise).unwrap(), 2);
}

#[test]
fn a_million_equal_items() {
    let latent = PlackettLuce::new(&vec![7.0; MILLION]).unwrap();
    let order = latent.sample(Noise::new(1).stream(0));
    assert_eq!(order.inverse().inverse(), order);
    let expected = -ln_gamma(MILLION as f64 + 1.0);
    let found = latent.log_prob(&order).unwrap();
    assert!((found / expected - 1.0).abs() < 1e-9, "{found}, not {expected}");
    let (entropy, error) = latent.entropy_estimate(2, Noise::new(1).stream(1)).unwrap();
    assert!((entropy / -expected - 1.0).abs() < 1e-9 && error < 1e-3);

    // At rank r the gradient is 1 − Σ_{j ≤ r} 1/(k − j).
    let gradient = latent.grad_log_prob(&order).unwrap();
    let mut chances = 0.0;
    for (rank, &item) in order.iter().enumerate() {
        chances += 1.0 / (MILLION - rank) as f64;
        assert!((gradient[item] - (1.0 - chances)).abs() < 1e-7, "rank {rank}");
    }
    let sum: f64 = gradient.iter().sum();
    assert!(sum.abs() < 1e-6, "{sum}");
}

#[test]
fn a_million_items_of_all_sizes() {
    for width in [3.0, 1e308] {
        let latent = PlackettLuce::new(&spread(1, 0, MILLION, width)).unwrap();
        let v = uniform(1, 1, MILLION);
        let z = latent.perturb(&v).unwrap();
        let sampled = Order::sorting(&z).unwrap();
        let improbable = Order::sorting(&v).unwrap();
        for order in [&sampled, &improbable] {
            match latent.log_prob(order) {
                Ok(log_prob) => assert!(log_prob.is_finite() && log_prob <= 0.0, "{log_prob}"),
                Err(error) => {
                    assert!(matches!(error, Error::TooImprobable) && order == &improbable, "{error}");
                }
            }
            let gradient = latent.grad_log_prob(order).unwrap();
            common::assert_finite(&gradient[..100], "gradient");
            let total: f64 = gradient.iter().sum();
            assert!(total.abs() < 1e-6, "width {width}: the gradient sums to {total}");
            let z_tilde = latent.conditional(order, &v).unwrap();
            assert_eq!(&Order::sorting(&z_tilde).unwrap(), order);
        }
        let (mode, log_prob) = (latent.mode(), |order: &[usize]| latent.log_prob(order).unwrap());
        assert!(log_prob(&mode) >= log_prob(&sampled));
        assert!(log_prob(&mode[..10]) >= log_prob(&mode));
    }
}

#[test]
fn a_million_categories() {
    let latent = Categorical::new(&spread(2, 0, MILLION, 2.0)).unwrap();
    let v = uniform(2, 1, MILLION);
    let category = latent.sample(Noise::new(2).stream(0));
    assert!(latent.log_prob(category).unwrap() < 0.0);
    assert!(latent.grad_log_prob(category).unwrap().iter().sum::<f64>().abs() < 1e-9);
    let z = latent.conditional(category, &v).unwrap();
    assert!(z.iter().enumerate().all(|(item, z_item)| item == category || *z_item < z[category]));
    assert!(latent.entropy() < (MILLION as f64).ln());
}

#[test]
fn a_step_of_training_with_a_million_items() {
    let mut objective = |order: &[usize]| order[0] as f64 / MILLION as f64;
    let latent = PlackettLuce::new(&vec![0.0; MILLION]).unwrap();
    let reinforce = Reinforce::new(&latent, Baseline::LeaveOneOut).unwrap();
    let settings = TrainingSettings { samples: 2, ..TrainingSettings::default() };
    let mut training = Training::new(latent.clone(), reinforce, settings).unwrap();
    training.step(&mut objective).unwrap();
    assert!(training.gradient().iter().sum::<f64>().abs() < 1e-6);

    let mut relax = Relax::new(&latent, Network::new(MILLION, 2), &mut Noise::new(0)).unwrap();
    let mut samples = Samples::new(&latent, 1).unwrap();
    samples.draw(&latent, relax.demand(), &mut Noise::new(3), 0).unwrap();
    samples.evaluate(&mut objective).unwrap();
    let mut gradient = vec![0.0; MILLION];
    relax.gradient(&latent, &samples, &mut gradient).unwrap();
    assert!(gradient.iter().sum::<f64>().abs() < 1e-6);
}
