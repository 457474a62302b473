//! One column while it is being read. Its first different texts are kept in a small dictionary, a byte a row; a column that
//! outgrows it is one of numbers, eight bytes a row, or one of many words, four bytes a row.

use std::borrow::Cow;
use std::collections::HashMap;

use super::look::Look;
use super::source::SourceValues;
use super::words::Words;
use super::{Kind, Why};
use crate::dictionary::{Dictionary, Found, MOST_TEXTS};
use crate::error::{Error, Result};
use crate::field::{Fields, Saying};
use crate::finding::Where;
use crate::records::decoded;
use crate::text::number_text;

/// A place in a file, where there is one, and what stands there.
pub(super) type Spot = (Option<Where>, String);

/// A column as it was read.
pub(super) struct RawColumn {
    pub(super) name: String,
    pub(super) content: Content,
    /// Whether its source says that it holds categories.
    pub(super) is_typed: bool,
    /// Whether these have an order.
    pub(super) is_ordered: bool,
    /// The first missing value, if there is one.
    pub(super) first_missing: Option<Spot>,
    /// The first field that is missing if the others are numbers, and a word if they are not.
    pub(super) first_mark: Option<Spot>,
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
    /// More different words: in an order that does not depend on that of the rows, and for each row the place of its own, or
    /// [`SourceValues::MISSING`].
    Many { labels: Vec<String>, codes: Vec<u32> },
}

impl RawColumn {
    /// A column in which nothing is out of order.
    pub(super) fn of(name: String, content: Content) -> Self {
        Self {
            name,
            content,
            is_typed: false,
            is_ordered: false,
            first_missing: None,
            first_mark: None,
            first_word: None,
            words: 0,
            first_infinite: None,
        }
    }

    /// Settles what the fields are that are missing among numbers and words among words, in a column of this kind; words by
    /// all means where the caller says that the column holds categories. Whether they are missing.
    pub(super) fn settle_marks(&mut self, kind: Kind, why: Why) -> bool {
        let mut are_missing = true;
        if let Content::Few { texts, codes } = &mut self.content {
            let says = |saying: Saying| texts.iter().any(|(_, other)| *other == saying);
            let has_numbers = texts.iter().any(|(_, saying)| saying.number().is_some());
            let is_told = (kind, why) == (Kind::Categories, Why::Told);
            are_missing = has_numbers && !says(Saying::Word) && !is_told;
            let meaning = if are_missing { Saying::Missing } else { Saying::Word };
            let marks = texts.iter_mut().filter(|(_, saying)| *saying == Saying::MissingAmongNumbers);
            marks.for_each(|(_, saying)| *saying = meaning);
            self.words = codes.iter().filter(|code| texts[usize::from(**code)].1 == Saying::Word).count();
        }
        let Some(mark) = self.first_mark.take() else { return false };
        let first = if are_missing { &mut self.first_missing } else { &mut self.first_word };
        if first.as_ref().is_none_or(|(place, _)| mark.0 < *place) {
            *first = Some(mark);
        }
        are_missing
    }

    /// What its values show.
    pub(super) fn look(&self) -> Look {
        match &self.content {
            Content::Many { .. } => Look::Words,
            Content::Few { texts, codes } => {
                Look::of_few(&texts.iter().map(|(text, saying)| (text.as_str(), *saying)), codes)
            }
            Content::Numbers(values) => Look::of_values(values),
        }
    }

    /// Whether all values are missing.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.content, Content::Few { texts, .. } if texts.iter().all(|(_, saying)| *saying == Saying::Missing))
    }
}

impl Content {
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
            Self::Many { codes, .. } => retain(codes, is_kept),
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
            Self::Many { codes, .. } => {
                let gaps = codes.iter().enumerate().filter(|(_, code)| **code == SourceValues::MISSING);
                gaps.for_each(|(row, _)| mark(row));
            }
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
    /// Whether the caller says that it holds categories.
    is_categorical: bool,
    /// Whether some field was not UTF-8.
    pub(super) is_western: bool,
}

