//! How often a kernel asks its run whether it is over: after so much work, not at every turn of a loop.

use plackett::run::Run;

/// Operations between two questions: some microseconds of work, against some tens of nanoseconds for the question.
const WORK_PER_QUESTION: usize = 1 << 14;

/// Counts work and asks the run now and then.
pub(crate) struct Pace<'a, 'b> {
    run: &'a Run<'b>,
    work: usize,
}

impl<'a, 'b> Pace<'a, 'b> {
    pub(crate) fn new(run: &'a Run<'b>) -> Self {
        Self { run, work: 0 }
    }

    /// So many operations more are made; nothing once the run is over.
    #[inline]
    pub(crate) fn spend(&mut self, work: usize) -> Option<()> {
        self.work += work;
        if self.work < WORK_PER_QUESTION {
            return Some(());
        }
        self.work = 0;
        (!self.run.is_over()).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use plackett::run::Limits;

    use super::*;

    #[test]
    fn the_run_is_asked_once_in_a_while() {
        let looks = AtomicU64::new(0);
        let clock = || Duration::from_secs(looks.fetch_add(1, Ordering::Relaxed));
        let run = Run::by(&clock, Limits::time(Duration::from_secs(3)));
        let mut pace = Pace::new(&run);
        let spent = (0..100 * WORK_PER_QUESTION).take_while(|_| pace.spend(1).is_some()).count();
        assert_eq!(spent, 3 * WORK_PER_QUESTION - 1, "the clock shows 1, 2 and 3 seconds");
    }
}
