//! What must not change an answer: the scale and the origin of a column, the order of rows and of columns, how rows are counted, and a
//! column that has nothing to do with the others.

mod common;

use common::Rng;
use plackett::run::Run;
use plackett_dag::{
    BayesNet, Categories, Cpdag, Dag, Dataset, Gram, LearnMethod, Learned, Learning, Observations, Pc,
    dataset::{Kind, Reading},
    gram::Centering,
    independence::FisherZ,
    score::{Qnml, graph_cost},
};

const NODES: usize = 7;
const ROWS: usize = 300;

fn rows() -> Vec<Vec<f64>> {
    common::sem(NODES, 1.5, ROWS, 5).data.chunks(NODES).map(<[f64]>::to_vec).collect()
}

fn moments(rows: &[Vec<f64>]) -> Observations {
    Observations::Numbers(Gram::from_rows(&rows.concat(), rows[0].len(), Centering::Center).unwrap().into())
}

fn learn(data: &Observations, method: &str, score: &str) -> Learned {
    let method = LearnMethod::by_name(method).unwrap();
    Learning { method, score: score.into(), seed: 3, ..Learning::default() }
        .run(data, &Run::default())
        .unwrap()
}

/// The edges of a class under other numbers: (from, to, whether it is directed), sorted.
fn edges(class: &Cpdag, number: impl Fn(usize) -> usize) -> Vec<(usize, usize, bool)> {
    let directed = class.directed().iter().map(|&(a, b)| (number(a), number(b), true));
    let undirected = class.undirected().iter().map(|&(a, b)| {
        let (a, b) = (number(a), number(b));
        (a.min(b), a.max(b), false)
    });
    let mut all: Vec<_> = directed.chain(undirected).collect();
    all.sort_unstable();
    all
}

fn class(dag: &Dag) -> Vec<(usize, usize, bool)> {
    edges(&Cpdag::of(dag), |node| node)
}

#[test]
fn scale_and_origin_of_columns_make_no_difference() {
    let plain = rows();
    let moved: Vec<Vec<f64>> = plain
        .iter()
        .map(|row| {
            row.iter()
                .enumerate()
                .map(|(at, x)| x * [1e-6, -3.0, 1e4, 0.1, 7.0, -1e3, 2.0][at] + at as f64)
                .collect()
        })
        .collect();
    let (plain, moved) = (moments(&plain), moments(&moved));
    // All but ev-l0, which is about the variances themselves, and l1, whose penalty is in their units.
    for (method, score) in [("exact", "bic"), ("insertion", "bic"), ("exact", "bge"), ("pc", "auto")] {
        let (a, b) = (learn(&plain, method, score), learn(&moved, method, score));
        assert_eq!(a.cpdag, b.cpdag, "{method} {score}");
        assert!(a.dag.edge_count() > 0);
    }
}

#[test]
fn the_order_of_rows_makes_no_difference() {
    let plain = rows();
    let mut shuffled = plain.clone();
    shuffled.reverse();
    shuffled.rotate_left(77);
    let (plain, shuffled) = (moments(&plain), moments(&shuffled));
    for method in ["exact", "insertion", "pc"] {
        assert_eq!(learn(&plain, method, "auto").cpdag, learn(&shuffled, method, "auto").cpdag, "{method}");
    }
}

#[test]
fn the_order_of_columns_makes_no_difference() {
    let plain = rows();
    let mut rng = Rng::new(2);
    for _ in 0..3 {
        // Column `at` of the new table is column `from[at]` of the old one.
        let from = rng.permutation(NODES);
        let turned: Vec<Vec<f64>> =
            plain.iter().map(|row| from.iter().map(|&at| row[at]).collect()).collect();
        let (old, new) = (moments(&plain), moments(&turned));
        for (method, score) in [("exact", "bic"), ("exact", "ev-l0"), ("pc", "auto")] {
            let (a, b) = (learn(&old, method, score), learn(&new, method, score));
            assert_eq!(edges(&a.cpdag, |node| node), edges(&b.cpdag, |node| from[node]), "{method} {score}");
            if let (Some(a), Some(b)) = (a.score, b.score) {
                assert!((a - b).abs() <= 1e-9 * a.abs(), "{method} {score}: {a} {b}");
            }
        }
    }
}

#[test]
fn the_order_of_categories_and_their_columns_makes_no_difference_to_given_graphs() {
    let net = BayesNet::embedded("asia").unwrap();
    let data = net.sample(500, 4, BayesNet::TRAINING).unwrap();
    let dag = net.dag();
    let columns = data.columns();
    let from: Vec<usize> = (0..columns).rev().collect();
    let names = from.iter().map(|&at| data.names()[at].clone()).collect();
    // The categories of each column change places too.
    let levels = from.iter().map(|&at| data.levels(at).iter().rev().cloned().collect()).collect();
    let codes = from.iter().map(|&at| {
        let last = data.levels(at).len() as u8 - 1;
        data.column(at).iter().map(|code| last - code).collect()
    });
    let turned = Categories::new(names, levels, codes.collect()).unwrap();
    let renamed = dag.edges().map(|(a, b, weight)| (columns - 1 - a, columns - 1 - b, weight));
    let renamed = Dag::from_edges(columns, renamed).unwrap();
    let (a, b) = (graph_cost(&data, &Qnml, dag).unwrap(), graph_cost(&turned, &Qnml, &renamed).unwrap());
    assert!((a - b).abs() <= 1e-9 * a, "{a} {b}");
}

