//! The settings of learning, in groups: what makes a graph good, and what concerns numbers, categories, tests and searches.
//! Whatever is not given has a default that suits most.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::{Error, LocalScore};

/// What makes a graph good.
///
/// ```
/// use plackett_dag::ScoreChoice;
/// assert!(matches!(ScoreChoice::from("auto"), ScoreChoice::Auto));
/// assert_eq!(ScoreChoice::from("bic").to_string(), "bic");
/// ```
#[derive(Clone, Default)]
pub enum ScoreChoice {
    /// Whichever the data call for.
    #[default]
    Auto,
    /// One of [`SCORES`](crate::score::SCORES) for numbers, of [`DISCRETE_SCORES`](crate::score::DISCRETE_SCORES) for categories.
    Named(String),
    /// One's own, with a node for each column of the data.
    Custom(Arc<dyn LocalScore>),
}

impl From<&str> for ScoreChoice {
    /// The score of this name; `auto` for [`Auto`](Self::Auto).
    fn from(name: &str) -> Self {
        if name == AUTO { Self::Auto } else { Self::Named(name.to_owned()) }
    }
}

const AUTO: &str = "auto";

impl fmt::Display for ScoreChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => AUTO,
            Self::Named(name) => name,
            Self::Custom(score) => score.name(),
        })
    }
}

impl fmt::Debug for ScoreChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ScoreChoice({self})")
    }
}

impl Serialize for ScoreChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Settings of the scores of numbers.
///
/// ```
/// assert_eq!(plackett_dag::learning::NumberSettings::default().lambda, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NumberSettings {
    /// λ of the score `l1`; selects that score.
    pub lambda: Option<f64>,
    /// σ² of the score `ev-l0`; selects that score.
    pub noise_variance: Option<f64>,
    /// The price of a parent in `ev-l0` and in `bic`, one being that of the BIC proper.
    pub penalty: Option<f64>,
    /// Edges whose weights are smaller than this are left out of the graph, once it is learned.
    ///
    /// ```
    /// use plackett::run::Run;
    /// use plackett_dag::{Gram, Learning, Observations, learning::NumberSettings};
    /// // x₁ = 0.2·x₀ + noise of the same variance.
    /// let data = Observations::Numbers(Gram::from_matrix(1000, 2, vec![1.0, 0.2, 0.2, 1.04])?.into());
    /// let numbers = NumberSettings { threshold: Some(0.3), ..NumberSettings::default() };
    /// let learned = Learning { numbers, ..Learning::default() }.run(&data, &Run::default())?;
    /// assert_eq!((learned.dag.edge_count(), learned.dropped.len()), (0, 1));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
}

/// Settings of learning from categories.
///
/// ```
/// assert!(plackett_dag::learning::CategorySettings::default().orient.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CategorySettings {
    /// The equivalent sample size of the score `bdeu`; selects that score.
    pub equivalent_sample_size: Option<f64>,
    /// Which parents a column may have.
    pub space: Option<ParentSpace>,
    /// The most parents of a column; as many as pay if not given.
    pub max_parents: Option<usize>,
    /// What chooses the directions that the score leaves open; nothing does if not given, and they are those of the order.
    pub orient: Option<Orient>,
}

/// What chooses the directions that the score leaves open.
///
/// ```
/// use plackett_dag::learning::Orient;
/// assert_eq!("fnml".parse::<Orient>()?, Orient::Fnml);
/// assert_eq!(serde_json::to_string(&Orient::Fnml).unwrap(), "\"fnml\"");
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orient {
    /// The shortest description by factorized normalized maximum likelihood ([`orient`](crate::orientation::orient)). On six networks it
    /// was right in 216 of 340 cases, and on three of them no better than chance.
    Fnml,
}

