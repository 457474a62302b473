//! Networks that the crate brings along: the ones that papers on learning discrete networks measure themselves by.
//!
//! Each is a text in `data/networks`: a line `node: states | parents` for every node, its words separated by spaces, and
//! below it one line of probabilities per configuration of the parents, in the order listed, the last changing fastest.
//! Lines that begin with # are comments and say where the network was published.

use std::collections::HashMap;

use super::{BayesNet, FILE_SUM_TOLERANCE, check_states, configuration_count, normalize};
use crate::error::{Error, Place, Problem, Result};

/// A network that [`BayesNet::embedded`] knows.
///
/// # Example
/// ```
/// use plackett_dag::network::EMBEDDED;
///
/// let asia = EMBEDDED.iter().find(|network| network.name == "asia").unwrap();
/// assert!(asia.summary.starts_with("8 nodes"));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct EmbeddedNetwork {
    /// The name to ask for.
    pub name: &'static str,
    /// Its size and what it is about.
    pub summary: &'static str,
    text: &'static str,
}

macro_rules! network {
    ($name:literal, $summary:literal) => {
        EmbeddedNetwork {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../../data/networks/", $name, ".txt")),
        }
    };
}

/// The networks by name: a new one is a file and one line here.
///
/// # Example
/// ```
/// use plackett_dag::{BayesNet, network::EMBEDDED};
///
/// for network in EMBEDDED {
///     assert!(BayesNet::embedded(network.name).is_ok());
/// }
/// ```
pub const EMBEDDED: &[EmbeddedNetwork] = &[
    network!("alarm", "37 nodes, 46 edges: monitoring of patients under anesthesia"),
    network!("asia", "8 nodes, 8 edges: diseases of the lung, invented"),
    network!("cancer", "5 nodes, 4 edges: causes and signs of lung cancer, invented"),
    network!("child", "20 nodes, 25 edges: congenital heart disease"),
    network!("earthquake", "5 nodes, 4 edges: who calls when the burglar alarm rings, invented"),
    network!("insurance", "27 nodes, 52 edges: risks of insuring cars"),
    network!("sachs", "11 nodes, 17 edges: proteins that signal in cells"),
    network!("survey", "6 nodes, 6 edges: who travels by which means, invented"),
];

impl BayesNet {
    /// A network that the crate brings along, one of [`EMBEDDED`].
    ///
    /// # Errors
    /// [`Error::UnknownNetwork`] for any other name.
    ///
    /// # Example
    /// ```
    /// use plackett_dag::BayesNet;
    ///
    /// assert_eq!(BayesNet::embedded("child")?.dag().nodes(), 20);
    /// let error = BayesNet::embedded("children").unwrap_err();
    /// assert!(error.to_string().starts_with("there is no network named \"children\"; known are alarm, asia, "));
    /// # Ok::<(), plackett_dag::Error>(())
    /// ```
    pub fn embedded(name: &str) -> Result<Self> {
        let network =
            EMBEDDED.iter().find(|network| network.name == name).ok_or_else(|| Error::UnknownNetwork {
                name: name.to_owned(),
                known: EMBEDDED.iter().map(|network| network.name).collect::<Vec<_>>().join(", "),
            })?;
        parse(network.text, &format!("{name}.txt"))
    }
}

