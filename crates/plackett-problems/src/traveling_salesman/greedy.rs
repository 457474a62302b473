//! A round trip of short edges: the shortest edge that joins the ends of two pieces, again and again, where what is tried is
//! the way to near cities first and then, piece by piece fewer, the way to the near ends of other pieces.

use plackett::run::Run;

use super::{TravelingSalesman, near::Tree};

/// Ends of other pieces towards which an end is joined: one of them may be the other end of its own.
const NEAR_ENDS: usize = 6;
/// Cities between two looks at the run.
const CITIES_BETWEEN_LOOKS: usize = 64;

/// The pieces so far: each city's neighbors, and a representative of its piece.
struct Pieces {
    beside: Vec<[u32; 2]>,
    above: Vec<u32>,
    count: usize,
}

/// No neighbor yet.
const NONE: u32 = u32::MAX;

impl Pieces {
    fn new(cities: usize) -> Self {
        Self { beside: vec![[NONE; 2]; cities], above: (0..cities as u32).collect(), count: cities }
    }

    fn is_end(&self, city: u32) -> bool {
        self.beside[city as usize][1] == NONE
    }

    fn piece(&mut self, mut city: u32) -> u32 {
        while self.above[city as usize] != city {
            let above = self.above[self.above[city as usize] as usize];
            self.above[city as usize] = above;
            city = above;
        }
        city
    }

    fn join(&mut self, a: u32, b: u32) {
        if !self.is_end(a) || !self.is_end(b) {
            return;
        }
        let (one, other) = (self.piece(a), self.piece(b));
        if one == other {
            return;
        }
        self.above[one as usize] = other;
        self.count -= 1;
        for (city, neighbor) in [(a, b), (b, a)] {
            let places = &mut self.beside[city as usize];
            places[usize::from(places[0] != NONE)] = neighbor;
        }
    }

    /// The one piece that is left, from end to end.
    fn walk(&self) -> Vec<usize> {
        let mut order = Vec::with_capacity(self.beside.len());
        let mut here = (0..self.beside.len() as u32).find(|&city| self.is_end(city)).unwrap_or(0);
        let mut before = NONE;
        loop {
            order.push(here as usize);
            let next = self.beside[here as usize].into_iter().find(|&city| city != NONE && city != before);
            (before, here) = match next {
                Some(next) => (here, next),
                None => return order,
            };
        }
    }
}

/// None if the run is over before it is found.
pub(super) fn greedy(problem: &TravelingSalesman, run: &Run<'_>) -> Option<Vec<usize>> {
    let cities = problem.distances.cities();
    let mut pieces = Pieces::new(cities);
    let mut edges: Vec<(f64, u32, u32)> = Vec::with_capacity(cities * problem.near_count);
    for city in 0..cities {
        for (&near, &distance) in problem.near(city).iter().zip(problem.near_distances(city)) {
            edges.push((distance, city as u32, near));
        }
    }
    while pieces.count > 1 {
        edges.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        edges.drain(..).for_each(|(_, a, b)| pieces.join(a, b));
        if pieces.count > 1 {
            near_ends(problem, &mut pieces, &mut edges, run)?;
        }
    }
    Some(pieces.walk())
}

/// The ways from every end to the nearest ends.
fn near_ends(
    problem: &TravelingSalesman,
    pieces: &mut Pieces,
    edges: &mut Vec<(f64, u32, u32)>,
    run: &Run<'_>,
) -> Option<()> {
    let ends: Vec<u32> = (0..problem.distances.cities() as u32).filter(|&city| pieces.is_end(city)).collect();
    let tree = problem.distances.as_points().map(|points| Tree::new(points, ends.clone()));
    let mut found = Vec::new();
    for (at, &end) in ends.iter().enumerate() {
        if at % CITIES_BETWEEN_LOOKS == 0 && run.is_over() {
            return None;
        }
        if let Some(tree) = &tree {
            tree.nearest(end, NEAR_ENDS, &mut found);
        } else {
            let piece = pieces.piece(end);
            let others = ends.iter().copied().filter(|&other| pieces.piece(other) != piece);
            let nearest = others
                .map(|other| (problem.distances.between(end as usize, other as usize), other))
                .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            found.clear();
            found.extend(nearest);
        }
        let length = |other: u32| problem.distances.between(end as usize, other as usize);
        edges.extend(found.iter().map(|&(_, other)| (length(other), end, other)));
    }
    Some(())
}
