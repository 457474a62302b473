//! The linear assignment problem: the permutation matrix nearest to a relaxed one, and the toy's optimum.
//!
//! Shortest augmenting paths with dual prices (Jonker and Volgenant's form of the Hungarian method): rows enter one
//! by one, each along a cheapest alternating path. O(k³) time, O(k) memory beside the matrix.

use crate::{
    error::{Error, check_finite, check_length},
    order::Order,
};

/// Costs beyond this are shrunk, so that their differences stay finite.
const LARGEST_COST: f64 = 1e280;

/// How far: an exact power of two, enough for more items than fit into memory.
const SHRINK: f64 = 1.0 / (1u64 << 60) as f64;

/// The order b that minimizes Σᵢ cost(i, bᵢ), for a square cost matrix, row-major. O(k³).
///
/// To round a relaxed permutation matrix, pass its negative.
///
/// ```
/// let cost = [4.0, 1.0, 3.0, 2.0, 0.0, 5.0, 3.0, 2.0, 2.0];
/// assert_eq!(plackett::assignment(&cost)?.as_slice(), [1, 0, 2]); // 1 + 2 + 2
/// # Ok::<(), plackett::Error>(())
/// ```
///
/// # Errors
/// A matrix that is not square or not finite.
pub fn assignment(cost: &[f64]) -> Result<Order, Error> {
    let items = cost.len().isqrt();
    check_length("the cost matrix", cost.len(), items * items)?;
    check_finite("cost", cost)?;
    let scale = if cost.iter().any(|cost| cost.abs() > LARGEST_COST) { SHRINK } else { 1.0 };
    // One extra column, `items`, is where the row that enters stands before it has a column of its own.
    let mut row_of_column: Vec<Option<usize>> = vec![None; items + 1];
    let mut row_price = vec![0.0; items];
    let mut column_price = vec![0.0; items + 1];
    let mut previous_column = vec![items; items];
    for row in 0..items {
        row_of_column[items] = Some(row);
        let mut slack = vec![f64::INFINITY; items];
        let mut is_reached = vec![false; items + 1];
        let mut column = items;
        while let Some(row) = row_of_column[column] {
            is_reached[column] = true;
            let mut nearest = (f64::INFINITY, column);
            for next in (0..items).filter(|&next| !is_reached[next]) {
                let reduced = scale * cost[row * items + next] - row_price[row] - column_price[next];
                if reduced < slack[next] {
                    slack[next] = reduced;
                    previous_column[next] = column;
                }
                if slack[next] < nearest.0 {
                    nearest = (slack[next], next);
                }
            }
            let (step, next) = nearest;
            for column in 0..=items {
                match row_of_column[column] {
                    Some(row) if is_reached[column] => {
                        row_price[row] += step;
                        column_price[column] -= step;
                    }
                    _ if column < items => slack[column] -= step,
                    _ => {}
                }
            }
            column = next;
        }
        while column != items {
            let previous = previous_column[column];
            row_of_column[column] = row_of_column[previous];
            column = previous;
        }
    }
    let mut order = vec![0; items];
    for (column, row) in row_of_column[..items].iter().enumerate() {
        order[row.unwrap_or(column)] = column;
    }
    Order::new(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Noise, enumeration::try_for_each_order};

    fn total(cost: &[f64], order: &[usize]) -> f64 {
        order.iter().enumerate().map(|(row, column)| cost[row * order.len() + column]).sum()
    }

    #[test]
    fn equals_brute_force() {
        let mut noise = Noise::new(11);
        for trial in 0..300 {
            let items = 1 + trial as usize % 6;
            let mut cost = vec![0.0; items * items];
            noise.fill(trial, &mut cost);
            if trial % 3 == 0 {
                cost.iter_mut().for_each(|c| *c = (*c * 3.0).floor() - 1.0); // many ties
            }
            let mut best = f64::INFINITY;
            try_for_each_order(items, &mut |order| {
                best = best.min(total(&cost, order));
                Ok(())
            })
            .unwrap();
            let found = total(&cost, &assignment(&cost).unwrap());
            assert!((found - best).abs() < 1e-12, "{found} is not {best}");
        }
    }

    #[test]
    fn extreme_costs_and_wrong_matrices() {
        let cost = [1e300, -1e300, -1e300, 1e300];
        assert_eq!(assignment(&cost).unwrap().as_slice(), [1, 0]);
        assert!(assignment(&[]).unwrap().is_empty());
        assert!(matches!(assignment(&[1.0, 2.0]), Err(Error::Length { .. })));
        assert!(matches!(assignment(&[f64::NAN]), Err(Error::NotFinite { .. })));
    }
}
