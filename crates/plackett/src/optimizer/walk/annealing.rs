//! How much worse an order may be and still be accepted.

use super::{DIFFERENCES, FIRST_EPOCH, MOST_EPOCHS, TEMPERATURE};

/// A temperature that falls to zero in every epoch, on the scale of the differences seen last before it.
#[derive(Clone, Debug)]
pub(super) struct Annealing {
    items: f64,
    /// Where the present epoch began and how long it is, in answers.
    start: u64,
    length: u64,
    is_growing: bool,
    /// The first temperature over the scale.
    height: f64,
    scale: f64,
    /// Sizes of the last differences that are not zero.
    differences: Vec<f64>,
    next: usize,
}

impl Annealing {
    /// For a run of so many evaluations, if that is known.
    pub(super) fn new(evaluations: Option<u64>, items: usize) -> Self {
        let square = (items as u64).saturating_mul(items as u64);
        let length = match evaluations {
            // Where there is time for more than one descent, several are better.
            Some(all) => all / (all / square.saturating_mul(2).max(1)).clamp(1, MOST_EPOCHS),
            None => FIRST_EPOCH.saturating_mul(items as u64),
        };
        let mut annealing = Self {
            items: items as f64,
            start: 0,
            length: length.max(1),
            is_growing: evaluations.is_none(),
            height: 0.0,
            scale: 0.0,
            differences: Vec::new(),
            next: 0,
        };
        annealing.set_height();
        annealing
    }

    /// An epoch too short to come down again must not go up.
    fn set_height(&mut self) {
        self.height = TEMPERATURE * (self.length as f64 / (self.items * self.items)).min(1.0);
    }

    /// Notes by how much a move changes the cost.
    pub(super) fn note(&mut self, change: f64) {
        let size = change.abs();
        if size == 0.0 || !size.is_finite() {
            return;
        }
        if self.differences.len() < DIFFERENCES {
            self.differences.push(size);
            self.scale = median(&self.differences);
        } else {
            self.differences[self.next] = size;
            self.next = (self.next + 1) % DIFFERENCES;
        }
    }

    /// The size of a difference; zero before there is any.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// The temperature after so many answers. The scale is taken anew with every epoch: the first differences of an
    /// objective with penalties are those of its penalties.
    pub(super) fn temperature(&mut self, answers: u64) -> f64 {
        while answers >= self.start + self.length {
            self.start += self.length;
            if self.is_growing {
                self.length = self.length.saturating_mul(2);
                self.set_height();
            }
            if !self.differences.is_empty() {
                self.scale = median(&self.differences);
            }
        }
        if self.differences.len() < DIFFERENCES {
            return 0.0;
        }
        let left = 1.0 - (answers - self.start) as f64 / self.length as f64;
        self.height * self.scale * left * left
    }
}

fn median(sizes: &[f64]) -> f64 {
    let mut sorted = sizes.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_fall_to_zero_in_every_epoch() {
        // 40,000 evaluations of 50 items: four epochs of 10,000.
        let mut known = Annealing::new(Some(40_000), 50);
        assert_eq!((known.scale(), known.temperature(5)), (0.0, 0.0));
        for size in 1..=DIFFERENCES {
            known.note(if size % 2 == 0 { size as f64 } else { -(size as f64) });
            known.note(0.0);
            known.note(f64::INFINITY);
        }
        assert_eq!(known.scale(), (DIFFERENCES / 2 + 1) as f64);
        let scale = known.scale();
        assert!((known.temperature(0) - TEMPERATURE * scale).abs() < 1e-12);
        assert!((known.temperature(5000) - TEMPERATURE * scale / 4.0).abs() < 1e-12);
        assert!(known.temperature(9_999) < 1e-6 && known.temperature(10_000) > 1.0);
        // Without a length: 250, 500, 1,000 …; the first are too short for much heat.
        let mut open = Annealing::new(None, 50);
        (0..DIFFERENCES).for_each(|_| open.note(1.0));
        assert!((open.temperature(0) - TEMPERATURE * 0.1).abs() < 1e-12);
        assert!((open.temperature(250) - TEMPERATURE * 0.2).abs() < 1e-12);
        assert!((open.temperature(1_000_000) - open.temperature(1_000_001)).abs() < 1e-4);
    }
}
