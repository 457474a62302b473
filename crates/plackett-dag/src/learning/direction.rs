//! What the direction of an edge rests on. In the class of a graph it is compelled, the same in all graphs that the data cannot
//! tell apart, or open; a score that prefers some graphs of a class to others decides the open ones too, by what it assumes.

use std::fmt;

use super::{Learned, equal_variances::NoiseVariances};
use crate::cpdag::Mark;

/// What the direction of an edge rests on.
///
/// ```
/// assert_eq!(plackett_dag::learning::Direction::Compelled.to_string(), "compelled");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// What is known of the graph rules the other one out.
    Known,
    /// All graphs of the class have it. That says nothing of how surely this is the class.
    Compelled,
    /// Some graphs of the class have it the other way, and the score is the same for them.
    Open,
    /// Open in the class, and decided by what the score assumes, which this names.
    Assumed(&'static str),
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Known => "known",
            Self::Compelled => "compelled",
            Self::Open => "open",
            Self::Assumed(name) => name,
        })
    }
}

/// What a score assumes that prefers some graphs of a class to others: what the directions that are open in the class rest on.
///
/// ```
/// use std::sync::Arc;
/// use plackett::run::Run;
/// use plackett_dag::{Gram, Learning, Observations};
/// let gram = Gram::from_matrix(1000, 2, vec![1.0, 2.0, 2.0, 5.0])?;
/// let learned = Learning::default().run(&Observations::Numbers(Arc::new(gram)), &Run::default())?;
/// assert_eq!(learned.basis.unwrap().name, "equal variances");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    /// In a word or two.
    pub name: &'static str,
    /// In a sentence that begins with "rests on", with the figure if there is one.
    pub text: String,
    /// Edges of the graph of which it says nothing: they are as open as in the class.
    pub undecided: Vec<(usize, usize)>,
}

impl Basis {
    /// The basis of a score that is known by name, or of one's own.
    pub(super) fn of_score(name: &str) -> Self {
        let (name, text) = match name {
            "ev-l0" => (EQUAL_VARIANCES, "equal noise variances".to_owned()),
            "l1" => (
                "scales",
                "the scales of the columns: in other units it could point the other way".to_owned(),
            ),
            "k2" => (
                "prior",
                "the priors of k2, which prefer some directions for no reason in the data".to_owned(),
            ),
            "fnml" => ("description", "which way fnml describes the data in fewer bits".to_owned()),
            "non-gaussian" => {
                ("shape of the noise", "noise that is not Gaussian, and effects that are linear".to_owned())
            }
            "additive" => (
                "bent effects",
                "effects that are not linear, and noise that is Gaussian and added to them".to_owned(),
            ),
            other => ("score", format!("the score {other}, which prefers it to the other")),
        };
        Self { name, text, undecided: Vec::new() }
    }

    /// The basis of directions that factorized NML chose where the score leaves them open.
    pub(super) fn description() -> Self {
        let text = "which way factorized NML describes the data in fewer bits; it was right in 216 of 340 cases on six networks, on three \
                    of them no better than chance";
        Self { name: "description", text: text.to_owned(), undecided: Vec::new() }
    }

    /// The basis of `ev-l0`, with what the data say of it.
    pub(super) fn equal_variances(found: &NoiseVariances) -> Self {
        let doubt = if found.are_equal() { "" } else { ", so that they may differ" };
        let text = format!(
            "equal noise variances; those found are apart by a factor of {:.1} at most (95 % bound){doubt}",
            found.bound()
        );
        Self { name: EQUAL_VARIANCES, text, undecided: Vec::new() }
    }
}

const EQUAL_VARIANCES: &str = "equal variances";

impl Learned {
    /// What the direction of an edge of the graph rests on.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, Learning, Observations, learning::Direction};
    /// // 0 → 1 with noise of variance 1, or 1 → 0: standardized, nothing tells which.
    /// let gram = Gram::from_matrix(1000, 2, vec![1.0, 0.5, 0.5, 1.0])?;
    /// let learned = Learning::default().run(&Observations::Numbers(Arc::new(gram)), &Run::default())?;
    /// let (from, to, _) = learned.dag.edges().next().unwrap();
    /// assert_eq!(learned.direction(from, to), Direction::Open);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn direction(&self, from: usize, to: usize) -> Direction {
        // Tests may contradict each other: the graph may then have an edge the other way round than their pattern.
        if !self.bounds.permits(to, from) {
            return Direction::Known;
        }
        match (self.cpdag.mark(from, to), &self.basis) {
            (Mark::Forward, _) => Direction::Compelled,
            (_, Some(basis)) if !basis.undecided.contains(&(from, to)) => Direction::Assumed(basis.name),
            (_, _) => Direction::Open,
        }
    }
}
