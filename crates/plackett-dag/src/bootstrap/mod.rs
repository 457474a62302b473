//! How far a graph can be trusted: the bootstrap of Friedman, Goldszmidt and Wyner (1999). The rows are drawn anew, with replacement, a
//! graph is learned from each such resample just as it was from the data, and what counts is how often two columns are joined
//! and which way.
//!
//! A replicate repeats everything that the data decide, the choice of a score and the price of a parent included: what is uncertain in
//! these is uncertain in the graph. Of each it is its claim that is counted ([`Learned::claim`]).

mod support;

use std::sync::{Mutex, PoisonError};

use plackett::run::{Limits, Run};

pub use support::{EdgeSupport, Support};

use crate::{Learned, Learning, Resampler, Result, parallel};

/// A bootstrap of what [`Learning`] gives.
///
/// ```
/// use plackett::run::Run;
/// use plackett_dag::{Bootstrap, Dataset, Learning, dataset::{Reading, SourceColumn, SourceValues}, gram::Centering};
/// let cause: Vec<f64> = (0..200).map(|row| f64::from(row * 37 % 101)).collect();
/// let effect = cause.iter().enumerate().map(|(row, value)| value + (row * 53 % 97) as f64).collect();
/// let column = |name: &str, values| SourceColumn { name: name.to_owned(), values: SourceValues::Numbers(values) };
/// let data = Dataset::from_columns(vec![column("a", cause), column("b", effect)], "data", &Reading::default())?;
/// let (learning, rows) = (Learning { score: "bic".into(), ..Learning::default() }, data.resampler(Centering::Center)?);
/// let support = Bootstrap { learning: &learning, rows: &rows, start: None }.run(0..20, &Run::default())?;
/// // Always joined; which way, the BIC does not tell.
/// let edge = support.of(0, 1);
/// assert_eq!((support.replicates(), edge.adjacent, edge.undirected), (20, 1.0, 1.0));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Bootstrap<'a> {
    /// How to learn; its seed is also that of the resamples.
    pub learning: &'a Learning,
    /// What to learn from.
    pub rows: &'a Resampler,
    /// The order of the graph learned from all rows, for searches that climb: each then starts from it once, in place of several times
    /// from anywhere. That is quicker, and leaves the best order of a resample where it is.
    pub start: Option<&'a [usize]>,
}

impl Bootstrap<'_> {
    /// What is learned from one resample; nothing if the run is over before.
    ///
    /// # Errors
    /// Those of [`Learning::run`].
    pub fn replicate(&self, number: u64, run: &Run<'_>) -> Result<Option<Learned>> {
        let counts = self.rows.draw(self.learning.seed, number);
        let data = self.rows.resampled(&counts)?;
        let learning = Learning { start: self.start.map(<[usize]>::to_vec), ..self.learning.clone() };
        let part = run.aside(Limits::default());
        let learned = learning.run(&data, &part)?;
        Ok((!part.is_over()).then_some(learned))
    }

    /// The support by the replicates of these numbers, as many as there is time for, side by side. A replicate is a function of the
    /// data, the settings and its number, so that neither threads nor the division of numbers among runs make a difference.
    ///
    /// # Errors
    /// Those of [`Learning::run`].
    pub fn run(&self, numbers: impl IntoIterator<Item = u64>, run: &Run<'_>) -> Result<Support> {
        let mut support = Support::new(self.rows.observations().columns());
        self.extend(&mut support, numbers, &mut |_| (), run)?;
        Ok(support)
    }

    /// Makes those of these replicates that the support does not have yet, and shows it after each.
    ///
    /// # Errors
    /// Those of [`Learning::run`].
    pub fn extend(
        &self,
        support: &mut Support,
        numbers: impl IntoIterator<Item = u64>,
        each: &mut (dyn FnMut(&Support) + Send),
        run: &Run<'_>,
    ) -> Result<()> {
        let desk = Mutex::new((support, each));
        let make = |number: u64| -> Result<()> {
            if run.is_over() {
                return Ok(());
            }
            if desk.lock().unwrap_or_else(PoisonError::into_inner).0.has(number) {
                run.advance(1);
                return Ok(());
            }
            let Some(learned) = self.replicate(number, run)? else { return Ok(()) };
            let mut desk = desk.lock().unwrap_or_else(PoisonError::into_inner);
            let (support, each) = &mut *desk;
            support.add(number, &learned.claim());
            run.advance(1);
            each(support);
            Ok(())
        };
        side_by_side(numbers, run, make).map(drop)
    }
}

/// Replicates that are handed out together.
const BATCH: usize = 1024;

/// What is made of these replicates, side by side, until the run is over. They may be as many as there are numbers, so that they are never
/// listed all at once.
pub(crate) fn side_by_side<T: Send>(
    numbers: impl IntoIterator<Item = u64>,
    run: &Run<'_>,
    make: impl Fn(u64) -> Result<T> + Sync + Send,
) -> Result<Vec<T>> {
    let mut numbers = numbers.into_iter();
    run.begin("bootstrap", numbers.size_hint().1.map(|count| count as u64));
    let mut made = Vec::new();
    loop {
        let batch: Vec<u64> = numbers.by_ref().take(BATCH).collect();
        if batch.is_empty() || run.is_over() {
            return Ok(made);
        }
        made.append(&mut parallel::map::<_, _, Result<Vec<T>>>(batch, &make)?);
    }
}
