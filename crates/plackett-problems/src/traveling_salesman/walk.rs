//! A round trip under improvement: an array of cities in which stretches are turned.
//!
//! With t₁ … t₂ the round trip opened at an edge, a step adds the edge t₂t₃ to a near city, takes away one of t₃'s, adds t₄t₅
//! to a near city, takes away one of t₅'s, and closes with t₆t₁: every way to exchange three edges one after another, two of
//! them where it closes at t₄. A step that does not pay is made all the same if what was taken away so far is more than what
//! was added, and followed by another from t₆ (Lin and Kernighan): what does not pay in the end is turned back.
//!
//! Where the way back is not as long as the way there, nothing can be turned: up to three cities in a row go elsewhere (Or-opt).

use plackett::{
    elementary::exp2,
    neighborhood::{
        Kept, Move, MoveKind, Neighborhood, Queue, Standing, improve_by_all_moves, is_gain,
        kick_by_insertions,
    },
    rand::{RngExt as _, rngs::ChaCha8Rng},
    run::Run,
};

use super::TravelingSalesman;

/// Steps one after another, of which each exchanges up to three edges.
const DEPTH: usize = 6;
/// Near cities that are tried for t₃ and for t₅.
const BREADTH: [usize; 2] = [8, 5];
/// Cities that an Or-opt move takes along.
const LONGEST_SEGMENT: usize = 3;
/// Cities in each of the two neighboring stretches that a kick exchanges: near enough for the descent to be short.
const LONGEST_KICK: usize = 100;
/// From this many cities on kicks and moves have room enough not to meet themselves.
const FEWEST_CITIES: usize = 8;
/// How much longer a round trip may become and still be gone on from, with probability 1/e, in mean edges, when it is first
/// cooled, and in how many rounds that is.
const FIRST_TEMPERATURE: f64 = 0.1;
const FIRST_COOLING: u64 = 8;
/// Turns that are remembered before the best order is written down, and one for so many cities where those are more: writing
/// takes as long as some turns per city, and happens as seldom.
const MOST_TURNS: usize = 1000;
const CITIES_PER_TURN: usize = 10;

/// How the pieces between the edges of a step are put together again. The round trip runs from t₁ to t₂.
#[derive(Clone, Copy, Debug)]
enum Join {
    /// t₁…t₃ t₂…t₄
    Two,
    /// t₁…t₅ t₄…t₂ t₃…t₆
    FiveBefore,
    /// t₁…t₃ t₂…t₅ t₄…t₆
    FiveAfter,
    /// t₁…t₄ t₅…t₃ t₂…t₆
    BothTurned,
    /// t₁…t₄ t₅…t₂ t₃…t₆
    NoneTurned,
}

/// A step: its cities from t₂ on, and what is gained by it before the round trip is closed, or with that.
#[derive(Clone, Copy, Debug)]
struct Step {
    join: Join,
    t: [usize; 5],
    gain: f64,
}

impl Step {
    /// The last city, from which the round trip is closed.
    fn end(&self) -> usize {
        if matches!(self.join, Join::Two) { self.t[2] } else { self.t[4] }
    }
}

/// Where a stretch that was turned begins, and how many cities it has.
type Turn = (u32, u32);

