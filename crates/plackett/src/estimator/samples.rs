//! The samples of one step: noise, perturbed scores, outcomes and the objective's values on them.

use super::Demand;
use crate::{
    distribution::Distribution,
    error::{Error, check_finite, check_length, check_noise, check_setting},
    memory,
    noise::{Noise, fill_uniform},
    objective::{Objective, evaluate, evaluate_parts},
};

/// n samples of a latent. Sample i of a step has a random stream of its own, so runs do not depend on threads.
///
/// ```
/// use plackett::{Noise, PlackettLuce, estimator::{Baseline, Demand, Estimator, Reinforce, Samples}};
/// let latent = PlackettLuce::new(&[0.0, 0.0, 0.0])?;
/// let mut samples = Samples::new(&latent, 4)?;
/// samples.draw(&latent, Demand::Values, &mut Noise::new(1), 0)?;
/// let values: Vec<f64> = samples.outcomes().map(|order| order[0] as f64).collect(); // evaluated by the caller
/// samples.set_values(&values)?;
/// let mut gradient = [0.0; 3];
/// let mean = Reinforce::new(&latent, Baseline::LeaveOneOut)?.gradient(&latent, &samples, &mut gradient)?;
/// assert_eq!(mean, values.iter().sum::<f64>() / 4.0);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Samples {
    items: usize,
    outcome_len: usize,
    u: Vec<f64>,
    v: Vec<f64>,
    z: Vec<f64>,
    outcomes: Vec<usize>,
    values: Vec<f64>,
    /// The values' parts, or nothing until they are asked for.
    parts: Vec<f64>,
}

/// One sample, as an estimator sees it.
///
/// ```
/// use plackett::{Noise, PlackettLuce, estimator::{Demand, Samples}};
/// let latent = PlackettLuce::new(&[0.0; 3])?;
/// let mut samples = Samples::new(&latent, 2)?;
/// samples.draw(&latent, Demand::ValuesAndConditional, &mut Noise::new(0), 0)?;
/// samples.evaluate(&mut |order: &[usize]| order[0] as f64)?;
/// for sample in samples.iter() {
///     assert_eq!(sample.value, sample.outcome[0] as f64);
///     assert!(sample.perturbed[sample.outcome[0]] >= sample.perturbed[sample.outcome[1]]);
/// }
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The perturbed scores z.
    pub perturbed: &'a [f64],
    /// The uniform noise v that [`Given::perturb`](crate::Given::perturb) makes the conditional perturbed scores z̃ of.
    pub conditional_noise: &'a [f64],
    /// The outcome b = H(z).
    pub outcome: &'a [usize],
    /// The objective's value f(b).
    pub value: f64,
}

impl Samples {
    /// Room for n samples of a latent.
    ///
    /// # Errors
    /// No samples, or more than there is memory for.
    pub fn new(latent: &impl Distribution, count: usize) -> Result<Self, Error> {
        check_setting("samples", count as f64, count > 0, "at least 1 is needed")?;
        let (items, outcome_len) = (latent.items(), latent.outcome_len());
        let bytes = 8 * count as u128 * (3 * items as u128 + outcome_len as u128 + 1);
        if bytes > memory::FEW_BYTES {
            memory::check("room for so many samples", bytes)?;
        }
        Ok(Self {
            items,
            outcome_len,
            u: vec![0.0; count * items],
            v: vec![0.5; count * items],
            z: vec![0.0; count * items],
            outcomes: vec![0; count * outcome_len],
            values: vec![0.0; count],
            parts: Vec::new(),
        })
    }

    /// The number of samples.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// Draws all samples afresh: sample i from stream `first_stream + i`. O(k log k) each, without allocation.
    ///
    /// # Errors
    /// A latent of another size than these samples were made for.
    pub fn draw(
        &mut self,
        latent: &impl Distribution,
        demand: Demand,
        noise: &mut Noise,
        first_stream: u64,
    ) -> Result<(), Error> {
        self.check_fit(latent)?;
        if demand == Demand::Nothing {
            return Ok(());
        }
        let rows = self.u.chunks_exact_mut(self.items).zip(self.v.chunks_exact_mut(self.items));
        for (stream, (u, v)) in (first_stream..).zip(rows) {
            let rng = noise.stream(stream);
            fill_uniform(rng, u);
            if demand == Demand::ValuesAndConditional {
                fill_uniform(rng, v);
            }
        }
        self.perturb(latent);
        Ok(())
    }

