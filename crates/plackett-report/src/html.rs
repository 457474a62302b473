//! Pieces of HTML. Text becomes a piece only by being escaped, so that no name or message of a user is ever taken for markup.

use std::fmt::Write;

/// A piece of HTML.
///
/// ```
/// use plackett_report::Html;
/// let name = Html::text("<script>alert(1)</script>");
/// assert_eq!(name.as_str(), "&lt;script&gt;alert(1)&lt;/script&gt;");
/// assert_eq!(Html::element("p", "lead", &name).as_str(), format!("<p class=\"lead\">{}</p>", name.as_str()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// A text.
    pub fn text(text: &str) -> Self {
        let mut escaped = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                '&' => escaped.push_str("&amp;"),
                '<' => escaped.push_str("&lt;"),
                '>' => escaped.push_str("&gt;"),
                '"' => escaped.push_str("&quot;"),
                '\'' => escaped.push_str("&#39;"),
                // A page must not have any of these.
                character if character.is_control() && character != '\n' && character != '\t' => {
                    escaped.push('\u{fffd}');
                }
                character => escaped.push(character),
            }
        }
        Self(escaped)
    }

    /// An element with a class, which may be empty. Tag and class are our own words, never a user's.
    pub fn element(tag: &'static str, class: &'static str, inner: &Self) -> Self {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        Self(format!("<{tag}{class}>{}</{tag}>", inner.0))
    }

    /// A paragraph of text.
    ///
    /// ```
    /// assert_eq!(plackett_report::Html::paragraph("a & b").as_str(), "<p>a &amp; b</p>");
    /// ```
    pub fn paragraph(text: &str) -> Self {
        Self::element("p", "", &Self::text(text))
    }

    /// A list of texts.
    ///
    /// ```
    /// let list = plackett_report::Html::list(["a", "b"]);
    /// assert_eq!(list.as_str(), "<ul><li>a</li><li>b</li></ul>");
    /// ```
    pub fn list<'a>(items: impl IntoIterator<Item = &'a str>) -> Self {
        let items = items.into_iter().map(|item| Self::element("li", "", &Self::text(item)));
        Self::element("ul", "", &items.collect())
    }

    /// Facts, each a name and what it is.
    ///
    /// ```
    /// let facts = plackett_report::Html::facts([("rows", "500".to_owned())]);
    /// assert_eq!(facts.as_str(), "<dl class=\"facts\"><div><dt>rows</dt><dd>500</dd></div></dl>");
    /// ```
    pub fn facts<'a>(facts: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let fact = |(name, value): (&str, String)| {
            let (name, value) = (Self::text(name), Self::text(&value));
            let both = [Self::element("dt", "", &name), Self::element("dd", "", &value)];
            Self::element("div", "", &both.into_iter().collect())
        };
        Self::element("dl", "facts", &facts.into_iter().map(fact).collect())
    }

    /// Text as it is, such as a command, with a button to copy it.
    ///
    /// ```
    /// assert!(plackett_report::Html::code("a < b").as_str().contains("<code>a &lt; b</code>"));
    /// ```
    pub fn code(text: &str) -> Self {
        Self(format!("<pre class=\"code\" tabindex=\"0\"><code>{}</code></pre>", Self::text(text).0))
    }

    /// A table. Columns of numbers are those whose head is marked so; cells are text.
    ///
    /// ```
    /// use plackett_report::Html;
    /// let table = Html::table("edges", &[("from", false), ("weight", true)], [vec!["a".to_owned(), "1.5".to_owned()]]);
    /// assert!(table.as_str().contains("<td>a</td><td class=\"number\">1.5</td>"));
    /// ```
    pub fn table(caption: &str, head: &[(&str, bool)], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let caption = Self::text(caption).0;
        let mut html = format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{caption}\"><table><caption>{caption}</caption><thead><tr>"
        );
        let class = |is_number: bool| if is_number { " class=\"number\"" } else { "" };
        for &(name, is_number) in head {
            _ = write!(html, "<th scope=\"col\"{}>{}</th>", class(is_number), Self::text(name).0);
        }
        html.push_str("</tr></thead><tbody>");
        for row in rows {
            html.push_str("<tr>");
            for (cell, &(_, is_number)) in row.iter().zip(head) {
                _ = write!(html, "<td{}>{}</td>", class(is_number), Self::text(cell).0);
            }
            html.push_str("</tr>");
        }
        html.push_str("</tbody></table></div>");
        Self(html)
    }

    /// What is only seen when it is asked for.
    ///
    /// ```
    /// use plackett_report::Html;
    /// assert!(Html::details("more", &Html::paragraph("of it")).as_str().contains("<summary>more</summary>"));
    /// ```
    pub fn details(summary: &str, inner: &Self) -> Self {
        Self(format!("<details><summary>{}</summary>{}</details>", Self::text(summary).0, inner.0))
    }

    /// Markup as it is, such as an SVG that is one's own: nothing in it may come from a user unescaped.
    ///
    /// ```
    /// assert_eq!(plackett_report::Html::trusted("<hr>").as_str(), "<hr>");
    /// ```
    pub fn trusted(markup: impl Into<String>) -> Self {
        Self(markup.into())
    }

    /// The markup.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromIterator<Html> for Html {
    fn from_iter<T: IntoIterator<Item = Html>>(pieces: T) -> Self {
        Self(pieces.into_iter().map(|piece| piece.0).collect())
    }
}

impl Extend<Html> for Html {
    fn extend<T: IntoIterator<Item = Html>>(&mut self, pieces: T) {
        pieces.into_iter().for_each(|piece| self.0.push_str(&piece.0));
    }
}

/// JSON within an element `script`: nothing in it can end the element or begin another, and JavaScript reads it back as it was.
pub(crate) fn json_for_script(value: &impl serde::Serialize) -> String {
    let text = serde_json::json!(value).to_string();
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => _ = write!(safe, "\\u{:04x}", character as u32),
            character => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        for text in ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a'b&c", "]]></style>"] {
            let piece = Html::text(text);
            assert!(!piece.as_str().contains(['<', '>', '"', '\'']), "{}", piece.as_str());
        }
        assert_eq!(Html::text("a\0b\u{7f}\n").as_str(), "a\u{fffd}b\u{fffd}\n");
    }

    #[test]
    fn json_in_a_script_cannot_end_it_and_stays_what_it_is() {
        let name = "</script><!--<script>\u{2028}&\"\\";
        let text = json_for_script(&[name]);
        assert!(!text.contains(['<', '>', '&', '\u{2028}']));
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), [name]);
    }
}
