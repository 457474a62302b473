//! PC-stable (Colombo and Maathuis 2014): a graph from tests of conditional independence.

use std::ops::ControlFlow;
use std::sync::Mutex;

use plackett::Status;
use rayon::prelude::*;

use crate::pattern::Pattern;
use crate::{Cpdag, IndependenceTest, NodeSet, Result};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pc {
    /// The most nodes to condition on; as many as there are neighbours if `None`.
    pub max_conditioning: Option<usize>,
    pub early: bool,
    pub rule: u8,
    pub conflict: u8,
}

/// How far a run is, as its observer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PcProgress {
    /// The size of the conditioning sets; `None` when the edges are being directed.
    pub level: Option<usize>,
    /// Nodes whose neighbours have been looked at on this level.
    pub done: usize,
    /// Nodes to look at on this level.
    pub nodes: usize,
    /// Tests made so far.
    pub tests: u64,
}

/// What PC found.
#[derive(Clone, Debug, PartialEq)]
pub struct PcResult {
    /// The neighbours of each node.
    pub skeleton: Vec<NodeSet>,
    /// The edges with the directions that follow.
    pub pattern: Cpdag,
    /// The tests made.
    pub tests: u64,
    /// Converged or interrupted.
    pub status: Status,
    /// The separating set of the pair a < b at b (b − 1) / 2 + a.
    separating: Vec<Option<Vec<usize>>>,
}

impl PcResult {
    pub fn separating_set(&self, a: usize, b: usize) -> Option<&[usize]> {
        if a == b {
            return None;
        }
        self.separating.get(place(a, b))?.as_deref()
    }
}

fn place(a: usize, b: usize) -> usize {
    let (low, high) = (a.min(b), a.max(b));
    high * (high - 1) / 2 + low
}

impl Pc {
    pub fn run<T: IndependenceTest + Clone + Sync>(
        &self,
        test: &T,
        observe: impl FnMut(&PcProgress) -> ControlFlow<()> + Send,
    ) -> Result<PcResult> {
        let nodes = test.nodes();
        let mut skeleton: Vec<NodeSet> = (0..nodes)
            .map(|node| {
                let mut others = NodeSet::full(nodes);
                others.remove(node);
                others
            })
            .collect();
        let mut separating: Vec<Option<(f64, Vec<usize>)>> = vec![None; nodes * nodes.saturating_sub(1) / 2];
        let crew = Crew::new(test, observe);
        let mut status = Status::Converged;
        let most = self.max_conditioning.unwrap_or(usize::MAX);
        for level in 0..=most {
            let busy: Vec<usize> = (0..nodes).filter(|&node| skeleton[node].len() > level).collect();
            if busy.is_empty() {
                break;
            }
            let Some(found) =
                crew.visit(Some(level), &busy, |test, node| separate(test, &skeleton, node, level, self.early))
            else {
                status = Status::Interrupted;
                break;
            };
            for (a, b, p_value, given) in found.into_iter().flatten() {
                skeleton[a].remove(b);
                skeleton[b].remove(a);
                let best = &mut separating[place(a, b)];
                let is_better = best.as_ref().is_none_or(|(most, set)| {
                    p_value > *most || p_value == *most && given < *set
                });
                if is_better {
                    *best = Some((p_value, given));
                }
            }
        }
        let mut pattern = Pattern::undirected(skeleton.clone());
        if status == Status::Converged {
            let busy: Vec<usize> = (0..nodes).filter(|&node| !skeleton[node].is_empty()).collect();
            match crew.visit(None, &busy, |test, node| weigh(test, &skeleton, node, most)) {
                Some(found) => {
                    let mut triples: Vec<Triple> = found.into_iter().flatten().collect();
                    triples.sort_by(|s, t| s.key().cmp(&t.key()));
                    let mut merged: Vec<Triple> = Vec::new();
                    for t in triples {
                        match merged.last_mut() {
                            Some(last) if last.key() == t.key() => last.absorb(&t),
                            _ => merged.push(t),
                        }
                    }
                    let mut colliders: Vec<(f64, Triple)> = Vec::new();
                    for t in merged {
                        let sep = separating[place(t.ends.0, t.ends.1)].as_ref().map(|(_, s)| s.contains(&t.middle));
                        let alpha = test.alpha();
                        let is = match self.rule {
                            0 => t.without > t.with,
                            1 => sep == Some(false),
                            2 => t.count_without > t.count_with,
                            3 => t.count_without > 0 && t.count_with == 0,
                            _ => t.without > t.with && t.without > alpha,
                        };
                        if is {
                            colliders.push((t.without, t));
                        }
                    }
                    colliders.sort_by(|s, t| t.0.total_cmp(&s.0));
                    if self.conflict == 0 {
                        let mut at = 0;
                        while at < colliders.len() {
                            let end = at + colliders[at..].iter().take_while(|c| c.0 == colliders[at].0).count();
                            let ok: Vec<_> = colliders[at..end].iter().filter(|(_, t)| {
                                !pattern.has_arrow(t.middle, t.ends.0) && !pattern.has_arrow(t.middle, t.ends.1)
                            }).map(|c| c.1).collect();
                            let arrows: Vec<(usize, usize)> = ok.iter().flat_map(|t| [(t.ends.0, t.middle), (t.ends.1, t.middle)]).collect();
                            for &(a, b) in &arrows {
                                if !arrows.contains(&(b, a)) { pattern.direct(a, b); }
                            }
                            at = end;
                        }
                    } else {
                        let arrows: Vec<(usize, usize)> = colliders.iter().flat_map(|(_, t)| [(t.ends.0, t.middle), (t.ends.1, t.middle)]).collect();
                        for &(a, b) in &arrows {
                            if !arrows.contains(&(b, a)) { pattern.direct(a, b); }
                        }
                    }
                    pattern.complete();
                }
                None => status = Status::Interrupted,
            }
        }
        let tests = crew.tests();
        let separating = separating.into_iter().map(|best| best.map(|(_, given)| given)).collect();
        Ok(PcResult { skeleton, pattern: pattern.to_cpdag(), tests, status, separating })
    }
}

