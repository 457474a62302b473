//! Training steps of every estimator, from 8 to 512 items, one thread and one sample a step.
//!
//! The relaxed critics (REBAR, RELAX) cost O(k²) a step, black-box critics O(k·h), REINFORCE O(k log k) and the exact
//! gradient O(e·k!). Run with `cargo bench -p plackett --bench steps`.

#![allow(missing_docs, reason = "the macros below make public functions")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use plackett::{
    Noise, PlackettLuce, Toy, Training, TrainingSettings,
    critic::{Network, RelaxedObjective, Sum},
    estimator::{Baseline, Estimator, Exact, Reinforce, Relax},
    relaxation::NeuralSort,
};

const OFFSET: f64 = 0.05;
const HIDDEN: usize = 32;

fn bench_steps<E: Estimator<Latent = PlackettLuce>>(
    criterion: &mut Criterion,
    name: &str,
    sizes: &[usize],
    make: impl Fn(&PlackettLuce, &Toy) -> E,
) {
    let mut group = criterion.benchmark_group(name);
    for &items in sizes {
        let mut toy = Toy::permutation(items, OFFSET).unwrap();
        let latent = PlackettLuce::new(&vec![0.0; items]).unwrap();
        let estimator = make(&latent, &toy);
        let mut training = Training::new(latent, estimator, TrainingSettings::default()).unwrap();
        group.bench_with_input(BenchmarkId::from_parameter(items), &items, |bencher, _| {
            bencher.iter(|| training.step(&mut toy).unwrap());
        });
    }
    group.finish();
}

fn steps(criterion: &mut Criterion) {
    let sizes = [8, 32, 128, 512];
    bench_steps(criterion, "reinforce", &sizes, |latent, _| Reinforce::new(latent, Baseline::None).unwrap());
    bench_steps(criterion, "rebar", &sizes, |latent, toy| {
        let items = toy.items();
        let critic = RelaxedObjective::scaled(toy.clone(), NeuralSort::new(items));
        Relax::new(latent, critic, &mut Noise::new(0)).unwrap()
    });
    bench_steps(criterion, "relax", &sizes, |latent, toy| {
        let items = toy.items();
        let relaxed = RelaxedObjective::unscaled(toy.clone(), NeuralSort::new(items));
        Relax::new(latent, Sum::new(relaxed, Network::new(items, HIDDEN)).unwrap(), &mut Noise::new(0))
            .unwrap()
    });
    bench_steps(criterion, "relax, black box", &sizes, |latent, toy| {
        Relax::new(latent, Network::new(toy.items(), HIDDEN), &mut Noise::new(0)).unwrap()
    });
    bench_steps(criterion, "exact", &[4, 6, 8], |latent, toy| Exact::new(latent, &mut toy.clone()).unwrap());
}

criterion_group!(benches, steps);
criterion_main!(benches);
