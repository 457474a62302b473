//! Figure 1: training curves and log-variance of the gradient for EXACT, REINFORCE, PL-REBAR and PL-RELAX on the toy
//! problem, several seeds as a band; and the same for the categorical distribution, REBAR's own toy. Beside the paper's four
//! there are two that it lacks: REINFORCE with the mean taken off, and over orders the surrogate.

use plackett::{
    run::{Ending, Limits, Progress, Run},
    trial::Outcomes,
};
use rayon::prelude::*;

use super::{Cell, Report, Wish, pictures};
use crate::{
    console, interrupt,
    plot::{Color, Curve, Figure, Panel},
    summary::mean_std,
    toy::{self, BaselineKind, EstimatorKind, Record, Settings, Trained},
};

const STEPS: u64 = 50_000;
const QUICK_STEPS: u64 = 5_000;
const OFFSET: f64 = 0.05;

/// A column of the figure: what is chosen among how many items.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Task {
    problem: Outcomes,
    items: usize,
}

const TASKS: [Task; 3] = [
    Task { problem: Outcomes::Orders, items: 8 },
    Task { problem: Outcomes::Items, items: 2 },
    Task { problem: Outcomes::Items, items: 8 },
];

/// A curve of the figure.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Method {
    estimator: EstimatorKind,
    baseline: BaselineKind,
}

/// The paper's four, none with a baseline, and ours.
const METHODS: [Method; 6] = [
    Method { estimator: EstimatorKind::Exact, baseline: BaselineKind::None },
    Method { estimator: EstimatorKind::Reinforce, baseline: BaselineKind::None },
    Method { estimator: EstimatorKind::Rebar, baseline: BaselineKind::None },
    Method { estimator: EstimatorKind::Relax, baseline: BaselineKind::None },
    Method { estimator: EstimatorKind::Reinforce, baseline: BaselineKind::Mean },
    Method { estimator: EstimatorKind::Surrogate, baseline: BaselineKind::Mean },
];

impl Method {
    fn color(self) -> Color {
        match (self.estimator, self.baseline) {
            (EstimatorKind::Reinforce, BaselineKind::Mean) => Color::Orange,
            _ => self.estimator.color(),
        }
    }
}

impl Task {
    fn label(self) -> &'static str {
        match self.problem {
            Outcomes::Orders => "Plackett-Luce",
            Outcomes::Items => "categorical",
        }
    }

    /// The estimator's name in the paper; on categories it is the original one.
    fn method(self, method: Method) -> &'static str {
        let name = match (method.estimator, method.baseline) {
            (EstimatorKind::Reinforce, BaselineKind::Mean) => "REINFORCE, mean",
            _ => method.estimator.name(),
        };
        match self.problem {
            Outcomes::Orders => name,
            Outcomes::Items => name.strip_prefix("PL-").unwrap_or(name),
        }
    }

    /// A surrogate is a sum over an order; one category has none.
    fn has(self, method: Method) -> bool {
        self.problem == Outcomes::Orders || method.estimator != EstimatorKind::Surrogate
    }
}

/// The runs of one estimator on one task, a run per seed.
struct Group {
    task: Task,
    method: Method,
    runs: Vec<(u64, Trained)>,
}

pub(super) fn make(Wish { seeds, quick, .. }: Wish<'_>) -> anyhow::Result<Report> {
    let steps = if quick { QUICK_STEPS } else { STEPS };
    let groups = run_all(seeds, steps)?;
    let mut files = vec![("figure1.csv".to_owned(), csv(&groups)?)];
    let (main, beside) = TASKS.split_at(1);
    let mut shown = String::new();
    for (name, title, alternative, tasks) in [
        (
            "figure1",
            "Toy problem: gradient estimators for the Plackett-Luce distribution",
            "Training curves and log-variance, Plackett-Luce",
            main,
        ),
        (
            "figure1-categorical",
            "Toy problem: the same estimators for the categorical distribution",
            "The same for the categorical distribution",
            beside,
        ),
    ] {
        // A run that was ended early may have left none.
        let tasks = tasks.iter().filter(|&&task| groups.iter().any(|group| group.task == task));
        let panels: Vec<Panel> = tasks.flat_map(|&task| panels(task, &groups)).collect();
        if !panels.is_empty() {
            files.extend(pictures(name, Figure::draw(title, &panels, 2)?));
            shown += &format!("\n![{alternative}]({name}.svg)\n");
        }
    }
    let cells: Vec<Cell> = groups.iter().flat_map(cells).collect();
    files.push(("figure1.md".to_owned(), (markdown(&groups, &cells, seeds, steps) + &shown).into_bytes()));
    let text = console::table(&HEADER, groups.iter().map(|group| row(group, &cells)));
    Ok(Report { cells, text, files })
}

