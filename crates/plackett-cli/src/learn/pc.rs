//! PC-stable as `plackett learn` runs it: with a bar, and stopped by Ctrl-C.

use anyhow::bail;
use plackett::Status;
use plackett_dag::{IndependenceTest, Pc, PcResult};

use crate::{console, interrupt};

/// The level of the tests where their answer is the graph.
pub(super) const METHOD_ALPHA: f64 = 0.01;

/// Tests all pairs of columns.
pub(super) fn run<T: IndependenceTest + Clone + Sync>(
    test: &T,
    max_conditioning: Option<usize>,
) -> anyhow::Result<PcResult> {
    let bar = console::progress(1, "PC-stable");
    let found = Pc { max_conditioning }.run(test, |progress| {
        bar.set_length(progress.nodes as u64);
        bar.set_position(progress.done as u64);
        if let Some(level) = progress.level {
            bar.set_message(format!("PC-stable, given {level}"));
        }
        interrupt::check()
    });
    bar.finish_and_clear();
    if found.status == Status::Interrupted {
        bail!("interrupted before there was a graph to show");
    }
    Ok(found)
}

/// What the user should know of the answer.
pub(super) fn warnings(found: &PcResult) -> Vec<String> {
    let _ = found;
    Vec::new()
}
