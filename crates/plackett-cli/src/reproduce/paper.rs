//! The figures of the paper's tables.

use anyhow::Context;
use serde::Deserialize;

/// One published figure: a mean and a standard deviation over five seeds.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Published {
    pub nodes: usize,
    pub graph: String,
    pub method: String,
    pub metric: String,
    pub mean: f64,
    pub std: f64,
}

/// All published figures.
pub(super) fn figures() -> anyhow::Result<Vec<Published>> {
    let text = include_str!("../../data/paper_tables.csv");
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    rows.collect::<Result<_, _>>().context("the embedded figures of the paper")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_of_the_tables_is_there() {
        let figures = figures().unwrap();
        // Six methods with four metrics and GREEDY-SP with three, in twelve settings; three methods with four on ALARM.
        assert_eq!(figures.len(), 12 * (6 * 4 + 3) + 3 * 4);
        let worst = figures
            .iter()
            .find(|f| f.nodes == 50 && f.graph == "ER4" && f.method == "PL-RELAX" && f.metric == "shd");
        assert_eq!(worst.map(|figure| figure.mean), Some(220.6));
    }
}
