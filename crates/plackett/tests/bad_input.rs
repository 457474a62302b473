//! Whatever a caller may pass: a typed error that says in one line what is wrong, never a panic, and a training that
//! is as it was before the step that failed.

mod common;

use common::{Puzzle, uniform};
use plackett::{
    Adam, Categorical, Differentiable, Distribution as _, Enumerable as _, Error, Latent, Noise, Objective,
    Order, PlackettLuce, Toy, Training, TrainingSettings, assignment,
    critic::{Critic, Network, RelaxedObjective, Sum},
    estimator::{Baseline, Demand, Estimator, Exact, Reinforce, Relax, Reparametrized, Samples},
    gumbel,
    relaxation::{NeuralSort, Sinkhorn, Softmax, gumbel_sinkhorn, neural_sort, sinkhorn, softmax},
    run::{Ending, Limits, Run},
    truncated_gumbel,
};
use std::time::Duration;

const NAN: f64 = f64::NAN;
const INFINITY: f64 = f64::INFINITY;
const NOT_FINITE: [f64; 3] = [NAN, INFINITY, f64::NEG_INFINITY];

/// The call fails with this kind of error, which explains itself in one line.
macro_rules! assert_error {
    ($result:expr, $pattern:pat) => {
        let Err(error) = $result else { panic!("accepted: {}", stringify!($result)) };
        assert!(matches!(error, $pattern), "{}: {error:?}", stringify!($result));
        assert_one_clear_line(&error.to_string());
    };
}

#[track_caller]
fn assert_one_clear_line(message: &str) {
    let is_clear = !message.contains('\n')
        && (10..160).contains(&message.chars().count())
        && !message.ends_with('.')
        && !message.contains("  ");
    assert!(is_clear, "{message:?}");
}

#[test]
fn orders() {
    assert_error!(Order::new(vec![0, 1, 1]), Error::RepeatedItem { item: 1, first: 1, second: 2 });
    assert_error!(Order::new(vec![0, 3, 1]), Error::UnknownItem { item: 3, rank: 1, items: 3 });
    assert_error!(Order::new(vec![usize::MAX]), Error::UnknownItem { .. });
    assert_error!(Order::try_from(vec![1]), Error::UnknownItem { .. });
    for bad in NOT_FINITE {
        assert_error!(Order::sorting(&[0.0, bad]), Error::NotFinite { what: "numbers", index: 1, .. });
    }
    assert_error!(Order::identity(2).compose(&Order::identity(3)), Error::Length { expected: 2, got: 3, .. });
    assert!(Order::new(Vec::new()).unwrap().matrix().is_empty());
    assert!(Order::sorting(&[]).unwrap().inverse().is_empty());
}

/// Zeros are equal whatever their sign, and ties go to the smaller item.
#[test]
fn signed_zeros_are_ties() {
    assert_eq!(Order::sorting(&[-0.0, 0.0, -0.0]).unwrap(), Order::identity(3));
    let latent = PlackettLuce::new(&[0.0, 0.0]).unwrap();
    let mut outcome = [9, 9];
    latent.outcome(&[-0.0, 0.0], &mut outcome);
    assert_eq!(outcome, [0, 1]);
}

