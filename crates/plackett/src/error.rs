//! What can be wrong with an input, said so that the caller can find the place.

/// The error that an objective may return: anything that explains itself.
pub type ObjectiveError = Box<dyn std::error::Error + Send + Sync>;

/// Everything that this library refuses, with the place that is wrong.
///
/// ```
/// use plackett::{Error, Order};
/// let error = Order::new(vec![0, 2, 2]).unwrap_err();
/// assert!(matches!(error, Error::RepeatedItem { item: 2, first: 1, second: 2 }));
/// assert_eq!(error.to_string(), "item 2 stands at ranks 1 and 2: an order lists every item once");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to order or to choose from.
    #[error("{what} is empty: at least one entry is needed")]
    Empty {
        /// Which argument.
        what: &'static str,
    },
    /// More memory is needed than there is.
    #[error("{what} needs {} of memory, and the machine has {} to give", mebibytes(*needed), mebibytes(u128::from(*available)))]
    Memory {
        /// What it is for.
        what: &'static str,
        /// The bytes that it takes.
        needed: u128,
        /// The bytes that there are.
        available: u64,
    },
    /// A slice does not fit the others.
    #[error("{what} has {got} entries where {expected} are needed")]
    Length {
        /// Which argument.
        what: &'static str,
        /// How long it must be.
        expected: usize,
        /// How long it is.
        got: usize,
    },
    /// A NaN or an infinity where a number is needed.
    #[error("{what}[{index}] is {value}: only finite numbers are allowed")]
    NotFinite {
        /// Which argument.
        what: &'static str,
        /// Where in it.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// Uniform noise outside the closed unit interval.
    #[error("{what}[{index}] is {}: uniform noise lies between 0 and 1", short(*value))]
    Noise {
        /// Which argument.
        what: &'static str,
        /// Where in it.
        index: usize,
        /// What stands there.
        value: f64,
    },
    /// The same item at two ranks.
    #[error("item {item} stands at ranks {first} and {second}: an order lists every item once")]
    RepeatedItem {
        /// The item.
        item: usize,
        /// The first rank that has it.
        first: usize,
        /// The second rank that has it.
        second: usize,
    },
    /// An item that does not exist.
    #[error("item {item} at rank {rank} does not exist: the items are 0 to {last}", last = items.saturating_sub(1))]
    UnknownItem {
        /// The item.
        item: usize,
        /// Its rank.
        rank: usize,
        /// How many items there are.
        items: usize,
    },
    /// An item that a distribution leaves out, before one that it has.
    #[error("item {item} at rank {rank} is absent: its score is −∞, or it is masked")]
    AbsentItem {
        /// The item.
        item: usize,
        /// Its rank.
        rank: usize,
    },
    /// A log-probability that no number can hold.
    #[error(
        "the log-probability is below −1.8e308, which is as far as numbers go: the scores are too far apart"
    )]
    TooImprobable,
    /// An item behind the end of a ranking.
    #[error("an item stands at rank {rank}, behind a negative one at rank {end}, which ends the ranking")]
    RankedAfterEnd {
        /// Where the item stands.
        rank: usize,
        /// Where the ranking ends.
        end: usize,
    },
    /// A row of scores without a finite one.
    #[error("row {row} has no items: all scores are −∞ or masked")]
    EmptyRow {
        /// The row.
        row: usize,
    },
    /// A score that is NaN or +∞.
    #[error(
        "the score of item {item} in row {row} is {value}: only finite numbers are allowed, and −∞ for what is absent"
    )]
    RowScore {
        /// The row.
        row: usize,
        /// The item.
        item: usize,
        /// What stands there.
        value: f64,
    },
    /// Something wrong with one ranking of many.
    #[error("ranking {index}: {source}")]
    Ranking {
        /// Which, counted from 0.
        index: usize,
        /// What is wrong.
        source: Box<Error>,
    },
    /// Rankings that do not bound the scores of some items.
    #[error(
        "the likelihood has no maximum: items {} are never ranked {never} any of the others (leave them out, or give a ridge)",
        shown(items)
    )]
    NoMaximum {
        /// The items.
        items: Vec<usize>,
        /// On which side of the others they never are: `before` or `behind`.
        never: &'static str,
    },
    /// Newton's method did not come to rest.
    #[error("the scores have not settled after {steps} steps: a ridge will help")]
    NotSettled {
        /// How many were made.
        steps: usize,
    },
    /// A temperature at which a relaxation is not defined.
    #[error("the temperature is {}: it must be positive and finite", short(*.0))]
    Temperature(f64),
    /// A setting that makes no sense.
    #[error("{name} is {}: {reason}", short(*value))]
    Setting {
        /// The setting's name.
        name: &'static str,
        /// What it was set to.
        value: f64,
        /// What it must be.
        reason: &'static str,
    },
    /// Enumeration would never end.
    #[error("{items} items are too many for {what}: at most {limit}")]
    TooManyItems {
        /// What was asked for.
        what: &'static str,
        /// How many items there are.
        items: usize,
        /// How many there may be.
        limit: usize,
    },
    /// The objective returned an error of its own.
    #[error("the objective failed on {}", shown(outcome))]
    ObjectiveFailed {
        /// The outcome that it was asked about.
        outcome: Vec<usize>,
        /// What it said.
        source: ObjectiveError,
    },
    /// The objective returned a NaN or an infinity.
    #[error("the objective is {value} on {}: only finite values can be optimized", shown(outcome))]
    ObjectiveNotFinite {
        /// The outcome that it was asked about.
        outcome: Vec<usize>,
        /// What it returned.
        value: f64,
    },
    /// The critic, or the objective on a relaxed matrix, left the finite numbers.
    #[error("the critic's {what} is not finite: check the objective on relaxed matrices")]
    CriticNotFinite {
        /// Its value, its gradient or its parameters' gradient.
        what: &'static str,
    },
    /// A file that cannot be read or written.
    #[error("cannot {verb} {}", path.display())]
    File {
        /// What was tried: to read or to write.
        verb: &'static str,
        /// The file.
        path: std::path::PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// A name that is not on the list.
    #[error("{name} is no {what}: they are {known}")]
    Unknown {
        /// What it should name.
        what: &'static str,
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Precedences that go round in a circle.
    #[error("items must come before themselves: {}", circle(items))]
    Cycle {
        /// The items of the circle, each before the next and the last before the first.
        items: Vec<usize>,
    },
    /// An item pinned to a rank that does not exist.
    #[error("the pins cannot be kept: item {item} at rank {rank}, but the ranks are 0 to {last}", last = items.saturating_sub(1))]
    PinOutside {
        /// The item.
        item: usize,
        /// The rank.
        rank: usize,
        /// How many items there are.
        items: usize,
    },
    /// An item pinned to two ranks.
    #[error("the pins cannot be kept: item {item} at rank {first} and at rank {second}")]
    PinnedTwice {
        /// The item.
        item: usize,
        /// One rank.
        first: usize,
        /// The other.
        second: usize,
    },
    /// Two items pinned to one rank.
    #[error("the pins cannot be kept: items {first} and {second} both at rank {rank}")]
    PinsShareRank {
        /// The rank.
        rank: usize,
        /// One item.
        first: usize,
        /// The other.
        second: usize,
    },
    /// An item pinned to a rank that leaves too little room for what must come before it.
    #[error(
        "the pins cannot be kept: item {item} at rank {rank}, but what must come before it leaves no rank before {earliest}"
    )]
    PinTooEarly {
        /// The item.
        item: usize,
        /// Its pin.
        rank: usize,
        /// The first rank that it could have.
        earliest: usize,
    },
    /// An item pinned to a rank that leaves too little room for what must come after it.
    #[error(
        "the pins cannot be kept: item {item} at rank {rank}, but an item after it is pinned too early for that"
    )]
    PinTooLate {
        /// The item.
        item: usize,
        /// Its pin.
        rank: usize,
    },
    /// An item that pins, windows and precedences leave no rank for.
    #[error(
        "the constraints cannot be kept: item {item} has no rank left between what is before it and what is after it"
    )]
    NoRankLeft {
        /// The item.
        item: usize,
    },
    /// More items than ranks in some stretch.
    #[error(
        "the constraints cannot be kept: items {} must all stand in ranks {first} to {last}",
        list(items)
    )]
    TooFewRanks {
        /// The items.
        items: Vec<usize>,
        /// The first of the ranks that they could have.
        first: usize,
        /// The last of them.
        last: usize,
    },
    /// A window without ranks, or with ranks that do not exist.
    #[error(
        "the windows cannot be kept: item {item} at ranks {first} to {last}, but windows begin before they end and the ranks are 0 to {}",
        items.saturating_sub(1)
    )]
    WindowOutside {
        /// The item.
        item: usize,
        /// The first rank of the window.
        first: usize,
        /// The last.
        last: usize,
        /// How many items there are.
        items: usize,
    },
    /// An item with windows, or a pin and a window, that have no rank in common.
    #[error("the windows cannot be kept: no rank lies in all windows of item {item}, its pin among them")]
    WindowsApart {
        /// The item.
        item: usize,
    },
    /// An order with an item outside of its window.
    #[error(
        "the order breaks a constraint: item {item} stands at rank {rank}, not at ranks {first} to {last}"
    )]
    BrokenWindow {
        /// The item.
        item: usize,
        /// Where it stands.
        rank: usize,
        /// The first rank that it may have.
        first: usize,
        /// The last.
        last: usize,
    },
    /// An order with two items the wrong way round.
    #[error("the order breaks a constraint: item {first} does not come before item {second}")]
    BrokenPrecedence {
        /// The item that should come first.
        first: usize,
        /// The item that should come after it.
        second: usize,
    },
    /// An order with an item elsewhere than where it is pinned.
    #[error("the order breaks a constraint: item {item} stands at rank {rank}, not at rank {pinned}")]
    BrokenPin {
        /// The item.
        item: usize,
        /// Where it stands.
        rank: usize,
        /// Where it should stand.
        pinned: usize,
    },
    /// Two things that do not go together.
    #[error("{what} cannot be had: use {instead}")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
        /// What can be had instead.
        instead: &'static str,
    },
    /// An answer to something that was not asked, or was answered already.
    #[error("no proposal {id} waits for an answer")]
    NotAsked {
        /// The proposal's number.
        id: u64,
    },
    /// A text that is no saved state.
    #[error("the saved state cannot be used: {why}")]
    StateText {
        /// Why not.
        why: String,
    },
    /// A saved state of something else.
    #[error("the saved state cannot be used: it is of a run of another sort ({found}, not {wanted})")]
    StateSort {
        /// What it is the state of.
        found: String,
        /// What is needed.
        wanted: &'static str,
    },
    /// A saved state of another version of this library.
    #[error("the saved state cannot be used: its version is {found}, this program's is {known}")]
    StateVersion {
        /// Its version.
        found: u32,
        /// The only one that can be read.
        known: u32,
    },
    /// A saved state that could be read but cannot be true.
    #[error("the saved state cannot be used: its parts contradict each other")]
    StateContradiction,
    /// A file that is no journal of this run.
    #[error("{} cannot be shared: {why}", path.display())]
    Journal {
        /// The file.
        path: std::path::PathBuf,
        /// Why not.
        why: String,
    },
    /// Not one evaluation succeeded.
    #[error("all of the first {failures} evaluations failed, the last one: {last}")]
    NothingEvaluated {
        /// How many were tried.
        failures: u64,
        /// What the last of them said.
        last: String,
    },
}

