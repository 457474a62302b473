//! Ask and tell from outside: any order of answers, failures, foreign orders, resuming, threads, and unbiased gradients.

use plackett::{
    Constraints, Error, Noise, PlackettLuce,
    neighborhood::MoveKind,
    optimizer::{
        Answer, Evaluator, Gradient, Noisy, Optimizer, OptimizerSettings, Parallel, Proposal, Refinement,
        drive,
    },
    problem::{Problem, Sense},
    run::{Ending, Limits, Progress, Run, Trace},
    solver::{Method, Solver},
};
use rand::{RngExt as _, seq::SliceRandom as _};
use std::{ops::ControlFlow, time::Duration};

/// Pairs in the wrong order, with weights that make every order's value another one.
fn value(order: &[usize]) -> f64 {
    let mut value = 0.0;
    for (rank, &item) in order.iter().enumerate() {
        for &after in &order[rank + 1..] {
            value += if item > after { 1.0 + (item * 7 + after) as f64 / 100.0 } else { 0.0 };
        }
    }
    value
}

fn parts(order: &[usize]) -> Vec<f64> {
    (0..order.len()).map(|rank| value(&order[..=rank]) - value(&order[..rank])).collect()
}

fn settings() -> Vec<OptimizerSettings> {
    let base = OptimizerSettings { seed: 3, refinement: Refinement::Climb, ..OptimizerSettings::default() };
    let with =
        |gradient, gradient_evaluations| OptimizerSettings { gradient, gradient_evaluations, ..base.clone() };
    let constraints = Some(Constraints::new(7, &[(1, 0)], &[(3, 3)]).unwrap());
    vec![
        with(Gradient::Reinforce, None),
        with(Gradient::Relax { hidden: 8 }, None),
        with(Gradient::RewardToGo, None),
        with(Gradient::Surrogate, None),
        with(Gradient::Relax { hidden: 8 }, Some(63)),
        OptimizerSettings {
            moves: vec![MoveKind::Swap, MoveKind::Reverse],
            ..with(Gradient::Reinforce, Some(0))
        },
        OptimizerSettings { constraints: constraints.clone(), ..with(Gradient::Reinforce, Some(50)) },
        OptimizerSettings { constraints: constraints.clone(), ..with(Gradient::RewardToGo, None) },
        OptimizerSettings { constraints: windows(), ..with(Gradient::Relax { hidden: 8 }, None) },
        OptimizerSettings { constraints: windows(), ..with(Gradient::Surrogate, None) },
        OptimizerSettings { constraints: windows(), ..with(Gradient::Relax { hidden: 8 }, Some(63)) },
        OptimizerSettings { constraints: windows(), window: 2, ..walk() },
        walk(),
        OptimizerSettings { window: 5, evaluations: Some(4000), ..walk() },
        OptimizerSettings { constraints: constraints.clone(), window: 2, ..walk() },
        OptimizerSettings { gradient_evaluations: Some(50), constraints, window: 3, ..walk() },
    ]
}

/// Items 6 and 2 early, item 0 after item 1 and not last.
#[expect(clippy::unnecessary_wraps, reason = "as the settings have it")]
fn windows() -> Option<Constraints> {
    let windows = [(6, 1, 3), (2, 0, 1), (0, 2, 5)];
    Some(Constraints::new(7, &[(1, 0)], &[]).unwrap().with_ranks(&windows).unwrap())
}

fn walk() -> OptimizerSettings {
    OptimizerSettings { seed: 3, ..OptimizerSettings::default() }
}

/// The gradient alone.
fn gradient(gradient: Gradient) -> OptimizerSettings {
    OptimizerSettings { gradient, gradient_evaluations: None, ..OptimizerSettings::default() }
}

fn answer(optimizer: &mut Optimizer, proposal: &Proposal) {
    let answer = if proposal.id % 11 == 4 {
        Answer::Failed("no luck".to_owned())
    } else if optimizer.settings().gradient == Gradient::RewardToGo {
        Answer::Parts(parts(&proposal.order))
    } else {
        Answer::Value(value(&proposal.order))
    };
    optimizer.tell_id(proposal.id, answer).unwrap();
}

