//! Ask and tell against a plain training loop: the same gradient, batch and objective, with and without proposals that have
//! numbers, can be answered in any order and can be saved. A batch is ten orders of k items.
//!
//! Run with `cargo bench -p plackett --bench ask_tell`.

#![allow(missing_docs, reason = "the macros below make public functions")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use plackett::{
    Constraints, Noise, PlackettLuce, Training, TrainingSettings,
    critic::Network,
    estimator::{Baseline, Reinforce, Relax},
    optimizer::{Answer, Gradient, Optimizer, OptimizerSettings},
};

const SIZES: [usize; 3] = [10, 100, 1000];
const SAMPLES: usize = 10;
const HIDDEN: usize = 32;

fn objective(order: &[usize]) -> f64 {
    order[0] as f64
}

fn settings(gradient: Gradient) -> OptimizerSettings {
    OptimizerSettings {
        gradient,
        gradient_evaluations: None,
        samples: SAMPLES,
        ..OptimizerSettings::default()
    }
}

fn batch(optimizer: &mut Optimizer) {
    for proposal in optimizer.ask_batch(SAMPLES) {
        let answer = Answer::Value(objective(&proposal.order));
        optimizer.tell_id(proposal.id, answer).unwrap();
    }
}

fn ask_tell(criterion: &mut Criterion) {
    let plain = TrainingSettings { samples: SAMPLES, ..TrainingSettings::default() };
    let mut group = criterion.benchmark_group("ask and tell");
    for items in SIZES {
        let latent = PlackettLuce::new(&vec![0.0; items]).unwrap();
        group.throughput(Throughput::Elements((SAMPLES * items) as u64));
        let estimator = Reinforce::new(&latent, Baseline::LeaveOneOut).unwrap();
        let mut training = Training::new(latent.clone(), estimator, plain).unwrap();
        group.bench_function(BenchmarkId::new("plain loop, reinforce", items), |bencher| {
            bencher.iter(|| training.step(&mut objective).unwrap());
        });
        let mut optimizer = Optimizer::new(items, OptimizerSettings::default()).unwrap();
        group.bench_function(BenchmarkId::new("ask and tell, a walk", items), |bencher| {
            bencher.iter(|| (0..SAMPLES).for_each(|_| batch(&mut optimizer)));
        });
        let mut optimizer = Optimizer::new(items, settings(Gradient::Reinforce)).unwrap();
        group.bench_function(BenchmarkId::new("ask and tell, reinforce", items), |bencher| {
            bencher.iter(|| batch(&mut optimizer));
        });
        let estimator = Relax::new(&latent, Network::new(items, HIDDEN), &mut Noise::new(0)).unwrap();
        let mut training = Training::new(latent, estimator, plain).unwrap();
        group.bench_function(BenchmarkId::new("plain loop, relax", items), |bencher| {
            bencher.iter(|| training.step(&mut objective).unwrap());
        });
        let mut optimizer = Optimizer::new(items, settings(Gradient::Relax { hidden: HIDDEN })).unwrap();
        group.bench_function(BenchmarkId::new("ask and tell, relax", items), |bencher| {
            bencher.iter(|| batch(&mut optimizer));
        });
        let before: Vec<(usize, usize)> = (1..items / 2).map(|item| (item - 1, item)).collect();
        let constraints = Some(Constraints::new(items, &before, &[(items - 1, 0)]).unwrap());
        let constrained = OptimizerSettings { constraints, ..settings(Gradient::Reinforce) };
        let mut optimizer = Optimizer::new(items, constrained).unwrap();
        group.bench_function(BenchmarkId::new("ask and tell, constrained", items), |bencher| {
            bencher.iter(|| batch(&mut optimizer));
        });
    }
    group.finish();
}

fn saving(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("state");
    let mut optimizer = Optimizer::new(100, settings(Gradient::Relax { hidden: HIDDEN })).unwrap();
    (0..5).for_each(|_| batch(&mut optimizer));
    optimizer.ask(15);
    group.bench_function("to and from JSON, 100 items", |bencher| {
        bencher.iter(|| Optimizer::from_json(&black_box(&optimizer).to_json().unwrap()).unwrap());
    });
    group.finish();
}

criterion_group!(benches, ask_tell, saving);
criterion_main!(benches);
