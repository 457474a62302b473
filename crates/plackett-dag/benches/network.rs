//! How long drawing from ALARM takes, and reading and writing such data: each beside the obvious way of doing it.

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use plackett_dag::{
    BayesNet, Dataset,
    dataset::{Kind, Reading},
};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const ROWS: usize = 100_000;

/// Row by row and node by node, adding up probabilities until they pass a uniform number.
fn draw_by_rows(net: &BayesNet, rows: usize) -> Vec<Vec<u8>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut data = Vec::with_capacity(rows);
    for _ in 0..rows {
        let mut row = vec![0_u8; net.dag().nodes()];
        for &node in net.dag().topological_order() {
            let configuration = net.dag().parents(node).iter().fold(0, |configuration, &parent| {
                configuration * net.states(parent).len() + usize::from(row[parent])
            });
            let mut left: f64 = rng.random();
            let probabilities = net.row(node, configuration);
            let state = probabilities.iter().position(|probability| {
                left -= probability;
                left < 0.0
            });
            row[node] = state.unwrap_or(probabilities.len() - 1) as u8;
        }
        data.push(row);
    }
    data
}

/// The `csv` crate's records and a map of strings per column.
fn read_by_strings(text: &[u8]) -> Vec<Vec<u8>> {
    let mut reader = csv::Reader::from_reader(text);
    let columns = reader.headers().map_or(0, csv::StringRecord::len);
    let mut codes: Vec<HashMap<String, u8>> = vec![HashMap::new(); columns];
    let mut data = vec![Vec::new(); columns];
    for record in reader.records().flatten() {
        for (column, field) in record.iter().enumerate() {
            let next = codes[column].len() as u8;
            data[column].push(*codes[column].entry(field.to_owned()).or_insert(next));
        }
    }
    data
}

fn network(criterion: &mut Criterion) {
    let net = BayesNet::embedded("alarm").expect("it is brought along");
    let mut group = criterion.benchmark_group("alarm");
    group.throughput(Throughput::Elements(ROWS as u64)).sample_size(20);
    group.bench_function("sample", |b| b.iter(|| net.sample(black_box(ROWS), 1, 0)));
    group.bench_function("sample row by row", |b| b.iter(|| draw_by_rows(&net, black_box(ROWS))));

    let data = net.sample(ROWS, 1, 0).expect("there are few enough rows");
    group.bench_function("log-likelihood", |b| b.iter(|| net.log_likelihood(black_box(&data))));
    let mut text = Vec::new();
    data.write_csv(&mut text, "data.csv").expect("memory can be written to");
    group.bench_function("read", |b| {
        b.iter(|| {
            Dataset::from_reader(black_box(text.as_slice()), "data.csv", &Reading::all(Kind::Categories))
        });
    });
    group.bench_function("read by strings", |b| b.iter(|| read_by_strings(black_box(&text))));
    group.bench_function("write", |b| {
        let buffer = || Vec::with_capacity(text.len());
        b.iter_batched_ref(buffer, |buffer| data.write_csv(buffer, "data.csv"), BatchSize::LargeInput);
    });
    group.finish();
}

criterion_group!(benches, network);
criterion_main!(benches);
