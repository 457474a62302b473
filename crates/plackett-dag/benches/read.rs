//! How fast data are read: rows of 20 columns a second, of numbers and of words, from the bytes of a file to what a graph is
//! learned from.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plackett_dag::{Dataset, dataset::Reading, gram::Centering};
use rand::{RngExt, SeedableRng, rngs::ChaCha8Rng};

const ROWS: usize = 100_000;
const COLUMNS: usize = 20;

/// A file whose cells are written by `write`.
fn file(write: impl Fn(&mut ChaCha8Rng, &mut String)) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut text = (1..=COLUMNS).map(|column| format!("x{column}")).collect::<Vec<_>>().join(",");
    for _ in 0..ROWS {
        for column in 0..COLUMNS {
            text.push(if column == 0 { '\n' } else { ',' });
            write(&mut rng, &mut text);
        }
    }
    text
}

fn read(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Elements(ROWS as u64)).sample_size(10);
    let numbers = file(|rng, text| {
        let _ = write!(text, "{}", rng.random::<f64>() * 6.0 - 3.0);
    });
    let words = file(|rng, text| text.push_str(["low", "middle", "high"][rng.random_range(0..3)]));
    for (name, text) in [("numbers", numbers), ("words", words)] {
        group.bench_function(name, |b| {
            b.iter(|| {
                let data = Dataset::from_reader(black_box(text.as_bytes()), "data.csv", &Reading::default());
                data.and_then(|data| data.observations(Centering::Center))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, read);
criterion_main!(benches);
