//! Networks in the Interchange Format, BIF: blocks `variable` with the states of a node, and blocks `probability` with
//! its table given its parents, as one `table` or as one entry per configuration. Blocks may come in any order; commas,
//! vertical bars, comments and properties are skipped.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use super::{
    BayesNet, FILE_SUM_TOLERANCE, check_states, configuration_count, configuration_states, given, normalize,
};
use crate::error::{Error, Place, Problem, Result};
use crate::records::open;
use crate::text::number_text;

/// Characters that a name may have without standing in quotation marks, beside letters and digits.
const PLAIN: &str = "_-+.<>=/%&*#@!?$^~:'";

impl BayesNet {
    /// Reads a file in the Interchange Format.
    ///
    /// # Errors
    /// A file that cannot be read, and whatever [`BayesNet::from_bif`] refuses.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::BayesNet;
    ///
    /// let error = BayesNet::read_bif("no-such-file.bif").unwrap_err();
    /// assert!(error.to_string().starts_with("no-such-file.bif: "));
    /// ```
    pub fn read_bif(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = path.display().to_string();
        let read = plackett::memory::read_text(open(path)?);
        let bytes = read.map_err(|problem| Error::Io { file: file.clone(), problem })?;
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count() as u64;
            Error::Content {
                place: Place { file: file.clone(), line: Some(line), column: None },
                problem: Problem::Encoding,
            }
        })?;
        Self::from_bif(text, &file)
    }

    /// Reads a text in the Interchange Format; `file` is what errors call it. Rows that sum to one within 10⁻³ are
    /// divided by their sums, as published files are often rounded.
    ///
    /// In a `table` of a node with parents the node's state changes slowest and the last parent's fastest.
    ///
    /// # Errors
    /// [`Error::Content`] with the line of whatever is wrong: the syntax, a variable that is declared twice or not at
    /// all, has no block of probabilities or two, a state that its variable does not have, the wrong number of
    /// probabilities, rows that are missing, given twice or do not sum to one, and a cycle.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::BayesNet;
    ///
    /// let text = "
    ///     variable rain { type discrete [ 2 ] { no, yes }; }
    ///     variable wet  { type discrete [ 2 ] { no, yes }; }
    ///     probability ( rain ) { table 0.8, 0.2; }
    ///     probability ( wet | rain ) { (yes) 0.3, 0.7; default 0.9, 0.1; }";
    /// let net = BayesNet::from_bif(text, "rain.bif")?;
    /// assert_eq!(net.table(1), [0.9, 0.1, 0.3, 0.7]);
    /// let error = BayesNet::from_bif(&text.replace("0.3", "0.4"), "rain.bif").unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "rain.bif, line 5: \"wet\": the probabilities sum to 1.1, not 1, given rain = yes"
    /// );
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn from_bif(text: &str, file: &str) -> Result<Self> {
        let mut reader = Reader { text: text.trim_start_matches('\u{feff}'), line: 1, file };
        let (mut variables, mut blocks) = (Vec::new(), Vec::new());
        while let Some(token) = reader.next()? {
            match token.kind {
                Kind::Plain(word) if word == "network" => reader.network()?,
                Kind::Plain(word) if word == "variable" => variables.push(reader.variable()?),
                Kind::Plain(word) if word == "probability" => blocks.push(reader.probability()?),
                found => {
                    let wanted = "\"network\", \"variable\" or \"probability\"";
                    return Err(reader.unexpected(token.line, wanted, Some(&found)));
                }
            }
        }
        if variables.is_empty() {
            return Err(reader.fault_at(None, "the file declares no variable".to_owned()));
        }
        assemble(&reader, variables, &blocks)
    }

    /// The network in the Interchange Format; reading it gives the same network again.
    ///
    /// # Example
    /// ```
    /// # use plackett_dag::BayesNet;
    /// let asia = BayesNet::embedded("asia")?;
    /// let text = asia.to_bif();
    /// assert!(text.contains("probability ( tub | asia ) {\n  (yes) 0.05, 0.95;\n  (no) 0.01, 0.99;\n}\n"));
    /// assert_eq!(BayesNet::from_bif(&text, "asia.bif")?, asia);
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn to_bif(&self) -> String {
        let join = |names: Vec<String>| names.join(", ");
        let names = |list: &[&String]| join(list.iter().map(|name| written(name)).collect());
        let numbers = |row: &[f64]| join(row.iter().map(|&value| number_text(value)).collect());
        let mut text = String::from("network unknown {\n}\n");
        for (name, states) in self.names().iter().zip(&self.states) {
            let list = names(&states.iter().collect::<Vec<_>>());
            let (name, count) = (written(name), states.len());
            let _ = writeln!(text, "variable {name} {{\n  type discrete [ {count} ] {{ {list} }};\n}}");
        }
        for (node, name) in self.names().iter().enumerate() {
            let parents = self.dag().parents(node);
            let list: Vec<&String> = parents.iter().map(|&parent| &self.names()[parent]).collect();
            let bar = if parents.is_empty() { "" } else { " | " };
            let _ = writeln!(text, "probability ( {}{bar}{} ) {{", written(name), names(&list));
            for (configuration, row) in self.table(node).chunks_exact(self.states(node).len()).enumerate() {
                let states = configuration_states(parents, configuration, &self.states);
                let key =
                    if states.is_empty() { "table".to_owned() } else { format!("({})", names(&states)) };
                let _ = writeln!(text, "  {key} {};", numbers(row));
            }
            text.push_str("}\n");
        }
        text
    }
}