/// Batches answered in order; in any order and in parts; and with a save and a load at every turn: all the same.
#[test]
fn neither_the_order_of_answers_nor_resuming_matters() {
    for settings in settings() {
        let mut plain = Optimizer::new(7, settings.clone()).unwrap();
        let mut shuffled = plain.clone();
        let mut resumed = plain.clone();
        let mut noise = Noise::new(1);
        for round in 0..60 {
            let asked = plain.ask_batch(usize::MAX);
            assert!(!asked.is_empty());
            asked.iter().for_each(|proposal| answer(&mut plain, proposal));

            let first = shuffled.ask_batch(2);
            let mut rest = shuffled.ask(asked.len() - first.len());
            rest.extend(first);
            rest.shuffle(noise.stream(round));
            rest.iter().for_each(|proposal| answer(&mut shuffled, proposal));

            let again = resumed.ask_batch(usize::MAX);
            assert_eq!(again, asked);
            for (at, proposal) in again.iter().enumerate() {
                if at % 3 == 0 {
                    resumed = Optimizer::from_json(&resumed.to_json().unwrap()).unwrap();
                }
                answer(&mut resumed, proposal);
            }
            assert_eq!(resumed.to_json().unwrap(), plain.to_json().unwrap());
        }
        assert_eq!(shuffled.to_json().unwrap(), plain.to_json().unwrap());
        assert!(plain.status().failed > 0 && plain.status().pending == 0);
        if let Some(constraints) = &settings.constraints {
            assert!(constraints.check(plain.best().unwrap().0).is_ok());
            assert!(constraints.check(&plain.mode().unwrap()).is_ok());
        }
    }
}

#[test]
fn every_gradient_and_refinement_finds_the_optimum() {
    for settings in settings() {
        let best = orders_within(settings.constraints.as_ref())
            .into_iter()
            .map(|o| value(&o))
            .fold(f64::INFINITY, f64::min);
        let mut optimizer = Optimizer::new(7, settings.clone()).unwrap();
        while optimizer.status().asked < 6000 {
            let asked = optimizer.ask_batch(usize::MAX);
            if asked.is_empty() {
                break; // a walk that has asked about all orders
            }
            for proposal in asked {
                if settings.refinement == Refinement::Walk {
                    optimizer.tell_id(proposal.id, Answer::Value(value(&proposal.order))).unwrap();
                } else {
                    answer(&mut optimizer, &proposal);
                }
            }
        }
        assert!((optimizer.best().unwrap().1 - best).abs() < 1e-12, "{settings:?}");
        if settings.gradient_evaluations.is_none() {
            assert!((value(&optimizer.mode().unwrap()) - best).abs() < 1e-12, "{settings:?}");
        }
    }
}

/// Within constraints RELAX and surrogates make the steps that they would make without them on f(follow(b)), failures included.
#[test]
fn what_follows_constraints_is_an_objective_like_any_other() {
    for gradient in [Gradient::Relax { hidden: 8 }, Gradient::Surrogate] {
        let base = OptimizerSettings { seed: 5, ..self::gradient(gradient) };
        let constraints = windows().unwrap();
        let within = OptimizerSettings { constraints: windows(), ..base.clone() };
        let (mut within, mut free) = (Optimizer::new(7, within).unwrap(), Optimizer::new(7, base).unwrap());
        for _ in 0..30 {
            for (kept, drawn) in within.ask_batch(10).into_iter().zip(free.ask_batch(10)) {
                let followed = constraints.follow(&drawn.order).unwrap();
                assert_eq!(kept.order, followed);
                let answer = if followed[0] == 3 { f64::NAN } else { value(&followed) };
                within.tell_id(kept.id, Answer::Value(answer)).unwrap();
                free.tell_id(drawn.id, Answer::Value(answer)).unwrap();
            }
            assert_eq!(within.scores(), free.scores(), "{gradient:?}");
        }
        assert!(within.scores().iter().any(|&score| score != 0.0));
        assert!(constraints.check(&within.mode().unwrap()).is_ok());
    }
}

fn orders_within(constraints: Option<&Constraints>) -> Vec<Vec<usize>> {
    let all = PlackettLuce::new(&[0.0; 7]).unwrap().enumerate().unwrap();
    let all = all.into_iter().map(|(order, _)| order.into_vec());
    all.filter(|order| constraints.is_none_or(|c| c.check(order).is_ok())).collect()
}

