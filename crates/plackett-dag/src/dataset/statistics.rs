//! What learning needs of data and nothing else: the moments of numbers, the distinct rows of categories with their counts, and of
//! both side by side the joint moments of the numbers and of indicators of the categories, and the moments of the numbers in each
//! combination of categories while these are few.
//! Parts of data that are apart, in files, batches or machines, merge to the statistics of the whole.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::Path;

use plackett::run::Run;
use serde::{Deserialize, Serialize};

use super::column::{Content, RawColumn};
use super::labeled::LabeledMoments;
use super::labels::Labels;
use super::reading::Reading;
use super::saved::{Reader, Writer};
use super::settle::{Beside, settle};
use super::source::wanted;
use super::{Column, Dataset, Kind, Values};
use crate::categories::Categories;
use crate::cells::{Cell, Cells, triangle_size};
use crate::error::{Error, Problem, Result};
use crate::finding::{Concern, Finding, Treatment};
use crate::gram::{GramBuilder, Moments, Weights};
use crate::score::{DISCRETE_SCORES, SCORES};

/// What learning needs of data.
///
/// # Example
/// ```
/// use plackett_dag::{Dataset, Statistics, dataset::Reading, gram::Centering};
///
/// let part = |text: &str| Statistics::of(Dataset::from_reader(text.as_bytes(), "data", &Reading::default())?);
/// let mut statistics = part("a,b\n1.5,2\n2.5,1\n3.5,7\n")?;
/// statistics.merge(&part("a,b\n0.5,2.5\n4.5,3\n2.5,3\n")?)?;
/// assert_eq!((statistics.rows(), statistics.names()), (6, ["a".to_owned(), "b".to_owned()].as_slice()));
/// let again = Statistics::from_bytes(&statistics.to_bytes()?, "data")?;
/// let data = again.into_dataset("data", &Reading::default())?;
/// assert_eq!(data.observations(Centering::Center)?.rows(), 6);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Statistics {
    names: Vec<String>,
    /// Values that were missing in each column.
    missing: Vec<usize>,
    /// Rows that were left out because values are missing in them.
    dropped_rows: usize,
    content: Counted,
}

/// What there is of each kind of data.
#[derive(Clone, Debug)]
enum Counted {
    Numbers(GramBuilder),
    Categories(DistinctRows),
    Mixed(LabeledMoments),
}

/// Rows that a double still counts one by one: no file is of more.
const MOST_ROWS: u64 = 1 << 53;

/// The first line of a file.
const MAGIC: &[u8] = b"plackett statistics 1\n";
/// What the kind of numbers and categories side by side is called.
const MIXED: &str = "mixed";
/// How any version's begins.
const ANY_MAGIC: &[u8] = b"plackett statistics ";

/// All but the long lists.
#[derive(Serialize, Deserialize)]
struct Head {
    kind: String,
    scores: Vec<String>,
    rows: usize,
    dropped_rows: usize,
    weight: f64,
    weight_squares: f64,
    whole_weights: bool,
    distinct_rows: usize,
    columns: Vec<HeadColumn>,
}

#[derive(Serialize, Deserialize)]
struct HeadColumn {
    name: String,
    missing: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<Labels>,
}

impl Statistics {
    /// The most distinct rows of categories.
    pub const MOST_DISTINCT_ROWS: usize = 1 << 22;