/// A name as it must stand in a file.
fn written(name: &str) -> String {
    let plain = name.chars().all(|letter| letter.is_alphanumeric() || PLAIN.contains(letter));
    if plain && !name.contains("//") && !name.contains("/*") {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// A block `variable`.
struct Variable {
    line: u64,
    name: String,
    states: Vec<String>,
}

/// A block `probability`.
struct Block {
    line: u64,
    child: String,
    parents: Vec<String>,
    entries: Vec<Entry>,
}

struct Entry {
    line: u64,
    key: Key,
    numbers: Vec<f64>,
}

/// Which rows an entry gives.
enum Key {
    All,
    Others,
    Row(Vec<String>),
}

struct Token {
    line: u64,
    kind: Kind,
}

enum Kind {
    Plain(String),
    Quoted(String),
    Mark(char),
}

/// What is left of the text, and where that begins.
struct Reader<'a> {
    text: &'a str,
    line: u64,
    file: &'a str,
}

impl Reader<'_> {
    fn skip(&mut self, bytes: usize) {
        let (skipped, rest) = self.text.split_at(bytes);
        self.line += skipped.matches('\n').count() as u64;
        self.text = rest;
    }

    /// Skips what stands between tokens.
    fn skip_space(&mut self) -> Result<()> {
        loop {
            self.skip(self.text.len() - self.text.trim_start_matches(is_space).len());
            if self.text.starts_with("//") {
                self.skip(self.text.find('\n').unwrap_or(self.text.len()));
            } else if self.text.starts_with("/*") {
                let end =
                    self.text.find("*/").ok_or_else(|| self.fault("a comment never ends".to_owned()))?;
                self.skip(end + 2);
            } else {
                return Ok(());
            }
        }
    }

    fn next(&mut self) -> Result<Option<Token>> {
        self.skip_space()?;
        let line = self.line;
        let Some(first) = self.text.chars().next() else { return Ok(None) };
        let kind = if is_mark(first) {
            self.skip(first.len_utf8());
            Kind::Mark(first)
        } else if first == '"' {
            Kind::Quoted(self.quoted()?)
        } else {
            let is_end = |letter: char| is_space(letter) || is_mark(letter) || letter == '"';
            let end = self.text.find(is_end).unwrap_or(self.text.len());
            let comments = ["//", "/*"].map(|opening| self.text[..end].find(opening));
            let end = comments.into_iter().flatten().fold(end, usize::min);
            let word = self.text[..end].to_owned();
            self.skip(end);
            Kind::Plain(word)
        };
        Ok(Some(Token { line, kind }))
    }

    /// The text up to the closing quotation mark; \" and \\ stand for " and \.
    fn quoted(&mut self) -> Result<String> {
        let mut name = String::new();
        let mut letters = self.text.char_indices().skip(1).peekable();
        while let Some((at, letter)) = letters.next() {
            match (letter, letters.peek()) {
                ('"', _) => {
                    let name = name.trim().to_owned();
                    if name.is_empty() {
                        return Err(self.fault("a name is empty".to_owned()));
                    }
                    self.skip(at + 1);
                    return Ok(name);
                }
                ('\\', Some(&(_, escaped @ ('"' | '\\')))) => {
                    letters.next();
                    name.push(escaped);
                }
                _ => name.push(letter),
            }
        }
        Err(self.fault("a quotation mark is never closed".to_owned()))
    }

    /// The next token, or the complaint that the file ends.
    fn need(&mut self, wanted: &str) -> Result<Token> {
        match self.next()? {
            Some(token) => Ok(token),
            None => Err(self.unexpected(self.line, wanted, None)),
        }
    }

    fn mark(&mut self, wanted: char) -> Result<()> {
        let shown = format!("'{wanted}'");
        match self.need(&shown)? {
            Token { kind: Kind::Mark(mark), .. } if mark == wanted => Ok(()),
            Token { line, kind } => Err(self.unexpected(line, &shown, Some(&kind))),
        }
    }

    fn name(&mut self, wanted: &str) -> Result<String> {
        match self.need(wanted)? {
            Token { kind: Kind::Plain(name) | Kind::Quoted(name), .. } => Ok(name),
            Token { line, kind } => Err(self.unexpected(line, wanted, Some(&kind))),
        }
    }

    /// Names up to a mark.
    fn names(&mut self, end: char) -> Result<Vec<String>> {
        let wanted = format!("a name or '{end}'");
        let mut names = Vec::new();
        loop {
            match self.need(&wanted)? {
                Token { kind: Kind::Plain(name) | Kind::Quoted(name), .. } => names.push(name),
                Token { kind: Kind::Mark(mark), .. } if mark == end => return Ok(names),
                Token { line, kind } => return Err(self.unexpected(line, &wanted, Some(&kind))),
            }
        }
    }

    fn numbers(&mut self) -> Result<Vec<f64>> {
        let wanted = "a number or ';'";
        let mut numbers = Vec::new();
        loop {
            let Token { line, kind } = self.need(wanted)?;
            let number = match &kind {
                Kind::Mark(';') => return Ok(numbers),
                Kind::Plain(word) => word.parse().ok().filter(|number: &f64| number.is_finite()),
                _ => None,
            };
            numbers.push(number.ok_or_else(|| self.unexpected(line, wanted, Some(&kind)))?);
        }
    }

    /// Skips the rest of a property, which may be anything.
    fn property(&mut self) -> Result<()> {
        let mut quoted = false;
        let end = self.text.find(|letter| {
            quoted ^= letter == '"';
            letter == ';' && !quoted
        });
        let end = end.ok_or_else(|| self.fault("a property never ends".to_owned()))?;
        self.skip(end + 1);
        Ok(())
    }

    fn network(&mut self) -> Result<()> {
        self.names('{')?;
        loop {
            let wanted = "\"property\" or '}'";
            match self.need(wanted)? {
                Token { kind: Kind::Mark('}'), .. } => return Ok(()),
                Token { kind: Kind::Plain(word), .. } if word == "property" => self.property()?,
                Token { line, kind } => return Err(self.unexpected(line, wanted, Some(&kind))),
            }
        }
    }

    fn variable(&mut self) -> Result<Variable> {
        let line = self.line;
        let name = self.name("the name of a variable")?;
        self.mark('{')?;
        let mut states = None;
        loop {
            let wanted = "\"type\", \"property\" or '}'";
            match self.need(wanted)? {
                Token { kind: Kind::Mark('}'), .. } => break,
                Token { kind: Kind::Plain(word), .. } if word == "property" => self.property()?,
                Token { kind: Kind::Plain(word), .. } if word == "type" && states.is_none() => {
                    states = Some(self.states(&name)?);
                }
                Token { line, kind } => return Err(self.unexpected(line, wanted, Some(&kind))),
            }
        }
        let states = states.ok_or_else(|| self.about(line, &name, "there is no type"))?;
        check_states(&states).map_err(|problem| self.about(line, &name, &problem))?;
        Ok(Variable { line, name, states })
    }

    fn states(&mut self, name: &str) -> Result<Vec<String>> {
        let line = self.line;
        let kind = self.name("\"discrete\"")?;
        if kind != "discrete" {
            return Err(self.about(line, name, &format!("the type is {kind}; only discrete ones are known")));
        }
        self.mark('[')?;
        let count = self.name("the number of states")?;
        self.mark(']')?;
        self.mark('{')?;
        let states = self.names('}')?;
        self.mark(';')?;
        if count.parse() != Ok(states.len()) {
            let problem = format!("{count} states are announced, {} are named", states.len());
            return Err(self.about(line, name, &problem));
        }
        Ok(states)
    }

    fn probability(&mut self) -> Result<Block> {
        let line = self.line;
        self.mark('(')?;
        let child = self.name("the name of a variable")?;
        let parents = self.names(')')?;
        self.mark('{')?;
        let mut entries = Vec::new();
        loop {
            let wanted = "\"table\", \"default\", \"property\", '(' or '}'";
            let Token { line: entry, kind } = self.need(wanted)?;
            let key = match &kind {
                Kind::Mark('}') => return Ok(Block { line, child, parents, entries }),
                Kind::Mark('(') => Key::Row(self.names(')')?),
                Kind::Plain(word) if word == "table" => Key::All,
                Kind::Plain(word) if word == "default" => Key::Others,
                Kind::Plain(word) if word == "property" => {
                    self.property()?;
                    continue;
                }
                found => return Err(self.unexpected(entry, wanted, Some(found))),
            };
            entries.push(Entry { line: entry, key, numbers: self.numbers()? });
        }
    }

    fn fault_at(&self, line: Option<u64>, message: String) -> Error {
        let place = Place { file: self.file.to_owned(), line, column: None };
        Error::Content { place, problem: Problem::Network { message } }
    }

    fn fault(&self, message: String) -> Error {
        self.fault_at(Some(self.line), message)
    }

    fn about(&self, line: u64, name: &str, problem: &str) -> Error {
        self.fault_at(Some(line), format!("\"{name}\": {problem}"))
    }

    fn unexpected(&self, line: u64, wanted: &str, found: Option<&Kind>) -> Error {
        let found = match found {
            Some(Kind::Plain(word) | Kind::Quoted(word)) => format!("but found \"{word}\""),
            Some(Kind::Mark(mark)) => format!("but found '{mark}'"),
            None => "but the file ends".to_owned(),
        };
        self.fault_at(Some(line), format!("expected {wanted}, {found}"))
    }
}

