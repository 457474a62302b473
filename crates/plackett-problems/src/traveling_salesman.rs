//! Traveling salesman: the shortest round trip. Files as in TSPLIB: coordinates (EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO, ATT)
//! or explicit distances in every layout of a matrix or of half of one, symmetric or not.
//!
//! A 2-opt move exchanges two edges and turns what is between them; an Or-opt move takes up to three cities in a row
//! elsewhere, turned or not. Both are valued in O(1) by the edges that change, and tried towards near cities only.

use plackett::{
    Additive,
    neighborhood::{
        Move, MoveKind, Neighborhood, Queue, Standing, improve_by_all_moves, is_gain, kick_by_insertions,
    },
    problem::Problem,
    rand::{RngExt as _, rngs::ChaCha8Rng},
    run::Run,
};

use crate::{
    error::{Error, check_matrix},
    instance::Instance,
    kind::Kind,
    text::{self, Words},
};

/// Cities near each city towards which moves are tried: a good round trip hardly ever has an edge to one farther off.
const NEAR_CITIES: usize = 10;
/// Cities that an Or-opt move takes along.
const LONGEST_SEGMENT: usize = 3;
/// Cities in each of the two neighboring stretches that a kick exchanges: near enough for the descent to be short.
const LONGEST_KICK: usize = 50;
/// From this many cities on kicks and moves have room enough not to meet themselves.
const FEWEST_CITIES: usize = 8;

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
    cities: usize,
    distances: Vec<f64>,
    is_symmetric: bool,
    /// The nearest cities of each, nearest first, equally many.
    near: Vec<usize>,
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
    pub fn from_distances(name: &str, cities: usize, mut distances: Vec<f64>) -> Result<Self, Error> {
        check_matrix("the matrix of distances", cities, &distances)?;
        (0..cities).for_each(|city| distances[city * cities + city] = 0.0);
        let back = |at: usize| distances[at % cities * cities + at / cities];
        let is_symmetric = (0..distances.len()).all(|at| distances[at] == back(at));
        let near_count = NEAR_CITIES.min(cities - 1);
        let mut near = Vec::with_capacity(cities * near_count);
        let mut others: Vec<usize> = Vec::with_capacity(cities);
        for city in 0..cities {
            let distance =
                |&other: &usize| distances[city * cities + other].min(distances[other * cities + city]);
            others.clear();
            others.extend((0..cities).filter(|&other| other != city));
            let is_nearer = |a: &usize, b: &usize| distance(a).total_cmp(&distance(b)).then(a.cmp(b));
            if near_count < others.len() {
                others.select_nth_unstable_by(near_count, is_nearer);
            }
            others[..near_count].sort_by(is_nearer);
            near.extend_from_slice(&others[..near_count]);
        }
        Ok(Self { name: name.to_owned(), cities, distances, is_symmetric, near, near_count })
    }

    /// Reads the problem from a text; `file` is what errors call it.
    ///
    /// # Errors
    /// The line and what is wrong there.
    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        Description::read(file, text)?.problem()
    }

    fn distance(&self, from: usize, to: usize) -> f64 {
        self.distances[from * self.cities + to]
    }

    fn near(&self, city: usize) -> &[usize] {
        &self.near[city * self.near_count..][..self.near_count]
    }
}

/// Whether a text has the keywords of TSPLIB.
pub(crate) fn is_like(text: &str) -> bool {
    text.lines()
        .any(|line| keyword(line).is_some_and(|(key, _)| key == "DIMENSION" || key == "EDGE_WEIGHT_TYPE"))
}

/// The keyword at the beginning of a line, and what follows it.
fn keyword(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let end = line
        .find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'))
        .unwrap_or(line.len());
    let (key, rest) = line.split_at(end);
    if !key.starts_with(|c: char| c.is_ascii_uppercase()) {
        return None;
    }
    Some((key, rest.trim_start().trim_start_matches(':').trim()))
}

