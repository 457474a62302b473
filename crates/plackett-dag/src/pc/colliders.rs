//! Where arrows meet: a – b – c with a and c apart are a → b ← c if b is not what separates a and c.
//!
//! One separating set says little when tests err. All sets of neighbors of a or of c are tried again and vote: arrows
//! meet at b if more of the separating ones are without b than with it (the majority rule of Colombo and Maathuis).

use super::crew::{Asked, Crew};
use super::skeleton::is_left_to;
use super::subsets::Subsets;
use crate::pattern::Pattern;
use crate::{NodeSet, independence::IndependenceTest};

/// The votes on a – middle – c, `ends` being a < c.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Triple {
    ends: (usize, usize),
    middle: usize,
    /// Separating sets with the middle, and without it.
    with: u64,
    without: u64,
    /// The largest p-value of a set without it.
    p_value: f64,
}

impl Triple {
    fn place(&self) -> ((usize, usize), usize) {
        (self.ends, self.middle)
    }

    fn arrows(&self) -> [(usize, usize); 2] {
        [(self.ends.0, self.middle), (self.ends.1, self.middle)]
    }
}

/// Directs the edges that meet; nothing if the run is over before, and the pattern is as it was.
///
/// Of two votes that want an edge both ways, the one with the larger p-value is followed, and the other one dropped; if
/// the p-values are equal the edge stays undirected.
pub(super) fn direct<T: IndependenceTest + Clone + Sync>(
    crew: &Crew<'_, '_, T>,
    neighbors: &[NodeSet],
    most: usize,
    pattern: &mut Pattern,
) -> Option<()> {
    let busy: Vec<usize> = (0..neighbors.len()).filter(|&node| !neighbors[node].is_empty()).collect();
    let votes = crew.visit("PC-stable, directions", &busy, |test, node| vote(test, neighbors, node, most))?;
    let mut votes: Vec<Triple> = votes.into_iter().flatten().collect();
    // Each triple has two votes, one from each end.
    votes.sort_by_key(Triple::place);
    let mut colliders: Vec<Triple> = votes
        .chunk_by(|s, t| s.place() == t.place())
        .map(|sides| Triple {
            with: sides.iter().map(|side| side.with).sum(),
            without: sides.iter().map(|side| side.without).sum(),
            p_value: sides.iter().map(|side| side.p_value).fold(0.0, f64::max),
            ..sides[0]
        })
        .filter(|triple| triple.without > triple.with)
        .collect();
    colliders.sort_by(|s, t| t.p_value.total_cmp(&s.p_value));
    for equals in colliders.chunk_by(|s, t| s.p_value == t.p_value) {
        let mut arrows: Vec<(usize, usize)> = equals
            .iter()
            .map(Triple::arrows)
            .filter(|arrows| !arrows.iter().any(|&(from, to)| pattern.has_arrow(to, from)))
            .flatten()
            .collect();
        arrows.sort_unstable();
        for &(from, to) in &arrows {
            if arrows.binary_search(&(to, from)).is_err() {
                pattern.direct(from, to);
            }
        }
    }
    Some(())
}

/// Tries every set of at most `most` neighbors of a node on the neighbors of its neighbors. Returns the votes on the
/// triples that begin at the node.
fn vote<T: IndependenceTest>(
    test: &mut Asked<'_, '_, T>,
    neighbors: &[NodeSet],
    node: usize,
    most: usize,
) -> Option<Vec<Triple>> {
    let near: Vec<usize> = neighbors[node].iter().collect();
    let mut triples: Vec<Triple> = Vec::new();
    for &middle in &near {
        let ends = neighbors[middle].iter().filter(|&end| end != node && !neighbors[node].contains(end));
        triples.extend(ends.map(|end| Triple {
            ends: (node.min(end), node.max(end)),
            middle,
            with: 0,
            without: 0,
            p_value: 0.0,
        }));
    }
    let other_end = |triple: &Triple| triple.ends.0 + triple.ends.1 - node;
    triples.sort_by_key(|triple| (other_end(triple), triple.middle));
    if triples.is_empty() {
        return Some(triples);
    }
    let mut all = near.clone();
    all.push(node);
    all.extend(triples.chunk_by(|s, t| s.ends == t.ends).map(|group| other_end(&group[0])));
    test.focus(&all);
    for size in 0..=most.min(near.len()) {
        let mut subsets = Subsets::new(&near, size);
        while let Some(given) = subsets.next() {
            for group in triples.chunk_by_mut(|s, t| s.ends == t.ends) {
                let end = other_end(&group[0]);
                if is_left_to(neighbors, end, node, given) {
                    continue;
                }
                let p_value = test.p_value(node, end, given)?;
                if p_value <= test.alpha() {
                    continue;
                }
                for triple in group {
                    if given.contains(&triple.middle) {
                        triple.with += 1;
                    } else {
                        triple.without += 1;
                        triple.p_value = triple.p_value.max(p_value);
                    }
                }
            }
        }
    }
    Some(triples)
}
