//! Permutation flow shop: every job passes the machines one after another, all machines take the jobs in the same order,
//! and the last job is to be done soon. Files as Taillard's, with headings and perhaps several problems; or a table: jobs,
//! machines, then for every job its machines and times (pairs counted from 0), or its times alone.
//!
//! With the earliest ends e of the jobs before a gap and the longest tails q of those after it, a job put into the gap ends
//! at f, and the makespan is max f + q: Taillard's way to value all ranks of a job in O(n·m). Many gaps are equally good by
//! that; of these the one that lets machines wait least is taken, as Fernandez-Viagas and Framinan do. The search is the iterated
//! greedy algorithm of Ruiz and Stützle with the refinement of Dubois-Lacoste, Pagnozzi and Stützle: the line that is left when a
//! few jobs are taken out is improved before they are put back. Whole times are added as whole numbers, which is quicker.

use std::ops::{Add, Sub};

use plackett::{
    neighborhood::{Move, MoveKind, Neighborhood, Queue, Standing, is_gain},
    problem::Problem,
    rand::{RngExt as _, rngs::ChaCha8Rng},
    run::Run,
};

use crate::{
    error::{Error, check_finite, check_length},
    instance::Instance,
    kind::Kind,
    published::BestKnown,
    taillard, text,
};

/// A permutation flow shop: minimize the time at which the last job leaves the last machine.
///
/// ```
/// use plackett::problem::Problem;
/// use plackett_problems::FlowShop;
/// let shop = FlowShop::new("tiny", 2, 2, vec![3.0, 2.0, 1.0, 4.0])?; // job 0 takes 3 and 2, job 1 takes 1 and 4
/// assert_eq!(shop.value(&[0, 1]), 9.0);
/// assert_eq!(shop.value(&[1, 0]), 7.0);
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FlowShop {
    name: String,
    jobs: usize,
    machines: usize,
    /// A row of machines for every job.
    times: Vec<f64>,
    /// The same, if they are whole and no sum of them is too large.
    whole_times: Option<Vec<i32>>,
    stated: Option<BestKnown>,
}

/// A time or a sum of times.
trait Time:
    Copy + Default + PartialOrd + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Into<f64>
{
    /// More than any sum of times.
    const MOST: Self;

    /// A row of machines for every job.
    fn times(shop: &FlowShop) -> &[Self];

    #[inline]
    fn later(self, other: Self) -> Self {
        if self < other { other } else { self }
    }
}

impl Time for f64 {
    const MOST: Self = Self::INFINITY;

    fn times(shop: &FlowShop) -> &[Self] {
        &shop.times
    }
}

impl Time for i32 {
    const MOST: Self = Self::MAX;

    fn times(shop: &FlowShop) -> &[Self] {
        shop.whole_times.as_deref().unwrap_or_default()
    }
}

/// The largest sum of whole times: waiting, which is a few of them added up, must not be too large for 32 bits.
const MOST_WHOLE: f64 = 1e7;

impl FlowShop {
    /// The problem of a table of processing times, a row for every job.
    ///
    /// # Errors
    /// A table that is empty, of another size, or with a time that is negative or not finite.
    pub fn new(name: &str, jobs: usize, machines: usize, times: Vec<f64>) -> Result<Self, Error> {
        if jobs == 0 || machines == 0 {
            return Err(plackett::Error::Empty { what: "the table of times" }.into());
        }
        check_length("the table of times", times.len(), jobs * machines)?;
        check_finite("times", &times)?;
        if let Some(&value) = times.iter().find(|&&time| time < 0.0) {
            return Err(Error::NegativeTime { time: value });
        }
        let is_whole =
            times.iter().all(|time| time.fract() == 0.0) && times.iter().sum::<f64>() <= MOST_WHOLE;
        let whole_times = is_whole.then(|| times.iter().map(|&time| time as i32).collect());
        Ok(Self { name: name.to_owned(), jobs, machines, times, whole_times, stated: None })
    }

