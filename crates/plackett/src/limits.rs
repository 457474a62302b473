//! When a run ends, why it ended, and how it came to its best order.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// When a run ends; whatever comes first. Without any limit only the observer ends it.
///
/// ```
/// use plackett::Limits;
/// let limits = Limits { evaluations: Some(10_000), target: Some(578.0), ..Limits::default() };
/// assert!(limits.time.is_none());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// After this many evaluations, those of the runs that were resumed included.
    pub evaluations: Option<u64>,
    /// After this long, this run alone. Two runs of one seed may then differ.
    pub time: Option<Duration>,
    /// As soon as a value is as good as this.
    pub target: Option<f64>,
}

/// Why a run ended. Not an error: in each case the best order so far is there.
///
/// ```
/// assert_eq!(plackett::Ending::Target.to_string(), "target reached");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// All evaluations were made.
    Evaluations,
    /// The time was up.
    Time,
    /// The target was reached.
    Target,
    /// The observer said to stop.
    Interrupted,
}

impl std::fmt::Display for Ending {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Evaluations => "all evaluations made",
            Self::Time => "time up",
            Self::Target => "target reached",
            Self::Interrupted => "interrupted",
        })
    }
}

/// A moment at which a better order was found.
///
/// ```
/// let point = plackett::TracePoint { evaluations: 10, seconds: 0.5, best: 578.0 };
/// assert_eq!(point.best, 578.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePoint {
    /// Evaluations made until then.
    pub evaluations: u64,
    /// Seconds until then, those of the runs that were resumed included.
    pub seconds: f64,
    /// The value of that order.
    pub best: f64,
}

/// The moments at which better orders were found, and the seconds spent.
///
/// ```
/// let mut trace = plackett::Trace::default();
/// trace.note(3, 0.1, 7.0);
/// trace.note(4, 0.2, 7.0); // no better
/// assert_eq!(trace.points().len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    points: Vec<TracePoint>,
    seconds: f64,
}

impl Trace {
    /// The moments, in their order.
    pub fn points(&self) -> &[TracePoint] {
        &self.points
    }

    /// Seconds spent in all runs so far.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Notes the best value after so many evaluations and seconds, if it is another one than before.
    pub fn note(&mut self, evaluations: u64, seconds: f64, best: f64) {
        self.seconds = seconds;
        if self.points.last().is_none_or(|last| last.best != best) {
            self.points.push(TracePoint { evaluations, seconds, best });
        }
    }

    /// Notes the time alone.
    pub(crate) fn spend(&mut self, seconds: f64) {
        self.seconds = seconds;
    }
}