/// Rows that are there twice with half the weight are the rows.
#[test]
fn rows_count_as_much_as_they_weigh() {
    let plain = rows();
    let text = |rows: &[Vec<f64>], copies: usize, weight: f64| {
        let names: Vec<String> = (0..NODES).map(|at| format!("x{at}")).collect();
        let mut text = names.join(",") + ",weight\n";
        for row in rows {
            let fields: Vec<String> = row.iter().map(ToString::to_string).collect();
            text += &format!("{},{weight}\n", fields.join(",")).repeat(copies);
        }
        text
    };
    let reading =
        Reading { weights: Some("weight".to_owned()), kind: Some(Kind::Numbers), ..Reading::default() };
    let read = |text: String| {
        let data = Dataset::from_reader(text.as_bytes(), "weighted.csv", &reading).unwrap();
        data.observations(Centering::Center).unwrap()
    };
    let once = read(text(&plain, 1, 2.0));
    let twice = read(text(&plain, 2, 1.0));
    let (a, b) = (learn(&once, "exact", "bic"), learn(&twice, "exact", "bic"));
    assert_eq!(a.cpdag, b.cpdag);
    let (a, b) = (a.score.unwrap(), b.score.unwrap());
    assert!((a - b).abs() <= 1e-9 * a.abs(), "{a} {b}");
}

/// A column that is noise changes nothing among the others.
#[test]
fn a_column_of_noise_stays_alone() {
    let plain = rows();
    let mut rng = Rng::new(8);
    let wider: Vec<Vec<f64>> =
        plain.iter().map(|row| row.iter().copied().chain([common::normal(&mut rng)]).collect()).collect();
    for (method, score) in [("exact", "bic"), ("exact", "ev-l0"), ("insertion", "bic")] {
        let (a, b) = (learn(&moments(&plain), method, score), learn(&moments(&wider), method, score));
        assert!(b.dag.parents(NODES).is_empty() && b.dag.edges().all(|(from, ..)| from != NODES));
        assert_eq!(class(&a.dag).len(), class(&b.dag).len(), "{method} {score}");
        assert_eq!(edges(&a.cpdag, |node| node), edges(&b.cpdag, |node| node), "{method} {score}");
    }
}

/// However the rows come, one pass or many, in one thread or seven.
#[test]
fn threads_and_pieces_make_no_difference() {
    let plain = rows();
    let learned = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let learned = learn(&moments(&plain), "insertion", "bic");
            (learned.dag, learned.score, learn(&moments(&plain), "pl", "bic").order)
        })
    };
    let one = learned(1);
    for threads in [2, 7] {
        assert_eq!(one, learned(threads), "{threads} threads");
    }
    // Bytes in pieces of any size are the same table.
    let text: String = plain
        .iter()
        .map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    let header = (0..NODES).map(|at| format!("x{at}")).collect::<Vec<_>>().join(",") + "\n" + &text;
    let whole = Dataset::from_reader(header.as_bytes(), "data.csv", &Reading::default()).unwrap();
    for piece in [1, 7, 4096] {
        let read =
            Dataset::from_reader(Pieces(header.as_bytes(), piece), "data.csv", &Reading::default()).unwrap();
        assert_eq!(read.fingerprint(), whole.fingerprint(), "pieces of {piece}");
        assert!((0..NODES).all(|at| read.numbers(at) == whole.numbers(at)));
    }
}

/// A source that gives so many bytes at a time.
struct Pieces<'a>(&'a [u8], usize);

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.1.min(buffer.len());
        std::io::Read::read(&mut self.0, &mut buffer[..most])
    }
}

/// PC-stable by itself: its skeleton and arrows do not depend on the names of the columns.
#[test]
fn pc_is_stable() {
    let plain = rows();
    let gram = |rows: &[Vec<f64>]| Gram::from_rows(&rows.concat(), NODES, Centering::Center).unwrap();
    let found = |gram: &Gram| Pc::default().run(&FisherZ::new(gram, 0.05).unwrap(), &Run::default()).pattern;
    let turned: Vec<Vec<f64>> = plain.iter().map(|row| row.iter().rev().copied().collect()).collect();
    let (a, b) = (found(&gram(&plain)), found(&gram(&turned)));
    assert_eq!(edges(&a, |node| node), edges(&b, |node| NODES - 1 - node));
}
