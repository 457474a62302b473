//! Searches that are cut short: soon after the run is over, with a whole order, and as if nothing had happened when they go
//! on. Time is what the tests say it is: a clock on which every look takes a second.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use plackett::{
    Constraints, Noise, Order,
    problem::Problem,
    rand::RngExt as _,
    run::{Ending, Limits, Run, Trace},
    solver::{Method, MoveSet, Solver, WalkSettings, Walks},
};
use plackett_problems::{
    FlowShop, Instance, LinearAssignment, LinearOrdering, QuadraticAssignment, TravelingSalesman,
};

/// A clock on which every look takes a second, and how many there were.
#[derive(Default)]
struct Looks(AtomicU64);

impl Looks {
    fn clock(&self) -> impl Fn() -> Duration + Sync {
        || Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

fn after(seconds: u64) -> Limits {
    Limits::time(Duration::from_secs(seconds))
}

fn problems(n: usize) -> Vec<Box<dyn Instance>> {
    let mut noise = Noise::new(1);
    let mut numbers = |stream, count| -> Vec<f64> {
        let rng = noise.stream(stream);
        (0..count).map(|_| f64::from(rng.random_range(0..100u8))).collect()
    };
    let square = n * n;
    let points = numbers(5, 2 * n);
    let distance =
        |at: usize| (points[at / n] - points[at % n]).hypot(points[n + at / n] - points[n + at % n]);
    vec![
        Box::new(LinearOrdering::new("", n, numbers(0, square)).unwrap()),
        Box::new(QuadraticAssignment::new("", n, numbers(1, square), numbers(2, square)).unwrap()),
        Box::new(FlowShop::new("", n, 5, numbers(3, 5 * n)).unwrap()),
        Box::new(TravelingSalesman::from_distances("", n, (0..square).map(distance).collect()).unwrap()),
        Box::new(LinearAssignment::new("", n, numbers(4, square)).unwrap()),
    ]
}

#[test]
fn walks_end_at_the_next_look_with_a_whole_order() {
    let n = 40;
    for problem in problems(n) {
        for moves in [MoveSet::Own, MoveSet::Insertion] {
            for seconds in [1, 2, 3, 5, 8, 13, 100, 1000] {
                let (looks, problem) = (Looks::default(), problem.as_ref());
                let clock = looks.clock();
                let run = Run::by(&clock, after(seconds));
                let settings = WalkSettings { walks: 1, moves, ..WalkSettings::default() };
                let mut walks = Walks::new(problem, None, settings).unwrap();
                let what = format!("{} {moves:?} {seconds}", problem.kind());
                assert_eq!(walks.run(problem, &run, &mut Trace::default()).unwrap(), Ending::Time, "{what}");
                // A few more to measure the seconds spent.
                assert!(looks.count() < seconds + 10, "{what}: {} looks", looks.count());
                // The most work between two looks is an exchange of the tabu search, which values all pairs.
                assert!(
                    walks.evaluations() <= (seconds + 1) * (n * n) as u64,
                    "{what}: {}",
                    walks.evaluations()
                );
                if let Some((order, value)) = walks.best() {
                    assert_eq!(problem.value(order), value, "{what}");
                    assert!(Order::new(order.to_vec()).is_ok(), "{what}");
                } else {
                    assert!(seconds < 5, "{what}");
                }
            }
        }
    }
}

/// A problem that says no more than what an order is worth, and counts how often it is asked.
struct Slow(AtomicU64);

impl Problem for Slow {
    fn items(&self) -> usize {
        100
    }

    fn value(&self, order: &[usize]) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        order.iter().enumerate().map(|(rank, &item)| (rank * item % 17) as f64).sum()
    }
}

#[test]
fn values_that_take_long_are_asked_a_few_at_a_time() {
    for seconds in [5, 50, 500] {
        let (looks, problem) = (Looks::default(), Slow(AtomicU64::new(0)));
        let clock = looks.clock();
        let settings = WalkSettings { walks: 1, ..WalkSettings::default() };
        let mut walks = Walks::new(&problem, None, settings).unwrap();
        walks.run(&problem, &Run::by(&clock, after(seconds)), &mut Trace::default()).unwrap();
        assert!(problem.0.load(Ordering::Relaxed) <= 8 * (seconds + 1));
    }
}

/// As many orders are valued as the limit says, by whatever method, with or without constraints, though a single look of some
/// walks values hundreds.
#[test]
fn a_limit_on_evaluations_is_kept_to_the_letter() {
    for (n, limits) in [(1, &[1, 5][..]), (3, &[1, 50]), (9, &[2, 77, 1000]), (40, &[1, 39, 1000, 12_345])] {
        let one_way = TravelingSalesman::from_distances(
            "one way",
            n,
            (0..n * n).map(|at| (at * at % 101) as f64).collect(),
        );
        let mut problems = problems(n);
        problems.push(Box::new(one_way.unwrap()));
        for problem in problems {
            for method in Method::ALL {
                let bound: &[(usize, usize)] = if n > 3 { &[(2, 0)] } else { &[] };
                let is_gradient = method.settings(1).gradient_evaluations != Some(0);
                for before in [&[], bound] {
                    for &most in limits.iter().filter(|&&most| !is_gradient || most <= 100) {
                        let constraints = Constraints::new(n, before, &[]).unwrap();
                        let (limits, problem) = (Limits::evaluations(most), problem.as_ref());
                        let mut solver = Solver::within(problem, constraints, method, 5, &limits).unwrap();
                        let ending = solver.run(problem, &Run::new(limits)).unwrap();
                        let what = format!("{method} of {} {n} within {before:?}", problem.kind());
                        assert_eq!((ending, solver.evaluations()), (Ending::Evaluations, most), "{what}");
                        assert_eq!(
                            problem.value(solver.best().unwrap().0),
                            solver.best().unwrap().1,
                            "{what}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn an_evaluation_of_a_problem_without_moves_of_its_own_is_a_call() {
    for most in [1, 10, 100, 12_345] {
        let (problem, limits) = (Slow(AtomicU64::new(0)), Limits::evaluations(most));
        let mut solver = Solver::new(&problem, Method::Default, 0, &limits).unwrap();
        solver.run(&problem, &Run::new(limits)).unwrap();
        // An order is valued to have one before the first, and the best order once more in the end.
        assert_eq!(problem.0.load(Ordering::Relaxed), most + 2);
    }
}

/// What a saved state has of the walks themselves.
fn way(walks: &Walks) -> serde_json::Value {
    let mut state = serde_json::to_value(walks).unwrap();
    state["best"].take();
    state
}

#[test]
fn a_round_that_is_cut_short_is_made_again_in_full() {
    for problem in problems(9) {
        let (problem, whole_rounds) = (problem.as_ref(), Run::new(Limits::steps(2)));
        let new = || Walks::new(problem, None, WalkSettings::default()).unwrap();
        let mut whole = new();
        whole.run(problem, &whole_rounds, &mut Trace::default()).unwrap();
        for seconds in [3, 30, 3000] {
            let looks = Looks::default();
            let clock = looks.clock();
            let mut cut = new();
            cut.step(problem, &Run::new(Limits::default())).unwrap();
            let before = way(&cut);
            let ending = cut.step(problem, &Run::by(&clock, after(seconds))).unwrap();
            assert_eq!(ending, Some(Ending::Time));
            assert_eq!(way(&cut), before, "{}", problem.kind());
            let mut resumed: Walks = serde_json::from_str(&serde_json::to_string(&cut).unwrap()).unwrap();
            assert_eq!(resumed.best(), cut.best(), "what was found is kept");
            resumed.step(problem, &Run::default()).unwrap();
            assert_eq!(way(&resumed), way(&whole), "{}", problem.kind());
        }
    }
}

#[test]
fn solvers_of_every_method_resume_as_if_they_had_not_been_cut_short() {
    for problem in problems(8) {
        let problem = problem.as_ref();
        let limits = Limits::evaluations(3000);
        for method in Method::ALL {
            let new = || Solver::new(problem, method, 3, &limits).unwrap();
            let mut whole = new();
            whole.run(problem, &Run::new(limits)).unwrap();
            for seconds in [4, 40, 400] {
                let looks = Looks::default();
                let clock = looks.clock();
                let mut cut = new();
                let ending = cut.run(problem, &Run::by(&clock, Limits { ..after(seconds) })).unwrap();
                assert_eq!(ending, Ending::Time, "{method}");
                let mut resumed = Solver::from_json(&cut.to_json().unwrap()).unwrap();
                resumed.run(problem, &Run::new(limits)).unwrap();
                let cost = |solver: &Solver| problem.sense().cost(solver.best().unwrap().1);
                assert!(cost(&resumed) <= cost(&whole), "{method} of {}", problem.kind());
                assert_eq!(resumed.evaluations(), whole.evaluations(), "{method} of {}", problem.kind());
            }
        }
    }
}
