//! Work at many nodes side by side, each with a test of its own to ask, until the run is over.

use std::sync::atomic::{AtomicU64, Ordering};

use plackett::run::Run;

use crate::independence::IndependenceTest;
use crate::pace::Pace;
use crate::parallel;

/// What a test counts for between two questions to the run: those on many rows take milliseconds.
const WORK_PER_TEST: usize = 1 << 10;

pub(super) struct Crew<'a, 'b, T> {
    test: &'a T,
    run: &'a Run<'b>,
    tests: AtomicU64,
}

/// A test of a node's own, with the count of what it was asked.
pub(super) struct Asked<'a, 'b, T> {
    test: T,
    pace: Pace<'a, 'b>,
    tests: u64,
}

impl<T: IndependenceTest> Asked<'_, '_, T> {
    pub(super) fn focus(&mut self, nodes: &[usize]) {
        self.test.focus(nodes);
    }

    pub(super) fn alpha(&self) -> f64 {
        self.test.alpha()
    }

    /// The p-value; nothing once the run is over.
    pub(super) fn p_value(&mut self, a: usize, b: usize, given: &[usize]) -> Option<f64> {
        self.pace.spend(WORK_PER_TEST)?;
        self.tests += 1;
        Some(self.test.p_value(a, b, given))
    }
}

impl<'a, 'b, T: IndependenceTest + Clone + Sync> Crew<'a, 'b, T> {
    pub(super) fn new(test: &'a T, run: &'a Run<'b>) -> Self {
        Self { test, run, tests: AtomicU64::new(0) }
    }

    /// The tests made so far, those of work that was cut short apart.
    pub(super) fn tests(&self) -> u64 {
        self.tests.load(Ordering::Relaxed)
    }

    /// The results of the work at each node, in their order; nothing once the run is over.
    pub(super) fn visit<R: Send>(
        &self,
        stage: &str,
        nodes: &[usize],
        work: impl Fn(&mut Asked<'_, '_, T>, usize) -> Option<R> + Sync,
    ) -> Option<Vec<R>> {
        self.run.begin(stage, Some(nodes.len() as u64));
        parallel::map(nodes, |&node| {
            if self.run.is_over() {
                return None;
            }
            let mut asked = Asked { test: self.test.clone(), pace: Pace::new(self.run), tests: 0 };
            let result = work(&mut asked, node)?;
            let tests = self.tests.fetch_add(asked.tests, Ordering::Relaxed) + asked.tests;
            self.run.advance(1);
            self.run.note(tests, None);
            Some(result)
        })
    }
}
