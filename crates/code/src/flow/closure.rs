//! Functions within a function. They are walked where they stand, as something that may run there, any number of times;
//! what they take from around them is remembered for whoever calls them by name.

use std::rc::Rc;

use tree_sitter::Node;

use super::access::Binding;
use super::graph::{Access, Frame, Mode};
use super::scope::{Captures, Path, PathId};
use super::table::{Part, Role, Shape};
use super::walker::{Gathered, Walker, line_of};
use super::{EdgeKind, StatementKind};

impl<'t> Walker<'t> {
    /// A function that is a statement: its name is bound after it was walked.
    pub(crate) fn nested(&mut self, node: Node<'t>, shape: &'t Shape) {
        let Some(name) = super::measure::name_node(self.table, node) else {
            return self.plain(node, None);
        };
        let bodies = shape.parts(node, Part::Body);
        let word = self.word(name);
        let variable = self.scopes.assign_or_declare(word, self.table.rule("assignment-declares"));
        let path = self.scopes.path(Path::of(variable));
        let until = bodies.first().map_or(usize::MAX, Node::start_byte);
        let mut gathered = if self.inline {
            self.gather(|walker| walker.closure(node, shape, &[], None))
        } else {
            self.gather(|walker| walker.names_outside(node))
        };
        if let Some(captures) = self.captured.get(&node.id()) {
            self.scopes.variables[variable.0 as usize].captures = captures.clone();
        }
        gathered.accesses.push(Access { path, mode: Mode::Write, line: line_of(name) });
        let lines = self.lines(node, &bodies, until);
        self.add(StatementKind::Plain, lines, node, gathered);
    }

    /// A class within a function, or at the top of a file: what its text reads is what it reads.
    pub(crate) fn type_definition(&mut self, node: Node<'t>, shape: &'t Shape) {
        let name = shape.part(node, Part::Name);
        let bodies = shape.parts(node, Part::Body);
        let mut gathered = self.gather(|walker| walker.names_outside(node));
        if let Some(name) = name {
            let variable = self.scopes.declare(self.word(name));
            let path = self.scopes.path(Path::of(variable));
            gathered.accesses.push(Access { path, mode: Mode::Write, line: line_of(name) });
        }
        let until = bodies.first().filter(|_| !self.inline).map_or(usize::MAX, Node::start_byte);
        let lines = self.lines(node, &[], until);
        self.add(StatementKind::Plain, lines, node, gathered);
    }

    /// A closure. `sources`: what its parameters may come from; `call`: the call it is handed to.
    pub(crate) fn closure(
        &mut self,
        node: Node<'t>,
        shape: &'t Shape,
        sources: &[PathId],
        call: Option<Node<'t>>,
    ) {
        let bodies = shape.parts(node, Part::Body);
        let is_block = matches!(bodies[..], [body] if self.is_block(body));
        if self.depth >= super::walker::MAX_NESTING {
            return self.names(node);
        }
        self.depth += 1;
        self.scopes.enter(true);
        self.capturing.push((self.scopes.functions(), Captures::default()));
        let parameters = super::measure::parameters(self.table, node);
        if is_block && self.inline {
            self.block_closure(node, bodies[0], &parameters, sources, call);
        } else {
            self.inner += 1;
            for parameter in parameters {
                self.parameter(parameter, sources);
            }
            self.inner -= 1;
            for body in bodies {
                self.expression(body);
            }
        }
        if let Some((_, captures)) = self.capturing.pop() {
            self.captured.insert(node.id(), captures);
        }
        self.scopes.leave();
        self.depth -= 1;
    }

