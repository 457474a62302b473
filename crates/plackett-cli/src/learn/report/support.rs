//! What a bootstrap says of the edges: fields of the document, and a file.

use plackett::run::Ending;
use plackett_dag::{bootstrap::EdgeSupport, format::CpdagDocument};
use serde::Serialize;

use super::Report;
use crate::learn::{bootstrap::Supported, summary::THRESHOLD};

/// The shares of replicates in which two columns are joined, and which way.
#[derive(Serialize)]
pub(super) struct PairDocument<'a> {
    from: &'a str,
    to: &'a str,
    adjacent: f64,
    forward: f64,
    backward: f64,
    undirected: f64,
}

/// How the shares came about, and what most replicates agree on.
#[derive(Serialize)]
pub(super) struct BootstrapDocument {
    replicates: usize,
    wanted: u64,
    warm: bool,
    seconds: f64,
    status: Ending,
    threshold: f64,
    consensus: CpdagDocument,
}

impl Report<'_> {
    pub(super) fn support_document(&self) -> Option<Vec<PairDocument<'_>>> {
        self.support?;
        let pair = |(from, to, pair): (usize, usize, EdgeSupport)| PairDocument {
            from: self.name(from),
            to: self.name(to),
            adjacent: pair.adjacent,
            forward: pair.forward,
            backward: pair.backward,
            undirected: pair.undirected,
        };
        Some(self.summary.supported().into_iter().map(pair).collect())
    }

    pub(super) fn bootstrap_document(&self) -> Option<BootstrapDocument> {
        let &Supported { ref support, wanted, is_warm, seconds, ending, .. } = self.support?;
        Some(BootstrapDocument {
            replicates: support.replicates(),
            wanted,
            warm: is_warm,
            seconds,
            status: ending,
            threshold: THRESHOLD,
            consensus: CpdagDocument::new(&self.data.names, &support.consensus(THRESHOLD)),
        })
    }

    /// The pairs as a table for other programs.
    pub(super) fn support_csv(&self) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(pairs) = self.support_document() else { return Ok(None) };
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Also where there is no pair to name them by.
        if pairs.is_empty() {
            writer.write_record(["from", "to", "adjacent", "forward", "backward", "undirected"])?;
        }
        for pair in pairs {
            writer.serialize(pair)?;
        }
        Ok(Some(writer.into_inner()?))
    }
}

/// What to know of a bootstrap that ended early.
pub(super) fn warning(found: &Supported) -> Option<String> {
    let done = found.support.replicates();
    ((done as u64) < found.wanted).then(|| match done {
        0 => "the run ended before the first resample of --bootstrap was learned from".to_owned(),
        done => format!("the run ended after {done} of {} resamples: the support is by these", found.wanted),
    })
}
