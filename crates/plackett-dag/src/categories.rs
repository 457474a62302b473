//! Categorical data: one small code per value, column by column, with the texts that the codes stand for. Files are CSV
//! with a header of names; every field is taken for the name of a category, numbers too.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use crate::data::ColumnFault;
use crate::dictionary::{Dictionary, Found};
use crate::error::{Error, Place, Problem, Result};
use crate::records::{Records, is_missing_category, open};

/// A column with more categories than this is worth a warning: few methods make sense of it.
const MANY_LEVELS: usize = 50;

/// A column with more categories than one in this many rows has about that few rows for each, too few to count by.
const ROWS_PER_LEVEL: usize = 5;

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
        Ok(Self { names, levels, codes })
    }

    /// The names of the columns.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let data = Categories::from_reader("a,b\n1,x\n2,x\n1,y\n".as_bytes(), "data.csv")?;
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
    /// let data = Categories::from_reader("a,b\n1,x\n2,x\n1,y\n".as_bytes(), "data.csv")?;
    /// assert_eq!(data.columns(), 2);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// The number of rows.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let data = Categories::from_reader("a,b\n1,x\n2,x\n1,y\n".as_bytes(), "data.csv")?;
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
    /// let data = Categories::from_reader("a,b\n1,x\n2,x\n1,y\n".as_bytes(), "data.csv")?;
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
    /// let data = Categories::from_reader("a,b\n1,x\n2,x\n1,y\n".as_bytes(), "data.csv")?;
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
    /// let data = Categories::from_reader("a,b\n1,x\n2,x\n1,y\n".as_bytes(), "data.csv")?;
    /// assert_eq!(data.column(0), [0, 1, 0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn column(&self, column: usize) -> &[u8] {
        self.codes.get(column).map_or(&[], Vec::as_slice)
    }

    /// Reads a CSV file.
    ///
    /// The first line that is not blank holds the names of the columns; white space around fields, quotation marks, CRLF
    /// line ends and a byte-order mark are fine. A column's categories are sorted, by number where all are whole numbers
    /// (1 and 1.0 are then the same category) and as text otherwise, so that the codes do not depend on the order of the
    /// rows. O(rows · columns), with no copy of a field made unless it is new in its column.
    ///
    /// # Errors
    /// By file, line and column: an empty file or one without rows, a first line of numbers, unnamed columns or two of
    /// the same name, rows of another length than the header, values that are missing (an empty field, NA, N/A, NaN,
    /// null or ?), more than [`Categories::MOST_LEVELS`] categories in a column, and more than
    /// [`Categories::MOST_ROWS`] rows.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::Categories;
    ///
    /// let error = Categories::read("no-such-file.csv").unwrap_err();
    /// assert!(error.to_string().starts_with("no-such-file.csv: "));
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        read_rows(open(path)?, &path.display().to_string())
    }

    /// Reads a CSV text as [`Categories::read`] does; `file` is what errors call it.
    ///
    /// # Errors
    /// Whatever [`Categories::read`] refuses.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::Categories;
    ///
    /// let data = Categories::from_reader("smoke,age\nyes,10\nno,9\nno,10\n".as_bytes(), "data.csv")?;
    /// assert_eq!((data.levels(0), data.column(0)), (&["no".into(), "yes".into()][..], &[1, 0, 0][..]));
    /// assert_eq!((data.levels(1), data.column(1)), (&["9".into(), "10".into()][..], &[1, 0, 1][..]));
    /// let error = Categories::from_reader("smoke,age\nyes,10\nno,\n".as_bytes(), "data.csv").unwrap_err();
    /// assert_eq!(error.to_string(), "data.csv, line 3, column \"age\": the value is missing (empty field)");
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_reader(reader: impl Read, file: &str) -> Result<Self> {
        read_rows(BufReader::new(reader), file)
    }

    /// Writes the rows as CSV; `file` is what errors call it.
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
        for (name, levels) in self.names.iter().zip(&self.levels) {
            if let Some(text) = levels.iter().find(|text| is_missing_category(text)) {
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
                let fields = fields.iter().zip(&self.codes);
                write_row(&mut writer, fields.map(|(fields, codes)| &fields[usize::from(codes[row])]))?;
            }
            writer.flush()
        };
        write().map_err(|problem| Error::Io { file: file.to_owned(), problem })
    }

    /// The columns with which there is something wrong: those with one category only, and those that divide the rows as
    /// another column does.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let text = "a,b,c\nno,1,low\nyes,1,high\nno,1,low\n";
    /// let faults = Categories::from_reader(text.as_bytes(), "data.csv")?.diagnose();
    /// assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [
    ///     "column \"b\" is constant",
    ///     "column \"c\" is a copy of column \"a\" up to the names of the categories",
    /// ]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn diagnose(&self) -> Vec<ColumnFault> {
        let mut faults = self.constants();
        let name = |column: usize| self.names[column].clone();
        let fault = |(column, original)| ColumnFault::SameCategories {
            column: name(column),
            original: name(original),
        };
        faults.extend(self.copies().into_iter().map(fault));
        faults
    }

    /// Refuses data from which nothing can be learned, that is columns with one category only. Copies are fine for a
    /// score, though no method can tell which of the two is the cause: see [`Categories::copies`].
    ///
    /// # Errors
    /// [`Error::Columns`] with one fault per constant column.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let data = Categories::from_reader("a,b\nno,1\nyes,1\n".as_bytes(), "data.csv")?;
    /// assert_eq!(data.check_columns().unwrap_err().to_string(), "column \"b\" is constant");
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn check_columns(&self) -> Result<()> {
        let faults = self.constants();
        if faults.is_empty() { Ok(()) } else { Err(Error::Columns { faults }) }
    }

    fn constants(&self) -> Vec<ColumnFault> {
        let is_constant = |codes: &[u8]| codes.windows(2).all(|pair| pair[0] == pair[1]);
        let constant = self.names.iter().zip(&self.codes).filter(|(_, codes)| is_constant(codes));
        constant.map(|(name, _)| ColumnFault::Constant { column: name.clone() }).collect()
    }

    /// The columns that are copies of others up to the names of the categories, as pairs of the copy and the first column
    /// of which it is one. O(rows · columns).
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let text = "a,b,c\nno,1,low\nyes,1,high\nno,2,low\n";
    /// assert_eq!(Categories::from_reader(text.as_bytes(), "data.csv")?.copies(), [(2, 0)]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn copies(&self) -> Vec<(usize, usize)> {
        let mut originals: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut copies = Vec::new();
        for (column, codes) in self.codes.iter().enumerate() {
            let ranks = ranks_of_appearance(codes);
            if ranks.iter().all(|&rank| rank == 0) {
                continue;
            }
            let mut hasher = DefaultHasher::new();
            codes.iter().for_each(|&code| hasher.write_u8(ranks[usize::from(code)]));
            let alike = originals.entry(hasher.finish()).or_default();
            let is_same = |&&other: &&usize| {
                let (codes_there, ranks_there) =
                    (&self.codes[other], ranks_of_appearance(&self.codes[other]));
                let mut pairs = codes.iter().zip(codes_there);
                pairs.all(|(&here, &there)| ranks[usize::from(here)] == ranks_there[usize::from(there)])
            };
            match alike.iter().find(is_same) {
                Some(&original) => copies.push((column, original)),
                None => alike.push(column),
            }
        }
        copies
    }

    /// The columns with so many categories that a user should be warned: more than 50, or more than one for every five
    /// rows, as names and dates have.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let rows: String = (0..60).map(|row| format!("{row},{}\n", row % 3)).collect();
    /// let data = Categories::from_reader(format!("day,dose\n{rows}").as_bytes(), "data.csv")?;
    /// assert_eq!(data.crowded_columns(), [0]);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn crowded_columns(&self) -> Vec<usize> {
        let is_crowded = |levels: usize| {
            // Two categories are never too many.
            levels > MANY_LEVELS || levels > 2 && levels * ROWS_PER_LEVEL > self.row_count()
        };
        (0..self.columns()).filter(|&column| is_crowded(self.arity(column))).collect()
    }

    /// These rows with the columns and codes of other data, as validation data must have those of the training data.
    ///
    /// # Errors
    /// [`Error::ColumnNames`] unless both have columns of the same names, in any order; [`Error::UnknownCategory`] if a
    /// category that occurs here is none there.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::Categories;
    /// let training = Categories::from_reader("a,b\nx,1\ny,2\nz,1\n".as_bytes(), "data.csv")?;
    /// let validation = Categories::from_reader("b,a\n2,z\n".as_bytes(), "validation.csv")?;
    /// let aligned = validation.aligned_to(&training)?;
    /// assert_eq!((aligned.column(0), aligned.column(1)), (&[2][..], &[1][..]));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn aligned_to(&self, other: &Categories) -> Result<Categories> {
        let codes = self.codes_under(&other.names, &other.levels)?;
        Ok(Categories { names: other.names.clone(), levels: other.levels.clone(), codes })
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