    fn block_closure(
        &mut self,
        node: Node<'t>,
        body: Node<'t>,
        parameters: &[Node<'t>],
        sources: &[PathId],
        call: Option<Node<'t>>,
    ) {
        let value = self.scopes.unwritten();
        let discarded = self.discarded.take();
        let mut gathered = self.gather(|walker| {
            for parameter in parameters {
                walker.parameter(*parameter, sources);
            }
        });
        for path in sources {
            gathered.accesses.push(Access { path: *path, mode: Mode::Read, line: line_of(node) });
        }
        let lines = self.lines(call.unwrap_or(node), &[body], body.start_byte());
        let head = self.add(StatementKind::Closure, lines, node, gathered);
        let functions = self.scopes.functions();
        self.lowered.insert(body.id());
        let region = self.region;
        self.deeper(1);
        self.graph.frames.push(Frame::Function { returns: Vec::new(), value: Some(value) });
        self.predeclare(body);
        let deferred = std::mem::take(&mut self.deferred);
        self.flat = true;
        drop(self.gather(|walker| walker.body(body, Some(value))));
        self.deferred = deferred;
        let mut ways = self.take_frontier();
        if let Some(Frame::Function { returns, .. }) = self.graph.frames.pop() {
            ways.extend(returns);
        }
        self.nesting -= 1;
        self.region = region;
        let last = self.graph.steps.len() as u32 - 1;
        // Where a text says what changes, nothing that is borrowed does.
        if !self.table.rule("says-what-changes") {
            self.graph.closures.push((head, last, functions));
        }
        // It may run again, or not at all.
        self.graph.join(ways.clone(), head, Some(EdgeKind::Closure));
        for way in &mut ways {
            way.1 = way.1.map(|_| EdgeKind::Closure);
        }
        ways.push((head, Some(EdgeKind::Closure)));
        self.graph.frontier = ways;
        self.discarded = discarded;
        self.gathered.accesses.push(Access { path: value, mode: Mode::Read, line: line_of(node) });
    }

    /// A parameter's names, each possibly a part of what it may come from.
    pub(crate) fn parameter(&mut self, node: Node<'t>, sources: &[PathId]) {
        let binding = Binding {
            declare: true,
            aliases: Rc::from(sources),
            vague: !sources.is_empty(),
            ..Binding::default()
        };
        self.bind_as(node, binding);
    }

    /// Names that a function assigns are its own from its first line on, where assigning declares.
    pub(crate) fn predeclare(&mut self, body: Node<'t>) {
        if !self.table.rule("assignment-declares") || self.scopes.functions() == 0 {
            return;
        }
        let mut outer: Vec<&'t str> = Vec::new();
        let mut open = vec![body];
        let mut found: Vec<&'t str> = Vec::new();
        while let Some(node) = open.pop() {
            match self.table.shape(node) {
                Some(shape) => match shape.role {
                    Role::Function | Role::Hoisted | Role::Type | Role::Inner => {}
                    Role::Outer => outer.extend(self.rest(node).iter().map(|name| self.word(*name))),
                    _ => {
                        let targets = shape.parts(node, Part::Target);
                        let names = targets.iter().filter(|t| self.table.role(**t) == Some(Role::Name));
                        found.extend(names.map(|name| self.word(*name)));
                        open.extend(self.rest(node));
                    }
                },
                None => open.extend(self.rest(node)),
            }
        }
        for name in found {
            if !outer.contains(&name) {
                self.scopes.declare_in_function(name);
            }
        }
    }

    /// What a use of a closure's name brings with it.
    pub(crate) fn use_captures(&mut self, path: PathId, line: u32) {
        let captures = &self.scopes.variable(path).captures;
        if captures.reads.is_empty() && captures.changes.is_empty() {
            return;
        }
        let Captures { reads, changes } = captures.clone();
        let brought = reads.into_iter().map(|path| (path, Mode::Read));
        let brought: Vec<_> = brought.chain(changes.into_iter().map(|path| (path, Mode::Change))).collect();
        for (path, mode) in brought {
            self.gathered.accesses.push(Access { path, mode, line });
        }
    }
}

impl Gathered {
    pub(crate) fn reads(&self) -> Vec<PathId> {
        let reads = self.accesses.iter().filter(|access| access.mode == Mode::Read);
        let mut paths: Vec<PathId> = reads.map(|access| access.path).collect();
        paths.dedup();
        paths
    }
}
