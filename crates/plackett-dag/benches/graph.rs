//! How long the CPDAG and the metrics of one graph take: dense with 50 nodes, sparse with 200.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use plackett_dag::{
    Cpdag, Dag,
    metrics::{shd_cpdag, sid},
    simulate::{SemSettings, simulate_sem},
};

fn random_graph(degree: usize, nodes: usize, seed: u64) -> Dag {
    let settings = SemSettings { degree, nodes, ..SemSettings::default() };
    simulate_sem(&settings, seed).expect("the settings are in range").dag().clone()
}

fn graphs(criterion: &mut Criterion) {
    for (name, degree, nodes) in [("er4-50", 4, 50), ("er1-200", 1, 200)] {
        let (truth, estimate) = (random_graph(degree, nodes, 1), random_graph(degree, nodes, 2));
        criterion.bench_function(&format!("cpdag/{name}"), |b| {
            b.iter(|| Cpdag::of(black_box(&truth)));
        });
        criterion.bench_function(&format!("sid/{name}"), |b| {
            b.iter(|| sid(black_box(&truth), black_box(&estimate)));
        });
        criterion.bench_function(&format!("shd_cpdag/{name}"), |b| {
            b.iter(|| shd_cpdag(black_box(&truth), black_box(&estimate)));
        });
    }
}

criterion_group!(benches, graphs);
criterion_main!(benches);
