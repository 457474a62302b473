//! Categorical data: one small code per value, column by column, with the texts that the codes stand for.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufWriter, Write};

use crate::error::{Error, Place, Problem, Result};
use crate::field::{Fields, Saying, whole_number};
use crate::interventions::Interventions;

/// Rows of categories under named columns.
///
/// # Example
/// ```
/// use plackett_dag::Categories;
///
/// let names = vec!["smoke".to_owned(), "cough".to_owned()];
/// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
/// let data = Categories::new(names, levels, vec![vec![0, 1, 1], vec![0, 0, 1]])?;
/// assert_eq!((data.row_count(), data.columns(), data.arity(1)), (3, 2, 2));
/// assert_eq!(data.column(1), [0, 0, 1]);
/// # Ok::<(), plackett_dag::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories {
    names: Vec<String>,
    levels: Vec<Vec<String>>,
    codes: Vec<Vec<u8>>,
    /// How often each row counts, if not once.
    counts: Option<Vec<u32>>,
    /// Which columns were set from outside in which rows, if any were.
    interventions: Option<Interventions>,
}

impl Categories {
    /// The most categories a column may have.
    pub const MOST_LEVELS: usize = 256;

    /// The most rows: with as many categories as a column may have, row times category still fits in 32 bits.
    pub const MOST_ROWS: usize = 1 << 24;

    /// Columns of codes, each code an index into the column's levels.
    ///
    /// # Errors
    /// [`Error::Size`] if the parts do not fit together or a code has no level, [`Error::TooManyRows`] if there are more
    /// than [`Categories::MOST_ROWS`].
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// assert!(Categories::new(vec!["smoke".into()], levels.clone(), vec![vec![0, 1]]).is_ok());
    /// assert!(Categories::new(vec!["smoke".into()], levels, vec![vec![0, 2]]).is_err());
    /// ```
    pub fn new(names: Vec<String>, levels: Vec<Vec<String>>, codes: Vec<Vec<u8>>) -> Result<Self> {
        let size = |what, expected, found| Error::Size { what, expected, found };
        if levels.len() != names.len() || codes.len() != names.len() {
            return Err(size("the list of columns", names.len(), levels.len().min(codes.len())));
        }
        let rows = codes.first().map_or(0, Vec::len);
        check_rows(rows)?;
        for (levels, codes) in levels.iter().zip(&codes) {
            if codes.len() != rows {
                return Err(size("a column", rows, codes.len()));
            }
            let most = codes.iter().max().map_or(0, |&code| usize::from(code) + 1);
            if levels.len() < most || levels.len() > Self::MOST_LEVELS {
                return Err(size("the list of categories", most, levels.len()));
            }
        }
        Ok(Self { names, levels, codes, counts: None, interventions: None })
    }

