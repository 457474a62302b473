//! What a person knows of a graph before the data are looked at, by the names of the columns: edges that must or must not be there,
//! columns that come before others, columns without causes or without effects. `text` reads it from files, `resolve` turns it into
//! [`Bounds`](crate::Bounds) for columns, or says what is wrong with it.

mod nearest;
mod resolve;
mod text;

use serde::{Deserialize, Serialize};

pub use resolve::{Resolved, Statement};
pub use text::{pair, tiers};

/// Statements on a graph, by the names of columns. A `*` in a name stands for any characters, so that one statement may speak of
/// many columns. A pair is (cause, effect).
///
/// ```
/// use plackett_dag::knowledge::{Knowledge, Tier};
/// let known = Knowledge {
///     required: vec![("weight".into(), "mpg".into())],
///     tiers: vec![Tier::of(&["model*"]), Tier::of(&["weight", "mpg"])],
///     ..Knowledge::default()
/// };
/// let names = ["mpg", "weight", "modelyear"].map(str::to_owned);
/// let bounds = known.resolve(&names)?.bounds().clone();
/// assert!(bounds.requires(1, 0) && bounds.permits(2, 0) && !bounds.permits(0, 2));
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Knowledge {
    /// Edges that must be there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<(String, String)>,
    /// Edges that must not be there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<(String, String)>,
    /// Columns in groups, the earliest first: nothing causes what is in an earlier tier. Columns in no tier are free.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Tier>,
    /// Columns that have no causes among the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exogenous: Vec<String>,
    /// Columns that have no effects among the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub terminal: Vec<String>,
    /// Pairs that must be joined by an edge, in whichever direction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub adjacent: Vec<(String, String)>,
    /// Pairs that must not be joined by an edge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub apart: Vec<(String, String)>,
}

/// A group of columns that come before those of later tiers.
///
/// ```
/// use plackett_dag::knowledge::Tier;
/// assert!(Tier::of(&["a", "b"]).within);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "TierForm", into = "TierForm")]
pub struct Tier {
    /// The columns, or patterns of their names.
    pub columns: Vec<String>,
    /// Whether there may be edges within the tier.
    pub within: bool,
}

impl Tier {
    /// A tier of these columns, with edges within it permitted.
    pub fn of(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&name| name.to_owned()).collect(), within: true }
    }
}

/// A tier as files have it: the names alone, or with what else is to be said.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum TierForm {
    Names(Vec<String>),
    Whole {
        columns: Vec<String>,
        #[serde(default = "yes")]
        within: bool,
    },
}

fn yes() -> bool {
    true
}

impl From<TierForm> for Tier {
    fn from(form: TierForm) -> Self {
        match form {
            TierForm::Names(columns) => Self { columns, within: true },
            TierForm::Whole { columns, within } => Self { columns, within },
        }
    }
}

impl From<Tier> for TierForm {
    fn from(Tier { columns, within }: Tier) -> Self {
        if within { Self::Names(columns) } else { Self::Whole { columns, within } }
    }
}

impl Knowledge {
    /// Whether nothing is said.
    ///
    /// ```
    /// assert!(plackett_dag::knowledge::Knowledge::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Adds the statements of another; its tiers must not be two lists of tiers.
    ///
    /// # Errors
    /// [`Error::Knowledge`](crate::Error::Knowledge) if both have tiers: which of them come first would be a guess.
    ///
    /// ```
    /// use plackett_dag::knowledge::{Knowledge, Tier};
    /// let mut known = Knowledge { tiers: vec![Tier::of(&["a"])], ..Knowledge::default() };
    /// known.add(Knowledge { exogenous: vec!["b".into()], ..Knowledge::default() })?;
    /// assert!(known.clone().add(known).is_err());
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn add(&mut self, other: Self) -> crate::Result<()> {
        if !self.tiers.is_empty() && !other.tiers.is_empty() {
            let problem = "tiers are given twice: give them all in one list, the earliest first".to_owned();
            return Err(crate::Error::Knowledge { problems: vec![problem] });
        }
        self.required.extend(other.required);
        self.forbidden.extend(other.forbidden);
        self.tiers.extend(other.tiers);
        self.exogenous.extend(other.exogenous);
        self.terminal.extend(other.terminal);
        self.adjacent.extend(other.adjacent);
        self.apart.extend(other.apart);
        Ok(())
    }
}