fn read_rows(reader: impl BufRead, file: &str) -> Result<Categories> {
    let mut records = Records::new(reader, file);
    let names = records.read_header()?;
    let mut dictionaries: Vec<Dictionary> = names.iter().map(|_| Dictionary::new()).collect();
    let mut codes: Vec<Vec<u8>> = vec![Vec::new(); names.len()];
    while records.advance_row(&names)? {
        if codes.first().is_some_and(|codes| codes.len() == Categories::MOST_ROWS) {
            return Err(records.error(None, Problem::TooManyRows { most: Categories::MOST_ROWS }));
        }
        for (column, (dictionary, codes)) in dictionaries.iter_mut().zip(&mut codes).enumerate() {
            codes.push(match dictionary.find(records.bytes(column)) {
                Found::Code(code) => code,
                Found::Free(slot) => {
                    let text = records.category(column, &names[column])?;
                    let problem = Problem::TooManyCategories { most: Categories::MOST_LEVELS };
                    dictionary
                        .insert(slot, text)
                        .ok_or_else(|| records.error(Some(&names[column]), problem))?
                }
            });
        }
    }
    let mut levels = Vec::with_capacity(names.len());
    for (dictionary, codes) in dictionaries.iter().zip(&mut codes) {
        let (sorted, map) = sorted_levels(dictionary.texts());
        codes.iter_mut().for_each(|code| *code = map[usize::from(*code)]);
        levels.push(sorted);
    }
    Ok(Categories { names, levels, codes })
}

