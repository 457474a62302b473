//! Knowledge as text: JSON of our own, the `/knowledge` files of Tetrad, and the pairs and tiers of a command line.

use std::path::Path;

use super::{Knowledge, Tier};
use crate::{Error, Result, text::shown};

/// What Tetrad's files begin with.
const TETRAD: &str = "/knowledge";

impl Knowledge {
    /// Reads knowledge from a file, of either kind that [`parse`](Self::parse) knows.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Knowledge`] with all that is wrong in the file.
    ///
    /// ```
    /// assert!(plackett_dag::knowledge::Knowledge::read("no such file").is_err());
    /// ```
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let file = path.as_ref().display().to_string();
        let read = std::fs::File::open(&path).and_then(plackett::memory::read_text);
        let bytes = read.map_err(|problem| Error::Io { file: file.clone(), problem })?;
        let problem = |problem: &str| Error::Knowledge { problems: vec![format!("{file}: {problem}")] };
        let text = String::from_utf8(bytes).map_err(|_| problem("this is no text"))?;
        Self::parse(&text).map_err(|error| match error {
            Error::Knowledge { problems } => {
                let problems = problems.into_iter().map(|problem| format!("{file}, {problem}")).collect();
                Error::Knowledge { problems }
            }
            other => other,
        })
    }

    /// Knowledge from text: a JSON object with the fields of this type, or one of Tetrad's `/knowledge` files, with its sections
    /// `addtemporal` (a tier a line, `2*` if nothing leads from a column of the tier to another), `forbiddirect` and `requiredirect`.
    ///
    /// # Errors
    /// [`Error::Knowledge`] with all that is wrong, line by line.
    ///
    /// ```
    /// use plackett_dag::knowledge::Knowledge;
    /// let ours = Knowledge::parse(r#"{"tiers": [["a", "b"], {"columns": ["c", "d"], "within": false}], "required": [["a", "c"]]}"#)?;
    /// let theirs = Knowledge::parse("/knowledge\naddtemporal\n1 a b\n2* c d\nforbiddirect\nrequiredirect\na c\n")?;
    /// assert_eq!(ours, theirs);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let start = text.trim_start();
        if start.starts_with('{') {
            return serde_json::from_str(text).map_err(|error| {
                let problem = format!("line {}: {error}", error.line());
                Error::Knowledge { problems: vec![problem] }
            });
        }
        if start.to_ascii_lowercase().starts_with(TETRAD) {
            return tetrad(text);
        }
        let problem = format!(
            "line 1: this is no knowledge: a JSON object is needed, or a file that begins with {TETRAD}"
        );
        Err(Error::Knowledge { problems: vec![problem] })
    }

    /// The statements as JSON, as [`parse`](Self::parse) reads them.
    ///
    /// ```
    /// use plackett_dag::Knowledge;
    /// let known = Knowledge { exogenous: vec!["age".into()], ..Knowledge::default() };
    /// assert_eq!(known.to_json(), r#"{"exogenous":["age"]}"#);
    /// ```
    pub fn to_json(&self) -> String {
        // Lists of strings always have a form in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Whether the beginning of a file is that of one of Tetrad's `/knowledge` files, or all of a JSON file of ours.
    pub(crate) fn is_one(head: &[u8]) -> bool {
        let start = head.trim_ascii_start();
        let is_tetrad =
            start.get(..TETRAD.len()).is_some_and(|start| start.eq_ignore_ascii_case(TETRAD.as_bytes()));
        is_tetrad || serde_json::from_slice(start).is_ok_and(|known: Self| !known.is_empty())
    }
}

/// The sections of Tetrad's files.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Head,
    Tiers,
    Forbidden,
    Required,
}

