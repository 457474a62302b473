//! A fingerprint of data: 128 bits of what was read, whatever it was read from.
//!
//! It is made of the names, the kinds and the values of the columns in their order, a number by the bits of its double (both
//! zeros alike), a category by its text, a missing value by a mark of its own. So a file, the same packed, with other
//! delimiters or as a data frame have the same fingerprint, and it is the same on every machine and in every version.

use super::Values;

/// Odd constants with no pattern in their bits: the fractions of the golden ratio and of the square root of 2.
const MULTIPLIERS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0x6A09_E667_F3BC_C909];
/// Stands for a missing value; no double that is read has these bits.
const MISSING: u64 = u64::MAX;

/// Two sums of 64 bits, each word multiplied to 128 bits and folded.
struct Sums([u64; 2]);

impl Sums {
    fn word(&mut self, word: u64) {
        for (sum, multiplier) in self.0.iter_mut().zip(MULTIPLIERS) {
            let product = u128::from(*sum ^ word ^ multiplier) * u128::from(multiplier);
            *sum = sum.rotate_left(23) ^ (product as u64) ^ ((product >> 64) as u64);
        }
    }

    fn text(&mut self, text: &str) {
        self.word(text.len() as u64);
        for bytes in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            self.word(u64::from_le_bytes(word));
        }
    }
}

/// The fingerprint of columns, as 32 hexadecimal digits.
pub(super) fn fingerprint<'a>(rows: usize, columns: impl Iterator<Item = (&'a str, &'a Values)>) -> String {
    let mut sums = Sums([0; 2]);
    sums.word(rows as u64);
    for (name, values) in columns {
        sums.text(name);
        match values {
            Values::Numbers(numbers) => {
                sums.word(1);
                for number in numbers {
                    // Adding zero makes a positive zero of a negative one.
                    sums.word(if number.is_nan() { MISSING } else { (number + 0.0).to_bits() });
                }
            }
            Values::Categories { labels, codes, missing } => {
                sums.word(2);
                let words: Vec<u64> = labels
                    .iter()
                    .map(|label| {
                        let mut sums = Sums([0; 2]);
                        sums.text(label);
                        sums.0[0]
                    })
                    .collect();
                if missing.is_empty() {
                    codes.iter().for_each(|&code| sums.word(words[usize::from(code)]));
                } else {
                    for (row, &code) in codes.iter().enumerate() {
                        sums.word(if missing.contains(row) { MISSING } else { words[usize::from(code)] });
                    }
                }
            }
            Values::Unusable => sums.word(3),
        }
    }
    sums.word(0);
    format!("{:016x}{:016x}", sums.0[0], sums.0[1])
}
