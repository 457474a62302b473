//! The effect of several causes together, as a person reads it.

use plackett_dag::effect::{JointEffect, JointValue, Part};

use crate::console::{self, counted};

pub(super) fn describe(effect: &JointEffect) -> String {
    let level = format!("{:.0} %", 100.0 * effect.level);
    let causes = effect.causes.join(" and ");
    let mut text = format!("Effect of {causes} together on {}: {}\n", effect.outcome, effect.meaning);
    match &effect.values[..] {
        [value] if value.is_absent => {
            text += &format!("None: no directed path leads from {causes} to {}", effect.outcome);
        }
        [value] => {
            #[expect(clippy::cast_sign_loss, reason = "a number of rows")]
            let rows = counted(value.rows.round() as usize, "row");
            let Part { effect: found, low, high, .. } = value.whole;
            text += &format!("{found:.4}, {level} interval {low:.4} to {high:.4}; {rows}\n");
            text += &parts(effect, value);
            if !value.levels.is_empty() {
                text += "\n";
                text += &levels(effect, value);
            }
            if value.unsupported > 0.0 {
                text += &format!(
                    "\nUp to {:.0} % of what follows has a column whose parents are as they are in no row: only the prior speaks there",
                    100.0 * value.unsupported
                );
            }
        }
        values => {
            text += &format!(
                "The graph leaves open what causes what: {} values, together {level} interval {:.4} to {:.4}\n",
                values.len(),
                effect.low,
                effect.high
            );
            text += &all(effect);
        }
    }
    text
}

/// What each cause does while the others are held.
fn parts(effect: &JointEffect, value: &JointValue) -> String {
    let rows = effect.causes.iter().zip(&value.parts).map(|(cause, part)| {
        let numbers = [part.effect, part.low, part.high].map(|number| format!("{number:.4}"));
        [format!("{cause} alone, the others held")].into_iter().chain(numbers).collect()
    });
    console::table(&["of this", "effect", "low", "high"], rows)
}

fn levels(effect: &JointEffect, value: &JointValue) -> String {
    let rows = value.levels.iter().flat_map(|level| {
        let set: Vec<String> = effect
            .causes
            .iter()
            .zip(&level.causes)
            .map(|(cause, state)| format!("{cause} = {state}"))
            .collect();
        level.expected.iter().map(move |expected| {
            let numbers = [expected.value, expected.low, expected.high].map(|number| format!("{number:.4}"));
            let labels = [format!("do({})", set.join(", ")), expected.state.clone().unwrap_or_default()];
            labels.into_iter().chain(numbers).collect()
        })
    });
    console::table_of(&["after", &effect.outcome, "probability", "low", "high"], rows, &[2, 3, 4])
}

/// The values of the class, with the parents of the causes that tell its graphs apart.
fn all(effect: &JointEffect) -> String {
    let rows = effect.values.iter().map(|value| {
        let parents = effect.causes.iter().zip(&value.parents).map(|(cause, parents)| {
            let parents = if parents.is_empty() { "nothing".to_owned() } else { parents.join(", ") };
            format!("{cause} by {parents}")
        });
        let parents: Vec<String> = parents.collect();
        let numbers = [value.whole.effect, value.whole.low, value.whole.high];
        let alone = value.parts.iter().map(|part| part.effect);
        let numbers = numbers.into_iter().chain(alone).map(|number| format!("{number:.4}"));
        [parents.join("; ")].into_iter().chain(numbers).collect()
    });
    let alone: Vec<String> = effect.causes.iter().map(|cause| format!("{cause} alone")).collect();
    let header: Vec<&str> =
        ["caused", "effect", "low", "high"].into_iter().chain(alone.iter().map(String::as_str)).collect();
    console::table(&header, rows)
}
