//! Categorical data: one small code per value, column by column, with the texts that the codes stand for.

use crate::{Error, Result};

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

    /// Columns of codes, each code an index into the column's levels.
    ///
    /// # Errors
    /// [`Error::Size`] if the parts do not fit together or a code has no level.
    pub fn new(names: Vec<String>, levels: Vec<Vec<String>>, codes: Vec<Vec<u8>>) -> Result<Self> {
        let size = |what, expected, found| Error::Size { what, expected, found };
        if levels.len() != names.len() || codes.len() != names.len() {
            return Err(size("the list of columns", names.len(), levels.len().min(codes.len())));
        }
        let rows = codes.first().map_or(0, Vec::len);
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
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.names.len()
    }

    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.codes.first().map_or(0, Vec::len)
    }

    /// The categories of a column, `levels(column)[code]` being the text of a code.
    pub fn levels(&self, column: usize) -> &[String] {
        &self.levels[column]
    }

    /// The number of categories of a column, r_i.
    pub fn arity(&self, column: usize) -> usize {
        self.levels[column].len()
    }

    /// The codes of a column, row by row.
    pub fn column(&self, column: usize) -> &[u8] {
        &self.codes[column]
    }
}
