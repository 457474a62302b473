//! The places where a disk, a system or a machine without memory can fail, so that a test can make them: in builds with debug
//! assertions the one that the environment variable `PLACKETT_FAULT` counts to, from one, does. Elsewhere nothing is looked at.

use std::io;

/// One of those places: an error if it is the one that is to fail.
///
/// ```
/// assert!(plackett::faults::at("write").is_ok());
/// ```
///
/// # Errors
/// The fault that a test asked for.
pub fn at(what: &'static str) -> io::Result<()> {
    if is_due() { Err(io::Error::other(format!("a fault made for a test ({what})"))) } else { Ok(()) }
}

#[cfg(debug_assertions)]
fn is_due() -> bool {
    use std::sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    };
    static WANTED: OnceLock<Option<u64>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let wanted = *WANTED.get_or_init(|| std::env::var("PLACKETT_FAULT").ok()?.parse().ok());
    wanted.is_some_and(|wanted| PASSED.fetch_add(1, Ordering::Relaxed) + 1 == wanted)
}

#[cfg(not(debug_assertions))]
fn is_due() -> bool {
    false
}
