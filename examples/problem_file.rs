//! A published kind of problem from its file: quadratic assignment in QAPLIB's format. `problem_file.py` is the same in Python.
//!
//! Run it with `cargo run --release --example problem_file`.
#![allow(clippy::print_stdout)]

use plackett::{
    problem::Problem,
    run::{Ending, Limits, Run},
    solver::{Method, Solver},
};
use plackett_problems::{Error, read_problem};

/// Five facilities: the distances between five places, and how much goes from one facility to another.
const TEXT: &str = "5

0 1 2 3 1
1 0 1 2 2
2 1 0 1 3
3 2 1 0 4
1 2 3 4 0

0 5 2 4 1
5 0 3 0 2
2 3 0 0 0
4 0 0 0 5
1 2 0 5 0
";

fn optimize(problem: &dyn Problem, method: Method) -> Result<(Solver, Ending), Error> {
    let limits = Limits::evaluations(2000);
    let mut solver = Solver::new(problem, method, 0, &limits)?;
    let ending = solver.run(problem, &Run::new(limits))?;
    Ok((solver, ending))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("five.dat");
    std::fs::write(&path, TEXT)?;

    let problem = read_problem(&path, None)?;
    println!(
        "kind {}, name {}, {} items, {}",
        problem.kind(),
        problem.name(),
        problem.items(),
        problem.sense()
    );

    // A search by walks with the problem's own moves, and the same by the gradient.
    let (solver, ending) = optimize(problem.as_ref(), Method::Default)?;
    let (by_gradient, _) = optimize(problem.as_ref(), Method::PlReinforce)?;
    let (order, value) = solver.best().expect("orders have been valued");
    let (_, gradient_value) = by_gradient.best().expect("orders have been valued");
    println!("by walks: {value}");
    println!("by the gradient: {gradient_value}");
    println!("facilities by place: {order:?}");
    println!("how the run ended: {ending}");

    assert_eq!(value, gradient_value);
    Ok(())
}
