//! `plackett toy`: the toy problem of Figure 1 with one estimator.

mod run;

pub(crate) use run::{BaselineKind, EstimatorKind, Record, Settings, Trained, train};

use std::{path::PathBuf, time::Duration};

use clap::Args;
use plackett::{
    run::{Ending, Limits, Progress, Run},
    trial::Outcomes,
};
use serde::Serialize;

use crate::{
    arguments::{self, Common},
    console,
    files::OutDir,
    interrupt,
    plot::{Curve, Figure, Panel, Reference},
};

#[derive(Args)]
pub(crate) struct Arguments {
    /// The gradient estimator
    #[arg(long, value_enum, default_value = "relax")]
    estimator: EstimatorKind,
    /// What is taken off the values [default: the moving mean, or with several samples leave-one-out]
    #[arg(long, value_enum)]
    baseline: Option<BaselineKind>,
    /// How many items to order
    #[arg(long, default_value_t = 8)]
    items: usize,
    /// The target's offset t: how far its diagonal stands out
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    offset: f64,
    /// Training steps
    #[arg(long, default_value_t = 50_000)]
    steps: u64,
    /// Samples per step
    #[arg(long, default_value_t = 1)]
    samples: usize,
    /// Stop after this many seconds, with the curve so far
    #[arg(long, value_name = "S", value_parser = arguments::seconds, allow_negative_numbers = true)]
    time: Option<Duration>,
    #[command(flatten)]
    common: Common,
    /// Write the curve as CSV, and both panels as SVG and PNG, into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The document that `--json` prints.
#[derive(Serialize)]
struct Document<'a> {
    estimator: &'static str,
    baseline: &'static str,
    items: usize,
    offset: f64,
    samples: usize,
    seed: u64,
    #[serde(flatten)]
    trained: &'a Trained,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let settings = Settings {
        problem: Outcomes::Orders,
        estimator: arguments.estimator,
        baseline: arguments.baseline.unwrap_or(BaselineKind::usual(arguments.samples)),
        items: arguments.items,
        offset: arguments.offset,
        steps: arguments.steps,
        samples: arguments.samples,
        seed: arguments.common.seed,
    };
    let out = arguments.out.clone().map(OutDir::create).transpose()?;
    interrupt::listen()?;
    let bar = console::progress(settings.steps, settings.estimator.name());
    let mut observer = |progress: &Progress| {
        bar.set_position(progress.done);
        interrupt::check()
    };
    let run = Run::new(Limits { time: arguments.time, ..Limits::default() }).observed(&mut observer);
    run.begin(settings.estimator.name(), Some(settings.steps));
    let trained = train(&settings, &run)?;
    bar.finish_and_clear();
    let shown = if arguments.common.json {
        let document = Document {
            estimator: settings.estimator.flag(),
            baseline: settings.baseline.flag(),
            items: settings.items,
            offset: settings.offset,
            samples: settings.samples,
            seed: settings.seed,
            trained: &trained,
        };
        console::say_json(&document)
    } else {
        console::say(&summary(&settings, &trained))
    };
    // Neither is lost if the other cannot be had.
    let written = out.map_or(Ok(()), |out| {
        write(&out, &settings, &trained)?;
        let note = || format!("Written to {}: toy.csv, toy.svg, toy.png", out.path().display());
        if arguments.common.json { Ok(()) } else { console::say(&note()) }
    });
    shown.and(written)
}

/// Rows of the curve that are worth a line of the table.
const TABLE_ROWS: usize = 10;
/// Characters of a curve drawn in text.
const SPARKLINE_WIDTH: usize = 60;

fn summary(settings: &Settings, trained: &Trained) -> String {
    let Settings { items, offset, samples, seed, .. } = settings;
    let last = trained.curve.len() - 1;
    let shown = (0..=TABLE_ROWS).map(|row| row * last / TABLE_ROWS);
    let mut shown: Vec<usize> = shown.collect();
    shown.dedup();
    let rows = shown.into_iter().map(|at| {
        let Record { step, mean_objective, mode_objective, log_grad_variance } = &trained.curve[at];
        let variance = log_grad_variance.map_or("none".to_owned(), |variance| format!("{variance:.2}"));
        vec![
            console::thousands(*step),
            format!("{mean_objective:.4}"),
            format!("{mode_objective:.4}"),
            variance,
        ]
    });
    let table = console::table(
        &["step", "mean objective", "objective of the mode", "log variance of gradient"],
        rows,
    );
    let line = |pick: fn(&Record) -> f64| {
        console::sparkline(&trained.curve.iter().map(pick).collect::<Vec<_>>(), SPARKLINE_WIDTH)
    };
    let mut text = format!(
        "Minimize E‖P_b − P_t‖² over orders of {items} items (offset {offset}) with {}, baseline {}, {} a step, seed {seed}\n\n{table}\n",
        settings.estimator.name(),
        settings.baseline.flag(),
        if *samples == 1 { "1 sample".to_owned() } else { format!("{samples} samples") },
    );
    text += &format!("objective     {}\n", line(|record| record.mean_objective));
    if trained.curve.iter().any(|record| record.log_grad_variance.is_some()) {
        text += &format!("log variance  {}\n", line(|record| record.log_grad_variance.unwrap_or(f64::NAN)));
    }
    let is_optimal = trained.final_mode_objective <= trained.optimum + 1e-9;
    text += &format!(
        "\nMode {:?}\nits objective is {:.4}; the optimum is {:.4}{}\n",
        trained.mode,
        trained.final_mode_objective,
        trained.optimum,
        if is_optimal { ": solved" } else { "" },
    );
    text += &format!(
        "{} steps in {:.2} s of training ({:.2} µs a step){}",
        console::thousands(trained.steps),
        trained.training_seconds,
        1e6 / trained.steps_per_second,
        match trained.status {
            Ending::Interrupted => ", interrupted",
            Ending::Time => ", time up",
            _ => "",
        },
    );
    text
}

fn write(out: &OutDir, settings: &Settings, trained: &Trained) -> anyhow::Result<()> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    for record in &trained.curve {
        csv.serialize(record)?;
    }
    out.write("toy.csv", &csv.into_inner()?)?;
    let curve = |pick: fn(&Record) -> f64| Curve {
        label: settings.estimator.name().to_owned(),
        points: trained.curve.iter().map(|record| (record.step as f64, pick(record))).collect(),
        band: Vec::new(),
        color: settings.estimator.color(),
        dashed: false,
    };
    let title = format!("Toy problem, {} items, offset {}", settings.items, settings.offset);
    let figure = Figure::draw(
        &title,
        &panels(vec![curve(|r| r.mean_objective)], vec![curve(variance_or_gap)], trained.optimum),
        2,
    )?;
    out.write("toy.svg", figure.svg.as_bytes())?;
    out.write("toy.png", &figure.png)?;
    Ok(())
}

/// The log-variance of a record, or a gap where there is none.
pub(crate) fn variance_or_gap(record: &Record) -> f64 {
    record.log_grad_variance.unwrap_or(f64::NAN)
}

/// The two panels of Figure 1: the objective, and the log-variance of its gradient.
pub(crate) fn panels(objective: Vec<Curve>, log_variance: Vec<Curve>, optimum: f64) -> [Panel; 2] {
    let panel = |y_label: &str, curves, reference| Panel {
        x_label: "step".to_owned(),
        y_label: y_label.to_owned(),
        curves,
        reference,
        ..Panel::default()
    };
    [
        panel("mean objective", objective, Some(Reference { label: "optimum".to_owned(), value: optimum })),
        panel("log variance of the gradient", log_variance, None),
    ]
}
