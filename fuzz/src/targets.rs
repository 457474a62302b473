//! The readers, and what a caller does next with what they have read.

use plackett::{
    Order,
    optimizer::{Journal, Optimizer, Proposal},
    run::{Limits, Run},
    solver::Solver,
};
use plackett_dag::{
    BayesNet, Dataset, Knowledge, Model, Statistics, Support,
    dataset::{Kind as ColumnKind, Missing, Reading},
    format::{GraphFormat, parse_claim},
    gram::Centering,
};
use plackett_problems::{FlowShop, Instance, Kind};

use crate::Target;

/// All of them.
pub const TARGETS: [Target; 15] = [
    Target {
        name: "numbers",
        read: numbers,
        words: &["a,b,c", "NA", "1e3", "1,5", "\r\n", "\"a\"\"b\"", "# c"],
    },
    Target {
        name: "categories",
        read: categories,
        words: &["yes,no", "?", "NA", "<NA>", "\"x,y\"", "2020-01-01"],
    },
    Target { name: "mixed", read: mixed, words: &["NA", "", "nan", "x", "-999", "1e400", "TRUE", "weight"] },
    Target { name: "covariance", read: covariance, words: &["rows", "n", "correlation", "1.0"] },
    Target { name: "packed", read: packed, words: &["\u{1f}\u{8b}\u{8}", "PK\u{3}\u{4}", "PAR1", "ARROW1"] },
    Target {
        name: "graph",
        read: graph,
        words: &[
            "digraph",
            "graph",
            "dag",
            "->",
            "--",
            "<-",
            "subgraph",
            "strict",
            "<graphml",
            "<node id=",
            "<edge source=",
            "]]>",
            "<!--",
            "&amp;",
            "graph [",
            "node [ id",
            "edge [ source",
            "Graph Nodes:",
            "Graph Edges:",
            "1. a --> b",
            "o-o",
            "[a|b:c]",
            "\"edges\"",
            "\"cpdag\"",
            "\"undirected\"",
            "\"nodes\"",
            "\"from\"",
            "\"to\"",
        ],
    },
    Target {
        name: "bif",
        read: bif,
        words: &[
            "network",
            "variable",
            "type discrete",
            "probability",
            "table",
            "default",
            "|",
            "{",
            "}",
            "property",
        ],
    },
    Target {
        name: "problem",
        read: problem,
        words: &[
            "NAME:",
            "TYPE: TSP",
            "DIMENSION:",
            "EDGE_WEIGHT_TYPE:",
            "EXPLICIT",
            "EUC_2D",
            "GEO",
            "ATT",
            "CEIL_2D",
            "EDGE_WEIGHT_FORMAT:",
            "FULL_MATRIX",
            "LOWER_DIAG_ROW",
            "UPPER_ROW",
            "NODE_COORD_SECTION",
            "EDGE_WEIGHT_SECTION",
            "FIXED_EDGES_SECTION",
            "EOF",
            "-1",
            "number of jobs",
            "processing times :",
            "# ",
        ],
    },
    Target {
        name: "state",
        read: state,
        words: &[
            "\"items\":",
            "\"window\":",
            "\"constraints\":",
            "\"pins\":",
            "\"before\":",
            "null",
            "[]",
            "{}",
            "true",
            "\"settings\":",
        ],
    },
    Target {
        name: "support",
        read: support,
        words: &["\"nodes\":", "\"replicates\":", "[]", "null", "\"subject\""],
    },
    Target {
        name: "statistics",
        read: statistics,
        words: &["numbers", "categories", "mixed", "\"rows\":", "\"names\":", "\"columns\":"],
    },
    Target {
        name: "knowledge",
        read: knowledge,
        words: &[
            "/knowledge",
            "addtemporal",
            "forbiddirect",
            "requiredirect",
            "1*",
            "\"tiers\"",
            "\"required\"",
            "\"forbidden\"",
        ],
    },
    Target {
        name: "model",
        read: model,
        words: &[
            "\"nodes\":",
            "\"parents\":",
            "\"states\":",
            "\"table\":",
            "\"coefficients\":",
            "null",
            "[]",
        ],
    },
    Target {
        name: "worker",
        read: worker,
        words: &[
            "\"id\":",
            "\"value\":",
            "\"parts\":",
            "\"error\":",
            "NaN",
            "-Infinity",
            "null",
            "[1,2,3,4]",
        ],
    },
    Target {
        name: "journal",
        read: journal,
        words: &["\"by\":", "\"order\":", "\"value\":", "\"joined\":", "\"failed\":", "\"items\":"],
    },
];

/// What is not asked for takes no more than this.
const MOST_BYTES: usize = 1 << 24;

fn reading() -> Reading {
    Reading { most_bytes: Some(MOST_BYTES), ..Reading::default() }
}

/// Reads a table and goes on to what is learned from.
fn table(bytes: &[u8], reading: &Reading) -> bool {
    let Ok(data) = Dataset::from_reader(bytes, "data.csv", reading) else { return false };
    let told: Vec<String> = data.faults().iter().chain(&data.warnings()).map(ToString::to_string).collect();
    assert!(told.iter().all(|finding| !finding.is_empty()));
    data.clone().sample().ok();
    data.observations(Centering::Center).is_ok()
}

fn numbers(bytes: &[u8]) -> bool {
    let kind = Some(ColumnKind::Numbers);
    table(bytes, &Reading { kind, missing: Missing::Drop, ..reading() });
    table(bytes, &Reading { kind, ..reading() })
}

