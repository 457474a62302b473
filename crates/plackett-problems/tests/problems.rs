//! Problem files and local refinement against brute force, full evaluation and published optima.

use plackett::{
    Constraints, Noise, Order,
    neighborhood::{Kept, Move, MoveKind, Queue},
    problem::{Problem, Sense},
    rand::{RngExt as _, seq::SliceRandom as _},
    run::{Ending, Limits, Progress, Run, Trace},
    solver::{MoveSet, WalkSettings, Walks},
};
use plackett_problems::{
    BestKnown, Error, FlowShop, Instance, Kind, LinearAssignment, LinearOrdering, QuadraticAssignment,
    TravelingSalesman, read_problem,
};
use std::{ops::ControlFlow, time::Duration};

/// Whole numbers from 0 to 99.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut noise = Noise::new(seed);
    let rng = noise.stream(0);
    (0..count).map(|_| f64::from(rng.random_range(0..100u8))).collect()
}

fn symmetric(n: usize, seed: u64) -> Vec<f64> {
    let full = numbers(n * n, seed);
    (0..n * n).map(|at| full[(at / n).min(at % n) * n + (at / n).max(at % n)]).collect()
}

/// Every kind, symmetric and not, of this many items.
fn problems(n: usize, seed: u64) -> Vec<Box<dyn Instance>> {
    vec![
        Box::new(LinearOrdering::new("", n, numbers(n * n, seed)).unwrap()),
        Box::new(
            QuadraticAssignment::new("", n, numbers(n * n, seed + 1), numbers(n * n, seed + 2)).unwrap(),
        ),
        Box::new(QuadraticAssignment::new("", n, symmetric(n, seed + 3), symmetric(n, seed + 4)).unwrap()),
        Box::new(TravelingSalesman::from_distances("", n, symmetric(n, seed + 5)).unwrap()),
        Box::new(TravelingSalesman::from_distances("", n, numbers(n * n, seed + 6)).unwrap()),
        Box::new(FlowShop::new("", n, 3, numbers(n * 3, seed + 7)).unwrap()),
        Box::new(LinearAssignment::new("", n, numbers(n * n, seed + 8)).unwrap()),
    ]
}

fn for_each_order(order: &mut Vec<usize>, rest: usize, visit: &mut impl FnMut(&[usize])) {
    if rest == order.len() {
        return visit(order);
    }
    for at in rest..order.len() {
        order.swap(rest, at);
        for_each_order(order, rest + 1, visit);
        order.swap(rest, at);
    }
}

fn all_moves(n: usize) -> Vec<Move> {
    let mut moves = Vec::new();
    for a in 0..n {
        for b in (0..n).filter(|&b| b != a) {
            moves.push(Move::Insert { from: a, to: b });
            if a < b {
                moves.push(Move::Swap { first: a, second: b });
                moves.push(Move::Reverse { first: a, last: b });
            }
        }
    }
    moves
}

#[test]
fn what_a_move_changes_is_what_a_full_evaluation_says() {
    for n in [2, 3, 4, 5, 9, 12] {
        for problem in problems(n, n as u64) {
            let mut noise = Noise::new(1);
            let mut order: Vec<usize> = (0..n).collect();
            order.shuffle(noise.stream(0));
            let cost = |order: &[usize]| problem.sense().cost(problem.value(order));
            let mut walk = problem.neighborhood();
            walk.set_order(&order);
            for step in all_moves(n) {
                let mut moved = order.clone();
                step.apply(&mut moved);
                let expected = cost(&moved) - cost(&order);
                assert_eq!(walk.change(step), expected, "{} {n} {step:?}", problem.kind());
                let mut copy = problem.neighborhood();
                copy.set_order(&order);
                copy.apply(step);
                assert_eq!(
                    (copy.order(), copy.cost()),
                    (&moved[..], cost(&moved)),
                    "{} {step:?}",
                    problem.kind()
                );
                assert!(moved.iter().enumerate().all(|(rank, &item)| copy.ranks()[item] == rank));
            }
            for from in 0..n {
                let mut changes = Vec::new();
                walk.insertions(from, 0, n - 1, &mut changes, &Run::default());
                for (to, change) in changes.into_iter().enumerate() {
                    let mut moved = order.clone();
                    Move::Insert { from, to }.apply(&mut moved);
                    assert_eq!(change, cost(&moved) - cost(&order), "{} {from} {to}", problem.kind());
                }
            }
        }
    }
}

