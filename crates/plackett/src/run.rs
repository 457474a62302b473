//! A run: when it ends, how it ended, how far it is, who looks on. One vocabulary for everything that can take long.
//!
//! Whoever starts a long computation makes a [`Run`] and hands it down. Every loop that can take long asks it
//! [`is_over`](Run::is_over) now and then, from whatever thread, and ends with the best so far as soon as it is. Nobody
//! needs a thread to be stopped, and nothing runs on behind the caller's back.

use std::{
    fmt,
    ops::ControlFlow,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize};

/// How often the observer is asked: often enough for a person, seldom enough to cost nothing.
const OBSERVED_EVERY: Duration = Duration::from_millis(20);

/// A part of a run that would ask the whole, and look at the clock, more often than this does so only now and then.
const HURRIED: Duration = Duration::from_micros(200);

/// The most questions that it then answers without: should they become slow ones, of some milliseconds each, that is still
/// soon enough.
const MOST_SKIPPED: u32 = 64;

/// When a run ends; whatever comes first. Without any limit it ends when its work is done or its observer says so.
///
/// ```
/// use plackett::run::Limits;
/// let limits = Limits { evaluations: Some(10_000), target: Some(578.0), ..Limits::default() };
/// assert!(limits.time.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// After this many steps of the method.
    pub steps: Option<u64>,
    /// After this many evaluations, those of the runs that were resumed included.
    pub evaluations: Option<u64>,
    /// After this long, this run alone. Two runs of one seed may then differ.
    pub time: Option<Duration>,
    /// As soon as a value is as good as this.
    pub target: Option<f64>,
    /// After this many evaluations without a better value.
    pub patience: Option<u64>,
}

impl Limits {
    /// After a number of steps, whatever the time.
    ///
    /// ```
    /// assert_eq!(plackett::run::Limits::steps(100).steps, Some(100));
    /// ```
    pub fn steps(steps: u64) -> Self {
        Self { steps: Some(steps), ..Self::default() }
    }

    /// After a number of evaluations.
    ///
    /// ```
    /// assert_eq!(plackett::run::Limits::evaluations(100).evaluations, Some(100));
    /// ```
    pub fn evaluations(evaluations: u64) -> Self {
        Self { evaluations: Some(evaluations), ..Self::default() }
    }

    /// After this long.
    ///
    /// ```
    /// use std::time::Duration;
    /// assert_eq!(plackett::run::Limits::time(Duration::from_secs(1)).time, Some(Duration::from_secs(1)));
    /// ```
    pub fn time(time: Duration) -> Self {
        Self { time: Some(time), ..Self::default() }
    }
}

/// How a run ended. Not an error: in each case the best so far is there.
///
/// ```
/// assert_eq!(plackett::run::Ending::Target.to_string(), "target reached");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Ending {
    /// All the work was done.
    Finished,
    /// All steps were made.
    Steps,
    /// All evaluations were made.
    Evaluations,
    /// The time was up.
    Time,
    /// The target was reached.
    Target,
    /// No better value was found for as long as the limits have patience.
    Patience,
    /// The distribution has made up its mind.
    Converged,
    /// The observer said to stop.
    Interrupted,
}

impl Ending {
    const ALL: [Self; 8] = [
        Self::Finished,
        Self::Steps,
        Self::Evaluations,
        Self::Time,
        Self::Target,
        Self::Patience,
        Self::Converged,
        Self::Interrupted,
    ];

    /// Whether time or the observer ended the run before its work was done.
    ///
    /// ```
    /// use plackett::run::Ending;
    /// assert!(Ending::Time.is_early() && !Ending::Evaluations.is_early());
    /// ```
    pub fn is_early(self) -> bool {
        matches!(self, Self::Time | Self::Interrupted)
    }

    /// The word for it in files and messages between programs.
    ///
    /// ```
    /// assert_eq!(plackett::run::Ending::Time.name(), "time");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Steps => "steps",
            Self::Evaluations => "evaluations",
            Self::Time => "time",
            Self::Target => "target",
            Self::Patience => "patience",
            Self::Converged => "converged",
            Self::Interrupted => "interrupted",
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Finished => "finished",
            Self::Steps => "all steps made",
            Self::Evaluations => "all evaluations made",
            Self::Time => "time up",
            Self::Target => "target reached",
            Self::Patience => "no better value for long",
            Self::Converged => "converged",
            Self::Interrupted => "interrupted",
        })
    }
}

