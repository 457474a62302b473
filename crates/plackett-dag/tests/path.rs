//! Edges along other values of a setting, against graphs learned at those values one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use plackett::run::{Limits, Run};
use plackett_dag::{
    BayesNet, Error, Gram, LearnMethod, Learning, Observations, ScoreChoice, Sem,
    gram::Centering,
    learning::{CategorySettings, NumberSettings, TestSettings},
    simulate::{SemSettings, simulate_sem},
};

fn numbers() -> Observations {
    let sem = simulate_sem(&SemSettings { nodes: 8, degree: 2, ..SemSettings::default() }, 4).unwrap();
    let data = sem.sample(60, Sem::TRAINING);
    Observations::Numbers(Arc::new(Gram::from_rows(data.values(), 8, Centering::Center).unwrap()))
}

fn categories() -> Observations {
    Observations::Categories(
        BayesNet::embedded("asia").unwrap().sample(800, 0, BayesNet::TRAINING).unwrap().into(),
    )
}

fn by_method(name: &str) -> Learning {
    Learning { method: LearnMethod::by_name(name).unwrap(), ..Learning::default() }
}

fn by_score(name: &str) -> Learning {
    Learning { score: ScoreChoice::from(name), ..Learning::default() }
}

#[test]
fn every_point_is_the_graph_learned_at_its_value() {
    let with = |learning: &Learning, setting: &str, value: f64| {
        let mut learning = learning.clone();
        match setting {
            "penalty" => learning.numbers = NumberSettings { penalty: Some(value), ..learning.numbers },
            "lambda" => learning.numbers = NumberSettings { lambda: Some(value), ..learning.numbers },
            "alpha" => learning.tests = TestSettings { alpha: Some(value), ..learning.tests },
            _ => {
                let equivalent_sample_size = Some(value);
                learning.categories = CategorySettings { equivalent_sample_size, ..learning.categories };
            }
        }
        learning
    };
    for (data, learning, setting) in [
        (numbers(), by_score("bic"), "penalty"),
        (numbers(), by_score("ev-l0"), "penalty"),
        (numbers(), by_score("l1"), "lambda"),
        (numbers(), by_method("pc"), "alpha"),
        (categories(), by_score("bdeu"), "equivalent_sample_size"),
        (categories(), by_method("pc"), "alpha"),
    ] {
        let learned = learning.run(&data, &Run::default()).unwrap();
        let path = learning.path(&data, &learned, &Run::default()).unwrap();
        assert_eq!(path.setting, setting);
        assert!(path.points.len() >= 8 && path.points.is_sorted_by(|a, b| a.price < b.price));
        let mut edges = Vec::new();
        for point in &path.points {
            let again = with(&learning, setting, point.price).run(&data, &Run::default()).unwrap();
            assert_eq!(again.dag.edge_count(), point.edges.len(), "{setting} {}", point.price);
            assert_eq!(again.cpdag, point.cpdag, "{setting} {}", point.price);
            edges.push(point.edges.len());
        }
        // A dear price leaves fewer edges than a cheap one; levels and priors matter, but tests need not keep more at larger ones.
        let (first, last) = (edges[0], edges[edges.len() - 1]);
        let is_price = setting == "penalty" || setting == "lambda";
        assert!(!is_price || first > last, "{setting} {edges:?}");
        assert!(edges.iter().any(|&count| count != first), "{setting} {edges:?}");
        for edge in &path.edges {
            let there: Vec<f64> = path
                .points
                .iter()
                .filter(|point| {
                    let joined = [(edge.from, edge.to), (edge.to, edge.from)];
                    point.edges.iter().any(|pair| joined.contains(pair))
                })
                .map(|point| point.price)
                .collect();
            assert_eq!((there.first(), there.last()), (Some(&edge.lowest), Some(&edge.highest)));
            assert_eq!(there.len(), edge.count);
            assert_eq!(edge.is_learned, learned.dag.has_edge(edge.from, edge.to));
        }
        assert_eq!(path.edges.iter().filter(|edge| edge.is_learned).count(), learned.dag.edge_count());
    }
}

#[test]
fn scores_without_a_price_are_refused_with_the_reason() {
    let data = numbers();
    let learning = by_score("bge");
    let learned = learning.run(&data, &Run::default()).unwrap();
    let refused = learning.path(&data, &learned, &Run::default()).unwrap_err();
    assert!(
        matches!(&refused, Error::Misfit { setting: "path", reason } if reason.contains("bge has none")),
        "{refused}"
    );
}

/// However early the end comes, the points that are there are whole, and the graph that was learned is among them.
#[test]
fn an_early_end_leaves_whole_points() {
    let data = numbers();
    let learning = by_score("bic");
    let learned = learning.run(&data, &Run::default()).unwrap();
    let whole = learning.path(&data, &learned, &Run::default()).unwrap();
    let looks = AtomicU64::new(0);
    let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
    learning.path(&data, &learned, &Run::by(&clock, Limits::time(Duration::from_secs(u64::MAX)))).unwrap();
    let all = looks.load(Ordering::Relaxed);
    for part in [0, all / 3, 2 * all / 3] {
        let looks = AtomicU64::new(0);
        let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
        let run = Run::by(&clock, Limits::time(Duration::from_secs(part)));
        let path = learning.path(&data, &learned, &run).unwrap();
        assert!(path.points.iter().any(|point| point.price == path.learned_at));
        assert!(path.points.len() < whole.points.len());
        for point in &path.points {
            let same = whole.points.iter().find(|other| other.price == point.price).unwrap();
            assert_eq!(point.cpdag, same.cpdag);
        }
    }
}
