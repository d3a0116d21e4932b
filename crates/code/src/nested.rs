//! Programs inside of tokens. The grammar of a language with macros makes no expressions of their arguments; most are
//! such all the same, so their text is read again by itself. What is no program is left to [`crate::tokens`].

use tree_sitter::{Node, Point, QueryCursor, Range, Tree};

use crate::extract::{self, Piece, Reading};
use crate::language::Language;
use crate::{Facts, tokens};

/// Macros in the arguments of macros: what is deeper is looked through token by token.
const MAX_DEPTH: usize = 8;

/// Tokens that are still to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program<'t> {
    pub(crate) node: Node<'t>,
    /// What it defines is defined elsewhere, by whoever fills it in.
    pub(crate) only_uses: bool,
}

/// All that is left to read, level by level, and then the facts. A tree must live as long as what is said about its
/// nodes: each level keeps its own while the next ones are read.
pub(crate) fn finish(
    mut reading: Reading<'_>,
    language: &Language,
    cursor: &mut QueryCursor,
    depth: usize,
) -> Facts {
    let pending = std::mem::take(&mut reading.programs);
    if pending.is_empty() {
        return reading.finish();
    }
    let trees: Vec<Option<Tree>> = pending
        .iter()
        .map(|Program { node, only_uses }| {
            let is_worth_it = depth < MAX_DEPTH && !tokens::are_plain(*node, reading.settings);
            let tree = if is_worth_it { program(language, *node, reading.text) } else { None };
            // Uses are uses, whatever is around them.
            tree.filter(|tree| *only_uses || !tree.root_node().has_error())
        })
        .collect();
    let mut reading: Reading<'_> = reading;
    for (Program { node, only_uses }, tree) in pending.iter().zip(&trees) {
        match tree {
            Some(tree) => {
                let piece = Piece { tree, end: node.end_byte(), only_uses: *only_uses };
                reading.query(language, cursor, piece);
            }
            None => tokens::read(*node, depth < MAX_DEPTH, &mut reading),
        }
    }
    finish(reading, language, cursor, depth + 1)
}

/// The tree of tokens together with the brackets around them.
fn program(language: &Language, node: Node<'_>, text: &str) -> Option<Tree> {
    // Some sign must end a statement. The next one in the text serves, wherever it stands: nothing is kept that
    // reaches so far.
    let ending = &language.settings().tokens.ending;
    let Some(at) = text[node.end_byte()..].find(&**ending).map(|at| node.end_byte() + at) else {
        return extract::parse_within(language, text, &[node.range()]);
    };
    let between = &text[node.end_byte()..at];
    let end = node.end_position();
    let sign = Point {
        row: end.row + between.matches('\n').count(),
        column: match between.rfind('\n') {
            Some(line) => between.len() - line - 1,
            None => end.column + between.len(),
        },
    };
    let sign = Range {
        start_byte: at,
        end_byte: at + ending.len(),
        start_point: sign,
        end_point: Point { column: sign.column + ending.len(), ..sign },
    };
    extract::parse_within(language, text, &[node.range(), sign])
}
