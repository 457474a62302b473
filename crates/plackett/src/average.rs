//! The mean of what came before, the older the less of it.

use serde::{Deserialize, Serialize};

/// An exponential moving average.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MovingAverage {
    /// The sum before correction for its start at zero, and the weight that it has gathered.
    sum: f64,
    weight: f64,
}

impl MovingAverage {
    /// What is kept at each step by default: it looks back some twenty steps, which adds a fortieth to the variance.
    pub(crate) const DECAY: f64 = 0.95;

    /// The average, zero while there is none.
    pub(crate) fn value(self) -> f64 {
        if self.weight > 0.0 { self.sum / self.weight } else { 0.0 }
    }

    pub(crate) fn take_in(&mut self, value: f64, decay: f64) {
        self.sum = decay * self.sum + (1.0 - decay) * value;
        self.weight = decay * self.weight + (1.0 - decay);
    }
}
