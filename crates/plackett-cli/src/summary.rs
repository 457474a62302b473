//! Summaries over seeds.

/// The mean of some numbers and their standard deviation (over n − 1; zero for a single number).
pub(crate) fn mean_std(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (mean, if numbers.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_of_known_numbers() {
        assert_eq!(mean_std(&[1.0, 2.0, 3.0]), (2.0, 1.0));
        assert_eq!(mean_std(&[5.0]), (5.0, 0.0));
    }
}
