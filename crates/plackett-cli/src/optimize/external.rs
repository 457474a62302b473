//! An objective that another program computes.

use std::collections::HashMap;

use anyhow::anyhow;
use plackett::{
    Order,
    optimizer::{Answer, AsTheyCome, Journal, Noisy, Optimizer, OptimizerSettings},
    problem::Sense,
    run::{Ending, Run, Trace},
    solver::{Method, gradient_share},
};
use serde::{Deserialize, Serialize};

use super::{Arguments, Bar, report::Found, workers::Workers};
use crate::{console::BadInput, interrupt, state::StateFile};

/// Evaluations if the user sets no limit.
const DEFAULT_EVALUATIONS: u64 = 10_000;

/// The window of a run with several workers: large enough that a slow answer does not stop the others, small enough that
/// proposals know of most answers.
const DEFAULT_WINDOW: usize = 8;

/// What is saved of such a run.
#[derive(Serialize, Deserialize)]
struct Saved {
    /// The program that values orders: values of another one would mean something else.
    command: String,
    optimizer: serde_json::Value,
    trace: Trace,
}

fn save(command: &str, optimizer: &Optimizer, trace: &Trace) -> anyhow::Result<String> {
    let optimizer = serde_json::from_str(&optimizer.to_json()?)?;
    Ok(serde_json::to_string(&Saved { command: command.to_owned(), optimizer, trace: trace.clone() })?)
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
    if arguments.journal.is_some() && arguments.noise() != Noisy::No {
        let what = "--journal and --noise cannot be had together: nobody asks again what the journal knows";
        return Err(BadInput(what.to_owned()).into());
    }
    let objective = format!("{command} ({sense})");
    let join = |path| Journal::join(path, items, &objective);
    let mut journal = arguments.journal.as_deref().map(join).transpose()?;
    let seed = arguments.common.seed;
    let one_by_one = if arguments.workers == 1 { 1 } else { DEFAULT_WINDOW };
    let settings = OptimizerSettings {
        sense,
        seed: journal.as_ref().map_or(seed, |journal| journal.seed(seed)),
        constraints,
        evaluations: limits.evaluations,
        window: arguments.window.map_or(one_by_one, usize::from),
        starts: arguments.start.iter().map(|start| start.0.clone()).collect(),
        top: arguments.top.map(|top| top as usize),
        noise: arguments.noise(),
        ..method.settings(gradient_share(items, &limits))
    };
    let mut state = StateFile::locked(arguments.state.as_deref())?;
    let (mut optimizer, mut trace) = match state.read()? {
        None => (Optimizer::new(items, settings)?, Trace::default()),
        Some(text) => {
            let wrong = |error: serde_json::Error| BadInput(format!("the state cannot be used: {error}"));
            let saved: Saved = serde_json::from_str(&text).map_err(wrong)?;
            let optimizer = Optimizer::from_json(&saved.optimizer.to_string())?;
            // How a longer run would share its evaluations does not matter any more.
            let OptimizerSettings { gradient_evaluations, evaluations, window, .. } = *optimizer.settings();
            let window = arguments.window.map_or(window, usize::from);
            let wanted = OptimizerSettings { gradient_evaluations, evaluations, window, ..settings };
            if saved.command != command {
                let what = format!("the state is of another command: '{}'", saved.command);
                return Err(BadInput(what).into());
            }
            if optimizer.items() != items || optimizer.settings() != &wanted {
                let what = "the state is of a run with other items, method, seed, window, starts, sense or constraints";
                return Err(BadInput(what.to_owned()).into());
            }
            (optimizer, saved.trace)
        }
    };
    interrupt::listen()?;
    let mut bar = Bar::new(limits.time);
    let run = Run::new(limits).observed(&mut bar);
    run.begin("command", limits.evaluations);
    let workers = Workers::new(command, usize::from(arguments.workers), items, arguments.timeout);
    let mut work = Work {
        command,
        optimizer: &mut optimizer,
        trace: &mut trace,
        workers,
        shared: journal.as_mut().map(|journal| Shared { journal, given: HashMap::new() }),
        last_failure: None,
    };
    let ending = work.until_over(&run, &mut state);
    let last_failure = work.last_failure.take();
    drop(work);
    let mut unsaved = state.save(|| save(command, &optimizer, &trace)).err();
    let ending = match ending {
        Ok(ending) => ending,
        // What was found until then is shown, and then what went wrong.
        Err(error) if optimizer.best().is_some() => {
            unsaved = Some(error);
            Ending::Interrupted
        }
        Err(error) => return Err(error),
    };
    let (order, value) = optimizer.best().map(|(order, value)| (order.to_vec(), value)).unzip();
    let status = optimizer.status();
    if let (0, Some(last)) = (status.told, last_failure) {
        return Err(anyhow!("all of the {} evaluations failed, the last one: {last}", status.failed));
    }
    Ok(Found {
        kind: "command",
        name: command.to_owned(),
        items,
        sense,
        method,
        value,
        error: optimizer.error(),
        order,
        evaluations: status.told + status.failed,
        failures: status.failed,
        ending,
        best_known: None,
        trace,
        unsaved,
    })
}

