//! Scoring the parent sets of all nodes from shared counts. Node i with parents P needs the counts of P and those of P ∪ i,
//! and a set of four nodes is the P ∪ i of four families and the P of many: where the cores overlap, each set of nodes is
//! counted once for all of them.
//!
//! Nor does each set take a pass over the rows. The nodes are put into blocks of a few, and a pass counts all nodes of some
//! blocks at once; the sets with at least one node in each of those blocks are then sums over that table, which is smaller
//! than the rows are many. With 37 nodes in blocks of two, 4,000 passes do for the 66,000 sets of four.

use std::borrow::Cow;

use plackett::{elementary::powf, run::Run};

use super::prices::Prices;
use super::rows::Rows;
use super::sieve::Sieve;
use super::subsets::{Subsets, count_subsets};
use crate::counts::{Partition, tally};
use crate::pace::Pace;
use crate::parallel;
use crate::score::{CountScore, MOST_CONFIGURATIONS};
use crate::{Categories, NodeSet};

/// Tables of blocks may have this many cells for each row. On 37 nodes and 20,000 rows 8 is twice as fast as 1 and a little
/// faster than 48.
const CELLS_PER_ROW: usize = 8;
/// Blocks are chosen so that their tables stay in the cache: 1 MB.
const MOST_BLOCK_CELLS: usize = 1 << 18;
/// The most nodes in a block: there are two to this power of ways to take some of them.
const MOST_MEMBERS: usize = 6;

/// Sums over the counts of sets of nodes: what they bring as a node with its parents, and what they cost as parents.
pub(super) struct SetSums {
    subsets: Subsets,
    /// The arities for which the sums as parents are kept apart; none if they are the same as the others.
    arities: Vec<usize>,
    /// For each set its sum as a family, then those as parents for each arity.
    values: Vec<f64>,
}

/// The sets of nodes that are needed: those that lie in some node's core together with the node.
pub(super) struct NeededSets {
    nodes: usize,
    limit: usize,
    /// For each node the nodes whose core, or who themselves, it belongs to.
    users: Vec<NodeSet>,
}

impl NeededSets {
    pub(super) fn new(cores: &[Vec<usize>], limit: usize) -> Self {
        let nodes = cores.len();
        let mut users = vec![NodeSet::with_capacity(nodes); nodes];
        for (node, core) in cores.iter().enumerate() {
            users[node].insert(node);
            core.iter().for_each(|&other| users[other].insert(node));
        }
        Self { nodes, limit: (limit + 1).min(nodes), users }
    }

    fn intersect(&self, with: &NodeSet, node: usize) -> Option<NodeSet> {
        let mut both = with.clone();
        both.words_mut().iter_mut().zip(self.users[node].words()).for_each(|(a, b)| *a &= b);
        (!both.is_empty()).then_some(both)
    }

    /// How many there are, or a number beyond `most` if there are more.
    pub(super) fn count(&self, most: usize) -> usize {
        let mut count = 1;
        self.count_below(&NodeSet::full(self.nodes), self.nodes, 0, most, &mut count);
        count
    }

    fn count_below(&self, users: &NodeSet, below: usize, depth: usize, most: usize, count: &mut usize) {
        for node in 0..below {
            if *count > most {
                return;
            }
            if let Some(users) = self.intersect(users, node) {
                *count += 1;
                if depth + 1 < self.limit {
                    self.count_below(&users, node, depth + 1, most, count);
                }
            }
        }
    }

    /// The number of sums to be held: for all sets of the same sizes, needed or not.
    pub(super) fn space(&self, arities: &[usize], score: &dyn CountScore) -> usize {
        let sums = 1 + distinct_arities(arities, score).len();
        count_subsets(self.nodes, self.limit).saturating_mul(sums)
    }
}

