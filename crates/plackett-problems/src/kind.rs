//! The kinds of problems, by name.

use std::{fmt, str::FromStr};

use crate::error::Error;

/// The kinds of problems that can be read.
///
/// ```
/// use plackett_problems::Kind;
/// assert_eq!("qap".parse::<Kind>()?, Kind::QuadraticAssignment);
/// assert_eq!(Kind::FlowShop.to_string(), "pfsp");
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// `lop`: [`LinearOrdering`](crate::LinearOrdering).
    LinearOrdering,
    /// `qap`: [`QuadraticAssignment`](crate::QuadraticAssignment).
    QuadraticAssignment,
    /// `tsp`: [`TravelingSalesman`](crate::TravelingSalesman).
    TravelingSalesman,
    /// `pfsp`: [`FlowShop`](crate::FlowShop).
    FlowShop,
    /// `assignment`: [`LinearAssignment`](crate::LinearAssignment).
    LinearAssignment,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::LinearOrdering,
        Self::QuadraticAssignment,
        Self::TravelingSalesman,
        Self::FlowShop,
        Self::LinearAssignment,
    ];

    /// The short name.
    ///
    /// ```
    /// assert_eq!(plackett_problems::Kind::LinearOrdering.name(), "lop");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::LinearOrdering => "lop",
            Self::QuadraticAssignment => "qap",
            Self::TravelingSalesman => "tsp",
            Self::FlowShop => "pfsp",
            Self::LinearAssignment => "assignment",
        }
    }

    /// What it is, in a few words.
    ///
    /// ```
    /// assert_eq!(plackett_problems::Kind::TravelingSalesman.description(), "traveling salesman");
    /// ```
    pub fn description(self) -> &'static str {
        match self {
            Self::LinearOrdering => "linear ordering (maximize)",
            Self::QuadraticAssignment => "quadratic assignment",
            Self::TravelingSalesman => "traveling salesman",
            Self::FlowShop => "permutation flow shop, makespan",
            Self::LinearAssignment => "linear assignment",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;
    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| Error::UnknownKind {
            name: name.to_owned(),
            known: Self::ALL.map(Self::name).join(", "),
        })
    }
}
