//! The facts behind Figure 1, at the paper's settings: k = 8, t = 0.05, Adam 0.01, one sample a step, seeds 0 to 4.

use plackett::{
    Noise, Objective, PlackettLuce, Toy, Training, TrainingSettings,
    critic::{Network, RelaxedObjective, Sum},
    estimator::{Baseline, Estimator, Exact, Rebar, Reinforce, Relax},
    relaxation::NeuralSort,
    run::{Limits, Run},
};

const ITEMS: usize = 8;
const IDENTITY: [usize; ITEMS] = [0, 1, 2, 3, 4, 5, 6, 7];
const SEEDS: std::ops::Range<u64> = 0..5;

type PlRelax = Relax<PlackettLuce, Sum<RelaxedObjective<Toy, NeuralSort>, Network>>;

fn toy() -> Toy {
    Toy::permutation(ITEMS, 0.05).unwrap()
}

fn uniform() -> PlackettLuce {
    PlackettLuce::new(&[0.0; ITEMS]).unwrap()
}

fn reinforce() -> Reinforce<PlackettLuce> {
    Reinforce::new(&uniform(), Baseline::None).unwrap()
}

fn rebar(seed: u64) -> Rebar<PlackettLuce, Toy, NeuralSort> {
    let critic = RelaxedObjective::scaled(toy(), NeuralSort::new(ITEMS));
    Relax::new(&uniform(), critic, &mut Noise::new(seed)).unwrap()
}

fn relax(seed: u64) -> PlRelax {
    let relaxed = RelaxedObjective::unscaled(toy(), NeuralSort::new(ITEMS));
    Relax::new(&uniform(), Sum::new(relaxed, Network::new(ITEMS, 32)).unwrap(), &mut Noise::new(seed))
        .unwrap()
}

fn train<E: Estimator<Latent = PlackettLuce>>(estimator: E, seed: u64, steps: u64) -> Training<E> {
    let mut training =
        Training::new(uniform(), estimator, TrainingSettings { seed, ..TrainingSettings::default() })
            .unwrap();
    training.run(&mut toy(), &Run::new(Limits::steps(steps))).unwrap();
    training
}

fn mean_objective<E: Estimator<Latent = PlackettLuce>>(training: &Training<E>) -> f64 {
    Exact::new(training.latent(), &mut toy()).unwrap().expectation(training.latent()).unwrap().0
}

/// The total variance at the uniform distribution, after the critic alone has been trained.
fn variance_at_uniform<E: Estimator<Latent = PlackettLuce>>(estimator: E) -> f64 {
    let settings = TrainingSettings { learning_rate: 0.0, ..TrainingSettings::default() };
    let mut training = Training::new(uniform(), estimator, settings).unwrap();
    training.run(&mut toy(), &Run::new(Limits::steps(5_000))).unwrap();
    assert_eq!(training.scores(), uniform_scores());
    training.gradient_variance(&mut toy(), 20_000).unwrap()
}

fn uniform_scores() -> [f64; ITEMS] {
    [-(ITEMS as f64).ln(); ITEMS]
}

#[test]
fn values_at_the_uniform_distribution_and_at_the_optimum() {
    let mean = Exact::new(&uniform(), &mut toy()).unwrap().expectation(&uniform()).unwrap().0;
    assert!((mean - 7.0229).abs() < 5e-5, "{mean}");
    let optimum = toy().optimum().unwrap();
    assert!((optimum - 6.2229).abs() < 5e-5, "{optimum}");
    assert_eq!(toy().evaluate(&IDENTITY).unwrap(), optimum);
}

#[test]
fn relax_solves_the_toy_within_20_000_steps() {
    let mut log_variances = Vec::new();
    for seed in SEEDS {
        let mut training = train(relax(seed), seed, 20_000);
        let mean = mean_objective(&training);
        assert!(training.mode() == IDENTITY && mean <= 6.30, "seed {seed}: {mean} at {:?}", training.mode());
        training.run(&mut toy(), &Run::new(Limits::steps(30_000))).unwrap();
        log_variances.push(training.gradient_variance(&mut toy(), 10).unwrap().ln());
    }
    // The median, because one of 10 gradients may meet a rare order.
    log_variances.sort_by(f64::total_cmp);
    assert!(log_variances[2] < -10.0, "log-variances {log_variances:?}");
}

/// About one seed in six of PL-REBAR ends one exchange away from the optimum, and which ones do depends on the last digits
/// of the mathematical library; so the bound is on how many do.
#[test]
fn rebar_mostly_solves_the_toy_within_50_000_steps() {
    let is_solved = |seed: &u64| mean_objective(&train(rebar(*seed), *seed, 50_000)) <= 6.30;
    let solved = (0..15).filter(is_solved).count();
    assert!(solved >= 8, "only {solved} of 15 seeds");
}

/// Single seeds drift down a little; the mean over seeds, which the figure shows, hardly does.
#[test]
fn reinforce_does_not_solve_the_toy() {
    let reinforce = SEEDS.map(|seed| mean_objective(&train(reinforce(), seed, 50_000))).sum::<f64>() / 5.0;
    assert!(reinforce > 6.7, "REINFORCE {reinforce}");
}

#[test]
fn variance_once_the_critic_is_trained() {
    let (reinforce, rebar, relax) =
        (variance_at_uniform(reinforce()), variance_at_uniform(rebar(0)), variance_at_uniform(relax(0)));
    assert!(reinforce >= 200.0, "REINFORCE {reinforce}");
    assert!(rebar <= 22.0, "PL-REBAR {rebar}");
    assert!(relax <= 0.5, "PL-RELAX {relax}");
}
