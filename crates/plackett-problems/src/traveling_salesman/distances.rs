//! How far it is from one city to another: read off a matrix, or measured between points, so that a hundred thousand cities need
//! no matrix. A fixed edge is shorter than it is by more than any round trip can be long, and every round trip longer by that
//! for each fixed edge there is: so who keeps all of them has the true length, and who leaves one out is beaten by all who do not.

use plackett::elementary::{acos, cos};

/// How points are measured, as TSPLIB has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    /// Straight, not rounded.
    Exact,
    /// Straight, to the nearest whole number.
    Rounded,
    /// Straight, to the next whole number.
    Ceiling,
    Manhattan,
    Maximum,
    /// Shortened by √10, to the next whole number.
    PseudoEuclidean,
    /// On the sphere, from radians.
    Geographical,
}

impl Metric {
    #[inline]
    pub(super) fn distance(self, a: (f64, f64), b: (f64, f64)) -> f64 {
        const RADIUS: f64 = 6378.388;
        let (dx, dy) = (a.0 - b.0, a.1 - b.1);
        match self {
            Self::Exact => (dx * dx + dy * dy).sqrt(),
            Self::Rounded => whole((dx * dx + dy * dy).sqrt()),
            Self::Ceiling => (dx * dx + dy * dy).sqrt().ceil(),
            Self::Manhattan => whole(dx.abs() + dy.abs()),
            Self::Maximum => whole(dx.abs()).max(whole(dy.abs())),
            // The next whole number that is not smaller: what rounding to the nearest and correcting it comes to.
            Self::PseudoEuclidean => ((dx * dx + dy * dy) / 10.0).sqrt().ceil(),
            Self::Geographical => {
                let (q1, q2, q3) = (cos(dy), cos(dx), cos(a.0 + b.0));
                (RADIUS * acos((0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)).clamp(-1.0, 1.0)) + 1.0).floor()
            }
        }
    }
}

/// The nearest whole number of a distance: without SSE 4.1 `round` is a call, and this is not.
#[inline]
fn whole(distance: f64) -> f64 {
    const EXACT: f64 = 4_503_599_627_370_496.0; // 2⁵²: from here on every number is whole
    if distance < EXACT { ((distance + 0.5) as i64) as f64 } else { distance }
}

#[derive(Clone, Debug)]
enum Source {
    /// Row-major, from row to column.
    Matrix(Vec<f64>),
    Points(Vec<(f64, f64)>, Metric),
}

/// The distances of all cities.
#[derive(Clone, Debug)]
pub(super) struct Distances {
    cities: usize,
    source: Source,
    is_symmetric: bool,
    /// The cities that each has a fixed edge to, or itself for none; empty if there are no fixed edges.
    fixed: Vec<[u32; 2]>,
    fixed_count: usize,
    /// What a fixed edge is shorter by.
    bonus: f64,
}

impl Distances {
    pub(super) fn matrix(cities: usize, mut matrix: Vec<f64>) -> Self {
        (0..cities).for_each(|city| matrix[city * cities + city] = 0.0);
        let is_symmetric = (0..cities)
            .all(|row| (0..row).all(|column| matrix[row * cities + column] == matrix[column * cities + row]));
        Self {
            cities,
            source: Source::Matrix(matrix),
            is_symmetric,
            fixed: vec![],
            fixed_count: 0,
            bonus: 0.0,
        }
    }

    pub(super) fn points(points: Vec<(f64, f64)>, metric: Metric) -> Self {
        let cities = points.len();
        Self {
            cities,
            source: Source::Points(points, metric),
            is_symmetric: true,
            fixed: vec![],
            fixed_count: 0,
            bonus: 0.0,
        }
    }

    /// With these edges fixed. O(n²) of a matrix, O(n) of points.
    pub(super) fn fixing(mut self, edges: &[(usize, usize)]) -> Self {
        if edges.is_empty() {
            return self;
        }
        let longest = match &self.source {
            Source::Matrix(matrix) => matrix.iter().fold(0.0f64, |most, distance| most.max(distance.abs())),
            Source::Points(points, metric) => {
                // No two cities are farther apart than twice what the first is from the farthest.
                2.0 * points.iter().map(|&point| metric.distance(points[0], point)).fold(1.0, f64::max)
            }
        };
        self.bonus = (longest * self.cities as f64).max(1.0).ceil() * 2.0;
        self.fixed = (0..self.cities as u32).map(|city| [city; 2]).collect();
        for &(a, b) in edges {
            for (one, other) in [(a, b), (b, a)] {
                let place = usize::from(self.fixed[one][0] as usize != one);
                self.fixed[one][place] = other as u32;
            }
        }
        self.fixed_count = edges.len();
        self
    }

    pub(super) fn cities(&self) -> usize {
        self.cities
    }

    pub(super) fn is_symmetric(&self) -> bool {
        self.is_symmetric
    }

    /// The points, if that is what is measured.
    pub(super) fn as_points(&self) -> Option<&[(f64, f64)]> {
        match &self.source {
            Source::Matrix(_) => None,
            Source::Points(points, _) => Some(points),
        }
    }

    /// Cities to which a city has a fixed edge.
    pub(super) fn fixed_to(&self, city: usize) -> impl Iterator<Item = u32> + '_ {
        let others = self.fixed.get(city).into_iter().flatten().copied();
        others.filter(move |&other| other as usize != city)
    }

    #[inline]
    pub(super) fn between(&self, from: usize, to: usize) -> f64 {
        let distance = match &self.source {
            Source::Matrix(matrix) => matrix[from * self.cities + to],
            Source::Points(points, metric) => metric.distance(points[from], points[to]),
        };
        if self.fixed.is_empty() || !self.is_fixed(from, to) { distance } else { distance - self.bonus }
    }

    fn is_fixed(&self, from: usize, to: usize) -> bool {
        from != to && self.fixed[from].contains(&(to as u32))
    }

    /// The length of a round trip, with what every fixed edge that it leaves out adds to it.
    pub(super) fn round_trip(&self, order: &[usize]) -> f64 {
        let steps = order.windows(2).map(|pair| self.between(pair[0], pair[1])).sum::<f64>();
        steps + self.between(order[order.len() - 1], order[0]) + self.bonus * self.fixed_count as f64
    }

    /// The matrix of all, for what needs one; none with fixed edges.
    pub(super) fn to_matrix(&self) -> Option<Vec<f64>> {
        let at = |at: usize| self.between(at / self.cities, at % self.cities);
        self.fixed.is_empty().then(|| (0..self.cities * self.cities).map(at).collect())
    }
}
