//! New cases from old ones: bytes flipped, cut out, repeated, put in; numbers and words exchanged; two cases joined.

use rand::{Rng as _, RngExt as _, SeedableRng as _, rngs::ChaCha8Rng, seq::IndexedRandom as _};

/// Numbers that programs stumble over.
const NUMBERS: [&str; 26] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "63",
    "64",
    "65",
    "255",
    "256",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e308",
    "-1e308",
    "1e309",
    "1e-320",
    "0.1",
    "NaN",
    "-inf",
];

/// Bytes that formats give a meaning to.
const SIGNS: &[u8] = b"\0\n\r\t \"',;:.|-+*/\\(){}[]<>=#%&_~^$@!?eE0\x1b\xff\xfe\xef\xbb\xbf\xc3\x80";

/// Longer cases say nothing that shorter ones do not.
const MOST_BYTES: usize = 1 << 15;

/// A source of cases, the same for the same seed.
pub struct Mutator {
    rng: ChaCha8Rng,
}

impl Mutator {
    /// The source with this seed.
    ///
    /// ```
    /// use plackett_fuzz::Mutator;
    /// let corpus = [b"a,b\n1,2\n".to_vec()];
    /// let case = |seed| Mutator::new(seed).case(&corpus, &["header"]);
    /// assert_eq!(case(7), case(7));
    /// ```
    pub fn new(seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.rng.random_range(0..end) }
    }

    /// A stretch of a case: mostly a short one.
    fn stretch(&mut self, length: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        let longest = if self.below(4) == 0 { length } else { 16 };
        let end = start + self.below((length - start).min(longest) + 1);
        start..end
    }

    /// One of the cases, changed a few times.
    pub fn case(&mut self, corpus: &[Vec<u8>], words: &[&str]) -> Vec<u8> {
        let mut case = corpus.choose(&mut self.rng).cloned().unwrap_or_default();
        for _ in 0..=self.below(6) {
            self.change(&mut case, corpus, words);
            case.truncate(MOST_BYTES);
        }
        case
    }

    fn change(&mut self, case: &mut Vec<u8>, corpus: &[Vec<u8>], words: &[&str]) {
        match self.below(11) {
            0 => {
                let at = self.below(case.len());
                if let Some(byte) = case.get_mut(at) {
                    *byte ^= 1 << self.rng.random_range(0..8);
                }
            }
            1 => {
                let at = self.below(case.len());
                if let Some(byte) = case.get_mut(at) {
                    *byte = *SIGNS.choose(&mut self.rng).unwrap_or(&0);
                }
            }
            2 => {
                let at = self.below(case.len() + 1);
                case.insert(at, *SIGNS.choose(&mut self.rng).unwrap_or(&0));
            }
            3 => drop(case.drain(self.stretch(case.len()))),
            4 => case.truncate(self.below(case.len() + 1)),
            5 => {
                // Again and again, here or elsewhere.
                let piece = case[self.stretch(case.len())].to_vec();
                let at = self.below(case.len() + 1);
                let times = 1 << self.below(8);
                case.splice(at..at, piece.repeat(times).into_iter().take(MOST_BYTES));
            }
            6 => {
                let other = corpus.choose(&mut self.rng).cloned().unwrap_or_default();
                let piece = other[self.stretch(other.len())].to_vec();
                let at = self.stretch(case.len());
                case.splice(at, piece);
            }
            7 => {
                let word = NUMBERS.choose(&mut self.rng).unwrap_or(&"0");
                let at = self.number(case);
                case.splice(at, word.bytes());
            }
            8 => {
                let word = words.choose(&mut self.rng).unwrap_or(&"");
                let at = self.stretch(case.len());
                let at = if self.below(2) == 0 { at.start..at.start } else { at };
                case.splice(at, word.bytes());
            }
            9 => self.exchange_lines(case),
            _ => {
                let at = self.below(case.len());
                let mut noise = [0; 4];
                self.rng.fill_bytes(&mut noise);
                let end = (at + 4).min(case.len());
                case.splice(at..end, noise);
            }
        }
    }

    /// Where a number stands, or somewhere.
    fn number(&mut self, case: &[u8]) -> std::ops::Range<usize> {
        let start = self.below(case.len());
        let is_digit = |at: usize| case.get(at).is_some_and(u8::is_ascii_digit);
        let first = (start..case.len()).find(|&at| is_digit(at)).unwrap_or(start);
        first..(first..case.len()).find(|&at| !is_digit(at)).unwrap_or(case.len())
    }

    fn exchange_lines(&mut self, case: &mut Vec<u8>) {
        let mut lines: Vec<Vec<u8>> = case.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let (first, second) = (self.below(lines.len()), self.below(lines.len()));
        match self.below(3) {
            0 => lines.swap(first, second),
            1 => drop(lines.remove(first)),
            _ => lines.insert(second, lines[first].clone()),
        }
        *case = lines.join(&b'\n');
    }
}