    /// Reads the first problem of a text; `file` is what errors call it.
    ///
    /// ```
    /// let shop = plackett_problems::FlowShop::parse("two.txt", "2 2\n0 3 1 2\n0 1 1 4\n")?;
    /// # Ok::<(), plackett_problems::Error>(())
    /// ```
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let first = Self::parse_all(file, text)?.into_iter().next();
        first.ok_or_else(|| plackett::Error::Empty { what: "the list of problems" }.into())
    }

    /// Reads all problems of a text: Taillard's files hold several.
    ///
    /// ```
    /// let text = "number of jobs, number of machines, initial seed, upper bound and lower bound :
    ///     3 2 42 12 10
    /// processing times :
    ///     1 2 3
    ///     4 5 6
    /// ";
    /// let shops = plackett_problems::FlowShop::parse_all("tiny.txt", &text.repeat(2))?;
    /// assert_eq!(shops.len(), 2);
    /// # Ok::<(), plackett_problems::Error>(())
    /// ```
    ///
    /// # Errors
    /// The line and what is wrong there; a text without a problem.
    pub fn parse_all(file: &str, text: &str) -> Result<Vec<Self>, Error> {
        if !has_headings(text) {
            return Ok(vec![Self::parse_table(file, text)?]);
        }
        let mut sections: Vec<Vec<(usize, &str)>> = Vec::new();
        for (line, text) in text::numbered(text) {
            let heading = text.to_lowercase();
            if heading.contains("number of jobs") {
                sections.push(Vec::new());
            } else if !heading.contains("processing times") {
                match sections.last_mut() {
                    Some(section) => section.push((line, text)),
                    None if text.trim().is_empty() => {}
                    None => {
                        let what = "a heading 'number of jobs, …' is needed first".to_owned();
                        return Err(Error::Format { file: file.to_owned(), line, what });
                    }
                }
            }
        }
        let is_alone = sections.len() == 1;
        let mut shops = Vec::with_capacity(sections.len());
        for (index, section) in (1..).zip(sections) {
            let name = text::stem(file);
            let name = if is_alone { name } else { format!("{name}#{index}") };
            shops.push(Self::parse_section(&name, text::Words::new(file, section))?);
        }
        Ok(shops)
    }

    /// Jobs, machines, seed, upper and lower bound; then a row of jobs for every machine.
    fn parse_section(name: &str, mut words: text::Words<'_>) -> Result<Self, Error> {
        let jobs = words.count("the number of jobs")?;
        let machines = words.count("the number of machines")?;
        words.number("the seed")?;
        let upper = words.number("the upper bound")?;
        let lower = words.number("the lower bound")?;
        let by_machine = words.numbers(jobs * machines, "the processing times")?;
        words.end()?;
        let times = (0..jobs * machines).map(|at| by_machine[at % machines * jobs + at / machines]).collect();
        let stated = BestKnown { value: upper, is_optimal: upper == lower };
        Ok(Self { stated: Some(stated), ..Self::new(name, jobs, machines, times)? })
    }

    fn parse_table(file: &str, text: &str) -> Result<Self, Error> {
        let mut words = text::words_after_title(file, text);
        let jobs = words.count("the number of jobs")?;
        let machines = words.count("the number of machines")?;
        let cells = jobs * machines;
        if words.left() < cells {
            let text = format!(
                "{jobs} jobs on {machines} machines have {cells} times, and {} numbers follow",
                words.left()
            );
            return Err(words.error(text));
        }
        let has_pairs = words.left() > cells;
        let mut times = vec![0.0; cells];
        for time_of_job in times.chunks_exact_mut(machines) {
            for (machine, time) in time_of_job.iter_mut().enumerate() {
                if has_pairs {
                    let place = words.clone();
                    let named = words.number("a machine")?;
                    if named != machine as f64 {
                        return Err(place.error(format!(
                            "machine {named} where {machine} is next: in a flow shop all jobs pass the machines in order"
                        )));
                    }
                }
                *time = words.number("a processing time")?;
            }
        }
        words.end()?;
        Self::new(&text::stem(file), jobs, machines, times)
    }

    fn times_of(&self, job: usize) -> &[f64] {
        &self.times[job * self.machines..][..self.machines]
    }

    /// Lets a job follow: `ends` holds when each machine is free.
    fn follow(&self, job: usize, ends: &mut [f64]) {
        let mut end: f64 = 0.0;
        for (machine_end, time) in ends.iter_mut().zip(self.times_of(job)) {
            end = end.max(*machine_end) + time;
            *machine_end = end;
        }
    }
}