/// With Adam's first step being the gradient's sign, the mean over many seeds of a batch's gradient shows in how often each
/// score goes up: at uniform scores the exact gradient's signs must win.
#[test]
fn steps_go_against_the_exact_gradient() {
    let latent = PlackettLuce::new(&[0.0; 4]).unwrap();
    let mut exact = [0.0; 4];
    for (order, probability) in latent.enumerate().unwrap() {
        let score = latent.grad_log_prob(&order).unwrap();
        exact.iter_mut().zip(score).for_each(|(e, s)| *e += probability * value(&order) * s);
    }
    for gradient in [Gradient::Reinforce, Gradient::RewardToGo, Gradient::Relax { hidden: 4 }] {
        let mut ups = [0i32; 4];
        for seed in 0..400 {
            let settings = OptimizerSettings { seed, ..self::gradient(gradient) };
            let mut optimizer = Optimizer::new(4, settings).unwrap();
            for proposal in optimizer.ask(10) {
                let answer = Answer::Parts(parts(&proposal.order));
                optimizer.tell_id(proposal.id, answer).unwrap();
            }
            optimizer
                .scores()
                .iter()
                .zip(&mut ups)
                .for_each(|(score, ups)| *ups += if *score > 0.0 { 1 } else { -1 });
        }
        for (exact, ups) in exact.iter().zip(ups) {
            assert!(
                f64::from(ups) * exact < 0.0 && ups.abs() > 60 || exact.abs() < 0.2,
                "{gradient:?} {exact} {ups}"
            );
        }
    }
}

#[test]
fn asking_ahead_gives_delayed_gradients_that_do_not_depend_on_who_is_quicker() {
    let run = |is_reversed: bool| {
        let mut optimizer = Optimizer::new(6, gradient(Gradient::Reinforce)).unwrap();
        for _ in 0..20 {
            let mut asked = optimizer.ask(37); // nearly four batches, one of them in part
            if is_reversed {
                asked.reverse();
            }
            assert_eq!(asked.len(), 37);
            asked.iter().for_each(|p| optimizer.tell_id(p.id, Answer::Value(value(&p.order))).unwrap());
        }
        optimizer.to_json().unwrap()
    };
    assert_eq!(run(false), run(true));
}

#[test]
fn foreign_orders_count_for_the_best_alone() {
    let mut optimizer = Optimizer::new(4, gradient(Gradient::Reinforce)).unwrap();
    let before = optimizer.scores().to_vec();
    optimizer.tell(&[3, 2, 1, 0], -5.0).unwrap();
    optimizer.tell(&[3, 2, 0, 1], f64::NAN).unwrap();
    assert_eq!(optimizer.best().unwrap(), (&[3, 2, 1, 0][..], -5.0));
    assert_eq!((optimizer.scores(), optimizer.status().foreign), (&before[..], 1));
    // An order that waits is answered by telling it, whoever worked it out.
    let asked = optimizer.ask(2);
    optimizer.tell(&asked[1].order, 7.0).unwrap();
    assert_eq!((optimizer.status().told, optimizer.status().pending), (1, 1));
    assert!(matches!(optimizer.tell_id(asked[1].id, Answer::Value(1.0)), Err(Error::NotAsked { id: 1 })));
    assert!(matches!(optimizer.tell_id(99, Answer::Value(1.0)), Err(Error::NotAsked { id: 99 })));
    assert!(matches!(optimizer.tell_id(asked[0].id, Answer::Parts(vec![1.0])), Err(Error::Length { .. })));
    assert!(optimizer.tell(&[0, 0, 1, 2], 1.0).is_err());
    let constraints = Some(Constraints::new(4, &[(0, 1)], &[]).unwrap());
    let settings = OptimizerSettings { constraints, ..gradient(Gradient::Reinforce) };
    assert!(matches!(
        Optimizer::new(4, settings).unwrap().tell(&[1, 0, 2, 3], 1.0),
        Err(Error::BrokenPrecedence { .. })
    ));
}