#[derive(Clone, Copy)]
struct Triple {
    ends: (usize, usize),
    middle: usize,
    with: f64,
    without: f64,
    count_with: u32,
    count_without: u32,
}

impl Triple {
    fn key(&self) -> (usize, usize, usize) {
        (self.ends.0, self.ends.1, self.middle)
    }
    fn absorb(&mut self, other: &Self) {
        self.with = self.with.max(other.with);
        self.without = self.without.max(other.without);
        self.count_with += other.count_with;
        self.count_without += other.count_without;
    }
}

fn weigh<T: IndependenceTest>(test: &mut T, skeleton: &[NodeSet], node: usize, most: usize) -> (u64, Vec<Triple>) {
    let near: Vec<usize> = skeleton[node].iter().collect();
    let mut tests = 0;
    let mut triples = Vec::new();
    let mut far = NodeSet::default();
    for &b in &near {
        skeleton[b].iter().filter(|&c| c != node && !skeleton[node].contains(c)).for_each(|c| far.insert(c));
    }
    if far.is_empty() {
        return (0, triples);
    }
    let mut starts = Vec::new();
    for c in &far {
        starts.push(triples.len());
        for &b in &near {
            if skeleton[b].contains(c) {
                triples.push(Triple {
                    ends: (node.min(c), node.max(c)), middle: b, with: 0.0, without: 0.0, count_with: 0, count_without: 0,
                });
            }
        }
    }
    starts.push(triples.len());
    let mut all: Vec<usize> = near.iter().copied().chain([node]).chain(&far).collect();
    all.sort_unstable();
    test.focus(&all);
    let alpha = test.alpha();
    for size in 0..=most.min(near.len()) {
        let mut subsets = Subsets::new(&near, size);
        while let Some(given) = subsets.next() {
            for (at, c) in far.iter().enumerate() {
                if c < node && given.iter().all(|&z| skeleton[c].contains(z)) {
                    continue;
                }
                tests += 1;
                let p = test.p_value(node, c, given);
                for t in &mut triples[starts[at]..starts[at + 1]] {
                    if given.contains(&t.middle) {
                        t.with = t.with.max(p);
                        t.count_with += u32::from(p > alpha);
                    } else {
                        t.without = t.without.max(p);
                        t.count_without += u32::from(p > alpha);
                    }
                }
            }
        }
    }
    (tests, triples)
}

type Separated = (usize, usize, f64, Vec<usize>);

