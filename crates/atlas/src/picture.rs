//! The graph of modules as a picture: who uses whom from top to bottom, circles marked. Only places and lines are found
//! here; what is a module and who uses it was answered before.
//!
//! ```text
//! modules, edges ─gather─▶ at most 60 ─layers─▶ rows, circles broken ─order─▶ few crossings ─place─▶ Drawing ─▶ svg
//! ```

use serde::{Deserialize, Serialize};

use crate::answer::{Edge, Module};

mod dot;
mod gather;
mod layers;
mod order;
mod place;
mod svg;

pub use dot::dot;
pub use gather::MAX_MODULES;
pub use svg::svg;

/// Boxes and lines with their places, for whoever draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    pub width: f64,
    pub height: f64,
    pub boxes: Vec<Box>,
    pub lines: Vec<Line>,
}

/// A module, or several that had no room of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Box {
    #[serde(flatten)]
    pub module: Module,
    /// Modules that are drawn as this one.
    pub of: usize,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Indices into the boxes.
    pub from: usize,
    pub to: usize,
    pub count: usize,
    /// Part of a circle.
    pub circular: bool,
    /// Others lead there, too: the structure is the same without it.
    pub implied: bool,
    /// The way of the line, from box to box.
    pub points: Vec<(f64, f64)>,
}

/// Finds a place for everything. The same graph gives the same drawing.
pub fn draw(modules: &[Module], edges: &[Edge]) -> Drawing {
    let graph = gather::gather(modules, edges);
    let layers = layers::layers(&graph);
    let order = order::order(&graph, &layers);
    place::place(graph, &order)
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
struct Graph {
    nodes: Vec<Node>,
    /// From, to, weight; no loops, each pair once, in order.
    edges: Vec<Edge>,
}

#[derive(Debug, Clone, PartialEq)]
struct Node {
    module: Module,
    of: usize,
}

#[cfg(test)]
mod tests;