fn is_space(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, ',' | '|')
}

fn is_mark(letter: char) -> bool {
    matches!(letter, '{' | '}' | '(' | ')' | '[' | ']' | ';')
}

/// Puts the blocks together; the reader makes the errors.
fn assemble(reader: &Reader, variables: Vec<Variable>, blocks: &[Block]) -> Result<BayesNet> {
    let mut index = HashMap::new();
    for (node, variable) in variables.iter().enumerate() {
        if index.insert(variable.name.clone(), node).is_some() {
            return Err(reader.about(variable.line, &variable.name, "the variable is declared twice"));
        }
    }
    let lines: Vec<u64> = variables.iter().map(|variable| variable.line).collect();
    let (names, states): (Vec<String>, Vec<Vec<String>>) =
        variables.into_iter().map(|variable| (variable.name, variable.states)).unzip();
    let mut parents: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    let mut tables: Vec<Option<Vec<f64>>> = vec![None; names.len()];
    let mut block_lines = lines.clone();
    for block in blocks {
        let unknown = || reader.about(block.line, &block.child, "there is no variable of this name");
        let &child = index.get(&block.child).ok_or_else(unknown)?;
        let mut list = Vec::with_capacity(block.parents.len());
        for name in &block.parents {
            let problem = match index.get(name) {
                Some(parent) if list.contains(parent) => format!("the parent \"{name}\" is given twice"),
                Some(&parent) => {
                    list.push(parent);
                    continue;
                }
                None => format!("the parent \"{name}\" is not declared as a variable"),
            };
            return Err(reader.about(block.line, &block.child, &problem));
        }
        let table = block_table(reader, block, &list, child, &names, &states)?;
        if tables[child].replace(table).is_some() {
            return Err(reader.about(block.line, &block.child, "the probabilities are given twice"));
        }
        parents[child] = list;
        block_lines[child] = block.line;
    }
    if let Some(node) = tables.iter().position(Option::is_none) {
        return Err(reader.about(lines[node], &names[node], "there is no block with its probabilities"));
    }
    let tables = tables.into_iter().flatten().collect();
    BayesNet::from_listed(names, states, &parents, tables).map_err(|error| match &error {
        Error::Cycle { nodes } => {
            let line = nodes.first().and_then(|name| index.get(name)).map(|&node| block_lines[node]);
            reader.fault_at(line, error.to_string())
        }
        _ => error,
    })
}