fn parse(text: &str, file: &str) -> Result<BayesNet> {
    let fault = |line: usize, message: String| Error::Content {
        place: Place { file: file.to_owned(), line: Some(line as u64), column: None },
        problem: Problem::Network { message },
    };
    let lines = || (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (mut names, mut states, mut heads) = (Vec::new(), Vec::new(), Vec::new());
    for (number, line) in lines() {
        if let Some((name, rest)) = line.split_once(':') {
            let (own, parents) = rest.split_once('|').unwrap_or((rest, ""));
            check_states(&words(own)).map_err(|problem| fault(number, problem))?;
            names.push(name.to_owned());
            states.push(words(own));
            heads.push((number, words(parents)));
        }
    }
    let index: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
    let mut rows = lines().filter(|(_, line)| !line.contains(':'));
    let (mut parents, mut tables) = (Vec::new(), Vec::new());
    for (node, (number, words)) in heads.iter().enumerate() {
        let find = |name: &String| {
            index
                .get(name.as_str())
                .copied()
                .ok_or_else(|| fault(*number, format!("there is no node {name}")))
        };
        let list = words.iter().map(find).collect::<Result<Vec<usize>>>()?;
        let arity = states[node].len();
        let configurations =
            configuration_count(&list, arity, &states).map_err(|problem| fault(*number, problem))?;
        let mut table = Vec::with_capacity(configurations * arity);
        for _ in 0..configurations {
            let (number, line) = rows.next().ok_or_else(|| fault(*number, "a row is missing".to_owned()))?;
            let row: std::result::Result<Vec<f64>, _> = line.split_whitespace().map(str::parse).collect();
            let mut row = row.ok().filter(|row| row.len() == arity);
            let row = row.as_mut().ok_or_else(|| fault(number, format!("{arity} numbers are expected")))?;
            normalize(row, FILE_SUM_TOLERANCE).map_err(|problem| fault(number, problem))?;
            table.extend_from_slice(row);
        }
        parents.push(list);
        tables.push(table);
    }
    BayesNet::from_listed(names, states, &parents, tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_the_published_sizes() {
        // Nodes, edges, free parameters, most parents.
        for (name, published) in [
            ("alarm", [37, 46, 509, 4]),
            ("asia", [8, 8, 18, 2]),
            ("cancer", [5, 4, 10, 2]),
            ("child", [20, 25, 230, 2]),
            ("earthquake", [5, 4, 10, 2]),
            ("insurance", [27, 52, 1008, 3]),
            ("sachs", [11, 17, 178, 3]),
            ("survey", [6, 6, 21, 2]),
        ] {
            let net = BayesNet::embedded(name).unwrap();
            let dag = net.dag();
            let most = (0..dag.nodes()).map(|node| dag.parents(node).len()).max().unwrap();
            assert_eq!([dag.nodes(), dag.edge_count(), net.free_parameters(), most], published, "{name}");
            let summary = EMBEDDED.iter().find(|network| network.name == name).unwrap().summary;
            assert!(
                summary.starts_with(&format!("{} nodes, {} edges: ", published[0], published[1])),
                "{summary}"
            );
        }
        assert_eq!(EMBEDDED.len(), 8);
    }

    #[test]
    fn rows_belong_to_the_parents_as_listed() {
        // The parents of c are listed as b and a, while the table of the network has them as a and b.
        let net = parse(
            "a: 0 1\n0.1 0.9\nb: x y z\n0.2 0.3 0.5\nc: n y | b a\n1 0\n.9 .1\n.8 .2\n.7 .3\n.6 .4\n.5 .5\n",
            "n",
        )
        .unwrap();
        assert_eq!(net.table(2), [1.0, 0.0, 0.8, 0.2, 0.6, 0.4, 0.9, 0.1, 0.7, 0.3, 0.5, 0.5]);
    }

    #[test]
    fn faults_are_named_by_line() {
        for (text, wanted) in [
            ("a: x y\n0.5 0.4\n", "n, line 2: the probabilities sum to 0.9, not 1"),
            ("# about\na: x y | b\n0.5 0.5\n", "n, line 2: there is no node b"),
            ("a: x y\n", "n, line 1: a row is missing"),
            ("a: x y\n0.5\n", "n, line 2: 2 numbers are expected"),
            ("a: x x\n0.5 0.5\n", "n, line 1: two states are named \"x\""),
        ] {
            assert_eq!(parse(text, "n").unwrap_err().to_string(), wanted);
        }
    }
}
