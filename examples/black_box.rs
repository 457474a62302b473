//! A black-box function of a permutation: find a good order, with nothing but values. `black_box.py` is the same in Python.
//!
//! Run it with `cargo run --release --example black_box`.
#![allow(clippy::print_stdout)]

use plackett::{
    Constraints, Error,
    optimizer::{Answer, Optimizer, OptimizerSettings, Parallel, drive},
    run::{Limits, Run, Trace},
    solver::Method,
};

const JOBS: usize = 10;
const MACHINES: usize = 5;

/// How long a job takes on a machine; any numbers will do.
fn duration(job: usize, machine: usize) -> usize {
    1 + (7 * job + 11 * machine * machine + 3 * job * machine) % 19
}

/// When the last machine is done with the last job: each job goes from one machine to the next, in the same order on all.
fn makespan(order: &[usize]) -> f64 {
    let mut done = [0; MACHINES];
    for &job in order {
        let mut before = 0;
        for (machine, done) in done.iter_mut().enumerate() {
            before = (*done).max(before) + duration(job, machine);
            *done = before;
        }
    }
    done[MACHINES - 1] as f64
}

/// Minimizes the makespan from scratch, on all threads, until a limit is reached; so many orders are worked on at a time.
fn minimize(limits: Limits, window: usize) -> Result<Optimizer, Error> {
    let settings =
        OptimizerSettings { evaluations: limits.evaluations, window, ..OptimizerSettings::default() };
    let mut optimizer = Optimizer::new(JOBS, settings)?;
    drive(&mut optimizer, &mut Parallel::new(makespan), &Run::new(limits), &mut Trace::default())?;
    Ok(optimizer)
}

fn main() -> Result<(), Error> {
    let listed: Vec<usize> = (0..JOBS).collect();
    let first = makespan(&listed);
    println!("in the order in which they are listed: {first}");

    // A good order, evaluated by several threads.
    let optimizer = minimize(Limits::evaluations(3000), 8)?;
    let (order, best) = optimizer.best().expect("values have been told");
    println!("best order {order:?}: {best} after {} evaluations", optimizer.status().told);

    // Ask and tell: somebody else evaluates. Job 0 must come before job 1, and the run can be saved and resumed.
    let constraints = Some(Constraints::new(JOBS, &[(0, 1)], &[])?);
    let settings = OptimizerSettings { constraints, ..Method::PlReinforce.settings(0) };
    let mut optimizer = Optimizer::new(JOBS, settings)?;
    for _ in 0..20 {
        for proposal in optimizer.ask_batch(usize::MAX) {
            optimizer.tell_id(proposal.id, Answer::Value(makespan(&proposal.order)))?;
        }
    }
    let resumed = Optimizer::from_json(&optimizer.to_json()?)?;
    let (order, value) = resumed.best().expect("values have been told");
    println!("with job 0 before job 1: {value} after {} evaluations", resumed.status().told);
    let rank = |job| order.iter().position(|&item| item == job);
    assert!(rank(0) < rank(1));

    // A value that was wanted all along can be a reason to stop.
    let quick = minimize(Limits { target: Some(first - 1.0), ..Limits::default() }, 1)?;
    println!("a target: {}", first - 1.0);
    println!("better than the list after {} evaluations", quick.status().told);

    assert!(best < first && quick.best().is_some_and(|(_, value)| value < first));
    Ok(())
}
