//! A fingerprint of data: 128 bits of what was read, whatever it was read from.
//!
//! It is made of the names, the kinds and the values of the columns in their order, a number by the bits of its double (both
//! zeros alike), a category by its text, a missing value by a mark of its own. So a file, the same packed, with other
//! delimiters or as a data frame have the same fingerprint, and it is the same on every machine and in every version. Each
//! column has a print of its own, so that rows need not be held.

use super::rows::RowSet;

/// Odd constants with no pattern in their bits: the fractions of the golden ratio and of the square root of 2.
const MULTIPLIERS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0x6A09_E667_F3BC_C909];
/// Stands for a missing number; no double that is read has these bits.
const MISSING: u64 = u64::MAX;

/// Two sums of 64 bits, each word multiplied to 128 bits and folded.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Print([u64; 2]);

impl Print {
    /// Of a column of numbers of which none is taken yet.
    pub(super) fn of_numbers(name: &str) -> Self {
        let mut print = Self::default();
        print.text(name);
        print.word(1);
        print
    }

    /// Of a column of categories.
    pub(super) fn of_categories(name: &str, labels: &[String], codes: &[u8], missing: &RowSet) -> Self {
        let mut print = Self::default();
        print.text(name);
        print.word(2);
        let mut occurs = vec![false; labels.len()];
        // Without labels all values are missing.
        let label = |&code: &u8| labels.get(usize::from(code)).map(|_| usize::from(code));
        codes.iter().filter_map(label).for_each(|code| occurs[code] = true);
        let mut sorted: Vec<usize> = (0..labels.len()).filter(|&code| occurs[code]).collect();
        sorted.sort_by_key(|&code| &labels[code]);
        let mut ranks = vec![0_u8; labels.len().max(1)];
        for (rank, &code) in sorted.iter().enumerate() {
            print.text(&labels[code]);
            // There are at most 256 labels.
            ranks[code] = rank as u8;
        }
        let ranks: Vec<u8> = codes
            .iter()
            .enumerate()
            .map(|(row, &code)| if missing.contains(row) { 0 } else { ranks[usize::from(code)] })
            .collect();
        print.bytes(&ranks);
        missing.words().iter().for_each(|&word| print.word(word));
        print
    }

    /// Of a column that cannot be used.
    pub(super) fn of_nothing(name: &str) -> Self {
        let mut print = Self::default();
        print.text(name);
        print.word(3);
        print
    }

    /// Takes more numbers.
    pub(super) fn take(&mut self, numbers: &[f64]) {
        for number in numbers {
            // Adding zero makes a positive zero of a negative one.
            self.word(if number.is_nan() { MISSING } else { (number + 0.0).to_bits() });
        }
    }

    /// The prints of all columns together, as 32 hexadecimal digits.
    pub(super) fn combined(rows: usize, columns: impl Iterator<Item = Self>) -> String {
        let mut whole = Self::default();
        for column in columns {
            column.0.iter().for_each(|&word| whole.word(word));
        }
        whole.word(rows as u64);
        whole.digits()
    }

    /// The print of any bytes.
    pub(super) fn of_bytes(bytes: &[u8]) -> Self {
        let mut print = Self::default();
        print.word(bytes.len() as u64);
        print.bytes(bytes);
        print
    }

    pub(super) fn digits(self) -> String {
        format!("{:016x}{:016x}", self.0[0], self.0[1])
    }

    fn word(&mut self, word: u64) {
        for (sum, multiplier) in self.0.iter_mut().zip(MULTIPLIERS) {
            let product = u128::from(*sum ^ word ^ multiplier) * u128::from(multiplier);
            *sum = sum.rotate_left(23) ^ (product as u64) ^ ((product >> 64) as u64);
        }
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for bytes in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.word(u64::from_le_bytes(word));
        }
    }
}