#[test]
fn plackett_luce() {
    assert_error!(PlackettLuce::new(&[]), Error::Empty { .. });
    for bad in NOT_FINITE {
        assert_error!(PlackettLuce::new(&[0.0, bad]), Error::NotFinite { what: "scores", index: 1, .. });
    }
    let mut latent = PlackettLuce::new(&[0.0, 1.0, 2.0]).unwrap();
    for ranked in [&[0, 1, 2, 0][..], &[0, 0], &[2, 1, 2]] {
        assert_error!(latent.log_prob(ranked), Error::RepeatedItem { .. });
        assert_error!(latent.grad_log_prob(ranked), Error::RepeatedItem { .. });
    }
    for ranked in [&[3][..], &[0, 1, usize::MAX], &[0, 1, 3]] {
        assert_error!(latent.log_prob(ranked), Error::UnknownItem { .. });
        assert_error!(latent.grad_log_prob(ranked), Error::UnknownItem { .. });
    }
    assert_eq!(latent.log_prob(&[]).unwrap(), 0.0);
    assert_eq!(latent.grad_log_prob(&[]).unwrap(), [0.0; 3]);

    assert_error!(latent.perturb(&[0.5; 2]), Error::Length { what: "u", expected: 3, got: 2 });
    assert_error!(latent.perturb(&[]), Error::Length { .. });
    assert_error!(latent.conditional(&[0, 1], &[0.5; 3]), Error::Length { expected: 3, got: 2, .. });
    assert_error!(latent.conditional(&[], &[]), Error::Length { .. });
    assert_error!(latent.conditional(&[0, 1, 1], &[0.5; 3]), Error::RepeatedItem { .. });
    assert_error!(latent.conditional(&[0, 1, 3], &[0.5; 3]), Error::UnknownItem { .. });
    assert_error!(latent.conditional(&[0, 1, 2], &[0.5; 4]), Error::Length { what: "v", .. });
    for bad in [NAN, INFINITY, -0.1, 1.1, -f64::MIN_POSITIVE, 1.0 + f64::EPSILON] {
        assert_error!(latent.perturb(&[0.5, bad, 0.5]), Error::Noise { what: "u", index: 1, .. });
        assert_error!(
            latent.conditional(&[0, 1, 2], &[0.5, 0.5, bad]),
            Error::Noise { what: "v", index: 2, .. }
        );
    }
    for samples in [0, 1] {
        assert_error!(
            latent.entropy_estimate(samples, Noise::new(0).stream(0)),
            Error::Setting { name: "samples", .. }
        );
    }
    let many = PlackettLuce::new(&[0.0; 64]).unwrap();
    assert!(many.entropy().is_ok());
    let more = PlackettLuce::new(&vec![0.0; 10_001]).unwrap();
    assert_error!(more.entropy(), Error::TooManyItems { items: 10_001, limit: 10_000, .. });
    assert_error!(many.enumerate(), Error::TooManyItems { items: 64, limit: 10, .. });
    assert_error!(many.outcomes(), Error::TooManyItems { .. });
    assert_error!(many.try_for_each_outcome(&mut |_| Ok(())), Error::TooManyItems { .. });
    assert_error!(PlackettLuce::new(&[0.0; 11]).unwrap().enumerate(), Error::TooManyItems { .. });
    assert!(PlackettLuce::new(&[0.0; 3]).unwrap().sample_many(0, Noise::new(0).stream(0)).is_empty());

    let before = latent.scores().to_vec();
    assert_error!(latent.set_scores(&[0.0; 2]), Error::Length { expected: 3, got: 2, .. });
    assert_error!(latent.set_scores(&[0.0, 5.0, NAN]), Error::NotFinite { index: 2, .. });
    assert_eq!(latent.scores(), before);
}

#[test]
fn categorical() {
    assert_error!(Categorical::new(&[]), Error::Empty { .. });
    for bad in NOT_FINITE {
        assert_error!(Categorical::new(&[bad]), Error::NotFinite { what: "scores", index: 0, .. });
    }
    let mut latent = Categorical::new(&[0.0, 1.0]).unwrap();
    assert_error!(latent.log_prob(2), Error::UnknownItem { item: 2, items: 2, .. });
    assert_error!(latent.grad_log_prob(usize::MAX), Error::UnknownItem { .. });
    assert_error!(latent.conditional(2, &[0.5; 2]), Error::UnknownItem { .. });
    assert_error!(latent.conditional(0, &[0.5; 3]), Error::Length { what: "v", .. });
    assert_error!(latent.conditional(0, &[0.5, NAN]), Error::Noise { index: 1, .. });
    assert_error!(latent.perturb(&[0.5]), Error::Length { what: "u", .. });
    assert_error!(latent.perturb(&[2.0, 0.5]), Error::Noise { index: 0, .. });
    let before = latent.scores().to_vec();
    assert_error!(latent.set_scores(&[INFINITY, 0.0]), Error::NotFinite { .. });
    assert_error!(latent.set_scores(&[]), Error::Length { .. });
    assert_eq!(latent.scores(), before);
}

