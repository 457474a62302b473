//! Progress of a long computation on several threads, and a way to stop it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How much of the work is done.
///
/// ```
/// let progress = plackett_dag::BuildProgress { done: 3, total: 4 };
/// assert!(progress.done < progress.total);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// Parts finished. Parts differ in size.
    pub done: usize,
    /// Parts in all.
    pub total: usize,
}

/// What is told of progress; it may be called from several threads at once.
pub(super) type Observer<'a> = &'a (dyn Fn(BuildProgress) -> ControlFlow<()> + Sync);

pub(super) struct Watch<'a> {
    done: AtomicUsize,
    total: usize,
    stop: AtomicBool,
    observe: Observer<'a>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(total: usize, observe: Observer<'a>) -> Self {
        Self { done: AtomicUsize::new(0), total, stop: AtomicBool::new(false), observe }
    }

    /// One part more is done.
    pub(super) fn advance(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if (self.observe)(BuildProgress { done, total: self.total }).is_break() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
