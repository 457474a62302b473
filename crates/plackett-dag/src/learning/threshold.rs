//! Leaving out the edges of a linear model whose weights are small. Scores that shrink weights, as `l1` does, keep many that are hardly
//! different from zero, and who counts edges may not want to count those.

use super::{Learned, Learning, Observations};
use crate::{Dag, Error, Result, error::check_positive};

impl Learning {
    /// Refuses a threshold where the edges have no weights to be held against it.
    pub(super) fn check_threshold(&self, data: &Observations) -> Result<()> {
        let Some(threshold) = self.numbers.threshold else { return Ok(()) };
        check_positive("threshold", threshold)?;
        let reason = match data {
            Observations::Numbers(_) if !self.method.is_pc() => return Ok(()),
            Observations::Numbers(_) => {
                "is for graphs by a score: the pattern of pc's tests has no weights, and alpha says how sure they are"
            }
            _ => "is for the weights of linear models, and there are categories, or values that are missing",
        };
        Err(Error::Misfit { setting: "threshold", reason: reason.to_owned() })
    }
}

impl Learned {
    /// The same without the edges whose weights are below a threshold, unless they are known to be there.
    pub(super) fn above(self, threshold: f64) -> Result<Self> {
        let is_light = |&(from, to, weight): &(usize, usize, f64)| {
            weight.abs() < threshold && !self.bounds.joins(from, to)
        };
        let dropped: Vec<_> = self.dag.edges().filter(is_light).collect();
        let nodes = self.dag.nodes();
        let dag = Dag::from_edges(nodes, self.dag.edges().filter(|edge| !is_light(edge)))?;
        let strengths = self.strengths.as_ref().map(|strengths| {
            Dag::from_edges(nodes, strengths.edges().filter(|&(from, to, _)| dag.has_edge(from, to)))
        });
        Ok(Self { cpdag: self.bounds.orient(&dag), strengths: strengths.transpose()?, dag, dropped, ..self })
    }
}