/// How far a run is.
///
/// ```
/// let progress = plackett::run::Progress { stage: "PC-stable".to_owned(), done: 3, total: Some(12), ..Default::default() };
/// assert_eq!(progress.best, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// What is being done.
    pub stage: String,
    /// Steps of this stage made.
    pub done: u64,
    /// Steps of this stage to make, if that is known.
    pub total: Option<u64>,
    /// Evaluations made.
    pub evaluations: u64,
    /// The best value so far.
    pub best: Option<f64>,
    /// Seconds since the run began.
    pub seconds: f64,
    /// What the best of this stage looks like, if somebody [wants to see it](Run::sketched).
    pub sketch: Option<Sketch>,
}

/// What the best so far looks like, as lists of indices: of a graph, the parents of every node.
///
/// ```
/// use plackett::run::{Limits, Run};
/// let run = Run::new(Limits::default()).sketched();
/// run.show(7.0, || Some(vec![vec![], vec![0]]));
/// run.show(8.0, || unreachable!("it is worse"));
/// assert_eq!(run.progress().sketch.unwrap().lists[1], [0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    /// What it is worth; lower is better.
    pub value: f64,
    /// The lists.
    pub lists: Arc<[Vec<usize>]>,
}

/// Who looks on and may end a run: it is asked about fifty times a second, from whatever thread is at work.
///
/// Any closure of this shape is one.
///
/// ```
/// use plackett::run::{Ending, Limits, Progress, Run};
/// use std::ops::ControlFlow;
/// let mut looks_on = |progress: &Progress| match progress.stage.as_str() {
///     "tedious" => ControlFlow::Break(()),
///     _ => ControlFlow::Continue(()),
/// };
/// let run = Run::new(Limits::default()).observed(&mut looks_on);
/// run.begin("tedious", None);
/// while !run.is_over() {}
/// assert_eq!(run.ending(), Some(Ending::Interrupted));
/// ```
pub trait Observer: Send {
    /// Looks at how far the run is; `Break` ends it.
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()>;
}

impl<F: FnMut(&Progress) -> ControlFlow<()> + Send> Observer for F {
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}

/// The number of threads that work is spread over. It is one without the feature `threads`, and in a process that was forked from one that
/// had spread work already: threads do not survive a fork, and waiting for them would never end.
///
/// ```
/// assert!(plackett::run::threads() >= 1);
/// ```
#[must_use]
pub fn threads() -> usize {
    #[cfg(feature = "threads")]
    {
        static HOME: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
        // Whoever is a thread of a pool has it in this process.
        let is_in_pool = rayon::current_thread_index().is_some();
        if is_in_pool || *HOME.get_or_init(std::process::id) == std::process::id() {
            return rayon::current_num_threads();
        }
    }
    1
}

/// What tells the time: how long since some moment in the past. A browser has one of its own.
///
/// ```
/// use plackett::run::{Clock, SystemClock};
/// assert!(SystemClock.now() <= SystemClock.now());
/// ```
pub trait Clock: Sync {
    /// The time since some moment in the past.
    fn now(&self) -> Duration;
}

impl<F: Fn() -> Duration + Sync> Clock for F {
    fn now(&self) -> Duration {
        self()
    }
}

/// The operating system's clock; where there is none, it stands still.
///
/// ```
/// use plackett::run::{Clock, SystemClock};
/// let start = SystemClock.now();
/// assert!(SystemClock.now() - start < std::time::Duration::from_secs(3600));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    fn now(&self) -> Duration {
        static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
        START.get_or_init(std::time::Instant::now).elapsed()
    }

    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// A run under way: what a long computation asks whether to go on, and tells how far it is.
///
/// It can be shared by threads. Whoever has asked once and heard that it is over always hears so again.
///
/// ```
/// use plackett::run::{Ending, Limits, Run};
/// use std::time::Duration;
/// let run = Run::new(Limits::time(Duration::ZERO));
/// let mut sum = 0;
/// for i in 0..1_000_000_000_u64 {
///     if i % 1024 == 0 && run.is_over() {
///         break;
///     }
///     sum += i;
/// }
/// assert_eq!((sum, run.ending()), (0, Some(Ending::Time)));
/// ```
pub struct Run<'a> {
    limits: Limits,
    clock: &'a dyn Clock,
    start: Duration,
    whole: Option<&'a dyn Whole>,
    /// Whether the whole hears how far this is.
    is_told: bool,
    /// Whether somebody wants to see the best so far.
    is_sketched: bool,
    desk: Mutex<Desk<'a>>,
    /// One more than the position of the ending in [`Ending::ALL`]; zero while it goes on.
    ended: AtomicU8,
    /// When the observer is asked next, in nanoseconds by the clock.
    next_look: AtomicU64,
    pace: Pace,
}

