//! Flow within one function: how control goes through it (L3), which definition of a variable reaches which use (L4),
//! which statements decide what a line computes (L5). A function of a text and a line; knows no other file, and of what is
//! called only what it does to fields and to variables of the file.
//!
//! A language's `flow.scm` is a table, written as tree-sitter queries so that its grammar can prove it: what a node of a
//! kind does, `(kind field: (_) @part …) @role`. Of several patterns for one kind the first whose conditions hold is
//! meant: a child with kinds but no part (`operator: "="`), a token (`"."`), a missing field (`!value`).
//!
//! | role | what a node does | parts |
//! |---|---|---|
//! | `function`, `function.hoisted` | a function, a method, a closure; callable above where it stands | `name`, `parameters`, `results` (with names), `body`; `inside`: the declarator that has them |
//! | `type` | a class, a struct, a module | `name`, `body` |
//! | `block`, `block.giving` | statements; the last is its value | |
//! | `statement` | wraps a statement or an expression | |
//! | `if`, `else` | a branch; wraps the other way | `init`, `condition`, `then`, `else` |
//! | `loop`, `loop.after`, `clause` | a loop; the condition comes last; a part of its head, or of a comprehension | `init`, `condition`, `update`, `target` or `declared` with `value`, `body`, `else`, `label` |
//! | `switch`, `switch.whole` | arms; one of them always holds | `init`, `subject`, `declared`, `body` |
//! | `case`, `case.falling` | an arm; goes on into the next | `pattern` (binds) or `value` (is compared), `guard`, `init`, `body` |
//! | `try`, `catch`, `finally` | | `init`, `body`, `handler`, `else`, `finally`; `target` or `declared`, `pattern`, `body` |
//! | `with` | a head, then a body that always runs | `body` |
//! | `return`, `throw`, `break`, `continue`, `goto`, `fallthrough`, `give` | jumps; `give` is the value of the switch around it | `label` |
//! | `label`, `defer`, `assert`, `propagate` | a place, a call at the end, a throw unless, Rust's `?` | `label` |
//! | `decision` | an expression with two ways | |
//! | `name`, `member`, `index`, `dereference`, `reference` | a variable, `a.b`, `a[b]`, `*a`, `&mut a` | `object`, `member` |
//! | `call`, `macro`, `through` | `f(x)`; `f!(x)`; what is inside: `await x`, `x!` | `callee` or `receiver` with `method`; `arguments` |
//! | `bind`, `bind.pointer`, `update`, `import` | writes `target`s (variables there are) or `declared` ones (new); of what points at something; `x += 1` | `value`, `skip`, `type`, `mutable`, `constant`, `pointer`, `else` |
//! | `property` | a name of a value that is no variable | `name` or `skip`, `value` |
//! | `inner` | an expression with variables of its own | |
//! | `hoist`, `outer` | declarations of the whole function; names of outside | |
//! | `scalar` | an expression that gives a number or a text | |
//! | `format`, `tokens` | names in braces; tokens of a macro | |
//! | `skip`, `comment` | nothing: types, attributes | |
//!
//! `((_) @words.LIST (#any-of? @words.LIST "…"))` are the words of a language, see [`table::Words`]; of `words.rules`:
//! `assignment-declares` (Python), `break-leaves-switch`, `labels-are-places` (goto), `capitals-are-constants` (in
//! patterns), `says-what-changes` (only what is declared `mut` is changed by a method), `arguments-are-copies` (only a
//! pointer or a reference lets a call change what it is handed), `declarations-are-hoisted`, `fields-are-bare` (a name
//! that nobody declared and that begins small is a field).
//!
//! What is decided, and why:
//! - A call may throw anywhere. Only a `try` around it makes that a way: to its handlers. A statement after a call does
//!   not depend on the call having returned, or every slice would be all that stands above.
//!   Rust's `?` is written down, and decides like any other way out.
//! - What a function of the same file does to fields of the value a method is asked of, and to variables of the file,
//!   is what its text does. Of any other, only names tell: a method may change what it is asked of, unless it is known not to; so may a function whose result nobody wants
//!   change what it is handed.
//! - A function within is walked where it stands, as if it ran there or not. What it takes from around it may also be
//!   what was written there later; who uses its name reads what it reads and changes what it changes.
//! - Arms of a switch exclude one another: one does not depend on those before it, but for guards, and where there is
//!   nothing to compare with.

