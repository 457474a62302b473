//! Jobs of an experiment: one method on one data set each. Results are kept in the folder `jobs`, so a run that was stopped
//! goes on where it was; a job is a function of its settings alone, so the tables do not depend on threads or on
//! interruptions.

use std::path::Path;

use anyhow::Context;
use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{console, files::OutDir, interrupt};

/// One piece of an experiment.
pub(super) trait Job: Send + Sync {
    /// What is measured.
    type Measured: Serialize + DeserializeOwned + Send;

    /// A name of its own, for the file that keeps its result.
    fn name(&self) -> String;

    fn run(&self) -> anyhow::Result<Self::Measured>;
}

/// A result as it is kept. Results of other versions of the program are not used.
#[derive(Serialize, Deserialize)]
struct Kept<M> {
    version: String,
    #[serde(flatten)]
    measured: M,
}

/// Runs the jobs on all threads. After an interruption those that were not finished are missing from the answer.
pub(super) fn run<J: Job>(
    out: &OutDir,
    label: String,
    jobs: Vec<J>,
) -> anyhow::Result<Vec<(J, J::Measured)>> {
    let folder = out.folder("jobs")?;
    let bar = console::progress(jobs.len() as u64, label);
    let done: Vec<Option<(J, J::Measured)>> = jobs
        .into_par_iter()
        .map(|job| {
            let measured = finish(&job, &folder)?;
            bar.inc(1);
            Ok(measured.map(|measured| (job, measured)))
        })
        .collect::<anyhow::Result<_>>()?;
    bar.finish_and_clear();
    Ok(done.into_iter().flatten().collect())
}

fn finish<J: Job>(job: &J, folder: &OutDir) -> anyhow::Result<Option<J::Measured>> {
    let file = format!("{}.json", job.name());
    if let Some(measured) = kept(&folder.path().join(&file)) {
        return Ok(Some(measured));
    }
    if interrupt::check().is_break() {
        return Ok(None);
    }
    let measured = job.run().with_context(|| job.name())?;
    // A job that was cut short is no result.
    if interrupt::check().is_break() {
        return Ok(None);
    }
    let kept = Kept { version: env!("CARGO_PKG_VERSION").to_owned(), measured };
    folder.write(&file, serde_json::to_string(&kept)?.as_bytes())?;
    Ok(Some(kept.measured))
}

/// The result of an earlier run, if there is one that can be read and is of this version.
fn kept<M: DeserializeOwned>(path: &Path) -> Option<M> {
    let kept: Kept<M> = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (kept.version == env!("CARGO_PKG_VERSION")).then_some(kept.measured)
}