/// The table of a block, one row per configuration of its parents as they are listed.
fn block_table(
    reader: &Reader,
    block: &Block,
    parents: &[usize],
    child: usize,
    names: &[String],
    states: &[Vec<String>],
) -> Result<Vec<f64>> {
    let refused = |line: u64, problem: String| reader.about(line, &block.child, &problem);
    let arity = states[child].len();
    let configurations =
        configuration_count(parents, arity, states).map_err(|problem| refused(block.line, problem))?;
    let mut rows: Vec<Option<(u64, Vec<f64>)>> = vec![None; configurations];
    let mut others = None;
    for Entry { line, key, numbers } in &block.entries {
        let needed = if matches!(key, Key::All) { configurations * arity } else { arity };
        if numbers.len() != needed {
            return Err(refused(*line, format!("{} probabilities where {needed} are needed", numbers.len())));
        }
        let mut put = |configuration: usize, row: Vec<f64>| {
            let given = || given(parents, configuration, names, states);
            let again = rows[configuration].replace((*line, row)).is_some();
            if again {
                Err(refused(*line, format!("a second row of probabilities{}", given())))
            } else {
                Ok(())
            }
        };
        match key {
            Key::All => {
                for configuration in 0..configurations {
                    let row =
                        (0..arity).map(|state| numbers[state * configurations + configuration]).collect();
                    put(configuration, row)?;
                }
            }
            Key::Others if others.is_some() => {
                return Err(refused(*line, "the default is given twice".to_owned()));
            }
            Key::Others => others = Some((*line, numbers.clone())),
            Key::Row(key) => {
                let place = configuration_of(key, parents, names, states)
                    .map_err(|problem| refused(*line, problem))?;
                put(place, numbers.clone())?;
            }
        }
    }
    let mut table = Vec::with_capacity(configurations * arity);
    for (configuration, row) in rows.into_iter().enumerate() {
        let with_given =
            |problem: String| format!("{problem}{}", given(parents, configuration, names, states));
        let Some((line, mut row)) = row.or_else(|| others.clone()) else {
            return Err(refused(block.line, with_given("there are no probabilities".to_owned())));
        };
        normalize(&mut row, FILE_SUM_TOLERANCE).map_err(|problem| refused(line, with_given(problem)))?;
        table.append(&mut row);
    }
    Ok(table)
}

