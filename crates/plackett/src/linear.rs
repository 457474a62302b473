//! The two vector operations of the inner loops, shared by the crates of this workspace.

/// The inner product, in four independent sums that the processor can run side by side.
///
/// ```
/// assert_eq!(plackett::linear::dot(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
/// ```
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a_chunks, b_chunks) = (a.chunks_exact(4), b.chunks_exact(4));
    let tail: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for lane in 0..4 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + tail
}

/// x += a·y.
///
/// ```
/// let mut x = [1.0, 2.0];
/// plackett::linear::add_scaled(&mut x, 2.0, &[1.0, 1.0]);
/// assert_eq!(x, [3.0, 4.0]);
/// ```
pub fn add_scaled(x: &mut [f64], a: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += a * y;
    }
}
