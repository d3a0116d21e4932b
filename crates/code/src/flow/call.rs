//! What a call reads, and what it may change: what it is asked of, and what it is handed.

use tree_sitter::Node;

use super::access::Task;
use super::effects::Asked;
use super::graph::Mode;
use super::scope::{Path, PathId};
use super::table::{Part, Role, Shape, Words};
use super::walker::{Walker, line_of};

impl<'t> Walker<'t> {
    /// `f(x)`, `a.b.f(x)`.
    pub(crate) fn call(&mut self, node: Node<'t>, shape: &'t Shape, tasks: &mut Vec<Task<'t>>) {
        self.gathered.risky = true;
        let children = shape.children(node);
        let callee = super::control::pick(&children, Part::Callee).first().copied();
        let (receiver, method) = self.asked_of(&children, callee);
        let name = method.map_or("", |method| self.word(method));
        let whole = callee.map_or(name, |callee| &self.text[callee.byte_range()]);
        let discarded = self.discarded == Some(node.id());
        if discarded && (self.table.has_word(Words::Never, whole) || self.never(receiver, name)) {
            self.gathered.never = true;
        }
        let mutates = self.table.has_word(Words::Mutates, name);
        let pure =
            !mutates && (self.table.has_word(Words::Pure, name) || self.table.has_word(Words::Pure, whole));
        let fills = self.table.has_word(Words::Fills, name) || self.table.has_word(Words::Fills, whole);
        let looked_into = self.look_into(receiver, method, line_of(node));
        // Where the text of a method says what it reads, that is not all of what it is asked of.
        let asked = match receiver {
            Some(receiver) => Some(receiver).filter(|_| !looked_into),
            None => callee,
        };
        let mut arguments = Vec::new();
        let mut others = Vec::new();
        for (part, child) in &children {
            match part {
                // A generator or a template in the place of the list.
                Some(Part::Arguments) if self.table.shape(*child).is_some() => arguments.push(*child),
                Some(Part::Arguments) => arguments.extend(self.rest(*child)),
                Some(Part::Callee | Part::Receiver | Part::Method | Part::Skip) => {}
                _ => others.push(*child),
            }
        }
        let (closures, plain): (Vec<Node<'t>>, Vec<Node<'t>>) = arguments.iter().partition(|argument| {
            matches!(self.table.role(**argument), Some(Role::Function | Role::Hoisted))
        });
        // What a closure is handed comes from what it is called on, and from its neighbors.
        if !closures.is_empty() && self.depth < super::walker::MAX_NESTING {
            self.depth += 1;
            let gathered = self.gather(|walker| {
                if let Some(asked) = asked {
                    walker.expression(asked);
                }
                for argument in plain {
                    walker.expression(argument);
                }
            });
            let sources = gathered.reads();
            self.gathered.accesses.extend(gathered.accesses);
            self.gathered.propagates |= gathered.propagates;
            let before = self.graph.closures.len();
            for closure in closures {
                if let Some(shape) = self.table.shape(closure) {
                    self.closure(closure, shape, &sources, Some(node));
                }
            }
            if self.table.has_word(Words::Now, name) {
                self.graph.closures.truncate(before);
            }
            self.depth -= 1;
        } else {
            tasks.extend(arguments.iter().rev().map(|argument| Task::Read(*argument)));
            tasks.extend(asked.map(Task::Read));
        }
        tasks.extend(others.into_iter().map(Task::Read));
        if let Some(receiver) = receiver
            && !pure
            && !looked_into
            && let Some(root) = self.root_of(receiver)
            && self.may_change(root, name, discarded)
        {
            self.change(root, line_of(node));
        }
        // What is put into a collection is not changed by that.
        let known = receiver.is_some() && mutates;
        for (at, argument) in arguments.iter().enumerate() {
            self.argument(*argument, pure, discarded && !known, fills && at == 0);
        }
    }

    /// What a function of the same file does to fields and to variables of the file, by its own text; whether there is
    /// such a function.
    fn look_into(&mut self, receiver: Option<Node<'t>>, method: Option<Node<'t>>, line: u32) -> bool {
        let Some((method, from)) = method.zip(self.of) else { return false };
        let name = self.word(method);
        let fields_are_bare = self.table.rule("fields-are-bare");
        let asked = match receiver {
            Some(receiver) => match self.path_of(receiver) {
                Some(path) if self.scopes.is_whole_own(path) => Asked::Own,
                _ => return false,
            },
            // A type that is made, not a function that is called.
            None if self.table.role(method) == Some(Role::Skip) || self.scopes.is_inside(name) => {
                return false;
            }
            None if fields_are_bare => Asked::Bare,
            None => Asked::File,
        };
        let file = std::rc::Rc::clone(&self.file);
        let Some(effects) = file.called(from, (name, asked), self.table, self.text) else { return false };
        for effects in &effects {
            let reads = effects.reads.iter().map(|read| (read, Mode::Read));
            for (found, mode) in reads.chain(effects.changes.iter().map(|change| (change, Mode::Change))) {
                let variable = self.scopes.outside(found.root);
                if asked == Asked::File && self.scopes.is_own(variable) {
                    continue;
                }
                let path = self.scopes.path(Path { variable, ..found.path });
                match mode {
                    Mode::Read => self.access(path, Mode::Read, line),
                    _ => self.change(path, line),
                }
            }
        }
        true
    }