impl Error {
    /// The same of one ranking of many.
    pub(crate) fn of(self, index: usize) -> Self {
        Self::Ranking { index, source: Box::new(self) }
    }
}

fn list(items: &[usize]) -> String {
    items.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// A circle of precedences, closed.
fn circle(items: &[usize]) -> String {
    items.iter().chain(items.first()).map(usize::to_string).collect::<Vec<_>>().join(" before ")
}

/// The beginning of an outcome, which may have a million items.
fn shown(outcome: &[usize]) -> String {
    const MOST_SHOWN: usize = 20;
    if outcome.len() <= MOST_SHOWN {
        return format!("{outcome:?}");
    }
    let first: Vec<String> = outcome[..MOST_SHOWN].iter().map(usize::to_string).collect();
    format!("[{}, … {} items]", first.join(", "), outcome.len())
}

/// Bytes in mebibytes, three digits at a time.
fn mebibytes(bytes: u128) -> String {
    let digits = bytes.div_ceil(1 << 20).to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    format!("{} MiB", groups.join(","))
}

/// A number as it is read best: counts without a point, and 1e300 not as three hundred digits.
fn short(value: f64) -> String {
    const MOST_PLAIN: f64 = 1e15;
    let is_plain = value.fract() == 0.0 && value.abs() < MOST_PLAIN;
    if is_plain { value.to_string() } else { format!("{value:?}") }
}

/// Refuses a slice of the wrong length.
pub(crate) fn check_length(what: &'static str, got: usize, expected: usize) -> Result<(), Error> {
    if got == expected { Ok(()) } else { Err(Error::Length { what, expected, got }) }
}

/// Refuses NaN and infinities, naming the first.
pub(crate) fn check_finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFinite { what, index, value: values[index] }),
    }
}

/// Refuses uniform noise outside [0, 1], NaN included; the ends themselves are allowed.
pub(crate) fn check_noise(what: &'static str, noise: &[f64]) -> Result<(), Error> {
    match noise.iter().position(|u| !(0.0..=1.0).contains(u)) {
        None => Ok(()),
        Some(index) => Err(Error::Noise { what, index, value: noise[index] }),
    }
}

/// Refuses temperatures that are not positive and finite.
pub(crate) fn check_temperature(tau: f64) -> Result<(), Error> {
    if tau > 0.0 && tau.is_finite() { Ok(()) } else { Err(Error::Temperature(tau)) }
}

/// Refuses settings outside their range.
pub(crate) fn check_setting(
    name: &'static str,
    value: f64,
    is_valid: bool,
    reason: &'static str,
) -> Result<(), Error> {
    if is_valid { Ok(()) } else { Err(Error::Setting { name, value, reason }) }
}
