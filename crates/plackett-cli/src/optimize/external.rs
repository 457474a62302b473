//! An objective that another program computes.

use anyhow::anyhow;
use plackett::{
    optimizer::{Optimizer, OptimizerSettings, step},
    problem::Sense,
    run::{Ending, Run, Trace},
    solver::{Method, gradient_share},
};
use serde::{Deserialize, Serialize};

use super::{Arguments, Bar, report::Found, workers::Workers};
use crate::{console::BadInput, interrupt, state::StateFile};

/// Evaluations if the user sets no limit.
const DEFAULT_EVALUATIONS: u64 = 10_000;

/// What is saved of such a run.
#[derive(Serialize, Deserialize)]
struct Saved {
    optimizer: serde_json::Value,
    trace: Trace,
}

fn save(optimizer: &Optimizer, trace: &Trace) -> anyhow::Result<String> {
    let saved = Saved { optimizer: serde_json::from_str(&optimizer.to_json()?)?, trace: trace.clone() };
    Ok(serde_json::to_string(&saved)?)
}

pub(super) fn optimize(
    arguments: &Arguments,
    command: &str,
    items: usize,
    method: Method,
) -> anyhow::Result<Found> {
    let limits = arguments.limits(DEFAULT_EVALUATIONS, None);
    let sense = if arguments.maximize { Sense::Maximize } else { Sense::Minimize };
    let constraints = arguments.constraints(items)?;
    let constraints = (!constraints.is_free()).then_some(constraints);
    let settings = OptimizerSettings {
        sense,
        seed: arguments.common.seed,
        constraints,
        ..method.settings(gradient_share(items, &limits))
    };
    let mut state = StateFile::new(arguments.state.as_deref());
    let (mut optimizer, mut trace) = match state.read()? {
        None => (Optimizer::new(items, settings)?, Trace::default()),
        Some(text) => {
            let wrong = |error: serde_json::Error| BadInput(format!("the state cannot be used: {error}"));
            let saved: Saved = serde_json::from_str(&text).map_err(wrong)?;
            let optimizer = Optimizer::from_json(&saved.optimizer.to_string())?;
            // How a longer run would share its evaluations does not matter any more.
            let gradient_evaluations = optimizer.settings().gradient_evaluations;
            let wanted = OptimizerSettings { gradient_evaluations, ..settings };
            if optimizer.items() != items || optimizer.settings() != &wanted {
                let what = "the state is of a run with other items, method, seed, sense or constraints";
                return Err(BadInput(what.to_owned()).into());
            }
            (optimizer, saved.trace)
        }
    };
    interrupt::listen()?;
    let mut bar = Bar::new(limits.time);
    let run = Run::new(limits).observed(&mut bar);
    run.begin("command", limits.evaluations);
    let mut workers = Workers::new(command, usize::from(arguments.workers), &run);
    let ending = work(&mut optimizer, &mut workers, &run, &mut trace, &mut state);
    state.save(|| save(&optimizer, &trace))?;
    let ending = ending?;
    let (order, value) = optimizer.best().map(|(order, value)| (order.to_vec(), value)).unzip();
    let status = optimizer.status();
    Ok(Found {
        kind: "command",
        name: command.to_owned(),
        items,
        sense,
        method,
        value,
        order,
        evaluations: status.told + status.failed,
        failures: status.failed,
        ending,
        best_known: None,
        trace,
    })
}

fn work(
    optimizer: &mut Optimizer,
    workers: &mut Workers<'_, '_>,
    run: &Run<'_>,
    trace: &mut Trace,
    state: &mut StateFile,
) -> anyhow::Result<Ending> {
    loop {
        let made = step(optimizer, workers, run, trace);
        if let Some(error) = workers.failure() {
            return Err(error);
        }
        match made {
            Ok(None) => state.save_sometimes(|| save(optimizer, trace))?,
            Ok(Some(ending)) => return Ok(ending),
            // The program is at fault, not what the user typed.
            Err(error @ plackett::Error::NothingEvaluated { .. }) => return Err(anyhow!("{error}")),
            Err(error) => return Err(error.into()),
        }
    }
}
