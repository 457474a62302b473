//! The page of `--report`: the best order, how it was found, and how to find it again.

use plackett::solver::Method;
use plackett_report::{Html, Page, shell_command, trace_chart};

use super::{Arguments, report::Found};
use crate::console::thousands;

/// The whole file. Times are left out, so that the same run gives the same bytes.
pub(super) fn html(arguments: &Arguments, found: &Found) -> String {
    let value = found.value.map_or("no value".to_owned(), |value| value.to_string());
    let lead = format!(
        "The best order of {} items has the value {value} ({}) after {} evaluations.",
        found.items,
        found.sense,
        thousands(found.evaluations)
    );
    let mut page = Page::new(&format!("The best order of {}", found.name), &lead);
    let mut facts = vec![
        ("Problem", format!("{} {}", found.kind, found.name)),
        ("Items", found.items.to_string()),
        ("Sense", found.sense.to_string()),
        ("Value", value),
    ];
    facts.extend(found.error.map(|error| ("Standard error of the value", error.to_string())));
    if let Some(best) = found.best_known {
        let proof = if best.is_optimal { "optimal" } else { "not proven" };
        facts.push(("Best known", format!("{} ({proof})", best.value)));
    }
    facts.extend(found.gap().map(|gap| ("Gap", format!("{:.3} %", 100.0 * gap))));
    facts.push(("Method", format!("{}, seed {}", found.method, arguments.common.seed)));
    facts.push(("Evaluations", thousands(found.evaluations)));
    if found.failures > 0 {
        facts.push(("Failed evaluations", thousands(found.failures)));
    }
    facts.push(("Ended", found.ending.to_string()));
    page.section("result", "What was found", &Html::facts(facts));
    if let Some(order) = &found.order {
        let items: Vec<String> = order.iter().map(usize::to_string).collect();
        let note = "Items are counted from 0; the first is ranked first.";
        let body = [Html::paragraph(note), Html::code(&items.join(" "))];
        page.section("order", "The best order", &body.into_iter().collect());
    }
    let points: Vec<(u64, f64)> =
        found.trace.points().iter().map(|point| (point.evaluations, point.best)).collect();
    let chart = trace_chart(&points, found.evaluations, "evaluations", "best value so far");
    let rows = points.iter().map(|(evaluations, best)| vec![thousands(*evaluations), best.to_string()]);
    let head = [("evaluations", true), ("best value", true)];
    let table = Html::table("Better orders, as they came", &head, rows);
    page.section("trace", "The search", &[chart, Html::details("As a table", &table)].into_iter().collect());
    let words = command(arguments);
    let note = format!(
        "With plackett {}. The same problem, settings and seed give the same order, unless a time limit ends the run.",
        env!("CARGO_PKG_VERSION")
    );
    let again = [Html::paragraph(&note), Html::code(&shell_command(words.iter().map(String::as_str)))];
    page.section("again", "Run it again", &again.into_iter().collect());
    page.to_html()
}

/// The words of the command: what differs from the defaults.
fn command(arguments: &Arguments) -> Vec<String> {
    let mut words = vec!["plackett".to_owned(), "optimize".to_owned()];
    words.extend(arguments.file.as_ref().map(|file| file.display().to_string()));
    let mut add = |flag: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [format!("--{flag}"), value]));
    };
    add("kind", arguments.kind.clone());
    add("instance", (arguments.instance != 1).then(|| arguments.instance.to_string()));
    add("command", arguments.command.clone());
    add("items", arguments.items.map(|items| items.to_string()));
    // The result depends on the window, which depends on whether there are several workers.
    add("workers", (arguments.workers != 1).then(|| arguments.workers.to_string()));
    add("window", arguments.window.map(|window| window.to_string()));
    add("timeout", arguments.timeout.map(|time| time.as_secs_f64().to_string()));
    for order in &arguments.start {
        add("start", Some(order.0.iter().map(usize::to_string).collect::<Vec<_>>().join(",")));
    }
    add("top", arguments.top.map(|top| top.to_string()));
    add("noise", (arguments.noise != "no").then(|| arguments.noise.clone()));
    let is_usual = arguments.method == Method::Default.name();
    add("method", (!is_usual).then(|| arguments.method.clone()));
    arguments.before.iter().for_each(|(a, b)| add("before", Some(format!("{a},{b}"))));
    arguments.pin.iter().for_each(|(item, rank)| add("pin", Some(format!("{item},{rank}"))));
    arguments
        .ranks
        .iter()
        .for_each(|(item, first, last)| add("ranks", Some(format!("{item},{first},{last}"))));
    let blocks: Vec<String> = arguments.blocks.iter().map(usize::to_string).collect();
    add("blocks", (!blocks.is_empty()).then(|| blocks.join(",")));
    add("evaluations", arguments.evaluations.map(|count| count.to_string()));
    add("time", arguments.time.map(|time| time.as_secs_f64().to_string()));
    add("target", arguments.target.map(|target| target.to_string()));
    add("patience", arguments.patience.map(|count| count.to_string()));
    add("seed", (arguments.common.seed != 0).then(|| arguments.common.seed.to_string()));
    if arguments.maximize {
        words.push("--maximize".to_owned());
    }
    words
}
