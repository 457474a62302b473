//! Jobs of an experiment: one method on one data set each. Results are kept in the folder `jobs`, so a run that was stopped
//! goes on where it was; a job is a function of its settings alone, so the tables do not depend on threads or on
//! interruptions.

use std::{
    hash::{DefaultHasher, Hasher},
    path::Path,
    sync::OnceLock,
};

use anyhow::Context;
use plackett::run::{Progress, Run};
use rayon::prelude::*;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{console, files::OutDir, interrupt};

/// One piece of an experiment.
pub(super) trait Job: Send + Sync {
    /// What is measured.
    type Measured: Serialize + DeserializeOwned + Send;

    /// A name of its own, for the file that keeps its result.
    fn name(&self) -> String;

    /// Measures it; what comes out once the run is over is not kept.
    fn run(&self, run: &Run<'_>) -> anyhow::Result<Self::Measured>;
}

/// A result as it is kept. Results that another program computed are not used: whatever has changed in it, the results
/// may have.
#[derive(Serialize, Deserialize)]
struct Kept<M> {
    program: String,
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
    let mut observer = |_: &Progress| interrupt::check();
    let run = Run::default().observed(&mut observer);
    let measured = job.run(&run).with_context(|| job.name())?;
    // A job that was cut short is no result.
    if run.is_over() || interrupt::check().is_break() {
        return Ok(None);
    }
    let kept = Kept { program: program().to_owned(), measured };
    folder.write(&file, serde_json::to_string(&kept)?.as_bytes())?;
    Ok(Some(kept.measured))
}

/// What tells this program from any other: its version and a hash of its own file.
fn program() -> &'static str {
    static PROGRAM: OnceLock<String> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        let file = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
        hasher.write(&file);
        format!("{}-{:016x}", env!("CARGO_PKG_VERSION"), hasher.finish())
    })
}

/// The result of an earlier run, if there is one that can be read and is of this program.
fn kept<M: DeserializeOwned>(path: &Path) -> Option<M> {
    let kept: Kept<M> = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    (kept.program == program()).then_some(kept.measured)
}
