//! A run is a function of its input, its settings and its seed, to the last bit.

mod common;

use common::Puzzle;
use plackett::{
    Categorical, Noise, PlackettLuce, Training, TrainingSettings,
    critic::{Network, RelaxedObjective, Sum},
    estimator::{Baseline, Estimator, Reinforce, Relax, Samples},
    relaxation::{NeuralSort, Softmax},
    run::{Limits, Run},
};
use std::thread;

type OrderCritic = Sum<RelaxedObjective<Puzzle, NeuralSort>, Network>;
type CategoryCritic = Sum<RelaxedObjective<Puzzle, Softmax>, Network>;

const ITEMS: usize = 5;

fn order_training(seed: u64) -> Training<Relax<PlackettLuce, OrderCritic>> {
    let latent = PlackettLuce::new(&[0.1, 0.0, -0.1, 0.2, 0.0]).unwrap();
    let relaxed = RelaxedObjective::unscaled(Puzzle::new(ITEMS, ITEMS), NeuralSort::new(ITEMS));
    let critic = Sum::new(relaxed, Network::new(ITEMS, 8)).unwrap();
    let relax = Relax::new(&latent, critic, &mut Noise::new(seed)).unwrap();
    Training::new(latent, relax, TrainingSettings { seed, samples: 2, ..TrainingSettings::default() })
        .unwrap()
}

fn category_training(seed: u64) -> Training<Relax<Categorical, CategoryCritic>> {
    let latent = Categorical::new(&[0.1, 0.0, -0.1, 0.2, 0.0]).unwrap();
    let relaxed = RelaxedObjective::unscaled(Puzzle::new(1, ITEMS), Softmax::new(ITEMS));
    let critic = Sum::new(relaxed, Network::new(ITEMS, 8)).unwrap();
    let relax = Relax::new(&latent, critic, &mut Noise::new(seed)).unwrap();
    Training::new(latent, relax, TrainingSettings { seed, samples: 2, ..TrainingSettings::default() })
        .unwrap()
}

fn baseline_training(seed: u64) -> Training<Reinforce<PlackettLuce>> {
    let latent = PlackettLuce::new(&[0.1, 0.0, -0.1, 0.2, 0.0]).unwrap();
    let reinforce = Reinforce::new(&latent, Baseline::MovingAverage { decay: 0.95 }).unwrap();
    Training::new(latent, reinforce, TrainingSettings { seed, ..TrainingSettings::default() }).unwrap()
}

fn run<E: Estimator>(training: &mut Training<E>, objective: &Puzzle, steps: u64) {
    training.run(&mut objective.clone(), &Run::new(Limits::steps(steps))).unwrap();
}

/// Scores, value and gradient of a training, to the last bit.
fn bits<E: Estimator>(training: &Training<E>) -> Vec<u64> {
    let numbers = training.scores().iter().chain(training.gradient());
    numbers.map(|x| x.to_bits()).chain([training.value().to_bits(), training.steps()]).collect()
}

fn order_bits(training: &Training<Relax<PlackettLuce, OrderCritic>>) -> Vec<u64> {
    let parameters = training.estimator().parameters().iter().map(|x| x.to_bits());
    bits(training).into_iter().chain(parameters).collect()
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    let puzzle = Puzzle::new(ITEMS, ITEMS);
    let result = |seed| {
        let mut training = order_training(seed);
        run(&mut training, &puzzle, 1000);
        order_bits(&training)
    };
    assert_eq!(result(3), result(3));
    assert_ne!(result(3), result(4));
    let result = |seed| {
        let mut training = category_training(seed);
        run(&mut training, &Puzzle::new(1, ITEMS), 1000);
        bits(&training)
    };
    assert_eq!(result(3), result(3));
    assert_ne!(result(3), result(4));
}

#[test]
fn two_runs_of_500_are_one_of_1000() {
    let puzzle = Puzzle::new(ITEMS, ITEMS);
    let (mut once, mut twice, mut stepped) = (order_training(5), order_training(5), order_training(5));
    run(&mut once, &puzzle, 1000);
    run(&mut twice, &puzzle, 500);
    run(&mut twice, &puzzle, 500);
    assert_eq!(order_bits(&once), order_bits(&twice));
    assert_eq!(once.best(), twice.best());
    assert_eq!(once.mode(), twice.mode());
    (0..1000).for_each(|_| stepped.step(&mut puzzle.clone()).unwrap());
    assert_eq!(order_bits(&once), order_bits(&stepped));

    let (mut once, mut twice) = (category_training(5), category_training(5));
    run(&mut once, &Puzzle::new(1, ITEMS), 1000);
    run(&mut twice, &Puzzle::new(1, ITEMS), 500);
    run(&mut twice, &Puzzle::new(1, ITEMS), 500);
    assert_eq!(bits(&once), bits(&twice));

    let (mut once, mut twice) = (baseline_training(5), baseline_training(5));
    run(&mut once, &puzzle, 1000);
    run(&mut twice, &puzzle, 500);
    run(&mut twice, &puzzle, 500);
    assert_eq!(bits(&once), bits(&twice));
}

