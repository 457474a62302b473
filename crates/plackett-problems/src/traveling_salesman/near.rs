//! The nearest of many points, by a tree that halves them again and again across their wider side: clusters are no slower than
//! evenly spread points.

/// Points in a leaf of the tree.
const LEAF: usize = 8;

/// A tree over some of the points, by their numbers.
pub(super) struct Tree<'a> {
    points: &'a [(f64, f64)],
    /// The numbers, such that the middle of every range parts it by the coordinate that `is_across` names.
    numbers: Vec<u32>,
    is_across: Vec<bool>,
}

impl<'a> Tree<'a> {
    /// O(n log n).
    pub(super) fn new(points: &'a [(f64, f64)], numbers: Vec<u32>) -> Self {
        let is_across = vec![false; numbers.len()];
        let mut tree = Self { points, numbers, is_across };
        tree.part(0, tree.numbers.len());
        tree
    }

    /// The points from one end of the tree to the other.
    pub(super) fn into_order(self) -> Vec<usize> {
        self.numbers.into_iter().map(|number| number as usize).collect()
    }

    fn part(&mut self, low: usize, high: usize) {
        if high - low <= LEAF {
            return;
        }
        let (mut least, mut most) = ((f64::INFINITY, f64::INFINITY), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        for &number in &self.numbers[low..high] {
            let (x, y) = self.points[number as usize];
            least = (least.0.min(x), least.1.min(y));
            most = (most.0.max(x), most.1.max(y));
        }
        let is_across = most.1 - least.1 > most.0 - least.0;
        let middle = usize::midpoint(low, high);
        let points = self.points;
        self.numbers[low..high].select_nth_unstable_by(middle - low, |&a, &b| {
            side(points[a as usize], is_across)
                .total_cmp(&side(points[b as usize], is_across))
                .then(a.cmp(&b))
        });
        self.is_across[middle] = is_across;
        self.part(low, middle);
        self.part(middle + 1, high);
    }

    /// The nearest others of a point, at most `count`, nearest first.
    pub(super) fn nearest(&self, number: u32, count: usize, found: &mut Vec<(f64, u32)>) {
        found.clear();
        if count > 0 {
            self.search(number, count, (0, self.numbers.len()), found);
        }
    }

    fn search(&self, number: u32, count: usize, (low, high): (usize, usize), found: &mut Vec<(f64, u32)>) {
        if high - low <= LEAF {
            self.numbers[low..high].iter().for_each(|&other| self.meet(number, other, count, found));
            return;
        }
        let middle = usize::midpoint(low, high);
        let at = |number: u32| side(self.points[number as usize], self.is_across[middle]);
        let beyond = at(number) - at(self.numbers[middle]);
        let (near, far) = if beyond < 0.0 {
            ((low, middle), (middle + 1, high))
        } else {
            ((middle + 1, high), (low, middle))
        };
        self.search(number, count, near, found);
        self.meet(number, self.numbers[middle], count, found);
        if found.len() < count || beyond * beyond < found[found.len() - 1].0 {
            self.search(number, count, far, found);
        }
    }

    /// Puts a point among the nearest, if it is one of them.
    fn meet(&self, number: u32, other: u32, count: usize, found: &mut Vec<(f64, u32)>) {
        if other == number {
            return;
        }
        let (a, b) = (self.points[number as usize], self.points[other as usize]);
        let entry = ((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2), other);
        let place = found.partition_point(|&one| one < entry);
        if place < count {
            found.truncate(count - 1);
            found.insert(place, entry);
        }
    }
}

fn side(point: (f64, f64), is_across: bool) -> f64 {
    if is_across { point.1 } else { point.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plackett::{Noise, rand::RngExt as _};

    /// Spread evenly, in clusters, and all in the same few places.
    #[test]
    fn the_nearest_are_those_that_sorting_finds() {
        let mut noise = Noise::new(1);
        let rng = noise.stream(0);
        for (count, width, places) in [(1, 1.0, 1), (9, 1.0, 1), (300, 1.0, 1), (300, 0.01, 7), (50, 0.0, 3)]
        {
            let centers: Vec<(f64, f64)> = (0..places).map(|_| (rng.random(), rng.random())).collect();
            let points: Vec<(f64, f64)> = (0..count)
                .map(|at| {
                    let center = centers[at % places];
                    (center.0 + width * rng.random::<f64>(), center.1 + width * rng.random::<f64>())
                })
                .collect();
            let tree = Tree::new(&points, (0..count as u32).collect());
            let mut found = Vec::new();
            for number in 0..count {
                let square = |other: u32| {
                    let (a, b) = (points[number], points[other as usize]);
                    (a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)
                };
                let mut others: Vec<(f64, u32)> = (0..count as u32)
                    .filter(|&other| other as usize != number)
                    .map(|o| (square(o), o))
                    .collect();
                others.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                others.truncate(10);
                tree.nearest(number as u32, 10, &mut found);
                // Of equally near ones any.
                let squares = |found: &[(f64, u32)]| found.iter().map(|one| one.0).collect::<Vec<_>>();
                assert_eq!(squares(&found), squares(&others));
                found.iter().for_each(|&(near, other)| assert_eq!(near, square(other)));
                found.sort_by_key(|one| one.1);
                found.dedup_by_key(|one| one.1);
                assert_eq!(found.len(), others.len());
            }
        }
    }
}
