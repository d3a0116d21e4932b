//! Graphs as text for Graphviz. Every name is a quoted string, whatever it says.

use std::fmt::Write;

use super::svg::about;
use crate::answer::{Edge, Module};

pub fn dot(title: &str, modules: &[Module], edges: &[Edge]) -> String {
    let mut out = format!("digraph {} {{\n  node [shape=box, style=rounded];\n", quoted(title));
    for (at, module) in modules.iter().enumerate() {
        let name = if module.name.is_empty() { "." } else { &module.name };
        let color = if module.circular { ", color=red" } else { "" };
        let _ = writeln!(out, "  m{at} [label={}{color}];", quoted(&format!("{name}\n{}", about(module))));
    }
    for edge in edges {
        if edge.from < modules.len() && edge.to < modules.len() {
            let _ = writeln!(out, "  m{} -> m{} [label=\"{}\"];", edge.from, edge.to, edge.count);
        }
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
