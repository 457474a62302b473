//! Ctrl-C, or the end of the time, as a request to stop: the run in progress ends and shows what it has.

use std::{
    ops::ControlFlow,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::Context;

static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// When the time is over.
static END: OnceLock<Instant> = OnceLock::new();

/// What is left to do if the program ends at once.
static LAST: OnceLock<fn()> = OnceLock::new();

/// From now on the first Ctrl-C asks for the result so far, and the second ends the program.
pub(crate) fn listen() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if IS_WANTED.swap(true, Ordering::Relaxed) {
            if let Some(last) = LAST.get() {
                last();
            }
            std::process::exit(130);
        }
    })
    .context("Ctrl-C cannot be caught")
}

/// Has this done if the second Ctrl-C ends the program.
pub(crate) fn at_once(last: fn()) {
    LAST.get_or_init(|| last);
}

/// Asks for the result so far once this time is over.
pub(crate) fn after(time: Duration) {
    if let Some(end) = Instant::now().checked_add(time) {
        END.get_or_init(|| end);
    }
}

/// Break once somebody has pressed Ctrl-C, or the time is over.
pub(crate) fn check() -> ControlFlow<()> {
    let is_over = END.get().is_some_and(|&end| Instant::now() >= end);
    if is_over || IS_WANTED.load(Ordering::Relaxed) {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
