//! Statements to steps: one walk over a function in the order it runs. What `if`, loops and their like do is in
//! `control`, what an expression reads and writes in `access`, functions within functions in `closure`.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tree_sitter::Node;

use super::effects::File;
use super::graph::{Access, Dangling, EXIT, Exit, Frame, Graph, Mode, Step};
use super::scope::{Captures, PathId, Scopes};
use super::table::{Part, Role, Table, Words};
use super::{EdgeKind, StatementKind};

/// Statements and closures in one another that are taken apart. What is deeper is one statement: nobody reads it, and a
/// walk that follows it would need a stack without end.
pub(crate) const MAX_NESTING: usize = 120;

pub(crate) struct Walker<'t> {
    pub(crate) text: &'t str,
    pub(crate) table: &'t Table,
    pub(crate) file: Rc<File<'t>>,
    /// The function that is looked at.
    pub(crate) of: Option<Node<'t>>,
    /// What it gives, where that has names.
    pub(crate) results: Vec<PathId>,
    pub(crate) graph: Graph<'t>,
    pub(crate) scopes: Scopes<'t>,
    pub(crate) gathered: Gathered,
    /// Nodes that have steps of their own: their lines are not those of the statement around them.
    pub(crate) lowered: HashSet<usize>,
    pub(crate) region: u32,
    /// The top of a file, where that is what is looked at.
    root: Option<Node<'t>>,
    /// Whether the next block is in the scope around it.
    pub(crate) flat: bool,
    /// Whether functions within are walked too, or only named.
    pub(crate) inline: bool,
    pub(crate) depth: usize,
    pub(crate) nesting: u32,
    pub(crate) deepest: u32,
    /// Closures that are being walked: how many functions are around each, and what it takes from there.
    pub(crate) capturing: Vec<(u32, Captures)>,
    pub(crate) captured: HashMap<usize, Captures>,
    /// The call whose result nobody wants.
    pub(crate) discarded: Option<usize>,
    /// How many expressions with variables of their own are around.
    pub(crate) inner: u32,
    /// How many declarations that belong to the whole function are around.
    pub(crate) hoisting: u32,
    pub(crate) deferred: Vec<Node<'t>>,
    pub(crate) exits: u32,
    pub(crate) labels: HashMap<&'t str, u32>,
    gotos: Vec<(u32, &'t str)>,
}

/// What the expressions of a step do.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) accesses: Vec<Access>,
    /// Calls something, or asks for an element.
    pub(crate) risky: bool,
    pub(crate) propagates: bool,
    pub(crate) never: bool,
}

pub(crate) fn line_of(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// The last line with something of a node: some end behind their line break.
pub(crate) fn end_line_of(node: Node<'_>) -> u32 {
    let end = node.end_position();
    let row = if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row };
    row as u32 + 1
}

/// A line without a word (`});`) says nothing on its own.
fn is_word(token: &str) -> bool {
    token.contains(|c: char| !matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | ';' | ',' | ' ' | '\n'))
}

impl<'t> Walker<'t> {
    pub(crate) fn new(text: &'t str, table: &'t Table, file: Rc<File<'t>>) -> Self {
        let mut scopes = Scopes::new(table.rule("fields-are-bare"));
        for word in table.words(Words::Own) {
            scopes.declare_own(word);
        }
        Self {
            text,
            table,
            file,
            of: None,
            results: Vec::new(),
            graph: Graph::new(),
            scopes,
            gathered: Gathered::default(),
            lowered: HashSet::new(),
            region: 0,
            root: None,
            flat: false,
            inline: true,
            depth: 0,
            nesting: 0,
            deepest: 0,
            capturing: Vec::new(),
            captured: HashMap::new(),
            discarded: None,
            inner: 0,
            hoisting: 0,
            deferred: Vec::new(),
            exits: 0,
            labels: HashMap::new(),
            gotos: Vec::new(),
        }
    }

    /// A function in its file.
    pub(crate) fn whole_function(&mut self, node: Node<'t>) {
        self.of = Some(node);
        for name in super::measure::globals(self.table, self.file.root(), self.text) {
            self.scopes.declare_outside(name);
        }
        self.function(node);
    }

    /// The whole of a function: its parameters, its body, its ways out.
    fn function(&mut self, node: Node<'t>) {
        let Some(shape) = self.table.shape(node) else { return };
        let head = line_of(super::measure::name_node(self.table, node).unwrap_or(node));
        let results = shape.parts(node, Part::Results);
        for parameter in super::measure::parameters(self.table, node) {
            let gathered = self.gather(|walker| walker.parameter(parameter, &[]));
            if gathered.accesses.is_empty() {
                continue;
            }
            let mut lines = self.lines(parameter, &[], usize::MAX);
            if lines.first().is_none_or(|first| first.0 > head) {
                lines.insert(0, (head, head));
            }
            if results.iter().any(|list| list.byte_range().contains(&parameter.start_byte())) {
                self.results.extend(gathered.accesses.iter().map(|access| access.path));
            }
            self.add(StatementKind::Parameter, lines, parameter, gathered);
        }
        let body = shape.parts(node, Part::Body);
        self.whole(&body);
    }

