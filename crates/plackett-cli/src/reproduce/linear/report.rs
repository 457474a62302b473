//! The tables as cells, Markdown, CSV and a plot of the objective against time.

use super::{Done, GRAPHS, Graph, Measured, Preparation, THRESHOLD, methods::METHODS};
use crate::{
    console,
    plot::{Color, Curve, Figure, Panel},
    reproduce::{
        Report,
        cells::{self, Cell, Metric, Setting},
        paper, pictures,
    },
};
use plackett::elementary::log10;

const METRICS: [Metric<Measured>; 8] = [
    Metric {
        name: "val_q_diff",
        heading: "Val Q − Q*",
        paper: "val_q_diff",
        digits: 1,
        pick: |m| m.val_q_diff,
    },
    Metric { name: "shd", heading: "SHD", paper: "shd", digits: 1, pick: |m| Some(m.shd) },
    Metric {
        name: "shd_cpdag",
        heading: "SHD-CPDAG",
        paper: "shd_cpdag",
        digits: 1,
        pick: |m| Some(m.shd_cpdag),
    },
    Metric { name: "sid", heading: "SID", paper: "sid", digits: 1, pick: |m| Some(m.sid) },
    Metric {
        name: "shd_threshold",
        heading: "SHD above 0.3",
        paper: "shd",
        digits: 1,
        pick: |m| Some(m.above_threshold?[0]),
    },
    Metric {
        name: "shd_cpdag_threshold",
        heading: "SHD-CPDAG above 0.3",
        paper: "shd_cpdag",
        digits: 1,
        pick: |m| Some(m.above_threshold?[1]),
    },
    Metric {
        name: "sid_threshold",
        heading: "SID above 0.3",
        paper: "sid",
        digits: 1,
        pick: |m| Some(m.above_threshold?[2]),
    },
    Metric { name: "seconds", heading: "seconds", paper: "seconds", digits: 2, pick: |m| Some(m.seconds) },
];

/// The number of the table of so many nodes.
fn table_name(nodes: usize) -> &'static str {
    match nodes {
        10 => "table1",
        20 => "table2",
        _ => "table3",
    }
}

fn setting(nodes: usize, graph: Graph, preparation: Preparation) -> Setting {
    let published = preparation == Preparation::Raw;
    Setting { table: table_name(nodes), graph: graph.name, nodes, data: preparation.name(), published }
}

pub(super) fn make(nodes: usize, done: &[Done], seeds: &[u64]) -> anyhow::Result<Report> {
    let published = paper::figures()?;
    let table = table_name(nodes);
    let mut all = Vec::new();
    for preparation in [Preparation::Raw, Preparation::Standardized] {
        for graph in GRAPHS {
            for method in &METHODS {
                let results = done.iter().filter(|(job, _)| {
                    job.preparation == preparation && job.graph == graph && job.method.name == method.name
                });
                let results: Vec<&Measured> = results.map(|(_, measured)| measured).collect();
                let setting = setting(nodes, graph, preparation);
                all.extend(setting.cells(method.name, &METRICS, &results, &published));
            }
        }
    }
    let figure = objective_against_time(nodes, done)?;
    let mut files = vec![(format!("{table}.csv"), cells::csv(&all)?)];
    files.extend(pictures(table, figure));
    files.push((format!("{table}.md"), markdown(nodes, &all, seeds).into_bytes()));
    let text = GRAPHS.iter().map(|&graph| text(nodes, graph, &all)).collect::<Vec<_>>().join("\n\n");
    Ok(Report { cells: all, text, files })
}

fn rows(nodes: usize, graph: Graph, preparation: Preparation, cells: &[Cell]) -> Vec<Vec<String>> {
    setting(nodes, graph, preparation).rows(METHODS.iter().map(|method| method.name), &METRICS, cells)
}

fn text(nodes: usize, graph: Graph, all: &[Cell]) -> String {
    let table = console::table(&cells::header(&METRICS), rows(nodes, graph, Preparation::Raw, all));
    format!("{}, {nodes} nodes, raw data; [the paper's mean]\n{table}", graph.name)
}

