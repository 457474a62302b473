//! Every case of the corpus again: real ones, and those that a reader once could not take. Each within its memory.

use std::alloc::System;

use cap::Cap;
use plackett_fuzz::{Mutator, TARGETS};

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

/// No case of some kilobytes should need more: whoever asks for more is ended.
const MOST_BYTES: usize = 1 << 28;

#[test]
fn every_case_is_read() {
    MEMORY.set_limit(MEMORY.allocated() + MOST_BYTES).unwrap();
    for target in &TARGETS {
        let cases = target.corpus().unwrap();
        assert!(!cases.is_empty(), "no cases of {}", target.name);
        let mut accepted = 0;
        for (name, case) in &cases {
            assert!(case.len() <= 1 << 16, "{}/{name} is too large to be kept", target.name);
            accepted += usize::from((target.read)(case));
        }
        assert!(accepted > 0, "no case of {} is a right one", target.name);
        // And a few new ones, the same each time.
        let cases: Vec<Vec<u8>> = cases.into_iter().map(|(_, case)| case).collect();
        let mut mutator = Mutator::new(17);
        for _ in 0..200 {
            (target.read)(&mutator.case(&cases, target.words));
        }
    }
}