/// A run at work.
struct Work<'a> {
    command: &'a str,
    optimizer: &'a mut Optimizer,
    trace: &'a mut Trace,
    workers: Workers,
    shared: Option<Shared<'a>>,
    last_failure: Option<String>,
}

/// What a run shares with others.
struct Shared<'a> {
    journal: &'a mut Journal,
    /// The orders that are being evaluated, by their numbers.
    given: HashMap<u64, Order>,
}

impl Work<'_> {
    /// Gives out orders and takes answers as they come.
    fn until_over(&mut self, run: &Run<'_>, state: &mut StateFile) -> anyhow::Result<Ending> {
        let mut answers = AsTheyCome::new(self.optimizer);
        let mut told = run.seconds();
        let ending = loop {
            if let Some(ending) = answers.ending(self.optimizer, run, self.trace) {
                break ending;
            }
            if let Some(shared) = &mut self.shared {
                for (order, value) in shared.journal.news()? {
                    // What others may do that this run may not is of no use to it.
                    self.optimizer.learn(&order, value).ok();
                }
            }
            let mut is_known = false;
            for proposal in answers.ask(self.optimizer, run, self.workers.idle()) {
                let known = self.shared.as_ref().and_then(|shared| shared.journal.value_of(&proposal.order));
                if let Some(value) = known {
                    answers
                        .tell(self.optimizer, proposal.id, Answer::Value(value), self.trace)
                        .map_err(at_fault)?;
                    is_known = true;
                    continue;
                }
                if let Some(shared) = &mut self.shared {
                    shared.given.insert(proposal.id, proposal.order.clone());
                }
                self.workers.give(proposal)?;
            }
            if is_known && !self.workers.is_busy() {
                continue;
            }
            if !self.workers.is_busy() {
                break Ending::Finished; // all orders have been asked
            }
            let answer = self.workers.answer()?;
            let now = run.seconds();
            self.trace.spend(now - told, 0, None);
            told = now;
            if let Some((id, answer)) = answer {
                if let Answer::Failed(why) = &answer {
                    self.last_failure = Some(why.clone());
                }
                if let Some(shared) = &mut self.shared
                    && let Some(order) = shared.given.remove(&id)
                {
                    shared.journal.append(&order, &answer)?;
                }
                answers.tell(self.optimizer, id, answer, self.trace).map_err(at_fault)?;
                run.note(self.optimizer.evaluations(), self.optimizer.best().map(|(_, value)| value));
            }
            // Whoever cannot be saved now may be saved in the end.
            state.save_sometimes(|| save(self.command, self.optimizer, self.trace)).ok();
        };
        if ending.is_early() {
            answers.close(self.optimizer, self.trace).map_err(at_fault)?;
        }
        Ok(ending)
    }
}

/// If nothing can be evaluated, the program is at fault, not what the user typed.
fn at_fault(error: plackett::Error) -> anyhow::Error {
    match error {
        plackett::Error::NothingEvaluated { .. } => anyhow!("{error}"),
        _ => error.into(),
    }
}
