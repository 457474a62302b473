//! A problem from a file.

use std::path::Path;

use anyhow::Context;
use plackett::{
    run::{Ending, Limits, Run},
    solver::{Method, Solver},
};
use plackett_problems::{FlowShop, Instance, Kind};

use super::{Arguments, Bar, report::Found};
use crate::{console::BadInput, interrupt, state::StateFile};

/// A small problem is searched through long before a large one: it gets so many evaluations for every triple of items.
const EVALUATIONS_PER_TRIPLE: u64 = 10_000;

/// Evaluations if the user sets no limit: for a large problem ten to twenty seconds of one core.
fn default_evaluations(problem: &dyn Instance, method: Method) -> u64 {
    let items = problem.items() as u64;
    let most = match (method, problem.kind()) {
        (Method::Default | Method::Insertion, Kind::LinearOrdering) => 8_000_000_000,
        (Method::Default, Kind::QuadraticAssignment) => 1_000_000_000,
        (Method::Default, Kind::TravelingSalesman) => 500_000_000,
        (Method::Default | Method::Insertion, Kind::FlowShop) => 200_000_000,
        (Method::Default | Method::Insertion, _) => 20_000_000,
        _ => 500_000, // whole orders, with a gradient for every ten of them
    };
    most.min(EVALUATIONS_PER_TRIPLE.saturating_mul(items.saturating_pow(3)))
}

pub(super) fn optimize(arguments: &Arguments, file: &Path, method: Method) -> anyhow::Result<Found> {
    let mut bar = Bar::new(arguments.time);
    // The time begins before the problem is read: that is a part of the wait.
    let whole = Run::new(Limits { time: arguments.time, ..Limits::default() }).observed(&mut bar);
    let problem = read(arguments, file)?;
    let problem = problem.as_ref();
    let constraints = arguments.constraints(problem.items())?;
    let optimum = problem.best_known().filter(|best| best.is_optimal && constraints.is_free());
    let limits = arguments.limits(default_evaluations(problem, method), optimum.map(|optimum| optimum.value));
    let mut state = StateFile::locked(arguments.state.as_deref())?;
    let mut solver = match state.read()? {
        None => Solver::within(problem, constraints, method, arguments.common.seed, &limits)?,
        Some(text) => {
            let solver = Solver::from_json(&text)?;
            let is_same = solver.method() == method
                && solver.seed() == arguments.common.seed
                && solver.constraints() == &constraints
                && solver.items() == problem.items()
                && solver.best().is_none_or(|(order, value)| problem.value(order) == value);
            if !is_same {
                let what = "the state is of another problem, method, seed or constraints";
                return Err(BadInput(what.to_owned()).into());
            }
            solver
        }
    };
    interrupt::listen()?;
    whole.begin(&format!("{} {}", problem.kind(), problem.name()), limits.evaluations);
    let ending = search(&mut solver, problem, &whole.part(Limits { time: None, ..limits }), &mut state)?;
    let unsaved = state.save(|| Ok(solver.to_json()?)).err();
    // Whoever stops before the first order is valued gets one all the same.
    let (order, value) = if let Some((order, value)) = solver.best() {
        (order.to_vec(), value)
    } else {
        let first = solver.constraints().first_order();
        (first.to_vec(), problem.value(&first))
    };
    Ok(Found {
        kind: problem.kind().name(),
        name: problem.name().to_owned(),
        items: problem.items(),
        sense: problem.sense(),
        method,
        value: Some(value),
        error: None,
        order: Some(order),
        evaluations: solver.evaluations(),
        failures: 0,
        ending,
        best_known: problem.best_known().filter(|_| solver.constraints().is_free()),
        trace: solver.trace().clone(),
        unsaved,
    })
}

fn search(
    solver: &mut Solver,
    problem: &dyn Instance,
    run: &Run<'_>,
    state: &mut StateFile,
) -> anyhow::Result<Ending> {
    loop {
        if let Some(ending) = solver.step(problem, run)? {
            return Ok(ending);
        }
        // Whoever cannot be saved now may be saved in the end.
        state.save_sometimes(|| Ok(solver.to_json()?)).ok();
    }
}

fn read(arguments: &Arguments, file: &Path) -> anyhow::Result<Box<dyn Instance>> {
    let kind = arguments.kind.as_deref().map(str::parse::<Kind>).transpose()?;
    if arguments.instance == 1 {
        return Ok(plackett_problems::read_problem(file, kind)?);
    }
    let bytes = std::fs::File::open(file).and_then(plackett::memory::read_text);
    let bytes = bytes.with_context(|| format!("cannot read {}", file.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut shops = FlowShop::parse_all(&file.display().to_string(), &text)?;
    let index = arguments.instance as usize - 1;
    if index >= shops.len() {
        let what = format!("{} holds {} problems, not {}", file.display(), shops.len(), arguments.instance);
        return Err(BadInput(what).into());
    }
    Ok(Box::new(shops.swap_remove(index)))
}
