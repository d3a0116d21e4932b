//! A flow for people and for agents: a few lines of text, or a picture's source.

use std::fmt::Write as _;

use super::{EdgeKind, Flow};

impl Flow {
    /// One line about the function, one a block: `B2 14-16 -> B3 true, B5 false`.
    pub fn text(&self) -> String {
        let mut out = format!(
            "{} {}-{}: complexity {}, depth {}, {} branches, {} loops, {} exits\n",
            self.name,
            self.span.line,
            self.span.end_line,
            self.complexity,
            self.depth,
            self.branches,
            self.loops,
            self.exits
        );
        for at in 0..self.blocks.len() {
            let ways: Vec<String> = self
                .edges
                .iter()
                .filter(|edge| edge.from == at as u32)
                .map(|edge| match edge.kind {
                    EdgeKind::Next => self.block_name(edge.to),
                    kind => format!("{} {}", self.block_name(edge.to), kind.name()),
                })
                .collect();
            if ways.is_empty() {
                continue;
            }
            let _ = write!(out, "{}", self.block_name(at as u32));
            let lines = self.block_lines(at);
            if !lines.is_empty() {
                let _ = write!(out, " {lines}");
            }
            let _ = writeln!(out, " -> {}", ways.join(", "));
        }
        if !self.unreachable.is_empty() {
            let lines: Vec<String> = self.unreachable.iter().map(|range| lines(*range)).collect();
            let _ = writeln!(out, "unreachable: {}", lines.join(", "));
        }
        out
    }

    /// For Graphviz.
    pub fn dot(&self) -> String {
        let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(&self.name));
        for at in 0..self.blocks.len() {
            let name = self.block_name(at as u32);
            let label = format!("{name} {}", self.block_lines(at));
            let _ = writeln!(out, "  {name} [label={}];", quoted(label.trim()));
        }
        for edge in &self.edges {
            let (from, to) = (self.block_name(edge.from), self.block_name(edge.to));
            let label = match edge.kind {
                EdgeKind::Next => String::new(),
                kind => format!(" [label={}]", quoted(kind.name())),
            };
            let _ = writeln!(out, "  {from} -> {to}{label};");
        }
        out.push_str("}\n");
        out
    }

    fn block_name(&self, at: u32) -> String {
        if at as usize + 1 == self.blocks.len() { "exit".to_owned() } else { format!("B{at}") }
    }

    fn block_lines(&self, at: usize) -> String {
        match &self.blocks[at] {
            block if block.first == 0 => String::new(),
            block => lines((block.first, block.last)),
        }
    }
}

fn lines((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