    /// The same rows, each of which stands for so many; those that stand for none are left out.
    ///
    /// # Errors
    /// [`Error::Size`] unless there is a count for each row; [`Error::TooManyRows`] if they stand for more than 2³² − 1.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// let data = Categories::new(vec!["smoke".into()], levels, vec![vec![0, 1]])?.with_counts(vec![70, 30])?;
    /// assert_eq!((data.row_count(), data.total()), (2, 100));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn with_counts(mut self, counts: Vec<u32>) -> Result<Self> {
        if counts.len() != self.row_count() {
            let (expected, found) = (self.row_count(), counts.len());
            return Err(Error::Size { what: "the list of counts", expected, found });
        }
        let rows: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        if rows > u64::from(u32::MAX) {
            return Err(Error::TooManyRows { rows: rows as usize, most: u32::MAX as usize });
        }
        if counts.contains(&0) {
            let kept = |codes: &Vec<u8>| {
                codes.iter().zip(&counts).filter(|(_, count)| **count > 0).map(|(&code, _)| code).collect()
            };
            self.codes = self.codes.iter().map(kept).collect();
            self.interventions = self.interventions.map(|told| told.of_rows(|row| counts[row] > 0));
        }
        self.counts = Some(counts.into_iter().filter(|&count| count > 0).collect());
        Ok(self)
    }

    /// The same rows, of which some were made by setting columns from outside. A column is then scored on the rows in which it
    /// was not.
    ///
    /// # Errors
    /// [`Error::Size`] unless there are targets for each row, among as many nodes as columns; [`Error::Misfit`] if fewer
    /// than two rows tell of a column.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Categories, Interventions};
    /// let levels = vec![vec!["no".to_owned(), "yes".to_owned()]; 2];
    /// let data = Categories::new(vec!["smoke".into(), "cough".into()], levels, vec![vec![0, 1, 1], vec![0, 1, 0]])?;
    /// let data = data.with_interventions(Interventions::new(2, [vec![], vec![], vec![1]])?)?;
    /// assert_eq!(data.interventions().unwrap().kept_rows(1), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn with_interventions(mut self, interventions: Interventions) -> Result<Self> {
        interventions.check(self.columns(), self.row_count())?;
        self.interventions = Some(interventions);
        Ok(self)
    }

    /// Which columns were set from outside in which rows, if any were.
    pub fn interventions(&self) -> Option<&Interventions> {
        self.interventions.as_ref()
    }

    /// How often each row counts for a column that was set from outside in some rows: not at all there.
    pub(crate) fn kept_counts(&self, column: usize) -> Option<Vec<u32>> {
        let interventions = self.interventions.as_ref()?;
        let keeps = interventions.keeps(column);
        if keeps.iter().all(|&is_kept| is_kept) {
            return None;
        }
        let count = |(row, &regime): (usize, &u32)| {
            if keeps[regime as usize] { self.counts.as_ref().map_or(1, |counts| counts[row]) } else { 0 }
        };
        Some(interventions.regime_of_rows().iter().enumerate().map(count).collect())
    }

    /// The first columns, and rows at even distances, no more of either than so many: to look at what would take long with all.
    pub(crate) fn part(&self, columns: usize, rows: usize) -> Cow<'_, Self> {
        if self.columns() <= columns && self.row_count() <= rows {
            return Cow::Borrowed(self);
        }
        let (columns, step) = (columns.min(self.columns()), self.row_count().div_ceil(rows).max(1));
        Cow::Owned(Self {
            names: self.names[..columns].to_vec(),
            levels: self.levels[..columns].to_vec(),
            codes: self.codes[..columns]
                .iter()
                .map(|codes| codes.iter().copied().step_by(step).collect())
                .collect(),
            counts: self.counts.as_ref().map(|counts| counts.iter().copied().step_by(step).collect()),
            interventions: None,
        })
    }

    /// The same rows, each counting once.
    pub(crate) fn uncounted(&self) -> Self {
        Self { counts: None, ..self.clone() }
    }

    /// How often each row counts, if not once.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// # let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// let data = Categories::new(vec!["smoke".into()], levels, vec![vec![0, 1]])?;
    /// assert_eq!(data.counts(), None);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn counts(&self) -> Option<&[u32]> {
        self.counts.as_deref()
    }

    /// The number of rows, each counting as often as its count says.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// # let levels = vec![vec!["no".to_owned(), "yes".to_owned()]];
    /// let data = Categories::new(vec!["smoke".into()], levels, vec![vec![0, 1, 0]])?;
    /// assert_eq!(data.total(), 3);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn total(&self) -> usize {
        self.counts
            .as_ref()
            .map_or(self.row_count(), |counts| counts.iter().map(|&count| count as usize).sum())
    }

    /// The names of the columns.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// # let levels = vec![vec!["1".into(), "2".into()], vec!["x".into(), "y".into()]];
    /// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1, 0], vec![0, 0, 1]])?;
    /// assert_eq!(data.names(), ["a", "b"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of columns.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// # let levels = vec![vec!["1".into(), "2".into()], vec!["x".into(), "y".into()]];
    /// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1, 0], vec![0, 0, 1]])?;
    /// assert_eq!(data.columns(), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// The number of rows, each counting once.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// # let levels = vec![vec!["1".into(), "2".into()], vec!["x".into(), "y".into()]];
    /// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1, 0], vec![0, 0, 1]])?;
    /// assert_eq!(data.row_count(), 3);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn row_count(&self) -> usize {
        self.codes.first().map_or(0, Vec::len)
    }

    /// The categories of a column, `levels(column)[code]` being the text of a code; a column that does not exist has none.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// # let levels = vec![vec!["1".into(), "2".into()], vec!["x".into(), "y".into()]];
    /// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1, 0], vec![0, 0, 1]])?;
    /// assert_eq!(data.levels(1), ["x", "y"]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn levels(&self, column: usize) -> &[String] {
        self.levels.get(column).map_or(&[], Vec::as_slice)
    }

    /// The number of categories of a column, r_i.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// # let levels = vec![vec!["1".into(), "2".into()], vec!["x".into(), "y".into()]];
    /// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1, 0], vec![0, 0, 1]])?;
    /// assert_eq!(data.arity(0), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn arity(&self, column: usize) -> usize {
        self.levels(column).len()
    }

    /// The codes of a column, row by row; a column that does not exist has none.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// # let levels = vec![vec!["1".into(), "2".into()], vec!["x".into(), "y".into()]];
    /// let data = Categories::new(vec!["a".into(), "b".into()], levels, vec![vec![0, 1, 0], vec![0, 0, 1]])?;
    /// assert_eq!(data.column(0), [0, 1, 0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn column(&self, column: usize) -> &[u8] {
        self.codes.get(column).map_or(&[], Vec::as_slice)
    }

    /// Writes the rows as CSV, each as often as it counts; `file` is what errors call it.
    ///
    /// # Errors
    /// [`Error::Io`] if the writer fails, and [`Error::Content`] for a category that would read as a missing value.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let levels = vec!["no".into(), "yes, often".into()];
    /// let mut text = Vec::new();
    /// Categories::new(vec!["smoke".into()], vec![levels], vec![vec![1, 0]])?.write_csv(&mut text, "data.csv")?;
    /// assert_eq!(text, b"smoke\n\"yes, often\"\nno\n");
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn write_csv(&self, writer: impl Write, file: &str) -> Result<()> {
        self.write(&Fields::default(), writer, file)
    }

    /// The same for a reader that is told what stands for a missing value, as [`Reading::missing_marks`](crate::dataset::Reading::missing_marks) tells it: what is none of
    /// these may be a category, one called NA for instance.
    ///
    /// # Errors
    /// Those of [`write_csv`](Self::write_csv).
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let levels = vec!["NA".into(), "yes".into()];
    /// let data = Categories::new(vec!["asked".into()], vec![levels], vec![vec![1, 0]])?;
    /// assert!(data.write_csv(Vec::new(), "data.csv").is_err());
    /// let mut text = Vec::new();
    /// data.write_csv_marked(&["-".to_owned()], &mut text, "data.csv")?;
    /// assert_eq!(text, b"asked\nyes\nNA\n");
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn write_csv_marked(&self, marks: &[String], writer: impl Write, file: &str) -> Result<()> {
        let fields = Fields { marks: Some(marks.to_vec()), ..Fields::default() };
        self.write(&fields, writer, file)
    }

    fn write(&self, reader: &Fields, writer: impl Write, file: &str) -> Result<()> {
        for (column, name) in self.names.iter().enumerate() {
            if let Some(text) = self.read_as_missing(column, reader) {
                let place = Place { file: file.to_owned(), line: None, column: Some(name.clone()) };
                return Err(Error::Content {
                    place,
                    problem: Problem::ReadsAsMissing { text: text.clone() },
                });
            }
        }
        let fields: Vec<Vec<Vec<u8>>> =
            self.levels.iter().map(|levels| levels.iter().map(|text| csv_field(text)).collect()).collect();
        let header: Vec<Vec<u8>> = self.names.iter().map(|name| csv_field(name)).collect();
        let mut writer = BufWriter::with_capacity(1 << 16, writer);
        let mut write = || -> std::io::Result<()> {
            write_row(&mut writer, header.iter())?;
            for row in 0..self.row_count() {
                for _ in 0..self.counts.as_ref().map_or(1, |counts| counts[row]) {
                    let fields = fields.iter().zip(&self.codes);
                    write_row(&mut writer, fields.map(|(fields, codes)| &fields[usize::from(codes[row])]))?;
                }
            }
            writer.flush()
        };
        write().map_err(|problem| Error::Io { file: file.to_owned(), problem })
    }

    /// A category of a column that would be read as a missing value: by itself, or among those that occur, because they are
    /// numbers but for such as it.
    fn read_as_missing(&self, column: usize, reader: &Fields) -> Option<&String> {
        let levels = &self.levels[column];
        let says: Vec<Saying> = levels.iter().map(|text| reader.say(text.trim())).collect();
        let occurs = |is_sought: fn(&Saying) -> bool| {
            self.codes[column].iter().any(|&code| is_sought(&says[usize::from(code)]))
        };
        let are_numbers =
            occurs(|saying| saying.number().is_some()) && !occurs(|saying| *saying == Saying::Word);
        let is_missing = |saying: Saying| {
            saying == Saying::Missing || are_numbers && saying == Saying::MissingAmongNumbers
        };
        levels.iter().zip(says).find(|(_, saying)| is_missing(*saying)).map(|(text, _)| text)
    }

    /// These rows with the columns and codes of other data, as validation data must have those of the training data.
    ///
    /// # Errors
    /// [`Error::ColumnNames`] unless both have columns of the same names, in any order; [`Error::UnknownCategory`] if a
    /// category that occurs here is none there.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::{Dataset, dataset::{Kind, Reading}};
    /// let reading = Reading::all(Kind::Categories);
    /// let read = |text: &str| Dataset::from_reader(text.as_bytes(), "data.csv", &reading)?.into_categories();
    /// let (training, validation) = (read("a,b\nx,1\ny,2\nz,1\n")?, read("b,a\n2,z\n")?);
    /// let aligned = validation.aligned_to(&training)?;
    /// assert_eq!((aligned.column(0), aligned.column(1)), (&[2][..], &[1][..]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn aligned_to(&self, other: &Categories) -> Result<Categories> {
        let codes = self.codes_under(&other.names, &other.levels)?;
        let counts = self.counts.clone();
        let interventions = self.interventions.clone().map(|told| {
            let place = |name: &String| self.names.iter().position(|own| own == name);
            told.of_nodes(&other.names.iter().filter_map(place).collect::<Vec<_>>())
        });
        let (names, levels) = (other.names.clone(), other.levels.clone());
        Ok(Categories { names, levels, codes, counts, interventions })
    }

    /// The columns of these names, in the codes that index these levels.
    pub(crate) fn codes_under(&self, names: &[String], levels: &[Vec<String>]) -> Result<Vec<Vec<u8>>> {
        let place: HashMap<&String, usize> = self.names.iter().zip(0..).collect();
        let missing: Vec<String> = names.iter().filter(|name| !place.contains_key(name)).cloned().collect();
        let extra: Vec<String> = self.names.iter().filter(|name| !names.contains(name)).cloned().collect();
        if !missing.is_empty() || !extra.is_empty() {
            return Err(Error::ColumnNames { missing, extra });
        }
        let columns = names.iter().zip(levels);
        columns.map(|(name, levels)| self.recoded(place[name], levels)).collect()
    }

    fn recoded(&self, column: usize, wanted: &[String]) -> Result<Vec<u8>> {
        let codes = &self.codes[column];
        let mut occurs = [false; Self::MOST_LEVELS];
        codes.iter().for_each(|&code| occurs[usize::from(code)] = true);
        let mut map = [0; Self::MOST_LEVELS];
        for (code, text) in self.levels[column].iter().enumerate().filter(|&(code, _)| occurs[code]) {
            let number = whole_number(text);
            let by_text = wanted.iter().position(|level| level == text);
            let by_number =
                || wanted.iter().position(|level| number.is_some() && whole_number(level) == number);
            let place = by_text.or_else(by_number).and_then(|place| u8::try_from(place).ok());
            map[code] = place.ok_or_else(|| Error::UnknownCategory {
                column: self.names[column].clone(),
                category: text.clone(),
                known: wanted.to_vec(),
            })?;
        }
        Ok(codes.iter().map(|&code| map[usize::from(code)]).collect())
    }
}

