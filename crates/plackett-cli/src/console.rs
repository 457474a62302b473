//! What a person sees: text on standard output, tables, small charts, progress bars, complaints.

use std::{
    borrow::Cow,
    io::{self, Write},
    time::Duration,
};

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};

/// Prints a text and a line break on standard output.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    plackett::faults::at("print")?;
    let mut out = io::stdout().lock();
    writeln!(out, "{}", plain(text))?;
    Ok(out.flush()?)
}

/// Prints one JSON document on standard output.
pub(crate) fn say_json(document: &impl serde::Serialize) -> anyhow::Result<()> {
    say(&serde_json::to_string_pretty(document)?)
}

/// Prints an error and its causes as one line on standard error.
#[expect(clippy::print_stderr, reason = "this is the one place that complains")]
pub(crate) fn complain(error: &anyhow::Error) {
    eprintln!("error: {}", plain(&format!("{error:#}")));
}

/// A text in which what would control the terminal, such as an escape sequence in the name of a column, is spelled out.
fn plain(text: &str) -> Cow<'_, str> {
    let controls = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if !text.contains(controls) {
        return Cow::Borrowed(text);
    }
    let spelled = |letter: char| {
        if controls(letter) { letter.escape_default().to_string() } else { letter.to_string() }
    };
    Cow::Owned(text.chars().map(spelled).collect())
}

/// Prints a warning on standard error, where standard output holds a file.
#[expect(clippy::print_stderr, reason = "a warning is no part of the file")]
pub(crate) fn warn(text: &str) {
    eprintln!("Warning: {text}");
}

/// Whether the reader of our output went away, as `head` does: nothing to complain about.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// Input that the program itself refuses, and for which it ends with code 2 as it does for the libraries' refusals.
#[derive(Debug)]
pub(crate) struct BadInput(pub(crate) String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// Whether the input was at fault, rather than the disk or the program.
pub(crate) fn is_bad_input(error: &anyhow::Error) -> bool {
    error.is::<BadInput>()
        || error.is::<plackett::Error>()
        || error.is::<plackett_problems::Error>()
        || error.is::<plackett_dag::Error>()
}

/// A table whose first column is text and whose others are numbers.
pub(crate) fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    table_of(header, rows, &(1..header.len()).collect::<Vec<_>>())
}

/// A table of text, numbers in the second column, and text again.
pub(crate) fn table_with_notes(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    table_of(header, rows, &[1])
}

/// A table of text, with numbers in the columns named.
pub(crate) fn table_of(
    header: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    numbers: &[usize],
) -> String {
    let mut table = Table::new();
    let style = presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none());
    table.load_style(style).set_content_arrangement(ContentArrangement::Dynamic).set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        if numbers.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}

/// A text broken between words into lines of about this many characters, each after the first indented.
pub(crate) fn filled(text: &str, width: usize, indent: usize) -> String {
    let mut filled = String::new();
    let mut line = 0;
    for word in text.split(' ') {
        let length = word.chars().count() + 1;
        if line > 0 && line + length > width {
            filled.push('\n');
            filled.push_str(&" ".repeat(indent));
            line = 0;
        } else if line > 0 {
            filled.push(' ');
        }
        filled.push_str(word);
        line += length;
    }
    filled
}

/// Names with commas between them, broken into lines of about this many characters, each after the first indented.
pub(crate) fn wrapped(names: &[&str], width: usize, indent: usize) -> String {
    let mut text = String::new();
    let mut line = 0;
    for (at, name) in names.iter().enumerate() {
        let comma = if at + 1 < names.len() { "," } else { "" };
        let length = name.chars().count() + comma.len() + 1;
        if line > 0 && line + length > width {
            text.push('\n');
            text.push_str(&" ".repeat(indent));
            line = 0;
        } else if line > 0 {
            text.push(' ');
        }
        text.push_str(name);
        text.push_str(comma);
        line += length;
    }
    text
}

/// A line of blocks as high as the numbers are, at most `width` of them; gaps for numbers that are not finite.
pub(crate) fn sparkline(numbers: &[f64], width: usize) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let shown: Vec<f64> = if numbers.len() <= width {
        numbers.to_vec()
    } else {
        (0..width).map(|at| numbers[at * (numbers.len() - 1) / (width - 1).max(1)]).collect()
    };
    let finite = || shown.iter().copied().filter(|number| number.is_finite());
    let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let top = (BLOCKS.len() - 1) as f64;
    let block = |&number: &f64| {
        if !number.is_finite() {
            return ' ';
        }
        let height = if high > low { (number - low) / (high - low) * top } else { 0.0 };
        #[expect(clippy::cast_sign_loss, reason = "between 0 and 7")]
        BLOCKS[height.round() as usize]
    };
    shown.iter().map(block).collect()
}

/// A progress bar on standard error with the time that is left; invisible unless that is a terminal.
pub(crate) fn progress(length: u64, message: impl Into<String>) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{msg} {wide_bar:.blue} {human_pos}/{human_len} {elapsed}, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(length).with_style(style).with_message(message.into());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A count and what is counted: "1 edge", "2,000 edges".
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", thousands(count as u64), if count == 1 { "" } else { "s" })
}

/// A count with its thousands apart: 12,345.
pub(crate) fn thousands(count: u64) -> String {
    indicatif::HumanCount(count).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparklines_show_the_shape_and_skip_what_is_missing() {
        assert_eq!(sparkline(&[0.0, 1.0], 10), "▁█");
        assert_eq!(sparkline(&[3.0, f64::NAN, 3.0], 10), "▁ ▁");
        assert_eq!(sparkline(&[], 10), "");
        assert_eq!(sparkline(&[0.0; 500], 40).chars().count(), 40);
    }

    #[test]
    fn long_lists_of_names_are_broken_and_indented() {
        assert_eq!(wrapped(&["a", "bb", "c"], 7, 2), "a, bb,\n  c");
        assert_eq!(wrapped(&["longer than the line"], 5, 2), "longer than the line");
        assert_eq!(wrapped(&[], 5, 2), "");
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        assert_eq!([counted(1, "edge"), counted(2000, "edge")], ["1 edge", "2,000 edges"]);
    }

    #[test]
    fn tables_hold_their_cells() {
        let text = table(&["method", "value"], [vec!["relax".to_owned(), "6.22".to_owned()]]);
        assert!(text.contains("method") && text.contains("relax") && text.contains("6.22"), "{text}");
    }
}