    /// The statistics of data.
    ///
    /// # Errors
    /// [`Error::Unfit`] if something is wrong with the data that more of them could not mend,
    /// [`Error::TooManyDistinctRows`], and [`Error::Misfit`] for more numbers and categories side by side than
    /// [`JointMoments::MOST_COLUMNS`](crate::JointMoments::MOST_COLUMNS).
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, Statistics, dataset::Reading};
    ///
    /// let data = Dataset::from_reader("a,b\nx,1\ny,2\nx,1\n".as_bytes(), "data", &Reading::default())?;
    /// assert_eq!(Statistics::of(data)?.scores(), ["qnml", "bdeu", "bic", "k2", "fnml"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn of(data: Dataset) -> Result<Self> {
        Self::within(data, &Run::default())
    }

    /// As [`Statistics::of`], until the run is over.
    pub(super) fn within(data: Dataset, run: &Run<'_>) -> Result<Self> {
        let most = Categories::MOST_LEVELS;
        // Which values are rare, the parts cannot tell of the whole.
        let lasting = |finding: &Finding| match finding.concern {
            Concern::OnlyRow | Concern::OnlyColumn => None,
            Concern::Lumped { .. } => Some(Finding {
                columns: finding.columns.clone(),
                concern: Concern::TooManyCategories { most },
            }),
            _ => finding.is_fault().then(|| finding.clone()),
        };
        let faults: Vec<Finding> = data.findings.iter().filter_map(lasting).collect();
        if !faults.is_empty() {
            return Err(Error::Unfit { file: data.source, faults });
        }
        if data.interventions.is_some() {
            let reason = "are told of rows, and statistics have none: learn from the rows".to_owned();
            return Err(Error::Misfit { setting: "interventions", reason });
        }
        if data.is_incomplete() {
            let reason =
                "need rows in which nothing is missing: leave out those in which something is".to_owned();
            return Err(Error::Misfit { setting: "statistics", reason });
        }
        let missing = data.columns.iter().map(|column| column.missing).collect();
        let (names, dropped_rows) = (data.names.clone(), data.dropped_rows);
        let content = match (data.kind(), data.joint, data.moments, data.has_means) {
            (_, Some(joint), ..) => Counted::Mixed(joint),
            (Some(Kind::Numbers), _, Some(builder), true) => Counted::Numbers(builder),
            (Some(Kind::Categories), ..) => Counted::Categories(DistinctRows::of(data.values, data.weights)?),
            (None, ..) => {
                let rows = Dataset { joint: None, moments: None, ..data };
                Counted::Mixed(LabeledMoments::of(rows, run)?)
            }
            _ => {
                let reason = "need rows, or moments with means".to_owned();
                return Err(Error::Misfit { setting: "statistics", reason });
            }
        };
        Ok(Self { names, missing, dropped_rows, content })
    }

    /// Takes in those of other rows of the same columns: exact for counts, and for moments up to rounding, about 1e-15 of the
    /// columns' standard deviations, however the rows were divided.
    ///
    /// # Errors
    /// [`Error::ColumnNames`] or [`Error::Misfit`] if the columns or their kinds differ, [`Error::Unfit`] if there are more
    /// than 256 categories together, and [`Error::TooManyDistinctRows`]. The statistics are then of no use.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.names != other.names {
            let only = |names: &[String], others: &[String]| -> Vec<String> {
                names.iter().filter(|name| !others.contains(name)).cloned().collect()
            };
            let (missing, extra) = (only(&self.names, &other.names), only(&other.names, &self.names));
            if missing.is_empty() && extra.is_empty() {
                let reason = "are in another order in some part".to_owned();
                return Err(Error::Misfit { setting: "columns", reason });
            }
            return Err(Error::ColumnNames { missing, extra });
        }
        match (&mut self.content, &other.content) {
            (Counted::Numbers(moments), Counted::Numbers(others)) => moments.merge(others)?,
            (Counted::Categories(rows), Counted::Categories(others)) => rows.merge(others, &self.names)?,
            (Counted::Mixed(moments), Counted::Mixed(others)) if moments.kinds() == others.kinds() => {
                moments.merge(others, &self.names)?;
            }
            _ => {
                let reason = "differ: numbers in one part, categories in another, so that they must be said"
                    .to_owned();
                return Err(Error::Misfit { setting: "kinds", reason });
            }
        }
        self.missing
            .iter_mut()
            .zip(&other.missing)
            .for_each(|(count, &more)| *count = count.saturating_add(more));
        self.dropped_rows = self.dropped_rows.saturating_add(other.dropped_rows);
        Ok(())
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows, without those that were left out.
    pub fn rows(&self) -> usize {
        match &self.content {
            Counted::Numbers(moments) => moments.rows(),
            Counted::Categories(rows) => rows.total() as usize,
            Counted::Mixed(joint) => joint.moments.rows(),
        }
    }

    /// What each column is.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, Statistics, dataset::{Kind, Reading}};
    ///
    /// let data = Dataset::from_reader("a,b\nx,1.5\ny,2.5\nx,1.7\n".as_bytes(), "data", &Reading::default())?;
    /// let statistics = Statistics::of(data)?;
    /// assert_eq!(statistics.kinds(), [Kind::Categories, Kind::Numbers]);
    /// assert_eq!(statistics.scores(), ["dg", "cg"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn kinds(&self) -> Vec<Kind> {
        match &self.content {
            Counted::Numbers(_) => vec![Kind::Numbers; self.names.len()],
            Counted::Categories(_) => vec![Kind::Categories; self.names.len()],
            Counted::Mixed(joint) => joint.kinds(),
        }
    }

    /// What all columns are, if it is the same and there are scores for it.
    pub fn kind(&self) -> Option<Kind> {
        match &self.content {
            Counted::Numbers(_) => Some(Kind::Numbers),
            Counted::Categories(_) => Some(Kind::Categories),
            Counted::Mixed(_) => None,
        }
    }

    /// The distinct rows of categories. Beside numbers they are known only while they are few.
    pub fn distinct_rows(&self) -> Option<usize> {
        match &self.content {
            Counted::Numbers(_) => None,
            Counted::Mixed(joint) => joint.moments.cells().map(Cells::len),
            Counted::Categories(rows) => Some(rows.counts.len()),
        }
    }

    /// The scores that these statistics serve.
    pub fn scores(&self) -> Vec<&'static str> {
        match &self.content {
            Counted::Numbers(_) => {
                SCORES.iter().filter(|entry| !entry.needs_rows).map(|entry| entry.name).collect()
            }
            Counted::Categories(_) => DISCRETE_SCORES.iter().map(|entry| entry.name).collect(),
            Counted::Mixed(joint) if joint.moments.cells().is_none() => vec!["dg"],
            Counted::Mixed(_) => vec!["dg", "cg"],
        }
    }

    /// Data to learn from, as if from the rows; `source` is what messages call them.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`] if `reading` names a column that is not there, and [`Error::Misfit`] if it asks for what needs
    /// rows.
    pub fn into_dataset(self, source: &str, reading: &Reading) -> Result<Dataset> {
        let wanted = wanted(&self.names, reading)?;
        let kinds = self.kinds();
        let is_other = |&at: &usize| {
            let (name, kind) = (&self.names[at], kinds[at]);
            let said = match kind {
                Kind::Numbers => (&reading.numeric, &reading.categorical),
                Kind::Categories => (&reading.categorical, &reading.numeric),
            };
            said.1.contains(name)
                || !said.0.contains(name) && reading.kind.is_some_and(|wanted| wanted != kind)
        };
        let is_cut = reading.discretize.is_some() && wanted.iter().any(|&at| kinds[at] == Kind::Numbers);
        for (setting, is_given) in [
            ("weights", reading.weights.is_some()),
            ("interventions", reading.interventions.is_some()),
            ("kinds", wanted.iter().any(is_other)),
            ("discretize", is_cut),
        ] {
            if is_given {
                let reason =
                    "cannot be changed any more: these are statistics, and that needs rows".to_owned();
                return Err(Error::Misfit { setting, reason });
            }
        }
        let rows = self.rows();
        let mut note = format!("statistics of {rows} rows");
        let mut data = match self.content {
            Counted::Numbers(builder) => {
                let columns = wanted
                    .iter()
                    .map(|&at| Column::of_moments(self.names[at].clone(), self.missing[at]))
                    .collect();
                let places: Vec<Option<usize>> = wanted.iter().copied().map(Some).collect();
                Dataset::of_moments(source, columns, builder.of_columns(&places), true, Vec::new())
            }
            Counted::Mixed(joint) => {
                let named: Vec<(String, usize)> =
                    wanted.iter().map(|&at| (self.names[at].clone(), self.missing[at])).collect();
                let chosen = joint.of_columns(&wanted);
                match DistinctRows::of_moments(&chosen) {
                    Some(distinct) => {
                        note += &format!(", {} of them distinct", distinct.counts.len());
                        distinct.into_dataset(named, rows, source)?
                    }
                    None => Dataset::of_joint(source, named, chosen),
                }
            }
            Counted::Categories(distinct) => {
                note += &format!(", {} of them distinct", distinct.counts.len());
                let named = wanted.iter().map(|&at| (self.names[at].clone(), self.missing[at])).collect();
                distinct.of_columns(&wanted)?.into_dataset(named, rows, source)?
            }
        };
        data.notes.insert(0, note);
        if self.dropped_rows > 0 {
            let counts = self.names.iter().cloned().zip(self.missing.iter().copied());
            let mut counts: Vec<(String, usize)> = counts.filter(|(_, count)| *count > 0).collect();
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            data.findings.push(Finding::whole(Concern::Incomplete {
                counts,
                rows: rows.saturating_add(self.dropped_rows),
                complete: rows,
                treatment: Treatment::LeftOut,
            }));
            data.dropped_rows = self.dropped_rows;
        }
        Ok(data)
    }

    /// The bytes of a file: a line with the version, a line of JSON that says what is there, numbers, and a checksum.
    ///
    /// # Errors
    /// [`Error::Io`] if they cannot be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let column = |(at, (name, &missing)): (usize, (&String, &usize))| {
            let categories = match &self.content {
                Counted::Numbers(_) => None,
                Counted::Categories(rows) => Some(rows.labels[at].clone()),
                Counted::Mixed(joint) => joint.labels[at].clone(),
            };
            HeadColumn { name: name.clone(), missing, categories }
        };
        let weights = match &self.content {
            Counted::Numbers(builder) => builder.weights(),
            Counted::Categories(_) => Weights::NONE,
            Counted::Mixed(joint) => joint.moments.builder().weights(),
        };
        let head = Head {
            kind: self.kind().map_or(MIXED, Kind::name).to_owned(),
            scores: self.scores().into_iter().map(str::to_owned).collect(),
            rows: self.rows(),
            dropped_rows: self.dropped_rows,
            weight: weights.total,
            weight_squares: weights.squares,
            whole_weights: weights.are_whole,
            distinct_rows: self.distinct_rows().unwrap_or(0),
            columns: self.names.iter().zip(&self.missing).enumerate().map(column).collect(),
        };
        let mut writer = Writer::new(MAGIC);
        let line = serde_json::to_vec(&head)
            .map_err(|problem| Error::Io { file: "statistics".to_owned(), problem: problem.into() })?;
        writer.line(&line);
        match &self.content {
            Counted::Numbers(builder) => write_moments(&mut writer, builder),
            Counted::Mixed(joint) => {
                write_moments(&mut writer, joint.moments.builder());
                for (codes, cell) in joint.moments.cells().into_iter().flat_map(Cells::iter) {
                    writer.bytes(codes);
                    writer.numbers(&[cell.count]);
                    writer.numbers(&cell.means);
                    writer.numbers(&cell.scatter);
                }
            }
            Counted::Categories(rows) => {
                rows.in_order().iter().for_each(|(codes, _)| writer.bytes(codes));
                writer.counts(&rows.counts);
            }
        }
        Ok(writer.finish())
    }

    /// What [`Statistics::to_bytes`] wrote; `file` is what errors call it.
    ///
    /// # Errors
    /// [`Problem::Statistics`] if the bytes are not whole, not of this version or not what they say.
    pub fn from_bytes(bytes: &[u8], file: &str) -> Result<Self> {
        if !bytes.starts_with(MAGIC) && Self::is_one(bytes) {
            let version: String = bytes[ANY_MAGIC.len()..]
                .iter()
                .take_while(|byte| **byte != b'\n')
                .map(|&byte| char::from(byte))
                .take(8)
                .collect();
            let message = format!("they are of version {version}, and this program reads version 1");
            return Err(Problem::Statistics { message }.in_file(file));
        }
        let mut reader = Reader::new(bytes, MAGIC, file)?;
        let head: Head = serde_json::from_slice(reader.line()?)
            .map_err(|problem| Problem::Statistics { message: problem.to_string() }.in_file(file))?;
        if [head.rows, head.dropped_rows].iter().any(|&rows| rows as u64 > MOST_ROWS) {
            let message = "they are of more rows than can be counted".to_owned();
            return Err(Problem::Statistics { message }.in_file(file));
        }
        let width = head.columns.len();
        let names: Vec<String> = head.columns.iter().map(|column| column.name.clone()).collect();
        let missing = head.columns.iter().map(|column| column.missing).collect();
        let labels: Vec<Option<Labels>> =
            head.columns.iter().map(|column| column.categories.clone()).collect();
        let all_labels: Option<Vec<Labels>> = labels.iter().cloned().collect();
        let content = match (head.kind.as_str(), all_labels) {
            ("numbers", _) if width > 0 => Counted::Numbers(read_moments(&mut reader, &head, width)?),
            (MIXED, _) if width > 0 && head.rows > 0 && labels.iter().flatten().all(Labels::are_few) => {
                let levels = |labels: &Option<Labels>| labels.as_ref().map_or(1, |labels| labels.texts.len());
                let builder = read_moments(&mut reader, &head, labels.iter().map(levels).sum())?;
                let cells = read_cells(&mut reader, &head, &labels)?;
                Counted::Mixed(LabeledMoments::from_parts(labels, builder, cells)?)
            }
            ("categories", Some(labels)) if width > 0 => {
                let codes = reader.bytes(head.distinct_rows.saturating_mul(width))?;
                let counts = reader.counts(head.distinct_rows)?;
                let rows = DistinctRows::from_parts(labels, codes, &counts);
                Counted::Categories(rows.ok_or_else(|| reader.misfit())?)
            }
            _ => {
                let message = "they are of no kind that is known".to_owned();
                return Err(Problem::Statistics { message }.in_file(file));
            }
        };
        reader.finish()?;
        Ok(Self { names, missing, dropped_rows: head.dropped_rows, content })
    }

    /// Writes a file that is either whole or not there.
    ///
    /// # Errors
    /// [`Error::Io`].
    ///
    /// # Example
    /// ```
    /// use plackett_dag::{Dataset, Statistics, dataset::Reading};
    ///
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("data.statistics");
    /// let data = Dataset::from_reader("a,b\nx,1\ny,2\nx,1\n".as_bytes(), "data", &Reading::default())?;
    /// Statistics::of(data)?.save(&path)?;
    /// assert_eq!(Statistics::load(&path)?.distinct_rows(), Some(2));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        super::saved::replace(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`Statistics::from_bytes`], and [`Error::Io`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let failed = |problem| Error::Io { file: file.clone(), problem };
        let mut source = std::fs::File::open(path).map_err(failed)?;
        let mut head = Vec::new();
        source.by_ref().take(ANY_MAGIC.len() as u64).read_to_end(&mut head).map_err(failed)?;
        // What does not begin as it should may never end either.
        if Self::is_one(&head) {
            head = plackett::memory::read(std::io::Cursor::new(head).chain(source)).map_err(failed)?;
        }
        Self::from_bytes(&head, &file)
    }

    /// Bytes with the checksum that they must end in, for tests of what is damaged before it.
    #[doc(hidden)]
    pub fn sealed(body: &[u8]) -> Vec<u8> {
        let mut writer = Writer::new(&[]);
        writer.bytes(body);
        writer.finish()
    }

    /// The bytes of that checksum.
    #[doc(hidden)]
    pub const CHECKSUM: usize = super::saved::CHECK;

    /// Whether bytes begin as those of statistics do.
    pub(super) fn is_one(head: &[u8]) -> bool {
        head.starts_with(ANY_MAGIC)
    }
}

