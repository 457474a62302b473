//! Names and lists in messages: whatever a file calls its columns, a message stays one readable line.

/// Characters of a name that are shown.
const LONGEST: usize = 60;
/// Names of a list that are shown.
const SHOWN: usize = 8;

/// A name with control characters escaped, cut where it is too long to be read.
pub(crate) fn shown(name: &str) -> String {
    let mut text = String::new();
    for (at, character) in name.chars().enumerate() {
        if at == LONGEST {
            text.push('…');
            break;
        }
        if character.is_control() {
            text.extend(character.escape_default());
        } else {
            text.push(character);
        }
    }
    text
}

/// The first few of a list in quotation marks, and how many there are beyond them.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    let mut text = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("\"{}\"", shown(name.as_ref())))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}

/// A count and what is counted.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A number as the shortest text that reads back as the same number.
pub(crate) fn number_text(value: f64) -> String {
    // Display writes 1e300 as 301 digits, Debug writes 1 as "1.0": take the shorter form for either kind.
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value}") } else { format!("{value:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_lists_are_cut() {
        assert_eq!(shown("a\nb\u{1b}[0m"), "a\\nb\\u{1b}[0m");
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), LONGEST + 1);
        assert_eq!(listed(&["a", "b"]), "\"a\", \"b\"");
        assert!(listed(&vec!["a"; 1_000_000]).ends_with("\"a\" and 999992 more"));
    }
}
