//! A surrogate's state: what it remembers and what it has learned. The rest is room.

use serde::{Deserialize, Serialize};

use super::{Memory, Model, Surrogate, SurrogateSettings};
use crate::{average::MovingAverage, order::check_distinct};
#[cfg(feature = "json")]
use crate::{
    error::Error,
    state::{from_json, to_json},
};

#[cfg(feature = "json")]
impl Surrogate {
    /// The whole state as JSON, to go on from with [`from_json`](Self::from_json).
    ///
    /// # Errors
    /// None that are known.
    pub fn to_json(&self) -> Result<String, Error> {
        to_json("surrogate", self)
    }

    /// The surrogate of such a text, which goes on exactly as the one that was saved.
    ///
    /// ```
    /// use plackett::Surrogate;
    /// let mut surrogate = Surrogate::new(3)?;
    /// surrogate.observe(&[2, 0, 1], 4.0)?;
    /// assert_eq!(Surrogate::from_json(&surrogate.to_json()?)?.value(&[0, 1, 2])?, 4.0);
    /// assert!(Surrogate::from_json("{}").is_err());
    /// # Ok::<(), plackett::Error>(())
    /// ```
    ///
    /// # Errors
    /// A text that is no state, or that contradicts itself.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        from_json("surrogate", text)
    }
}

#[derive(Serialize, Deserialize)]
struct Saved {
    items: usize,
    settings: SurrogateSettings,
    memory: Memory,
    model: Model,
    left: MovingAverage,
}

impl Serialize for Surrogate {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { settings, memory, model, left, .. } = self;
        let (memory, model) = (memory.clone(), model.clone());
        let saved = Saved { items: self.items(), settings: *settings, memory, model, left: *left };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Surrogate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let Saved { items, settings, mut memory, model, left } = Saved::deserialize(deserializer)?;
        let mut surrogate = Self::with_settings(items, settings).map_err(D::Error::custom)?;
        let (window, depth, count) = (settings.window, surrogate.layout.ranks, memory.values.len());
        let fits = memory.window == window
            && memory.depth == depth
            && count <= window
            && memory.orders.len() == count * depth
            && (memory.oldest == 0 || (count == window && memory.oldest < window))
            && memory.orders.chunks_exact(depth).all(|order| check_distinct(order, items).is_ok())
            && model.coefficients.len() == surrogate.layout.length()
            && model.families.and(surrogate.allowed) == model.families
            && memory
                .values
                .iter()
                .chain(&model.coefficients)
                .chain([&model.constant, &left.value()])
                .all(|x| x.is_finite());
        if !fits {
            return Err(D::Error::custom("a surrogate whose parts contradict each other"));
        }
        memory.orders.reserve_exact(window * depth - memory.orders.len());
        memory.values.reserve_exact(window - count);
        (surrogate.memory, surrogate.model, surrogate.left) = (memory, model, left);
        Ok(surrogate)
    }
}
