//! The `plackett` program.

#[cfg_attr(not(test), expect(dead_code, reason = "no command writes files yet"))]
mod files;
#[cfg_attr(not(test), expect(dead_code, reason = "no command draws figures yet"))]
mod plot;

fn main() {}
