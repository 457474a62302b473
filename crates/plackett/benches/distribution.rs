//! Sampling, log-probability, its gradient and the conditional perturbed scores, up to a million items, each beside the
//! obvious way to do it: drawing items one by one, and summing every suffix anew, both O(k²).
//!
//! Run with `cargo bench -p plackett --bench distribution`.

#![allow(missing_docs, reason = "the macros below make public functions")]

use std::hint::black_box;

use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use plackett::{Distribution as _, Given, Latent, Noise, Order, PlackettLuce};
use rand::Rng;

/// The quadratic ways are measured up to here: a million items would take them hours.
const MOST_ITEMS_NAIVE: usize = 1_000;

fn distribution(items: usize) -> PlackettLuce {
    let mut scores = vec![0.0; items];
    Noise::new(1).fill(0, &mut scores);
    PlackettLuce::new(&scores).unwrap()
}

/// Draws the items one by one from those that are left.
fn sample_one_by_one<R: Rng>(probabilities: &[f64], rng: &mut R) -> Vec<usize> {
    let mut left: Vec<usize> = (0..probabilities.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let total: f64 = left.iter().map(|&item| probabilities[item]).sum();
        let mut mark = total * (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        let at = left.iter().position(|&item| {
            mark -= probabilities[item];
            mark < 0.0
        });
        order.push(left.remove(at.unwrap_or(left.len() - 1)));
    }
    order
}

/// Definition 1 read literally: every suffix summed anew.
fn log_prob_by_definition(scores: &[f64], order: &[usize]) -> f64 {
    let factor = |rank: usize| {
        scores[order[rank]] - order[rank..].iter().map(|&item| scores[item].exp()).sum::<f64>().ln()
    };
    (0..order.len()).map(factor).sum()
}

fn each_size(
    criterion: &mut Criterion,
    name: &str,
    mut bench: impl FnMut(&mut BenchmarkGroup<'_, WallTime>, usize),
) {
    let mut group = criterion.benchmark_group(name);
    for items in [10, 1_000, 100_000, 1_000_000] {
        group.throughput(Throughput::Elements(items as u64));
        if items > MOST_ITEMS_NAIVE {
            group.sample_size(10);
        }
        bench(&mut group, items);
    }
    group.finish();
}

fn sampling(criterion: &mut Criterion) {
    each_size(criterion, "sample", |group, items| {
        let latent = distribution(items);
        let (mut order, mut scratch) = (Order::identity(items), Vec::new());
        let mut noise = Noise::new(2);
        let rng = noise.stream(0);
        group.bench_function(BenchmarkId::new("sorted Gumbels", items), |bencher| {
            bencher.iter(|| latent.sample_into(rng, &mut order, &mut scratch));
        });
        if items <= MOST_ITEMS_NAIVE {
            group.bench_function(BenchmarkId::new("one by one", items), |bencher| {
                bencher.iter(|| sample_one_by_one(latent.probabilities(), rng));
            });
        }
    });
}

fn log_probability(criterion: &mut Criterion) {
    each_size(criterion, "log_prob", |group, items| {
        let latent = distribution(items);
        let order = latent.sample(Noise::new(3).stream(0));
        let mut given = latent.room();
        group.bench_function(BenchmarkId::new("suffix sums", items), |bencher| {
            bencher.iter(|| {
                latent.condition(black_box(&order), &mut given);
                given.log_prob()
            });
        });
        if items <= MOST_ITEMS_NAIVE {
            group.bench_function(BenchmarkId::new("by definition", items), |bencher| {
                bencher.iter(|| log_prob_by_definition(latent.scores(), black_box(&order)));
            });
        }
    });
}

fn conditional(criterion: &mut Criterion) {
    each_size(criterion, "conditioned", |group, items| {
        let latent = distribution(items);
        let order = latent.sample(Noise::new(3).stream(0));
        let mut given = latent.room();
        latent.condition(&order, &mut given);
        let (mut v, mut z, mut gradient) = (vec![0.0; items], vec![0.0; items], vec![0.0; items]);
        Noise::new(4).fill(0, &mut v);
        group.bench_function(BenchmarkId::new("grad_log_prob", items), |bencher| {
            bencher.iter(|| given.grad_log_prob(&mut gradient));
        });
        group.bench_function(BenchmarkId::new("perturb", items), |bencher| {
            bencher.iter(|| given.perturb(&v, &mut z));
        });
        group.bench_function(BenchmarkId::new("perturb_vjp", items), |bencher| {
            bencher.iter(|| given.perturb_vjp(&z, &mut gradient));
        });
    });
}

criterion_group!(benches, sampling, log_probability, conditional);
criterion_main!(benches);
