//! Threads that each ask a test of their own, and the observer who hears how far they are.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::PcProgress;
use crate::IndependenceTest;

pub(super) struct Crew<'a, T, O> {
    test: &'a T,
    watch: Mutex<Watch<O>>,
}

struct Watch<O> {
    observe: O,
    progress: PcProgress,
    is_stopped: bool,
}

impl<'a, T, O> Crew<'a, T, O>
where
    T: IndependenceTest + Clone + Sync,
    O: FnMut(&PcProgress) -> ControlFlow<()> + Send,
{
    pub(super) fn new(test: &'a T, observe: O) -> Self {
        let progress = PcProgress { level: None, done: 0, nodes: 0, tests: 0 };
        Self { test, watch: Mutex::new(Watch { observe, progress, is_stopped: false }) }
    }

    /// A panic of the observer ends the run in any case, so that no one sees what it left.
    fn watch(&self) -> MutexGuard<'_, Watch<O>> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tests made so far.
    pub(super) fn tests(&self) -> u64 {
        self.watch().progress.tests
    }

    /// The results of the work at each node, in their order; it also says how many tests it made. `None` if the observer
    /// ends the run.
    pub(super) fn visit<R: Send>(
        &self,
        level: Option<usize>,
        nodes: &[usize],
        work: impl Fn(&mut T, usize) -> (u64, R) + Sync,
    ) -> Option<Vec<R>> {
        let tests = self.tests();
        self.watch().progress = PcProgress { level, done: 0, nodes: nodes.len(), tests };
        let visit = |test: &mut T, &node: &usize| {
            if self.watch().is_stopped {
                return None;
            }
            let (tests, result) = work(test, node);
            let mut guard = self.watch();
            let watch = &mut *guard;
            watch.progress.tests += tests;
            watch.progress.done += 1;
            watch.is_stopped |= (watch.observe)(&watch.progress).is_break();
            (!watch.is_stopped).then_some(result)
        };
        // The work at one node is long, and differs much from node to node.
        nodes.par_iter().with_max_len(1).map_init(|| self.test.clone(), visit).collect()
    }
}