#[test]
fn wrong_settings_and_states_are_refused() {
    let with = |change: fn(&mut OptimizerSettings)| {
        let mut settings = gradient(Gradient::Relax { hidden: 4 });
        change(&mut settings);
        Optimizer::new(3, settings).unwrap_err().to_string()
    };
    assert!(with(|s| s.samples = 1).contains("samples is 1"));
    assert!(with(|s| s.learning_rate = f64::NAN).contains("learning_rate is NaN"));
    assert!(with(|s| s.moves.clear()).contains("list of moves"));
    assert!(with(|s| s.window = 0).contains("window is 0"));
    assert!(with(|s| s.top = Some(4)).contains("top is 4"));
    assert!(with(|s| s.starts = vec![vec![0, 0, 1]]).contains("item 0"));
    assert!(with(|s| s.noise = Noisy::Yes).contains("noisy values with a gradient"));
    assert!(with(|s| s.constraints = Some(Constraints::none(4))).contains("4 entries where 3 are needed"));
    assert!(Optimizer::new(0, OptimizerSettings::default()).is_err());
    let state = Optimizer::new(3, OptimizerSettings::default()).unwrap().to_json().unwrap();
    for (from, to) in [
        ("\"version\":2", "\"version\":1"),
        ("\"scores\":[0.0,", "\"scores\":["),
        ("\"pending\":0", "\"pending\":4"),
        ("\"optimizer\"", "\"solver\""),
        ("{", "["),
    ] {
        assert!(state.contains(from), "{from} {state}");
        let error = Optimizer::from_json(&state.replacen(from, to, 1)).unwrap_err();
        assert!(error.to_string().starts_with("the saved state cannot be used"), "{error}");
    }
}

#[test]
fn the_driver_survives_failures_stops_as_told_and_does_not_depend_on_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut optimizer = Optimizer::new(8, settings()[3].clone()).unwrap();
            let mut flaky = Parallel::new(|order: &[usize]| match order[0] {
                0 => Err("item 0 first"),
                1 => Ok(f64::NAN),
                _ => Ok(value(order)),
            });
            let mut trace = Trace::default();
            let run = Run::new(Limits::evaluations(777));
            let ending = drive(&mut optimizer, &mut flaky, &run, &mut trace).unwrap();
            assert_eq!(ending, Ending::Evaluations);
            let status = optimizer.status();
            assert_eq!(status.told + status.failed, 777);
            assert!(status.failed > 20);
            let points: Vec<(u64, f64)> = trace.points().iter().map(|p| (p.evaluations, p.best)).collect();
            (optimizer.to_json().unwrap(), points)
        })
    };
    let (one, points) = run(1);
    assert_eq!((one, points.clone()), run(3));
    assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1));

    let mut optimizer = Optimizer::new(5, OptimizerSettings { window: 4, ..walk() }).unwrap();
    let mut broken = Parallel::new(|_: &[usize]| Err::<f64, _>("the disk is full"));
    let error = drive(&mut optimizer, &mut broken, &Run::default(), &mut Trace::default()).unwrap_err();
    assert_eq!(error.to_string(), "all of the first 100 evaluations failed, the last one: the disk is full");

    let mut optimizer = Optimizer::new(5, gradient(Gradient::Reinforce)).unwrap();
    let mut objective = Parallel::new(value);
    let run = Run::new(Limits::time(Duration::ZERO));
    assert_eq!(drive(&mut optimizer, &mut objective, &run, &mut Trace::default()).unwrap(), Ending::Time);
    let mut enough = |_: &Progress| ControlFlow::Break(());
    let run = Run::default().observed(&mut enough);
    assert_eq!(
        drive(&mut optimizer, &mut objective, &run, &mut Trace::default()).unwrap(),
        Ending::Interrupted
    );
    let run = Run::new(Limits::steps(3));
    assert_eq!(drive(&mut optimizer, &mut objective, &run, &mut Trace::default()).unwrap(), Ending::Steps);
}

/// Refinement from an order that cannot be evaluated looks for another one instead of asking again for ever.
#[test]
fn refinement_leaves_orders_that_fail() {
    let settings = OptimizerSettings { seed: 2, ..Method::Insertion.settings(0) };
    let mut optimizer = Optimizer::new(6, settings).unwrap();
    let first = optimizer.ask(1).remove(0);
    let bad = first.order.clone();
    optimizer.tell_id(first.id, Answer::Failed("no".to_owned())).unwrap();
    let mut fussy =
        Parallel::new(|order: &[usize]| if order[..2] == bad[..2] { Err("no") } else { Ok(value(order)) });
    let run = Run::new(Limits::evaluations(3000));
    drive(&mut optimizer, &mut fussy, &run, &mut Trace::default()).unwrap();
    assert_eq!(optimizer.best().unwrap().1, 0.0);
}

