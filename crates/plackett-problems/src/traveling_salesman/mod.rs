//! Traveling salesman: the shortest round trip, through cities that are points or that have a matrix of distances.

mod distances;
mod file;
mod greedy;
mod near;
mod walk;

use plackett::{Additive, neighborhood::Neighborhood, problem::Problem, run::Run};

use self::{
    distances::{Distances, Metric},
    near::Tree,
    walk::Walk,
};
pub(crate) use file::is_like;

use crate::{
    error::{Error, check_finite, check_matrix},
    instance::Instance,
    kind::Kind,
};

/// Cities near each city towards which moves are tried: a good round trip hardly ever has an edge to one farther off.
const NEAR_CITIES: usize = 10;

/// Evaluations of a round, and per city.
const ROUND_EVALUATIONS: u64 = 200_000;
const ROUND_EVALUATIONS_PER_CITY: u64 = 250;

/// The most cities of which the matrix is made for what takes an expectation over all round trips.
const MOST_IN_A_MATRIX: usize = 2000;

/// A traveling salesman problem: minimize the length of the round trip through all cities in the order given.
///
/// ```
/// use plackett::problem::Problem;
/// use plackett_problems::TravelingSalesman;
/// let text = "NAME: square\nTYPE: TSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION
/// 1 0 0\n2 0 10\n3 10 10\n4 10 0\nEOF\n";
/// let problem = TravelingSalesman::parse("square.tsp", text)?;
/// assert_eq!(problem.value(&[0, 1, 2, 3]), 40.0);
/// assert_eq!(problem.value(&[0, 2, 1, 3]), 48.0);
/// # Ok::<(), plackett_problems::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TravelingSalesman {
    name: String,
    distances: Distances,
    /// The nearest cities of each, nearest first, equally many, and how far they are.
    near: Vec<u32>,
    near_distances: Vec<f64>,
    near_count: usize,
}

impl TravelingSalesman {
    /// The problem of a matrix of distances, row-major, from row to column; the diagonal does not matter.
    ///
    /// ```
    /// use plackett::problem::Problem;
    /// use plackett_problems::TravelingSalesman;
    /// let one_way = TravelingSalesman::from_distances("tiny", 3, vec![0.0, 1.0, 9.0, 9.0, 0.0, 1.0, 1.0, 9.0, 0.0])?;
    /// assert_eq!(one_way.value(&[0, 1, 2]), 3.0);
    /// # Ok::<(), plackett_problems::Error>(())
    /// ```
    ///
    /// # Errors
    /// A matrix that is empty, not square or not finite.
    pub fn from_distances(name: &str, cities: usize, distances: Vec<f64>) -> Result<Self, Error> {
        check_matrix("the matrix of distances", cities, &distances)?;
        Ok(Self::new(name, Distances::matrix(cities, distances)))
    }

    /// The problem of points in the plane and the straight ways between them, not rounded. There is no matrix: a hundred thousand
    /// cities are as welcome as ten.
    ///
    /// ```
    /// use plackett::problem::Problem;
    /// use plackett_problems::TravelingSalesman;
    /// let square = TravelingSalesman::from_points("square", vec![(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])?;
    /// assert_eq!(square.value(&[0, 1, 2, 3]), 4.0);
    /// # Ok::<(), plackett_problems::Error>(())
    /// ```
    ///
    /// # Errors
    /// No points, or some that are not finite.
    pub fn from_points(name: &str, points: Vec<(f64, f64)>) -> Result<Self, Error> {
        if points.is_empty() {
            return Err(plackett::Error::Empty { what: "the points" }.into());
        }
        let coordinates: Vec<f64> = points.iter().flat_map(|&(x, y)| [x, y]).collect();
        check_finite("the coordinates", &coordinates)?;
        Ok(Self::new(name, Distances::points(points, Metric::Exact)))
    }

