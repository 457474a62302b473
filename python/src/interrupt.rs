//! Native work that Ctrl-C can end: it has a thread of its own, while the one that Python called looks for signals and tells
//! how far the work is. Nothing runs on after the call has returned.

use std::{
    ops::ControlFlow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use plackett::run::{Observer, Progress};
use pyo3::prelude::*;

/// How often the calling thread looks for Ctrl-C and tells the progress.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What the two threads share.
#[derive(Default)]
struct Desk {
    is_stopping: AtomicBool,
    news: Mutex<Option<Progress>>,
}

impl Desk {
    fn news(&self) -> std::sync::MutexGuard<'_, Option<Progress>> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for &Desk {
    fn observe(&mut self, progress: &Progress) -> ControlFlow<()> {
        *self.news() = Some(progress.clone());
        if self.is_stopping.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Does some work under an observer that ends it once Ctrl-C is pressed or `tell` raises an exception. Returns what the work
/// came to, and the first such exception: whether it is raised or the best so far returned is for the caller to say.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    mut tell: impl FnMut(&Progress) -> PyResult<()>,
    work: impl FnOnce(&mut dyn Observer) -> T + Send,
) -> (T, Option<PyErr>) {
    let desk = Desk::default();
    let mut raised = None;
    let done = thread::scope(|scope| {
        let (at_work, end) = mpsc::channel::<()>();
        let end = Mutex::new(end);
        let desk = &desk;
        let worker = scope.spawn(move || {
            let _at_work = at_work; // dropped when the work is done, or has panicked
            let mut observer = desk;
            work(&mut observer)
        });
        let wait = || end.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK_EVERY);
        while let Err(RecvTimeoutError::Timeout) = py.detach(wait) {
            if raised.is_some() {
                continue;
            }
            let news = desk.news().take();
            let told = py.check_signals().and_then(|()| news.as_ref().map_or(Ok(()), &mut tell));
            if let Err(error) = told {
                desk.is_stopping.store(true, Ordering::Relaxed);
                raised = Some(error);
            }
        }
        worker.join()
    });
    (done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), raised)
}
