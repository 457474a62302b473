//! Which edges stay at other values of the price.

use plackett_dag::learning::{PathEdge, PathPoint};

use super::{Summary, text::first_of};
use crate::console;

/// Edges of the table; the document has them all.
const MOST_EDGES: usize = 30;

impl Summary<'_> {
    /// The edges of the graph with where they stay, and those that others have.
    pub(super) fn path(&self) -> Option<String> {
        let path = self.path?;
        let (first, last) = (path.points.first()?, path.points.last()?);
        let setting = self.face.setting(path.setting);
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
            let (rest, all) = (learned.len() - MOST_EDGES, self.face.all_in("path_edges"));
            text += &format!("\nand {rest} weaker ones ({all})");
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
    pub(in crate::learn) fn there(&self, edge: &PathEdge) -> Vec<bool> {
        let ways = [(edge.from, edge.to), (edge.to, edge.from)];
        let is_there = |point: &PathPoint| point.edges.iter().any(|pair| ways.contains(pair));
        self.path.map(|path| path.points.iter().map(is_there).collect()).unwrap_or_default()
    }
}