/// The texts in an order that does not depend on that of the rows, and the place of each text in it.
fn sorted_levels(texts: &[String]) -> (Vec<String>, Vec<u8>) {
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_unstable_by_key(|&code| &texts[code]);
    let numbers: Option<Vec<i64>> = texts.iter().map(|text| whole_number(text)).collect();
    if let Some(numbers) = &numbers {
        order.sort_by_key(|&code| (numbers[code], texts[code].len()));
    }
    let is_same = |a: usize, b: usize| numbers.as_ref().is_some_and(|numbers| numbers[a] == numbers[b]);
    let (mut sorted, mut map) = (Vec::new(), vec![0; texts.len()]);
    let mut previous = None;
    for code in order {
        if !previous.is_some_and(|previous| is_same(previous, code)) {
            sorted.push(texts[code].clone());
        }
        // There are at most 256 texts.
        map[code] = (sorted.len() - 1) as u8;
        previous = Some(code);
    }
    (sorted, map)
}

/// The whole number that a text stands for, as 3, -3, 3.0 and 3e0 do; none beyond those that a double holds exactly.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    const LARGEST: f64 = (1_u64 << 53) as f64;
    let number: f64 = text.parse().ok()?;
    (number.fract() == 0.0 && number.abs() <= LARGEST).then_some(number as i64)
}