/// All runs in parallel. Each is a function of its settings alone, so the result does not depend on threads.
fn run_all(seeds: &[u64], steps: u64) -> anyhow::Result<Vec<Group>> {
    let mut jobs = Vec::new();
    for task in TASKS {
        for method in METHODS.into_iter().filter(|&method| task.has(method)) {
            let Method { estimator, baseline } = method;
            // The exact gradient has no noise: every seed would give the same curve.
            let seeds = if estimator == EstimatorKind::Exact { &seeds[..1] } else { seeds };
            let Task { problem, items } = task;
            let settings =
                Settings { problem, estimator, baseline, items, offset: OFFSET, steps, samples: 1, seed: 0 };
            jobs.extend(seeds.iter().map(|&seed| (task, method, Settings { seed, ..settings })));
        }
    }
    let bar = console::progress(steps * jobs.len() as u64, "figure1");
    let mut observer = |progress: &Progress| {
        bar.set_position(progress.done);
        interrupt::check()
    };
    let run = Run::new(Limits::default()).observed(&mut observer);
    let runs: Vec<Trained> =
        jobs.par_iter().map(|(.., settings)| toy::train(settings, &run)).collect::<Result<_, _>>()?;
    bar.finish_and_clear();
    let mut groups: Vec<Group> = Vec::new();
    // A curve that was cut short is no result.
    let whole = jobs.into_iter().zip(runs).filter(|(_, run)| run.status == Ending::Finished);
    for ((task, method, settings), run) in whole {
        let run = (settings.seed, run);
        match groups.last_mut() {
            Some(group) if group.task == task && group.method == method => group.runs.push(run),
            _ => groups.push(Group { task, method, runs: vec![run] }),
        }
    }
    Ok(groups)
}

fn csv(groups: &[Group]) -> anyhow::Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record([
        "problem",
        "items",
        "method",
        "seed",
        "step",
        "mean_objective",
        "mode_objective",
        "log_grad_variance",
    ])?;
    for Group { task, method, runs } in groups {
        for (seed, run) in runs {
            for record in &run.curve {
                csv.write_record([
                    task.label(),
                    &task.items.to_string(),
                    task.method(*method),
                    &seed.to_string(),
                    &record.step.to_string(),
                    &record.mean_objective.to_string(),
                    &record.mode_objective.to_string(),
                    &record.log_grad_variance.map_or(String::new(), |variance| variance.to_string()),
                ])?;
            }
        }
    }
    Ok(csv.into_inner()?)
}

fn panels(task: Task, groups: &[Group]) -> [Panel; 2] {
    let curves = |pick: fn(&Record) -> f64| -> Vec<Curve> {
        let of_task = groups.iter().filter(|group| group.task == task);
        // The paper's legend names the estimators once for both distributions, and so does ours.
        of_task.map(|group| curve(group, task.method(group.method), pick)).collect()
    };
    let optimum =
        groups.iter().find(|group| group.task == task).map_or(f64::NAN, |group| group.runs[0].1.optimum);
    let mut panels =
        toy::panels(curves(|record| record.mean_objective), curves(toy::variance_or_gap), optimum);
    for panel in &mut panels {
        panel.title = format!("{}, {} items", task.label(), task.items);
    }
    panels
}

/// The mean over seeds, with a band from the lowest to the highest. Interrupted runs end where the shortest does; a seed
/// without a variance at some step (its gradients there were all the same) is left out of that point.
fn curve(group: &Group, label: &str, pick: fn(&Record) -> f64) -> Curve {
    let length = group.runs.iter().map(|(_, run)| run.curve.len()).min().unwrap_or(0);
    let (mut points, mut band) = (Vec::new(), Vec::new());
    for at in 0..length {
        let values = group.runs.iter().map(|(_, run)| pick(&run.curve[at]));
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        points.push((group.runs[0].1.curve[at].step as f64, mean_std(&values).0));
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        band.push((lowest, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)));
    }
    Curve { label: label.to_owned(), points, band, color: group.method.color(), dashed: false }
}

