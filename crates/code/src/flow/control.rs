//! What branches, loops, switches, tries and blocks with a head do to the ways between steps.

use tree_sitter::Node;

use super::graph::{Access, Dangling, Frame, Mode};
use super::scope::PathId;
use super::table::{Part, Role, Shape, Words};
use super::walker::{Gathered, Walker, line_of};
use super::{EdgeKind, StatementKind};

impl<'t> Walker<'t> {
    /// `if`, with every `else if` of it one after another, so that a chain of a thousand is no deeper than one.
    pub(crate) fn branch(&mut self, node: Node<'t>, value: Option<PathId>) {
        let scopes = self.scopes.depth();
        let region = self.region;
        self.deeper(1);
        let mut after: Vec<Dangling> = Vec::new();
        // What is still to be done on the way where no condition held yet.
        let mut open = vec![(node, None)];
        while let Some((at, line)) = open.pop() {
            let Some(shape) = self.table.shape(at) else {
                self.body(at, value);
                continue;
            };
            if let Some(line) = line {
                self.region = self.graph.region(line, self.region);
            }
            match shape.role {
                Role::If => {
                    self.scopes.enter(false);
                    let children = shape.children(at);
                    let alternatives: Vec<Node<'t>> = pick(&children, Part::Else);
                    let bodies: Vec<Node<'t>> =
                        children.iter().filter(|(part, _)| is_body(*part)).map(|(_, child)| *child).collect();
                    for init in pick(&children, Part::Init) {
                        self.statement(init, None);
                    }
                    let id = self.head(at, StatementKind::Branch, &bodies, &children);
                    self.graph.frontier = vec![(id, Some(EdgeKind::True))];
                    let here = self.region;
                    for body in pick(&children, Part::Then) {
                        self.body(body, value);
                    }
                    self.region = here;
                    after.append(&mut self.graph.frontier);
                    self.graph.frontier = vec![(id, Some(EdgeKind::False))];
                    for alternative in alternatives.into_iter().rev() {
                        open.push((alternative, self.else_line(alternative)));
                    }
                }
                Role::Else => {
                    let mut inside = self.rest(at);
                    match inside[..] {
                        [one] if self.table.role(one) == Some(Role::If) => open.push((one, None)),
                        _ => {
                            for body in inside.drain(..) {
                                self.body(body, value);
                            }
                        }
                    }
                }
                _ => self.body(at, value),
            }
            if self.graph.full {
                break;
            }
        }
        self.graph.frontier.append(&mut after);
        self.region = region;
        self.nesting -= 1;
        while self.scopes.depth() > scopes {
            self.scopes.leave();
        }
    }

    /// The line of the word that leads to an alternative, where the alternative has it not itself.
    fn else_line(&self, alternative: Node<'t>) -> Option<u32> {
        match self.table.role(alternative) {
            // Its condition says as much.
            Some(Role::If) => return None,
            Some(Role::Else) => {
                let inside = self.rest(alternative);
                let leads = matches!(inside[..], [one] if self.table.role(one) == Some(Role::If));
                return (!leads).then(|| line_of(alternative));
            }
            _ => {}
        }
        let mut before = alternative.prev_sibling();
        while let Some(token) = before {
            if !token.is_extra() {
                return (!token.is_named()).then(|| line_of(token));
            }
            before = token.prev_sibling();
        }
        None
    }

