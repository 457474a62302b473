//! The driver: asks an optimizer, has the orders evaluated, tells it, until it is time to stop.

use super::{Answer, Optimizer, Proposal};
use crate::{
    error::Error,
    objective::IntoValue,
    parallel,
    run::{Ending, Run, Trace},
};

/// If none of the first so many evaluations succeeds, something is wrong with the objective rather than with the orders.
const HOPELESS_FAILURES: u64 = 100;

/// Whoever evaluates orders: a closure on many threads ([`Parallel`]), other programs, a cluster.
///
/// ```
/// use plackett::optimizer::{Answer, Evaluator, Proposal};
/// /// Item 0 should come late.
/// struct Late;
/// impl Evaluator for Late {
///     fn evaluate(&mut self, proposals: &[Proposal]) -> Vec<Answer> {
///         let rank = |proposal: &Proposal| proposal.order.iter().position(|&item| item == 0).unwrap();
///         proposals.iter().map(|proposal| Answer::Value(-(rank(proposal) as f64))).collect()
///     }
/// }
/// use plackett::{optimizer::{Optimizer, OptimizerSettings, drive}, run::{Limits, Run, Trace}};
/// let mut optimizer = Optimizer::new(4, OptimizerSettings::default())?;
/// drive(&mut optimizer, &mut Late, &Run::new(Limits::evaluations(200)), &mut Trace::default())?;
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

/// A closure evaluated on all threads of the present rayon pool (with the feature `threads`). What it returns for an order is all that counts, so the
/// number of threads makes no difference. Errors, NaN and infinities are failures.
///
/// ```
/// use plackett::optimizer::{Evaluator, Optimizer, OptimizerSettings, Parallel};
/// let mut first = Parallel::new(|order: &[usize]| order[0] as f64);
/// let settings = OptimizerSettings { window: 5, ..OptimizerSettings::default() };
/// let proposals = Optimizer::new(3, settings)?.ask(5);
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
        parallel::map(proposals, |_, proposal| answer(proposal))
    }

    fn width(&self) -> usize {
        ORDERS_PER_THREAD * parallel::width()
    }
}

/// Asks, evaluates and tells until a limit is reached or the run is over. A step is a [round](step) of evaluations.
///
/// The values decide what happens, never how many are worked out at a time. Failed evaluations are counted and dropped (see
/// [`Optimizer`]), not asked again; they count as evaluations. What was pending in a resumed optimizer is evaluated first.
///
/// ```
/// use plackett::optimizer::{Optimizer, OptimizerSettings, Parallel, drive};
/// use plackett::run::{Ending, Limits, Run, Trace};
/// let mut optimizer = Optimizer::new(6, OptimizerSettings::default())?;
/// let mut objective = Parallel::new(|order: &[usize]| order.iter().enumerate().map(|(r, &i)| r.abs_diff(i) as f64).sum::<f64>());
/// let limits = Limits { evaluations: Some(5000), target: Some(0.0), ..Limits::default() };
/// let mut trace = Trace::default();
/// assert_eq!(drive(&mut optimizer, &mut objective, &Run::new(limits), &mut trace)?, Ending::Target);
/// assert_eq!(trace.points().last().unwrap().best, 0.0);
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// [`Error::NothingEvaluated`] if nothing but failures comes back from the start.
pub fn drive(
    optimizer: &mut Optimizer,
    evaluator: &mut dyn Evaluator,
    run: &Run<'_>,
    trace: &mut Trace,
) -> Result<Ending, Error> {
    run.repeat(|| step(optimizer, evaluator, run, trace))
}

/// One round of evaluations, as many as the evaluator makes at a time; or how the run ends, if it does. Who wants to look at
/// the optimizer now and then, to save it for instance, calls this in a loop instead of [`drive`].
///
/// ```
/// use plackett::optimizer::{Optimizer, OptimizerSettings, Parallel, step};
/// use plackett::run::{Ending, Limits, Run, Trace};
/// let mut optimizer = Optimizer::new(6, OptimizerSettings::default())?;
/// let mut objective = Parallel::new(|order: &[usize]| order[0] as f64);
/// let (run, mut trace) = (Run::new(Limits::evaluations(100)), Trace::default());
/// let ending = loop {
///     if let Some(ending) = step(&mut optimizer, &mut objective, &run, &mut trace)? {
///         break ending;
///     }
///     assert!(optimizer.best().is_some());
/// };
/// assert_eq!((ending, optimizer.status().told), (Ending::Evaluations, 100));
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// As [`drive`].
pub fn step(
    optimizer: &mut Optimizer,
    evaluator: &mut dyn Evaluator,
    run: &Run<'_>,
    trace: &mut Trace,
) -> Result<Option<Ending>, Error> {
    let (limits, sense) = (run.limits(), optimizer.settings().sense);
    if let (Some(target), Some((_, value))) = (limits.target, optimizer.best())
        && sense.reaches(value, target)
    {
        return Ok(Some(Ending::Target));
    }
    let left = limits.evaluations.map_or(u64::MAX, |most| most.saturating_sub(optimizer.evaluations()));
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    if left == 0 {
        return Ok(Some(Ending::Evaluations));
    }
    if let Some(ending) = run.over() {
        return Ok(Some(ending));
    }
    let start = run.seconds();
    // What was asked before and not answered, else the next batch.
    let most = evaluator.width().clamp(1, left);
    let mut todo = optimizer.pending();
    todo.truncate(most);
    if todo.is_empty() {
        todo = optimizer.ask_batch(most);
    }
    if todo.is_empty() {
        return Ok(Some(Ending::Finished)); // all orders have been asked
    }
    let answers = evaluator.evaluate(&todo);
    let is_cut_short = answers.len() < todo.len();
    trace.spend(run.seconds() - start, 0, None);
    for (proposal, answer) in todo.iter().zip(answers) {
        let failure = match &answer {
            Answer::Failed(what) => Some(what.clone()),
            _ => None,
        };
        optimizer.tell_id(proposal.id, answer)?;
        if let Some((_, best)) = optimizer.best() {
            trace.note(optimizer.evaluations(), trace.seconds(), best);
        }
        let status = optimizer.status();
        if let Some(last) = failure
            && status.told == 0
            && status.failed >= HOPELESS_FAILURES
        {
            return Err(Error::NothingEvaluated { failures: status.failed, last });
        }
    }
    run.note(optimizer.evaluations(), optimizer.best().map(|(_, value)| value));
    // An evaluator that gives up early knows that the run is over, or says so by giving up.
    Ok(is_cut_short.then(|| run.over().unwrap_or(Ending::Interrupted)))
}
