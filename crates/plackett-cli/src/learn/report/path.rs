//! Which edges stay at other values of the price, in the document and as a picture.

use plackett_dag::learning::{PathEdge, PathPoint};
use plackett_report::option;
use serde::Serialize;

use super::Report;
use crate::plot::{Figure, Stay, Stays};

/// Edges of the picture; the document has them all.
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
        self.summary.path.map(|path| option(path.setting).trim_start_matches('-').to_owned())
    }

    pub(super) fn path_points(&self) -> Option<Vec<PointDocument<'_>>> {
        let point = |point: &PathPoint| PointDocument {
            price: point.price,
            score: point.score,
            edges: point.edges.iter().map(|&(from, to)| [self.name(from), self.name(to)]).collect(),
        };
        Some(self.summary.path?.points.iter().map(point).collect())
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
        Some(self.summary.path?.edges.iter().map(edge).collect())
    }

    /// The same as a picture.
    pub(super) fn path_picture(&self) -> Option<anyhow::Result<Figure>> {
        let path = self.summary.path?;
        let lines: Vec<Stay> = path
            .edges
            .iter()
            .take(MOST_LINES)
            .map(|edge| Stay {
                label: format!("{} → {}", self.name(edge.from), self.name(edge.to)),
                is_there: self.summary.there(edge),
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