/// How much of the way from the uniform distribution to the optimum counts as solved.
const SOLVED: f64 = 0.9;

fn cells(group: &Group) -> Vec<Cell> {
    // Over the runs that have such a figure; none at all is no cell.
    let over_runs = |pick: &dyn Fn(&Trained) -> Option<f64>| -> Option<(f64, f64)> {
        let values: Vec<f64> = group.runs.iter().filter_map(|(_, run)| pick(run)).collect();
        (!values.is_empty()).then(|| mean_std(&values))
    };
    let last = |run: &Trained| run.curve[run.curve.len() - 1];
    let solved_at = |run: &Trained| {
        let first = run.curve[0].mean_objective;
        let goal = first + SOLVED * (run.optimum - first);
        run.curve.iter().find(|record| record.mean_objective <= goal).map(|record| record.step as f64)
    };
    let metrics: [(&'static str, Option<(f64, f64)>); 6] = [
        ("final_mean_objective", over_runs(&|run| Some(last(run).mean_objective))),
        ("final_mode_objective", over_runs(&|run| Some(last(run).mode_objective))),
        ("final_log_grad_variance", over_runs(&|run| last(run).log_grad_variance)),
        ("share_solved", over_runs(&|run| Some(f64::from(u8::from(solved_at(run).is_some()))))),
        ("steps_to_solve", over_runs(&|run| solved_at(run))),
        ("microseconds_per_step", over_runs(&|run| Some(1e6 / run.steps_per_second))),
    ];
    let cell = |(metric, figures): (&'static str, Option<(f64, f64)>)| {
        let (mean, std) = figures?;
        Some(Cell {
            table: "figure1",
            graph: group.task.label().to_owned(),
            nodes: group.task.items,
            data: "raw",
            method: group.task.method(group.method).to_owned(),
            metric,
            mean,
            std,
            paper_mean: None,
            paper_std: None,
        })
    };
    metrics.into_iter().filter_map(cell).collect()
}

const HEADER: [&str; 9] = [
    "problem",
    "estimator",
    "mean objective",
    "of the mode",
    "optimum",
    "log variance",
    "solved",
    "steps to solve",
    "µs a step",
];

fn row(group: &Group, cells: &[Cell]) -> Vec<String> {
    let Group { task, method, runs } = group;
    let find = |metric: &str| {
        let matches = |cell: &&Cell| {
            cell.graph == task.label()
                && cell.nodes == task.items
                && cell.method == task.method(*method)
                && cell.metric == metric
        };
        cells.iter().find(matches)
    };
    let figure = |metric: &str, digits: usize| {
        find(metric).map_or("-".to_owned(), |cell| format!("{:.digits$} ± {:.digits$}", cell.mean, cell.std))
    };
    let solved = find("share_solved").map_or(0.0, |cell| cell.mean * runs.len() as f64);
    vec![
        format!("{}, {} items", task.label(), task.items),
        task.method(*method).to_owned(),
        figure("final_mean_objective", 4),
        figure("final_mode_objective", 4),
        format!("{:.4}", runs[0].1.optimum),
        figure("final_log_grad_variance", 2),
        format!("{solved:.0} of {}", runs.len()),
        figure("steps_to_solve", 0),
        figure("microseconds_per_step", 1),
    ]
}

fn markdown(groups: &[Group], cells: &[Cell], seeds: &[u64], steps: u64) -> String {
    let mut text = format!(
        "# Figure 1: gradient estimators on the toy problem\n\n\
         E‖P_b − P_t‖² with offset t = {OFFSET}, one sample a step, Adam 0.01 for scores and critic, {steps} steps, seeds {seeds:?}.\n\
         Values at the last step, mean ± standard deviation over seeds. The log-variance is the natural logarithm of the\n\
         gradient's variance summed over the scores, from 10 fresh gradients; the exact gradient has none, nor have 10 gradients\n\
         that were all the same. The figure's bands go from the lowest to the highest seed. Solved means\n\
         that {percent} % of the way from the uniform distribution to the optimum is made; the exact gradient needs one run only.\n\
         The paper has the first four. The moving mean keeps 0.95 of itself at each step; the surrogate has the library's default settings.\n\n",
        percent = SOLVED * 100.0,
    );
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    text += &line(&HEADER.map(str::to_owned));
    text += &line(&HEADER.map(|_| "---".to_owned()));
    for group in groups {
        text += &line(&row(group, cells));
    }
    text
}