/// Whoever looks at a run does not change it, by interrupting it or by measuring the variance in between.
#[test]
fn looking_changes_nothing() {
    let puzzle = Puzzle::new(ITEMS, ITEMS);
    let (mut plain, mut watched) = (order_training(6), order_training(6));
    run(&mut plain, &puzzle, 400);
    while watched.steps() < 400 {
        let steps = (400 - watched.steps()).min(37);
        watched.run(&mut puzzle.clone(), &Run::new(Limits::steps(steps))).unwrap();
        watched.gradient_variance(&mut puzzle.clone(), 7).unwrap();
        watched.mode_probability();
    }
    assert_eq!(order_bits(&plain), order_bits(&watched));
    let variance = |training: &mut Training<_>| training.gradient_variance(&mut puzzle.clone(), 50).unwrap();
    assert_eq!(variance(&mut plain).to_bits(), variance(&mut watched).to_bits());

    let (mut plain, mut watched) = (baseline_training(6), baseline_training(6));
    run(&mut plain, &puzzle, 200);
    run(&mut watched, &puzzle, 100);
    watched.gradient_variance(&mut puzzle.clone(), 100).unwrap();
    run(&mut watched, &puzzle, 100);
    assert_eq!(bits(&plain), bits(&watched), "the moving average saw samples of the measurement");
}

#[test]
fn threads_do_not_matter() {
    let work = |seed: u64| {
        let mut training = order_training(seed);
        run(&mut training, &Puzzle::new(ITEMS, ITEMS), 500);
        order_bits(&training)
    };
    let alone: Vec<_> = (0..6).map(work).collect();
    let together: Vec<_> = thread::scope(|scope| {
        let workers: Vec<_> = (0..6).map(|seed| scope.spawn(move || work(seed))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(alone, together);

    // One training handed from thread to thread.
    let mut training = order_training(2);
    for _ in 0..5 {
        training = thread::spawn(move || {
            run(&mut training, &Puzzle::new(ITEMS, ITEMS), 100);
            training
        })
        .join()
        .unwrap();
    }
    assert_eq!(order_bits(&training), alone[2]);
}

/// A stream's content does not depend on what was drawn before, however much of it.
#[test]
fn streams_stand_alone() {
    let fresh = |stream: u64, length: usize| common::uniform(9, stream, length);
    let mut noise = Noise::new(9);
    for (stream, length) in [(0, 1), (5, 3), (0, 1000), (5, 17), (u64::MAX, 64), (1 << 63, 65), (0, 1)] {
        let mut found = vec![0.0; length];
        noise.fill(stream, &mut found);
        assert_eq!(found, fresh(stream, length));
    }
    assert_eq!(fresh(3, 10), fresh(3, 1000)[..10]);
    assert_ne!(fresh(3, 10), fresh(4, 10));
    assert_ne!(fresh(3, 10), common::uniform(10, 3, 10));
}

/// Sample i of a step is the same however many samples come with it.
#[test]
fn samples_do_not_depend_on_their_number() {
    let latent = PlackettLuce::new(&[0.3, 0.1, -0.5, 0.0]).unwrap();
    let outcomes = |count: usize, first: u64| {
        let mut samples = Samples::new(&latent, count).unwrap();
        samples.draw(&latent, plackett::estimator::Demand::Values, &mut Noise::new(4), first).unwrap();
        samples.outcomes().map(<[usize]>::to_vec).collect::<Vec<_>>()
    };
    let all = outcomes(40, 100);
    assert_eq!(outcomes(10, 100), all[..10]);
    assert_eq!(outcomes(1, 117), all[17..18]);
}

/// Integer arithmetic only, so the same on every machine: a change of these numbers is a change of every seed's run.
#[test]
fn the_noise_is_frozen() {
    let found = common::uniform(7, 5, 3);
    assert_eq!(found, [0.689_383_813_070_719_2, 0.790_670_910_923_668_6, 0.701_224_333_684_937_4]);
}
