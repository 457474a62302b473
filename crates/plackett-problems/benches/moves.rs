//! What a move changes, as every problem works it out, against valuing the whole order again: all insertions of an item for
//! linear ordering and flow shop, all exchanges for quadratic assignment, all turns for the traveling salesman.
//!
//! Run with `cargo bench -p plackett-problems --bench moves`.

#![allow(missing_docs, reason = "the macros below make public functions")]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use plackett::{Noise, neighborhood::Move, run::Run};
use plackett_problems::{
    FlowShop, Instance, LinearAssignment, LinearOrdering, QuadraticAssignment, TravelingSalesman,
};

const ITEMS: usize = 100;
const MACHINES: usize = 20;

fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut numbers = vec![0.0; count];
    Noise::new(seed).fill(0, &mut numbers);
    numbers.iter_mut().for_each(|number| *number = (*number * 100.0).floor());
    numbers
}

fn symmetric(seed: u64) -> Vec<f64> {
    let full = numbers(ITEMS * ITEMS, seed);
    let at = |at: usize| (at / ITEMS).min(at % ITEMS) * ITEMS + (at / ITEMS).max(at % ITEMS);
    (0..ITEMS * ITEMS).map(|entry| full[at(entry)]).collect()
}

fn moves(criterion: &mut Criterion) {
    let square = ITEMS * ITEMS;
    let problems: Vec<(&str, Box<dyn Instance>)> = vec![
        ("insertions", Box::new(LinearOrdering::new("", ITEMS, numbers(square, 0)).unwrap())),
        ("insertions", Box::new(FlowShop::new("", ITEMS, MACHINES, numbers(ITEMS * MACHINES, 1)).unwrap())),
        ("swaps", Box::new(QuadraticAssignment::new("", ITEMS, symmetric(2), symmetric(3)).unwrap())),
        ("turns", Box::new(TravelingSalesman::from_distances("", ITEMS, symmetric(4)).unwrap())),
        ("swaps", Box::new(LinearAssignment::new("", ITEMS, numbers(square, 5)).unwrap())),
    ];
    let rank = ITEMS / 2;
    for (kind, problem) in problems {
        let mut group = criterion.benchmark_group(format!("{}, {kind}", problem.kind()));
        group.throughput(Throughput::Elements(ITEMS as u64 - 1));
        let steps: Vec<Move> = (0..ITEMS)
            .filter(|&other| other != rank)
            .map(|other| match kind {
                "insertions" => Move::Insert { from: rank, to: other },
                "swaps" => Move::Swap { first: rank.min(other), second: rank.max(other) },
                _ => Move::Reverse { first: rank.min(other), last: rank.max(other) },
            })
            .collect();
        let mut walk = problem.neighborhood();
        let (mut changes, run) = (Vec::new(), Run::default());
        group.bench_function(BenchmarkId::from_parameter("by what changes"), |bencher| {
            bencher.iter(|| {
                if kind == "insertions" {
                    walk.insertions(rank, 0, ITEMS - 1, &mut changes, &run);
                    changes.iter().sum::<f64>()
                } else {
                    steps.iter().map(|&step| walk.change(black_box(step))).sum::<f64>()
                }
            });
        });
        let mut order: Vec<usize> = (0..ITEMS).collect();
        group.bench_function(BenchmarkId::from_parameter("as a whole"), |bencher| {
            bencher.iter(|| {
                let mut sum = 0.0;
                for &step in &steps {
                    order.iter_mut().enumerate().for_each(|(rank, item)| *item = rank);
                    step.apply(&mut order);
                    sum += problem.value(&order);
                }
                sum
            });
        });
        group.finish();
    }
}

criterion_group!(benches, moves);
criterion_main!(benches);