    /// The top of a file.
    pub(crate) fn module(&mut self, root: Node<'t>) {
        self.inline = false;
        self.root = Some(root);
        self.whole(&[root]);
    }

    fn whole(&mut self, bodies: &[Node<'t>]) {
        self.graph.frames.push(Frame::Function { returns: Vec::new(), value: None });
        let value = self.scopes.unwritten();
        for body in bodies {
            self.predeclare(*body);
            self.flat = self.is_block(*body);
            self.body(*body, Some(value));
        }
        self.exits = self.count_exits();
        self.run_deferred();
        let mut ways = std::mem::take(&mut self.graph.frontier);
        if let Some(Frame::Function { returns, .. }) = self.graph.frames.pop() {
            ways.extend(returns);
        }
        self.graph.join(ways, EXIT, None);
        for (from, label) in std::mem::take(&mut self.gotos) {
            let to = self.labels.get(label).copied().unwrap_or(EXIT);
            self.graph.edges.push((from, to, Some(EdgeKind::Goto)));
        }
    }

    /// Places where the function is left.
    fn count_exits(&self) -> u32 {
        let Some(Frame::Function { returns, .. }) = self.graph.frames.last() else { return 0 };
        let real = returns.iter().chain(&self.graph.frontier).filter(|(_, kind)| kind.is_some());
        let mut places: Vec<(u32, u32)> =
            real.map(|(from, _)| self.graph.steps[*from as usize].span).collect();
        places.sort_unstable();
        places.dedup();
        places.len() as u32
    }

    /// A part that may be a block, one statement, or the value of an arm.
    pub(crate) fn body(&mut self, node: Node<'t>, value: Option<PathId>) {
        let leads = self.table.role(node).is_some_and(|role| {
            is_control(role) || is_jump(role) || matches!(role, Role::Else | Role::Comment)
        });
        if value.is_none() || leads || self.is_sequence(node) {
            self.statement(node, value);
        } else {
            self.value(node, value);
        }
    }

    /// The top of a file, and what could not be parsed: a list of statements without a role.
    fn is_sequence(&self, node: Node<'t>) -> bool {
        node.is_error() || self.root == Some(node)
    }

    pub(crate) fn statement(&mut self, node: Node<'t>, value: Option<PathId>) {
        if self.graph.full || node.is_extra() || node.is_missing() {
            return;
        }
        self.depth += 1;
        if self.depth > MAX_NESTING {
            self.opaque(node);
        } else {
            self.statement_within(node, value);
        }
        self.depth -= 1;
    }

    fn statement_within(&mut self, node: Node<'t>, value: Option<PathId>) {
        let Some(shape) = self.table.shape(node) else {
            return if self.is_sequence(node) { self.block(node, None) } else { self.plain(node, value) };
        };
        match shape.role {
            Role::Skip | Role::Comment => {}
            Role::Outer => self.say_outer(node),
            Role::Statement => match self.wrapped(node) {
                Some(child) => self.statement(child, value),
                None => self.plain(node, value),
            },
            Role::Block => self.block(node, None),
            Role::Giving => self.block(node, value),
            Role::If => self.branch(node, value),
            Role::Else => {
                for body in self.rest(node) {
                    self.body(body, value);
                }
            }
            Role::Loop | Role::After => self.repeat(node, shape, None, value),
            Role::Switch | Role::Whole => self.switch(node, shape, None, value),
            Role::Try => self.attempt(node, shape, value),
            Role::With => self.with(node, shape, value),
            Role::Function | Role::Hoisted => self.nested(node, shape),
            Role::Type => self.type_definition(node, shape),
            Role::Return => {
                let value = self.graph.function_value();
                self.jump(node, Exit::Return, EdgeKind::Return, value);
            }
            Role::Throw => self.jump(node, Exit::Throw, EdgeKind::Throw, None),
            Role::Break | Role::Continue | Role::Give => self.leave(node, shape.role),
            Role::Goto => {
                let id = self.step(node, StatementKind::Jump, &[]);
                let label = shape.part(node, Part::Label).map_or("", |label| self.word(label));
                self.gotos.push((id, label));
                self.graph.frontier = vec![(id, None)];
            }
            Role::Fallthrough => {
                self.step(node, StatementKind::Jump, &[]);
                for way in &mut self.graph.frontier {
                    way.1 = Some(EdgeKind::Fallthrough);
                }
                let skipped = self.graph.frontier.iter().map(|(from, _)| (*from, None)).collect::<Vec<_>>();
                self.graph.frontier.extend(skipped);
            }
            Role::Label => self.labeled(node, shape, value),
            Role::Assert => {
                let id = self.step(node, StatementKind::Branch, &[]);
                self.graph.frontier = vec![(id, Some(EdgeKind::True))];
                self.graph.leave(Exit::Throw, vec![(id, Some(EdgeKind::Throw))]);
            }
            Role::Defer => self.defer(node),
            _ => self.plain(node, value),
        }
    }

    /// `nonlocal x`: whoever writes `x` there needs that it was said.
    fn say_outer(&mut self, node: Node<'t>) {
        let mut gathered = Gathered::default();
        for name in self.rest(node) {
            let path = self.scopes.outer(self.word(name));
            gathered.accesses.push(Access { path, mode: Mode::Write, line: line_of(name) });
        }
        let lines = self.lines(node, &[], usize::MAX);
        self.add(StatementKind::Plain, lines, node, gathered);
    }

    /// The statement that a node only wraps, when it is one that says where things go.
    fn wrapped(&self, node: Node<'t>) -> Option<Node<'t>> {
        let child = self.rest(node).pop()?;
        let role = self.table.role(child)?;
        let said = is_control(role)
            || is_jump(role)
            || matches!(
                role,
                Role::Function | Role::Hoisted | Role::Type | Role::Assert | Role::Defer | Role::Statement
            );
        // A function that is no statement is a value.
        (said && !(role == Role::Function && !self.inline && child.child_by_field_name("name").is_none()))
            .then_some(child)
    }

    /// Named children but comments.
    pub(crate) fn rest(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .filter(|child| !child.is_extra() && self.table.role(*child) != Some(Role::Comment))
            .collect()
    }

    pub(crate) fn block(&mut self, node: Node<'t>, value: Option<PathId>) {
        // The body of a function is in the scope of its parameters.
        let flat = std::mem::take(&mut self.flat);
        if !flat {
            self.scopes.enter(false);
        }
        let mut children = self.rest(node);
        while let [one] = children[..]
            && self.table.role(one) == Some(Role::Block)
        {
            children = self.rest(one);
        }
        if self.table.rule("declarations-are-hoisted") {
            for child in &children {
                for name in super::measure::declared(self.table, *child, self.text, false) {
                    self.scopes.declare(name);
                }
            }
        }
        // Functions that may be called above where they stand come first.
        children.sort_by_key(|child| self.table.role(*child) != Some(Role::Hoisted));
        let last = children.len().saturating_sub(1);
        for (at, child) in children.into_iter().enumerate() {
            match value {
                Some(value) if at == last && self.is_tail(child) => self.value(child, Some(value)),
                _ => self.statement(child, None),
            }
        }
        if !flat {
            self.scopes.leave();
        }
    }

    pub(crate) fn is_block(&self, node: Node<'t>) -> bool {
        matches!(self.table.role(node), Some(Role::Block | Role::Giving))
    }

    /// Whether the last of a block is what the block gives.
    fn is_tail(&self, node: Node<'t>) -> bool {
        match self.table.role(node) {
            Some(Role::Statement) => !self.text[node.byte_range()].ends_with(';'),
            Some(role) => !is_jump(role) && !matches!(role, Role::Function | Role::Hoisted | Role::Type),
            None => true,
        }
    }

    /// An expression whose value goes somewhere.
    pub(crate) fn value(&mut self, node: Node<'t>, value: Option<PathId>) {
        let inside = match self.table.role(node) {
            Some(Role::Statement) => self.rest(node).pop().unwrap_or(node),
            _ => node,
        };
        match self.table.role(inside) {
            Some(role) if is_control(role) || is_jump(role) => self.statement(inside, value),
            _ => self.plain(node, value),
        }
    }

    /// A statement without control flow of its own.
    pub(crate) fn plain(&mut self, node: Node<'t>, value: Option<PathId>) {
        let bodies = match self.table.shape(node) {
            Some(shape) if shape.role == Role::Bind => shape.parts(node, Part::Else),
            _ => Vec::new(),
        };
        let before = self.discarded.replace(self.discarded_call(node));
        let mut gathered = self.gather(|walker| walker.expression(node));
        self.discarded = before;
        let lines = self.lines(node, &bodies, usize::MAX);
        if lines.is_empty()
            || value.is_none() && gathered.accesses.is_empty() && !gathered.risky && self.is_text(node)
        {
            return;
        }
        if let Some(value) = value {
            gathered.accesses.push(Access { path: value, mode: Mode::Write, line: line_of(node) });
        }
        if let [otherwise] = bodies[..] {
            let id = self.add(StatementKind::Branch, lines, node, gathered);
            self.graph.frontier = vec![(id, Some(EdgeKind::False))];
            self.statement(otherwise, None);
            self.graph.frontier.push((id, Some(EdgeKind::True)));
            return;
        }
        let never = gathered.never;
        let kind = if never { StatementKind::Jump } else { StatementKind::Plain };
        let id = self.add(kind, lines, node, gathered);
        if never {
            self.graph.leave(Exit::Return, vec![(id, Some(EdgeKind::Throw))]);
            self.graph.frontier = vec![(id, None)];
        }
    }

    /// A docstring, `"use strict"`.
    fn is_text(&self, node: Node<'t>) -> bool {
        self.table.role(node) == Some(Role::Statement)
            && matches!(self.rest(node)[..], [child] if child.kind().contains("string"))
    }

    /// The call a statement consists of.
    fn discarded_call(&self, node: Node<'t>) -> usize {
        let mut node = node;
        loop {
            match self.table.role(node) {
                Some(Role::Statement | Role::Through | Role::Propagate | Role::Defer) => {
                    match self.rest(node).pop() {
                        Some(child) => node = child,
                        None => return node.id(),
                    }
                }
                _ => return node.id(),
            }
        }
    }

    /// Too deep to be taken apart: one step that reads every name in it.
    pub(crate) fn opaque(&mut self, node: Node<'t>) {
        let gathered = self.gather(|walker| walker.names(node));
        let lines = self.lines(node, &[], usize::MAX);
        if !lines.is_empty() {
            self.add(StatementKind::Plain, lines, node, gathered);
        }
    }

    pub(crate) fn word(&self, node: Node<'t>) -> &'t str {
        self.text[node.byte_range()].trim_matches(['\'', ':', ' '])
    }

    /// What expressions do, apart from what was gathered before.
    pub(crate) fn gather(&mut self, run: impl FnOnce(&mut Self)) -> Gathered {
        let before = std::mem::take(&mut self.gathered);
        run(self);
        std::mem::replace(&mut self.gathered, before)
    }

    /// A step of a node whose expressions are all its own, but those of `bodies`.
    pub(crate) fn step(&mut self, node: Node<'t>, kind: StatementKind, bodies: &[Node<'t>]) -> u32 {
        let gathered = self.gather(|walker| {
            for child in walker.rest(node) {
                if !bodies.contains(&child) {
                    walker.expression(child);
                }
            }
        });
        let lines = self.lines(node, bodies, usize::MAX);
        self.add(kind, lines, node, gathered)
    }

    pub(crate) fn add(
        &mut self,
        kind: StatementKind,
        lines: Vec<(u32, u32)>,
        node: Node<'t>,
        gathered: Gathered,
    ) -> u32 {
        let span = (line_of(node), end_line_of(node));
        let Gathered { accesses, risky, propagates, .. } = gathered;
        let step = Step { kind, lines, span, region: self.region, accesses };
        let id = self.graph.add(step, risky);
        if propagates {
            self.graph.leave(Exit::Return, vec![(id, Some(EdgeKind::Propagate))]);
        }
        id
    }

    /// Lines with words of a node, but not of what is in `without` or has steps of its own, up to a byte.
    pub(crate) fn lines(&self, node: Node<'t>, without: &[Node<'t>], until: usize) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut cursor = node.walk();
        loop {
            let at = cursor.node();
            let skipped = at.start_byte() >= until
                || at.is_extra() && at != node
                || without.contains(&at)
                || at != node && self.lowered.contains(&at.id());
            if !skipped {
                if cursor.goto_first_child() {
                    continue;
                }
                let token = &self.text[at.byte_range()];
                if is_word(token) {
                    let (first, last) = (line_of(at), end_line_of(at));
                    match found.last_mut() {
                        Some(range) if first <= range.1 + 1 => range.1 = range.1.max(last),
                        _ => found.push((first, last)),
                    }
                }
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() || cursor.node() == node {
                    return found;
                }
            }
        }
    }

    pub(crate) fn deeper(&mut self, by: u32) {
        self.nesting += by;
        self.deepest = self.deepest.max(self.nesting);
    }

    pub(crate) fn take_frontier(&mut self) -> Vec<Dangling> {
        std::mem::take(&mut self.graph.frontier)
    }
}

/// What a value can come out of by several ways.
pub(crate) fn is_control(role: Role) -> bool {
    matches!(
        role,
        Role::If
            | Role::Loop
            | Role::After
            | Role::Switch
            | Role::Whole
            | Role::Try
            | Role::With
            | Role::Block
            | Role::Giving
            | Role::Label
    )
}

pub(crate) fn is_jump(role: Role) -> bool {
    matches!(
        role,
        Role::Return
            | Role::Throw
            | Role::Break
            | Role::Continue
            | Role::Goto
            | Role::Give
            | Role::Fallthrough
    )
}