/// For each code its rank among the codes in the order of their first appearance, 0 for those that do not occur.
fn ranks_of_appearance(codes: &[u8]) -> [u8; Categories::MOST_LEVELS] {
    let mut ranks = [0; Categories::MOST_LEVELS];
    let mut seen = [false; Categories::MOST_LEVELS];
    let mut next = 0_u8;
    for &code in codes {
        if !std::mem::replace(&mut seen[usize::from(code)], true) {
            ranks[usize::from(code)] = next;
            next = next.wrapping_add(1);
        }
    }
    ranks
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
    use proptest::prelude::*;

    fn read(text: &str) -> Result<Categories> {
        Categories::from_reader(text.as_bytes(), "d.csv")
    }

    fn message(text: &str) -> String {
        read(text).unwrap_err().to_string()
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
        assert_eq!((data.levels(3), data.column(3)), (&owned(&["-1", "1", "3e0"])[..], &[1, 0, 1, 2][..]));
        assert_eq!(data.column(0), [2, 1, 0, 1]);
    }

    #[test]
    fn faults_are_named_by_line_and_column() {
        for (text, wanted) in [
            ("", "d.csv: the file is empty"),
            ("a,b\n", "d.csv: the file has a header and no rows"),
            ("a,b\nx,y\nz\n", "d.csv, line 3: the row has 1 field, the header has 2"),
            ("a,b\nx,y\n\nx,y,z\n", "d.csv, line 4: the row has 3 fields, the header has 2"),
            ("a,b\nx,\n", "d.csv, line 2, column \"b\": the value is missing (empty field)"),
            ("a,b\r\nx,y\r\nna,y\r\n", "d.csv, line 3, column \"a\": the value is missing (na)"),
            ("a,b\nx,?\n", "d.csv, line 2, column \"b\": the value is missing (?)"),
            ("a,b\nx,NULL\n", "d.csv, line 2, column \"b\": the value is missing (NULL)"),
            ("a,b\nx,N/A\n", "d.csv, line 2, column \"b\": the value is missing (N/A)"),
            ("a,b\nx,nan\n", "d.csv, line 2, column \"b\": the value is missing (nan)"),
            ("a\nx\n\ny\n", "d.csv, line 3, column \"a\": the value is missing (empty field)"),
            ("a,b,a\nx,y,z\n", "d.csv, line 1, column \"a\": two columns have this name"),
            ("a;b\nx;y\n", "d.csv, line 2: the fields seem to be separated by ';', but a comma is expected"),
            (
                "1.5,2\n3,4\n",
                "d.csv, line 1: the first line must hold the names of the columns, but it holds numbers",
            ),
        ] {
            assert_eq!(message(text), wanted, "{text:?}");
        }
        let error = Categories::from_reader(&b"a,b\n1,\xff\n"[..], "d.csv").unwrap_err();
        assert_eq!(error.to_string(), "d.csv, line 2, column \"b\": the text is not encoded as UTF-8");
        assert_eq!(read("a;b\nx\n").unwrap().names(), ["a;b"]);
    }

    #[test]
    fn limits_are_kept() {
        let rows = |count: usize| (0..count).map(|row| format!("x,{row}")).collect::<Vec<_>>().join("\n");
        assert_eq!(read(&format!("a,b\n{}", rows(256))).unwrap().arity(1), 256);
        assert_eq!(
            message(&format!("a,b\n{}", rows(300))),
            "d.csv, line 258, column \"b\": this is the column's 257th different value, and a column may have 256 \
             categories at most; leave the column out or put its values into groups"
        );
        let most = Categories::MOST_ROWS;
        let codes = vec![vec![0; most + 1]];
        let error = Categories::new(owned(&["a"]), vec![owned(&["x"])], codes).unwrap_err();
        assert!(matches!(error, Error::TooManyRows { .. }));
        let text = format!("a\n{}", "x\n".repeat(most + 1));
        assert_eq!(
            message(&text),
            format!("d.csv, line {}: categorical data may have 16777216 rows at most", most + 2)
        );
    }

    #[test]
    fn copies_are_found_under_other_names_and_constants_are_not_copies() {
        let data = read("a,b,c,d,e\n1,x,p,k,q\n2,y,p,k,p\n1,x,q,k,q\n3,z,q,k,r\n").unwrap();
        assert_eq!(data.copies(), [(1, 0), (4, 0)]);
        assert_eq!(data.diagnose().len(), 3);
        assert!(matches!(data.check_columns(), Err(Error::Columns { faults }) if faults.len() == 1));
        assert!(read("a,b\nx,x\ny,y\n").unwrap().check_columns().is_ok());
    }

    #[test]
    fn crowded_columns_have_many_categories_or_few_rows_for_each() {
        let names = owned(&["a", "b", "c"]);
        let levels = |count: usize| (0..count).map(|level| level.to_string()).collect::<Vec<_>>();
        let data = |rows: usize| {
            Categories::new(names.clone(), vec![levels(51), levels(50), levels(2)], vec![vec![0; rows]; 3])
                .unwrap()
        };
        assert_eq!(data(10_000).crowded_columns(), [0]);
        assert_eq!(data(249).crowded_columns(), [0, 1]);
        assert_eq!(data(250).crowded_columns(), [0]);
        assert_eq!(data(3).crowded_columns(), [0, 1]);
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
            "d.csv, column \"a\": the category \"NA\" would be read as a missing value"
        );
    }

    proptest! {
        #[test]
        fn data_survive_writing_and_reading_in_any_order_of_the_rows(
            names in proptest::collection::hash_set("[a-z][ -~]{0,5}[a-z]", 1..5),
            texts in proptest::collection::vec("[ -~é\n]{0,3}[!-~]{1,9}|-?[0-9]{1,2}", 1..60),
        ) {
            prop_assume!(!texts.iter().any(|text| is_missing_category(text.trim())));
            let names: Vec<String> = names.into_iter().collect();
            let mut rows: Vec<Vec<u8>> = texts.chunks_exact(names.len()).map(|row| {
                row.iter().map(|text| csv_field(text)).collect::<Vec<_>>().join(&b',')
            }).collect();
            prop_assume!(!rows.is_empty());
            let header = names.iter().map(|name| csv_field(name)).collect::<Vec<_>>().join(&b',');
            let file = |rows: &[Vec<u8>]| [std::slice::from_ref(&header), rows].concat().join(&b'\n');
            let data = Categories::from_reader(file(&rows).as_slice(), "d.csv").unwrap();
            let mut text = Vec::new();
            data.write_csv(&mut text, "d.csv").unwrap();
            prop_assert_eq!(&Categories::from_reader(text.as_slice(), "d.csv").unwrap(), &data);
            rows.reverse();
            let turned = Categories::from_reader(file(&rows).as_slice(), "d.csv").unwrap();
            for column in 0..data.columns() {
                prop_assert_eq!(data.levels(column), turned.levels(column));
                prop_assert!(data.column(column).iter().eq(turned.column(column).iter().rev()));
            }
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[a1.,;\"\n\r \t-]{0,60}") {
            let _ = read(&text);
        }
    }
}
