//! Characters that markup keeps for itself, as GraphML and GML write them.

/// A text with `&`, `<`, `>` and quotation marks spelled out; all that is not ASCII too, if only that may stand there.
pub(super) fn escaped(text: &str, is_ascii: bool) -> String {
    let mut found = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => found.push_str("&amp;"),
            '<' => found.push_str("&lt;"),
            '>' => found.push_str("&gt;"),
            '"' => found.push_str("&quot;"),
            '\n' | '\r' | '\t' => found.push_str(&format!("&#{};", u32::from(letter))),
            letter if is_ascii && !letter.is_ascii() => found.push_str(&format!("&#{};", u32::from(letter))),
            letter => found.push(letter),
        }
    }
    found
}

/// The text again; what is no such spelling stays as it is.
pub(super) fn unescaped(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        found.push_str(&rest[..at]);
        rest = &rest[at..];
        let letter = rest.find(';').and_then(|end| Some((letter_of(&rest[1..end])?, end + 1)));
        let (letter, length) = letter.unwrap_or(('&', 1));
        found.push(letter);
        rest = &rest[length..];
    }
    found + rest
}

fn letter_of(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let hexadecimal = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
            char::from_u32(hexadecimal.unwrap_or_else(|| number.parse()).ok()?)
        }
    }
}