enum State {
    /// Nothing but missing values yet, of a source with types.
    Nothing(usize),
    /// What a source with types says to be categories.
    Typed {
        labels: Vec<String>,
        places: HashMap<String, u32>,
        codes: Vec<u32>,
        is_ordered: bool,
    },
    Few {
        dictionary: Dictionary,
        sayings: Vec<Saying>,
        codes: Vec<u8>,
    },
    Numbers(Vec<f64>),
    Many(Words),
}

impl State {
    fn few() -> Self {
        Self::Few { dictionary: Dictionary::new(), sayings: Vec::new(), codes: Vec::new() }
    }
}

impl ColumnReader {
    /// A column of texts, and whether the caller says that these are categories.
    pub(super) fn new(name: String, is_categorical: bool) -> Self {
        Self { state: State::few(), is_categorical, ..Self::typed(name) }
    }

    /// A column of a source with types.
    pub(super) fn typed(name: String) -> Self {
        Self {
            name,
            state: State::Nothing(0),
            first_missing: None,
            first_mark: None,
            first_word: None,
            first_infinite: None,
            words: 0,
            is_categorical: false,
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
            State::Many(_) => self.take_word(field, place, fields),
            State::Nothing(_) | State::Typed { .. } => {}
        }
    }

    /// Takes the values of a batch, the first of which is in this row.
    ///
    /// # Errors
    /// [`Error::Misfit`] if an earlier batch had another type, [`Error::Size`] if a code has no text.
    pub(super) fn take_values(
        &mut self,
        values: SourceValues,
        first_row: usize,
        fields: &Fields,
    ) -> Result<()> {
        if values.is_nothing() {
            self.take_nothing(values.rows(), first_row, fields);
            return Ok(());
        }
        if let State::Nothing(rows) = self.state {
            self.state = match &values {
                SourceValues::Numbers(_) => State::Numbers(Vec::new()),
                SourceValues::Texts { .. } => State::few(),
                SourceValues::Categories { is_ordered, .. } => State::Typed {
                    labels: Vec::new(),
                    places: HashMap::new(),
                    codes: Vec::new(),
                    is_ordered: *is_ordered,
                },
            };
            self.take_nothing(rows, 0, fields);
        }
        let place = |row: usize| Some(Where::Row((first_row + row) as u64));
        match (&mut self.state, values) {
            (State::Numbers(held), SourceValues::Numbers(mut numbers)) => {
                if fields.marks.is_some() {
                    let marked = numbers.iter_mut().filter(|number| fields.is_missing_number(**number));
                    marked.for_each(|number| *number = f64::NAN);
                }
                let first = |is_it: fn(f64) -> bool| {
                    let row = numbers.iter().position(|&number| is_it(number))?;
                    Some((place(row), numbers[row].to_string()))
                };
                let (missing, infinite) = (first(f64::is_nan), first(f64::is_infinite));
                self.first_missing = self.first_missing.take().or(missing);
                self.first_infinite = self.first_infinite.take().or(infinite);
                if held.is_empty() {
                    *held = numbers;
                } else {
                    held.append(&mut numbers);
                }
            }
            (
                State::Few { .. } | State::Many(_) | State::Numbers(_),
                SourceValues::Texts { texts, codes },
            ) => {
                check_codes(&texts, &codes)?;
                for (row, code) in codes.into_iter().enumerate() {
                    let text = texts.get(code as usize).map_or("", String::as_str);
                    self.take(text.as_bytes(), place(row), fields);
                }
            }
            (
                State::Typed { labels, places, codes: held, is_ordered },
                SourceValues::Categories { labels: new, codes, is_ordered: ordered },
            ) => {
                check_codes(&new, &codes)?;
                // Batches that bring their categories in different orders have none.
                *is_ordered &= ordered && (labels.is_empty() || *labels == new);
                let mut map = Vec::with_capacity(new.len());
                for label in new {
                    let next = labels.len() as u32;
                    let code = *places.entry(label).or_insert_with_key(|label| {
                        labels.push(label.clone());
                        next
                    });
                    map.push(code);
                }
                if self.first_missing.is_none()
                    && let Some(row) = codes.iter().position(|code| *code == SourceValues::MISSING)
                {
                    self.first_missing = Some((place(row), String::new()));
                }
                held.extend(
                    codes
                        .iter()
                        .map(|&code| map.get(code as usize).copied().unwrap_or(SourceValues::MISSING)),
                );
            }
            _ => {
                let reason =
                    format!("of column \"{}\" differ among the batches", crate::text::shown(&self.name));
                return Err(Error::Misfit { setting: "types", reason });
            }
        }
        Ok(())
    }