/// Long walks of every problem's own moves and kicks end with the cost that they think they have.
#[test]
fn costs_stay_right_along_a_walk_and_descents_end_in_local_optima() {
    for (n, problem) in [6, 13, 30].into_iter().flat_map(|n| problems(n, 40).into_iter().map(move |p| (n, p)))
    {
        let mut noise = Noise::new(3);
        let rng = noise.stream(0);
        let cost = |order: &[usize]| problem.sense().cost(problem.value(order));
        let mut walk = problem.neighborhood();
        let mut queue = Queue::new(n);
        for _ in 0..30 {
            walk.kick(&mut queue, rng, &Run::default());
            assert_eq!(walk.cost(), cost(walk.order()), "kick of {}", problem.kind());
            (0..n).for_each(|item| queue.push(item));
            walk.descend(&mut queue, &Run::default());
            assert_eq!(walk.cost(), cost(walk.order()), "descent of {}", problem.kind());
            assert!(Order::new(walk.order().to_vec()).is_ok());
            assert!((0..n).all(|item| walk.order()[walk.ranks()[item]] == item));
        }
        // With all near cities and all kinds tried, no move that suits the problem is left.
        if n <= 9 || problem.kind() != Kind::TravelingSalesman {
            for step in all_moves(n) {
                let kind = match step {
                    Move::Insert { .. } => MoveKind::Insert,
                    Move::Swap { .. } => MoveKind::Swap,
                    Move::Reverse { .. } => MoveKind::Reverse,
                };
                assert!(
                    !walk.kinds().contains(&kind) || walk.change(step) >= 0.0,
                    "{} {step:?}",
                    problem.kind()
                );
            }
        }
        walk.improve(&mut queue, rng, &Run::default());
        assert_eq!(walk.cost(), cost(walk.order()), "improvement of {}", problem.kind());
    }
}

/// Orders that are kept without a copy are the orders that a copy would be, however many turns lie between.
#[test]
fn what_is_kept_is_found_again() {
    for (n, problem) in [6, 30].into_iter().flat_map(|n| problems(n, 50).into_iter().map(move |p| (n, p))) {
        let mut noise = Noise::new(4);
        let rng = noise.stream(0);
        let mut walk = problem.neighborhood();
        let mut queue = Queue::new(n);
        let mut kept = Kept::new(walk.order().to_vec());
        walk.keep(&mut kept, true);
        let mut copies = kept.clone();
        for _ in 0..300 {
            let cost = walk.cost();
            walk.kick(&mut queue, rng, &Run::default());
            walk.descend(&mut queue, &Run::default());
            match rng.random_range(0..5u8) {
                0 => {
                    walk.keep(&mut kept, true);
                    copies = Kept::new(walk.order().to_vec());
                }
                1 | 2 => {
                    walk.keep(&mut kept, false);
                    copies.order.copy_from_slice(walk.order());
                }
                _ => {
                    walk.go_back(&kept);
                    // A round trip may be turned back the other way round, but not become another one.
                    assert_eq!((walk.order(), walk.cost()), (&copies.order[..], cost), "{}", problem.kind());
                }
            }
        }
        walk.write_down(&mut kept);
        assert_eq!((kept.order, kept.best), (copies.order, copies.best), "{} of {n}", problem.kind());
    }
}

#[test]
fn parts_add_up_and_depend_on_what_comes_before_alone() {
    for problem in problems(7, 9) {
        let (mut parts, mut others) = ([0.0; 7], [0.0; 7]);
        problem.parts(&[3, 0, 6, 2, 5, 1, 4], &mut parts);
        assert!((parts.iter().sum::<f64>() - problem.value(&[3, 0, 6, 2, 5, 1, 4])).abs() < 1e-9);
        problem.parts(&[3, 0, 6, 2, 4, 5, 1], &mut others);
        assert_eq!(parts[..4], others[..4], "{}", problem.kind());
    }
}

fn run(problem: &dyn Problem, settings: WalkSettings, limits: &Limits) -> (Walks, Ending) {
    let mut walks = Walks::new(problem, None, settings).unwrap();
    let ending = walks.run(problem, &Run::new(*limits), &mut Trace::default()).unwrap();
    (walks, ending)
}

fn evaluations(count: u64) -> Limits {
    Limits::evaluations(count)
}