pub(super) struct Walk<'a> {
    problem: &'a TravelingSalesman,
    standing: Standing,
    /// All turns since an order was written down, if they are all that has changed since.
    turns: Vec<Turn>,
    has_turned_only: bool,
    /// How many of them led to the order that is gone on from, and to the best, unless that is written down.
    kept_at: usize,
    kept_cost: f64,
    best_at: Option<usize>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(problem: &'a TravelingSalesman) -> Self {
        let cities = problem.distances.cities();
        let mut walk = Self {
            problem,
            standing: Standing::new(cities),
            turns: Vec::new(),
            has_turned_only: false,
            kept_at: 0,
            kept_cost: 0.0,
            best_at: None,
        };
        walk.set_order(&(0..cities).collect::<Vec<_>>());
        walk
    }

    fn cities(&self) -> usize {
        self.standing.order.len()
    }

    #[inline]
    fn d(&self, from: usize, to: usize) -> f64 {
        self.problem.distances.between(from, to)
    }

    #[inline]
    fn at(&self, rank: usize) -> usize {
        let cities = self.cities();
        self.standing.order[if rank >= cities { rank - cities } else { rank }]
    }

    #[inline]
    fn next(&self, city: usize) -> usize {
        self.at(self.standing.ranks[city] + 1)
    }

    #[inline]
    fn previous(&self, city: usize) -> usize {
        self.at(self.standing.ranks[city] + self.cities() - 1)
    }

    /// How many steps forward from one city to another.
    #[inline]
    fn steps(&self, from: usize, to: usize) -> usize {
        let (from, to) = (self.standing.ranks[from], self.standing.ranks[to]);
        if to >= from { to - from } else { to + self.cities() - from }
    }

    /// The best step that closes, and the best that does not, with what is gained already given up from t₁ to t₂. The round trip
    /// is seen from t₁ to t₂, which is forward if `is_forward`.
    fn best_steps(
        &mut self,
        t1: usize,
        t2: usize,
        is_forward: bool,
        gained: f64,
        left: u64,
    ) -> (Option<Step>, Option<Step>) {
        let problem = self.problem;
        let (mut closed, mut open): (Option<Step>, Option<Step>) = (None, None);
        let mut valued = 0;
        let after = |walk: &Self, city| if is_forward { walk.next(city) } else { walk.previous(city) };
        let before = |walk: &Self, city| if is_forward { walk.previous(city) } else { walk.next(city) };
        let offset = |walk: &Self, city| if is_forward { walk.steps(t1, city) } else { walk.steps(city, t1) };
        let mut meet = |step: Step, is_closed: bool| {
            let best = if is_closed { &mut closed } else { &mut open };
            if best.is_none_or(|best| step.gain > best.gain) {
                *best = Some(step);
            }
        };
        let before_t2 = before(self, t2);
        for (&t3, &d23) in problem.near(t2).iter().zip(problem.near_distances(t2)).take(BREADTH[0]) {
            let t3 = t3 as usize;
            let gain = gained - d23;
            if gain <= 0.0 || valued >= left {
                break;
            }
            if t3 == t1 || t3 == before_t2 {
                continue;
            }
            let offset3 = offset(self, t3);
            for is_after in [true, false] {
                let t4 = if is_after { after(self, t3) } else { before(self, t3) };
                let gain = gain + self.d(t3, t4);
                if is_after && valued < left {
                    valued += 1;
                    let gain = gain - self.d(t4, t1);
                    meet(Step { join: Join::Two, t: [t2, t3, t4, t4, t4], gain }, true);
                }
                for (&t5, &d45) in problem.near(t4).iter().zip(problem.near_distances(t4)).take(BREADTH[1]) {
                    let t5 = t5 as usize;
                    let gain = gain - d45;
                    if gain <= 0.0 {
                        break;
                    }
                    if t5 == t3 {
                        continue;
                    }
                    let is_before_three = offset(self, t5) < offset3;
                    let mut try_end = |walk: &Self, join: Join, t6: usize| {
                        if valued >= left {
                            return;
                        }
                        valued += 1;
                        let gain = gain + walk.d(t5, t6);
                        let t = [t2, t3, t4, t5, t6];
                        meet(Step { join, t, gain }, false);
                        meet(Step { join, t, gain: gain - walk.d(t6, t1) }, true);
                    };
                    match (is_after, is_before_three) {
                        (true, true) if t5 != t1 => try_end(self, Join::FiveBefore, after(self, t5)),
                        (true, false) => {
                            let t6 = before(self, t5);
                            if t6 != t4 {
                                try_end(self, Join::FiveAfter, t6);
                            }
                        }
                        (false, false) => {
                            if t5 != t2 {
                                try_end(self, Join::BothTurned, after(self, t5));
                            }
                            try_end(self, Join::NoneTurned, before(self, t5));
                        }
                        _ => {}
                    }
                }
            }
        }
        self.standing.evaluations += valued;
        (closed, open)
    }

    /// Makes a step, and closes the round trip.
    fn make(&mut self, step: &Step) {
        let [t2, t3, t4, t5, t6] = step.t;
        match step.join {
            Join::Two => self.turn(t3, t4, t2),
            Join::FiveBefore => {
                self.turn(t5, t6, t2);
                self.turn(t5, t2, t4);
            }
            Join::FiveAfter => {
                self.turn(t3, t4, t2);
                self.turn(t5, t6, t4);
            }
            Join::BothTurned => {
                self.turn(t4, t3, t5);
                self.turn(t3, t6, t2);
            }
            Join::NoneTurned => {
                self.turn(t4, t3, t2);
                self.turn(t4, t2, t5);
                self.turn(t2, t6, t3);
            }
        }
    }

    /// Turns the stretch between two cities, of which the first stands beside `beside`; or the rest of the round trip, if that is
    /// shorter.
    fn turn(&mut self, beside: usize, first: usize, last: usize) {
        let cities = self.cities();
        let (first, last) = if self.next(beside) == first { (first, last) } else { (last, first) };
        let count = self.steps(first, last) + 1;
        let turn = if 2 * count <= cities {
            (self.standing.ranks[first], count)
        } else {
            ((self.standing.ranks[last] + 1) % cities, cities - count)
        };
        self.turn_ranks((turn.0 as u32, turn.1 as u32));
    }

    /// Turns a stretch, and remembers it.
    fn turn_ranks(&mut self, turn: Turn) {
        if turn.1 > 1 {
            self.turns.push(turn);
            turn_stretch(&mut self.standing, turn);
        }
    }

    /// Turns back to where so many turns had been made.
    fn turn_back(&mut self, count: usize) {
        for turn in self.turns.drain(count..).rev() {
            turn_stretch(&mut self.standing, turn);
        }
    }

    /// Exchanges a stretch with the one that follows it.
    fn exchange(&mut self, start: usize, one: usize, two: usize) {
        let cities = self.cities();
        let mut turn = |start: usize, count: usize| self.turn_ranks(((start % cities) as u32, count as u32));
        turn(start, one + two);
        turn(start, two);
        turn(start + two, one);
    }

    /// Steps from one end of the edge beside a city, until one closes with a gain.
    fn improve_by_steps(&mut self, t1: usize, is_forward: bool, queue: &mut Queue, run: &Run<'_>) -> bool {
        let start = self.turns.len();
        let mut is_forward = is_forward;
        let mut t2 = if is_forward { self.previous(t1) } else { self.next(t1) };
        let mut gained = self.d(t1, t2);
        let mut touched = [t1; 1 + 5 * DEPTH];
        for level in 0..DEPTH {
            let (closed, open) = self.best_steps(t1, t2, is_forward, gained, self.left(run));
            let closed = closed.filter(|step| is_gain(-step.gain, self.standing.cost));
            let Some(step) = closed.or(open).filter(|_| closed.is_some() || level + 1 < DEPTH) else { break };
            touched[1 + 5 * level..][..5].copy_from_slice(&step.t);
            self.make(&step);
            if closed.is_some() {
                self.standing.cost -= step.gain;
                touched[..6 + 5 * level].iter().for_each(|&city| queue.push(city));
                return true;
            }
            (t2, gained) = (step.end(), step.gain);
            is_forward = self.previous(t1) == t2;
        }
        self.turn_back(start);
        false
    }

    /// Makes the best move of a short stretch that begins or ends with a city to beside a near city, not turned.
    fn improve_by_shift(&mut self, city: usize, queue: &mut Queue, run: &Run<'_>) -> bool {
        let (problem, mut left) = (self.problem, self.left(run));
        let d = |from, to| problem.distances.between(from, to);
        // The change, the stretch from its first city to its last, its length, and the city that it goes behind.
        let mut best = (0.0, city, city, 0, city);
        for is_first in [true, false] {
            let mut end = city;
            for count in 1..=LONGEST_SEGMENT {
                if count > 1 {
                    end = if is_first { self.next(end) } else { self.previous(end) };
                }
                let (first, last) = if is_first { (city, end) } else { (end, city) };
                let (before, after) = (self.previous(first), self.next(last));
                let saved = d(before, first) + d(last, after) - d(before, after);
                for (&near, &distance) in problem.near(city).iter().zip(problem.near_distances(city)) {
                    if saved <= distance || left == 0 {
                        break;
                    }
                    // Behind the near city the stretch begins with the city, before it the stretch ends with it.
                    let near = near as usize;
                    let behind = if is_first { near } else { self.previous(near) };
                    let ahead = self.next(behind);
                    if self.steps(first, near) < count || behind == last || ahead == first {
                        continue;
                    }
                    left -= 1;
                    self.standing.evaluations += 1;
                    let change = d(behind, first) + d(last, ahead) - d(behind, ahead) - saved;
                    if change < best.0 {
                        best = (change, first, last, count, behind);
                    }
                }
            }
        }
        let (change, first, last, count, behind) = best;
        if !is_gain(change, self.standing.cost) {
            return false;
        }
        let ends = [first, last, self.previous(first), self.next(last), behind, self.next(behind)];
        let (start, cities) = (self.standing.ranks[first], self.cities());
        let ahead = self.steps(first, behind) + 1 - count;
        let back = cities - count - ahead;
        if ahead <= back {
            self.exchange(start, count, ahead);
        } else {
            self.exchange(start + cities - back, back, count);
        }
        self.standing.cost += change;
        ends.into_iter().for_each(|city| queue.push(city));
        true
    }

    /// Writes the best order down, if it has not been.
    fn write_best(&mut self, kept: &mut Kept) {
        let Some(best_at) = self.best_at.take() else { return };
        let later = self.turns[best_at..].to_vec();
        self.turn_back(best_at);
        kept.best.copy_from_slice(&self.standing.order);
        later.into_iter().for_each(|turn| self.turn_ranks(turn));
    }

    /// No turn is of use once something else has changed.
    fn forget_turns(&mut self) {
        self.has_turned_only = false;
        self.turns.clear();
        self.best_at = None;
    }

    /// What a move would change. O(1), but for turns where the way back is not as long as the way there.
    fn change_by(&self, step: Move) -> f64 {
        let (cities, order) = (self.cities(), &self.standing.order);
        let (first, last) = step.span();
        let d = |from, to| self.d(from, to);
        if last + 1 - first == cities && !matches!(step, Move::Swap { .. }) {
            // Nothing but where the round trip is said to begin, or its direction.
            let is_same = self.problem.distances.is_symmetric() || matches!(step, Move::Insert { .. });
            if is_same {
                return 0.0;
            }
        }
        let (before, after) = (self.at(first + cities - 1), self.at(last + 1));
        let (left, right) = (order[first], order[last]);
        match step {
            Move::Reverse { .. } if self.problem.distances.is_symmetric() => {
                d(before, right) + d(left, after) - d(before, left) - d(right, after)
            }
            Move::Reverse { .. } => {
                let ranks: Vec<usize> = (0..cities).collect();
                let turned = |rank: usize| {
                    order[if (first..=last).contains(&rank) { first + last - rank } else { rank }]
                };
                self.edges(&ranks, turned) - self.edges(&ranks, |rank| order[rank])
            }
            Move::Insert { from, to } if from < to => {
                d(before, order[from + 1]) + d(right, left) + d(left, after)
                    - d(before, left)
                    - d(left, order[from + 1])
                    - d(right, after)
            }
            Move::Insert { from, .. } => {
                d(before, right) + d(right, left) + d(order[from - 1], after)
                    - d(before, left)
                    - d(order[from - 1], right)
                    - d(right, after)
            }
            Move::Swap { first, second } => {
                let mut ranks = vec![(first + cities - 1) % cities, first, second - 1, second];
                ranks.sort_unstable();
                ranks.dedup();
                let swapped = |rank: usize| match rank {
                    _ if rank == first => order[second],
                    _ if rank == second => order[first],
                    _ => order[rank],
                };
                self.edges(&ranks, swapped) - self.edges(&ranks, |rank| order[rank])
            }
        }
    }

    /// The edges after these ranks, as they are once `item_at` says what stands where.
    fn edges(&self, ranks: &[usize], item_at: impl Fn(usize) -> usize) -> f64 {
        ranks.iter().map(|&rank| self.d(item_at(rank), item_at((rank + 1) % self.cities()))).sum()
    }
}