/// Whether a text has the headings of Taillard's files.
pub(crate) fn has_headings(text: &str) -> bool {
    text.to_lowercase().contains("processing times")
}

/// Whether so many numbers can be the table of so many jobs and machines.
pub(crate) fn is_table(jobs: usize, machines: f64, numbers: usize) -> bool {
    let per_job = numbers as f64 / jobs as f64;
    per_job == machines || per_job == 2.0 * machines
}

impl Problem for FlowShop {
    fn items(&self) -> usize {
        self.jobs
    }

    fn value(&self, order: &[usize]) -> f64 {
        let mut ends = vec![0.0; self.machines];
        order.iter().for_each(|&job| self.follow(job, &mut ends));
        ends[self.machines - 1]
    }

    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        let mut ends = vec![0.0; self.machines];
        for (&job, part) in order.iter().zip(parts) {
            let before = ends[self.machines - 1];
            self.follow(job, &mut ends);
            *part = ends[self.machines - 1] - before;
        }
    }

    fn neighborhood(&self) -> Box<dyn Neighborhood + '_> {
        if self.whole_times.is_some() {
            Box::new(Walk::<i32>::new(self))
        } else {
            Box::new(Walk::<f64>::new(self))
        }
    }

    /// Every improvement takes many evaluations: one walk gets further than many.
    fn walks(&self) -> usize {
        1
    }

    fn construct(&self, run: &Run<'_>) -> Option<Vec<usize>> {
        if self.whole_times.is_some() {
            Walk::<i32>::construct(self, run)
        } else {
            Walk::<f64>::construct(self, run)
        }
    }
}

impl Instance for FlowShop {
    fn kind(&self) -> Kind {
        Kind::FlowShop
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn best_known(&self) -> Option<BestKnown> {
        taillard::find(&self.name, self.jobs, self.machines, &self.times).or(self.stated)
    }
}

/// Jobs that a kick takes out and puts back, and the temperature: those of Dubois-Lacoste, Pagnozzi and Stützle.
const KICKED_JOBS: usize = 2;
const TEMPERATURE: f64 = 0.7;

struct Walk<'a, T> {
    shop: &'a FlowShop,
    times: &'a [T],
    standing: Standing,
    /// The jobs in line without the one that is being placed.
    line: Vec<usize>,
    /// The line that ends and tails were last worked out for.
    valued: Vec<usize>,
    /// Earliest ends after the first jobs of the line, by their number; rows of machines.
    ends: Vec<T>,
    /// Longest tails of the last jobs, by their number; rows of machines, the last one first.
    tails: Vec<T>,
    spans: Vec<T>,
}

/// When machines are free after a job that takes these times, given when they are free before it.
fn follow<'t, T: Time + 't>(before: &[T], after: &mut [T], times: impl Iterator<Item = &'t T>) {
    let mut end = T::default();
    for ((after, &before), &time) in after.iter_mut().zip(before).zip(times) {
        end = end.later(before) + time;
        *after = end;
    }
}

impl<'a, T: Time> Walk<'a, T> {
    fn new(shop: &'a FlowShop) -> Self {
        let room = (shop.jobs + 1) * shop.machines;
        let mut walk = Self {
            shop,
            times: T::times(shop),
            standing: Standing::new(shop.jobs),
            line: Vec::with_capacity(shop.jobs),
            valued: Vec::with_capacity(shop.jobs),
            ends: vec![T::default(); room],
            tails: vec![T::default(); room],
            spans: Vec::with_capacity(shop.jobs + 1),
        };
        walk.set_order(&(0..shop.jobs).collect::<Vec<_>>());
        walk
    }

    /// Nawaz, Enscore and Ham: jobs by their total time, the longest first, each put where it is best.
    fn construct(shop: &'a FlowShop, run: &Run<'_>) -> Option<Vec<usize>> {
        let total = |job: &usize| shop.times_of(*job).iter().sum::<f64>();
        let mut jobs: Vec<usize> = (0..shop.jobs).collect();
        jobs.sort_by(|a, b| total(b).total_cmp(&total(a)));
        let mut walk = Self::new(shop);
        walk.line.clear();
        for job in jobs {
            if run.is_over() {
                return None;
            }
            walk.place(job, u64::MAX);
        }
        Some(walk.line)
    }

