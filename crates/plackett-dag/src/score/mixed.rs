//! Scores of mixed data: by name, with what they have in common.

use std::sync::Arc;

use plackett::{elementary::ln, run::Run};

use super::conditional::{self, ConditionalGaussian};
use super::degenerate::{self, DegenerateGaussian};
use super::family::FamilyLocal;
use super::node_average::{self, NodeAverage};
use crate::error::check_factor;
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
        check_factor(factor)?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interventions;
    use crate::mixed::MixedColumn;
    use crate::testing::{Rng, normal};

    fn categories(rows: usize, step: usize, levels: usize) -> MixedColumn {
        MixedColumn::Categories { codes: (0..rows).map(|row| (row / step % levels) as u8).collect(), levels }
    }

    /// Two categories, and with numbers two more columns.
    fn data(rows: usize, with_numbers: bool) -> Mixed {
        let mut columns = vec![categories(rows, 1, 3), categories(rows, 2, 2)];
        if with_numbers {
            let mut rng = Rng::new(2);
            let numbers: Vec<f64> = (0..rows).map(|row| (row % 3) as f64 + normal(&mut rng)).collect();
            columns
                .push(MixedColumn::Numbers(numbers.iter().map(|number| number + normal(&mut rng)).collect()));
            columns.push(MixedColumn::Numbers(numbers));
        } else {
            columns.extend([categories(rows, 5, 4), categories(rows, 3, 2)]);
        }
        Mixed::new(columns).unwrap()
    }

    fn costs(score: &dyn LocalScore, node: usize) -> Vec<f64> {
        let others: Vec<usize> = (0..4).filter(|&other| other != node).collect();
        let sets = [vec![], vec![others[0]], vec![others[2]], vec![others[1], others[2]]];
        sets.into_iter().map(|set| score.cost(node, &set.into_iter().collect()).unwrap()).collect()
    }

    fn check_near(found: &[f64], wanted: &[f64]) {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * b.abs().max(1.0);
        assert!(
            found.len() == wanted.len() && found.iter().zip(wanted).all(near),
            "{found:?} for {wanted:?}"
        );
    }

    #[test]
    fn nodes_that_were_set_cost_what_their_other_rows_do() {
        let targets = [vec![], vec![1], vec![2, 3], vec![]];
        let told = Interventions::new(4, (0..60).map(|row| targets[row / 7 % 4].clone())).unwrap();
        for name in ["dg", "cg", "nal"] {
            let score = |data: Mixed| {
                mixed_score_by_name(name, &Arc::new(data), &MixedScoreSettings::default()).unwrap()
            };
            let data = data(60, name != "nal");
            let all = data.clone().with_interventions(told.clone()).unwrap();
            let found = score(all.clone());
            assert_eq!((found.name(), found.nodes()), (name, 4));
            for node in 0..4 {
                let wanted = score(all.kept_by(node).unwrap_or_else(|| data.clone()));
                check_near(&costs(&*found, node), &costs(&*wanted, node));
            }
        }
    }

    #[test]
    fn an_edge_has_its_first_price_unless_a_factor_is_given() {
        for name in ["dg", "cg", "nal"] {
            let data = Arc::new(data(60, name != "nal"));
            let score = |penalty_factor: Option<f64>| {
                mixed_score_by_name(name, &data, &MixedScoreSettings { penalty_factor }).unwrap()
            };
            let (plain, factor, free) = (score(None), score(Some(1.0)), score(Some(0.0)));
            for node in 0..4 {
                let edges = [0.0, 1.0, 1.0, 2.0].map(|edges| edges * 4_f64.ln());
                let wanted: Vec<f64> =
                    costs(&*factor, node).iter().zip(edges).map(|(cost, edge)| cost + edge).collect();
                check_near(&costs(&*plain, node), &wanted);
                // Parameters that cost nothing leave the fit.
                let fits = costs(&*free, node);
                assert!(fits[1] < costs(&*factor, node)[1] - 1.0);
            }
            for bad in [-1.0, f64::INFINITY, f64::NAN] {
                let settings = MixedScoreSettings { penalty_factor: Some(bad) };
                assert!(mixed_score_by_name(name, &data, &settings).is_err());
            }
        }
    }

    #[test]
    fn what_is_missing_is_for_nal_alone() {
        let mut columns = data(30, false).columns().to_vec();
        let MixedColumn::Categories { codes, levels } = &mut columns[0] else { panic!("categories") };
        codes[4] = *levels as u8;
        let data = Arc::new(Mixed::new(columns).unwrap());
        let score = |name: &str| mixed_score_by_name(name, &data, &MixedScoreSettings::default()).map(|_| ());
        assert!(score("nal").is_ok());
        for name in ["dg", "cg"] {
            assert!(matches!(score(name), Err(Error::Misfit { setting: "score", .. })), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        let data = Arc::new(data(30, true));
        match mixed_score_by_name("none", &data, &MixedScoreSettings::default()).map(|_| ()) {
            Err(Error::UnknownScore { name, known }) => {
                assert_eq!((&name[..], &known[..]), ("none", "dg, cg, nal"));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn moments_of_cells_serve_as_well_as_rows() {
        let data = data(80, true);
        let moments = JointMoments::of(&data, &Run::default()).unwrap().unwrap();
        for factor in [None, Some(0.7)] {
            let by_rows = conditional_gaussian(&data, factor).unwrap();
            let by_cells = conditional_gaussian_of_moments(&moments, factor).unwrap().unwrap();
            (0..4).for_each(|node| check_near(&costs(&by_cells, node), &costs(&by_rows, node)));
        }
    }

    #[test]
    fn a_run_that_is_over_leaves_no_gaussians() {
        let told =
            Interventions::new(4, (0..40).map(|row| if row % 4 == 0 { vec![3] } else { vec![] })).unwrap();
        let data = data(40, true).with_interventions(told).unwrap();
        let own = own_gaussians(&data, None, &Run::default()).unwrap().unwrap();
        assert_eq!(own.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, false, true]);
        let clock = || std::time::Duration::from_secs(9);
        let run = Run::by(&clock, plackett::run::Limits::time(std::time::Duration::ZERO));
        assert!(own_gaussians(&data, None, &run).unwrap().is_none());
        let build = |_: &Mixed, _: Price| Ok(Some(()));
        assert!(super::own(&data, None, &run, build).unwrap().is_none());
    }

    #[test]
    fn prices_are_of_parameters_and_of_pairs() {
        assert!((Price::new(50.0, Some(3.0)).unwrap().parameters(4.0) - 6.0 * 50_f64.ln()).abs() < 1e-12);
        assert_eq!(Price::new(0.5, None).unwrap().parameters(4.0), 0.0);
        assert_eq!((first_edge_price(0), first_edge_price(1)), (0.0, 0.0));
        assert!((first_edge_price(7) - 7_f64.ln()).abs() < 1e-15);
    }
}