    fn new(name: &str, distances: Distances) -> Self {
        let cities = distances.cities();
        let near_count = NEAR_CITIES.min(cities - 1);
        let mut near = Vec::with_capacity(cities * near_count);
        let mut near_distances = Vec::with_capacity(cities * near_count);
        let tree = distances.as_points().map(|points| Tree::new(points, (0..cities as u32).collect()));
        let mut others: Vec<(f64, u32)> = Vec::new();
        for city in 0..cities {
            let distance = |other: u32| {
                distances.between(city, other as usize).min(distances.between(other as usize, city))
            };
            if let Some(tree) = &tree {
                tree.nearest(city as u32, near_count, &mut others);
                let is_near = |city: u32| others.iter().any(|&(_, other)| other == city);
                let fixed: Vec<u32> = distances.fixed_to(city).filter(|&other| !is_near(other)).collect();
                others.extend(fixed.into_iter().map(|other| (0.0, other)));
                others.iter_mut().for_each(|entry| entry.0 = distance(entry.1));
            } else {
                others.clear();
                let all = (0..cities as u32).filter(|&other| other as usize != city);
                others.extend(all.map(|other| (distance(other), other)));
                if near_count < others.len() {
                    others.select_nth_unstable_by(near_count, by_distance);
                }
                others.truncate(near_count);
            }
            others.sort_unstable_by(by_distance);
            others[..near_count].iter().for_each(|&(distance, other)| {
                near.push(other);
                near_distances.push(distance);
            });
        }
        Self { name: name.to_owned(), distances, near, near_distances, near_count }
    }

    /// Reads the problem from a text; `file` is what errors call it.
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        file::Description::read(file, text)?.problem()
    }

    fn near(&self, city: usize) -> &[u32] {
        &self.near[city * self.near_count..][..self.near_count]
    }

    fn near_distances(&self, city: usize) -> &[f64] {
        &self.near_distances[city * self.near_count..][..self.near_count]
    }

    /// How far the second nearest city is in the mean: about the mean edge of a good round trip.
    fn mean_near(&self) -> f64 {
        let second = self.near_distances.iter().skip(1).step_by(self.near_count.max(1));
        second.map(|distance| distance.max(0.0)).sum::<f64>() / self.distances.cities() as f64
    }
}

fn by_distance(a: &(f64, u32), b: &(f64, u32)) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

impl Problem for TravelingSalesman {
    fn items(&self) -> usize {
        self.distances.cities()
    }

    fn value(&self, order: &[usize]) -> f64 {
        self.distances.round_trip(order)
    }

    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        parts[0] = 0.0;
        for (part, pair) in parts[1..].iter_mut().zip(order.windows(2)) {
            *part = self.distances.between(pair[0], pair[1]);
        }
        let sum: f64 = parts[..order.len() - 1].iter().sum();
        parts[order.len() - 1] = self.value(order) - sum;
    }

    fn additive(&self) -> Option<Additive> {
        let cities = self.distances.cities();
        let matrix = (cities <= MOST_IN_A_MATRIX).then(|| self.distances.to_matrix())??;
        Additive::new(cities).ok()?.with_tour(&matrix).ok()
    }

    fn neighborhood(&self) -> Box<dyn Neighborhood + '_> {
        Box::new(Walk::new(self))
    }

    /// One walk gets deeper than several, and starts anew where it gets no further.
    fn walks(&self) -> usize {
        1
    }

    /// Towards near cities alone, the moves of a round trip grow no faster than its cities.
    fn round_evaluations(&self) -> u64 {
        ROUND_EVALUATIONS.max(ROUND_EVALUATIONS_PER_CITY * self.distances.cities() as u64)
    }

    /// The shortest edges first; where the way back is not as long as the way there, always to the nearest city that is left.
    fn construct(&self, run: &Run<'_>) -> Option<Vec<usize>> {
        if self.distances.is_symmetric() {
            // Where there is no time for edges, neighbors in the tree are still nearer to each other than any two cities.
            let all = || (0..self.distances.cities() as u32).collect();
            let by_tree = || Some(Tree::new(self.distances.as_points()?, all()).into_order());
            return greedy::greedy(self, run).or_else(by_tree);
        }
        let cities = self.distances.cities();
        let mut order: Vec<usize> = (0..cities).collect();
        for rank in 1..cities {
            if run.is_over() {
                return None;
            }
            let here = order[rank - 1];
            let to = |at: usize| self.distances.between(here, order[at]);
            let nearest = (rank..cities).min_by(|&a, &b| to(a).total_cmp(&to(b))).unwrap_or(rank);
            order.swap(rank, nearest);
        }
        Some(order)
    }
}

impl Instance for TravelingSalesman {
    fn kind(&self) -> Kind {
        Kind::TravelingSalesman
    }

    fn name(&self) -> &str {
        &self.name
    }
}
