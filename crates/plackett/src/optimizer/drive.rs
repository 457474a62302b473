//! The driver: asks an optimizer, has the orders evaluated, tells it, until it is time to stop.

use std::{ops::ControlFlow, time::Instant};

use rayon::prelude::*;

use super::{Answer, Optimizer, Proposal};
use crate::{
    error::Error,
    objective::IntoValue,
    run::{Ending, Limits, Trace},
};

/// If none of the first so many evaluations succeeds, something is wrong with the objective rather than with the orders.
const HOPELESS_FAILURES: u64 = 100;

/// Whoever evaluates orders: a closure on many threads ([`Parallel`]), other programs, a cluster.
///
/// ```
/// use plackett::{Answer, Evaluator, Proposal};
/// /// Item 0 should come late.
/// struct Late;
/// impl Evaluator for Late {
///     fn evaluate(&mut self, proposals: &[Proposal]) -> Vec<Answer> {
///         let rank = |proposal: &Proposal| proposal.order.iter().position(|&item| item == 0).unwrap();
///         proposals.iter().map(|proposal| Answer::Value(-(rank(proposal) as f64))).collect()
///     }
/// }
/// use plackett::{Limits, Optimizer, OptimizerSettings, Trace, drive};
/// let mut optimizer = Optimizer::new(4, OptimizerSettings::default())?;
/// let limits = Limits { evaluations: Some(200), ..Limits::default() };
/// drive(&mut optimizer, &mut Late, &limits, &mut Trace::default(), &mut |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(optimizer.best().unwrap().1, -3.0);
/// # Ok::<(), plackett::Error>(())
/// ```
pub trait Evaluator {
    /// The answers to the proposals, in their order. A list that is shorter ends the run: what it has no answer to stays
    /// pending.
    fn evaluate(&mut self, proposals: &[Proposal]) -> Vec<Answer>;

    /// How many orders it evaluates at a time: the driver looks at the clock after so many.
    fn width(&self) -> usize {
        usize::MAX
    }
}

/// A closure evaluated on all threads of the present rayon pool. What it returns for an order is all that counts, so the
/// number of threads makes no difference. Errors, NaN and infinities are failures.
///
/// ```
/// use plackett::{Evaluator, Optimizer, OptimizerSettings, Parallel};
/// let mut first = Parallel::new(|order: &[usize]| order[0] as f64);
/// let proposals = Optimizer::new(3, OptimizerSettings::default())?.ask(5);
/// assert_eq!(first.evaluate(&proposals).len(), 5);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Parallel<F> {
    objective: F,
}

impl<F, V> Parallel<F>
where
    F: Fn(&[usize]) -> V + Sync,
    V: IntoValue,
{
    /// Evaluates this closure.
    pub fn new(objective: F) -> Self {
        Self { objective }
    }
}

/// Orders that a thread evaluates between two looks at the clock.
const ORDERS_PER_THREAD: usize = 4;

impl<F, V> Evaluator for Parallel<F>
where
    F: Fn(&[usize]) -> V + Sync,
    V: IntoValue,
{
    fn evaluate(&mut self, proposals: &[Proposal]) -> Vec<Answer> {
        let answer = |proposal: &Proposal| match (self.objective)(&proposal.order).into_value() {
            Ok(value) => Answer::Value(value),
            Err(error) => Answer::Failed(error.to_string()),
        };
        proposals.par_iter().map(answer).collect()
    }

    fn width(&self) -> usize {
        ORDERS_PER_THREAD * rayon::current_num_threads()
    }
}

/// Asks, evaluates and tells until it is time to stop. The observer is called after each round of evaluations and may end the
/// run.
///
/// The values decide what happens, never how many are worked out at a time. Failed evaluations are counted and dropped (see
/// [`Optimizer`]), not asked again; they count as evaluations. What was pending in a resumed optimizer is evaluated first.
///
/// ```
/// use plackett::{Ending, Limits, Optimizer, OptimizerSettings, Parallel, Trace, drive};
/// use std::ops::ControlFlow;
/// let mut optimizer = Optimizer::new(6, OptimizerSettings::default())?;
/// let mut objective = Parallel::new(|order: &[usize]| order.iter().enumerate().map(|(r, &i)| r.abs_diff(i) as f64).sum::<f64>());
/// let limits = Limits { evaluations: Some(5000), target: Some(0.0), ..Limits::default() };
/// let mut trace = Trace::default();
/// let ending = drive(&mut optimizer, &mut objective, &limits, &mut trace, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(ending, Ending::Target);
/// assert_eq!(trace.points().last().unwrap().best, 0.0);
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// [`Error::NothingEvaluated`] if nothing but failures comes back from the start.
pub fn drive(
    optimizer: &mut Optimizer,
    evaluator: &mut dyn Evaluator,
    limits: &Limits,
    trace: &mut Trace,
    observe: &mut dyn FnMut(&Optimizer) -> ControlFlow<()>,
) -> Result<Ending, Error> {
    let (start, spent) = (Instant::now(), trace.seconds());
    let sense = optimizer.settings().sense;
    let mut todo = optimizer.pending();
    loop {
        if let (Some(target), Some((_, value))) = (limits.target, optimizer.best())
            && !sense.is_better(target, value)
        {
            return Ok(Ending::Target);
        }
        let done = optimizer.status().told + optimizer.status().failed;
        let left = limits.evaluations.map_or(u64::MAX, |most| most.saturating_sub(done));
        let left = usize::try_from(left).unwrap_or(usize::MAX);
        if left == 0 {
            return Ok(Ending::Evaluations);
        }
        if limits.time.is_some_and(|most| start.elapsed() >= most) {
            return Ok(Ending::Time);
        }
        if todo.is_empty() {
            todo = optimizer.ask_batch(left);
        }
        let rest = todo.split_off(todo.len().min(evaluator.width().max(1)).min(left));
        let answers = evaluator.evaluate(&todo);
        let is_cut_short = answers.len() < todo.len();
        let seconds = spent + start.elapsed().as_secs_f64();
        trace.spend(seconds);
        for (proposal, answer) in todo.iter().zip(answers) {
            let failure = match &answer {
                Answer::Failed(what) => Some(what.clone()),
                _ => None,
            };
            optimizer.tell_id(proposal.id, answer)?;
            let status = optimizer.status();
            if let Some((_, best)) = optimizer.best() {
                trace.note(status.told + status.failed, seconds, best);
            }
            if let Some(last) = failure
                && status.told == 0
                && status.failed >= HOPELESS_FAILURES
            {
                return Err(Error::NothingEvaluated { failures: status.failed, last });
            }
        }
        todo = rest;
        if observe(optimizer).is_break() || is_cut_short {
            return Ok(Ending::Interrupted);
        }
    }
}
