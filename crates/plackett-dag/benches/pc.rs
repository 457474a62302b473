//! PC-stable on 20,000 rows of ALARM as a whole, and the tests that it makes one after the other, against a hash map of
//! tables for each test. Criterion gives tests per second; the ratio of the last two is what the counting gains.

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Mutex;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use plackett::run::Run;
use plackett_dag::{
    BayesNet, Categories, Pc,
    independence::{GSquare, IndependenceTest},
};

/// What is asked of a test.
enum Request {
    Focus(Vec<usize>),
    Test(usize, usize, Vec<usize>),
}

/// A test that notes what it is asked.
#[derive(Clone)]
struct Recorder<'a> {
    test: GSquare<'a>,
    requests: &'a Mutex<Vec<Request>>,
}

impl Recorder<'_> {
    fn note(&self, request: Request) {
        self.requests.lock().expect("no thread panics").push(request);
    }
}

impl IndependenceTest for Recorder<'_> {
    fn nodes(&self) -> usize {
        self.test.nodes()
    }

    fn alpha(&self) -> f64 {
        self.test.alpha()
    }

    fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> f64 {
        self.note(Request::Test(a, b, given.to_vec()));
        self.test.p_value(a, b, given)
    }

    fn focus(&mut self, nodes: &[usize]) {
        self.note(Request::Focus(nodes.to_vec()));
        self.test.focus(nodes);
    }
}

/// G² with a hash map from each stratum to its table.
fn with_a_hash_map(data: &Categories, a: usize, b: usize, given: &[usize]) -> f64 {
    let (arity_a, arity_b) = (data.arity(a), data.arity(b));
    let mut tables: HashMap<u64, Vec<f64>> = HashMap::new();
    for row in 0..data.row_count() {
        let stratum = given
            .iter()
            .fold(0, |key, &node| key * data.arity(node) as u64 + u64::from(data.column(node)[row]));
        let table = tables.entry(stratum).or_insert_with(|| vec![0.0; arity_a * arity_b]);
        table[usize::from(data.column(a)[row]) * arity_b + usize::from(data.column(b)[row])] += 1.0;
    }
    let entropy = |count: f64| if count > 0.0 { count * count.ln() } else { 0.0 };
    let mut half = 0.0;
    for table in tables.values() {
        half += table.iter().map(|&count| entropy(count)).sum::<f64>() + entropy(table.iter().sum());
        half -= table.chunks_exact(arity_b).map(|row| entropy(row.iter().sum())).sum::<f64>();
        half -= (0..arity_b).map(|code| entropy(table.iter().skip(code).step_by(arity_b).sum())).sum::<f64>();
    }
    2.0 * half
}

fn pc(criterion: &mut Criterion) {
    let net = BayesNet::embedded("alarm").expect("it is brought along");
    let data = net.sample(20_000, 100, BayesNet::TRAINING).expect("there is room");
    let test = GSquare::new(&data, 0.01).expect("the level is in range");
    let run = |test: &GSquare<'_>| Pc::default().run(test, &Run::default());

    let mut group = criterion.benchmark_group("alarm, 20000 rows");
    group.throughput(Throughput::Elements(run(&test).tests)).sample_size(20);
    group.bench_function("pc", |b| b.iter(|| run(black_box(&test))));

    let requests = Mutex::new(Vec::new());
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let recorder = Recorder { test: test.clone(), requests: &requests };
    let tests = one.install(|| Pc::default().run(&recorder, &Run::default())).tests;
    let requests = requests.into_inner().expect("no thread panics");
    group.throughput(Throughput::Elements(tests));
    group.bench_function("its tests, one thread", |b| {
        b.iter(|| {
            let mut test = test.clone();
            for request in &requests {
                match request {
                    Request::Focus(nodes) => test.focus(nodes),
                    Request::Test(a, b, given) => {
                        black_box(test.p_value(*a, *b, given));
                    }
                }
            }
        });
    });

    // Every hundredth will do.
    let some: Vec<&Request> =
        requests.iter().filter(|request| matches!(request, Request::Test(..))).step_by(100).collect();
    group.throughput(Throughput::Elements(some.len() as u64)).sample_size(10);
    group.measurement_time(Duration::from_secs(10));
    group.bench_function("a hash map per test, one thread", |b| {
        b.iter(|| {
            for request in &some {
                if let Request::Test(a, b, given) = request {
                    black_box(with_a_hash_map(&data, *a, *b, given));
                }
            }
        });
    });
    group.finish();
}

criterion_group!(benches, pc);
criterion_main!(benches);