#[test]
fn small_problems_are_solved_as_by_brute_force() {
    for n in [1, 2, 3, 7] {
        for problem in problems(n, 70) {
            let mut best = f64::INFINITY;
            for_each_order(&mut (0..n).collect(), 0, &mut |order| {
                best = best.min(problem.sense().cost(problem.value(order)));
            });
            for moves in [MoveSet::Own, MoveSet::Insertion] {
                let settings = WalkSettings { moves, ..WalkSettings::default() };
                let (walks, _) = run(problem.as_ref(), settings, &evaluations(300_000));
                let (order, value) = walks.best().unwrap();
                assert_eq!(problem.sense().cost(value), best, "{} of {n}", problem.kind());
                assert_eq!(problem.value(order), value);
            }
        }
    }
}

/// Cities on a circle, and a matrix that a hidden order makes upper triangular: the optima are known at any size.
#[test]
fn planted_optima_are_found() {
    let n = 60;
    let mut noise = Noise::new(5);
    let mut hidden: Vec<usize> = (0..n).collect();
    hidden.shuffle(noise.stream(0));
    let point = |item: usize| {
        let angle = hidden[item] as f64 / n as f64 * std::f64::consts::TAU;
        (angle.cos(), angle.sin())
    };
    let distance = |at: usize| {
        let (a, b) = (point(at / n), point(at % n));
        (a.0 - b.0).hypot(a.1 - b.1)
    };
    let circle = TravelingSalesman::from_distances("", n, (0..n * n).map(distance).collect()).unwrap();
    let length = 2.0 * n as f64 * (std::f64::consts::PI / n as f64).sin();
    let (walks, _) = run(&circle, WalkSettings::default(), &evaluations(2_000_000));
    assert!((walks.best().unwrap().1 - length).abs() < 1e-9);

    let weights = numbers(n * n, 6);
    let above = |at: usize| if hidden[at / n] < hidden[at % n] { 1.0 + weights[at] } else { 0.0 };
    let matrix: Vec<f64> = (0..n * n).map(above).collect();
    let total = matrix.iter().sum();
    let ordering = LinearOrdering::new("", n, matrix).unwrap();
    let limits = Limits { target: Some(total), ..evaluations(50_000_000) };
    assert_eq!(run(&ordering, WalkSettings::default(), &limits).1, Ending::Target);
}

/// Taillard's generator, which his flow shops can be made with again; the optima are published.
fn taillard(machines: usize, mut seed: i64) -> String {
    let mut text = format!(
        "number of jobs, number of machines, initial seed, upper bound and lower bound :\n20 {machines} {seed} 0 0\nprocessing times :\n"
    );
    for _ in 0..machines {
        for _ in 0..20 {
            seed = 16807 * (seed % 127_773) - 2836 * (seed / 127_773);
            seed += if seed < 0 { 2_147_483_647 } else { 0 };
            text += &format!("{} ", 1 + seed * 99 / 2_147_483_647);
        }
        text += "\n";
    }
    text
}

#[test]
fn published_flow_shops_are_solved() {
    for (name, machines, seed) in [
        ("ta001", 5, 873_654_221),
        ("ta002", 5, 379_008_056),
        ("ta011", 10, 587_595_453),
        ("ta021", 20, 479_340_445),
    ] {
        let shop = FlowShop::parse(&format!("{name}.txt"), &taillard(machines, seed)).unwrap();
        let Some(BestKnown { value, is_optimal: true }) = shop.best_known() else {
            panic!("{name} is published")
        };
        for seed in 0..2 {
            let limits = Limits { target: Some(value), ..evaluations(100_000_000) };
            let (walks, ending) = run(&shop, WalkSettings { seed, ..WalkSettings::default() }, &limits);
            assert_eq!(ending, Ending::Target, "{name} {:?}", walks.best());
            assert_eq!(walks.best().unwrap().1, value);
        }
    }
}

