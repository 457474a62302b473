//! Words and numbers of a problem file, each with its line, so that an error can name the place.

use std::rc::Rc;

use crate::error::Error;

/// The most items a problem may have: beyond this its matrix would not fit into memory.
pub(crate) const MOST_ITEMS: usize = 20_000;

/// The words of a text one after another. A copy, which marks a place, is cheap.
#[derive(Clone)]
pub(crate) struct Words<'a> {
    file: &'a str,
    all: Rc<[(usize, &'a str)]>,
    next: usize,
    last_line: usize,
}

impl<'a> Words<'a> {
    /// All words of numbered lines.
    pub(crate) fn new(file: &'a str, lines: impl IntoIterator<Item = (usize, &'a str)>) -> Self {
        let all: Rc<[_]> = lines
            .into_iter()
            .flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word)))
            .collect();
        let last_line = all.last().map_or(1, |&(line, _)| line);
        Self { file, all, next: 0, last_line }
    }

    /// How many words are left.
    pub(crate) fn left(&self) -> usize {
        self.all.len() - self.next
    }

    /// The next word without taking it.
    pub(crate) fn peek(&self) -> Option<&'a str> {
        self.all.get(self.next).map(|&(_, word)| word)
    }

    /// The line of the next word, or the last one at the end.
    pub(crate) fn line(&self) -> usize {
        self.all.get(self.next).map_or(self.last_line, |&(line, _)| line)
    }

    /// An error at the next word.
    pub(crate) fn error(&self, what: impl Into<String>) -> Error {
        Error::Format { file: self.file.to_owned(), line: self.line(), what: what.into() }
    }

    /// A finite number.
    pub(crate) fn number(&mut self, what: &str) -> Result<f64, Error> {
        let Some(&(_, word)) = self.all.get(self.next) else {
            return Err(self.error(format!("the text ends where {what} is needed")));
        };
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                self.next += 1;
                Ok(number)
            }
            _ => Err(self.error(format!("'{word}' is not a number, but {what} is needed"))),
        }
    }

    /// A count from 1 to the most items of which a matrix fits into memory.
    pub(crate) fn count(&mut self, what: &str) -> Result<usize, Error> {
        self.count_to(MOST_ITEMS, what)
    }

    /// A count from 1 to some other limit.
    pub(crate) fn count_to(&mut self, most: usize, what: &str) -> Result<usize, Error> {
        let start = self.clone();
        let number = self.number(what)?;
        if number.fract() != 0.0 || !(1.0..=most as f64).contains(&number) {
            return Err(start.error(format!("{what} is {number}: a whole number from 1 to {most} is needed")));
        }
        #[expect(clippy::cast_sign_loss, reason = "at least 1")]
        Ok(number as usize)
    }

    /// So many numbers.
    pub(crate) fn numbers(&mut self, count: usize, what: &str) -> Result<Vec<f64>, Error> {
        if self.left() < count {
            let (left, last) = (self.left(), Self { next: self.all.len(), ..self.clone() });
            // A word that is no number comes first: it is the likelier slip.
            for _ in 0..left {
                self.number(what)?;
            }
            return Err(last.error(format!("the text ends after {left} of {count} numbers of {what}")));
        }
        (0..count).map(|_| self.number(what)).collect()
    }

    /// Refuses anything that is left over.
    pub(crate) fn end(&self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(word) => Err(self.error(format!("'{word}' is left over after the last number"))),
        }
    }
}

/// The lines of a text, counted from 1.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines())
}

/// The words of a file of numbers, without the title that may precede them: leading lines with a word that is no number.
pub(crate) fn words_after_title<'a>(file: &'a str, text: &'a str) -> Words<'a> {
    let is_title = |line: &str| line.split_whitespace().any(|word| word.parse::<f64>().is_err());
    // A text with no line of numbers has no title either: its first word is what is wrong.
    let has_numbers = text.lines().any(|line| !line.trim().is_empty() && !is_title(line));
    let lines =
        numbered(text).skip_while(move |(_, line)| line.trim().is_empty() || (has_numbers && is_title(line)));
    Words::new(file, lines)
}

/// A file of one square matrix: the problem's name, the number of items and the matrix.
pub(crate) fn one_matrix(file: &str, text: &str) -> Result<(String, usize, Vec<f64>), Error> {
    let mut words = words_after_title(file, text);
    let items = words.count("the number of items")?;
    let matrix = words.numbers(items * items, "the matrix")?;
    words.end()?;
    Ok((stem(file), items, matrix))
}

/// The name of a file without folder and extension.
pub(crate) fn stem(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or(name, |(stem, _)| stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_their_lines() {
        let mut words = words_after_title("some.mat", "a title 1975\n\n2\n 1 2\nx 4\n");
        assert_eq!(words.count("the number of items").unwrap(), 2);
        let error = words.numbers(4, "the matrix").unwrap_err();
        assert_eq!(error.to_string(), "some.mat, line 5: 'x' is not a number, but the matrix is needed");
        let mut words = words_after_title("some.mat", "3\n1 2\n");
        words.count("n").unwrap();
        let error = words.numbers(9, "the matrix").unwrap_err();
        assert_eq!(error.to_string(), "some.mat, line 2: the text ends after 2 of 9 numbers of the matrix");
        assert!(words_after_title("", "0").count("n").is_err());
        assert!(words_after_title("", "2.5").count("n").is_err());
        assert!(words_after_title("", "1e9").count("n").is_err());
        assert!(words_after_title("", "only words\n").count("n").is_err());
    }

    #[test]
    fn stems_have_no_folder_and_no_extension() {
        assert_eq!(stem("a/b.c/nug12.dat"), "nug12");
        assert_eq!(stem("N-be75eec_150.mat"), "N-be75eec_150");
        assert_eq!(stem(".hidden"), ".hidden");
    }
}