fn write_moments(writer: &mut Writer, builder: &GramBuilder) {
    let moments = builder.clone().into_moments();
    for list in [&moments.origin, &moments.means, &moments.minima, &moments.maxima] {
        writer.numbers(list);
    }
    let width = builder.columns();
    (0..width).for_each(|row| writer.numbers(&moments.scatter[row * width + row..(row + 1) * width]));
}

fn read_moments(reader: &mut Reader<'_>, head: &Head, width: usize) -> Result<GramBuilder> {
    let mut list = || reader.numbers(width);
    let (origin, means, minima, maxima) = (list()?, list()?, list()?, list()?);
    // All of it is there before the whole matrix takes memory.
    let triangle = reader.numbers(width.saturating_mul(width + 1) / 2)?;
    let mut rest = &triangle[..];
    let mut scatter = vec![0.0; width * width];
    for row in 0..width {
        let (entries, others) = rest.split_at(width - row);
        scatter[row * width + row..(row + 1) * width].copy_from_slice(entries);
        rest = others;
    }
    let weights = Weights { total: head.weight, squares: head.weight_squares, are_whole: head.whole_weights };
    let moments = Moments { rows: head.rows, weights, origin, means, scatter, minima, maxima };
    Ok(GramBuilder::from_moments(moments))
}

