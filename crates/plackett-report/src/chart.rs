//! The course of a search as a small picture: the best value so far over the orders or scores looked at.

use crate::html::Html;
use plackett::elementary::{ln, log10, powf};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;
/// Marks that an axis has, about.
const TICKS: f64 = 5.0;
/// Where the first and the last place are further apart than this factor, the axis is logarithmic.
const LOGARITHMIC: f64 = 200.0;

/// What was best after so many evaluations: a line in steps.
///
/// ```
/// use plackett_report::trace_chart;
/// let chart = trace_chart(&[(1, 9.0), (10, 7.5)], 40, "local scores", "score");
/// assert!(chart.as_str().contains("<svg") && chart.as_str().contains("local scores"));
/// assert!(!trace_chart(&[(40, 7.5)], 40, "local scores", "score").as_str().contains("<svg")); // there is no course
/// ```
pub fn trace_chart(points: &[(u64, f64)], end: u64, across: &str, up: &str) -> Html {
    let points: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.1.is_finite())
        .map(|&(evaluations, best)| (evaluations.max(1) as f64, best))
        .collect();
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else {
        return Html::paragraph("There is no trace: nothing was searched for step by step.");
    };
    let end = (end as f64).max(last.0);
    if points.len() == 1 && end <= first.0 {
        let text = format!(
            "One value was told, {} after {} {across}: there is no course to draw.",
            number(first.1),
            number(first.0)
        );
        return Html::paragraph(&text);
    }
    let is_logarithmic = end / first.0 > LOGARITHMIC;
    let scale = |x: f64| if is_logarithmic { ln(x) } else { x };
    let (low_x, high_x) = (scale(first.0), scale(end).max(scale(first.0) + 1e-9));
    let (mut low, mut high) = points
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), point| (low.min(point.1), high.max(point.1)));
    if high - low <= 1e-12 * high.abs() {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let margin = 0.06 * (high - low);
    (low, high) = (low - margin, high + margin);
    let x = |value: f64| LEFT + (scale(value) - low_x) / (high_x - low_x) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM);

    let mut svg = format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        Html::text(&format!(
            "{up} from {} after {} {across} to {} after {}",
            number(first.1),
            first.0,
            number(last.1),
            last.0
        ))
        .as_str()
    );
    let bottom = HEIGHT - BOTTOM;
    for tick in ticks(low, high) {
        let at = y(tick);
        svg += &format!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            at + 4.0,
            number(tick)
        );
    }
    let across_ticks = if is_logarithmic { decades(first.0, end) } else { ticks(first.0, end) };
    for tick in across_ticks {
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            x(tick),
            bottom + 18.0,
            number(tick)
        );
    }
    svg += &format!(
        "<line class=\"axis\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{bottom}\" y2=\"{bottom}\"/>\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
        WIDTH - RIGHT,
        f64::midpoint(LEFT, WIDTH - RIGHT),
        HEIGHT - 6.0,
        Html::text(across).as_str()
    );
    let mut path = format!("M{:.1} {:.1}", x(first.0), y(first.1));
    for point in &points[1..] {
        path += &format!("H{:.1}V{:.1}", x(point.0), y(point.1));
    }
    path += &format!("H{:.1}", x(end));
    svg += &format!("<path class=\"line\" d=\"{path}\"/>");
    svg += &format!("<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"/></svg>", x(last.0), y(last.1));
    Html::trusted(svg)
}

/// Round numbers within a range.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / TICKS;
    if !(rough.is_finite() && rough > 0.0) {
        return Vec::new();
    }
    let power = powf(10.0, log10(rough).floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|&step| step >= rough);
    let step = step.unwrap_or(power);
    // Rounding may leave a zero that is not quite one.
    let exact = |tick: f64| if tick.abs() < step / 2.0 { 0.0 } else { tick };
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    let steps = std::iter::successors(Some(first), |at| Some(at + 1.0)).take_while(|&at| at <= last);
    steps.map(|at| exact(at * step)).collect()
}

/// Powers of ten within a range.
fn decades(low: f64, high: f64) -> Vec<f64> {
    (0..19).map(|power| 10_f64.powi(power)).filter(|&tick| tick >= low && tick <= high).collect()
}

/// A number as short as it can be told.
fn number(value: f64) -> String {
    let size = value.abs();
    match () {
        () if value == 0.0 => "0".to_owned(),
        () if !(1e-3..1e7).contains(&size) => format!("{value:.2e}"),
        () if value.fract() == 0.0 => format!("{value:.0}"),
        () if size >= 1000.0 => format!("{value:.1}"),
        () => format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(ticks(-0.3, 2.3), [0.0, 1.0, 2.0]);
        assert_eq!(ticks(0.0, 1.0).len(), 6);
        assert!(ticks(1.0, 1.0).is_empty());
        assert_eq!(decades(3.0, 2000.0), [10.0, 100.0, 1000.0]);
    }

    #[test]
    fn one_point_is_drawn_if_the_search_went_on_after_it() {
        assert!(trace_chart(&[(5, -3.0)], 6, "x", "y").as_str().contains("<path"));
        assert!(trace_chart(&[(5, -3.0)], 5, "x", "y").as_str().contains("-3 after 5 x"));
        assert!(!trace_chart(&[], 5, "x", "y").as_str().contains("<svg"));
        assert!(!trace_chart(&[(1, f64::INFINITY)], 5, "x", "y").as_str().contains("<svg"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, 1.5, 2000.0, 1e9, -0.25].map(number), ["0", "1.5", "2000", "1.00e9", "-0.25"]);
    }
}