fn turn_stretch(standing: &mut Standing, (start, count): Turn) {
    let Standing { order, ranks, .. } = standing;
    let (cities, start, count) = (order.len(), start as usize, count as usize);
    if start + count <= cities {
        let stretch = &mut order[start..start + count];
        stretch.reverse();
        (start..).zip(&*stretch).for_each(|(rank, &city)| ranks[city] = rank);
        return;
    }
    let (mut left, mut right) = (start, start + count - 1 - cities);
    for _ in 0..count / 2 {
        order.swap(left, right);
        ranks[order[left]] = left;
        ranks[order[right]] = right;
        left = if left + 1 == cities { 0 } else { left + 1 };
        right = if right == 0 { cities - 1 } else { right - 1 };
    }
}

impl Neighborhood for Walk<'_> {
    fn standing(&self) -> &Standing {
        &self.standing
    }

    fn kinds(&self) -> &'static [MoveKind] {
        &[MoveKind::Reverse, MoveKind::Insert]
    }

    fn set_order(&mut self, order: &[usize]) {
        self.standing.set(order, self.problem.distances.round_trip(order));
        self.forget_turns();
    }

    fn change(&mut self, step: Move) -> f64 {
        self.standing.evaluations += 1;
        self.change_by(step)
    }

    fn apply(&mut self, step: Move) {
        self.standing.cost += self.change_by(step);
        self.standing.apply(step);
        self.forget_turns();
    }

    fn improve_item(&mut self, item: usize, queue: &mut Queue, run: &Run<'_>) -> bool {
        if self.cities() < FEWEST_CITIES {
            return improve_by_all_moves(self, item, queue, run);
        }
        let is_better = if self.problem.distances.is_symmetric() {
            self.improve_by_steps(item, true, queue, run) || self.improve_by_steps(item, false, queue, run)
        } else {
            self.improve_by_shift(item, queue, run)
        };
        if !self.has_turned_only {
            self.turns.clear();
        }
        is_better
    }

    /// Exchanges two neighboring stretches: a double bridge.
    fn kick(&mut self, queue: &mut Queue, rng: &mut ChaCha8Rng, _: &Run<'_>) {
        let cities = self.cities();
        if cities < FEWEST_CITIES {
            return kick_by_insertions(self, queue, rng);
        }
        let longest = LONGEST_KICK.min((cities - 2) / 2);
        let (one, two) = (rng.random_range(1..=longest), rng.random_range(1..=longest));
        let start = rng.random_range(0..cities);
        let at = |rank: usize| self.standing.order[rank % cities];
        let (before, after) = (at(start + cities - 1), at(start + one + two));
        let (a, b) = ((at(start), at(start + one - 1)), (at(start + one), at(start + one + two - 1)));
        let change = self.d(before, b.0) + self.d(b.1, a.0) + self.d(a.1, after)
            - self.d(before, a.0)
            - self.d(a.1, b.0)
            - self.d(b.1, after);
        self.exchange(start, one, two);
        self.standing.cost += change;
        self.standing.evaluations += 1;
        if !self.has_turned_only {
            self.turns.clear();
        }
        [before, a.0, a.1, b.0, b.1, after].into_iter().for_each(|city| queue.push(city));
    }

    /// O(1) in the mean as long as nothing but turns has changed the order: they are remembered instead.
    fn keep(&mut self, kept: &mut Kept, is_best: bool) {
        let most = MOST_TURNS.max(self.cities() / CITIES_PER_TURN);
        if !self.has_turned_only {
            kept.take(&self.standing.order, is_best);
            self.forget_turns();
            (self.has_turned_only, self.kept_at) = (true, 0);
            self.kept_cost = self.standing.cost;
            return;
        }
        if is_best {
            self.best_at = Some(self.turns.len());
        }
        if self.turns.len() > most {
            self.write_best(kept);
            self.turns.clear();
        }
        (self.kept_at, self.kept_cost) = (self.turns.len(), self.standing.cost);
    }

    fn go_back(&mut self, kept: &Kept) {
        if self.has_turned_only {
            self.turn_back(self.kept_at);
            self.standing.cost = self.kept_cost;
        } else {
            self.set_order(&kept.order);
        }
    }

    fn write_down(&mut self, kept: &mut Kept) {
        kept.order.copy_from_slice(&self.standing.order);
        self.write_best(kept);
    }

    /// Falls to zero again and again, each time over twice as many rounds and from twice as high, up to a mean edge: what is cooled
    /// for longer may begin hotter.
    fn temperature(&self, rounds: u64) -> f64 {
        if self.cities() < FEWEST_CITIES {
            return 0.0;
        }
        let cycle = (rounds / FIRST_COOLING + 1).ilog2();
        let (start, length) = (FIRST_COOLING * ((1 << cycle) - 1), FIRST_COOLING << cycle);
        let left = 1.0 - (rounds - start) as f64 / length as f64;
        (FIRST_TEMPERATURE * exp2(f64::from(cycle))).min(1.0) * left * self.problem.mean_near()
    }
}