/// What is known of each combination of categories; nothing where there were too many.
fn read_cells(reader: &mut Reader<'_>, head: &Head, labels: &[Option<Labels>]) -> Result<Option<Cells>> {
    if head.distinct_rows == 0 {
        return Ok(None);
    }
    let levels: Vec<usize> = labels.iter().flatten().map(|labels| labels.texts.len()).collect();
    let numbers = labels.len() - levels.len();
    let mut cells = Cells::new(numbers);
    for _ in 0..head.distinct_rows {
        let codes = reader.bytes(levels.len())?;
        let count = reader.numbers(1)?[0];
        let cell =
            Cell { count, means: reader.numbers(numbers)?, scatter: reader.numbers(triangle_size(numbers))? };
        let fits = codes.iter().zip(&levels).all(|(&code, &levels)| usize::from(code) < levels);
        let is_finite = cell.means.iter().chain(&cell.scatter).all(|number| number.is_finite());
        if !(fits && is_finite && count > 0.0 && count.is_finite()) || cells.add(codes, cell).is_none() {
            return Err(reader.misfit());
        }
    }
    if cells.len() == head.distinct_rows { Ok(Some(cells)) } else { Err(reader.misfit()) }
}

/// Distinct rows of categories in the order of their first appearance, and how often each comes.
#[derive(Clone, Debug)]
struct DistinctRows {
    labels: Vec<Labels>,
    places: HashMap<Box<[u8]>, u32>,
    counts: Vec<u64>,
}

