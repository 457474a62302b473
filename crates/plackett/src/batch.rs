//! Many Plackett–Luce distributions over the same number of items, side by side: what a network that emits a batch of scores needs.
//!
//! Everything is one call for all rows, spread over threads (feature `threads`). Every sample has a random stream of its own, and
//! sums are taken sample by sample, so that the number of threads makes no difference.

use crate::{
    error::{Error, check_finite, check_length, check_setting},
    noise::Noise,
    parallel,
    row::{Extent, ItemNumber, Room, Row, normalize},
};

/// A thread takes on so many item operations at a time, some ten microseconds' worth.
const PART: usize = 1 << 12;

/// B distributions over orders of k items. An item whose score is −∞ is absent from its row: it is never ranked before a present one, and has
/// no gradient.
///
/// Rankings are listed one after another, each the first `top` items of an order. A function of a ranking's number says which row it
/// belongs to: with n samples a row, row by row, that is `|ranking| ranking / n`.
///
/// ```
/// use plackett::{Batch, PlackettLuce};
/// let absent = f64::NEG_INFINITY;
/// let batch = Batch::new(&[0.0, 1.0, 2.0, 0.5, absent, 0.0], 3)?; // two rows of three items
/// let (samples, top) = (4, 2);
/// let mut ranked = vec![0; batch.rows() * samples * top];
/// batch.sample(top, 7, |ranking| (ranking / samples, ranking % samples), &mut ranked)?;
/// assert!(ranked[samples * top..].iter().all(|&item| item != 1)); // the second row has two other items
///
/// let mut log_prob = vec![0.0; batch.rows() * samples];
/// batch.log_prob(&ranked, top, |ranking| ranking / samples, &mut log_prob)?;
/// assert!((log_prob[0] - PlackettLuce::new(&[0.0, 1.0, 2.0])?.log_prob(&ranked[..top])?).abs() < 1e-14);
///
/// let values: Vec<f64> = ranked.chunks(top).map(|ranked| ranked[0] as f64).collect(); // f, by the caller
/// let mut gradient = vec![0.0; batch.rows() * batch.items()];
/// batch.reinforce(&ranked, top, &values, &mut gradient)?;
/// assert_eq!(gradient[4], 0.0);
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Batch {
    items: usize,
    log: Vec<f64>,
    probability: Vec<f64>,
    extents: Vec<Extent>,
}

impl Batch {
    /// The random streams of a row: sample n of row r is drawn from stream `r * STREAMS_OF_ROW + n`.
    ///
    /// ```
    /// use plackett::{Batch, Noise, PlackettLuce};
    /// let mut ranked = [0usize; 3];
    /// Batch::new(&[0.0; 6], 3)?.sample(3, 9, |_| (1, 5), &mut ranked)?; // sample 5 of row 1
    /// let stream = Batch::STREAMS_OF_ROW + 5;
    /// assert_eq!(PlackettLuce::new(&[0.0; 3])?.sample(Noise::new(9).stream(stream))[..], ranked);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub const STREAMS_OF_ROW: u64 = 1 << 32;

    /// The distributions with these scores, row by row. O(Bk).
    ///
    /// # Errors
    /// No items, scores that do not fill the last row, a score that is NaN or +∞, or a row of which all are −∞.
    pub fn new(scores: &[f64], items: usize) -> Result<Self, Error> {
        if items == 0 {
            return Err(Error::Empty { what: "the list of scores" });
        }
        check_length("the list of scores", scores.len(), scores.len().div_ceil(items) * items)?;
        if let Some(at) = scores.iter().position(|score| score.is_nan() || *score == f64::INFINITY) {
            return Err(Error::RowScore { row: at / items, item: at % items, value: scores[at] });
        }
        let (mut log, mut probability) = (vec![0.0; scores.len()], vec![0.0; scores.len()]);
        let mut extents = Vec::with_capacity(scores.len() / items);
        let rooms = log.chunks_exact_mut(items).zip(probability.chunks_exact_mut(items));
        for (row, (scores, (log, probability))) in scores.chunks_exact(items).zip(rooms).enumerate() {
            if scores.iter().all(|&score| score == f64::NEG_INFINITY) {
                return Err(Error::EmptyRow { row });
            }
            normalize(scores, log, probability);
            extents.push(Extent::of(log));
        }
        Ok(Self { items, log, probability, extents })
    }