#[test]
fn walks_keep_constraints_and_still_find_the_best_order() {
    let pins = Constraints::new(7, &[(5, 2), (2, 0), (6, 1)], &[(3, 2), (4, 6)]).unwrap();
    let windows =
        Constraints::new(7, &[(5, 2)], &[]).unwrap().with_ranks(&[(5, 1, 3), (3, 2, 4), (0, 4, 6)]).unwrap();
    for (problem, constraints) in problems(7, 90).into_iter().flat_map(|problem| {
        let problem: std::rc::Rc<dyn Instance> = problem.into();
        [(problem.clone(), &pins), (problem, &windows)]
    }) {
        let mut best = f64::INFINITY;
        for_each_order(&mut (0..7).collect(), 0, &mut |order| {
            if constraints.check(order).is_ok() {
                best = best.min(problem.sense().cost(problem.value(order)));
            }
        });
        let mut walks =
            Walks::within(problem.as_ref(), constraints.clone(), None, WalkSettings::default()).unwrap();
        let run = Run::new(evaluations(100_000));
        while walks.step(problem.as_ref(), &run).unwrap().is_none() {
            assert!(constraints.check(walks.best().unwrap().0).is_ok());
        }
        assert_eq!(problem.sense().cost(walks.best().unwrap().1), best, "{}", problem.kind());
    }
}

#[test]
fn runs_do_not_depend_on_threads_and_resume_exactly() {
    for problem in problems(25, 120) {
        let settings = WalkSettings { seed: 4, ..WalkSettings::default() };
        let made = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(problem.as_ref(), settings, &evaluations(9_000_000)).0)
        };
        let (one, three) = (made(1), made(3));
        let json = |walks: &Walks| serde_json::to_string(walks).unwrap();
        assert_eq!(json(&one), json(&three));
        assert_eq!(one.best(), three.best());
        assert_eq!(one.evaluations(), 9_000_000);
        // Stopped in the middle of a round, saved, read back and continued.
        let (first, _) = run(problem.as_ref(), settings, &evaluations(4_123_456));
        let mut resumed: Walks = serde_json::from_str(&json(&first)).unwrap();
        let mut trace = Trace::default();
        resumed.run(problem.as_ref(), &Run::new(evaluations(9_000_000)), &mut trace).unwrap();
        assert_eq!(json(&resumed), json(&one), "{}", problem.kind());
        assert_eq!((resumed.best(), resumed.evaluations()), (one.best(), one.evaluations()));
    }
}