impl DistinctRows {
    fn of(values: Vec<Values>, weights: Option<super::weights::RowWeights>) -> Result<Self> {
        let mut labels = Vec::with_capacity(values.len());
        let mut columns = Vec::with_capacity(values.len());
        for values in values {
            let Values::Categories { labels: texts, codes, is_typed, is_ordered, .. } = values else {
                continue;
            };
            labels.push(Labels { texts, is_typed, is_ordered });
            columns.push(codes);
        }
        let counts = weights.map(|weights| weights.counts()).transpose()?;
        let mut rows = Self { labels, places: HashMap::new(), counts: Vec::new() };
        let mut key = vec![0; columns.len()];
        for row in 0..columns.first().map_or(0, Vec::len) {
            for (code, column) in key.iter_mut().zip(&columns) {
                *code = column[row];
            }
            let count = counts.as_ref().map_or(1, |counts| counts[row]);
            if count > 0 {
                rows.add(&key, u64::from(count))?;
            }
        }
        Ok(rows)
    }

    fn from_parts(labels: Vec<Labels>, codes: &[u8], counts: &[u64]) -> Option<Self> {
        let width = labels.len();
        let mut rows = Self { labels, places: HashMap::with_capacity(counts.len()), counts: Vec::new() };
        for (key, &count) in codes.chunks_exact(width.max(1)).zip(counts) {
            let fits =
                key.iter().zip(&rows.labels).all(|(&code, labels)| usize::from(code) < labels.texts.len());
            if !fits || count == 0 {
                return None;
            }
            rows.add(key, count).ok()?;
        }
        let fits = rows.labels.iter().all(Labels::are_few);
        (rows.counts.len() == counts.len() && fits).then_some(rows)
    }

