//! Draws of a standard normal by the ziggurat (Marsaglia and Tsang 2000, as Doornik 2005 has it), from [`elementary`](plackett::elementary) functions, so that
//! simulated data are the same to the last bit on every system.
//!
//! 256 layers of the same area lie one on the other under the density f(x) = exp(−x²/2): layer i reaches to xᵢ and is between the heights f(xᵢ)
//! and f(xᵢ₊₁); the lowest one has the tail beyond x₁. A point in a layer is nearly always below the density.

use std::sync::LazyLock;

use plackett::elementary::{exp, ln};
use rand::{Rng, RngExt as _};

const LAYERS: usize = 256;
/// Where the tail begins, and the area that each layer then has, to the digits that other programs take as well, so that their draws are these.
const TAIL: f64 = 3.654_152_885_361_009;
const AREA: f64 = 0.004_928_673_233_99;

struct Ziggurat {
    ends: [f64; LAYERS + 1],
    heights: [f64; LAYERS + 1],
}

static ZIGGURAT: LazyLock<Ziggurat> = LazyLock::new(|| {
    let mut ends = [0.0; LAYERS + 1];
    (ends[0], ends[1]) = (AREA / density(TAIL), TAIL);
    for layer in 2..LAYERS {
        let height = AREA / ends[layer - 1] + density(ends[layer - 1]);
        ends[layer] = (-2.0 * ln(height)).sqrt();
    }
    Ziggurat { ends, heights: ends.map(density) }
});

fn density(x: f64) -> f64 {
    exp(-x * x / 2.0)
}

/// A draw of a standard normal.
pub(crate) fn standard_normal(rng: &mut (impl Rng + ?Sized)) -> f64 {
    let Ziggurat { ends, heights } = &*ZIGGURAT;
    loop {
        // The last byte chooses the layer, the first 52 bits the place in it.
        let bits = rng.next_u64();
        let layer = bits as usize % LAYERS;
        let place = f64::from_bits((bits >> 12) | 2f64.to_bits()) - 3.0;
        let x = place * ends[layer];
        if x.abs() < ends[layer + 1] {
            return x;
        }
        if layer == 0 {
            return tail(rng).copysign(place);
        }
        let height = heights[layer + 1] + (heights[layer] - heights[layer + 1]) * rng.random::<f64>();
        if height < density(x) {
            return x;
        }
    }
}

/// A draw of what is beyond [`TAIL`].
fn tail(rng: &mut (impl Rng + ?Sized)) -> f64 {
    loop {
        let (beyond, height) = (-ln(open_uniform(rng)) / TAIL, -ln(open_uniform(rng)));
        if 2.0 * height >= beyond * beyond {
            return TAIL + beyond;
        }
    }
}

/// Strictly between zero and one.
fn open_uniform(rng: &mut (impl Rng + ?Sized)) -> f64 {
    f64::from_bits((rng.next_u64() >> 12) | 1f64.to_bits()) - (1.0 - 0.5 * f64::EPSILON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{SeedableRng as _, rngs::ChaCha8Rng};
    use rand_distr::StandardNormal;

    /// Two million draws have some five hundred of the tail.
    #[test]
    fn draws_are_those_of_another_ziggurat() {
        let [mut ours, mut theirs] = [7, 7].map(ChaCha8Rng::seed_from_u64);
        for _ in 0..2_000_000 {
            let (one, other): (f64, f64) = (standard_normal(&mut ours), theirs.sample(StandardNormal));
            assert!((one - other).abs() <= 1e-14 * other.abs(), "{one:?} {other:?}");
        }
    }
}