fn separate<T: IndependenceTest>(
    test: &mut T,
    skeleton: &[NodeSet],
    node: usize,
    level: usize,
    early: bool,
) -> (u64, Vec<Separated>) {
    let near: Vec<usize> = skeleton[node].iter().collect();
    if level > 0 {
        let mut all = near.clone();
        all.insert(near.partition_point(|&other| other < node), node);
        test.focus(&all);
    }
    let mut found: Vec<Option<(f64, Vec<usize>)>> = vec![None; near.len()];
    let mut tests = 0;
    let mut subsets = Subsets::new(&near, level);
    while let Some(given) = subsets.next() {
        for (other, best) in near.iter().zip(&mut found) {
            if early && best.is_some() { continue; }
            if given.contains(other) { continue; }
            if *other < node && given.iter().all(|&z| skeleton[*other].contains(z)) {
                continue;
            }
            tests += 1;
            let p_value = test.p_value(node, *other, given);
            if p_value > test.alpha() && best.as_ref().is_none_or(|(most, _)| p_value > *most) {
                *best = Some((p_value, given.to_vec()));
            }
        }
    }
    let list = near.iter().zip(found).filter_map(|(&other, best)| best.map(|(p, given)| (node, other, p, given)));
    (tests, list.collect())
}

/// The subsets of a size of some nodes, in dictionary order.
struct Subsets<'a> {
    nodes: &'a [usize],
    places: Vec<usize>,
    members: Vec<usize>,
    is_first: bool,
}

impl<'a> Subsets<'a> {
    fn new(nodes: &'a [usize], size: usize) -> Self {
        Self { nodes, places: (0..size).collect(), members: Vec::with_capacity(size), is_first: true }
    }

    fn next(&mut self) -> Option<&[usize]> {
        let (size, count) = (self.places.len(), self.nodes.len());
        if size > count {
            return None;
        }
        if !std::mem::take(&mut self.is_first) {
            let last = (0..size).rev().find(|&at| self.places[at] < count - size + at)?;
            self.places[last] += 1;
            for at in last + 1..size {
                self.places[at] = self.places[at - 1] + 1;
            }
        }
        self.members.clear();
        self.members.extend(self.places.iter().map(|&place| self.nodes[place]));
        Some(&self.members)
    }
}

/// Threads that each ask a test of their own, and the observer who hears of them.
struct Crew<'a, T, O> {
    test: &'a T,
    watch: Mutex<Watch<O>>,
}

struct Watch<O> {
    observe: O,
    tests: u64,
    is_stopped: bool,
}

impl<'a, T: IndependenceTest + Clone + Sync, O: FnMut(&PcProgress) -> ControlFlow<()> + Send> Crew<'a, T, O> {
    fn new(test: &'a T, observe: O) -> Self {
        Self { test, watch: Mutex::new(Watch { observe, tests: 0, is_stopped: false }) }
    }

    fn tests(self) -> u64 {
        self.watch.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).tests
    }

    fn visit<R: Send>(
        &self,
        level: Option<usize>,
        nodes: &[usize],
        work: impl Fn(&mut T, usize) -> (u64, R) + Sync,
    ) -> Option<Vec<R>> {
        let lock = || self.watch.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let done = std::sync::atomic::AtomicUsize::new(0);
        nodes
            .par_iter()
            .with_max_len(1)
            .map_init(
                || self.test.clone(),
                |test, &node| {
                    if lock().is_stopped {
                        return None;
                    }
                    let (tests, result) = work(test, node);
                    let mut watch = lock();
                    watch.tests += tests;
                    let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                    let progress = PcProgress { level, done, nodes: nodes.len(), tests: watch.tests };
                    if (watch.observe)(&progress).is_break() {
                        watch.is_stopped = true;
                        return None;
                    }
                    Some(result)
                },
            )
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{all_dags, random_dag};
    use crate::{Dag, DSeparation};
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    fn keep_going(_: &PcProgress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn assert_exact(dag: &Dag) {
        for rule in 0..5 {
        let result = Pc{rule, ..Pc::default()}.run(&DSeparation::new(dag), keep_going).unwrap();
        assert_eq!(result.pattern, Cpdag::of(dag), "{dag:?}");
        assert_eq!(result.pattern.extension().map(|dag| Cpdag::of(&dag)), Some(result.pattern));
        }
    }

    #[test]
    fn with_perfect_answers_finds_the_cpdag() {
        all_dags(4).iter().for_each(assert_exact);
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        for case in 0..60 {
            let nodes = 10 + case % 21;
            assert_exact(&random_dag(nodes, 2.5 / nodes as f64, &mut rng));
        }
    }
}
