//! Saving an optimizer and resuming it to the bit.

use std::{fs::File, path::Path};

use super::Optimizer;
use crate::{
    error::Error,
    memory,
    order::check_distinct,
    state::{from_json, to_json, write_whole},
};

impl Optimizer {
    /// The whole state as JSON: settings, scores, critic, open batches with the answers so far, the best order.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// let mut optimizer = Optimizer::new(4, OptimizerSettings::default())?;
    /// optimizer.ask(1);
    /// let mut copy = Optimizer::from_json(&optimizer.to_json()?)?;
    /// assert_eq!(copy.pending(), optimizer.pending());
    /// assert_eq!(copy.ask(3), optimizer.ask(3));
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// None that is known; the signature is that of the serializer.
    pub fn to_json(&self) -> Result<String, Error> {
        to_json("optimizer", self)
    }

    /// The optimizer of a saved state, which goes on exactly as the one that was saved.
    ///
    /// # Errors
    /// A text that is no such state, one of another version, or one whose parts contradict each other.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let state: Self = from_json("optimizer", text)?;
        if !state.is_sound() {
            return Err(Error::StateContradiction);
        }
        Ok(state)
    }

    /// Writes the state to a file, which is replaced in one step: a reader finds the old state or the new one.
    ///
    /// ```
    /// use plackett::optimizer::{Optimizer, OptimizerSettings};
    /// let path = std::env::temp_dir().join("plackett-doc-example.json");
    /// let optimizer = Optimizer::new(4, OptimizerSettings::default())?;
    /// optimizer.save(&path)?;
    /// assert_eq!(Optimizer::load(&path)?.scores(), optimizer.scores());
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A file that cannot be written; an earlier one is untouched then.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        write_whole(path, self.to_json()?.as_bytes())
    }

    /// Reads the state from a file.
    ///
    /// # Errors
    /// A file that cannot be read, and as [`from_json`](Self::from_json).
    pub fn load(path: &Path) -> Result<Self, Error> {
        let cannot_read = |source| Error::File { verb: "read", path: path.to_owned(), source };
        let bytes = File::open(path).and_then(memory::read_text).map_err(cannot_read)?;
        Self::from_json(&String::from_utf8_lossy(&bytes))
    }

    pub(crate) fn is_sound(&self) -> bool {
        let items = self.items();
        let is_order = |order: &[usize]| order.len() == items && check_distinct(order, items).is_ok();
        let pending = self.batches.iter().map(|batch| batch.pending().count() as u64).sum::<u64>();
        items > 0
            && self.learner.is_sound(items, &self.settings)
            && self.status.pending == pending
            && self.batches.iter().all(|batch| batch.is_sound(is_order, items))
            && self.climb.iter().all(|climb| climb.is_sound(is_order))
            && self.walk.iter().all(|walk| walk.is_sound(is_order, self.settings.window))
            && self.best.iter().all(|best| is_order(&best.order) && best.value.is_finite())
            && Self::new(items, self.settings.clone()).is_ok()
    }
}