/// The number of the configuration in which the parents have these states.
fn configuration_of(
    key: &[String],
    parents: &[usize],
    names: &[String],
    states: &[Vec<String>],
) -> std::result::Result<usize, String> {
    if key.len() != parents.len() {
        return Err(format!("{} states for {} parents", key.len(), parents.len()));
    }
    let mut configuration = 0;
    for (state, &parent) in key.iter().zip(parents) {
        let place = states[parent].iter().position(|other| other == state).ok_or_else(|| {
            format!("\"{state}\" is no state of \"{}\" ({})", names[parent], states[parent].join(", "))
        })?;
        configuration = configuration * states[parent].len() + place;
    }
    Ok(configuration)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::NamedDag;
    use crate::network::EMBEDDED;
    use crate::testing::random_dag;
    use proptest::prelude::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    const TWO: &str =
        "variable a { type discrete [ 2 ] { n, y }; }\nvariable b { type discrete [ 3 ] { 0, 1, 2 }; }\n";

    fn message(text: &str) -> String {
        BayesNet::from_bif(text, "n.bif").unwrap_err().to_string()
    }

    #[test]
    fn one_network_in_many_ways() {
        let plain = format!(
            "{TWO}probability ( a | b ) {{ (0) 0.1, 0.9; (1) 0.2, 0.8; (2) 0.2, 0.8; }}\nprobability ( b ) {{ table 0.5, 0.25, 0.25; }}\n"
        );
        let plain = BayesNet::from_bif(&plain, "n.bif").unwrap();
        assert_eq!(plain.table(0), [0.1, 0.9, 0.2, 0.8, 0.2, 0.8]);
        for (blocks, what) in [
            (
                "probability (a|b){(0).1,.9;(1)2e-1 8E-1;(2)0.20,0.80;}probability(b){table .5 25e-2 +0.25;}",
                "tight",
            ),
            (
                "probability ( a b ) { table 0.1 0.2 0.2 0.9 0.8 0.8 ; } probability ( b ) { default 5e-1 .25 .25; }",
                "as the format's authors write",
            ),
            (
                "probability(\"a\" | \"b\") { default 0.2, 0.8; // most\n ( \"0\" ) 0.1, 0.9; /* a\n comment */ property it's = \"; }\"; }\nprobability(b) { () 0.5, 0.25, 0.25; }",
                "default",
            ),
            (
                "probability ( a | b ) { (2) 0.2, 0.8; (1) 0.2, 0.8; (0) 0.1, 0.9; } probability ( b ) { table 0.5, 0.25, 0.25; } network \"n\" { property x y; }",
                "any order",
            ),
        ] {
            for text in [format!("{TWO}{blocks}"), format!("\u{feff}network n {{}}\r\n{blocks}\r\n{TWO}")] {
                assert_eq!(BayesNet::from_bif(&text, "n.bif").unwrap(), plain, "{what}");
            }
        }
    }

    #[test]
    fn tables_have_the_child_s_state_slowest() {
        let text = format!(
            "{TWO}variable c {{ type discrete [2] {{ n, y }}; }}
             probability (a) {{ table 0.5, 0.5; }} probability (b) {{ table 0.2, 0.3, 0.5; }}
             probability (c | b, a) {{ table 0.1, 0.2, 0.3, 0.4, 0.5, 0.6,  0.9, 0.8, 0.7, 0.6, 0.5, 0.4; }}"
        );
        let net = BayesNet::from_bif(&text, "n.bif").unwrap();
        // b's parents come after a's in the table, and 0.1 to 0.6 belong to (b, a) = (0, n), (0, y), (1, n), …
        assert_eq!(net.table(2), [0.1, 0.9, 0.3, 0.7, 0.5, 0.5, 0.2, 0.8, 0.4, 0.6, 0.6, 0.4]);
    }

    #[test]
    fn rounded_rows_are_made_to_sum_to_one() {
        let text =
            "variable a { type discrete [3] { x, y, z }; } probability (a) { table 0.333, 0.333, 0.3335; }";
        let net = BayesNet::from_bif(text, "n.bif").unwrap();
        assert!((net.table(0).iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((net.table(0)[2] - 0.3335 / 0.9995).abs() < 1e-15);
    }

    #[test]
    fn faults_are_named_by_line() {
        let b = "probability (b) { table 0.5, 0.25, 0.25; }\n";
        for (blocks, wanted) in [
            ("probability (a) { table 0.5, 0.4; }", "line 4: \"a\": the probabilities sum to 0.9, not 1"),
            ("probability (a) { table 0.5; }", "line 4: \"a\": 1 probabilities where 2 are needed"),
            ("probability (a) { table -0.5, 1.5; }", "line 4: \"a\": -0.5 is no probability"),
            ("probability (a) { table nan, 1; }", "line 4: expected a number or ';', but found \"nan\""),
            ("probability (a) { table 0.5, 0.5 }", "line 4: expected a number or ';', but found '}'"),
            ("probability (a | c) {\n}", "line 4: \"a\": the parent \"c\" is not declared as a variable"),
            ("probability (a | b, b) {\n}", "line 4: \"a\": the parent \"b\" is given twice"),
            ("probability (c) { table 1; }", "line 4: \"c\": there is no variable of this name"),
            ("", "line 1: \"a\": there is no block with its probabilities"),
            (
                "probability (a | b) { (0) 0.5, 0.5;\n (1) 0.5, 0.5; }",
                "line 4: \"a\": there are no probabilities, given b = 2",
            ),
            (
                "probability (a | b) {\n (0) 0.5, 0.5;\n (0) 0.5, 0.5; }",
                "line 6: \"a\": a second row of probabilities, given b = 0",
            ),
            (
                "probability (a | b) { default 0.5, 0.5;\n(3) 1, 0; }",
                "line 5: \"a\": \"3\" is no state of \"b\" (0, 1, 2)",
            ),
            ("probability (a | b) { (0, 1) 0.5, 0.5; }", "line 4: \"a\": 2 states for 1 parents"),
            (
                "probability (a | b) { default 1, 0;\ndefault 1, 0; }",
                "line 5: \"a\": the default is given twice",
            ),
            (
                "probability (a | b) { (0) 1, 0;\n(1) 1, 0;\n(2) 0.6, 0.6; }",
                "line 6: \"a\": the probabilities sum to 1.2, not 1, given b = 2",
            ),
            (
                "probability (a) { table 1, 0; }\nprobability (a) { table 1, 0; }",
                "line 5: \"a\": the probabilities are given twice",
            ),
            ("variable a { type discrete [1] { x }; }", "line 4: \"a\": the variable is declared twice"),
            ("variable c { }", "line 4: \"c\": there is no type"),
            (
                "variable c { type continuous; }",
                "line 4: \"c\": the type is continuous; only discrete ones are known",
            ),
            (
                "variable c { type discrete [3] { x, y }; }",
                "line 4: \"c\": 3 states are announced, 2 are named",
            ),
            ("variable c { type discrete [2] { x, x }; }", "line 4: \"c\": two states are named \"x\""),
            ("variable c { type discrete [0] { }; }", "line 4: \"c\": there are no states"),
            ("variable c { type discrete [1] { \" \" }; }", "line 4: a name is empty"),
            ("variable c\n\n{ \"never\n closed", "line 6: a quotation mark is never closed"),
            ("/* never\n closed", "line 4: a comment never ends"),
            ("network { property never closed", "line 4: a property never ends"),
            ("table", "line 4: expected \"network\", \"variable\" or \"probability\", but found \"table\""),
            ("variable", "line 4: expected the name of a variable, but the file ends"),
        ] {
            assert_eq!(message(&format!("{TWO}{b}{blocks}")), format!("n.bif, {wanted}"), "{blocks}");
        }
        assert_eq!(message(" // nothing\n"), "n.bif: the file declares no variable");
        let cycle = "probability (a | b) { default 1, 0; }\n\nprobability (b | a) { default 1, 0, 0; }";
        assert_eq!(message(&format!("{TWO}{cycle}")), "n.bif, line 3: the graph has a cycle: a -> b -> a");
        assert_eq!(
            message(&format!(
                "{TWO}probability (a) {{ default 1, 0; }}\nprobability (b | b) {{ default 1, 0, 0; }}"
            )),
            "n.bif, line 4: the graph has a cycle: b -> b"
        );
    }

    #[test]
    fn a_table_that_would_fill_the_memory_is_refused() {
        let names: Vec<String> = (0..40).map(|node| format!("x{node}")).collect();
        let variable = |name| format!("variable {name} {{ type discrete [2] {{ n, y }}; }}");
        let mut text = names.iter().map(variable).collect::<Vec<_>>().join("\n");
        text.push_str(&format!("\nprobability ({}) {{ default 0.5, 0.5; }}", names.join(", ")));
        let wanted =
            "n.bif, line 41: \"x0\": with 39 parents the table would have more than 16777216 probabilities";
        assert_eq!(message(&text), wanted);
    }

    #[test]
    fn files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("net.bif");
        let net = BayesNet::embedded("survey").unwrap();
        std::fs::write(&path, net.to_bif()).unwrap();
        assert_eq!(BayesNet::read_bif(&path).unwrap(), net);
        std::fs::write(&path, b"network n {}\n\nvariable \xff { }").unwrap();
        let error = BayesNet::read_bif(&path).unwrap_err().to_string();
        assert!(error.ends_with("net.bif, line 3: the text is not encoded as UTF-8"), "{error}");
        assert!(matches!(BayesNet::read_bif(folder.path()), Err(Error::Io { .. })));
    }

    #[test]
    fn embedded_networks_survive_writing_and_reading() {
        for network in EMBEDDED {
            let net = BayesNet::embedded(network.name).unwrap();
            assert_eq!(BayesNet::from_bif(&net.to_bif(), "n.bif").unwrap(), net, "{}", network.name);
        }
    }

    proptest! {
        #[test]
        fn networks_survive_writing_and_reading(
            names in proptest::collection::hash_set("[ -~é]{0,4}[!-~]", 1..6),
            states in proptest::collection::hash_set("[ -~\n]{0,3}[!-~]", 4),
            seed: u64,
        ) {
            let trimmed = |names: std::collections::HashSet<String>| {
                names.iter().map(|name| name.trim().to_owned()).collect::<std::collections::BTreeSet<_>>()
            };
            let (names, states) = (trimmed(names), Vec::from_iter(trimmed(states)));
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let graph = random_dag(names.len(), 0.5, &mut rng);
            let edges: Vec<_> = graph.edges().map(|(from, to, _)| (from, to, 1.0)).collect();
            let graph = NamedDag::from_edges(names.into_iter().collect(), edges).unwrap();
            let arity: Vec<usize> = graph.names().iter().map(|_| rng.random_range(1..=states.len())).collect();
            let tables = (0..arity.len()).map(|node| {
                let rows: usize = graph.dag().parents(node).iter().map(|&parent| arity[parent]).product();
                (0..rows).flat_map(|_| {
                    let row: Vec<f64> = (0..arity[node]).map(|_| rng.random::<f64>() + 1e-9).collect();
                    let sum: f64 = row.iter().sum();
                    row.into_iter().map(move |value| value / sum)
                }).collect()
            }).collect();
            let states = arity.iter().map(|&arity| states[..arity].to_vec()).collect();
            let net = BayesNet::new(graph, states, tables).unwrap();
            prop_assert_eq!(BayesNet::from_bif(&net.to_bif(), "n.bif").unwrap(), net);
        }

        #[test]
        fn no_text_makes_the_reader_panic(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "variable", "probability", "network", "a", "b", "type discrete", "[2]", "{", "}", "(", ")", ";",
                    "{x, y}", "0.5", "1", "table", "default", "property", "\"", "/*", "*/", "//", "\n", "\\", "é", "|",
                ]),
                0..40,
            ),
        ) {
            let _ = BayesNet::from_bif(&parts.join(" "), "n.bif");
            let _ = BayesNet::from_bif(&parts.concat(), "n.bif");
        }
    }
}