fn tetrad(text: &str) -> Result<Knowledge> {
    let mut knowledge = Knowledge::default();
    let mut tiers: Vec<(u32, Tier)> = Vec::new();
    let (mut section, mut problems) = (Section::Head, Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let mut note = |problem: String| problems.push(format!("line {number}: {problem}"));
        let words = match split(line, char::is_whitespace) {
            Ok(words) => words,
            Err(problem) => {
                note(problem);
                continue;
            }
        };
        let Some(first) = words.first() else { continue };
        match first.to_ascii_lowercase().as_str() {
            TETRAD => {}
            "addtemporal" => section = Section::Tiers,
            "forbiddirect" => section = Section::Forbidden,
            "requiredirect" => section = Section::Required,
            other if words.len() == 1 && section != Section::Tiers => {
                note(format!(
                    "\"{}\" is none of the sections addtemporal, forbiddirect and requiredirect",
                    shown(other)
                ));
            }
            _ => match section {
                Section::Head => {
                    note("a section is expected: addtemporal, forbiddirect or requiredirect".to_owned());
                }
                Section::Tiers => match first.trim_end_matches('*').parse() {
                    Ok(tier) if first.matches('*').count() <= 1 => {
                        let columns = words[1..].to_vec();
                        tiers.push((tier, Tier { columns, within: !first.ends_with('*') }));
                    }
                    _ => note(format!(
                        "a tier begins with its number, as in 2 or, with no edges within it, 2*, and not with \"{}\"",
                        shown(first)
                    )),
                },
                Section::Forbidden | Section::Required => match &words[..] {
                    [from, to] if section == Section::Required => {
                        knowledge.required.push((from.clone(), to.clone()));
                    }
                    [from, to] => knowledge.forbidden.push((from.clone(), to.clone())),
                    _ => note(format!(
                        "a cause and an effect are expected, and there are {} names (names with blanks are put in quotation marks)",
                        words.len()
                    )),
                },
            },
        }
    }
    if !problems.is_empty() {
        return Err(Error::Knowledge { problems });
    }
    tiers.sort_by_key(|&(number, _)| number);
    for pair in tiers.chunk_by(|a, b| a.0 == b.0) {
        let columns: Vec<String> = pair.iter().flat_map(|(_, tier)| tier.columns.clone()).collect();
        if !columns.is_empty() {
            knowledge.tiers.push(Tier { columns, within: pair.iter().all(|(_, tier)| tier.within) });
        }
    }
    Ok(knowledge)
}

/// A cause and an effect, separated by a comma; a name with a comma or with blanks at its ends is put in quotation marks.
///
/// # Errors
/// What is expected.
///
/// ```
/// use plackett_dag::knowledge::pair;
/// assert_eq!(pair("model year,mpg"), Ok(("model year".to_owned(), "mpg".to_owned())));
/// assert!(pair("mpg").is_err());
/// ```
pub fn pair(text: &str) -> std::result::Result<(String, String), String> {
    let names = split(text, |letter| letter == ',')?;
    match <[String; 2]>::try_from(names) {
        Ok([from, to]) if !from.is_empty() && !to.is_empty() => Ok((from, to)),
        _ => Err("two names are needed, the cause and the effect, as in A,B (a name with a comma in quotation marks)"
            .to_owned()),
    }
}

/// Tiers, the earliest first, separated by semicolons; the names of a tier by blanks. A tier in brackets has no edges within it.
///
/// # Errors
/// What is expected.
///
/// ```
/// use plackett_dag::knowledge::tiers;
/// let found = tiers("A \"model year\"; [B C]; D")?;
/// assert_eq!((found[0].columns[1].as_str(), found[1].within, found[2].within), ("model year", false, true));
/// # Ok::<(), String>(())
/// ```
pub fn tiers(text: &str) -> std::result::Result<Vec<Tier>, String> {
    let mut found = Vec::new();
    for part in pieces(text, |letter| letter == ';')? {
        let part = part.trim();
        let inside = part.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let columns = split(inside.unwrap_or(part), char::is_whitespace)?;
        if columns.is_empty() {
            return Err(
                "a tier has no names: tiers are separated by semicolons, as in 'A B; C; D'".to_owned()
            );
        }
        found.push(Tier { columns, within: inside.is_none() });
    }
    Ok(found)
}

