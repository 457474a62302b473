//! A causal graph from a table: edges that can be trusted, and how to see which cannot. `causal_discovery.py` is the same in
//! Python.
//!
//! Run it with `cargo run --release --example causal_discovery`.
#![allow(clippy::print_stdout)]

use std::sync::Arc;

use plackett::run::Run;
use plackett_dag::{
    BayesNet, Error, Gram, Learning, NamedDag, Observations, ScoreChoice, Sem, Table,
    format::{CpdagDocument, to_dot},
    gram::Centering,
    learning::SearchSettings,
    metrics::{compare, shd, shd_cpdag},
    simulate::{SemSettings, simulate_sem},
};

/// The second moments of numbers, which are all that the scores need.
fn moments(rows: &Table, centering: Centering) -> Result<Observations, Error> {
    let gram = Gram::from_rows(rows.values(), rows.columns(), centering)?;
    Ok(Observations::Numbers(Arc::new(gram)))
}

fn main() -> Result<(), Error> {
    // Categories: records of patients with diseases of the lung, drawn from a network whose graph is known.
    let network = BayesNet::embedded("asia")?;
    let patients = Observations::Categories(network.sample(10_000, 0, BayesNet::TRAINING)?.into());
    let learning = Learning {
        search: SearchSettings { posterior: true, ..SearchSettings::default() },
        ..Learning::default()
    };
    let found = learning.run(&patients, &Run::default())?;
    let names = network.names();
    for (cause, effect, weight) in found.dag.edges() {
        println!("{:>6} -> {:<6}  the score would lose {weight:.1} without it", names[cause], names[effect]);
    }

    // Which directions do the data tell? Graphs of one equivalence class fit the data equally well.
    let class = CpdagDocument::new(names, &found.cpdag);
    println!("told by the data: {:?}", class.directed);
    println!("either way: {:?}", class.undirected);

    // How sure is it? The posterior probability of every edge, whether the graph has it or not.
    let probabilities = found.probabilities.as_ref().expect("they were asked for");
    for (cause, row) in names.iter().zip(probabilities.chunks_exact(names.len())) {
        println!("{cause:>6} causes {row:.2?}");
    }

    // The truth is known here, so the graph can be compared with it.
    let class_distance = shd_cpdag(network.dag(), &found.dag)?;
    println!("SHD of the classes: {class_distance}");

    // Numbers: a random linear model of 12 variables. If the noise is of one size, every direction can be told.
    let model = simulate_sem(&SemSettings { nodes: 12, degree: 2, ..SemSettings::default() }, 0)?;
    let rows = model.sample(1000, Sem::TRAINING);
    let raw = moments(&rows, Centering::Center)?;
    let learned = Learning::default().run(&raw, &Run::default())?;
    println!(
        "{}, because {}",
        learned.score_name.unwrap_or_default(),
        learned.score_choice.unwrap_or_default()
    );
    println!("SHD: {}", shd(model.dag(), &learned.dag)?);
    println!("SID: {}", compare(model.dag(), &learned.dag)?.sid);

    // On standardized data only the equivalence class can be found.
    let standardized = moments(&rows, Centering::Standardize)?;
    let by_bic = Learning { score: ScoreChoice::from("bic"), ..Learning::default() };
    let by_bic = by_bic.run(&standardized, &Run::default())?;
    println!("SHD of the classes on standardized data: {}", shd_cpdag(model.dag(), &by_bic.dag)?);

    // On to other tools.
    let picture = to_dot(&NamedDag::new(rows.names().to_vec(), learned.dag.clone())?, |_, _| false);
    println!("the picture begins {:?}", &picture[..20]);

    assert_eq!(shd(model.dag(), &learned.dag)?, 0);
    assert!(class_distance <= 3);
    Ok(())
}
