//! The graph of modules with a place for everything: whoever shows it need not find one, and shows what
//! `throughline code map --svg` draws.

use atlas::answer::{Edge, Module};
use atlas::picture::{self, Drawing};
use schemars::JsonSchema;
use serde::Serialize;

/// At most sixty boxes: folders are taken together until they fit.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Drawn {
    width: f64,
    height: f64,
    boxes: Vec<ModuleBox>,
    /// Who uses whom.
    lines: Vec<ModuleLine>,
    /// Modules before they were taken together.
    modules: u64,
}

/// A folder or a file.
#[derive(Debug, Serialize, JsonSchema)]
struct ModuleBox {
    /// From the folder that was asked about on; `.` is that folder itself.
    name: String,
    files: u64,
    lines: u64,
    symbols: u64,
    /// In a circle with others.
    circular: bool,
    /// Modules that are drawn as this one.
    of: u64,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ModuleLine {
    /// Who uses: an index into `boxes`.
    from: u64,
    /// What is used.
    to: u64,
    /// Imports.
    count: u64,
    /// Part of a circle.
    circular: bool,
    /// Others lead there, too.
    implied: bool,
    /// The way of the line, x and y in turn.
    points: Vec<f64>,
}

impl Drawn {
    pub(super) fn of(modules: &[Module], edges: &[Edge]) -> Self {
        let Drawing { width, height, boxes, lines } = picture::draw(modules, edges);
        let place = |one: picture::Box| {
            let Module { name, files, lines, symbols, circular } = one.module;
            ModuleBox {
                name,
                files: files as u64,
                lines,
                symbols: symbols as u64,
                circular,
                of: one.of as u64,
                x: one.x,
                y: one.y,
                width: one.width,
                height: one.height,
            }
        };
        let line = |line: picture::Line| ModuleLine {
            from: line.from as u64,
            to: line.to as u64,
            count: line.count as u64,
            circular: line.circular,
            implied: line.implied,
            points: line.points.into_iter().flat_map(|(x, y)| [x, y]).collect(),
        };
        Self {
            width,
            height,
            boxes: boxes.into_iter().map(place).collect(),
            lines: lines.into_iter().map(line).collect(),
            modules: modules.len() as u64,
        }
    }
}