fn categories(bytes: &[u8]) -> bool {
    let kind = Some(ColumnKind::Categories);
    table(bytes, &Reading { kind, missing: Missing::Category, ..reading() });
    table(bytes, &Reading { kind, ..reading() })
}

fn mixed(bytes: &[u8]) -> bool {
    table(bytes, &Reading { missing: Missing::Em, ..reading() });
    table(bytes, &Reading { weights: Some("weight".to_owned()), header: Some(true), ..reading() });
    table(bytes, &reading())
}

fn covariance(bytes: &[u8]) -> bool {
    table(bytes, &Reading { covariance: true, covariance_rows: Some(100), ..reading() })
}

fn packed(bytes: &[u8]) -> bool {
    table(bytes, &reading())
}

fn graph(bytes: &[u8]) -> bool {
    let files = ["graph.csv", "graph.json", "graph.dot", "graph.graphml", "graph.gml", "graph.txt"];
    let read = |file: &&str| {
        let Ok(claim) = parse_claim(bytes, file) else { return false };
        for name in GraphFormat::NAMES {
            GraphFormat::by_name(name).and_then(|format| claim.write(format)).ok();
        }
        true
    };
    files.iter().filter(|file| read(file)).count() > 0
}

fn bif(bytes: &[u8]) -> bool {
    let Ok(network) = BayesNet::from_bif(&String::from_utf8_lossy(bytes), "net.bif") else { return false };
    assert!(BayesNet::from_bif(&network.to_bif(), "again.bif").is_ok());
    true
}

fn problem(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let value = |problem: &dyn Instance| {
        let order: Vec<usize> = (0..problem.items()).collect();
        problem.value(&order);
        problem.best_known();
    };
    if let Ok(shops) = FlowShop::parse_all("a.txt", &text) {
        shops.iter().for_each(|shop| value(shop));
    }
    let kinds = Kind::ALL.into_iter().map(Ok).chain([Kind::detect("a.txt", &text)]);
    let read = |kind: Result<Kind, plackett_problems::Error>| {
        let problem = kind.and_then(|kind| kind.parse("a.txt", &text));
        problem.map(|problem| value(problem.as_ref())).is_ok()
    };
    kinds.filter_map(|kind| read(kind).then_some(())).count() > 0
}

fn state(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(mut optimizer) = Optimizer::from_json(&text) {
        for proposal in optimizer.ask(3) {
            optimizer.tell(&proposal.order, 1.0).ok();
        }
        optimizer.best();
        assert!(Optimizer::from_json(&optimizer.to_json().unwrap_or_default()).is_ok());
        return true;
    }
    let Ok(mut solver) = Solver::from_json(&text) else { return false };
    let problem = Climbing(solver.items());
    solver.run(&problem, &Run::new(Limits::evaluations(solver.evaluations().saturating_add(50)))).ok();
    true
}

/// Orders that climb are good.
struct Climbing(usize);

impl plackett::problem::Problem for Climbing {
    fn items(&self) -> usize {
        self.0
    }

    fn value(&self, order: &[usize]) -> f64 {
        order.iter().enumerate().map(|(rank, &item)| rank.abs_diff(item) as f64).sum()
    }
}

fn support(bytes: &[u8]) -> bool {
    let Ok(support) = Support::from_json(&String::from_utf8_lossy(bytes), "") else { return false };
    support.pairs().for_each(drop);
    support.consensus(0.5);
    true
}

/// Both as they are and with the checksum that they would have.
fn statistics(bytes: &[u8]) -> bool {
    let body = bytes.len().saturating_sub(Statistics::CHECKSUM);
    let read = |bytes: &[u8]| {
        let Ok(mut whole) = Statistics::from_bytes(bytes, "data.stat") else { return false };
        whole.merge(&whole.clone()).ok();
        if let Ok(data) = whole.into_dataset("data.stat", &reading()) {
            data.observations(Centering::Center).ok();
        }
        true
    };
    read(bytes) || read(&Statistics::sealed(&bytes[..body]))
}

fn knowledge(bytes: &[u8]) -> bool {
    let Ok(knowledge) = Knowledge::parse(&String::from_utf8_lossy(bytes)) else { return false };
    let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
    knowledge.resolve(&names).is_ok()
}

fn model(bytes: &[u8]) -> bool {
    if !Model::is_document(bytes) {
        return false;
    }
    let Ok(model) = Model::from_json(bytes, "model.json") else { return false };
    assert!(Model::from_json(model.to_json().as_bytes(), "again.json").is_ok());
    model.to_network();
    true
}

fn worker(bytes: &[u8]) -> bool {
    let proposal = Proposal { id: 7, order: Order::identity(4) };
    let text = String::from_utf8_lossy(bytes);
    let answers = text.lines().filter(|line| plackett_cli::worker_answer(line, &proposal).is_ok());
    answers.count() > 0
}

fn journal(bytes: &[u8]) -> bool {
    let path = std::env::temp_dir().join(format!("plackett-fuzz-{}.journal", std::process::id()));
    let written = std::fs::write(&path, bytes).map_err(|_| ());
    let read = written.and_then(|()| Journal::join(&path, 4, "test").map_err(|_| ()));
    let is_read = read.is_ok_and(|mut journal| journal.news().is_ok_and(|news| !news.is_empty()));
    std::fs::remove_file(&path).ok();
    is_read
}