    fn times_of(&self, job: usize) -> &'a [T] {
        &self.times[job * self.shop.machines..][..self.shop.machines]
    }

    /// The makespan of the line.
    fn span(&self) -> T {
        let mut ends = vec![T::default(); self.shop.machines];
        for &job in &self.line {
            let mut end = T::default();
            for (machine_end, &time) in ends.iter_mut().zip(self.times_of(job)) {
                end = end.later(*machine_end) + time;
                *machine_end = end;
            }
        }
        ends[self.shop.machines - 1]
    }

    /// The makespan with a job put into every gap of the line, or into the first ones if no more evaluations are left. O(n·m).
    /// Ends hold from the line before as far as both begin with the same jobs, and tails as far as both end with the same.
    fn value_gaps(&mut self, job: usize, left: u64) {
        let Self { shop, times, line, valued, ends, tails, spans, .. } = self;
        let machines = shop.machines;
        let times_of = |job: usize| &times[job * machines..][..machines];
        let first_new = line.iter().zip(&*valued).take_while(|(job, other)| job == other).count();
        for (at, &other) in line.iter().enumerate().skip(first_new) {
            let (before, after) = ends.split_at_mut((at + 1) * machines);
            follow(&before[at * machines..], &mut after[..machines], times_of(other).iter());
        }
        let (from_end, valued_from_end) = (line.iter().rev(), valued.iter().rev());
        let last_new = from_end.clone().zip(valued_from_end).take_while(|(job, other)| job == other).count();
        for (at, &other) in from_end.enumerate().skip(last_new) {
            let (after, before) = tails.split_at_mut((at + 1) * machines);
            follow(&after[at * machines..], &mut before[..machines], times_of(other).iter().rev());
        }
        valued.clone_from(line);
        spans.clear();
        let times = times_of(job);
        let gaps = (line.len() + 1).min(usize::try_from(left).unwrap_or(usize::MAX));
        let tails = tails.chunks_exact(machines).take(line.len() + 1).rev();
        for (ends, tails) in ends.chunks_exact(machines).zip(tails).take(gaps) {
            let (mut end, mut span) = (T::default(), T::default());
            for ((&before, &tail), &time) in ends.iter().zip(tails.iter().rev()).zip(times) {
                end = end.later(before) + time;
                span = span.later(end + tail);
            }
            spans.push(span);
        }
        self.standing.evaluations += self.spans.len() as u64;
    }

    /// The best gap for the job that was valued; of several the one with the least waiting.
    fn best_gap(&mut self, job: usize) -> usize {
        let least =
            self.spans.iter().copied().fold(T::MOST, |least, span| if span < least { span } else { least });
        let mut best = (T::MOST, 0);
        let ties = self.spans.iter().filter(|&&span| span == least).count();
        for gap in 0..self.spans.len() {
            if self.spans[gap] == least {
                if ties == 1 {
                    return gap;
                }
                let waiting = self.waiting(job, gap);
                if waiting < best.0 {
                    best = (waiting, gap);
                }
            }
        }
        best.1
    }

    /// How long machines wait around a job in a gap of the line, up to what is the same for all gaps. O(m).
    fn waiting(&self, job: usize, gap: usize) -> T {
        let machines = self.shop.machines;
        let ends = &self.ends[gap * machines..][..machines];
        let times = self.times_of(job);
        let zero = T::default();
        let mut waiting = zero;
        let mut end = zero; // of the job, on the machine before
        if gap == self.line.len() {
            for (at, (&free, &time)) in ends.iter().zip(times).enumerate() {
                waiting = waiting + if at > 0 { (end - free).later(zero) } else { zero };
                end = end.later(free) + time;
            }
            return waiting;
        }
        // The job that comes next now, and when it would end after this one.
        let next = self.times_of(self.line[gap]);
        let next_ends = &self.ends[(gap + 1) * machines..][..machines];
        let mut next_end = zero;
        for machine in 0..machines {
            end = end.later(ends[machine]) + times[machine];
            if machine > 0 {
                waiting = waiting
                    + (end - next_ends[machine])
                    + (next[machine] - times[machine])
                    + (next_end - end).later(zero);
            }
            next_end = next_end.later(end) + next[machine];
        }
        waiting
    }

    /// Puts a job into its best gap: of those that could be valued, or else into the first.
    fn place(&mut self, job: usize, left: u64) {
        self.value_gaps(job, left);
        let gap = self.best_gap(job);
        self.line.insert(gap, job);
    }

    /// Improves the line as it is, without the jobs that have been taken out: each job in turn to its best gap, until a pass
    /// brings nothing. A job also goes to a gap that is no better than its own but lets machines wait less: from the line that comes
    /// of it other jobs get further. Jobs that are next to each other come after each other, so that the most is known from the one before.
    /// Returns the makespan.
    fn improve_line(&mut self, rng: &mut ChaCha8Rng, run: &Run<'_>) -> T {
        let mut span = self.span();
        let mut jobs = Vec::new();
        let mut since_better = 0;
        while since_better < self.line.len() {
            jobs.clone_from(&self.line);
            jobs.rotate_left(rng.random_range(0..self.line.len()));
            for &job in &jobs {
                // One is left for the whole order that this is a part of.
                let left = self.left(run).saturating_sub(1);
                if since_better >= jobs.len() || left == 0 || run.is_over() {
                    return span;
                }
                let Some(rank) = self.line.iter().position(|&other| other == job) else { return span };
                self.line.remove(rank);
                self.value_gaps(job, left);
                let gap = self.best_gap(job);
                let found = self.spans[gap];
                let is_better = is_gain((found - span).into(), span.into());
                since_better = if is_better { 0 } else { since_better + 1 };
                if found <= span {
                    self.line.insert(gap, job);
                    span = found;
                } else {
                    self.line.insert(rank, job);
                }
            }
        }
        span
    }

    fn leave_out(&mut self, rank: usize) {
        self.line.clone_from(&self.standing.order);
        self.line.remove(rank);
    }
}

