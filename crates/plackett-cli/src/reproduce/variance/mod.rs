//! Beyond Figure 1: the variance of every estimator on eight objectives, at the start, in the middle and at the end of a descent, for
//! each evaluation and for each second; and what it is worth in descents.

mod measure;
mod objectives;

use std::{fmt::Write as _, sync::Arc};

use plackett::run::Run;

use super::{Cell, Report, Wish, jobs, pictures};
use crate::{
    console,
    files::OutDir,
    plot::{Color, Curve, Figure, Panel},
    summary::mean_std,
};
use measure::{CRITIC_RATE, Effort, HIDDEN, Kind, Measured, PILOT, PLACES, RATE, SAMPLES, measure};
use objectives::{Numbers, Task};

const ITEMS: [usize; 2] = [8, 20];

const EFFORT: Effort = Effort { steps: 400, evaluations: 10_000, gradients: 400 };
const QUICK_EFFORT: Effort = Effort { steps: 60, evaluations: 1_000, gradients: 50 };

/// How much of the descent counts as made.
const MADE: f64 = 0.9;

struct Job {
    task: Task,
    items: usize,
    seed: u64,
    effort: Effort,
    /// What the order score is of, if it is not simulated.
    numbers: Option<Arc<Numbers>>,
}

impl jobs::Job for Job {
    type Measured = Measured;

    fn name(&self) -> String {
        let Self { task, items, seed, effort, numbers } = self;
        let data =
            numbers.as_ref().filter(|_| *task == Task::OrderScore).map_or("", |data| &data.fingerprint);
        format!("variance-{items}-{}-{seed}-{}{data}", task.name().replace(' ', "-"), effort.steps)
    }

    fn run(&self, run: &Run<'_>) -> anyhow::Result<Measured> {
        let objective = self.task.draw(self.items, self.seed, self.numbers.as_deref())?;
        measure(self.task, objective, self.items, self.seed, self.effort, run)
    }
}

pub(super) fn make(out: &OutDir, Wish { seeds, quick, data }: Wish<'_>) -> anyhow::Result<Report> {
    let numbers = data.map(Numbers::read).transpose()?.map(Arc::new);
    let effort = if quick { QUICK_EFFORT } else { EFFORT };
    let sizes = if quick { &ITEMS[..1] } else { &ITEMS[..] };
    let mut jobs = Vec::new();
    for &items in sizes {
        for task in Task::ALL {
            jobs.extend(seeds.iter().map(|&seed| Job {
                task,
                items,
                seed,
                effort,
                numbers: numbers.clone(),
            }));
        }
    }
    let done = jobs::run(out, "variance".to_owned(), jobs)?;
    let groups: Vec<Group> = sizes
        .iter()
        .flat_map(|&items| Task::ALL.map(|task| (task, items)))
        .map(|(task, items)| Group {
            task,
            items,
            runs: done
                .iter()
                .filter(|(job, _)| job.task == task && job.items == items)
                .map(|(_, measured)| measured)
                .collect(),
        })
        .filter(|group| !group.runs.is_empty())
        .collect();
    let cells: Vec<Cell> = groups.iter().flat_map(Group::cells).collect();
    let mut text = String::new();
    let mut markdown = heading(seeds, effort, numbers.as_deref());
    for (title, header, rows) in [
        variance_table(&groups, "per evaluation", Group::relative),
        variance_table(&groups, "per second", |group, place, kind| {
            Some(
                group.relative(place, kind)? * group.seconds(place, kind)?
                    / group.seconds(place, Kind::LeaveOneOut)?,
            )
        }),
        time_table(&groups),
        descent_table(&groups),
    ] {
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let _ = writeln!(text, "{title}\n{}\n", console::table(&header, rows.iter().cloned()));
        let _ = writeln!(markdown, "## {title}\n");
        for line in
            [header.iter().map(|&word| word.to_owned()).collect(), vec!["---".to_owned(); header.len()]]
                .iter()
                .chain(&rows)
        {
            let _ = writeln!(markdown, "| {} |", line.join(" | "));
        }
        markdown.push('\n');
    }
    let verdict = verdict(&groups);
    text += &verdict;
    let _ = writeln!(markdown, "## Where the surrogate wins and loses\n\n{verdict}");
    let mut files = Vec::new();
    for &items in sizes {
        let panels: Vec<Panel> =
            groups.iter().filter(|group| group.items == items).map(Group::panel).collect();
        if panels.is_empty() {
            continue;
        }
        let title = format!("Descents over orders of {items} items, {SAMPLES} samples a step");
        let figure = Figure::draw(&title, &panels, 2)?;
        let name = format!("descents-{items}");
        files.extend(pictures(&name, figure));
        let _ = writeln!(markdown, "![{title}]({name}.svg)\n");
    }
    files.push(("variance.md".to_owned(), markdown.into_bytes()));
    Ok(Report { cells, text, files })
}

