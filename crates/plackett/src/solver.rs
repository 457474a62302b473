//! One object for a whole run on a [`Problem`]: a method by name, its stages, its trace, its state.

use std::{ops::ControlFlow, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    constraints::Constraints,
    error::Error,
    optimizer::{Answer, Evaluator, Gradient, Optimizer, OptimizerSettings, Proposal, drive, state},
    order::Order,
    problem::Problem,
    refinement::{MoveKind, MoveSet, WalkSettings, Walks},
    run::{Ending, Limits, Trace},
};
use rayon::prelude::*;

/// The ways to search.
///
/// ```
/// use plackett::Method;
/// assert_eq!("pl-relax+insertion".parse::<Method>()?, Method::PlRelaxInsertion);
/// assert_eq!(Method::Default.name(), "default");
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Method {
    /// `default`: for a problem, walks with its own moves and kicks; for a black box, insertion.
    #[default]
    Default,
    /// `insertion`: local refinement by insertions, with kicks.
    Insertion,
    /// `pl-relax`: the gradient by RELAX with a neural network as critic.
    PlRelax,
    /// `pl-reinforce`: the gradient by REINFORCE with a leave-one-out baseline.
    PlReinforce,
    /// `pl`: the gradient by reward-to-go, where the objective decomposes.
    Pl,
    /// `pl-relax+insertion`: RELAX for half of the evaluations, insertion from its best order for the rest.
    PlRelaxInsertion,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 6] =
        [Self::Default, Self::Insertion, Self::PlRelax, Self::PlReinforce, Self::Pl, Self::PlRelaxInsertion];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Insertion => "insertion",
            Self::PlRelax => "pl-relax",
            Self::PlReinforce => "pl-reinforce",
            Self::Pl => "pl",
            Self::PlRelaxInsertion => "pl-relax+insertion",
        }
    }

    /// Whether it begins with the gradient.
    fn has_gradient(self) -> bool {
        !matches!(self, Self::Default | Self::Insertion)
    }

    /// The settings of an optimizer that searches this way, given how many evaluations the gradient may have where it is
    /// only the first of two stages.
    ///
    /// ```
    /// use plackett::Method;
    /// assert_eq!(Method::Insertion.settings(500).gradient_evaluations, Some(0));
    /// assert_eq!(Method::PlRelaxInsertion.settings(500).gradient_evaluations, Some(500));
    /// assert_eq!(Method::PlRelax.settings(500).gradient_evaluations, None);
    /// ```
    pub fn settings(self, gradient_evaluations: u64) -> OptimizerSettings {
        let gradient = match self {
            Self::Default | Self::Insertion | Self::PlReinforce => Gradient::Reinforce,
            Self::PlRelax | Self::PlRelaxInsertion => Gradient::Relax { hidden: HIDDEN },
            Self::Pl => Gradient::RewardToGo,
        };
        let gradient_evaluations = match self {
            Self::Default | Self::Insertion => Some(0),
            Self::PlRelaxInsertion => Some(gradient_evaluations),
            Self::PlRelax | Self::PlReinforce | Self::Pl => None,
        };
        let moves = vec![MoveKind::Insert];
        OptimizerSettings { gradient, gradient_evaluations, moves, ..OptimizerSettings::default() }
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Method {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| Error::Unknown {
            what: "method",
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}

/// Hidden units of RELAX's critic.
const HIDDEN: usize = 32;

/// A run on a problem, which can be saved and resumed exactly.
///
/// ```
/// use plackett::{Limits, Method, Problem, Solver, TravelingSalesman};
/// use std::ops::ControlFlow;
/// // Five cities on a line.
/// let distances = (0..25).map(|at: i32| f64::from((at / 5 - at % 5).abs())).collect();
/// let problem = TravelingSalesman::from_distances("line", 5, distances)?;
/// let limits = Limits { evaluations: Some(2000), ..Limits::default() };
/// for method in Method::ALL {
///     let mut solver = Solver::new(&problem, method, 0, &limits)?;
///     solver.run(&problem, &limits, &mut |_| ControlFlow::Continue(()))?;
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

/// The gradient's evaluations in a method of two stages without a limit on evaluations, per item.
const GRADIENT_EVALUATIONS_PER_ITEM: u64 = 500;

/// The most that it gets of a limit: one half.
const GRADIENT_SHARE: u64 = 2;

/// The gradient's evaluations in a method of two stages.
///
/// ```
/// use plackett::{Limits, gradient_share};
/// assert_eq!(gradient_share(20, &Limits::default()), 10_000);
/// assert_eq!(gradient_share(20, &Limits { evaluations: Some(1000), ..Limits::default() }), 500);
/// ```
pub fn gradient_share(items: usize, limits: &Limits) -> u64 {
    let most = GRADIENT_EVALUATIONS_PER_ITEM * items as u64;
    limits.evaluations.map_or(most, |all| most.min(all / GRADIENT_SHARE))
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
    /// Constraints on another number of items, or a method that cannot keep them: RELAX.
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
        let settings = WalkSettings { moves, seed: self.seed, ..WalkSettings::default() };
        Walks::within(problem, self.constraints.clone(), start, settings)
    }

    /// Searches until it is time to stop. The observer is called every so often and may end the run.
    ///
    /// # Errors
    /// Another problem than the one that the solver was made for.
    pub fn run(
        &mut self,
        problem: &dyn Problem,
        limits: &Limits,
        observe: &mut dyn FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<Ending, Error> {
        crate::error::check_length("the problem", problem.items(), self.items)?;
        let start = std::time::Instant::now();
        if self.walks.is_none() && self.optimizer.is_some() {
            let ending = self.run_gradient(problem, limits, observe)?;
            let is_first_of_two = self.gradient_evaluations.is_some_and(|most| self.evaluations() >= most);
            if ending != Ending::Evaluations || !is_first_of_two {
                return Ok(ending);
            }
            let best = self.best().map(|(order, _)| Order::new(order.to_vec())).transpose()?;
            self.walks = Some(self.new_walks(problem, best.as_ref())?);
        }
        let Some(mut walks) = self.walks.take() else { return Ok(Ending::Interrupted) };
        let before = self.gradient_made();
        let left = Limits {
            evaluations: limits.evaluations.map(|most| most.saturating_sub(before)),
            time: limits.time.map(|most| most.saturating_sub(start.elapsed())),
            ..*limits
        };
        let mut trace = Trace::default();
        let spent = self.trace.seconds();
        let ending = walks.run(problem, &left, &mut trace, |walks| {
            if let Some((_, value)) = walks.best() {
                self.trace.note(before + walks.evaluations(), spent + start.elapsed().as_secs_f64(), value);
            }
            self.walks = Some(walks.clone());
            observe(self)
        });
        self.walks = Some(walks);
        ending
    }

    fn run_gradient(
        &mut self,
        problem: &dyn Problem,
        limits: &Limits,
        observe: &mut dyn FnMut(&Self) -> ControlFlow<()>,
    ) -> Result<Ending, Error> {
        let Some(mut optimizer) = self.optimizer.take() else { return Ok(Ending::Interrupted) };
        let most = [limits.evaluations, self.gradient_evaluations].into_iter().flatten().min();
        let limits = Limits { evaluations: most, ..*limits };
        let mut trace = std::mem::take(&mut self.trace);
        let mut evaluator = Valued { problem, has_parts: self.method == Method::Pl };
        let mut looked = std::time::Instant::now();
        let ending = drive(&mut optimizer, &mut evaluator, &limits, &mut trace, &mut |optimizer| {
            if looked.elapsed() < OBSERVED_EVERY {
                return ControlFlow::Continue(());
            }
            looked = std::time::Instant::now();
            self.optimizer = Some(optimizer.clone());
            observe(self)
        });
        (self.optimizer, self.trace) = (Some(optimizer), trace);
        ending
    }

    /// The whole state as JSON, to be resumed with [`from_json`](Self::from_json).
    ///
    /// # Errors
    /// None that is known; the signature is that of the serializer.
    pub fn to_json(&self) -> Result<String, Error> {
        state::to_json("solver", self)
    }

    /// The run of a saved state, which goes on exactly as the one that was saved.
    ///
    /// ```
    /// use plackett::{Limits, LinearOrdering, Method, Solver};
    /// let problem = LinearOrdering::new("two", 2, vec![0.0, 1.0, 2.0, 0.0])?;
    /// let solver = Solver::new(&problem, Method::Default, 0, &Limits::default())?;
    /// assert_eq!(Solver::from_json(&solver.to_json()?)?.method(), Method::Default);
    /// assert!(Solver::from_json("{}").is_err());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that is no such state, one of another version, or one whose parts contradict each other.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let solver: Self = state::from_json("solver", text)?;
        let is_sound = solver.optimizer.iter().all(|o| o.is_sound() && o.items() == solver.items)
            && solver.walks.iter().all(|walks| walks.is_sound(solver.items))
            && solver.constraints.items() == solver.items
            && (solver.optimizer.is_some() || solver.walks.is_some());
        if is_sound { Ok(solver) } else { Err(state::contradictory()) }
    }

    /// How many items an order has.
    pub fn items(&self) -> usize {
        self.items
    }

    fn gradient_made(&self) -> u64 {
        self.optimizer.as_ref().map_or(0, |optimizer| optimizer.status().told + optimizer.status().failed)
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

/// How often the observer of a gradient run is called.
const OBSERVED_EVERY: std::time::Duration = std::time::Duration::from_millis(50);

/// A problem as an evaluator, on all threads.
struct Valued<'a> {
    problem: &'a dyn Problem,
    has_parts: bool,
}

impl Evaluator for Valued<'_> {
    fn evaluate(&mut self, proposals: &[Proposal]) -> Vec<Answer> {
        let answer = |proposal: &Proposal| {
            if self.has_parts {
                let mut parts = vec![0.0; proposal.order.len()];
                self.problem.parts(&proposal.order, &mut parts);
                Answer::Parts(parts)
            } else {
                Answer::Value(self.problem.value(&proposal.order))
            }
        };
        proposals.par_iter().map(answer).collect()
    }
}