impl SetSums {
    /// Counts every needed set, in as many parts as [`pairs`] lists; nothing if the run is over before.
    pub(super) fn new(
        rows: &Rows<'_>,
        arities: &[usize],
        blocks: &[Block<'_>],
        score: &dyn CountScore,
        needed: &NeededSets,
        run: &Run<'_>,
    ) -> Option<Self> {
        let subsets = Subsets::new(needed.nodes, needed.limit);
        let distinct = distinct_arities(arities, score);
        let stride = 1 + distinct.len();
        let mut values = vec![f64::NAN; subsets.len() * stride];
        let found: Option<Vec<Found>> = parallel::map_with(
            &pairs(blocks),
            || Counter {
                rows,
                arities,
                blocks,
                distinct: &distinct,
                score,
                needed,
                subsets: &subsets,
                chosen: Vec::new(),
                keys: vec![vec![0; rows.count]; needed.limit + 1],
                tables: vec![Vec::new(); needed.limit + 1],
                members: Vec::new(),
                direct: Direct::default(),
                found: Found::default(),
            },
            |counter, &(first, second)| {
                let found = counter.run(first, second, &mut Pace::new(run))?;
                run.advance(1);
                (!run.is_over()).then_some(found)
            },
        );
        for found in found? {
            for (&index, sums) in found.indices.iter().zip(found.sums.chunks_exact(stride)) {
                values[index * stride..(index + 1) * stride].copy_from_slice(sums);
            }
        }
        // The empty set: all rows in one group, as parents only.
        let total = [rows.weights().map_or(rows.count as u32, |weights| weights.iter().sum())];
        values[0] = score.joint(&total, 1.0);
        for (value, &arity) in values[1..].iter_mut().zip(&distinct) {
            *value = score.parents(&total, 1.0, arity);
        }
        Some(Self { subsets, arities: distinct, values })
    }

    /// Takes the costs of a node's parent sets, subsets of its core, into the sieve; nothing if the run is over before.
    pub(super) fn sift(
        &self,
        node: usize,
        arity: usize,
        core: &[usize],
        prices: &Prices,
        sieve: &mut Sieve<'_>,
        run: &Run<'_>,
    ) -> Option<()> {
        let mut pace = Pace::new(run);
        let stride = 1 + self.arities.len();
        let column = self.arities.binary_search(&arity).map_or(0, |at| 1 + at);
        let mut family = Vec::new();
        for_each_subset(core.len(), sieve.subsets().limit(), &mut |chosen| {
            pace.spend(core.len())?;
            let members = chosen.iter().map(|&place| core[place]);
            family.clear();
            family.extend(members.clone());
            let parents = self.values[self.subsets.index(family.iter().copied()) * stride + column];
            family.insert(family.partition_point(|&member| member > node), node);
            let joint = self.values[self.subsets.index(family.iter().copied()) * stride];
            let floor = sieve.floor(chosen);
            sieve.admit(chosen, parents - joint + prices.of(chosen.len()), floor);
            Some(())
        })
    }
}

/// Calls `visit` with each subset of `0..elements` of at most `limit` members, in decreasing order, subsets first, until
/// nothing comes back.
fn for_each_subset(
    elements: usize,
    limit: usize,
    visit: &mut impl FnMut(&[usize]) -> Option<()>,
) -> Option<()> {
    fn extend(
        chosen: &mut Vec<usize>,
        below: usize,
        limit: usize,
        visit: &mut impl FnMut(&[usize]) -> Option<()>,
    ) -> Option<()> {
        visit(chosen)?;
        if chosen.len() < limit {
            for place in 0..below {
                chosen.push(place);
                extend(chosen, place, limit, visit)?;
                chosen.pop();
            }
        }
        Some(())
    }
    extend(&mut Vec::new(), elements, limit, visit)
}

/// The arities for which the sums as parents differ from one another and from those as a family.
fn distinct_arities(arities: &[usize], score: &dyn CountScore) -> Vec<usize> {
    let mut distinct = if score.parents_differ() { arities.to_vec() } else { Vec::new() };
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// The parts of the counting: each block alone, and each pair as the last two of some blocks.
pub(super) fn pairs(blocks: &[Block<'_>]) -> Vec<(usize, Option<usize>)> {
    let from = |first| std::iter::once((first, None)).chain((0..first).map(move |next| (first, Some(next))));
    (0..blocks.len()).flat_map(from).collect()
}

/// Some neighboring nodes as one column.
pub(super) struct Block<'a> {
    /// In decreasing order.
    members: Vec<usize>,
    codes: Cow<'a, [u8]>,
    arity: usize,
    /// The ways to take some of the members, at least one.
    choices: Vec<BlockChoice>,
}

struct BlockChoice {
    /// In decreasing order.
    members: Vec<usize>,
    /// For each code of the block the code of the chosen members alone, below `cells`.
    map: Vec<usize>,
    cells: usize,
}

/// Blocks of as many nodes as leave tables of as many blocks as a set has nodes no larger than they should be.
pub(super) fn blocks<'a>(rows: &'a Rows<'_>, arities: &[usize], needed: &NeededSets) -> Vec<Block<'a>> {
    let table = (CELLS_PER_ROW * rows.count).min(MOST_BLOCK_CELLS) as f64;
    let most = powf(table, 1.0 / needed.limit.max(1) as f64).min(Categories::MOST_LEVELS as f64);
    let mut runs: Vec<Vec<usize>> = Vec::new();
    let mut cells = f64::INFINITY;
    for (node, &arity) in arities.iter().enumerate() {
        cells *= arity as f64;
        match runs.last_mut() {
            Some(run) if cells <= most && run.len() < MOST_MEMBERS => run.push(node),
            _ => {
                runs.push(vec![node]);
                cells = arity as f64;
            }
        }
    }
    runs.into_iter().map(|run| Block::new(rows, arities, run)).collect()
}

impl<'a> Block<'a> {
    fn new(rows: &'a Rows<'_>, arities: &[usize], increasing: Vec<usize>) -> Self {
        let members: Vec<usize> = increasing.into_iter().rev().collect();
        let arity = members.iter().map(|&member| arities[member]).product();
        let codes = if let [only] = *members {
            Cow::Borrowed(&*rows.columns[only])
        } else {
            let mut codes = vec![0; rows.count];
            for &member in &members {
                let factor = arities[member] as u8;
                let column = codes.iter_mut().zip(rows.columns[member].iter());
                column.for_each(|(block, code)| *block = *block * factor + code);
            }
            Cow::Owned(codes)
        };
        let choices = (1..1_usize << members.len())
            .map(|mask| {
                let chosen = |place: usize| mask >> place & 1 == 1;
                let map = (0..arity)
                    .map(|mut code| {
                        let (mut part, mut unit) = (0, 1);
                        for (place, &member) in members.iter().enumerate().rev() {
                            if chosen(place) {
                                part += code % arities[member] * unit;
                                unit *= arities[member];
                            }
                            code /= arities[member];
                        }
                        part
                    })
                    .collect();
                let members: Vec<usize> =
                    (0..members.len()).filter(|&place| chosen(place)).map(|place| members[place]).collect();
                BlockChoice { map, cells: members.iter().map(|&member| arities[member]).product(), members }
            })
            .collect();
        Self { members, codes, arity, choices }
    }
}

/// The sums of some sets, by their numbers.
#[derive(Default)]
struct Found {
    indices: Vec<usize>,
    sums: Vec<f64>,
}

struct Counter<'a> {
    rows: &'a Rows<'a>,
    arities: &'a [usize],
    blocks: &'a [Block<'a>],
    distinct: &'a [usize],
    score: &'a dyn CountScore,
    needed: &'a NeededSets,
    subsets: &'a Subsets,
    /// The blocks being counted, in decreasing order.
    chosen: Vec<usize>,
    /// For each row the cell of the first so many chosen blocks, as long as there are not too many cells.
    keys: Vec<Vec<u32>>,
    /// The counts with the first so many blocks reduced to members.
    tables: Vec<Vec<u32>>,
    /// The set being formed, in decreasing order.
    members: Vec<usize>,
    direct: Direct,
    found: Found,
}