/// All seeds of one objective.
struct Group<'a> {
    task: Task,
    items: usize,
    runs: Vec<&'a Measured>,
}

impl Group<'_> {
    fn all(&self, place: usize, kind: Kind, pick: impl Fn(&measure::Variance) -> f64) -> Vec<f64> {
        let wanted = |found: &&measure::Variance| found.place == place && Kind::ALL[found.kind] == kind;
        self.runs.iter().filter_map(|run| run.variances.iter().find(wanted).map(&pick)).collect()
    }

    fn has(&self, kind: Kind) -> bool {
        !self.all(0, kind, |found| found.seconds).is_empty()
    }

    /// The mean over seeds of a variance.
    fn variance(&self, place: usize, kind: Kind) -> Option<f64> {
        let all = self.all(place, kind, |found| found.per_evaluation);
        (!all.is_empty()).then(|| mean_std(&all).0)
    }

    /// The variance as a share of leave-one-out's.
    fn relative(&self, place: usize, kind: Kind) -> Option<f64> {
        Some(self.variance(place, kind)? / self.variance(place, Kind::LeaveOneOut)?)
    }

    fn seconds(&self, place: usize, kind: Kind) -> Option<f64> {
        let all = self.all(place, kind, |found| found.seconds);
        (!all.is_empty()).then(|| mean_std(&all).0)
    }

    /// For each seed the evaluations and the seconds that an estimator needed for most of the way from random orders to the lowest mean that any
    /// of them ended with; none if it never came so far.
    fn made(&self, kind: Kind) -> Vec<Option<(f64, f64)>> {
        let of_run = |run: &&Measured| {
            let first = run.descents.first()?.curve.first()?.1;
            let ends = run.descents.iter().filter_map(|descent| Some(descent.curve.last()?.1));
            let lowest = ends.fold(f64::INFINITY, f64::min);
            let goal = first + MADE * (lowest - first);
            let descent = run.descents.iter().find(|descent| Kind::ALL[descent.kind] == kind)?;
            let point = descent.curve.iter().find(|point| point.1 <= goal)?;
            Some((point.0 as f64, point.2))
        };
        self.runs.iter().map(of_run).collect()
    }

    fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        let mut push = |data: &'static str, kind: Kind, metric: &'static str, values: &[f64]| {
            if values.is_empty() {
                return;
            }
            let (mean, std) = mean_std(values);
            cells.push(Cell {
                table: "variance",
                graph: self.task.name().to_owned(),
                nodes: self.items,
                data,
                method: kind.name().to_owned(),
                metric,
                mean,
                std,
                paper_mean: None,
                paper_std: None,
            });
        };
        for kind in Kind::ALL {
            for (place, name) in PLACES.into_iter().enumerate() {
                push(
                    name,
                    kind,
                    "variance_per_evaluation",
                    &self.all(place, kind, |found| found.per_evaluation),
                );
                push(name, kind, "seconds_per_gradient", &self.all(place, kind, |found| found.seconds));
            }
            if kind.descends() {
                let made: Vec<(f64, f64)> = self.made(kind).into_iter().flatten().collect();
                let pick = |pick: fn(&(f64, f64)) -> f64| made.iter().map(pick).collect::<Vec<f64>>();
                push("descent", kind, "evaluations_to_90_percent", &pick(|made| made.0));
                push("descent", kind, "seconds_to_90_percent", &pick(|made| made.1));
            }
        }
        cells
    }

    fn panel(&self) -> Panel {
        let curve = |index: usize, kind: Kind| {
            let curves: Vec<&Vec<(u64, f64, f64)>> = self
                .runs
                .iter()
                .filter_map(|run| run.descents.iter().find(|descent| descent.kind == index))
                .map(|descent| &descent.curve)
                .collect();
            let length = curves.iter().map(|curve| curve.len()).min().unwrap_or(0);
            let (mut points, mut band) = (Vec::new(), Vec::new());
            for at in 0..length {
                let values: Vec<f64> = curves.iter().map(|curve| curve[at].1).collect();
                points.push((curves[0][at].0 as f64, mean_std(&values).0));
                let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
                band.push((lowest, values.iter().copied().fold(f64::NEG_INFINITY, f64::max)));
            }
            let color = match kind {
                Kind::LeaveOneOut => Color::Orange,
                Kind::Surrogate => Color::Purple,
                _ => Color::Green,
            };
            Curve { label: kind.name().to_owned(), points, band, color, dashed: false }
        };
        let kinds = Kind::ALL.into_iter().enumerate().filter(|(_, kind)| kind.descends());
        Panel {
            title: self.task.name().to_owned(),
            x_label: "evaluations".to_owned(),
            y_label: "mean objective".to_owned(),
            curves: kinds.map(|(index, kind)| curve(index, kind)).collect(),
            ..Panel::default()
        }
    }
}

