//! Products of square matrices, row-major, into memory that the caller owns. At ten to a hundred nodes the plain loop
//! over rows, four terms at a time, is as fast as a library call, and it skips the empty half of a triangular factor.

/// `out` = `a`·`b` for k × k matrices. O(k³), less where `a` has runs of zeros.
pub(super) fn multiply(k: usize, a: &[f64], b: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (row, target) in a.chunks_exact(k).zip(out.chunks_exact_mut(k)) {
        accumulate(k, row, b, target);
    }
}

/// `target` += `row`·`b`.
fn accumulate(k: usize, row: &[f64], b: &[f64], target: &mut [f64]) {
    let mut factors = row.chunks_exact(4);
    let mut blocks = b.chunks_exact(4 * k);
    for (f, block) in factors.by_ref().zip(blocks.by_ref()) {
        if f.iter().all(|&f| f == 0.0) {
            continue;
        }
        let (first, second) = block.split_at(2 * k);
        let ((b0, b1), (b2, b3)) = (first.split_at(k), second.split_at(k));
        for ((((t, b0), b1), b2), b3) in target.iter_mut().zip(b0).zip(b1).zip(b2).zip(b3) {
            *t += (f[0] * b0 + f[1] * b1) + (f[2] * b2 + f[3] * b3);
        }
    }
    for (f, b) in factors.remainder().iter().zip(blocks.remainder().chunks_exact(k)) {
        for (t, b) in target.iter_mut().zip(b) {
            *t += f * b;
        }
    }
}

/// `out` = `a`ᵀ.
pub(super) fn transpose(k: usize, a: &[f64], out: &mut [f64]) {
    for (i, row) in a.chunks_exact(k).enumerate() {
        for (j, value) in row.iter().enumerate() {
            out[j * k + i] = *value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition() {
        for k in [1, 2, 3, 4, 5, 9] {
            let a: Vec<f64> = (0..k * k).map(|at| ((at * 7 + 3) % 11) as f64 - 5.0).collect();
            let b: Vec<f64> = (0..k * k).map(|at| ((at * 5 + 1) % 13) as f64 - 6.0).collect();
            let (mut product, mut transposed) = (vec![9.0; k * k], vec![9.0; k * k]);
            multiply(k, &a, &b, &mut product);
            transpose(k, &a, &mut transposed);
            for i in 0..k {
                for j in 0..k {
                    let expected: f64 = (0..k).map(|p| a[i * k + p] * b[p * k + j]).sum();
                    assert_eq!(product[i * k + j], expected);
                    assert_eq!(transposed[j * k + i], a[i * k + j]);
                }
            }
        }
    }
}
