//! Scores of mixed data: by name, with what they have in common.

use std::sync::Arc;

use plackett::{elementary::ln, run::Run};

use super::conditional::{self, ConditionalGaussian};
use super::degenerate::{self, DegenerateGaussian};
use super::family::FamilyLocal;
use super::node_average::{self, NodeAverage};
use crate::error::check_setting;
use crate::mixed::{Blocks, Mixed};
use crate::{Error, JointMoments, LocalScore, Result};

/// Rows that covariances are made with beside those of the data: one is enough to keep every determinant away from zero, and
/// few enough to leave the score as it is.
pub(super) const PSEUDO_ROWS: f64 = 1.0;

/// The scores of mixed data known by name, the default first.
///
/// ```
/// assert!(plackett_dag::score::MIXED_SCORES.iter().any(|entry| entry.name == "cg"));
/// ```
pub const MIXED_SCORES: &[MixedScoreEntry] = &[degenerate::ENTRY, conditional::ENTRY, node_average::ENTRY];

/// How a score of mixed data is known.
///
/// ```
/// for entry in plackett_dag::score::MIXED_SCORES {
///     assert!(!entry.name.is_empty() && !entry.summary.is_empty());
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct MixedScoreEntry {
    /// Name for settings and the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub summary: &'static str,
}

/// What the scores of mixed data can be told.
///
/// ```
/// assert_eq!(plackett_dag::score::MixedScoreSettings::default().penalty_factor, None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MixedScoreSettings {
    /// κ, which multiplies the price of a parameter, ½ log n.
    pub penalty_factor: Option<f64>,
}

/// What a parameter costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Price(f64);

impl Price {
    /// For data of so many rows: ½ log n, times a factor if one is given.
    pub(crate) fn new(rows: f64, factor: Option<f64>) -> Result<Self> {
        let factor = factor.unwrap_or(1.0);
        let is_valid = factor >= 0.0 && factor.is_finite();
        check_setting("the penalty factor", factor, is_valid, "it must be at least 0 and finite")?;
        Ok(Self(factor * 0.5 * ln(rows.max(1.0))))
    }

    pub(crate) fn parameters(self, count: f64) -> f64 {
        self.0 * count
    }
}

/// What an edge costs beside its parameters before the data have been looked at.
pub(crate) fn first_edge_price(nodes: usize) -> f64 {
    ln(nodes.max(1) as f64)
}

/// What is made of the rows in which a node was not set from outside, for each node that was in others; nothing if the run is
/// over first.
fn own<F>(
    data: &Mixed,
    factor: Option<f64>,
    run: &Run<'_>,
    build: impl Fn(&Mixed, Price) -> Result<Option<F>>,
) -> Result<Option<Vec<Option<F>>>> {
    let nodes = data.columns().len();
    let mut families = Vec::with_capacity(nodes);
    for node in 0..nodes {
        let Some(kept) = data.kept_by(node) else {
            families.push(None);
            continue;
        };
        let price = Price::new(kept.total(), factor)?;
        match build(&kept, price)? {
            Some(family) if !run.is_over() => families.push(Some(family)),
            _ => return Ok(None),
        }
    }
    Ok(Some(families))
}

/// The degenerate Gaussians of nodes that were set from outside in some rows; nothing if the run is over first.
pub(crate) fn own_gaussians(
    data: &Mixed,
    factor: Option<f64>,
    run: &Run<'_>,
) -> Result<Option<Vec<Option<DegenerateGaussian>>>> {
    own(data, factor, run, |kept, price| {
        Blocks::of(kept, run)?.map(|blocks| DegenerateGaussian::new(blocks, price)).transpose()
    })
}

/// The score `cg`, edges without a price of their own.
pub(crate) fn conditional_gaussian(
    data: &Mixed,
    factor: Option<f64>,
) -> Result<FamilyLocal<ConditionalGaussian>> {
    let price = Price::new(data.total(), factor)?;
    let build = |kept: &Mixed, price: Price| Ok(Some(ConditionalGaussian::new(kept, price)));
    let own = own(data, factor, &Run::default(), build)?.ok_or(Error::Empty)?;
    Ok(FamilyLocal::new(ConditionalGaussian::new(data, price), data.columns().len()).with_own(own))
}

/// The score `cg` by the moments of each combination of categories; nothing if these are not known.
pub(crate) fn conditional_gaussian_of_moments(
    data: &JointMoments,
    factor: Option<f64>,
) -> Result<Option<FamilyLocal<ConditionalGaussian>>> {
    let price = Price::new(data.rows() as f64, factor)?;
    let score = ConditionalGaussian::of_moments(data, price)?;
    Ok(score.map(|score| FamilyLocal::new(score, data.columns())))
}

/// The score `nal`, likewise.
pub(crate) fn node_average(data: &Mixed, factor: Option<f64>) -> Result<FamilyLocal<NodeAverage>> {
    let price = Price::new(data.total(), factor)?;
    let build = |kept: &Mixed, price: Price| NodeAverage::new(kept, price).map(Some);
    let own = own(data, factor, &Run::default(), build)?.ok_or(Error::Empty)?;
    Ok(FamilyLocal::new(NodeAverage::new(data, price)?, data.columns().len()).with_own(own))
}

/// Makes the score registered under `name`; `dg` and `cg` need complete data.
///
/// # Errors
/// [`Error::UnknownScore`], [`Error::Setting`], and [`Error::Empty`] if no column varies.
///
/// ```
/// use plackett_dag::{Mixed, mixed::MixedColumn, score::{MixedScoreSettings, mixed_score_by_name}};
/// let columns = vec![
///     MixedColumn::Categories { codes: vec![0, 1, 0, 1], levels: 2 },
///     MixedColumn::Numbers(vec![1.0, 2.5, 0.5, 2.0]),
/// ];
/// let data = Mixed::new(columns)?.into();
/// assert_eq!(mixed_score_by_name("cg", &data, &MixedScoreSettings::default())?.nodes(), 2);
/// assert!(mixed_score_by_name("none", &data, &MixedScoreSettings::default()).is_err());
/// # Ok::<(), plackett_dag::Error>(())
/// ```
pub fn mixed_score_by_name(
    name: &str,
    data: &Arc<Mixed>,
    settings: &MixedScoreSettings,
) -> Result<Arc<dyn LocalScore>> {
    let nodes = data.columns().len();
    let factor = settings.penalty_factor;
    let edge = factor.map_or_else(|| first_edge_price(nodes), |_| 0.0);
    if !data.is_complete() && name != "nal" {
        return Err(Error::Misfit { setting: "score", reason: format!("{name} needs complete rows") });
    }
    match name {
        "nal" => Ok(Arc::new(node_average(data, factor)?.priced(edge))),
        "dg" => {
            let run = &Run::default();
            let blocks = Blocks::of(data, run)?.ok_or(Error::Empty)?;
            let own = own_gaussians(data, factor, run)?.ok_or(Error::Empty)?;
            let gaussian = DegenerateGaussian::new(blocks, Price::new(data.total(), factor)?)?;
            Ok(Arc::new(FamilyLocal::new(gaussian, nodes).with_own(own).priced(edge)))
        }
        "cg" => Ok(Arc::new(conditional_gaussian(data, factor)?.priced(edge))),
        _ => Err(Error::UnknownScore {
            name: name.to_owned(),
            known: MIXED_SCORES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", "),
        }),
    }
}