/// A file taken apart: what its keywords say, and the numbers of its sections.
struct Description<'a> {
    file: &'a str,
    name: Option<&'a str>,
    dimension: Option<usize>,
    weight_type: Option<(usize, &'a str)>,
    weight_format: Option<(usize, &'a str)>,
    coordinates: Option<Words<'a>>,
    weights: Option<Words<'a>>,
    last_line: usize,
}

impl<'a> Description<'a> {
    fn read(file: &'a str, text: &'a str) -> Result<Self, Error> {
        let mut description = Self {
            file,
            name: None,
            dimension: None,
            weight_type: None,
            weight_format: None,
            coordinates: None,
            weights: None,
            last_line: text.lines().count().max(1),
        };
        let mut lines = text::numbered(text).peekable();
        while let Some((line, content)) = lines.next() {
            if content.trim().is_empty() {
                continue;
            }
            let Some((key, value)) = keyword(content) else {
                return Err(
                    description.error(line, format!("'{}' is no keyword of the format", content.trim()))
                );
            };
            match key {
                "NAME" => description.name = Some(value),
                "TYPE" => {
                    let kind = value.split_whitespace().next().unwrap_or("");
                    if kind != "TSP" && kind != "ATSP" {
                        let what = format!("the type is {kind}: only TSP and ATSP can be read");
                        return Err(description.error(line, what));
                    }
                }
                "DIMENSION" => {
                    description.dimension = Some(Words::new(file, [(line, value)]).count("the dimension")?);
                }
                "EDGE_WEIGHT_TYPE" => description.weight_type = Some((line, value)),
                "EDGE_WEIGHT_FORMAT" => description.weight_format = Some((line, value)),
                "EOF" => break,
                "FIXED_EDGES_SECTION" => {
                    return Err(description.error(line, "fixed edges are not supported".to_owned()));
                }
                _ if key.ends_with("_SECTION") => {
                    let mut section = Vec::new();
                    while let Some(numbers) = lines.next_if(|(_, content)| keyword(content).is_none()) {
                        section.push(numbers);
                    }
                    let words = Some(Words::new(file, section));
                    match key {
                        "NODE_COORD_SECTION" => description.coordinates = words,
                        "EDGE_WEIGHT_SECTION" => description.weights = words,
                        _ => {} // for display, or a tour
                    }
                }
                _ => {} // comments and what is for display
            }
        }
        Ok(description)
    }

    fn error(&self, line: usize, what: String) -> Error {
        Error::Format { file: self.file.to_owned(), line, what }
    }

    fn missing(&self, what: &str) -> Error {
        self.error(self.last_line, format!("the text ends without {what}"))
    }

    fn problem(self) -> Result<TravelingSalesman, Error> {
        let cities = self.dimension.ok_or_else(|| self.missing("a DIMENSION"))?;
        let (line, weight_type) = self.weight_type.ok_or_else(|| self.missing("an EDGE_WEIGHT_TYPE"))?;
        let distances = match weight_type {
            "EXPLICIT" => self.explicit(cities)?,
            "EUC_2D" => self.measured(cities, |dx, dy| dx.hypot(dy).round())?,
            "CEIL_2D" => self.measured(cities, |dx, dy| dx.hypot(dy).ceil())?,
            "MAN_2D" => self.measured(cities, |dx, dy| (dx.abs() + dy.abs()).round())?,
            "MAX_2D" => self.measured(cities, |dx, dy| dx.abs().round().max(dy.abs().round()))?,
            // The next whole number that is not smaller: what rounding to the nearest and correcting it comes to.
            "ATT" => self.measured(cities, |dx, dy| ((dx * dx + dy * dy) / 10.0).sqrt().ceil())?,
            "GEO" => self.geographical(cities)?,
            other => {
                let known = "EXPLICIT, EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO and ATT";
                return Err(
                    self.error(line, format!("the edge weight type is {other}: only {known} can be read"))
                );
            }
        };
        let name =
            self.name.filter(|name| !name.is_empty()).map_or_else(|| text::stem(self.file), str::to_owned);
        TravelingSalesman::from_distances(name.trim_end_matches(".tsp"), cities, distances)
    }

    fn points(&self, cities: usize) -> Result<Vec<(f64, f64)>, Error> {
        let mut words = self.coordinates.clone().ok_or_else(|| self.missing("a NODE_COORD_SECTION"))?;
        let mut points = vec![None; cities];
        for _ in 0..cities {
            let place = words.clone();
            let city = words.count("the number of a city")?;
            let point = (words.number("a coordinate")?, words.number("a coordinate")?);
            match points.get_mut(city - 1) {
                Some(entry @ None) => *entry = Some(point),
                Some(Some(_)) => {
                    return Err(place.error(format!("city {city} stands here for the second time")));
                }
                None => {
                    return Err(place.error(format!("city {city} does not exist: the dimension is {cities}")));
                }
            }
        }
        words.end()?;
        Ok(points.into_iter().flatten().collect())
    }

    fn measured(&self, cities: usize, distance: impl Fn(f64, f64) -> f64) -> Result<Vec<f64>, Error> {
        let points = self.points(cities)?;
        let mut distances = room(cities)?;
        for a in &points {
            distances.extend(points.iter().map(|b| distance(a.0 - b.0, a.1 - b.1)));
        }
        Ok(distances)
    }

    /// Latitude and longitude as degrees with minutes behind the point, on a sphere; π and the radius are the format's.
    fn geographical(&self, cities: usize) -> Result<Vec<f64>, Error> {
        #[expect(clippy::approx_constant, reason = "the format says so")]
        const PI: f64 = 3.141_592;
        const RADIUS: f64 = 6378.388;
        let radians = |x: f64| PI * (x.trunc() + 5.0 * x.fract() / 3.0) / 180.0;
        let points: Vec<(f64, f64)> =
            self.points(cities)?.into_iter().map(|(x, y)| (radians(x), radians(y))).collect();
        let distance = |a: &(f64, f64), b: &(f64, f64)| {
            let (q1, q2, q3) = ((a.1 - b.1).cos(), (a.0 - b.0).cos(), (a.0 + b.0).cos());
            (RADIUS * (0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3)).clamp(-1.0, 1.0).acos() + 1.0).floor()
        };
        let mut distances = room(cities)?;
        for a in &points {
            distances.extend(points.iter().map(|b| distance(a, b)));
        }
        Ok(distances)
    }

    fn explicit(&self, cities: usize) -> Result<Vec<f64>, Error> {
        let mut words = self.weights.clone().ok_or_else(|| self.missing("an EDGE_WEIGHT_SECTION"))?;
        let (line, format) = self.weight_format.ok_or_else(|| self.missing("an EDGE_WEIGHT_FORMAT"))?;
        let n = cities;
        // A half by columns is the other half by rows.
        let columns: fn(usize, usize) -> std::ops::Range<usize> = match format {
            "FULL_MATRIX" => |_, n| 0..n,
            "UPPER_ROW" | "LOWER_COL" => |row, n| row + 1..n,
            "LOWER_ROW" | "UPPER_COL" => |row, _| 0..row,
            "UPPER_DIAG_ROW" | "LOWER_DIAG_COL" => |row, n| row..n,
            "LOWER_DIAG_ROW" | "UPPER_DIAG_COL" => |row, _| 0..row + 1,
            other => {
                let what =
                    format!("the edge weight format is {other}, which is not one of the matrix layouts");
                return Err(self.error(line, what));
            }
        };
        let count = (0..n).map(|row| columns(row, n).len()).sum();
        let mut numbers = words.numbers(count, "the edge weights")?.into_iter();
        words.end()?;
        let mut distances = room(n)?;
        distances.resize(n * n, 0.0);
        for row in 0..n {
            for (column, number) in columns(row, n).zip(&mut numbers) {
                distances[row * n + column] = number;
                if format != "FULL_MATRIX" {
                    distances[column * n + row] = number;
                }
            }
        }
        Ok(distances)
    }
}

