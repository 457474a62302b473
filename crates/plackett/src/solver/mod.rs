//! One object for a whole run on a [`Problem`]: a method by name, its stages, its trace, its state.

mod method;
#[cfg(feature = "json")]
mod saved;
mod walks;

pub use method::{Method, gradient_share};
pub use walks::{MoveSet, WalkSettings, Walks};

use serde::{Deserialize, Serialize};

use crate::{
    constraints::Constraints,
    error::{Error, check_length},
    optimizer::{self, Answer, Evaluator, Optimizer, OptimizerSettings, Proposal},
    order::Order,
    parallel,
    problem::Problem,
    run::{Ending, Limits, Run, Trace},
};

/// A run on a problem, which can be saved and resumed exactly.
///
/// ```
/// use plackett::{problem::Problem, run::{Limits, Run}, solver::{Method, Solver}};
/// /// A round trip through cities on a line.
/// struct Line(usize);
/// impl Problem for Line {
///     fn items(&self) -> usize { self.0 }
///     fn value(&self, order: &[usize]) -> f64 {
///         order.iter().zip(order.iter().cycle().skip(1)).map(|(a, b)| a.abs_diff(*b) as f64).sum()
///     }
/// }
/// let (problem, limits) = (Line(5), Limits::evaluations(2000));
/// for method in Method::ALL {
///     let mut solver = Solver::new(&problem, method, 0, &limits)?;
///     solver.run(&problem, &Run::new(limits))?;
///     assert_eq!(solver.best().unwrap().1, 8.0);
/// }
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Solver {
    method: Method,
    seed: u64,
    items: usize,
    optimizer: Option<Optimizer>,
    /// Evaluations that the gradient may have, if it is only the first of two stages.
    gradient_evaluations: Option<u64>,
    walks: Option<Walks>,
    trace: Trace,
    constraints: Constraints,
}

impl Solver {
    /// A run of this method and seed. The limits matter only for how a method of two stages shares them.
    ///
    /// # Errors
    /// None for a problem that was made; the signature is that of its parts.
    pub fn new(problem: &dyn Problem, method: Method, seed: u64, limits: &Limits) -> Result<Self, Error> {
        Self::within(problem, Constraints::none(problem.items()), method, seed, limits)
    }

    /// The same for orders that keep constraints.
    ///
    /// # Errors
    /// Constraints on another number of items.
    pub fn within(
        problem: &dyn Problem,
        constraints: Constraints,
        method: Method,
        seed: u64,
        limits: &Limits,
    ) -> Result<Self, Error> {
        let share = gradient_share(problem.items(), limits);
        let mut solver = Self {
            method,
            seed,
            items: problem.items(),
            optimizer: None,
            gradient_evaluations: (method == Method::PlRelaxInsertion).then_some(share),
            walks: None,
            trace: Trace::default(),
            constraints,
        };
        if method.has_gradient() {
            let settings = OptimizerSettings {
                gradient_evaluations: None,
                sense: problem.sense(),
                seed,
                constraints: Some(solver.constraints.clone()),
                ..method.settings(share)
            };
            solver.optimizer = Some(Optimizer::new(problem.items(), settings)?);
        } else {
            solver.walks = Some(solver.new_walks(problem, None)?);
        }
        Ok(solver)
    }

    fn new_walks(&self, problem: &dyn Problem, start: Option<&Order>) -> Result<Walks, Error> {
        let moves = if self.method == Method::Default { MoveSet::Own } else { MoveSet::Insertion };
        let settings = WalkSettings { walks: problem.walks(), moves, seed: self.seed };
        Walks::within(problem, self.constraints.clone(), start, settings)
    }

    /// Searches until a limit is reached or the run is over. Its steps are as [`step`](Self::step) makes them.
    ///
    /// # Errors
    /// Another problem than the one that the solver was made for.
    pub fn run(&mut self, problem: &dyn Problem, run: &Run<'_>) -> Result<Ending, Error> {
        run.repeat(|| self.step(problem, run))
    }

