//! Gradients and optimisation over permutations.
