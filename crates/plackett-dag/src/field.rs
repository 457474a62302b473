//! What a field says: a number, a missing value, or a word.

/// Marks of missing values in any column.
const MARKS: [&str; 10] = ["", "na", "n/a", "nan", "null", "?", "*", "<na>", "#n/a", "-nan"];

/// Marks of missing values in a column that otherwise holds numbers. As answers to a question they may be honest words.
const MARKS_AMONG_NUMBERS: [&str; 6] = ["none", ".", "-", "--", "missing", "unknown"];

/// How fields are read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    pub(crate) decimal_comma: bool,
    /// The marks of missing values, if they are told; an empty field is always one.
    pub(crate) marks: Option<Vec<String>>,
}

/// What a field says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Saying {
    Number(f64),
    Missing,
    /// A word that is a missing value if all others are numbers.
    MissingAmongNumbers,
    Word,
}

impl Saying {
    /// The number, if it is one.
    pub(crate) fn number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl Fields {
    pub(crate) fn say(&self, text: &str) -> Saying {
        match (&self.marks, self.number(text)) {
            (Some(marks), number) if text.is_empty() || self.is_marked(marks, text, number) => {
                Saying::Missing
            }
            (_, Some(number)) if !number.is_nan() => Saying::Number(number),
            (_, Some(_)) => Saying::Missing,
            (None, _) if is_one_of(text, &MARKS) => Saying::Missing,
            (None, _) if is_one_of(text, &MARKS_AMONG_NUMBERS) => Saying::MissingAmongNumbers,
            _ => Saying::Word,
        }
    }

    /// The number that a text stands for.
    pub(crate) fn number(&self, text: &str) -> Option<f64> {
        if !self.decimal_comma || !text.contains(',') {
            return text.parse().ok();
        }
        // What a decimal comma leaves for the point are the thousands.
        text.replace('.', "").replacen(',', ".", 1).parse().ok()
    }

    /// Whether a number of a source with types is marked as missing.
    pub(crate) fn is_missing_number(&self, number: f64) -> bool {
        number.is_nan()
            || self
                .marks
                .as_ref()
                .is_some_and(|marks| marks.iter().any(|mark| self.number(mark) == Some(number)))
    }

    fn is_marked(&self, marks: &[String], text: &str, number: Option<f64>) -> bool {
        let is_same = |mark: &String| mark == text || number.is_some() && self.number(mark) == number;
        marks.iter().any(is_same)
    }
}

fn is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// The whole number that a text stands for, as 3, -3, 3.0 and 3e0 do; none beyond those that a double holds exactly.
pub(crate) fn whole_number(text: &str) -> Option<i64> {
    as_whole(text.parse().ok()?)
}

/// A number as a whole one, if it is.
pub(crate) fn as_whole(number: f64) -> Option<i64> {
    const LARGEST: f64 = (1_u64 << 53) as f64;
    (number.fract() == 0.0 && number.abs() <= LARGEST).then_some(number as i64)
}

/// Whether a text is a whole number with letters after it, as in 136A.
pub(crate) fn is_numbered(text: &str) -> bool {
    let letters = text.trim_start_matches(|character: char| character.is_ascii_digit());
    letters.len() < text.len()
        && !letters.is_empty()
        && letters.chars().all(|character| character.is_ascii_alphabetic())
}

/// Whether a text looks like a date: 2024-05-17, 17.5.2024, 5/17/24, with or without a time.
pub(crate) fn is_date(text: &str) -> bool {
    let day = text.split([' ', 'T']).next().unwrap_or_default();
    let parts = |separator: char| {
        let lengths: Option<Vec<usize>> = day
            .split(separator)
            .map(|part| part.bytes().all(|byte| byte.is_ascii_digit()).then_some(part.len()))
            .collect();
        lengths.unwrap_or_default()
    };
    ['-', '/', '.']
        .iter()
        .any(|&separator| matches!(parts(separator)[..], [4, 1 | 2, 1 | 2] | [1 | 2, 1 | 2, 2 | 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_missing_and_words_are_words() {
        let fields = Fields::default();
        for text in ["", "NA", "nan", "?", "*", "NULL", "N/A", "<NA>"] {
            assert_eq!(fields.say(text), Saying::Missing, "{text}");
        }
        for text in ["None", ".", "-"] {
            assert_eq!(fields.say(text), Saying::MissingAmongNumbers, "{text}");
        }
        assert_eq!(fields.say("-1e3"), Saying::Number(-1000.0));
        assert_eq!(fields.say("inf"), Saying::Number(f64::INFINITY));
        assert_eq!(fields.say("1,5"), Saying::Word);
        let told = Fields { marks: Some(vec!["-999".into(), "x".into()]), decimal_comma: true };
        for (text, saying) in [
            ("", Saying::Missing),
            ("x", Saying::Missing),
            ("-999,0", Saying::Missing),
            ("NA", Saying::Word),
            ("1.234,5", Saying::Number(1234.5)),
            ("2.5", Saying::Number(2.5)),
        ] {
            assert_eq!(told.say(text), saying, "{text}");
        }
    }

    #[test]
    fn numbers_with_letters_are_known() {
        assert!(["136A", "7bis"].iter().all(|text| is_numbered(text)));
        assert!(["136", "A136", "", "1.5a", "12-b"].iter().all(|text| !is_numbered(text)));
    }

    #[test]
    fn dates_are_known() {
        for text in ["2024-05-17", "17.5.2024", "5/17/24", "2024-05-17 10:00", "2024-05-17T10:00:00Z"] {
            assert!(is_date(text), "{text}");
        }
        for text in ["1.5", "1-2", "a-b-c", "10.20.30.40", ""] {
            assert!(!is_date(text), "{text}");
        }
    }
}
