//! A reader, named by the variable `PLACKETT_FUZZ_TARGET`, for libFuzzer, which keeps the cases that reach code that no other did, and goes
//! on from those. `plackett-fuzz --guided` starts it; `scripts/fuzz --guided` builds it with counters in the code.

#![no_main]

use std::{alloc::System, sync::LazyLock};

use cap::Cap;
use libfuzzer_sys::fuzz_target;
use plackett_fuzz::{TARGETS, Target};

/// What a reader may take; libFuzzer's own memory does not count.
#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, 1 << 28);

static TARGET: LazyLock<&Target> = LazyLock::new(|| {
    let name = std::env::var("PLACKETT_FUZZ_TARGET").unwrap_or_default();
    TARGETS.iter().find(|target| target.name == name).expect("PLACKETT_FUZZ_TARGET names a target")
});

fuzz_target!(|bytes: &[u8]| {
    (TARGET.read)(bytes);
});
