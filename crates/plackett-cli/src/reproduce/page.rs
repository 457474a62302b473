//! The page of `--report`: each experiment as tables with the paper's figures beside ours, and its pictures.

use plackett_report::{Html, Page, shell_command};

use super::{Arguments, Cell, PARTIAL, Report};

/// The page as it grows.
pub(super) struct Experiments {
    page: Page,
    command: String,
}

/// What an experiment is called in the page.
const HEADINGS: [(&str, &str, &str); 6] = [
    ("figure1", "Figure 1", "Training curves and the variance of gradients on the toy problem."),
    ("table1", "Table 1", "Structure learning on 10 nodes."),
    ("table2", "Table 2", "Structure learning on 20 nodes."),
    ("table3", "Table 3", "Structure learning on 50 nodes."),
    ("table4", "Table 4", "Structure learning from categories."),
    ("variance", "Variance", "The variance of every estimator on eight objectives, past the paper."),
];

impl Experiments {
    pub(super) fn new(arguments: &Arguments, seeds: &[u64]) -> Self {
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        let form =
            if arguments.quick { " The short form: a first look, not the experiment itself." } else { "" };
        let of =
            if seeds.len() == 1 { "Figures of seed" } else { "Means and standard deviations over the seeds" };
        let lead =
            format!("{of} {}, with the paper’s beside them where it has them.{form}", seeds.join(", "));
        let mut words: Vec<String> =
            ["plackett", "reproduce", arguments.experiment.word()].map(str::to_owned).to_vec();
        let mut add = |flag: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [format!("--{flag}"), value]));
        };
        add("seeds", arguments.seeds.map(|count| count.to_string()));
        add("seed", (arguments.common.seed != 0).then(|| arguments.common.seed.to_string()));
        add("data", arguments.data.as_ref().map(|path| path.display().to_string()));
        add("out", Some(arguments.out.display().to_string()));
        if arguments.quick {
            words.push("--quick".to_owned());
        }
        let command = shell_command(words.iter().map(String::as_str));
        Self { page: Page::new("The paper’s experiments again", &lead), command }
    }

    /// Adds an experiment with its cells, and the pictures among its files.
    pub(super) fn add(&mut self, name: &str, report: &Report, is_partial: bool) {
        let Some(&(id, heading, note)) = HEADINGS.iter().find(|(id, ..)| *id == name) else { return };
        let mut body = Html::paragraph(note);
        if is_partial {
            body.extend([Html::paragraph(PARTIAL)]);
        }
        for (_, svg) in report.files.iter().filter(|(name, _)| name.strip_suffix(".svg").is_some()) {
            let svg = String::from_utf8_lossy(svg).into_owned();
            body.extend([Html::element("figure", "picture", &Html::trusted(svg))]);
        }
        body.extend(tables(&report.cells));
        self.page.section(id, heading, &body);
    }

    pub(super) fn html(mut self) -> String {
        let note = format!("With plackett {}.", env!("CARGO_PKG_VERSION"));
        let again = [Html::paragraph(&note), Html::code(&self.command)];
        self.page.section("again", "Run it again", &again.into_iter().collect());
        self.page.to_html()
    }
}

/// A table for each kind of data: methods down, metrics across, the paper's mean beside ours where it has one.
fn tables(cells: &[Cell]) -> Vec<Html> {
    let kind = |cell: &Cell| (cell.graph.clone(), cell.nodes, cell.data);
    let mut html = Vec::new();
    for each in distinct(cells.iter().map(kind)) {
        let of_kind: Vec<&Cell> = cells.iter().filter(|cell| kind(cell) == each).collect();
        let metrics = distinct(of_kind.iter().map(|cell| cell.metric));
        let is_published =
            |metric: &str| of_kind.iter().any(|cell| cell.metric == metric && cell.paper_mean.is_some());
        let mut head = vec![("method".to_owned(), false)];
        for metric in &metrics {
            let name = heading(metric);
            head.push((name.clone(), true));
            head.extend(is_published(metric).then(|| (format!("{name}, paper"), true)));
        }
        let rows = distinct(of_kind.iter().map(|cell| cell.method.clone())).into_iter().map(|method| {
            let mut row = vec![method.clone()];
            for metric in &metrics {
                let cell = of_kind.iter().find(|cell| cell.method == method && cell.metric == *metric);
                row.push(cell.map_or_else(String::new, |cell| spread(cell.mean, Some(cell.std))));
                if is_published(metric) {
                    let paper = cell.and_then(|cell| Some((cell.paper_mean?, cell.paper_std)));
                    row.push(paper.map_or_else(String::new, |(mean, std)| spread(mean, std)));
                }
            }
            row
        });
        let head: Vec<(&str, bool)> =
            head.iter().map(|(name, is_number)| (name.as_str(), *is_number)).collect();
        let (graph, nodes, data) = each;
        let caption = format!("{graph}, {nodes} nodes, {data}");
        html.push(Html::element("h3", "", &Html::text(&caption)));
        html.push(Html::table(&caption, &head, rows));
    }
    html
}

/// A metric as a reader of the paper knows it.
fn heading(metric: &str) -> String {
    let (name, note) = metric.strip_suffix("_threshold").map_or((metric, ""), |name| (name, " above 0.3"));
    let name = match name {
        "val_q_diff" => "Val Q − Q*".to_owned(),
        "shd" | "sid" => name.to_uppercase(),
        "shd_cpdag" => "SHD-CPDAG".to_owned(),
        other => other.replace('_', " "),
    };
    name + note
}

/// A mean with its standard deviation, to three digits or so.
fn spread(mean: f64, std: Option<f64>) -> String {
    let digits = match mean.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 || size == 0.0 => 2,
        _ => 4,
    };
    match std {
        Some(std) => format!("{mean:.digits$} ± {std:.digits$}"),
        None => format!("{mean:.digits$}"),
    }
}

/// Each thing once, in the order of its first.
fn distinct<T: PartialEq>(things: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    things.for_each(|thing| {
        if !seen.contains(&thing) {
            seen.push(thing);
        }
    });
    seen
}
