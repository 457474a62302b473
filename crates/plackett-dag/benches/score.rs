//! The costs that the searches are built from: warm order evaluations, cold ones against proximal gradient on the data,
//! exact dynamic programming and one insertion search.

#[path = "../tests/common/mod.rs"]
mod testing;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use plackett::run::Run;
use plackett_dag::{
    Gram, LocalScore, Oracle,
    gram::Centering,
    score::{L1, ScoreSettings, score_by_name},
    search::{Exact, Insertion},
};
use testing::{Rng, Sem, sem};

fn gram_of(sem: &Sem) -> Arc<Gram> {
    Arc::new(Gram::from_rows(&sem.data, sem.nodes, Centering::Center).expect("simulated data are regular"))
}

fn score_of(name: &str, sem: &Sem) -> Arc<dyn LocalScore> {
    score_by_name(name, gram_of(sem), &ScoreSettings::default()).expect("the score is registered")
}

fn warm_orders(c: &mut Criterion) {
    let mut group = c.benchmark_group("warm order");
    for name in ["l1", "ev-l0", "bic"] {
        for (degree, nodes) in [(1.0, 20), (4.0, 20), (1.0, 50), (4.0, 50)] {
            let mut oracle = Oracle::new(score_of(name, &sem(nodes, degree, 1000, 1)));
            let mut rng = Rng::new(2);
            let orders: Vec<Vec<usize>> = (0..500).map(|_| rng.permutation(nodes)).collect();
            for order in &orders {
                oracle.order_score(order, &Run::default()).expect("a permutation");
            }
            let mut next = orders.iter().cycle();
            group.bench_function(format!("{name} ER{degree} {nodes} nodes"), |b| {
                b.iter(|| oracle.order_score(next.next().expect("a cycle"), &Run::default()));
            });
        }
    }
}

/// Q̂ of an order by accelerated proximal gradient on the data, all nodes at once, until the weights move less than 1e-6.
fn proximal_gradient(data: &[f64], nodes: usize, order: &[usize], lambda: f64, lipschitz: f64) -> f64 {
    let rows = data.len() / nodes;
    let mut rank = vec![0; nodes];
    for (at, &node) in order.iter().enumerate() {
        rank[node] = at;
    }
    let mut weights = vec![0.0; nodes * nodes];
    let mut ahead = weights.clone();
    let mut gradient = weights.clone();
    let mut residual = vec![0.0; nodes];
    let mut momentum: f64 = 1.0;
    for _ in 0..100_000 {
        gradient.fill(0.0);
        for row in data.chunks_exact(nodes) {
            residual.copy_from_slice(row);
            for (x, w) in row.iter().zip(ahead.chunks_exact(nodes)) {
                residual.iter_mut().zip(w).for_each(|(r, w)| *r -= x * w);
            }
            for (x, g) in row.iter().zip(gradient.chunks_exact_mut(nodes)) {
                g.iter_mut().zip(&residual).for_each(|(g, r)| *g -= x * r);
            }
        }
        let next_momentum = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
        let (mut change, mut backwards) = (0.0_f64, 0.0);
        for i in 0..nodes {
            for j in 0..nodes {
                let at = i * nodes + j;
                if rank[i] >= rank[j] {
                    continue;
                }
                let moved = ahead[at] - gradient[at] / (rows as f64 * lipschitz);
                let next = moved.signum() * (moved.abs() - lambda / lipschitz).max(0.0);
                change = change.max((next - weights[at]).abs());
                backwards += (ahead[at] - next) * (next - weights[at]);
                ahead[at] = next + (momentum - 1.0) / next_momentum * (next - weights[at]);
                weights[at] = next;
            }
        }
        momentum = next_momentum;
        if backwards > 0.0 {
            momentum = 1.0;
            ahead.copy_from_slice(&weights);
        }
        if change < 1e-6 {
            break;
        }
    }
    let mut total = lambda * weights.iter().map(|w| w.abs()).sum::<f64>();
    for row in data.chunks_exact(nodes) {
        for j in 0..nodes {
            let fitted: f64 = (0..nodes).map(|i| row[i] * weights[i * nodes + j]).sum();
            total += 0.5 * (row[j] - fitted).powi(2) / rows as f64;
        }
    }
    total
}

/// Largest eigenvalue by the power method.
fn largest_eigenvalue(gram: &Gram) -> f64 {
    let nodes = gram.nodes();
    let mut vector = vec![1.0; nodes];
    let mut norm = 0.0;
    for _ in 0..200 {
        let image: Vec<f64> =
            (0..nodes).map(|i| (0..nodes).map(|j| gram.entry(i, j) * vector[j]).sum()).collect();
        norm = image.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector = image.iter().map(|x| x / norm).collect();
    }
    norm * 1.001
}

fn cold_orders(c: &mut Criterion) {
    let mut group = c.benchmark_group("cold order, l1, 1000 rows");
    for (degree, nodes) in [(1.0, 20), (4.0, 20)] {
        let sem = sem(nodes, degree, 1000, 1);
        let gram =
            Arc::new(Gram::from_rows(&sem.data, nodes, Centering::None).expect("simulated data are regular"));
        let score =
            Arc::new(L1::new(Arc::clone(&gram), &ScoreSettings::default()).expect("a positive lambda"));
        let lipschitz = largest_eigenvalue(&gram);
        let direct = proximal_gradient(&sem.data, nodes, &sem.order, L1::DEFAULT_LAMBDA, lipschitz);
        let exact = Oracle::new(score.clone()).order_score(&sem.order, &Run::default());
        let exact = exact.expect("a permutation").expect("nothing ends the run");
        assert!((direct - exact).abs() < 1e-3 * exact, "{direct} and {exact} are the same score");
        group.bench_function(format!("ER{degree} {nodes} nodes, Gram lasso"), |b| {
            let fresh = || Oracle::with_memory(score.clone(), 0);
            b.iter_batched_ref(
                fresh,
                |oracle| oracle.order_score(&sem.order, &Run::default()),
                BatchSize::SmallInput,
            );
        });
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        group.bench_function(format!("ER{degree} {nodes} nodes, proximal gradient on the data"), |b| {
            b.iter(|| {
                proximal_gradient(black_box(&sem.data), nodes, &sem.order, L1::DEFAULT_LAMBDA, lipschitz)
            });
        });
    }
}

fn searches(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for name in ["l1", "ev-l0"] {
        let score = score_of(name, &sem(16, 4.0, 1000, 1));
        group.bench_function(format!("exact, {name} ER4 16 nodes"), |b| {
            b.iter(|| Exact::default().run(Arc::clone(&score), &Run::default()));
        });
        for degree in [1.0, 4.0] {
            let score = score_of(name, &sem(50, degree, 1000, 1));
            let search = Insertion { starts: Some(1), kicks: Some(0), seed: 0 };
            group.bench_function(format!("insertion, {name} ER{degree} 50 nodes, one start, cold"), |b| {
                b.iter(|| search.run(&mut Oracle::new(Arc::clone(&score)), &Run::default()));
            });
        }
    }
}

fn gram(c: &mut Criterion) {
    let sem = sem(50, 1.0, 1000, 1);
    c.bench_function("Gram matrix, 1000 rows of 50", |b| b.iter(|| gram_of(&sem)));
}

criterion_group!(benches, warm_orders, cold_orders, searches, gram);
criterion_main!(benches);
