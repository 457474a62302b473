//! How to learn a graph again: the settings that differ from the defaults, as a command and as a call of Python.

use plackett_dag::{
    Knowledge, Learning, ScoreChoice,
    dataset::{Cuts, Delimiter, Discretize, Kind, Missing, Reading, Targets},
    gram::Centering,
    learning::{LEARN_METHODS, SearchSettings},
};

/// What the knowledge of a report is saved as, and the command then reads.
pub(crate) const KNOWLEDGE_FILE: &str = "knowledge.json";
/// What the rows of interventions are saved as.
const ROWS_FILE: &str = "interventions.csv";

/// Where data came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<'a> {
    /// A file, or standard input.
    File(&'a str),
    /// An example of the program, perhaps with another number of rows than usual.
    Example(&'a str, Option<usize>),
    /// The memory of a program, which no command can name.
    Memory,
}

/// Rows that were drawn anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// How many times.
    pub wanted: u64,
    /// Whether searches began with the order of the graph of all rows.
    pub is_warm: bool,
}

/// All that a graph was learned by.
///
/// ```
/// use plackett_dag::{Learning, dataset::Reading, gram::Centering};
/// use plackett_report::{Recipe, Source};
/// let recipe = Recipe {
///     source: Source::File("my data.csv"),
///     reading: &Reading { drop: vec!["id".into()], ..Reading::default() },
///     centering: Centering::Standardize,
///     learning: &Learning { score: "bic".into(), seed: 7, ..Learning::default() },
///     knowledge: None,
///     resampling: None,
///     has_path: false,
///     time: None,
/// };
/// assert_eq!(recipe.command(), "plackett learn 'my data.csv' --drop id --standardize --score bic --seed 7");
/// assert_eq!(recipe.python().unwrap(), "plackett.learn_dag(\"my data.csv\", drop=[\"id\"], standardize=True, score=\"bic\", seed=7)");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Recipe<'a> {
    /// Where the data came from.
    pub source: Source<'a>,
    /// How they were read.
    pub reading: &'a Reading,
    /// What was done to columns of numbers first.
    pub centering: Centering,
    /// How it was learned.
    pub learning: &'a Learning,
    /// What was known.
    pub knowledge: Option<&'a Knowledge>,
    /// The rows that were drawn anew.
    pub resampling: Option<Resampling>,
    /// Whether other prices were tried.
    pub has_path: bool,
    /// The seconds that it was allowed.
    pub time: Option<f64>,
}

/// A setting in both languages.
struct Setting {
    flag: &'static str,
    value: Value,
    keyword: &'static str,
}

enum Value {
    /// A flag without a value, and what Python gives the keyword.
    Flag(&'static str),
    Number(String),
    Text(String),
    List(Vec<String>),
    /// What either language has a form of its own for.
    Both(String, String),
}

impl Recipe<'_> {
    /// The command.
    pub fn command(&self) -> String {
        let mut words = vec!["plackett".to_owned(), "learn".to_owned()];
        match self.source {
            Source::File(path) => words.push(path.to_owned()),
            Source::Example(name, rows) => {
                words.extend(["--example".to_owned(), name.to_owned()]);
                words.extend(rows.into_iter().flat_map(|rows| ["--samples".to_owned(), rows.to_string()]));
            }
            Source::Memory => words.push("DATA.csv".to_owned()),
        }
        for Setting { flag, value, .. } in self.settings() {
            words.push(format!("--{flag}"));
            match value {
                Value::Flag(_) => {}
                Value::Number(text) | Value::Text(text) | Value::Both(text, _) => words.push(text),
                Value::List(names) => words.push(fields(&names)),
            }
        }
        shell_command(words.iter().map(String::as_str))
    }

    /// The call in Python, unless the data are an example of the program.
    pub fn python(&self) -> Option<String> {
        let data = match self.source {
            Source::File(path) => quoted(path),
            Source::Example(..) => return None,
            Source::Memory => "data".to_owned(),
        };
        let keyword = |Setting { keyword, value, .. }: Setting| {
            let value = match value {
                Value::Flag(value) => value.to_owned(),
                Value::Number(text) | Value::Both(_, text) => text,
                Value::Text(text) => quoted(&text),
                Value::List(names) => listed(&names),
            };
            format!("{keyword}={value}")
        };
        let arguments = std::iter::once(data)
            .chain(self.kinds_in_python())
            .chain(self.settings().into_iter().filter(|setting| !setting.keyword.is_empty()).map(keyword));
        Some(format!("plackett.learn_dag({})", arguments.collect::<Vec<_>>().join(", ")))
    }

