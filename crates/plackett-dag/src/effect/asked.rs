//! What questions for effects have in common: which nodes are meant, which states, and how it is said.

use crate::error::check_setting;
use crate::{Error, Result};

pub(super) fn check_level(level: f64) -> Result<()> {
    check_setting("level", level, level > 0.0 && level < 1.0, "it must be between 0 and 1")
}

/// The nodes of the causes and of the outcome.
pub(super) fn nodes(causes: &[String], outcome: &String, names: &[String]) -> Result<(Vec<usize>, usize)> {
    let find = |wanted: &String| names.iter().position(|name| name == wanted);
    let mut unknown: Vec<String> =
        causes.iter().chain([outcome]).filter(|name| find(name).is_none()).cloned().collect();
    unknown.dedup();
    let Some(place) = find(outcome).filter(|_| unknown.is_empty()) else {
        return Err(Error::NoSuchColumn { names: unknown, known: names.to_vec() });
    };
    if causes.is_empty() {
        return Err(Error::Question { reason: "no cause is named".to_owned() });
    }
    if causes.contains(outcome) {
        let reason = format!("the cause and the outcome are the same column, \"{outcome}\"");
        return Err(Error::Question { reason });
    }
    if let Some(at) = (1..causes.len()).find(|&at| causes[..at].contains(&causes[at])) {
        return Err(Error::Question { reason: format!("the cause \"{}\" is named twice", causes[at]) });
    }
    Ok((causes.iter().filter_map(find).collect(), place))
}

fn code(column: &str, labels: &[String], text: &str) -> Result<usize> {
    let unknown = || Error::UnknownCategory {
        column: column.to_owned(),
        category: text.to_owned(),
        known: labels.to_vec(),
    };
    labels.iter().position(|label| label == text).ok_or_else(unknown)
}

/// The codes that a cause with these categories, which are none for numbers, goes from and to.
pub(super) fn change(
    asked: Option<(&str, &str)>,
    cause: &str,
    labels: &[String],
) -> Result<Option<(usize, usize)>> {
    let misfit = |reason: String| Err(Error::Misfit { setting: "change", reason });
    match (asked, labels.len()) {
        (Some(_), 0) => misfit(format!("is for categories, and \"{cause}\" holds numbers")),
        (_, 1) => {
            let reason = format!("\"{cause}\" has one category only: it cannot be changed");
            Err(Error::Question { reason })
        }
        (Some((from, to)), _) if from == to => misfit(format!("goes from \"{from}\" to the same")),
        (Some((from, to)), _) => Ok(Some((code(cause, labels, from)?, code(cause, labels, to)?))),
        (None, 0) => Ok(None),
        (None, levels) => Ok(Some((0, levels - 1))),
    }
}

/// The code of the state of the outcome that is looked at.
pub(super) fn state(asked: Option<&str>, outcome: &str, labels: &[String]) -> Result<Option<usize>> {
    match (asked, labels.len()) {
        (Some(_), 0) => {
            let reason = format!("is for categories, and \"{outcome}\" holds numbers");
            Err(Error::Misfit { setting: "state", reason })
        }
        (Some(state), _) => code(outcome, labels, state).map(Some),
        (None, 0) => Ok(None),
        (None, levels) => Ok(Some(levels - 1)),
    }
}

/// What changes, in words.
pub(super) fn what(outcome: &str, state: Option<&str>) -> String {
    match state {
        None => format!("change of the mean of {outcome}"),
        Some(state) => format!("change of the probability of {outcome} = {state}"),
    }
}

/// What is done to a cause, in words.
pub(super) fn way(cause: &str, change: Option<&[String; 2]>) -> String {
    match change {
        None => format!("{cause} is raised by one"),
        Some([from, to]) => format!("{cause} goes from {from} to {to}"),
    }
}
