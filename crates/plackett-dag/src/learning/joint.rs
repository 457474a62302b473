//! Learning from the moments of numbers and categories side by side, as from their rows, by what moments serve: the score `dg` and the
//! tests of blocks.

use std::sync::Arc;

use plackett::run::Run;

use super::{Learned, Learning, Observations, ScoreChoice, mixed, numbers, price};
use crate::{
    Error, JointMoments, LocalScore, Result,
    score::{degenerate::DegenerateGaussian, family::FamilyLocal, mixed::Price},
};

/// Learns a graph from columns that all vary.
pub(super) fn learn(learning: &Learning, data: &Arc<JointMoments>, run: &Run<'_>) -> Result<Learned> {
    let nodes = data.columns();
    if (0..nodes).all(|column| data.is_numeric(column)) {
        return numbers::learn(learning, &Arc::new(data.gram()?), run);
    }
    mixed::check(learning)?;
    let choice = match &learning.score {
        ScoreChoice::Named(name) if name == "dg" => None,
        ScoreChoice::Named(name) => {
            let reason = format!(
                "{name} does not fit: of statistics and of rows beyond memory the moments are known, and where numbers and categories stand side by side these serve dg alone"
            );
            return Err(Error::Misfit { setting: "score", reason });
        }
        _ => Some("the data are mixed, and moments are what is known of them".to_owned()),
    };
    mixed::check_memory(learning, data.width())?;
    let price = Price::new(data.rows() as f64, learning.numbers.penalty)?;
    let gaussian = Arc::new(DegenerateGaussian::new(data.blocks()?, price)?);
    if learning.method.is_pc() {
        return mixed::by_block_tests(learning, &gaussian, run);
    }
    let score = FamilyLocal::sharing(Arc::clone(&gaussian), nodes);
    let score = price::fitting(score, learning.numbers.penalty, run)?;
    let parent = Some(price.parameters(1.0) + score.edge_price());
    let score: Arc<dyn LocalScore> = Arc::new(score);
    let found = mixed::searched(learning, &Observations::Joint(Arc::clone(data)), &score, None, run)?;
    let found = mixed::with_posterior(learning, found, &score, Some(&gaussian), run)?;
    Ok(Learned { score_choice: choice, price: parent, ..found })
}