/// Room for the distances of so many cities, or an error that says how much they would need.
fn room(cities: usize) -> Result<Vec<f64>, Error> {
    let mut distances = Vec::new();
    match cities.checked_mul(cities).map(|count| distances.try_reserve_exact(count)) {
        Some(Ok(())) => Ok(distances),
        _ => Err(Error::Memory { cities, gigabytes: 8e-9 * (cities as f64).powi(2) }),
    }
}

impl Problem for TravelingSalesman {
    fn items(&self) -> usize {
        self.cities
    }

    fn value(&self, order: &[usize]) -> f64 {
        let steps = order.windows(2).map(|pair| self.distance(pair[0], pair[1])).sum::<f64>();
        steps + self.distance(order[order.len() - 1], order[0])
    }

    fn parts(&self, order: &[usize], parts: &mut [f64]) {
        parts[0] = 0.0;
        for (part, pair) in parts[1..].iter_mut().zip(order.windows(2)) {
            *part = self.distance(pair[0], pair[1]);
        }
        parts[order.len() - 1] += self.distance(order[order.len() - 1], order[0]);
    }

    fn additive(&self) -> Option<Additive> {
        Additive::new(self.cities).ok()?.with_tour(&self.distances).ok()
    }

    fn neighborhood(&self) -> Box<dyn Neighborhood + '_> {
        let mut walk = Walk { problem: self, standing: Standing::new(self.cities) };
        walk.set_order(&(0..self.cities).collect::<Vec<_>>());
        Box::new(walk)
    }

    /// Always to the nearest city that is left.
    fn construct(&self, run: &Run<'_>) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.cities).collect();
        for rank in 1..self.cities {
            if run.is_over() {
                return None;
            }
            let here = order[rank - 1];
            let to = |at: usize| self.distance(here, order[at]);
            let nearest = (rank..self.cities).min_by(|&a, &b| to(a).total_cmp(&to(b))).unwrap_or(rank);
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

/// A move on the round trip, by cities.
#[derive(Clone, Copy, Debug)]
enum Trip {
    /// Turns the stretch from one city forward to another.
    Turn { from: usize, to: usize },
    /// Takes `count` cities from `first` forward to behind another city, turned or not.
    Shift { first: usize, count: usize, behind: usize, is_turned: bool },
}

struct Walk<'a> {
    problem: &'a TravelingSalesman,
    standing: Standing,
}

impl Walk<'_> {
    fn at(&self, rank: usize) -> usize {
        let cities = self.problem.cities;
        self.standing.order[if rank >= cities { rank - cities } else { rank }]
    }

    fn put(&mut self, rank: usize, city: usize) {
        let cities = self.problem.cities;
        let rank = if rank >= cities { rank - cities } else { rank };
        self.standing.order[rank] = city;
        self.standing.ranks[city] = rank;
    }

    fn next(&self, city: usize) -> usize {
        self.at(self.standing.ranks[city] + 1)
    }

    fn previous(&self, city: usize) -> usize {
        self.at(self.standing.ranks[city] + self.problem.cities - 1)
    }

    /// How many steps forward from one city to another.
    fn steps(&self, from: usize, to: usize) -> usize {
        let (from, to) = (self.standing.ranks[from], self.standing.ranks[to]);
        if to >= from { to - from } else { to + self.problem.cities - from }
    }

    /// The best exchange of the edge after (or before) a city for one to a near city.
    fn best_turn(&mut self, city: usize, best: &mut (f64, Option<Trip>)) {
        let problem = self.problem;
        for is_forward in [true, false] {
            let beside = if is_forward { self.next(city) } else { self.previous(city) };
            let old = problem.distance(city, beside);
            for &near in problem.near(city) {
                let gain = old - problem.distance(city, near);
                if gain <= 0.0 {
                    break;
                }
                self.standing.evaluations += 1;
                let other = if is_forward { self.next(near) } else { self.previous(near) };
                let change = problem.distance(beside, other) - problem.distance(near, other) - gain;
                if change < best.0 {
                    let (from, to) = if is_forward { (beside, near) } else { (city, other) };
                    *best = (change, Some(Trip::Turn { from, to }));
                }
            }
        }
    }

    /// The best move of a short stretch that begins or ends with a city to beside a near city.
    fn best_shift(&mut self, city: usize, best: &mut (f64, Option<Trip>)) {
        let problem = self.problem;
        let d = |from, to| problem.distance(from, to);
        for is_first in [true, false] {
            let mut end = city;
            for count in 1..=LONGEST_SEGMENT {
                if count > 1 {
                    end = if is_first { self.next(end) } else { self.previous(end) };
                }
                // The stretch runs from `first` forward to `last`; the city is one of the two.
                let (first, last) = if is_first { (city, end) } else { (end, city) };
                let (before, after) = (self.previous(first), self.next(last));
                let saved = d(before, first) + d(last, after) - d(before, after);
                let is_inside = |walk: &Self, other: usize| walk.steps(first, other) < count;
                for &near in problem.near(city) {
                    if saved <= d(city, near).min(d(near, city)) {
                        break;
                    }
                    if is_inside(self, near) {
                        continue;
                    }
                    for is_behind in [true, false] {
                        // Behind the near city the stretch begins with the city, before it the stretch ends with it.
                        let is_turned = is_behind != is_first;
                        let other = if is_behind { self.next(near) } else { self.previous(near) };
                        if (is_turned && !problem.is_symmetric) || is_inside(self, other) {
                            continue;
                        }
                        self.standing.evaluations += 1;
                        let change = if is_behind {
                            d(near, city) + d(end, other) - d(near, other)
                        } else {
                            d(city, near) + d(other, end) - d(other, near)
                        } - saved;
                        if change < best.0 {
                            let behind = if is_behind { near } else { other };
                            *best = (change, Some(Trip::Shift { first, count, behind, is_turned }));
                        }
                    }
                }
            }
        }
    }

    fn make(&mut self, trip: Trip) {
        match trip {
            Trip::Turn { from, to } => self.turn(from, to),
            Trip::Shift { first, count, behind, is_turned } => self.shift(first, count, behind, is_turned),
        }
    }

    /// Turns a stretch, or the rest of the round trip if that is shorter.
    fn turn(&mut self, from: usize, to: usize) {
        let cities = self.problem.cities;
        let count = self.steps(from, to) + 1;
        let (from, to, count) = if 2 * count <= cities {
            (self.standing.ranks[from], self.standing.ranks[to], count)
        } else {
            (self.standing.ranks[to] + 1, self.standing.ranks[from] + cities - 1, cities - count)
        };
        let (mut left, mut right) = (from % cities, to % cities);
        for _ in 0..count / 2 {
            let (a, b) = (self.standing.order[left], self.standing.order[right]);
            self.put(left, b);
            self.put(right, a);
            left = if left + 1 == cities { 0 } else { left + 1 };
            right = if right == 0 { cities - 1 } else { right - 1 };
        }
    }

    /// Takes a short stretch elsewhere by letting the cities between close up, on the shorter way round.
    fn shift(&mut self, first: usize, count: usize, behind: usize, is_turned: bool) {
        let cities = self.problem.cities;
        let start = self.standing.ranks[first];
        let mut stretch = [0; LONGEST_SEGMENT];
        for (at, city) in stretch[..count].iter_mut().enumerate() {
            *city = self.at(start + at);
        }
        if is_turned {
            stretch[..count].reverse();
        }
        let ahead = self.steps(first, behind) + 1 - count;
        let back = cities - count - ahead;
        let place = if ahead <= back {
            for at in 0..ahead {
                let city = self.at((start + count + at) % cities);
                self.put((start + at) % cities, city);
            }
            start + ahead
        } else {
            for at in 1..=back {
                let city = self.at((start + cities - at) % cities);
                self.put((start + count + cities - at) % cities, city);
            }
            start + cities - back
        };
        for (at, &city) in stretch[..count].iter().enumerate() {
            self.put((place + at) % cities, city);
        }
    }

    /// The edges after these ranks, as they are once `item_at` says what stands where.
    fn edges(&self, ranks: &[usize], item_at: impl Fn(usize) -> usize) -> f64 {
        let cities = self.problem.cities;
        ranks.iter().map(|&rank| self.problem.distance(item_at(rank), item_at((rank + 1) % cities))).sum()
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
        self.standing.set(order, self.problem.value(order));
    }

    /// O(1), but for turns where the way back is not as long as the way there.
    fn change(&mut self, step: Move) -> f64 {
        self.standing.evaluations += 1;
        let (cities, order) = (self.problem.cities, &self.standing.order);
        let (first, last) = step.span();
        let d = |from, to| self.problem.distance(from, to);
        if last + 1 - first == cities && !matches!(step, Move::Swap { .. }) {
            // Nothing but where the round trip is said to begin, or its direction.
            let is_same = self.problem.is_symmetric || matches!(step, Move::Insert { .. });
            if is_same {
                return 0.0;
            }
        }
        let (before, after) = (self.at(first + cities - 1), self.at(last + 1));
        let (left, right) = (order[first], order[last]);
        match step {
            Move::Reverse { .. } if self.problem.is_symmetric => {
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

    fn apply(&mut self, step: Move) {
        self.standing.cost += self.change(step);
        self.standing.apply(step);
    }

    fn improve_item(&mut self, item: usize, queue: &mut Queue, run: &Run<'_>) -> bool {
        if self.problem.cities < FEWEST_CITIES {
            return improve_by_all_moves(self, item, queue, run);
        }
        let mut best = (0.0, None);
        if self.problem.is_symmetric {
            self.best_turn(item, &mut best);
        }
        self.best_shift(item, &mut best);
        let (change, Some(trip)) = best else { return false };
        if !is_gain(change, self.standing.cost) {
            return false;
        }
        let ends = match trip {
            Trip::Turn { from, to } => [from, to, self.previous(from), self.next(to), from, to],
            Trip::Shift { first, count, behind, .. } => {
                let last = self.at(self.standing.ranks[first] + count - 1);
                [first, last, self.previous(first), self.next(last), behind, self.next(behind)]
            }
        };
        self.make(trip);
        self.standing.cost += change;
        ends.into_iter().for_each(|city| queue.push(city));
        true
    }

    /// Exchanges two neighboring stretches: a double bridge.
    fn kick(&mut self, queue: &mut Queue, rng: &mut ChaCha8Rng) {
        let cities = self.problem.cities;
        if cities < FEWEST_CITIES {
            return kick_by_insertions(self, queue, rng);
        }
        let longest = LONGEST_KICK.min((cities - 2) / 2);
        let (one, two) = (rng.random_range(1..=longest), rng.random_range(1..=longest));
        let start = rng.random_range(0..cities);
        let stretch: Vec<usize> = (0..one + two).map(|at| self.at((start + at) % cities)).collect();
        let (before, after) = (self.at(start + cities - 1), self.at((start + one + two) % cities));
        let (a, b) = ((stretch[0], stretch[one - 1]), (stretch[one], stretch[one + two - 1]));
        let d = |from, to| self.problem.distance(from, to);
        self.standing.cost +=
            d(before, b.0) + d(b.1, a.0) + d(a.1, after) - d(before, a.0) - d(a.1, b.0) - d(b.1, after);
        for (at, &city) in stretch[one..].iter().chain(&stretch[..one]).enumerate() {
            self.put((start + at) % cities, city);
        }
        [before, a.0, a.1, b.0, b.1, after].into_iter().for_each(|city| queue.push(city));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_into_memory_is_refused_with_its_size() {
        assert!(room(10).unwrap().capacity() >= 100);
        let error = room(1 << 31).unwrap_err().to_string();
        assert!(error.starts_with("2147483648 cities need 36893488147 GB"), "{error}");
        assert!(room(usize::MAX).is_err());
    }
}