mod access;
mod attempt;
mod blocks;
mod call;
mod closure;
mod control;
mod depend;
mod effects;
mod graph;
mod jump;
mod measure;
mod path;
mod query;
mod reach;
mod render;
mod scope;
mod slice;
mod switch;
mod table;
mod walker;

use serde::{Deserialize, Serialize};
use tree_sitter::{Node, Tree};

pub use slice::{Direction, Slice};
pub(crate) use table::Table;

use crate::{Language, Span};

/// Statements of a function that is looked at. The longest by hand have some 2,000; what is longer was made by a
/// program, and the tables grow with the square.
pub const MAX_STATEMENTS: usize = 5_000;

/// Why there is no flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("flow is not known for this language")]
    Language,
    #[error("the text is too large to be parsed")]
    Text,
    #[error("the function has more than {MAX_STATEMENTS} statements")]
    Statements,
    #[error("no function and no statement stands there")]
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Of the function; empty for the top of a file.
    pub name: Box<str>,
    pub span: Span,
    /// The first is where it begins, the last where it ends.
    pub blocks: Vec<Block>,
    pub edges: Vec<Edge>,
    /// Decisions plus one.
    pub complexity: u32,
    /// Branches, loops and closures in one another.
    pub depth: u32,
    pub branches: u32,
    pub loops: u32,
    /// Places where it is left.
    pub exits: u32,
    /// Lines no way leads to, as ranges with both ends in them.
    pub unreachable: Vec<(u32, u32)>,
    pub statements: Vec<Statement>,
    /// Variables and members as written: `x`, `self.count`.
    pub variables: Vec<Box<str>>,
    pub definitions: Vec<Definition>,
    pub uses: Vec<Use>,
    /// Which definition reaches which use.
    pub chains: Vec<Chain>,
    /// Which statement decides whether which runs.
    pub control: Vec<Dependence>,
    /// The word before a field that need not be written, with its dot: `this.`
    own: Box<str>,
    /// Ways from statement to statement, for questions about a variable a line does not name.
    ways: Vec<(u32, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Its lines, from the first to the last. 0: it has none.
    pub first: u32,
    pub last: u32,
    /// Into [`Flow::statements`].
    pub statements: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    pub kind: EdgeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    Next,
    True,
    False,
    /// To the head of a loop.
    Back,
    Break,
    Continue,
    Return,
    Throw,
    Catch,
    /// From a `try` to its `finally` when what it calls throws.
    Finally,
    Case,
    Fallthrough,
    Defer,
    /// Rust's `?`.
    Propagate,
    Goto,
    /// Into or past a function within.
    Closure,
}

impl EdgeKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::True => "true",
            Self::False => "false",
            Self::Back => "back",
            Self::Break => "break",
            Self::Continue => "continue",
            Self::Return => "return",
            Self::Throw => "throw",
            Self::Catch => "catch",
            Self::Finally => "finally",
            Self::Case => "case",
            Self::Fallthrough => "fallthrough",
            Self::Defer => "defer",
            Self::Propagate => "?",
            Self::Goto => "goto",
            Self::Closure => "closure",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    pub kind: StatementKind,
    /// Lines with words of its own, as ranges with both ends in them: what is nested has statements of its own.
    pub lines: Vec<(u32, u32)>,
    /// Lines of all of it.
    pub span: (u32, u32),
    /// Lines that say where it stands: `else`, `finally`, the head of an endless loop, the `break` of its arm.
    pub under: Vec<u32>,
    /// Into [`Flow::blocks`]; `None`: no way leads there.
    pub block: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StatementKind {
    Entry,
    Exit,
    Parameter,
    Plain,
    Branch,
    Loop,
    Switch,
    Case,
    Try,
    Catch,
    Jump,
    /// The head of a function within.
    Closure,
    Label,
    /// Where ways meet; nobody wrote it.
    Join,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    pub statement: u32,
    /// Into [`Flow::variables`].
    pub variable: u32,
    pub line: u32,
    /// What was there before may still be there: an element, a member of a member, a call that may change it.
    pub partial: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    pub statement: u32,
    pub variable: u32,
    pub line: u32,
}

