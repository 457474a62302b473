//! One column while it is being read. Its first different texts are kept in a small dictionary, a byte a row; a column that
//! outgrows it is one of numbers, eight bytes a row, or one of words that are too many to be categories.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::dictionary::{Dictionary, Found, hash};
use crate::field::{Fields, Saying, is_date};
use crate::finding::Where;
use crate::records::decoded;

/// Different words beyond which it is not counted whether one comes twice.
const MOST_WORDS: usize = 1 << 20;

/// A place in a file, where there is one, and what stands there.
pub(super) type Spot = (Option<Where>, String);

/// A column as it was read.
pub(super) struct RawColumn {
    pub(super) name: String,
    pub(super) content: Content,
    /// Whether its source says that it holds categories.
    pub(super) is_typed: bool,
    /// The first missing value, if there is one.
    pub(super) first_missing: Option<Spot>,
    /// The first field that is not a number, and how many there are.
    pub(super) first_word: Option<Spot>,
    pub(super) words: usize,
    /// The first infinite number, if its place is known.
    pub(super) first_infinite: Option<Spot>,
}

pub(super) enum Content {
    /// At most 256 different texts: the code of each row, and what the codes stand for.
    Few { texts: Vec<(String, Saying)>, codes: Vec<u8> },
    /// Numbers, those that are missing or not numbers being NaN.
    Numbers(Vec<f64>),
    /// Too many different words.
    Many { rows: usize, missing: Vec<u32>, is_id: bool, is_date: bool },
}

impl RawColumn {
    /// Whether all values are missing.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.content, Content::Few { texts, .. } if texts.iter().all(|(_, saying)| *saying == Saying::Missing))
    }
}

impl Content {
    pub(super) fn rows(&self) -> usize {
        match self {
            Self::Few { codes, .. } => codes.len(),
            Self::Numbers(values) => values.len(),
            Self::Many { rows, .. } => *rows,
        }
    }

    /// Leaves out the rows that are not to be kept.
    pub(super) fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        fn retain<T>(values: &mut Vec<T>, is_kept: impl Fn(usize) -> bool) {
            let mut row = 0;
            values.retain(|_| {
                row += 1;
                is_kept(row - 1)
            });
        }
        match self {
            Self::Few { codes, .. } => retain(codes, is_kept),
            Self::Numbers(values) => retain(values, is_kept),
            Self::Many { rows, missing, .. } => {
                *rows = (0..*rows).filter(|&row| is_kept(row)).count();
                missing.clear();
            }
        }
    }

    /// Calls `mark` with every row in which the value is missing.
    pub(super) fn each_missing(&self, mut mark: impl FnMut(usize)) {
        match self {
            Self::Few { texts, codes } => {
                let is_missing: Vec<bool> =
                    texts.iter().map(|(_, saying)| *saying == Saying::Missing).collect();
                if is_missing.contains(&true) {
                    let rows = codes.iter().enumerate().filter(|(_, code)| is_missing[usize::from(**code)]);
                    rows.for_each(|(row, _)| mark(row));
                }
            }
            Self::Numbers(values) => {
                values.iter().enumerate().filter(|(_, value)| value.is_nan()).for_each(|(row, _)| mark(row));
            }
            Self::Many { missing, .. } => missing.iter().for_each(|&row| mark(row as usize)),
        }
    }
}

/// Reads a column, field by field.
pub(super) struct ColumnReader {
    name: String,
    state: State,
    first_missing: Option<Spot>,
    /// The first field that is missing if the others are numbers.
    first_mark: Option<Spot>,
    first_word: Option<Spot>,
    first_infinite: Option<Spot>,
    words: usize,
    /// Whether some field was not UTF-8.
    pub(super) is_western: bool,
}

enum State {
    Few { dictionary: Dictionary, sayings: Vec<Saying>, codes: Vec<u8> },
    Numbers(Vec<f64>),
    Many { rows: usize, missing: Vec<u32>, seen: HashSet<u64>, is_id: bool, is_date: bool },
}

impl ColumnReader {
    pub(super) fn new(name: String) -> Self {
        let state = State::Few { dictionary: Dictionary::new(), sayings: Vec::new(), codes: Vec::new() };
        Self {
            name,
            state,
            first_missing: None,
            first_mark: None,
            first_word: None,
            first_infinite: None,
            words: 0,
            is_western: false,
        }
    }

    /// Takes a field; `place` is where it stands.
    #[inline]
    pub(super) fn take(&mut self, field: &[u8], place: Option<Where>, fields: &Fields) {
        match &mut self.state {
            State::Few { dictionary, codes, .. } => match dictionary.find(field) {
                Found::Code(code) => codes.push(code),
                Found::Free(slot) => self.take_new(slot, field, place, fields),
            },
            State::Numbers(values) => {
                let number = std::str::from_utf8(field).ok().and_then(|text| text.parse::<f64>().ok());
                match number.filter(|number| number.is_finite() && fields.marks.is_none()) {
                    Some(number) => values.push(number),
                    None => self.take_odd(field, place, fields),
                }
            }
            State::Many { .. } => self.take_word(field, place, fields),
        }
    }