/// How many questions a part answers before it asks the whole again, and how many of them are left. Threads that share a part
/// may lose count, which does no harm.
#[derive(Default)]
struct Pace {
    skipped: AtomicU32,
    left: AtomicU32,
    /// When it last asked, in nanoseconds by the clock.
    asked: AtomicU64,
}

impl Pace {
    /// Whether this question can be skipped.
    #[inline]
    fn skips(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 {
            self.left.store(left - 1, Ordering::Relaxed);
        }
        left > 0
    }

    /// Skips more questions if they come in a hurry, and none if they do not.
    fn set(&self, now: Duration) {
        let last = Duration::from_nanos(self.asked.swap(to_nanoseconds(now), Ordering::Relaxed));
        let since_last = now.saturating_sub(last);
        let skipped = self.skipped.load(Ordering::Relaxed);
        let skipped = if since_last < HURRIED { (2 * skipped + 1).min(MOST_SKIPPED) } else { 0 };
        self.skipped.store(skipped, Ordering::Relaxed);
        self.left.store(skipped, Ordering::Relaxed);
    }
}

/// What is written and read by one thread at a time.
struct Desk<'a> {
    observer: Option<&'a mut dyn Observer>,
    progress: Progress,
}

/// The run that another is a part of.
trait Whole: Sync {
    fn ending_now(&self) -> Option<Ending>;
    fn tell(&self, progress: &Progress);
}

impl Whole for Run<'_> {
    fn ending_now(&self) -> Option<Ending> {
        self.over()
    }

    fn tell(&self, progress: &Progress) {
        self.desk().progress.clone_from(progress);
    }
}

impl Default for Run<'_> {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Run")
            .field("limits", &self.limits)
            .field("ending", &self.ending())
            .finish_non_exhaustive()
    }
}

impl<'a> Run<'a> {
    /// A run that begins now, by the system's clock, with nobody looking on.
    pub fn new(limits: Limits) -> Self {
        Self::by(&SystemClock, limits)
    }

    /// The same by another clock.
    ///
    /// ```
    /// use plackett::run::{Limits, Run};
    /// use std::time::Duration;
    /// let clock = || Duration::from_secs(5); // stands still
    /// assert_eq!(Run::by(&clock, Limits::default()).seconds(), 0.0);
    /// ```
    pub fn by(clock: &'a dyn Clock, limits: Limits) -> Self {
        Self {
            limits,
            clock,
            start: clock.now(),
            whole: None,
            is_told: true,
            is_sketched: false,
            desk: Mutex::new(Desk { observer: None, progress: Progress::default() }),
            ended: AtomicU8::new(0),
            next_look: AtomicU64::new(0),
            pace: Pace::default(),
        }
    }

