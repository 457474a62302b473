//! The name that was meant: patterns with `*`, and the nearest of the names that there are.

/// Whether a name is of the form of a pattern, in which each `*` stands for any characters.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.len() >= last.len() && rest.ends_with(last)
}

/// The name that differs least from what was written, if that is little, or one that it is short for.
pub(super) fn nearest<'a>(written: &str, names: &'a [String]) -> Option<&'a str> {
    let written = written.to_lowercase();
    let far = |name: &&String| distance(&written, &name.to_lowercase());
    let near = names.iter().min_by_key(far).filter(|name| far(name) <= (written.chars().count() / 3).max(1));
    let long = || names.iter().find(|name| written.len() > 1 && name.to_lowercase().starts_with(&written));
    near.or_else(long).map(String::as_str)
}

/// The fewest letters to be put in, left out or replaced (Levenshtein). O(product of the lengths).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = at + 1;
        for (place, &other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c", false),
            ("ab*b", "ab", false),
            ("**", "x", true),
            ("ä*", "äö", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn slips_have_a_nearest_name_and_nonsense_has_none() {
        let names = ["horsepower", "modelyear", "mpg"].map(str::to_owned);
        assert_eq!(nearest("horse_power", &names), Some("horsepower"));
        assert_eq!(nearest("MPG", &names), Some("mpg"));
        assert_eq!(nearest("model year", &names), Some("modelyear"));
        assert_eq!(nearest("horse", &names), Some("horsepower"));
        assert_eq!(nearest("temperature", &names), None);
        assert_eq!(nearest("age", &names), None);
        assert_eq!(nearest("x", &[]), None);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
