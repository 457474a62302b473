//! Every derivative against finite differences, every pair of a product and its transpose against each other, and
//! all of them at the far ends of the numbers.

mod common;

use common::{
    Puzzle, all_orders, assert_close, assert_finite, derivative_at, dot, numerical_gradient, numerical_jvp,
    spread, uniform,
};
use plackett::{
    Categorical, Differentiable, Distribution as _, Error, Given, Latent, Noise, Order, PlackettLuce, Toy,
    assignment,
    critic::{Critic, Network, RelaxedObjective, Sum},
    estimator::{Estimator, Relax, Reparametrized, Samples},
    relaxation::{
        NeuralSort, Relaxation, Sinkhorn, Softmax, gumbel_sinkhorn, neural_sort, sinkhorn, softmax,
    },
};

/// The step of the numerical derivatives.
const H: f64 = 1e-4;

/// The relative error that is asked for; what is found is nearer to 10⁻¹⁰.
const TOLERANCE: f64 = 1e-6;

/// How well a product and its transpose agree.
const ADJOINT: f64 = 1e-12;

#[track_caller]
fn assert_adjoint(a: f64, b: f64, scale: f64, what: &str) {
    assert!((a - b).abs() <= ADJOINT * (1.0 + scale), "{what}: {a} and {b}");
}

// Distributions.

/// Checks ∂z/∂θ and ∂z̃/∂θ of a latent at one outcome, given how to make it and its scores' perturbations.
fn check_latent<L: Latent>(
    make: impl Fn(&[f64]) -> L,
    conditional: impl Fn(&L, &[f64]) -> Vec<f64>,
    log_prob: impl Fn(&L) -> f64,
    outcome: &[usize],
    scores: &[f64],
) {
    let items = scores.len();
    let what = format!("{items} items, outcome {outcome:?}");
    let (latent, u) = (make(scores), uniform(61, items as u64, items));
    let (direction, cotangent) = (spread(62, 1, items, 1.0), spread(63, 1, items, 1.0));
    let mut given = latent.room();
    latent.condition(outcome, &mut given);
    let (mut jvp, mut vjp, mut z) = (vec![0.0; items], vec![0.0; items], vec![0.0; items]);

    latent.perturb_jvp(&direction, &mut jvp);
    latent.perturb_vjp(&cotangent, &mut vjp);
    let perturbed = |scores: &[f64]| {
        let mut z = vec![0.0; items];
        make(scores).perturb(&u, &mut z);
        z
    };
    assert_close(&jvp, &numerical_jvp(scores, &direction, H, perturbed), TOLERANCE, &what);
    let pulled_back = numerical_gradient(scores, H, |scores| dot(&cotangent, &perturbed(scores)));
    assert_close(&vjp, &pulled_back, TOLERANCE, &what);
    assert_adjoint(dot(&cotangent, &jvp), dot(&vjp, &direction), items as f64, &what);

    given.perturb(&u, &mut z);
    assert_eq!(z, conditional(&latent, &u));
    given.perturb_jvp(&direction, &mut jvp);
    given.perturb_vjp(&cotangent, &mut vjp);
    let at = |scores: &[f64]| conditional(&make(scores), &u);
    assert_close(&jvp, &numerical_jvp(scores, &direction, H, at), TOLERANCE, &format!("{what}, conditional"));
    let pulled_back = numerical_gradient(scores, H, |scores| dot(&cotangent, &at(scores)));
    assert_close(&vjp, &pulled_back, TOLERANCE, &format!("{what}, conditional transposed"));
    assert_adjoint(dot(&cotangent, &jvp), dot(&vjp, &direction), items as f64, &what);

    given.grad_log_prob(&mut vjp);
    assert_close(&[given.log_prob()], &[log_prob(&latent)], 1e-14, &what);
    let gradient = numerical_gradient(scores, H, |scores| log_prob(&make(scores)));
    assert_close(&vjp, &gradient, TOLERANCE, &format!("{what}, log-probability"));
}

