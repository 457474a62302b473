//! The tables as cells, Markdown, CSV and a plot of the objective against time.

use super::{Done, GRAPHS, Measured, Preparation, methods::METHODS, paper};
use crate::{
    console,
    files::OutDir,
    plot::{Color, Curve, Figure, Panel},
    reproduce::{Cell, Report},
    statistics::mean_std,
};

/// A metric of the tables: its name, its heading, and where it is found.
struct Metric {
    name: &'static str,
    heading: &'static str,
    digits: usize,
    pick: fn(&Measured) -> Option<f64>,
}

const METRICS: [Metric; 5] = [
    Metric { name: "val_q_diff", heading: "Val Q − Q*", digits: 1, pick: |m| m.val_q_diff },
    Metric { name: "shd", heading: "SHD", digits: 1, pick: |m| Some(m.shd) },
    Metric { name: "shd_cpdag", heading: "SHD-CPDAG", digits: 1, pick: |m| Some(m.shd_cpdag) },
    Metric { name: "sid", heading: "SID", digits: 1, pick: |m| Some(m.sid) },
    Metric { name: "seconds", heading: "seconds", digits: 2, pick: |m| Some(m.seconds) },
];

/// The number of the table of so many nodes.
fn table_name(nodes: usize) -> &'static str {
    match nodes {
        10 => "table1",
        20 => "table2",
        _ => "table3",
    }
}

pub(super) fn make(out: &OutDir, nodes: usize, done: &[Done], seeds: &[u64]) -> anyhow::Result<Report> {
    let published = paper::figures()?;
    let table = table_name(nodes);
    let mut cells = Vec::new();
    for preparation in [Preparation::Raw, Preparation::Standardised] {
        for graph in GRAPHS {
            for method in &METHODS {
                let results = done.iter().filter(|(job, _)| {
                    job.preparation == preparation && job.graph == graph && job.method.name == method.name
                });
                let results: Vec<&Measured> = results.map(|(_, measured)| measured).collect();
                for metric in &METRICS {
                    let values: Vec<f64> =
                        results.iter().filter_map(|measured| (metric.pick)(measured)).collect();
                    if values.is_empty() {
                        continue;
                    }
                    let (mean, std) = mean_std(&values);
                    let paper = published.iter().find(|figure| {
                        preparation == Preparation::Raw
                            && figure.nodes == nodes
                            && figure.graph == graph.name
                            && figure.method == method.name
                            && figure.metric == metric.name
                    });
                    cells.push(Cell {
                        table,
                        graph: graph.name.to_owned(),
                        nodes,
                        data: preparation.name(),
                        method: method.name.to_owned(),
                        metric: metric.name,
                        mean,
                        std,
                        paper_mean: paper.map(|figure| figure.mean),
                        paper_std: paper.map(|figure| figure.std),
                    });
                }
            }
        }
    }
    let mut csv = csv::Writer::from_writer(Vec::new());
    for cell in &cells {
        csv.serialize(cell)?;
    }
    let figure = objective_against_time(nodes, done)?;
    let files = vec![
        out.write(&format!("{table}.csv"), &csv.into_inner()?)?,
        out.write(&format!("{table}.svg"), figure.svg.as_bytes())?,
        out.write(&format!("{table}.png"), &figure.png)?,
        out.write(&format!("{table}.md"), markdown(nodes, &cells, seeds).as_bytes())?,
    ];
    let text = GRAPHS.iter().map(|graph| text(nodes, graph.name, &cells)).collect::<Vec<_>>().join("\n\n");
    Ok(Report { cells, text, files })
}

/// The rows of one graph on one preparation: the method, then each metric as ours with the paper's behind it.
fn rows(cells: &[Cell], graph: &str, preparation: Preparation) -> Vec<Vec<String>> {
    let of_graph = |cell: &&Cell| cell.graph == graph && cell.data == preparation.name();
    let mut rows = Vec::new();
    for method in &METHODS {
        let of_method: Vec<&Cell> =
            cells.iter().filter(of_graph).filter(|cell| cell.method == method.name).collect();
        if of_method.is_empty() {
            continue;
        }
        let mut row = vec![method.name.to_owned()];
        for Metric { name, digits, .. } in &METRICS {
            let cell = of_method.iter().find(|cell| cell.metric == *name);
            row.push(cell.map_or("-".to_owned(), |cell| match cell.paper_mean {
                Some(paper) => format!("{:.digits$} ± {:.digits$} [{paper}]", cell.mean, cell.std),
                None => format!("{:.digits$} ± {:.digits$}", cell.mean, cell.std),
            }));
        }
        rows.push(row);
    }
    rows
}

fn header() -> Vec<&'static str> {
    std::iter::once("method").chain(METRICS.iter().map(|metric| metric.heading)).collect()
}

fn text(nodes: usize, graph: &str, cells: &[Cell]) -> String {
    let table = console::table(&header(), rows(cells, graph, Preparation::Raw));
    format!("{graph}, {nodes} nodes, raw data; [the paper's mean]\n{table}")
}

fn markdown(nodes: usize, cells: &[Cell], seeds: &[u64]) -> String {
    let mut text = format!(
        "# {}: {nodes} nodes\n\nMean ± standard deviation over seeds {seeds:?}; the paper's mean in brackets. Linear models with \
         weights ±U(0.5, 2) and noise N(0, 1), 1000 rows to learn from and 1000 to validate on, λ = 0.5. Val Q − Q* compares \
         the objective of the learned weights with that of the true ones on the validation rows.\n\n",
        table_name(nodes),
    );
    for method in METHODS.iter().filter(|method| !method.note.is_empty()) {
        text += &format!("- {}: {}\n", method.name, method.note);
    }
    let line = |row: &[String]| format!("| {} |\n", row.join(" | "));
    for preparation in [Preparation::Raw, Preparation::Standardised] {
        for graph in GRAPHS {
            let rows = rows(cells, graph.name, preparation);
            if rows.is_empty() {
                continue;
            }
            text += &format!("\n## {}, {} data\n\n", graph.name, preparation.name());
            let header: Vec<String> = header().into_iter().map(str::to_owned).collect();
            text += &line(&header);
            text += &line(&vec!["---".to_owned(); header.len()]);
            rows.iter().for_each(|row| text += &line(row));
        }
    }
    text += &format!("\n![The training objective against time]({}.svg)\n", table_name(nodes));
    text
}

/// How the methods look in the plot; those that do not minimise the paper's objective are not in it. Methods that have an
/// answer only at their end are dots, so they can share colours with those that are lines.
const LOOKS: [(&str, Color, bool); 10] = [
    ("PL-RELAX", Color::Green, false),
    ("PL", Color::Blue, false),
    ("PL-REINFORCE", Color::Vermilion, false),
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
        let gap =
            |&(seconds, objective): &(f64, f64)| (seconds, (objective - best).max(SMALLEST_GAP).log10());
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
