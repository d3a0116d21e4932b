//! Access paths of expressions, and what reading or changing one means for others.

use tree_sitter::Node;

use super::graph::{Access, Mode};
use super::scope::{Path, PathId};
use super::table::{Part, Role, Words};
use super::walker::{Walker, line_of};

/// Steps of `a.b(c).d(e)[f]…` that are looked through for what it is asked of. Longer chains build something new.
const MAX_STEPS: usize = 48;

impl<'t> Walker<'t> {
    /// Every name in a text, read.
    pub(crate) fn names(&mut self, node: Node<'t>) {
        let mut open = vec![node];
        while let Some(at) = open.pop() {
            match self.table.role(at) {
                Some(Role::Name) => {
                    if let Some(path) = self.path_of(at) {
                        self.read(path, line_of(at));
                    }
                }
                Some(Role::Skip | Role::Comment) => {}
                _ => open.extend(self.rest(at)),
            }
        }
    }

    /// Names in a definition that mean something outside of it.
    pub(crate) fn names_outside(&mut self, node: Node<'t>) {
        let gathered = self.gather(|walker| walker.names(node));
        for access in gathered.accesses {
            let variable = self.scopes.variable(access.path);
            if variable.declared || variable.function == 0 {
                self.gathered.accesses.push(access);
            }
        }
    }

    /// The path an expression is, if it is nothing else.
    pub(crate) fn path_of(&mut self, node: Node<'t>) -> Option<PathId> {
        let mut members: Vec<&'t str> = Vec::new();
        let mut at = node;
        loop {
            let Some(shape) = self.table.shape(at) else {
                // Parentheses.
                let children = self.rest(at);
                let [inside] = children[..] else { return None };
                if !self.text[at.byte_range()].starts_with('(') && !self.text[at.byte_range()].ends_with('!')
                {
                    return None;
                }
                at = inside;
                continue;
            };
            match shape.role {
                Role::Name => {
                    let word = self.word(at);
                    if word.is_empty() {
                        return None;
                    }
                    let mut path = Path::of(self.scopes.find(word));
                    for member in members.iter().rev() {
                        path.push(member);
                    }
                    return Some(self.scopes.path(path));
                }
                Role::Member => {
                    members.push(shape.part(at, Part::Member).map_or("", |member| self.word(member)));
                    at = shape.part(at, Part::Object)?;
                }
                _ => return None,
            }
        }
    }

    /// The path an expression is a part of, or is asked of.
    pub(crate) fn root_of(&mut self, node: Node<'t>) -> Option<PathId> {
        let mut at = node;
        for _ in 0..MAX_STEPS {
            if let Some(path) = self.path_of(at) {
                return Some(path);
            }
            let shape = self.table.shape(at);
            at = match shape.map(|shape| (shape.role, shape)) {
                Some((Role::Member, shape)) => shape.part(at, Part::Object)?,
                Some((Role::Call, shape)) => {
                    let children = shape.children(at);
                    let callee = super::control::pick(&children, Part::Callee).first().copied();
                    let (receiver, method) = self.asked_of(&children, callee);
                    let name = method.map_or("", |method| self.word(method));
                    // What it gives is new: who changes that changes nothing else.
                    if self.table.has_word(Words::Pure, name) && !self.table.has_word(Words::Views, name) {
                        return None;
                    }
                    receiver?
                }
                Some((
                    Role::Index | Role::Reference | Role::Dereference | Role::Through | Role::Propagate,
                    _,
                )) => *self.rest(at).first()?,
                Some((Role::Update, shape)) => shape.part(at, Part::Target)?,
                Some((Role::Bind, shape)) => shape.part(at, Part::Value)?,
                Some(_) => return None,
                None => {
                    let children = self.rest(at);
                    let [inside] = children[..] else { return None };
                    inside
                }
            };
        }
        None
    }

    /// The path of which an expression gives a part: who changes the part changes the path.
    pub(crate) fn viewed(&mut self, node: Node<'t>) -> Option<PathId> {
        let mut at = node;
        for _ in 0..MAX_STEPS {
            if let Some(path) = self.path_of(at) {
                return self.scopes.variable(path).declared.then_some(path);
            }
            let shape = self.table.shape(at)?;
            at = match shape.role {
                Role::Call => {
                    let children = shape.children(at);
                    let callee = super::control::pick(&children, Part::Callee).first().copied();
                    let (receiver, method) = self.asked_of(&children, callee);
                    let name = method.map_or("", |method| self.word(method));
                    if !self.table.has_word(Words::Views, name) {
                        return None;
                    }
                    if let Some(receiver) = receiver {
                        receiver
                    } else {
                        // `enumerate(xs)`, `strchr(text, c)`.
                        let arguments = super::control::pick(&children, Part::Arguments);
                        *self.rest(*arguments.first()?).first()?
                    }
                }
                Role::Member => shape.part(at, Part::Object)?,
                Role::Index | Role::Reference | Role::Dereference | Role::Through | Role::Propagate => {
                    *self.rest(at).first()?
                }
                _ => return None,
            };
        }
        None
    }

    pub(crate) fn read(&mut self, path: PathId, line: u32) {
        self.access(path, Mode::Read, line);
        self.use_captures(path, line);
    }

    pub(crate) fn change_root(&mut self, node: Node<'t>) {
        if let Some(root) = self.root_of(node) {
            self.change(root, line_of(node));
        }
    }

    pub(crate) fn change(&mut self, path: PathId, line: u32) {
        self.access(path, Mode::Change, line);
        self.change_aliases(path, line);
    }

    pub(crate) fn change_aliases(&mut self, path: PathId, line: u32) {
        for alias in self.scopes.aliases(path) {
            self.access(alias, Mode::Change, line);
        }
    }

    pub(crate) fn access(&mut self, path: PathId, mode: Mode, line: u32) {
        let variable = self.scopes.variable(path);
        if variable.inner {
            return;
        }
        let depth = variable.function;
        for (function, captures) in &mut self.capturing {
            if depth < *function {
                let list = match mode {
                    Mode::Read | Mode::Base => &mut captures.reads,
                    Mode::Write | Mode::Change => &mut captures.changes,
                };
                if !list.contains(&path) {
                    list.push(path);
                }
            }
        }
        let access = Access { path, mode, line };
        let known = self.gathered.accesses.iter().any(|known| known.path == path && known.mode == mode);
        if !known {
            self.gathered.accesses.push(access);
        }
    }
}