fn markdown(nodes: usize, all: &[Cell], seeds: &[u64]) -> String {
    let mut text = format!(
        "# {}: {nodes} nodes\n\nMean ± standard deviation over seeds {seeds:?}; the paper's mean in brackets. Linear models with \
         weights ±U(0.5, 2) and noise N(0, 1), 1000 rows to learn from and 1000 to validate on, λ = 0.5. Val Q − Q* compares \
         the objective of the learned weights with that of the true ones on the validation rows. The paper does not say which \
         weights it counts as edges, and probably counted |w| > {THRESHOLD}, as the code that it follows does: for every method \
         on its objective the counts without smaller weights (`plackett learn --threshold {THRESHOLD}`) stand beside those of all, \
         the paper's figure beside both.\n\n",
        table_name(nodes),
    );
    for method in METHODS.iter().filter(|method| !method.note.is_empty()) {
        text += &format!("- {}: {}\n", method.name, method.note);
    }
    for preparation in [Preparation::Raw, Preparation::Standardized] {
        for graph in GRAPHS {
            let rows = rows(nodes, graph, preparation, all);
            if !rows.is_empty() {
                text += &format!("\n## {}, {} data\n\n", graph.name, preparation.name());
                text += &cells::markdown(&cells::header(&METRICS), &rows);
            }
        }
    }
    text += &format!("\n![The training objective against time]({}.svg)\n", table_name(nodes));
    text
}

/// How the methods look in the plot; those that do not minimize the paper's objective are not in it. Methods that have an
/// answer only at their end are dots, so they can share colors with those that are lines.
const LOOKS: [(&str, Color, bool); 11] = [
    ("PL-RELAX", Color::Green, false),
    ("PL", Color::Blue, false),
    ("PL-REINFORCE", Color::Vermilion, false),
    ("PL-SURROGATE", Color::Sky, true),
    ("PL-RELAX+INSERTION", Color::Green, true),
    ("INSERTION", Color::Black, false),
    ("VARIANCE-SORT", Color::Purple, false),
    ("SINKHORN_ECP", Color::Orange, false),
    ("URS_ECP", Color::Sky, false),
    ("SINKHORN", Color::Vermilion, true),
    ("URS", Color::Blue, true),
];

/// The first seed of each graph: the training objective's distance from the best one known, on a logarithmic scale.
fn objective_against_time(nodes: usize, done: &[Done]) -> anyhow::Result<Figure> {
    const SMALLEST_GAP: f64 = 1e-6;
    let mut panels = Vec::new();
    for graph in GRAPHS {
        let of_graph = || {
            let first =
                done.iter().find(|(job, _)| job.graph == graph && job.preparation == Preparation::Raw);
            let seed = first.map(|(job, _)| job.seed);
            done.iter().filter(move |(job, _)| {
                job.graph == graph && job.preparation == Preparation::Raw && Some(job.seed) == seed
            })
        };
        let in_plot = |name: &str| LOOKS.iter().any(|(look, ..)| *look == name);
        let best = of_graph().filter(|(job, _)| in_plot(job.method.name)).flat_map(|(_, m)| &m.trace);
        let best = best.map(|(_, objective)| *objective).fold(f64::INFINITY, f64::min);
        let gap = |&(seconds, objective): &(f64, f64)| (seconds, log10((objective - best).max(SMALLEST_GAP)));
        let curves = LOOKS.iter().filter_map(|&(name, color, dashed)| {
            let (_, measured) = of_graph().find(|(job, _)| job.method.name == name)?;
            let points = measured.trace.iter().map(gap).collect();
            Some(Curve { label: name.to_owned(), points, band: Vec::new(), color, dashed })
        });
        panels.push(Panel {
            title: format!("{}, {nodes} nodes", graph.name),
            x_label: "seconds".to_owned(),
            y_label: "log10 of Q above the best".to_owned(),
            log_x: true,
            curves: curves.collect(),
            ..Panel::default()
        });
    }
    Figure::draw("Training objective against time, first seed", &panels, 2)
}
