//! What the user knows of the graph: files and flags, brought together for the columns of the data.

use std::path::PathBuf;

use clap::Args;
use plackett::run::Run;
use plackett_dag::{
    Error, Knowledge, Learned, Learning, Observations,
    knowledge::{Resolved, Tier, pair, tiers},
    learning::KnowledgeCost,
};

use crate::console::BadInput;

#[derive(Args)]
pub(crate) struct KnowledgeArguments {
    /// What is known of the graph, which it then keeps: a JSON file with required, forbidden, tiers, exogenous, terminal, adjacent
    /// and apart, or one of Tetrad's /knowledge files
    #[arg(long, value_name = "FILE")]
    knowledge: Vec<PathBuf>,
    /// An edge that must be there, from A to B; may be given many times. A * in a name stands for any characters
    #[arg(long, value_name = "A,B", value_parser = pair)]
    require: Vec<(String, String)>,
    /// An edge that must not be there, from A to B; may be given many times
    #[arg(long, value_name = "A,B", value_parser = pair)]
    forbid: Vec<(String, String)>,
    /// Groups of columns, the earliest first, as in 'A B; C; D': nothing causes what is in an earlier one. A group in brackets has
    /// no edges within it, names with blanks are put in quotation marks
    #[arg(long, value_name = "TIERS", value_parser = |text: &str| tiers(text).map(Tiers))]
    tiers: Vec<Tiers>,
}

/// The tiers of one flag.
#[derive(Clone)]
struct Tiers(Vec<Tier>);

impl KnowledgeArguments {
    /// All of it together.
    pub(crate) fn gather(&self) -> anyhow::Result<Knowledge> {
        let mut knowledge = Knowledge {
            required: self.require.clone(),
            forbidden: self.forbid.clone(),
            tiers: self.tiers.iter().flat_map(|tiers| tiers.0.clone()).collect(),
            ..Knowledge::default()
        };
        for path in &self.knowledge {
            let more = Knowledge::read(path).map_err(spelled_out)?;
            knowledge.add(more).map_err(spelled_out)?;
        }
        Ok(knowledge)
    }
}

/// What is known of the columns, if anything is.
pub(crate) fn resolve(knowledge: &Knowledge, names: &[String]) -> anyhow::Result<Option<Resolved>> {
    if knowledge.is_empty() {
        return Ok(None);
    }
    Ok(Some(knowledge.resolve(names).map_err(spelled_out)?))
}

/// A refusal with a line for each problem.
fn spelled_out(error: Error) -> anyhow::Error {
    match error {
        Error::Knowledge { problems } => {
            BadInput(format!("what is known cannot be so:\n  {}", problems.join("\n  "))).into()
        }
        error => error.into(),
    }
}

/// Knowledge, and what it cost.
pub(super) struct Known {
    pub(super) resolved: Resolved,
    pub(super) cost: KnowledgeCost,
}

impl Known {
    pub(super) fn weigh(
        resolved: Resolved,
        learning: &Learning,
        data: &Observations,
        learned: &Learned,
        run: &Run<'_>,
    ) -> Result<Self, Error> {
        let cost = learning.knowledge_cost(data, &resolved, learned, run)?;
        Ok(Self { resolved, cost })
    }
}