#[test]
fn derivatives_of_plackett_luce() {
    for items in [1, 2, 3, 5, 8, 40] {
        for seed in 0..4 {
            let scores = spread(60, seed, items, 2.5);
            let order = Order::sorting(&uniform(64, seed, items)).unwrap();
            check_latent(
                |scores| PlackettLuce::new(scores).unwrap(),
                |latent, v| latent.conditional(&order, v).unwrap(),
                |latent| latent.log_prob(&order).unwrap(),
                &order,
                &scores,
            );
        }
    }
}

#[test]
fn derivatives_of_the_categorical_distribution() {
    for items in [1, 2, 3, 5, 8, 40] {
        for seed in 0..4 {
            let scores = spread(60, seed, items, 2.5);
            let category = seed as usize * 7 % items;
            check_latent(
                |scores| Categorical::new(scores).unwrap(),
                |latent, v| latent.conditional(category, v).unwrap(),
                |latent| latent.log_prob(category).unwrap(),
                &[category],
                &scores,
            );
            let latent = Categorical::new(&scores).unwrap();
            let mut gradient = vec![0.0; items];
            let mut given = latent.room();
            latent.condition(&[category], &mut given);
            given.grad_log_prob(&mut gradient);
            assert_eq!(latent.grad_log_prob(category).unwrap(), gradient);
        }
    }
}

#[test]
fn gradients_of_prefixes() {
    for items in [1, 2, 4, 9] {
        let scores = spread(65, 0, items, 2.0);
        let order = Order::sorting(&uniform(65, 1, items)).unwrap();
        let latent = PlackettLuce::new(&scores).unwrap();
        for ranks in 0..=items {
            let prefix = &order[..ranks];
            let gradient = latent.grad_log_prob(prefix).unwrap();
            let log_prob = |scores: &[f64]| PlackettLuce::new(scores).unwrap().log_prob(prefix).unwrap();
            assert_close(&gradient, &numerical_gradient(&scores, H, log_prob), TOLERANCE, "a prefix");
            assert!(gradient.iter().sum::<f64>().abs() < 1e-13);
        }
    }
    // A short prefix's gradient is the mean of its completions' gradients.
    let scores = spread(66, 0, 5, 1.0);
    let latent = PlackettLuce::new(&scores).unwrap();
    let (mut mean, p) = ([0.0; 5], latent.log_prob(&[3, 1]).unwrap().exp());
    for order in all_orders(&[0, 1, 2, 3, 4]).iter().filter(|order| order.starts_with(&[3, 1])) {
        let weight = latent.log_prob(order).unwrap().exp() / p;
        let gradient = latent.grad_log_prob(order).unwrap();
        mean.iter_mut().zip(&gradient).for_each(|(mean, g)| *mean += weight * g);
    }
    assert_close(&latent.grad_log_prob(&[3, 1]).unwrap(), &mean, 1e-13, "completions");
}

// Relaxations.

fn forward(relaxation: &impl Relaxation, z: &[f64], tau: f64) -> Vec<f64> {
    let mut matrix = vec![0.0; relaxation.output_len()];
    relaxation.clone().forward(z, tau, &mut matrix);
    matrix
}

