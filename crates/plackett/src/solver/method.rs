//! The ways to search, by name.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{
    error::Error,
    optimizer::{Gradient, OptimizerSettings, Refinement},
    run::Limits,
};

/// The ways to search.
///
/// ```
/// use plackett::solver::Method;
/// assert_eq!("pl-relax+insertion".parse::<Method>()?, Method::PlRelaxInsertion);
/// assert_eq!(Method::Default.name(), "default");
/// # Ok::<(), plackett::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Method {
    /// `default`: for a problem, walks with its own moves and kicks; for a black box, a [walk](crate::optimizer::Refinement::Walk).
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
    /// `pl-surrogate`: the gradient by REINFORCE on what a surrogate with an exact expectation leaves unexplained.
    PlSurrogate,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 7] = [
        Self::Default,
        Self::Insertion,
        Self::PlRelax,
        Self::PlReinforce,
        Self::Pl,
        Self::PlRelaxInsertion,
        Self::PlSurrogate,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Insertion => "insertion",
            Self::PlRelax => "pl-relax",
            Self::PlReinforce => "pl-reinforce",
            Self::Pl => "pl",
            Self::PlRelaxInsertion => "pl-relax+insertion",
            Self::PlSurrogate => "pl-surrogate",
        }
    }

    /// What it does, in a line.
    ///
    /// ```
    /// use plackett::solver::Method;
    /// assert!(Method::PlRelax.description().contains("RELAX"));
    /// ```
    pub fn description(self) -> &'static str {
        match self {
            Self::Default => {
                "walks with the problem's own moves; for a program by moves that a model has screened"
            }
            Self::Insertion => "the best rank for one item after another, with kicks",
            Self::PlRelax => "Plackett-Luce gradient by RELAX with a neural network as critic",
            Self::PlReinforce => "Plackett-Luce gradient by REINFORCE with a leave-one-out baseline",
            Self::Pl => "Plackett-Luce gradient by reward-to-go; a program must answer with \"parts\"",
            Self::PlRelaxInsertion => "pl-relax first, then insertion from its best order",
            Self::PlSurrogate => {
                "Plackett-Luce gradient with a learned sum over ranks, pairs and neighbors as control variate"
            }
        }
    }

    /// Whether it begins with the gradient.
    pub(super) fn has_gradient(self) -> bool {
        !matches!(self, Self::Default | Self::Insertion)
    }

    /// The settings of an optimizer that searches this way, given how many evaluations the gradient may have where it is
    /// only the first of two stages.
    ///
    /// ```
    /// use plackett::solver::Method;
    /// assert_eq!(Method::Insertion.settings(500).gradient_evaluations, Some(0));
    /// assert_eq!(Method::PlRelaxInsertion.settings(500).gradient_evaluations, Some(500));
    /// assert_eq!(Method::PlRelax.settings(500).gradient_evaluations, None);
    /// ```
    pub fn settings(self, gradient_evaluations: u64) -> OptimizerSettings {
        let gradient = match self {
            Self::Default | Self::Insertion | Self::PlReinforce => Gradient::Reinforce,
            Self::PlRelax | Self::PlRelaxInsertion => Gradient::Relax { hidden: HIDDEN },
            Self::Pl => Gradient::RewardToGo,
            Self::PlSurrogate => Gradient::Surrogate,
        };
        let gradient_evaluations = match self {
            Self::Default | Self::Insertion => Some(0),
            Self::PlRelaxInsertion => Some(gradient_evaluations),
            Self::PlRelax | Self::PlReinforce | Self::Pl | Self::PlSurrogate => None,
        };
        let refinement = if self == Self::Default { Refinement::Walk } else { Refinement::Climb };
        OptimizerSettings { gradient, gradient_evaluations, refinement, ..OptimizerSettings::default() }
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

/// The gradient's evaluations in a method of two stages without a limit on evaluations, per item.
const GRADIENT_EVALUATIONS_PER_ITEM: u64 = 500;

/// The most that it gets of a limit: one half.
const GRADIENT_SHARE: u64 = 2;

/// The gradient's evaluations in a method of two stages.
///
/// ```
/// use plackett::{run::Limits, solver::gradient_share};
/// assert_eq!(gradient_share(20, &Limits::default()), 10_000);
/// assert_eq!(gradient_share(20, &Limits::evaluations(1000)), 500);
/// ```
pub fn gradient_share(items: usize, limits: &Limits) -> u64 {
    let most = GRADIENT_EVALUATIONS_PER_ITEM * items as u64;
    limits.evaluations.map_or(most, |all| most.min(all / GRADIENT_SHARE))
}
