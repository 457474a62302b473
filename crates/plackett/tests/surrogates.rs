//! What surrogates learn, and what they leave alone. That their gradients are right is tested in `unbiased` and `marginals`.

mod common;

use common::{spread, uniform};
use plackett::{Batch, Error, Noise, PlackettLuce, Surrogate, SurrogateSettings};

/// The mean and the variance of some numbers.
fn moments(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count)
}

/// Orders and what a surrogate predicts for them.
fn predictions(surrogate: &Surrogate, orders: &[plackett::Order]) -> Vec<f64> {
    orders.iter().map(|order| surrogate.value(order).unwrap()).collect()
}

#[test]
fn a_batch_has_the_expectations_of_its_rows_for_any_number_of_threads() {
    let (items, rows) = (6, 40);
    let latent = PlackettLuce::new(&[0.0; 6]).unwrap();
    let mut surrogate = Surrogate::new(items).unwrap();
    for order in latent.sample_many(200, Noise::new(1).stream(0)) {
        surrogate.observe(&order, (order[0] * order[1]) as f64 - order[5] as f64).unwrap();
    }
    assert!(surrogate.explained() > 0.5);
    let scores = spread(2, 0, rows * items, 4.0);
    let batch = Batch::new(&scores, items).unwrap();
    let on_threads = |threads: usize| {
        let (mut values, mut gradients) = (vec![0.0; rows], vec![0.0; rows * items]);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| surrogate.expectations(&batch, &mut values, &mut gradients)).unwrap();
        (values, gradients)
    };
    let (values, gradients) = on_threads(1);
    assert_eq!((&values, &gradients), (&on_threads(3).0, &on_threads(3).1));
    for (row, scores) in scores.chunks_exact(items).enumerate() {
        let mut gradient = [0.0; 6];
        let value =
            surrogate.clone().expectation(&PlackettLuce::new(scores).unwrap(), &mut gradient).unwrap();
        assert_eq!((value, &gradient[..]), (values[row], &gradients[row * items..][..items]));
    }
    let absent = Batch::new(&[0.0, 0.0, 0.0, f64::NEG_INFINITY, 0.0, 0.0], items).unwrap();
    let refused = surrogate.expectations(&absent, &mut [0.0], &mut [0.0; 6]);
    assert!(matches!(refused, Err(Error::NotFinite { index: 3, .. })));
}

/// Values that have nothing to do with the orders: whatever is predicted adds to the variance.
#[test]
fn noise_is_not_predicted() {
    for (items, count) in [(5, 100), (12, 300), (12, 3000)] {
        let latent = PlackettLuce::new(&vec![0.0; items]).unwrap();
        let mut added = 0.0;
        for seed in 0..5 {
            let mut surrogate = Surrogate::new(items).unwrap();
            let orders = latent.sample_many(count, Noise::new(seed).stream(0));
            for (order, value) in orders.iter().zip(uniform(seed, 1, count)) {
                surrogate.observe(order, value).unwrap();
            }
            let fresh = latent.sample_many(500, Noise::new(seed).stream(2));
            added += moments(&predictions(&surrogate, &fresh)).1 / (5.0 / 12.0);
        }
        assert!(added < 0.02, "{items} items, {count} evaluations: {added} of the variance is added");
    }
}

/// A factor for the rank times one for the item, seen through noise as large: 900 coefficients, 400 evaluations.
#[test]
fn products_are_learned_from_few_evaluations() {
    let items = 30;
    let latent = PlackettLuce::new(&vec![0.0; items]).unwrap();
    let of_items = spread(4, 0, items, 1.0);
    let truth = |order: &[usize]| -> f64 {
        order.iter().enumerate().map(|(rank, &item)| rank as f64 / 30.0 * of_items[item]).sum()
    };
    let mut surrogate = Surrogate::new(items).unwrap();
    let orders = latent.sample_many(400, Noise::new(3).stream(0));
    let deviation = moments(&orders.iter().map(|order| truth(order)).collect::<Vec<_>>()).1.sqrt();
    for (order, noise) in orders.iter().zip(uniform(5, 1, 400)) {
        surrogate.observe(order, truth(order) + 12_f64.sqrt() * deviation * (noise - 0.5)).unwrap();
    }
    let fresh = latent.sample_many(500, Noise::new(3).stream(2));
    let left: Vec<f64> = fresh.iter().map(|order| truth(order) - surrogate.value(order).unwrap()).collect();
    let share = moments(&left).1 / (deviation * deviation);
    assert!(share < 0.35, "{share} of the variance is left");
}

#[test]
fn a_saved_surrogate_goes_on_as_the_one_that_was_saved() {
    let latent = PlackettLuce::new(&[0.0; 5]).unwrap();
    let orders = latent.sample_many(400, Noise::new(6).stream(0));
    let value = |order: &[usize]| (order[0] * order[2]) as f64;
    let settings = SurrogateSettings { window: 150, ..SurrogateSettings::default() };
    let mut surrogate = Surrogate::with_settings(5, settings).unwrap();
    orders[..200].iter().for_each(|order| surrogate.observe(order, value(order)).unwrap());
    let mut copy = Surrogate::from_json(&surrogate.to_json().unwrap()).unwrap();
    for one in [&mut surrogate, &mut copy] {
        orders[200..].iter().for_each(|order| one.observe(order, value(order)).unwrap());
    }
    assert_eq!(surrogate.to_json().unwrap(), copy.to_json().unwrap());
    assert_eq!(predictions(&surrogate, &orders), predictions(&copy, &orders));
}

#[test]
fn what_does_not_fit_into_memory_is_refused() {
    assert!(matches!(Surrogate::new(1 << 40), Err(Error::TooManyItems { .. })));
    let settings = SurrogateSettings { window: usize::MAX / 2, ..SurrogateSettings::default() };
    assert!(matches!(Surrogate::with_settings(4, settings), Err(Error::Setting { name: "window", .. })));
}
