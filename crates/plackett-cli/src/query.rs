//! `plackett query`: exact probabilities of a network, given what is observed and what is set.

use std::path::Path;

use clap::Args;
use plackett::elementary::exp;
use plackett_dag::{
    BayesNet, Error, Model,
    network::{EMBEDDED, Inference},
};
use serde::Serialize;

use crate::{
    console::{self, BadInput},
    simulate::network,
};

#[derive(Args)]
pub(crate) struct Arguments {
    #[arg(value_name = "MODEL", help = known())]
    model: String,
    /// The node whose probabilities are asked for; give it again for more of them [default: all that are neither observed nor set]
    #[arg(long, value_name = "X")]
    of: Vec<String>,
    /// A state that was observed; give it again for more of them
    #[arg(long, value_name = "Y=STATE", value_parser = assignment)]
    given: Vec<(String, String)>,
    /// A state that is set from outside, which says nothing of what would have caused it; give it again for more of them
    #[arg(long = "do", value_name = "Z=STATE", value_parser = assignment)]
    set: Vec<(String, String)>,
    /// Maximum memory for tables, in MiB
    #[arg(long, value_name = "MiB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

fn known() -> String {
    let names: Vec<&str> = EMBEDDED.iter().map(|network| network.name).collect();
    format!(
        "A model of `plackett fit` whose columns are all categories, a BIF file, or one of {}",
        names.join(", ")
    )
}

/// `NAME=STATE`; the state begins after the first equals sign.
fn assignment(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(name, state)| (name.trim().to_owned(), state.trim().to_owned()));
    parts
        .filter(|(name, state)| !name.is_empty() && !state.is_empty())
        .ok_or_else(|| "NAME=STATE is needed".to_owned())
}

#[derive(Serialize)]
struct Document {
    version: &'static str,
    given: serde_json::Map<String, serde_json::Value>,
    #[serde(rename = "do")]
    set: serde_json::Map<String, serde_json::Value>,
    /// The probability of what is observed, once the rest is set.
    evidence_log_probability: f64,
    nodes: Vec<Node>,
}

#[derive(Serialize)]
struct Node {
    name: String,
    states: Vec<State>,
}

#[derive(Serialize)]
struct State {
    state: String,
    probability: f64,
}

pub(crate) fn command(arguments: &Arguments) -> anyhow::Result<()> {
    let network = read_network(Path::new(&arguments.model))?;
    let problems = problems(&network, arguments);
    if !problems.is_empty() {
        return Err(BadInput(problems.join("\n")).into());
    }
    let inference = Inference {
        evidence: arguments.given.clone(),
        set: arguments.set.clone(),
        memory_bytes: (arguments.memory as usize) << 20,
    };
    let is_told = |name: &String| arguments.given.iter().chain(&arguments.set).any(|pair| &pair.0 == name);
    let asked: Vec<String> = if arguments.of.is_empty() {
        network.names().iter().filter(|name| !is_told(name)).cloned().collect()
    } else {
        arguments.of.clone()
    };
    let evidence_log_probability = inference.log_probability(&network)?;
    let node = |name: &String| -> anyhow::Result<Node> {
        let found = inference.marginal(&network, name)?;
        let place = network.names().iter().position(|own| own == name).unwrap_or_default();
        let states = network.states(place).iter().zip(found);
        let states = states.map(|(state, probability)| State { state: state.clone(), probability });
        Ok(Node { name: name.clone(), states: states.collect() })
    };
    let map = |pairs: &[(String, String)]| {
        pairs.iter().map(|(name, state)| (name.clone(), state.clone().into())).collect()
    };
    let document = Document {
        version: env!("CARGO_PKG_VERSION"),
        given: map(&arguments.given),
        set: map(&arguments.set),
        evidence_log_probability,
        nodes: asked.iter().map(node).collect::<anyhow::Result<_>>()?,
    };
    if arguments.json { console::say_json(&document) } else { console::say(&describe(&document, arguments)) }
}

/// All names and states that the network does not have, and nodes that are told twice.
fn problems(network: &BayesNet, arguments: &Arguments) -> Vec<String> {
    let place = |name: &String| network.names().iter().position(|own| own == name);
    let told = || arguments.given.iter().chain(&arguments.set);
    let mut names: Vec<String> = arguments.of.iter().chain(told().map(|pair| &pair.0)).cloned().collect();
    names.retain(|name| place(name).is_none());
    names.sort_unstable();
    names.dedup();
    let mut found = Vec::new();
    if !names.is_empty() {
        found.push(Error::NoSuchColumn { names, known: network.names().to_vec() }.to_string());
    }
    for (name, state) in told() {
        let Some(states) = place(name).map(|node| network.states(node)) else { continue };
        if !states.contains(state) {
            let (column, category, known) = (name.clone(), state.clone(), states.to_vec());
            found.push(Error::UnknownCategory { column, category, known }.to_string());
        }
    }
    for (name, _) in arguments.given.iter().filter(|pair| arguments.set.iter().any(|set| set.0 == pair.0)) {
        found.push(format!("\"{name}\" is both observed (--given) and set (--do): leave one out"));
    }
    found
}

fn describe(document: &Document, arguments: &Arguments) -> String {
    let list = |pairs: &[(String, String)]| -> Vec<String> {
        pairs.iter().map(|(name, state)| format!("{name} = {state}")).collect()
    };
    let set = list(&arguments.set).into_iter().map(|text| format!("do({text})"));
    let told: Vec<String> = list(&arguments.given).into_iter().chain(set).collect();
    let mut text = if told.is_empty() {
        "Probabilities\n".to_owned()
    } else {
        format!("Probabilities given {}\n", told.join(", "))
    };
    if !arguments.given.is_empty() {
        let probability = exp(document.evidence_log_probability);
        text += &format!("What is observed has probability {probability:.4}\n");
    }
    let rows = document.nodes.iter().flat_map(|node| {
        node.states.iter().enumerate().map(|(place, state)| {
            let name = if place == 0 { node.name.clone() } else { String::new() };
            vec![name, state.state.clone(), format!("{:.4}", state.probability)]
        })
    });
    text + &console::table_of(&["node", "state", "probability"], rows, &[2])
}

/// The model of `plackett fit` in a file, if it is one.
pub(crate) fn read_model(path: &Path) -> anyhow::Result<Option<Model>> {
    let is_json = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if !is_json {
        return Ok(None);
    }
    let file = path.display().to_string();
    let read = std::fs::File::open(path).and_then(plackett::memory::read_text);
    let text = read.map_err(|problem| Error::Io { file: file.clone(), problem })?;
    Ok(if Model::is_document(&text) { Some(Model::from_json(&text, &file)?) } else { None })
}

/// A network by its name, from BIF, or of a model whose columns are all categories.
pub(crate) fn read_network(path: &Path) -> anyhow::Result<BayesNet> {
    if let Some(model) = read_model(path)? {
        let numbers: Vec<&str> = model
            .nodes()
            .iter()
            .zip(model.graph().names())
            .filter(|(node, _)| node.states.is_empty())
            .map(|(_, name)| name.as_str())
            .collect();
        let reason = if numbers.is_empty() {
            "some of its categories depend on numbers".to_owned()
        } else {
            format!("it has numbers: {}", numbers.join(", "))
        };
        let file = path.display();
        return model.to_network().ok_or_else(|| {
            BadInput(format!("{file}: exact probabilities are those of categories alone, and {reason}"))
                .into()
        });
    }
    Ok(network::network(&path.display().to_string())?)
}