    fn total(&self) -> u64 {
        self.counts.iter().fold(0, |total, &count| total.saturating_add(count))
    }

    fn add(&mut self, key: &[u8], count: u64) -> Result<()> {
        if let Some(&place) = self.places.get(key) {
            let known = &mut self.counts[place as usize];
            *known = known.saturating_add(count);
            return Ok(());
        }
        if self.counts.len() == Statistics::MOST_DISTINCT_ROWS {
            let (rows, most) = (self.total() as usize, Statistics::MOST_DISTINCT_ROWS);
            return Err(Error::TooManyDistinctRows { rows, most });
        }
        self.places.insert(key.into(), self.counts.len() as u32);
        self.counts.push(count);
        Ok(())
    }

    fn in_order(&self) -> Vec<(&[u8], u64)> {
        let mut rows: Vec<(&[u8], u64)> = vec![(&[], 0); self.counts.len()];
        for (key, &place) in &self.places {
            rows[place as usize] = (key, self.counts[place as usize]);
        }
        rows
    }

    fn merge(&mut self, other: &Self, names: &[String]) -> Result<()> {
        let mut maps: Vec<Vec<u8>> = Vec::with_capacity(self.labels.len());
        for ((labels, others), name) in self.labels.iter_mut().zip(&other.labels).zip(names) {
            maps.push(labels.merge(others, name)?);
        }
        let mut key = vec![0; maps.len()];
        for (codes, count) in other.in_order() {
            for ((slot, &code), map) in key.iter_mut().zip(codes).zip(&maps) {
                *slot = map[usize::from(code)];
            }
            self.add(&key, count)?;
        }
        Ok(())
    }