#[test]
fn gumbel_noise() {
    for bad in [NAN, INFINITY, -1e-300, 1.5] {
        assert_error!(gumbel(bad), Error::Noise { .. });
        assert_error!(truncated_gumbel(0.0, 0.0, bad), Error::Noise { .. });
    }
    for bad in NOT_FINITE {
        assert_error!(truncated_gumbel(bad, 0.0, 0.5), Error::NotFinite { what: "the location", .. });
        assert_error!(truncated_gumbel(0.0, bad, 0.5), Error::NotFinite { what: "the bound", .. });
    }
    for u in [0.0, f64::MIN_POSITIVE, 0.5, 1.0] {
        for location in [-1e308, 0.0, 1e308] {
            for bound in [-1e308, 0.0, 1e308] {
                let z = truncated_gumbel(location, bound, u).unwrap();
                assert!(z.is_finite() && z < bound, "{location} {bound} {u}: {z}");
            }
        }
    }
}

#[test]
fn relaxations() {
    for tau in [0.0, -0.0, -1.0, NAN, INFINITY, f64::NEG_INFINITY] {
        assert_error!(softmax(&[0.0], tau), Error::Temperature(_));
        assert_error!(neural_sort(&[0.0], tau), Error::Temperature(_));
        assert_error!(gumbel_sinkhorn(&[0.0], &[0.5], tau, 1), Error::Temperature(_));
    }
    assert_error!(softmax(&[], 1.0), Error::Empty { .. });
    assert_error!(neural_sort(&[], 1.0), Error::Empty { .. });
    assert_error!(sinkhorn(&[], 1), Error::Empty { .. });
    assert_error!(gumbel_sinkhorn(&[], &[], 1.0, 1), Error::Empty { .. });
    for bad in NOT_FINITE {
        assert_error!(softmax(&[0.0, bad], 1.0), Error::NotFinite { index: 1, .. });
        assert_error!(neural_sort(&[0.0, bad], 1.0), Error::NotFinite { index: 1, .. });
        assert_error!(sinkhorn(&[bad], 1), Error::NotFinite { index: 0, .. });
        assert_error!(gumbel_sinkhorn(&[bad], &[0.5], 1.0, 1), Error::NotFinite { .. });
        assert_error!(NeuralSort::round(&[bad]), Error::NotFinite { .. });
        assert_error!(assignment(&[0.0, 0.0, bad, 0.0]), Error::NotFinite { index: 2, .. });
    }
    assert_error!(sinkhorn(&[0.0; 3], 1), Error::Length { .. });
    assert_error!(sinkhorn(&[0.0; 4], 0), Error::Setting { name: "iterations", .. });
    assert_error!(gumbel_sinkhorn(&[0.0; 4], &[0.5; 4], 1.0, 0), Error::Setting { name: "iterations", .. });
    assert_error!(gumbel_sinkhorn(&[0.0; 4], &[0.5; 3], 1.0, 1), Error::Length { what: "u", .. });
    assert_error!(gumbel_sinkhorn(&[0.0; 2], &[0.5; 2], 1.0, 1), Error::Length { .. });
    assert_error!(gumbel_sinkhorn(&[0.0], &[NAN], 1.0, 1), Error::Noise { .. });
    assert_error!(Sinkhorn::new(3, 0), Error::Setting { name: "iterations", .. });
    assert_error!(NeuralSort::round(&[1.0, 0.0]), Error::Length { .. });
    assert_error!(NeuralSort::round(&[1.0, 0.0, 1.0, 0.0]), Error::RepeatedItem { item: 0, .. });
    assert_error!(assignment(&[0.0; 5]), Error::Length { .. });
    for tau in [f64::MIN_POSITIVE, f64::MAX] {
        common::assert_finite(&softmax(&[1.0, -1.0], tau).unwrap(), "softmax");
        common::assert_finite(&neural_sort(&[1.0, -1.0], tau).unwrap(), "NeuralSort");
        common::assert_finite(
            &gumbel_sinkhorn(&[1.0; 4], &[0.1, 0.2, 0.3, 0.4], tau, 3).unwrap(),
            "Sinkhorn",
        );
    }
}

