//! Work on several things side by side, where there are threads (feature `threads`). The answer is the same without.

use crate::{error::Error, run::threads};

/// Applies a function to everything in a list, with its place there.
pub(crate) fn map<T: Sync, R: Send>(list: &[T], function: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    #[cfg(feature = "threads")]
    if threads() > 1 {
        use rayon::prelude::*;
        return list.par_iter().enumerate().map(|(at, thing)| function(at, thing)).collect();
    }
    list.iter().enumerate().map(|(at, thing)| function(at, thing)).collect()
}

/// How many of them are worked on at a time.
pub(crate) fn width() -> usize {
    threads()
}

/// Fills a list side by side, `width` entries at a time: `fill` gets their number, the entries, and room that it finds as it left
/// it or new. Each costs `work`, and less than `part` of that is not worth another thread. Of several errors the first entries' is kept.
#[cfg_attr(not(feature = "threads"), expect(unused_variables, reason = "without threads there are no parts"))]
pub(crate) fn fill<T: Send, R>(
    list: &mut [T],
    width: usize,
    work: usize,
    part: usize,
    room: impl Fn() -> R + Sync,
    fill: impl Fn(usize, &mut [T], &mut R) -> Result<(), Error> + Sync,
) -> Result<(), Error> {
    let count = (part / work.max(1)).max(1);
    #[cfg(feature = "threads")]
    if list.len() > count * width && threads() > 1 {
        use rayon::prelude::*;
        let fill_part = |(number, entries): (usize, &mut [T])| {
            let mut room = room();
            let mut entries = entries.chunks_exact_mut(width).enumerate();
            entries.try_for_each(|(at, entries)| fill(number * count + at, entries, &mut room))
        };
        let results: Vec<Result<(), Error>> =
            list.par_chunks_mut(count * width).enumerate().map(fill_part).collect();
        return results.into_iter().collect();
    }
    let mut room = room();
    list.chunks_exact_mut(width).enumerate().try_for_each(|(at, entries)| fill(at, entries, &mut room))
}