/// Counting a set from the rows, where the table of its blocks would be too large.
#[derive(Default)]
struct Direct {
    /// The set last counted, and the groups of its first so many members: the next set often begins alike.
    last: Vec<usize>,
    groups: Vec<Partition>,
    map: Vec<u32>,
}

impl Direct {
    fn count(&mut self, rows: &Rows<'_>, arities: &[usize], set: &[usize], counts: &mut Vec<u32>) {
        if self.groups.is_empty() {
            self.groups.push(Partition::default());
            self.groups[0].start(rows.count);
        }
        let same = self.last.iter().zip(set).take_while(|(a, b)| a == b).count();
        self.last.truncate(same);
        self.groups.resize_with(self.groups.len().max(set.len() + 1), Partition::default);
        for &node in &set[same..] {
            let (coarse, finer) = self.groups.split_at_mut(self.last.len() + 1);
            let coarse = &coarse[self.last.len()];
            finer[0].refine(coarse, &rows.columns[node], arities[node], &mut self.map);
            self.last.push(node);
        }
        self.groups[set.len()].sizes(rows.weights(), counts);
    }
}

impl Counter<'_> {
    /// The sets within block `first` alone, or those in `first`, `second` and blocks before it.
    fn run(&mut self, first: usize, second: Option<usize>, pace: &mut Pace<'_, '_>) -> Option<Found> {
        self.chosen.clear();
        self.members.clear();
        match second {
            None => self.count(first, 1, true, pace)?,
            Some(second) => {
                self.extend_keys(first, 1);
                self.chosen.push(first);
                self.visit(second, self.blocks[first].arity, pace)?;
            }
        }
        Some(std::mem::take(&mut self.found))
    }

    /// The sets that have members in each of the chosen blocks and in one more, and those that go on to blocks before it.
    fn visit(&mut self, block: usize, cells: usize, pace: &mut Pace<'_, '_>) -> Option<()> {
        let depth = self.chosen.len();
        if depth == self.needed.limit {
            return Some(());
        }
        self.chosen.push(block);
        let any = self.any_needed(0, &NodeSet::full(self.needed.nodes));
        self.chosen.pop();
        // Where no set of these blocks is needed, none of more blocks is.
        if !any {
            return Some(());
        }
        let last = block == 0 || depth + 1 == self.needed.limit;
        self.count(block, cells, last, pace)?;
        if !last {
            self.chosen.push(block);
            for next in 0..block {
                self.visit(next, cells.saturating_mul(self.blocks[block].arity), pace)?;
            }
            self.chosen.pop();
        }
        Some(())
    }

    /// Whether some set with members in each of the chosen blocks is needed; the first `place` have some in `users`' sets.
    fn any_needed(&self, place: usize, users: &NodeSet) -> bool {
        let Some(&block) = self.chosen.get(place) else { return true };
        // Fewer members are needed wherever more are.
        self.blocks[block].members.iter().any(|&member| {
            let users = self.needed.intersect(users, member);
            users.is_some_and(|users| self.any_needed(place + 1, &users))
        })
    }

    /// Counts the needed sets with members in each of the chosen blocks and in one more; `last` if no blocks follow.
    fn count(&mut self, block: usize, cells: usize, last: bool, pace: &mut Pace<'_, '_>) -> Option<()> {
        pace.spend(self.rows.count)?;
        let depth = self.chosen.len();
        let all_cells = cells.saturating_mul(self.blocks[block].arity);
        let dense = all_cells <= CELLS_PER_ROW * self.rows.count;
        if dense {
            let (codes, arity) = (&self.blocks[block].codes, self.blocks[block].arity);
            if last {
                let keys = self.keys[depth].iter().zip(codes.iter());
                let cells = keys.map(|(&key, &code)| key as usize * arity + usize::from(code));
                tally(cells, all_cells, self.rows.weights(), &mut self.tables[0]);
            } else {
                self.extend_keys(block, depth + 1);
                let cells = self.keys[depth + 1].iter().map(|&key| key as usize);
                tally(cells, all_cells, self.rows.weights(), &mut self.tables[0]);
            }
        }
        self.chosen.push(block);
        self.choose(0, dense, 1.0, &NodeSet::full(self.needed.nodes), pace)?;
        self.chosen.pop();
        Some(())
    }

    /// The keys of one block more than are chosen.
    fn extend_keys(&mut self, block: usize, depth: usize) {
        let block = &self.blocks[block];
        let (before, after) = self.keys.split_at_mut(depth);
        let arity = block.arity as u32;
        let rows = after[0].iter_mut().zip(&before[depth - 1]).zip(block.codes.iter());
        rows.for_each(|((new, &key), &code)| *new = key * arity + u32::from(code));
    }

    /// Goes through the ways to take members of the chosen blocks from `place` on, summing the table over the others.
    fn choose(
        &mut self,
        place: usize,
        dense: bool,
        cells: f64,
        users: &NodeSet,
        pace: &mut Pace<'_, '_>,
    ) -> Option<()> {
        let blocks = self.blocks;
        let block = &blocks[self.chosen[place]];
        let after = self.chosen.len() - place - 1;
        for choice in &block.choices {
            if self.members.len() + choice.members.len() + after > self.needed.limit {
                continue;
            }
            let users = (choice.members.iter())
                .try_fold(users.clone(), |users, &member| self.needed.intersect(&users, member));
            let Some(users) = users else { continue };
            let kept = self.members.len();
            self.members.extend_from_slice(&choice.members);
            pace.spend(if dense { self.tables[place].len() } else { self.rows.count })?;
            if dense {
                let inner = self.chosen[place + 1..].iter().map(|&block| blocks[block].arity).product();
                let (from, into) = self.tables.split_at_mut(place + 1);
                reduce(&from[place], block.arity, choice, inner, &mut into[0]);
            }
            let cells = (cells * choice.cells as f64).min(MOST_CONFIGURATIONS);
            if after > 0 {
                self.choose(place + 1, dense, cells, &users, pace)?;
            } else {
                self.take(place + 1, dense, cells);
            }
            self.members.truncate(kept);
        }
        Some(())
    }

    /// Takes the sums of the set formed.
    fn take(&mut self, place: usize, dense: bool, cells: f64) {
        let counts = &mut self.tables[place];
        if !dense {
            self.direct.count(self.rows, self.arities, &self.members, counts);
        }
        self.found.indices.push(self.subsets.index(self.members.iter().copied()));
        self.found.sums.push(self.score.joint(counts, cells));
        for &arity in self.distinct {
            // The largest sets are nobody's parents.
            let parents = self.members.len() < self.needed.limit;
            self.found.sums.push(if parents { self.score.parents(counts, cells, arity) } else { f64::NAN });
        }
    }
}

/// Sums a table over the members of a block that are not chosen. The block's code is followed by `inner` cells.
fn reduce(from: &[u32], arity: usize, choice: &BlockChoice, inner: usize, into: &mut Vec<u32>) {
    into.clear();
    if choice.cells == arity {
        into.extend_from_slice(from);
        return;
    }
    into.resize(from.len() / arity * choice.cells, 0);
    let slabs = from.chunks_exact(arity * inner).zip(into.chunks_exact_mut(choice.cells * inner));
    if inner == 1 {
        for (from, into) in slabs {
            from.iter().zip(&choice.map).for_each(|(count, &part)| into[part] += count);
        }
    } else {
        for (from, into) in slabs {
            for (from, &part) in from.chunks_exact(inner).zip(&choice.map) {
                let into = &mut into[part * inner..(part + 1) * inner];
                into.iter_mut().zip(from).for_each(|(sum, count)| *sum += count);
            }
        }
    }
}