/// Costs whose differences overflow still end, and in the best assignment.
#[test]
fn assignments_of_the_largest_costs() {
    let (high, low) = (1.7e308, -1.7e308);
    assert_eq!(assignment(&[low, high, low, low]).unwrap(), Order::identity(2));
    let tied = assignment(&[low, high, low, high]).unwrap();
    assert_eq!(tied.len(), 2);
    let cost = [low, high, high, high, low, high, high, high, low];
    assert_eq!(assignment(&cost).unwrap(), Order::identity(3));
    let cost = [low, low, high, low, high, high, high, high, high];
    assert_eq!(assignment(&cost).unwrap().as_slice(), [1, 0, 2]);
}

#[test]
fn toys() {
    assert_error!(Toy::permutation(0, 0.05), Error::Empty { .. });
    assert_error!(Toy::categorical(0, 0.05), Error::Empty { .. });
    for bad in NOT_FINITE {
        assert_error!(Toy::permutation(3, bad), Error::Setting { name: "offset", .. });
    }
    let mut toy = Toy::permutation(3, 0.05).unwrap();
    assert!(toy.evaluate(&[0, 1]).is_err() && toy.evaluate(&[0, 1, 3]).is_err());
    for toy in [Toy::permutation(1, 0.05).unwrap(), Toy::categorical(1, 0.05).unwrap()] {
        assert!(toy.optimum().unwrap().is_finite());
    }
}

#[test]
fn samples() {
    let latent = PlackettLuce::new(&[0.0; 3]).unwrap();
    assert_error!(Samples::new(&latent, 0), Error::Setting { name: "samples", .. });
    assert_error!(Samples::new(&latent, usize::MAX / 2), Error::Memory { .. });
    let mut samples = Samples::new(&latent, 2).unwrap();
    let half = [0.5; 6];
    assert_error!(samples.set_noise(&latent, &half[..5], &half), Error::Length { what: "u", .. });
    assert_error!(samples.set_noise(&latent, &half, &half[..3]), Error::Length { what: "v", .. });
    assert_error!(
        samples.set_noise(&latent, &[0.5, 0.5, NAN, 0.5, 0.5, 0.5], &half),
        Error::Noise { what: "u", index: 2, .. }
    );
    assert_error!(
        samples.set_noise(&latent, &half, &[0.5, 0.5, 0.5, 0.5, 0.5, -1.0]),
        Error::Noise { what: "v", index: 5, .. }
    );
    assert_error!(samples.set_values(&[1.0]), Error::Length { what: "values", expected: 2, got: 1 });
    for bad in NOT_FINITE {
        assert_error!(samples.set_values(&[1.0, bad]), Error::NotFinite { what: "values", index: 1, .. });
        assert_error!(samples.evaluate(&mut |_: &[usize]| bad), Error::ObjectiveNotFinite { .. });
    }
    let mut failing = |_: &[usize]| Err::<f64, _>("no license");
    assert_error!(samples.evaluate(&mut failing), Error::ObjectiveFailed { .. });
    for other in [2, 4] {
        let other = PlackettLuce::new(&vec![0.0; other]).unwrap();
        assert_error!(samples.set_noise(&other, &half, &half), Error::Length { .. });
    }
    let categories = Categorical::new(&[0.0; 3]).unwrap();
    assert_error!(samples.set_noise(&categories, &half, &half), Error::Length { .. });
}

/// An estimator asked about another latent, samples or gradient than it was made for.
fn check_mismatches<E: Estimator<Latent = PlackettLuce>>(make: impl Fn(&PlackettLuce) -> E) {
    let latents = [2, 3, 4].map(|items| PlackettLuce::new(&vec![0.0; items]).unwrap());
    for own in &latents {
        for latent in &latents {
            for sampled in &latents {
                for room in 2..=4 {
                    let mut estimator = make(own);
                    let mut samples = Samples::new(sampled, 2).unwrap();
                    samples.draw(sampled, Demand::ValuesAndConditional, &mut Noise::new(0), 0).unwrap();
                    let mut gradient = vec![0.0; room];
                    let result = estimator.gradient(latent, &samples, &mut gradient);
                    let needs_samples = estimator.demand() != Demand::Nothing;
                    let fits = own.items() == latent.items()
                        && (!needs_samples || sampled.items() == latent.items())
                        && room == latent.items();
                    if fits {
                        assert!(result.is_ok());
                    } else {
                        assert_error!(result, Error::Length { .. });
                    }
                }
            }
            if own.items() != latent.items() {
                let mut training =
                    Training::new(latent.clone(), make(own), TrainingSettings::default()).unwrap();
                assert_error!(training.step(&mut |_: &[usize]| 1.0), Error::Length { .. });
            }
        }
    }
}