    /// The number of rows, B.
    pub fn rows(&self) -> usize {
        self.extents.len()
    }

    /// The number of items, k, absent ones included.
    pub fn items(&self) -> usize {
        self.items
    }

    /// The scores, normalized so that Σ exp θ = 1 in every row.
    ///
    /// ```
    /// let batch = plackett::Batch::new(&[7.0, f64::NEG_INFINITY], 2)?;
    /// assert_eq!(batch.scores(), [0.0, f64::NEG_INFINITY]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn scores(&self) -> &[f64] {
        &self.log
    }

    /// Draws the first `top` items of an order for every place in `ranked`; `which` says of what row, and its how manyth sample that is. The
    /// same row, number and seed give the same order, whatever else is drawn. Absent items come last, the smaller first.
    /// O(k log k) an order, or O(k + m log m) for m ranks of many.
    ///
    /// # Errors
    /// More ranks than items, room for a part of a ranking, or a row that does not exist.
    pub fn sample<T: ItemNumber>(
        &self,
        top: usize,
        seed: u64,
        which: impl Fn(usize) -> (usize, usize) + Sync,
        ranked: &mut [T],
    ) -> Result<(), Error> {
        self.check_rankings(top, ranked.len())?;
        self.each(ranked, top, |ranking, ranked, (noise, room)| {
            let (row, sample) = which(ranking);
            let stream = row as u64 * Self::STREAMS_OF_ROW + sample as u64;
            self.row(row)?.sample(noise.get_or_insert_with(|| Noise::new(seed)).stream(stream), ranked, room);
            Ok(())
        })
    }

    /// log p of every ranking: of an order, or that an order begins so. It is −∞ where an absent item stands before a present one. O(k) each.
    ///
    /// # Errors
    /// More ranks than items, a repeated item or one that does not exist, or a row that does not exist.
    pub fn log_prob<T: ItemNumber>(
        &self,
        ranked: &[T],
        top: usize,
        row: impl Fn(usize) -> usize + Sync,
        log_prob: &mut [f64],
    ) -> Result<(), Error> {
        self.check_rankings(top, ranked.len())?;
        check_length("the list of rankings", ranked.len(), log_prob.len() * top)?;
        self.each(log_prob, 1, |ranking, log_prob, (_, room)| {
            let ranked = &ranked[ranking * top..][..top];
            log_prob[0] =
                self.row(row(ranking))?.log_prob(ranked, room).map_err(|error| error.of(ranking))?;
            Ok(())
        })
    }

    /// ∇ log p of every ranking in the scores of its row. O(k) each.
    ///
    /// ```
    /// let batch = plackett::Batch::new(&[0.0, 0.0], 2)?;
    /// let mut gradient = [0.0; 2];
    /// batch.grad_log_prob(&[1_usize, 0], 2, |_| 0, &mut gradient)?;
    /// assert_eq!(gradient, [-0.5, 0.5]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`log_prob`](Self::log_prob), or an absent item before a present one.
    pub fn grad_log_prob<T: ItemNumber>(
        &self,
        ranked: &[T],
        top: usize,
        row: impl Fn(usize) -> usize + Sync,
        gradient: &mut [f64],
    ) -> Result<(), Error> {
        self.check_rankings(top, ranked.len())?;
        check_length("the list of rankings", ranked.len(), gradient.len() / self.items * top)?;
        self.each(gradient, self.items, |ranking, gradient, (_, room)| {
            gradient.fill(0.0);
            let ranked = &ranked[ranking * top..][..top];
            let row = self.row(row(ranking))?;
            row.add_grad_log_prob(ranked, 1.0, gradient, room).map_err(|error| error.of(ranking))
        })
    }

    /// Σ_n w_n ∇ log p(b_n) for every row, over rankings that are listed row by row, as many for each: REINFORCE, with the
    /// weights as it has them. O(k) a ranking.
    ///
    /// ```
    /// let batch = plackett::Batch::new(&[0.0, 0.0], 2)?;
    /// let mut gradient = [0.0; 2];
    /// batch.sum_grad_log_prob(&[1_usize, 0, 0, 1, 0, 1], 2, &[1.0, 2.0, 3.0], &mut gradient)?;
    /// assert_eq!(gradient, [2.0, -2.0]);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`grad_log_prob`](Self::grad_log_prob), rows that have not as many rankings, or weights that are not finite.
    pub fn sum_grad_log_prob<T: ItemNumber>(
        &self,
        ranked: &[T],
        top: usize,
        weights: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), Error> {
        self.check_rankings(top, ranked.len())?;
        let samples = self.samples(weights)?;
        check_length("the list of rankings", ranked.len(), weights.len() * top)?;
        check_length("the gradient", gradient.len(), self.log.len())?;
        check_finite("weights", weights)?;
        parallel::fill(
            gradient,
            self.items,
            samples * self.items,
            PART,
            Room::default,
            |row, gradient, room| {
                gradient.fill(0.0);
                for (sample, weight) in weights[row * samples..][..samples].iter().enumerate() {
                    let ranking = row * samples + sample;
                    let ranked = &ranked[ranking * top..][..top];
                    self.row(row)?
                        .add_grad_log_prob(ranked, *weight, gradient, room)
                        .map_err(|error| error.of(ranking))?;
                }
                Ok(())
            },
        )
    }

    /// REINFORCE for every row, from the objective's values on rankings that are listed row by row: the estimate of ∇_θ E f(b), with the
    /// mean of the row's other values as baseline, and none where a row has one sample. O(k) a ranking.
    ///
    /// # Errors
    /// As [`sum_grad_log_prob`](Self::sum_grad_log_prob).
    pub fn reinforce<T: ItemNumber>(
        &self,
        ranked: &[T],
        top: usize,
        values: &[f64],
        gradient: &mut [f64],
    ) -> Result<(), Error> {
        let samples = self.samples(values)?;
        check_finite("values", values)?;
        let mut weights = values.to_vec();
        weights.chunks_mut(samples.max(1)).for_each(leave_one_out);
        self.sum_grad_log_prob(ranked, top, &weights, gradient)
    }

    fn row(&self, row: usize) -> Result<Row<'_>, Error> {
        check_setting("the row", row as f64, row < self.rows(), "there are not so many")?;
        let range = row * self.items..(row + 1) * self.items;
        Ok(Row::new(&self.log[range.clone()], &self.probability[range], self.extents[row]))
    }

    fn samples(&self, values: &[f64]) -> Result<usize, Error> {
        let samples = values.len() / self.rows().max(1);
        check_length("the list of values", values.len(), samples * self.rows())?;
        Ok(samples)
    }

    fn check_rankings(&self, top: usize, length: usize) -> Result<(), Error> {
        let is_valid = (1..=self.items).contains(&top);
        check_setting(
            "top",
            top as f64,
            is_valid,
            "it must be at least 1, and not more than there are items",
        )?;
        check_length("the list of rankings", length, length.div_ceil(top) * top)
    }

    /// Fills the entries of every ranking, `width` each.
    fn each<T: Send>(
        &self,
        list: &mut [T],
        width: usize,
        fill: impl Fn(usize, &mut [T], &mut (Option<Noise>, Room)) -> Result<(), Error> + Sync,
    ) -> Result<(), Error> {
        parallel::fill(list, width, self.items, PART, || (None, Room::default()), fill)
    }
}

/// Turns the values of one row's samples into the weights of their ∇ log p: each less the mean of the others, divided by their
/// number. A single value stays as it is.
fn leave_one_out(values: &mut [f64]) {
    let count = values.len() as f64;
    if values.len() < 2 {
        return;
    }
    let mean: f64 = values.iter().map(|value| value / count).sum(); // the sum itself may overflow
    values.iter_mut().for_each(|value| *value = (*value - mean) / (count - 1.0));
}