    fn never(&self, receiver: Option<Node<'t>>, name: &str) -> bool {
        receiver.is_some_and(|receiver| {
            let whole = format!("{}.{name}", &self.text[receiver.byte_range()]);
            self.table.has_word(Words::Never, &whole)
        })
    }

    /// What a method is asked of, and the method.
    pub(crate) fn asked_of(
        &self,
        children: &[(Option<Part>, Node<'t>)],
        callee: Option<Node<'t>>,
    ) -> (Option<Node<'t>>, Option<Node<'t>>) {
        if let Some(mut callee) = callee {
            // `parse::<u32>`, `(f)`.
            while self.table.role(callee) == Some(Role::Through)
                && let Some(inside) = self.rest(callee).first()
            {
                callee = *inside;
            }
            return match self.table.shape(callee) {
                Some(shape) if shape.role == Role::Member => {
                    (shape.part(callee, Part::Object), shape.part(callee, Part::Member))
                }
                _ => (None, Some(callee)),
            };
        }
        let first = |wanted| super::control::pick(children, wanted).first().copied();
        (first(Part::Receiver), first(Part::Method))
    }

    /// Whether a call may change what it is asked of.
    fn may_change(&self, root: PathId, method: &str, discarded: bool) -> bool {
        let variable = self.scopes.variable(root);
        if !variable.declared {
            return false;
        }
        if self.table.has_word(Words::Mutates, method) {
            return true;
        }
        if self.table.rule("says-what-changes") {
            return variable.mutable || variable.pointer || variable.vague && discarded;
        }
        true
    }

    /// What is handed to a call may come back changed.
    fn argument(&mut self, argument: Node<'t>, pure: bool, discarded: bool, filled: bool) {
        let by_reference = self.table.role(argument) == Some(Role::Reference);
        if pure && !filled {
            return;
        }
        let Some(root) = self.root_of(argument) else { return };
        let is_path = by_reference || self.path_of(argument).is_some();
        let variable = self.scopes.variable(root);
        let changed = filled
            || by_reference
            || is_path && variable.pointer
            || is_path && discarded && variable.declared && !self.table.rule("arguments-are-copies");
        let changed = changed && variable.scalar != Some(true);
        if changed {
            self.change(root, line_of(argument));
        }
    }

    pub(crate) fn macro_call(&mut self, node: Node<'t>, shape: &'t Shape, tasks: &mut Vec<Task<'t>>) {
        let callee = shape.part(node, Part::Callee);
        let name = callee.map_or("", |callee| self.word(callee));
        self.gathered.risky = true;
        if self.discarded == Some(node.id()) && self.table.has_word(Words::Never, name) {
            self.gathered.never = true;
        }
        let arguments = shape.parts(node, Part::Arguments);
        if self.table.has_word(Words::Fills, name)
            && let Some(first) = arguments.first().and_then(|tokens| self.rest(*tokens).first().copied())
            && self.table.role(first) == Some(Role::Name)
            && let Some(path) = self.token_path(first)
        {
            self.change(path, line_of(first));
        }
        tasks.extend(arguments.into_iter().rev().map(Task::Read));
    }

    /// Tokens of a macro: `a . b . c` is a path, whatever else is a name is read.
    pub(crate) fn tokens(&mut self, node: Node<'t>, tasks: &mut Vec<Task<'t>>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match self.table.role(child) {
                Some(Role::Name) => {
                    let before = child.prev_sibling().map_or("", |token| token.kind());
                    if !matches!(before, "." | "::")
                        && child.next_sibling().is_none_or(|token| token.kind() != "::")
                        && let Some(path) = self.token_path(child)
                    {
                        self.read(path, line_of(child));
                    }
                }
                _ => tasks.push(Task::Read(child)),
            }
        }
    }

    fn token_path(&mut self, first: Node<'t>) -> Option<PathId> {
        let name = self.word(first);
        let mut path = Path::of(self.scopes.known(name)?);
        let mut at = first;
        while let Some(dot) = at.next_sibling().filter(|token| token.kind() == ".")
            && let Some(member) = dot.next_sibling().filter(Node::is_named)
            // A method is no member.
            && member.next_sibling().is_none_or(|token| self.table.role(token) != Some(Role::Tokens))
        {
            path.push(self.word(member));
            at = member;
        }
        Some(self.scopes.path(path))
    }

    /// `"{name}"`: names of variables in braces.
    pub(crate) fn format(&mut self, node: Node<'t>) {
        let text = &self.text[node.byte_range()];
        let mut line = line_of(node);
        for (at, piece) in text.split('{').enumerate() {
            if at > 0 {
                let end = piece.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(piece.len());
                let closed = matches!(piece[end..].chars().next(), Some('}' | ':' | '!'));
                if closed
                    && end > 0
                    && let Some(variable) = self.scopes.known(&piece[..end])
                {
                    let path = self.scopes.path(Path::of(variable));
                    self.read(path, line);
                }
            }
            line += piece.matches('\n').count() as u32;
        }
    }
}