    /// The step of a head: everything of a node but its bodies and what came before it.
    fn head(
        &mut self,
        node: Node<'t>,
        kind: StatementKind,
        bodies: &[Node<'t>],
        children: &[(Option<Part>, Node<'t>)],
    ) -> u32 {
        let gathered = self.gather(|walker| {
            for (part, child) in children {
                let elsewhere = matches!(part, Some(Part::Init | Part::Update | Part::Label | Part::Skip));
                if !bodies.contains(child) && !elsewhere {
                    walker.expression(*child);
                }
            }
        });
        self.headed(node, kind, bodies, gathered)
    }

    pub(crate) fn headed(
        &mut self,
        node: Node<'t>,
        kind: StatementKind,
        bodies: &[Node<'t>],
        gathered: Gathered,
    ) -> u32 {
        // What stands behind a body (`else`) is not of the head, but where the condition does.
        let behind = self.table.role(node) == Some(Role::After);
        let until = bodies.iter().map(Node::start_byte).min().filter(|_| !behind);
        let lines = self.lines(node, bodies, until.unwrap_or(usize::MAX));
        self.add(kind, lines, node, gathered)
    }

    pub(crate) fn repeat(
        &mut self,
        node: Node<'t>,
        shape: &'t Shape,
        label: Option<&'t str>,
        value: Option<PathId>,
    ) {
        self.scopes.enter(false);
        self.deeper(1);
        let region = self.region;
        let children = unfolded(self, shape, node);
        let bodies: Vec<Node<'t>> =
            children.iter().filter(|(part, _)| is_body(*part)).map(|(_, child)| *child).collect();
        let own = pick(&children, Part::Label).first().map(|label| self.word(*label));
        for init in pick(&children, Part::Init) {
            self.statement(init, None);
        }
        let conditions = pick(&children, Part::Condition);
        let has_target = children
            .iter()
            .any(|(part, _)| matches!(part, Some(Part::Target | Part::Declared | Part::Value)));
        let endless = !has_target
            && conditions.iter().all(|condition| {
                let text = self.text[condition.byte_range()].trim_matches(['(', ')', ' ', ';']);
                text.is_empty() || self.table.has_word(Words::Truth, text)
            });
        let frame = Frame::Loop { label: label.or(own), breaks: Vec::new(), continues: Vec::new(), value };
        let after = shape.role == Role::After;
        let head = if after {
            // The body runs before the condition is asked.
            self.add(StatementKind::Join, Vec::new(), node, Gathered::default())
        } else {
            let gathered = self.gather(|walker| walker.loop_head(&children));
            self.headed(node, StatementKind::Loop, &bodies, gathered)
        };
        if !after {
            self.graph.frontier = vec![(head, Some(EdgeKind::True))];
        }
        self.graph.frames.push(frame);
        if endless && !after {
            self.region = self.graph.region(line_of(node), region);
        }
        for body in pick(&children, Part::Body) {
            self.body(body, None);
        }
        self.region = region;
        let Some(Frame::Loop { breaks, continues, .. }) = self.graph.frames.pop() else { return };
        let mut back = self.take_frontier();
        let is_back = |kind| if kind == EdgeKind::Next && !after { EdgeKind::Back } else { kind };
        for way in &mut back {
            way.1 = way.1.map(is_back);
        }
        back.extend(continues);
        let mut out = Vec::new();
        if after {
            self.graph.frontier = back;
            let gathered = self.gather(|walker| walker.loop_head(&children));
            let condition = self.headed(node, StatementKind::Loop, &bodies, gathered);
            self.graph.join(vec![(condition, Some(EdgeKind::Back))], head, None);
            if !endless {
                out.push((condition, Some(EdgeKind::False)));
            }
        } else {
            let updates = pick(&children, Part::Update);
            if !updates.is_empty() {
                self.graph.frontier = back;
                for update in updates {
                    self.statement(update, None);
                }
                back = self.take_frontier();
                for way in &mut back {
                    way.1 = way.1.map(|_| EdgeKind::Back);
                }
            }
            self.graph.join(back, head, None);
            if !endless {
                out.push((head, Some(EdgeKind::False)));
            }
        }
        self.graph.frontier = out;
        for otherwise in pick(&children, Part::Else) {
            self.region = self.graph.region(line_of(otherwise), region);
            self.statement(otherwise, None);
            self.region = region;
        }
        self.graph.frontier.extend(breaks);
        self.nesting -= 1;
        self.scopes.leave();
    }

    /// The condition of a loop, or what it goes through and what that is called.
    fn loop_head(&mut self, children: &[(Option<Part>, Node<'t>)]) {
        let values = pick(children, Part::Value);
        for value in &values {
            self.expression(*value);
        }
        for condition in pick(children, Part::Condition) {
            self.expression(condition);
        }
        for (part, child) in children {
            match part {
                Some(Part::Target) => self.bind(*child, false, &values),
                Some(Part::Declared) => self.bind(*child, true, &values),
                _ => {}
            }
        }
    }

    /// A head, then a body that always runs: `with`, `synchronized`.
    pub(crate) fn with(&mut self, node: Node<'t>, shape: &'t Shape, value: Option<PathId>) {
        self.scopes.enter(false);
        let children = shape.children(node);
        let bodies: Vec<Node<'t>> =
            children.iter().filter(|(part, _)| is_body(*part)).map(|(_, child)| *child).collect();
        let gathered = self.gather(|walker| {
            for (part, child) in &children {
                if !is_body(*part) && *part != Some(Part::Skip) {
                    walker.expression(*child);
                }
            }
        });
        let lines = self.lines(node, &bodies, usize::MAX);
        if !gathered.accesses.is_empty() || gathered.risky {
            self.add(StatementKind::Plain, lines, node, gathered);
        }
        for body in bodies {
            self.body(body, value);
        }
        self.scopes.leave();
    }

    /// The value of something that has steps of its own, as a variable nobody wrote.
    pub(crate) fn value_of(&mut self, node: Node<'t>) {
        if self.depth >= super::walker::MAX_NESTING {
            return self.names(node);
        }
        let value = self.scopes.unwritten();
        self.lowered.insert(node.id());
        let discarded = self.discarded.take();
        let gathered = self.gather(|walker| walker.statement(node, Some(value)));
        drop(gathered);
        self.discarded = discarded;
        let line = line_of(node);
        self.gathered.accesses.push(Access { path: value, mode: Mode::Read, line });
    }
}

pub(crate) fn is_body(part: Option<Part>) -> bool {
    matches!(part, Some(Part::Body | Part::Then | Part::Else | Part::Handler | Part::Finally))
}

pub(crate) fn pick<'t>(children: &[(Option<Part>, Node<'t>)], wanted: Part) -> Vec<Node<'t>> {
    children.iter().filter(|(part, _)| *part == Some(wanted)).map(|(_, child)| *child).collect()
}

/// The children of a loop, those of a clause within its head among them.
fn unfolded<'t>(walker: &Walker<'t>, shape: &Shape, node: Node<'t>) -> Vec<(Option<Part>, Node<'t>)> {
    let mut found = Vec::new();
    for (part, child) in shape.children(node) {
        let clause = walker.table.shape(child).filter(|inside| inside.role == Role::Clause);
        match clause {
            Some(clause) if part != Some(Part::Body) => found.extend(clause.children(child)),
            _ => found.push((part, child)),
        }
    }
    found
}