#[test]
fn runs_stop_as_they_are_told() {
    let problem = LinearOrdering::new("", 30, numbers(900, 1)).unwrap();
    let (walks, ending) = run(&problem, WalkSettings::default(), &evaluations(500));
    assert_eq!(ending, Ending::Evaluations);
    assert_eq!(walks.evaluations(), 500);
    assert_eq!(run(&problem, WalkSettings::default(), &Limits::time(Duration::ZERO)).1, Ending::Time);
    let mut walks = Walks::new(&problem, None, WalkSettings::default()).unwrap();
    let mut enough = |progress: &Progress| {
        if progress.best.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let stopped = Run::default().observed(&mut enough);
    assert_eq!(walks.run(&problem, &stopped, &mut Trace::default()).unwrap(), Ending::Interrupted);
    assert!(walks.best().is_some());
    let other = LinearOrdering::new("", 3, numbers(9, 1)).unwrap();
    assert!(walks.run(&other, &Run::default(), &mut Trace::default()).is_err());
}

/// Points, with or without a matrix of their distances.
#[test]
fn points_are_the_problem_of_their_distances() {
    let n = 40;
    let numbers = numbers(2 * n, 8);
    let points: Vec<(f64, f64)> = (0..n).map(|at| (numbers[at], numbers[n + at])).collect();
    let distance = |at: usize| {
        let (a, b) = (points[at / n], points[at % n]);
        ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt()
    };
    let matrix = TravelingSalesman::from_distances("", n, (0..n * n).map(distance).collect()).unwrap();
    let plain = TravelingSalesman::from_points("", points).unwrap();
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(Noise::new(2).stream(0));
    assert!((matrix.value(&order) - plain.value(&order)).abs() < 1e-9);
    let best = |problem: &dyn Problem| {
        run(problem, WalkSettings { walks: 1, ..WalkSettings::default() }, &evaluations(2_000_000))
            .0
            .best()
            .unwrap()
            .1
    };
    assert!((best(&matrix) - best(&plain)).abs() < 1e-6);
    assert!(TravelingSalesman::from_points("", vec![]).is_err());
    assert!(TravelingSalesman::from_points("", vec![(0.0, f64::NAN)]).is_err());
}

#[test]
fn fixed_edges_are_kept() {
    let file = |n: usize, fixed: &str| {
        let numbers = numbers(2 * n, 3);
        let line = |at: usize| format!("{} {} {}\n", at + 1, numbers[at], numbers[n + at]);
        let points = (0..n).map(line).collect::<Vec<_>>().concat();
        format!(
            "DIMENSION: {n}\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n{points}FIXED_EDGES_SECTION\n{fixed}\nEOF\n"
        )
    };
    let has = |order: &[usize], a: usize, b: usize| {
        (0..order.len()).any(|at| {
            let (one, other) = (order[at], order[(at + 1) % order.len()]);
            (one, other) == (a, b) || (one, other) == (b, a)
        })
    };
    // As by brute force.
    let text = file(7, "1 5\n3 5\n7 2\n-1");
    let (fixed, free) = (
        TravelingSalesman::parse("f", &text).unwrap(),
        TravelingSalesman::parse("f", &file(7, "-1")).unwrap(),
    );
    let mut best = f64::INFINITY;
    for_each_order(&mut (0..7).collect(), 0, &mut |order| {
        if has(order, 0, 4) && has(order, 2, 4) && has(order, 6, 1) {
            assert_eq!(fixed.value(order), free.value(order));
            best = best.min(free.value(order));
        } else {
            assert!(fixed.value(order) > 1000.0, "whoever leaves an edge out is beaten by all who do not");
        }
    });
    assert_eq!(run(&fixed, WalkSettings::default(), &evaluations(20_000)).0.best().unwrap().1, best);
    // Far apart, and the search begins with them.
    let problem = TravelingSalesman::parse("f", &file(200, "1 100\n100 50\n7 180\n20 21\n-1")).unwrap();
    for order in [problem.construct(&Run::default()).unwrap(), {
        let (walks, _) = run(&problem, WalkSettings::default(), &evaluations(300_000));
        walks.best().unwrap().0.to_vec()
    }] {
        for (a, b) in [(0, 99), (99, 49), (6, 179), (19, 20)] {
            assert!(has(&order, a, b), "{a} {b}");
        }
    }
    for (edges, expected) in [
        ("1 5\n5 2\n5 3\n-1", "f, line 14: city 5 would have three fixed edges"),
        ("1 5\n5 2\n2 1\n-1", "f, line 14: the fixed edges close a circle that leaves out other cities"),
        ("4 4\n-1", "f, line 12: the edge from city 4 to itself cannot be fixed"),
        ("1 9\n-1", "f, line 12: a city of a fixed edge is 9: a whole number from 1 to 7 is needed"),
        ("1 2\n-1\n3", "f, line 14: '3' is left over after the last number"),
    ] {
        let error = TravelingSalesman::parse("f", &file(7, edges)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

/// As many cities as the largest of TSPLIB has: no matrix of them would fit into memory.
#[test]
fn a_hundred_thousand_cities_are_read_and_joined() {
    let n = 100_000;
    let mut noise = Noise::new(6);
    let rng = noise.stream(0);
    let mut text = format!("DIMENSION: {n}\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n");
    for city in 1..=n {
        text +=
            &format!("{city} {} {}\n", rng.random_range(0..1_000_000u32), rng.random_range(0..1_000_000u32));
    }
    let problem = TravelingSalesman::parse("large", &text).unwrap();
    let most = 3_000_000;
    let settings = WalkSettings { walks: problem.walks(), ..WalkSettings::default() };
    let (walks, ending) = run(&problem, settings, &evaluations(most));
    assert_eq!(ending, Ending::Evaluations);
    assert_eq!(walks.evaluations(), most);
    let (order, value) = walks.best().unwrap();
    assert!(Order::new(order.to_vec()).is_ok());
    // Who has no time at all is still given something better than a random order, which would be two hundred times as long.
    let at_once = problem.construct(&Run::new(Limits::time(Duration::ZERO))).unwrap();
    assert!(Order::new(at_once.clone()).is_ok() && problem.value(&at_once) < 3.0 * value);
    // Round trips of random points are 0.7124·√(n·A) long in the limit; short edges alone are within a quarter of that.
    assert!(value / (0.7124e6 * f64::from(n).sqrt()) < 1.2, "{value}");
}

const HEADER: &str =
    "NAME : sample\nTYPE : TSP\nCOMMENT : by hand (1)\nDIMENSION : 4\nEDGE_WEIGHT_TYPE : EXPLICIT\n";

/// One symmetric matrix in all its layouts: 0 1 2 3 / 1 0 4 5 / 2 4 0 6 / 3 5 6 0.
#[test]
fn all_layouts_of_explicit_distances_are_the_same_problem() {
    for (format, numbers) in [
        ("FULL_MATRIX", "0 1 2 3\n1 0 4 5\n2 4 0 6\n3 5 6 0"),
        ("UPPER_ROW", "1 2 3\n4 5\n6"),
        ("LOWER_ROW", "1\n2 4\n3 5 6"),
        ("UPPER_DIAG_ROW", "0 1 2 3 0 4 5 0 6 0"),
        ("LOWER_DIAG_ROW", "0 1 0 2 4\n0 3 5 6 0"),
        ("UPPER_COL", "1 2 4 3 5 6"),
        ("LOWER_COL", "1 2 3 4 5 6"),
        ("UPPER_DIAG_COL", "0 1 0 2 4 0 3 5 6 0"),
        ("LOWER_DIAG_COL", "0 1 2 3 0 4 5 0 6 0"),
    ] {
        let text = format!(
            "{HEADER}EDGE_WEIGHT_FORMAT: {format}\nDISPLAY_DATA_TYPE: TWOD_DISPLAY\nEDGE_WEIGHT_SECTION\n{numbers}\nDISPLAY_DATA_SECTION\n1 0 0\n2 0 0\n3 0 0\n4 0 0\nEOF\n"
        );
        assert_eq!(Kind::detect("x", &text).unwrap(), Kind::TravelingSalesman);
        let problem = TravelingSalesman::parse("x.tsp", &text).unwrap();
        assert_eq!((problem.name(), problem.items()), ("sample", 4));
        assert_eq!(problem.value(&[0, 1, 2, 3]), 1.0 + 4.0 + 6.0 + 3.0, "{format}");
        assert_eq!(problem.value(&[0, 2, 1, 3]), 2.0 + 4.0 + 5.0 + 3.0, "{format}");
    }
}

#[test]
fn coordinates_are_measured_as_the_format_says() {
    let length = |kind: &str, points: &str| {
        let text = format!("DIMENSION: 2\nEDGE_WEIGHT_TYPE: {kind}\nNODE_COORD_SECTION\n{points}\n");
        TravelingSalesman::parse("two.tsp", &text).unwrap().value(&[0, 1]) / 2.0
    };
    let points = "2 3.0 4.4\n1 0.0e0 0"; // cities in any order; the distance is 5.325
    assert_eq!(length("EUC_2D", points), 5.0);
    assert_eq!(length("CEIL_2D", points), 6.0);
    assert_eq!(length("MAN_2D", points), 7.0);
    assert_eq!(length("MAX_2D", points), 4.0);
    assert_eq!(length("ATT", points), 2.0); // 5.325 / √10 = 1.68
    assert_eq!(length("ATT", "1 0 0\n2 10 30"), 10.0); // exactly 10 is not rounded up
    // Two Burmese cities, 16.47 96.10 and 16.47 94.44 in degrees and minutes, are 153 kilometers apart.
    assert_eq!(length("GEO", "1 16.47 96.10\n2 16.47 94.44"), 153.0);
}

#[test]
fn flow_shops_are_read_in_every_layout() {
    let pairs = FlowShop::parse("a.txt", "3 2\n0 1 1 4\n0 2 1 5\n0 3 1 6\n").unwrap();
    let plain = FlowShop::parse("a.txt", "3 2\n1 4\n2 5\n3 6\n").unwrap();
    let section = "number of jobs, number of machines, initial seed, upper bound and lower bound :\n  3 2 7 16 16\nprocessing times :\n 1 2 3\n 4 5 6\n";
    let several = FlowShop::parse_all("dir/a.txt", &section.repeat(3)).unwrap();
    assert_eq!((several.len(), several[1].name()), (3, "a#2"));
    assert_eq!(several[2].best_known(), Some(BestKnown { value: 16.0, is_optimal: true }));
    for shop in [&pairs, &plain, &several[2]] {
        assert_eq!((shop.items(), shop.value(&[0, 1, 2]), shop.value(&[2, 1, 0])), (3, 16.0, 18.0));
    }
    assert_eq!(several[0].construct(&Run::default()).unwrap().len(), 3);
    for text in ["3 2\n0 1 1 4\n0 2 1 5\n0 3 1 6\n", "3 2\n1 4\n2 5\n3 6\n", section] {
        assert_eq!(Kind::detect("x", text).unwrap(), Kind::FlowShop);
    }
}

#[test]
fn wrong_texts_are_refused_with_file_and_line() {
    let tsp = |rest: &str| format!("{HEADER}{rest}");
    for (kind, text, expected) in [
        ("lop", "3\n1 2 3\n4 5 6\n", "f, line 3: the text ends after 6 of 9 numbers of the matrix"),
        ("lop", "2\n1 2\n3 x\n", "f, line 3: 'x' is not a number, but the matrix is needed"),
        ("lop", "2\n1 2\n3 4\n5\n", "f, line 4: '5' is left over after the last number"),
        ("lop", "2\n1 2\n3 inf\n", "f, line 3: 'inf' is not a number, but the matrix is needed"),
        ("lop", "-2\n", "f, line 1: the number of items is -2: a whole number from 1 to 20000 is needed"),
        ("lop", "", "f, line 1: the text ends where the number of items is needed"),
        ("qap", "2\n1 2\n3 4\n", "f, line 3: the text ends after 0 of 4 numbers of the matrix B"),
        (
            "pfsp",
            "2 2\n0 1 1 2\n1 1 0 2\n",
            "f, line 3: machine 1 where 0 is next: in a flow shop all jobs pass the machines in order",
        ),
        ("pfsp", "2 2\n1 2\n3 -4\n", "a processing time is -4: it must not be negative"),
        ("tsp", "DIMENSION: x\n", "f, line 1: 'x' is not a number, but the dimension is needed"),
        ("tsp", "DIMENSION: 2\n", "f, line 1: the text ends without an EDGE_WEIGHT_TYPE"),
        ("tsp", "TYPE: SOP\n", "f, line 1: the type is SOP: only TSP and ATSP can be read"),
        ("tsp", "1 2 3\n", "f, line 1: '1 2 3' is no keyword of the format"),
        ("tsp", &tsp("EDGE_WEIGHT_SECTION\n1\n"), "f, line 7: the text ends without an EDGE_WEIGHT_FORMAT"),
        (
            "tsp",
            &tsp("EDGE_WEIGHT_FORMAT: FUNCTION\nEDGE_WEIGHT_SECTION\n1\n"),
            "f, line 6: the edge weight format is FUNCTION, which is not one of the matrix layouts",
        ),
        (
            "tsp",
            "DIMENSION: 2\nEDGE_WEIGHT_TYPE: XRAY1\n",
            "f, line 2: the edge weight type is XRAY1: only EXPLICIT, EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO and ATT can be read",
        ),
        (
            "tsp",
            "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n1 2 3\n",
            "f, line 5: city 1 stands here for the second time",
        ),
        (
            "tsp",
            "DIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n3 2 3\n",
            "f, line 5: city 3 does not exist: the dimension is 2",
        ),
    ] {
        let error = kind.parse::<Kind>().unwrap().parse("f", text).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert!(
        Kind::detect("f", "3\n1 2 3 4 5\n")
            .unwrap_err()
            .to_string()
            .contains("what kind of problem is this?")
    );
    assert!(matches!("sat".parse::<Kind>(), Err(Error::UnknownKind { .. })));
    assert!(matches!(read_problem("nowhere.dat".as_ref(), None), Err(Error::File { .. })));
    assert!(LinearOrdering::new("", 0, vec![]).is_err());
    assert!(QuadraticAssignment::new("", 2, vec![0.0; 4], vec![0.0; 3]).is_err());
    assert!(TravelingSalesman::from_distances("", 1, vec![f64::NAN]).is_err());
}

#[test]
fn published_values_and_senses_go_with_the_problem() {
    let matrix = "0 ".repeat(144);
    let nug12 =
        Kind::QuadraticAssignment.parse("folder/nug12.dat", &format!("12 {matrix} {matrix}")).unwrap();
    assert_eq!(nug12.best_known().unwrap().value, 578.0);
    let stated = Kind::QuadraticAssignment.parse("mine.dat", "2 77\n0 1\n1 0\n0 1\n1 0\n").unwrap();
    assert_eq!(stated.best_known(), Some(BestKnown { value: 77.0, is_optimal: false }));
    assert_eq!((nug12.sense(), Sense::Maximize.to_string()), (Sense::Minimize, "maximize".to_owned()));
}
