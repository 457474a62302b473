//! A question for the effect of one column or of several together, for whoever does not know which until it is asked.

use std::ops::Range;

use plackett::run::Run;
use serde::Serialize;

use super::{Effect, EffectQuery, JointEffect, JointQuery, Resampling};
use crate::dataset::Sample;
use crate::{Bootstrap, Cpdag, Result};

/// A question for an effect, of one cause or of several.
///
/// ```
/// use plackett_dag::{Cpdag, Dag, Gram, Observations, Sample, effect::{AnyQuery, EffectQuery, JointQuery}};
///
/// // b = 0.5·a + noise, c = 2·a + b + noise
/// let moments = vec![1.0, 0.5, 2.5, 0.5, 1.25, 2.25, 2.5, 2.25, 8.25];
/// let names = ["a", "b", "c"].map(String::from).to_vec();
/// let sample = Sample::new(names.clone(), vec![vec![]; 3], Observations::Numbers(Gram::from_matrix(1000, 3, moments)?.into()))?;
/// let known = Cpdag::of_known(&Dag::from_parents(vec![vec![], vec![0], vec![0, 1]])?, |_, _| true);
/// let queries = [
///     AnyQuery::One(EffectQuery::new("b", "c")),
///     AnyQuery::Several(JointQuery::new(["a", "b"], "c")),
/// ];
/// for query in queries {
///     let found = query.answer(&names, &known, &sample)?;
///     assert!(found.level() == 0.95 && found.resampling().is_none());
/// }
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum AnyQuery {
    /// For that of one column.
    One(EffectQuery),
    /// For that of several, set together.
    Several(JointQuery),
}

/// The answer to a question for an effect.
///
/// It is written as the answer to the one or to the other.
///
/// ```
/// use plackett_dag::{Cpdag, Dag, Gram, Observations, Sample, effect::{AnyEffect, AnyQuery, EffectQuery}};
///
/// // b = 0.5·a + noise
/// let names = ["a", "b"].map(String::from).to_vec();
/// let moments = Gram::from_matrix(1000, 2, vec![1.0, 0.5, 0.5, 1.25])?;
/// let sample = Sample::new(names.clone(), vec![vec![]; 2], Observations::Numbers(moments.into()))?;
/// let known = Cpdag::of_known(&Dag::from_parents(vec![vec![], vec![0]])?, |_, _| true);
/// let found = AnyQuery::One(EffectQuery::new("a", "b")).answer(&names, &known, &sample)?;
/// assert!(matches!(found, AnyEffect::One(effect) if (effect.effect.unwrap() - 0.5).abs() < 1e-12));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum AnyEffect {
    /// The effect of one column.
    One(Effect),
    /// That of several, set together.
    Several(JointEffect),
}

impl AnyQuery {
    /// As [`EffectQuery::answer`] or [`JointQuery::answer`].
    ///
    /// # Errors
    /// Theirs.
    pub fn answer(&self, names: &[String], class: &Cpdag, sample: &Sample) -> Result<AnyEffect> {
        Ok(match self {
            Self::One(query) => AnyEffect::One(query.answer(names, class, sample)?),
            Self::Several(query) => AnyEffect::Several(query.answer(names, class, sample)?),
        })
    }

    /// As [`EffectQuery::resampled`] or [`JointQuery::resampled`]; an answer to another question stays as it is.
    ///
    /// # Errors
    /// Theirs.
    pub fn resampled(
        &self,
        answer: AnyEffect,
        bootstrap: &Bootstrap<'_>,
        sample: &Sample,
        numbers: Range<u64>,
        run: &Run<'_>,
    ) -> Result<AnyEffect> {
        Ok(match (self, answer) {
            (Self::One(query), AnyEffect::One(answer)) => {
                AnyEffect::One(query.resampled(answer, bootstrap, sample, numbers, run)?)
            }
            (Self::Several(query), AnyEffect::Several(answer)) => {
                AnyEffect::Several(query.resampled(answer, bootstrap, sample, numbers, run)?)
            }
            (_, answer) => answer,
        })
    }
}

impl AnyEffect {
    /// The level of its intervals.
    pub fn level(&self) -> f64 {
        match self {
            Self::One(effect) => effect.level,
            Self::Several(effect) => effect.level,
        }
    }

    /// What other graphs say, learned from rows drawn anew, if any were.
    pub fn resampling(&self) -> Option<&Resampling> {
        match self {
            Self::One(effect) => effect.resampling.as_ref(),
            Self::Several(effect) => effect.resampling.as_ref(),
        }
    }
}