    /// The settings that are not the default, in the order of the manual.
    fn settings(&self) -> Vec<Setting> {
        let mut all = Vec::new();
        self.of_reading(&mut all);
        let mut add = |flag, keyword, value: Option<Value>| {
            all.extend(value.map(|value| Setting { flag, value, keyword }));
        };
        let number = |value: Option<f64>| value.map(|value| Value::Number(value.to_string()));
        let count = |value: Option<usize>| value.map(|value| Value::Number(value.to_string()));
        add("knowledge", "knowledge", self.knowledge.map(|_| Value::Text(KNOWLEDGE_FILE.to_owned())));
        match self.centering {
            Centering::Center => {}
            Centering::Standardize => add("standardize", "standardize", Some(Value::Flag("True"))),
            Centering::None => add("no-center", "center", Some(Value::Flag("False"))),
        }
        let Learning { method, score, numbers, categories, tests, search, seed, .. } = self.learning;
        let is_usual = method.name == LEARN_METHODS[0].name;
        add("method", "method", (!is_usual).then(|| Value::Text(method.name.to_owned())));
        let is_auto = matches!(score, ScoreChoice::Auto);
        add("score", "score", (!is_auto).then(|| Value::Text(score.to_string())));
        add("lambda", "lambda_", number(numbers.lambda));
        add("sigma2", "sigma2", number(numbers.noise_variance));
        add("penalty", "penalty", number(numbers.penalty));
        add("threshold", "threshold", number(numbers.threshold));
        add("ess", "ess", number(categories.equivalent_sample_size));
        add("candidates", "candidates", categories.space.map(|space| Value::Text(space.to_string())));
        add("max-parents", "max_parents", count(categories.max_parents));
        add("orient", "orient", categories.orient.map(|orient| Value::Text(orient.to_string())));
        add("alpha", "alpha", number(tests.alpha));
        add("max-conditioning", "max_conditioning", count(tests.max_conditioning));
        add("posterior", "posterior", search.posterior.then_some(Value::Flag("True")));
        add("path", "path", self.has_path.then_some(Value::Flag("True")));
        add("bootstrap", "bootstrap", self.resampling.map(|drawn| Value::Number(drawn.wanted.to_string())));
        let is_cold = self.resampling.is_some_and(|drawn| !drawn.is_warm);
        add("cold", "warm", is_cold.then_some(Value::Flag("False")));
        add("restarts", "restarts", count(search.restarts));
        add("steps", "steps", search.steps.map(|steps| Value::Number(steps.to_string())));
        let usual = SearchSettings::default().memory_bytes;
        let memory = (search.memory_bytes != usual).then(|| (search.memory_bytes >> 20).to_string());
        add("memory", "memory", memory.map(Value::Number));
        add("time", "time_limit", number(self.time));
        add("seed", "seed", (*seed != 0).then(|| Value::Number(seed.to_string())));
        all
    }

    fn of_reading(&self, all: &mut Vec<Setting>) {
        let reading = self.reading;
        let mut add = |flag, keyword, value: Option<Value>| {
            all.extend(value.map(|value| Setting { flag, value, keyword }));
        };
        let list = |names: &[String]| (!names.is_empty()).then(|| Value::List(names.to_vec()));
        add(
            "delimiter",
            "delimiter",
            reading.delimiter.map(|delimiter| Value::Text(delimiter_text(delimiter))),
        );
        add(
            "decimal-comma",
            "decimal_comma",
            (reading.decimal_comma == Some(true)).then_some(Value::Flag("True")),
        );
        add("no-header", "header", (reading.header == Some(false)).then_some(Value::Flag("False")));
        add("columns", "columns", reading.columns.clone().map(Value::List));
        add("drop", "drop", list(&reading.drop));
        // Python has one keyword for both.
        add("categorical", "", list(&reading.categorical));
        add("numeric", "", list(&reading.numeric));
        match reading.kind {
            Some(Kind::Categories) => add("discrete", "kind", Some(Value::Flag("\"discrete\""))),
            Some(Kind::Numbers) => add("continuous", "kind", Some(Value::Flag("\"continuous\""))),
            _ => {}
        }
        add("na", "na", reading.missing_marks.clone().map(Value::List));
        let missing = (reading.missing != Missing::Error).then(|| reading.missing.name().to_owned());
        add("missing", "missing", missing.map(Value::Text));
        if let Some(Discretize { method, bins }) = reading.discretize {
            let method = Discretize::NAMES[usize::from(method == Cuts::EqualWidth)];
            add("discretize", "discretize", Some(Value::Text(method.to_owned())));
            let is_usual = bins == Discretize::DEFAULT_BINS;
            add("bins", "bins", (!is_usual).then(|| Value::Number(bins.to_string())));
        }
        add("weights", "weights", reading.weights.clone().map(Value::Text));
        add("interventions", "interventions", reading.interventions.as_ref().map(targets));
        if reading.covariance {
            let rows = reading.covariance_rows;
            let value = match rows {
                Some(rows) => Value::Number(rows.to_string()),
                None => Value::Flag("True"),
            };
            add("covariance", "covariance", Some(value));
        }
    }

