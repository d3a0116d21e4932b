//! Where jumps lead: out of a function, a loop, an arm; to a label; to the end, where what was put off runs.

use tree_sitter::Node;

use super::graph::{Access, Exit, Frame, Mode};
use super::scope::PathId;
use super::table::{Part, Role, Shape};
use super::walker::{Gathered, Walker, line_of};
use super::{EdgeKind, StatementKind};

impl<'t> Walker<'t> {
    pub(crate) fn jump(&mut self, node: Node<'t>, exit: Exit, kind: EdgeKind, value: Option<PathId>) {
        let mut gathered = self.gather(|walker| {
            for child in walker.rest(node) {
                walker.expression(child);
            }
        });
        if let Some(path) = value {
            gathered.accesses.push(Access { path, mode: Mode::Write, line: line_of(node) });
        }
        let gives = exit == Exit::Return && self.scopes.functions() == 0;
        let results = if gives { self.results.clone() } else { Vec::new() };
        // Alone it gives what its results have by now.
        let mode = if self.rest(node).is_empty() { Mode::Read } else { Mode::Write };
        for path in &results {
            gathered.accesses.push(Access { path: *path, mode, line: line_of(node) });
        }
        let lines = self.lines(node, &[], usize::MAX);
        let id = self.add(StatementKind::Jump, lines, node, gathered);
        self.graph.given.extend(results.into_iter().map(|path| (id, path, line_of(node))));
        self.graph.leave(exit, vec![(id, Some(kind))]);
        self.graph.frontier = vec![(id, None)];
    }

    pub(crate) fn leave(&mut self, node: Node<'t>, role: Role) {
        let label = self.table.shape(node).and_then(|shape| shape.part(node, Part::Label));
        let label = label.map(|label| self.word(label));
        let is_break = role != Role::Continue;
        let target = match role {
            // `yield` gives the value of the `switch` around it.
            Role::Give => self.graph.frames.iter().rposition(|frame| matches!(frame, Frame::Switch { .. })),
            _ => self.graph.target(label, is_break),
        };
        let value = target.and_then(|at| self.graph.frame_value(at));
        let (exit, kind) = match target {
            Some(at) if is_break => (Exit::Break(at), EdgeKind::Break),
            Some(at) => (Exit::Continue(at), EdgeKind::Continue),
            None => (Exit::Return, EdgeKind::Break),
        };
        self.jump(node, exit, kind, value);
    }

    pub(crate) fn labeled(&mut self, node: Node<'t>, shape: &'t Shape, value: Option<PathId>) {
        let label = shape.part(node, Part::Label);
        let name = label.map_or("", |label| self.word(label));
        let children: Vec<Node<'t>> =
            self.rest(node).into_iter().filter(|child| Some(*child) != label).collect();
        // A `goto` may lead here, from above or below.
        if self.table.rule("labels-are-places") {
            let lines = label.map(|label| (line_of(label), line_of(label))).into_iter().collect();
            let id = self.add(StatementKind::Label, lines, node, Gathered::default());
            self.labels.insert(name, id);
        }
        for child in children {
            let Some(inside) = self.table.shape(child) else {
                self.statement(child, value);
                continue;
            };
            match inside.role {
                Role::Loop | Role::After => self.repeat(child, inside, Some(name), value),
                Role::Switch | Role::Whole => self.switch(child, inside, Some(name), value),
                _ => {
                    let frame = Frame::Switch { label: Some(name), bare: false, breaks: Vec::new(), value };
                    self.graph.frames.push(frame);
                    self.statement(child, value);
                    self.end_switch_frame();
                }
            }
        }
    }

    /// Ways of `break` join what comes after.
    pub(crate) fn end_switch_frame(&mut self) {
        if let Some(Frame::Switch { breaks, .. } | Frame::Loop { breaks, .. }) = self.graph.frames.pop() {
            self.graph.frontier.extend(breaks);
        }
    }

    pub(crate) fn defer(&mut self, node: Node<'t>) {
        let call = self.rest(node).pop();
        let shape = call.and_then(|call| self.table.shape(call));
        let callee = shape.zip(call).and_then(|(shape, call)| shape.part(call, Part::Callee));
        let closure = callee.filter(|callee| self.table.role(*callee) == Some(Role::Function));
        if let (Some(closure), Some(call)) = (closure, call) {
            // The closure runs at the end; its arguments are looked at here.
            self.deferred.push(closure);
            self.lowered.insert(closure.id());
            let arguments = shape.and_then(|shape| shape.part(call, Part::Arguments));
            let gathered = self.gather(|walker| {
                if let Some(arguments) = arguments {
                    walker.expression(arguments);
                }
            });
            let line = line_of(node);
            self.add(StatementKind::Plain, vec![(line, line)], node, gathered);
            return;
        }
        self.plain(node, None);
    }

    /// What was put off runs on every way out, the last first.
    pub(crate) fn run_deferred(&mut self) {
        let deferred = std::mem::take(&mut self.deferred);
        if deferred.is_empty() {
            return;
        }
        let mut ways = std::mem::take(&mut self.graph.frontier);
        if let Some(Frame::Function { returns, .. }) = self.graph.frames.last_mut() {
            ways.append(returns);
        }
        for way in &mut ways {
            way.1 = way.1.map(|_| EdgeKind::Defer);
        }
        self.graph.frontier = ways;
        self.graph.deferred = Some(self.graph.steps.len() as u32);
        for closure in deferred.into_iter().rev() {
            let gathered = self.gather(|walker| walker.expression(closure));
            drop(gathered);
        }
    }
}