/// An evaluator of any width, to be interrupted in the middle of a batch.
struct Narrow(usize);

impl Evaluator for Narrow {
    fn evaluate(&mut self, proposals: &[Proposal]) -> Vec<Answer> {
        proposals.iter().map(|proposal| Answer::Value(value(&proposal.order))).collect()
    }

    fn width(&self) -> usize {
        self.0
    }
}

#[test]
fn a_run_cut_anywhere_and_resumed_is_the_run_that_was_not() {
    let settings = OptimizerSettings { sense: Sense::Maximize, ..settings()[3].clone() };
    let go = |optimizer: &mut Optimizer, width, evaluations| {
        let run = Run::new(Limits::evaluations(evaluations));
        drive(optimizer, &mut Narrow(width), &run, &mut Trace::default()).unwrap();
    };
    let mut whole = Optimizer::new(7, settings.clone()).unwrap();
    go(&mut whole, usize::MAX, 500);
    let mut noise = Noise::new(2);
    for trial in 0..5 {
        let rng = noise.stream(trial);
        let mut cut = Optimizer::new(7, settings.clone()).unwrap();
        let mut made = 0;
        while made < 500 {
            made = (made + rng.random_range(1..60)).min(500);
            go(&mut cut, rng.random_range(1..9), made);
            cut = Optimizer::from_json(&cut.to_json().unwrap()).unwrap();
        }
        assert_eq!(cut.best(), whole.best());
        assert_eq!((cut.scores(), cut.status().told), (whole.scores(), whole.status().told));
    }
}

#[test]
fn state_files_are_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let mut optimizer = Optimizer::new(4, gradient(Gradient::Reinforce)).unwrap();
    optimizer.save(&path).unwrap();
    optimizer.ask(3);
    optimizer.save(&path).unwrap();
    assert_eq!(Optimizer::load(&path).unwrap().pending().len(), 3);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(matches!(optimizer.save(&folder.path().join("no/where")), Err(Error::File { .. })));
    assert!(matches!(Optimizer::load(&folder.path().join("nothing")), Err(Error::File { .. })));
}

/// The sum above the diagonal of a matrix whose rows and columns are put into an order.
struct Ordering {
    items: usize,
    matrix: Vec<f64>,
}

impl Problem for Ordering {
    fn items(&self) -> usize {
        self.items
    }

    fn sense(&self) -> Sense {
        Sense::Maximize
    }

    fn value(&self, order: &[usize]) -> f64 {
        let mut parts = vec![0.0; order.len()];
        self.parts(order, &mut parts);
        parts.iter().sum()
    }

    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        for (rank, (&item, part)) in order.iter().zip(parts).enumerate() {
            *part = order[..rank].iter().map(|&before| self.matrix[before * self.items + item]).sum();
        }
    }
}

#[test]
fn every_method_solves_a_problem_and_resumes_exactly() {
    let n = 8;
    let matrix: Vec<f64> =
        (0..n * n).map(|at| f64::from(u8::from(at / n > at % n)) * (1 + at % 5) as f64).collect();
    let problem = Ordering { items: n, matrix: matrix.clone() };
    let limits = Limits::evaluations;
    for method in Method::ALL {
        let mut whole = Solver::new(&problem, method, 5, &limits(20_000)).unwrap();
        whole.run(&problem, &Run::new(limits(20_000))).unwrap();
        let (order, best) = whole.best().unwrap();
        assert_eq!(problem.value(order), best);
        assert!(best >= 0.95 * matrix.iter().sum::<f64>(), "{method} {best}");
        assert!((19_000..=21_000).contains(&whole.evaluations()), "{method} {}", whole.evaluations());
        assert_eq!(whole.trace().points().last().unwrap().best, best);
        let mut cut = Solver::new(&problem, method, 5, &limits(20_000)).unwrap();
        for evaluations in [1003, 9_999, 10_001, 20_000] {
            cut.run(&problem, &Run::new(limits(evaluations))).unwrap();
            if evaluations < 20_000 {
                cut = Solver::from_json(&cut.to_json().unwrap()).unwrap();
            }
        }
        assert_eq!((cut.best(), cut.evaluations()), (whole.best(), whole.evaluations()), "{method}");
    }
}
