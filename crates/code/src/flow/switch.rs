//! What the arms of a switch do to the ways between steps.

use tree_sitter::Node;

use super::control::{is_body, pick};
use super::graph::{Dangling, Frame};
use super::scope::PathId;
use super::table::{Part, Role, Shape};
use super::walker::{Walker, line_of};
use super::{EdgeKind, StatementKind};

impl<'t> Walker<'t> {
    pub(crate) fn switch(
        &mut self,
        node: Node<'t>,
        shape: &'t Shape,
        label: Option<&'t str>,
        value: Option<PathId>,
    ) {
        self.scopes.enter(false);
        self.deeper(1);
        let region = self.region;
        let children = shape.children(node);
        for init in pick(&children, Part::Init) {
            self.statement(init, None);
        }
        let mut cases = Vec::new();
        let mut bodies = Vec::new();
        for (_, child) in &children {
            if self.is_case(*child) {
                cases.push(*child);
                bodies.push(*child);
            } else if is_body(part_in(&children, *child)) {
                bodies.push(*child);
                cases.extend(self.rest(*child));
            }
        }
        let subjects = pick(&children, Part::Subject);
        let gathered = self.gather(|walker| {
            for subject in &subjects {
                walker.expression(*subject);
            }
            for declared in pick(&children, Part::Declared) {
                walker.bind(declared, true, &subjects);
            }
        });
        // Without something to compare with, the arms are asked one after another.
        let chained = gathered.accesses.is_empty() && !gathered.risky && shape.role == Role::Switch;
        let head = self.headed(node, StatementKind::Switch, &bodies, gathered);
        let bare = self.table.rule("break-leaves-switch");
        self.graph.frames.push(Frame::Switch { label, bare, breaks: Vec::new(), value });
        let mut open = if chained { vec![(head, Some(EdgeKind::Case))] } else { Vec::new() };
        let mut falls: Vec<Dangling> = Vec::new();
        let mut after: Vec<Dangling> = Vec::new();
        let whole = shape.role == Role::Whole || value.is_some();
        let mut has_default = whole;
        self.graph.frontier = Vec::new();
        for case in cases {
            let Some(arm) = self.table.shape(case).filter(|arm| is_arm(arm.role)) else {
                // A declaration before the first arm.
                self.statement(case, None);
                self.graph.frontier.clear();
                continue;
            };
            self.scopes.enter(false);
            let parts = arm.children(case);
            let inside: Vec<Node<'t>> =
                parts.iter().filter(|(part, _)| is_body(*part)).map(|(_, child)| *child).collect();
            let patterns = pick(&parts, Part::Pattern);
            let guarded =
                patterns.iter().chain(&pick(&parts, Part::Value)).any(|pattern| self.has_guard(*pattern))
                    || !pick(&parts, Part::Guard).is_empty();
            let values = pick(&parts, Part::Value);
            let is_default = !guarded
                && patterns.iter().chain(&values).all(|pattern| self.takes_all(*pattern))
                && pick(&parts, Part::Init).is_empty();
            let gathered = self.gather(|walker| {
                for pattern in &patterns {
                    walker.bind(*pattern, true, &subjects);
                }
                for value in values.iter().chain(&pick(&parts, Part::Init)).chain(&pick(&parts, Part::Guard))
                {
                    walker.expression(*value);
                }
            });
            self.graph.frontier = open.clone();
            if !chained {
                self.graph.frontier.push((head, Some(EdgeKind::Case)));
            }
            let id = self.headed(case, StatementKind::Case, &inside, gathered);
            after.push((id, None));
            if chained {
                open = if is_default { Vec::new() } else { vec![(id, Some(EdgeKind::False))] };
            } else if guarded {
                open.push((id, Some(EdgeKind::False)));
            }
            has_default |= is_default;
            if is_default {
                open.clear();
            }
            self.graph.frontier = vec![(id, Some(EdgeKind::True))];
            self.graph.frontier.append(&mut falls);
            // The heads of arms that are asked one after another do not say of what they are.
            self.region = self.graph.region(if chained { line_of(node) } else { 0 }, region);
            let (arm_region, last) = (self.graph.region(0, self.region), inside.last().copied());
            self.region = arm_region;
            for body in inside {
                match (arm.role, value) {
                    (Role::Case, Some(_)) => self.body(body, value),
                    _ => self.statement(body, None),
                }
            }
            self.region = region;
            let mut ways = self.take_frontier();
            // The `break` an arm ends with belongs to whatever else of it is wanted, and to nothing outside.
            if let Some(end) = last.and_then(|last| self.arm_end(last)) {
                self.graph.regions[arm_region as usize].line = line_of(end);
                ways.retain(|(_, kind)| kind.is_some());
            }
            let fall_on = arm.role == Role::Falling;
            for way in ways {
                // A jump at the end of an arm keeps nobody from the next one, but from what comes after them all.
                let on = way.1 == Some(EdgeKind::Fallthrough) || fall_on && way.1.is_some();
                let kind = way.1.map(|kind| if on { EdgeKind::Fallthrough } else { kind });
                if on { falls.push((way.0, kind)) } else { after.push((way.0, kind)) }
            }
            self.scopes.leave();
        }
        after.append(&mut falls);
        if !whole {
            after.append(&mut open);
        }
        if !has_default && !chained {
            after.push((head, Some(EdgeKind::False)));
        }
        for way in &mut after {
            way.1 = way.1.map(|kind| if kind == EdgeKind::Fallthrough { EdgeKind::Next } else { kind });
        }
        self.graph.frontier = after;
        self.end_switch_frame();
        self.nesting -= 1;
        self.scopes.leave();
    }

    /// The `break` that an arm ends with.
    fn arm_end(&self, last: Node<'t>) -> Option<Node<'t>> {
        let mut at = last;
        loop {
            match self.table.role(at) {
                Some(Role::Break) => {
                    let label = self.table.shape(at).and_then(|shape| shape.part(at, Part::Label));
                    return Some(at).filter(|_| label.is_none());
                }
                Some(Role::Block | Role::Statement) => at = self.rest(at).pop()?,
                _ => return None,
            }
        }
    }

    fn is_case(&self, node: Node<'t>) -> bool {
        self.table.role(node).is_some_and(is_arm)
    }

    /// `_`, `default`.
    fn takes_all(&self, pattern: Node<'t>) -> bool {
        matches!(self.word(pattern), "_" | "default")
    }

    fn has_guard(&self, pattern: Node<'t>) -> bool {
        self.table.shape(pattern).is_some_and(|shape| !shape.parts(pattern, Part::Guard).is_empty())
    }
}

fn is_arm(role: Role) -> bool {
    matches!(role, Role::Case | Role::Falling)
}

fn part_in(children: &[(Option<Part>, Node<'_>)], node: Node<'_>) -> Option<Part> {
    children.iter().find(|(_, child)| *child == node).and_then(|(part, _)| *part)
}