/// Refuses more rows than categorical data may have.
pub(crate) fn check_rows(rows: usize) -> Result<()> {
    if rows > Categories::MOST_ROWS {
        return Err(Error::TooManyRows { rows, most: Categories::MOST_ROWS });
    }
    Ok(())
}

fn csv_field(text: &str) -> Vec<u8> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into_bytes()
    } else {
        text.as_bytes().to_vec()
    }
}

fn write_row<'a>(writer: &mut impl Write, fields: impl Iterator<Item = &'a Vec<u8>>) -> std::io::Result<()> {
    for (column, field) in fields.enumerate() {
        if column > 0 {
            writer.write_all(b",")?;
        }
        writer.write_all(field)?;
    }
    writer.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Dataset,
        dataset::{Delimiter, Kind, Reading},
    };
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Categories> {
        let reading = Reading {
            header: Some(true),
            delimiter: Some(Delimiter::Byte(b',')),
            ..Reading::all(Kind::Categories)
        };
        Dataset::from_reader(text.as_bytes(), "d.csv", &reading)?.into_categories()
    }

    fn owned(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn categories_are_sorted_by_number_or_as_text() {
        let data = read("a,b,c,d\n10,10,x y,1.0\n9,9a,\"a,b\",-1\n-1,-1,None,1\n9,2,x y,3e0\n").unwrap();
        assert_eq!(data.levels(0), owned(&["-1", "9", "10"]));
        assert_eq!(data.levels(1), owned(&["-1", "10", "2", "9a"]));
        assert_eq!(data.levels(2), owned(&["None", "a,b", "x y"]));
        assert_eq!((data.levels(3), data.column(3)), (&owned(&["-1", "1", "3"])[..], &[1, 0, 1, 2][..]));
        assert_eq!(data.column(0), [2, 1, 0, 1]);
    }

    #[test]
    fn limits_are_kept() {
        let codes = vec![vec![0; Categories::MOST_ROWS + 1]];
        let error = Categories::new(owned(&["a"]), vec![owned(&["x"])], codes).unwrap_err();
        assert!(matches!(error, Error::TooManyRows { .. }));
    }

    #[test]
    fn a_row_that_counts_several_times_is_so_many_rows() {
        let data = read("a,b\nx,1\ny,2\nx,2\n").unwrap().with_counts(vec![2, 0, 3]).unwrap();
        assert_eq!((data.total(), data.counts()), (5, Some(&[2, 3][..])));
        let mut text = Vec::new();
        data.write_csv(&mut text, "d.csv").unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "a,b\nx,1\nx,1\nx,2\nx,2\nx,2\n");
        let again = |counts: Vec<u32>| read("a,b\nx,1\ny,2\n").unwrap().with_counts(counts);
        assert!(matches!(again(vec![1]), Err(Error::Size { .. })));
        assert!(matches!(again(vec![u32::MAX, 1]), Err(Error::TooManyRows { .. })));
    }

    #[test]
    fn other_data_are_brought_to_the_same_codes() {
        let training = read("a,b\nx,1\ny,2\nz,3\n").unwrap();
        let aligned = read("b,a\n3.0,y\n1,x\n").unwrap().aligned_to(&training).unwrap();
        assert_eq!((aligned.column(0), aligned.column(1)), (&[1, 0][..], &[2, 0][..]));
        assert_eq!(aligned.levels(1), training.levels(1));
        for (text, wanted) in [
            ("a,b\nx,4\n", "column \"b\" has the category \"4\", which is none of \"1\", \"2\", \"3\""),
            ("a,c\nx,1\n", "the columns are not those expected: \"b\" is missing; \"c\" is not expected"),
            ("a\nx\n", "the columns are not those expected: \"b\" is missing"),
        ] {
            assert_eq!(read(text).unwrap().aligned_to(&training).unwrap_err().to_string(), wanted);
        }
    }

    #[test]
    fn categories_that_would_read_as_missing_are_not_written() {
        let data = Categories::new(owned(&["a"]), vec![owned(&["x", "NA"])], vec![vec![0]]).unwrap();
        let error = data.write_csv(Vec::new(), "d.csv").unwrap_err();
        assert_eq!(
            error.to_string(),
            "d.csv, column \"a\": the category \"NA\" would be read as a missing value; it can be a category where something else is said to stand for \
             missing values (--na), in writing and in reading"
        );
        // Told what stands for a missing value instead, a reader finds it again.
        let (mut text, marks) = (Vec::new(), owned(&["-"]));
        let data = Categories::new(owned(&["a"]), vec![owned(&["NA", "x"])], vec![vec![0, 1, 0]]).unwrap();
        data.write_csv_marked(&marks, &mut text, "d.csv").unwrap();
        let reading = Reading { missing_marks: Some(marks), ..Reading::default() };
        let seen =
            Dataset::from_reader(text.as_slice(), "d.csv", &reading).unwrap().into_categories().unwrap();
        assert_eq!((seen.levels(0), seen.column(0)), (data.levels(0), data.column(0)));
        // A dash is missing among numbers, and a word among words, of which all that counts are in some row.
        let levels = || owned(&["-", "1", "x"]);
        let with = |codes: Vec<u8>| Categories::new(owned(&["a"]), vec![levels()], vec![codes]).unwrap();
        assert!(with(vec![0, 1, 1]).write_csv(Vec::new(), "d.csv").is_err());
        for codes in [vec![0, 1, 2], vec![0, 2, 0]] {
            let mut text = Vec::new();
            with(codes.clone()).write_csv(&mut text, "d.csv").unwrap();
            let seen = Dataset::from_reader(text.as_slice(), "d.csv", &Reading::default()).unwrap();
            let (texts, found) = seen.categories(0).unwrap();
            let text = |code: &u8| texts[usize::from(*code)].clone();
            let wanted: Vec<String> = codes.iter().map(|&code| levels()[usize::from(code)].clone()).collect();
            assert_eq!(found.iter().map(text).collect::<Vec<_>>(), wanted);
            assert!((0..codes.len()).all(|row| !seen.is_missing(0, row)));
        }
    }

    proptest! {
        #[test]
        fn data_survive_writing_and_reading_in_any_order_of_the_rows(
            names in proptest::collection::hash_set("[a-z][ -~]{0,5}[a-z]", 1..5),
            texts in proptest::collection::vec("[ -~é\n]{0,3}[!-~]{1,9}|-?[0-9]{1,2}", 1..60),
        ) {
            // Marks of missing values, some of which are such among numbers only.
            let is_word_or_number = |text: &str| matches!(Fields::default().say(text), Saying::Word | Saying::Number(_));
            prop_assume!(texts.iter().all(|text| is_word_or_number(text.trim())));
            let names: Vec<String> = names.into_iter().collect();
            let mut rows: Vec<Vec<u8>> = texts.chunks_exact(names.len()).map(|row| {
                row.iter().map(|text| csv_field(text)).collect::<Vec<_>>().join(&b',')
            }).collect();
            prop_assume!(!rows.is_empty());
            let header = names.iter().map(|name| csv_field(name)).collect::<Vec<_>>().join(&b',');
            let file = |rows: &[Vec<u8>]| [std::slice::from_ref(&header), rows].concat().join(&b'\n');
            let read = |bytes: &[u8]| read(std::str::from_utf8(bytes).unwrap()).unwrap();
            let data = read(&file(&rows));
            let mut text = Vec::new();
            data.write_csv(&mut text, "d.csv").unwrap();
            prop_assert_eq!(&read(&text), &data);
            rows.reverse();
            let turned = read(&file(&rows));
            for column in 0..data.columns() {
                prop_assert_eq!(data.levels(column), turned.levels(column));
                prop_assert!(data.column(column).iter().eq(turned.column(column).iter().rev()));
            }
        }
    }
}
