//! What `try`, its handlers and its `finally` do to the ways between steps.

use tree_sitter::Node;

use super::control::{is_body, pick};
use super::graph::{Dangling, Exit, Frame, Tried};
use super::scope::PathId;
use super::table::{Part, Shape};
use super::walker::{Gathered, Walker, line_of};
use super::{EdgeKind, StatementKind};

impl<'t> Walker<'t> {
    pub(crate) fn attempt(&mut self, node: Node<'t>, shape: &'t Shape, value: Option<PathId>) {
        self.scopes.enter(false);
        self.deeper(1);
        let region = self.region;
        let children = shape.children(node);
        let bodies: Vec<Node<'t>> = children
            .iter()
            .filter(|(part, _)| is_body(*part) || *part == Some(Part::Init))
            .map(|(_, child)| *child)
            .collect();
        let id = self.headed(node, StatementKind::Try, &bodies, Gathered::default());
        let handlers = pick(&children, Part::Handler);
        let finally = pick(&children, Part::Finally);
        if !finally.is_empty() {
            self.graph.frames.push(Frame::Finally { pending: Vec::new(), risky: Vec::new() });
        }
        if !handlers.is_empty() {
            self.graph.frames.push(Frame::Try { throws: Vec::new(), risky: Vec::new() });
        }
        for init in pick(&children, Part::Init) {
            self.statement(init, None);
        }
        for body in pick(&children, Part::Body) {
            self.body(body, value);
        }
        self.region = region;
        let last = self.graph.steps.len() as u32 - 1;
        let mut after = Vec::new();
        let mut caught = (Vec::new(), Vec::new());
        if !handlers.is_empty()
            && let Some(Frame::Try { throws, risky }) = self.graph.frames.pop()
        {
            caught = (throws, risky);
        }
        for otherwise in pick(&children, Part::Else) {
            self.region = self.graph.region(line_of(otherwise), region);
            self.statement(otherwise, None);
            self.region = region;
        }
        after.append(&mut self.graph.frontier);
        let mut takes_all = false;
        let mut catches = Vec::new();
        for handler in &handlers {
            catches.push(self.graph.steps.len() as u32);
            takes_all |= self.catch(*handler, id, &caught, value);
            after.append(&mut self.graph.frontier);
        }
        if !takes_all && !caught.0.is_empty() {
            // A throw that nobody here may want goes on.
            self.graph.leave(Exit::Throw, std::mem::take(&mut caught.0));
        }
        self.graph.tries.push(Tried { step: id, last, risky: caught.1, catches });
        self.graph.frontier = after;
        if let [last] = finally[..] {
            self.finally(last, id, region);
        }
        self.region = region;
        self.nesting -= 1;
        self.scopes.leave();
    }

    /// One handler. Says whether it takes whatever is thrown.
    fn catch(
        &mut self,
        node: Node<'t>,
        attempt: u32,
        (throws, risky): &(Vec<Dangling>, Vec<u32>),
        value: Option<PathId>,
    ) -> bool {
        let Some(shape) = self.table.shape(node) else { return false };
        self.scopes.enter(false);
        let children = shape.children(node);
        let bodies = pick(&children, Part::Body);
        let gathered = self.gather(|walker| {
            for (part, child) in &children {
                match part {
                    Some(Part::Target) => walker.bind(*child, false, &[]),
                    Some(Part::Declared) => walker.bind(*child, true, &[]),
                    Some(Part::Body | Part::Skip) => {}
                    _ => walker.expression(*child),
                }
            }
        });
        let typed = children.iter().any(|(part, _)| matches!(part, Some(Part::Pattern | Part::Guard)));
        self.graph.frontier = vec![(attempt, Some(EdgeKind::Throw))];
        self.graph.frontier.extend(throws.iter().copied());
        let id = self.headed(node, StatementKind::Catch, &bodies, gathered);
        self.graph.throws.extend(risky.iter().map(|from| (*from, id)));
        self.graph.frontier = vec![(id, Some(EdgeKind::Catch))];
        for body in bodies {
            self.body(body, value);
        }
        self.graph.frontier.push((id, None));
        self.scopes.leave();
        !typed
    }

    /// Once for the way that goes on, and once for each way out that passes it.
    fn finally(&mut self, node: Node<'t>, attempt: u32, region: u32) {
        let Some(Frame::Finally { mut pending, risky }) = self.graph.frames.pop() else { return };
        let here = self.graph.region(line_of(node), region);
        let run = |walker: &mut Self, ways: Vec<Dangling>| {
            walker.graph.frontier = ways;
            walker.region = here;
            for body in walker.rest(node) {
                walker.statement(body, None);
            }
            walker.region = region;
            walker.take_frontier()
        };
        let ways = self.take_frontier();
        let goes_on = ways.iter().any(|(_, kind)| kind.is_some());
        let after = if goes_on { run(self, ways) } else { ways };
        // What is called may throw; then nothing after this runs, but this does.
        let unwinding = (attempt, Some(EdgeKind::Finally));
        match pending.iter_mut().find(|(exit, _)| *exit == Exit::Throw) {
            Some((_, ways)) => ways.push(unwinding),
            None => pending.push((Exit::Throw, vec![unwinding])),
        }
        for (exit, ways) in pending {
            let kind = match exit {
                Exit::Return => EdgeKind::Return,
                Exit::Throw => EdgeKind::Throw,
                Exit::Break(_) => EdgeKind::Break,
                Exit::Continue(_) => EdgeKind::Continue,
            };
            let first = self.graph.steps.len() as u32;
            let mut ways = run(self, ways);
            if exit == Exit::Throw && (first as usize) < self.graph.steps.len() {
                self.graph.throws.extend(risky.iter().map(|from| (*from, first)));
            }
            for way in &mut ways {
                way.1 = way.1.map(|_| kind);
            }
            self.graph.leave(exit, ways);
        }
        self.graph.frontier = after;
    }
}
