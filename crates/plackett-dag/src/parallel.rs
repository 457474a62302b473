//! Work on several things side by side, where there are threads (feature `threads`). The answer is the same without.

#[cfg(feature = "threads")]
use rayon::prelude::*;

/// Applies a function to each of the things, and collects what comes out in their order.
#[cfg(feature = "threads")]
pub(crate) fn map<T, R: Send, C>(
    things: T,
    function: impl Fn(<T as IntoIterator>::Item) -> R + Sync + Send,
) -> C
where
    T: IntoIterator + IntoParallelIterator<Iter: IndexedParallelIterator, Item = <T as IntoIterator>::Item>,
    C: FromIterator<R> + FromParallelIterator<R>,
{
    if plackett::run::threads() > 1 {
        // The work at one thing, a node mostly, is long, and differs much from one to the next.
        return things.into_par_iter().with_max_len(1).map(function).collect();
    }
    things.into_iter().map(function).collect()
}

/// The same with room to work in, which a thread makes once for as many things as it comes to.
#[cfg(feature = "threads")]
pub(crate) fn map_with<T, S, R: Send, C>(
    things: T,
    start: impl Fn() -> S + Sync + Send,
    function: impl Fn(&mut S, <T as IntoIterator>::Item) -> R + Sync + Send,
) -> C
where
    T: IntoIterator + IntoParallelIterator<Item = <T as IntoIterator>::Item>,
    C: FromIterator<R> + FromParallelIterator<R>,
{
    if plackett::run::threads() > 1 {
        return things.into_par_iter().map_init(start, function).collect();
    }
    let mut room = start();
    things.into_iter().map(|thing| function(&mut room, thing)).collect()
}

#[cfg(not(feature = "threads"))]
pub(crate) fn map<T: IntoIterator, R: Send, C: FromIterator<R>>(
    things: T,
    function: impl Fn(T::Item) -> R + Sync + Send,
) -> C {
    things.into_iter().map(function).collect()
}

#[cfg(not(feature = "threads"))]
pub(crate) fn map_with<T: IntoIterator, S, R: Send, C: FromIterator<R>>(
    things: T,
    start: impl Fn() -> S + Sync + Send,
    function: impl Fn(&mut S, T::Item) -> R + Sync + Send,
) -> C {
    let mut room = start();
    things.into_iter().map(|thing| function(&mut room, thing)).collect()
}