    /// A text that is new.
    #[cold]
    fn take_new(&mut self, slot: usize, field: &[u8], place: Option<Where>, fields: &Fields) {
        let text = decoded(field);
        self.is_western |= matches!(text, Cow::Owned(_));
        let saying = fields.say(&text);
        let State::Few { dictionary, sayings, codes } = &mut self.state else { return };
        // What is not UTF-8 would never be found again under its bytes.
        let found =
            if text.as_bytes() == field { Found::Free(slot) } else { dictionary.find(text.as_bytes()) };
        let code = match found {
            Found::Code(code) => Some(code),
            Found::Free(slot) => dictionary.insert(slot, &text).inspect(|_| sayings.push(saying)),
        };
        if let Some(code) = code {
            codes.push(code);
            self.note(saying, &text, place);
        } else {
            self.outgrow();
            self.take(field, place, fields);
        }
    }

    /// The dictionary is full.
    fn outgrow(&mut self) {
        let State::Few { dictionary, sayings, codes } = &mut self.state else { return };
        let is_word = |code: &&u8| sayings[usize::from(**code)] == Saying::Word;
        self.words = codes.iter().filter(is_word).count();
        let is_numeric = sayings.iter().filter(|saying| **saying == Saying::Word).count() * 2 < sayings.len();
        let state = if is_numeric {
            let values: Vec<f64> = sayings.iter().map(|saying| saying.number().unwrap_or(f64::NAN)).collect();
            State::Numbers(codes.iter().map(|&code| values[usize::from(code)]).collect())
        } else {
            let texts = std::mem::replace(dictionary, Dictionary::new()).into_texts();
            let is_missing = |code: u8| sayings[usize::from(code)] == Saying::Missing;
            let missing =
                codes.iter().zip(0..).filter(|&(&code, _)| is_missing(code)).map(|(_, row)| row).collect();
            State::Many {
                rows: codes.len(),
                missing,
                is_id: codes.len() == texts.len(),
                is_date: texts
                    .iter()
                    .zip(sayings.iter())
                    .all(|(text, saying)| *saying != Saying::Word || is_date(text)),
                seen: texts.iter().map(|text| hash(text.as_bytes())).collect(),
            }
        };
        self.state = state;
    }

    /// A field that is not plainly a number, in a column of numbers.
    #[cold]
    fn take_odd(&mut self, field: &[u8], place: Option<Where>, fields: &Fields) {
        let text = decoded(field);
        self.is_western |= matches!(text, Cow::Owned(_));
        let saying = fields.say(&text);
        self.note(saying, &text, place);
        self.words += usize::from(saying == Saying::Word);
        if let State::Numbers(values) = &mut self.state {
            values.push(saying.number().unwrap_or(f64::NAN));
        }
    }

    /// A field of a column of many words.
    fn take_word(&mut self, field: &[u8], place: Option<Where>, fields: &Fields) {
        let text = decoded(field);
        self.is_western |= matches!(text, Cow::Owned(_));
        let saying = fields.say(&text);
        self.note(saying, &text, place);
        let State::Many { rows, missing, seen, is_id, is_date: are_dates } = &mut self.state else { return };
        if saying == Saying::Missing {
            missing.push(*rows as u32);
        } else {
            *are_dates &= saying != Saying::Word || is_date(&text);
            if *is_id && seen.len() < MOST_WORDS {
                *is_id = seen.insert(hash(text.as_bytes()));
            }
        }
        *rows += 1;
    }

    /// Remembers where the first of its sort is.
    fn note(&mut self, saying: Saying, text: &str, place: Option<Where>) {
        let first = match saying {
            Saying::Number(number) if number.is_infinite() => &mut self.first_infinite,
            Saying::Number(_) => return,
            Saying::Missing => &mut self.first_missing,
            Saying::MissingAmongNumbers => &mut self.first_mark,
            Saying::Word => &mut self.first_word,
        };
        first.get_or_insert_with(|| (place, text.to_owned()));
    }

    pub(super) fn finish(self) -> RawColumn {
        let Self { name, state, first_missing, first_mark, first_word, first_infinite, mut words, .. } = self;
        let mut marks_are_missing = true;
        let content = match state {
            State::Few { dictionary, mut sayings, codes } => {
                marks_are_missing = sayings.iter().any(|saying| saying.number().is_some())
                    && !sayings.contains(&Saying::Word);
                let meaning = if marks_are_missing { Saying::Missing } else { Saying::Word };
                let marks = sayings.iter_mut().filter(|saying| **saying == Saying::MissingAmongNumbers);
                marks.for_each(|saying| *saying = meaning);
                words = codes.iter().filter(|code| sayings[usize::from(**code)] == Saying::Word).count();
                Content::Few { texts: dictionary.into_texts().into_iter().zip(sayings).collect(), codes }
            }
            State::Numbers(values) => Content::Numbers(values),
            State::Many { rows, missing, is_id, is_date, .. } => {
                Content::Many { rows, missing, is_id, is_date }
            }
        };
        let (first_missing, first_word) = if marks_are_missing {
            (first_missing.or(first_mark), first_word)
        } else {
            (first_missing, first_word.or(first_mark))
        };
        RawColumn { name, content, is_typed: false, first_missing, first_word, words, first_infinite }
    }
}