fn check_relaxation(mut relaxation: impl Relaxation, z: &[f64], tau: f64, what: &str) {
    let (inputs, outputs) = (relaxation.input_len(), relaxation.output_len());
    let what = format!("{what}, {inputs} inputs, temperature {tau}");
    let (dz, cotangent) = (spread(71, 0, inputs, 1.0), spread(71, 1, outputs, 1.0));
    // The relaxation changes on the scale of the temperature.
    let step = H * tau.min(1.0);
    let mut matrix = vec![0.0; outputs];
    relaxation.forward(z, tau, &mut matrix);
    let (mut jvp, mut along_tau) = (vec![0.0; outputs], vec![0.0; outputs]);
    let (mut vjp, mut mixed) = (vec![0.0; inputs], vec![0.0; outputs]);

    relaxation.jvp(&dz, &mut jvp);
    let numerical = numerical_jvp(z, &dz, step, |z| forward(&relaxation, z, tau));
    assert_close(&jvp, &numerical, TOLERANCE, &format!("{what}, along z"));

    relaxation.temperature_jvp(&mut along_tau);
    let at_log_tau = |log_tau: &[f64]| forward(&relaxation, z, log_tau[0].exp());
    let numerical = numerical_jvp(&[tau.ln()], &[1.0], H, at_log_tau);
    assert_close(&along_tau, &numerical, TOLERANCE, &format!("{what}, along log τ"));

    let dlog_tau = relaxation.vjp(&cotangent, &mut vjp);
    let numerical = numerical_gradient(z, step, |z| dot(&cotangent, &forward(&relaxation, z, tau)));
    assert_close(&vjp, &numerical, TOLERANCE, &format!("{what}, transposed"));
    let scale = dot(&jvp, &jvp).sqrt() * dot(&cotangent, &cotangent).sqrt();
    assert_adjoint(dot(&cotangent, &jvp), dot(&vjp, &dz), scale, &what);
    assert_adjoint(dot(&cotangent, &along_tau), dlog_tau, scale, &what);

    relaxation.mixed(&dz, &mut mixed);
    let numerical = numerical_jvp(&[tau.ln()], &[1.0], H, |log_tau| {
        let (mut other, mut product) = (relaxation.clone(), vec![0.0; outputs]);
        other.forward(z, log_tau[0].exp(), &mut vec![0.0; outputs]);
        other.jvp(&dz, &mut product);
        product
    });
    assert_close(&mixed, &numerical, TOLERANCE, &format!("{what}, mixed"));

    // None of the products spoils the point for the others.
    let mut again = vec![0.0; outputs];
    relaxation.jvp(&dz, &mut again);
    assert_eq!(again, jvp);
    relaxation.mixed(&dz, &mut again);
    assert_eq!(again, mixed);
    relaxation.temperature_jvp(&mut again);
    assert_eq!(again, along_tau);
}

#[test]
fn derivatives_of_relaxations() {
    for tau in [0.2, 1.0, 7.0] {
        for items in [1, 2, 3, 5, 9] {
            let z = spread(70, items as u64, items, 2.0);
            check_relaxation(Softmax::new(items), &z, tau, "softmax");
            check_relaxation(NeuralSort::new(items), &z, tau * items as f64, "NeuralSort");
        }
        for items in [1, 2, 3, 5] {
            for iterations in [1, 2, 10] {
                let z = spread(72, items as u64, items * items, 1.5);
                let relaxation = Sinkhorn::new(items, iterations).unwrap();
                check_relaxation(relaxation, &z, tau, &format!("Sinkhorn, {iterations} rounds"));
            }
        }
    }
}

