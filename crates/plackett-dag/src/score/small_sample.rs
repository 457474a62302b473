//! What parents cost where rows are few. At the price c of a parent, and with many rows, a false one passes with the probability that a
//! χ² of one degree of freedom exceeds 2c. With n rows the residual of a regression on m parents has n − 1 − m degrees of freedom: what
//! false parents seem to explain grows as these run out, until n − 1 of them explain everything. So the m-th parent costs what makes a
//! false one as improbable as with many rows: −(n/2) log x, with x such that I_x((n − 1 − m)/2, ½) is that probability.

use libm::erfc;
use plackett::elementary::exp;

use crate::tails::beta_share;

/// Prices that are higher than with many rows by less than this share stay as they are there.
const NEGLIGIBLE: f64 = 0.05;

/// Bisections of log x: to a part in 10⁹ of where it may be.
const BISECTIONS: usize = 40;

/// No residual variance is let below this share; see [`PERFECT_FIT`](super::subset::PERFECT_FIT).
const LEAST_LOG: f64 = -50.0;

/// What 0, 1, 2, … parents cost together, if a parent costs `price` where rows are many; nothing if they are many for all that
/// `nodes` could have.
pub(super) fn prices(price: f64, rows: usize, nodes: usize) -> Vec<f64> {
    let most = nodes.saturating_sub(1);
    let probability = erfc(price.max(0.0).sqrt());
    if price <= 0.0 || probability == 0.0 || one(probability, rows, most) <= (1.0 + NEGLIGIBLE) * price {
        return Vec::new();
    }
    let mut total = 0.0;
    let mut all = vec![0.0];
    for parent in 1..=most.min(rows) {
        let own = one(probability, rows, parent);
        total += if own <= (1.0 + NEGLIGIBLE) * price { price } else { own };
        all.push(total);
    }
    all
}

/// What the last of so many parents costs.
fn one(probability: f64, rows: usize, parents: usize) -> f64 {
    let (rows, freedom) = (rows as f64, rows as f64 - 1.0 - parents as f64);
    if freedom < 1.0 {
        return -0.5 * rows * LEAST_LOG;
    }
    let (mut low, mut high) = (LEAST_LOG, 0.0);
    for _ in 0..BISECTIONS {
        let middle: f64 = 0.5 * (low + high);
        if beta_share(0.5 * freedom, 0.5, exp(middle)) > probability {
            high = middle;
        } else {
            low = middle;
        }
    }
    -0.25 * rows * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ChiSquared, ContinuousCDF as _, FisherSnedecor};

    #[test]
    fn a_false_parent_passes_as_seldom_as_with_many_rows() {
        let expected = ChiSquared::new(1.0).unwrap().sf(2.0 * 4.0);
        for (rows, parents) in [(12, 1), (12, 5), (12, 10), (25, 10), (60, 3)] {
            let freedom = (rows - 1 - parents) as f64;
            // A gain of this many nats is that of a ratio of variances.
            let ratio = freedom * (2.0 * one(erfc(2.0), rows, parents) / rows as f64).exp_m1();
            let found = FisherSnedecor::new(1.0, freedom).unwrap().sf(ratio);
            assert!(
                (found / expected - 1.0).abs() < 1e-6,
                "{rows} rows, {parents} parents: {found} for {expected}"
            );
        }
    }

    #[test]
    fn many_rows_change_nothing_and_few_make_each_parent_dearer() {
        assert!(prices(5.0, 10_000, 50).is_empty());
        assert!(prices(0.0, 10, 5).is_empty());
        let some = prices(5.0, 200, 50);
        assert_eq!(some[..4], [0.0, 5.0, 10.0, 15.0]);
        let few = prices(5.0, 12, 20);
        assert_eq!(few.len(), 13);
        let each: Vec<f64> = few.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(each[0] > 5.0 && each.windows(2).all(|pair| pair[1] >= pair[0]), "{each:?}");
        // As many parents as rows explain everything, and are never worth it.
        assert!(few[11] > 6.0 * 27.7, "{few:?}");
    }

    #[test]
    fn a_price_that_is_hardly_higher_stays_and_without_freedom_it_is_all_there_is() {
        let price = 5.0;
        let probability = erfc(5_f64.sqrt());
        let mut kinds = [0; 3];
        for rows in 20..600 {
            let own = |parent: usize| one(probability, rows, parent);
            let is_same = |parent: usize| own(parent) <= 1.05 * price;
            let all = prices(price, rows, 15);
            if is_same(14) {
                assert!(all.is_empty(), "{rows}");
                kinds[0] += 1;
                continue;
            }
            let each = |parent: usize| if is_same(parent) { price } else { own(parent) };
            assert_eq!((all[0], all.len()), (0.0, 15));
            for parent in 1..15 {
                assert!((all[parent] - all[parent - 1] - each(parent)).abs() < 1e-9, "{rows} {parent}");
                kinds[1 + usize::from(is_same(parent))] += 1;
            }
        }
        assert!(kinds.iter().all(|&count| count > 20), "{kinds:?}");
        // Where nothing is left to tell a residual from, e⁻⁵⁰ is the least share of a variance.
        assert_eq!((one(probability, 10, 9), one(probability, 10, 30)), (250.0, 250.0));
    }
}