impl Orient {
    /// All of them, by name and in a few words.
    pub const NAMED: [(Self, &str, &str); 1] = [(
        Self::Fnml,
        "fnml",
        "The shortest description by factorized NML; right in 216 of 340 cases on six networks, on three of them no better than chance",
    )];
}

impl FromStr for Orient {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        by_name("orient", name, &Self::NAMED)
    }
}

impl fmt::Display for Orient {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(name_of(*self, &Self::NAMED))
    }
}

/// Whichever has this name, if one has.
fn by_name<T: Copy>(setting: &'static str, name: &str, named: &[(T, &str, &str)]) -> Result<T, Error> {
    let found = named.iter().find(|(_, own, _)| *own == name);
    found.map(|(value, ..)| *value).ok_or_else(|| {
        let names: Vec<&str> = named.iter().map(|(_, name, _)| *name).collect();
        let reason = format!("is \"{}\": it must be {}", crate::text::shown(name), names.join(" or "));
        Error::Misfit { setting, reason }
    })
}

fn name_of<T: Copy + PartialEq>(value: T, named: &[(T, &'static str, &str)]) -> &'static str {
    named.iter().find(|(own, ..)| *own == value).map_or("", |(_, name, _)| name)
}

impl CategorySettings {
    /// The settings, and which of them are given.
    pub(super) fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("equivalent_sample_size", self.equivalent_sample_size.is_some()),
            ("space", self.space.is_some()),
            ("max_parents", self.max_parents.is_some()),
            ("orient", self.orient.is_some()),
        ]
    }
}

/// Which parents a column of categories may have.
///
/// ```
/// use plackett_dag::learning::ParentSpace;
/// assert_eq!((ParentSpace::default(), ParentSpace::Neighbors.to_string()), (ParentSpace::PlusOne, "pc".to_owned()));
/// assert_eq!("all".parse::<ParentSpace>()?, ParentSpace::All);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParentSpace {
    /// Those that PC-stable leaves joined to it, and one more, the space growing until no one more helps.
    #[default]
    PlusOne,
    /// The neighbors that PC-stable finds, as in the paper.
    Neighbors,
    /// All others, few at a time.
    All,
}

impl ParentSpace {
    /// All of them, by name and in a few words.
    pub const NAMED: [(Self, &str, &str); 3] = [
        (
            Self::PlusOne,
            "plus-one",
            "The neighbors in a graph that a climb over graphs finds, plus whatever one more betters it, as long as that helps",
        ),
        (Self::Neighbors, "pc", "The neighbors that PC-stable finds, as in the paper"),
        (Self::All, "all", "All other columns, a few at a time"),
    ];
}

impl FromStr for ParentSpace {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        by_name("space", name, &Self::NAMED)
    }
}

impl fmt::Display for ParentSpace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(name_of(*self, &Self::NAMED))
    }
}

/// Settings of PC-stable's tests.
///
/// ```
/// assert_eq!(plackett_dag::learning::TestSettings::default().alpha, None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TestSettings {
    /// The level of the tests.
    pub alpha: Option<f64>,
    /// The most columns that they condition on.
    pub max_conditioning: Option<usize>,
}

impl TestSettings {
    /// The settings, and which of them are given.
    pub(super) fn given(&self) -> [(&'static str, bool); 2] {
        [("alpha", self.alpha.is_some()), ("max_conditioning", self.max_conditioning.is_some())]
    }
}

/// Settings of the search over orders.
///
/// ```
/// assert_eq!(plackett_dag::learning::SearchSettings::default().memory_bytes, 1 << 30);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct SearchSettings {
    /// Random orders to start from.
    pub restarts: Option<usize>,
    /// Steps of the gradient methods, moves of the Markov chains.
    pub steps: Option<u64>,
    /// Whether to find the posterior probability of every edge.
    pub posterior: bool,
    /// Most memory for tables and caches.
    pub memory_bytes: usize,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self { restarts: None, steps: None, posterior: false, memory_bytes: 1 << 30 }
    }
}
