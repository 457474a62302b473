//! Categorical data of the size of ALARM (37 nodes, 20,000 rows): counting against a hash map of rows, scoring the parent
//! sets of several search spaces, and orders evaluated from them.

#[path = "../tests/common/mod.rs"]
mod testing;

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plackett::run::Run;
use plackett_dag::{
    Categories, Dag, NodeSet, Oracle,
    parent_sets::{Candidates, Keep, ParentSets, Reach, SizePrior},
    score::{
        Bdeu, DISCRETE_SCORES, DiscreteBic, DiscreteScoreSettings, Qnml, discrete_score_by_name, graph_cost,
    },
};
use testing::Rng;

const NODES: usize = 37;
const ROWS: usize = 20_000;

/// A random network of 2 to 4 categories a node and up to 4 parents, with data drawn from it.
fn network(nodes: usize, rows: usize, seed: u64) -> (Categories, Dag) {
    let mut rng = Rng::new(seed);
    let arities: Vec<usize> = (0..nodes).map(|_| 2 + rng.below(3)).collect();
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (node, parents) in parents.iter_mut().enumerate().skip(1) {
        for _ in 0..rng.below(3) {
            let parent = rng.below(node);
            if !parents.contains(&parent) {
                parents.push(parent);
            }
        }
    }
    let mut columns: Vec<Vec<u8>> = Vec::new();
    for (node, parents) in parents.iter().enumerate() {
        let mut tables: HashMap<usize, Vec<f64>> = HashMap::new();
        let mut codes = Vec::with_capacity(rows);
        let key_of =
            |row: usize| parents.iter().fold(0, |key, &parent| key * 4 + usize::from(columns[parent][row]));
        for key in (0..rows).map(key_of) {
            let chances = tables.entry(key).or_insert_with(|| {
                let weights: Vec<f64> = (0..arities[node]).map(|_| rng.uniform().powi(4) + 0.01).collect();
                let total: f64 = weights.iter().sum();
                weights.into_iter().map(|weight| weight / total).collect()
            });
            let mut left = rng.uniform();
            let code = chances.iter().position(|chance| {
                left -= chance;
                left < 0.0
            });
            codes.push(code.unwrap_or(arities[node] - 1) as u8);
        }
        columns.push(codes);
    }
    let names = (0..nodes).map(|node| format!("x{node}")).collect();
    let levels = arities.iter().map(|&arity| (0..arity).map(|code| code.to_string()).collect()).collect();
    let data = Categories::new(names, levels, columns).expect("codes below the arities");
    (data, Dag::from_parents(parents).expect("parents come first"))
}

/// The neighbors in the true graph and a few more, as an independence test would leave them.
fn neighbors(dag: &Dag, more: usize, seed: u64) -> Vec<NodeSet> {
    let mut rng = Rng::new(seed);
    let mut sets = vec![NodeSet::default(); dag.nodes()];
    for (from, to, _) in dag.edges() {
        sets[from].insert(to);
        sets[to].insert(from);
    }
    for _ in 0..more {
        let (a, b) = (rng.below(dag.nodes()), rng.below(dag.nodes()));
        if a != b {
            sets[a].insert(b);
            sets[b].insert(a);
        }
    }
    sets
}

/// The BIC of a family with a map from rows to counts.
fn hashed(data: &Categories, node: usize, parents: &[usize]) -> f64 {
    let mut cells: HashMap<Vec<u8>, Vec<u32>> = HashMap::new();
    for row in 0..data.row_count() {
        let key = parents.iter().map(|&parent| data.column(parent)[row]).collect();
        let counts = cells.entry(key).or_insert_with(|| vec![0; data.arity(node)]);
        counts[usize::from(data.column(node)[row])] += 1;
    }
    let logs = |count: u32| if count > 0 { f64::from(count) * f64::from(count).ln() } else { 0.0 };
    let likelihood: f64 = cells
        .values()
        .map(|counts| counts.iter().map(|&c| logs(c)).sum::<f64>() - logs(counts.iter().sum()))
        .sum();
    let parameters: usize =
        parents.iter().map(|&parent| data.arity(parent)).product::<usize>() * (data.arity(node) - 1);
    0.5 * (data.row_count() as f64).ln() * parameters as f64 - likelihood
}

