//! The driver: asks an optimizer, has the orders evaluated, tells it, until it is time to stop.

use std::collections::{BTreeMap, VecDeque};

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
    if let Some(ending) = ending(optimizer, run, trace) {
        return Ok(Some(ending));
    }
    let left = evaluations_left(optimizer, run);
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
        tell(optimizer, proposal.id, answer, trace)?;
    }
    run.note(optimizer.evaluations(), optimizer.best().map(|(_, value)| value));
    // An evaluator that gives up early knows that the run is over, or says so by giving up.
    Ok(is_cut_short.then(|| run.over().unwrap_or(Ending::Interrupted)))
}

/// How the run ends, if it does: target, evaluations, patience, or what the run itself says.
fn ending(optimizer: &Optimizer, run: &Run<'_>, trace: &Trace) -> Option<Ending> {
    let limits = run.limits();
    if let (Some(target), Some((_, value))) = (limits.target, optimizer.best())
        && optimizer.settings().sense.reaches(value, target)
    {
        return Some(Ending::Target);
    }
    if evaluations_left(optimizer, run) == 0 {
        return Some(Ending::Evaluations);
    }
    if trace.is_idle(optimizer.evaluations(), limits) {
        return Some(Ending::Patience);
    }
    run.over()
}

fn evaluations_left(optimizer: &Optimizer, run: &Run<'_>) -> usize {
    let most = run.limits().evaluations;
    let left = most.map_or(u64::MAX, |most| most.saturating_sub(optimizer.evaluations()));
    usize::try_from(left).unwrap_or(usize::MAX)
}

fn tell(optimizer: &mut Optimizer, id: u64, answer: Answer, trace: &mut Trace) -> Result<(), Error> {
    let failure = match &answer {
        Answer::Failed(what) => Some(what.clone()),
        _ => None,
    };
    optimizer.tell_id(id, answer)?;
    if let Some((_, best)) = optimizer.best() {
        trace.note(optimizer.evaluations(), trace.seconds(), best);
    }
    let status = optimizer.status();
    match failure {
        Some(last) if status.told == 0 && status.failed >= HOPELESS_FAILURES => {
            Err(Error::NothingEvaluated { failures: status.failed, last })
        }
        _ => Ok(()),
    }
}

/// A run whose answers come when they come, as from programs or a cluster: no answer waits for another one to be asked
/// about, and none is told before those to earlier proposals, so that the run does not depend on who is quick.
///
/// ```
/// use plackett::optimizer::{Answer, AsTheyCome, Optimizer, OptimizerSettings};
/// use plackett::run::{Ending, Limits, Run, Trace};
/// let settings = OptimizerSettings { window: 4, ..OptimizerSettings::default() };
/// let mut optimizer = Optimizer::new(6, settings)?;
/// let (run, mut trace) = (Run::new(Limits::evaluations(100)), Trace::default());
/// let mut answers = AsTheyCome::new(&optimizer);
/// let mut working = Vec::new(); // three workers, the last of which is the quickest
/// let ending = loop {
///     if let Some(ending) = answers.ending(&optimizer, &run, &trace) {
///         break ending;
///     }
///     working.extend(answers.ask(&mut optimizer, &run, 3 - working.len()));
///     let Some(proposal) = working.pop() else { break Ending::Finished };
///     answers.tell(&mut optimizer, proposal.id, Answer::Value(proposal.order[0] as f64), &mut trace)?;
/// };
/// assert_eq!((ending, optimizer.evaluations()), (Ending::Evaluations, 100));
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Debug)]
pub struct AsTheyCome {
    /// Proposals of a resumed run, to be given out first.
    left: VecDeque<Proposal>,
    /// Numbers of the proposals given out, the first that has not been told first.
    given: VecDeque<u64>,
    early: BTreeMap<u64, Answer>,
}

impl AsTheyCome {
    /// For this optimizer, whose pending proposals are given out first.
    pub fn new(optimizer: &Optimizer) -> Self {
        Self { left: optimizer.pending().into(), given: VecDeque::new(), early: BTreeMap::new() }
    }

    /// At most so many proposals that do not depend on missing answers, no more than the run has evaluations left for.
    pub fn ask(&mut self, optimizer: &mut Optimizer, run: &Run<'_>, most: usize) -> Vec<Proposal> {
        let most = most.min(evaluations_left(optimizer, run).saturating_sub(self.given.len()));
        let mut asked: Vec<Proposal> = self.left.drain(..most.min(self.left.len())).collect();
        if asked.len() < most {
            asked.extend(optimizer.ask_batch(most - asked.len()));
        }
        self.given.extend(asked.iter().map(|proposal| proposal.id));
        asked
    }

    /// Takes an answer, and tells the optimizer all that it can be told.
    ///
    /// # Errors
    /// As [`drive`].
    pub fn tell(
        &mut self,
        optimizer: &mut Optimizer,
        id: u64,
        answer: Answer,
        trace: &mut Trace,
    ) -> Result<(), Error> {
        self.early.insert(id, answer);
        while let Some(first) = self.given.front()
            && let Some(answer) = self.early.remove(first)
        {
            tell(optimizer, *first, answer, trace)?;
            self.given.pop_front();
        }
        Ok(())
    }

    /// How the run ends, if it does.
    pub fn ending(&self, optimizer: &Optimizer, run: &Run<'_>, trace: &Trace) -> Option<Ending> {
        ending(optimizer, run, trace)
    }

    /// Tells the optimizer the answers that came early, when the run is over before those that they waited for are there.
    ///
    /// # Errors
    /// As [`drive`].
    pub fn close(self, optimizer: &mut Optimizer, trace: &mut Trace) -> Result<(), Error> {
        self.early.into_iter().try_for_each(|(id, answer)| tell(optimizer, id, answer, trace))
    }
}