/// Data dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// Into [`Flow::definitions`].
    pub from: u32,
    /// Into [`Flow::uses`].
    pub to: u32,
}

/// Control dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependence {
    pub statement: u32,
    pub on: u32,
    pub via: Via,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Via {
    /// A condition, or a jump that was not taken.
    Branch,
    /// What was tried may have thrown.
    Throw,
}

/// A function of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    pub name: Box<str>,
    pub span: Span,
    pub complexity: u32,
}

/// The flow of the innermost function with a name around a line, or of the top of the file. The line that a variable is
/// given a function on is a statement of the function around it.
pub fn flow(language: &Language, text: &str, line: u32) -> Option<Flow> {
    try_flow(language, text, line).ok()
}

/// As [`flow`], with the reason when there is none.
pub fn try_flow(language: &Language, text: &str, line: u32) -> Result<Flow, Refusal> {
    let (table, tree) = parsed(language, text)?;
    let row = line.checked_sub(1).ok_or(Refusal::Nothing)? as usize;
    let functions = measure::functions(table, tree.root_node());
    let mut around: Vec<&measure::Found<'_>> = functions
        .iter()
        .filter(|found| (found.node.start_position().row..=found.node.end_position().row).contains(&row))
        .collect();
    // What contains another comes before it.
    while let [.., outer, inner] = around[..]
        && measure::is_value(table, inner.node, outer.node)
        && inner.name.start_position().row == row
    {
        around.pop();
    }
    match around.pop() {
        Some(found) => of_function(table, text, tree.root_node(), *found),
        None if row < text.lines().count() => of_module(table, text, tree.root_node()),
        None => Err(Refusal::Nothing),
    }
}

/// The flow of the function whose first and last lines are those of a span, such as a symbol's.
pub fn flow_of(language: &Language, text: &str, span: Span) -> Result<Flow, Refusal> {
    let (table, tree) = parsed(language, text)?;
    let functions = measure::functions(table, tree.root_node());
    // A symbol may begin before its function (`const f = …`, modifiers) and end after it.
    let best = functions
        .into_iter()
        .filter(|found| {
            let (first, last) = (walker::line_of(found.node), walker::end_line_of(found.node));
            span.line <= first && last <= span.end_line
        })
        .min_by_key(|found| walker::line_of(found.node) - span.line);
    best.map_or(Err(Refusal::Nothing), |found| of_function(table, text, tree.root_node(), found))
}

/// Every function of a file that has a name, with its complexity, in the order of the text.
pub fn functions(language: &Language, text: &str) -> Vec<Function> {
    let Ok((table, tree)) = parsed(language, text) else { return Vec::new() };
    let found = measure::functions(table, tree.root_node()).into_iter();
    found
        .map(|found| Function {
            name: text[found.name.byte_range()].into(),
            span: span_of(found.node),
            complexity: measure::complexity(table, found.node, text),
        })
        .collect()
}

/// Span, name and complexity of every function of a file that has a name.
pub fn complexity(language: &Language, text: &str) -> Vec<(Span, Box<str>, u32)> {
    functions(language, text).into_iter().map(|found| (found.span, found.name, found.complexity)).collect()
}

/// Whether a language's `flow.scm` is one its grammar can answer, and every word of it means something. For tests: a
/// table that is wrong is a mistake of ours.
pub fn prove(language: &Language) -> Result<(), String> {
    let grammar = &language.loaded().grammar;
    let text = language.flow.join("\n");
    tree_sitter::Query::new(grammar, &text).map_err(|error| error.to_string())?;
    Table::read(&text, grammar).map(drop)
}

fn parsed<'l>(language: &'l Language, text: &str) -> Result<(&'l Table, Tree), Refusal> {
    let table = language.flow_table().ok_or(Refusal::Language)?;
    let tree = crate::parse(language, text).ok_or(Refusal::Text)?;
    Ok((table, tree))
}