    /// The same with somebody looking on.
    #[must_use]
    pub fn observed(mut self, observer: &'a mut dyn Observer) -> Self {
        self.desk.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).observer = Some(observer);
        self
    }

    /// The same for somebody who wants to see the best so far.
    #[must_use]
    pub fn sketched(self) -> Self {
        Self { is_sketched: true, ..self }
    }

    /// The same with nothing to see: what is found is a step on the way, and no answer.
    ///
    /// ```
    /// use plackett::run::{Limits, Run};
    /// let whole = Run::default().sketched();
    /// whole.part(Limits::default()).unsketched().show(7.0, || unreachable!("nobody wants to see it"));
    /// assert_eq!(whole.progress().sketch, None);
    /// ```
    #[must_use]
    pub fn unsketched(self) -> Self {
        Self { is_sketched: false, ..self }
    }

    /// A part of this run, with limits of its own: it is over when they are reached or the whole is over.
    ///
    /// ```
    /// use plackett::run::{Ending, Limits, Run};
    /// use std::time::Duration;
    /// let whole = Run::default();
    /// let part = whole.part(Limits::time(Duration::ZERO));
    /// assert!(part.is_over() && !whole.is_over());
    /// ```
    pub fn part(&self, limits: Limits) -> Run<'_> {
        let whole: &dyn Whole = self;
        // Until it begins a stage of its own, what it tells is about the stage that the whole is in.
        let desk = Mutex::new(Desk { observer: None, progress: self.desk().progress.clone() });
        Run { whole: Some(whole), is_sketched: self.is_sketched, desk, ..Run::by(self.clock, limits) }
    }

    /// A part that keeps to itself how far it is: one of many that are done side by side, where it is their number that tells.
    ///
    /// ```
    /// use plackett::run::{Limits, Run};
    /// let whole = Run::default();
    /// whole.begin("replicates", Some(100));
    /// whole.aside(Limits::default()).begin("search", None);
    /// assert_eq!(whole.progress().stage, "replicates");
    /// ```
    pub fn aside(&self, limits: Limits) -> Run<'_> {
        Run { is_told: false, is_sketched: false, ..self.part(limits) }
    }

    /// Makes steps until one of them says how the run ended, or all that the limits allow are made. It is the caller who
    /// looks at the other limits, before each step.
    ///
    /// ```
    /// use plackett::run::{Ending, Limits, Run};
    /// let run = Run::new(Limits::steps(3));
    /// let mut made = 0;
    /// let ending = run.repeat(|| {
    ///     made += 1;
    ///     Ok::<_, plackett::Error>(run.over())
    /// })?;
    /// assert_eq!((made, ending), (3, Ending::Steps));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// That of a step, which ends the run.
    pub fn repeat<E>(&self, mut step: impl FnMut() -> Result<Option<Ending>, E>) -> Result<Ending, E> {
        let mut made = 0;
        while self.limits.steps.is_none_or(|most| made < most) {
            if let Some(ending) = step()? {
                return Ok(ending);
            }
            made += 1;
            self.advance(1);
        }
        Ok(Ending::Steps)
    }

    /// The limits.
    #[inline]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Seconds since the run began.
    pub fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }

    /// What is left of the time, if it is limited.
    ///
    /// ```
    /// use plackett::run::{Limits, Run};
    /// assert_eq!(Run::default().time_left(), None);
    /// ```
    pub fn time_left(&self) -> Option<Duration> {
        self.limits.time.map(|time| time.saturating_sub(self.elapsed()))
    }

    /// Begins a stage of so many steps.
    pub fn begin(&self, stage: &str, total: Option<u64>) {
        self.change(|progress| {
            progress.stage.clear();
            progress.stage.push_str(stage);
            (progress.done, progress.total, progress.sketch) = (0, total, None);
        });
    }

    /// Some more steps of the stage are made.
    pub fn advance(&self, steps: u64) {
        self.change(|progress| progress.done += steps);
    }

    /// So many evaluations are made, and this is the best value so far.
    pub fn note(&self, evaluations: u64, best: Option<f64>) {
        self.change(|progress| (progress.evaluations, progress.best) = (evaluations, best));
    }

    /// Shows the best of this stage, worth so much, to whoever wants to see it; whoever is worse is not looked at.
    pub fn show(&self, value: f64, lists: impl FnOnce() -> Option<Vec<Vec<usize>>>) {
        if !self.is_sketched || self.desk().progress.sketch.as_ref().is_some_and(|best| best.value <= value) {
            return;
        }
        if let Some(lists) = lists() {
            self.change(|progress| progress.sketch = Some(Sketch { value, lists: lists.into() }));
        }
    }

    /// How far it is.
    ///
    /// ```
    /// let run = plackett::run::Run::default();
    /// run.begin("counting", Some(10));
    /// run.advance(3);
    /// assert_eq!((run.progress().done, run.progress().total), (3, Some(10)));
    /// ```
    pub fn progress(&self) -> Progress {
        Progress { seconds: self.seconds(), ..self.desk().progress.clone() }
    }

    /// Whether to stop now: the time is up, the observer has said so, or the whole that this is a part of is over. Some
    /// tens of nanoseconds; of a part that is asked all the time, and by one thread, a few.
    #[inline]
    pub fn is_over(&self) -> bool {
        if self.ended.load(Ordering::Relaxed) > 0 {
            return true;
        }
        if self.whole.is_some() && self.pace.skips() {
            return false;
        }
        self.ask()
    }

    /// Asks the whole, the clock and the observer.
    fn ask(&self) -> bool {
        if let Some(ending) = self.whole.and_then(Whole::ending_now) {
            self.end(ending);
            return true;
        }
        let now = self.clock.now();
        if self.limits.time.is_some_and(|time| now.saturating_sub(self.start) >= time) {
            self.end(Ending::Time);
            return true;
        }
        if self.whole.is_some() {
            self.pace.set(now);
        } else if to_nanoseconds(now) >= self.next_look.load(Ordering::Relaxed) {
            self.look(now);
        }
        self.ended.load(Ordering::Relaxed) > 0
    }

    /// How it ends if it [is over](Self::is_over) now.
    ///
    /// ```
    /// use plackett::run::{Ending, Limits, Run};
    /// use std::time::Duration;
    /// assert_eq!(Run::default().over(), None);
    /// assert_eq!(Run::new(Limits::time(Duration::ZERO)).over(), Some(Ending::Time));
    /// ```
    pub fn over(&self) -> Option<Ending> {
        self.is_over();
        self.ending()
    }

    /// How it ended, or nothing while it goes on.
    pub fn ending(&self) -> Option<Ending> {
        let ended = self.ended.load(Ordering::Relaxed);
        usize::from(ended).checked_sub(1).map(|at| Ending::ALL[at])
    }

    /// Ends the run, unless it has ended before.
    ///
    /// ```
    /// use plackett::run::{Ending, Run};
    /// let run = Run::default();
    /// run.end(Ending::Target);
    /// run.end(Ending::Time);
    /// assert_eq!(run.ending(), Some(Ending::Target));
    /// ```
    pub fn end(&self, ending: Ending) {
        let code = 1 + Ending::ALL.iter().position(|&other| other == ending).unwrap_or_default();
        let _ = self.ended.compare_exchange(0, code as u8, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Asks the observer, unless another thread is just doing so.
    #[cold]
    fn look(&self, now: Duration) {
        let Ok(mut desk) = self.desk.try_lock() else { return };
        self.next_look.store(to_nanoseconds(now + OBSERVED_EVERY), Ordering::Relaxed);
        let Desk { observer, progress } = &mut *desk;
        progress.seconds = now.saturating_sub(self.start).as_secs_f64();
        if let Some(observer) = observer
            && observer.observe(progress).is_break()
        {
            self.end(Ending::Interrupted);
        }
    }

    fn change(&self, change: impl FnOnce(&mut Progress)) {
        let mut desk = self.desk();
        change(&mut desk.progress);
        if let Some(whole) = self.whole.filter(|_| self.is_told) {
            whole.tell(&desk.progress);
        }
    }

    fn desk(&self) -> std::sync::MutexGuard<'_, Desk<'a>> {
        self.desk.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.start)
    }
}