/// A title, a header and rows.
type Rows = (String, Vec<String>, Vec<Vec<String>>);

fn variance_table<'a>(
    groups: &[Group<'a>],
    unit: &str,
    figure: impl Fn(&Group<'a>, usize, Kind) -> Option<f64>,
) -> Rows {
    let kinds = Kind::ALL.into_iter().filter(|&kind| kind != Kind::LeaveOneOut);
    let mut header: Vec<String> =
        ["objective", "items", "scores", "leave-one-out"].map(str::to_owned).to_vec();
    header.extend(kinds.clone().map(|kind| kind.name().to_owned()));
    let mut rows = Vec::new();
    for group in groups {
        for (place, name) in PLACES.into_iter().enumerate() {
            let own = group.variance(place, Kind::LeaveOneOut).map_or("-".to_owned(), |v| format!("{v:.3e}"));
            let mut row = vec![group.task.name().to_owned(), group.items.to_string(), name.to_owned(), own];
            row.extend(kinds.clone().map(|kind| figure(group, place, kind).map_or("-".to_owned(), share)));
            rows.push(row);
        }
    }
    (format!("Variance {unit}: leave-one-out's, and the others as shares of it"), header, rows)
}

fn share(value: f64) -> String {
    if value == 0.0 || (value.abs() < 1e-4 || value.abs() >= 1e4) {
        format!("{value:.1e}")
    } else {
        format!("{value:.4}")
    }
}

fn time_table(groups: &[Group<'_>]) -> Rows {
    let mut header: Vec<String> = ["objective", "items"].map(str::to_owned).to_vec();
    header.extend(Kind::ALL.map(|kind| kind.name().to_owned()));
    let row = |group: &Group<'_>| {
        let figure = |kind: Kind| {
            let seconds: Vec<f64> =
                (0..PLACES.len()).filter_map(|place| group.seconds(place, kind)).collect();
            if seconds.is_empty() { "-".to_owned() } else { format!("{:.0}", 1e6 * mean_std(&seconds).0) }
        };
        let mut row = vec![group.task.name().to_owned(), group.items.to_string()];
        row.extend(Kind::ALL.map(figure));
        row
    };
    let rows = groups.iter().map(row).collect();
    (format!("Microseconds a gradient of {SAMPLES} samples, objective and learning included"), header, rows)
}

fn descent_table(groups: &[Group<'_>]) -> Rows {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.descends());
    let mut header: Vec<String> = ["objective", "items"].map(str::to_owned).to_vec();
    header.extend(kinds.clone().map(|kind| kind.name().to_owned()));
    let row = |group: &Group<'_>| {
        let figure = |kind: Kind| {
            let all = group.made(kind);
            let made: Vec<(f64, f64)> = all.iter().flatten().copied().collect();
            let mean = |pick: fn(&(f64, f64)) -> f64| mean_std(&made.iter().map(pick).collect::<Vec<_>>()).0;
            let missed = all.len() - made.len();
            let note = if missed > 0 { format!(" ({missed} of {} never)", all.len()) } else { String::new() };
            if made.is_empty() {
                return format!("never{note}");
            }
            format!("{:.0}, {:.2} s{note}", mean(|made| made.0), mean(|made| made.1))
        };
        let mut row = vec![group.task.name().to_owned(), group.items.to_string()];
        row.extend(kinds.clone().map(figure));
        row
    };
    let rows = groups.iter().map(row).collect();
    (format!("Evaluations and seconds to {:.0} % of the descent", 100.0 * MADE), header, rows)
}

/// In how many cells the surrogate is at most the others, and the cells where it is not.
fn verdict(groups: &[Group<'_>]) -> String {
    let mut text = String::new();
    let cells = || groups.iter().flat_map(|group| (0..PLACES.len()).map(move |place| (group, place)));
    let name = |group: &Group<'_>, place: usize| {
        format!("{} of {} items, {}", group.task.name(), group.items, PLACES[place])
    };
    for rival in
        Kind::ALL.into_iter().filter(|&kind| kind != Kind::Surrogate && groups.iter().any(|g| g.has(kind)))
    {
        let compared = cells().filter_map(|(group, place)| {
            Some((group, place, group.variance(place, Kind::Surrogate)? / group.variance(place, rival)?))
        });
        let compared: Vec<_> = compared.collect();
        let lost: Vec<String> = compared
            .iter()
            .filter(|(.., ratio)| *ratio > 1.0)
            .map(|(group, place, ratio)| format!("{} ({ratio:.2})", name(group, *place)))
            .collect();
        let note = if lost.is_empty() { String::new() } else { format!(": not on {}", lost.join("; ")) };
        let won = compared.len() - lost.len();
        let _ = writeln!(
            text,
            "- At most {}'s variance in {won} of {} cells{note}.",
            rival.name(),
            compared.len()
        );
    }
    let inside = cells().filter(|(group, _)| group.task.is_additive());
    let inside: Vec<_> = inside
        .filter_map(|(group, place)| Some((group, place, group.relative(place, Kind::Surrogate)?)))
        .collect();
    let most = inside.iter().max_by(|one, other| one.2.total_cmp(&other.2));
    if let Some((group, place, ratio)) = most {
        let within = inside.iter().filter(|(.., ratio)| *ratio <= 0.01).count();
        let _ = writeln!(
            text,
            "- Where the objective is a sum over ranks, pairs or neighbors: at most 1 % of leave-one-out's in {within} of {} cells; the \
             largest share is {} ({}).",
            inside.len(),
            share(*ratio),
            name(group, *place),
        );
    }
    text
}

fn heading(seeds: &[u64], effort: Effort, numbers: Option<&Numbers>) -> String {
    let data = numbers.map_or_else(
        || "simulated linear models (--data takes real ones)".to_owned(),
        |data| format!("columns of {}, standardized, other ones for each seed", data.name),
    );
    let Effort { steps, evaluations, gradients } = effort;
    format!(
        "# The variance of gradient estimators on eight objectives\n\n\
         Made by `plackett reproduce variance`, seeds {seeds:?}: every seed draws its own objective. The variance is that of the gradient of\n\
         {SAMPLES} samples, summed over the scores and multiplied by {SAMPLES}, from {gradients} gradients at scores that do not move, of the \
         objective in units of its\ndeviation over {PILOT} random orders; the figures are means over the seeds. The scores are those of a descent with leave-one-out \
         (Adam {RATE}, {steps} steps):\nat its start, where half of it is made, and at its end.\n\n\
         Before it is measured, each estimator learns from {evaluations} evaluations at these scores: RELAX (a network of {HIDDEN} hidden \
         units, Adam {CRITIC_RATE}) of values that\nare centered beforehand as the optimizer does, and the surrogate with its default settings; \
         neither learns while it is measured. In descents both learn along the way. Nothing\nwas chosen on these seeds \
         if they are 1000 or more: settings were tried on smaller ones. Times are processor times of one thread. The order score is the BIC of\n\
         {data}.\n\n",
    )
}
