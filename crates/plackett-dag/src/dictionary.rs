//! The different texts of one column, each with a small code: a hash table of fixed size, so that a field of a file is
//! looked up without a copy of it being made.

/// The most texts: their codes fit in a byte.
pub(crate) const MOST_TEXTS: usize = 256;

/// At most half of the slots are ever taken.
const SLOTS: usize = 2 * MOST_TEXTS;

/// A slot that no text has taken.
const FREE: u16 = u16::MAX;

/// An odd constant with no pattern in its bits, the golden ratio's fraction: its multiples spread over the high bits.
const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// At most 256 texts with codes from zero up, in the order of their first appearance.
pub(crate) struct Dictionary {
    texts: Vec<String>,
    slots: Box<[u16; SLOTS]>,
}

/// What [`Dictionary::find`] found.
pub(crate) enum Found {
    Code(u8),
    /// The text is new, and this slot is for it.
    Free(usize),
}

impl Dictionary {
    pub(crate) fn new() -> Self {
        Self { texts: Vec::new(), slots: Box::new([FREE; SLOTS]) }
    }

    /// The texts, that of code i at place i.
    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The same, without the table.
    pub(crate) fn into_texts(self) -> Vec<String> {
        self.texts
    }

    pub(crate) fn find(&self, text: &[u8]) -> Found {
        let mut slot = hash(text) as usize % SLOTS;
        loop {
            let code = self.slots[slot];
            if code == FREE {
                return Found::Free(slot);
            }
            if self.texts[usize::from(code)].as_bytes() == text {
                return Found::Code(code as u8);
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// Gives a new text the next code; `None` if there are too many already.
    pub(crate) fn insert(&mut self, slot: usize, text: &str) -> Option<u8> {
        let code = u8::try_from(self.texts.len()).ok()?;
        self.slots[slot] = u16::from(code);
        self.texts.push(text.to_owned());
        Some(code)
    }
}

pub(crate) fn hash(text: &[u8]) -> u64 {
    let mut state = text.len() as u64;
    let mut mix = |word: u64| state = (state ^ word).wrapping_mul(MULTIPLIER).rotate_left(29);
    let mut words = text.chunks_exact(8);
    for word in &mut words {
        mix(u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    mix(words.remainder().iter().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    state.wrapping_mul(MULTIPLIER) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_first_appearance_until_there_are_too_many() {
        let mut dictionary = Dictionary::new();
        let texts: Vec<String> = (0..300)
            .map(|number| if number % 2 == 0 { number.to_string() } else { "long text ".repeat(number) })
            .collect();
        for (at, text) in texts.iter().enumerate() {
            let Found::Free(slot) = dictionary.find(text.as_bytes()) else { panic!("{text} is new") };
            assert_eq!(dictionary.insert(slot, text), u8::try_from(at).ok());
        }
        for (at, text) in texts.iter().enumerate() {
            match dictionary.find(text.as_bytes()) {
                Found::Code(code) => assert_eq!(usize::from(code), at),
                Found::Free(_) => assert!(at >= 256),
            }
        }
        assert_eq!(dictionary.into_texts(), &texts[..256]);
    }
}