    /// What single columns are.
    fn kinds_in_python(&self) -> Option<String> {
        let kind = |word: &'static str| move |name: &String| format!("{}: \"{word}\"", quoted(name));
        let (categorical, numeric) = (&self.reading.categorical, &self.reading.numeric);
        let kinds: Vec<String> =
            categorical.iter().map(kind("categories")).chain(numeric.iter().map(kind("numbers"))).collect();
        (!kinds.is_empty()).then(|| format!("kinds={{{}}}", kinds.join(", ")))
    }
}

fn delimiter_text(delimiter: Delimiter) -> String {
    match delimiter {
        Delimiter::Blanks => "blanks".to_owned(),
        Delimiter::Byte(b'\t') => "tab".to_owned(),
        Delimiter::Byte(byte) => char::from(byte).to_string(),
    }
}

fn targets(targets: &Targets) -> Value {
    match targets {
        Targets::Named(column) => Value::Text(column.clone()),
        Targets::Indicators(indicators) => {
            let flags: Vec<String> =
                indicators.iter().map(|each| format!("{}={}", each.target, each.column)).collect();
            let pairs: Vec<String> = indicators
                .iter()
                .map(|each| format!("{}: {}", quoted(&each.target), quoted(&each.column)))
                .collect();
            Value::Both(fields(&flags), format!("{{{}}}", pairs.join(", ")))
        }
        Targets::Rows(_) => Value::Both(ROWS_FILE.to_owned(), "targets".to_owned()),
    }
}

/// Words as a shell takes them apart again.
///
/// ```
/// assert_eq!(plackett_report::shell_command(["plackett", "it's.csv"]), r"plackett 'it'\''s.csv'");
/// ```
pub fn shell_command<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./,=:@%+".contains(c));
    let word = |word: &str| {
        if is_plain(word) && !word.is_empty() {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Names with commas between them, as the options have lists.
fn fields(names: &[String]) -> String {
    let field = |name: &String| {
        if name.contains([',', '"']) || name.trim() != name {
            format!("\"{}\"", name.replace('"', "\"\""))
        } else {
            name.clone()
        }
    };
    names.iter().map(field).collect::<Vec<_>>().join(",")
}

/// A text as Python has it.
fn quoted(text: &str) -> String {
    let mut literal = "\"".to_owned();
    for character in text.chars() {
        match character {
            '"' | '\\' => literal.extend(['\\', character]),
            '\n' => literal.push_str("\\n"),
            '\t' => literal.push_str("\\t"),
            character if character.is_control() => literal += &format!("\\x{:02x}", character as u32),
            character => literal.push(character),
        }
    }
    literal.push('"');
    literal
}

fn listed(names: &[String]) -> String {
    format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use plackett_dag::dataset::Indicator;

    use super::*;

    fn recipe<'a>(reading: &'a Reading, learning: &'a Learning) -> Recipe<'a> {
        Recipe {
            source: Source::Memory,
            reading,
            centering: Centering::Center,
            learning,
            knowledge: None,
            resampling: None,
            has_path: false,
            time: None,
        }
    }

    #[test]
    fn defaults_are_not_spelled_out() {
        let (reading, learning) = (Reading::default(), Learning::default());
        let recipe = recipe(&reading, &learning);
        assert_eq!(recipe.command(), "plackett learn DATA.csv");
        assert_eq!(recipe.python().unwrap(), "plackett.learn_dag(data)");
    }

    #[test]
    fn names_survive_the_shell_the_option_and_python() {
        let reading = Reading {
            drop: vec!["a b".into(), "c,\"d".into(), "it's".into()],
            categorical: vec!["x\\y".into()],
            kind: Some(Kind::Numbers),
            interventions: Some(Targets::Indicators(vec![Indicator {
                column: "do a".into(),
                target: "a".into(),
            }])),
            ..Reading::default()
        };
        let learning = Learning::default();
        let recipe = recipe(&reading, &learning);
        assert_eq!(
            recipe.command(),
            "plackett learn DATA.csv --drop 'a b,\"c,\"\"d\",it'\\''s' --categorical 'x\\y' --continuous --interventions 'a=do a'"
        );
        assert_eq!(
            recipe.python().unwrap(),
            "plackett.learn_dag(data, kinds={\"x\\\\y\": \"categories\"}, drop=[\"a b\", \"c,\\\"d\", \"it's\"], kind=\"continuous\", \
             interventions={\"a\": \"do a\"})"
        );
    }
}
