//! The frame of all reports: one HTML file with its style, its script and its data within. A content security policy names the two by
//! their digests, so that nothing else runs or is fetched, whatever is in the data.

use crate::{
    html::{Html, json_for_script},
    sha256::source,
};

const STYLE: &str = concat!(include_str!("../assets/page.css"), include_str!("../assets/viewer.css"));
const SCRIPT: &str = concat!(
    include_str!("../assets/element.js"),
    include_str!("../assets/viewer.js"),
    include_str!("../assets/page.js")
);

/// A report as it is put together: a head, and sections.
///
/// ```
/// use plackett_report::{Html, Page};
/// let mut page = Page::new("Orders", "What was found.");
/// page.section("best", "The best order", &Html::paragraph("2, 0, 1"));
/// let html = page.to_html();
/// assert!(html.starts_with("<!doctype html>") && html.contains("Content-Security-Policy"));
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    lead: String,
    sections: Vec<(&'static str, String, Html)>,
    graph: Option<String>,
}

impl Page {
    /// A page without sections.
    pub fn new(title: &str, lead: &str) -> Self {
        Self { title: title.to_owned(), lead: lead.to_owned(), sections: Vec::new(), graph: None }
    }

    /// Adds a section; its name is that of the place in the page, and none of a user's.
    pub fn section(&mut self, name: &'static str, heading: &str, body: &Html) {
        self.sections.push((name, heading.to_owned(), body.clone()));
    }

    /// The document that the viewer draws, in the section that has room for it.
    pub(crate) fn graph(&mut self, document: &impl serde::Serialize) {
        self.graph = Some(json_for_script(document));
    }

    /// The whole file.
    pub fn to_html(&self) -> String {
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
            source(SCRIPT),
            source(STYLE)
        );
        let (title, lead) = (Html::text(&self.title), Html::text(&self.lead));
        let (title, lead) = (title.as_str(), lead.as_str());
        let (mut links, mut sections) = (String::new(), String::new());
        for (name, heading, body) in &self.sections {
            let heading = Html::text(heading);
            let (heading, body) = (heading.as_str(), body.as_str());
            links += &format!("<li><a href=\"#{name}\">{heading}</a></li>");
            sections += &format!(
                "<section id=\"{name}\" aria-labelledby=\"{name}-head\"><h2 id=\"{name}-head\">{heading}</h2>{body}</section>\n"
            );
        }
        let graph = self.graph.as_ref().map_or_else(String::new, |json| {
            format!("<script type=\"application/json\" id=\"graph-data\">{json}</script>\n")
        });
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"generator\" content=\"plackett {version}\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#content\">To the content</a>\n\
             <header><h1>{title}</h1><p class=\"lead\">{lead}</p>\
             <nav aria-label=\"Sections\"><ul>{links}</ul></nav></header>\n\
             <main id=\"content\">\n{sections}</main>\n\
             <footer><p>Written by plackett {version}. This file needs nothing else, and sends nothing anywhere.</p></footer>\n\
             {graph}<script>{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_and_script_stay_within_their_elements_and_name_no_address() {
        for (text, end) in [(STYLE, "</style"), (SCRIPT, "</script")] {
            assert!(!text.to_lowercase().contains(end) && !text.contains("<!--"));
            let without_namespace = text.replace("http://www.w3.org/2000/svg", "");
            for address in ["http://", "https://", "url(", "@import", "fetch(", "XMLHttpRequest", "WebSocket"]
            {
                assert!(!without_namespace.contains(address), "{address}");
            }
            for danger in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
            {
                assert!(!text.contains(danger), "{danger}");
            }
        }
    }

    #[test]
    fn a_title_is_text() {
        let html =
            Page::new("</title><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>").to_html();
        assert!(!html.contains("<script>alert") && !html.contains("<img"));
    }
}