impl<T: Time> Neighborhood for Walk<'_, T> {
    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn kinds(&self) -> &'static [MoveKind] {
        &[MoveKind::Insert]
    }

    fn set_order(&mut self, order: &[usize]) {
        self.standing.set(order, self.shop.value(order));
    }

    /// O(n·m): a single move has no short cut.
    fn change(&mut self, step: Move) -> f64 {
        self.standing.evaluations += 1;
        self.line.clone_from(&self.standing.order);
        step.apply(&mut self.line);
        self.span().into() - self.standing.cost
    }

    fn apply(&mut self, step: Move) {
        self.standing.apply(step);
        self.standing.cost = self.shop.value(&self.standing.order);
    }

    /// O(m) a rank.
    fn insertions(&mut self, from: usize, low: usize, high: usize, changes: &mut Vec<f64>, run: &Run<'_>) {
        self.leave_out(from);
        self.value_gaps(self.standing.order[from], self.left(run));
        changes.clear();
        let unvalued = std::iter::repeat_n(f64::INFINITY, self.standing.order.len() - self.spans.len());
        let spans = self.spans.iter().map(|&span| span.into()).chain(unvalued);
        changes.extend(spans.map(|span: f64| span - self.standing.cost).skip(low).take(high - low + 1));
    }

    fn improve(&mut self, _: &mut Queue, rng: &mut ChaCha8Rng, run: &Run<'_>) {
        self.line.clone_from(&self.standing.order);
        let span = self.improve_line(rng, run);
        self.standing.go_back(&self.line, span.into());
    }

    /// Takes a few jobs out, improves what is left, and puts them back one by one, each where it is best.
    fn kick(&mut self, _: &mut Queue, rng: &mut ChaCha8Rng, run: &Run<'_>) {
        self.line.clone_from(&self.standing.order);
        let mut taken = [0; KICKED_JOBS];
        let count = KICKED_JOBS.min(self.shop.jobs);
        for job in &mut taken[..count] {
            *job = self.line.remove(rng.random_range(0..self.line.len()));
        }
        self.improve_line(rng, run);
        for &job in &taken[..count] {
            self.place(job, self.left(run).saturating_sub(1));
        }
        let line = std::mem::take(&mut self.line);
        self.set_order(&line);
        self.line = line;
    }

    fn temperature(&self, _: u64) -> f64 {
        let mean = self.shop.times.iter().sum::<f64>() / self.shop.times.len() as f64;
        TEMPERATURE * mean / 10.0
    }
}
