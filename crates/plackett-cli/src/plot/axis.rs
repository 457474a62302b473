//! One axis of a panel: the range it covers, where a value lies on the page, and the ticks with their labels.

use super::canvas::Font;
use plackett::elementary::{log10, powf};

/// Values beyond this are not drawn: differences of two of them could overflow.
const LARGEST: f64 = 1e150;

/// A range narrower than this share of its values is widened: rounding would make the tick labels equal.
const NARROWEST: f64 = 1e-9;

/// No point is placed further out than this: 32-bit coordinates, and dashes counted along the way, stay harmless.
const FARTHEST: f64 = 20_000.0;

/// The least free space between the labels of neighboring ticks, along the axis.
const LABEL_GAP: f64 = 14.0;

/// Sizes of a tick step, up to a power of ten.
const STEPS: [f64; 4] = [1.0, 2.0, 2.5, 5.0];

/// A value where the axis has a grid line, and what is written there.
#[derive(Debug, PartialEq)]
pub(super) struct Tick {
    pub value: f64,
    pub label: String,
}

/// The values an axis covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    /// An axis over all drawable `values`, with a margin of this share of the range at both ends.
    pub(super) fn around(values: impl Iterator<Item = f64>, log: bool, margin: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|&value| drawable(value, log)) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            let (low, high) = if log { (1.0, 10.0) } else { (0.0, 1.0) };
            return Self { low, high, log };
        }
        if log {
            let (bottom, top) = (log10(low), log10(high));
            let pad = if top - bottom < NARROWEST { 0.5 } else { margin * (top - bottom) };
            return Self { low: powf(10.0, bottom - pad), high: powf(10.0, top + pad), log };
        }
        let magnitude = low.abs().max(high.abs());
        let pad = if high - low > NARROWEST * magnitude && high - low > 1.0 / LARGEST {
            margin * (high - low)
        } else if magnitude > 1.0 / LARGEST {
            0.1 * magnitude
        } else {
            1.0
        };
        Self { low: low - pad, high: high + pad, log }
    }

    /// Whether the axis has a place for a value.
    pub(super) fn holds(&self, value: f64) -> bool {
        drawable(value, self.log)
    }

    /// Where a value lies when the axis runs over the page from `start` to `end`.
    pub(super) fn place(&self, value: f64, start: f64, end: f64) -> f64 {
        let share = if self.log {
            log10(value / self.low) / log10(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        (start + share * (end - start)).clamp(-FARTHEST, FARTHEST)
    }

    /// Ticks at round values whose labels, written along a horizontal axis of this length, keep clear of each other.
    pub(super) fn ticks_across(&self, length: f64, font: &Font, size: f64) -> Vec<Tick> {
        self.densest(8, |ticks| {
            let ends = ticks.iter().map(|tick| {
                let middle = self.place(tick.value, 0.0, length);
                let half = font.width(&tick.label, size) / 2.0;
                (middle - half, middle + half)
            });
            let ends: Vec<(f64, f64)> = ends.collect();
            ends.windows(2).all(|pair| pair[1].0 - pair[0].1 >= LABEL_GAP)
        })
    }

    /// The same for a vertical axis, where the height of the labels counts.
    pub(super) fn ticks_upwards(&self, length: f64, size: f64) -> Vec<Tick> {
        self.densest(8, |ticks| {
            let places: Vec<f64> = ticks.iter().map(|tick| self.place(tick.value, 0.0, length)).collect();
            places.windows(2).all(|pair| pair[1] - pair[0] >= size + LABEL_GAP)
        })
    }

    /// As many ticks as `fits` lets through, trying at most `most` intervals.
    fn densest(&self, most: i32, fits: impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
        let decades = log10(self.high / self.low);
        (1..=most)
            .rev()
            .map(|intervals| {
                if self.log && decades >= 1.0 {
                    self.log_ticks(intervals)
                } else {
                    self.linear_ticks(intervals)
                }
            })
            .find(|ticks| fits(ticks))
            .unwrap_or_default()
    }

    fn linear_ticks(&self, intervals: i32) -> Vec<Tick> {
        let least = (self.high - self.low) / f64::from(intervals);
        let decade = powf(10.0, log10(least).floor());
        // A hair of tolerance keeps a range of exactly five steps from getting the next larger step.
        let step = STEPS
            .iter()
            .map(|step| step * decade)
            .find(|&step| step >= least * (1.0 - NARROWEST))
            .unwrap_or(10.0 * decade);
        let first = (self.low / step - NARROWEST).ceil();
        let last = (self.high / step + NARROWEST).floor();
        let largest = self.low.abs().max(self.high.abs());
        let write = Notation::for_ticks(step, largest);
        (0..=(last - first) as i32)
            .map(|index| (first + f64::from(index)) * step)
            .map(|value| Tick { value, label: write.label(value) })
            .collect()
    }

    /// Powers of ten, every so many that at most `intervals` lie between them; with few decades also 2 and 5 times.
    fn log_ticks(&self, intervals: i32) -> Vec<Tick> {
        let first = (log10(self.low) - NARROWEST).ceil() as i32;
        let last = (log10(self.high) + NARROWEST).floor() as i32;
        let between: &[f64] = if 3 * (last - first + 1) <= intervals { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let every = (last - first + intervals - 1).max(intervals) / intervals;
        (first - 1..=last)
            .filter(|power| (power - first) % every == 0 || between.len() > 1)
            .flat_map(|power| between.iter().map(move |factor| factor * 10.0_f64.powi(power)))
            .filter(|&value| value >= self.low * (1.0 - NARROWEST) && value <= self.high * (1.0 + NARROWEST))
            .map(|value| Tick { value, label: Notation::for_ticks(value, value).label(value) })
            .collect()
    }
}

fn drawable(value: f64, log: bool) -> bool {
    value.abs() <= LARGEST && (!log || value >= 1.0 / LARGEST)
}

/// How the labels of one axis are written: all with the same unit and the same number of decimals.
struct Notation {
    unit: f64,
    suffix: &'static str,
    decimals: usize,
    scientific: bool,
}

impl Notation {
    fn for_ticks(step: f64, largest: f64) -> Self {
        let scientific = !(1e-3..1e9).contains(&largest);
        // The unit must not push a fine step into many decimals: 123,456.5 is not 123.4565k.
        let (unit, suffix) = if scientific {
            (powf(10.0, log10(largest).floor()), "")
        } else if largest >= 1e6 && step >= 1e4 {
            (1e6, "M")
        } else if largest >= 1e4 && step >= 10.0 {
            (1e3, "k")
        } else {
            (1.0, "")
        };
        let decimals = (0..12)
            .find(|&digits| {
                let scaled = step / unit * 10.0_f64.powi(digits);
                (scaled - scaled.round()).abs() < 1e-6 * scaled
            })
            .unwrap_or(12);
        Self { unit, suffix, decimals: usize::try_from(decimals).unwrap_or(0), scientific }
    }

    fn label(&self, value: f64) -> String {
        if value == 0.0 {
            return "0".to_owned();
        }
        let number = format!("{:.*}", self.decimals, value.abs() / self.unit);
        let sign = if value < 0.0 { "\u{2212}" } else { "" };
        let power = if self.scientific {
            format!("e{:.0}", log10(self.unit)).replace('-', "\u{2212}")
        } else {
            String::new()
        };
        format!("{sign}{number}{power}{}", self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    fn across(values: &[f64], log: bool) -> Vec<Tick> {
        let font = Font::load().unwrap();
        Axis::around(values.iter().copied(), log, 0.0).ticks_across(340.0, &font, 11.0)
    }

    #[test]
    fn steps_are_written_in_thousands() {
        let ticks = across(&[0.0, 50_000.0], false);
        assert_eq!(labels(&ticks), ["0", "10k", "20k", "30k", "40k", "50k"]);
    }

    #[test]
    fn fine_steps_of_large_values_are_written_out() {
        let ticks = across(&[123_456.0, 123_456.5], false);
        assert!(labels(&ticks).contains(&"123456.1"), "{ticks:?}");
    }

    #[test]
    fn labels_share_their_decimals_and_use_a_true_minus() {
        let axis = Axis::around([-0.5, 1.0].into_iter(), false, 0.0);
        let ticks = axis.ticks_upwards(120.0, 11.0);
        assert_eq!(labels(&ticks), ["\u{2212}0.5", "0", "0.5", "1.0"]);
    }

    #[test]
    fn decades_on_a_logarithmic_axis() {
        let ticks = across(&[0.5, 2e5], true);
        assert_eq!(labels(&ticks), ["1", "10", "100", "1000", "10k", "100k"]);
        let wide = across(&[1e-6, 1e9], true);
        assert!((3..=8).contains(&wide.len()), "{wide:?}");
        assert!(wide.windows(2).all(|pair| pair[0].value < pair[1].value));
    }

    #[test]
    fn a_logarithmic_axis_has_two_ticks_or_more_however_short() {
        for range in [[1.0, 10.0], [2.0, 30.0], [3.0, 7.0], [4.0, 90.0], [40.0, 40.0]] {
            let ticks = across(&range, true);
            assert!(ticks.len() >= 2, "{range:?}: {ticks:?}");
        }
    }

    #[test]
    fn every_range_has_a_few_ticks_inside_it() {
        let font = Font::load().unwrap();
        let ranges: [&[f64]; 10] = [
            &[],
            &[f64::NAN, f64::INFINITY],
            &[0.0],
            &[7.02],
            &[7.02, 7.02 + 1e-15],
            &[-1e149, 1e149],
            &[1e300, f64::MAX],
            &[f64::MIN_POSITIVE, 0.0],
            &[1e-12, 3e-12],
            &[6.22, 7.02],
        ];
        for range in ranges {
            for log in [false, true] {
                let axis = Axis::around(range.iter().copied(), log, 0.05);
                assert!(axis.low < axis.high, "{range:?}");
                for ticks in [axis.ticks_across(340.0, &font, 11.0), axis.ticks_upwards(230.0, 11.0)] {
                    assert!((2..=9).contains(&ticks.len()), "{range:?}: {ticks:?}");
                    for tick in &ticks {
                        let place = axis.place(tick.value, 0.0, 340.0);
                        assert!((-0.1..=340.1).contains(&place), "{range:?}: {ticks:?}");
                    }
                    let mut distinct = labels(&ticks);
                    distinct.dedup();
                    assert_eq!(distinct.len(), ticks.len(), "{range:?}: {ticks:?}");
                }
            }
        }
    }

    #[test]
    fn a_logarithmic_axis_has_no_place_for_zero() {
        let axis = Axis::around([0.0, 1.0, 10.0].into_iter(), true, 0.0);
        assert!(!axis.holds(0.0) && !axis.holds(-1.0) && !axis.holds(f64::NAN));
        assert!(axis.holds(3.0));
        assert!((axis.place(10.0_f64.sqrt(), 0.0, 100.0) - 50.0).abs() < 1e-9);
    }
}
