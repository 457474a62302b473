//! Which of a node's parent sets are worth keeping. A set is dominated if one of its subsets costs no more: wherever the
//! set is allowed the subset is too, so it is never the best. Sets come in such an order that subsets come first. Sets that hold
//! other required parents are for other orders, and have a sieve of their own.

use super::list::List;
use super::subsets::Subsets;
use plackett::elementary::ln;

/// What to keep besides the sets that are not dominated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Margin {
    /// Nothing.
    None,
    /// All sets whose cost exceeds the least one of their subsets by no more than this.
    Within(f64),
}

/// The costs of the subsets of a core, each together with a fixed node from outside it if there is one.
pub(super) struct Sieve<'a> {
    subsets: &'a Subsets,
    core: &'a [usize],
    outside: Option<usize>,
    /// What every set holds besides.
    fixed: &'a [usize],
    /// Without the node from outside: the least cost of any subset of each set.
    without: Option<&'a [f64]>,
    /// The least cost of any subset of each set, itself included; minus infinity for a set that was passed over because
    /// neither it nor any set that holds it is worth keeping.
    least: Vec<f64>,
    margin: Margin,
    /// Costs that differ by less are equal but for rounding.
    tie: f64,
    pub(super) best: List,
    pub(super) all: List,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(
        subsets: &'a Subsets,
        core: &'a [usize],
        margin: Margin,
        rows: usize,
        words: usize,
    ) -> Self {
        Self {
            subsets,
            core,
            outside: None,
            fixed: &[],
            without: None,
            least: vec![f64::NEG_INFINITY; subsets.len()],
            margin,
            tie: tie(rows),
            best: List::new(words),
            all: List::new(words),
        }
    }

    /// For the sets that hold a node from outside the core; `without` is [`Sieve::least_costs`] of the sets that do not.
    pub(super) fn with_outside(mut self, node: usize, without: &'a [f64]) -> Self {
        self.outside = Some(node);
        self.without = Some(without);
        self
    }

    /// For the sets that hold these as well, whatever they cost.
    pub(super) fn with_fixed(mut self, nodes: &'a [usize]) -> Self {
        self.fixed = nodes;
        self
    }

    pub(super) fn subsets(&self) -> &'a Subsets {
        self.subsets
    }

    /// The least cost of any proper subset of a set, given as places in the core in decreasing order.
    pub(super) fn floor(&self, decreasing: &[usize]) -> f64 {
        let mut floor = match self.without {
            Some(without) => without[self.subsets.index(decreasing.iter().copied())],
            None => f64::INFINITY,
        };
        self.subsets.for_each_smaller(decreasing, |index| floor = floor.min(self.least[index]));
        floor
    }

    /// Whether a set with this floor can be passed over, with all sets that hold it, if none of them costs less than
    /// `least_cost`.
    pub(super) fn passes_over(&self, least_cost: f64, floor: f64) -> bool {
        match self.margin {
            Margin::None => least_cost > floor,
            Margin::Within(margin) => least_cost > floor + margin,
        }
    }

    /// Takes the cost of a set.
    pub(super) fn admit(&mut self, decreasing: &[usize], cost: f64, floor: f64) {
        self.least[self.subsets.index(decreasing.iter().copied())] = cost.min(floor);
        let members = decreasing.iter().map(|&place| self.core[place]);
        let members = members.chain(self.outside).chain(self.fixed.iter().copied());
        if let Margin::Within(margin) = self.margin
            && cost <= floor + margin
        {
            self.all.push(cost, members.clone());
        }
        // Nothing is below the empty set, which must be there whatever it costs.
        if floor == f64::INFINITY || cost + self.tie < floor {
            self.best.push(cost, members);
        }
    }

    /// The least cost of any subset of each set, those passed over included.
    pub(super) fn least_costs(&mut self) -> Vec<f64> {
        let mut least = std::mem::take(&mut self.least);
        let mut chosen = Vec::new();
        fill(self.subsets, &mut least, &mut chosen, self.core.len());
        least
    }
}

/// Sums of about n log n are subtracted from one another to make a cost.
fn tie(rows: usize) -> f64 {
    let n = rows as f64;
    1e-13 * (1.0 + n * ln(1.0 + n))
}

fn fill(subsets: &Subsets, least: &mut [f64], chosen: &mut Vec<usize>, below: usize) {
    if chosen.len() == subsets.limit() {
        return;
    }
    for place in 0..below {
        chosen.push(place);
        let index = subsets.index(chosen.iter().copied());
        if least[index] == f64::NEG_INFINITY {
            let mut floor = f64::INFINITY;
            subsets.for_each_smaller(chosen, |smaller| floor = floor.min(least[smaller]));
            least[index] = floor;
        }
        fill(subsets, least, chosen, place);
        chosen.pop();
    }
}