fn counting(c: &mut Criterion) {
    let mut group = c.benchmark_group("bic of a graph, 37 nodes, 20,000 rows");
    let (data, dag) = network(NODES, ROWS, 1);
    // Each family reads the rows once for each parent and once for the node.
    group.throughput(Throughput::Elements((ROWS * (NODES + dag.edge_count())) as u64));
    let by_hash = || (0..NODES).map(|node| hashed(black_box(&data), node, dag.parents(node))).sum::<f64>();
    let by_groups = || graph_cost(black_box(&data), &DiscreteBic, &dag).expect("data and graph fit");
    assert!((by_hash() - by_groups()).abs() < 1e-6, "the same score");
    group.bench_function("groups", |b| b.iter(by_groups));
    group.sample_size(10);
    group.bench_function("hash map", |b| b.iter(by_hash));
}

/// The cheapest subset of each core with a hash map for each family.
fn hashed_cores(data: &Categories, candidates: &Candidates) -> f64 {
    let least = |node| {
        let core: Vec<usize> = candidates.core(node).iter().collect();
        let subset = |mask: usize| -> Vec<usize> {
            (0..core.len()).filter(|at| mask >> at & 1 == 1).map(|at| core[at]).collect()
        };
        let costs = (0..1_usize << core.len()).map(|mask| hashed(data, node, &subset(mask)));
        costs.fold(f64::INFINITY, f64::min)
    };
    (0..data.columns()).map(least).sum()
}

fn building(c: &mut Criterion) {
    let mut group = c.benchmark_group("parent sets, 37 nodes");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    let (data, dag) = network(NODES, ROWS, 1);
    let mut core = Candidates::from_neighbors(neighbors(&dag, 20, 2)).expect("nodes of the graph");
    for entry in DISCRETE_SCORES {
        let score =
            discrete_score_by_name(entry.name, &DiscreteScoreSettings::default()).expect("registered");
        core.reach = Reach::Core;
        group.bench_function(format!("{}, cores", entry.name), |b| {
            b.iter(|| ParentSets::build(&data, &*score, &core, Keep::Best, &Run::default()));
        });
        core.reach = Reach::PlusOne;
        group.bench_function(format!("{}, cores and one more", entry.name), |b| {
            b.iter(|| ParentSets::build(&data, &*score, &core, Keep::Best, &Run::default()));
        });
    }
    group.bench_function("bic, cores, a hash map for each family", |b| {
        b.iter(|| hashed_cores(black_box(&data), &core));
    });
    for limit in [2, 3] {
        group.bench_function(format!("qnml, all up to {limit} parents"), |b| {
            b.iter(|| {
                ParentSets::build(&data, &Qnml, &Candidates::all(NODES, limit), Keep::Best, &Run::default())
            });
        });
    }
    let (large, dag) = network(NODES, 1_000_000, 1);
    let core = Candidates::from_neighbors(neighbors(&dag, 20, 2)).expect("nodes of the graph");
    group.bench_function("qnml, cores, 1,000,000 rows", |b| {
        b.iter(|| ParentSets::build(&large, &Qnml, &core, Keep::Best, &Run::default()));
    });
}

fn warm_orders(c: &mut Criterion) {
    let mut group = c.benchmark_group("warm order, 37 nodes");
    let (data, dag) = network(NODES, ROWS, 1);
    let mut candidates = Candidates::from_neighbors(neighbors(&dag, 20, 2)).expect("nodes of the graph");
    let mut rng = Rng::new(3);
    let orders: Vec<Vec<usize>> = (0..500).map(|_| rng.permutation(NODES)).collect();
    for (name, reach) in [("cores", Reach::Core), ("cores and one more", Reach::PlusOne)] {
        candidates.reach = reach;
        let sets = ParentSets::build(&data, &Qnml, &candidates, Keep::Best, &Run::default())
            .expect("data and candidates fit")
            .unwrap();
        let mut oracle = Oracle::new(Arc::new(sets));
        for order in &orders {
            oracle.order_score(order, &Run::default()).expect("a permutation");
        }
        let mut next = orders.iter().cycle();
        group.bench_function(format!("best parents, {name}"), |b| {
            b.iter(|| oracle.order_score(next.next().expect("a cycle"), &Run::default()));
        });
        let keep = Keep::All(SizePrior::Even);
        let sets = ParentSets::build(&data, &Bdeu::default(), &candidates, keep, &Run::default())
            .expect("they fit")
            .expect("nothing ends the run");
        let sums = sets.sums().expect("asked for");
        let mut next = orders.iter().cycle();
        group.bench_function(format!("sums over parents, {name}"), |b| {
            b.iter(|| {
                let mut allowed = NodeSet::default();
                let mut total = 0.0;
                for &node in next.next().expect("a cycle") {
                    total += sums.log_sum(node, &allowed);
                    allowed.insert(node);
                }
                total
            });
        });
    }
}

criterion_group!(benches, counting, building, warm_orders);
criterion_main!(benches);
