//! The outline of a file: every definition with its lines, nested by indentation, and shorter in steps until it fits.

use std::fmt::Write;

use super::{SIGNATURE_CHARS, bare, clean, cut, headline, joined, range};
use crate::answer::Item;

/// Where space is short, what a definition is called matters more than all it takes.
const SHORTER: [usize; 3] = [80, 48, 28];
/// Deeper nesting is told like this depth: nobody counts more indentation.
const MAX_DEPTH: usize = 8;

/// Every definition with its lines, one a line, what is inside of another below it:
///
/// ```text
/// 12-40  class Store(Base)
///   14-20  def save(self, order)
/// ```
///
/// Over the budget, first the deepest move into the line of what is around them (`12-40  class Store(Base): save 14-20,
/// load 22-30`), then they are only counted (`… 12 more`), and at last the end of the file is.
pub fn outline(items: &[Item], budget: usize) -> String {
    let rows = nest(items);
    let deepest = rows.iter().map(|row| row.depth).max().unwrap_or(0);
    let full = render(&rows, deepest, Deeper::Named, SIGNATURE_CHARS);
    if let Some(text) = joined(&full, budget) {
        return text;
    }
    for most in SHORTER {
        for depth in (0..=deepest).rev() {
            if let Some(text) = joined(&render(&rows, depth, Deeper::Named, most), budget) {
                return text;
            }
        }
    }
    for most in SHORTER {
        for depth in (0..deepest).rev() {
            if let Some(text) = joined(&render(&rows, depth, Deeper::Counted, most), budget) {
                return text;
            }
        }
    }
    packed(&rows, budget)
}

struct Row<'a> {
    item: &'a Item,
    depth: usize,
}

/// How what is too deep is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deeper {
    Named,
    Counted,
}

/// How deep each stands. Items are in the order of the text, and what contains another comes before it.
fn nest(items: &[Item]) -> Vec<Row<'_>> {
    let mut around: Vec<&Item> = Vec::new();
    let mut rows = Vec::with_capacity(items.len());
    for item in items {
        // Without a parent it is at the top, whatever stands on the same line.
        if item.parent.is_none() {
            around.clear();
        }
        while around.last().is_some_and(|outer| item.line < outer.line || item.end_line > outer.end_line) {
            around.pop();
        }
        // Two on one line are side by side, unless the text says that one is in the other.
        while around.last().is_some_and(|outer| {
            (outer.line, outer.end_line) == (item.line, item.end_line) && !is_in(item, outer)
        }) {
            around.pop();
        }
        rows.push(Row { item, depth: around.len().min(MAX_DEPTH) });
        around.push(item);
    }
    rows
}

fn is_in(item: &Item, outer: &Item) -> bool {
    item.parent.as_deref().is_some_and(|parent| parent == outer.name || parent == bare(&outer.name))
}

fn render(rows: &[Row<'_>], depth: usize, deeper: Deeper, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(row) = rows.get(at) {
        let inside = rows[at + 1..].iter().take_while(|next| next.depth > row.depth).count();
        let mut line = format!(
            "{:indent$}{}  {}",
            "",
            range(row.item.line, row.item.end_line),
            headline(row.item, most),
            indent = 2 * row.depth
        );
        if row.depth < depth || inside == 0 {
            line.push('\n');
            lines.push(line);
            at += 1;
            continue;
        }
        match deeper {
            Deeper::Named => {
                let names = rows[at + 1..=at + inside].iter().map(|row| name(row.item));
                let _ = write!(line, ": {}", names.collect::<Vec<_>>().join(", "));
            }
            Deeper::Counted => {
                let _ = write!(line, " … {inside} more");
            }
        }
        line.push('\n');
        lines.push(line);
        at += inside + 1;
    }
    lines
}

/// The names of the first level with their lines, as many as fit.
fn packed(rows: &[Row<'_>], budget: usize) -> String {
    let top: Vec<&Item> = rows.iter().filter(|row| row.depth == 0).map(|row| row.item).collect();
    let mut names: Vec<String> = top.iter().map(|item| format!("{}, ", name(item))).collect();
    let inside = rows.len() - top.len();
    if let Some(last) = names.last_mut() {
        last.truncate(last.len() - 2);
        last.push_str(&if inside > 0 { format!(" … {inside} more in these\n") } else { "\n".to_owned() });
    }
    cut(&names, budget, |kept| format!("… {} more\n", rows.len() - kept))
}

/// `save 14-20`
fn name(item: &Item) -> String {
    format!("{} {}", clean(bare(&item.name)), range(item.line, item.end_line))
}
