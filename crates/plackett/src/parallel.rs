//! Work on several things side by side, where there are threads (feature `threads`). The answer is the same without.

/// Applies a function to everything in a list, with its place there.
#[cfg(feature = "threads")]
pub(crate) fn map<T: Sync, R: Send>(list: &[T], function: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    use rayon::prelude::*;
    list.par_iter().enumerate().map(|(at, thing)| function(at, thing)).collect()
}

#[cfg(not(feature = "threads"))]
pub(crate) fn map<T: Sync, R: Send>(list: &[T], function: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    list.iter().enumerate().map(|(at, thing)| function(at, thing)).collect()
}

/// How many of them are worked on at a time.
pub(crate) fn width() -> usize {
    #[cfg(feature = "threads")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "threads"))]
    1
}
