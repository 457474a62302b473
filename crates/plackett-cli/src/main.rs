//! The `plackett` program.
fn main() {}