/// Splits at separators outside quotation marks, which stay.
fn pieces(text: &str, is_separator: impl Fn(char) -> bool) -> std::result::Result<Vec<String>, String> {
    let (mut pieces, mut is_quoted) = (vec![String::new()], false);
    for letter in text.chars() {
        is_quoted ^= letter == '"';
        if is_separator(letter) && !is_quoted {
            pieces.push(String::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(letter);
        }
    }
    if is_quoted { Err("a quotation mark is never closed".to_owned()) } else { Ok(pieces) }
}

/// The names between separators, without the quotation marks around them; between blanks, none is empty.
fn split(text: &str, is_separator: impl Fn(char) -> bool) -> std::result::Result<Vec<String>, String> {
    let are_blanks = is_separator(' ');
    let names = pieces(text, is_separator)?.into_iter().map(|piece| {
        let piece = piece.trim();
        let inside = piece.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        // Two quotation marks within a quoted name are one.
        inside.map_or_else(|| piece.to_owned(), |name| name.replace("\"\"", "\""))
    });
    Ok(names.filter(|name| !(are_blanks && name.is_empty())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_tetrad_are_read_as_they_come() {
        let text = "/knowledge\naddtemporal\n\n1  Rings Sex\n2\n3  ShkW  \"Shl W\"\n\nforbiddirect\nDiam Sex\n\nrequiredirect\n";
        let known = Knowledge::parse(text).unwrap();
        assert_eq!(known.tiers, [Tier::of(&["Rings", "Sex"]), Tier::of(&["ShkW", "Shl W"])]);
        assert_eq!(known.forbidden, [("Diam".to_owned(), "Sex".to_owned())]);
        assert!(known.required.is_empty());
        let empty = Knowledge::parse("/knowledge\naddtemporal\n\n1 \n2 \n\nforbiddirect\n\nrequiredirect\n");
        assert!(empty.unwrap().is_empty());
        let windows = Knowledge::parse("/knowledge\r\nrequiredirect\r\na b\r\n").unwrap();
        assert_eq!(windows.required, [("a".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn all_faults_of_a_file_are_told_by_line() {
        let text = "/knowledge\nx y\naddtemporal\none a b\nforbiddirect\na b c\nrequiredirekt\n\"a b\n";
        let Err(Error::Knowledge { problems }) = Knowledge::parse(text) else { panic!() };
        let lines: Vec<&str> = problems.iter().map(|problem| &problem[..6]).collect();
        assert_eq!(lines, ["line 2", "line 4", "line 6", "line 7", "line 8"], "{problems:#?}");
        for text in ["", "a,b\n1,2\n", "{\"tiers\": 3}", "{\"tierz\": []}", "[]"] {
            assert!(matches!(Knowledge::parse(text), Err(Error::Knowledge { .. })), "{text}");
        }
    }

    #[test]
    fn json_goes_there_and_back() {
        let text =
            r#"{"required":[["a","b"]],"tiers":[["a"],{"columns":["b"],"within":false}],"exogenous":["x*"]}"#;
        let known = Knowledge::parse(text).unwrap();
        assert_eq!(serde_json::to_string(&known).unwrap(), text);
    }

    #[test]
    fn names_with_blanks_and_commas_are_quoted() {
        assert_eq!(pair("\"a,b\", c d").unwrap(), ("a,b".to_owned(), "c d".to_owned()));
        assert_eq!(pair("\"say \"\"a\"\"\",b").unwrap().0, "say \"a\"");
        for text in ["a", "a,b,c", ",b", "\"a,b"] {
            assert!(pair(text).is_err(), "{text}");
        }
        assert_eq!(tiers("a;b").unwrap().len(), 2);
        assert_eq!(tiers("\"a;b\" c").unwrap()[0].columns, ["a;b", "c"]);
        assert!(tiers("a;;b").is_err() && tiers("").is_err());
    }
}
