//! Which edges stay at other values of the price, as a table, in the document and as a picture.

use plackett_dag::learning::{PathEdge, PathPoint};
use serde::Serialize;

use super::{Report, text::first_of};
use crate::{
    console,
    learn::option,
    plot::{Figure, Stay, Stays},
};

/// Edges of the table and of the picture; the document has them all.
const MOST_EDGES: usize = 30;
/// Edges of the picture, for which there is more room.
const MOST_LINES: usize = 60;

/// A graph on the path.
#[derive(Serialize)]
pub(super) struct PointDocument<'a> {
    price: f64,
    score: Option<f64>,
    edges: Vec<[&'a str; 2]>,
}

/// Where an edge is there.
#[derive(Serialize)]
pub(super) struct PathEdgeDocument<'a> {
    from: &'a str,
    to: &'a str,
    lowest: f64,
    highest: f64,
    count: usize,
    turned: usize,
    is_learned: bool,
}

impl Report<'_> {
    /// The option that varies.
    pub(super) fn path_setting(&self) -> Option<String> {
        self.path.map(|path| option(path.setting).trim_start_matches('-').to_owned())
    }

    pub(super) fn path_points(&self) -> Option<Vec<PointDocument<'_>>> {
        let point = |point: &PathPoint| PointDocument {
            price: point.price,
            score: point.score,
            edges: point.edges.iter().map(|&(from, to)| [self.name(from), self.name(to)]).collect(),
        };
        Some(self.path?.points.iter().map(point).collect())
    }

    pub(super) fn path_edges(&self) -> Option<Vec<PathEdgeDocument<'_>>> {
        let edge = |edge: &PathEdge| PathEdgeDocument {
            from: self.name(edge.from),
            to: self.name(edge.to),
            lowest: edge.lowest,
            highest: edge.highest,
            count: edge.count,
            turned: edge.turned,
            is_learned: edge.is_learned,
        };
        Some(self.path?.edges.iter().map(edge).collect())
    }

    /// The edges of the graph with where they stay, and those that others have.
    pub(super) fn path(&self) -> Option<String> {
        let path = self.path?;
        let (first, last) = (path.points.first()?, path.points.last()?);
        let setting = option(path.setting);
        let mut text = format!(
            "Path    {setting} from {:.3} to {:.3}, {:.3} for the graph above: where its edges stay\n",
            first.price, last.price, path.learned_at
        );
        let row = |edge: &PathEdge| {
            vec![
                format!("{} -> {}", self.name(edge.from), self.name(edge.to)),
                format!("{:.3}", edge.lowest),
                format!("{:.3}", edge.highest),
                self.there(edge).into_iter().map(|is_there| if is_there { '■' } else { '·' }).collect(),
                if edge.turned > 0 { format!("{} of {}", edge.turned, edge.count) } else { String::new() },
            ]
        };
        let learned: Vec<&PathEdge> = path.edges.iter().filter(|edge| edge.is_learned).collect();
        let shown = learned.iter().take(MOST_EDGES).map(|edge| row(edge));
        text += &console::table_of(&["edge", "lowest", "highest", "there", "turned"], shown, &[1, 2]);
        if learned.len() > MOST_EDGES {
            text += &format!("\nand {} weaker ones (--json has them all)", learned.len() - MOST_EDGES);
        }
        let other = |edge: &&PathEdge| {
            let reach = if edge.lowest < path.learned_at {
                format!("up to {:.3}", edge.highest)
            } else {
                format!("from {:.3}", edge.lowest)
            };
            format!("{} -> {} ({reach})", self.name(edge.from), self.name(edge.to))
        };
        let others: Vec<String> =
            path.edges.iter().filter(|edge| !edge.is_learned).map(|edge| other(&edge)).collect();
        if !others.is_empty() {
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            text += &format!("\nOthers  {}", first_of(&others, MOST_EDGES / 2, 8));
        }
        Some(text)
    }

    /// At which of the values an edge is there.
    fn there(&self, edge: &PathEdge) -> Vec<bool> {
        let ways = [(edge.from, edge.to), (edge.to, edge.from)];
        let is_there = |point: &PathPoint| point.edges.iter().any(|pair| ways.contains(pair));
        self.path.map(|path| path.points.iter().map(is_there).collect()).unwrap_or_default()
    }

    /// The same as a picture.
    pub(super) fn path_picture(&self) -> Option<anyhow::Result<Figure>> {
        let path = self.path?;
        let lines: Vec<Stay> = path
            .edges
            .iter()
            .take(MOST_LINES)
            .map(|edge| Stay {
                label: format!("{} → {}", self.name(edge.from), self.name(edge.to)),
                is_there: self.there(edge),
                is_chosen: edge.is_learned,
            })
            .collect();
        let values: Vec<f64> = path.points.iter().map(|point| point.price).collect();
        let chosen = values.iter().position(|&value| value == path.learned_at).unwrap_or_default();
        let title = format!("{}: which edges stay", self.data.title);
        Some(Figure::draw_stays(&Stays {
            title: &title,
            axis: &option(path.setting),
            values: &values,
            chosen,
            lines: &lines,
        }))
    }
}