#[test]
fn relaxations_are_what_they_are_called() {
    for seed in 0..20 {
        let z = spread(73, seed, 6, 3.0);
        let order = Order::sorting(&z).unwrap();
        for tau in [1e-300, 0.01, 1.0, 50.0] {
            let matrix = neural_sort(&z, tau).unwrap();
            assert_eq!(NeuralSort::round(&matrix).unwrap(), order);
            assert!(matrix.chunks(6).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12));
            assert!((softmax(&z, tau).unwrap().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        assert_close(&neural_sort(&z, 1e-6).unwrap(), &order.matrix(), 1e-9, "a cold NeuralSort");

        // Row i is softmax(((k + 1 − 2i) z − B) / τ), by the definition.
        let plain: Vec<f64> = (1..=6)
            .flat_map(|rank| {
                let energy = |j: usize| {
                    let spread: f64 = z.iter().map(|other| (z[j] - other).abs()).sum();
                    (7.0 - 2.0 * f64::from(rank)) * z[j] - spread
                };
                let weights: Vec<f64> = (0..6).map(|j| (energy(j) / 2.0).exp()).collect();
                let total: f64 = weights.iter().sum();
                weights.into_iter().map(move |weight| weight / total)
            })
            .collect();
        assert_close(&neural_sort(&z, 2.0).unwrap(), &plain, 1e-12, "the definition");

        let x = spread(74, seed, 16, 2.0);
        let p = sinkhorn(&x, 500).unwrap();
        for line in 0..4 {
            assert!((p[4 * line..][..4].iter().sum::<f64>() - 1.0).abs() < 1e-9);
            assert!((p.iter().skip(line).step_by(4).sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }
}

/// As the temperature falls the Sinkhorn operator tends to the best matching, which need not hold the largest entry.
#[test]
fn a_cold_sinkhorn_is_the_best_matching() {
    let x = [3.0, 2.0, 2.5, 0.0];
    let negative: Vec<f64> = x.iter().map(|x| -x).collect();
    assert_eq!(assignment(&negative).unwrap().as_slice(), [1, 0]);
    for tau in [1e-2, 1e-5, 1e-9, 1e-30, 1e-300] {
        for scale in [1.0, 1e-5, 1e5, 5e307] {
            let z: Vec<f64> = x.iter().map(|x| x * scale).collect();
            if tau < 0.1 * scale {
                let p = forward(&Sinkhorn::new(2, 50).unwrap(), &z, tau);
                assert!(p[1] > 0.9 && p[2] > 0.9, "temperature {tau}, scale {scale}: {p:?}");
            }
        }
    }
}

fn check_extremes(mut relaxation: impl Relaxation, rows: f64, what: &str) {
    let (inputs, outputs) = (relaxation.input_len(), relaxation.output_len());
    let (dz, cotangent) = (spread(75, 0, inputs, 1.0), spread(75, 1, outputs, 1.0));
    let (mut product, mut gradient) = (vec![0.0; outputs], vec![0.0; inputs]);
    let mut points: Vec<Vec<f64>> =
        [0.0, 1e-300, 1.0, 1000.0, 1e100, 1e300, 1e308].map(|width| spread(76, 0, inputs, width)).to_vec();
    points.push((0..inputs).map(|at| if at % 2 == 0 { f64::MAX } else { f64::MIN }).collect());
    points.push(vec![1e308; inputs]);
    for z in &points {
        for tau in [1e-300, 1e-100, 1e-10, 1.0, 1e10, 1e100, 1e300] {
            let what = format!("{what}, temperature {tau}, z {z:?}");
            relaxation.forward(z, tau, &mut product);
            assert_finite(&product, &what);
            assert!((product.iter().sum::<f64>() - rows).abs() < 1e-6, "{what}: {product:?}");
            relaxation.jvp(&dz, &mut product);
            assert_finite(&product, &format!("jvp of {what}"));
            relaxation.temperature_jvp(&mut product);
            assert_finite(&product, &format!("temperature jvp of {what}"));
            let dlog_tau = relaxation.vjp(&cotangent, &mut gradient);
            assert_finite(&gradient, &format!("vjp of {what}"));
            assert!(dlog_tau.is_finite(), "∂log τ of {what}");
            relaxation.mixed(&dz, &mut product);
            assert_finite(&product, &format!("mixed of {what}"));
        }
    }
}

#[test]
fn relaxations_stay_finite_at_extremes() {
    for items in [1, 2, 4, 9] {
        let rows = items as f64;
        check_extremes(Softmax::new(items), 1.0, "softmax");
        check_extremes(NeuralSort::new(items), rows, "NeuralSort");
        check_extremes(Sinkhorn::new(items, 7).unwrap(), rows, "Sinkhorn");
    }
    for noise in [vec![0.0; 4], vec![1.0; 4], vec![0.0, 1.0, 1.0, 0.0]] {
        for tau in [1e-300, 1.0, 1e300] {
            let p = gumbel_sinkhorn(&[1e308, -1e308, 0.0, 5.0], &noise, tau, 5).unwrap();
            assert_finite(&p, "Gumbel–Sinkhorn");
        }
    }
}

/// Even with numbers whose differences overflow the arg-max of row i is the i-th largest.
#[test]
fn neural_sort_sorts_the_largest_numbers() {
    let z = [1.7e308, -1.7e308, 0.0, 1e308, -1e308];
    for tau in [1e-300, 1.0, 1e300] {
        assert_eq!(NeuralSort::round(&neural_sort(&z, tau).unwrap()).unwrap(), Order::sorting(&z).unwrap());
    }
}

// Objectives and critics.

/// Cubic and sine terms, and no Hessian of its own.
#[derive(Clone)]
struct Wavy;

impl Differentiable for Wavy {
    fn value_and_gradient(&self, matrix: &[f64], gradient: &mut [f64]) -> f64 {
        let sum: f64 = matrix.iter().enumerate().map(|(at, x)| x * (at as f64 + 1.0)).sum();
        let mut value = sum.sin();
        for (at, (gradient, x)) in gradient.iter_mut().zip(matrix).enumerate() {
            let at = at as f64 + 1.0;
            value += x.powi(3) / at;
            *gradient = sum.cos() * at + 3.0 * x * x / at;
        }
        value
    }
}

fn check_objective(objective: &impl Differentiable, size: usize, what: &str) {
    for seed in 0..3 {
        let (matrix, direction) = (uniform(81, seed, size), spread(82, seed, size, 3.0));
        let mut gradient = vec![0.0; size];
        objective.value_and_gradient(&matrix, &mut gradient);
        let numerical = numerical_gradient(&matrix, H, |matrix| {
            objective.value_and_gradient(matrix, &mut vec![0.0; size])
        });
        assert_close(&gradient, &numerical, TOLERANCE, what);
        let (mut product, mut scratch) = (vec![0.0; size], vec![f64::NAN; 2 * size]);
        objective.hessian_product(&matrix, &direction, &mut product, &mut scratch);
        let numerical = numerical_jvp(&matrix, &direction, H, |matrix| {
            let mut gradient = vec![0.0; size];
            objective.value_and_gradient(matrix, &mut gradient);
            gradient
        });
        assert_close(&product, &numerical, TOLERANCE, &format!("{what}, Hessian"));
    }
}

#[test]
fn derivatives_of_objectives() {
    check_objective(&Toy::permutation(4, 0.05).unwrap(), 16, "toy");
    check_objective(&Toy::categorical(5, 0.05).unwrap(), 5, "categorical toy");
    check_objective(&Wavy, 9, "wavy");
    check_objective(&Puzzle::new(4, 4), 16, "puzzle");
}

/// The library's own Hessian product is linear in the direction, however long or short that is.
#[test]
fn differenced_hessians_stay_finite_along_any_direction() {
    let matrix = uniform(83, 0, 9);
    let direction = spread(83, 1, 9, 1.0);
    let (mut reference, mut scratch) = (vec![0.0; 9], vec![0.0; 18]);
    Wavy.hessian_product(&matrix, &direction, &mut reference, &mut scratch);
    for scale in [0.0, 1e-323, 1e-315, 1e-300, 1e-100, 1.0, 1e100, 1e300] {
        let long: Vec<f64> = direction.iter().map(|d| d * scale).collect();
        let mut product = vec![0.0; 9];
        Wavy.hessian_product(&matrix, &long, &mut product, &mut scratch);
        assert_finite(&product, &format!("along a direction of length {scale}"));
        if (1e-300..=1e100).contains(&scale) {
            let scaled: Vec<f64> = product.iter().map(|x| x / scale).collect();
            assert_close(&scaled, &reference, 1e-7, &format!("scale {scale}"));
        }
    }
}

fn check_critic(mut critic: impl Critic, parameters: &[f64], what: &str) {
    let items = critic.inputs();
    assert_eq!(critic.parameters(), parameters.len(), "{what}");
    for seed in 0..3 {
        let (z, v, a) = (spread(84, seed, items, 2.0), spread(85, seed, items, 1.0), 0.8 - seed as f64);
        // What a buffer held before must not matter.
        let mut gradient = vec![f64::NAN; items];
        critic.value_and_gradient(parameters, &z, &mut gradient);
        let mut other = critic.clone();
        let numerical =
            numerical_gradient(&z, H, |z| other.value_and_gradient(parameters, z, &mut vec![0.0; items]));
        assert_close(&gradient, &numerical, TOLERANCE, &format!("{what}, gradient"));

        let start = spread(86, seed, parameters.len(), 1.0);
        let mut parameter_gradient = start.clone();
        critic.add_parameter_gradient(parameters, a, &v, &mut parameter_gradient);
        let added: Vec<f64> =
            parameter_gradient.iter().zip(&start).map(|(after, before)| after - before).collect();
        let numerical = numerical_gradient(parameters, H, |parameters| {
            let mut gradient = vec![0.0; items];
            let value = other.value_and_gradient(parameters, &z, &mut gradient);
            a * value + dot(&v, &gradient)
        });
        assert_close(&added, &numerical, TOLERANCE, &format!("{what}, parameters"));
    }
}

#[test]
fn derivatives_of_critics() {
    for items in [1, 2, 3, 5, 8] {
        for (log_tau, eta) in [(0.0, 1.0), (1.1, -0.6), (2.0, 3.0)] {
            let neural_sort = NeuralSort::new(items);
            let what = format!("{items} items, log τ {log_tau}");
            let toy = Toy::permutation(items, 0.05).unwrap();
            let scaled = RelaxedObjective::scaled(toy, neural_sort.clone());
            check_critic(scaled, &[log_tau, eta], &format!("{what}, toy"));
            let wavy = RelaxedObjective::scaled(Wavy, Softmax::new(items));
            check_critic(wavy, &[log_tau, eta], &format!("{what}, wavy"));
            let puzzle = RelaxedObjective::unscaled(Puzzle::new(items, items), neural_sort);
            check_critic(puzzle.clone(), &[log_tau], &format!("{what}, puzzle"));

            for hidden in [1, 2, 7] {
                let network = Network::new(items, hidden);
                let mut phi = spread(87, hidden as u64, network.parameters(), 1.0);
                check_critic(network.clone(), &phi, &format!("{what}, network of {hidden}"));
                phi.insert(0, log_tau);
                check_critic(
                    Sum::new(puzzle.clone(), network.clone()).unwrap(),
                    &phi,
                    &format!("{what}, sum"),
                );
                phi.rotate_left(1);
                check_critic(
                    Sum::new(network, puzzle.clone()).unwrap(),
                    &phi,
                    &format!("{what}, sum reversed"),
                );
            }
        }
    }
    let matching = RelaxedObjective::scaled(Wavy, Sinkhorn::new(3, 6).unwrap());
    check_critic(matching, &[0.5, 1.5], "Sinkhorn");
}

/// A network without hidden units is the constant b₂.
#[test]
fn an_empty_network_is_constant() {
    check_critic(Network::new(3, 0), &[1.5], "no hidden units");
}

// The estimators' training signal, end to end.

fn check_training_signal<L: Latent>(latent: &L, critic: &impl Critic, objective: &Puzzle, what: &str) {
    let items = latent.items();
    for seed in 0..4 {
        let mut relax = Relax::new(latent, critic.clone(), &mut Noise::new(seed)).unwrap();
        let mut phi = relax.parameters().to_vec();
        phi.iter_mut().zip(spread(90, seed, critic.parameters(), 0.3)).for_each(|(phi, d)| *phi += d);
        let mut samples = Samples::new(latent, 1).unwrap();
        samples.set_noise(latent, &uniform(91, seed, items), &uniform(92, seed, items)).unwrap();
        samples.evaluate(&mut objective.clone()).unwrap();
        let mut other = relax.clone();
        let mut gradient = vec![0.0; items];
        relax.set_parameters(&phi).unwrap();
        relax.gradient(latent, &samples, &mut gradient).unwrap();
        let numerical = numerical_gradient(&phi, H, |phi| {
            let mut gradient = vec![0.0; items];
            other.set_parameters(phi).unwrap();
            other.gradient(latent, &samples, &mut gradient).unwrap();
            dot(&gradient, &gradient)
        });
        let (parameters, found) = relax.critic();
        assert_eq!(parameters, phi);
        assert_close(found, &numerical, TOLERANCE, &format!("{what}, seed {seed}"));
    }
}

#[test]
fn the_critics_training_signal_is_the_gradient_of_the_squared_norm() {
    for items in [2, 3, 5, 8] {
        let scores = spread(93, items as u64, items, 1.0);
        let (network, what) = (Network::new(items, 5), format!("{items} items"));

        let latent = PlackettLuce::new(&scores).unwrap();
        let puzzle = Puzzle::new(items, items);
        let scaled = RelaxedObjective::scaled(puzzle.clone(), NeuralSort::new(items));
        check_training_signal(&latent, &scaled, &puzzle, &format!("REBAR, orders of {what}"));
        let relaxed = RelaxedObjective::unscaled(puzzle.clone(), NeuralSort::new(items));
        let sum = Sum::new(relaxed, network.clone()).unwrap();
        check_training_signal(&latent, &sum, &puzzle, &format!("RELAX, orders of {what}"));
        check_training_signal(&latent, &network, &puzzle, &format!("black box, orders of {what}"));

        let latent = Categorical::new(&scores).unwrap();
        let puzzle = Puzzle::new(1, items);
        let scaled = RelaxedObjective::scaled(puzzle.clone(), Softmax::new(items));
        check_training_signal(&latent, &scaled, &puzzle, &format!("REBAR, {what}"));
        let relaxed = RelaxedObjective::unscaled(puzzle.clone(), Softmax::new(items));
        let sum = Sum::new(relaxed, network.clone()).unwrap();
        check_training_signal(&latent, &sum, &puzzle, &format!("RELAX, {what}"));
        check_training_signal(&latent, &network, &puzzle, &format!("black box, {what}"));
    }
}

/// The estimate itself, put together from its parts by the formula and numerical derivatives alone.
#[test]
fn the_estimate_is_the_papers_formula() {
    let scores = [0.3, -0.8, 0.5, 0.1];
    let (u, v) = (uniform(94, 0, 4), uniform(94, 1, 4));
    let puzzle = Puzzle::new(4, 4);
    let mut critic =
        Sum::new(RelaxedObjective::unscaled(puzzle.clone(), NeuralSort::new(4)), Network::new(4, 5)).unwrap();
    let latent = PlackettLuce::new(&scores).unwrap();
    let mut relax = Relax::new(&latent, critic.clone(), &mut Noise::new(3)).unwrap();
    let phi = relax.parameters().to_vec();
    let order = Order::sorting(&latent.perturb(&u).unwrap()).unwrap();
    let mut c = |z: &[f64]| critic.value_and_gradient(&phi, z, &mut [0.0; 4]);
    let at = |scores: &[f64]| PlackettLuce::new(scores).unwrap();
    let score = numerical_gradient(&scores, H, |scores| at(scores).log_prob(&order).unwrap());
    let free = numerical_gradient(&scores, H, |scores| c(&at(scores).perturb(&u).unwrap()));
    let bound = numerical_gradient(&scores, H, |scores| c(&at(scores).conditional(&order, &v).unwrap()));
    let advantage = puzzle.value(&order) - c(&latent.conditional(&order, &v).unwrap());
    let formula: Vec<f64> = (0..4).map(|i| advantage * score[i] + free[i] - bound[i]).collect();

    let mut samples = Samples::new(&latent, 1).unwrap();
    samples.set_noise(&latent, &u, &v).unwrap();
    samples.set_values(&[puzzle.value(&order)]).unwrap();
    let mut gradient = [0.0; 4];
    relax.gradient(&latent, &samples, &mut gradient).unwrap();
    assert_close(&gradient, &formula, 1e-8, "RELAX");
}

fn check_extreme_estimates<L: Latent>(
    latent: &L,
    critic: &impl Critic,
    objective: &mut Puzzle,
    log_taus: &[f64],
) {
    let items = latent.items();
    let mut relax = Relax::new(latent, critic.clone(), &mut Noise::new(0)).unwrap();
    let mut samples = Samples::new(latent, 1).unwrap();
    let random = uniform(95, 0, items);
    let noises = [vec![0.0; items], vec![1.0; items], random.iter().map(|u| u.round()).collect(), random];
    for log_tau in log_taus {
        let mut phi = relax.parameters().to_vec();
        phi[0] = *log_tau;
        relax.set_parameters(&phi).unwrap();
        let mut relaxed = Reparametrized::new(latent, critic.clone(), phi).unwrap();
        for (u, v) in noises.iter().flat_map(|u| noises.iter().map(move |v| (u, v))) {
            samples.set_noise(latent, u, v).unwrap();
            samples.evaluate(objective).unwrap();
            let what = format!("{:?}, log τ {log_tau}, u {u:?}, v {v:?}", latent.scores());
            let mut gradient = vec![0.0; items];
            relax.gradient(latent, &samples, &mut gradient).unwrap_or_else(|error| panic!("{error}: {what}"));
            assert_finite(&gradient, &what);
            assert_finite(relax.critic().1, &what);
            relaxed.gradient(latent, &samples, &mut gradient).unwrap();
            assert_finite(&gradient, &what);
        }
    }
}

#[test]
fn estimates_stay_finite_at_extremes() {
    let log_taus = [-1e300, -1000.0, -300.0, -100.0, -10.0, 0.0, 10.0, 300.0, 1e300];
    for items in [1, 2, 5] {
        let ends: Vec<f64> = (0..items).map(|at| if at % 2 == 0 { 1e308 } else { -1e308 }).collect();
        for scores in [vec![0.0; items], spread(96, 0, items, 1000.0), spread(96, 1, items, 1e308), ends] {
            let network = Network::new(items, 4);
            let latent = PlackettLuce::new(&scores).unwrap();
            let mut puzzle = Puzzle::new(items, items);
            let relaxed = RelaxedObjective::unscaled(puzzle.clone(), NeuralSort::new(items));
            check_extreme_estimates(&latent, &relaxed, &mut puzzle, &log_taus);
            let scaled = RelaxedObjective::scaled(puzzle.clone(), NeuralSort::new(items));
            check_extreme_estimates(&latent, &scaled, &mut puzzle, &log_taus);
            // Through a network's weights scores of 1e300 are squared, which no number holds.
            if scores.iter().all(|score| score.abs() <= 1000.0) {
                check_extreme_estimates(
                    &latent,
                    &Sum::new(relaxed, network.clone()).unwrap(),
                    &mut puzzle,
                    &log_taus,
                );
            }

            let latent = Categorical::new(&scores).unwrap();
            let mut puzzle = Puzzle::new(1, items);
            let relaxed = RelaxedObjective::unscaled(puzzle.clone(), Softmax::new(items));
            check_extreme_estimates(&latent, &relaxed, &mut puzzle, &log_taus);
            let scaled = RelaxedObjective::scaled(puzzle.clone(), Softmax::new(items));
            check_extreme_estimates(&latent, &scaled, &mut puzzle, &log_taus);
            if scores.iter().all(|score| score.abs() <= 1000.0) {
                check_extreme_estimates(
                    &latent,
                    &Sum::new(relaxed, network).unwrap(),
                    &mut puzzle,
                    &log_taus,
                );
            }
        }
    }
}

/// Where a critic does leave the numbers, that is said.
#[test]
fn a_critic_beyond_the_numbers_is_an_error() {
    let latent = PlackettLuce::new(&[1e308, 0.0, -1e308]).unwrap();
    let mut relax = Relax::new(&latent, Network::new(3, 4), &mut Noise::new(0)).unwrap();
    let mut samples = Samples::new(&latent, 1).unwrap();
    samples.set_noise(&latent, &[0.5; 3], &[0.5; 3]).unwrap();
    relax.set_parameters(&vec![-1e200; relax.parameters().len()]).unwrap();
    let error = relax.gradient(&latent, &samples, &mut [0.0; 3]).unwrap_err();
    assert!(matches!(error, Error::CriticNotFinite { .. }));
}

#[test]
fn five_points_are_exact_on_quartics() {
    let found = derivative_at(1.0, 0.1, |x| x.powi(4) - 3.0 * x.powi(3) + x);
    assert!((found - (4.0 - 9.0 + 1.0)).abs() < 1e-12);
}