    /// Those of categories alone, if they are known and none of them stands for a part of a row.
    fn of_moments(joint: &LabeledMoments) -> Option<Self> {
        let labels: Option<Vec<Labels>> = joint.labels.iter().cloned().collect();
        let (labels, cells) = (labels?, joint.moments.cells()?);
        #[expect(clippy::cast_sign_loss, reason = "counts")]
        let whole = |(_, cell): (&[u8], &Cell)| (cell.count.fract() == 0.0).then_some(cell.count as u64);
        let counts: Option<Vec<u64>> = cells.iter().map(whole).collect();
        let codes: Vec<u8> = cells.iter().flat_map(|(codes, _)| codes).copied().collect();
        Self::from_parts(labels, &codes, &counts?)
    }

    /// The distinct rows of some of the columns.
    fn of_columns(&self, places: &[usize]) -> Result<Self> {
        let labels = places.iter().map(|&at| self.labels[at].clone()).collect();
        let mut rows = Self { labels, places: HashMap::new(), counts: Vec::new() };
        for (codes, count) in self.in_order() {
            let key: Vec<u8> = places.iter().map(|&at| codes[at]).collect();
            rows.add(&key, count)?;
        }
        Ok(rows)
    }

    /// The rows as data with counts, the columns under these names and with so many missing values.
    fn into_dataset(self, named: Vec<(String, usize)>, total: usize, source: &str) -> Result<Dataset> {
        let rows = self.in_order();
        let missing: Vec<usize> = named.iter().map(|(_, missing)| *missing).collect();
        let column = |(at, (name, _)): (usize, (String, usize))| {
            let labels = &self.labels[at];
            RawColumn {
                is_typed: labels.is_typed,
                is_ordered: labels.is_ordered,
                ..RawColumn::of(
                    name,
                    Content::Few {
                        texts: labels.sayings(),
                        codes: rows.iter().map(|(codes, _)| codes[at]).collect(),
                    },
                )
            }
        };
        let columns = named.into_iter().enumerate().map(column).collect();
        let counts = Content::Numbers(rows.iter().map(|&(_, count)| count as f64).collect());
        let counts = RawColumn::of(String::new(), counts);
        let reading = Reading::all(Kind::Categories);
        let beside = Beside { weights: Some(counts), targets: Vec::new() };
        let settled = settle(columns, beside, None, rows.len(), source, Vec::new(), &reading)?;
        let mut data = settled.inspected(&Run::default())?;
        data.columns.iter_mut().zip(missing).for_each(|(column, missing)| column.missing = missing);
        data.rows = total;
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinct_rows_are_bounded() {
        let labels = Labels { texts: vec!["x".into(), "y".into()], is_typed: false, is_ordered: false };
        let most = Statistics::MOST_DISTINCT_ROWS;
        let mut rows = DistinctRows {
            labels: vec![labels; 30],
            places: HashMap::from([(vec![0; 30].into(), 7)]),
            counts: vec![2; most],
        };
        assert!(rows.add(&[0; 30], 5).is_ok());
        assert_eq!(rows.counts[7], 7);
        let error = rows.add(&[1; 30], 1).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("after {} rows there are {most} different", 2 * most + 5)),
            "{error}"
        );
    }
}