#[test]
fn estimators_for_another_latent() {
    let toy = |latent: &PlackettLuce| {
        RelaxedObjective::unscaled(
            Toy::permutation(latent.items(), 0.1).unwrap(),
            NeuralSort::new(latent.items()),
        )
    };
    check_mismatches(|latent| Reinforce::new(latent, Baseline::None).unwrap());
    check_mismatches(|latent| Relax::new(latent, toy(latent), &mut Noise::new(0)).unwrap());
    check_mismatches(|latent| Reparametrized::new(latent, toy(latent), vec![0.0]).unwrap());
    check_mismatches(|latent| Exact::new(latent, &mut |_: &[usize]| 1.0).unwrap());
}

#[test]
fn estimators() {
    let latent = PlackettLuce::new(&[0.0; 3]).unwrap();
    for decay in [-0.1, 1.0, 2.0, NAN] {
        assert_error!(
            Reinforce::new(&latent, Baseline::MovingAverage { decay }),
            Error::Setting { name: "decay", .. }
        );
    }
    let mut samples = Samples::new(&latent, 1).unwrap();
    samples.draw(&latent, Demand::Values, &mut Noise::new(0), 0).unwrap();
    let mut leave_one_out = Reinforce::new(&latent, Baseline::LeaveOneOut).unwrap();
    assert_error!(
        leave_one_out.gradient(&latent, &samples, &mut [0.0; 3]),
        Error::Setting { name: "samples", .. }
    );

    let mut noise = Noise::new(0);
    assert_error!(Relax::new(&latent, Network::new(4, 2), &mut noise), Error::Length { .. });
    let matching = RelaxedObjective::scaled(Toy::permutation(3, 0.1).unwrap(), Sinkhorn::new(3, 2).unwrap());
    assert_error!(Relax::new(&latent, matching, &mut noise), Error::Length { expected: 3, got: 9, .. });
    let mut relax = Relax::new(&latent, Network::new(3, 2), &mut noise).unwrap();
    let before = relax.parameters().to_vec();
    assert_error!(relax.set_parameters(&[0.0]), Error::Length { .. });
    assert_error!(relax.set_parameters(&vec![NAN; before.len()]), Error::NotFinite { index: 0, .. });
    assert_eq!(relax.parameters(), before);

    let network = Network::new(3, 2);
    let parameters = network.parameters();
    assert_error!(
        Reparametrized::new(&latent, Network::new(2, 2), vec![0.0; 9]),
        Error::Length { what: "the critic's input", .. }
    );
    assert_error!(
        Reparametrized::new(&latent, network.clone(), vec![0.0; 2]),
        Error::Length { what: "the critic's parameters", .. }
    );
    assert_error!(
        Reparametrized::new(&latent, network, vec![NAN; parameters]),
        Error::NotFinite { what: "parameters", .. }
    );

    assert_error!(Exact::new(&latent, &mut |_: &[usize]| NAN), Error::ObjectiveNotFinite { .. });
    assert_error!(Exact::new(&latent, &mut |_: &[usize]| Err::<f64, _>("no")), Error::ObjectiveFailed { .. });
    let many = PlackettLuce::new(&[0.0; 30]).unwrap();
    assert_error!(Exact::new(&many, &mut |_: &[usize]| 0.0), Error::TooManyItems { .. });
}

/// Two critics of different z cannot be added.
#[test]
fn sums_of_unequal_critics() {
    let relaxed = RelaxedObjective::unscaled(Toy::permutation(4, 0.1).unwrap(), NeuralSort::new(4));
    assert_error!(Sum::new(Network::new(3, 2), relaxed.clone()), Error::Length { expected: 3, got: 4, .. });
    assert_error!(Sum::new(relaxed, Network::new(3, 2)), Error::Length { expected: 4, got: 3, .. });
}