    /// Takes missing values of a source with types.
    fn take_nothing(&mut self, count: usize, first_row: usize, fields: &Fields) {
        if count == 0 {
            return;
        }
        self.first_missing.get_or_insert_with(|| (Some(Where::Row(first_row as u64)), String::new()));
        match &mut self.state {
            State::Nothing(rows) => *rows += count,
            State::Numbers(held) => held.resize(held.len() + count, f64::NAN),
            State::Typed { codes, .. } => codes.resize(codes.len() + count, SourceValues::MISSING),
            State::Few { .. } | State::Many(_) => (0..count).for_each(|row| {
                self.take(b"", Some(Where::Row((first_row + row) as u64)), fields);
            }),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether its source says that it holds categories.
    pub(super) fn is_typed(&self) -> bool {
        matches!(self.state, State::Typed { .. })
    }

    /// Whether it holds more different words than a byte can tell apart.
    pub(super) fn is_many(&self) -> bool {
        matches!(self.state, State::Many(_))
    }

    /// Bytes that the rows take.
    pub(super) fn held_bytes(&self) -> usize {
        match &self.state {
            State::Nothing(_) => 0,
            State::Few { codes, .. } => codes.len(),
            State::Numbers(values) => 8 * values.len(),
            State::Typed { codes, .. } => 4 * codes.len(),
            State::Many(words) => words.bytes(),
        }
    }

    /// What the values show so far, if these may be numbers.
    pub(super) fn look(&self) -> Look {
        match &self.state {
            State::Nothing(_) => Look::Empty,
            State::Typed { .. } | State::Many(_) => Look::Words,
            State::Few { dictionary, sayings, codes } => {
                let texts = dictionary.texts().iter().map(String::as_str);
                Look::of_few(&texts.zip(sayings.iter().copied()), codes)
            }
            State::Numbers(values) => Look::of_values(values),
        }
    }

    /// Makes the values numbers, what is none being missing, and hands them over; the next ones are held again.
    pub(super) fn hand_over(&mut self, consumer: impl FnOnce(&mut Vec<f64>)) {
        match &mut self.state {
            State::Few { .. } => self.outgrow(true),
            State::Nothing(rows) => self.state = State::Numbers(vec![f64::NAN; *rows]),
            _ => {}
        }
        if let State::Numbers(values) = &mut self.state {
            consumer(values);
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
            let numbers = sayings.iter().filter(|saying| **saying != Saying::Word).count();
            let is_numeric = numbers * 2 > sayings.len();
            self.outgrow(is_numeric && !self.is_categorical);
            self.take(field, place, fields);
        }
    }

    /// The dictionary is full, or of no use any more.
    fn outgrow(&mut self, is_numeric: bool) {
        let State::Few { dictionary, sayings, codes } = &mut self.state else { return };
        let is_word = |code: &&u8| sayings[usize::from(**code)] == Saying::Word;
        self.words = codes.iter().filter(is_word).count();
        let state = if is_numeric {
            let values: Vec<f64> = sayings.iter().map(|saying| saying.number().unwrap_or(f64::NAN)).collect();
            State::Numbers(codes.iter().map(|&code| values[usize::from(code)]).collect())
        } else {
            let mut words = Words::default();
            for &code in codes.iter() {
                push_word(&mut words, sayings[usize::from(code)], &dictionary.texts()[usize::from(code)]);
            }
            State::Many(words)
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
        if let State::Many(words) = &mut self.state {
            self.words += usize::from(saying == Saying::Word);
            push_word(words, saying, &text);
        }
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
        let Self { name, state, first_missing, first_mark, first_word, first_infinite, words, .. } = self;
        let content = match state {
            State::Few { dictionary, sayings, codes } => {
                Content::Few { texts: dictionary.into_texts().into_iter().zip(sayings).collect(), codes }
            }
            State::Numbers(values) => Content::Numbers(values),
            State::Nothing(rows) => Content::Numbers(vec![f64::NAN; rows]),
            State::Typed { labels, codes, is_ordered, .. } => {
                return typed_column(name, first_missing, labels, codes, is_ordered);
            }
            State::Many(words) => {
                let (labels, codes) = words.sorted();
                Content::Many { labels, codes }
            }
        };
        RawColumn {
            first_missing,
            first_mark,
            first_word,
            words,
            first_infinite,
            ..RawColumn::of(name, content)
        }
    }
}

/// Takes a text among many; those of one number are the same.
fn push_word(words: &mut Words, saying: Saying, text: &str) {
    match saying {
        Saying::Missing => words.push_missing(),
        Saying::Number(number) => words.push(&number_text(number + 0.0)),
        Saying::MissingAmongNumbers | Saying::Word => words.push(text),
    }
}

/// A column of what its type says to be categories.
fn typed_column(
    name: String,
    first_missing: Option<Spot>,
    labels: Vec<String>,
    codes: Vec<u32>,
    is_ordered: bool,
) -> RawColumn {
    let (labels, codes) = if labels.len() < MOST_TEXTS { (labels, codes) } else { observed(&labels, codes) };
    let has_gaps = first_missing.is_some();
    let mut column = RawColumn {
        is_typed: true,
        is_ordered,
        first_missing,
        words: codes.len(),
        ..RawColumn::of(name, Content::Numbers(Vec::new()))
    };
    if labels.len() + usize::from(has_gaps) > MOST_TEXTS {
        column.content = Content::Many { labels, codes };
        return column;
    }
    let gap = labels.len() as u8;
    let codes: Vec<u8> = codes.iter().map(|&code| u8::try_from(code).unwrap_or(gap)).collect();
    // A label is never missing, whatever it reads.
    let plain = Fields { marks: Some(Vec::new()), ..Fields::default() };
    let saying = |label: &String| plain.number(label).filter(|number| !number.is_nan());
    let mut texts: Vec<(String, Saying)> = labels
        .into_iter()
        .map(|label| (saying(&label).map_or(Saying::Word, Saying::Number), label))
        .map(|(saying, label)| (label, saying))
        .collect();
    if has_gaps {
        texts.push((String::new(), Saying::Missing));
    }
    let word = texts.iter().find(|(_, saying)| *saying == Saying::Word);
    column.first_word = word.map(|(text, _)| (None, text.clone()));
    column.words = codes.iter().filter(|code| texts[usize::from(**code)].1 == Saying::Word).count();
    column.content = Content::Few { texts, codes };
    column
}

/// Refuses codes that have no text.
fn check_codes(texts: &[String], codes: &[u32]) -> Result<()> {
    match codes.iter().filter(|code| **code != SourceValues::MISSING).max() {
        Some(&most) if most as usize >= texts.len() => Err(Error::Size {
            what: "the list of categories",
            expected: most as usize + 1,
            found: texts.len(),
        }),
        _ => Ok(()),
    }
}

/// The labels that occur, and the codes that index them.
fn observed(labels: &[String], mut codes: Vec<u32>) -> (Vec<String>, Vec<u32>) {
    let mut places = vec![SourceValues::MISSING; labels.len()];
    let mut occurs = vec![false; labels.len()];
    for &code in &codes {
        if let Some(slot) = occurs.get_mut(code as usize) {
            *slot = true;
        }
    }
    let mut kept = Vec::new();
    for (label, place) in
        labels.iter().zip(&mut places).zip(occurs).filter(|(_, occurs)| *occurs).map(|(pair, _)| pair)
    {
        *place = kept.len() as u32;
        kept.push(label.clone());
    }
    codes
        .iter_mut()
        .for_each(|code| *code = places.get(*code as usize).copied().unwrap_or(SourceValues::MISSING));
    (kept, codes)
}
