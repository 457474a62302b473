//! Uniform noise as a function of a seed and a stream number.
//!
//! Every sample draws from a stream of its own, so what it gets does not depend on how many samples were
//! drawn before it, on how many threads draw, or on where a run was interrupted.

use rand::{Rng, SeedableRng, rngs::ChaCha8Rng};

/// A source of uniform noise: independent, reproducible streams under one seed.
///
/// ```
/// use plackett::Noise;
/// let mut noise = Noise::new(7);
/// let (mut a, mut b) = ([0.0; 3], [0.0; 3]);
/// noise.fill(5, &mut a);
/// noise.fill(9, &mut b);
/// assert_ne!(a, b);
/// noise.fill(5, &mut b); // the same stream again
/// assert_eq!(a, b);
/// assert!(a.iter().all(|&u| 0.0 < u && u < 1.0));
/// ```
#[derive(Debug)]
pub struct Noise {
    rng: ChaCha8Rng,
}

impl Noise {
    /// The streams of this seed.
    pub fn new(seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Fills a slice with the beginning of a stream.
    pub fn fill(&mut self, stream: u64, uniform: &mut [f64]) {
        fill_uniform(self.stream(stream), uniform);
    }

    /// A generator at the beginning of a stream.
    ///
    /// ```
    /// use plackett::{Noise, PlackettLuce};
    /// let order = PlackettLuce::new(&[0.0; 5])?.sample(Noise::new(1).stream(0));
    /// assert_eq!(order.len(), 5);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    pub fn stream(&mut self, stream: u64) -> &mut ChaCha8Rng {
        self.rng.set_stream(stream);
        &mut self.rng
    }
}

/// Fills a slice with noise strictly inside the unit interval: the midpoints of 2⁵² equal cells.
pub(crate) fn fill_uniform<R: Rng + ?Sized>(rng: &mut R, uniform: &mut [f64]) {
    const CELL: f64 = 1.0 / (1u64 << 52) as f64;
    for u in uniform {
        *u = ((rng.next_u64() >> 12) as f64 + 0.5) * CELL;
    }
}