/// Finite on matrices, but with an infinite slope where an entry is zero.
#[derive(Clone)]
struct Cliff {
    value: f64,
    slope: f64,
}

impl Differentiable for Cliff {
    fn value_and_gradient(&self, _matrix: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(self.slope);
        gradient[0] = 0.0;
        self.value
    }
}

#[test]
fn critics_that_are_not_finite() {
    let latent = PlackettLuce::new(&[0.0; 3]).unwrap();
    let mut samples = Samples::new(&latent, 1).unwrap();
    samples.draw(&latent, Demand::ValuesAndConditional, &mut Noise::new(0), 0).unwrap();
    samples.set_values(&[1.0]).unwrap();
    for bad in NOT_FINITE {
        for cliff in [Cliff { value: bad, slope: 1.0 }, Cliff { value: 1.0, slope: bad }] {
            let critic = RelaxedObjective::scaled(cliff.clone(), NeuralSort::new(3));
            let mut relax = Relax::new(&latent, critic.clone(), &mut Noise::new(0)).unwrap();
            let mut gradient = [0.0; 3];
            assert_error!(relax.gradient(&latent, &samples, &mut gradient), Error::CriticNotFinite { .. });
            let mut relaxed = Reparametrized::new(&latent, critic, vec![0.0, 1.0]).unwrap();
            assert_error!(relaxed.gradient(&latent, &samples, &mut gradient), Error::CriticNotFinite { .. });

            let mut training = Training::new(latent.clone(), relax, TrainingSettings::default()).unwrap();
            for _ in 0..3 {
                assert_error!(training.step(&mut |_: &[usize]| -5.0), Error::CriticNotFinite { .. });
            }
            assert_eq!(training.steps(), 0);
            assert_eq!(training.best(), None);
            assert_eq!(training.gradient(), [0.0; 3]);
        }
    }
}

#[test]
fn settings() {
    let latent = PlackettLuce::new(&[0.0; 3]).unwrap();
    let reinforce = Reinforce::new(&latent, Baseline::None).unwrap();
    let make = |settings| Training::new(latent.clone(), reinforce.clone(), settings);
    assert_error!(
        make(TrainingSettings { samples: 0, ..TrainingSettings::default() }),
        Error::Setting { name: "samples", .. }
    );
    for rate in [-1e-9, NAN, INFINITY, f64::NEG_INFINITY, f64::MAX] {
        let settings = TrainingSettings { learning_rate: rate, ..TrainingSettings::default() };
        assert_error!(make(settings), Error::Setting { name: "learning_rate", .. });
        let settings = TrainingSettings { critic_learning_rate: rate, ..TrainingSettings::default() };
        assert_error!(make(settings), Error::Setting { name: "critic_learning_rate", .. });
    }
    let mut training = make(TrainingSettings::default()).unwrap();
    let mut objective = |order: &[usize]| order[0] as f64;
    let mut run = |limits| training.run(&mut objective, &Run::new(limits)).unwrap();
    assert_eq!(run(Limits::steps(0)), Ending::Steps);
    assert_eq!(run(Limits { time: Some(Duration::ZERO), ..Limits::steps(10) }), Ending::Time);
    assert_eq!(run(Limits::evaluations(3)), Ending::Evaluations);
    assert_eq!(run(Limits { target: Some(0.0), ..Limits::default() }), Ending::Target);
    for probability in [0.0, -1.0, 1.1, NAN, INFINITY] {
        let settings =
            TrainingSettings { mode_probability: Some(probability), ..TrainingSettings::default() };
        assert_error!(make(settings), Error::Setting { name: "mode_probability", .. });
    }
    for count in [0, 1] {
        assert_error!(
            training.gradient_variance(&mut objective, count),
            Error::Setting { name: "count", .. }
        );
    }
    let before = training.scores().to_vec();
    assert_error!(training.set_scores(&[0.0; 2]), Error::Length { .. });
    assert_error!(training.set_scores(&[0.0, NAN, 0.0]), Error::NotFinite { index: 1, .. });
    assert_eq!(training.scores(), before);
}