fn to_nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A moment at which a better order was found.
///
/// ```
/// let point = plackett::run::TracePoint { evaluations: 10, seconds: 0.5, best: 578.0 };
/// assert_eq!(point.best, 578.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Evaluations made until then.
    pub evaluations: u64,
    /// Seconds until then, those of the runs that were resumed included.
    pub seconds: f64,
    /// The value of that order.
    pub best: f64,
}

/// The moments at which better orders were found, and the seconds spent.
///
/// ```
/// let mut trace = plackett::run::Trace::default();
/// trace.note(3, 0.1, 7.0);
/// trace.note(4, 0.2, 7.0); // no better
/// assert_eq!(trace.points().len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    points: Vec<TracePoint>,
    seconds: f64,
}

impl Trace {
    /// The moments, in their order.
    pub fn points(&self) -> &[TracePoint] {
        &self.points
    }

    /// Seconds spent in all runs so far.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Whether the last better value is longer ago than the limits have patience, after so many evaluations.
    ///
    /// ```
    /// use plackett::run::{Limits, Trace};
    /// let mut trace = Trace::default();
    /// trace.note(3, 0.1, 7.0);
    /// let limits = Limits { patience: Some(10), ..Limits::default() };
    /// assert!(!trace.is_idle(12, &limits) && trace.is_idle(13, &limits));
    /// ```
    pub fn is_idle(&self, evaluations: u64, limits: &Limits) -> bool {
        let found = self.points.last().map_or(0, |point| point.evaluations);
        limits.patience.is_some_and(|most| evaluations.saturating_sub(found) >= most)
    }

    /// Notes the best value after so many evaluations and seconds, if it is another one than before.
    pub fn note(&mut self, evaluations: u64, seconds: f64, best: f64) {
        self.seconds = seconds;
        if self.points.last().is_none_or(|last| last.best != best) {
            self.points.push(TracePoint { evaluations, seconds, best });
        }
    }

