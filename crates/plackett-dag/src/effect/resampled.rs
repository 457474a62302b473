//! Effects with the uncertainty of the graph: rows are drawn anew, a graph is learned from each resample as it was from the data, and the
//! effect is asked for there.

use plackett::run::Run;
use serde::Serialize;

use super::{Effect, EffectQuery, JointEffect, JointQuery};
use crate::dataset::Sample;
use crate::{Bootstrap, Cpdag, Result, bootstrap};

/// What resamples say of an effect.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Resampling {
    /// How many there were.
    pub replicates: usize,
    /// The lower end of the interval: of the lowest value in each resample, the quantile that leaves out half of what the level does.
    pub low: f64,
    /// The upper end, of the highest values.
    pub high: f64,
    /// The share of resamples in whose graphs the cause never leads to the outcome.
    pub absent: f64,
    /// The share of those whose class gives several values.
    pub open: f64,
}

/// An answer that resamples can be asked for too.
pub(super) trait Spread: Send + Sized {
    /// The lowest and the highest value.
    fn extremes(&self) -> (f64, f64);
    /// Whether there is no effect in any graph of the class.
    fn is_absent(&self) -> bool;
    /// Whether the graphs of the class have several values.
    fn is_open(&self) -> bool;
    /// The same with the interval of resamples.
    fn resampled(self, resampling: Resampling) -> Self;
}

impl EffectQuery {
    /// Asks resamples for the effect, as many as there is time for, and gives the answer their interval: it allows for the graph being
    /// another. Replicates from whose data the effect cannot be told are left out; without any, the answer stays as it is.
    ///
    /// # Errors
    /// Those of [`Learning::run`](crate::Learning::run).
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Bootstrap, Dataset, Learning, dataset::{Reading, SourceColumn, SourceValues}, effect::EffectQuery, gram::Centering};
    /// let cause: Vec<f64> = (0..200).map(|row| f64::from(row * 37 % 101)).collect();
    /// let effect = cause.iter().enumerate().map(|(row, value)| value + (row * 53 % 97) as f64).collect();
    /// let column = |name: &str, values| SourceColumn { name: name.to_owned(), values: SourceValues::Numbers(values) };
    /// let data = Dataset::from_columns(vec![column("a", cause), column("b", effect)], "data", &Reading::default())?;
    /// let (sample, rows) = (data.clone().sample()?, data.resampler(Centering::Center)?);
    /// let learning = Learning { score: "bic".into(), ..Learning::default() };
    /// let learned = learning.run(rows.observations(), &Run::default())?;
    /// let query = EffectQuery::new("a", "b");
    /// let bootstrap = Bootstrap { learning: &learning, rows: &rows, start: None };
    /// let found = query.answer(sample.names(), &learned.claim(), &sample)?;
    /// let found = query.resampled(found, &bootstrap, &sample, 0..20, &Run::default())?;
    /// // Joined in every resample, and never is it told which way.
    /// let resampling = found.resampling.unwrap();
    /// assert_eq!((resampling.replicates, resampling.open), (20, 1.0));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn resampled(
        &self,
        answer: Effect,
        bootstrap: &Bootstrap<'_>,
        sample: &Sample,
        numbers: std::ops::Range<u64>,
        run: &Run<'_>,
    ) -> Result<Effect> {
        let ask = |class: &Cpdag, drawn: &Sample| self.answer(sample.names(), class, drawn);
        resample(answer, self.level, bootstrap, sample, numbers, run, ask)
    }
}

impl JointQuery {
    /// As [`EffectQuery::resampled`].
    ///
    /// # Errors
    /// Those of [`Learning::run`](crate::Learning::run).
    pub fn resampled(
        &self,
        answer: JointEffect,
        bootstrap: &Bootstrap<'_>,
        sample: &Sample,
        numbers: std::ops::Range<u64>,
        run: &Run<'_>,
    ) -> Result<JointEffect> {
        let ask = |class: &Cpdag, drawn: &Sample| self.answer(sample.names(), class, drawn);
        resample(answer, self.level, bootstrap, sample, numbers, run, ask)
    }
}

fn resample<E: Spread>(
    answer: E,
    level: f64,
    bootstrap: &Bootstrap<'_>,
    sample: &Sample,
    numbers: std::ops::Range<u64>,
    run: &Run<'_>,
    ask: impl Fn(&Cpdag, &Sample) -> Result<E> + Sync,
) -> Result<E> {
    let one = |number: u64| -> Result<Option<E>> {
        if run.is_over() {
            return Ok(None);
        }
        let Some(learned) = bootstrap.replicate(number, run)? else { return Ok(None) };
        let counts = bootstrap.rows.draw(bootstrap.learning.seed, number);
        let drawn = sample.with_values(bootstrap.rows.resampled(&counts)?);
        run.advance(1);
        // A resample may lack a state, or a class whose arrows fit together.
        Ok(ask(&learned.claim(), &drawn).ok())
    };
    let found: Vec<E> = bootstrap::side_by_side(numbers, run, one)?.into_iter().flatten().collect();
    if found.is_empty() {
        return Ok(answer);
    }
    let share = |is_so: &dyn Fn(&E) -> bool| {
        found.iter().filter(|effect| is_so(effect)).count() as f64 / found.len() as f64
    };
    let (lowest, highest) = found.iter().map(Spread::extremes).unzip();
    let tail = 0.5 * (1.0 - level);
    let resampling = Resampling {
        replicates: found.len(),
        low: empirical_quantile(lowest, tail),
        high: empirical_quantile(highest, 1.0 - tail),
        absent: share(&E::is_absent),
        open: share(&E::is_open),
    };
    Ok(answer.resampled(resampling))
}

/// The quantile of values, linear between them.
fn empirical_quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = share * (values.len() - 1) as f64;
    #[expect(clippy::cast_sign_loss, reason = "a place in the list")]
    let below = place.floor() as usize;
    let above = (below + 1).min(values.len() - 1);
    values[below] + (place - below as f64) * (values[above] - values[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_lie_between_the_values() {
        let values = vec![3.0, 1.0, 2.0, 5.0, 4.0];
        assert_eq!(empirical_quantile(values.clone(), 0.5), 3.0);
        assert_eq!(empirical_quantile(values.clone(), 0.125), 1.5);
        assert_eq!((empirical_quantile(values.clone(), 0.0), empirical_quantile(values, 1.0)), (1.0, 5.0));
    }
}