/// Everything of a training that can be seen, to the last bit.
fn portrait<E: Estimator + std::fmt::Debug>(training: &Training<E>, parameters: &[f64]) -> String {
    let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    format!(
        "{} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        training.steps(),
        bits(training.scores()),
        bits(training.latent().scores()),
        bits(training.gradient()),
        training.value().to_bits(),
        training.best(),
        training.mode(),
        bits(parameters),
    )
}

/// An objective that goes wrong once, at its n-th call.
fn failing_once(
    at: usize,
    wrong: Result<f64, &'static str>,
) -> impl FnMut(&[usize]) -> Result<f64, &'static str> {
    let mut calls = 0;
    move |order| {
        calls += 1;
        if calls == at {
            return wrong;
        }
        Ok(order.iter().enumerate().map(|(rank, &item)| rank.abs_diff(item) as f64).sum())
    }
}

/// A run with one failed step goes on as if nothing had happened.
fn check_recovery<E>(latent: &E::Latent, estimator: &E, samples: usize, parameters: impl Fn(&E) -> Vec<f64>)
where
    E: Estimator + std::fmt::Debug,
{
    const STEPS: u64 = 60;
    let settings = TrainingSettings { samples, learning_rate: 0.05, ..TrainingSettings::default() };
    let make = || Training::new(latent.clone(), estimator.clone(), settings).unwrap();
    let mut undisturbed = make();
    let mut objective = failing_once(usize::MAX, Ok(0.0));
    undisturbed.run(&mut objective, &Run::new(Limits::steps(STEPS))).unwrap();
    let expected = portrait(&undisturbed, &parameters(undisturbed.estimator()));

    // The most negative number is the best value, and beyond the numbers once it is multiplied by a score.
    for wrong in [Err("no license"), Ok(NAN), Ok(INFINITY), Ok(f64::MIN)] {
        let mut training = make();
        let mut objective = failing_once(30 * samples + 1, wrong);
        let (mut failures, mut before) = (0, String::new());
        while training.steps() < STEPS {
            match training.step(&mut objective) {
                Ok(()) => before = portrait(&training, &parameters(training.estimator())),
                Err(error) => {
                    failures += 1;
                    assert_one_clear_line(&error.to_string());
                    assert_eq!(portrait(&training, &parameters(training.estimator())), before, "{wrong:?}");
                }
            }
        }
        assert_eq!(failures, 1, "{wrong:?}");
        let scores = training.scores().to_vec();
        training.set_scores(&scores).unwrap(); // brings the mode up to date
        assert_eq!(portrait(&training, &parameters(training.estimator())), expected, "{wrong:?}");
    }
}

#[test]
fn a_failed_step_changes_nothing() {
    let latent = PlackettLuce::new(&[0.0; 8]).unwrap();
    for (baseline, samples) in
        [(Baseline::None, 1), (Baseline::MovingAverage { decay: 0.8 }, 1), (Baseline::LeaveOneOut, 3)]
    {
        let reinforce = Reinforce::new(&latent, baseline).unwrap();
        check_recovery(&latent, &reinforce, samples, |_| Vec::new());
    }
    let network = Relax::new(&latent, Network::new(8, 4), &mut Noise::new(0)).unwrap();
    check_recovery(&latent, &network, 2, |relax| relax.parameters().to_vec());
    let critic = RelaxedObjective::scaled(Toy::permutation(8, 0.1).unwrap(), NeuralSort::new(8));
    let rebar = Relax::new(&latent, critic, &mut Noise::new(0)).unwrap();
    // A toy is no function to print, so its training is seen through its parameters.
    check_recovery(&latent, &rebar, 1, |relax| relax.parameters().to_vec());
}

#[test]
fn a_failed_run_keeps_what_it_had() {
    let latent = PlackettLuce::new(&[0.0; 4]).unwrap();
    let reinforce = Reinforce::new(&latent, Baseline::LeaveOneOut).unwrap();
    let settings = TrainingSettings { samples: 8, learning_rate: 0.05, ..TrainingSettings::default() };
    let mut training = Training::new(latent, reinforce, settings).unwrap();
    let mut calls = 0;
    let mut objective = |order: &[usize]| {
        calls += 1;
        let value = order.iter().enumerate().map(|(rank, &item)| rank.abs_diff(3 - item) as f64).sum::<f64>();
        if calls > 8 * 400 { Err("the disk is full") } else { Ok(value) }
    };
    let error = training.run(&mut objective, &Run::new(Limits::steps(1000))).unwrap_err();
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "the disk is full");
    assert_eq!(training.steps(), 400);
    assert_eq!(training.mode(), [3, 2, 1, 0], "the mode of the scores that were reached");
    assert_eq!(training.best(), Some((&[3, 2, 1, 0][..], 0.0)));
    assert_error!(training.gradient_variance(&mut objective, 5), Error::ObjectiveFailed { .. });
    let mut mended = |order: &[usize]| order[0] as f64;
    training.run(&mut mended, &Run::new(Limits::steps(10))).unwrap();
    assert_eq!(training.steps(), 410);
}