fn span_of(node: Node<'_>) -> Span {
    Span {
        line: walker::line_of(node),
        end_line: walker::end_line_of(node),
        start: node.start_byte() as u32,
        end: node.end_byte() as u32,
    }
}

fn of_function(
    table: &Table,
    text: &str,
    root: Node<'_>,
    found: measure::Found<'_>,
) -> Result<Flow, Refusal> {
    let mut walker = walker::Walker::new(text, table, effects::File::of(root));
    walker.whole_function(found.node);
    finish(walker, &text[found.name.byte_range()], found.node)
}

fn of_module(table: &Table, text: &str, root: Node<'_>) -> Result<Flow, Refusal> {
    let mut walker = walker::Walker::new(text, table, effects::File::of(root));
    walker.module(root);
    finish(walker, "", root)
}

fn finish(walker: walker::Walker<'_>, name: &str, node: Node<'_>) -> Result<Flow, Refusal> {
    let complexity = measure::complexity(walker.table, node, walker.text);
    let walker::Walker { graph, scopes, deepest, exits, .. } = walker;
    if graph.full {
        return Err(Refusal::Statements);
    }
    let reached = blocks::reached(&graph);
    let (blocks, edges, of_step) = blocks::blocks(&graph, &reached);
    let reaching = reach::reaching(&graph, &scopes);
    let control = depend::control(&graph);
    let count = |kinds: &[StatementKind]| {
        let steps = graph.steps.iter().filter(|step| kinds.contains(&step.kind));
        let mut places: Vec<(u32, u32)> = steps.filter_map(|step| step.lines.first().copied()).collect();
        places.dedup();
        places.len() as u32
    };
    let ways = graph.edges.iter().filter(|edge| edge.2.is_some()).map(|edge| (edge.0, edge.1));
    let ways = ways.chain(graph.throws.iter().copied()).collect();
    let thrown = |pair: &(u32, u32)| {
        let kind = graph.steps[pair.0 as usize].kind;
        let mut tries = graph.tries.iter();
        matches!(kind, StatementKind::Try | StatementKind::Catch)
            && tries.any(|tried| {
                (tried.step == pair.0 || tried.catches.contains(&pair.0))
                    && (tried.risky.contains(&pair.1) || tried.catches.contains(&pair.1))
            })
    };
    Ok(Flow {
        name: name.into(),
        span: span_of(node),
        exits,
        complexity,
        depth: deepest,
        branches: count(&[StatementKind::Branch, StatementKind::Switch]),
        loops: count(&[StatementKind::Loop]),
        unreachable: blocks::unreachable(&graph, &reached),
        control: control
            .iter()
            .map(|pair| Dependence {
                statement: pair.0,
                on: pair.1,
                via: if thrown(pair) { Via::Throw } else { Via::Branch },
            })
            .collect(),
        variables: (0..scopes.paths.len() as u32).map(|at| scopes.text(scope::PathId(at)).into()).collect(),
        definitions: reaching
            .definitions
            .iter()
            .map(|site| Definition {
                statement: site.step,
                variable: site.path.0,
                line: site.line,
                partial: site.mode == graph::Mode::Change,
            })
            .collect(),
        uses: reaching
            .uses
            .iter()
            .map(|site| Use { statement: site.step, variable: site.path.0, line: site.line })
            .collect(),
        chains: reaching.chains.iter().map(|(from, to)| Chain { from: *from, to: *to }).collect(),
        ways,
        own: scopes.bare_word().map_or_else(Box::default, |word| format!("{word}.").into()),
        statements: graph
            .steps
            .into_iter()
            .zip(of_step)
            .map(|(step, block)| Statement {
                under: under(&graph.regions, step.region),
                kind: step.kind,
                lines: step.lines,
                span: step.span,
                block,
            })
            .collect(),
        blocks,
        edges,
    })
}

fn under(regions: &[graph::Region], at: u32) -> Vec<u32> {
    let mut lines = Vec::new();
    let mut at = at;
    while at != 0 {
        lines.extend(Some(regions[at as usize].line).filter(|line| *line != 0));
        at = regions[at as usize].parent;
    }
    lines
}