    /// Notes that so many more seconds were spent, and what the best value is now, after so many evaluations.
    ///
    /// ```
    /// let mut trace = plackett::run::Trace::default();
    /// trace.spend(0.5, 10, None);
    /// trace.spend(0.5, 20, Some(7.0));
    /// assert_eq!((trace.seconds(), trace.points()[0].evaluations), (1.0, 20));
    /// ```
    pub fn spend(&mut self, seconds: f64, evaluations: u64, best: Option<f64>) {
        self.seconds += seconds;
        if let Some(best) = best {
            self.note(evaluations, self.seconds, best);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Each look at it takes a second.
    fn slow_clock() -> impl Clock {
        let seconds = AtomicU64::new(0);
        move || Duration::from_secs(seconds.fetch_add(1, Ordering::Relaxed))
    }

    #[test]
    fn time_ends_a_run_at_its_limit_and_for_good() {
        let clock = slow_clock();
        let run = Run::by(&clock, Limits::time(Duration::from_secs(3)));
        let asked = (0..10).take_while(|_| !run.is_over()).count();
        assert_eq!(asked, 2, "the clock shows 1 and 2 seconds, then 3");
        assert_eq!(run.ending(), Some(Ending::Time));
        assert!(run.is_over());
    }

    #[test]
    fn the_observer_sees_what_was_told_and_can_end_the_run() {
        let clock = slow_clock();
        let mut seen = Vec::new();
        let mut observer = |progress: &Progress| {
            seen.push((progress.stage.clone(), progress.done, progress.evaluations));
            if progress.done == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let run = Run::by(&clock, Limits::default()).observed(&mut observer);
        run.begin("walking", Some(5));
        for step in 0..5 {
            run.note(10 * step, None);
            if run.is_over() {
                break;
            }
            run.advance(1);
        }
        assert_eq!(run.ending(), Some(Ending::Interrupted));
        drop(run);
        let stage = || "walking".to_owned();
        assert_eq!(seen, [(stage(), 0, 0), (stage(), 1, 10), (stage(), 2, 20)]);
    }

    #[test]
    fn a_part_ends_with_the_whole_and_tells_it_how_far_it_is() {
        let clock = slow_clock();
        let mut stages = Vec::new();
        let mut observer = |progress: &Progress| {
            stages.push(progress.stage.clone());
            ControlFlow::Continue(())
        };
        let whole = Run::by(&clock, Limits::time(Duration::from_secs(100))).observed(&mut observer);
        let part = whole.part(Limits::time(Duration::from_secs(4)));
        part.begin("first half", None);
        while !part.is_over() {}
        assert_eq!((part.ending(), whole.ending()), (Some(Ending::Time), None));
        whole.end(Ending::Interrupted);
        assert!(whole.part(Limits::default()).is_over());
        drop(part);
        drop(whole);
        assert!(stages.iter().all(|stage| stage == "first half") && !stages.is_empty());
    }

    #[test]
    fn a_part_in_a_hurry_asks_seldom_and_one_that_is_not_asks_always() {
        // Each look at it takes a microsecond, or as long as the test says.
        let (looks, pause) = (AtomicU64::new(0), AtomicU64::new(1));
        let time = AtomicU64::new(0);
        let clock = || {
            looks.fetch_add(1, Ordering::Relaxed);
            Duration::from_micros(time.fetch_add(pause.load(Ordering::Relaxed), Ordering::Relaxed))
        };
        let whole = Run::by(&clock, Limits::default());
        let part = whole.part(Limits::default());
        let ask = |times: u32| {
            let before = looks.load(Ordering::Relaxed);
            assert!((0..times).all(|_| !part.is_over()));
            looks.load(Ordering::Relaxed) - before
        };
        assert!(ask(6500) < 250, "two looks in about 65 questions");
        pause.store(1000, Ordering::Relaxed);
        ask(65); // still skipped
        assert_eq!(ask(100), 200);
        pause.store(1, Ordering::Relaxed);
        ask(1000);
        whole.end(Ending::Interrupted);
        assert!((0..65).any(|_| part.is_over()));
    }

    #[test]
    fn threads_share_a_run() {
        let run = Run::default();
        std::thread::scope(|scope| {
            let waiting: Vec<_> = (0..4).map(|_| scope.spawn(|| while !run.is_over() {})).collect();
            run.end(Ending::Target);
            waiting.into_iter().for_each(|thread| thread.join().unwrap());
        });
        assert_eq!(run.ending(), Some(Ending::Target));
    }
}