/// Penalties are often huge. Their squares overflow, which must not turn scores or parameters into NaN.
#[test]
fn huge_values_do_not_poison_the_optimizer() {
    let latent = PlackettLuce::new(&[0.0; 4]).unwrap();
    for huge in [1e100, 1e150, 1e200, 1e300] {
        let mut objective = |order: &[usize]| if order[0] == 2 { 0.0 } else { huge };
        let settings = TrainingSettings { samples: 4, learning_rate: 0.05, ..TrainingSettings::default() };
        let reinforce = Reinforce::new(&latent, Baseline::LeaveOneOut).unwrap();
        let mut training = Training::new(latent.clone(), reinforce, settings).unwrap();
        training.run(&mut objective, &Run::new(Limits::steps(300))).unwrap();
        common::assert_finite(training.scores(), "scores");
        assert_eq!(training.mode()[0], 2, "{huge}");

        let relax = Relax::new(&latent, Network::new(4, 4), &mut Noise::new(0)).unwrap();
        let mut training = Training::new(latent.clone(), relax, settings).unwrap();
        training.run(&mut objective, &Run::new(Limits::steps(300))).unwrap();
        common::assert_finite(training.scores(), "scores");
        common::assert_finite(training.estimator().parameters(), "parameters");
        assert_eq!(training.mode()[0], 2, "{huge}");
    }
    let (mut x, mut adam) = ([1.0, 1.0], Adam::new(2, 0.1));
    for _ in 0..10 {
        adam.step(&mut x, &[f64::MAX, -f64::MAX]);
    }
    assert!(x[0] < 0.5 && x[1] > 1.5 && x.iter().all(|x| x.is_finite()), "{x:?}");
}

/// The mean of finite values is finite, even where their sum is not.
#[test]
fn means_of_huge_values() {
    let latent = PlackettLuce::new(&[0.0; 2]).unwrap();
    let mut samples = Samples::new(&latent, 4).unwrap();
    samples.set_noise(&latent, &uniform(1, 1, 8), &uniform(1, 2, 8)).unwrap();
    samples.set_values(&[1e308; 4]).unwrap();
    let mut reinforce = Reinforce::new(&latent, Baseline::MovingAverage { decay: 0.5 }).unwrap();
    let mean = reinforce.gradient(&latent, &samples, &mut [0.0; 2]).unwrap();
    assert!((mean / 1e308 - 1.0).abs() < 1e-12);
}

/// The right objective for one latent is refused, not misread, by a training of another.
#[test]
fn the_toy_of_another_size_is_refused() {
    let latent = PlackettLuce::new(&[0.0; 4]).unwrap();
    let reinforce = Reinforce::new(&latent, Baseline::None).unwrap();
    let mut training = Training::new(latent, reinforce, TrainingSettings::default()).unwrap();
    assert_error!(training.step(&mut Toy::permutation(3, 0.1).unwrap()), Error::ObjectiveFailed { .. });
    assert_error!(training.step(&mut Toy::categorical(4, 0.1).unwrap()), Error::ObjectiveFailed { .. });
    training.step(&mut Puzzle::new(4, 4)).unwrap();
    let mut coin = Categorical::new(&[0.0; 2]).unwrap();
    let relaxed = RelaxedObjective::unscaled(Toy::categorical(2, 0.1).unwrap(), Softmax::new(2));
    assert!(Relax::new(&coin, relaxed, &mut Noise::new(0)).is_ok());
    coin.set_scores(&[1.0, 2.0]).unwrap();
}
