//! The files of TSPLIB: coordinates (EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO, ATT) or explicit distances in every layout of a
//! matrix or of half of one, symmetric or not, and edges that every round trip must have.

use super::{
    TravelingSalesman,
    distances::{Distances, Metric},
};
use crate::{
    error::Error,
    text::{self, Words},
};

/// Up to so many cities distances on the sphere are kept in a matrix: they take long to measure.
const MOST_MEASURED_ONCE: usize = 4000;

/// The most cities that can be read, without a matrix.
const MOST_CITIES: usize = 10_000_000;

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
pub(super) struct Description<'a> {
    file: &'a str,
    name: Option<&'a str>,
    dimension: Option<usize>,
    weight_type: Option<(usize, &'a str)>,
    weight_format: Option<(usize, &'a str)>,
    coordinates: Option<Words<'a>>,
    weights: Option<Words<'a>>,
    fixed_edges: Option<Words<'a>>,
    last_line: usize,
}

impl<'a> Description<'a> {
    pub(super) fn read(file: &'a str, text: &'a str) -> Result<Self, Error> {
        let mut description = Self {
            file,
            name: None,
            dimension: None,
            weight_type: None,
            weight_format: None,
            coordinates: None,
            weights: None,
            fixed_edges: None,
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
                    description.dimension =
                        Some(Words::new(file, [(line, value)]).count_to(MOST_CITIES, "the dimension")?);
                }
                "EDGE_WEIGHT_TYPE" => description.weight_type = Some((line, value)),
                "EDGE_WEIGHT_FORMAT" => description.weight_format = Some((line, value)),
                "EOF" => break,
                _ if key.ends_with("_SECTION") => {
                    let mut section = Vec::new();
                    while let Some(numbers) = lines.next_if(|(_, content)| keyword(content).is_none()) {
                        section.push(numbers);
                    }
                    let words = Some(Words::new(file, section));
                    match key {
                        "NODE_COORD_SECTION" => description.coordinates = words,
                        "EDGE_WEIGHT_SECTION" => description.weights = words,
                        "FIXED_EDGES_SECTION" => description.fixed_edges = words,
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

    pub(super) fn problem(self) -> Result<TravelingSalesman, Error> {
        let cities = self.dimension.ok_or_else(|| self.missing("a DIMENSION"))?;
        let (line, weight_type) = self.weight_type.ok_or_else(|| self.missing("an EDGE_WEIGHT_TYPE"))?;
        let metric = match weight_type {
            "EXPLICIT" => None,
            "EUC_2D" => Some(Metric::Rounded),
            "CEIL_2D" => Some(Metric::Ceiling),
            "MAN_2D" => Some(Metric::Manhattan),
            "MAX_2D" => Some(Metric::Maximum),
            "ATT" => Some(Metric::PseudoEuclidean),
            "GEO" => Some(Metric::Geographical),
            other => {
                let known = "EXPLICIT, EUC_2D, CEIL_2D, MAN_2D, MAX_2D, GEO and ATT";
                return Err(
                    self.error(line, format!("the edge weight type is {other}: only {known} can be read"))
                );
            }
        };
        let distances = match metric {
            None => Distances::matrix(cities, self.explicit(cities)?),
            Some(Metric::Geographical) => {
                let measured = Distances::points(self.radians(cities)?, Metric::Geographical);
                let matrix = if cities <= MOST_MEASURED_ONCE { measured.to_matrix() } else { None };
                matrix.map_or(measured, |matrix| Distances::matrix(cities, matrix))
            }
            Some(metric) => Distances::points(self.points(cities)?, metric),
        };
        let edges = self.edges(cities)?;
        if !edges.is_empty() && !distances.is_symmetric() {
            let what = "edges can be fixed only where the way back is as long as the way there".to_owned();
            return Err(self.error(self.fixed_edges.as_ref().map_or(line, Words::line), what));
        }
        let name =
            self.name.filter(|name| !name.is_empty()).map_or_else(|| text::stem(self.file), str::to_owned);
        Ok(TravelingSalesman::new(name.trim_end_matches(".tsp"), distances.fixing(&edges)))
    }

    /// The fixed edges, of which a round trip can be made: pairs of cities up to −1.
    fn edges(&self, cities: usize) -> Result<Vec<(usize, usize)>, Error> {
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let Some(mut words) = self.fixed_edges.clone() else { return Ok(edges) };
        let mut degrees = vec![0; cities];
        // The other end of the path of fixed edges that a city ends.
        let mut far_ends: Vec<usize> = (0..cities).collect();
        while words.left() > 0 && words.peek() != Some("-1") {
            let place = words.clone();
            let mut city = || Ok::<_, Error>(words.count_to(cities, "a city of a fixed edge")? - 1);
            let (a, b) = (city()?, city()?);
            if a == b {
                return Err(place.error(format!("the edge from city {} to itself cannot be fixed", a + 1)));
            }
            if edges.contains(&(a.min(b), a.max(b))) {
                continue;
            }
            for end in [a, b] {
                degrees[end] += 1;
                if degrees[end] > 2 {
                    return Err(place.error(format!("city {} would have three fixed edges", end + 1)));
                }
            }
            if far_ends[a] == b && edges.len() + 1 < cities {
                return Err(place.error("the fixed edges close a circle that leaves out other cities"));
            }
            let (one, other) = (far_ends[a], far_ends[b]);
            (far_ends[one], far_ends[other]) = (other, one);
            edges.push((a.min(b), a.max(b)));
        }
        if words.peek() == Some("-1") {
            words.number("the end")?;
        }
        words.end()?;
        Ok(edges)
    }

    fn points(&self, cities: usize) -> Result<Vec<(f64, f64)>, Error> {
        let mut words = self.coordinates.clone().ok_or_else(|| self.missing("a NODE_COORD_SECTION"))?;
        check_enough(&words, 3 * cities, "the coordinates")?;
        let mut points = vec![None; cities];
        for _ in 0..cities {
            let place = words.clone();
            let city = words.count_to(MOST_CITIES, "the number of a city")?;
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

    /// Latitude and longitude as degrees with minutes behind the point; π is the format's.
    fn radians(&self, cities: usize) -> Result<Vec<(f64, f64)>, Error> {
        #[expect(clippy::approx_constant, reason = "the format says so")]
        const PI: f64 = 3.141_592;
        let radians = |x: f64| PI * (x.trunc() + 5.0 * x.fract() / 3.0) / 180.0;
        Ok(self.points(cities)?.into_iter().map(|(x, y)| (radians(x), radians(y))).collect())
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
        let mut distances = room(n)?;
        let count = (0..n).map(|row| columns(row, n).len()).sum();
        let mut numbers = words.numbers(count, "the edge weights")?.into_iter();
        words.end()?;
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

/// Refuses a text that ends before so many numbers, before there is room made for them.
fn check_enough(words: &Words<'_>, count: usize, what: &str) -> Result<(), Error> {
    if words.left() < count { words.clone().numbers(count, what).map(drop) } else { Ok(()) }
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