    /// One round of evaluations or of walks; or how the run ends, if it does. Who wants to look at the solver now and then, to
    /// save it for instance, calls this in a loop instead of [`run`](Self::run).
    ///
    /// ```
    /// use plackett::{problem::Problem, run::{Ending, Limits, Run}, solver::{Method, Solver}};
    /// struct First;
    /// impl Problem for First {
    ///     fn items(&self) -> usize { 3 }
    ///     fn value(&self, order: &[usize]) -> f64 { order[0] as f64 }
    /// }
    /// let run = Run::new(Limits { target: Some(0.0), ..Limits::default() });
    /// let mut solver = Solver::new(&First, Method::Pl, 0, run.limits())?;
    /// let ending = loop {
    ///     if let Some(ending) = solver.step(&First, &run)? {
    ///         break ending;
    ///     }
    ///     let saved = solver.to_json()?;
    ///     assert!(!saved.is_empty());
    /// };
    /// assert_eq!(ending, Ending::Target);
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn step(&mut self, problem: &dyn Problem, run: &Run<'_>) -> Result<Option<Ending>, Error> {
        check_length("the problem", problem.items(), self.items)?;
        if self.trace.is_idle(self.evaluations(), run.limits()) {
            return Ok(Some(Ending::Patience));
        }
        if self.walks.is_none() {
            let ending = self.step_of_gradient(problem, run)?;
            let is_first_of_two = self.gradient_evaluations.is_some_and(|most| self.evaluations() >= most);
            if ending == Some(Ending::Evaluations) && is_first_of_two {
                let best = self.best().map(|(order, _)| Order::new(order.to_vec())).transpose()?;
                self.walks = Some(self.new_walks(problem, best.as_ref())?);
                return Ok(None);
            }
            return Ok(ending);
        }
        let before = self.gradient_made();
        let Some(walks) = &mut self.walks else { return Ok(None) };
        let start = run.seconds();
        let evaluations = run.limits().evaluations.map(|most| most.saturating_sub(before));
        let part = run.part(Limits { evaluations, target: run.limits().target, ..Limits::default() });
        let ending = walks.step(problem, &part)?;
        let (made, best) = (before + walks.evaluations(), walks.best().map(|(_, value)| value));
        self.trace.spend(run.seconds() - start, made, best);
        run.note(made, best);
        Ok(ending)
    }

    fn step_of_gradient(&mut self, problem: &dyn Problem, run: &Run<'_>) -> Result<Option<Ending>, Error> {
        let Some(optimizer) = &mut self.optimizer else { return Ok(None) };
        let evaluations = [run.limits().evaluations, self.gradient_evaluations].into_iter().flatten().min();
        let part = run.part(Limits { evaluations, target: run.limits().target, ..Limits::default() });
        let mut evaluator = Valued { problem, has_parts: self.method == Method::Pl, run: &part };
        optimizer::step(optimizer, &mut evaluator, &part, &mut self.trace)
    }

    /// How many items an order has.
    pub fn items(&self) -> usize {
        self.items
    }

    fn gradient_made(&self) -> u64 {
        self.optimizer.as_ref().map_or(0, Optimizer::evaluations)
    }

    /// The best order so far and its value.
    pub fn best(&self) -> Option<(&[usize], f64)> {
        self.walks.as_ref().and_then(Walks::best).or_else(|| self.optimizer.as_ref()?.best())
    }

    /// Orders valued so far.
    pub fn evaluations(&self) -> u64 {
        self.gradient_made() + self.walks.as_ref().map_or(0, Walks::evaluations)
    }

    /// When better orders were found.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// What every order keeps.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// A problem as an evaluator, on all threads.
struct Valued<'a> {
    problem: &'a dyn Problem,
    has_parts: bool,
    run: &'a Run<'a>,
}

impl Evaluator for Valued<'_> {
    /// What is not valued before the run is over has no answer, and is asked again when the run is resumed.
    fn evaluate(&mut self, proposals: &[Proposal]) -> Vec<Answer> {
        let answer = |proposal: &Proposal| {
            if self.run.is_over() {
                None
            } else if self.has_parts {
                let mut parts = vec![0.0; proposal.order.len()];
                self.problem.parts(&proposal.order, &mut parts);
                Some(Answer::Parts(parts))
            } else {
                Some(Answer::Value(self.problem.value(&proposal.order)))
            }
        };
        let answers = parallel::map(proposals, |_, proposal| answer(proposal));
        answers.into_iter().map_while(|answer| answer).collect()
    }
}