    /// Takes the noise of all samples from the caller, one row per sample: u for the perturbed scores, v for the
    /// conditional ones.
    ///
    /// ```
    /// use plackett::{PlackettLuce, estimator::Samples};
    /// let latent = PlackettLuce::new(&[0.0, 0.0])?;
    /// let mut samples = Samples::new(&latent, 1)?;
    /// samples.set_noise(&latent, &[0.1, 0.9], &[0.5, 0.5])?;
    /// assert_eq!(samples.outcomes().next(), Some(&[1, 0][..]));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Noise of the wrong length or outside [0, 1], or another latent than the one that the samples were made for.
    pub fn set_noise(&mut self, latent: &impl Distribution, u: &[f64], v: &[f64]) -> Result<(), Error> {
        self.check_fit(latent)?;
        check_length("u", u.len(), self.u.len())?;
        check_length("v", v.len(), self.v.len())?;
        check_noise("u", u)?;
        check_noise("v", v)?;
        self.u.copy_from_slice(u);
        self.v.copy_from_slice(v);
        self.perturb(latent);
        Ok(())
    }

    /// Takes outcomes that were drawn elsewhere, for estimators that need nothing but [values](Demand::Values) or
    /// [parts](Demand::Parts) besides.
    ///
    /// ```
    /// use plackett::{PlackettLuce, estimator::Samples};
    /// let mut samples = Samples::new(&PlackettLuce::new(&[0.0; 2])?, 1)?;
    /// samples.set_outcomes([&[1, 0][..]])?;
    /// assert_eq!(samples.outcomes().next(), Some(&[1, 0][..]));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// More or fewer outcomes than samples, or one of another length. That they are outcomes is not looked at.
    pub fn set_outcomes<'a>(
        &mut self,
        outcomes: impl IntoIterator<Item = &'a [usize], IntoIter: ExactSizeIterator>,
    ) -> Result<(), Error> {
        let outcomes = outcomes.into_iter();
        check_length("outcomes", outcomes.len(), self.count())?;
        for (outcome, room) in outcomes.zip(self.outcomes.chunks_exact_mut(self.outcome_len)) {
            check_length("an outcome", outcome.len(), room.len())?;
            room.copy_from_slice(outcome);
        }
        Ok(())
    }

    /// The outcomes, sample by sample.
    pub fn outcomes(&self) -> impl Iterator<Item = &[usize]> {
        self.outcomes.chunks_exact(self.outcome_len)
    }

    /// Takes the objective's values on the outcomes.
    ///
    /// # Errors
    /// As many values as samples are needed, all finite.
    pub fn set_values(&mut self, values: &[f64]) -> Result<(), Error> {
        check_length("values", values.len(), self.values.len())?;
        check_finite("values", values)?;
        self.values.copy_from_slice(values);
        Ok(())
    }

    /// Takes the parts of the objective's values, one for each choice of each outcome, and their sums as the values.
    ///
    /// ```
    /// use plackett::{PlackettLuce, estimator::Samples};
    /// let mut samples = Samples::new(&PlackettLuce::new(&[0.0; 2])?, 2)?;
    /// samples.set_parts(&[1.0, 2.0, 0.0, 4.0])?;
    /// assert_eq!((samples.values(), samples.parts().nth(1)), (&[3.0, 4.0][..], Some(&[0.0, 4.0][..])));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// As many parts as all outcomes have items are needed, all finite.
    pub fn set_parts(&mut self, parts: &[f64]) -> Result<(), Error> {
        check_length("parts", parts.len(), self.outcomes.len())?;
        check_finite("parts", parts)?;
        self.parts.clear();
        self.parts.extend_from_slice(parts);
        for (value, parts) in self.values.iter_mut().zip(parts.chunks_exact(self.outcome_len)) {
            *value = parts.iter().sum();
        }
        Ok(())
    }

    /// The parts of the objective's values, sample by sample; none unless they were given or evaluated.
    pub fn parts(&self) -> impl Iterator<Item = &[f64]> {
        self.parts.chunks_exact(self.outcome_len)
    }

    /// Evaluates the objective on every outcome.
    ///
    /// # Errors
    /// The objective failed, or its value is not finite.
    pub fn evaluate(&mut self, objective: &mut (impl Objective + ?Sized)) -> Result<(), Error> {
        for (outcome, value) in self.outcomes.chunks_exact(self.outcome_len).zip(&mut self.values) {
            *value = evaluate(objective, outcome)?;
        }
        Ok(())
    }

    /// Evaluates the parts of the objective on every outcome. The first call allocates.
    ///
    /// # Errors
    /// The objective failed, or its value is not finite.
    pub fn evaluate_parts(&mut self, objective: &mut (impl Objective + ?Sized)) -> Result<(), Error> {
        self.parts.resize(self.outcomes.len(), 0.0);
        let outcomes = self.outcomes.chunks_exact(self.outcome_len);
        for ((outcome, parts), value) in
            outcomes.zip(self.parts.chunks_exact_mut(self.outcome_len)).zip(&mut self.values)
        {
            *value = evaluate_parts(objective, outcome, parts)?;
        }
        Ok(())
    }

    /// Evaluates of the objective what an estimator demands.
    pub(crate) fn satisfy(
        &mut self,
        demand: Demand,
        objective: &mut (impl Objective + ?Sized),
    ) -> Result<(), Error> {
        match demand {
            Demand::Nothing | Demand::Perturbed => Ok(()),
            Demand::Values | Demand::ValuesAndConditional => self.evaluate(objective),
            Demand::Parts => self.evaluate_parts(objective),
        }
    }

    /// The objective's values, sample by sample.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Refuses another latent than one of the size that the samples were made for.
    ///
    /// ```
    /// use plackett::{PlackettLuce, estimator::Samples};
    /// let samples = Samples::new(&PlackettLuce::new(&[0.0; 3])?, 2)?;
    /// assert!(samples.check_fit(&PlackettLuce::new(&[0.0; 4])?).is_err());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// Another number of items, or outcomes of another length.
    pub fn check_fit(&self, latent: &impl Distribution) -> Result<(), Error> {
        check_length("a sample", self.items, latent.items())?;
        check_length("a sample's outcome", self.outcome_len, latent.outcome_len())
    }

    /// The mean of the values.
    ///
    /// ```
    /// use plackett::{PlackettLuce, estimator::Samples};
    /// let mut samples = Samples::new(&PlackettLuce::new(&[0.0; 3])?, 2)?;
    /// samples.set_values(&[1.0, 2.0])?;
    /// assert_eq!(samples.mean_value(), 1.5);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn mean_value(&self) -> f64 {
        let weight = 1.0 / self.count() as f64;
        self.values.iter().map(|value| weight * value).sum() // the sum itself may overflow
    }

    /// The samples one by one.
    pub fn iter(&self) -> impl Iterator<Item = Sample<'_>> {
        (0..self.count()).map(|sample| {
            let row = sample * self.items..(sample + 1) * self.items;
            Sample {
                perturbed: &self.z[row.clone()],
                conditional_noise: &self.v[row],
                outcome: &self.outcomes[sample * self.outcome_len..][..self.outcome_len],
                value: self.values[sample],
            }
        })
    }

    fn perturb(&mut self, latent: &impl Distribution) {
        let rows = self.u.chunks_exact(self.items).zip(self.z.chunks_exact_mut(self.items));
        for ((u, z), outcome) in rows.zip(self.outcomes.chunks_exact_mut(self.outcome_len)) {
            latent.draw(u, z, outcome);
        }
    }
}
